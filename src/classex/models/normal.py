"""Models with normal scores, with exact accuracies."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import chndtr, ndtr, ndtri

from classex._checks import as_finite_array, as_generator, as_positive_float, as_positive_int, as_probability, one_of
from classex._estimates import Estimate
from classex._types import FloatArray
from classex.models.base import Model, as_point_sets, at_class_counts, expected_power, log_favourability

__all__ = []


# quadrature over the length of a test point and over the own distance: twice as many nodes change averages by less
# than 1e-12
_NODES = 120
_STEPS = 700


@dataclass(frozen=True)
class _NearestRule:
    """Distribution of the favourability of the rule "smallest |y - c x|" when each (x_j, y_j) is a Gaussian pair.

    Per coordinate, the reference x has variance `a`, the test point y has variance `b`, their covariance is
    `ab`, and the p coordinates are independent. Given y, the rule's distance to a random class is that of
    N(0, c^2 a I) to y; the distance to the own class follows from x | y. Both squares are noncentral
    chi-square with a noncentrality that depends on y through its length only.
    """

    p: int
    a: float
    b: float
    ab: float
    c: float

    def wrong(self, square: FloatArray, y2: FloatArray) -> FloatArray:
        """Pr[a wrong class lies within squared distance `square` of a test point of squared length `y2`]."""
        scale = self.c**2 * self.a
        return np.asarray(chndtr(square / scale, self.p, y2 / scale))

    @property
    def own_scale(self) -> float:
        return self.c**2 * (self.a - self.ab**2 / self.b)

    def own_shift(self, y2: FloatArray) -> FloatArray:
        return (1 - self.c * self.ab / self.b) ** 2 * y2 / self.own_scale

    @cached_property
    def outer(self) -> tuple[FloatArray, FloatArray]:
        """Gauss-Legendre nodes |y|^2 and weights for the length of a test point."""
        from scipy import stats  # slow to load, and samples do not need it

        low = np.sqrt(stats.chi2.ppf(1e-22, self.p))
        high = np.sqrt(stats.chi2.isf(1e-28, self.p))
        node, weight = np.polynomial.legendre.leggauss(_NODES)
        length = low + (high - low) * (node + 1) / 2
        return self.b * length**2, weight * (high - low) / 2 * stats.chi.pdf(length, self.p)

    @cached_property
    def table(self) -> tuple[FloatArray, FloatArray]:
        """Log U* and weights of the trapezoid rule over the logarithm of the own distance, for every outer node."""
        from scipy import stats

        y2, outer = self.outer
        shift = self.own_shift(y2)
        mean, spread = self.p + shift, np.sqrt(2 * (self.p + 2 * shift))
        high = 0.5 * np.log(mean + 15 * spread + 200)
        low = 0.5 * np.log(stats.ncx2.ppf(1e-40, self.p, shift))
        x = low[:, np.newaxis] + (high - low)[:, np.newaxis] * np.linspace(0, 1, _STEPS)
        q = np.exp(2 * x)
        density = 2 * q * np.exp(stats.ncx2.logpdf(q, self.p, shift[:, np.newaxis]))
        weight = outer[:, np.newaxis] * density * ((high - low) / (_STEPS - 1))[:, np.newaxis]
        keep = weight > 0
        return log_favourability(self.wrong(q * self.own_scale, y2[:, np.newaxis]))[keep], weight[keep]

    def discriminability(self, u: FloatArray) -> FloatArray:
        """D(u) = E Pr[own distance exceeds the distance within which 1 - u of the wrong classes lie | y]."""
        from scipy import stats

        y2, outer = self.outer
        scale = self.c**2 * self.a
        square = scale * stats.ncx2.ppf(1 - u[:, np.newaxis], self.p, y2 / scale)
        own = stats.ncx2.sf(square / self.own_scale, self.p, self.own_shift(y2))
        return np.asarray(own @ outer)


class _GaussianPair(Model):
    """Gaussian references and test points with the rule "nearest to the test point"."""

    n_features: int

    @property
    @abstractmethod
    def _moments(self) -> tuple[float, float, float]:
        """Variance of a reference, variance of a test point, and their covariance, per coordinate."""

    @cached_property
    def _rule(self) -> _NearestRule:
        return _NearestRule(self.n_features, *self._moments, 1.0)

    @cached_property
    def _bayes_rule(self) -> _NearestRule:
        a, b, ab = self._moments
        return _NearestRule(self.n_features, a, b, ab, ab / a)

    def scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """Minus the distance from each test point to each reference, shape (n_test, k)."""
        return np.asarray(-cdist(*as_point_sets(points, references, self.n_features)))

    def bayes_scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """Minus the distance from each test point to its mean given each reference, shape (n_test, k)."""
        y, x = as_point_sets(points, references, self.n_features)
        return np.asarray(-cdist(y, self._bayes_rule.c * x))

    def average_bayes_accuracy(self, n_classes: ArrayLike) -> Any:
        """Average accuracy of the best rule given the references, by quadrature."""
        return at_class_counts(n_classes, lambda k: expected_power(*self._bayes_rule.table, k))

    def information(self) -> float:
        """Mutual information between a reference and a test point of its class, exact, in nats."""
        a, b, ab = self._moments
        return float(-0.5 * self.n_features * np.log1p(-(ab**2) / (a * b)))

    def _average_accuracy(self, k: FloatArray) -> FloatArray:
        return expected_power(*self._rule.table, k)

    def _discriminability(self, u: FloatArray) -> FloatArray:
        return self._rule.discriminability(u)


@dataclass(frozen=True)
class GaussianClasses(_GaussianPair):
    r"""Gaussian clouds: class mean ~ N(0, I), test point = mean + noise, classified by the nearest reference.

    With ``stored="example"`` the reference of a class is one noisy example, mean + noise, as in face
    recognition from a single photograph. With ``stored="centroid"`` it is the mean itself. Scores are minus the
    distance. For stored examples this is not the Bayes rule given the examples, which shrinks each example towards
    the origin (``bayes_scores``).

    Given a test point y at distance d from its own reference, a random wrong reference is N(0, a I) with
    a = 1 + noise (example) or 1 (centroid), so :math:`U^* = 1 - F(d^2/a; p, |y|^2/a)`, F the noncentral
    chi-square distribution function. Averages over (y, d) are two-dimensional quadratures.

    Parameters
    ----------
    n_features : int
        Dimension p.
    noise : float
        Variance of the noise in each coordinate, relative to a variance of 1 between class means.
    stored : {"example", "centroid"}
        Reference of each class.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Source: journal version, section 4.2 (Table 1: p = 10, noise levels .01 to .50, stored examples).

    Examples
    --------
    >>> from classex.models import GaussianClasses
    >>> round(GaussianClasses(n_features=10, noise=0.2).average_accuracy(2000), 3)
    0.434
    """

    n_features: int = 10
    noise: float = 0.2
    stored: str = "example"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_features", as_positive_int(self.n_features, "n_features"))
        object.__setattr__(self, "noise", as_positive_float(self.noise, "noise"))
        one_of(self.stored, "stored", ("example", "centroid"))

    @property
    def _moments(self) -> tuple[float, float, float]:
        return (1 + self.noise if self.stored == "example" else 1.0), 1 + self.noise, 1.0

    def _draw(self, k: int, r: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        p, spread = self.n_features, np.sqrt(self.noise)
        mean = rng.standard_normal((k, p))
        points = np.repeat(mean, r, axis=0) + spread * rng.standard_normal((k * r, p))
        return points, mean + spread * rng.standard_normal((k, p)) if self.stored == "example" else mean


@dataclass(frozen=True)
class GaussianSequence(_GaussianPair):
    r"""The Gaussian sequence model X ~ N(0, (a/d) I), Y = X + E, E ~ N(0, I), in d dimensions.

    Classes are vectors X, test points are noisy copies Y, the rule (nearest X) is the Bayes rule. As d grows
    with the signal a fixed, the information tends to a/2 and the average Bayes accuracy to
    :math:`\bar\pi_k(\sqrt{2\iota})`.

    Parameters
    ----------
    n_features : int
        Dimension d.
    signal : float
        Total signal a: the expected squared length of X, against noise of variance 1 in each coordinate.

    Notes
    -----
    Source: thesis section 5.3 (example of the assumptions A1-A4).

    Examples
    --------
    >>> from classex.models import GaussianSequence
    >>> round(
    ...     GaussianSequence(n_features=100, signal=4.0).average_bayes_accuracy(10),
    ...     3,
    ... )
    0.667
    """

    n_features: int = 100
    signal: float = 4.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_features", as_positive_int(self.n_features, "n_features"))
        object.__setattr__(self, "signal", as_positive_float(self.signal, "signal"))

    @property
    def _moments(self) -> tuple[float, float, float]:
        a = self.signal / self.n_features
        return a, a + 1.0, a

    def _draw(self, k: int, r: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        x = np.sqrt(self.signal / self.n_features) * rng.standard_normal((k, self.n_features))
        return np.repeat(x, r, axis=0) + rng.standard_normal((k * r, self.n_features)), x


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
