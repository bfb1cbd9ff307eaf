"""Galleries: classes without test points compete as wrong labels and count as nothing else."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import classex as cx
from classex.curves.accuracy import SubsetMean
from classex.curves.metrics import as_rank_metric


def brute_force(scores, labels, k, value):
    """Mean of a function of the rank over every subset that holds the true class, ties broken in every order."""
    per_class = {}
    for row, label in zip(scores, labels, strict=True):
        got = []
        for subset in combinations([m for m in range(scores.shape[1]) if m != label], k - 1):
            above = sum(row[m] > row[label] for m in subset)
            level = sum(row[m] == row[label] for m in subset)
            got.append(np.mean([value(1 + above + u) for u in range(level + 1)]))
        per_class.setdefault(label, []).append(np.mean(got))
    return np.mean([np.mean(points) for points in per_class.values()])


def gallery(tied, seed=0):
    """Probes of three classes, unequal in number, among eight enrolled."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (7, 8)).astype(float) if tied else rng.normal(size=(7, 8))
    return scores, np.array([1, 4, 6, 4, 4, 1, 6])


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("top", [1, 2])
def test_the_average_is_over_the_classes_with_points(tied, top):
    scores, labels = gallery(tied)
    curve = cx.accuracy_curve(cx.correct_ranks(scores, labels), top=top)
    expected = [brute_force(scores, labels, k, lambda rank: rank <= top) for k in range(1, 9)]
    np.testing.assert_allclose(curve.accuracy, expected, atol=1e-14)


def test_two_of_ten_classes():
    """The case that used to be divided by ten: two probes, one right."""
    ranks = cx.ranks_from_wins([9, 8], 10, labels=[3, 7])
    np.testing.assert_allclose(cx.accuracy_curve(ranks, [2, 10]).accuracy, [(1 + 8 / 9) / 2, 0.5])


def test_embeddings_of_a_gallery():
    """Several references a class, probes for some of the classes, in one call."""
    rng = np.random.default_rng(3)
    references, test = rng.normal(size=(30, 4)), rng.normal(size=(5, 4))
    owner, labels = rng.permutation(np.arange(30) % 12), np.array([7, 0, 7, 11, 2])
    distance = np.linalg.norm(test[:, np.newaxis] - references, axis=2)
    scores = -np.stack([distance[:, owner == c].min(axis=1) for c in range(12)], axis=1)
    expected = cx.correct_ranks(scores, labels)
    got = cx.correct_ranks_from_embeddings(test, references, labels, owner)
    np.testing.assert_array_equal(got.wins, expected.wins)
    np.testing.assert_allclose(got.distractors.beaten, expected.distractors.beaten)


@pytest.mark.parametrize("top", [1, 2])
def test_standard_error_is_a_jackknife_of_both_kinds(top):
    """One class is left out at a time: a truth and distractor where it has points, a distractor elsewhere."""
    scores, labels = gallery(tied=False, seed=4)
    n, p, k = 8, 3, np.array([3])
    ranks = cx.correct_ranks(scores, labels)
    without = np.empty(n)
    for m in range(n):
        rows = labels != m
        kept = cx.correct_ranks(np.delete(scores[rows], m, axis=1), labels[rows] - (labels[rows] > m))
        without[m] = cx.accuracy_curve(kept, k, top=top).accuracy[0]
    tested = np.isin(np.arange(n), labels)
    # what each class's own points add with one wrong label fewer
    point = SubsetMean(as_rank_metric("accuracy", top)).untied(np.minimum(ranks.wins, n - 2), n - 1, k)[:, 0]
    own = np.bincount(labels, weights=point / np.bincount(labels)[labels], minlength=n)
    # p (or p - 1) times the mean without class m is the sum of all others' points, and what m took away
    effect = np.where(tested, (p - 1) * without + own, p * without) - own.sum()
    expected = np.where(tested, p - 1, p) * effect.sum() / (p * (n - 1))
    deviation = effect - expected - np.where(tested, own - own.sum() / p, 0)
    variance = np.sum((deviation / np.where(tested, np.sqrt(p * (p - 1)), p)) ** 2)
    assert cx.accuracy_curve(ranks, k, top=top).standard_error[0] == pytest.approx(np.sqrt(variance), rel=1e-12)


