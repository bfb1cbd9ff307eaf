"""The embedded definitions: what is shipped, and what the script makes of questions and embeddings."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import classex as cx
from classex_book.data import load_definitions

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture(scope="module")
def data():
    return load_definitions()


@pytest.fixture(scope="module")
def build():
    sys.path.insert(0, str(SCRIPTS))
    try:
        yield import_module("build_definitions")
    finally:
        sys.path.remove(str(SCRIPTS))


def test_embeddings_have_unit_length_and_counts_are_in_range(data):
    for part in (data.words, data.definitions):
        assert part.shape == (3_000, 64)
        assert np.abs(np.linalg.norm(part, axis=1) - 1).max() < 1e-5
        assert np.unique(part, axis=0).shape[0] >= 2_998  # three words share a definition, two differ only in case
    for k, wins in data.wins_together.items():
        assert wins.shape == (3_000,)
        assert set(wins) == set(range(k))


def test_accuracy_falls_with_the_number_of_words(data):
    ranks = cx.correct_ranks(data.definitions[:1_000] @ data.words[:1_000].T, range(1_000))
    four, ten, every = cx.accuracy_curve(ranks, [4, 10, 1_000]).accuracy
    assert 0.9 > four > ten + 0.05 > every + 0.3 > 0.5


def test_words_are_distinct_and_definitions_do_not_begin_with_them(build):
    words, definitions = build.pairs()
    assert len(words) == len(set(words)) == len(definitions) == build.N_CLASSES + build.N_OTHERS
    assert not any(text.startswith(f"{word}:") for word, text in zip(words, definitions, strict=True))


def test_reduced_embeddings_keep_what_lies_in_the_main_directions(build):
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.normal(size=(384, 64)))[0].T
    parts = [rng.normal(size=(build.N_CLASSES + 500, 64)) @ basis for _ in range(2)]
    words, definitions = build.reduced(*parts)
    assert max(np.abs(words).max(), np.abs(definitions).max()) <= build.LIMIT
    few = [part[:100] / np.linalg.norm(part[:100], axis=1, keepdims=True) for part in parts]
    whole = [
        part[:100] / np.linalg.norm(part[:100].astype(float), axis=1, keepdims=True) for part in (words, definitions)
    ]
    # a cosine changes by 64 products of an entry (1/8) and a rounding error (1/8 * .2 / sqrt(12)): 0.01, twice
    assert np.abs(whole[0] @ whole[1].T - few[0] @ few[1].T).std() == pytest.approx(0.01, abs=0.005)


def test_options_are_read_where_they_stand_in_the_text(build):
    """A model that knows the right word from its spelling wins always; one that prefers long words wins by length."""
    words = [f"w{'x' * i}" for i in range(40)]
    definitions = [f"the word with {i} letters" for i in range(40)]
    seen = {}

    class Reader:
        def __init__(self, score):
            self.score = score

        def embed_parts(self, texts, parts):
            for text, spans in zip(texts, parts, strict=True):
                definition, *options = (text[a:b] for a, b in spans)
                assert text == f"{definition}:{''.join(f' {option},' for option in options)}"
                seen.setdefault(definition, []).append(set(options))
                yield np.array([[1.0], *([self.score(definition, option)] for option in options)])

    for k in (4, 10):
        right = build.wins_together(
            Reader(lambda text, word: text.split()[3] == str(len(word) - 1)), words, definitions, k
        )
        assert set(right) == {k - 1}
    assert all(few < many and len(few) == 4 and len(many) == 10 for few, many in seen.values())
    by_length = build.wins_together(Reader(lambda _, word: len(word)), words, definitions, 10)
    assert by_length[0] == 0
    assert by_length[-1] == 9
