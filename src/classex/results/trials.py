"""Errors of methods that extrapolate, over random subsets of the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex.results._result import Result

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ExtrapolationTrials(Result):
    """Predictions of the accuracy with all classes, from random subsets of them.

    Attributes
    ----------
    methods : tuple of str
        Names of the methods.
    n_classes : ndarray of int64 of shape (n_sizes,)
        Numbers of classes in the subsets.
    target : int
        Number of all classes.
    truth : float
        Accuracy with all classes.
    predicted : ndarray of shape (n_methods, n_sizes, n_subsets)
        Predicted accuracy with all classes.
    seed : int or None
        Seed of the subsets, if it was given as a number.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.results import ExtrapolationTrials
    >>> trials = ExtrapolationTrials(
    ...     ("exponential",),
    ...     np.array([20]),
    ...     40,
    ...     0.5,
    ...     np.array([[[0.4, 0.5, 0.7, 0.6]]]),
    ... )
    >>> trials.bias.round(3), trials.rmse.round(3)
    (array([[0.05]]), array([[0.122]]))
    """

    methods: tuple[str, ...]
    n_classes: NDArray[np.int64]
    target: int
    truth: float
    predicted: FloatArray
    seed: int | None = None

    _tabulated: ClassVar[bool] = True

    _says: ClassVar[str] = "Errors of predictions from subsets to all {target} classes, where the accuracy is {truth}:"

    def _table(self) -> dict[str, Any]:
        methods, sizes, _ = self.predicted.shape
        return {
            "n_classes": np.tile(self.n_classes, methods),
            "method": np.repeat(self.methods, sizes),
            "bias": self.bias.ravel(),
            "rmse": self.rmse.ravel(),
        }

    @property
    def bias(self) -> FloatArray:
        """Mean error, shape (n_methods, n_sizes)."""
        return np.asarray((self.predicted - self.truth).mean(axis=2))

    @property
    def rmse(self) -> FloatArray:
        """Root mean squared error, shape (n_methods, n_sizes)."""
        return np.asarray(np.sqrt(np.square(self.predicted - self.truth).mean(axis=2)))
