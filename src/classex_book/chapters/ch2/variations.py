"""Exercises of Chapter 2 with other numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, log, sqrt

import numpy as np
from scipy.stats import binom

from classex_book.chapters.drawn_tables import draw_channel, stacked
from classex_book.course.texts import Numbers, Variations


def _boxes_key(near: list[int], far: list[int]) -> list[Fraction]:
    return [Fraction(sum(min(4, b - a) for a, b in zip(s, [*s[1:], s[-1] + 4], strict=True)), 12) for s in (near, far)]


def _draw_boxes(rng: np.random.Generator) -> Numbers:
    second = int(rng.integers(1, 3))
    return {
        "near": [0, second, second + int(rng.integers(1, 3))],
        "far": [0, second, second + 4 * int(rng.integers(2, 5))],
    }


def _coverage_key(n: int, p: float, alpha: float) -> float:
    return float(binom.cdf(np.floor(n * (p + sqrt(log(1 / alpha) / (2 * n)))), n, p))


def _channel_key(k: int, **rows: list[float]) -> list[float]:
    channel = stacked(rows)
    accuracy = [channel[list(drawn)].max(axis=0).sum() / k for drawn in product(range(3), repeat=k)]
    return [float(np.mean(accuracy)), float(np.var(accuracy))]


def _winner_key(n_classifiers: int, n: int, p: float) -> float:
    return float(np.sum(1 - binom.cdf(np.arange(n), n, p) ** n_classifiers) / n)


def _restless_key(share: float, k: int) -> float:
    unmistakable = np.arange(k + 1)
    weight = np.array([comb(k, m) * share**m * (1 - share) ** (k - m) for m in unmistakable])
    points = unmistakable + (unmistakable < k)
    return float(4 / k * (weight @ points**2 - (weight @ points) ** 2))


VARIATIONS: Variations = {
    "boxes": (_draw_boxes, _boxes_key),
    "unmistakable": (
        lambda rng: {"one_in": int(rng.choice([2, 4, 5, 6]))},
        lambda one_in: [
            1 - Fraction(one_in - 1, one_in) ** 2 / 2,
            Fraction(one_in - 1, one_in) ** 2 * (1 - Fraction(one_in - 1, one_in) ** 2) / 4,
            Fraction(one_in - 1, one_in) ** 2 * (1 - Fraction(one_in - 1, one_in) ** 2) / 2,
        ],
    ),
    "price": (
        lambda rng: {"alphas": [float(rng.choice([0.1, 0.08, 0.04])), float(rng.choice([0.02, 0.01, 0.005]))]},
        lambda alphas: [1 / (a * log(1 / a)) for a in alphas],
    ),
    "budget": (
        lambda rng: {"person": int(rng.integers(4, 13)) ** 2},
        lambda person: [round(person**0.5), *2 * [2 * (1 + person) / (1 + person**0.5) ** 2]],
    ),
    "coverage": (
        lambda rng: {
            "n": int(rng.choice([12, 20, 30, 45])),
            "p": float(rng.choice([0.4, 0.5, 0.6])),
            "alpha": float(rng.choice([0.1, 0.2, 0.3])),
        },
        _coverage_key,
    ),
    "enumerate": (draw_channel, _channel_key),
    "winner": (
        lambda rng: {
            "n_classifiers": int(rng.choice([5, 10, 20, 50])),
            "n": int(rng.choice([30, 50, 80, 120])),
            "p": float(rng.choice([0.6, 0.75, 0.8])),
        },
        _winner_key,
    ),
    "restless": (
        lambda rng: {"share": float(rng.choice([0.3, 0.4, 0.6, 0.7, 0.8])), "k": int(rng.integers(4, 13))},
        _restless_key,
    ),
}
