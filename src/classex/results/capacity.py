"""The number of classes at which the accuracy has fallen to a given value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex.results._result import Result


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

    def _table(self) -> dict[str, Any]:
        columns = super()._table()
        return {
            {"low": "n_classes_low", "high": "n_classes_high"}.get(name, name): one for name, one in columns.items()
        }

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


def _rounded(n_classes: float) -> str:
    """Write a number of classes with three digits."""
    return f"{float(f'{n_classes:.3g}'):,.0f}"
