r"""The smooth mixture: a base distribution of the probit times a ratio fitted to the wins, sharpened by scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex._checks import as_positive_float
from classex._types import FloatArray
from classex.curves.accuracy import distractor_ratio
from classex.distributions.distribution import DiscreteDistribution, Evidence, NodeDistribution, metric_variance
from classex.distributions.wins import collapse_wins, posterior_nodes
from classex.methods._ratio import RatioFit, fit_ratio, hat_functions, ratio_knots
from classex.methods._score_prior import ScorePrior, fit_score_prior
from classex.methods.probit_normal import ProbitNormal
from classex.methods.protocol import HALVES, Indices, Method, Metrics, Resampling, Scores
from classex.ranks import point_shares
from classex.ranks.ranks import CorrectRanks

__all__ = ["Mixture", "MixtureDistribution"]

Halves = NDArray[np.bool_]

# Fewest classes, and largest share of tied comparisons, with which scores sharpen the fit
_FEWEST_CLASSES, _MOST_TIES = 20, 0.02


@dataclass(frozen=True)
class MixtureDistribution(NodeDistribution):
    """A smooth distribution of the probit of the favourability.

    Attributes
    ----------
    discrete : DiscreteDistribution
        The distribution, on nodes.
    ratio : RatioFit
        Ratio to the base distribution, and the smoothness chosen.
    log_likelihood : float
        Class-balanced log-likelihood of the wins, relative to the base distribution, in nats.
    score_prior : ScorePrior or None
        The calibrated base distribution from scores; None if ranks alone were used.
    halves : ndarray of bool of shape (n_splits, n_classes), or None
        The splits of the classes that calibrated the scores.
    shares : ndarray of shape (n_points,)
        Weights of the test points.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> distribution = cx.methods.Mixture().fit(
    ...     cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4)
    ... )
    >>> (
    ...     distribution.score_prior is None,
    ...     round(float(distribution.discrete.weight.sum()), 6),
    ... )
    (True, 1.0)
    """

    discrete: DiscreteDistribution = field(repr=False)
    ratio: RatioFit = field(repr=False)
    log_likelihood: float
    score_prior: ScorePrior | None = field(repr=False)
    halves: Halves | None = field(repr=False)
    shares: FloatArray = field(repr=False)

    @property
    def evidence(self) -> Evidence:
        """Smoothness, effective number of parameters and gain in log-likelihood over the base distribution."""
        base = 2.0 if self.score_prior is None else float(self.score_prior.calibration.size)
        return Evidence({"smoothness": self.ratio.smoothness}, base + self.ratio.freedom, self.log_likelihood)

    def prior_variance(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Variance from the prior of the calibration of the scores, which resampling does not see."""
        fit = self.score_prior
        if fit is None:
            return np.zeros_like(sizes)
        steps = 1e-3 * np.sqrt(np.maximum(np.diag(fit.prior_covariance), 1e-12))

        def accuracy(calibration: FloatArray) -> FloatArray:
            mean, sd = fit.normal(fit.guess, calibration)
            return DiscreteDistribution.smoothed(mean, sd, self.shares).accuracy(sizes, top)

        moves = [accuracy(fit.calibration + move) - accuracy(fit.calibration - move) for move in np.diag(steps)]
        gradient = np.array(moves) / (2 * steps[:, np.newaxis])
        return np.asarray(np.einsum("ik,ij,jk->k", gradient, fit.prior_covariance, gradient))


