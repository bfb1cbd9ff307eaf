"""Loops behind the ranks of the correct label and the average accuracy over class subsets."""

from __future__ import annotations

from math import exp, lgamma
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

_LONGEST_PRODUCT = 1_000_000


@numba.njit(parallel=True, cache=True)
def count_wins(
    scores: NDArray[Any], labels: NDArray[np.int64], wins: NDArray[np.int64], ties: NDArray[np.int64]
) -> None:
    """Fill `wins` and `ties` with the wrong labels strictly below, and level with, the correct label."""
    for row in numba.prange(scores.shape[0]):
        truth = scores[row, labels[row]]
        below = 0
        level = 0
        for column in range(scores.shape[1]):
            below += scores[row, column] < truth
            level += scores[row, column] == truth
        wins[row] = below
        ties[row] = level - 1


@numba.njit(parallel=True, cache=True)
def add_distractors(
    scores: NDArray[Any],
    labels: NDArray[np.int64],
    wins: NDArray[np.int64],
    ties: NDArray[np.int64],
    weights: NDArray[np.float64],
    bin_of_wins: NDArray[np.int64],
    group: NDArray[np.int64],
    most_tie_nodes: int,
    n_chunks: int,
    beaten: NDArray[np.float64],
) -> None:
    """Add, for every wrong label a point beats, the point's weight at its wins to the label's group.

    Under random tie-breaking the point has wins + u, u = 0..ties, equally likely, and beats a tied label
    with probability u/ties; more than `most_tie_nodes` values of u are thinned to that many. The `n_chunks`
    threads own disjoint ranges of groups, so no two write to one cell.
    """
    n_groups = beaten.shape[1]
    for chunk in numba.prange(n_chunks):
        first = chunk * n_groups // n_chunks
        last = (chunk + 1) * n_groups // n_chunks
        for row in range(scores.shape[0]):
            truth = scores[row, labels[row]]
            n_ties = ties[row]
            n_nodes = min(n_ties + 1, most_tie_nodes)
            weight = weights[row] / n_nodes
            for node in range(n_nodes):
                u = n_ties if n_nodes == 1 else node * n_ties // (n_nodes - 1)
                here = beaten[bin_of_wins[wins[row] + u]]
                tied = weight * u / n_ties if n_ties > 0 else 0.0
                for column in range(scores.shape[1]):
                    g = group[column]
                    if first <= g < last:
                        if scores[row, column] < truth:
                            here[g] += weight
                        elif scores[row, column] == truth and column != labels[row]:
                            here[g] += tied


@numba.njit(cache=True)
def _subset_win(wins: int, n_classes: int, k: int) -> float:
    """C(wins, k-1) / C(n_classes-1, k-1), by the shorter of its two products."""
    losses = n_classes - 1 - wins
    if k - 1 > wins:
        return 0.0
    if min(losses, k - 1) > _LONGEST_PRODUCT:
        return exp(lgamma(wins + 1.0) - lgamma(wins - k + 2.0) - lgamma(float(n_classes)) + lgamma(n_classes - k + 1.0))
    p = 1.0
    if losses < k - 1:
        for z in range(losses):
            p *= 1.0 - (k - 1.0) / (n_classes - 1.0 - z)
    else:
        for z in range(k - 1):
            p *= (wins - z) / (n_classes - 1.0 - z)
    return p


@numba.njit(cache=True)
def _subset_top(p: float, wins: int, n_classes: int, k: int, top: int) -> float:
    """Pr[fewer than `top` of the k-1 drawn wrong labels beat the truth], from p = Pr[none does]."""
    losses = n_classes - 1 - wins
    first = max(0, k - 1 - wins)
    last = min(top - 1, losses, k - 1)
    if first > last:
        return 0.0
    if first > 0:
        p = 1.0
        for z in range(1, wins + 1):
            p *= (first + z) / (losses + z)
    total = p
    for j in range(first, last):
        p *= (losses - j) * (k - 1.0 - j) / ((j + 1.0) * (wins - k + 2.0 + j))
        total += p
    return min(total, 1.0)


@numba.njit(parallel=True, cache=True)
def subset_accuracy(
    wins: NDArray[np.int64], n_classes: int, sizes: NDArray[np.int64], top: int, running: bool
) -> NDArray[np.float64]:
    """Probability, for each number of wins and each (sorted) subset size, that the truth is in the top.

    With `running`, one product runs through all sizes (best for many sizes); otherwise each size has its own.
    """
    out = np.empty((wins.size, sizes.size))
    for row in numba.prange(wins.size):
        p = 1.0
        z = 0
        for column in range(sizes.size):
            k = sizes[column]
            if running:
                while z < k - 1:
                    p *= max(wins[row] - z, 0) / (n_classes - 1.0 - z)
                    z += 1
            else:
                p = _subset_win(wins[row], n_classes, k)
            out[row, column] = p if top == 1 else _subset_top(p, wins[row], n_classes, k, top)
    return out
