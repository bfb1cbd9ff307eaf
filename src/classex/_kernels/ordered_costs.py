"""Loops behind average risk: costs in the order of the wrong labels' scores, and leaving labels out."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(parallel=True, cache=True)
def ordered_costs(
    scores: NDArray[Any],
    labels: NDArray[np.int64],
    cost: NDArray[np.float64],
    out: NDArray[np.float64],
    order: NDArray[np.int64],
) -> None:
    """Fill `out` with the cost of the m-th lowest wrong label if it beats the truth, and `order` with the labels.

    Ties are broken at random, in expectation: labels that tie with each other share their mean cost, and of t
    labels that tie with the truth the p-th from below beats it with probability p / (t + 1).
    """
    n_classes = scores.shape[1]
    for row in numba.prange(scores.shape[0]):
        label = labels[row]
        truth = scores[row, label]
        sequence = np.argsort(scores[row])
        place = 0
        for column in sequence:
            if column != label:
                order[row, place] = column
                place += 1
        first = 0
        while first < n_classes - 1:
            value = scores[row, order[row, first]]
            last = first
            total = 0.0
            while last < n_classes - 1 and scores[row, order[row, last]] == value:
                total += cost[label, order[row, last]]
                last += 1
            size = last - first
            for m in range(first, last):
                if value > truth:
                    out[row, m] = total / size
                elif value == truth:
                    out[row, m] = total / size * (m - first + 1.0) / (size + 1.0)
                else:
                    out[row, m] = 0.0
            first = last


@numba.njit(parallel=True, cache=True)
def leave_labels_out(
    costs: NDArray[np.float64],
    order: NDArray[np.int64],
    share: NDArray[np.float64],
    weights: NDArray[np.float64],
    chunks: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """Add to ``out[chunk, label]`` each row's risk without that label, times the row's share.

    `weights` of shape (n_classes - 2, n_sizes) belong to the wrong labels that remain, lowest first. Rows
    ``chunks[c]..chunks[c + 1]`` go to chunk c, so no two threads write to one cell.
    """
    n_wrong, n_sizes = costs.shape[1], weights.shape[1]
    for chunk in numba.prange(chunks.size - 1):
        after = np.empty((n_wrong + 1, n_sizes))
        for row in range(chunks[chunk], chunks[chunk + 1]):
            after[n_wrong, :] = 0.0
            for m in range(n_wrong - 1, -1, -1):
                for column in range(n_sizes):
                    moved = weights[m - 1, column] if m > 0 else 0.0
                    after[m, column] = after[m + 1, column] + costs[row, m] * moved
            for column in range(n_sizes):
                before = 0.0
                for m in range(n_wrong):
                    out[chunk, order[row, m], column] += share[row] * (before + after[m + 1, column])
                    if m < n_wrong - 1:
                        before += costs[row, m] * weights[m, column]
