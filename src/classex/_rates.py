"""Intervals of rates that were estimated with a known standard error, and the probit scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._types import FloatArray

__all__ = ["UNSEEN_UNITS", "density", "probit", "rate_interval", "varies", "wilson", "without_rounding"]


# Units of a kind that the sample lacks, at the ends of an interval: with a whole one, ends are those of Clopper and
# Pearson, which cover .95 everywhere; with a half they cover .96 on average and at least .90 (Jeffreys; Brown, Cai and
# DasGupta, Statistical Science, 2001)
UNSEEN_UNITS = 0.5
# Weights that sum to one leave rounding of about 1e-16 times the root of the number of points: 1e-12 for 10^8 points
_ROUNDING = 1e-9
# Below this rate rounding is relative to one: an error of 1e-14 or less is rounding of any rate
_SMALL_RATE = 1e-5
# Distance of a rate from 0 and 1 at which its probit is cut off, at 7: far beyond any curve that is observed
_LEAST = 1e-12


def probit(rate: ArrayLike) -> FloatArray:
    """Probit of rates, cut off at 7."""
    return np.asarray(special.ndtri(np.clip(rate, _LEAST, 1 - _LEAST)))


def density(probit: ArrayLike) -> FloatArray:
    """Density of the standard normal, the slope of its distribution function; above 0 everywhere."""
    return np.asarray(np.exp(-0.5 * np.clip(probit, -37, 37) ** 2) / np.sqrt(2 * np.pi))


def varies(error: ArrayLike, value: ArrayLike) -> NDArray[np.bool_]:
    """Whether a standard error is more than the rounding of the mean `value` that it belongs to.

    An error that is not known (NaN) does not vary.
    """
    return np.asarray(np.asarray(error) > _ROUNDING * np.abs(value))


def without_rounding(error: FloatArray, value: ArrayLike) -> FloatArray:
    """Standard errors, or differences, with zeros in place of rounding; NaN stays NaN."""
    return np.where(varies(np.abs(error), value) | np.isnan(error), error, 0.0)


def rate_interval(
    rate: FloatArray,
    error: FloatArray,
    n_units: float,
    level: float,
    most: ArrayLike = np.inf,
    freedom: FloatArray | None = None,
) -> FloatArray:
    r"""Interval of rates that were estimated with these standard errors from `n_units` units: (n, 2).

    It includes Wilson's interval at the number of independent trials that would have the standard error, or at `most`,
    the largest number that the sample can be worth, if that is fewer. It also includes what half a unit of a kind that
    the sample lacks could change: with a share :math:`q \sim \mathrm{Beta}(1/2, n)` of units that always fail or always
    succeed, the ends :math:`A (1 - q)` and :math:`A + (1 - A) q` at the upper quantile of q. If all units succeed, or
    all fail, this is Jeffreys' interval up to its nearer end. Hence a sample that varies a little has no better lower
    end than the same sample without failures. If the error is not known (NaN) the number of trials is `n_units`.
    Student's quantile has `freedom`, or n_units - 1, degrees of freedom.
    """
    rate = np.clip(np.asarray(rate, dtype=np.float64), 0.0, 1.0)
    error = np.asarray(error, dtype=np.float64)
    number = np.where(np.isnan(error), n_units, np.inf)
    known = varies(error, np.maximum(rate, _SMALL_RATE)) & (rate > 0) & (rate < 1)
    number[known] = rate[known] * (1 - rate[known]) / np.square(error[known])
    low, high = wilson(rate, np.minimum(number, most), n_units if freedom is None else freedom + 1, level).T
    unseen = special.betaincinv(UNSEEN_UNITS, n_units, 0.5 + level / 2)
    return np.stack([np.minimum(low, rate * (1 - unseen)), np.maximum(high, rate + (1 - rate) * unseen)], axis=1)


def wilson(rate: FloatArray, number: FloatArray, n_units: ArrayLike, level: float) -> FloatArray:
    """Wilson's interval of rates from `number` trials each, with Student's quantile for n_units: (n, 2)."""
    t = special.stdtrit(np.maximum(np.asarray(n_units) - 1, 1), 0.5 + level / 2)
    shrunk = t**2 / (number + t**2)
    centre = rate + shrunk * (0.5 - rate)
    half = np.sqrt(shrunk * (1 - shrunk) * rate * (1 - rate) + shrunk**2 / 4)
    return np.asarray(np.clip(np.stack([centre - half, centre + half], axis=1), 0, 1))
