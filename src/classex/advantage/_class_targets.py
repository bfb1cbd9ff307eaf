"""Labels seen through a loss: what a prediction costs on each row, and which constant costs least."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import entr

from classex._validation import as_finite_array, as_plain_array

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Target(ABC):
    """True labels under one loss.

    Attributes
    ----------
    n_rows, n_outputs : int
        Number of rows, and of outputs that are predicted side by side (1 except in multioutput regression).
    """

    n_rows: int
    n_outputs: int = 1

    @abstractmethod
    def row_losses(self, y_pred: ArrayLike) -> FloatArray:
        """Loss of each row's prediction, shape (n_rows, n_outputs)."""

    @abstractmethod
    def best_constant(self, weight: FloatArray) -> Any:
        """Return the constant with the smallest weighted loss: the Bayesian marginal prediction."""

    @abstractmethod
    def constant_losses(self, prediction: Any) -> FloatArray:
        """Loss of one and the same prediction on each row, shape (n_rows, n_outputs)."""

    @abstractmethod
    def population(self, marginal: ArrayLike) -> tuple[Target, FloatArray]:
        """Turn a law of Y into rows and weights under the same loss."""

    def best_risk(self, weight: FloatArray) -> FloatArray:
        """Return the risk of the best constant under the weights, shape (n_outputs,); 0 for a constant target."""
        losses = self.constant_losses(self.best_constant(weight))
        risk: FloatArray = np.average(losses, axis=0, weights=weight)
        return np.where(self._is_constant(weight), 0.0, risk)

    def best_risks(self, weights: FloatArray) -> FloatArray:
        """Return `best_risk` for each row of weights, shape (n_weightings, n_outputs), to rounding."""
        return np.array([self.best_risk(weight) for weight in weights])

    def rivals(self, weight: FloatArray) -> list[Any]:  # noqa: ARG002 - smooth losses have one best constant
        """Other constants that could be the best one in the population."""
        return []

    @abstractmethod
    def _is_constant(self, weight: FloatArray) -> NDArray[np.bool_]:
        """Whether all rows with positive weight carry one label, for each output."""

    def _check_rows(self, array: NDArray[Any]) -> None:
        if array.shape[0] != self.n_rows:
            raise ValueError(f"y_pred must have {self.n_rows} rows, as y_true has, but its shape is {array.shape}")


def as_class_array(value: ArrayLike, name: str) -> NDArray[Any]:
    """Return class labels as a one-dimensional array of numbers or of strings."""
    array = as_plain_array(value, name)
    if array.dtype == object and all(isinstance(item, str) for item in array.ravel()):
        array = array.astype(str)
    if array.ndim != 1:
        raise ValueError(f"{name} must hold one class label per row, shape (n,), but its shape is {array.shape}")
    if array.dtype == object or array.dtype.kind not in "biufSU":
        raise TypeError(f"{name} must hold class labels (whole numbers or strings), not values of dtype {array.dtype}")
    if array.dtype.kind == "f" and (array != np.round(array)).any():
        row = int(np.flatnonzero(array != np.round(array))[0])
        raise ValueError(f"{name} must hold class labels, but row {row} is {array[row]}; use a loss for numbers")
    if array.size == 0:
        raise ValueError(f"{name} must have at least one row")
    return array


