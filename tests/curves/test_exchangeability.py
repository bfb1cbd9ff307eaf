"""Groups of classes against random classes: exact on small cases, calibrated under random grouping, and powerful."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import classex as cx


def plain_accuracy(scores, labels, wrong_pools, k):
    """Mean over the classes in `wrong_pools` of the accuracy against every k - 1 wrong labels of the class's pool."""
    out = []
    for own, pool in wrong_pools.items():
        subsets = list(combinations([c for c in pool if c != own], k - 1))
        points = [
            np.mean(
                [(row[list(wrong)] <= row[own]).all() / (1 + (row[list(wrong)] == row[own]).sum()) for wrong in subsets]
            )
            for row in scores[labels == own]
        ]
        out.append(np.mean(points))
    return np.mean(out)


@pytest.fixture
def small():
    rng = np.random.default_rng(5)
    labels = rng.permutation([0, 0, 1, 2, 3, 3, 3, 4, 5, 6, 7, 8])
    scores = rng.integers(0, 4, size=(labels.size, 9)).astype(float)
    return scores, labels, np.array(["b", "a", "b", "a", "c", "a", "c", "a", "b"])


@pytest.mark.parametrize("k", [2, 3])
def test_accuracies_are_those_of_enumeration(small, k):
    scores, labels, groups = small
    found = cx.curves.exchangeability_test(scores, labels, groups, k, n_permutations=9, rng=0)
    assert found.groups.tolist() == (["a", "b", "c"] if k == 2 else ["a", "b"])
    for name, size, within, mixed in zip(
        found.groups, found.group_sizes, found.within_accuracy, found.mixed_accuracy, strict=True
    ):
        members = np.flatnonzero(groups == name)
        assert size == members.size
        assert np.isclose(within, plain_accuracy(scores, labels, dict.fromkeys(members, members), k))
        assert np.isclose(mixed, plain_accuracy(scores, labels, dict.fromkeys(members, range(9)), k))
    curve = cx.accuracy_curve(cx.correct_ranks(scores, labels), k)
    assert np.isclose(found.accuracy, curve.accuracy[0])
    difference = found.within_accuracy - found.mixed_accuracy
    assert np.isclose(found.nearness, np.average(difference, weights=found.group_sizes))
    centre = np.average(found.mixed_accuracy, weights=found.group_sizes)
    spread = np.average((found.mixed_accuracy - centre) ** 2, weights=found.group_sizes)
    assert np.isclose(found.difficulty, np.sqrt(spread))


def test_p_values_and_errors_are_those_of_all_groupings(small):
    scores, labels, _ = small
    keep = labels < 6
    scores, labels = scores[keep][:, :6], labels[keep]
    near, level = {}, {}
    for first in combinations(range(6), 3):
        halves = (first, tuple(c for c in range(6) if c not in first))
        within = [plain_accuracy(scores, labels, dict.fromkeys(half, half), 2) for half in halves]
        mixed = [plain_accuracy(scores, labels, dict.fromkeys(half, range(6)), 2) for half in halves]
        near[first], level[first] = np.subtract(within, mixed), mixed
    observed = (0, 1, 4)
    groups = [int(c not in observed) for c in range(6)]
    n = 3_999
    found = cx.curves.exchangeability_test(scores, labels, groups, 2, n_permutations=n, rng=3)
    size = np.abs([d.mean() for d in near.values()])
    spread = np.array([np.std(m) for m in level.values()])
    for values, value, p_value in (
        (size, abs(found.nearness), found.nearness_p_value),
        (spread, found.difficulty, found.difficulty_p_value),
    ):
        p = np.mean(values >= value - 1e-12)
        assert 0.1 < p < 1
        # z = 4
        assert abs(p_value - p) < 4 * np.sqrt(p * (1 - p) / n) + 1 / n
    exact = np.std([d[0] for d in near.values()])
    assert np.allclose(found.nearness_error, exact, rtol=0.1)
    exact = np.std([m[0] for m in level.values()])
    assert np.allclose(found.difficulty_error, exact, rtol=0.1)


def clustered(rng, *, between, noise):
    """Scores of 60 classes around six centres; `noise` has one entry a group."""
    groups = np.arange(60) % 6
    means = between * rng.normal(size=(6, 5))[groups] + rng.normal(size=(60, 5))
    labels = np.repeat(np.arange(60), 3)
    points = means[labels] + np.asarray(noise)[groups[labels], np.newaxis] * rng.normal(size=(180, 5))
    return -np.linalg.norm(points[:, np.newaxis] - means, axis=2), labels, groups


def test_easy_and_hard_groups_are_found_though_no_class_is_near_its_own():
    noise = [0.2, 0.2, 0.2, 1.2, 1.2, 1.2]
    scores, labels, groups = clustered(np.random.default_rng(3), between=0.0, noise=noise)
    found = cx.curves.exchangeability_test(scores, labels, groups, 5, n_permutations=199, rng=2)
    assert found.difficulty_p_value == 1 / 200
    assert found.nearness_p_value > 0.05
    assert found.mixed_accuracy[:3].min() > found.mixed_accuracy[3:].max()


@pytest.mark.parametrize("n_repeats", [1, 9, 10])
def test_rounding_is_no_difference_between_groups(n_repeats):
    """All points right: no grouping differs from another, although sums of weights round differently."""
    labels = np.repeat(np.arange(12), n_repeats)
    found = cx.curves.exchangeability_test(np.eye(12)[labels], labels, np.arange(12) % 3, 2, n_permutations=49, rng=0)
    for name in ("nearness", "difficulty", "nearness_error", "difficulty_error"):
        np.testing.assert_array_equal(getattr(found, name), 0)
    assert found.nearness_p_value == found.difficulty_p_value == 1
