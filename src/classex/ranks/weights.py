"""Weights of test points and classes in averages, and random tie-breaking."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from classex._kernels.ranks import MOST_TIE_NODES
from classex.results import CorrectRanks

__all__ = ["MOST_TIE_NODES", "class_totals", "point_shares", "point_weights", "tie_nodes", "weights_of_labels"]

FloatArray = NDArray[np.float64]


def weights_of_labels(labels: NDArray[np.int64]) -> FloatArray:
    """Weight of every test point: the points of one class share a total weight of 1."""
    weights: FloatArray = 1.0 / np.bincount(labels)[labels]
    return weights


def point_weights(ranks: CorrectRanks) -> FloatArray:
    """Weight of every test point; they add up to the number of classes with test points.

    The points of a class share a total weight of 1, or, where ranks are not balanced by class, all points weigh
    the same.

    Examples
    --------
    >>> import classex as cx
    >>> cx.ranks.point_weights(cx.ranks_from_wins([3, 3, 2], 4, labels=[0, 0, 2]))
    array([0.5, 0.5, 1. ])
    """
    if ranks.class_balanced:
        return weights_of_labels(ranks.labels)
    return np.full(ranks.n_points, ranks.n_tested / ranks.n_points)


def point_shares(ranks: CorrectRanks) -> FloatArray:
    """Share of every test point in an average: `point_weights` over their sum.

    Examples
    --------
    >>> import classex as cx
    >>> cx.ranks.point_shares(cx.ranks_from_wins([3, 3, 2], 4, labels=[0, 0, 2]))
    array([0.25, 0.25, 0.5 ])
    """
    return point_weights(ranks) / ranks.n_tested


def class_totals(ranks: CorrectRanks) -> FloatArray:
    """Weight of each class as a truth, the sum over its points: 1, or 0 for a class without test points.

    Examples
    --------
    >>> import classex as cx
    >>> cx.ranks.class_totals(cx.ranks_from_wins([3, 3, 2], 4, labels=[0, 0, 2]))
    array([1., 0., 1., 0.])
    """
    if ranks.class_balanced:
        return (np.bincount(ranks.labels, minlength=ranks.n_classes) > 0).astype(np.float64)
    totals = np.bincount(ranks.labels, weights=point_weights(ranks), minlength=ranks.n_classes)
    return totals.astype(np.float64)


def tie_nodes(ties: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Spread points over the wins that random tie-breaking can give them.

    A point with t ties wins u more, u = 0..t, each with the same probability; beyond 33 values of u, 33 equally
    spaced ones stand for them.

    Parameters
    ----------
    ties : ndarray of int64 of shape (n_points,)
        Number of ties of each point.

    Returns
    -------
    point : ndarray of int64 of shape (n_nodes,)
        Point of each node, in ascending order.
    extra : ndarray of int64 of shape (n_nodes,)
        Value of u.
    start : ndarray of int64 of shape (n_points,)
        First node of each point.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.ranks import tie_nodes
    >>> tie_nodes(np.array([0, 2]))
    (array([0, 1, 1, 1]), array([0, 0, 1, 2]), array([0, 1]))
    """
    count = np.minimum(ties + 1, MOST_TIE_NODES)
    start = np.cumsum(count) - count
    point = np.repeat(np.arange(ties.size), count)
    node = np.arange(point.size) - start[point]
    return point, node * ties[point] // np.maximum(count[point] - 1, 1), start
