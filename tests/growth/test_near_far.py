"""Accuracy with near and far rivals, against enumeration and repeated sampling."""

from itertools import combinations

import numpy as np
import pytest

import classex as cx
from classex.fields.growth import NearFarComparisons
from classex.ranks.ranks import tie_outcomes


def enumerated(scores, labels, groups, near, far):
    """Average over every subset, ties broken at random."""
    by_class = {}
    for row, label in zip(scores, labels, strict=True):
        own = [c for c in range(len(groups)) if groups[c] == groups[label] and c != label]
        others = [c for c in range(len(groups)) if groups[c] != groups[label]]
        right = []
        for some in combinations(own, near):
            for more in combinations(others, far):
                rivals = row[list(some + more)]
                right.append((rivals <= row[label]).all() / (1 + (rivals == row[label]).sum()))
        by_class.setdefault(label, []).append(np.mean(right))
    return np.mean([np.mean(values) for values in by_class.values()])


def alike(numbers, n_groups):
    """The same numbers of rivals for every group."""
    return np.repeat(np.array(numbers)[:, np.newaxis], n_groups, axis=1)


@pytest.mark.parametrize("levels", [1000, 4, 2])
def test_equals_enumeration(levels):
    rng = np.random.default_rng(levels)
    labels = np.array([0, 1, 2, 3, 4, 5, 6, 7, 7, 2])
    groups = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    scores = rng.integers(0, levels, (10, 8)).astype(float)
    scores[np.arange(10), labels] += levels // 4
    near, far = [0, 0, 1, 1, 1, 0], [0, 3, 0, 2, 5, 4]
    value, _ = NearFarComparisons(scores, labels, groups).curve(alike(near, 3), alike(far, 3))
    truth = [enumerated(scores, labels, groups, a, b) for a, b in zip(near, far, strict=True)]
    np.testing.assert_allclose(value, truth, atol=1e-12)


def test_many_ties_are_broken_at_random():
    # all scores are equal: the truth is the best of 1 + near + far with probability one in that number
    found = NearFarComparisons(np.zeros((60, 60)), np.arange(60), np.repeat([0, 1], 30))
    near, far = np.array([0, 5, 29, 29]), np.array([10, 0, 0, 30])
    value, _ = found.curve(alike(near, 2), alike(far, 2))
    np.testing.assert_allclose(value, 1 / (1 + near + far), rtol=0.15, atol=0.01)


def test_up_to_32_ties_are_listed_exactly():
    found = NearFarComparisons(np.zeros((33, 33)), np.arange(33), np.arange(33) % 2)
    near, far = np.array([0, 5, 15, 8]), np.array([10, 0, 16, 8])
    value, _ = found.curve(alike(near, 2), alike(far, 2))
    np.testing.assert_allclose(value, 1 / (1 + near + far), rtol=1e-12)
    assert len(tie_outcomes(16, 16)) == 17 * 17
    assert len(tie_outcomes(17, 17)) < 32
    assert tie_outcomes(17, 17)[:, 2].sum() == pytest.approx(1)


def test_without_near_rivals_equals_the_accuracy_curve():
    sample = cx.models.GaussianClasses(5, 0.3).sample(30, n_repeats=2, rng=0)
    sizes = np.array([2, 5, 10, 15, 30])
    found = NearFarComparisons(sample.scores, sample.labels, np.arange(30))
    value, influence = found.curve(alike(0 * sizes, 30), alike(sizes - 1, 30))
    other = cx.accuracy_curve(cx.correct_ranks(sample.scores, sample.labels), sizes)
    np.testing.assert_allclose(value, other.accuracy, atol=1e-12)
    # the leave-one-out jackknife counts pairs twice and is the larger one
    np.testing.assert_allclose(np.linalg.norm(influence, axis=0), other.standard_error, rtol=0.25)


def grouped(rng, n_groups, each):
    """Gaussian classes around Gaussian groups: scores of one point a class, and groups."""
    group = np.repeat(np.arange(n_groups), each)
    means = rng.normal(size=(n_groups, 4))[group] + 0.7 * rng.normal(size=(group.size, 4))
    noisy = means + 0.45 * rng.normal(size=means.shape)
    return -np.linalg.norm(noisy[:, np.newaxis] - means, axis=2), group


def test_standard_error_over_groups_is_that_of_repeated_samples():
    rng = np.random.default_rng(1)
    near, far = alike([2, 0], 12), alike([0, 20], 12)
    values, errors, by_class = [], [], []
    for _ in range(300):
        scores, group = grouped(rng, 12, 6)
        found = NearFarComparisons(scores, np.arange(72), group)
        value, influence = found.curve(near, far)
        values.append(value)
        errors.append(found.group_errors(influence))
        by_class.append(np.linalg.norm(influence, axis=0))
    spread = np.std(values, axis=0, ddof=1)
    # the spread of 300 draws has itself a relative standard error of 4 %; the influences are linear approximations
    np.testing.assert_allclose(np.sqrt(np.square(errors).mean(axis=0)), spread, rtol=0.2)
    assert (np.mean(by_class, axis=0) < 1.1 * spread).all()
