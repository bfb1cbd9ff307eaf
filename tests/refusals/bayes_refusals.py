# ruff: noqa: B023 - each call is made before the loop goes on
import numpy as np

import classex as cx
from classex.bayes import (
    average_bayes_accuracy,
    average_bayes_accuracy_bound,
    bayes_accuracy_bound,
    bayes_accuracy_variance_bound,
    cheapest_design,
    generalisation_accuracy_bound,
    required_classes,
)


def refused_bounds():
    for bound in [average_bayes_accuracy_bound, bayes_accuracy_bound, generalisation_accuracy_bound]:
        for changed, message in [
            ({"accuracy": 1.1}, "accuracy must be a number in \\[0, 1\\], not 1.1"),
            ({"n_classes": 1}, "n_classes must be an integer of at least 2 and at most 1000000000000000, not 1"),
            ({"n_repeats": 0}, "n_repeats must be an integer of at least 1 and at most 1000000000000000, not 0"),
            ({"n_repeats": [1, 2, 3]}, "n_repeats must be one integer or n_classes = 10 of them, not 3"),
            ({"n_repeats": [1] * 9 + [0]}, "n_repeats must hold whole numbers of at least 1, not 0"),
            ({"confidence_level": 1.0}, "confidence_level must be a number strictly between 0 and 1, not 1.0"),
            ({"n_classifiers": -1}, "n_classifiers must be an integer of at least 1 and at most 1000000000000000,"),
            ({"method": "guess"}, "method must be one of .*, not 'guess'"),
        ]:
            arguments = {"accuracy": 0.5, "n_classes": 10, "n_repeats": 2} | changed
            yield lambda: bound(arguments.pop("accuracy"), **arguments), message
    yield lambda: generalisation_accuracy_bound(0.5, n_classes=2, n_repeats=[1, 2]), "needs the same n_repeats for"


def refused_design():
    yield from [
        (lambda: required_classes(0.0, accuracy=0.9, n_repeats=1), "width must be a number strictly between 0 and 1"),
        (lambda: required_classes(0.5, accuracy=0.4, n_repeats=1), "width must be smaller than accuracy = 0.4"),
        (lambda: required_classes(0.1, accuracy=0.9, n_repeats=0), "n_repeats must be an integer of at least 1"),
        (lambda: cheapest_design(0.1, accuracy=0.9, class_cost=0.0), "class_cost must be a finite number greater"),
        (lambda: required_classes(0.1, accuracy=0.9, n_repeats=1, method="x"), "method must be one of"),
    ]


def refused_population():
    yield (
        lambda: average_bayes_accuracy_bound(0.5, n_classes=10, n_repeats=2, population_size=9),
        r"population_size must be an integer of at least 10 and at most 1\d+, not 9",
    )
    ranks = cx.correct_ranks(np.eye(6), np.arange(6))
    yield lambda: cx.information_confidence_bound(ranks, population_size=5), r"population_size must be an integer of"


def refused_simulation():
    for arguments, message in [
        (([[0.5, 0.4]], 2), "likelihood must integrate to 1 for every class, but row 0 gives 0.9"),
        (([[1.5, -0.5]], 2), "likelihood must not be negative, but holds -0.5"),
        (([[0.5, 0.5]], 0), "n_classes must hold whole numbers of at least 1, not 0"),
    ]:
        yield lambda: average_bayes_accuracy(*arguments), message
    yield (
        lambda: average_bayes_accuracy([[0.5, 0.5]], 2, weights=[1.0]),
        r"weights must have shape \(2,\), one",
    )
    for arguments, keywords, message in [
        ((1,), {}, "n_classes must be an integer of at least 2 and at most .*, not 1"),
        ((10,), {"average_accuracy": 1.2}, "average_accuracy must be a number in \\[0, 1\\], not 1.2"),
        ((10,), {"one_fewer": 0.5}, "one_fewer needs average_accuracy as well, but only 0.5 was given"),
        ((10,), {"average_accuracy": 0.5, "one_fewer": 0.4}, "one_fewer must lie between average_accuracy and"),
    ]:
        yield lambda: bayes_accuracy_variance_bound(*arguments, **keywords), message
