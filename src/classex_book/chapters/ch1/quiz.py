"""The numbers of the quiz of Chapter 1, by question."""

from __future__ import annotations

from math import sqrt

import numpy as np

from classex.curves.accuracy import accuracy_curve
from classex.models import BivariateNormal, RandomCode
from classex.ranks import correct_ranks
from classex_book.course.texts import Numbers


def error_bar() -> Numbers:
    error = sqrt(0.95 * 0.05 / 10_000)
    return {"error": error}


def subsets() -> Numbers:
    n, won = 10, 8
    scores = np.where(np.arange(n) < np.arange(n)[:, np.newaxis], -1.0, -2.0) + 3.0 * np.eye(n)
    rows = np.arange(n)
    scores[rows, (rows + 1) % n] = 2.0  # exactly one rival above every truth
    curve = accuracy_curve(correct_ranks(scores, rows), [2, 3])
    pair, triple = curve.accuracy
    return {"won": won, "rivals": n - 1, "pair": pair, "square": pair**2, "triple": triple, "n": n}


def independence() -> Numbers:
    pair, ten = BivariateNormal(0.9).average_accuracy([2, 10])
    return {"pair": pair, "product": pair**9, "ten": ten}


def resampling() -> Numbers:
    n = 50
    copy = 1 - (1 - 1 / n) ** (n - 1)
    return {"n": n, "copy": copy}


def codes() -> Numbers:
    short, long = (
        1 - code.average_accuracy_at_rate(0.8 * code.capacity)
        for code in (RandomCode(length=15, crossover=0.1), RandomCode(length=255, crossover=0.1))
    )
    return {"short": short, "long": long}
