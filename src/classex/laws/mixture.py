r"""The smooth mixture: a base law of the probit times the ratio that the wins ask for, sharpened by scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_positive_float, as_positive_int
from classex.laws.law import Evidence
from classex.laws.probit_normal import fit_probit_normal
from classex.laws.ratio import ProbitLaw, RatioFit, fit_ratio, hat_functions, ratio_knots
from classex.laws.score_law import ScoreLaw, fit_score_law
from classex.laws.subsets import distractor_ratio
from classex.laws.wins import collapse_wins, posterior_nodes
from classex.ranks import point_shares
from classex.results import CorrectRanks

__all__ = ["MixtureLaw", "fit_mixture"]

FloatArray = NDArray[np.float64]
Halves = NDArray[np.bool_]

_FEWEST_FOR_SCORES, _MOST_TIES = 20, 0.02


@dataclass(frozen=True)
class MixtureLaw:
    """A smooth law of the probit of the favourability.

    Attributes
    ----------
    law : ProbitLaw
        The law, on nodes.
    ratio : RatioFit
        Ratio to the base law, and the smoothness chosen.
    log_likelihood : float
        Class-balanced log-likelihood of the wins the ratio was fitted to, relative to the base law, in nats.
    score_law : ScoreLaw or None
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
    >>> law = cx.laws.fit_mixture(cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4))
    >>> law.use_scores, law.score_law is None, round(float(law.law.weight.sum()), 6)
    (True, True, 1.0)
    """

    law: ProbitLaw = field(repr=False)
    ratio: RatioFit = field(repr=False)
    log_likelihood: float
    score_law: ScoreLaw | None = field(repr=False)
    halves: Halves | None = field(repr=False)
    shares: FloatArray = field(repr=False)
    use_scores: bool = True

    @property
    def evidence(self) -> Evidence:
        """Smoothness, effective number of parameters and gain in log-likelihood over the base law."""
        base = 2.0 if self.score_law is None else float(self.score_law.calibration.size)
        return Evidence({"smoothness": self.ratio.smoothness}, base + self.ratio.freedom, self.log_likelihood)

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        return self.law.accuracy(sizes, top)

    def cdf(self, u: FloatArray) -> FloatArray:
        """Discriminability function at favourabilities u."""
        return self.law.cdf(u)

    def refit(
        self, ranks: CorrectRanks, scores: NDArray[Any] | None = None, classes: NDArray[np.int64] | None = None
    ) -> MixtureLaw:
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
        del sizes, top

    def prior_variance(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Variance that the prior of the calibration of the scores leaves open, where the wins say little."""
        law = self.score_law
        if law is None:
            return np.zeros_like(sizes)
        steps = 1e-3 * np.sqrt(np.maximum(np.diag(law.prior_covariance), 1e-12))
        gradient = np.empty((steps.size, sizes.size))
        for row, move in zip(gradient, np.diag(steps), strict=True):
            up, down = (
                ProbitLaw.smoothed(*law.normal(law.guess, law.calibration + sign * move), self.shares)
                for sign in (1, -1)
            )
            row[:] = (up.accuracy(sizes, top) - down.accuracy(sizes, top)) / (2 * move.sum())
        variance: FloatArray = np.einsum("ik,ij,jk->k", gradient, law.prior_covariance, gradient)
        return variance


def fit_mixture(
    ranks: CorrectRanks,
    scores: NDArray[Any] | None = None,
    *,
    use_scores: bool = True,
    smoothness: float | None = None,
    n_splits: int | None = None,
) -> MixtureLaw:
    r"""Fit a smooth mixture to the probit of the favourability.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes.
    scores : ndarray of shape (n_test, n_classes), optional
        The scores behind them.
    use_scores : bool
        Whether scores, if given, sharpen the base law. Ranks alone are used with fewer than 20 classes, where
        more than 2 % of the comparisons are ties, and where a row of wrong scores is constant.
    smoothness : float, optional
        Weight of the penalty on the ratio; infinity keeps the base law. By default chosen by an information
        criterion corrected for the dependence between points that share classes.
    n_splits : int, optional
        Random splits of the classes that calibrate the scores. By default 2000 over the number of classes,
        between 1 and 3.

    Returns
    -------
    MixtureLaw

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
    >>> law = cx.laws.fit_mixture(ranks, sample.scores)
    >>> law.accuracy(np.array([40.0])).round(1)
    array([0.1])
    """
    infinite = smoothness is not None and np.ndim(smoothness) == 0 and smoothness == np.inf
    weight = smoothness if smoothness is None or infinite else as_positive_float(smoothness, "smoothness")
    splits = None if n_splits is None else as_positive_int(n_splits, "n_splits")
    return _fit(ranks, scores, use_scores, weight, None, splits)


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
) -> MixtureLaw:
    shares = point_shares(ranks)
    score_law = None
    if scores is not None and use_scores and _scores_serve(ranks):
        halves = _draw_halves(ranks.n_classes, n_splits) if halves is None else halves
        score_law = fit_score_law(scores, ranks.labels, shares, halves=halves)
    law, knots, likelihood, weight, expectation = (
        _from_ranks(ranks) if score_law is None else _from_scores(shares, score_law)
    )
    n = ranks.wins.size
    ratio = fit_ratio(
        likelihood, weight, expectation, knots, n_points=n, inflation=distractor_ratio(ranks), smoothness=smoothness
    )
    gain = n * float(weight @ np.log(np.maximum(likelihood @ ratio.ratio, 1e-300)))
    kept = None if score_law is None else halves
    return MixtureLaw(law.times(ratio.ratio, knots), ratio, gain, score_law, kept, shares, use_scores)


def _draw_halves(k1: int, n_splits: int | None) -> Halves:
    rng = np.random.default_rng(0)
    number = min(max(2000 // k1, 1), 3) if n_splits is None else n_splits
    return np.array([rng.permutation(k1) < k1 // 2 for _ in range(number)])


def _from_ranks(ranks: CorrectRanks) -> tuple[ProbitLaw, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Base law, knots, posterior expectations of the hat functions, their weights, and prior expectations."""
    fit = fit_probit_normal(ranks)
    law = ProbitLaw.normal(fit.mu, fit.nu)
    knots = ratio_knots(law)
    counts = collapse_wins(ranks)
    _, w, share = posterior_nodes(counts.wins, counts.n_wrong, np.full_like(counts.wins, fit.mu), fit.nu)
    expectation = hat_functions(law.nodes[np.newaxis], law.weight[np.newaxis], knots)[0]
    return law, knots, hat_functions(w, share, knots), counts.weight, expectation


def _from_scores(
    shares: FloatArray, score_law: ScoreLaw
) -> tuple[ProbitLaw, FloatArray, FloatArray, FloatArray, FloatArray]:
    law = ProbitLaw.smoothed(*score_law.normal(score_law.guess), shares)
    knots = ratio_knots(law)
    mean, spread = score_law.normal(score_law.held_guess)
    _, w, share = posterior_nodes(score_law.wins, score_law.wrong, mean, spread, 21)
    held = ProbitLaw.smoothed(mean, spread, score_law.held_weight)
    expectation = hat_functions(held.nodes[np.newaxis], held.weight[np.newaxis], knots)[0]
    return law, knots, hat_functions(w, share, knots), score_law.held_weight, expectation
