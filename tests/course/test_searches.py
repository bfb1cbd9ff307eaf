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


@pytest.mark.parametrize("system", ["BM25", "embeddings"])
def test_counts_of_packages_are_possible(system):
    rows = [row for row in load_study("packages/ranks") if row["system"] == system]
    small, large = (
        np.array([[int(row[name]) for name in ("query", "losses", "ties")] for row in rows if int(row["items"]) == n])
        for n in (1_002, 10_007)
    )
    assert len(np.unique(small[:, 0])) == 583
    assert np.array_equal(small[:, 0], large[:, 0])
    assert small[:, 1:].sum(axis=1).max() < 1_002
    assert large[:, 1:].sum(axis=1).max() < 10_007
    if system == "embeddings":  # the cosines are the same in both, and BM25's weights of words are not
        assert (small[:, 1] <= large[:, 1] + large[:, 2]).all()


def test_counts_of_films_are_possible():
    rows = load_study("movielens/ranks")
    assert {row["system"] for row in rows} == {"popularity", "item-item cosine"}
    table = np.array([[int(row[name]) for name in ("user", "items", "losses", "ties", "own")] for row in rows])
    user, items, losses, ties, own = table.T
    assert len(rows) == 2 * 671
    assert np.array_equal(np.sort(user), np.repeat(np.arange(671), 2))
    assert (losses + ties < items).all()
    assert (items <= 9_066 - 19).all()  # every user rated at least twenty films
    assert (own <= 9_066 - items).all()


def test_films_are_ranked_as_by_hand(script, tmp_path):
    build = script("build_movielens")
    ratings = [(1, 10, 5), (1, 20, 9), (2, 10, 1), (2, 30, 2), (2, 20, 3), (3, 10, 4), (3, 40, 4)]
    lines = ["userId,movieId,timestamp", *(",".join(map(str, row)) for row in ratings)]
    (tmp_path / "ratings.csv").write_text("\n".join(lines), encoding="utf-8")
    build.build(tmp_path / "ratings.csv", tmp_path / "ranks.csv")
    # left are 1: {10}, 2: {10, 30}, 3: {10}; held out are the films 20, 20 and 40, which nobody else rated
    assert (tmp_path / "ranks.csv").read_text(encoding="utf-8").splitlines() == [
        "system,user,items,losses,ties,own",
        "popularity,0,3,1,1,1",
        "popularity,1,2,0,1,2",
        "popularity,2,3,1,1,1",
        "item-item cosine,0,3,1,1,1",
        "item-item cosine,1,2,0,1,2",
        "item-item cosine,2,3,1,1,1",
    ]


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


def test_packages_are_read_by_source(script, tmp_path):
    build = script("build_packages")
    packages = (
        "Package: b-tool\nSource: b (1.0)\nDescription-md5: 1\n\n"
        "Package: b\nDescription-md5: 2\n\n"
        "Package: c\nDescription-md5: 3\n"
    )
    texts = (
        "Description-md5: 1\nDescription-en: a tool\n Long\n text.\n .\n More.\n\n"
        "Description-md5: 2\nDescription-en: short\n Other.\n"
    )
    for name, text in (("Packages", packages), ("Translation-en", texts)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert build.sources(tmp_path / "Packages", tmp_path / "Translation-en") == [
        [("b", "short", "Other."), ("b-tool", "a tool", "Long text.  More.")]
    ]
