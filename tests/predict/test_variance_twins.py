"""Every part of an interval's variance against a slow twin by hand, on six classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats

import classex as cx
from classex.curves.metrics import as_rank_metric
from classex.distributions.distribution import confined_accuracy
from classex.forecast.forecast import resampled_variance, target_variance
from classex.methods import ProbitNormal
from classex.methods.protocol import HALVES
from classex.models import GaussianClasses
from classex.ranks import subset_ranks, thin_ranks

K = np.array([6.0, 20.0])
TOPS = tuple(as_rank_metric("accuracy", top) for top in (1, 2))


@pytest.fixture(scope="module")
def sample():
    return GaussianClasses(3, 0.5).sample(6, n_repeats=4, rng=2)


@pytest.fixture(scope="module")
def ranks(sample):
    return cx.correct_ranks(sample.scores, sample.labels)


def share_between_classes(ranks):
    """Analysis of variance of the accuracy at half the classes, class by class."""
    power = ranks.n_classes // 2 - 1
    value = [
        [
            ((w + t / 2) / 5) ** power
            for w, t in zip(ranks.wins[ranks.labels == c], ranks.ties[ranks.labels == c], strict=True)
        ]
        for c in range(6)
    ]
    within = np.mean([np.var(points, ddof=1) for points in value])
    error = cx.accuracy_curve(replace(ranks, distractors=None), 3).standard_error[0]
    between = 6 * error**2 - within / 4
    return float(np.clip(between / (between + within), 0, 1))


def ratio_of_variances(ranks):
    alone = cx.accuracy_curve(replace(ranks, distractors=None), 3).standard_error[0]
    return max((cx.accuracy_curve(ranks, 3).standard_error[0] / alone) ** 2, 1.0)


def test_the_case_tells_the_formulas_apart(ranks):
    assert 0.05 < share_between_classes(ranks) < 0.95
    assert ratio_of_variances(ranks) > 1.05


@pytest.mark.parametrize("n_repeats", [None, 3])
@pytest.mark.parametrize("top", [1, 2])
@pytest.mark.parametrize("target", ["average", "fresh", "superset"])
def test_targets(target, top, n_repeats, ranks):
    distribution, variance = ProbitNormal().fit(ranks), np.array([0.02, 0.03])
    found = target_variance(
        distribution, ranks, K, TOPS[top - 1], target=target, variance=variance, n_repeats=n_repeats
    )
    rho, ratio = share_between_classes(ranks), ratio_of_variances(ranks)
    for i, k in enumerate(K):
        p = float(distribution.accuracy(np.array([k]), top)[0])
        square = float(distribution.accuracy(np.array([2 * k - 1]), 1)[0])
        points = square - p * p if top == 1 else p * (1 - p)
        expected = variance[i]
        if target == "fresh":
            expected += ratio * rho * points / k
            if n_repeats is not None:
                expected += (p * (1 - p) - rho * points) / n_repeats / k
        if target == "superset":
            change = -rho * ratio * points
            if n_repeats is not None:
                inside, seen = points - rho * points, len(ranks.wins) / 6
                change += (p * (1 - p) - rho * points) / n_repeats - ratio * 2 * inside / seen
            expected = max(expected + change / k, 0.1 * expected)
        assert found[i] == pytest.approx(expected, rel=1e-9)


def test_one_point_a_class_leaves_the_share_open():
    few = cx.correct_ranks(GaussianClasses(3, 0.5).sample(6, rng=2).scores, range(6))
    distribution, variance = ProbitNormal().fit(few), np.array([0.02, 0.03])
    superset = target_variance(distribution, few, K, TOPS[0], target="superset", variance=variance, n_repeats=None)
    np.testing.assert_allclose(superset, variance)
    p, square = distribution.accuracy(K), distribution.accuracy(2 * K - 1)
    fresh = target_variance(distribution, few, K, TOPS[0], target="fresh", variance=variance, n_repeats=None)
    np.testing.assert_allclose(fresh, variance + ratio_of_variances(few) * (square - p**2) / K)
    # tested with the same points a set shares their chances, however these lie
    superset = target_variance(distribution, few, K, TOPS[0], target="superset", variance=variance, n_repeats=1)
    change = p * (1 - p) - (1 + ratio_of_variances(few)) * (square - p**2)
    np.testing.assert_allclose(superset, np.maximum(variance + change / K, 0.1 * variance))


@pytest.mark.parametrize("exact", [True, False])
def test_resampling(exact, sample, ranks):
    """Subsets of the classes one by one; without scores, thinned, and enlarged by what thinning loses."""
    method = ProbitNormal(nu=1)
    scores = sample.scores if exact else None
    rng = np.random.default_rng(3)
    given = {"rng": np.random.default_rng(3), "method": method}
    found = resampled_variance(method.fit(ranks), ranks, scores, K, TOPS, n_resamples=12, **given)
    subsets = [np.sort(rng.permutation(6)[:4]) for _ in range(12)]
    draws = []
    for classes, own in zip(subsets, rng.spawn(12), strict=True):
        part = subset_ranks(sample.scores, sample.labels, classes)[0] if exact else thin_ranks(ranks, classes, rng=own)
        refit = ProbitNormal(nu=1).fit(part)
        draws.append([confined_accuracy(refit, K, top) for top in (1, 2)])
    expected = 4 / 2 * np.var(draws, axis=0, ddof=1) * (1.0 if exact else ratio_of_variances(ranks))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert HALVES.freedom(6, 30) == 19


def test_thinned_ranks_are_drawn_without_replacement(ranks):
    """Wins and ties among kept classes are hypergeometric: every count over 1000 draws, at 4 standard errors."""
    tied = cx.ranks_from_wins([4, 2, 0, 1, 5, 3], 6, ties=[0, 2, 3, 1, 0, 2])
    classes = np.array([0, 1, 2, 4])
    draws = [thin_ranks(tied, classes, rng=seed) for seed in range(1000)]
    np.testing.assert_array_equal(draws[0].labels, [0, 1, 2, 3])
    assert (draws[0].n_classes, draws[0].distractors) == (4, None)
    for point, row in enumerate(classes):
        wins = np.array([d.wins[point] for d in draws])
        ties = np.array([d.ties[point] for d in draws])
        for found, marked in ((wins, tied.wins[row]), (ties, tied.ties[row])):
            for count in range(4):
                p = stats.hypergeom.pmf(count, 5, marked, 3)
                assert abs((found == count).mean() - p) <= 4 * np.sqrt(p * (1 - p) / 1000) + 1e-12
        assert (wins + ties <= 3).all()
    for size in (2, 4):
        mean = np.mean([cx.accuracy_curve(thin_ranks(ranks, classes, rng=s), size).accuracy[0] for s in range(300)])
        own = ranks_of_rows(ranks, classes)
        spread = np.std([cx.accuracy_curve(thin_ranks(ranks, classes, rng=s), size).accuracy[0] for s in range(300)])
        assert abs(mean - own(size)) < 4 * spread / np.sqrt(300) + 1e-12


def ranks_of_rows(ranks, classes):
    """Average accuracy of some classes' points against random wrong labels among all."""
    rows = np.isin(ranks.labels, classes)
    share = ranks.wins[rows]

    def accuracy(size):
        lost = [stats.hypergeom.pmf(size - 1, 5, w, size - 1) for w in share]
        by_class = [np.mean(np.array(lost)[ranks.labels[rows] == c]) for c in classes]
        return float(np.mean(by_class))

    return accuracy


