"""Passes over the score matrix behind the score-based prior of the favourability, some rows at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._kernels.threads import by_rows

Labels = NDArray[np.int64]
Columns = NDArray[np.bool_]
FloatArray = NDArray[np.float64]


def _wrong(labels: Labels, use: Columns) -> Columns:
    """Whether each column in use is a wrong label of each row."""
    wrong: Columns = np.flatnonzero(use) != labels[:, np.newaxis]
    return wrong


def wrong_moments(scores: NDArray[Any], labels: Labels, use: Columns, mean: FloatArray, sd: FloatArray) -> None:
    """Fill mean and standard deviation of each row's wrong scores over the columns in use."""

    def work(rows: slice) -> None:
        block, wrong = scores[rows][:, use].astype(np.float64), _wrong(labels[rows], use)
        n, own = np.count_nonzero(wrong, axis=1), np.nonzero(~wrong)
        block[own] = 0.0
        mean[rows] = block.sum(axis=1) / n
        block -= mean[rows, np.newaxis]
        block[own] = 0.0
        sd[rows] = np.sqrt(np.einsum("ij,ij->i", block, block) / n)

    by_rows(work, *scores.shape)


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

    def work(rows: slice) -> NDArray[np.int64]:
        z = (scores[rows][:, use] - location[rows, np.newaxis]) / scale[rows, np.newaxis]
        bins = np.clip((z[_wrong(labels[rows], use)] - low) / width, 0, n_bins - 1).astype(np.int64)
        return np.bincount(bins, minlength=n_bins)

    counts: NDArray[np.int64] = np.sum(by_rows(work, *scores.shape), axis=0)
    return counts


def count_wins_among(scores: NDArray[Any], labels: Labels, use: Columns, wins: FloatArray, wrong: FloatArray) -> None:
    """Fill wins (a tie counts half) and the number of wrong labels among the columns in use."""

    def work(rows: slice) -> None:
        some, counted = scores[rows], _wrong(labels[rows], use)
        block, truth = some[:, use], np.take_along_axis(some, labels[rows, np.newaxis], axis=1)
        won = 0.5 * ((block < truth).astype(np.int8) + (block <= truth))
        wins[rows], wrong[rows] = won.sum(axis=1, where=counted), counted.sum(axis=1)

    by_rows(work, *scores.shape)
