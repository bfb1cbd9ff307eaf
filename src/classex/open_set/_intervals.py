"""Intervals of rates whose errors hold what the gallery does to all searches alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._rates import varies
from classex.open_set._searches import Rates

__all__ = ["interval", "wilson"]

FloatArray = NDArray[np.float64]


def interval(rates: Rates, n_people: int, level: float) -> FloatArray:
    """Wilson's interval at the number of trials that would have these standard errors: (n_thresholds, 2).

    Where all searches of the whole gallery end alike, leaving out one search shows no variance, although one identity
    may have caused them all. Smaller galleries show it: the number of trials found at half of the identities is an
    upper limit, and it is `n_people` where nothing varies there either.
    """
    trials = np.minimum(
        _trials(rates.value, rates.variance, n_people), _trials(rates.value_at_half, rates.variance_at_half, n_people)
    )
    return wilson(rates.value, trials, n_people, level)


def wilson(value: FloatArray, trials: FloatArray, n_people: int, level: float) -> FloatArray:
    """Wilson's interval with the quantile of Student's t: (n, 2)."""
    t = special.stdtrit(max(n_people - 1, 1), 0.5 + level / 2)
    rate = np.clip(value, 0.0, 1.0)
    centre = (rate + t**2 / (2 * trials)) / (1 + t**2 / trials)
    half = t / (1 + t**2 / trials) * np.sqrt(rate * (1 - rate) / trials + t**2 / (4 * trials**2))
    ends: FloatArray = np.clip(np.stack([centre - half, centre + half], axis=1), 0.0, 1.0)
    return ends


def _trials(rate: FloatArray, variance: FloatArray, n_people: int) -> FloatArray:
    """Independent trials that would give a rate this variance; `n_people` where it has none."""
    known = varies(np.sqrt(variance), np.where(rate > 0, rate, 1.0)) & (rate > 0) & (rate < 1)
    number = np.where(np.isnan(variance), np.nan, float(n_people))
    number[known] = rate[known] * (1 - rate[known]) / variance[known]
    return number
