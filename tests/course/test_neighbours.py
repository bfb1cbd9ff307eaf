"""Classifiers by stored examples, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from classex_book.data import NearestCentroidScorer, NearestNeighbourScorer, NeighbourCountScorer


@pytest.fixture
def problem():
    rng = np.random.default_rng(20)
    labels = rng.permutation(np.repeat(np.arange(4), [3, 7, 1, 5]))
    train = rng.normal(size=(labels.size, 3))
    return train, labels, rng.normal(size=(11, 3))


def plain_distances(test, train):
    return np.array([[np.sqrt(sum((a - b) ** 2 for a, b in zip(x, z, strict=True))) for z in train] for x in test])


def test_against_loops(problem):
    train, labels, test = problem
    distances = plain_distances(test, train)
    nearest = NearestNeighbourScorer().fit(train, labels)
    expected = np.array([[-min(row[labels == label]) for label in range(4)] for row in distances])
    np.testing.assert_allclose(nearest.decision_function(test), expected, atol=1e-12)
    np.testing.assert_array_equal(nearest.classes_, np.arange(4))

    means = np.array([train[labels == label].mean(axis=0) for label in range(4)])
    centroid = NearestCentroidScorer().fit(train, labels).decision_function(test)
    np.testing.assert_allclose(centroid, -plain_distances(test, means), atol=1e-12)

    counts = NeighbourCountScorer(fraction=0.3).fit(train, labels).decision_function(test)  # round(.3 x 16) = 5
    for row, count in zip(distances, counts, strict=True):
        expected_count = np.bincount(labels[np.argsort(row)[:5]], minlength=4)
        np.testing.assert_array_equal(count, expected_count)


def test_a_training_point_is_at_distance_zero(problem):
    train, labels, _ = problem
    scores = NearestNeighbourScorer().fit(train + 1e4, labels).decision_function(train + 1e4)
    own = scores[np.arange(labels.size), labels]
    np.testing.assert_allclose(own, 0, atol=1e-3)
    assert (own <= 0).all()


def test_at_least_one_neighbour_counts(problem):
    train, labels, test = problem
    counts = NeighbourCountScorer(fraction=0.001).fit(train, labels).decision_function(test)
    np.testing.assert_array_equal(counts.sum(axis=1), 1)


def test_nearest_scorers_are_marginal_and_counts_are_not(problem):
    """Moving the points of one class leaves the scores of the others alone, or not."""
    train, labels, test = problem
    moved = np.where((labels == 1)[:, None], train + 100.0, train)
    others = [0, 2, 3]
    for scorer in (NearestNeighbourScorer, NearestCentroidScorer):
        before, after = (scorer().fit(points, labels).decision_function(test) for points in (train, moved))
        np.testing.assert_allclose(before[:, others], after[:, others])
    before, after = (
        NeighbourCountScorer(fraction=0.3).fit(points, labels).decision_function(test) for points in (train, moved)
    )
    assert (before[:, others] != after[:, others]).any()


@pytest.mark.parametrize(
    ("X", "y", "error", "message"),
    [
        ([[0.0], [np.nan]], [0, 1], ValueError, "X must be finite, but holds nan at row 1, column 0"),
        ([0.0, 1.0], [0, 1], ValueError, "X must have 2 axes"),
        ([[0.0], [1.0]], [0, 2], ValueError, "class 1 has none"),
        ([[0.0], [1.0]], [0], ValueError, "y must have shape"),
        ([["a"], ["b"]], [0, 1], TypeError, "X must hold numbers"),
        ([[0.0], [1.0]], ["a", "b"], TypeError, "y must hold integers"),
    ],
)
def test_bad_input(X, y, error, message):
    with pytest.raises(error, match=message):
        NearestNeighbourScorer().fit(X, y)


def test_bad_fraction(problem):
    train, labels, test = problem
    with pytest.raises(ValueError, match=r"fraction must be a number in \[0, 1\], not 2"):
        NeighbourCountScorer(fraction=2).fit(train, labels).decision_function(test)
