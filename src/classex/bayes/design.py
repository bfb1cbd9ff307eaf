"""How many classes, and how many repeats, an experiment needs for a lower bound of a given width."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from classex._result import Result
from classex._types import AverageBoundMethod
from classex._validation import as_positive_float, as_probability
from classex.bayes.bounds import unclipped_bound

# largest number of classes or repeats of a design
_MOST = 10**9
# numbers of repeats that are tried: steps below 2 % if at most 1,000 repeats can be best
_LADDER = 400


@dataclass(frozen=True)
class ExperimentDesign(Result):
    """Size of a classification experiment.

    Attributes
    ----------
    n_classes : int
        Number of classes k.
    n_repeats : int
        Test points per class r.
    cost : float
        Its cost, in the unit of the costs that were given.

    Examples
    --------
    >>> from classex.bayes import cheapest_design
    >>> design = cheapest_design(
    ...     0.1, accuracy=0.9, class_cost=25.0, repeat_cost=1.0
    ... )
    >>> design.n_classes * (25.0 + design.n_repeats * 1.0) == design.cost
    True
    """

    n_classes: int
    n_repeats: int
    cost: float

    _says: ClassVar[str] = "{n_classes} classes with {n_repeats} test points each, at a cost of {cost}."


def required_classes(
    width: float,
    *,
    accuracy: float,
    n_repeats: int,
    confidence_level: float = 0.95,
    n_classifiers: int = 1,
    method: AverageBoundMethod = "joint",
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
    goal = as_probability(accuracy, "accuracy") - as_probability(width, "width", open_ends=True)
    if goal <= 0:
        raise ValueError(f"width must be smaller than accuracy = {accuracy!r}, not {width!r}")

    def bound(k: int) -> float:
        return unclipped_bound(accuracy, k, n_repeats, confidence_level, n_classifiers, method)[0]

    # more classes are never worse: doubling and bisection
    high = 2
    while bound(high) < goal:
        high *= 2
        if high > _MOST:
            raise ValueError(f"no n_classes up to {_MOST} reaches this width; widen it, or change n_repeats")
    numbers = range(max(high // 2, 2), high)
    return numbers.start + bisect_left(numbers, goal, key=bound)


def cheapest_design(
    width: float,
    *,
    accuracy: float,
    class_cost: float = 1.0,
    repeat_cost: float = 1.0,
    confidence_level: float = 0.95,
    n_classifiers: int = 1,
    method: AverageBoundMethod = "joint",
) -> ExperimentDesign:
    r"""Cheapest experiment whose bound lies at most `width` below the test accuracy.

    The cost is :math:`k (C + c r)` for k classes and r test points each. With the joint bound
    :math:`k \propto 1 + 1/r`, so that the best r is close to :math:`\sqrt{C/c}` whatever the width. Every r that
    could be best is tried if there are few of them, otherwise 400 in geometric steps: less than 2 % up to 1,000.

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
    largest = int(np.clip(useful, 1, _MOST))
    tried = np.unique(np.rint(np.geomspace(1, largest, _LADDER)).astype(np.int64))
    return min([start, *(design(int(r)) for r in tried)], key=lambda plan: plan.cost)
