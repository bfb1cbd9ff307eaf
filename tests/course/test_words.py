"""The words: what is shipped, what the script makes of WordNet's format, and what the embeddings see."""

from __future__ import annotations

import collections
import lzma
import sys
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import classex as cx
from classex_book.data import WORD_SYSTEMS, Words, embed_words, load_words

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
DATA = files("classex_book.data")


@pytest.fixture(scope="module")
def words():
    return load_words()


@pytest.fixture(scope="module")
def build():
    sys.path.insert(0, str(SCRIPTS))
    try:
        yield import_module("build_words")
    finally:
        sys.path.remove(str(SCRIPTS))


def test_every_class_has_its_texts_and_group(words, build):
    assert words.n_classes == len(words.tests) == len(words.lemmas) == len(set(words.numbers)) == 32_923
    assert all(words.tests)
    assert all(
        reference.startswith(lemmas + ": ") for reference, lemmas in zip(words.references, words.lemmas, strict=True)
    )
    assert set(words.lexicographer_files) <= set(build.LEXICOGRAPHER_FILES)
    assert collections.Counter(parts_of_speech(words)) == {"noun": 8742, "verb": 9691, "adj": 11_298, "adv": 3192}
    assert "32,923" in words.DESCR


def parts_of_speech(words):
    return np.array([name.split(".")[0] for name in words.lexicographer_files.tolist()])


def test_part_of_speech_agrees_with_the_number_of_the_synset(words):
    kinds = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
    assert [kinds[number[-1]] for number in words.numbers] == parts_of_speech(words).tolist()


def test_small_sets_are_nested(words):
    few = load_words(100)
    assert few.references == words.references[:100]
    assert few.tests == words.tests[:100]
    assert np.array_equal(few.lexicographer_files, words.lexicographer_files[:100])


def test_the_order_is_random(words):
    # the share of nouns among the first 3,000 against its hypergeometric law: z = 4
    noun = parts_of_speech(words) == "noun"
    share, n, total = noun.mean(), 3_000, words.n_classes
    deviation = np.sqrt(share * (1 - share) / n * (total - n) / (total - 1))
    assert abs(noun[:n].mean() - share) < 4 * deviation


def test_the_licence_is_shipped_beside_the_data():
    notice = (DATA / "WORDNET-LICENSE.md").read_text(encoding="utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved." in notice
    assert "Permission to use, copy, modify and distribute" in notice
    assert (DATA / "words.tsv.xz").stat().st_size < 1.3e6


@pytest.mark.parametrize("bad", [1, 32_924, 2.5, "ten"])
def test_a_wrong_number_of_classes_is_refused(bad):
    with pytest.raises((TypeError, ValueError), match="n_classes must be an integer of at least 2"):
        load_words(bad)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            '1 05 n 02 house_cat 0 cat 1 001 @ 2 n 0000 | a pet; of fur; "the cat sat"; "two cats"  ',
            ("1n", "noun.animal", "house cat, cat", "a pet; of fur", "the cat sat"),
        ),
        (
            '2 00 s 01 slain(p) 0 000 | killed ("slain" is literary); "a slain dragon: "',
            ("2s", "adj.all", "slain", 'killed ("slain" is literary)', "a slain dragon"),
        ),
        (
            '3 38 v 01 sink 0 000 | go under, "the raft sank"',
            ("3v", "verb.motion", "sink", "go under", "the raft sank"),
        ),
        (
            '4 29 v 0a a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 j 0 000 | live (e.g., "we live")',
            ("4v", "verb.body", "a, b, c, d, e, f, g, h, i, j", "live (e.g.", "we live"),
        ),
        ("5 05 n 01 dog 0 000 | a pet without an example", None),
        ('6 05 n 01 dog 0 000 | "an example without a definition"', None),
    ],
)
def test_lines_of_wordnet_are_read(build, line, expected):
    assert build.read_line(line) == expected