class _ClassTarget(Target):
    """Class labels, coded as places in the sorted (or given) list of labels."""

    def __init__(self, y_true: ArrayLike, labels: ArrayLike | None):
        y = as_class_array(y_true, "y_true")
        if labels is None:
            self.labels, codes = np.unique(y, return_inverse=True)
        else:
            self.labels = as_class_array(labels, "labels")
            if np.unique(self.labels).size != self.labels.size:
                raise ValueError(f"labels must differ from each other, not {list(self.labels)}")
            codes = self.encode(y, "y_true")
            if (codes < 0).any():
                row = int(np.flatnonzero(codes < 0)[0])
                raise ValueError(f"y_true must hold labels among {list(self.labels)}, but row {row} is {y[row]!r}")
        self.codes: IntArray = codes.astype(np.int64).ravel()
        self.n_rows = y.size

    def encode(self, y: NDArray[Any], name: str) -> IntArray:
        """Place of each label among `labels`, -1 for any other."""
        if (y.dtype.kind in "SU") != (self.labels.dtype.kind in "SU"):
            raise TypeError(f"{name} holds values of dtype {y.dtype}, but the labels are of dtype {self.labels.dtype}")
        order = np.argsort(self.labels)
        place = order[np.minimum(np.searchsorted(self.labels, y, sorter=order), self.labels.size - 1)]
        return np.where(self.labels[place] == y, place, -1)

    def shares(self, weight: FloatArray) -> FloatArray:
        """Weighted share of each class, shape (n_classes,)."""
        share: FloatArray = np.bincount(self.codes, weights=weight, minlength=self.labels.size) / weight.sum()
        return share

    def best_risks(self, weights: FloatArray) -> FloatArray:
        member = sparse.csr_array(
            (np.ones(self.n_rows), (self.codes, np.arange(self.n_rows))), shape=(self.labels.size, self.n_rows)
        )
        shares = (member @ weights.T).T / weights.sum(axis=1, keepdims=True)
        return self._risk_of_shares(shares)[:, np.newaxis]

    @abstractmethod
    def _risk_of_shares(self, shares: FloatArray) -> FloatArray:
        """Risk of the best constant for each row of class shares."""

    def population(self, marginal: ArrayLike) -> tuple[Target, FloatArray]:
        distribution = as_finite_array(marginal, "marginal", ndim=1, dtype=np.float64)
        if distribution.shape != self.labels.shape or (distribution < 0).any() or abs(distribution.sum() - 1) > 1e-8:
            raise ValueError(
                f"marginal must hold {self.labels.size} probabilities that sum to 1, one per label"
                f" {list(self.labels)}, not {distribution}"
            )
        return self._like(self.labels), distribution

    @abstractmethod
    def _like(self, y: NDArray[Any]) -> _ClassTarget:
        """Return other labels under the same loss."""

    def _is_constant(self, weight: FloatArray) -> NDArray[np.bool_]:
        return np.array([np.count_nonzero(self.shares(weight)) <= 1])


class ZeroOneTarget(_ClassTarget):
    """Zero-one loss; the best constant is the mode."""

    def row_losses(self, y_pred: ArrayLike) -> FloatArray:
        y = as_class_array(y_pred, "y_pred")
        self._check_rows(y)
        wrong: FloatArray = (self.encode(y, "y_pred") != self.codes).astype(np.float64)[:, np.newaxis]
        return wrong

    def best_constant(self, weight: FloatArray) -> Any:
        return self.labels[np.argmax(self.shares(weight))]

    def best_risk(self, weight: FloatArray) -> FloatArray:
        # the sum of the rarer classes keeps its digits where 1 - max p does not
        return self._risk_of_shares(self.shares(weight)[np.newaxis])

    def constant_losses(self, prediction: Any) -> FloatArray:
        wrong: FloatArray = (self.labels[self.codes] != prediction).astype(np.float64)[:, np.newaxis]
        return wrong

    def rivals(self, weight: FloatArray) -> list[Any]:
        share = self.shares(weight)
        order = np.argsort(-share, kind="stable")[1 : MOST_RIVALS + 1]
        return list(self.labels[order[share[order] > 0]])

    def _risk_of_shares(self, shares: FloatArray) -> FloatArray:
        rarer = shares.copy()
        rarer[np.arange(shares.shape[0]), shares.argmax(axis=1)] = 0
        risk: FloatArray = rarer.sum(axis=1)
        return risk

    def _like(self, y: NDArray[Any]) -> ZeroOneTarget:
        return ZeroOneTarget(y, self.labels)


#: Ties of the mode beyond this many classes move the marginal risk 1 - max p too little to matter.
MOST_RIVALS = 32


