r"""What the observed curve shows by itself, and how much of a prediction is assumed.

Among k1 classes a point of favourability above :math:`1 - 1/k_1` loses less than once on average: how far above, the
wins cannot show, and far from k1 classes everything depends on it. For every distribution of the favourability the
observed curve alone gives two bounds. Accuracies are moments, :math:`A_K = E\,U^{K-1}`. They never rise, and by
Jensen's inequality (under the distribution with a density proportional to :math:`u^{k_1 - 2}` with respect to that of
U) they fall at most as fast as they last did,

.. math:: A_{k_1} \Bigl(\frac{A_{k_1}}{A_{k_1 - 1}}\Bigr)^{K - k_1} \le A_K \le A_{k_1}.

If a published curve gives the accuracy with k < k1 classes instead, the power of :math:`A_{k_1} / A_k` is
:math:`(K - k_1) / (k_1 - k)`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from classex._result import Result
from classex._types import FloatArray
from classex._validation import as_class_counts, as_probability
from classex.distributions.distribution import Distribution, confined_accuracy
from classex.distributions.quadrature import accuracy_of
from classex.predict.known import KnownCurve, ObservedCurve
from classex.ranks import as_ranks
from classex.ranks._ranks import CorrectRanks

__all__ = ["Reliance", "moment_limits", "reliance_of", "reliance_on_assumption"]


# Distance of the limits up to which an accuracy counts as known: a convention, named in the sentence
_FIXED = 0.1


@dataclass(frozen=True)
class Reliance(Result):
    """What a predicted accuracy rests on.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of classes K.
    unseen : ndarray of shape (n,)
        Share of the predicted accuracy that comes from points of favourability above 1 - 1/k1.
    low, high : ndarray of shape (n,)
        Between these the accuracy lies with this confidence or more, for every distribution of the favourability (see
        `moment_limits`). Where a prediction lies outside, they extend to it.
    n_observed : int
        Number k1 of observed classes.
    reach : float
        Largest number of classes with which the limits are at most 0.1 apart; 0 where they are further apart with k1.
    confidence_level : float
        Confidence level of the limits.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> reliance = cx.predict.reliance_on_assumption(
    ...     cx.methods.ProbitNormal().fit(ranks), ranks, [50, 100]
    ... )
    >>> reliance.low.round(3), reliance.high.round(3), reliance.n_observed
    (array([0.748, 0.547]), array([0.938, 0.938]), 50)
    """

    n_classes: FloatArray
    unseen: FloatArray
    low: FloatArray
    high: FloatArray
    n_observed: int
    reach: float
    confidence_level: float = 0.95

    def __str__(self) -> str:
        return self._sentence()

    def _sentence(self) -> str:
        last = int(np.argmax(self.n_classes))
        k, k1 = int(self.n_classes[last]), self.n_observed
        if k <= k1:
            return f"Up to {k1:,} classes the accuracy was observed: no assumption is needed."
        share = f"{100 * self.unseen[last]:.0f} %" if self.unseen[last] < 0.995 else "more than 99 %"
        if self.reach >= k:
            reach = f", no more than {_FIXED:g} apart"
        elif self.reach >= k1:
            reach = f"; to within {_FIXED:g} it is known only up to {int(self.reach):,} classes"
        else:
            reach = ""
        return (
            f"From the observed curve alone, up to {k1:,} classes, the accuracy with {k:,} lies between"
            f" {self.low[last]:.3f} and {self.high[last]:.3f} with {100 * self.confidence_level:g} % confidence{reach}."
            f" The rest is assumed: {share} of the prediction comes from test points that fewer than one in {k1:,}"
            " wrong labels beat."
        )


def reliance_on_assumption(
    distribution: Distribution, ranks: CorrectRanks, n_classes: ArrayLike, *, confidence_level: float = 0.95
) -> Reliance:
    """Split predicted accuracies into what the observed classes show and what is assumed.

    Parameters
    ----------
    distribution : Distribution
        A distribution fitted to these ranks.
    ranks : CorrectRanks
        Ranks with k1 classes.
    n_classes : int or array_like of int
        Numbers of classes K.
    confidence_level : float
        Confidence level of the limits, in (0, 1).

    Returns
    -------
    Reliance
        ``str()`` of it is two sentences, on the largest K.

    Raises
    ------
    ValueError
        If a number of classes or the level is not accepted.

    Notes
    -----
    Without assumptions nothing can be predicted beyond about log k1 times the observed number of classes (Orlitsky,
    Suresh and Wu, PNAS 2016). The two limits show the same for the data observed.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> distribution = cx.methods.ProbitNormal().fit(ranks)
    >>> print(cx.predict.reliance_on_assumption(distribution, ranks, 100))
    From the observed curve alone, up to 50 classes, the accuracy with 100 lies between 0.547 and 0.938 with 95 % ...
    """
    sizes = as_class_counts(n_classes)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    return reliance_of(distribution, ObservedCurve(as_ranks(ranks, sampled=True, evenly=True)), sizes, level)


def reliance_of(distribution: Distribution, observed: KnownCurve, sizes: FloatArray, level: float) -> Reliance:
    """Return `reliance_on_assumption` for checked arguments."""
    k1 = observed.n_observed
    edge = float(distribution.cdf(np.array([1 - 1 / k1]))[0])
    # from what the observed classes can show, since 1 - D has no digits left where the accuracy is tiny
    seen = accuracy_of(lambda u: 1 - np.maximum(edge - distribution.cdf(u), 0.0), sizes)
    value = confined_accuracy(distribution, sizes)
    unseen = np.clip(1 - seen / np.maximum(value, 1e-300), 0.0, 1.0)
    low, high = observed.limits(sizes, level).T
    reach = _reach(observed, level)
    return Reliance(sizes, unseen, np.minimum(low, value), np.maximum(high, value), k1, reach, level)


def _reach(observed: KnownCurve, level: float) -> float:
    """Largest number of classes with which the limits are at most 0.1 apart; 0 where they never are."""
    low, high, least, before = observed.end(level)
    if high <= _FIXED:
        return np.inf
    if high - low > _FIXED or high - least > _FIXED:
        return 0.0
    if least >= before:
        return np.inf
    steps = np.log((high - _FIXED) / least) / np.log(least / before)
    return float(observed.n_observed + np.floor(steps * (observed.n_observed - observed.last_step[0])))


def moment_limits(ranks: CorrectRanks, n_classes: ArrayLike, *, confidence_level: float = 0.95) -> FloatArray:
    """Confidence limits of the average accuracy that hold for every distribution of the favourability.

    Up to the observed number of classes they are the observed curve's own interval. Beyond it the accuracy is at most
    the one observed, and its logarithm falls at most as steeply as the curve last did, within their sampling errors.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes; where points met samples of the wrong labels, equally many.
    n_classes : int or array_like of int
        Numbers of classes K.
    confidence_level : float
        Confidence level, in (0, 1).

    Returns
    -------
    ndarray of shape (n, 2)
        Lower and upper limits. Neither rises with K beyond k1.

    Raises
    ------
    ValueError
        If a number of classes or the level is not accepted.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([29] * 24 + [20, 26, 28, 10, 28, 3], 30)
    >>> cx.predict.moment_limits(ranks, [30, 60]).round(2)
    array([[0.62, 0.91],
           [0.37, 0.91]])
    """
    sizes = as_class_counts(n_classes)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    return ObservedCurve(as_ranks(ranks, sampled=True, evenly=True)).limits(sizes, level)
