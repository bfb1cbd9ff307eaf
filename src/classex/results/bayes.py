"""Designs of experiments that bound the average Bayes accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from classex.results._result import Result


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