def test_sandwich_of_the_probit_normal_law():
    """With nu known and no distractors: the variance of the classes' slopes over the squared curvature."""
    wins = np.repeat([5, 5, 3, 1, 4, 2], 4)
    ranks = cx.ranks_from_wins(wins, 6, labels=np.repeat(np.arange(6), 4))
    fit = ProbitNormal(nu=1, prior=False).fit(ranks)

    def log_probability(r, mu):
        return np.log(
            integrate.quad(
                lambda w: stats.binom.pmf(r, 5, stats.norm.cdf(w)) * stats.norm.pdf(w, mu, 1), mu - 9, mu + 9,
                epsabs=1e-13, epsrel=1e-12,
            )[0]
        )  # fmt: skip

    h = 1e-3
    value = {r: [log_probability(r, fit.mu + step * h) for step in (-1, 0, 1)] for r in range(6)}
    slope = np.array([(value[r][2] - value[r][0]) / (2 * h) for r in (5, 5, 3, 1, 4, 2)])
    curvature = -np.mean([(value[r][0] - 2 * value[r][1] + value[r][2]) / h**2 for r in (5, 5, 3, 1, 4, 2)])
    assert abs(slope.mean()) < 1e-5
    without = [np.delete(slope, i).mean() for i in range(6)]
    meat = 5 / 6 * np.square(without - np.mean(without)).sum()
    assert meat > curvature / 24  # or the floor of independent points would hide the formula
    assert fit.covariance[0, 0] == pytest.approx(meat / curvature**2, rel=1e-3)
