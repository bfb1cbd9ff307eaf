"""Intervals of rates that were estimated with a known standard error."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = ["rate_interval", "varies"]

FloatArray = NDArray[np.float64]

# weights that sum to one leave rounding of about 1e-16 times the root of the number of points: 1e-12 for 10^8 points
_ROUNDING = 1e-9


def varies(error: ArrayLike, value: ArrayLike) -> NDArray[np.bool_]:
    """Whether a standard error is more than the rounding of the mean `value` that it belongs to.

    Every interval and test asks here whether its sample varies at all.
    """
    return np.asarray(np.asarray(error) > _ROUNDING * np.abs(value))


def rate_interval(rate: FloatArray, error: FloatArray, n_people: int, level: float) -> FloatArray:
    """Wilson's interval at the number of trials that would have this standard error: (n, 2).

    Where nothing varied that number is `n_people`: one more of them could differ.
    """
    number = np.full(rate.shape, float(n_people))
    known = varies(error, np.where(rate > 0, rate, 1.0)) & (rate < 1)
    number[known] = rate[known] * (1 - rate[known]) / np.square(error[known])
    t = special.stdtrit(max(n_people - 1, 1), 0.5 + level / 2)
    centre = (rate + t**2 / (2 * number)) / (1 + t**2 / number)
    half = t / (1 + t**2 / number) * np.sqrt(np.maximum(rate * (1 - rate), 0) / number + t**2 / (4 * number**2))
    ends: FloatArray = np.clip(np.stack([centre - half, centre + half], axis=1), 0.0, 1.0)
    return ends
