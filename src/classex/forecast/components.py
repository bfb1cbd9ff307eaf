r"""Curves that an accuracy may follow beyond the observed classes: the components of the posterior.

Each component is a normal process for :math:`z(K)`, the probit of the accuracy: a mean curve, and a covariance for how
far real curves stray from it. All leave the level vague, so that only the shape of a curve tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import special

from classex._rates import probit
from classex._types import FloatArray

__all__ = ["Beta", "Component", "Related", "Straight", "decades", "normal_maximum", "wandering"]


# Standard deviation of the level of a curve, in probits: vague, one deviation covers accuracies from .001 to .999
_LEVEL_SD = 3.0
# Logarithms of the first parameter at which beta curves are inverted: accuracies from 1e-6 to 1 - 1e-6 at any K
_LOG_A = np.linspace(-14.0, 20.0, 241)
# Step of the derivative of a beta curve by its level
_STEP = 0.05


# What beta curves do, by their second parameter: below 1, from 1 on, and where all points are nearly equally hard
_FLATTENS, _STEEPENS, _ALIKE = "flattens", "steepens", "falls as if all test points were equally hard"


class Component(Protocol):
    """One or more curves of a kind.

    Examples
    --------
    >>> from classex.forecast import ACCURACY_CURVES
    >>> [len(component.weights) for component in ACCURACY_CURVES.components]
    [1, 1, 1, 15, 1]
    """

    @property
    def weights(self) -> FloatArray:
        """Prior weight of each curve."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What each curve does, as the end of a sentence."""

    def processes(self, sizes: FloatArray, n_seen: int, last: float) -> tuple[FloatArray, FloatArray]:
        """Mean (m, n) and covariance (m, n, n) of m curves at numbers of classes, of which the first were observed.

        `last` is the probit observed with the largest of those, the place where curves of a shape are anchored.
        """


def decades(sizes: FloatArray) -> FloatArray:
    """Tenfolds of the number of classes, from 2 on."""
    return np.asarray(np.log10(sizes / 2))


def normal_maximum(sizes: FloatArray) -> FloatArray:
    """Median of the largest of K - 1 standard normal scores; 0 for two classes, like sqrt(2 log K) for many."""
    return np.asarray(-special.ndtri(-np.expm1(-np.log(2) / (sizes - 1))))


def wandering(t: FloatArray, slope_sd: float, length: float) -> FloatArray:
    """Covariance (n, n) of the integral from 0 of a slope of this deviation that forgets itself over a length."""
    t, d = t / length, np.abs(np.subtract.outer(t, t)) / length
    integral = 2 * np.minimum.outer(t, t) + np.exp(-t)[:, np.newaxis] + np.exp(-t) - 1 - np.exp(-d)
    return np.asarray((slope_sd * length) ** 2 * integral)


@dataclass(frozen=True)
class Straight:
    r"""Curves whose probit falls along a straight line, after a steeper start.

    .. math:: E\,z(K) = \alpha + b\,t + c\,d\,(1 - e^{-t/d}), \qquad t = \log_{10}(K/2),

    around which the slope varies with a standard deviation and a correlation length. With ``axis="normal"``, t is the
    median of the largest of K - 1 normal scores instead, so that probits fall like :math:`\sqrt{2 \log K}`.

    Attributes
    ----------
    weight : float
        Prior weight.
    slope, slope_sd, length : float
        Mean slope b per unit of t, its standard deviation, and the correlation length in units of t.
    early, decay : float
        What the mean slope has in addition with 2 classes, c, and the scale d on which that fades.
    level : float
        Mean of the probit with 2 classes.
    axis : {"decades", "normal"}
        The unit of t.
    kind : str
        What the curve does, as the end of a sentence.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.forecast import Straight
    >>> line = Straight(1.0, slope=-0.5, early=0.0)
    >>> sizes = np.array([2.0, 20.0, 200.0])
    >>> mean, covariance = line.processes(sizes, 2, 0.0)
    >>> mean, covariance.shape
    (array([[1. , 0.5, 0. ]]), (1, 3, 3))
    """

    weight: float
    slope: float = -0.59
    slope_sd: float = 0.17
    length: float = 2.3
    early: float = -0.88
    decay: float = 0.38
    level: float = 1.0
    axis: str = "decades"
    kind: str = "falls along a straight line"

    @property
    def weights(self) -> FloatArray:
        """Prior weight of the curve."""
        return np.array([self.weight])

    @property
    def kinds(self) -> tuple[str, ...]:
        """What the curve does."""
        return (self.kind,)

    def processes(self, sizes: FloatArray, n_seen: int, last: float) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        """Mean and covariance of the curve."""
        t = decades(sizes) if self.axis == "decades" else normal_maximum(sizes)
        mean = self.level + self.slope * t - self.early * self.decay * np.expm1(-t / self.decay)
        return mean[np.newaxis], (_LEVEL_SD**2 + wandering(t, self.slope_sd, self.length))[np.newaxis]


