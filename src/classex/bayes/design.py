"""How many classes, and how many repeats, an experiment needs for a lower bound of a given width."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from classex._validation import as_positive_float, as_positive_int, as_probability
from classex.bayes.bounds import unclipped_bound
from classex.results import ExperimentDesign

__all__ = ["cheapest_design", "required_classes", "required_repeats"]

_MOST = 10**9
_LADDER = 400


def required_classes(
    width: float,
    *,
    accuracy: float,
    n_repeats: int,
    confidence_level: float = 0.95,
    n_classifiers: int = 1,
    method: str = "joint",
) -> int:
    """Smallest number of classes whose bound lies at most `width` below the test accuracy.

    Parameters
    ----------
    width : float
        Largest acceptable distance from the test accuracy down to the bound, in (0, 1).
    accuracy : float
        Test accuracy that the plan expects, in (0, 1].
    n_repeats : int
        Test points per class.
    confidence_level, n_classifiers, method
        As in `average_bayes_accuracy_bound`.

    Returns
    -------
    int
        Number of classes.

    Raises
    ------
    ValueError
        If an argument is out of range, or more than 10^9 classes would be needed.

    Examples
    --------
    >>> from classex.bayes import required_classes
    >>> required_classes(0.1, accuracy=0.9, n_repeats=10)
    165
    """
    target = _width(width, accuracy)
    r = as_positive_int(n_repeats, "n_repeats")

    def enough(k: int) -> bool:
        return _reach(accuracy, k, r, confidence_level, n_classifiers, method) <= target

    return _smallest(enough, 2, "n_classes")


def required_repeats(
    width: float,
    *,
    accuracy: float,
    n_classes: int,
    confidence_level: float = 0.95,
    n_classifiers: int = 1,
    method: str = "joint",
) -> int:
    """Smallest number of test points per class whose bound lies at most `width` below the test accuracy.

    More repeats do not replace classes: with few classes no number of repeats reaches a small width, and
    then this raises an error.

    Parameters
    ----------
    width, accuracy, confidence_level, n_classifiers, method
        As in `required_classes`.
    n_classes : int
        Number of classes, at least 2.

    Returns
    -------
    int
        Test points per class.

    Raises
    ------
    ValueError
        If an argument is out of range, or no number of repeats up to 10^9 suffices.

    Examples
    --------
    >>> from classex.bayes import required_repeats
    >>> required_repeats(0.1, accuracy=0.9, n_classes=200)
    3
    """
    target = _width(width, accuracy)
    k = as_positive_int(n_classes, "n_classes", minimum=2)

    def enough(r: int) -> bool:
        return _reach(accuracy, k, r, confidence_level, n_classifiers, method) <= target

    return _smallest(enough, 1, "n_repeats")


def cheapest_design(
    width: float,
    *,
    accuracy: float,
    class_cost: float = 1.0,
    repeat_cost: float = 1.0,
    confidence_level: float = 0.95,
    n_classifiers: int = 1,
    method: str = "joint",
) -> ExperimentDesign:
    r"""Cheapest experiment whose bound lies at most `width` below the test accuracy.

    The cost is :math:`k (C + c r)` for k classes and r test points each. With the joint bound
    :math:`k \propto 1 + 1/r`, so that the best r is close to :math:`\sqrt{C/c}` whatever the width. Every r that
    could be best is tried, beyond about 70 on a geometric ladder in steps below 2 %.

    Parameters
    ----------
    width, accuracy, confidence_level, n_classifiers, method
        As in `required_classes`.
    class_cost : float
        Cost C of adding a class, in any unit.
    repeat_cost : float
        Cost c of one more test point, in the same unit.

    Returns
    -------
    ExperimentDesign
        Numbers of classes and of repeats, and the cost.

    Raises
    ------
    ValueError
        If an argument is out of range or no design is found.

    Examples
    --------
    >>> from classex.bayes import cheapest_design
    >>> cheapest_design(0.1, accuracy=0.9, class_cost=25.0, repeat_cost=1.0)
    ExperimentDesign(n_classes=180, n_repeats=5, cost=5400.0)
    """
    per_class = as_positive_float(class_cost, "class_cost")
    per_repeat = as_positive_float(repeat_cost, "repeat_cost")

    def design(r: int) -> ExperimentDesign:
        k = required_classes(
            width,
            accuracy=accuracy,
            n_repeats=r,
            confidence_level=confidence_level,
            n_classifiers=n_classifiers,
            method=method,
        )
        return ExperimentDesign(k, r, k * (per_class + per_repeat * r))

    start = design(max(1, round(min(sqrt(per_class) / sqrt(per_repeat), _MOST))))
    # no design has fewer classes than unlimited repeats would need, so a larger r than this cannot be cheaper
    with np.errstate(over="ignore"):
        useful = np.float64(start.cost / design(_MOST).n_classes - per_class) / per_repeat
    largest = max(1, int(min(useful, _MOST)))
    tried = np.unique(np.rint(np.geomspace(1, largest, _LADDER)).astype(np.int64))
    return min([start, *(design(int(r)) for r in tried)], key=lambda one: one.cost)


def _width(width: float, accuracy: float) -> float:
    target = as_probability(width, "width", open_ends=True)
    if target >= as_probability(accuracy, "accuracy"):
        raise ValueError(f"width must be smaller than accuracy = {accuracy!r}, not {width!r}")
    return target


def _reach(accuracy: float, k: int, r: int, level: float, n_classifiers: int, method: str) -> float:
    return accuracy - unclipped_bound(
        accuracy, n_classes=k, n_repeats=r, confidence_level=level, n_classifiers=n_classifiers, method=method
    )


def _smallest(enough: Callable[[int], bool], least: int, name: str) -> int:
    """Smallest integer that is enough, by doubling and bisection (more is never worse)."""
    high = least
    while not enough(high):
        high = 2 * high
        if high > _MOST:
            raise ValueError(f"no {name} up to {_MOST} reaches this width; widen it, or change the other count")
    low = high // 2 if high > least else least
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high
