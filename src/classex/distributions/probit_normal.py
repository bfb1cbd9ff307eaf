"""The two-parameter distribution: the probit of the favourability is normal."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from classex._types import FloatArray
from classex.curves.accuracy import jackknife_deviations, own_class_deviations
from classex.distributions.distribution import DiscreteDistribution, Distribution, Evidence
from classex.distributions.wins import WinCounts, collapse_wins, probit_normal_log_pmf, subset_success
from classex.ranks import as_ranks, tie_nodes
from classex.ranks.ranks import CorrectRanks

__all__ = ["ProbitNormalDistribution", "accuracy_and_gradient", "fit_probit_normal", "most_likely"]


# Wide enough for every data set that has a maximum
_MU_BOUNDS = (-30.0, 30.0)
_LOG_NU_BOUNDS = (-4.0, 4.0)
# Centre and width of the weak prior on log nu: nu is 1 in the limit of high dimension, and near .5 in low dimension
_LOG_NU_PRIOR = (-0.2, 0.4)
# Relative error of a probability below 1e-7, see the tests
_FIT_NODES = 41
# Of the numerical Hessian: the quadrature's error in the gradient, about 1e-8, is divided by it
_STEP = 1e-3


@dataclass(frozen=True)
class ProbitNormalDistribution(Distribution):
    """Probit-normal distribution of the favourability, fitted to ranks.

    Attributes
    ----------
    mu : float
        Mean of the probit of the favourability.
    nu : float
        Its standard deviation.
    log_likelihood : float
        Class-balanced log-likelihood of all test points, in nats, without the prior.
    covariance : ndarray of shape (2, 2)
        Estimated covariance of (mu, log nu) over classes; zero in the second row and column if nu was given.
    n_classes : int
        Number of classes observed.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> distribution = cx.methods.ProbitNormal(nu=1.0).fit(
    ...     cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4)
    ... )
    >>> (
    ...     distribution.nu,
    ...     distribution.n_classes,
    ...     distribution.covariance[1],
    ...     distribution.accuracy(np.array([4.0])).round(2),
    ... )
    (1.0, 4, array([0., 0.]), array([0.64]))
    """

    mu: float
    nu: float
    log_likelihood: float
    covariance: FloatArray = field(repr=False)
    n_classes: int

    @property
    def evidence(self) -> Evidence:
        """Parameters and log-likelihood."""
        free = float(np.count_nonzero(np.diag(self.covariance)))
        return Evidence({"mu": self.mu, "nu": self.nu}, free, self.log_likelihood)

    @cached_property
    def discrete(self) -> DiscreteDistribution:
        """The same distribution on nodes."""
        return DiscreteDistribution.normal(self.mu, self.nu)

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        return accuracy_and_gradient(self.mu, self.nu, sizes, top)[0]

    def cdf(self, u: FloatArray) -> FloatArray:
        """Discriminability function at favourabilities u."""
        return np.asarray(special.ndtr((special.ndtri(u) - self.mu) / self.nu))

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Variance of `accuracy` by the delta method, from the covariance of the parameters over classes."""
        gradient = accuracy_and_gradient(self.mu, self.nu, sizes, top)[1]
        return np.asarray(np.einsum("ki,ij,kj->k", gradient, self.covariance, gradient))


