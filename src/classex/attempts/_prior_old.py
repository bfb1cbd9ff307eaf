"""The default's prior of accuracy curves, on the plane of probit accuracy against the logarithm of K."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from classex._types import FloatArray
from classex._validation import as_finite_number, as_positive_float, as_probability

__all__ = ["CurvePrior"]


# Slope deviation of an unusual curve over the usual one, for 0.8 probits per decade: slopes of simple models with few
# features are within three of these, and the error on real classifiers does not grow
_UNUSUAL = 4.0


@dataclass(frozen=True)
class CurvePrior:
    r"""Prior of accuracy curves on the probit scale.

    `slope`, `early` and `decay` fit the mean slopes of the curves of real classifiers, from 2 to 1,024 classes and with
    equal weight for each domain. Given these, `slope_sd` and `length` maximise the mean log score of predictions from
    50 to 2,000 classes (``benchmarks/suite/prior.py``). The level is vague: one standard deviation covers
    accuracies from .02 to .99997 with two classes.

    Attributes
    ----------
    level, level_sd : float
        Mean and standard deviation of :math:`\alpha`, the probit of the accuracy with 2 classes.
    slope, slope_sd : float
        Mean slope b of curves at many classes, and the standard deviation of the slope, in probits per decade of K.
    early, decay : float
        What the mean slope has in addition with 2 classes, c, and the decades d of K in which that falls by a factor e.
    length : float
        Correlation length of the slope, in decades of K: slopes d decades apart correlate by
        :math:`e^{-d / \mathrm{length}}`.
    unusual : float
        Probability of an unusual curve, whose slope varies four times as much. The data decide between the two, so
        that the fit follows observed curves that are much steeper than those of real classifiers.

    Raises
    ------
    TypeError, ValueError
        If a number is not finite, a deviation is negative, `decay` or `length` is not positive, or `unusual`
        is not a probability below 1.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> cx.methods.CurvePrior(slope=-0.5, early=0.0).mean(np.array([2.0, 200.0]))
    array([1., 0.])
    """

    level: float = 1.0
    level_sd: float = 3.0
    slope: float = -0.59
    slope_sd: float = 0.20
    length: float = 2.3
    early: float = -0.88
    decay: float = 0.38
    unusual: float = 0.03

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name in ("level", "slope", "early"):
            as_finite_number(getattr(self, name), name)
        for name in ("level_sd", "slope_sd", "decay", "length"):
            as_positive_float(getattr(self, name), name, allow_zero=name.endswith("_sd"))
        if as_probability(self.unusual, "unusual") == 1:
            raise ValueError("unusual must be below 1, not 1")

    def mean(self, sizes: FloatArray) -> FloatArray:
        """Prior mean of the probit of the accuracy."""
        t = np.log10(sizes / 2)
        return np.asarray(self.level + self.slope * t - self.early * self.decay * np.expm1(-t / self.decay))

    @property
    def unusual_curve(self) -> Self:
        """The prior of unusual curves."""
        return replace(self, slope_sd=_UNUSUAL * self.slope_sd)

    def variance(self, sizes: FloatArray) -> FloatArray:
        """Prior variance of the probit of a usual curve: the diagonal of the covariance."""
        t = np.log10(sizes / 2) / self.length
        return np.asarray(self.level_sd**2 + 2 * (self.slope_sd * self.length) ** 2 * (t + np.expm1(-t)))

    def covariance(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """Prior covariance of the probits of a usual curve at two vectors of numbers of classes."""
        # The slope's covariance exp(-d), integrated from 2 classes along both sides, in units of the length
        t, u = np.log10(one / 2)[:, np.newaxis] / self.length, np.log10(other / 2) / self.length
        integral = 2 * np.minimum(t, u) + np.exp(-t) + np.exp(-u) - 1 - np.exp(-np.abs(t - u))
        return np.asarray(self.level_sd**2 + (self.slope_sd * self.length) ** 2 * integral)
