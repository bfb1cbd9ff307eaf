"""Choice and combination of extrapolation methods by how well they extrapolate from subsets of the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex.curves.metrics import RankMetric
from classex.extrapolation._base import Extrapolator
from classex.extrapolation._resampling import HALVES
from classex.extrapolation.candidates import default_candidates, named_candidates
from classex.laws.combination import CombinedLaw, fit_combination
from classex.laws.law import metric_variance
from classex.laws.probit_normal import fit_probit_normal
from classex.results import CorrectRanks

__all__ = ["CrossValidatedExtrapolator"]

FloatArray = NDArray[np.float64]


class CrossValidatedExtrapolator(Extrapolator):
    r"""Choose or combine methods by how well they extrapolate from subsets of the classes to all of them.

    For each ratio, classes are drawn without replacement, ``k1 / ratio`` at a time. Every candidate is fitted on
    them and predicts the accuracy with all :math:`k_1` classes, which is known. Candidates are then chosen by
    their mean squared error, or combined with the non-negative weights, summing to one, that minimise

    .. math:: &w^\top P w + \gamma \, \frac{\operatorname{tr} P}{m} \sum_{c=1}^m \Bigl(w_c - \frac1m\Bigr)^2, \\
              &P_{cd} = \frac1n \sum_i (\hat p_{ic} - \mathrm{ATA}_{k_1})(\hat p_{id} - \mathrm{ATA}_{k_1}).

    The second term draws the weights together: the trials share their classes, so their errors are few and
    alike, and small differences between methods are mostly chance.

    Parameters
    ----------
    candidates : mapping of str to Extrapolator, or sequence of Extrapolator, optional
        The methods, unfitted. By default the probit-normal law, the smooth mixture, regression, and (with
        scores) the kernel density method.
    combine : {"stack", "choose", "average"}
        Whether to combine the candidates, to choose one, or to average them with equal weights, which needs no
        trials.
    ratios : sequence of float
        Ratios of observed to drawn classes, each greater than 1. Those that leave fewer than 5 classes are
        left out.
    n_splits : int
        Number of class subsets for each ratio.
    shrinkage : float
        The weight :math:`\gamma`, at least 0.
    rng : int, numpy.random.Generator or None
        Seed or generator of the class subsets.

    Attributes
    ----------
    law_ : CombinedLaw
        With ``members``, the candidates' laws by name; their ``weights``; and ``trials``, the bias and root mean
        squared error of every candidate at every ratio.

    Notes
    -----
    Source: journal version section 3.4 chooses a bandwidth from half the classes; here methods are compared, at
    several ratios. Tuning values (a bandwidth, a smoothness) are those the methods choose on all classes. With
    fewer than 10 classes nothing can be compared and the weights are equal.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> methods = {
    ...     "probit-normal": cx.ProbitNormalExtrapolator(),
    ...     "mixture": cx.MixtureExtrapolator(),
    ... }
    >>> estimator = cx.CrossValidatedExtrapolator(methods, n_splits=4)
    >>> trials = estimator.fit(sample.scores, sample.labels).law_.trials
    >>> [trial.method for trial in trials]
    ['probit-normal', 'mixture', 'probit-normal', 'mixture']
    """

    law_: CombinedLaw
    _plan = HALVES

    def __init__(
        self,
        candidates: Mapping[str, Extrapolator] | Sequence[Extrapolator] | None = None,
        *,
        combine: str = "stack",
        ratios: Sequence[float] = (2.0, 4.0),
        n_splits: int = 8,
        shrinkage: float = 0.3,
        rng: Any = 0,
    ) -> None:
        self.candidates = candidates
        self.combine = combine
        self.ratios = ratios
        self.n_splits = n_splits
        self.shrinkage = shrinkage
        self.rng = rng

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> CombinedLaw:
        given = default_candidates(scores is not None) if self.candidates is None else self.candidates
        candidates = named_candidates(given)
        for name, candidate in candidates.items():
            if candidate.needs_scores and scores is None:
                raise TypeError(f"candidate {name!r} needs scores, ranks do not suffice: call fit(scores, labels)")
        return fit_combination(
            ranks,
            scores,
            fits={name: candidate._fit_law for name, candidate in candidates.items()},
            combine=self.combine,
            ratios=self.ratios,
            n_splits=self.n_splits,
            shrinkage=self.shrinkage,
            rng=self.rng,
        )

    def _variance(
        self, sizes: FloatArray, metrics: tuple[RankMetric, ...], n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Half-sampling of classes, at least that of the probit-normal law, plus the methods' disagreement."""
        halves = self._resampled(sizes, metrics, n_resamples, rng)
        plain = fit_probit_normal(self.ranks_)
        least, apart = (
            np.array([metric_variance(variance, sizes, metric) for metric in metrics])
            for variance in (plain.variance, self.law_.disagreement)
        )
        out: FloatArray = np.maximum(halves, least) + apart
        return out
