"""Functions of the rank against brute force over subsets, exact integrals, and each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import classex as cx
from classex.curves.accuracy import SubsetMean
from classex.curves.metrics import as_rank_metric, expected_metric
from tests.curves.test_galleries import brute_force

PLAIN = {
    "accuracy": lambda r: float(r == 1),
    "mrr": lambda r: 1 / r,
    "mrr@2": lambda r: 1 / r * (r <= 2),
    "map@3": lambda r: 1 / r * (r <= 3),
    "ndcg": lambda r: 1 / np.log2(1 + r),
    "ndcg@3": lambda r: 1 / np.log2(1 + r) * (r <= 3),
    "recall@2": lambda r: float(r <= 2),
    "hit@3": lambda r: float(r <= 3),
    "top-4": lambda r: float(r <= 4),
}


def experiment(tied, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (12, 6)).astype(float) if tied else rng.normal(size=(12, 6))
    return scores, np.concatenate([np.arange(6), rng.integers(0, 6, 6)])


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("metric", PLAIN)
def test_equals_brute_force(metric, tied):
    scores, labels = experiment(tied)
    curve = cx.accuracy_curve(cx.correct_ranks(scores, labels), metric=metric)
    expected = [brute_force(scores, labels, k, PLAIN[metric]) for k in range(1, 7)]
    np.testing.assert_allclose(curve.accuracy, expected, rtol=1e-12, atol=1e-14)
    assert curve.metric == metric


@pytest.mark.parametrize("function", [lambda r: np.exp(-r) - 0.1, lambda r: 3 if r < 3 else -1, np.ones_like])
def test_any_function_of_the_rank(function):
    scores, labels = experiment(tied=True, seed=1)
    curve = cx.accuracy_curve(cx.correct_ranks(scores, labels), metric=function)
    expected = [brute_force(scores, labels, k, function) for k in range(1, 7)]
    np.testing.assert_allclose(curve.accuracy, expected, rtol=1e-12)


def test_standard_error_is_the_jackknife_up_to_half():
    scores, labels = experiment(tied=False, seed=3)
    got = cx.accuracy_curve(cx.correct_ranks(scores, labels), 3, metric="mrr").standard_error[0]
    curve = []
    for m in range(6):
        rows = labels != m
        ranks = cx.correct_ranks(np.delete(scores[rows], m, axis=1), labels[rows] - (labels[rows] > m))
        curve.append(cx.accuracy_curve(ranks, 3, metric="mrr").accuracy[0])
    assert got == pytest.approx(np.sqrt(5 / 6 * np.sum((curve - np.mean(curve)) ** 2)), rel=1e-12)


@pytest.mark.parametrize("ties", [40, 400])
def test_many_ties_in_closed_form(ties):
    """Against the plain average over every way that the ties can break."""
    n_classes, wins = 600, 100
    mean = SubsetMean(as_rank_metric("ndcg@10"))
    sizes = np.array([1, 2, 30, 599, 600])
    got = mean.expected(np.array([wins]), np.array([ties]), n_classes, sizes)
    plain = mean.untied(np.arange(wins, wins + ties + 1), n_classes, sizes).mean(axis=0)
    np.testing.assert_allclose(got[0], plain, rtol=1e-9, atol=1e-13)
    h = np.arange(600)
    value = 1 / np.log2(2 + h) * (h < 10)
    exact = [stats.hypergeom.pmf(h, 599, 599 - wins, k - 1) @ value for k in sizes]
    np.testing.assert_allclose(mean.untied(np.array([wins]), n_classes, sizes)[0], exact, rtol=1e-9, atol=1e-13)


def test_a_large_m_does_not_underflow():
    """Pr[at most 2,599 of 5,000 wrong labels win] with half of them better: the sum starts far from zero."""
    ranks = cx.ranks_from_wins([5000], 10_001)
    got = cx.accuracy_curve(ranks, 5001, top=2510).accuracy[0]
    assert got == pytest.approx(stats.hypergeom.cdf(2509, 10_000, 5000, 5000), rel=1e-9)
    tied = cx.ranks_from_wins([0], 10_001, ties=[10_000])
    assert cx.accuracy_curve(tied, 5000, top=2500).accuracy[0] == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("scale", [1, 2**33])
def test_pairs_of_any_size_are_told_apart(scale):
    wins, ties, k = scale * np.array([3, 1, 3, 1, 3]), scale * np.array([0, 2, 1, 2, 0]), 10 * scale
    found = cx.accuracy_curve(cx.ranks_from_wins(wins, k, ties=ties, labels=range(5)), 3, standard_errors=False)
    each = [
        cx.accuracy_curve(cx.ranks_from_wins([w], k, ties=[t]), 3).accuracy for w, t in zip(wins, ties, strict=True)
    ]
    np.testing.assert_allclose(found.accuracy, np.mean(each), rtol=1e-12)


def test_metrics_of_a_law_against_the_binomial():
    u = np.array([0.7, 0.99, 0.99999])

    def accuracy(sizes, m):
        return np.mean(stats.binom.cdf(m - 1, sizes[:, np.newaxis] - 1, 1 - u), axis=1)

    sizes = np.array([1, 2, 5, 300, 5000, 20_000])
    for metric in ("mrr", "ndcg", "ndcg@4", "ndcg@1000", lambda r: 1 / (5 + r)):
        f = as_rank_metric(metric)
        exact = [
            np.mean([stats.binom.pmf(np.arange(k), k - 1, 1 - x) @ f.values(np.arange(1.0, k + 1)) for x in u])
            for k in sizes
        ]
        np.testing.assert_allclose(expected_metric(accuracy, sizes, metric), exact, rtol=1e-4)


@pytest.mark.parametrize("k", [1000, 5000])
@pytest.mark.parametrize("metric", ["mrr", "ndcg"])
@pytest.mark.parametrize(("mean", "spread"), [(0.0, 0.3), (1.0, 0.3), (1.0, 0.5), (0.0, 1.0)])
def test_sums_stay_accurate_beyond_the_ranks_that_are_summed_one_by_one(mean, spread, metric, k):
    """Probit-normal favourabilities on a grid, against the sum over all ranks."""
    z = np.linspace(-6, 6, 201)
    weight, u = stats.norm.pdf(z) / stats.norm.pdf(z).sum(), stats.norm.cdf(mean + spread * z)
    chance = weight @ stats.binom.pmf(np.arange(k), k - 1, 1 - u[:, np.newaxis])
    exact = chance @ as_rank_metric(metric).values(np.arange(1.0, k + 1))

    def accuracy(sizes, m):
        return stats.binom.cdf(m - 1, sizes[:, np.newaxis] - 1, 1 - u) @ weight

    assert expected_metric(accuracy, k, metric)[0] == pytest.approx(exact, rel=5e-4)


@pytest.mark.parametrize("u", [0.7, 0.9, 0.97])
def test_points_that_are_all_alike_cost_half_a_percent_at_most(u):
    k = 20_000
    exact = stats.binom.pmf(np.arange(k), k - 1, 1 - u) @ (1 / np.arange(1.0, k + 1))
    found = expected_metric(lambda sizes, m: stats.binom.cdf(m - 1, sizes - 1, 1 - u), k, "mrr")[0]
    assert found == pytest.approx(exact, rel=5e-3)