@pytest.mark.parametrize(("n_tested", "n_classes", "k"), [(12, 40, 10), (60, 600, 100)])
def test_standard_error_in_simulation(n_tested, n_classes, k):
    """Mean squared standard error against the variance over experiments, with and beyond lumped classes."""
    rng = np.random.default_rng(5)
    runs, value, square = 300, [], []
    for _ in range(runs):
        centres, labels = rng.normal(size=(n_classes, 3)), np.repeat(np.arange(n_tested), 3)
        test = centres[labels] + 0.35 * rng.normal(size=(labels.size, 3))
        stored = centres + 0.35 * rng.normal(size=centres.shape)
        curve = cx.accuracy_curve(cx.correct_ranks_from_embeddings(test, stored, labels), k)
        value.append(curve.accuracy[0])
        square.append(curve.standard_error[0] ** 2)
    ratio = np.mean(square) / np.var(value, ddof=1)
    # the variance of 300 runs has a relative error of sqrt(2 / 299) = .082, the mean square one of its own
    z = (ratio - 1) / np.hypot(np.sqrt(2 / (runs - 1)), stats.sem(square) / np.mean(square))
    assert abs(z) < 3.5, (ratio, z)


def test_one_class_tells_no_error():
    curve = cx.accuracy_curve(cx.correct_ranks(np.arange(15.0).reshape(3, 5), [2, 2, 2]), [2, 3])
    assert np.isnan(curve.standard_error).all()
    assert np.isfinite(curve.accuracy).all()


def test_sampled_wrong_labels():
    """The mean over samples of each point's estimate is the accuracy on all wrong labels."""
    rng = np.random.default_rng(6)
    wins, n = np.array([5, 30, 39, 17]), 40
    exact = cx.accuracy_curve(cx.ranks_from_wins(wins, n + 1), [2, 4])
    n_wrong = np.array([3, 5, 8, 10])
    runs = 1500
    means = np.array(
        [
            cx.accuracy_curve(
                cx.ranks_from_wins(rng.hypergeometric(wins, n - wins, n_wrong), n + 1, n_wrong=n_wrong), [2, 4]
            ).accuracy
            for _ in range(runs)
        ]
    )
    z = (means.mean(axis=0) - exact.accuracy) / stats.sem(means)
    assert np.abs(z).max() < 4
    with pytest.raises(ValueError, match="at least 1 and at most 4, not 5"):
        cx.accuracy_curve(cx.ranks_from_wins([1, 1, 1, 1], n + 1, n_wrong=n_wrong), 5)


def plain_risk(scores, labels, cost, k):
    """Mean cost over every subset that holds the true class, of the classes with points."""
    per_class = {}
    for row, label in zip(scores, labels, strict=True):
        got = []
        for subset in combinations([m for m in range(scores.shape[1]) if m != label], k - 1):
            chosen = max([label, *subset], key=lambda m: row[m])
            got.append(cost[label, chosen] * (chosen != label))
        per_class.setdefault(label, []).append(np.mean(got))
    return {label: np.mean(points) for label, points in per_class.items()}


@pytest.mark.parametrize("weighted", [False, True])
def test_the_risk_of_a_gallery(weighted):
    scores, labels = gallery(tied=False, seed=7)
    rng = np.random.default_rng(8)
    cost, priors = rng.random((8, 8)), rng.uniform(0.5, 2, 8) if weighted else None
    weight = np.ones(8) if priors is None else priors
    sizes = [2, 3, 8]
    curve = cx.risk_curve(scores, labels, cost, priors, n_classes=sizes)
    by_class = [plain_risk(scores, labels, cost, k) for k in sizes]
    expected = [np.average(list(one.values()), weights=weight[list(one)]) for one in by_class]
    np.testing.assert_allclose(curve.accuracy, expected, rtol=1e-12)
    without = []
    for m in range(8):
        rows, others = labels != m, np.delete(np.arange(8), m)
        kept = labels[rows] - (labels[rows] > m)
        less = plain_risk(scores[rows][:, others], kept, cost[np.ix_(others, others)], 3)
        without.append(np.average(list(less.values()), weights=weight[others][list(less)]))
    tested = np.isin(np.arange(8), labels)
    variance = sum((kind.size - 1) * np.var(kind) for kind in (np.array(without)[tested], np.array(without)[~tested]))
    assert curve.standard_error[1] == pytest.approx(np.sqrt(variance), rel=1e-10)


def test_the_risk_of_one_class_tells_no_error():
    curve = cx.risk_curve(np.eye(3)[:2], [1, 1], 1 - np.eye(3))
    assert np.isfinite(curve.accuracy).all()
    assert np.isnan(curve.standard_error).all()
