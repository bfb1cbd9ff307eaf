"""False match rates at thresholds that few impostor scores reach, or none: the tail of the scores, continued."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from classex.open_set._searches import search_weights

__all__ = ["FittedTail", "Tail", "clustered_variance", "fit_tail", "sums_by"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# condition of the information on the two parameters beyond which they are not told apart
_WORST = 1e12
# error of the form, for each unit of the logarithm that the tail is continued; chosen on cosines in 64 dimensions
_FORM = 0.03
# fewest scores that the tail is fitted to, and fewest different ones: set by judgement
_FEWEST, _DISTINCT = 200, 20
# at so many highest scores the tail is held against their number, and may be so many errors away: set by judgement
_LOOKED_AT, _FARTHEST = (10, 30, 100, 300), 3.5
_STEP = 1e-4


@dataclass(frozen=True)
class Tail:
    r"""Share of comparisons above a score, beyond a start: its logarithm is a power of the score.

    .. math:: -\log f(s) = y_0 \bigl(1 + \theta (s - u)/g\bigr)^{1/\theta}, \qquad s \ge u.

    The exponent 1/theta is 1 for exponential tails and 2 for Gaussian ones.

    Attributes
    ----------
    start : float
        The score u.
    level : float
        y_0.
    theta, scale : float
        Shape, and the g of the formula.
    """

    start: float
    level: float
    theta: float
    scale: float

    def exponent(self, score: FloatArray | float) -> FloatArray:
        """-log f at scores from the start on; infinite beyond the end of the tail."""
        return self.level * _power(np.asarray(score) - self.start, self.theta, self.scale)

    def score(self, exponent: FloatArray) -> FloatArray:
        """Score at which -log f has these values."""
        y = np.asarray(exponent) / self.level
        if abs(self.theta) < 1e-9:
            return self.start + self.scale * np.log(y)
        return self.start + self.scale * (y**self.theta - 1) / self.theta


@dataclass(frozen=True)
class FittedTail:
    """A tail with what each score that it was fitted to adds to its two parameters."""

    tail: Tail
    at: FloatArray
    person: IntArray
    identity: IntArray
    weight: FloatArray
    influence: FloatArray
    shape: tuple[int, int]

    def log_rate(self, threshold: float) -> tuple[float, float] | None:
        """Logarithm of the false match rate at a threshold above the start, with its variance.

        The variance is that of a maximum-likelihood estimate whose scores come in clusters, twice over: those of an
        impostor, and those of an identity, and of a form that holds nearly. None where the tail has ended.
        """
        level, x = self.tail.level, np.array(threshold - self.tail.start)
        slope = _gradient(lambda b: -level * (_power(x, b[0], np.exp(b[1])) - 1), self.at)
        value = -float(self.tail.exponent(threshold))
        if not (np.isfinite(value) and np.isfinite(slope).all()):
            return None
        # a score adds to the share above the start, and to the shape
        cell = self.weight * (1.0 + self.influence @ slope)
        by_person, by_identity = (
            sums_by(some, cell, n) for some, n in zip((self.person, self.identity), self.shape, strict=True)
        )
        form = _FORM * (-value - level)
        return value, clustered_variance(by_person, by_identity, float(np.square(cell).sum())) + form**2


def _power(x: FloatArray, theta: float, scale: float) -> FloatArray:
    z = x / scale
    with np.errstate(divide="ignore", over="ignore"):
        if abs(theta) < 1e-9:
            return np.exp(z)
        return np.exp(np.log(np.maximum(1 + theta * z, 0.0)) / theta)


def _log_density(x: FloatArray, level: float, theta: float, log_scale: float) -> FloatArray:
    scale = np.exp(log_scale)
    inner = 1 + theta * x / scale
    if abs(theta) < 1e-9:
        log_y, log_slope = x / scale, x / scale
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            log_inner = np.where(inner > 0, np.log(np.maximum(inner, 1e-300)), -np.inf)
        log_y, log_slope = log_inner / theta, log_inner * (1 / theta - 1)
    with np.errstate(over="ignore", invalid="ignore"):
        out = np.log(level) - log_scale + log_slope - level * np.expm1(log_y)
    return np.where(inner > 0, out, -np.inf)


def fit_tail(scores: FloatArray, who: IntArray, share: float) -> FittedTail | None:
    """Fit the tail to a share of the scores, the highest; minus infinity stands for comparisons left out.

    None where too few scores differ there, or the tail does not go through them.
    """
    count = min(max(int(share * scores.size), _FEWEST), scores.size // 10)
    start = float(np.partition(scores.ravel(), -count - 1)[-count - 1])
    rows, columns = np.nonzero(scores > start)
    x = scores[rows, columns] - start
    if not np.isfinite(start) or np.unique(x).size < _DISTINCT:
        return None
    weight = _cell_weights(scores, who)[rows]
    above = float(weight.sum())
    weight, level = weight / above, float(-np.log(above))

    def loss(at: FloatArray) -> float:
        value = -float(weight @ _log_density(x, level, at[0], at[1]))
        return value if np.isfinite(value) else 1e10

    first = [0.5, np.log(level * float(weight @ x))]
    at = optimize.minimize(loss, first, method="Nelder-Mead", options={"xatol": 1e-5, "fatol": 1e-9}).x
    tail = Tail(start, level, float(at[0]), float(np.exp(at[1])))
    if not _goes_through(tail, scores, who, count):
        return None
    score = _gradient(lambda b: _log_density(x, level, *b), at)
    hessian = _gradient(lambda b: -weight @ _gradient(lambda c: _log_density(x, level, *c), b), at)
    if not (np.isfinite(hessian).all() and np.linalg.cond(hessian) < _WORST):
        return None
    shape = (int(who.max()) + 1, scores.shape[1])
    return FittedTail(tail, at, who[rows], columns, weight, score @ np.linalg.inv(hessian), shape)


def _cell_weights(scores: FloatArray, who: IntArray) -> FloatArray:
    """Share that a comparison of each search has in the mean over people: those left out have none."""
    share: FloatArray = search_weights(who) / np.maximum(np.isfinite(scores).sum(axis=1), 1)
    return share


def sums_by(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Sum of the values of each group."""
    total: FloatArray = np.bincount(group, weights=values, minlength=n_groups).astype(np.float64)
    return total


