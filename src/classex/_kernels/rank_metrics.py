"""Expected value of a function of the rank: over all subsets of the wrong labels, and given the favourability."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from classex._kernels.threads import by_rows, constant

# terms below this share of the largest one do not reach a sum in double precision
_NEGLIGIBLE = 1e-30
# usual number of terms of a sum, for the size of blocks
_TERMS = 100.0


@numba.njit(cache=True, nogil=True)
def _mean_from_mode(
    value: NDArray[np.float64], first: int, last: int, mode: float, drawn: int, odds: float, losses: float, wins: float
) -> float:
    """Mean of ``value[h]``, h in first..last, by terms from the largest outwards, which neither overflow nor underflow.

    Successive probabilities have the ratio ``odds (losses - h) (drawn - h) / ((h + 1) (wins - drawn + h + 1))``, a
    hypergeometric distribution, or, where `losses` is infinite, ``odds (drawn - h) / (h + 1)``, a binomial one.
    """
    finite = losses < np.inf
    h = start = int(min(max(mode, first), last))
    mass = 1.0
    total = value[start]
    p = 1.0
    while h > first and p > _NEGLIGIBLE:
        ratio = odds * (drawn - h + 1.0) / h
        if finite:
            ratio *= (losses - h + 1.0) / (wins - drawn + h)
        p /= ratio
        h -= 1
        mass += p
        total += p * value[h]
    h = start
    p = 1.0
    while h < last and p > _NEGLIGIBLE:
        p *= odds * (drawn - h) / (h + 1.0)
        if finite:
            p *= (losses - h) / (wins - drawn + h + 1.0)
        h += 1
        mass += p
        total += p * value[h]
    mean: float = total / mass
    return mean


def expected_of_rank(
    wins: NDArray[np.int64], n_wrong: int, sizes: NDArray[np.int64], value: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Mean of ``value[h]``, h the number of wrong labels that beat the truth in a random subset.

    Of `n_wrong` wrong labels ``sizes - 1`` are drawn; ``n_wrong - wins`` of them beat the truth, so h is
    hypergeometric.
    """
    out = np.empty((wins.size, sizes.size))
    of_points, columns, table = constant(wins, np.int64), constant(sizes, np.int64), constant(value)

    def work(rows: slice) -> None:
        _expected_of_rank(of_points[rows], n_wrong, columns, table, out[rows])

    by_rows(work, wins.size, _TERMS * sizes.size)
    return out


@numba.njit(cache=True, nogil=True)
def _expected_of_rank(
    wins: NDArray[np.int64],
    n_wrong: int,
    sizes: NDArray[np.int64],
    value: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    for row in range(wins.size):
        losses = n_wrong - wins[row]
        for column in range(sizes.size):
            drawn = sizes[column] - 1
            first, last = max(0, drawn - wins[row]), min(losses, drawn)
            mode = (drawn + 1.0) * (losses + 1.0) / (n_wrong + 2.0)
            out[row, column] = _mean_from_mode(value, first, last, mode, drawn, 1.0, float(losses), float(wins[row]))


def expected_given_favourability(
    favourability: NDArray[np.float64],
    complement: NDArray[np.float64],
    sizes: NDArray[np.int64],
    value: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Mean of ``value[h]``, h binomial: the number of ``sizes - 1`` wrong labels that beat the truth.

    Each does so with probability `complement`, one minus the favourability.
    """
    out = np.empty((favourability.size, sizes.size))
    p, q = constant(favourability), constant(complement)
    columns, table = constant(sizes, np.int64), constant(value)

    def work(rows: slice) -> None:
        _expected_given_favourability(p[rows], q[rows], columns, table, out[rows])

    by_rows(work, p.size, _TERMS * sizes.size)
    return out


@numba.njit(cache=True, nogil=True)
def _expected_given_favourability(
    favourability: NDArray[np.float64],
    complement: NDArray[np.float64],
    sizes: NDArray[np.int64],
    value: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    for row in range(favourability.size):
        for column in range(sizes.size):
            drawn = sizes[column] - 1
            if complement[row] <= 0.0 or drawn == 0:
                out[row, column] = value[0]
            elif favourability[row] <= 0.0:
                out[row, column] = value[drawn]
            else:
                odds, mode = complement[row] / favourability[row], (drawn + 1.0) * complement[row]
                out[row, column] = _mean_from_mode(value, 0, drawn, mode, drawn, odds, np.inf, 0.0)
