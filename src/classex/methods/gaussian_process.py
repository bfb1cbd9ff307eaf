r"""The default method: one posterior for the accuracy curve, on the plane of probit accuracy against K.

Curves of real classifiers are nearly straight in :math:`\log K`, after a steep start; curves of a beta distributed
favourability flatten, steepen, or fall as if all points were alike. Each of these is a component (see
`classex.forecast`), a Gaussian process for :math:`z(K) = \Phi^{-1}(A_K)`. The accuracies observed at a few numbers of
classes, with their covariance, weigh the components and leave a distribution for the whole curve.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.optimize import nnls

from classex._estimates import UNSEEN_UNITS, AccuracyCurve, density, probit
from classex._types import Average, FloatArray
from classex.curves.accuracy import published_curve, spaced_sizes
from classex.distributions.distribution import DiscreteDistribution, Evidence, NodeDistribution
from classex.distributions.wins import subset_success
from classex.forecast.forecast import MOST_SIZES, ContinuedForecast, ObservedCurve, probit_of_last
from classex.forecast.posterior import ACCURACY_CURVES, CurvePrior, Posterior
from classex.methods.protocol import Method, Scores
from classex.ranks import as_ranks
from classex.ranks.ranks import CorrectRanks

__all__ = [
    "GaussianProcess",
    "GaussianProcessDistribution",
    "from_curve",
    "from_published",
    "spread_of_losses",
]


# Added to the variances of the probits: keeps the matrix positive definite in double precision
_JITTER = 1e-8
# Numbers of classes at which the distribution matches the curve: the whole range that predictions accept
_MATCHED = np.geomspace(2, 1e12, 60)
# Probits of the favourability: they give accuracies from 1e-9 to 1 - 1e-9 for every K up to 10^12
_NODES = np.arange(-6.0, 10.01, 0.1)
# Penalty on second differences, in posterior standard deviations: the smallest that keeps the fit stable
_ROUGHNESS = 1e-2
# Weight of the equation that makes the probabilities sum to 1: large beside those of the accuracies
_WEIGHT_OF_SUM = 1e4


@dataclass(frozen=True)
class GaussianProcessDistribution(NodeDistribution):
    """The posterior of an accuracy curve, and the distribution of favourability that agrees with it best.

    Attributes
    ----------
    sizes : ndarray of shape (n,)
        Numbers of classes at which the accuracy was observed.
    probit : ndarray of shape (n,)
        Probits of the observed accuracies, with one hypothetical point added (see `GaussianProcess.fit`).
    noise : ndarray of shape (n, n)
        Their covariance.
    last : float
        Probit of the last accuracy, from which the curve goes on; of a perfect one, and of none, that of the nearest
        accuracy that half a point more would leave as likely as not.
    prior : CurvePrior
        The prior.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.methods import GaussianProcess
    >>> distribution = GaussianProcess().fit_curve(
    ...     [10, 100, 1_000], [0.95, 0.85, 0.70], 5_000
    ... )
    >>> distribution.sizes, distribution.accuracy(distribution.sizes).round(2)
    (array([  10.,  100., 1000.]), array([0.95, 0.85, 0.7 ]))
    """

    sizes: FloatArray = field(repr=False)
    probit: FloatArray = field(repr=False)
    noise: FloatArray = field(repr=False)
    last: float = field(repr=False)
    prior: CurvePrior = field(repr=False)

    @property
    def evidence(self) -> Evidence:
        """Posterior weight of each kind of curve, and how far the median is from the observed curve."""
        found = self.posterior(self.sizes)
        missed = special.ndtr(found.quantiles([0.5])[:, 0]) - special.ndtr(self.probit)
        return Evidence(found.shares(), residual=float(np.sqrt(np.mean(np.square(missed)))))

    def posterior(self, sizes: FloatArray) -> Posterior:
        """Return the posterior of the probit of the accuracy with K >= 2 classes, given the last one."""
        return self.prior.posterior(self.sizes, self.probit, self.noise, self.last, np.maximum(sizes, 2.0))

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Variance of the accuracy: that of the probit, whose last value is normal, times the squared slope of Phi."""
        slope = density(probit(self.accuracy(np.maximum(sizes, 2.0), top)))
        error = self.posterior(sizes).spread(float(np.sqrt(self.noise[-1, -1])))
        return np.asarray(np.square(slope * error))

    @cached_property
    def discrete(self) -> DiscreteDistribution:
        """Distribution of the probit of the favourability whose accuracies are closest to the observed curve.

        Beyond that curve they are closest to the posterior median. Accuracies are moments, so not every curve is
        possible. Over all distributions on a fine grid, this minimises the squared distances of the accuracies, in
        standard deviations, plus a small penalty on second differences.
        """
        found, log_sizes = self.posterior(_MATCHED), np.log(self.sizes)
        middle, spread = found.quantiles([0.5])[:, 0], found.spread(0.0)
        seen = (self.sizes[0] <= _MATCHED) & (self.sizes[-1] >= _MATCHED)
        middle[seen] = np.interp(np.log(_MATCHED[seen]), log_sizes, self.probit)
        spread[seen] = np.interp(np.log(_MATCHED[seen]), log_sizes, np.sqrt(np.diag(self.noise)))
        middle = np.minimum.accumulate(middle)
        scale = 1 / (density(middle) * np.hypot(spread, 0.01))
        success = subset_success(_NODES, _MATCHED, 1).T
        rough = _ROUGHNESS * np.diff(np.eye(_NODES.size), 2, axis=0) / 0.1**2
        rows = np.vstack([scale[:, np.newaxis] * success, rough, np.full((1, _NODES.size), _WEIGHT_OF_SUM)])
        target = np.concatenate([scale * special.ndtr(middle), np.zeros(rough.shape[0]), [_WEIGHT_OF_SUM]])
        weight = nnls(rows, target, maxiter=100 * _NODES.size)[0]
        return DiscreteDistribution(_NODES, weight / weight.sum())


