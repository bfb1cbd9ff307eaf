"""Exercises of Chapter 1 with other numbers."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, pi

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from classex.models import RandomCode
from classex_book.course.texts import Numbers, Variations

# whether the order of the labels survives when a class is left out
_KEEPS_ORDER = {
    "minus the distance": 1,
    "the softmax of minus the distance": 1,
    "the distance after subtracting the mean of all classes": 1,
    "the distance after dividing by the standard deviation of all classes": 0,
    "the cosine after subtracting the mean of all classes": 0,
    "the distance to the two nearest, the standardised distance to all others": 0,
}
_PLACES = ("first", "second", "third", "fourth")


def _wins_key(wins: list[int]) -> list[Fraction]:
    return [Fraction(sum(comb(w, k - 1) for w in wins), 5 * comb(4, k - 1)) for k in (2, 3, 5)]


def _draw_kinds(rng: np.random.Generator) -> Numbers:
    return {"easy": float(rng.choice([0.85, 0.9, 0.95])), "hard": float(rng.choice([0.3, 0.4, 0.5, 0.6]))}


def _budget_key(easy: float, hard: float) -> list[float]:
    between = ((easy - hard) / 2) ** 2
    within = (easy * (1 - easy) + hard * (1 - hard)) / 2
    return [(between / k + within / 1000) ** 0.5 for k in (10, 100, 1000)]


def _most_key(length: int, crossover: float) -> int:
    code = RandomCode(length=length, crossover=crossover)
    low, high = 1, 2
    while code.average_accuracy(high) >= 0.9:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if code.average_accuracy(middle) >= 0.9 else (low, middle)
    return low


def _ties_key(beaten: int, tied: int) -> list[Fraction]:
    return [(beaten + Fraction(tied, 2)) / (beaten + tied), Fraction(1, tied + 1)]


def _draw_gaps(rng: np.random.Generator) -> Numbers:
    left, right = sorted(float(gap) for gap in rng.choice([0.5, 1.0, 1.5, 2.0, 2.5, 3.0], 2, replace=False))
    return {"left": left, "right": right}


def _gaps_key(left: float, right: float) -> list[float]:
    same = (left + right) / 2
    return [float(2 * norm.cdf(a / 2) + 2 * norm.cdf(b / 2) - 1) / 3 for a, b in ((same, same), (left, right))]


def _draw_scores(rng: np.random.Generator) -> Numbers:
    return {name: [int(score) for score in rng.permutation(4) + 1] for name in _PLACES}


def _scores_key(**scores: list[int]) -> list[Fraction]:
    wins = [sum(other < row[i] for other in row) for i, row in enumerate(scores[name] for name in _PLACES)]
    return [Fraction(sum(comb(won, k - 1) for won in wins), 4 * comb(3, k - 1)) for k in (2, 3)]


def _draw_rules(rng: np.random.Generator) -> Numbers:
    return dict(zip(_PLACES, map(str, rng.choice(list(_KEEPS_ORDER), 4, replace=False)), strict=True))


def _circle_key(noise: float, classes: int) -> float:
    def weighted(error: float) -> float:
        turns = (norm.pdf(error + 2 * pi * turn, scale=noise) for turn in range(-2, 3))
        return float(2 * sum(turns) * (1 - error / pi) ** (classes - 1))

    return float(quad(weighted, 0, pi)[0])


def _draw_margins(rng: np.random.Generator) -> Numbers:
    many = float(rng.choice([0.1, 0.2, 0.3, 0.4, 0.5]))
    return {"few": round(0.95 - many, 2), "many": many}


def _crossing_key(few: float, many: float) -> list[list[int]]:
    won = round(10 * many)
    assert few + many < 98 / 99
    return [[98] * 10, [99] * won + [0] * (10 - won)]


VARIATIONS: Variations = {
    "wins": (
        lambda rng: {"wins": sorted((int(w) for w in rng.choice([4, 4, 3, 3, 2, 1, 0], 5)), reverse=True)},
        _wins_key,
    ),
    "ties": (lambda rng: {"beaten": int(rng.integers(2, 5)), "tied": int(rng.integers(1, 4))}, _ties_key),
    "three-points": (_draw_gaps, _gaps_key),
    "budget": (_draw_kinds, _budget_key),
    "copies": (
        lambda rng: {"few": int(rng.integers(2, 6)), "many": int(rng.choice([20, 30, 40, 60, 80]))},
        lambda few, many: [*(1 - (1 - Fraction(1, n)) ** n for n in (few, many)), 1 - exp(-1)],
    ),
    "every-subset": (_draw_scores, _scores_key),
    "marginal": (_draw_rules, lambda **rules: [_KEEPS_ORDER[rules[name]] for name in _PLACES]),
    "most-codewords": (
        lambda rng: {"length": int(rng.integers(25, 56)), "crossover": float(rng.choice([0.05, 0.08, 0.12, 0.15]))},
        _most_key,
    ),
    "circle": (
        lambda rng: {"noise": float(rng.choice([0.3, 0.4, 0.6, 0.9])), "classes": int(rng.choice([3, 4, 6, 8]))},
        _circle_key,
    ),
    "crossing": (_draw_margins, _crossing_key),
}
