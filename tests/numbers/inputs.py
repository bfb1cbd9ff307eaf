"""The register of cases, and the small data sets that they share: seeded, so that every run sees the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx

Case = Callable[[], Iterable[Any]]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    """Register a function that returns numbers and arrays; its name is the name of the stored values."""
    assert function.__name__ not in CASES, function.__name__
    CASES[function.__name__] = function
    return function


@cache
def scores(n_classes: int, n_repeats: int, signal: float, seed: int = 0) -> NDArray[np.float64]:
    """Scores of n_repeats points a class: standard normal, with the signal added at the correct label."""
    noise = np.random.default_rng(seed).standard_normal((n_classes * n_repeats, n_classes))
    return noise + signal * np.repeat(np.eye(n_classes), n_repeats, axis=0)


def labels(n_classes: int, n_repeats: int = 1) -> NDArray[np.int64]:
    """The correct labels of n_repeats points a class, class after class."""
    return np.repeat(np.arange(n_classes), n_repeats)


@cache
def untied() -> cx.CorrectRanks:
    """Two points for each of 25 classes."""
    return cx.correct_ranks(scores(25, 2, 2.0), labels(25, 2))


@cache
def tied() -> cx.CorrectRanks:
    """Two points for each of 20 classes, with scores rounded to halves."""
    return cx.correct_ranks(np.round(2 * scores(20, 2, 2.0, 1)) / 2, labels(20, 2))


@cache
def unequal() -> cx.CorrectRanks:
    """Fifteen classes, of which twelve have from one to four points and three have none."""
    rows = np.repeat(np.arange(12), [1, 2, 3, 4] * 3)
    noise = np.random.default_rng(2).standard_normal((rows.size, 15))
    return cx.correct_ranks(noise + 2.0 * (rows[:, np.newaxis] == np.arange(15)), rows, classes=range(15))


@cache
def many() -> cx.CorrectRanks:
    """Three points for each of 60 classes."""
    return cx.correct_ranks(scores(60, 3, 2.5, 3), labels(60, 3))


@cache
def sampled() -> cx.CorrectRanks:
    """Wins against 19 of the wrong labels among 1,000 classes."""
    wins = np.random.default_rng(4).binomial(19, np.random.default_rng(5).beta(6, 1, 80))
    return cx.ranks_from_wins(wins, 1000, n_wrong=19)


def costs(n_classes: int) -> NDArray[np.float64]:
    """Half the difference of the labels' numbers."""
    return np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes))) / 2.0
