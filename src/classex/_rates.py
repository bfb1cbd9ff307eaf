"""Intervals of rates that were estimated with a known standard error."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = ["rate_interval", "varies", "wilson", "without_rounding"]

FloatArray = NDArray[np.float64]

# Weights that sum to one leave rounding of about 1e-16 times the root of the number of points: 1e-12 for 10^8 points
_ROUNDING = 1e-9
# Below this rate rounding is relative to one: an error of 1e-14 or less is rounding of any rate
_SMALL_RATE = 1e-5


def varies(error: ArrayLike, value: ArrayLike) -> NDArray[np.bool_]:
    """Whether a standard error is more than the rounding of the mean `value` that it belongs to.

    An error that is not known (NaN) does not vary.
    """
    return np.asarray(np.asarray(error) > _ROUNDING * np.abs(value))


def without_rounding(error: FloatArray, value: ArrayLike) -> FloatArray:
    """Standard errors, or differences, with zeros in place of rounding; NaN stays NaN."""
    return np.where(varies(np.abs(error), value) | np.isnan(error), error, 0.0)


def rate_interval(
    rate: FloatArray, error: FloatArray, n_people: float, level: float, most: ArrayLike = np.inf
) -> FloatArray:
    """Wilson's interval at the number of independent trials that would have this standard error: (n, 2).

    If nothing varied that number is `n_people`: one more of them could differ. It is never above `most`, for each rate
    the largest number of trials that the sample can be worth.
    """
    rate = np.clip(np.asarray(rate, dtype=np.float64), 0.0, 1.0)
    error = np.asarray(error, dtype=np.float64)
    number = np.full(rate.shape, float(n_people))
    known = varies(error, np.maximum(rate, _SMALL_RATE)) & (rate > 0) & (rate < 1)
    number[known] = rate[known] * (1 - rate[known]) / np.square(error[known])
    return wilson(rate, np.minimum(number, most), n_people, level)


def wilson(rate: FloatArray, number: FloatArray, n_people: float, level: float) -> FloatArray:
    """Wilson's interval of rates from `number` trials each, with Student's quantile for n_people: (n, 2)."""
    t = special.stdtrit(max(n_people - 1, 1), 0.5 + level / 2)
    centre = number * rate + t**2 / 2
    half = t * np.sqrt(number * rate * (1 - rate) + t**2 / 4)
    return np.asarray(np.clip(np.stack([centre - half, centre + half], axis=1) / (number + t**2)[:, np.newaxis], 0, 1))
