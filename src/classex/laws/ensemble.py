"""A team of laws with weights that were learnt elsewhere, and an error that counts their disagreement.

Two laws of ranks are in the team always. A law of scores joins them where the wrong scores of all points follow one law
(see `alike_rows`), and has a weight as great as the accuracy: a point that beats all its wrong labels shows by its
score alone how many more it would beat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_positive_float
from classex.curves.accuracy import accuracy_curve
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.laws.combination import CombinedLaw
from classex.laws.empirical_bayes import fit_empirical_bayes
from classex.laws.gaussian_process import fit_gaussian_process
from classex.laws.law import Law, variance_of_law
from classex.laws.mixture import fit_mixture
from classex.laws.pitman_yor import fit_pitman_yor
from classex.laws.probit_normal import ProbitNormalLaw, fit_probit_normal
from classex.laws.regression import fit_regression
from classex.laws.row_tails import alike_rows
from classex.ranks import as_ranks
from classex.results import CorrectRanks

__all__ = ["ENSEMBLE_WEIGHTS", "EnsembleLaw", "fit_ensemble"]

FloatArray = NDArray[np.float64]
Fit = Callable[[CorrectRanks, NDArray[Any] | None], Law]

_PROCESS = "Gaussian process"
ENSEMBLE_WEIGHTS: Mapping[str, float] = MappingProxyType({_PROCESS: 0.95, "probit-normal": 0.05})
"""Nearly the best for the suite of recognisers; more of the probit-normal law would widen the intervals, too."""
# the law of scores that joins them, with this weight at least, and its variance over the process's
_SCORED, _LEAST_SHARE, _SCORED_VARIANCE = "mixture of normal scores", 0.01, 0.5
_OF_ANY_SAMPLES: Mapping[str, float] = MappingProxyType({"mixture of ranks": 0.5, "empirical Bayes": 0.5})


def _fit_mixture_of_ranks(ranks: CorrectRanks, scores: NDArray[Any] | None) -> Law:
    del scores
    return fit_mixture(ranks)


def _fit_mixture_of_normal_scores(ranks: CorrectRanks, scores: NDArray[Any] | None) -> Law:
    return fit_mixture(ranks, scores, normalise=True)


_FITS: Mapping[str, Fit] = MappingProxyType(
    {
        "probit-normal": fit_probit_normal,
        "mixture of ranks": _fit_mixture_of_ranks,
        "mixture": fit_mixture,
        _SCORED: _fit_mixture_of_normal_scores,
        _PROCESS: fit_gaussian_process,
        "empirical Bayes": fit_empirical_bayes,
        "regression": fit_regression,
        "Pitman-Yor": fit_pitman_yor,
    }
)


@dataclass(frozen=True)
class EnsembleLaw(CombinedLaw):
    """A mixture of laws with fixed weights, and the variance of its accuracies in closed form.

    Attributes
    ----------
    yardstick : ProbitNormalLaw
        The two-parameter law fitted to the same ranks: its variance serves for a member that has none.

    Examples
    --------
    >>> import classex as cx
    >>> law = cx.laws.fit_ensemble(cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4))
    >>> law.evidence.parameters
    {'Gaussian process': 0.95, 'probit-normal': 0.05}
    """

    yardstick: ProbitNormalLaw = field(kw_only=True, repr=False)

    def refit(
        self, ranks: CorrectRanks, scores: NDArray[Any] | None = None, classes: NDArray[np.int64] | None = None
    ) -> EnsembleLaw:
        """Fit the members that count to other data; the weights stay."""
        team = super().refit(ranks, scores, classes)
        return EnsembleLaw(team.members, team.weights, yardstick=_yardstick(team.members, ranks))

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Variance of the accuracy (see `metric_variance`)."""
        return self.metric_variance(sizes, as_rank_metric("accuracy", top))

    def metric_variance(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Weighted mean of the members' variances plus their disagreement: the law of total variance.

        A member without a variance in closed form has that of the yardstick; the law of scores that joins the default
        has half the process's.
        """
        members, weights = self.counting()
        out: FloatArray = self.metric_disagreement(sizes, metric)
        for name, weight in zip(members, weights, strict=True):
            out = out + weight * self._variance_of(name, sizes, metric)
        return out

    def _variance_of(self, name: str, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        if name == _SCORED and _PROCESS in self.members:
            return _SCORED_VARIANCE * self._variance_of(_PROCESS, sizes, metric)
        found = variance_of_law(self.members[name], sizes, metric)
        own = variance_of_law(self.yardstick, sizes, metric) if found is None else found
        assert own is not None  # the yardstick's is known in closed form
        return own


def fit_ensemble(
    ranks: CorrectRanks, scores: NDArray[Any] | None = None, *, weights: Mapping[str, float] | None = None
) -> EnsembleLaw:
    """Fit several laws and mix them with fixed weights.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes.
    scores : ndarray of shape (n_test, n_classes), optional
        The scores behind them, for the members ``"Gaussian process"`` and ``"mixture"``.
    weights : mapping of str to float, optional
        Weights by name of ``"Gaussian process"``, ``"probit-normal"``, ``"mixture of ranks"``, ``"mixture"``,
        ``"mixture of normal scores"``, ``"empirical Bayes"``, ``"regression"`` and ``"Pitman-Yor"``. By default as
        below.

    Returns
    -------
    EnsembleLaw

    Raises
    ------
    TypeError
        If `ranks` is not a `CorrectRanks`.
    ValueError
        If a name is not known, or a weight not positive.

    Notes
    -----
    From ranks the default is ``"Gaussian process"`` with weight .95 and ``"probit-normal"`` with .05. With scores,
    ``"mixture of normal scores"`` takes part of both weights: the observed accuracy, times how far one law serves for
    the wrong scores of all points (`alike_rows`: 1 for Gaussian classes, 0 wherever classes have twins). Where it does
    not, scores have a small say still (see `fit_gaussian_process`). Where points met unequal numbers of sampled wrong
    labels, ``"mixture of ranks"`` and ``"empirical Bayes"``, half each, take the place of all, because a curve cannot
    be averaged without bias.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> law = cx.laws.fit_ensemble(cx.correct_ranks(sample.scores, sample.labels))
    >>> law.accuracy(np.array([40.0])).round(1)
    array([0.1])
    """
    as_ranks(ranks, sampled=True)
    wanted = _usual_weights(ranks, scores) if weights is None else weights
    if not wanted:
        raise ValueError("weights must name at least one law, but is empty")
    for name in wanted:
        if name not in _FITS:
            raise ValueError(f"weights must be for some of {', '.join(map(repr, _FITS))}, not for {name!r}")
    share = np.array([as_positive_float(value, f"weights[{name!r}]") for name, value in wanted.items()])
    members = {name: _FITS[name](ranks, scores) for name in wanted}
    return EnsembleLaw(members, share / share.sum(), yardstick=_yardstick(members, ranks))


def _usual_weights(ranks: CorrectRanks, scores: NDArray[Any] | None) -> Mapping[str, float]:
    """Weights of the default."""
    if not ranks.evenly_sampled:
        return _OF_ANY_SAMPLES
    share = 0.0
    if scores is not None and ranks.n_wrong is None:
        # as if one more point were wrong, so that the others always count
        right = float(accuracy_curve(ranks, ranks.n_classes).accuracy[0]) * ranks.wins.size / (ranks.wins.size + 1)
        share = alike_rows(ranks, scores) * right
    if share < _LEAST_SHARE:
        return ENSEMBLE_WEIGHTS
    return {name: (1 - share) * weight for name, weight in ENSEMBLE_WEIGHTS.items()} | {_SCORED: share}


def _yardstick(members: Mapping[str, Law], ranks: CorrectRanks) -> ProbitNormalLaw:
    """The two-parameter law: the member, if it is one."""
    member = members.get("probit-normal")
    return member if isinstance(member, ProbitNormalLaw) else fit_probit_normal(ranks)
