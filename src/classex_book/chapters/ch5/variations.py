"""Exercises of Chapter 5 with other numbers."""

from __future__ import annotations

from math import ceil, log, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from classex.information import identification_accuracy, identification_information
from classex_book.course.texts import Numbers, Variations


def _channels_key(signal: float, candidates: int) -> int:
    return ceil(float(identification_information(0.5, candidates)) / (log(1 + signal) / 2))


def _five_numbers_key(gap: float, own: float, rival: float, with_truth: float, between: float) -> list[float]:
    alone, left = rival - between, own + between - 2 * with_truth
    return [gap / sqrt(alone), sqrt(left / alone), norm.cdf(gap / sqrt(alone + left))]


def _draw_accuracies(rng: np.random.Generator) -> Numbers:
    curve = identification_accuracy(float(rng.choice([0.5, 1.0, 1.5, 2.0])), np.arange(2, 7))
    noisy = np.sort(curve + rng.uniform(-0.03, 0.03, 5))[::-1]
    return {"accuracies": [round(float(a), 2) for a in noisy]}


def _implied_key(accuracies: list[float]) -> float:
    def gap(nats: float) -> float:
        return float(np.square(np.array(accuracies) - identification_accuracy(nats, np.arange(2, 7))).sum())

    return float(minimize_scalar(gap, bounds=(0, 8), method="bounded", options={"xatol": 1e-9}).x)


def _draw_voxels(rng: np.random.Generator) -> Numbers:
    return {
        "variances": [int(v) for v in rng.integers(2, 6, 2)],
        "covariance": float(rng.choice([-1.0, 0.5, 1.0, 1.5])),
        "response": [float(v) / 2 for v in rng.integers(-6, 7, 2)],
        "prediction": [float(v) / 2 for v in rng.integers(-6, 7, 2) + 0.5],
    }


def _whiten_key(variances: list[int], covariance: float, response: list[float], prediction: list[float]) -> float:
    (v, w), (a, b) = variances, (y - x for y, x in zip(response, prediction, strict=True))
    return -(w * a**2 - 2 * covariance * a * b + v * b**2) / (2 * (v * w - covariance**2))


def _mixture_key(easy: float, hard: float, k: int) -> list[float]:
    mean = [float(np.mean(identification_accuracy([easy, hard], size))) for size in (2, k)]
    return [float(identification_information(a, size)) for a, size in zip(mean, (2, k), strict=True)]


def _two_points_key(shift: float) -> float:
    def lost(y: float) -> float:
        return float(norm.pdf(y, shift) * np.logaddexp(0, -2 * shift * y))

    return log(2) - float(quad(lost, shift - 12, shift + 12, epsabs=1e-11)[0])


VARIATIONS: Variations = {
    "two-candidates": (
        lambda rng: {"accuracy": float(rng.choice([0.8, 0.85, 0.9, 0.97, 0.99]))},
        lambda accuracy: norm.ppf(accuracy) ** 2,
    ),
    "five-numbers": (
        lambda rng: {
            "gap": float(rng.choice([1.0, 1.5, 2.5, 3.0])),
            "own": float(rng.choice([2.0, 2.5, 3.0])),
            "rival": float(rng.choice([1.25, 1.5, 2.0])),
            "with_truth": float(rng.choice([0.25, 0.5])),
            "between": float(rng.choice([0.25, 0.5])),
        },
        _five_numbers_key,
    ),
    "tilt": (
        lambda rng: {"sd": float(rng.choice([1.0, 1.5, 2.0, 2.5, 4.0]))},
        lambda sd: [sd**2 / 2, -(sd**2) / 2, norm.cdf(-sd / 2)],
    ),
    "curve": (
        lambda rng: {
            "information": float(rng.choice([0.7, 1.5, 3.0, 5.0, 9.0])),
            "k": int(rng.choice([5, 40, 300, 5000, 10**6])),
        },
        lambda information, k: float(identification_accuracy(information, k)),
    ),
    "channels": (
        lambda rng: {
            "signal": float(rng.choice([0.01, 0.03, 0.05])),
            "candidates": int(rng.choice([50, 100, 400, 1000])),
        },
        _channels_key,
    ),
    "implied": (_draw_accuracies, _implied_key),
    "whiten": (_draw_voxels, _whiten_key),
    "easy-and-hard": (
        lambda rng: {
            "easy": float(rng.choice([4.0, 5.0, 6.0])),
            "hard": float(rng.choice([0.3, 0.5, 0.8])),
            "k": int(rng.choice([50, 100, 200])),
        },
        _mixture_key,
    ),
    "two-points": (lambda rng: {"shift": float(rng.choice([0.5, 0.7, 1.2, 1.5, 2.0]))}, _two_points_key),
}
