"""What is believed of an accuracy curve before it is seen: the prior of the Gaussian process."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._validation import as_finite_number, as_positive_float, as_probability

__all__ = ["CurvePrior"]

FloatArray = NDArray[np.float64]

_LEAST = 1e-12


@dataclass(frozen=True)
class CurvePrior:
    r"""What is believed of accuracy curves before one is seen.

    The defaults come from a suite of seven kinds of recognisers (words, names, glyphs, syllables, Gaussian classes, the
    bivariate normal, faces). Learnt anew without one kind, such a prior changes little and serves the kind left out
    almost as well, Gaussian classes apart (``benchmarks/curve_prior``). `wander` is a little more than the suite asks
    for where ranks alone are read, and less than it does where scores are read, too.

    Attributes
    ----------
    level, level_sd : float
        Mean and standard deviation of :math:`\alpha`, the probit of the accuracy with 2 classes.
    normal : float
        Of :math:`\gamma`, how steeply the usual curve falls as the largest of so many normal variables rises.
    wander : float
        Standard deviation of the slope of w, by decade of K.
    reach : float
        Decades of K over which that slope is remembered: slopes d decades apart correlate by
        :math:`e^{-d / \mathrm{reach}}`.
    spread : float
        As `wander`, of true curves, for variances: these go straighter than the means should.
    scores : float
        Share of the usual curve that shifted scores take over, where scores are used and shifts are trusted (see
        `classex.laws.shift_scores`).

    Raises
    ------
    TypeError, ValueError
        If a number is not finite, a deviation negative, `reach` not positive, or `scores` not from 0 to below 1.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> cx.laws.CurvePrior().mean(np.array([2.0]))
    array([1.])
    """

    level: float = 1.0
    level_sd: float = 3.0
    normal: float = -1.22
    wander: float = 0.8
    reach: float = 1.0
    spread: float = 0.075
    scores: float = 0.2

    def __post_init__(self) -> None:
        """Refuse what is no prior."""
        for name in ("level", "normal"):
            as_finite_number(getattr(self, name), name)
        for name in ("level_sd", "wander", "reach", "spread"):
            as_positive_float(getattr(self, name), name, allow_zero=name != "reach")
        if as_probability(self.scores, "scores") == 1:
            raise ValueError(f"scores must be from 0 to below 1, not {self.scores!r}")

    def mean(self, sizes: FloatArray) -> FloatArray:
        """Prior mean of the probit of the accuracy."""
        largest = -special.ndtri(-np.expm1(-np.log(2) / np.maximum(sizes - 1, _LEAST)))  # its median
        out: FloatArray = self.level + self.normal * largest
        return out

    def covariance(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """Prior covariance of the probits at two vectors of numbers of classes."""
        # the slope's covariance exp(-d), integrated from 2 classes on along both sides, in units of the reach
        t, u = np.log10(one / 2)[:, np.newaxis] / self.reach, np.log10(other / 2) / self.reach
        wandered = 2 * np.minimum(t, u) + np.exp(-t) + np.exp(-u) - 1 - np.exp(-np.abs(t - u))
        out: FloatArray = self.level_sd**2 + (self.wander * self.reach) ** 2 * wandered
        return out
