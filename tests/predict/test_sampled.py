"""Ranks among samples of the wrong labels: likelihoods by point, metrics on the full catalogue, intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

import classex as cx
from classex.curves.accuracy import ranks_of_classes
from classex.curves.metrics import as_rank_metric
from classex.distributions import DiscreteDistribution, collapse_wins
from classex.methods import BetaBinomial, EmpiricalBayes, PitmanYor, ProbitNormal

METHODS = ("probit-normal", "empirical-bayes", "beta-binomial", "pitman-yor")
MU, NU = 2.0, 0.7


def drawn(n_points=400, seed=1, n_wrong=(20, 45)):
    """Points of a known probit-normal law with unequal numbers of sampled wrong labels."""
    rng = np.random.default_rng(seed)
    u = stats.norm.cdf(MU + NU * rng.standard_normal(n_points))
    met = np.resize(n_wrong, n_points)
    return cx.ranks_from_wins(rng.binomial(met, u), 5_000, n_wrong=met)


def exact_metric(f, n_classes, mu=MU, nu=NU):
    """E f(1 + Bin(K - 1, 1 - Phi(W))) by adaptive quadrature."""

    def given(w):
        h = np.arange(n_classes)
        return float(f(1.0 + h) @ stats.binom.pmf(h, n_classes - 1, stats.norm.sf(w)))

    return integrate.quad(lambda z: given(mu + nu * z) * stats.norm.pdf(z), -8, 8, epsabs=1e-10, limit=200)[0]


def test_one_number_for_all_is_that_many_classes():
    """A hundred sampled wrong labels for every point are a hundred and one classes."""
    rng = np.random.default_rng(0)
    wins, ties = rng.integers(0, 16, 90), rng.integers(0, 4, 90)
    sampled = cx.ranks_from_wins(wins, 1_000, ties=ties, n_wrong=20)
    plain = cx.ranks_from_wins(wins, 21, ties=ties, labels=np.arange(90) % 21)
    counts, other = collapse_wins(sampled), collapse_wins(plain)
    np.testing.assert_array_equal(counts.wins, other.wins)
    np.testing.assert_array_equal(counts.n_wrong, 20.0)
    sizes = np.array([21.0, 500.0])
    for method in (ProbitNormal(), EmpiricalBayes(), BetaBinomial(), PitmanYor()):
        np.testing.assert_allclose(
            method.fit(sampled).accuracy(sizes), method.fit(plain_weights(plain)).accuracy(sizes), rtol=1e-6
        )


def plain_weights(ranks):
    """The same ranks, every point with the same weight."""
    return cx.CorrectRanks(ranks.wins, ranks.ties, ranks.labels, ranks.n_classes, class_balanced=False)


def test_the_likelihood_is_the_sum_over_points():
    """The fitted probit-normal law maximises the plain sum over points of logarithms by quadrature."""
    ranks = drawn(60)
    fit = ProbitNormal(prior=False).fit(ranks)

    z = np.linspace(-9, 9, 3_001)

    def log_likelihood(mu, nu):
        given = stats.binom.pmf(ranks.wins[:, np.newaxis], ranks.n_wrong[:, np.newaxis], stats.norm.cdf(mu + nu * z))
        return float(np.log(given @ stats.norm.pdf(z) * (z[1] - z[0])).sum())

    best = log_likelihood(fit.mu, fit.nu)
    assert fit.log_likelihood == pytest.approx(best, abs=1e-4)
    for mu, nu in ((0.03, 0.0), (-0.03, 0.0), (0.0, 0.03), (0.0, -0.03)):
        assert log_likelihood(fit.mu + mu, fit.nu + nu) < best


def test_the_covariance_is_that_of_independent_points():
    """The sandwich of sampled points against the curvature, for a law that holds: 15 % at 2,000 points."""
    ranks = drawn(2_000, seed=3)
    fit = ProbitNormal().fit(ranks)
    draws = [ProbitNormal().fit(drawn(2_000, seed=[9, s])) for s in range(40)]
    spread = np.std([d.mu for d in draws], ddof=1)
    # a standard deviation from 40 draws is known to 11 %; z = 3
    assert np.sqrt(fit.covariance[0, 0]) == pytest.approx(spread, rel=0.34)


@pytest.mark.parametrize("metric", ["mrr", "ndcg@10", "map@3", lambda r: np.exp(-np.asarray(r) / 7.0)])
def test_metric_of_a_known_law(metric):
    distribution = DiscreteDistribution.normal(MU, NU)
    checked = as_rank_metric(metric)
    expected = [exact_metric(checked.values, k) for k in (2, 30, 700)]
    np.testing.assert_allclose(distribution.expected(np.array([2.0, 30.0, 700.0]), checked), expected, rtol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_the_full_catalogue_from_samples(method):
    """Truth by quadrature; the law that generated the data is a probit-normal one, near every method's family."""
    truth = exact_metric(as_rank_metric("ndcg@10").values, 1_000)
    fit, options = cx.Extrapolator(method).fit_ranks(drawn(1_500, seed=7)), {"metric": "ndcg@10", "n_resamples": 20}
    value = fit.predict(1_000, metric="ndcg@10")[0]
    assert value == pytest.approx(truth, abs=0.12 if method in ("beta-binomial", "pitman-yor") else 0.05)
    low, high = fit.predict_interval(1_000, **options)[0]
    assert low < value < high
    assert 0.003 < fit.standard_error(1_000, **options)[0] < 0.06


def test_draws_with_replacement_count_once():
    """Different labels among draws with replacement: the wins are binomial in their number, z = 4."""
    rng = np.random.default_rng(8)
    others, draws, u = 30, 25, 0.8
    left = np.zeros((2, others + 1))
    for _ in range(20_000):
        beaten = rng.random(others) < u
        different = np.unique(rng.integers(0, others, draws))
        left[:, different.size] += (beaten[different].sum(), 1)
    for n in np.flatnonzero(left[1] > 500):
        mean, error = left[0, n] / left[1, n], np.sqrt(n * u * (1 - u) / left[1, n])
        assert abs(mean - n * u) < 4 * error


def test_points_are_left_out_whole():
    ranks = drawn(50)
    few, scores = ranks_of_classes(ranks, None, np.array([3, 4, 49]), np.random.default_rng(0))
    assert scores is None
    np.testing.assert_array_equal(few.wins, ranks.wins[[3, 4, 49]])
    np.testing.assert_array_equal(few.n_wrong, ranks.n_wrong[[3, 4, 49]])
    assert few.n_classes == ranks.n_classes


def test_the_accuracy_and_what_it_rests_on():
    """With a hundred wrong labels for each point the observed curve ends at a hundred and one classes."""
    ranks = drawn(n_wrong=(100,))
    found = cx.extrapolate(ranks, n_classes=[50, 1_000], method="probit-normal")
    assert found.n_observed == 101
    assert found.reliance.n_observed == 101
    assert found.observed.value == pytest.approx((ranks.wins == 100).mean(), abs=1e-12)
    own = cx.accuracy_curve(ranks, 50).interval()[0]
    assert (found.reliance.low[0], found.reliance.high[0]) == pytest.approx(tuple(own))
    assert "each against 100 sampled wrong labels, the class-balanced accuracy is" in str(found)
    assert cx.extrapolate(drawn(), n_classes=1_000, target=None).reliance is None
