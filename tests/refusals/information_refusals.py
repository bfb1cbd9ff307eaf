# ruff: noqa: B023 - each call is made before the loop goes on
from dataclasses import replace

import numpy as np
import pytest

import classex as cx
from classex.information import (
    ExtremalChannel,
    accuracy_ceiling,
    compare_implied_information,
    confusion_information,
    curve_information_bound,
    curve_test,
    extremal_density,
    fano_bound,
    identification_accuracy,
    identification_information,
    implied_information,
    information_bound,
    information_confidence_bound,
)
from tests.refusals.worlds import ranked


def refused_ceiling():
    yield lambda: accuracy_ceiling(-1.0, 2), "information must be at least 0"
    yield lambda: accuracy_ceiling(1.0, 1), "n_classes must hold whole numbers of at least 2"
    yield lambda: accuracy_ceiling(1.0, 2.5), "n_classes must hold whole numbers"
    yield lambda: accuracy_ceiling([1.0, 2.0], [2, 3, 4]), "shapes must broadcast"
    yield lambda: information_bound(1.2, 2), r"accuracy must be in \[0, 1\], not 1.2"
    yield lambda: information_bound(np.nan, 2), "accuracy must be in"
    yield lambda: information_bound(0.5, 2, error=-0.5), r"error must be in \[0, 1\]"
    yield lambda: information_bound(0.5, 2, error=0.4), r"error must be 1 - accuracy, but accuracy is 0\.5 and error"
    yield lambda: fano_bound(2.0, 2), r"accuracy must be in \[0, 1\]"
    yield lambda: information_bound("half", 2), "accuracy must hold numbers", TypeError
    for bound in (accuracy_ceiling, information_bound):
        yield lambda f=bound: f(0.5, 9, population_size=8), "population_size must be an integer of at least 9"


def refused_confidence():
    scores = np.random.default_rng(0).standard_normal((4, 4))
    ranks = cx.correct_ranks(scores, [0, 1, 2, 3])
    fewer = cx.correct_ranks(scores[:3, :3], [0, 1, 2])
    yield lambda: information_confidence_bound([]), "ranks must hold at least one CorrectRanks"
    yield lambda: information_confidence_bound([scores]), "ranks must be a CorrectRanks, not ndarray: call", TypeError
    yield lambda: information_confidence_bound([ranks, fewer]), "share their number of classes, but hold 4 and 3"
    yield lambda: information_confidence_bound(ranks, n_classes=[5]), "n_classes must hold whole numbers of at least 2"
    yield lambda: information_confidence_bound(ranks, n_classes=[3, 3]), r"each number of classes once, not \[3, 3\]"
    yield lambda: information_confidence_bound(ranks, confidence_level=1.0), "confidence_level must be a number"
    yield lambda: information_confidence_bound(ranks, n_classifiers=0), "n_classifiers must be an integer of at least 1"
    yield lambda: information_confidence_bound(ranks, method="thesis"), "method must be one of 'chernoff', 'joint'"
    with pytest.warns(UserWarning, match="only 2 clusters"):
        families = cx.ranks.in_clusters(ranks, [0, 0, 1, 1])
    yield lambda: information_confidence_bound(families), "ranks must not be in clusters: the bound needs tasks of"
    uneven = replace(cx.correct_ranks(scores[[0, 0, 1, 2, 3]], [0, 0, 1, 2, 3]), class_balanced=False)
    yield lambda: information_confidence_bound(uneven), "ranks must be balanced by class"
    yield lambda: information_confidence_bound(ranks, answered=[1, 0, 1, 1]), "answered must have one truth value"
    yield lambda: information_confidence_bound(ranks, answered=[True] * 3), "for each of the 4 test points"
    other = cx.correct_ranks(scores, [1, 0, 2, 3])
    yield lambda: information_confidence_bound([ranks, other], answered=[True] * 4), "be of the same test points"


def refused_confusion():
    yield lambda: confusion_information([[1, -1], [0, 2]]), r"confusion\[0, 1\] is -1.0"
    yield lambda: confusion_information([[1, 1], [0.5, 2]]), r"confusion\[1, 0\] is 0.5"
    yield lambda: confusion_information([[1, 1]]), "at least two rows and two columns"
    yield lambda: confusion_information([[1, 1], [0, 0]]), "row 1 is empty"
    yield lambda: confusion_information([[1, 1], [1, 1]], correction="bootstrap"), "correction must be one of"
    yield lambda: confusion_information([[1, 1], [1, 1]], confidence_level=1), "confidence_level must be a number"


def refused_curve():
    yield lambda: curve_information_bound([0.5, 0.6], [5, 5]), r"each number of classes once, not \[5, 5\]"
    yield lambda: curve_information_bound([0.5, 0.6, 0.7], [5, 6]), r"accuracy has \(3,\).* and n_classes has \(2,\)"
    yield lambda: curve_information_bound([0.5, 1.6], [5, 6]), r"accuracy must be in \[0, 1\], not 1\.6"


def refused_extremal():
    yield lambda: ExtremalChannel(information=0.0, n_classes=2), "information must be a finite number greater than 0"
    yield lambda: ExtremalChannel(information=701.0, n_classes=2), "information must be at most 700 nats"
    yield lambda: ExtremalChannel(information=1.0, n_classes=1), "n_classes must be an integer of at least 2"
    yield lambda: extremal_density(1.5, 1.0, 2), r"t must be in \[0, 1\], not 1.5"
    yield lambda: extremal_density(0.5, 1000.0, 2), "information must be at most 700 nats"
    yield lambda: extremal_density([0.1, 0.2, 0.3], [1.0, 2.0], 2), "must broadcast"
    channel = ExtremalChannel(information=1.0, n_classes=2)
    yield lambda: channel.sample(0), "size must be an integer of at least 1"
    yield lambda: channel.respond([np.nan]), "x must be finite"
    yield lambda: channel.scores([[0.1]], [0.2]), "points must have 1 axes"


def refused_identification():
    yield lambda: identification_accuracy(-0.1, 2), "information must be at least 0"
    yield lambda: identification_accuracy(1.0, 0), "n_classes must hold whole numbers of at least 2"
    yield lambda: identification_information(-0.1, 2), r"accuracy must be in \[0, 1\]"
    yield lambda: identification_information(0.9, 2, error=0.2), "error must be 1 - accuracy"


def refused_implied():
    ranks = ranked(40, 1)
    for function in [implied_information, curve_test]:
        yield lambda: function(np.eye(3)), "ranks must be a CorrectRanks, not ndarray: call correct_ranks", TypeError
        yield lambda: function(cx.correct_ranks(np.eye(4), np.arange(4))), "ranks must have at least 5 classes, not 4"
        yield lambda: function(replace(ranks, distractors=None)), "ranks must carry a distractor table"
    yield lambda: implied_information(ranks, method="moments"), "method must be one of 'likelihood', 'least_squares'"
    yield lambda: implied_information(ranks, confidence_level=1.0), "confidence_level must be a number strictly"
    yield lambda: compare_implied_information(ranks, ranked(39, 1)), "first and second must have the same classes,"
    yield lambda: compare_implied_information(ranks, None), "second must be a CorrectRanks", TypeError
    scores = np.random.default_rng(0).normal(size=(30, 20))
    yield lambda: curve_test(cx.correct_ranks(scores, [3] * 30)), "at least 2 classes, not 1"
