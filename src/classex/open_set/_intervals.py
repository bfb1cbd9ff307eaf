"""Errors and intervals of rates that hold what the gallery does to all searches alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from classex._rates import rate_interval, without_rounding
from classex.curves.jackknife import carried_errors, most_trials
from classex.open_set._searches import Rates

__all__ = ["carried", "interval", "up_to_half"]

FloatArray = NDArray[np.float64]


def up_to_half(value: FloatArray, variance: FloatArray) -> Rates:
    """Rates whose variance holds the gallery's part already."""
    return Rates(value, without_rounding(np.sqrt(variance), value), np.full(value.shape, np.inf))


def carried(
    sizes: tuple[int, int, int], value: FloatArray, own: FloatArray, at_half: FloatArray, n_people: int
) -> Rates:
    """Rates beyond half of the identities, where leaving one out breaks down: as in `classex.curves.accuracy_curve`.

    `value` and `own` hold the rates at the size wanted, at half of the identities and with all, and their variances
    over searches alone, (3, n_thresholds); `at_half` is the whole variance at half.
    """
    size, half, last = sizes
    alone = without_rounding(np.sqrt(own[1]), value[1])
    whole = without_rounding(np.sqrt(at_half), value[1])
    room, large = np.maximum(value * (1 - value), 0.0), [0, 2]
    errors = np.sqrt(own[large])
    on_own, on_half = carried_errors(errors, room[large], value[large], alone=alone, whole=whole, room_at_half=room[1])
    errors = without_rounding(errors * on_own + whole * on_half, value[large])
    ends = np.stack([whole, errors[1]])
    most = most_trials(np.array([size]), half, last, room=room[1:], error=ends, n_people=n_people)[0]
    return Rates(value[0], errors[0], most)


def interval(rates: Rates, n_people: int, level: float) -> FloatArray:
    """Wilson's interval at the number of trials that would have these standard errors: (n_thresholds, 2).

    Where all searches of the whole gallery end alike, leaving out one search shows no variance, although one identity
    may have caused them all. Smaller galleries show it, and limit the number of trials. It is `n_people` where nothing
    varies there either. NaN where no errors were asked for.
    """
    ends = rate_interval(rates.value, rates.error, n_people, level, rates.most)
    ends[np.isnan(rates.error)] = np.nan
    return ends
