"""Bounds of ranks from lists of neighbours against the ranks themselves."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.ranks import ranks_from_neighbours

METRICS = ("euclidean", "inner_product", "cosine")


def scores_of(test, references, metric):
    """Exact on the small integers below, but for the cosine's root."""
    if metric == "euclidean":
        return -((test[:, np.newaxis] - references) ** 2).sum(axis=2)
    inner = test @ references.T
    return inner / np.linalg.norm(references, axis=1) if metric == "cosine" else inner


def case(several, seed=1):
    """Integers, so that scores tie; test points of some classes only."""
    rng = np.random.default_rng(seed)
    references = rng.integers(-6, 7, (240, 5)).astype(float)
    references[~references.any(axis=1)] = 1
    owner = np.concatenate([np.arange(60), rng.integers(0, 60, 180)]) if several else None
    labels = rng.integers(0, 50, 150)
    test = references[labels] + rng.integers(-3, 4, (150, 5))
    test[~test.any(axis=1)] = 1
    return test, references, labels, owner


def without(lists, scores, n_missed, rng):
    """Lists from which some of the nearest are lost, replaced by the next ones."""
    order = np.argsort(-scores, axis=1, kind="stable")
    out = lists.copy()
    for row in range(out.shape[0]):
        lost = rng.choice(out.shape[1], n_missed, replace=False)
        out[row, lost] = order[row, out.shape[1] : out.shape[1] + n_missed]
    return out


def assert_inside(bounds, ranks):
    for end, low, high in (
        ("wins", bounds.least.wins, bounds.most.wins),
        ("wins and ties", bounds.least.wins + bounds.least.ties, bounds.most.wins + bounds.most.ties),
    ):
        exact = ranks.wins + (ranks.ties if end != "wins" else 0)
        assert (low <= exact).all(), end
        assert (exact <= high).all(), end


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize(("n_missed", "recall"), [(0, 1.0), (3, 0.85), (3, 0.5), (3, 0.0)])
def test_the_ranks_lie_between_the_ends(metric, several, n_missed, recall):
    test, references, labels, owner = case(several)
    scores = scores_of(test, references, metric)
    nearest = np.argsort(-scores, axis=1, kind="stable")[:, :20]
    lists = without(nearest, scores, n_missed, np.random.default_rng(2))
    ranks = cx.correct_ranks_from_embeddings(test, references, labels, owner, metric)
    bounds = ranks_from_neighbours(test, references, labels, lists, owner, metric, recall=recall)
    assert_inside(bounds, ranks)
    if recall == 1.0:
        # above the cut exactly: fewer than 20 references score as high as the truth
        mine = (np.arange(240) if owner is None else owner) == labels[:, np.newaxis]
        as_high = (scores >= np.where(mine, scores, -np.inf).max(axis=1)[:, np.newaxis]).sum(axis=1)
        if metric != "cosine":
            assert bounds.exact[as_high < 20].all()
            assert 20 < np.count_nonzero(as_high < 20) < 150
        np.testing.assert_array_equal(bounds.least.wins[bounds.exact], ranks.wins[bounds.exact])
        np.testing.assert_array_equal(bounds.least.ties[bounds.exact], ranks.ties[bounds.exact])
    curves = [cx.accuracy_curve(each).accuracy for each in (bounds.least, ranks, bounds.most)]
    assert (np.diff(np.stack(curves), axis=0) >= -1e-12).all()


def test_the_ends_are_attained():
    """One list, worked out by hand: what lies outside it may all win, or all lose."""
    references = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0]])
    test = np.array([[0.6], [2.4]])
    lists = [[1, 0, 2], [2, 3, 1]]
    bounds = ranks_from_neighbours(test, references, [0, 0], lists)
    # the first: 1 is nearer, 2 is not; the second: all three listed are nearer than 0, two are unknown
    np.testing.assert_array_equal(bounds.least.wins, [4, 0])
    np.testing.assert_array_equal(bounds.most.wins, [4, 2])
    lists = [[1, 0, 2, 3], [2, 3, 1, 0]]
    bounds = ranks_from_neighbours(test, references, [0, 0], lists, recall=0.75)
    # one of the first point's four nearest may be missing; the second point is at the cut
    np.testing.assert_array_equal(bounds.least.wins, [3, 0])
    np.testing.assert_array_equal(bounds.most.wins, [4, 2])


def test_lists_that_are_too_short_and_padded():
    test, references, labels, _ = case(several=False)
    scores = scores_of(test, references, "euclidean")
    lists = np.argsort(-scores, axis=1, kind="stable")[:, :20]
    shuffled = np.random.default_rng(3).permuted(lists, axis=1)
    expected = ranks_from_neighbours(test, references, labels, lists)
    got = ranks_from_neighbours(test, references, labels, shuffled)
    np.testing.assert_array_equal(got.least.wins, expected.least.wins)
    padded = np.where(np.arange(20) < 15, lists, -1)
    looser = ranks_from_neighbours(test, references, labels, padded, recall=0.75)
    assert_inside(looser, cx.correct_ranks_from_embeddings(test, references, labels))
    whole = np.argsort(-scores, axis=1, kind="stable")
    assert ranks_from_neighbours(test, references, labels, whole).exact.all()
