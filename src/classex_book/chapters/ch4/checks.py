"""Checkers of the exercises of Chapter 4; the truth comes from quadrature, enumeration and exact sums."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import exp, expm1, lgamma, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex.curves.accuracy import accuracy_curve
from classex.information import (
    accuracy_ceiling,
    curve_information_bound,
    fano_bound,
    information_bound,
    information_confidence_bound,
)
from classex.models import GaussianSequence
from classex.ranks import correct_ranks
from classex.ranks.ranks import CorrectRanks
from classex_book.chapters.drawn_tables import draw_channel, mean_entropy, stacked
from classex_book.course.answers import (
    as_array,
    as_number,
    honest_estimator,
    require,
    same_array,
    same_function,
    same_number,
)
from classex_book.course.texts import Numbers, Variations

Array = NDArray[np.float64]


def check_short_list(answer: object, left: int = 4) -> None:
    # Midpoints of a fine grid, on which q is exact
    n = 100_000 * left
    t = (np.arange(n) + 0.5) / n
    q = np.where(t > 1 - 1 / left, float(left), 0.0)
    information = float(np.mean(q * np.log(np.where(q > 0, q, 1.0))))
    same_array(answer, [information, *(_short_list_accuracy(left, k) for k in (2, 10))], tolerance=1e-5)


def _short_list_accuracy(left: int, k: int) -> float:
    n = 100_000 * left
    t = (np.arange(n) + 0.5) / n
    return float(np.mean(np.where(t > 1 - 1 / left, float(left), 0.0) * t ** (k - 1)))


def check_two_classes(answer: object, c: float = 1.0) -> None:
    t = (np.arange(400_000) + 0.5) / 400_000
    q = np.exp(c * t) / np.mean(np.exp(c * t))
    same_array(answer, [float(np.mean(q * np.log(q))), float(np.mean(q * t))])


def check_faint(answer: object, few: int = 2, many: int = 10) -> None:
    truth = []
    for k in (few, many, 10**6):
        accuracy = (1 + 1e-3) / k
        truth.append(float(information_bound(accuracy, k) / fano_bound(accuracy, k)))
    same_array(answer, truth, tolerance=2e-3)


def check_lottery(answer: object, one_in: int = 100) -> None:
    # the accuracy bound inverted by bisection on the ceiling
    accuracy = 1 / one_in + (1 - 1 / one_in) * 0.5
    low, high = 1e-9, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if accuracy_ceiling(middle, 2) < accuracy else (low, middle)
    same_array(answer, [float(one_in), accuracy, low], tolerance=1e-7)


def _by_quadrature(nats: float, k: int) -> float:
    """The ceiling by Gauss quadrature on panels that halve towards 1, and bisection in log c."""
    nodes, weights = np.polynomial.legendre.leggauss(60)

    def moments(c: float) -> tuple[float, float]:
        # t in [0, 1] by panels that halve towards 1
        edges = 1 - np.concatenate([[1.0], 2.0 ** -np.arange(1, 60), [0.0]])
        half = np.diff(edges)[:, np.newaxis] / 2
        t = edges[:-1, np.newaxis] + half * (nodes + 1)
        share = np.exp(c * (t ** (k - 1) - 1)) * half * weights
        total = share.sum()
        accuracy = float((share * t ** (k - 1)).sum() / total)
        return accuracy, c * accuracy - (c + float(np.log(total)))

    low, high = -12.0, 25.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if moments(np.exp(middle))[1] < nats else (low, middle)
    return moments(np.exp(low))[0]


def check_ceiling(answer: object, **values: float) -> None:
    same_function(
        answer,
        _by_quadrature,
        {
            "nats = 1, k = 2": (1.0, 2),
            "nats = .05, k = 2": (0.05, 2),
            "nats = 2, k = 10": (2.0, 10),
            "nats = 3, k = 50": (3.0, 50),
        },
        values=values,
        tolerance=1e-5,
    )


def _functionals(channel: Array, k: int) -> tuple[float, float]:
    """Information of the table, and the average Bayes accuracy over all tuples of rows."""
    rows, letters = channel.shape
    marginal = channel.mean(axis=0)
    information = sum(
        channel[x, y] / rows * log(channel[x, y] / marginal[y])
        for x, y in product(range(rows), range(letters))
        if channel[x, y] > 0
    )
    accuracy = np.mean([channel[list(chosen)].max(axis=0).sum() / k for chosen in product(range(rows), repeat=k)])
    return float(information), float(accuracy)


def check_functionals(answer: object, k: int | None = None, **rows: list[float]) -> None:
    if k is not None:
        same_array(answer, _functionals(np.array(list(rows.values())), k))
        return
    rng = np.random.default_rng(41)
    cases: dict[str, tuple[Array, int]] = {"the identity of size 3 and k = 2": (np.eye(3), 2)}
    for classes, letters, size in ((2, 2, 3), (4, 3, 3), (5, 6, 2), (3, 4, 5)):
        channel = rng.dirichlet(np.full(letters, 0.7), size=classes)
        cases[f"a channel of shape {channel.shape} and k = {size}"] = (channel, size)
    same_function(answer, _functionals, cases, tolerance=1e-8)


def _ranks(seed: int, k: int, repeats: int, signal: float) -> CorrectRanks:
    sample = GaussianSequence(n_features=30, signal=signal).sample(k, n_repeats=repeats, rng=seed)
    return correct_ranks(sample.scores, sample.labels)


def _proven(
    n_sizes: int, k: int, i: int, *, accuracy: Sequence[float], n_classes: int, n_repeats: int, alpha: float
) -> float:
    """Bound in nats from one of the sizes: the ceiling, by quadrature, is searched for the accuracy bound."""
    bound = accuracy[i] - float(np.sqrt((1 + 1 / n_repeats) * log(n_sizes / alpha) / (2 * n_classes)))
    low, high = 0.0, 30.0
    for _ in range(30):  # to 3e-8
        middle = (low + high) / 2
        low, high = (middle, high) if _by_quadrature(middle, k) < bound else (low, middle)
    return low


def check_proof(answer: object, sizes: Sequence[int] = (), **case: Any) -> None:
    if sizes:
        same_number(answer, max(_proven(len(sizes), k, i, **case) for i, k in enumerate(sizes)), tolerance=1e-5)
        return
    cases, truths = {}, []
    for seed, k, repeats, signal, named, alpha in (
        (1, 60, 5, 4.0, (60, 12, 2), 0.05),
        (2, 40, 1, 8.0, (2, 5, 20), 0.2),
        (3, 20, 10, 0.5, (20,), 0.01),
        (4, 100, 20, 6.0, (4, 20, 100), 0.05),
    ):
        ranks = _ranks(seed, k, repeats, signal)
        accuracy = accuracy_curve(ranks, named).accuracy
        bound = information_confidence_bound(ranks, n_classes=named, confidence_level=1 - alpha, method="joint")
        words = f"{k} classes with {repeats} points each and sizes {named}"
        cases[words] = (accuracy, np.array(named), k, repeats, alpha)
        truths.append(float(bound.information_by_class_count.max()))
    right = iter(truths)
    same_function(answer, lambda *_: next(right), cases, tolerance=1e-6)


def _average_accuracy(channel: Array, k: int) -> float:
    """Average Bayes accuracy: the largest of k likelihoods at each letter has its distribution function to the k."""
    rows = len(channel)
    ordered = np.sort(channel, axis=0)
    steps = np.diff((np.arange(rows + 1) / rows) ** k)
    return float((steps @ ordered).sum() / k)


def check_nearly_extremal(answer: object, left: int | None = None, k: int = 10) -> None:
    if left is not None:
        same_number(answer, _by_quadrature(log(left), k) - _short_list_accuracy(left, k), tolerance=1e-5)
        return
    channel = as_array(answer, (None, None), "a channel, an array with two axes")
    require(min(channel.shape) >= 1 and max(channel.shape) <= 400, "the channel has more than 400 rows or columns")
    require((channel >= 0).all(), "probabilities must not be negative")
    require(np.allclose(channel.sum(axis=1), 1, rtol=0, atol=1e-9), "a row does not sum to 1")
    marginal = channel.mean(axis=0)
    positive = channel > 0
    ratio = np.where(positive, channel, 1.0) / np.where(marginal > 0, marginal, 1.0)
    information = float((channel * np.where(positive, np.log(ratio), 0.0)).sum() / len(channel))
    require(information <= 1 + 1e-9, "the information is above 1 nat")
    lacking = float(accuracy_ceiling(1.0, 10)) - _average_accuracy(channel, 10)
    require(lacking <= 0.01, "the average Bayes accuracy with 10 classes is more than .01 below the ceiling")


def _mean_entropy_terms(n: int, cells: int) -> float:
    """Mean of -sum (N/n) log(N/n) over the cells of a uniform multinomial count."""
    p = 1 / cells
    total = 0.0
    for s in range(1, n):
        log_weight = lgamma(n + 1) - lgamma(s + 1) - lgamma(n - s + 1) + s * log(p) + (n - s) * log(1 - p)
        total -= np.exp(log_weight) * (s / n) * log(s / n)
    return cells * total


def check_guessing(answer: object, labels: int = 50, points: int | None = None) -> None:
    if points is not None:
        exact = _mean_entropy_terms(labels * points, labels) - _mean_entropy_terms(points, labels)
        same_number(answer, exact, tolerance=2e-3)
        return
    truth = _mean_entropy_terms(250, 50) - _mean_entropy_terms(5, 50)
    honest_estimator(answer, truth, largest_error=0.01)


def check_own_proof(answer: object) -> None:
    names = ("information", "confidence_level", "class_counts", "accuracy", "accuracy_bound")
    for name in names:
        require(hasattr(answer, name), f"the answer has no {name}")
    information, level = as_number(answer.information), as_number(answer.confidence_level)  # type: ignore[attr-defined]
    sizes = as_array(answer.class_counts, (None,))  # type: ignore[attr-defined]
    accuracy = as_array(answer.accuracy, (None, sizes.size))  # type: ignore[attr-defined]
    bounds = as_array(answer.accuracy_bound, accuracy.shape)  # type: ignore[attr-defined]
    require(level >= 0.95, "the confidence level is below .95")
    require(sizes.size > 0 and sizes.max() >= 5, "there are fewer than five classes")
    require((bounds <= accuracy + 1e-12).all(), "a bound lies above its accuracy")
    # the joint set takes back at most half of an allowance
    least, most = (
        curve_information_bound(np.maximum(a, 1 / sizes).max(axis=0), sizes).information
        for a in (bounds, (bounds + accuracy) / 2)
    )
    matches = least - 1e-3 <= information <= most + 1e-6
    require(matches, "the information does not follow from the accuracy bounds")
    require(information > 0, "the bound is 0; take more classes, more points or an easier task")


# Other numbers: drawn from a seed, with a key that is worked out in another way than the checkers' truth


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
