"""Wrong scores below and at several thresholds a row."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def count_below(
    scores: NDArray[np.float64], labels: NDArray[np.int64], thresholds: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of wrong scores of every row below, and equal to, each of its ascending thresholds: (n, m) twice."""
    n, k = scores.shape
    m = thresholds.shape[1]
    below, equal = np.zeros((n, m), np.int64), np.zeros((n, m), np.int64)
    for i in range(n):
        row = thresholds[i]
        for j in range(k):
            if j == labels[i]:
                continue
            place = 0
            while place < m and row[place] < scores[i, j]:
                place += 1
            # all thresholds from here on are reached
            while place < m and row[place] == scores[i, j]:
                equal[i, place] += 1
                place += 1
            if place < m:
                below[i, place] += 1
        for q in range(1, m):
            below[i, q] += below[i, q - 1]
    return below, equal