def accuracy_and_gradient(mu: float, nu: float, sizes: FloatArray, top: int) -> tuple[FloatArray, FloatArray]:
    """Average accuracy, and its derivatives in mu and log nu: shapes (n,) and (n, 2).

    Examples
    --------
    >>> import numpy as np
    >>> from classex.distributions.probit_normal import accuracy_and_gradient
    >>> value, slope = accuracy_and_gradient(2**0.5, 1.0, np.array([2.0]), 1)
    >>> nearby = accuracy_and_gradient(2**0.5 + 1e-6, 1.0, np.array([2.0]), 1)[0]
    >>> value.round(4), slope.round(4), ((nearby - value) / 1e-6).round(4)
    (array([0.8413]), array([[ 0.1711, -0.121 ]]), array([0.1711]))
    """
    # the integrand varies on the scale of nu, and on that of the largest of K normals (about .1 at K = 10^12)
    step = min(nu, 0.25) / 8
    z = np.linspace(-9.5, 9.5, 2 * int(np.ceil(9.5 * nu / step)) + 1)
    weight = np.exp(-0.5 * z**2)
    weight /= weight.sum()
    success = subset_success(mu + nu * z, sizes, top)
    value = weight @ success
    derivatives = (weight[:, np.newaxis] * np.stack([z / nu, z**2 - 1], axis=1)).T @ success
    return np.minimum(value, 1.0), derivatives.T


def fit_probit_normal(ranks: CorrectRanks, nu: float | None = None, prior: bool = True) -> ProbitNormalDistribution:
    """Fit by maximum marginal likelihood: see `classex.methods.ProbitNormal.fit`."""
    counts = collapse_wins(as_ranks(ranks, sampled=True))
    free, k1 = np.array([True, nu is None]), ranks.largest_subset
    theta, log_likelihood = most_likely(counts, nu, prior)
    slopes = _class_slopes(ranks, theta)[:, free]
    hessian = _hessian(counts, theta, prior)[np.ix_(free, free)]
    covariance = np.zeros((2, 2))
    covariance[np.ix_(free, free)] = _sandwich(hessian, slopes.T @ slopes, counts.n_points)
    whole = counts.n_points * log_likelihood
    return ProbitNormalDistribution(float(theta[0]), float(np.exp(theta[1])), whole, covariance, k1)


def most_likely(counts: WinCounts, nu: float | None, prior: bool = True) -> tuple[FloatArray, float]:
    """Return the best (mu, log nu), with log nu given or free, and the mean log-likelihood of a test point."""
    theta = _polish(counts, _maximise(counts, nu, prior), np.array([True, nu is None]), prior)
    return theta, _objective(counts, theta, prior=False)[0]


def _sandwich(hessian: FloatArray, meat: FloatArray, n_points: int) -> FloatArray:
    """Covariance H^-1 M H^-1, with M raised to H / n in the directions where it falls below.

    H is the curvature of the mean objective and M the covariance of its gradient. M = H / n for independent points, and
    shared classes make it larger. It is smaller only by chance, or if nearly every point is right.
    """
    value, vector = np.linalg.eigh(hessian)
    root = vector / np.sqrt(np.maximum(value, 1e-12 * max(value.max(), 1e-300)))
    relative, turn = np.linalg.eigh(n_points * root.T @ meat @ root)
    side = root @ turn
    return np.asarray((side * np.maximum(relative, 1.0)) @ side.T / n_points)


def _maximise(counts: WinCounts, nu: float | None, prior: bool) -> FloatArray:
    """Return the best (mu, log nu) from several starts."""
    middle = special.ndtri((counts.weight @ counts.wins + 0.5) / (counts.weight @ counts.n_wrong + 1))
    starts = (0.4, 0.8, 1.6) if nu is None else (nu,)
    bounds = [_MU_BOUNDS, _LOG_NU_BOUNDS if nu is None else (np.log(nu), np.log(nu))]
    fits = [
        optimize.minimize(
            lambda theta: tuple(-part for part in _objective(counts, theta, prior)),
            [float(np.clip(middle * np.sqrt(1 + start**2), *_MU_BOUNDS)), np.log(start)],
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"ftol": 1e-11, "gtol": 1e-7},
        )
        for start in starts
    ]
    return np.asarray(min(fits, key=lambda fit: float(fit.fun)).x)


