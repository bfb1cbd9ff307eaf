"""Targets that are numbers, and targets under a loss given as a function."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from classex._checks import as_finite_array, as_finite_number, as_plain_array, by_name, call, listed, shown
from classex._types import FloatArray, IntArray
from classex.io.archives import LOG

__all__ = ["as_probability_rows"]


# Decimals that stored probabilities may have been rounded to, and significant digits of a number of 32 bits as text
_DECIMALS, _DIGITS = range(2, 9), 9
# Rows whose digits are counted
_ROWS = 100
# Largest deviation of a sum that can be rounding: with two decimals, that of four classes
_MOST = 0.02


def as_probability_rows(value: ArrayLike, name: str) -> tuple[NDArray[Any], float]:
    """Return probabilities of shape (n_rows, n_classes) that sum to 1 in each row, and the least that one may be.

    One column holds the probability of the second of two classes. Sums may be off by the rounding of the numbers that
    were given; rows that are not sums of 1 to half of the digits are then divided by their sums.

    Raises
    ------
    ValueError
        If an entry lies outside [0, 1], or a row does not sum to 1.
    TypeError
        If the entries are not real numbers.
    """
    given = as_plain_array(value, name)
    p = as_finite_array(given, name, ndim=1 if given.ndim == 1 else 2)
    smallest = float(np.finfo(p.dtype).eps)
    if given.dtype == np.float16:  # whose precision is more than the share of one class among a thousand
        smallest = float(np.finfo(np.float16).smallest_subnormal)
    if p.ndim == 1:
        p = np.column_stack([1 - p, p])
    sums = p.sum(axis=1)
    off, bad = np.abs(sums - 1), (p < 0).any(axis=1) | (p > 1 + smallest).any(axis=1)
    exact = np.sqrt(np.finfo(p.dtype).eps)
    if (off > exact).any():
        bad |= off > max(exact, min(p.shape[1] * _unit(p[off > exact]), _MOST))
    if bad.any():
        row = int(bad.argmax())
        what = f"row {row} sums to {sums[row]:.9g}, with entries from {p[row].min():.6g} to {p[row].max():.6g}"
        raise ValueError(f"{name} must hold probabilities that sum to 1 in each row, but {what}")
    if (off > exact).any():
        ends = f"{sums.min():.9g} to {sums.max():.9g}"
        LOG.info("%s: rows sum to %s, as rounded numbers do, and are divided by their sums", name, ends)
        p = p / sums[:, np.newaxis]
    return np.minimum(p, 1.0), smallest


def _unit(p: NDArray[Any]) -> float:
    """Largest rounding error of the entries, from the numbers of bits, decimals or digits that they have."""
    for half in (np.float16, np.float32):
        if (p.astype(half) == p).all():
            return float(np.finfo(half).eps) / 2
    for decimals in _DECIMALS:
        if (np.round(p, decimals) == p).all():
            return 0.5 * 10.0**-decimals
    if all(float(f"{entry:.{_DIGITS}g}") == entry for entry in p[:_ROWS].ravel().tolist()):
        return float(np.finfo(np.float32).eps) / 2
    return 0.0


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

    def best_risks(self, weights: FloatArray) -> FloatArray:
        """Risk of the best constant under each row of weights, shape (n_weightings,); 0 for a constant target."""
        return np.array([np.average(self.constant_losses(self.best_constant(w)), weights=w) for w in weights])

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
        p, smallest = as_probability_rows(by_name(y_pred, self.labels.tolist(), "y_pred"), "y_pred")
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
        p = as_finite_array(prediction, "marginal_prediction", ndim=1, dtype=np.float64)
        if p.shape != self.labels.shape or (p < 0).any() or abs(p.sum() - 1) > 1e-8:
            what = f"{self.labels.size} probabilities that sum to 1, one per label ({listed(self.labels)})"
            raise ValueError(f"marginal_prediction must hold {what}, not {shown(p)}")
        return _log_loss(p[self.codes], float(np.finfo(np.float64).eps))

    def risks_of_shares(self, shares: FloatArray) -> FloatArray:
        return np.asarray(entr(shares).sum(axis=1))


def _log_loss(p: FloatArray, smallest: float) -> FloatArray:
    return -np.log(np.clip(p, smallest, 1 - smallest))


# squares and sums of larger numbers could overflow
_LARGEST = 1e140
# a level that a cumulated weight misses by less, relative to the total, is met: rounding of sums of 10^4 weights
_ROUNDING = 1e-12
# distinct labels that are tried as the best constant of a callable loss, evenly spread over the sorted ones
_MOST_CANDIDATES = 512


class NumberTarget(Target):
    """Real targets; the row loss is a function of the residual alone."""

    def __init__(self, y_true: ArrayLike):
        self.y = _as_numbers(y_true, "y_true")
        self.n_rows = self.y.size

    @abstractmethod
    def residual_loss(self, residual: FloatArray) -> FloatArray:
        """Loss of true minus predicted."""

    @abstractmethod
    def best_constants(self, weights: FloatArray) -> FloatArray:
        """Best constant under each row of weights, shape (n_weightings,)."""

    def row_losses(self, y_pred: ArrayLike) -> FloatArray:
        p = _as_numbers(y_pred, "y_pred")
        self._check_rows(p)
        return self.residual_loss(self.y - p)

    def constant_losses(self, prediction: Any) -> FloatArray:
        return self.residual_loss(self.y - as_finite_number(prediction, "marginal_prediction"))

    def best_constant(self, weight: FloatArray) -> float:
        return float(self.best_constants(weight[np.newaxis])[0])

    def best_risks(self, weights: FloatArray) -> FloatArray:
        losses = self.residual_loss(self.y - self.best_constants(weights)[:, np.newaxis])
        risk = np.einsum("ij,ij->i", weights / weights.sum(axis=1, keepdims=True), losses)
        # exactly 0, not a rounding error, where all rows with positive weight carry one number
        y, kept = np.broadcast_to(self.y, weights.shape), weights > 0
        varied = y.max(axis=1, where=kept, initial=-np.inf) > y.min(axis=1, where=kept, initial=np.inf)
        return np.where(varied, risk, 0.0)


def _as_numbers(value: ArrayLike, name: str) -> FloatArray:
    array: FloatArray = as_finite_array(value, name, ndim=1, dtype=np.float64)
    if array.size == 0:
        raise ValueError(f"{name} must have at least one row, but its shape is {array.shape}")
    largest = float(np.abs(array).max())
    if largest > _LARGEST:
        raise ValueError(f"{name} must hold numbers of size at most {_LARGEST:g}, not {largest:g}")
    return array


class SquaredTarget(NumberTarget):
    """Squared loss; the best constant is the mean."""

    def residual_loss(self, residual: FloatArray) -> FloatArray:
        return np.square(residual)

    def best_constants(self, weights: FloatArray) -> FloatArray:
        return np.asarray(weights / weights.sum(axis=1, keepdims=True) @ self.y)


class QuantileTarget(NumberTarget):
    """Pinball loss at one level, or (level 1/2, scale 2) absolute loss; the best constant is the quantile."""

    def __init__(self, y_true: ArrayLike, level: float, scale: float = 1.0):
        super().__init__(y_true)
        self.level = level
        self.scale = scale

    def residual_loss(self, residual: FloatArray) -> FloatArray:
        return self.scale * np.maximum(self.level * residual, (self.level - 1) * residual)

    def best_constants(self, weights: FloatArray) -> FloatArray:
        return self._quantiles(weights, self.level)

    def rivals(self, weight: FloatArray) -> list[Any]:
        """Return the ends of a gap that the quantile may lie on either side of.

        In a gap the risk is flat or has a corner, as at a tied mode. A gap counts if it makes up more than half the
        range within one standard error of the level: a smooth minimum has none.
        """
        error = np.sqrt(self.level * (1 - self.level) * np.square(weight).sum()) / weight.sum()
        low, high = (
            self._quantiles(weight[np.newaxis], level)[0]
            for level in np.clip([self.level - error, self.level + error], 0, 1)
        )
        y = np.unique(self.y[weight > 0])
        y = y[(y >= low) & (y <= high)]
        if y.size < 2:
            return []
        widest = int(np.argmax(np.diff(y)))
        ends = y[widest : widest + 2]
        return list(ends) if ends[1] - ends[0] > (y[-1] - y[0]) / 2 else []

    def _quantiles(self, weights: FloatArray, level: float) -> FloatArray:
        """Middles of the weighted quantile intervals: for level 1/2 and equal weights the usual median."""
        order = np.argsort(self.y)
        y, mass = self.y[order], np.cumsum(weights[:, order], axis=1)
        total = mass[:, -1:]
        reached = (mass >= (level - _ROUNDING) * total) & (mass > 0)
        passed = mass > (level + _ROUNDING) * total
        lower = reached.argmax(axis=1)
        upper = np.where(passed[:, -1], passed.argmax(axis=1), lower)
        return np.asarray((y[lower] + y[upper]) / 2)


class CallableTarget(Target):
    """A loss given as a function of true and predicted labels."""

    def __init__(self, y_true: ArrayLike, loss: Callable[[Any, Any], ArrayLike]):
        self.y = as_plain_array(y_true, "y_true")
        if self.y.ndim == 0 or self.y.shape[0] == 0:
            raise ValueError(f"y_true must have at least one row, but its shape is {self.y.shape}")
        self.n_rows = self.y.shape[0]
        self.loss = loss

    def row_losses(self, y_pred: ArrayLike) -> FloatArray:
        predicted = as_plain_array(y_pred, "y_pred")
        self._check_rows(predicted)
        given = call(self.loss, "loss", self.y, predicted)
        losses = as_finite_array(given, "the value of loss", ndim=1, dtype=np.float64)
        if losses.shape[0] != self.n_rows:
            raise ValueError(f"loss must return one number per row, shape ({self.n_rows},), not {losses.shape}")
        if (losses < 0).any():
            raise ValueError(f"loss must not be negative, but row {int(np.argmin(losses))} costs {losses.min()}")
        return losses

    def constant_losses(self, prediction: Any) -> FloatArray:
        constant = np.asarray(prediction)
        return self.row_losses(np.broadcast_to(constant, (self.n_rows, *constant.shape)))

    def best_constant(self, weight: FloatArray) -> Any:
        """Best of the labels that occur; labels of floating dtype are refined between that label's neighbours."""
        from scipy.optimize import minimize_scalar

        if self.y.ndim != 1:
            raise ValueError("marginal_prediction must be given for a callable loss of labels with several columns")
        candidates = np.unique(self.y[weight > 0])
        if candidates.size > _MOST_CANDIDATES:
            candidates = candidates[np.linspace(0, candidates.size - 1, _MOST_CANDIDATES).round().astype(int)]

        def risk(constant: Any) -> float:
            return float(np.average(self.constant_losses(constant), weights=weight))

        risks = [risk(candidate) for candidate in candidates]
        best = int(np.argmin(risks))
        if self.y.dtype.kind != "f" or candidates.size == 1:
            return candidates[best]
        low, high = candidates[max(best - 1, 0)], candidates[min(best + 1, candidates.size - 1)]
        optimum = minimize_scalar(risk, bounds=(low, high), method="bounded", options={"xatol": 1e-10 * (high - low)})
        return float(optimum.x) if optimum.fun < risks[best] else candidates[best]
