"""The permutation test against enumeration, and its level by simulation."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

import classex as cx
from classex.fields.identification import permutation_test


def test_statistic_is_the_average_accuracy_of_the_ranks():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 6, size=(12, 12)).astype(float)  # with ties
    for k in (2, 5, 12):
        result = permutation_test(scores, n_classes=k, n_permutations=1)
        expected = cx.accuracy_curve(cx.correct_ranks(scores, np.arange(12)), k).accuracy[0]
        assert result.accuracy == pytest.approx(expected, abs=1e-12)
        assert result.n_classes == k


def test_p_value_approaches_that_of_all_permutations():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(5, 5)) + 0.7 * np.eye(5)
    every = [
        cx.accuracy_curve(cx.correct_ranks(scores[:, order], np.arange(5)), 3).accuracy[0]
        for order in map(list, permutations(range(5)))
    ]
    exact = np.mean(np.array(every) >= every[0] - 1e-12)
    result = permutation_test(scores, n_classes=3, n_permutations=20_000, rng=2)
    assert 0.01 < exact < 0.8
    assert abs(result.p_value - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4
    assert result.permuted.shape == (20_000,)
    assert result.permuted.mean() == pytest.approx(1 / 3, abs=0.01)


def test_repeats_are_permuted_together():
    """Responses to one stimulus share noise: shuffling single responses would call that information."""
    rng = np.random.default_rng(4)
    labels = np.repeat(np.arange(10), 8)
    rejected = 0
    for _ in range(200):
        shared = rng.normal(size=(10, 10))[labels] + 0.1 * rng.normal(size=(80, 10))
        rejected += permutation_test(shared, labels=labels, n_permutations=99, rng=rng).p_value <= 0.05
    assert rejected / 200 < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 200)
    order = rng.permutation(80)
    one = permutation_test(shared, labels=labels, rng=0, n_permutations=50)
    two = permutation_test(shared[order], labels=labels[order], rng=0, n_permutations=50)
    np.testing.assert_allclose(one.permuted, two.permuted)


def test_shuffling_within_runs_by_enumeration():
    """Three runs of two stimuli have eight orders: every shuffled value is one of theirs, all about as often."""
    scores = np.random.default_rng(7).normal(size=(6, 6))
    runs = ["a", "b", "c", "a", "b", "c"]
    found = permutation_test(scores, runs=runs, n_permutations=4000, rng=1)
    values = []
    for swaps in product([False, True], repeat=3):
        order = np.arange(6)
        for first, swap in enumerate(swaps):
            if swap:
                order[[first, first + 3]] = order[[first + 3, first]]
        values.append(np.mean([(scores[s] < scores[s, order[s]]).sum() / 5 for s in range(6)]))
    values = np.array(values)
    nearest = np.abs(found.permuted[:, np.newaxis] - values).min(axis=1)
    assert nearest.max() < 1e-12
    assert found.permuted.mean() == pytest.approx(values.mean(), abs=4.5 * values.std() / np.sqrt(4000))
