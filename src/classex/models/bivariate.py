"""The bivariate normal model: every quantity in closed form or one smooth integral."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from classex._estimates import Estimate
from classex._types import FloatArray
from classex._validation import as_finite_array, as_generator, as_positive_int, as_probability
from classex.models._base import Model, as_point_sets, expected_power, log_favourability

# grid of the trapezoid rule: at 12 standard deviations the normal density is 1e-32; half the steps
# change averages by less than 1e-13
_FARTHEST = 12.0
_SPACING = 0.04
_LOG_STEP = 0.15


@dataclass(frozen=True)
class BivariateNormal(Model):
    r"""Classes y ~ N(0, 1); a test point of class y is x ~ N(rho y, 1 - rho^2).

    The rule is the Bayes rule (the conditional density of x given y is highest for the y with rho y closest
    to x). Everything below follows from the favourability :math:`U^* = 1 - |\Phi(Y + \tau e) - \Phi(Y)|` with
    Y, e independent standard normal and :math:`\tau = 2\sqrt{1-\rho^2}/\rho`.

    Parameters
    ----------
    rho : float
        Correlation of class and test point, in (0, 1).

    Raises
    ------
    ValueError
        If `rho` is not strictly between 0 and 1.

    Notes
    -----
    Source: journal version, sections 2.3 and 3.2 (with < where the favourability there prints >).

    Examples
    --------
    >>> from classex.models import BivariateNormal
    >>> BivariateNormal(rho=0.7).average_accuracy([2, 10]).round(4)
    array([0.6929, 0.2173])
    """

    rho: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", as_probability(self.rho, "rho", open_ends=True))

    @property
    def tau(self) -> float:
        r""":math:`\tau = 2\sqrt{1-\rho^2}/\rho`, the ratio of noise to signal."""
        return 2 * sqrt((1 - self.rho) * (1 + self.rho)) / self.rho

    def scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """Minus the distance of each test point x to rho y, shape (n_test, k)."""
        x, y = as_point_sets(points, references, 1)
        return np.asarray(-np.abs(self.rho * y[:, 0] - x))

    def favourability(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        r"""Pr[a random class scores below class y at test point x].

        :math:`1 - [\Phi((x + |\rho y - x|)/\rho) - \Phi((x - |\rho y - x|)/\rho)]`, elementwise.
        """
        points = np.asarray(x, dtype=np.float64)
        distance = np.abs(self.rho * np.asarray(y, dtype=np.float64) - points)
        return np.asarray(1.0 + ndtr((points - distance) / self.rho) - ndtr((points + distance) / self.rho))

    def class_accuracies(self, references: ArrayLike) -> FloatArray:
        r"""Pr[the Bayes rule is right | class i, these classes], for every class of a given set.

        Class i wins on the interval between the midpoints to its neighbours. The mean, the Bayes accuracy, is
        :math:`[2 \sum_i \Phi(\rho (y_{(i+1)} - y_{(i)})/(2\sqrt{1-\rho^2})) - k + 2]/k` (corrected, see the
        errata page).

        Parameters
        ----------
        references : array_like of shape (k,) or (k, 1)
            The class labels y.
        """
        y = as_finite_array(np.ravel(references), "references", ndim=1)
        order = np.argsort(y)
        half_gap = self.rho * np.diff(y[order]) / (2 * np.sqrt((1 - self.rho) * (1 + self.rho)))
        inner = ndtr(half_gap)
        accuracy = np.empty(y.size)
        accuracy[order] = np.append(inner, 1.0) + np.append(1.0, inner) - 1.0
        return accuracy

    def average_accuracy_by_simulation(self, n_classes: int, *, n_draws: int = 100_000, rng: Any = None) -> Estimate:
        r"""Monte Carlo estimate of `average_accuracy`: the mean of :math:`(U^*)^{k-1}` over random test points.

        No competing class is drawn. Given a test point, the probability that k-1 independent wrong labels all score
        below the correct one is a power of the favourability, which the model knows in closed form.
        """
        k = as_positive_int(n_classes, "n_classes")
        n = as_positive_int(n_draws, "n_draws", minimum=2)
        generator = as_generator(rng)
        y, step = generator.standard_normal(n), self.tau * np.abs(generator.standard_normal(n))
        power = np.exp((k - 1) * log_favourability(_normal_mass(y, step)))
        return Estimate(float(power.mean()), float(power.std(ddof=1) / np.sqrt(n)))

    def information(self) -> float:
        r"""Mutual information :math:`-\tfrac12 \log(1-\rho^2)`, exact, in nats."""
        return float(-0.5 * np.log1p(-(self.rho**2)))

    def _draw(self, k: int, r: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        y = rng.standard_normal((k, 1))
        noise = rng.standard_normal((k * r, 1)) * np.sqrt((1 - self.rho) * (1 + self.rho))
        return self.rho * np.repeat(y, r, axis=0) + noise, y

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        """Log U* and weights of the trapezoid rule over (Y, log |tau e|), whose integrand vanishes at both ends.

        The grid of log |tau e| starts at 1e-30, because with k classes only |tau e| of order 1/k counts.
        """
        y = np.arange(-_FARTHEST, _FARTHEST + _SPACING / 2, _SPACING)
        x = np.arange(np.log(1e-30), np.log(9.5 * self.tau) + _LOG_STEP, _LOG_STEP)
        step = np.exp(x)
        log_u = log_favourability(_normal_mass(y[:, np.newaxis], step))
        density_y = np.exp(-(y**2) / 2) / np.sqrt(2 * np.pi)
        density_x = 2 * np.exp(-((step / self.tau) ** 2) / 2 + x) / (np.sqrt(2 * np.pi) * self.tau)
        weight = np.outer(density_y, density_x) * (_SPACING * _LOG_STEP)
        return log_u.ravel(), weight.ravel()

    def _average_accuracy(self, k: FloatArray) -> FloatArray:
        return expected_power(*self._table, k)

    def _discriminability(self, u: FloatArray) -> FloatArray:
        # D(u) = 2 int_0^u Phi((Phi^-1(v) - Phi^-1(v+1-u))/tau) dv with v = u s; both ends may be singular,
        # so tanh-sinh in s, with 1 - s kept exactly
        t = np.arange(-4.0, 4.0 + 1e-9, 0.05)
        s = 1 / (1 + np.exp(-np.pi * np.sinh(t)))
        rest = 1 / (1 + np.exp(np.pi * np.sinh(t)))
        weight = 0.05 * np.pi * np.cosh(t) * s * rest
        z = (ndtri(np.multiply.outer(u, s)) + ndtri(np.multiply.outer(u, rest))) / self.tau
        return np.asarray(2 * u * (ndtr(z) @ weight))


def _normal_mass(a: FloatArray, step: FloatArray) -> FloatArray:
    """Phi(a + step) - Phi(a) for step > 0, to full relative accuracy even where both are almost equal."""
    middle = np.abs(a + step / 2)
    # by symmetry the interval may be taken on the negative side, where ndtr keeps relative accuracy
    right, left = -middle + step / 2, -middle - step / 2
    direct = ndtr(right) - ndtr(left)
    h2 = step**2
    series = 1 + (middle**2 - 1) * h2 / 24 + (middle**4 - 6 * middle**2 + 3) * h2**2 / 1920
    close = step * np.exp(-(middle**2) / 2) / np.sqrt(2 * np.pi) * series
    return np.asarray(np.where(step * (1 + middle) < 0.02, close, direct))
