"""Passes over the score matrix behind the score-based probit of the favourability."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from classex._kernels.threads import by_rows, constant


def wrong_moments(
    scores: NDArray[Any], labels: NDArray[np.int64], use: NDArray[np.bool_], mean: NDArray[Any], sd: NDArray[Any]
) -> None:
    """Fill mean and standard deviation of each row's wrong scores over the columns in use."""
    truth, columns = constant(labels, np.int64), constant(use, np.bool_)

    def work(rows: slice) -> None:
        _wrong_moments(constant(scores[rows]), truth[rows], columns, mean[rows], sd[rows])

    by_rows(work, *scores.shape)


@numba.njit(cache=True, nogil=True)
def _wrong_moments(
    scores: NDArray[Any], labels: NDArray[np.int64], use: NDArray[np.bool_], mean: NDArray[Any], sd: NDArray[Any]
) -> None:
    for row in range(scores.shape[0]):
        n = 0
        total = 0.0
        for column in range(scores.shape[1]):
            if use[column] and column != labels[row]:
                n += 1
                total += scores[row, column]
        mean[row] = total / n
        square = 0.0
        for column in range(scores.shape[1]):
            if use[column] and column != labels[row]:
                square += (scores[row, column] - mean[row]) ** 2
        sd[row] = np.sqrt(square / n)


def pooled_histogram(
    scores: NDArray[Any],
    labels: NDArray[np.int64],
    use: NDArray[np.bool_],
    place: NDArray[np.float64],
    scale: NDArray[np.float64],
    low: float,
    width: float,
    n_bins: int,
) -> NDArray[np.int64]:
    """Histogram of (score - place) / scale over all rows' wrong scores; the end bins take what lies outside."""
    truth, columns = constant(labels, np.int64), constant(use, np.bool_)

    def work(rows: slice) -> NDArray[np.int64]:
        counts = np.zeros(n_bins, dtype=np.int64)
        _pooled_histogram(constant(scores[rows]), truth[rows], columns, place[rows], scale[rows], low, width, counts)
        return counts

    return np.asarray(sum(by_rows(work, *scores.shape), start=np.zeros(n_bins, dtype=np.int64)))


@numba.njit(cache=True, nogil=True)
def _pooled_histogram(
    scores: NDArray[Any],
    labels: NDArray[np.int64],
    use: NDArray[np.bool_],
    place: NDArray[np.float64],
    scale: NDArray[np.float64],
    low: float,
    width: float,
    counts: NDArray[np.int64],
) -> None:
    for row in range(scores.shape[0]):
        for column in range(scores.shape[1]):
            if use[column] and column != labels[row]:
                z = (scores[row, column] - place[row]) / scale[row]
                z = min(max((z - low) / width, 0.0), counts.size - 1.0)
                counts[int(z)] += 1


def count_wins_among(
    scores: NDArray[Any],
    labels: NDArray[np.int64],
    use: NDArray[np.bool_],
    wins: NDArray[np.float64],
    wrong: NDArray[np.float64],
) -> None:
    """Fill wins (a tie counts half) and the number of wrong labels among the columns in use."""
    truth, columns = constant(labels, np.int64), constant(use, np.bool_)

    def work(rows: slice) -> None:
        _count_wins_among(constant(scores[rows]), truth[rows], columns, wins[rows], wrong[rows])

    by_rows(work, *scores.shape)


@numba.njit(cache=True, nogil=True)
def _count_wins_among(
    scores: NDArray[Any],
    labels: NDArray[np.int64],
    use: NDArray[np.bool_],
    wins: NDArray[np.float64],
    wrong: NDArray[np.float64],
) -> None:
    for row in range(scores.shape[0]):
        truth = scores[row, labels[row]]
        won = 0.0
        n = 0
        for column in range(scores.shape[1]):
            if use[column] and column != labels[row]:
                n += 1
                if scores[row, column] < truth:
                    won += 1.0
                elif scores[row, column] == truth:
                    won += 0.5
        wins[row] = won
        wrong[row] = n
