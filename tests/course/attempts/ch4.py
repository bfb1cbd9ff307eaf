"""Attempts at the exercises of Chapter 4."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

import classex as cx
from classex.models import GaussianClasses

SAMPLE = GaussianClasses(n_features=5, noise=0.01).sample(30, n_repeats=5, rng=1)
RANKS = cx.correct_ranks(SAMPLE.scores, SAMPLE.labels)
BOUND = cx.information_confidence_bound(RANKS)


def ceiling(nats, k, *, power=None, base=1.0):
    t = 1 - np.concatenate([[0.0], np.logspace(-13, 0, 200_001)])[::-1]
    middle, step = (t[1:] + t[:-1]) / 2, np.diff(t)
    shape = middle ** ((k if power is None else power) - 1)

    def moments(c):
        exponent = c * (shape - 1)
        total = np.exp(exponent) @ step
        density = np.exp(exponent) / total
        return float(density @ (step * middle ** (k - 1))), float(density @ (step * (exponent - np.log(total))))

    log_c = brentq(lambda x: moments(np.exp(x))[1] - nats * base, -12, 12)
    return moments(np.exp(log_c))[0]


def functionals(channel, k, *, unit=1.0, sort=True, copies=True):
    n = len(channel)
    marginal = channel.mean(axis=0)
    q = channel / marginal
    information = float((channel * np.log(np.where(channel > 0, q, 1))).sum() / n / unit)
    ordered = np.sort(q, axis=0) if sort else q
    steps = np.diff((np.arange(n + 1) / n) ** k) / k
    if not copies:
        sets = [s for s in product(range(n), repeat=k) if len(set(s)) == k] or [tuple(range(n))]
        return information, float(np.mean([channel[list(s)].max(axis=0).sum() / k for s in sets]))
    return information, float(marginal @ (steps @ ordered))


def by_visiting(channel, k):
    sets = product(range(len(channel)), repeat=k)
    joint = channel / len(channel)
    parts = joint * np.log(np.where(joint > 0, channel / channel.mean(axis=0), 1))
    return [parts.sum(), np.mean([channel[list(s)].max(axis=0).sum() for s in sets]) / k]


def proof(accuracy, sizes, n_classes, n_repeats, alpha, *, paid=True, own=False, repeats=True):
    level = alpha / len(sizes) if paid else alpha
    spread = 1 + 1 / n_repeats if repeats else 1
    allowance = np.sqrt(spread * np.log(1 / level) / (2 * (np.asarray(sizes) if own else n_classes)))
    return cx.information_bound(np.maximum(accuracy - allowance, 1 / np.asarray(sizes)), sizes).max()


def proof_by_loop(accuracy, sizes, n_classes, n_repeats, alpha):
    best = 0.0
    for a, k in zip(accuracy, sizes, strict=True):
        bound = a - ((1 + 1 / n_repeats) / 2 / n_classes * np.log(len(sizes) / alpha)) ** 0.5
        if bound > 1 / k:
            best = max(best, float(cx.information_bound(bound, int(k))))
    return best


def blur(n, nats):
    q = cx.information.extremal_density((np.arange(n) + 0.5) / n, nats, 10)
    return np.array([np.roll(q / q.sum(), x) for x in range(n)])


def renamed(n, nats):
    """The letters in another order, which changes nothing."""
    return blur(n, nats)[:, np.random.default_rng(3).permutation(n)].tolist()


def short_list(n):
    row = np.zeros(n)
    row[: round(n / np.e) + 1] = 1
    return np.array([np.roll(row / row.sum(), x) for x in range(n)])


def entropy(counts):
    share = counts / counts.sum(axis=-1, keepdims=True)
    return -(share * np.log(np.where(share > 0, share, 1))).sum(axis=-1)


def guessing(rng, tables=150, *, unit=1.0, error=1.0, kind="information"):
    counts = rng.multinomial(5, np.full(50, 1 / 50), size=(tables, 50))
    values = (entropy(counts.sum(axis=1)) - (entropy(counts).mean(axis=1) if kind == "information" else 0)) / unit
    return values.mean(), error * values.std(ddof=1) / np.sqrt(tables)


def guessing_by_labels(rng):
    values = []
    for _ in range(120):
        table = np.zeros((50, 50))
        np.add.at(table, (np.repeat(np.arange(50), 5), rng.integers(50, size=250)), 1)
        values.append(entropy(table.sum(axis=0)) - entropy(table).mean())
    return np.mean(values), np.std(values, ddof=1) / np.sqrt(len(values))


ACCURACY = 1 / (np.e - 1)
LIST10 = 4 / 10 * (1 - 0.75**10)

ATTEMPTS = {
    "exr-ch4-short-list": (
        [[np.log2(4), 7 / 8, LIST10], [np.log(4), 3 / 4, LIST10], [np.log(4 / 3), 7 / 8, LIST10]],
        [
            (2 * np.log(2), Fraction(7, 8), LIST10),
            [
                float(np.log2(4) * np.log(2)),
                *(quad(lambda t, k=k: 4 * t ** (k - 1), 0.75, 1)[0] for k in (2, 10)),
            ],
        ],
    ),
    "exr-ch4-two-classes": (
        [[ACCURACY, ACCURACY - np.log(np.e - 1)], [ACCURACY, ACCURACY], [np.log(np.e - 1), ACCURACY]],
        [(ACCURACY - np.log(np.e - 1), ACCURACY), [ACCURACY - 1 - np.log1p(-np.exp(-1)), np.exp(-1) / -np.expm1(-1)]],
    ),
    "exr-ch4-faint": (
        [[1, 1, 1], [3 / 2, 19 / 18, 1], [3, 21 / 9, 2]],
        [(3, Fraction(19, 9), 2), np.array([(2 * k - 1) / (k - 1) for k in (2, 10, 10**9)])],
    ),
    "exr-ch4-lottery": (
        [[100, 0.5, 0], [100, 0.505, cx.fano_bound(0.505, 2)], [np.log(100), 0.505, cx.information_bound(0.505, 2)]],
        [
            (1 / 0.01, 0.01 + 0.99 / 2, float(cx.information_bound(0.505, 2))),
            [
                100,
                Fraction(101, 200),
                brentq(lambda x: float(cx.accuracy_ceiling(x, 2)) - 0.505, 1e-8, 0.1, xtol=1e-14),
            ],
        ],
    ),
    "exr-ch4-ceiling": (
        [
            lambda nats, k: min(1.0, np.exp(nats) / k),
            lambda nats, k: ceiling(nats, k, base=np.log(2)),  # bits
            lambda nats, k: ceiling(nats, k, power=k + 1),  # t^k in the density
        ],
        [ceiling, cx.accuracy_ceiling],
    ),
    "exr-ch4-functionals": (
        [
            lambda channel, k: functionals(channel, k, unit=np.log(2)),
            lambda channel, k: functionals(channel, k, sort=False),
            lambda channel, k: functionals(channel, k, copies=False),
        ],
        [functionals, by_visiting],
    ),
    "exr-ch4-proof": (
        [
            lambda *a: proof(*a, paid=False),
            lambda *a: proof(*a, own=True),
            lambda *a: proof(*a, repeats=False),
        ],
        [proof, proof_by_loop],
    ),
    "exr-ch4-nearly-extremal": (
        [np.eye(300), short_list(270), blur(500, 0.9)],
        [blur(200, 0.98), renamed(250, 0.985)],
    ),
    "exr-ch4-guessing": (
        [
            lambda rng: guessing(rng, unit=np.log(2)),
            lambda rng: guessing(rng, error=0.2),  # as if every row were a table
            lambda rng: guessing(rng, kind="entropy"),
        ],
        [guessing, guessing_by_labels],
    ),
    "exr-ch4-own-proof": (
        [
            dataclasses.replace(BOUND, information=BOUND.information + 1),
            dataclasses.replace(BOUND, confidence_level=0.5),
            BOUND.information,  # the number alone
        ],
        [BOUND, cx.information_confidence_bound(RANKS, n_classes=(5, 10, 30), method="joint")],
    ),
}