@dataclass(frozen=True)
class GaussianProcess(Method):
    r"""One posterior for probit accuracy against the number of classes: the default method.

    Components are curves that are straight in log K with several standard deviations of the slope, beta curves from
    flat over steepening to all points alike, and curves that fall as those of normal scores do at far reach. The
    accuracies observed at a few numbers of classes weigh them. Weights and deviations are learnt from domains of real
    classifiers (``benchmarks/suite``).

    Parameters
    ----------
    prior : CurvePrior, optional
        Components and their weights; by default those learnt from real classifiers.

    Notes
    -----
    Uses ranks, or a published curve alone (`fit_curve`): a monotone change of all scores changes nothing. Intervals
    need no resampling (see `classex.Extrapolator.predict_interval`).

    If favourabilities are known to be probit-normal, `ProbitNormal` is more accurate.

    Examples
    --------
    >>> import classex as cx
    >>> published = cx.Extrapolator().fit_curve(
    ...     [10, 100, 1_000], [0.95, 0.85, 0.70], 5_000
    ... )
    >>> published.predict(10_000).round(1)
    array([0.5])
    """

    takes_samples: ClassVar[bool] = True
    keeps_scores: ClassVar[bool] = False
    prior: CurvePrior | None = None

    def fit(self, ranks: CorrectRanks, scores: Scores = None) -> GaussianProcessDistribution:
        r"""Fit the posterior to the accuracy curve of the observed classes.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes.

        Returns
        -------
        GaussianProcessDistribution

        Raises
        ------
        TypeError
            If `ranks` is not a `CorrectRanks`, or `prior` not a `CurvePrior`.
        ValueError
            If only one class has test points, or points met unequal numbers of sampled wrong labels.

        Notes
        -----
        The data are the average accuracies :math:`A_K` at about 14 numbers of classes from 2 to k1, evenly spaced in
        log K, and their covariance over classes. To this is added that of n points with the same accuracy at k1 which
        fail evenly in log K: a sample with few errors holds few of the ways to fail. Let C be the sum. One hypothetical
        point is added to the n test points, so that neither a perfect score nor a flat curve is taken as certain. Its
        accuracy :math:`a_K = 1 - \log K / (2 \log k_1)` falls from nearly 1 to 1/2, and

        .. math:: \hat A_K = \frac{n A_K + a_K}{n + 1}, \qquad
            \operatorname{Cov}(\hat A_K, \hat A_L) = \frac{n^2 C_{KL} + a_L (1 - a_K)}{(n + 1)^2}, \quad K \le L.

        Examples
        --------
        >>> import numpy as np
        >>> import classex as cx
        >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
        >>> distribution = cx.methods.GaussianProcess().fit(
        ...     cx.correct_ranks(sample.scores, sample.labels)
        ... )
        >>> distribution.accuracy(np.array([40.0])).round(1)
        array([0.1])
        """
        fit: GaussianProcessDistribution = self.forecast(ranks).distribution
        return fit

    def forecast(self, ranks: CorrectRanks, scores: Scores = None, average: Average = "balanced") -> ContinuedForecast:
        """Fit, and go on from the observed curve."""
        as_ranks(ranks, sampled=True, evenly=True)
        if ranks.n_tested < 2:
            raise ValueError("ranks must have test points of at least 2 classes: a variance over classes needs two")
        known, sizes = ObservedCurve(ranks), spaced_sizes(2, ranks.largest_subset, MOST_SIZES)
        curve, influence = known.few
        seen = np.searchsorted(curve.n_classes, sizes)
        value, deviation = curve.accuracy[seen], influence[:, seen]
        spread = deviation.T @ deviation + spread_of_losses(sizes, value[-1], ranks.n_points)
        fit = from_curve(sizes, value, spread, ranks.n_points, self.prior)
        return ContinuedForecast(self, fit, known, average)

    def fit_curve(self, n_classes: ArrayLike, accuracy: ArrayLike, n_test: int) -> GaussianProcessDistribution:
        r"""Fit the posterior to a published curve.

        Parameters
        ----------
        n_classes : array_like of int of shape (n,)
            Numbers of classes K, each at least 2, no two equal.
        accuracy : array_like of shape (n,)
            Accuracy with K classes.
        n_test : int
            Number of test points behind the curve. If the points of a class resemble each other, the number of classes
            is the better choice.

        Returns
        -------
        GaussianProcessDistribution

        Raises
        ------
        TypeError, ValueError
            If an argument has the wrong type, shape or range, or the accuracy clearly rises.

        Notes
        -----
        A point that is right among more classes is right among fewer of them, so the covariance of the accuracies at
        K < L is taken to be :math:`A_L (1 - A_K) / n`.

        Examples
        --------
        >>> import numpy as np
        >>> from classex.methods import GaussianProcess
        >>> distribution = GaussianProcess().fit_curve(
        ...     [10, 100, 1_000], [0.95, 0.85, 0.70], 5_000
        ... )
        >>> distribution.accuracy(np.array([10_000.0])).round(2)
        array([0.5])
        """
        return from_published(published_curve(n_classes, accuracy, n_test, None), self.prior)


