"""Passes over the score matrix behind the score-based probit of the favourability."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(parallel=True, cache=True)
def wrong_moments(
    scores: NDArray[Any], labels: NDArray[np.int64], use: NDArray[np.bool_], mean: NDArray[Any], sd: NDArray[Any]
) -> None:
    """Fill mean and standard deviation of each row's wrong scores over the columns in use."""
    for row in numba.prange(scores.shape[0]):
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


@numba.njit(parallel=True, cache=True)
def pooled_histogram(
    scores: NDArray[Any],
    labels: NDArray[np.int64],
    use: NDArray[np.bool_],
    place: NDArray[np.float64],
    scale: NDArray[np.float64],
    low: float,
    width: float,
    n_bins: int,
    n_chunks: int,
) -> NDArray[np.int64]:
    """Histogram of (score - place) / scale over all rows' wrong scores; the end bins take what lies outside."""
    counts = np.zeros((n_chunks, n_bins), dtype=np.int64)
    for chunk in numba.prange(n_chunks):
        for row in range(chunk * scores.shape[0] // n_chunks, (chunk + 1) * scores.shape[0] // n_chunks):
            for column in range(scores.shape[1]):
                if use[column] and column != labels[row]:
                    z = (scores[row, column] - place[row]) / scale[row]
                    z = min(max((z - low) / width, 0.0), n_bins - 1.0)
                    counts[chunk, int(z)] += 1
    total: NDArray[np.int64] = counts.sum(axis=0)
    return total


@numba.njit(parallel=True, cache=True)
def count_wins_among(
    scores: NDArray[Any],
    labels: NDArray[np.int64],
    use: NDArray[np.bool_],
    wins: NDArray[np.float64],
    wrong: NDArray[np.float64],
) -> None:
    """Fill wins (a tie counts half) and the number of wrong labels among the columns in use."""
    for row in numba.prange(scores.shape[0]):
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
