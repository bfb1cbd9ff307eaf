"""Ranks of packages and films: what is shipped agrees with itself, and the scripts with counts by hand."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.resources import files
from math import log
from pathlib import Path

import numpy as np
import pytest

import classex as cx
from classex_book import load_study

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
FOLDER = files("classex_book.studies") / "packages"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    yield import_module
    for name in ("build_movielens", "build_packages"):
        sys.modules.pop(name, None)


def test_the_run_and_the_counts_agree():
    run, qrels = (cx.io.load_trec(str(FOLDER / f"{name}.txt.gz")) for name in ("run", "qrels"))
    stored = load_study("packages/ranks")
    small = min((row["items"] for row in stored), key=int)
    names = ("query", "gain", "above", "losses", "ties")
    rows = np.array(
        [
            [int(row[name]) for name in names]
            for row in stored
            if (row["system"], row["items"]) == ("BM25", small) and row["query"] in qrels
        ]
    )
    ranks = cx.retrieval.relevant_ranks(run, qrels, n_items=int(small))
    found = ranks.found
    assert len(qrels) == 100
    assert len(rows) == found.size
    assert found.mean() > 0.8
    columns = (ranks.query, ranks.gain, ranks.above, ranks.losses)
    # scores of the run have four decimals, so that a few ties are new
    agree = [tuple(one) in set(map(tuple, rows[:, :4])) for one in np.transpose(columns)[found]]
    assert np.mean(agree) > 0.98


def test_bm25_is_its_formula(script):
    build = script("build_packages")
    documents = ["a red fox", "red red wine", "a blue whale and a fox", "nothing"]
    words = [text.split() for text in documents]
    mean = np.mean([len(text) for text in words])

    def score(query, text):
        total = 0.0
        for word in query.split():
            n = sum(word in other for other in words)
            f = text.count(word)
            if n:
                weight = log(1 + (4 - n + 0.5) / (n + 0.5))
                total += weight * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * len(text) / mean))
        return total

    queries = ["red fox", "A fox, a whale", "unknown"]
    expected = [[score(query.lower().replace(",", ""), text) for text in words] for query in queries]
    np.testing.assert_allclose(build.bm25(queries, documents), expected, rtol=1e-12)