def test_the_order_does_not_depend_on_that_of_the_files(build):
    synsets = [build.Synset(f"{number}n", "noun.act", "act", "a deed", "his act") for number in range(50)]
    assert build.table(synsets) == build.table(synsets[::-1])


def test_shipped_text_is_what_the_script_makes(build):
    if not (build.WORDNET / "data.noun").exists():
        pytest.skip("Debian's wordnet-base is not installed")
    shipped = lzma.decompress((DATA / "words.tsv.xz").read_bytes()).decode()
    assert build.table(list(build.read_wordnet(build.WORDNET))) == shipped


@pytest.fixture(scope="module", params=WORD_SYSTEMS)
def embedded(request):
    return request.param, load_words(500), *embed_words(load_words(500), system=request.param, n_components=64)


def test_embeddings_are_unit_rows_made_alike_each_time(embedded):
    system, words, test, references = embedded
    for rows in (test, references):
        assert rows.shape[0] == 500
        assert rows.dtype == np.float32
        dense = rows.toarray() if system == "tfidf" else rows
        assert np.allclose(np.linalg.norm(dense, axis=1), 1, atol=1e-5)
    again = embed_words(words, system=system, n_components=64)
    assert (again[0] != test).sum() == 0
    assert (again[1] != references).sum() == 0


def strings(text):
    """All strings of three to five letters of a text, words padded with blanks; a short word once."""
    for word in text.lower().split():
        padded = f" {word} "
        for n in range(3, min(5, len(padded)) + 1):
            yield from (padded[first : first + n] for first in range(len(padded) - n + 1))


def test_tfidf_is_that_of_a_plain_version():
    words = load_words(40)
    test, references = embed_words(words)
    held = [collections.Counter(strings(text)) for text in words.references]
    frequency = collections.Counter(string for counts in held for string in counts)
    weight = {string: 1 + np.log(41 / (1 + n)) for string, n in frequency.items()}

    def vector(text):
        out = {s: n * weight[s] for s, n in collections.Counter(strings(text)).items() if s in weight}
        norm = np.sqrt(sum(value**2 for value in out.values()))
        return {string: value / norm for string, value in out.items()}

    a, b = [vector(text) for text in words.tests], [vector(text) for text in words.references]
    cosines = [[sum(value * y.get(string, 0) for string, value in x.items()) for y in b] for x in a]
    assert np.allclose((test @ references.T).toarray(), cosines, atol=1e-6)


def test_a_text_without_a_known_string_is_zero():
    words = Words(
        ("cat: pet", "dog: pet"), ("the cat", "xyz"), ("cat", "dog"), ("1n", "2n"), np.array(["noun.animal"] * 2)
    )
    assert embed_words(words)[0].toarray().any(axis=1).tolist() == [True, False]


def test_neither_system_learns_from_the_test_texts():
    few = load_words(50)
    changed = Words(few.references, few.tests[::-1], few.lemmas, few.numbers, few.lexicographer_files)
    for system in WORD_SYSTEMS:
        (test, references), (test_2, references_2) = (
            embed_words(words, system=system, n_components=20) for words in (few, changed)
        )
        assert abs(references - references_2).max() == 0
        assert abs(test - test_2[::-1]).max() < 1e-6


def test_streamed_ranks_are_those_of_exact_cosines(embedded):
    system, _, test, references = embedded
    a, b = (rows.toarray() if system == "tfidf" else rows for rows in (test, references))
    expected = cx.correct_ranks(a.astype(np.float64) @ b.T.astype(np.float64), np.arange(500))
    ranks = cx.correct_ranks_from_embeddings(test, references, np.arange(500), metric="inner_product")
    # double precision errs on near-ties only
    assert np.abs(ranks.wins - expected.wins).max() <= 1
    assert (ranks.wins != expected.wins).mean() < 0.01


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"system": "bert"}, ValueError, "system must be one of 'tfidf', 'svd', not 'bert'"),
        ({"system": "svd", "n_components": 51}, ValueError, "n_components must be .* at most 50, not 51"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        embed_words(load_words(50), **arguments)
