"""Accuracy as a function of the number of classes and of stored examples of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex.results._result import Result

__all__ = ["AccuracySurface"]


@dataclass(frozen=True)
class AccuracySurface(Result):
    """Average accuracy with k classes and r stored examples of each.

    Attributes
    ----------
    n_classes : ndarray of shape (n_k,)
        Numbers of classes k.
    n_examples : ndarray of shape (n_r,)
        Numbers of stored examples r of each class.
    accuracy : ndarray of shape (n_k, n_r)
        Average accuracy, a probability.
    standard_error : ndarray of shape (n_k, n_r)
        Standard errors over classes.
    interval : ndarray of shape (n_k, n_r, 2)
        Confidence intervals for the average over random sets of classes of the population.
    n_tested : int
        Number of classes with test points.
    confidence_level : float
        Nominal coverage of the intervals.

    Examples
    --------
    Class 0 has the examples 0 and 4, class 1 the examples 1 and 5:

    >>> import numpy as np
    >>> import classex as cx
    >>> similarity = -np.abs(np.subtract.outer([0.4, 5.0], [0.0, 4.0, 1.0, 5.0]))
    >>> surface = cx.curves.accuracy_surface(
    ...     similarity, [0, 1], [0, 0, 1, 1], 2, [1, 2]
    ... )
    >>> surface.accuracy
    array([[0.75, 1.  ]])
    """

    n_classes: NDArray[np.int64]
    n_examples: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    interval: NDArray[np.float64]
    n_tested: int
    confidence_level: float = 0.95

    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = (
        "Average accuracy with some of the classes and examples, from {n_tested} classes that weigh the same:"
    )

    def _table(self) -> dict[str, Any]:
        k, r = np.meshgrid(self.n_classes, self.n_examples, indexing="ij")
        columns = {"n_classes": k, "n_examples": r, "accuracy": self.accuracy, "standard_error": self.standard_error}
        columns |= {"low": self.interval[..., 0], "high": self.interval[..., 1]}
        return {name: value.ravel() for name, value in columns.items()}
