"""How many classes can be told apart at a given accuracy: the inverse of an extrapolated curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from classex._validation import as_positive_int, as_probability
from classex.extrapolator import Extrapolator
from classex.results.capacity import Capacity

__all__ = ["classes_at_accuracy"]

MOST_CLASSES = 1e15
_STEPS = 60


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

    its confidence interval holds every K at which the interval of :math:`\mathrm{AGA}_K` holds a. Biometrics calls
    K(a) the capacity of a representation.

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
        Number of class subsets drawn, where the method's interval rests on resampling.
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
    With the default, where the observed curve hardly falls at its end, nothing in the data excludes that it stays where
    it is. The upper end is then infinite for every value below the upper limit of the observed accuracy. What the
    intervals of `Extrapolator.predict_interval` do not cover, this interval does not cover either: above all kinds of
    classes that were not observed, and points that are alike but nearly all right. With about 100 test points or
    fewer a flat curve cannot be told from an ordinary one, and the upper end is then too low if the curve stays flat.

    The curve and its ends fall with K, so each is inverted by bisection in log K, to a relative precision of a
    millionth; numbers below a million are whole.

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
    options = {"confidence_level": level, "top": m, "n_resamples": n_resamples, "rng": rng}

    # one grid for the ends: the same class subsets serve every point of it
    grid = np.unique(np.round(np.geomspace(m + 1, MOST_CLASSES, 200)))
    ends = estimator.predict_interval(grid, **options)
    low, high = (_crossing(grid, ends[:, side], value) for side in (0, 1))
    middle = _bisect(lambda k: float(estimator.predict(k, top=m)[0]) >= value, float(m))
    return Capacity(
        value,
        middle,
        min(low, middle),
        max(high, middle),
        level,
        estimator.ranks_.largest_subset,
    )


def _crossing(grid: Any, curve: Any, value: float) -> float:
    """Where a falling curve on a grid reaches a value, as a straight line in log K between its points."""
    above = curve >= value
    if above.all():
        return float(np.inf)
    first = int(np.argmin(above))
    if first == 0:
        return 1.0
    share = (curve[first - 1] - value) / max(curve[first - 1] - curve[first], 1e-300)
    return float(grid[first - 1] * (grid[first] / grid[first - 1]) ** share)


def _bisect(reached: Any, start: float) -> float:
    """Largest number of classes that still reaches the value."""
    low, high = start, MOST_CLASSES
    if reached(high):
        return float(np.inf)
    for _ in range(_STEPS):
        middle = float(np.round(np.sqrt(low * high)))
        if middle in (low, high) or high / low < 1 + 1e-7:
            break
        low, high = (middle, high) if reached(middle) else (low, middle)
    while high - low > 1 and high < 1e6:
        middle = float(np.floor((low + high) / 2))
        low, high = (middle, high) if reached(middle) else (low, middle)
    return low
