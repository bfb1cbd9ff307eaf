"""Exercises of Chapter 4 with other numbers."""

from __future__ import annotations

from math import exp, expm1, log, sqrt

import numpy as np

from classex.information import accuracy_ceiling, information_bound
from classex_book.chapters.drawn_tables import draw_channel, mean_entropy, stacked
from classex_book.course.texts import Numbers, Variations


def _two_classes_key(c: float) -> list[float]:
    zeta = expm1(c) / c
    accuracy = (exp(c) * (c - 1) + 1) / c**2 / zeta
    return [c * accuracy - log(zeta), accuracy]


def _functionals_key(k: int, **rows: list[float]) -> list[float]:
    channel = stacked(rows)
    p_y = channel.mean(axis=0)
    q = np.sort(channel, axis=0) / p_y
    steps = np.diff((np.arange(4) / 3) ** k) / k
    return [float(p_y @ (q * np.log(q)).mean(axis=0)), float(p_y @ (steps @ q))]


def _draw_proof(rng: np.random.Generator) -> Numbers:
    return {
        "accuracy": [round(float(rng.uniform(0.5, 0.7)), 2), round(float(rng.uniform(0.75, 0.9)), 2)],
        "sizes": [int(rng.choice([50, 60, 80])), int(rng.choice([8, 10, 12]))],
        "n_classes": int(rng.choice([100, 150, 200])),
        "n_repeats": int(rng.choice([4, 5, 10])),
        "alpha": float(rng.choice([0.02, 0.05, 0.1])),
    }


def _proof_key(accuracy: list[float], sizes: list[int], n_classes: int, n_repeats: int, alpha: float) -> float:
    allowance = sqrt((1 + 1 / n_repeats) * log(len(sizes) / alpha) / (2 * n_classes))
    return max(float(information_bound(max(a - allowance, 1 / k), k)) for a, k in zip(accuracy, sizes, strict=True))


def _guessing_key(labels: int, points: int) -> float:
    return mean_entropy(labels, labels * points) - mean_entropy(labels, points)


VARIATIONS: Variations = {
    "short-list": (
        lambda rng: {"left": int(rng.choice([2, 3, 5, 6, 8]))},
        lambda left: [log(left), *(left / k * (1 - (1 - 1 / left) ** k) for k in (2, 10))],
    ),
    "two-classes": (lambda rng: {"c": float(rng.choice([0.5, 1.5, 2.0, 2.5, 3.0]))}, _two_classes_key),
    "faint": (
        lambda rng: {"few": int(rng.choice([3, 4, 5, 6])), "many": int(rng.choice([15, 25, 60]))},
        lambda few, many: [(2 * few - 1) / (few - 1), (2 * many - 1) / (many - 1), 2],
    ),
    "lottery": (
        lambda rng: {"one_in": int(rng.choice([20, 25, 40, 50, 80]))},
        lambda one_in: [one_in, 0.5 + 0.5 / one_in, float(information_bound(0.5 + 0.5 / one_in, 2))],
    ),
    "ceiling": (
        lambda rng: {"nats": float(rng.choice([0.3, 0.8, 1.5, 2.5])), "k": int(rng.choice([3, 5, 8, 20, 30]))},
        lambda nats, k: float(accuracy_ceiling(nats, k)),
    ),
    "functionals": (draw_channel, _functionals_key),
    "proof": (_draw_proof, _proof_key),
    "nearly-extremal": (
        lambda rng: {"left": int(rng.choice([2, 3, 5, 6, 8])), "k": int(rng.choice([2, 3, 5, 10, 20]))},
        lambda left, k: float(accuracy_ceiling(log(left), k)) - left / k * (1 - (1 - 1 / left) ** k),
    ),
    "guessing": (
        lambda rng: {"labels": int(rng.choice([20, 30, 40, 80])), "points": int(rng.choice([3, 4, 8, 10]))},
        _guessing_key,
    ),
}
