"""Checkers of the exercises of Chapter 2; the truth comes from enumeration, exact integers and the library's bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, factorial, log, prod, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from classex._types import AverageBoundMethod
from classex.bayes import average_bayes_accuracy_bound
from classex.models import PartlyIdentifiable
from classex_book.chapters.drawn_tables import draw_channel, stacked
from classex_book.course.answers import Mismatch, as_array, as_number, require, same_array, same_function, same_number
from classex_book.course.texts import Numbers, Variations

Array = NDArray[np.float64]


def check_boxes(answer: object, near: Sequence[int] = (0, 2, 3), far: Sequence[int] = (0, 2, 12)) -> None:
    # cells of width 1/4, each either covered by a class or not
    truth = []
    for starts in (near, far):
        covered = {cell for start in starts for cell in range(start, start + 4)}
        truth.append(len(covered) / 4 / 3)
    same_array(answer, truth)


def check_unmistakable(answer: object, one_in: int = 3) -> None:
    share = Fraction(1, one_in)
    cases = []
    for kinds in product((True, False), repeat=2):
        weight = prod((share if kind else 1 - share for kind in kinds), start=Fraction(1))
        envelope = sum(kinds) + (1 if not all(kinds) else 0)
        cases.append((weight, Fraction(envelope, 2)))
    mean = sum((w * value for w, value in cases), start=Fraction(0))
    variance = sum((w * (value - mean) ** 2 for w, value in cases), start=Fraction(0))
    gain = 2 * mean - 1
    same_array(answer, [float(mean), float(variance), float(gain * (1 - gain) / 2)])


def check_price(answer: object, alphas: Sequence[float] = (0.05, 0.001)) -> None:
    truth = []
    for alpha in alphas:
        # a width is proportional to k^(-1/2), so the squared ratio of two widths at one k is the ratio of the k
        widths = [
            0.999
            - average_bayes_accuracy_bound(
                0.999, n_classes=10**6, n_repeats=10**15, confidence_level=1 - alpha, method=method
            )
            for method in ("thesis", "joint")
        ]
        truth.append((widths[0] / widths[1]) ** 2)
    same_array(answer, truth, tolerance=1e-3)


def check_budget(answer: object, person: int = 100) -> None:
    cost = [Fraction(r + 1, r) * (person + r) for r in range(1, 2 * person + 1)]
    least = min(cost)
    truth = [float(cost.index(least) + 1), float(cost[0] / least), float(cost[person - 1] / least)]
    same_array(answer, truth)


def _pmf(n: int, p: float) -> Array:
    """Binomial probabilities, their coefficients from exact integers."""
    return np.array([comb(n, s) * p**s * (1 - p) ** (n - s) for s in range(n + 1)])


def check_coverage(answer: object, **values: float) -> None:
    def truth(n: int, p: float, alpha: float) -> float:
        width = np.sqrt(np.log(1 / alpha) / (2 * n))
        return float(sum(share for s, share in enumerate(_pmf(n, p)) if s / n - width <= p))

    same_function(
        answer,
        truth,
        {
            "n = 10, p = .5, alpha = .05": (10, 0.5, 0.05),
            "n = 60, p = .9, alpha = .05": (60, 0.9, 0.05),
            "n = 200, p = .7, alpha = .2": (200, 0.7, 0.2),
            "n = 1, p = .3, alpha = .9": (1, 0.3, 0.9),
            "n = 50, p = 1, alpha = .05": (50, 1.0, 0.05),
        },
        values=values,
        tolerance=1e-8,
    )


def _moments(channel: Array, k: int) -> tuple[float, float]:
    """Mean and variance of the Bayes accuracy over multisets of k rows, each with its multinomial weight."""
    kinds = len(channel)
    weights, values = [], []
    for chosen in combinations_with_replacement(range(kinds), k):
        repeats = prod(factorial(chosen.count(kind)) for kind in set(chosen))
        weights.append(factorial(k) / repeats / kinds**k)
        values.append(channel[list(chosen)].max(axis=0).sum() / k)
    weight, value = np.array(weights), np.array(values)
    mean = float(weight @ value)
    return mean, float(weight @ (value - mean) ** 2)


def check_enumerate(answer: object, k: int | None = None, **rows: list[float]) -> None:
    if k is not None:
        same_array(answer, _moments(np.array(list(rows.values())), k))
        return
    rng = np.random.default_rng(21)
    cases: dict[str, tuple[Array, int]] = {"two opposite classes and k = 2": (np.eye(2), 2)}
    for kinds, letters, size in ((3, 4, 2), (4, 3, 3), (2, 5, 4), (5, 5, 1)):
        channel = rng.dirichlet(np.full(letters, 0.5), size=kinds)
        cases[f"a channel of shape {channel.shape} and k = {size}"] = (channel, size)
    same_function(answer, _moments, cases, tolerance=1e-9)


def check_winner(answer: object, **values: float) -> None:
    def truth(n_classifiers: int, n: int, p: float) -> float:
        below = np.cumsum(_pmf(n, p)) ** n_classifiers
        return float(np.arange(n + 1) @ np.diff(below, prepend=0.0) / n)

    same_function(
        answer,
        truth,
        {
            "1 classifier": (1, 60, 0.7),
            "2 classifiers and one point": (2, 1, 0.5),
            "100 classifiers and 60 points": (100, 60, 0.7),
            "10 classifiers and 500 points": (10, 500, 0.95),
        },
        values=values,
        tolerance=1e-8,
    )


def check_restless(answer: object, share: float | None = None, k: int = 10) -> None:
    if share is not None:
        same_number(answer, 4 * k * float(PartlyIdentifiable(share=share).bayes_accuracy_variance(k)))
        return
    channel = as_array(answer, (None, None), "a channel, an array with two axes")
    require(min(channel.shape) >= 1 and max(channel.shape) <= 500, "the channel has more than 500 rows or columns")
    require((channel >= 0).all(), "probabilities must not be negative")
    require(np.allclose(channel.sum(axis=1), 1, rtol=0, atol=1e-9), "a row does not sum to 1")
    rng = np.random.default_rng(22)
    drawn = [channel[rng.integers(len(channel), size=10)].max(axis=0).sum() / 10 for _ in range(4000)]
    scaled = 40 * float(np.var(drawn, ddof=1))
    require(scaled >= 0.8 - 0.05, "the variance of the Bayes accuracy is below 0.8 / (4k) with k = 10 random classes")


def check_own_bound(answer: object) -> None:
    if not isinstance(answer, tuple | list) or len(answer) != 4:
        raise Mismatch("the answer must be a tuple of four")
    right = as_array(answer[0], (None,))
    repeats, tried, bound = (as_number(part) for part in answer[1:])
    for name, value in (("test points per class", repeats), ("number of classifiers", tried)):
        require(value >= 1 and value == np.floor(value), f"the {name} must be a whole number, at least 1")
    require(right.size >= 5, "there are fewer than five classes")
    require(
        ((right >= 0) & (right <= repeats) & (right == np.floor(right))).all(),
        "right answers must be whole numbers from 0 to the test points per class",
    )
    valid: Callable[[AverageBoundMethod], float] = lambda method: average_bayes_accuracy_bound(  # noqa: E731
        float(right.mean() / repeats),
        n_classes=right.size,
        n_repeats=int(repeats),
        n_classifiers=int(tried),
        method=method,
    )
    bounds = [valid(method) for method in ("thesis", "split", "joint", "chernoff")]
    require(bound <= max(bounds) + 1e-9, "the bound is above what these data allow with 95 % confidence")
    require(bound >= min(bounds) - 1e-9, "the bound is below the thesis's bound, which is also valid")


# Other numbers: drawn from a seed, with a key that is worked out in another way than the checkers' truth


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