def from_published(curve: AccuracyCurve, prior: CurvePrior | None) -> GaussianProcessDistribution:
    """Fit to a published curve that was checked."""
    sizes, value, n = curve.n_classes.astype(np.float64), curve.accuracy, curve.n_tested or 1
    return from_curve(sizes, value, _nested(value) / n, n, prior)


def from_curve(
    sizes: FloatArray, accuracy: FloatArray, covariance: FloatArray, n_points: float, prior: CurvePrior | None
) -> GaussianProcessDistribution:
    """Add one hypothetical point to a curve and its covariance, and bring both to the probit scale."""
    if not isinstance(prior, CurvePrior | None):
        raise TypeError(f"prior must be a CurvePrior, not {type(prior).__name__}")
    n = float(n_points)
    added = 1 - 0.5 * np.log(sizes) / np.log(sizes[-1])
    z: FloatArray = special.ndtri((n * accuracy + added) / (n + 1))
    spread = (n**2 * covariance + _nested(added)) / (n + 1) ** 2
    slope = density(z)
    noise = spread / np.outer(slope, slope) + _JITTER * np.eye(sizes.size)
    return GaussianProcessDistribution(
        sizes, z, noise, float(probit_of_last(accuracy[-1], n)), prior or ACCURACY_CURVES
    )


def spread_of_losses(sizes: FloatArray, last: float, n_points: float) -> FloatArray:
    """Covariance of a curve with this end whose points fail evenly in the logarithm of the number of classes.

    A sample with few errors holds few of the ways to fail, and its own covariance sees no others.
    """
    errors = (n_points * (1 - last) + UNSEEN_UNITS) / (n_points + 1)
    return _nested(1 - errors * np.log(sizes) / np.log(sizes[-1])) / n_points


def _nested(accuracy: FloatArray) -> FloatArray:
    """Covariance of the successes of one point with more and more classes: right among L, it is right among K < L."""
    return np.asarray(np.minimum.outer(accuracy, accuracy) * (1 - np.maximum.outer(accuracy, accuracy)))
