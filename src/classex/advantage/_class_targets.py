"""Class labels under a loss: the loss of each row's prediction, and the constant with the smallest mean loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from classex._types import FloatArray, IntArray
from classex._validation import as_finite_array, as_plain_array, listed, shown
from classex.advantage._probabilities import as_probability_rows

# numbers in one block of a matrix of weights: 32 MB
_BLOCK = 4_000_000
# modes tied beyond this many move the marginal risk 1 - max p too little to matter
_MOST_RIVALS = 32


def blocks(n: int, n_columns: int) -> Iterator[slice]:
    """Slices of n rows, each small enough for a matrix of weights with `n_columns` columns."""
    step = max(1, _BLOCK // n_columns)
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


class Target(ABC):
    """True labels under one loss.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    """

    n_rows: int

    @abstractmethod
    def row_losses(self, y_pred: ArrayLike) -> FloatArray:
        """Loss of each row's prediction, shape (n_rows,)."""

    @abstractmethod
    def best_constant(self, weight: FloatArray) -> Any:
        """Return the constant with the smallest weighted loss: the Bayesian marginal prediction."""

    @abstractmethod
    def constant_losses(self, prediction: Any) -> FloatArray:
        """Loss of a constant prediction on each row, shape (n_rows,)."""

    @abstractmethod
    def population(self, marginal: ArrayLike) -> tuple[Target, FloatArray]:
        """Return rows and weights that represent a distribution of Y, under the same loss."""

    @abstractmethod
    def best_risks(self, weights: FloatArray) -> FloatArray:
        """Risk of the best constant under each row of weights, shape (n_weightings,); 0 for a constant target."""

    def best_risk(self, weight: FloatArray) -> float:
        return float(self.best_risks(weight[np.newaxis])[0])

    def rivals(self, weight: FloatArray) -> list[Any]:  # noqa: ARG002 - smooth losses have one best constant
        """Other constants that could be the best one in the population."""
        return []

    def _check_rows(self, array: NDArray[Any]) -> None:
        if array.shape[:1] != (self.n_rows,):
            raise ValueError(f"y_pred must have {self.n_rows} rows, as y_true has, but its shape is {array.shape}")


def as_class_array(value: ArrayLike, name: str) -> NDArray[Any]:
    """Return class labels as a one-dimensional array of numbers or of strings."""
    array = as_plain_array(value, name)
    if array.dtype == object and all(isinstance(item, str) for item in array.ravel()):
        array = array.astype(str)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must have at least one row and hold one class label per row, not shape {array.shape}")
    if array.dtype.kind not in "biufSU":
        raise TypeError(f"{name} must hold class labels (whole numbers or strings), not values of dtype {array.dtype}")
    if array.dtype.kind == "f" and (array != np.round(array)).any():
        row = int((array != np.round(array)).argmax())
        raise ValueError(f"{name} must hold class labels, but row {row} is {array[row]}; use a loss for numbers")
    return array


class ClassTarget(Target):
    """Class labels, coded as indices into the sorted (or given) list of labels."""

    def __init__(self, y_true: ArrayLike, labels: ArrayLike | None):
        y = as_class_array(y_true, "y_true")
        self.n_rows = y.size
        self.labels = np.unique(y) if labels is None else as_class_array(labels, "labels")
        if np.unique(self.labels).size != self.labels.size:
            raise ValueError(f"labels must differ from each other, not {listed(self.labels)}")
        self.codes = self.encode(y, "y_true")

    def encode(self, y: NDArray[Any], name: str, *, unknown: bool = False) -> IntArray:
        """Index of each label among `labels`; -1 for any other, which is an error unless `unknown`."""
        if (y.dtype.kind in "SU") != (self.labels.dtype.kind in "SU"):
            raise TypeError(f"{name} holds values of dtype {y.dtype}, but the labels are of dtype {self.labels.dtype}")
        order = np.argsort(self.labels)
        index = order[np.minimum(np.searchsorted(self.labels, y, sorter=order), self.labels.size - 1)]
        wrong = self.labels[index] != y
        if wrong.any() and not unknown:
            row = int(wrong.argmax())
            raise ValueError(f"{name} must hold labels among {listed(self.labels)}, but row {row} is {shown(y[row])}")
        return np.where(wrong, -1, index)

    def shares(self, weight: FloatArray) -> FloatArray:
        """Weighted share of each class, shape (n_classes,)."""
        return np.asarray(np.bincount(self.codes, weights=weight, minlength=self.labels.size) / weight.sum())

    def as_shares(self, value: ArrayLike, name: str) -> FloatArray:
        """Return one probability per label, checked."""
        p = as_finite_array(value, name, ndim=1, dtype=np.float64)
        if p.shape != self.labels.shape or (p < 0).any() or abs(p.sum() - 1) > 1e-8:
            what = f"{self.labels.size} probabilities that sum to 1, one per label ({listed(self.labels)})"
            raise ValueError(f"{name} must hold {what}, not {shown(p)}")
        return p

    def population(self, marginal: ArrayLike) -> tuple[Target, FloatArray]:
        shares = self.as_shares(marginal, "marginal")
        target = copy(self)
        target.n_rows, target.codes = shares.size, np.arange(shares.size)
        return target, shares

    def best_risks(self, weights: FloatArray) -> FloatArray:
        return self.risks_of_shares(np.array([self.shares(weight) for weight in weights]))

    @abstractmethod
    def risks_of_shares(self, shares: FloatArray) -> FloatArray:
        """Risk of the best constant for each row of class shares."""


