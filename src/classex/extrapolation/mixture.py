"""Extrapolation by a smooth mixture in the probit scale, sharpened by scores where there are any."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_positive_float, as_positive_int
from classex.extrapolation._base import Extrapolator
from classex.extrapolation._intervals import distractor_ratio, resampled_variance
from classex.extrapolation.probit_normal import ProbitNormalExtrapolator
from classex.laws import collapse_wins, fit_probit_normal
from classex.laws.mixture import ProbitLaw, RatioFit, fit_ratio, hat_functions, ratio_knots
from classex.laws.score_law import ScoreLaw, fit_score_law
from classex.laws.wins import posterior_nodes
from classex.ranks import point_shares
from classex.results import CorrectRanks

__all__ = ["MixtureExtrapolator"]

FloatArray = NDArray[np.float64]

_FEWEST_FOR_SCORES = 20
_MOST_TIES = 0.02
_MOST_HALVES = 20


class MixtureExtrapolator(Extrapolator):
    r"""Extrapolate with a smooth mixture for the probit of the favourability, sharpened by scores.

    The law of :math:`W = \Phi^{-1}(U^*)` is a base law times a smooth ratio that the wins ask for (a concave
    problem, see `classex.laws.fit_ratio`). Fitted on ranks, the base law is the probit-normal one. Fitted on
    scores, it is a mixture over the test points, :math:`N(m_j, \tau^2)`: the scores tell how far a point beats its
    wrong labels, where wins alone only tell that it does, and wins over held-out classes calibrate what they
    tell (see `classex.laws.fit_score_law`).

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

    Attributes
    ----------
    law_ : ProbitLaw
        The fitted law of W.
    ratio_ : RatioFit
        Ratio to the base law, and the smoothness chosen.
    score_law_ : ScoreLaw or None
        The calibrated base law from scores; None where ranks alone were used.

    Notes
    -----
    Every positive affine change of a row's scores leaves the result as it is, and every monotone change leaves
    the ranks; a non-linear change of the scores is taken up by the calibration as far as the wins determine it.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> cx.MixtureExtrapolator().fit(sample.scores, sample.labels).predict(40).round(1)
    array([0.1])
    """

    law_: ProbitLaw
    ratio_: RatioFit
    score_law_: ScoreLaw | None
    halves_: NDArray[np.bool_]

    def __init__(
        self, *, use_scores: bool = True, smoothness: float | None = None, n_splits: int | None = None
    ) -> None:
        self.use_scores = use_scores
        infinite = smoothness is not None and np.isposinf(smoothness)
        self.smoothness = smoothness if smoothness is None or infinite else as_positive_float(smoothness, "smoothness")
        self.n_splits = None if n_splits is None else as_positive_int(n_splits, "n_splits")
        self._halves: NDArray[np.bool_] | None = None

    def _fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> None:
        self.score_law_ = self._score_law(ranks, scores)
        base = self._from_ranks(ranks) if self.score_law_ is None else self._from_scores(ranks, self.score_law_)
        law, knots, likelihood, weight, expectation = base
        self.ratio_ = fit_ratio(
            likelihood,
            weight,
            expectation,
            knots,
            n_points=ranks.wins.size,
            inflation=distractor_ratio(ranks),
            smoothness=self.smoothness,
        )
        self.law_ = law.times(self.ratio_.ratio, knots)

    def _score_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> ScoreLaw | None:
        k1 = ranks.n_classes
        few = k1 < _FEWEST_FOR_SCORES or ranks.ties.mean() > _MOST_TIES * (k1 - 1)
        if scores is None or few or not self.use_scores:
            return None
        weights = point_shares(ranks)
        self.halves_ = self._draw_halves(k1) if self._halves is None else self._halves
        return fit_score_law(scores, ranks.labels, weights, halves=self.halves_)

    def _draw_halves(self, k1: int) -> NDArray[np.bool_]:
        n_splits = min(max(2000 // k1, 1), 3) if self.n_splits is None else self.n_splits
        rng = np.random.default_rng(0)
        return np.array([rng.permutation(k1) < k1 // 2 for _ in range(n_splits)])

    @staticmethod
    def _from_ranks(ranks: CorrectRanks) -> tuple[ProbitLaw, FloatArray, FloatArray, FloatArray, FloatArray]:
        fit = fit_probit_normal(ranks)
        law = ProbitLaw.normal(fit.mu, fit.nu)
        knots = ratio_knots(law)
        counts = collapse_wins(ranks)
        log_pmf, w, share = posterior_nodes(counts.wins, counts.n_wrong, np.full_like(counts.wins, fit.mu), fit.nu)
        by_wins = hat_functions(w, share, knots)
        node_share = counts.rank_log_likelihood(log_pmf)[1]
        likelihood = np.add.reduceat(node_share[:, np.newaxis] * by_wins[counts.support], counts.start, axis=0)
        expectation = hat_functions(law.nodes[np.newaxis], law.weight[np.newaxis], knots)[0]
        return law, knots, likelihood, counts.weight, expectation

    @staticmethod
    def _from_scores(
        ranks: CorrectRanks, score_law: ScoreLaw
    ) -> tuple[ProbitLaw, FloatArray, FloatArray, FloatArray, FloatArray]:
        law = ProbitLaw.smoothed(*score_law.normal(score_law.guess), point_shares(ranks))
        knots = ratio_knots(law)
        mean, spread = score_law.normal(score_law.held_guess)
        _, w, share = posterior_nodes(score_law.wins, score_law.wrong, mean, spread, 21)
        held = ProbitLaw.smoothed(mean, spread, score_law.held_weight)
        expectation = hat_functions(held.nodes[np.newaxis], held.weight[np.newaxis], knots)[0]
        return law, knots, hat_functions(w, share, knots), score_law.held_weight, expectation

    def _resampled(self) -> Extrapolator:
        """Return an estimator with the smoothness chosen and the first split of the classes.

        A new split for every class subset would add its luck to the variance.
        """
        twin = MixtureExtrapolator(use_scores=self.use_scores, smoothness=self.ratio_.smoothness)
        twin._halves = self.halves_[:1] if self.score_law_ is not None else None
        return twin

    def _on_classes(self, classes: NDArray[np.int64]) -> None:
        if self._halves is not None:
            self._halves = self._halves[:, classes]

    def _freedom(self, n_resamples: int) -> int:
        return min(n_resamples, _MOST_HALVES) - 1

    def _variance(self, sizes: FloatArray, top: int, n_resamples: int, rng: np.random.Generator) -> FloatArray:
        """Half-sampling of classes, plus what the priors leave open where the data say little."""
        variance = resampled_variance(self, sizes, top, min(n_resamples, _MOST_HALVES), rng, 0.5)
        law = self.score_law_
        if law is None:
            plain = ProbitNormalExtrapolator().fit_ranks(self.ranks_)
            return np.maximum(variance, plain._variance(sizes, top, n_resamples, rng))
        weights = point_shares(self.ranks_)
        steps = 1e-3 * np.sqrt(np.maximum(np.diag(law.prior_covariance), 1e-12))
        gradient = np.empty((steps.size, sizes.size))
        for row, move in zip(gradient, np.diag(steps), strict=True):
            up, down = (
                ProbitLaw.smoothed(*law.normal(law.guess, law.calibration + sign * move), weights) for sign in (1, -1)
            )
            row[:] = (up.accuracy(sizes, top) - down.accuracy(sizes, top)) / (2 * move.sum())
        variance += np.einsum("ik,ij,jk->k", gradient, law.prior_covariance, gradient)
        return variance

    def _accuracy(self, n_classes: FloatArray, top: int) -> FloatArray:
        return self.law_.accuracy(n_classes, top)
