"""Exact comparison of scores: which of two dot products, distances or cosines is larger, without rounding.

Every difference of scores is a sum of products of two stored numbers. A float64 evaluation with its error
bound decides nearly all pairs; the rest are summed exactly as expansions (Shewchuk 1997): a product is two
floats (Dekker), and adding a float to a list of non-overlapping floats loses nothing. Valid while every
nonzero number lies within 1e-140..1e140 in size, so that no product overflows or loses its low part.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

_SPLITTER = 134217729.0  # 2^27 + 1
_UNIT = 2.0**-53


@numba.njit(cache=True)
def _grow(partials: NDArray[np.float64], count: int, x: float) -> int:
    """Add x to a list of non-overlapping floats in increasing size, exactly; return its new length."""
    kept = 0
    for j in range(count):
        y = partials[j]
        if abs(x) < abs(y):
            x, y = y, x
        high = x + y
        low = y - (high - x)
        if low != 0.0:
            partials[kept] = low
            kept += 1
        x = high
    if x != 0.0:
        partials[kept] = x
        kept += 1
    return kept


@numba.njit(cache=True)
def _grow_product(partials: NDArray[np.float64], count: int, a: float, b: float) -> int:
    """Add a*b to a list of non-overlapping floats, exactly."""
    product = a * b
    t = _SPLITTER * a
    a_high = t - (t - a)
    a_low = a - a_high
    t = _SPLITTER * b
    b_high = t - (t - b)
    b_low = b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    if error != 0.0:
        count = _grow(partials, count, error)
    length: int = _grow(partials, count, product)
    return length


@numba.njit(cache=True)
def _compare_pair(point: NDArray[Any], one: NDArray[Any], other: NDArray[Any], squared: bool) -> int:
    """Sign of point.(one - other), or with `squared` of |point - other|^2 - |point - one|^2, exactly."""
    n_features = point.size
    total = 0.0
    size = 0.0
    for d in range(n_features):
        x, a, b = np.float64(point[d]), np.float64(one[d]), np.float64(other[d])
        if squared:
            # |x - b|^2 - |x - a|^2 = 2 x a - 2 x b - a a + b b
            total += 2 * x * a - 2 * x * b - a * a + b * b
            size += 2 * abs(x * a) + 2 * abs(x * b) + a * a + b * b
        else:
            total += x * a - x * b
            size += abs(x * a) + abs(x * b)
    # n terms of at most 8 roundings each, summed one by one; 2 covers the rounding of the bound itself
    if abs(total) > 2 * (n_features + 8) * _UNIT * size:
        return 1 if total > 0 else -1
    # non-overlapping floats over all 2098 bit positions of float64 are at most this many
    partials = np.empty(min(8 * n_features, 2098) + 2)
    count = 0
    for d in range(n_features):
        x, a, b = np.float64(point[d]), np.float64(one[d]), np.float64(other[d])
        if a == b:
            continue
        if squared:
            count = _grow_product(partials, count, 2 * x, a)
            count = _grow_product(partials, count, -2 * x, b)
            count = _grow_product(partials, count, -a, a)
            count = _grow_product(partials, count, b, b)
        else:
            count = _grow_product(partials, count, x, a)
            count = _grow_product(partials, count, -x, b)
    # the last of the non-overlapping floats outweighs all the others together
    last = partials[count - 1] if count else 0.0
    return 1 if last > 0 else (-1 if last < 0 else 0)


@numba.njit(cache=True, nogil=True)
def compare_pairs(
    points: NDArray[Any],
    references: NDArray[Any],
    row: NDArray[np.int64],
    one: NDArray[np.int64],
    other: NDArray[np.int64],
    squared: bool,
    sign: NDArray[np.int8],
) -> None:
    """Fill ``sign[i]`` with that of score(row[i], one[i]) - score(row[i], other[i]), exactly.

    The score is the inner product or, with `squared`, minus the squared distance.
    """
    for i in range(row.size):
        sign[i] = _compare_pair(points[row[i]], references[one[i]], references[other[i]], squared)
