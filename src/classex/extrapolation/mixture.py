"""Extrapolation by a smooth mixture in the probit scale, sharpened by scores where there are any."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex.curves.metrics import RankMetric
from classex.extrapolation._base import Extrapolator
from classex.extrapolation._resampling import HALVES
from classex.laws.law import metric_variance
from classex.laws.mixture import MixtureLaw, fit_mixture
from classex.laws.probit_normal import fit_probit_normal
from classex.results import CorrectRanks

__all__ = ["MixtureExtrapolator"]

FloatArray = NDArray[np.float64]


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
    law_ : MixtureLaw
        The fitted law of W; ``law_.ratio`` has the smoothness chosen, ``law_.score_law`` is None where ranks alone
        were used.

    Notes
    -----
    Every positive affine change of a row's scores leaves the result as it is, and every monotone change leaves
    the ranks; a non-linear change of the scores is taken up by the calibration as far as the wins determine it.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> fitted = cx.MixtureExtrapolator().fit(sample.scores, sample.labels)
    >>> fitted.predict(40).round(1)
    array([0.1])
    """

    takes_samples = True
    law_: MixtureLaw
    _plan = HALVES

    def __init__(
        self, *, use_scores: bool = True, smoothness: float | None = None, n_splits: int | None = None
    ) -> None:
        self.use_scores = use_scores
        self.smoothness = smoothness
        self.n_splits = n_splits

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> MixtureLaw:
        return fit_mixture(
            ranks, scores, use_scores=self.use_scores, smoothness=self.smoothness, n_splits=self.n_splits
        )

    def _variance(
        self, sizes: FloatArray, metrics: tuple[RankMetric, ...], n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Half-sampling of classes, plus what the priors leave open where the data say little."""
        halves = self._resampled(sizes, metrics, n_resamples, rng)
        by_scores = self.law_.score_law is not None
        variance = self.law_.prior_variance if by_scores else fit_probit_normal(self.ranks_).variance
        own = np.array([metric_variance(variance, sizes, metric) for metric in metrics], dtype=np.float64)
        out: FloatArray = halves + own if by_scores else np.maximum(halves, own)
        return out
