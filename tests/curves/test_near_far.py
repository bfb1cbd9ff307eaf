"""Accuracy with near and far rivals, against enumeration and repeated sampling."""

from itertools import combinations

import numpy as np
import pytest

import classex as cx
from classex.curves import near_far_curve


def enumerated(scores, labels, groups, n_near, n_far):
    """Average over every subset, ties broken at random."""
    n = scores.shape[1]
    by_class = {}
    for row, label in zip(scores, labels, strict=True):
        near = [c for c in range(n) if groups[c] == groups[label] and c != label]
        far = [c for c in range(n) if groups[c] != groups[label]]
        right = []
        for some in combinations(near, n_near - 1):
            for others in combinations(far, n_far):
                rivals = row[list(some + others)]
                right.append((rivals <= row[label]).all() / (1 + (rivals == row[label]).sum()))
        by_class.setdefault(label, []).append(np.mean(right))
    return np.mean([np.mean(values) for values in by_class.values()])


@pytest.mark.parametrize("levels", [1000, 4, 2])
def test_equals_enumeration(levels):
    rng = np.random.default_rng(levels)
    labels = np.array([0, 1, 2, 3, 4, 5, 6, 7, 7, 2])
    groups = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    scores = rng.integers(0, levels, (10, 8)).astype(float)
    scores[np.arange(10), labels] += levels // 4
    n_near, n_far = [1, 1, 2, 2, 2, 1], [0, 3, 0, 2, 5, 4]
    curve = near_far_curve(scores, labels, groups, n_near, n_far)
    truth = [enumerated(scores, labels, groups, a, b) for a, b in zip(n_near, n_far, strict=True)]
    np.testing.assert_allclose(curve.accuracy, truth, atol=1e-12)


def test_without_near_rivals_equals_the_accuracy_curve():
    sample = cx.models.GaussianClasses(5, 0.3).sample(30, n_repeats=2, rng=0)
    sizes = np.array([2, 5, 10, 15, 30])
    curve = near_far_curve(sample.scores, sample.labels, np.arange(30), np.ones(5, int), sizes - 1)
    other = cx.accuracy_curve(cx.correct_ranks(sample.scores, sample.labels), sizes)
    np.testing.assert_allclose(curve.accuracy, other.accuracy, atol=1e-12)
    np.testing.assert_allclose(curve.standard_error, other.standard_error, rtol=0.25)


def grouped(rng, n_groups, each):
    """Gaussian classes around Gaussian groups: test points, references, groups."""
    group = np.repeat(np.arange(n_groups), each)
    means = rng.normal(size=(n_groups, 4))[group] + 0.7 * rng.normal(size=(group.size, 4))
    noisy = means + 0.45 * rng.normal(size=means.shape)
    return -np.linalg.norm(noisy[:, np.newaxis] - means, axis=2), group


def test_standard_error_over_groups_is_that_of_repeated_samples():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(300):
        scores, group = grouped(rng, 12, 6)
        curve = near_far_curve(scores, np.arange(72), group, [3, 1], [0, 20])
        found.append([curve.accuracy, curve.group_error, curve.standard_error])
    value, error, by_class = np.array(found).transpose(1, 0, 2)
    spread = value.std(axis=0, ddof=1)
    # the spread of 300 draws has itself a relative standard error of 4 %; the influences are linear approximations
    np.testing.assert_allclose(np.sqrt(np.square(error).mean(axis=0)), spread, rtol=0.2)
    assert (by_class.mean(axis=0) < 1.1 * spread).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": [0, 0, 1]}, "groups must have shape"),
        ({"n_near": [3]}, "n_near must lie between 1 and"),
        ({"n_far": [3]}, "n_far must lie between 0 and"),
    ],
)
def test_refuses_what_was_not_observed(change, message):
    arguments = {"groups": [0, 0, 1, 1], "n_near": [2], "n_far": [2]} | change
    with pytest.raises(ValueError, match=message):
        near_far_curve(np.eye(4), range(4), **arguments)
