"""Classes drawn without replacement: the two factors by enumeration."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest

import classex as cx
from benchmarks.coverage import population as study
from classex.bayes import average_bayes_accuracy_bound, distinct_share, spread_without_replacement
from classex.models import GaussianSequence


def bayes_accuracy(channel, classes):
    return channel[list(classes)].max(axis=0).sum() / len(classes)


@pytest.mark.parametrize(("n", "k"), [(1, 3), (2, 2), (4, 3), (5, 4), (3, 5)])
def test_distinct_share_by_enumeration(n, k):
    plain = np.mean([len(set(draw)) for draw in product(range(n), repeat=k)]) / k
    assert distinct_share(k, n) == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize(("n", "k"), [(5, 5), (6, 2), (50, 17), (468, 100), (10_000, 3)])
def test_spread_is_the_plain_sum(n, k):
    plain = sum(((n - k) / (n - i)) ** 2 for i in range(1, k + 1) if n > i) / k
    assert spread_without_replacement(k, n) == pytest.approx(plain, abs=1e-12)
    assert spread_without_replacement(k, n) <= 1.0


def test_each_draw_moves_the_mean_as_little_as_claimed():
    """Doob's martingale of the Bayes accuracy under sampling without replacement, all conditional means enumerated."""
    n, k = 6, 3
    channel = np.random.default_rng(0).dirichlet(np.full(5, 0.3), n)
    orders = list(permutations(range(n), k))
    value = {order: bayes_accuracy(channel, order) for order in orders}
    for i in range(1, k + 1):
        for past in permutations(range(n), i - 1):
            means = [
                np.mean([value[o] for o in orders if o[:i] == (*past, new)]) for new in range(n) if new not in past
            ]
            assert max(means) - min(means) <= (n - k) / (n - i) / k + 1e-12


def test_tasks_of_independent_draws_are_at_most_that_much_harder():
    rng = np.random.default_rng(1)
    for _ in range(20):
        n, k = 5, 4
        channel = rng.dirichlet(np.full(6, 0.2), n)
        independent = np.mean([bayes_accuracy(channel, draw) for draw in product(range(n), repeat=k)])
        distinct = np.mean([bayes_accuracy(channel, s) for s in combinations(range(n), k)])
        assert distinct_share(k, n) * distinct <= independent + 1e-12
        assert independent < distinct
        # and the study's exact truth is this average
        assert study.truth(channel, k)[0] == pytest.approx(independent, rel=1e-12)
        assert study.truth_of_distinct(channel, k) == pytest.approx(distinct, rel=1e-12)


def test_correct_chances_break_ties_evenly():
    channel = np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])
    np.testing.assert_allclose(study.correct_chances(channel), [0.75, 0.75])


@pytest.mark.parametrize("method", ["joint", "split", "thesis"])
def test_closed_forms(method):
    x, k, r, n, alpha = 0.9, 40, 5, 60, 0.05
    spread = spread_without_replacement(k, n)
    expected = {
        "joint": x - np.sqrt((spread / k + 1 / (k * r)) * np.log(1 / alpha) / 2),
        "split": x - np.sqrt(np.log(2 / alpha) / (2 * k * r)) - np.sqrt(spread * np.log(2 / alpha) / (2 * k)),
        "thesis": x - np.sqrt(np.log(4 / alpha) / (2 * k * r)) - np.sqrt(spread / (2 * alpha * k)),
    }[method]
    found = average_bayes_accuracy_bound(x, n_classes=k, n_repeats=r, method=method, population_size=n)
    assert found == pytest.approx(max(expected, 1 / k), rel=1e-12)


def test_the_information_bound_is_of_distinct_classes():
    sample = GaussianSequence(n_features=50, signal=12.0).sample(40, n_repeats=5, rng=3)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    result = cx.information_confidence_bound(ranks, n_classes=[40, 5], population_size=80, method="joint")
    allowance = np.sqrt((spread_without_replacement(40, 80) + 1 / 5) * np.log(2 / 0.05) / 80)
    np.testing.assert_allclose(result.accuracy_bound[0], result.accuracy[0] - allowance, rtol=1e-12)
    nats = cx.information_bound(result.accuracy_bound[0], [40, 5], population_size=80)
    np.testing.assert_allclose(result.information_by_class_count[0], nats)
