"""Leave-one-class-out jackknife of averages over test points, in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from classex.ranks import MOST_TIE_NODES, bins_of_wins
from classex.results import CorrectRanks, DistractorTable

__all__ = ["class_weights", "jackknife_deviations", "win_distribution"]

FloatArray = NDArray[np.float64]


def class_weights(ranks: CorrectRanks) -> FloatArray:
    """Weight of every test point: the points of one class share a total weight of 1."""
    return 1.0 / np.bincount(ranks.labels, minlength=ranks.n_classes)[ranks.labels]


def win_distribution(ranks: CorrectRanks) -> FloatArray:
    """Probability of 0, ..., k1 - 1 wins, every class with the same weight, ties broken at random: shape (k1,)."""
    share = class_weights(ranks) / (ranks.n_classes * (ranks.ties + 1.0))
    steps = np.bincount(ranks.wins, weights=share, minlength=ranks.n_classes + 1)
    steps -= np.bincount(ranks.wins + ranks.ties + 1, weights=share, minlength=ranks.n_classes + 1)
    probability: FloatArray = np.maximum(np.cumsum(steps)[:-1], 0.0)
    return probability


def jackknife_deviations(ranks: CorrectRanks, table: DistractorTable, kept: FloatArray, lost: FloatArray) -> FloatArray:
    """Deviation of a class-balanced mean when one group of classes is left out, for each group.

    Without class m, a point of another class has one win fewer if it beat m, so the mean without m is linear
    in what m did as a distractor: sum_{i != m} g(R) + sum_{points that beat m} (g(R-1) - g(R)), with g the
    function that is averaged, among n_classes - 1.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes.
    table : DistractorTable
        Its distractor table.
    kept, lost : ndarray of shape (n_bins, n_functions)
        g(R) and g(R-1) among k1 - 1 classes, for ``R = table.wins``.

    Returns
    -------
    ndarray of shape (n_groups, n_functions)
        Deviations d from their mean; the jackknife covariance is (k1 - 1) / k1 * d.T @ d.
    """
    k1 = ranks.n_classes
    base = _own_bins(ranks, table).T @ kept
    effect = table.beaten.T @ (lost - kept)
    group_size = np.bincount(table.group)[:, np.newaxis]
    total = (group_size * base.sum(axis=0) - base + effect) / (k1 - 1)
    deviations: FloatArray = total - group_size * total.sum(axis=0) / k1
    return deviations


def _own_bins(ranks: CorrectRanks, table: DistractorTable) -> FloatArray:
    """Weight of each group's own points in each bin of wins, ties spread as in the table: (n_bins, n_groups)."""
    bin_of_wins = bins_of_wins(ranks.n_classes)[0]
    out = np.zeros_like(table.beaten)
    weights = class_weights(ranks)
    group = table.group[ranks.labels]
    n_nodes = np.minimum(ranks.ties + 1, MOST_TIE_NODES)
    for node in range(int(n_nodes.max())):
        rows = np.flatnonzero(n_nodes > node)
        u = np.where(n_nodes[rows] == 1, 0, node * ranks.ties[rows] // np.maximum(n_nodes[rows] - 1, 1))
        np.add.at(out, (bin_of_wins[ranks.wins[rows] + u], group[rows]), weights[rows] / n_nodes[rows])
    return out
