"""The two confidence bounds for average Bayes accuracy that have no closed form: tests, inverted."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from classex.bayes.simulation import bayes_accuracy_variance_bound

# grid of slopes: with more of them, or larger ones, the bound changes by less than 1e-4
_LARGEST_SLOPE = 40.0
_SLOPES = 1500


def cantelli(x: float, k: int, r: float, alpha: float) -> float:
    """Smallest average accuracy that the largest possible variance does not reject, or 0."""

    def rejected(a: float) -> float:
        variance = a * (1 - a) / (k * r) + (1 - 1 / (k * r)) * bayes_accuracy_variance_bound(k, average_accuracy=a)
        return (x - a) ** 2 - variance * (1 / alpha - 1)

    if x <= 1 / k or rejected(1 / k) <= 0:
        return 0.0
    # at x = 1 and a = 1 the variance vanishes too, but just below it never does
    return float(brentq(rejected, 1 / k, min(x, 1 - 1e-12), xtol=1e-12))


def chernoff(x: float, r: float, c: float, spread: float | None = None) -> tuple[float, float, float]:
    """Largest a rejected at threshold c = log(L/alpha)/k by some slope theta and some of the three moment bounds.

    With a `spread` (sampling without replacement) only McDiarmid's bound is used, its exponent multiplied by it.
    The exponent that rejects is linear in x and in a: also returns its slope in x, and its negative slope in a.
    """
    theta, kappa = _slopes()
    # the tangent point that makes the conditional part smallest, in closed form
    b = 2 * x * r / (r + theta + np.sqrt(np.maximum((r + theta) ** 2 - 4 * theta * x * r, 0.0)))
    slack = r - b * theta
    usable = slack > 0
    theta, kappa, b, slack = theta[usable], kappa[usable], b[usable], slack[usable]
    tilt = r * np.log1p(theta / slack)
    cost = -r * np.log(slack / r) - b * theta - x * tilt
    values, slopes = [(-c - cost - (1.0 if spread is None else spread) * theta**2 / 8) / theta], [theta]
    if spread is None:
        gain = np.expm1(theta)
        values += [(-c - cost) / gain, 1 - (theta + cost + c) / kappa]
        slopes += [gain, kappa]
    form, best = np.unravel_index(int(np.argmax(values)), np.shape(values))
    return float(values[form][best]), float(tilt[best]), float(slopes[form][best])


@lru_cache(maxsize=1)
def _slopes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Grid of slopes theta and kappa(theta) = theta exp(-int_0^theta [1/s - 1/(2 e^s - s - 2)] ds)."""
    theta = np.geomspace(1e-5, _LARGEST_SLOPE, _SLOPES)
    node, weight = np.polynomial.legendre.leggauss(8)
    left = np.append(0.0, theta[:-1])
    half = (theta - left) / 2
    s = left[:, np.newaxis] + half[:, np.newaxis] * (node + 1)
    remainder = np.where(s < 1e-3, s**2 / 2 + s**3 / 6, np.expm1(s) - s)
    integral = np.cumsum((2 * remainder / (s * (s + 2 * remainder))) @ weight * half)
    return theta, theta * np.exp(-integral)
