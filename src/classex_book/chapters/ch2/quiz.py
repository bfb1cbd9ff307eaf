"""The numbers of the quiz of Chapter 2, by question."""

from __future__ import annotations

from math import log, sqrt

from classex.bayes import average_bayes_accuracy_bound, bayes_accuracy_variance_bound
from classex.models import BivariateNormal, PartlyIdentifiable
from classex_book.course.texts import Numbers


def _bound(accuracy: float, k: int, r: int, n_classifiers: int = 1) -> float:
    return average_bayes_accuracy_bound(accuracy, n_classes=k, n_repeats=r, n_classifiers=n_classifiers, method="joint")


def whose_accuracy() -> Numbers:
    bound = _bound(0.9, 200, 50)
    return {"bound": bound}


def classes_or_points() -> Numbers:
    now, points, classes = (0.9 - _bound(0.9, k, r) for k, r in ((100, 10), (100, 10**9), (200, 10)))
    return {"now": now, "points": points, "classes": classes}


def selection() -> Numbers:
    one, many = (0.9 - _bound(0.9, 100, 20, tried) for tried in (1, 100))
    factor = log(100 / 0.05) / log(1 / 0.05)
    return {"one": one, "many": many, "factor": factor}


def other_sizes() -> Numbers:
    ten, hundred = BivariateNormal(0.99).average_bayes_accuracy([10, 100])
    return {"ten": ten, "hundred": hundred}


def burst() -> Numbers:
    naive, honest = (0.9 - _bound(0.9, 50, r) for r in (40, 1))
    return {"honest": honest, "naive": naive}


def sharp() -> Numbers:
    worst = sqrt(bayes_accuracy_variance_bound(100))
    exact = sqrt(PartlyIdentifiable(share=0.5).bayes_accuracy_variance(100))
    return {"worst": worst, "exact": exact}