@dataclass(frozen=True, kw_only=True)
class Mixture(Method):
    r"""Smooth mixture for the probit of the favourability, sharpened by scores.

    The distribution of :math:`W = \Phi^{-1}(U^*)` is a base distribution times a smooth ratio fitted to the wins, a
    concave problem. On ranks the base is the probit-normal distribution. On scores it is a mixture over the test
    points, :math:`N(m_j, \tau_j^2)`: scores show by how far a point beats its wrong labels, and wins over held-out
    classes calibrate them. It is the method for scores of a known Gaussian family.

    Parameters
    ----------
    use_scores : bool
        Whether scores, if given, sharpen the base distribution. Ranks alone are used with fewer than 20 classes, with
        more than 2 % of the comparisons tied, or with a constant row of wrong scores.
    smoothness : float, optional
        Weight of the penalty on the ratio; infinity keeps the base distribution. By default chosen by an information
        criterion, corrected for the dependence between points that share classes.

    Notes
    -----
    A positive affine change of a row's scores does not change the result. After any other monotone change of the scores
    the calibration corrects the guesses, as far as the wins determine them.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> fitted = cx.Extrapolator(cx.methods.Mixture()).fit(
    ...     sample.scores, sample.labels
    ... )
    >>> fitted.predict(40).round(1)
    array([0.1])
    """

    takes_samples: ClassVar[bool] = True
    resampling: ClassVar[Resampling] = HALVES
    use_scores: bool = True
    smoothness: float | None = None

    def fit(self, ranks: CorrectRanks, scores: Scores = None) -> MixtureDistribution:
        r"""Fit the base distribution and the ratio.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes.
        scores : ndarray of shape (n_test, n_classes), optional
            The scores behind them.

        Returns
        -------
        MixtureDistribution

        Raises
        ------
        ValueError
            If a setting is out of range.

        Examples
        --------
        >>> import numpy as np
        >>> import classex as cx
        >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
        >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
        >>> distribution = cx.methods.Mixture().fit(ranks, sample.scores)
        >>> distribution.accuracy(np.array([40.0])).round(1)
        array([0.1])
        """
        fixed = self.smoothness in (None, np.inf)
        smoothness = self.smoothness if fixed else as_positive_float(self.smoothness, "smoothness")
        return self._fit(ranks, scores, smoothness, None)

    def refit(
        self, fitted: MixtureDistribution, ranks: CorrectRanks, scores: Scores = None, classes: Indices = None
    ) -> MixtureDistribution:
        """Fit to other data with the smoothness chosen and the first split of the classes.

        A new split for each subset of classes would add to the variance.
        """
        halves = fitted.halves
        if halves is not None:
            halves = halves[:1] if classes is None else halves[:1, classes]
        return self._fit(ranks, scores, fitted.ratio.smoothness, halves)

    def complete_variance(
        self, fitted: Any, ranks: CorrectRanks, variance: FloatArray, sizes: FloatArray, metrics: Metrics
    ) -> FloatArray:
        """Half-sampling of classes, plus the part of the priors where the data determine little."""
        ranks_alone = fitted.score_prior is None
        of_prior = ProbitNormal().fit(ranks).variance if ranks_alone else fitted.prior_variance
        own = np.array([metric_variance(of_prior, sizes, metric) for metric in metrics], dtype=np.float64)
        return np.maximum(variance, own) if ranks_alone else variance + own

    def _fit(
        self, ranks: CorrectRanks, scores: Scores, smoothness: float | None, halves: Halves | None
    ) -> MixtureDistribution:
        shares, k1, n = point_shares(ranks), ranks.n_classes, ranks.n_points
        score_prior = None
        few_ties = bool(ranks.ties.mean() <= _MOST_TIES * (k1 - 1))
        if scores is not None and self.use_scores and k1 >= _FEWEST_CLASSES and few_ties:
            halves = _draw_halves(k1) if halves is None else halves
            score_prior = fit_score_prior(scores, ranks.labels, shares, halves=halves)
        if score_prior is None:
            fit, counts, halves = ProbitNormal().fit(ranks), collapse_wins(ranks), None
            base = prior = DiscreteDistribution.normal(fit.mu, fit.nu)
            weight = counts.weight
            _, w, share = posterior_nodes(counts.wins, counts.n_wrong, np.full_like(counts.wins, fit.mu), fit.nu)
        else:
            base = DiscreteDistribution.smoothed(*score_prior.normal(score_prior.guess), shares)
            mean, sd = score_prior.normal(score_prior.held_guess)
            weight = score_prior.held_weight
            prior = DiscreteDistribution.smoothed(mean, sd, weight)
            _, w, share = posterior_nodes(score_prior.wins, score_prior.wrong, mean, sd, 21)
        knots = ratio_knots(base)
        likelihood = hat_functions(w, share, knots)
        expected = hat_functions(prior.nodes[np.newaxis], prior.weight[np.newaxis], knots)[0]
        inflation = distractor_ratio(ranks)
        ratio = fit_ratio(likelihood, weight, expected, n_points=n, inflation=inflation, smoothness=smoothness)
        gain = n * float(weight @ np.log(np.maximum(likelihood @ ratio.ratio, 1e-300)))
        return MixtureDistribution(base.times(ratio.ratio, knots), ratio, gain, score_prior, halves, shares)


def _draw_halves(k1: int) -> Halves:
    """Random halves of the classes: three, fewer from 1,000 classes on, whose splits differ less."""
    rng = np.random.default_rng(0)
    return np.array([rng.permutation(k1) < k1 // 2 for _ in range(min(max(2000 // k1, 1), 3))])
