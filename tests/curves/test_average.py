"""The average over test points, beside the class-balanced one: scikit-learn's two accuracies, and brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score

import classex as cx
from classex.curves.accuracy import weigh
from classex.ranks.scores import Tally, count_scores

COUNTS = np.array([1, 9, 2, 5, 1, 7, 3, 12])


def unbalanced(seed=0, k=8, signal=1.5):
    """Classes of unequal size; the larger ones are easier."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(k), np.resize(COUNTS, k))
    scores = rng.normal(size=(labels.size, k))
    scores[np.arange(labels.size), labels] += signal * np.resize(COUNTS, k)[labels] / 4
    return scores, labels


def test_with_all_classes_they_are_the_accuracies_of_scikit_learn():
    scores, labels = unbalanced()
    ranks, guesses = cx.correct_ranks(scores, labels), scores.argmax(axis=1)
    points = cx.accuracy_curve(ranks, 8, average="points")
    balanced = cx.accuracy_curve(ranks, 8)
    assert points.accuracy[0] == pytest.approx(accuracy_score(labels, guesses), abs=1e-12)
    assert balanced.accuracy[0] == pytest.approx(balanced_accuracy_score(labels, guesses), abs=1e-12)
    assert points.accuracy[0] > balanced.accuracy[0] + 0.05
    assert (points.average, balanced.average) == ("points", "balanced")
    assert "each test point weighs the same" in str(points)
    assert "each class weighs the same" in str(balanced)


def test_classes_without_points_take_no_share():
    scores, labels = unbalanced()
    kept = labels % 3 > 0
    found = cx.accuracy_curve(cx.correct_ranks(scores[kept], labels[kept]), 8, average="points")
    right = accuracy_score(labels[kept], scores[kept].argmax(axis=1))
    assert found.accuracy[0] == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize("top", [1, 2])
@pytest.mark.parametrize("k", [2, 4, 7])
def test_over_subsets_each_point_weighs_the_same(k, top):
    """Each point's chance to be right in a random set of k classes that holds its own, averaged over points."""
    scores, labels = unbalanced()
    right = []
    for row, own in zip(scores, labels, strict=True):
        others = [c for c in range(8) if c != own]
        beaten = [sum(row[c] > row[own] for c in chosen) < top for chosen in combinations(others, k - 1)]
        right.append(np.mean(beaten))
    found = cx.accuracy_curve(cx.correct_ranks(scores, labels), k, top=top, average="points")
    assert found.accuracy[0] == pytest.approx(np.mean(right), abs=1e-12)


def test_the_distractor_table_is_near_the_one_from_scores():
    """Reweighted within bins of wins, against one made with equal weights of the points: errors up to 30 % larger."""
    scores, labels = unbalanced(3, 40, 0.6)
    ranks = cx.correct_ranks(scores, labels)
    tally = Tally(labels, 40, np.full(labels.size, 40 / labels.size))
    tally.add(slice(None), count_scores(scores, labels, 40))
    exact = tally.ranks()
    exact = cx.CorrectRanks(exact.wins, exact.ties, labels, 40, exact.distractors, class_balanced=False)
    found, expected = (
        cx.accuracy_curve(ranks, [2, 10, 20, 40], average="points"),
        cx.accuracy_curve(exact, [2, 10, 20, 40]),
    )
    np.testing.assert_allclose(found.accuracy, expected.accuracy, rtol=1e-12)
    ratio = found.standard_error / expected.standard_error
    assert (ratio > 0.95).all()
    assert (ratio < 1.3).all()
    table = weigh(ranks, "points").distractors
    np.testing.assert_allclose(table.beaten.sum(axis=1), exact.distractors.beaten.sum(axis=1), atol=1e-9)


@pytest.mark.parametrize("method", [None, "probit-normal", "regression", "kernel-density", "beta-binomial"])
def test_extrapolations_start_from_the_average_over_points(method):
    scores, labels = unbalanced(1, 24, 0.8)
    points = cx.extrapolate(scores, labels, n_classes=[24, 200], method=method, average="points")
    balanced = cx.extrapolate(scores, labels, n_classes=[24, 200], method=method)
    assert points.observed.value == pytest.approx(accuracy_score(labels, scores.argmax(axis=1)), abs=1e-12)
    assert balanced.observed.value == pytest.approx(balanced_accuracy_score(labels, scores.argmax(axis=1)), abs=1e-12)
    assert (points.accuracy > balanced.accuracy + 0.02).all()
    assert (points.interval[:, 0] < points.accuracy).all()
    assert (points.accuracy < points.interval[:, 1]).all()
    assert "the accuracy over test points is 0." in str(points)
    assert "the class-balanced accuracy is 0." in str(balanced)
