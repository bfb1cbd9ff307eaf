r"""The smooth mixture: a base law of the probit times the ratio that the wins ask for, sharpened by scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_positive_float, as_positive_int
from classex.curves.class_subsets import distractor_ratio
from classex.curves.metrics import RankMetric
from classex.distributions.discrete import DiscreteDistribution
from classex.distributions.distribution import Distribution, Evidence, metric_variance
from classex.distributions.wins import collapse_wins, posterior_nodes
from classex.methods._method import HALVES, Method, Resampling
from classex.methods._ratio import RatioFit, fit_ratio, hat_functions, ratio_knots
from classex.methods._score_prior import ScorePrior, fit_score_prior
from classex.methods.probit_normal import ProbitNormal
from classex.ranks import point_shares
from classex.results import CorrectRanks

__all__ = ["Mixture", "MixtureDistribution"]

FloatArray = NDArray[np.float64]
Halves = NDArray[np.bool_]

_FEWEST_FOR_SCORES, _MOST_TIES = 20, 0.02


@dataclass(frozen=True)
class MixtureDistribution:
    """A smooth law of the probit of the favourability.

    Attributes
    ----------
    discrete : DiscreteDistribution
        The law, on nodes.
    ratio : RatioFit
        Ratio to the base law, and the smoothness chosen.
    log_likelihood : float
        Class-balanced log-likelihood of the wins the ratio was fitted to, relative to the base law, in nats.
    score_law : ScorePrior or None
        The calibrated base law from scores; None where ranks alone were used.
    halves : ndarray of bool of shape (n_splits, n_classes), or None
        The splits of the classes that calibrated the scores.
    shares : ndarray of shape (n_points,)
        Weights of the test points.
    use_scores : bool
        Whether scores may sharpen the base law.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> distribution = cx.methods.Mixture().fit(
    ...     cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4)
    ... )
    >>> (
    ...     distribution.use_scores,
    ...     distribution.score_prior is None,
    ...     round(float(distribution.discrete.weight.sum()), 6),
    ... )
    (True, True, 1.0)
    """

    discrete: DiscreteDistribution = field(repr=False)
    ratio: RatioFit = field(repr=False)
    log_likelihood: float
    score_prior: ScorePrior | None = field(repr=False)
    halves: Halves | None = field(repr=False)
    shares: FloatArray = field(repr=False)
    use_scores: bool = True

    @property
    def evidence(self) -> Evidence:
        """Smoothness, effective number of parameters and gain in log-likelihood over the base law."""
        base = 2.0 if self.score_prior is None else float(self.score_prior.calibration.size)
        return Evidence({"smoothness": self.ratio.smoothness}, base + self.ratio.freedom, self.log_likelihood)

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        return self.discrete.accuracy(sizes, top)

    def cdf(self, u: FloatArray) -> FloatArray:
        """Discriminability function at favourabilities u."""
        return self.discrete.cdf(u)

    def refit(
        self, ranks: CorrectRanks, scores: NDArray[Any] | None = None, classes: NDArray[np.int64] | None = None
    ) -> MixtureDistribution:
        """Fit to other data with the smoothness chosen and the first split of the classes.

        A new split for every class subset would add its luck to the variance.
        """
        halves = None
        if self.halves is not None and classes is not None:
            halves = self.halves[:1, classes]
        elif self.halves is not None and self.halves.shape[1] == ranks.n_classes:
            halves = self.halves[:1]
        return _fit(ranks, scores, self.use_scores, self.ratio.smoothness, halves, None)

    def variance(self, sizes: FloatArray, top: int = 1) -> None:
        """Return None: only resampling can tell."""

    def prior_variance(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Variance that the prior of the calibration of the scores leaves open, where the wins say little."""
        distribution = self.score_prior
        if distribution is None:
            return np.zeros_like(sizes)
        steps = 1e-3 * np.sqrt(np.maximum(np.diag(distribution.prior_covariance), 1e-12))
        gradient = np.empty((steps.size, sizes.size))
        for row, move in zip(gradient, np.diag(steps), strict=True):
            up, down = (
                DiscreteDistribution.smoothed(
                    *distribution.normal(distribution.guess, distribution.calibration + sign * move), self.shares
                )
                for sign in (1, -1)
            )
            row[:] = (up.accuracy(sizes, top) - down.accuracy(sizes, top)) / (2 * move.sum())
        variance: FloatArray = np.einsum("ik,ij,jk->k", gradient, distribution.prior_covariance, gradient)
        return variance


