"""Mean probability that every class of a random subset is beaten, and the same without each class in turn."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["beaten_subsets"]


@numba.njit(cache=True, nogil=True)
def beaten_subsets(
    beaten: NDArray[np.float64],
    truth: int,
    weight: NDArray[np.float64],
    drawn: NDArray[np.int64],
    half: int,
    value: NDArray[np.float64],
    without: NDArray[np.float64],
) -> None:
    """Add the weighted means of each row to `value`, and those without class c to row c of `without`.

    Row by row, wrong class c is beaten with probability ``beaten[row, c]``, independently. With p the probability of
    the n-th class, the mean over subsets of m of the first n is (1 - m / n) mean_m + (m / n) p mean_(m-1), a mean of
    probabilities at every step. The same equation is solved for the mean without one class; with m up to `half`, at
    most half of the classes, rounding errors do not grow. `drawn` holds the m, in ascending order.
    """
    n = beaten.shape[1] - 1
    for row in range(beaten.shape[0]):
        p = beaten[row].copy()
        p[truth] = 2.0  # first in the order, and skipped
        order = np.argsort(-p)[1:]
        mean, former = np.zeros((2, drawn[-1] + 1))
        mean[: (p == 1.0).sum() + 1] = former[0] = 1.0
        for i in range(n):
            q, each = p[order[i]], 1.0 / (i + 1.0)
            if q < 1.0:
                mean, former = former, mean
                for m in range(1, min(drawn[-1], i + 1) + 1):
                    mean[m] = (1.0 - m * each) * former[m] + m * each * q * former[m - 1]
        for size in range(drawn.size):
            value[size] += weight[row] * mean[drawn[size]]
        q, left = -1.0, np.zeros(drawn.size)
        for c in order:
            if p[c] != q:  # equal probabilities follow each other
                q, size, rest = p[c], 0, 1.0
                for m in range(half + 1):
                    if m > 0:
                        rest = (n * mean[m] - m * q * rest) / (n - m)
                    while size < drawn.size and drawn[size] == m:
                        left[size] = rest
                        size += 1
            for size in range(drawn.size):
                without[c, size] += weight[row] * left[size]
