"""Attempts at the exercises of Chapter 2."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
from scipy.stats import binom

import classex as cx

ALPHA = np.array([0.05, 0.001])
RIGHT = np.array([18, 20, 17, 19, 20, 15])
VALID = cx.average_bayes_accuracy_bound(RIGHT.mean() / 20, n_classes=6, n_repeats=20, n_classifiers=3)


def width(n, alpha):
    return np.sqrt(np.log(1 / alpha) / (2 * n))


def strictly_below(n, p, alpha):
    s = np.arange(n + 1)
    return binom.pmf(s, n, p)[s / n - width(n, alpha) > p].sum()


def two_sided(n, p, alpha):
    s = np.arange(n + 1)
    return binom.pmf(s, n, p)[np.abs(s / n - p) <= width(n, alpha / 2)].sum()


def by_threshold(n, p, alpha):
    return binom.cdf(np.floor(n * (p + width(n, alpha)) + 1e-9), n, p)


def by_hand(n, p, alpha):
    return sum(comb(n, s) * p**s * (1 - p) ** (n - s) for s in range(n + 1) if s / n - width(n, alpha) <= p)


def without_copies(channel, k):
    values = [channel[list(rows)].max(axis=0).sum() / k for rows in combinations(range(len(channel)), k)]
    return np.mean(values), np.var(values)


def sample_variance(channel, k):
    values = [channel[list(rows)].max(axis=0).sum() / k for rows in product(range(len(channel)), repeat=k)]
    return np.mean(values), np.var(values, ddof=1)


def deviation(channel, k):
    values = [channel[list(rows)].max(axis=0).sum() / k for rows in product(range(len(channel)), repeat=k)]
    return np.mean(values), np.std(values)


def by_moments(channel, k):
    n = len(channel)
    first = second = 0.0
    for rows in product(range(n), repeat=k):
        value = sum(max(channel[x, y] for x in rows) for y in range(channel.shape[1])) / k
        first, second = first + value / n**k, second + value**2 / n**k
    return first, second - first**2


def by_counting(channel, k):
    sets = Counter(tuple(sorted(rows)) for rows in product(range(len(channel)), repeat=k))
    weight = np.array(list(sets.values())) / len(channel) ** k
    value = np.array([channel[list(rows)].max(axis=0).sum() / k for rows in sets])
    return np.array([weight @ value, weight @ value**2 - (weight @ value) ** 2])


def best_by_masses(n_classifiers, n, p):
    below = binom.cdf(np.arange(-1, n + 1), n, p) ** n_classifiers
    return np.diff(below) @ np.arange(n + 1) / n


def sharp(n_classes, n_unmistakable):
    channel = np.zeros((n_classes, n_unmistakable + 1))
    channel[np.arange(n_unmistakable), np.arange(n_unmistakable)] = 1
    channel[n_unmistakable:, n_unmistakable] = 1
    return channel


def cdf_to_n(n_classifiers, n, p):
    return np.sum(1 - binom.cdf(np.arange(1, n + 1), n, p) ** n_classifiers) / n


ATTEMPTS = {
    "exr-ch2-boxes": (
        [[7 / 4, 5 / 2], [1 / 3, 5 / 6], [1 / 2, 2 / 3]],  # not divided; the common part; pairs only
        [np.array([7, 10]) / 12, (Fraction(7, 12), Fraction(5, 6))],
    ),
    "exr-ch2-unmistakable": (
        [[7 / 9, 5 / 81, 1 / 8], [7 / 9, 5**0.5 / 9, 10 / 81], [2 / 3, 1 / 36, 1 / 9]],
        [
            (1 - 0.5 * 4 / 9, 0.25 * 4 / 9 * 5 / 9, 0.5 * 5 / 9 * 4 / 9),
            [Fraction(7, 9), Fraction(5, 81), Fraction(10, 81)],
        ],
    ),
    "exr-ch2-price": (
        [1 / np.sqrt(ALPHA * np.log(1 / ALPHA)), 1 / ALPHA, 1 / (2 * ALPHA * np.log(1 / ALPHA))],
        [1 / (ALPHA * np.log(1 / ALPHA)), tuple(-1 / (a * np.log(a)) for a in ALPHA)],
    ),
    "exr-ch2-budget": (
        [[100, 2, 2], [10, 121 / 202, 121 / 202], [10, 202, 202]],
        [(10, 202 / 121, 202 / 121), np.array([10, 2 * 101, 1.01 * 200]) / [1, 121, 121]],
    ),
    "exr-ch2-coverage": ([strictly_below, two_sided, lambda _n, _p, alpha: 1 - alpha], [by_threshold, by_hand]),
    "exr-ch2-enumerate": ([without_copies, sample_variance, deviation], [by_moments, by_counting]),
    "exr-ch2-winner": (
        [lambda _L, _n, p: p, lambda L, n, p: binom.ppf(1 - 1 / L, n, p) / n if L > 1 else p, cdf_to_n],
        [best_by_masses, lambda L, n, p: float(sum(1 - binom.cdf(s, n, p) ** L for s in range(n)) / n)],
    ),
    "exr-ch2-restless": (
        [np.eye(400), np.full((10, 10), 0.1), sharp(600, 300)],
        [sharp(400, 200), sharp(300, 150).tolist()],
    ),
    "exr-ch2-own-bound": (
        [(RIGHT, 20, 3, RIGHT.mean() / 20), (RIGHT / 20, 20, 3, VALID), (RIGHT, 20, VALID)],
        [(RIGHT, 20, 3, VALID), [RIGHT.tolist(), 20.0, 3, float(VALID)]],
    ),
}
