"""Targets that are numbers, and targets under a loss given as a function."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_finite_array, as_plain_array, call
from classex.advantage._class_targets import FloatArray, Target

#: squares and sums of larger numbers could overflow
LARGEST = 1e140


class NumberTarget(Target):
    """Real targets, one column per output; the row loss is a function of the residual alone."""

    def __init__(self, y_true: ArrayLike):
        self.y = _as_columns(y_true, "y_true")
        self.n_rows, self.n_outputs = self.y.shape

    def row_losses(self, y_pred: ArrayLike) -> FloatArray:
        p = _as_columns(y_pred, "y_pred")
        self._check_rows(p)
        if p.shape != self.y.shape:
            raise ValueError(f"y_pred must have {self.n_outputs} columns, as y_true has, but its shape is {p.shape}")
        return self.residual_loss(self.y - p)

    @abstractmethod
    def residual_loss(self, residual: FloatArray) -> FloatArray:
        """Loss of true minus predicted."""

    def constant_losses(self, prediction: Any) -> FloatArray:
        constant = np.atleast_1d(np.asarray(prediction, dtype=np.float64))
        if constant.shape != (self.n_outputs,) or not np.isfinite(constant).all():
            raise ValueError(
                f"marginal_prediction must be {self.n_outputs} finite number(s), one per output, not {prediction!r}"
            )
        return self.residual_loss(self.y - constant)

    def population(self, marginal: ArrayLike) -> tuple[Target, FloatArray]:
        sample = _as_columns(marginal, "marginal")
        if sample.shape[1] != self.n_outputs:
            raise ValueError(f"marginal must have {self.n_outputs} columns, as y_true has, not shape {sample.shape}")
        return self._like(sample), np.ones(sample.shape[0])

    @abstractmethod
    def _like(self, y: FloatArray) -> NumberTarget:
        """Return other targets under the same loss."""

    def _is_constant(self, weight: FloatArray) -> NDArray[np.bool_]:
        kept = self.y[weight > 0]
        constant: NDArray[np.bool_] = (kept == kept[0]).all(axis=0)
        return constant


def _as_columns(value: ArrayLike, name: str) -> FloatArray:
    array = as_plain_array(value, name)
    array = as_finite_array(array, name, ndim=2 if array.ndim == 2 else 1, dtype=np.float64)
    if array.size == 0:
        raise ValueError(f"{name} must have at least one row, but its shape is {array.shape}")
    largest = float(np.abs(array).max())
    if largest > LARGEST:
        raise ValueError(f"{name} must hold numbers of size at most {LARGEST:g}, not {largest:g}")
    return array if array.ndim == 2 else array[:, np.newaxis]


class SquaredTarget(NumberTarget):
    """Squared loss; the best constant is the mean."""

    def residual_loss(self, residual: FloatArray) -> FloatArray:
        return np.square(residual)

    def best_constant(self, weight: FloatArray) -> FloatArray:
        mean: FloatArray = np.average(self.y, axis=0, weights=weight)
        return mean

    def best_risks(self, weights: FloatArray) -> FloatArray:
        share = weights / weights.sum(axis=1, keepdims=True)
        centred = self.y - self.y.mean(axis=0)
        risk: FloatArray = np.maximum(share @ np.square(centred) - np.square(share @ centred), 0)
        return risk

    def _like(self, y: FloatArray) -> SquaredTarget:
        return SquaredTarget(y)


class QuantileTarget(NumberTarget):
    """Pinball loss at one level, or (level 1/2, scale 2) absolute loss; the best constant is the quantile."""

    def __init__(self, y_true: ArrayLike, level: float, scale: float = 1.0):
        super().__init__(y_true)
        self.level = level
        self.scale = scale
        self._order = np.argsort(self.y, axis=0, kind="stable")

    def residual_loss(self, residual: FloatArray) -> FloatArray:
        return self.scale * np.maximum(self.level * residual, (self.level - 1) * residual)

    def best_constant(self, weight: FloatArray) -> FloatArray:
        level = np.array([self.level])
        return np.concatenate([self._quantiles(weight, level, j) for j in range(self.n_outputs)])

    def best_risks(self, weights: FloatArray) -> FloatArray:
        total = weights.sum(axis=1)
        out = np.empty((weights.shape[0], self.n_outputs))
        row = np.arange(weights.shape[0])
        for j in range(self.n_outputs):
            order = self._order[:, j]
            y = self.y[order, j] - np.median(self.y[:, j])
            sorted_weights = weights[:, order]
            mass = np.cumsum(sorted_weights, axis=1)
            moment = np.cumsum(sorted_weights * y, axis=1)
            at = np.argmax(mass >= (self.level - 1e-12) * total[:, np.newaxis], axis=1)
            q = y[at]
            over = moment[:, -1] - q * total
            under = q * mass[row, at] - moment[row, at]
            out[:, j] = np.maximum(self.scale * (self.level * over + under) / total, 0)
        return out

    def rivals(self, weight: FloatArray) -> list[Any]:
        """Return the ends of a gap that the quantile may lie on either side of.

        In a gap the risk is flat or has a corner, as at a tied mode. It is told from a smooth minimum by its
        size: it makes up more than half the range within one standard error of the level.
        """
        if self.n_outputs > 1:
            return []
        error = np.sqrt(self.level * (1 - self.level) * np.square(weight).sum()) / weight.sum()
        low, high = self._quantiles(weight, np.clip(self.level + error * np.array([-1.0, 1.0]), 0, 1), 0)
        y = np.unique(self.y[weight > 0, 0])
        y = y[(y >= low) & (y <= high)]
        if y.size < 2:
            return []
        widest = int(np.argmax(np.diff(y)))
        ends = y[widest : widest + 2]
        return list(ends[:, np.newaxis]) if np.diff(ends)[0] > (y[-1] - y[0]) / 2 else []

    def _quantiles(self, weight: FloatArray, levels: FloatArray, output: int) -> FloatArray:
        """Middles of the weighted quantile intervals: for level 1/2 and equal weights the usual median."""
        order = self._order[:, output]
        order = order[weight[order] > 0]
        y, below = self.y[order, output], np.cumsum(weight[order])
        # a level that a cumulated weight meets exactly, but for rounding, is met by the whole gap above it
        tolerance = 1e-12 * below[-1]
        lower = np.searchsorted(below, levels * below[-1] - tolerance)
        met = np.abs(below[lower] - levels * below[-1]) <= tolerance
        upper = np.minimum(lower + met, y.size - 1)
        middle: FloatArray = (y[lower] + y[upper]) / 2
        return middle

    def _like(self, y: FloatArray) -> QuantileTarget:
        return QuantileTarget(y, self.level, self.scale)


class CallableTarget(Target):
    """A loss given as a function of true and predicted labels."""

    def __init__(self, y_true: ArrayLike, loss: Callable[[Any, Any], ArrayLike], best: Any = None):
        self.y = as_plain_array(y_true, "y_true")
        if self.y.ndim == 0 or self.y.shape[0] == 0:
            raise ValueError(f"y_true must have at least one row, but its shape is {self.y.shape}")
        self.n_rows = self.y.shape[0]
        self.loss = loss
        self.best = best

    def row_losses(self, y_pred: ArrayLike) -> FloatArray:
        predicted = as_plain_array(y_pred, "y_pred")
        if predicted.ndim == 0:
            raise ValueError(f"y_pred must have {self.n_rows} rows, as y_true has, but is a single value")
        self._check_rows(predicted)
        given = call(self.loss, "loss", self.y, predicted)
        value = as_finite_array(given, "the value of loss", ndim=1, dtype=np.float64)
        if value.shape[0] != self.n_rows:
            raise ValueError(f"loss must return one number per row, shape ({self.n_rows},), not {value.shape}")
        if (value < 0).any():
            raise ValueError(f"loss must not be negative, but row {int(np.argmin(value))} costs {value.min()}")
        return value[:, np.newaxis]

    def constant_losses(self, prediction: Any) -> FloatArray:
        constant = np.asarray(prediction)
        return self.row_losses(np.broadcast_to(constant, (self.n_rows, *constant.shape)))

    def best_constant(self, weight: FloatArray) -> Any:
        if self.best is not None:
            return call(self.best, "marginal_prediction", self.y, weight)
        if self.y.ndim != 1:
            raise ValueError(
                "marginal_prediction must be given for a callable loss of labels with several columns:"
                " the constant itself, or a function of (y_true, sample_weight)"
            )
        return _search_constant(self, self.y[weight > 0], weight)

    def population(self, marginal: ArrayLike) -> tuple[Target, FloatArray]:
        target = CallableTarget(marginal, self.loss, self.best)
        return target, np.ones(target.n_rows)

    def _is_constant(self, weight: FloatArray) -> NDArray[np.bool_]:  # noqa: ARG002 - only its loss is known
        return np.array([False])


def _search_constant(target: CallableTarget, y: NDArray[Any], weight: FloatArray) -> Any:
    """Best of the labels that occur; for labels of floating dtype, refined between that one's neighbours."""
    from scipy.optimize import minimize_scalar

    candidates = np.unique(y)
    if candidates.size > MOST_CANDIDATES:
        candidates = candidates[np.linspace(0, candidates.size - 1, MOST_CANDIDATES).round().astype(int)]

    def risk(constant: Any) -> float:
        return float(np.average(target.constant_losses(constant)[:, 0], weights=weight))

    risks = [risk(candidate) for candidate in candidates]
    best = int(np.argmin(risks))
    if y.dtype.kind != "f" or candidates.size == 1:
        return candidates[best]
    low, high = candidates[max(best - 1, 0)], candidates[min(best + 1, candidates.size - 1)]
    found = minimize_scalar(risk, bounds=(low, high), method="bounded", options={"xatol": 1e-10 * (high - low)})
    return float(found.x) if found.fun < risks[best] else candidates[best]


#: Distinct labels tried as the marginal prediction of a callable loss (evenly spread over the sorted ones).
MOST_CANDIDATES = 512
