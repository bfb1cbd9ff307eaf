"""Intervals of rates that were estimated with a known standard error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["rate_interval"]

FloatArray = NDArray[np.float64]


def rate_interval(rate: FloatArray, error: FloatArray, n_people: int, level: float) -> FloatArray:
    """Wilson's interval at the number of trials that would have this standard error: (n, 2).

    Where the standard error is zero, nothing having varied, that number is `n_people`.
    """
    variance = np.square(error)
    number = np.full(rate.shape, float(n_people))
    known = variance > 0
    number[known] = rate[known] * (1 - rate[known]) / variance[known]
    t = special.stdtrit(max(n_people - 1, 1), 0.5 + level / 2)
    centre = (rate + t**2 / (2 * number)) / (1 + t**2 / number)
    half = t / (1 + t**2 / number) * np.sqrt(np.maximum(rate * (1 - rate), 0) / number + t**2 / (4 * number**2))
    ends: FloatArray = np.clip(np.stack([centre - half, centre + half], axis=1), 0.0, 1.0)
    return ends
