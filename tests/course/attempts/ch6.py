"""Attempts at the exercises of Chapter 6."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from sklearn.metrics import cohen_kappa_score

import classex as cx


def advantage(true, predicted, loss, *, swapped=False, blind="truth", total=np.mean):
    def paid(answer):
        return total(loss(true, answer) if swapped else loss(answer, true))

    options = np.unique(predicted if blind == "predictions" else true)
    if blind == "mode":
        values, counts = np.unique(true, return_counts=True)
        options = values[[counts.argmax()]]
    if blind == "predictions":
        # the constant that fits the predictions best, then used on the truth
        options = [min(options, key=lambda a: np.mean(loss(np.full(len(predicted), a), predicted)))]
    return 1 - paid(predicted) / min(paid(np.full(len(true), a)) for a in options)


def by_sums(true, predicted, loss):
    best = None
    for a in sorted(set(true.tolist())):
        cost = float(np.sum(loss(np.array([a] * len(true)), true)))
        best = cost if best is None else min(best, cost)
    return (best - float(np.sum(loss(predicted, true)))) / best


def kappa(counts, *, axis=1, chance="product"):
    share = counts / counts.sum()
    p, q, error = share.sum(axis=axis), share.sum(axis=1 - axis), 1 - np.trace(share)
    agree = p @ q if chance == "product" else (1 / len(p) if chance == "even" else p @ p)
    return [1 - error / (1 - p.max()), 1 - error / (1 - agree)]


def kappa_by_scikit_learn(counts):
    true, predicted = (np.repeat(index.ravel(), counts.ravel()) for index in np.indices(counts.shape))
    most = np.bincount(true).max() / true.size
    return 1 - np.mean(true != predicted) / (1 - most), cohen_kappa_score(true, predicted)


def kappa_by_library(counts):
    measures = cx.advantage.confusion_measures(counts)
    return np.array([measures.prediction_advantage, measures.kappa])


def die(rng, n=5000, *, rolls=30, error=1.0, unit=1.0):
    share = rng.multinomial(rolls, np.full(6, 1 / 6), size=n) / rolls
    entropy = -np.sum(share * np.log(np.where(share > 0, share, 1)), axis=1) / unit
    return entropy.mean(), error * entropy.std(ddof=1) / np.sqrt(n)


def die_by_rolls(rng):
    rolls = rng.integers(6, size=(6000, 30))
    share = np.stack([(rolls == face).mean(axis=1) for face in range(6)])
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.nansum(share * np.log(share), axis=0)
    return [float(entropy.mean()), float(entropy.std(ddof=1) / 6000**0.5)]


ATTEMPTS = {
    "exr-ch6-screening": (
        [[0.98, 0.75], [0.98, 0.96], [98, 0]],  # the share found; over an even guess; per cent
        [(0.98, 0.0), [Fraction(1960, 2000), 1 - Fraction(40, 40)]],
    ),
    "exr-ch6-constants": (
        [[5, 2.5, 18, 5], [2.5, 2.5, 16, 0], [5, 2.5, 4, 0]],
        [np.array([5.0, 3.0, 12.0, 0.0]), (5, 2, 20, 0)],
    ),
    "exr-ch6-cost": (
        [[0, 1 - 30 / 200], [1, 1 - 210 / 90], [1, 1 / 3]],
        [(1, Fraction(2, 3)), np.array([1, 60 / 90])],
    ),
    "exr-ch6-normal": (
        [[0.64, 0.64], [0.8, 0.4], [0.36, 0.6]],
        [(0.8**2, 1 - 0.6), [Fraction(16, 25), Fraction(2, 5)]],
    ),
    "exr-ch6-hundred": (
        [[0.8, 0.599, 0.9], [8 / 9, 599 / 999, 8 / 9], [8 / 9, 0.6, 17 / 18]],
        [
            [*cx.advantage.advantage_of_accuracy([0.9, 0.6], [10, 1000]), 17 / 18],
            (Fraction(8, 9), Fraction(599, 999), Fraction(17, 18)),
        ],
    ),
    "exr-ch6-folds": ([[0.5, 0.5], [1 / 4, 1 / 4], [0.5, 0.25]], [(0.25, 0.5), [(0 + 1 / 2) / 2, 1 - 2 / 4]]),
    "exr-ch6-advantage": (
        [
            lambda *a: advantage(*a, swapped=True),
            lambda *a: advantage(*a, blind="predictions"),
            lambda *a: advantage(*a, blind="mode"),
        ],
        [advantage, by_sums],
    ),
    "exr-ch6-kappa": (
        [
            lambda counts: kappa(counts, axis=0),
            lambda counts: kappa(counts, chance="even"),
            lambda counts: kappa(counts, chance="truth"),
        ],
        [kappa_by_scikit_learn, kappa_by_library],
    ),
    "exr-ch6-above": (
        [[[98, 2], [2, 98]], np.diag([5, 5, 5]), [[9, 1, 0], [1, 9, 0], [0, 1, 9]]],
        [
            [[600, 0, 0], [0, 390, 0], [10, 0, 0]],
            np.array([[5000, 0, 0, 0], [0, 4900, 0, 0], [9, 0, 0, 0], [0, 9, 0, 0]]),
        ],
    ),
    "exr-ch6-blind-entropy": (
        [
            lambda rng: die(rng, unit=np.log(2)),
            lambda rng: die(rng, error=0.4),
            lambda rng: die(rng, rolls=31),
        ],
        [die, die_by_rolls],
    ),
}
