r"""A Gaussian process for the accuracy curve, on the plane of probit accuracy against the logarithm of K.

Curves of real classifiers are nearly straight there, after a steep start. With :math:`z(K) = \Phi^{-1}(A_K)` and
:math:`t = \log_{10}(K/2)`,

.. math:: z(K) = \alpha + \int_0^t s(t')\,dt', \qquad E\,s(t) = b + c\,e^{-t/d},

with a normal level :math:`\alpha`, and a slope s that is a Gaussian process of exponential covariance around its mean
(Ornstein-Uhlenbeck). The accuracies observed at a few numbers of classes, with their covariance, leave a normal
distribution for the whole curve, in closed form (Rasmussen and Williams 2006, Gaussian Processes, section 2.2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import nnls

from classex._estimates import AccuracyCurve
from classex._rates import density, probit
from classex._types import FloatArray
from classex.curves.accuracy import curve_with_influence
from classex.curves.published import published_curve
from classex.curves.subsets import spaced_sizes
from classex.distributions.discrete import DiscreteDistribution
from classex.distributions.distribution import Evidence, NodeDistribution
from classex.distributions.wins import subset_success
from classex.methods._method import Method, Scores
from classex.methods.curve_prior import CurvePrior
from classex.ranks import as_ranks
from classex.ranks._ranks import CorrectRanks

__all__ = ["MOST_SIZES", "GaussianProcess", "GaussianProcessDistribution", "from_curve", "from_published"]


# Numbers of classes at which the observed curve is read: more make the covariance nearly singular
MOST_SIZES = 14
# Added to the variances of the probits: keeps the matrix positive definite in double precision
_JITTER = 1e-8
# Numbers of classes at which the distribution matches the curve: the whole range that predictions accept
_MATCHED = np.geomspace(2, 1e12, 90)
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
        Probits of the observed accuracies, with one hypothetical unit added (see `GaussianProcess.fit`).
    noise : ndarray of shape (n, n)
        Their covariance.
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
    prior: CurvePrior

    @property
    def evidence(self) -> Evidence:
        """Scales of the prior, effective number of parameters, and how far the fit is from the observed curve."""
        sizes, prior = self.sizes, self.prior
        parts = [np.trace(cho_solve(factor, own.covariance(sizes, sizes))) for own, factor in self.fits]
        residual = float(np.sqrt(np.mean(np.square(self.accuracy(sizes) - special.ndtr(self.probit)))))
        scales = {"slope": prior.slope, "slope_sd": prior.slope_sd, "length": prior.length}
        return Evidence(scales, float(special.softmax(self.log_joint) @ parts), residual=residual)

    @cached_property
    def fits(self) -> list[tuple[CurvePrior, tuple[FloatArray, bool]]]:
        """Prior and factor of the covariance of the probits: usual and unusual curve."""
        sizes, priors = self.sizes, (self.prior, self.prior.unusual_curve)
        return [(own, cho_factor(own.covariance(sizes, sizes) + self.noise, lower=True)) for own in priors]

    @cached_property
    def log_joint(self) -> FloatArray:
        """Log of the prior probability times the density of the probits, up to a constant: usual and unusual curve."""
        rest, unusual = self.probit - self.prior.mean(self.sizes), self.prior.unusual
        density = [-0.5 * rest @ cho_solve(f, rest) - np.log(np.diag(f[0])).sum() for _, f in self.fits]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log([1 - unusual, unusual]) + density)

    def posterior(self, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the probit of the accuracy with K >= 2 classes."""
        rest = self.probit - self.prior.mean(self.sizes)
        first, second = np.zeros((2, sizes.size))
        for weight, (prior, factor) in zip(special.softmax(self.log_joint), self.fits, strict=True):
            cross = prior.covariance(self.sizes, sizes)
            solved = cho_solve(factor, cross)
            mean = prior.mean(sizes) + solved.T @ rest
            left = np.maximum(prior.variance(sizes) - np.einsum("ik,ik->k", cross, solved), 0.0)
            first += weight * mean
            second += weight * (mean**2 + left)
        return first, np.maximum(second - first**2, 0.0)

    @cached_property
    def discrete(self) -> DiscreteDistribution:
        """Distribution of the probit of the favourability whose accuracies are closest to the posterior mean.

        Accuracies are moments, so not every curve is possible. Over all distributions on a fine grid, this minimises
        the squared distances of the accuracies, in posterior standard deviations, plus a small penalty on second
        differences.
        """
        mean, variance = self.posterior(_MATCHED)
        scale = 1 / (density(mean) * np.sqrt(variance + 1e-4))
        success = subset_success(_NODES, _MATCHED, 1).T
        rough = _ROUGHNESS * np.diff(np.eye(_NODES.size), 2, axis=0) / 0.1**2
        rows = np.vstack([scale[:, np.newaxis] * success, rough, np.full((1, _NODES.size), _WEIGHT_OF_SUM)])
        target = np.concatenate([scale * special.ndtr(mean), np.zeros(rough.shape[0]), [_WEIGHT_OF_SUM]])
        weight = nnls(rows, target, maxiter=100 * _NODES.size)[0]
        return DiscreteDistribution(_NODES, weight / weight.sum())

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Variance of the accuracy: that of the probit times the square of the slope of Phi.

        Being among the `top` best of K requires about the same favourability as being the best of fewer classes. The
        variance of the probit is taken at that smaller number (see `_as_hard`).
        """
        slope = density(probit(self.accuracy(sizes, top)))
        return np.asarray(self.posterior(_as_hard(sizes, top))[1] * np.square(slope))


@dataclass(frozen=True)
class GaussianProcess(Method):
    r"""Gaussian process for probit accuracy against the logarithm of K: the default method.

    On the probit scale the accuracy curves of real classifiers start steeply, then fall by .2 to 1 per decade of K, and
    their slopes change slowly. Five numbers of the prior describe this, learnt from domains of real classifiers (see
    `classex.methods.CurvePrior`). The accuracies observed at a few numbers of classes determine the rest.

    Parameters
    ----------
    prior : CurvePrior, optional
        Prior of curves; by default the one learnt from real classifiers.

    Notes
    -----
    Uses ranks, or a published curve alone (`fit_curve`): a monotone change of all scores changes nothing. Intervals
    need no resampling. They are held to what the observed curve shows by itself (see
    `classex.Extrapolator.predict_interval`).

    If the family of the scores is known, a method made for it is more accurate: `Mixture` for Gaussian classes and
    faces, `ProbitNormal` if favourabilities are probit-normal.

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

    def __post_init__(self) -> None:
        if self.prior is not None and not isinstance(self.prior, CurvePrior):
            raise TypeError(f"prior must be a CurvePrior, not {type(self.prior).__name__}")

    def fit(self, ranks: CorrectRanks, scores: Scores = None) -> GaussianProcessDistribution:
        r"""Fit a Gaussian process to the accuracy curve of the observed classes.

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
        log K, and their covariance C over classes. One hypothetical class is added to the m classes with test points,
        so that neither a perfect score nor a flat curve is taken as certain. Its accuracy
        :math:`a_K = 1 - \log K / (2 \log k_1)` falls from nearly 1 to 1/2, and

        .. math:: \hat A_K = \frac{m A_K + a_K}{m + 1}, \qquad
            \operatorname{Cov}(\hat A_K, \hat A_L) = \frac{m^2 C_{KL} + a_L (1 - a_K)}{(m + 1)^2}, \quad K \le L.

        Examples
        --------
        >>> import numpy as np
        >>> import classex as cx
        >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
        >>> distribution = cx.methods.GaussianProcess().fit(
        ...     cx.correct_ranks(sample.scores, sample.labels)
        ... )
        >>> distribution.accuracy(np.array([40.0])).round(1)
        array([0.2])
        """
        as_ranks(ranks, sampled=True, evenly=True)
        if ranks.n_tested < 2:
            raise ValueError("ranks must have test points of at least 2 classes: a variance over classes needs two")
        sizes = spaced_sizes(2, ranks.largest_subset, MOST_SIZES)
        curve, influence = curve_with_influence(ranks, sizes)
        return from_curve(sizes, curve.accuracy, influence.T @ influence, ranks.n_units, self.prior)

    def fit_curve(self, n_classes: ArrayLike, accuracy: ArrayLike, n_test: int) -> GaussianProcessDistribution:
        r"""Fit a Gaussian process to a published curve.

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
    sizes: FloatArray, accuracy: FloatArray, covariance: FloatArray, n_units: float, prior: CurvePrior | None
) -> GaussianProcessDistribution:
    """Add one hypothetical unit to a curve and its covariance, and bring both to the probit scale."""
    m = float(n_units)
    added = 1 - 0.5 * np.log(sizes) / np.log(sizes[-1])
    z: FloatArray = special.ndtri((m * accuracy + added) / (m + 1))
    spread = (m**2 * covariance + _nested(added)) / (m + 1) ** 2
    slope = density(z)
    return GaussianProcessDistribution(
        sizes, z, spread / np.outer(slope, slope) + _JITTER * np.eye(sizes.size), prior or CurvePrior()
    )


def _nested(accuracy: FloatArray) -> FloatArray:
    """Covariance of the successes of one point with more and more classes: right among L, it is right among K < L."""
    return np.asarray(np.minimum.outer(accuracy, accuracy) * (1 - np.maximum.outer(accuracy, accuracy)))


def _as_hard(sizes: FloatArray, top: int) -> FloatArray:
    """Number of classes, 2 or more, among which the first rank is as hard as the `top` best ranks among K.

    A point of favourability u is among the `top` best if its binomial number of wins, (K - 1, u), reaches K - `top`.
    At one u that has probability 1/2, and u^(K' - 1) = 1/2 at the same u gives K'.
    """
    if top == 1:
        return np.maximum(sizes, 2.0)
    tiny = np.finfo(float).tiny
    half = np.clip(special.betaincinv(float(top), np.maximum(sizes - top, tiny), 0.5), tiny, 0.5)
    return np.asarray(1 + np.log(0.5) / np.log1p(-half))
