"""The numbers of the quiz of Chapter 3, by question."""

from __future__ import annotations

from math import sqrt

import numpy as np

from classex.models import BivariateNormal
from classex_book.course.texts import Numbers


def average() -> Numbers:
    sharp, blurred = 0.999, 0.5
    k = 100
    mean = (sharp + blurred) / 2
    right = (sharp ** (k - 1) + blurred ** (k - 1)) / 2
    return {
        "sharp": sharp,
        "blurred": blurred,
        "k": k,
        "of_mean": mean ** (k - 1),
        "mean": mean,
        "right": right,
        "power": k - 1,
        "easy": sharp ** (k - 1),
    }


def window() -> Numbers:
    k = 1000
    depth = 3 / k
    share = 1 - (1 - depth) ** (k - 1)
    return {"k": k, "depth": depth, "share": share, "box": (k - 1) * depth}


def repeats() -> Numbers:
    k1, between, within = 10, 0.2, 0.45
    few, many = (sqrt((between**2 + within**2 / r) / k1) for r in (5, 500))
    return {"k1": k1, "within": within, "between": between, "few": few, "many": many, "tenth": few / 10}


def agreement() -> Numbers:
    model = BivariateNormal(0.9)
    seen, million = model.average_accuracy([20, 10**6])
    return {"seen": seen, "million": million}


def halves() -> Numbers:
    n = 40
    rng = np.random.default_rng(0)
    distinct = np.mean([np.unique(rng.integers(n, size=n)).size for _ in range(2000)])
    return {"n": n, "distinct": distinct}
