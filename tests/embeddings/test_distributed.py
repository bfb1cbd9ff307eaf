"""Ranks from Dask arrays: the same integers, on threads and on a cluster, one of whose workers dies."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest

import classex as cx


@pytest.fixture(scope="module")
def case():
    """Embeddings on a grid, where many scores tie: test points, references, labels."""
    rng = np.random.default_rng(1)
    references = rng.integers(-3, 4, (700, 6)).astype(np.float32)
    references[~references.any(axis=1)] = 1
    labels = np.concatenate([np.arange(700), rng.integers(0, 700, 300)])
    test = (references[labels] + rng.integers(-2, 3, (1000, 6))).astype(np.float32)
    test[~test.any(axis=1)] = 1
    return test, references, labels


def assert_same(got, expected):
    np.testing.assert_array_equal(got.wins, expected.wins)
    np.testing.assert_array_equal(got.ties, expected.ties)
    np.testing.assert_array_equal(got.labels, expected.labels)
    np.testing.assert_allclose(got.distractors.beaten, expected.distractors.beaten, rtol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "inner_product", "cosine"])
@pytest.mark.parametrize("owner", ["single", "nearest", "mean"])
def test_the_same_integers_as_from_arrays(case, metric, owner):
    test, references, labels = case
    reference_labels = None
    if owner != "single":
        labels = labels % 50
        reference_labels = np.random.default_rng(2).permutation(700) % 50
    how = {"metric": metric, "aggregate": "mean" if owner == "mean" else "nearest"}
    expected = cx.correct_ranks_from_embeddings(test, references, labels, reference_labels, **how)
    assert expected.ties.max() > 0 or owner == "mean" or metric == "cosine"
    for points, exemplars in (
        (da.from_array(test, chunks=(333, 6)), da.from_array(references, chunks=(90, 2))),
        (da.from_array(test, chunks=(1000, 3)), references),
        (test, da.from_array(references, chunks=(700, 6))),
    ):
        assert_same(
            cx.correct_ranks_from_embeddings(points, exemplars, da.from_array(labels), reference_labels, **how),
            expected,
        )


def test_scores_and_functions(case):
    test, references, labels = case

    def manhattan(points, exemplars):
        return -np.abs(points[:, np.newaxis] - exemplars).sum(axis=2)

    scores = manhattan(test, references)
    expected = cx.correct_ranks(scores, labels)
    assert_same(cx.correct_ranks(da.from_array(scores, chunks=(150, 333)), labels), expected)
    chunked = da.from_array(test, chunks=(400, 6))
    assert_same(cx.correct_ranks_from_embeddings(chunked, references, labels, metric=manhattan), expected)
