"""Attempts at the exercises of Chapter 1."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import numpy as np
from scipy.special import comb
from scipy.stats import norm

import classex as cx
from classex.models import GaussianClasses

WINS = np.array([4, 4, 3, 1, 0])
SAMPLE = GaussianClasses(n_features=3, noise=0.2).sample(8, rng=1)
CURVE = cx.accuracy_curve(cx.correct_ranks(SAMPLE.scores, SAMPLE.labels))
K = np.arange(1, 7)


def of_points(scores, labels, k):
    wins = cx.correct_ranks(scores, labels).wins
    return np.mean(comb(wins, k - 1) / comb(scores.shape[1] - 1, k - 1))


def first_subset(scores, labels, k):
    kept = labels < k
    return np.mean(scores[kept][:, :k].argmax(axis=1) == labels[kept])


def columns_only(scores, labels, k):
    """Points whose own class was thrown away still count, as errors."""
    subsets = combinations(range(scores.shape[1]), k)
    return np.mean([np.mean(np.array(s)[scores[:, s].argmax(axis=1)] == labels) for s in subsets])


def by_ranks(scores, labels, k):
    return float(cx.accuracy_curve(cx.correct_ranks(scores, labels), int(k)).accuracy[0])


def by_loops(scores, labels, k):
    accuracies = []
    for subset in combinations(range(scores.shape[1]), k):
        per_class = []
        for i in subset:
            rows = [row for row, label in zip(scores, labels, strict=True) if label == i]
            per_class.append(sum(max(subset, key=row.__getitem__) == i for row in rows) / len(rows))
        accuracies.append(sum(per_class) / k)
    return sum(accuracies) / len(accuracies)


def same_scores(rule, points, references):
    full = rule(points, references)
    return all(
        np.allclose(rule(points, np.delete(references, i, axis=0)), np.delete(full, i, axis=1))
        for i in range(len(references))
    )


def same_best(rule, points, references):
    full = rule(points, references)
    for i in range(len(references)):
        rest = np.delete(np.arange(len(references)), i)
        if (rule(points, references[rest]).argmax(axis=1) != full[:, rest].argmax(axis=1)).any():
            return False
    return True


def last_left_out(rule, points, references):
    full = rule(points, references)[:, :-1]
    return bool((np.argsort(full, axis=1)[:, -1] == np.argsort(rule(points, references[:-1]), axis=1)[:, -1]).all())


def same_comparisons(rule, points, references):
    full = rule(points, references)
    for i in range(len(references)):
        rest = [j for j in range(len(references)) if j != i]
        now = rule(points, references[rest])
        for a, one in enumerate(rest):
            for b, other in enumerate(rest):
                if ((now[:, a] > now[:, b]) != (full[:, one] > full[:, other])).any():
                    return False
    return True


def order_of_ranks(rule, points, references):
    def places(scores):
        return scores.argsort(axis=1).argsort(axis=1)

    full = rule(points, references)
    return all(
        np.array_equal(places(np.delete(full, i, axis=1)), places(rule(points, np.delete(references, i, axis=0))))
        for i in range(len(references))
    )


def circle(rng, n=20_000, *, per_set=1, error=None, wrap=True):
    classes = rng.uniform(-np.pi, np.pi, size=(n // per_set, 1, 5))
    seen = classes[:, :, :1] + 0.5 * rng.normal(size=(n // per_set, per_set, 1))
    gap = seen - classes
    distance = np.abs(np.angle(np.exp(1j * gap))) if wrap else np.abs(gap)
    right = (distance.argmin(axis=2) == 0).astype(float)
    if error == "sets":
        right = right.mean(axis=1)
    if error == "rivals":
        return right.mean(), right.std() / np.sqrt(classes.size)  # as if every class drawn were a test point
    return right.mean(), right.std(ddof=1) / np.sqrt(right.size)


def circle_without_rivals(rng):
    gap = np.abs(np.angle(np.exp(0.5j * rng.normal(size=20_000))))
    power = (1 - gap / np.pi) ** 4
    return np.array([power.mean(), power.std(ddof=1) / np.sqrt(power.size)])


ATTEMPTS = {
    "exr-ch1-wins": (
        [
            np.mean((WINS / 4)[:, None] ** [1, 2, 4], axis=0),  # drawn with replacement
            [3 / 5, 1 / 2, 1 / 5],  # one certain point overlooked
            [2 / 5, 2 / 5, 2 / 5],  # only points that beat everybody
        ],
        [np.array([0.6, 0.5, 0.4]), (Fraction(12, 20), Fraction(15, 30), Fraction(2, 5))],
    ),
    "exr-ch1-ties": (
        [[3 / 4, 1], [1 / 2, 0], [1 / 2, 1 / 2]],  # a tie won, lost, and the beaten label forgotten
        [(0.75, 0.5), np.array([Fraction(3, 4), Fraction(1, 2)])],
    ),
    "exr-ch1-three-points": (
        [
            2 * norm.cdf([0.5, 1]) - 1,  # the middle class for all
            [(4 * norm.cdf(0.5) - 1) / 3, (2 * norm.cdf(1) - 1) / 3],  # the gap of 0 dropped
            [(4 * norm.cdf(1) - 1) / 3, (2 * norm.cdf(2) + 2 * norm.cdf(0) - 1) / 3],  # the gap not halved
        ],
        [
            [(4 * norm.cdf(1 / 2) - 1) / 3, (2 * norm.cdf(1) + 2 * norm.cdf(0) - 1) / 3],
            (1 - 4 / 3 * norm.sf(0.5), 2 / 3 * norm.cdf(1)),
        ],
    ),
    "exr-ch1-budget": (
        [
            np.full(3, np.sqrt(0.21 / 1000)),  # the binomial formula
            0.04 / np.array([10, 100, 1000]) + 0.17 / 1000,  # variances
            np.sqrt(0.04 / np.array([10, 100, 1000])),  # photographs forgotten
        ],
        [
            np.sqrt(0.04 / np.array([10, 100, 1000]) + 0.00017),
            [((0.2**2 + 0.17 / r) / k) ** 0.5 for k, r in ((10, 100), (100, 10), (1000, 1))],
        ],
    ),
    "exr-ch1-copies": (
        [
            [0.5, 0.98**50, np.exp(-1)],  # the complement
            [3 / 4, 1 - 0.98**49, 1 - np.exp(-1)],  # one draw too few
            [0.75, 0.64, 0.63],  # rounded
        ],
        [(0.75, 1 - 0.98**50, 1 - 1 / np.e), [Fraction(3, 4), 1 - Fraction(49, 50) ** 50, -np.expm1(-1)]],
    ),
    "exr-ch1-every-subset": ([of_points, first_subset, columns_only], [by_ranks, by_loops]),
    "exr-ch1-marginal": ([same_scores, same_best, last_left_out], [same_comparisons, order_of_ranks]),
    "exr-ch1-most-codewords": (
        # the first that fails; the capacity taken at its word; a number that is not whole
        [lambda best: best + 1, lambda _: int(np.exp(63 * 0.368)), lambda best: best - 0.5],
        [lambda best: best, float],
    ),
    "exr-ch1-circle": (
        [
            lambda rng: circle(rng, 40_000, per_set=20),  # points of one set are not independent
            lambda rng: circle(rng, error="rivals"),
            lambda rng: circle(rng, wrap=False),
        ],
        [lambda rng: circle(rng, 80_000, per_set=4, error="sets"), circle_without_rivals],
    ),
    "exr-ch1-crossing": (
        [([98], [98, 0]), ([99], [99, 99]), ([98.5], [99, 0])],
        [[[98] * 3, [99, 0]], (np.full(10, 97), np.repeat([99, 10], 5))],
    ),
    "exr-ch1-own-data": (
        [
            SimpleNamespace(n_classes=K, accuracy=1 / K, standard_error=0.01 * (K > 1)),  # labels mixed up
            CURVE.accuracy,  # the accuracies alone
            SimpleNamespace(n_classes=K[1:], accuracy=1 / K[1:] ** 0.5, standard_error=0.01 + 0 * K[1:]),
        ],
        [CURVE, SimpleNamespace(n_classes=list(K), accuracy=1 / K**0.5, standard_error=0.01 * (K > 1))],
    ),
}
