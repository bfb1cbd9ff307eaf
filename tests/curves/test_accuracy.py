"""Average accuracy over class subsets against brute force over every subset."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import classex as cx
from classex import CorrectRanks
from classex.curves.accuracy import default_sizes


def brute_force(scores, labels, k, top=1):
    """Accuracy averaged over every subset of k classes, ties broken in every order, classes weighted alike."""
    n_classes = scores.shape[1]
    per_class = [[] for _ in range(n_classes)]
    for row, label in zip(scores, labels, strict=True):
        success = []
        for subset in combinations([m for m in range(n_classes) if m != label], k - 1):
            above = sum(row[m] > row[label] for m in subset)
            level = sum(row[m] == row[label] for m in subset)
            success.append(np.mean([above + u < top for u in range(level + 1)]))
        per_class[label].append(np.mean(success))
    return np.mean([np.mean(points) for points in per_class])


def leave_one_class_out(scores, labels, k, top):
    curves = []
    for m in range(scores.shape[1]):
        rows = labels != m
        kept = labels[rows] - (labels[rows] > m)
        ranks = cx.correct_ranks(np.delete(scores[rows], m, axis=1), kept)
        curves.append(cx.accuracy_curve(ranks, k, top=top).accuracy[0])
    n = len(curves)
    return np.sqrt((n - 1) / n * np.sum((np.array(curves) - np.mean(curves)) ** 2))


def unequal_classes(tied, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (16, 7)).astype(float) if tied else rng.normal(size=(16, 7))
    return scores, np.concatenate([np.arange(7), rng.integers(0, 7, 9)])


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("top", [1, 2, 3, 9])
def test_equals_brute_force(tied, top):
    scores, labels = unequal_classes(tied)
    curve = cx.accuracy_curve(cx.correct_ranks(scores, labels), top=top)
    np.testing.assert_array_equal(curve.n_classes, np.arange(1, 8))
    expected = [brute_force(scores, labels, k, top) for k in range(1, 8)]
    np.testing.assert_allclose(curve.accuracy, expected, atol=1e-14)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("top", [1, 2])
def test_standard_error_is_the_jackknife_up_to_half(tied, top):
    scores, labels = unequal_classes(tied)
    curve = cx.accuracy_curve(cx.correct_ranks(scores, labels), [3, 2], top=top)
    expected = [leave_one_class_out(scores, labels, k, top) for k in (3, 2)]
    np.testing.assert_allclose(curve.standard_error, expected, atol=1e-14)


def test_standard_error_beyond_half_and_without_distractors():
    scores, labels = unequal_classes(tied=False)
    ranks = cx.correct_ranks(scores, labels)
    curve = cx.accuracy_curve(ranks)
    plain = cx.accuracy_curve(CorrectRanks(ranks.wins, ranks.ties, ranks.labels, ranks.n_classes))
    np.testing.assert_array_equal(curve.accuracy, plain.accuracy)
    own = np.array([np.mean(ranks.wins[labels == c] == 6) for c in range(7)])
    np.testing.assert_allclose(plain.standard_error[6], own.std(ddof=1) / np.sqrt(7))
    ratio = curve.standard_error[2] / plain.standard_error[2]
    np.testing.assert_allclose(curve.standard_error[3:], ratio * plain.standard_error[3:])
    # three classes: leaving one out says nothing, the own-class part stands alone
    few = cx.accuracy_curve(cx.correct_ranks([[1.0, 0, 0], [0, 1, 2], [0, 1, 2]], [0, 1, 2]))
    np.testing.assert_allclose(few.standard_error[2], np.std([1, 0, 1], ddof=1) / np.sqrt(3))


def test_grouped_classes_give_nearly_the_jackknife():
    """Above 512 classes the distractors are lumped: the error stays within 10 % of the full jackknife."""
    rng = np.random.default_rng(6)
    k1 = 700
    scores = rng.normal(size=(k1, k1)) + 2.5 * np.eye(k1)
    labels = np.arange(k1)
    curve = cx.accuracy_curve(cx.correct_ranks(scores, labels), [2, 70, 350])
    wins = (scores < np.diag(scores)[:, np.newaxis]).sum(axis=1)
    for k, error in zip((2, 70, 350), curve.standard_error, strict=True):
        z = np.arange(k - 1)

        def subset(w, z=z):
            return np.prod(np.clip(w - z, 0, None) / (k1 - 2 - z))

        table = np.array([subset(w) for w in range(k1)])
        left_out = [table[np.delete(wins - (scores[:, m] < np.diag(scores)), m)].sum() / (k1 - 1) for m in range(k1)]
        expected = np.sqrt((k1 - 1) / k1 * np.sum((np.array(left_out) - np.mean(left_out)) ** 2))
        assert 0.9 < error / expected < 1.1


def test_reference_case(reference, reference_scores):
    curve = cx.accuracy_curve(cx.correct_ranks(reference_scores, np.arange(12)))
    np.testing.assert_allclose(curve.accuracy, reference["average_test_accuracy_k_1_to_12"], atol=1e-11)


def test_chosen_sizes_equal_the_whole_curve():
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(300, 300)) + 2 * np.eye(300)
    ranks = cx.correct_ranks(scores, np.arange(300))
    whole = cx.accuracy_curve(ranks)
    some = cx.accuracy_curve(ranks, [250, 2, 17])
    np.testing.assert_allclose(some.accuracy, whole.accuracy[[249, 1, 16]], rtol=1e-12)
    np.testing.assert_allclose(some.standard_error, whole.standard_error[[249, 1, 16]], rtol=1e-10)


def test_stable_for_ten_million_classes():
    k1 = 10_000_000
    losses = np.array([0, 1, 10, 5_000_000])
    ranks = CorrectRanks(k1 - 1 - losses, np.zeros(4, dtype=np.int64), np.arange(4), k1)
    k = 5_000_001
    # C(R, k-1)/C(k1-1, k-1) as a product over the losses; the average is over the classes with points
    exact = [np.prod(1 - (k - 1) / (k1 - 1 - np.arange(n, dtype=float))) for n in (0, 1, 10)]
    exact.append(0.0)
    got = cx.accuracy_curve(ranks, k).accuracy[0] * 4
    np.testing.assert_allclose(got, np.sum(exact), rtol=1e-9)
    deep = CorrectRanks(np.array([k1 - 2_000_000]), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), k1)
    z = np.arange(2_000_000 - 1, dtype=float)
    expected = np.exp(np.log1p(-1_500_000 / (k1 - 1 - z)).sum())
    np.testing.assert_allclose(cx.accuracy_curve(deep, 1_500_001).accuracy[0], expected, rtol=1e-6, atol=1e-300)


@pytest.mark.parametrize("metric", ["accuracy", "mrr"])
@pytest.mark.parametrize("sampled", [False, True])
def test_averages_alone_are_those_with_standard_errors(metric, sampled):
    rng = np.random.default_rng(4)
    labels = np.repeat(np.arange(30), rng.integers(1, 4, 30))
    ranks = cx.correct_ranks(rng.integers(0, 9, (labels.size, 40)), labels)
    if sampled:
        ranks = cx.ranks_from_wins(
            np.minimum(ranks.wins, 20), 40, labels=labels, n_wrong=rng.integers(20, 39, labels.size)
        )
    full = cx.accuracy_curve(ranks, metric=metric)
    alone = cx.accuracy_curve(ranks, metric=metric, standard_errors=False)
    np.testing.assert_allclose(alone.accuracy, full.accuracy, rtol=1e-13)
    assert np.isnan(alone.standard_error).all()
    assert np.isfinite(full.standard_error).all()


def test_default_sizes_of_long_curves():
    np.testing.assert_array_equal(default_sizes(2, 1000), np.arange(2, 1001))
    grid = default_sizes(1, 1001)
    assert (grid[0], grid[-1]) == (1, 1001)
    # rounded, the smaller numbers of a geometric sequence of 1,000 coincide
    assert default_sizes(1, 100_000).size == np.unique(np.rint(np.geomspace(1, 100_000, 1000))).size == 698
    assert (np.diff(np.log(grid[grid > 300])) < 0.01).all()
    ranks = cx.ranks_from_wins(99_999 - np.geomspace(1, 99_999, 2000).astype(int), 100_000)
    whole = cx.accuracy_curve(ranks)
    np.testing.assert_array_equal(whole.n_classes, default_sizes(1, 100_000))
    some = cx.accuracy_curve(ranks, whole.n_classes[[3, 400, -1]])
    np.testing.assert_allclose(some.accuracy, whole.accuracy[[3, 400, -1]])
    np.testing.assert_allclose(some.standard_error, whole.standard_error[[3, 400, -1]])


def test_never_above_one():
    # the mean of ones over these unequal classes rounds to just above one before it is confined
    labels = np.array([0, 1, 0, 0, 1, 1, 1, 0, 0, 0])
    for n in range(2, 30):
        truth = np.concatenate([labels, np.arange(n) % 2])
        assert cx.accuracy_curve(cx.correct_ranks(np.eye(2)[truth], truth)).accuracy.max() <= 1.0
