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

from classex._validation import as_class_counts
from classex.curves.accuracy import accuracy_curve
from classex.laws.law import Law, confined_accuracy
from classex.laws.quadrature import average_accuracy
from classex.ranks import as_ranks
from classex.results import CorrectRanks

__all__ = ["Reliance", "moment_range", "reliance_on_assumption"]

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
        Between these the accuracy lies, whatever the law, if the observed curve is exact; equal up to k1 classes.
    n_observed : int
        Number k1 of observed classes.
    reach : float
        Largest number of classes with which the bounds are at most 0.1 apart.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> reliance = cx.laws.reliance_on_assumption(
    ...     cx.laws.fit_probit_normal(ranks), ranks, [50, 100]
    ... )
    >>> reliance.low.round(3), reliance.high.round(3), reliance.n_observed
    (array([0.87 , 0.801]), array([0.87, 0.87]), 50)
    """

    n_classes: FloatArray
    unseen: FloatArray
    low: FloatArray
    high: FloatArray
    n_observed: int
    reach: float

    def __str__(self) -> str:
        last = int(np.argmax(self.n_classes))
        k, k1 = int(self.n_classes[last]), self.n_observed
        if k <= k1:
            return f"With up to {k1:,} classes the observed accuracy is all that is needed: no assumption is made."
        share = f"{100 * self.unseen[last]:.0f} %" if self.unseen[last] < 0.995 else "more than 99 %"
        if self.reach < k:
            reach = f"and fixes it to within {_FIXED:g} only up to {int(self.reach):,} classes"
        else:
            reach = f"no more than {_FIXED:g} apart"
        return (
            f"By itself the curve observed up to {k1:,} classes says that the accuracy with {k:,} lies between"
            f" {self.low[last]:.3f} and {self.high[last]:.3f}, {reach}; the rest is assumed: {share} of the prediction"
            f" comes from test points that fewer than one in {k1:,} wrong labels beat."
        )


def reliance_on_assumption(law: Law, ranks: CorrectRanks, n_classes: ArrayLike) -> Reliance:
    """Say what the accuracies predicted by a law rest on.

    Parameters
    ----------
    law : Law
        A law fitted to these ranks.
    ranks : CorrectRanks
        Ranks with k1 classes.
    n_classes : int or array_like of int
        Numbers of classes K.

    Returns
    -------
    Reliance
        ``str()`` of it is one sentence, on the largest K.

    Raises
    ------
    ValueError
        If a number of classes is not accepted.

    Notes
    -----
    Without assumptions nothing can be predicted beyond about log k1 times the observed number of classes (Orlitsky,
    Suresh and Wu, PNAS 2016); the two bounds show it for the data at hand.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> law = cx.laws.fit_probit_normal(ranks)
    >>> print(cx.laws.reliance_on_assumption(law, ranks, 100))
    By itself the curve observed up to 50 classes says that the accuracy with 100 lies between 0.801 and 0.870, ...
    """
    sizes = as_class_counts(n_classes)
    k1 = as_ranks(ranks, sampled=True, evenly=True).largest_subset
    edge = float(law.cdf(np.array([1 - 1 / k1]))[0])
    # from what the observed classes can show, since 1 - D has no digits left where the accuracy is tiny
    seen = average_accuracy(lambda u: 1 - np.maximum(edge - law.cdf(u), 0.0), sizes)
    before, last = accuracy_curve(ranks, [k1 - 1, k1]).accuracy
    low, high = moment_range(float(before), float(last), k1, sizes)
    near = sizes <= k1
    if near.any():
        low[near] = high[near] = accuracy_curve(ranks, sizes[near]).accuracy
    unseen = np.clip(1 - seen / np.maximum(confined_accuracy(law, sizes), 1e-300), 0.0, 1.0)
    return Reliance(sizes, unseen, low, high, k1, _reach(float(before), float(last), k1))


def _reach(before: float, last: float, n_observed: int) -> float:
    """Largest number of classes with which the bounds of `moment_range` are at most 0.1 apart."""
    if last <= _FIXED or last == before:
        return np.inf
    return float(n_observed + np.floor(np.log1p(-_FIXED / last) / np.log(last / before)))


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
    >>> from classex.laws import moment_range
    >>> moment_range(0.82, 0.80, 50, np.array([50.0, 100.0]))
    (array([0.8       , 0.23275377]), array([0.8, 0.8]))
    """
    ratio = last / before if before > 0 else 0.0
    low = last * np.power(ratio, np.maximum(sizes - n_observed, 0.0))
    return low, np.full(sizes.size, last)