@dataclass(frozen=True)
class Beta:
    r"""Curves of favourabilities that have a beta distribution, and a share of hopeless points that guess.

    .. math:: A_K = (1 - h)\,\frac{B(a + K - 1, b)}{B(a, b)} + \frac{h}{K}.

    A small b makes curves flat, b = 1 makes accurate ones steepen, a large b makes all points alike.

    Attributes
    ----------
    weight : float
        Prior weight, shared by the shapes.
    shapes : tuple of (float, float)
        Parameters b and shares h.
    slope_sd, length : float
        Standard deviation and correlation length of the slope around a beta curve, in probits per decade and decades.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.forecast import Beta
    >>> curves = Beta(1.0, ((0.1, 0.0), (1.0, 0.0), (200.0, 0.0)))
    >>> for kind in curves.kinds:
    ...     print(kind)
    flattens
    steepens
    falls as if all test points were equally hard
    >>> mean, _ = curves.processes(np.array([100.0, 1000.0]), 1, 1.0)
    >>> mean.round(1)
    array([[ 1. ,  0.5],
           [ 1. , -0.4],
           [ 1. , -0.9]])
    """

    weight: float
    shapes: tuple[tuple[float, float], ...]
    slope_sd: float = 0.12
    length: float = 2.3

    @property
    def weights(self) -> FloatArray:
        """Prior weight of each shape."""
        return np.full(len(self.shapes), self.weight / len(self.shapes))

    @property
    def kinds(self) -> tuple[str, ...]:
        """What each curve does: a hopeless share leaves the rest of the points to decide."""
        return tuple(_FLATTENS if b < 1 else _STEEPENS if b < 20 else _ALIKE for b, _ in self.shapes)

    def processes(self, sizes: FloatArray, n_seen: int, last: float) -> tuple[FloatArray, FloatArray]:
        """Mean and covariance of each curve; a shape that cannot reach the last observed value has no mean (NaN)."""
        b, h = np.array(self.shapes).T[..., np.newaxis]
        at_end = _beta_probit(_LOG_A, b, h, sizes[n_seen - 1])
        log_a = np.array([np.interp(last, row, _LOG_A, left=np.nan, right=np.nan) for row in at_end])[:, np.newaxis]
        mean, above, below = (_beta_probit(log_a + step, b, h, sizes) for step in (0.0, _STEP, -_STEP))
        by_level = (above - below) / (2 * _STEP)
        by_level *= _LEVEL_SD / np.maximum(np.abs(by_level[:, [n_seen - 1]]), 1e-3)
        stray = wandering(decades(sizes), self.slope_sd, self.length)
        return mean, stray + by_level[:, :, np.newaxis] * by_level[:, np.newaxis]


@dataclass(frozen=True)
class Related:
    """A curve that resembles a known one, such as that of another classifier of the same classes.

    Attributes
    ----------
    weight : float
        Prior weight.
    n_classes, accuracy : ndarray of shape (n,)
        The known curve; beyond it, or before it, the slope of `Straight` continues.
    slope_sd, length : float
        Standard deviation and correlation length of the slope around it.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.forecast import CURVES, Related, related_curve
    >>> related = Related(1.0, *related_curve("icons"))
    >>> mean, _ = related.processes(np.array([100.0, 1000.0]), 1, 0.0)
    >>> mean.round(2)
    array([[0.69, 0.2 ]])
    """

    weight: float
    n_classes: FloatArray
    accuracy: FloatArray
    slope_sd: float = 0.08
    length: float = 2.3

    @property
    def weights(self) -> FloatArray:
        """Prior weight of the curve."""
        return np.array([self.weight])

    @property
    def kinds(self) -> tuple[str, ...]:
        """What the curve does."""
        return ("resembles the related curve",)

    def processes(self, sizes: FloatArray, n_seen: int, last: float) -> tuple[FloatArray, FloatArray]:
        """Mean and covariance of the curve."""
        usual = Straight(1.0)
        line = usual.processes(np.append(sizes, self.n_classes), n_seen, last)[0][0]
        offset = probit(self.accuracy) - line[sizes.size :]
        mean = line[: sizes.size] + np.interp(np.log(sizes), np.log(self.n_classes), offset)
        return mean[np.newaxis], (_LEVEL_SD**2 + wandering(decades(sizes), self.slope_sd, self.length))[np.newaxis]


def _beta_probit(log_a: FloatArray, b: FloatArray, h: FloatArray, sizes: FloatArray) -> FloatArray:
    """Probit of the accuracies of beta curves."""
    a = np.exp(log_a)
    return probit((1 - h) * np.exp(special.betaln(a + sizes - 1, b) - special.betaln(a, b)) + h / sizes)
