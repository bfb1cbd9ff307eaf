"""Populations whose prediction advantage is known exactly, and samples from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, log_expit, logit
from scipy.stats import norm

FloatArray = NDArray[np.float64]

SEPARATION = 1.5
JUMP = 4.0
LEVEL = 0.9
COST = np.array([[0.0, 1.0], [5.0, 0.0]])


@dataclass(frozen=True)
class Population:
    """A law of (label, prediction), its true prediction advantage, and how the advantage is asked for."""

    name: str
    options: dict[str, Any]
    advantage: float
    draw: Callable[[int, np.random.Generator], tuple[NDArray[Any], NDArray[Any]]]


def _posterior_logit(x: FloatArray, share: float) -> FloatArray:
    return SEPARATION * x - SEPARATION**2 / 2 + logit(share)


def _expect(function: Callable[[FloatArray], FloatArray], label: int) -> float:
    """E[function(X) | label] by the trapezoid rule, exact to rounding for smooth functions of a normal."""
    x = np.linspace(-12, 12, 20_001) + SEPARATION * label
    return float(function(x) @ norm.pdf(x - SEPARATION * label)) * (x[1] - x[0])


def _draw_x(share: float, n: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], FloatArray]:
    label = (rng.random(n) < share).astype(np.int64)
    return label, rng.normal(size=n) + SEPARATION * label


def cross_entropy(share: float) -> Population:
    """Two normal classes; the predicted probabilities are too sharp and shifted."""

    def predicted_logit(x: FloatArray) -> FloatArray:
        return 1.3 * (_posterior_logit(x, share) - logit(share)) + logit(share) + 0.2

    risk = -(1 - share) * _expect(lambda x: log_expit(-predicted_logit(x)), 0)
    risk -= share * _expect(lambda x: log_expit(predicted_logit(x)), 1)
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)

    def draw(n: int, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
        label, x = _draw_x(share, n, rng)
        return label, expit(predicted_logit(x))

    return Population(_name(share), {"loss": "cross_entropy", "labels": [0, 1]}, 1 - risk / entropy, draw)


def thresholded(share: float, loss: Any, threshold: float, name: str) -> Population:
    """Two normal classes, predicted 1 above a threshold on the posterior probability."""
    cost = 1 - np.eye(2) if isinstance(loss, str) else np.asarray(loss)
    at = (logit(threshold) - logit(share) + SEPARATION**2 / 2) / SEPARATION
    false_one, false_zero = (1 - share) * norm.sf(at), share * norm.cdf(at - SEPARATION)
    risk = cost[0, 1] * false_one + cost[1, 0] * false_zero
    best = min(np.array([1 - share, share]) @ cost)

    def draw(n: int, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
        label, x = _draw_x(share, n, rng)
        return label, (x > at).astype(np.int64)

    return Population(name, {"loss": loss, "labels": [0, 1]}, 1 - risk / best, draw)


def tied_classes(k: int, error: float) -> Population:
    """Equally likely classes, a wrong label with one chance everywhere: the mode is tied k times."""

    def draw(n: int, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
        label = rng.integers(k, size=n)
        wrong = rng.random(n) < error
        return label, np.where(wrong, (label + rng.integers(1, k, size=n)) % k, label)

    return Population(f"{k} tied, error {error:g}", {"loss": "zero_one"}, 1 - error / (1 - 1 / k), draw)


def regression(share: float, loss: str) -> Population:
    """Targets in two clusters: 4 times the class, plus standard normal noise, predicted from x."""

    def predict(x: FloatArray) -> FloatArray:
        return JUMP * expit(_posterior_logit(x, share)) + (1.0 if loss == "pinball" else 0.0)

    risk_at = {"squared": lambda d: d**2 + 1, "absolute": _absolute, "pinball": _pinball}[loss]
    risk = (1 - share) * _expect(lambda x: risk_at(-predict(x)), 0)
    risk += share * _expect(lambda x: risk_at(JUMP - predict(x)), 1)
    level = LEVEL if loss == "pinball" else 0.5
    best = JUMP * share
    if loss != "squared":
        best = brentq(lambda a: (1 - share) * norm.cdf(a) + share * norm.cdf(a - JUMP) - level, -10, 15, xtol=1e-13)
    marginal = (1 - share) * risk_at(-best) + share * risk_at(JUMP - best)

    def draw(n: int, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
        label, x = _draw_x(share, n, rng)
        return JUMP * label + rng.normal(size=n), predict(x)

    options: dict[str, Any] = {"loss": loss} | ({"quantile": LEVEL} if loss == "pinball" else {})
    return Population(_name(share), options, float(1 - risk / marginal), draw)


def _absolute(d: Any) -> Any:
    """E|d + e|, e standard normal."""
    return d * (2 * norm.cdf(d) - 1) + 2 * norm.pdf(d)


def _pinball(d: Any) -> Any:
    """E of the pinball loss of residual d + e."""
    return LEVEL * d + d * norm.cdf(-d) * -1 + norm.pdf(d)


def _name(share: float) -> str:
    return f"{100 * (1 - share):g}/{100 * share:g}"


def populations() -> list[tuple[str, Population]]:
    """Every cell of the study, with the name of its loss."""
    cells: list[tuple[str, Population]] = []
    for share in (0.5, 0.05):
        name = _name(share)
        threshold = 0.5 if share == 0.5 else 0.3
        cells += [
            ("cross_entropy", cross_entropy(share)),
            ("zero_one", thresholded(share, "zero_one", threshold, name)),
            ("cost", thresholded(share, COST, 1 / 6, name)),
            *((loss, regression(share, loss)) for loss in ("squared", "absolute", "pinball")),
        ]
    return cells + [("zero_one", tied_classes(k, error)) for k, error in ((2, 0.01), (10, 0.01), (10, 0.7))]
