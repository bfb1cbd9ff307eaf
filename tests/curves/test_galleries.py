"""Galleries: classes without test points compete as wrong labels and count as nothing else."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

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
