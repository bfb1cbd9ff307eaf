"""Every compiled loop equals its twin in NumPy: ties, near ties, infinities, classes with several references."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import classex as cx
from classex import _loops
from classex._loops import curves, ranks
from classex.ranks.scores import count_scores

pytestmark = pytest.mark.compiler


def both(loop, *arguments):
    """Arrays that the compiled loop fills, and those of its twin."""
    filled = []
    for form in (loop.compiled, loop.twin):
        copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        form(*copies)
        filled.append([a for a in copies if isinstance(a, np.ndarray)])
    return zip(*filled, strict=True)


def test_compiled_only_for_many_comparisons(monkeypatch):
    assert _loops.numba_for(_loops.FEW) is None
    assert _loops.numba_for(_loops.FEW + 1).__name__ == "numba"
    monkeypatch.setattr(_loops, "_numba", lambda: None)
    assert _loops.numba_for(1e12) is None


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("n_columns", "n_groups", "group"), [(1, 1, 0), (7, 7, 3), (23, 5, 12), (4, 30, 29)])
def test_counts(kind, n_columns, n_groups, group):
    rng = np.random.default_rng(n_columns)
    block = rng.integers(-2, 3, (9, n_columns)).astype(kind)
    block[:, 0] = [np.inf, -np.inf, *np.nextafter(np.zeros(7, kind), kind(1))]
    low = rng.integers(-2, 2, 9).astype(kind)
    low[:2] = np.inf, -np.inf
    own = rng.integers(0, n_columns + 2, 9)
    given = block, np.zeros(n_columns, kind), low, np.maximum(low, kind(0)), 1, own, group
    filled = both(ranks.count_block, *given, np.ones((9, n_groups), np.int32), np.empty(9, np.int64))
    for compiled, twin in filled:
        np.testing.assert_array_equal(compiled, twin)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_best_of_classes(kind):
    rng = np.random.default_rng(1)
    block = rng.integers(-2, 3, (5, 9)).astype(kind)
    block[0, 2:4], block[1] = -np.inf, np.inf
    starts = np.array([0, 2, 4, 5, 9])
    for compiled, twin in both(ranks.best_of_classes, block, np.arange(9, dtype=kind), starts, np.empty((5, 4), kind)):
        np.testing.assert_array_equal(compiled, twin)


@pytest.mark.parametrize("n_features", [1, 2, 4, 5, 13])
def test_squared_distances(n_features):
    rng = np.random.default_rng(n_features)
    points, features = rng.normal(size=(6, n_features)), rng.normal(size=(n_features, 700))
    for compiled, twin in both(ranks.fill_squared_distances, points, features, np.empty((6, 690))):
        np.testing.assert_allclose(compiled, twin, rtol=1e-14)


def test_sparse_products():
    rng = np.random.default_rng(16)
    points, references = (sparse.random_array((6, 8), density=0.4, rng=rng) for _ in range(2))
    points, by_feature = points.tocsr(), references.tocsc()
    place = np.array([2, -1, 0, 1, -1, 3], dtype=np.int32)
    expected = np.empty((6, 4))
    expected[:, place[place >= 0]] = (points @ references.T).toarray()[:, place >= 0]
    parts = [getattr(array, name) for array in (points, by_feature) for name in ("indptr", "indices", "data")]
    *_, (compiled, twin) = both(ranks.fill_sparse_products, *parts, place, np.full((6, 4), np.nan))
    np.testing.assert_allclose(compiled, expected, rtol=1e-15)
    np.testing.assert_allclose(twin, expected, rtol=1e-15)


@pytest.mark.parametrize("half", [2, 5])
def test_beaten_subsets(half):
    rng = np.random.default_rng(half)
    beaten = rng.integers(0, 4, (7, 2 * half + 3)) / 3
    drawn = np.unique([0, 1, half, 2 * half + 1])
    filled = both(curves.beaten_subsets, beaten, 2, rng.random(7), drawn, half, np.ones(4), np.ones((2 * half + 3, 4)))
    for compiled, twin in filled:
        np.testing.assert_allclose(compiled, twin, rtol=1e-12)


def test_scores_are_counted_the_same_way(monkeypatch):
    scores = np.random.default_rng(2).integers(0, 6, (40, 11)).astype(float)
    few = count_scores(scores, np.arange(40) % 11, 5)
    monkeypatch.setattr(_loops, "FEW", 0)
    np.testing.assert_array_equal(few, count_scores(scores, np.arange(40) % 11, 5))


@pytest.mark.parametrize("metric", ["euclidean", "inner_product", "cosine"])
@pytest.mark.parametrize("features", [2, 30])
def test_the_same_ranks_of_embeddings(metric, features, monkeypatch):
    """Small whole numbers, with exact ties; a class with one reference or several, which points may equal."""
    rng = np.random.default_rng(features)
    references = rng.integers(-2, 3, (40, features)) + 0.0
    references[:, 0] = 3
    test = references[rng.permutation(40)]
    labels = np.arange(40) % 20

    def found():
        owners = (None, rng.permutation(20), np.arange(40) % 20)
        for owner in owners:
            exemplars = references[:20] if owner is None or owner.size == 20 else references
            yield cx.correct_ranks_from_embeddings(test + 1, exemplars, labels, owner, metric)

    state = rng.bit_generator.state
    few = list(found())
    rng.bit_generator.state = state
    monkeypatch.setattr(_loops, "FEW", 0)
    for one, other in zip(few, found(), strict=True):
        np.testing.assert_array_equal(one.wins, other.wins)
        np.testing.assert_array_equal(one.ties, other.ties)
        np.testing.assert_allclose(one.distractors.beaten, other.distractors.beaten, rtol=1e-13)
    assert few[0].ties.sum() > 0


def test_one_reference_a_class_in_any_order():
    rng = np.random.default_rng(3)
    references = rng.normal(size=(30, 4))
    labels = rng.integers(0, 30, 50)
    test = references[labels] + rng.normal(size=(50, 4))
    owner = rng.permutation(30)
    named = cx.correct_ranks_from_embeddings(test, references, owner[labels], owner)
    plain = cx.correct_ranks_from_embeddings(test, references, labels)
    np.testing.assert_array_equal(named.wins, plain.wins)
    np.testing.assert_array_equal(named.ties, plain.ties)