class CostTarget(_ClassTarget):
    """Cost matrix ``cost[true, predicted]``; the best constant minimises ``p @ cost``."""

    def __init__(self, y_true: ArrayLike, cost: FloatArray, labels: ArrayLike | None):
        super().__init__(y_true, labels)
        if self.labels.size != cost.shape[0]:
            raise ValueError(
                f"loss, a cost matrix, has shape {cost.shape}, but there are {self.labels.size} labels"
                f" {list(self.labels)}; name every row's label with labels="
            )
        self.cost = cost

    def row_losses(self, y_pred: ArrayLike) -> FloatArray:
        y = as_class_array(y_pred, "y_pred")
        self._check_rows(y)
        predicted = self.encode(y, "y_pred")
        if (predicted < 0).any():
            row = int(np.flatnonzero(predicted < 0)[0])
            raise ValueError(f"y_pred must hold labels among {list(self.labels)}, but row {row} is {y[row]!r}")
        cost: FloatArray = self.cost[self.codes, predicted][:, np.newaxis]
        return cost

    def best_constant(self, weight: FloatArray) -> Any:
        return self.labels[np.argmin(self.shares(weight) @ self.cost)]

    def constant_losses(self, prediction: Any) -> FloatArray:
        column = int(self.encode(np.atleast_1d(prediction), "marginal_prediction")[0])
        if column < 0:
            raise ValueError(f"marginal_prediction must be one of {list(self.labels)}, not {prediction!r}")
        cost: FloatArray = self.cost[self.codes, column][:, np.newaxis]
        return cost

    def rivals(self, weight: FloatArray) -> list[Any]:
        return list(self.labels[np.argsort(self.shares(weight) @ self.cost, kind="stable")[1 : MOST_RIVALS + 1]])

    def _risk_of_shares(self, shares: FloatArray) -> FloatArray:
        risk: FloatArray = (shares @ self.cost).min(axis=1)
        return risk

    def _like(self, y: NDArray[Any]) -> CostTarget:
        return CostTarget(y, self.cost, self.labels)

    def _is_constant(self, weight: FloatArray) -> NDArray[np.bool_]:
        return np.array([(self.shares(weight) @ self.cost).min() == 0])


class CrossEntropyTarget(_ClassTarget):
    """Cross-entropy in nats; the best constant is the vector of class shares."""

    def row_losses(self, y_pred: ArrayLike) -> FloatArray:
        p = as_plain_array(y_pred, "y_pred")
        if p.ndim == 2 and p.shape[1] == 1:
            p = p[:, 0]
        p = as_finite_array(p, "y_pred", ndim=1 if p.ndim == 1 else 2)
        self._check_rows(p)
        # scikit-learn's convention, so that no row costs infinity: probabilities are at least the precision
        smallest = float(np.finfo(p.dtype).eps)
        if p.ndim == 1:
            p = np.column_stack([1 - p, p])
        if self.labels.size != p.shape[1]:
            raise ValueError(
                f"y_pred has {p.shape[1]} columns of probabilities, but there are {self.labels.size} labels"
                f" {list(self.labels)}; name every column's label with labels="
            )
        total = p.sum(axis=1)
        bad = (p < 0).any(axis=1) | (p > 1).any(axis=1) | (np.abs(total - 1) > np.sqrt(smallest))
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise ValueError(f"y_pred must hold probabilities that sum to 1 in each row, but row {row} is {p[row]}")
        return self._log_loss(p[np.arange(self.n_rows), self.codes].astype(np.float64), smallest)

    def best_constant(self, weight: FloatArray) -> FloatArray:
        return self.shares(weight)

    def constant_losses(self, prediction: Any) -> FloatArray:
        p = as_finite_array(prediction, "marginal_prediction", ndim=1, dtype=np.float64)
        if p.shape != self.labels.shape or (p < 0).any() or abs(p.sum() - 1) > 1e-8:
            raise ValueError(
                f"marginal_prediction must hold {self.labels.size} probabilities that sum to 1, one per label, not {p}"
            )
        return self._log_loss(p[self.codes], float(np.finfo(np.float64).eps))

    def _risk_of_shares(self, shares: FloatArray) -> FloatArray:
        entropy: FloatArray = entr(shares).sum(axis=1)
        return entropy

    def _like(self, y: NDArray[Any]) -> CrossEntropyTarget:
        return CrossEntropyTarget(y, self.labels)

    @staticmethod
    def _log_loss(p: FloatArray, smallest: float) -> FloatArray:
        loss: FloatArray = -np.log(np.clip(p, smallest, 1 - smallest))[:, np.newaxis]
        return loss
