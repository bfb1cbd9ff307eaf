"""What the functions of this package return: frozen dataclasses, each estimate with its standard error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["AccuracyCurve", "CorrectRanks", "DistractorTable", "Estimate", "Interval"]


@dataclass(frozen=True)
class DistractorTable:
    """What each class did as a distractor, compressed for the standard errors of accuracy curves.

    Attributes
    ----------
    beaten : ndarray of shape (n_bins, n_groups)
        Summed weight of the test points that beat a class of the group, binned by the points' wins. The
        points of one class share a total weight of 1; a tie counts in expectation over random tie-breaking.
    wins : ndarray of shape (n_bins,)
        Number of wins that stands for each bin. Bins are single values of wins up to 509 classes; beyond,
        they widen geometrically away from the best rank.
    group : ndarray of shape (n_classes,)
        Group of each class. Every class is a group of its own up to 509 classes; beyond, every 509th class
        shares a group.
    """

    beaten: NDArray[np.float64]
    wins: NDArray[np.int64]
    group: NDArray[np.int64]


@dataclass(frozen=True)
class CorrectRanks:
    """Rank of the correct label among all labels, for every test point.

    Attributes
    ----------
    wins : ndarray of shape (n_test,)
        Number of wrong labels whose score lies strictly below that of the correct label.
    ties : ndarray of shape (n_test,)
        Number of wrong labels whose score equals that of the correct label.
    labels : ndarray of shape (n_test,)
        Correct label of each test point, in ``0..n_classes-1``.
    n_classes : int
        Number of labels that competed, the correct one included.
    distractors : DistractorTable or None
        What the classes did as distractors; without it, standard errors cover the classes' own points only.
    """

    wins: NDArray[np.int64]
    ties: NDArray[np.int64]
    labels: NDArray[np.int64]
    n_classes: int
    distractors: DistractorTable | None = None


@dataclass(frozen=True)
class AccuracyCurve:
    """Average accuracy (or risk) over random class sets, as a function of the number of classes.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of classes k.
    accuracy : ndarray of shape (n,)
        Estimated average accuracy with k classes, a probability (for a risk curve: the average cost).
    standard_error : ndarray of shape (n,)
        Standard error of each entry, over classes.
    """

    n_classes: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    standard_error: NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """An estimated number and its standard error.

    Attributes
    ----------
    value : float
        The estimate.
    standard_error : float
        Its standard error, in the same unit.
    """

    value: float
    standard_error: float


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Ends of the interval, ``low <= high``.
    confidence_level : float
        Nominal probability, in (0, 1), that the interval covers the true value.
    """

    low: float
    high: float
    confidence_level: float