def _polish(counts: WinCounts, theta: FloatArray, free: NDArray[np.bool_], prior: bool) -> FloatArray:
    """Take one Newton step: the rounding of the objective leaves its maximum uncertain by about 1e-5."""
    curvature = _hessian(counts, theta, prior)[np.ix_(free, free)]
    if np.linalg.eigvalsh(curvature)[0] <= 0:
        return theta
    step = np.zeros(2)
    step[free] = np.linalg.solve(curvature, _objective(counts, theta, prior)[1][free])
    # without the prior the estimate may end on its bounds, where the slope is not 0
    return theta if np.abs(step).max() > 1e-3 else theta + step


def _objective(counts: WinCounts, theta: FloatArray, prior: bool) -> tuple[float, FloatArray]:
    """Mean log-likelihood plus the penalty per point, and its gradient in (mu, log nu)."""
    mu, nu = float(theta[0]), float(np.exp(theta[1]))
    log_pmf, slopes = probit_normal_log_pmf(counts.wins, counts.n_wrong, mu, nu, n_nodes=_FIT_NODES)
    extra, slope = _log_prior(counts, theta) if prior else (0.0, np.zeros(2))
    return float(counts.weight @ log_pmf) + extra / counts.n_points, counts.weight @ slopes + slope / counts.n_points


def _log_prior(counts: WinCounts, theta: FloatArray) -> tuple[float, FloatArray]:
    """Log-density of the weak prior at (mu, log nu), up to a constant, and its gradient."""
    n = counts.n_wrong.max()
    right, slope = probit_normal_log_pmf(np.array([n]), np.array([n]), float(theta[0]), float(np.exp(theta[1])))
    p = min(float(np.exp(right[0])), 1 - 1e-15)
    deviation = (theta[1] - _LOG_NU_PRIOR[0]) / _LOG_NU_PRIOR[1]
    gradient = 0.5 * (1 - p / (1 - p)) * slope[0]
    gradient[1] -= deviation / _LOG_NU_PRIOR[1]
    return float(0.5 * (right[0] + np.log1p(-p)) - 0.5 * deviation**2), gradient


def _hessian(counts: WinCounts, theta: FloatArray, prior: bool) -> FloatArray:
    """Return minus the second derivatives of the objective, by central differences of its gradient."""
    rows = [
        _objective(counts, theta - move, prior)[1] - _objective(counts, theta + move, prior)[1]
        for move in _STEP * np.eye(2)
    ]
    out = np.array(rows) / (2 * _STEP)
    return 0.5 * (out + out.T)


def _point_slopes(ranks: CorrectRanks, n_wrong: NDArray[np.int64], mu: float, nu: float) -> FloatArray:
    """Gradient of every point that met `n_wrong` sampled wrong labels, averaged over its ties: (n_points, 2)."""
    point, extra, start = tie_nodes(ranks.ties)
    cases = np.stack([ranks.wins[point] + extra, n_wrong[point]])
    (wins, n), index = np.unique(cases, axis=1, return_inverse=True)
    slope = probit_normal_log_pmf(wins.astype(np.float64), n.astype(np.float64), mu, nu, n_nodes=_FIT_NODES)[1]
    out: FloatArray = np.add.reduceat(slope[index.ravel()], start, axis=0)
    return out / np.diff(start, append=point.size)[:, np.newaxis]


def _class_slopes(ranks: CorrectRanks, theta: FloatArray) -> FloatArray:
    """Part of each group of classes in the deviation of the mean gradient: (n_groups, 2)."""
    mu, nu = float(theta[0]), float(np.exp(theta[1]))
    table = ranks.distractors
    if table is None or ranks.largest_subset < 4:
        n_wrong = np.full(ranks.n_points, ranks.n_classes - 1) if ranks.n_wrong is None else ranks.n_wrong
        return own_class_deviations(ranks, _point_slopes(ranks, n_wrong, mu, nu))
    wins, n = (counts.astype(np.float64) for counts in (table.wins, table.n_met - 1))
    kept = probit_normal_log_pmf(np.minimum(wins, n), n, mu, nu)[1]
    lost = probit_normal_log_pmf(np.clip(wins - 1, 0, n), n, mu, nu)[1]
    return jackknife_deviations(ranks, table, kept, lost)
