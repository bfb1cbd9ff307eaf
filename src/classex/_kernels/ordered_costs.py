"""Loops behind average risk: costs in the order of the wrong labels' scores, and leaving labels out."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from classex._kernels.threads import by_rows, constant

_SORTING = 30.0  # steps that an entry takes
_FEWEST_ROWS = 64  # for which sums over labels are added up


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
    each = constant(cost)

    def work(rows: slice) -> None:
        _ordered_costs(constant(scores[rows]), constant(labels[rows], np.int64), each, out[rows], order[rows])

    by_rows(work, scores.shape[0], _SORTING * scores.shape[1])


@numba.njit(cache=True, nogil=True)
def _ordered_costs(
    scores: NDArray[Any],
    labels: NDArray[np.int64],
    cost: NDArray[np.float64],
    out: NDArray[np.float64],
    order: NDArray[np.int64],
) -> None:
    n_classes = scores.shape[1]
    for row in range(scores.shape[0]):
        label = labels[row]
        truth = scores[row, label]
        sequence = np.argsort(scores[row])
        position = 0
        for column in sequence:
            if column != label:
                order[row, position] = column
                position += 1
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


def leave_labels_out(
    costs: NDArray[np.float64], order: NDArray[np.int64], share: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum over the rows of their risk without each label, times the row's share: shape (n_classes, n_sizes).

    `weights` of shape (n_classes - 2, n_sizes) belong to the wrong labels that remain, lowest first.
    """
    shape = costs.shape[1] + 1, weights.shape[1]
    each = constant(weights)

    def work(rows: slice) -> NDArray[np.float64]:
        added = np.zeros(shape)
        _leave_labels_out(costs[rows], order[rows], share[rows], each, added)
        return added

    parts = by_rows(work, costs.shape[0], costs.shape[1] * shape[1], least=_FEWEST_ROWS)
    return np.asarray(sum(parts, start=np.zeros(shape)))


@numba.njit(cache=True, nogil=True)
def _leave_labels_out(
    costs: NDArray[np.float64],
    order: NDArray[np.int64],
    share: NDArray[np.float64],
    weights: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    n_wrong, n_sizes = costs.shape[1], weights.shape[1]
    after = np.empty((n_wrong + 1, n_sizes))
    for row in range(costs.shape[0]):
        for column in range(n_sizes):
            after[n_wrong, column] = 0.0
        for m in range(n_wrong - 1, -1, -1):
            for column in range(n_sizes):
                moved = weights[m - 1, column] if m > 0 else 0.0
                after[m, column] = after[m + 1, column] + costs[row, m] * moved
        for column in range(n_sizes):
            before = 0.0
            for m in range(n_wrong):
                out[order[row, m], column] += share[row] * (before + after[m + 1, column])
                if m < n_wrong - 1:
                    before += costs[row, m] * weights[m, column]
