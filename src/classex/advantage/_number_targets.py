"""Targets that are numbers, and targets under a loss given as a function."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classex._types import FloatArray
from classex._validation import as_finite_array, as_finite_number, as_plain_array, call
from classex.advantage._class_targets import Target

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

    def population(self, marginal: ArrayLike) -> tuple[Target, FloatArray]:
        target = copy(self)
        target.y = _as_numbers(marginal, "marginal")
        target.n_rows = target.y.size
        return target, np.ones(target.n_rows)

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

    def __init__(self, y_true: ArrayLike, loss: Callable[[Any, Any], ArrayLike], name: str = "y_true"):
        self.y = as_plain_array(y_true, name)
        if self.y.ndim == 0 or self.y.shape[0] == 0:
            raise ValueError(f"{name} must have at least one row, but its shape is {self.y.shape}")
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

    def population(self, marginal: ArrayLike) -> tuple[Target, FloatArray]:
        target = CallableTarget(marginal, self.loss, "marginal")
        return target, np.ones(target.n_rows)

    def best_risks(self, weights: FloatArray) -> FloatArray:
        return np.array(
            [np.average(self.constant_losses(self.best_constant(weight)), weights=weight) for weight in weights]
        )

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
