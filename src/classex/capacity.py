"""How many classes can be distinguished at a given accuracy: the inverse of an extrapolated curve."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_positive_int, as_probability
from classex.extrapolator import Extrapolator
from classex.methods.registry import name_of_method
from classex.results.capacity import Capacity

__all__ = ["classes_at_accuracy"]

FloatArray = NDArray[np.float64]

# The search ends here: double precision counts classes one by one up to 9e15
_MOST_CLASSES = 10**15


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
    If the default finds that the observed curve hardly falls at its end, nothing in the data excludes a constant
    accuracy. The upper end is then infinite for every value below the upper limit of the observed accuracy. What no
    interval covers is listed in `Extrapolator.predict_interval`.

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
    low, high = (_crossing(grid, end, value) for end in ends.T)
    sizes = range(m + 1, _MOST_CLASSES + 1)
    below = bisect_left(sizes, True, key=lambda k: bool(estimator.predict(k, top=m)[0] < value))
    middle = float(sizes[below] - 1) if below < len(sizes) else np.inf
    name = name_of_method(estimator.method_)
    return Capacity(value, middle, min(low, middle), max(high, middle), level, estimator.n_observed_, name)


def _crossing(grid: FloatArray, curve: FloatArray, value: float) -> float:
    """Point where a falling curve on a grid reaches a value, by a straight line in log K between its points."""
    below = curve < value
    if not below.any():
        return np.inf
    first = int(np.argmax(below))
    if first == 0:
        return 1.0
    share = (curve[first - 1] - value) / max(curve[first - 1] - curve[first], 1e-300)
    return float(grid[first - 1] * (grid[first] / grid[first - 1]) ** share)