def clustered_variance(by_person: FloatArray, by_identity: FloatArray, alone: float) -> float:
    """Variance of a sum over cells that share people and identities; `alone` is the cells' own sum of squares."""
    both = sum(float(np.square(some - some.mean()).sum()) for some in (by_person, by_identity))
    return max(both - alone, alone)


def _goes_through(tail: Tail, scores: FloatArray, who: IntArray, count: int) -> bool:
    """Whether the tail gives the highest scores about the shares that they have."""
    weight = _cell_weights(scores, who)[:, np.newaxis]
    for rank in _LOOKED_AT:
        if rank < count / 2:
            at = float(np.partition(scores.ravel(), -rank)[-rank])
            cell = weight * (scores >= at)
            rate = float(cell.sum())
            by_person = sums_by(who, cell.sum(axis=1), int(who.max()) + 1)
            variance = clustered_variance(by_person, cell.sum(axis=0), float(np.square(cell).sum()))
            # half a hit less: the score at which the count was made is one of them
            apart = np.log(rate * (1 - 0.5 / rank)) + float(tail.exponent(at))
            if abs(apart) > _FARTHEST * np.sqrt(variance) / rate:
                return False
    return True


def _gradient(function: Callable[[FloatArray], Any], at: FloatArray) -> FloatArray:
    """Central differences, along a last axis."""
    steps = _STEP * np.eye(at.size)
    with np.errstate(invalid="ignore"):
        return np.stack([(function(at + e) - function(at - e)) / (2 * _STEP) for e in steps], axis=-1)
