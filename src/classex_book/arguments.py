"""Functions that a checker hands to a student's function: rules of Chapter 1 and losses of Chapter 6.

They stand apart from the checkers, so that a process can be given them and know no answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rule = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


def distance(points: NDArray[np.float64], references: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minus the distance."""
    return np.asarray(-np.linalg.norm(points[:, np.newaxis] - references, axis=2))


def softmax(points: NDArray[np.float64], references: NDArray[np.float64]) -> NDArray[np.float64]:
    """The softmax of minus the distance."""
    odds = np.exp(distance(points, references))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def centred(points: NDArray[np.float64], references: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minus the distance, about the mean of all classes."""
    return distance(points - references.mean(axis=0), references - references.mean(axis=0))


def standardised(points: NDArray[np.float64], references: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minus the distance, each axis divided by its standard deviation over the classes."""
    scale = references.std(axis=0)
    return distance(points / scale, references / scale)


def cosine_about_mean(points: NDArray[np.float64], references: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cosine about the mean of all classes."""
    y, x = points - references.mean(axis=0), references - references.mean(axis=0)
    return np.asarray((y @ x.T) / np.linalg.norm(x, axis=1))


def two_nearest(points: NDArray[np.float64], references: NDArray[np.float64]) -> NDArray[np.float64]:
    """The two nearest classes by distance, all others behind them in an order that depends on the classes present."""
    scores = standardised(points, references)
    minus = distance(points, references)
    behind = scores - scores.max() - np.ptp(scores) - minus.max() - 1e3
    first_two = minus >= np.sort(minus, axis=1)[:, [-2]]
    return np.where(first_two, minus, behind)


def zero_one(predicted: Any, true: Any) -> Any:
    """One for every error."""
    return (np.asarray(predicted) != np.asarray(true)).astype(float)


def absolute(predicted: Any, true: Any) -> Any:
    """The distance."""
    return np.abs(np.asarray(predicted) - np.asarray(true))


def capped(predicted: Any, true: Any, cap: int = 2) -> Any:
    """The distance, up to a largest loss."""
    return np.minimum(absolute(predicted, true), cap)


def pinball(predicted: Any, true: Any) -> Any:
    """Not symmetric: a loss called with its arguments exchanged is another one."""
    short = np.asarray(true) - np.asarray(predicted)
    return np.where(short >= 0, 0.9 * short, -0.1 * short)