@dataclass(frozen=True, kw_only=True)
class Mixture(Method):
    r"""Extrapolate with a smooth mixture for the probit of the favourability, sharpened by scores.

    The law of :math:`W = \Phi^{-1}(U^*)` is a base law times a smooth ratio that the wins ask for (a concave
    problem, see `classex.methods.fit_ratio`). Fitted on ranks, the base law is the probit-normal one. Fitted on
    scores, it is a mixture over the test points, :math:`N(m_j, \tau^2)`: the scores tell how far a point beats its
    wrong labels, where wins alone only tell that it does, and wins over held-out classes calibrate what they
    tell (see `classex.methods.fit_score_prior`).

    Parameters
    ----------
    use_scores : bool
        Whether scores, if given, sharpen the base law. Ranks alone are used with fewer than 20 classes, where
        more than 2 % of the comparisons are ties, and where a row of wrong scores is constant.
    smoothness : float, optional
        Weight of the penalty on the ratio; infinity keeps the base law. By default chosen by an information
        criterion corrected for the dependence between points that share classes.
    n_splits : int, optional
        Random splits of the classes that calibrate the scores. By default 2000 over the number of classes,
        between 1 and 3.

    Notes
    -----
    Every positive affine change of a row's scores leaves the result as it is, and every monotone change leaves
    the ranks; a non-linear change of the scores is taken up by the calibration as far as the wins determine it.

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
    n_splits: int | None = None

    def fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None = None) -> MixtureDistribution:
        r"""Fit a smooth mixture to the probit of the favourability.

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
        infinite = self.smoothness is not None and np.ndim(self.smoothness) == 0 and self.smoothness == np.inf
        weight = (
            self.smoothness if self.smoothness is None or infinite else as_positive_float(self.smoothness, "smoothness")
        )
        splits = None if self.n_splits is None else as_positive_int(self.n_splits, "n_splits")
        return _fit(ranks, scores, self.use_scores, weight, None, splits)

    def complete_variance(
        self,
        distribution: Distribution,
        ranks: CorrectRanks,
        resampled: FloatArray,
        sizes: FloatArray,
        metrics: tuple[RankMetric, ...],
    ) -> FloatArray:
        """Half-sampling of classes, plus what the priors leave open where the data say little."""
        own_variance = ProbitNormal().fit(ranks).variance
        join: Callable[[FloatArray, FloatArray], FloatArray] = np.maximum
        if isinstance(distribution, MixtureDistribution) and distribution.score_prior is not None:
            own_variance, join = distribution.prior_variance, np.add
        own = np.array([metric_variance(own_variance, sizes, metric) for metric in metrics], dtype=np.float64)
        return join(resampled, own)


def _scores_serve(ranks: CorrectRanks) -> bool:
    """Whether scores can say more than ranks: at least 20 classes, and at most 2 % of the comparisons tied."""
    k1 = ranks.n_classes
    return k1 >= _FEWEST_FOR_SCORES and bool(ranks.ties.mean() <= _MOST_TIES * (k1 - 1))


def _fit(
    ranks: CorrectRanks,
    scores: NDArray[Any] | None,
    use_scores: bool,
    smoothness: float | None,
    halves: Halves | None,
    n_splits: int | None,
) -> MixtureDistribution:
    shares = point_shares(ranks)
    score_prior = None
    if scores is not None and use_scores and _scores_serve(ranks):
        halves = _draw_halves(ranks.n_classes, n_splits) if halves is None else halves
        score_prior = fit_score_prior(scores, ranks.labels, shares, halves=halves)
    distribution, knots, likelihood, weight, expectation = (
        _from_ranks(ranks) if score_prior is None else _from_scores(shares, score_prior)
    )
    n = ranks.wins.size
    ratio = fit_ratio(
        likelihood, weight, expectation, knots, n_points=n, inflation=distractor_ratio(ranks), smoothness=smoothness
    )
    gain = n * float(weight @ np.log(np.maximum(likelihood @ ratio.ratio, 1e-300)))
    kept = None if score_prior is None else halves
    return MixtureDistribution(
        distribution.times(ratio.ratio, knots), ratio, gain, score_prior, kept, shares, use_scores
    )


def _draw_halves(k1: int, n_splits: int | None) -> Halves:
    rng = np.random.default_rng(0)
    number = min(max(2000 // k1, 1), 3) if n_splits is None else n_splits
    return np.array([rng.permutation(k1) < k1 // 2 for _ in range(number)])


def _from_ranks(ranks: CorrectRanks) -> tuple[DiscreteDistribution, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Base law, knots, posterior expectations of the hat functions, their weights, and prior expectations."""
    fit = ProbitNormal().fit(ranks)
    distribution = DiscreteDistribution.normal(fit.mu, fit.nu)
    knots = ratio_knots(distribution)
    counts = collapse_wins(ranks)
    _, w, share = posterior_nodes(counts.wins, counts.n_wrong, np.full_like(counts.wins, fit.mu), fit.nu)
    expectation = hat_functions(distribution.nodes[np.newaxis], distribution.weight[np.newaxis], knots)[0]
    return distribution, knots, hat_functions(w, share, knots), counts.weight, expectation


def _from_scores(
    shares: FloatArray, score_prior: ScorePrior
) -> tuple[DiscreteDistribution, FloatArray, FloatArray, FloatArray, FloatArray]:
    distribution = DiscreteDistribution.smoothed(*score_prior.normal(score_prior.guess), shares)
    knots = ratio_knots(distribution)
    mean, spread = score_prior.normal(score_prior.held_guess)
    _, w, share = posterior_nodes(score_prior.wins, score_prior.wrong, mean, spread, 21)
    held = DiscreteDistribution.smoothed(mean, spread, score_prior.held_weight)
    expectation = hat_functions(held.nodes[np.newaxis], held.weight[np.newaxis], knots)[0]
    return distribution, knots, hat_functions(w, share, knots), score_prior.held_weight, expectation
