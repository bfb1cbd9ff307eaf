"""How many classes can be distinguished at a given accuracy: the inverse of an extrapolated curve."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_class_counts, as_positive_int, as_probability
from classex._result import Result
from classex.extrapolator import Extrapolator
from classex.methods.registry import name_of_method
from classex.ranks.ranks import CorrectRanks

__all__ = ["classes_at_accuracy", "set_size"]


# The search ends here: double precision counts classes one by one up to 9e15
_MOST_CLASSES = 10**15


@dataclass(frozen=True)
class Capacity(Result):
    """Number of classes at which the average accuracy has fallen to a given value.

    Attributes
    ----------
    accuracy : float
        The value.
    n_classes : float
        Largest number of classes with at least that accuracy; infinite if it does not fall so far up to 10^15 classes.
    low, high : float
        Confidence interval: where the lower and the upper end of the curve's interval reach the value; infinite where
        they do not reach it up to 10^15 classes, so that the accuracy may never fall to the value.
    confidence_level : float
        Nominal level of the interval.
    n_observed : int
        Number of classes the curve was fitted on.
    method : str
        Name of the method.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> estimator = cx.Extrapolator(cx.methods.ProbitNormal()).fit(
    ...     sample.scores, sample.labels
    ... )
    >>> capacity = cx.classes_at_accuracy(estimator, 0.2)
    >>> capacity.n_observed, estimator.predict(int(capacity.n_classes)).round(2)
    (40, array([0.2]))
    """

    accuracy: float
    n_classes: float
    low: float
    high: float
    confidence_level: float
    n_observed: int
    method: str

    _names: ClassVar[Mapping[str, str]] = {"low": "n_classes_low", "high": "n_classes_high"}

    def _sentence(self) -> str:
        level = f"{100 * self.confidence_level:g} % interval"
        if np.isinf(self.n_classes):
            least = "beyond 10^15" if np.isinf(self.low) else f"from {_rounded(self.low)} classes on"
            return (
                f"An accuracy of {self.accuracy:g} is not reached up to 10^15 classes and may never be"
                f" ({level}: {least}); {self.n_observed:,} classes were observed. The method is {self.method!r}."
            )
        between = f"{_rounded(self.low)} to {_rounded(self.high)}"
        if np.isinf(self.high):
            between = f"from {_rounded(self.low)} on; it may never be reached"
        far = max(self.n_classes / self.n_observed, 1.0)
        return (
            f"An accuracy of {self.accuracy:g} is reached at about {_rounded(self.n_classes)} classes "
            f"({level} {between}), {far:,.3g} times the {self.n_observed:,} observed, by the method {self.method!r}."
        )


@dataclass(frozen=True)
class SetSize(Result):
    """Smallest sets of best-ranked labels that contain the correct one with a given probability.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of classes K.
    size : ndarray of shape (n,)
        Smallest m at which the estimated top-m accuracy reaches the coverage.
    interval : ndarray of shape (n, 2)
        Confidence interval: where the upper and the lower end of the interval of the top-m accuracy reach it.
    coverage : float
        The probability, on average over random sets of K classes.
    confidence_level : float
        Nominal level of the interval.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks([[3, 1, 2], [0, 2, 1], [2, 0, 1]], [0, 1, 2])
    >>> cx.set_size(ranks, 3, coverage=0.5).coverage
    0.5
    """

    n_classes: NDArray[np.int64]
    size: NDArray[np.int64]
    interval: NDArray[np.int64]
    coverage: float
    confidence_level: float

    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "Numbers of best-ranked labels that contain the correct one with probability {coverage}:"


def classes_at_accuracy(
    estimator: Extrapolator,
    accuracy: float,
    *,
    confidence_level: float = 0.95,
    top: int = 1,
    n_resamples: int = 100,
    rng: Any = 0,
) -> Capacity:
    r"""Number of classes at which the extrapolated accuracy falls to a given value, with an interval.

    .. math:: K(a) = \max\{K : \widehat{\mathrm{AGA}}_K \ge a\};

    its confidence interval contains every K at which the interval of :math:`\mathrm{AGA}_K` contains a. In biometrics
    K(a) is the capacity of a representation.

    Parameters
    ----------
    estimator : Extrapolator
        A fitted estimator.
    accuracy : float
        The value a, strictly between 0 and 1.
    confidence_level : float
        Nominal level of the interval, in (0, 1).
    top : int
        A point counts as correct when its truth is among the `top` best labels.
    n_resamples : int
        Number of class subsets drawn, if the method's interval rests on resampling.
    rng : int, numpy.random.Generator or None
        Seed or generator of the class subsets.

    Returns
    -------
    Capacity
        The number, its interval, and a sentence when printed.

    Raises
    ------
    NotFittedError
        If the estimator was not fitted.
    ValueError
        If an argument is out of range.

    Notes
    -----
    After a perfect record nothing in the data excludes a constant accuracy: the upper end is infinite. What no interval
    covers is listed in `Extrapolator.predict_interval`.

    The curve and its ends fall with K. The curve is inverted by bisection over whole numbers, and its ends by straight
    lines in log K between 200 numbers of classes.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> estimator = cx.Extrapolator(cx.methods.ProbitNormal()).fit(
    ...     sample.scores, sample.labels
    ... )
    >>> capacity = cx.classes_at_accuracy(estimator, 0.2)
    >>> capacity.low < capacity.n_classes < capacity.high
    True
    """
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    value = as_probability(accuracy, "accuracy", open_ends=True)
    m = as_positive_int(top, "top")
    # one grid for the ends: every point of it rests on the same class subsets
    grid = np.unique(np.round(np.geomspace(m + 1, _MOST_CLASSES, 200)))
    ends = estimator.predict_interval(grid, confidence_level=level, top=m, n_resamples=n_resamples, rng=rng)
    # 1 where even the first is below the value, infinite where none is
    low, high = np.exp([np.interp(-value, -end, np.log(grid), left=0.0, right=np.inf) for end in ends.T]).tolist()
    sizes = range(m + 1, _MOST_CLASSES + 1)
    below = bisect_left(sizes, True, key=lambda k: bool(estimator.predict(k, top=m)[0] < value))
    middle = float(sizes[below] - 1) if below < len(sizes) else np.inf
    name = name_of_method(estimator.method_)
    return Capacity(value, middle, min(low, middle), max(high, middle), level, estimator.n_observed_, name)


def set_size(
    estimator: Extrapolator | CorrectRanks,
    n_classes: ArrayLike,
    *,
    coverage: float = 0.9,
    confidence_level: float = 0.95,
) -> SetSize:
    r"""Size of the sets of best-ranked labels that contain the correct label with a given probability.

    .. math:: m(K) = \min\{m : \widehat{\mathrm{AGA}}_K^{(m)} \ge \text{coverage}\};

    its confidence interval contains every m at which the interval of the top-m accuracy contains the coverage. Every
    point has a set of the same size, so m is also the expected size.

    Parameters
    ----------
    estimator : Extrapolator or CorrectRanks
        A fitted estimator; or ranks, for the default.
    n_classes : int or array_like of int
        Numbers of classes K, each at least 2.
    coverage : float
        Probability, strictly between 0 and 1, that a set contains the correct label, on average over random sets of K
        classes.
    confidence_level : float
        Nominal level of the interval, in (0, 1).

    Returns
    -------
    SetSize
        The sizes and their intervals.

    Raises
    ------
    NotFittedError, ValueError
        If the estimator was not fitted, or an argument is out of range.

    Notes
    -----
    Sets of a size that varies with the point, such as conformal sets cut at a score, can be smaller on average: their
    size depends on the scores, which ranks do not contain.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.3).sample(60, rng=1)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> print(cx.set_size(ranks, [60, 1000]))
    Numbers of best-ranked labels that contain the correct one with probability 0.9:
    <BLANKLINE>
    classes  size  95 % interval
         60     4         3 to 8
      1,000    53        8 to 64
    """
    sizes = as_class_counts(n_classes, minimum=2, maximum=_MOST_CLASSES)
    share = as_probability(coverage, "coverage", open_ends=True)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    fitted = Extrapolator().fit_ranks(estimator) if isinstance(estimator, CorrectRanks) else estimator

    def reached(m: int, k: float, which: int) -> bool:
        ends = fitted.predict_interval(k, confidence_level=level, top=m)[0]
        return bool((ends[1], fitted.predict(k, top=m)[0], ends[0])[which] >= share)

    columns = [
        [1 + bisect_left(range(1, int(k)), True, key=partial(reached, k=k, which=which)) for which in range(3)]
        for k in sizes
    ]
    low, middle, high = np.array(columns).T
    return SetSize(sizes.astype(np.int64), middle, np.stack([low, high], axis=1), share, level)


def _rounded(n_classes: float) -> str:
    """Write a number of classes with three digits."""
    return f"{float(f'{n_classes:.3g}'):,.0f}"
