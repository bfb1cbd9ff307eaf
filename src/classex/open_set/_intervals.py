"""Intervals of rates whose errors hold what the gallery does to all searches alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from classex._rates import rate_interval, trials
from classex.open_set._searches import Rates

__all__ = ["interval"]

FloatArray = NDArray[np.float64]


def interval(rates: Rates, n_people: int, level: float) -> FloatArray:
    """Wilson's interval at the number of trials that would have these standard errors: (n_thresholds, 2).

    Where all searches of the whole gallery end alike, leaving out one search shows no variance, although one identity
    may have caused them all. Smaller galleries show it: the number of trials found at half of the identities is an
    upper limit, and it is `n_people` where nothing varies there either. NaN where no errors were asked for.
    """
    most = trials(np.clip(rates.value_at_half, 0.0, 1.0), np.sqrt(rates.variance_at_half), n_people)
    ends = rate_interval(rates.value, np.sqrt(rates.variance), n_people, level, most)
    ends[np.isnan(rates.variance)] = np.nan
    return ends