class LabelTarget(ClassTarget):
    """Labels as predictions, under zero-one loss or a cost matrix ``cost[true, predicted]``."""

    def __init__(self, y_true: ArrayLike, labels: ArrayLike | None, cost: FloatArray | None = None):
        super().__init__(y_true, labels)
        if cost is not None and self.labels.size != cost.shape[0]:
            raise ValueError(
                f"loss, a cost matrix, has shape {cost.shape}, but there are {self.labels.size} labels"
                f" ({listed(self.labels)}); name every row's label with labels="
            )
        self.cost = cost

    def row_losses(self, y_pred: ArrayLike) -> FloatArray:
        y = as_class_array(y_pred, "y_pred")
        self._check_rows(y)
        return self._losses(y, "y_pred")

    def constant_losses(self, prediction: Any) -> FloatArray:
        return self._losses(as_class_array(np.atleast_1d(prediction), "marginal_prediction"), "marginal_prediction")

    def _losses(self, y: NDArray[Any], name: str) -> FloatArray:
        predicted = self.encode(y, name, unknown=self.cost is None)
        wrong: FloatArray = (predicted != self.codes).astype(np.float64)
        return wrong if self.cost is None else np.asarray(self.cost[self.codes, predicted])

    def best_constant(self, weight: FloatArray) -> Any:
        return self.labels[np.argmin(self._order(weight))]

    def rivals(self, weight: FloatArray) -> list[Any]:
        order = self._order(weight)
        others = np.argsort(order, kind="stable")[1 : _MOST_RIVALS + 1]
        return list(self.labels[others[np.isfinite(order[others])]])

    def _order(self, weight: FloatArray) -> FloatArray:
        """Numbers in the order of the labels' risks as constants; infinite where a label cannot be the best."""
        share = self.shares(weight)
        return np.where(share > 0, -share, np.inf) if self.cost is None else share @ self.cost

    def risks_of_shares(self, shares: FloatArray) -> FloatArray:
        if self.cost is not None:
            return np.asarray((shares @ self.cost).min(axis=1))
        # the sum of the rarer classes keeps the digits that 1 - max p loses
        rarer = shares.copy()
        rarer[np.arange(shares.shape[0]), shares.argmax(axis=1)] = 0
        return np.asarray(rarer.sum(axis=1))


class CrossEntropyTarget(ClassTarget):
    """Cross-entropy in nats; the best constant is the vector of class shares."""

    def row_losses(self, y_pred: ArrayLike) -> FloatArray:
        p, smallest = as_probability_rows(y_pred, "y_pred")
        self._check_rows(p)
        if self.labels.size != p.shape[1]:
            raise ValueError(
                f"y_pred has {p.shape[1]} columns of probabilities, but there are {self.labels.size} labels"
                f" ({listed(self.labels)}); name every column's label with labels="
            )
        # as in scikit-learn, probabilities are at least the precision, so that no row costs infinity
        return _log_loss(p[np.arange(self.n_rows), self.codes].astype(np.float64), smallest)

    def best_constant(self, weight: FloatArray) -> FloatArray:
        return self.shares(weight)

    def constant_losses(self, prediction: Any) -> FloatArray:
        p = self.as_shares(prediction, "marginal_prediction")
        return _log_loss(p[self.codes], float(np.finfo(np.float64).eps))

    def risks_of_shares(self, shares: FloatArray) -> FloatArray:
        return np.asarray(entr(shares).sum(axis=1))


def _log_loss(p: FloatArray, smallest: float) -> FloatArray:
    return -np.log(np.clip(p, smallest, 1 - smallest))
