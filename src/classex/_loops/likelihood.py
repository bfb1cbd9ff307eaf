"""Passes over the score matrix behind the score-based prior of the favourability, some rows at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._loops.threads import by_rows
from classex._types import FloatArray

Labels = NDArray[np.int64]
Columns = NDArray[np.bool_]


# Passes of numpy over a block take about as long as this number of steps of a compiled loop
_PASSES = 4.0


def wrong_moments(scores: NDArray[Any], labels: Labels, use: Columns, mean: FloatArray, sd: FloatArray) -> None:
    """Fill mean and standard deviation of each row's wrong scores over the columns in use."""
    columns, n = np.flatnonzero(use), np.count_nonzero(use) - use[labels]

    def work(rows: slice) -> None:
        block, own = scores[rows].take(columns, axis=1).astype(np.float64, copy=False), _own(labels[rows], use)
        block[own] = 0.0
        mean[rows] = block.sum(axis=1) / n[rows]
        block -= mean[rows, np.newaxis]
        block[own] = 0.0
        sd[rows] = np.sqrt(np.einsum("ij,ij->i", block, block) / n[rows])

    by_rows(work, scores.shape[0], _PASSES * scores.shape[1])


def _own(labels: Labels, use: Columns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows whose correct label is in use, and its number among the columns in use."""
    rows = np.flatnonzero(use[labels])
    return rows, (np.cumsum(use) - 1)[labels[rows]]


def pooled_histogram(
    scores: NDArray[Any],
    labels: Labels,
    use: Columns,
    location: FloatArray,
    scale: FloatArray,
    low: float,
    width: float,
    n_bins: int,
) -> NDArray[np.int64]:
    """Histogram of (score - location) / scale of all rows' wrong scores; the end bins take what lies outside."""
    columns = np.flatnonzero(use)

    def work(rows: slice) -> NDArray[np.int64]:
        z = scores[rows].take(columns, axis=1).astype(np.float64, copy=False)
        z -= location[rows, np.newaxis]
        z /= scale[rows, np.newaxis]
        z -= low
        z /= width
        bins = np.clip(z, 0, n_bins - 1, out=z).astype(np.int64)
        own = bins[_own(labels[rows], use)]
        return np.bincount(bins.ravel(), minlength=n_bins) - np.bincount(own, minlength=n_bins)

    counts: NDArray[np.int64] = np.sum(by_rows(work, scores.shape[0], _PASSES * scores.shape[1]), axis=0)
    return counts


def count_wins_among(scores: NDArray[Any], labels: Labels, use: Columns, wins: FloatArray, wrong: FloatArray) -> None:
    """Fill wins (a tie counts half) and the number of wrong labels among the columns in use."""
    columns, own = np.flatnonzero(use), use[labels]
    wrong[:] = columns.size - own

    def work(rows: slice) -> None:
        some = scores[rows]
        block, truth = some.take(columns, axis=1), np.take_along_axis(some, labels[rows, np.newaxis], axis=1)
        twice = np.count_nonzero(block < truth, axis=1) + np.count_nonzero(block <= truth, axis=1)
        wins[rows] = 0.5 * (twice - own[rows])

    by_rows(work, scores.shape[0], _PASSES * scores.shape[1])
