r"""How much of a prediction the data determine, and how much the assumption.

Among k1 classes a point of favourability above :math:`1 - 1/k_1` loses less than once on average: how far above, the
wins cannot show, and far from k1 classes everything depends on it. What the observed curve alone says, whatever the
law, are two bounds. Accuracies are moments, :math:`A_K = E\,U^{K-1}`; they never rise, and by Jensen's inequality
(under the law with a density proportional to :math:`u^{k_1 - 2}` with respect to that of U) they fall at most as fast
as they last did,

.. math:: A_{k_1} \Bigl(\frac{A_{k_1}}{A_{k_1 - 1}}\Bigr)^{K - k_1} \le A_K \le A_{k_1}.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._rates import rate_interval
from classex._validation import as_class_counts, as_probability
from classex.curves.accuracy import accuracy_covariance, accuracy_curve
from classex.distributions.distribution import Distribution, confined_accuracy
from classex.distributions.quadrature import average_accuracy
from classex.ranks import as_ranks
from classex.results import CorrectRanks

__all__ = ["Reliance", "moment_limits", "moment_range", "reliance_on_assumption", "share_beaten_once"]

FloatArray = NDArray[np.float64]

_FIXED = 0.1


@dataclass(frozen=True)
class Reliance:
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
    >>> reliance = cx.intervals.reliance_on_assumption(
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
    """Say what the accuracies predicted by a law rest on.

    Parameters
    ----------
    law : Law
        A law fitted to these ranks.
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
    >>> print(cx.intervals.reliance_on_assumption(distribution, ranks, 100))
    From the observed curve alone, up to 50 classes, the accuracy with 100 lies between 0.547 and 0.938 with 95 % ...
    """
    sizes = as_class_counts(n_classes)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    k1 = as_ranks(ranks, sampled=True, evenly=True).largest_subset
    edge = float(distribution.cdf(np.array([1 - 1 / k1]))[0])
    # from what the observed classes can show, since 1 - D has no digits left where the accuracy is tiny
    seen = average_accuracy(lambda u: 1 - np.maximum(edge - distribution.cdf(u), 0.0), sizes)
    value = confined_accuracy(distribution, sizes)
    unseen = np.clip(1 - seen / np.maximum(value, 1e-300), 0.0, 1.0)
    low, high = moment_limits(ranks, sizes, confidence_level=level).T
    reach = _reach(ranks, k1, level)
    return Reliance(sizes, unseen, np.minimum(low, value), np.maximum(high, value), k1, reach, level)


def _reach(ranks: CorrectRanks, n_observed: int, level: float) -> float:
    """Largest number of classes with which the limits are at most 0.1 apart; 0 where they never are."""
    (low, high), (least, steepest) = _ends_observed(ranks, level)
    if high <= _FIXED:
        return np.inf
    if high - low > _FIXED or high - least > _FIXED:
        return 0.0
    if steepest >= 1:
        return np.inf
    return float(n_observed + np.floor(np.log((high - _FIXED) / least) / np.log(steepest)))


def share_beaten_once(ranks: CorrectRanks) -> tuple[float, float]:
    """Return the share of test points that exactly one wrong label beats, and its standard error over classes.

    Weights are those of `accuracy_curve`. The share is minus the slope of the observed curve at its end, by natural
    logarithm of the number of classes.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes.

    Returns
    -------
    share, standard_error : float

    Raises
    ------
    TypeError, ValueError
        If `ranks` is no `CorrectRanks`, or points met unequal numbers of sampled wrong labels.

    Examples
    --------
    >>> import classex as cx
    >>> share, error = cx.intervals.share_beaten_once(
    ...     cx.ranks_from_wins([3, 3, 2, 3, 1, 2], 4)
    ... )
    >>> round(share, 3)
    0.333
    """
    k1 = as_ranks(ranks, sampled=True, evenly=True).largest_subset
    at = [k1 - 1, k1]
    before, last = accuracy_curve(ranks, at, standard_errors=False).accuracy
    (first, both), (_, second) = accuracy_covariance(ranks, at)
    error = (k1 - 1) * float(np.sqrt(max(first - 2 * both + second, 0.0)))
    return float(np.clip((k1 - 1) * (before - last), 0.0, 1.0)), error


def moment_limits(ranks: CorrectRanks, n_classes: ArrayLike, *, confidence_level: float = 0.95) -> FloatArray:
    """Confidence limits of the average accuracy that hold for every distribution of the favourability.

    Up to the observed number of classes they are the observed curve's own interval; beyond it they are those of
    `moment_range`, with the sampling errors of both accuracies.

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
    >>> cx.intervals.moment_limits(ranks, [30, 60]).round(2)
    array([[0.62, 0.91],
           [0.37, 0.91]])
    """
    sizes = as_class_counts(n_classes)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    k1 = as_ranks(ranks, sampled=True, evenly=True).largest_subset
    out = np.empty((sizes.size, 2))
    near = sizes <= k1
    if near.any():
        out[near] = accuracy_curve(ranks, sizes[near]).interval(level)
    if not near.all():
        (low, high), (least, ratio) = _ends_observed(ranks, level)
        out[~near, 0] = np.minimum(least * np.power(ratio, sizes[~near] - k1), low)
        out[~near, 1] = high
    return out


def _ends_observed(ranks: CorrectRanks, level: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Interval of the accuracy with all k1 classes; its least value and its steepest ratio by one class, together."""
    k1 = ranks.largest_subset
    curve = accuracy_curve(ranks, k1)
    low, high = curve.interval(level)[0]
    # two errors may lower the limit: each gets half of the error probability
    half = (1 + level) / 2
    least = float(curve.interval(half)[0, 0])
    share, error = share_beaten_once(ranks)
    many = float(rate_interval(np.array([share]), np.array([error]), ranks.n_tested, half)[0, 1])
    ratio = least / (least + many / (k1 - 1)) if least > 0 else 0.0
    return (float(low), float(high)), (least, ratio)


def moment_range(before: float, last: float, n_observed: int, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Least and largest accuracy with K >= k1 classes, given those with k1 - 1 and with k1, whatever the law.

    Parameters
    ----------
    before, last : float
        Accuracy with k1 - 1 and with k1 classes.
    n_observed : int
        k1.
    sizes : ndarray of shape (n,)
        Numbers of classes K.

    Returns
    -------
    low, high : ndarray of shape (n,)
        Both are attained in the limit: the first by points that are all alike, the second by points that are never
        beaten.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.intervals import moment_range
    >>> moment_range(0.82, 0.80, 50, np.array([50.0, 100.0]))
    (array([0.8       , 0.23275377]), array([0.8, 0.8]))
    """
    ratio = last / before if before > 0 else 0.0
    low = last * np.power(ratio, np.maximum(sizes - n_observed, 0.0))
    return low, np.full(sizes.size, last)
