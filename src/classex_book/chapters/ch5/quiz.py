"""The numbers of the quiz of Chapter 5, by question."""

from __future__ import annotations

from math import erf, log, sqrt

import numpy as np

from classex.information import (
    identification_accuracy,
    identification_information,
    implied_information,
    information_bound,
)
from classex.ranks import correct_ranks
from classex_book.course.texts import Numbers


def two_laboratories() -> Numbers:
    ten, hundred = (float(identification_accuracy(2.0, k)) for k in (10, 100))
    return {
        "ten": ten,
        "hundred": hundred,
        "first": identification_accuracy(2.0, 100),
        "hundred_chance": hundred * 100,
        "ten_chance": ten * 10,
    }


def twice() -> Numbers:
    one, two = (float(identification_accuracy(nats, 10)) for nats in (1.0, 2.0))
    return {"one": one, "double": 2 * one, "either": 1 - (1 - one) ** 2, "two": two}


def width() -> Numbers:
    mean = 3.0
    spread = sqrt(2 * mean)
    return {"spread": spread, "narrow": sqrt(mean)}


def perfect() -> Numbers:
    result = implied_information(correct_ranks(np.eye(60), np.arange(60)))
    return {"log_sixty": log(60), "low": result.interval.low}


def bound() -> Numbers:
    implied = float(identification_information(0.9, 100))
    bound = float(information_bound(0.9, 100))
    return {"implied": implied, "bound": bound}


def neighbours() -> Numbers:
    two = 0.5 * (1 + erf(1.0))
    return {"two": two}
