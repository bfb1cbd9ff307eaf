"""Exercises of Chapter 6 with other numbers."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

import numpy as np

from classex_book.chapters.drawn_tables import ROWS, mean_entropy, stacked
from classex_book.course.texts import Numbers, Variations


def _draw_screening(rng: np.random.Generator) -> Numbers:
    ill = int(rng.choice([30, 50, 60, 80]))
    return {"ill": ill, "found": ill - int(rng.integers(5, 15)), "alarms": int(rng.integers(10, 45))}


def _screening_key(ill: int, found: int, alarms: int) -> list[float]:
    errors = ill - found + alarms
    return [1 - errors / 2000, 1 - errors / ill]


def _draw_labels(rng: np.random.Generator) -> Numbers:
    mode = int(rng.integers(0, 4))
    return {"labels": [mode] * 3 + (mode + np.cumsum(rng.integers(1, 6, 7))).tolist()}


def _constants_key(labels: list[int]) -> list[float]:
    return [sum(labels) / 10, (labels[4] + labels[5]) / 2, (labels[8] + labels[9]) / 2, labels[0]]


def _draw_folds(rng: np.random.Generator) -> Numbers:
    drawn: Numbers = {}
    for fold, ill in (("first", int(rng.integers(1, 3))), ("second", int(rng.integers(2, 4)))):
        true = [0] * (5 - ill) + [1] * ill
        wrong = rng.choice(5, int(rng.integers(1, 3)), replace=False)
        drawn[fold] = true
        drawn[f"{fold}_called"] = [1 - label if i in wrong else label for i, label in enumerate(true)]
    return drawn


def _folds_key(first: list[int], first_called: list[int], second: list[int], second_called: list[int]) -> list[float]:
    def advantage(true: list[int], called: list[int]) -> float:
        errors = sum(a != b for a, b in zip(true, called, strict=True))
        return 1 - errors / min(sum(true), len(true) - sum(true))

    both = (advantage(first, first_called), advantage(second, second_called))
    return [sum(both) / 2, advantage(first + second, first_called + second_called)]


def _above_key(classes: int, margin: float) -> list[list[int]]:
    # two large classes that are never confused, and rare ones that are always missed
    del margin
    large = [[1000 if i == j else 0 for j in range(classes)] for i in range(2)]
    return large + [[1] + [0] * (classes - 1)] * (classes - 2)


def _cost_key(missed: int, alarms: int, lost: int) -> list[float]:
    well, sick = 10 * missed, 90
    return [float(sick < well), 1 - (alarms + lost * missed) / min(well, sick)]


def _draw_capped(rng: np.random.Generator) -> Numbers:
    while True:
        true = rng.integers(0, 12, 9)
        predicted, cap = true + rng.integers(-2, 3, 9), int(rng.integers(2, 5))
        # the best of the predicted labels must not do for the best of the true ones
        if _capped_risk(true, true, cap) < _capped_risk(predicted, true, cap):
            return {"true": true.tolist(), "predicted": predicted.tolist(), "cap": cap}


def _capped_risk(constants: Iterable[int], true: Iterable[int], cap: int) -> int:
    """What the best of these constants loses in all."""
    return min(sum(min(abs(a - y), cap) for y in true) for a in constants)


def _capped_key(true: list[int], predicted: list[int], cap: int) -> float:
    lost = sum(min(abs(a - y), cap) for a, y in zip(predicted, true, strict=True))
    return 1 - lost / _capped_risk(true, true, cap)


def _kappa_key(**rows: list[int]) -> list[float]:
    share = stacked(rows) / sum(map(sum, rows.values()))
    p, q, error = share.sum(axis=1), share.sum(axis=0), 1 - float(np.trace(share))
    return [1 - error / (1 - float(p.max())), 1 - error / (1 - float(p @ q))]


VARIATIONS: Variations = {
    "screening": (_draw_screening, _screening_key),
    "constants": (_draw_labels, _constants_key),
    "cost": (
        lambda rng: {
            "missed": int(rng.choice([5, 8, 12, 15, 30])),
            "alarms": int(rng.integers(5, 15)),
            "lost": int(rng.integers(1, 4)),
        },
        _cost_key,
    ),
    "normal": (
        lambda rng: {"rho": float(rng.choice([0.3, 0.5, 0.6, 0.7, 0.9]))},
        lambda rho: [rho**2, 1 - sqrt(1 - rho**2)],
    ),
    "hundred": (
        lambda rng: {"a": float(rng.choice([0.7, 0.8, 0.85, 0.95])), "b": float(rng.choice([0.3, 0.4, 0.5, 0.7]))},
        lambda a, b: [(10 * a - 1) / 9, (1000 * b - 1) / 999, 0.5 + (10 * a - 1) / 18],
    ),
    "folds": (_draw_folds, _folds_key),
    "advantage": (_draw_capped, _capped_key),
    "kappa": (
        lambda rng: {
            name: (rng.integers(0, 8, 3) + 20 * np.eye(3, dtype=int)[row]).tolist() for row, name in enumerate(ROWS)
        },
        _kappa_key,
    ),
    "above": (
        lambda rng: {"classes": int(rng.integers(3, 7)), "margin": float(rng.choice([0.15, 0.25, 0.3]))},
        _above_key,
    ),
    "blind-entropy": (
        lambda rng: {"faces": int(rng.choice([4, 8, 12, 20])), "rolls": int(rng.choice([15, 20, 40, 60]))},
        lambda faces, rolls: mean_entropy(faces, rolls),
    ),
}
