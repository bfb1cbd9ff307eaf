"""Wins as binomial data: probabilities against quadrature, collapsing, class subsets."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, special, stats

import classex as cx
from classex.distributions import collapse_wins, posterior_nodes, probit_normal_log_pmf, subset_success
from classex.ranks.ranks import bins_of_wins


def log_pmf_by_quad(r: int, n: int, mu: float, nu: float) -> float:
    """Adaptive quadrature around the maximum found on a fine grid."""

    def log_term(w: float) -> float:
        return r * special.log_ndtr(w) + (n - r) * special.log_ndtr(-w) - 0.5 * ((w - mu) / nu) ** 2

    grid = np.linspace(-40, 40, 80001)
    values = np.array(log_term(grid))
    mode, top = grid[values.argmax()], values.max()
    inside = grid[values > top - 60]
    cuts = [mode, 0.5 * (mode + inside[0]), 0.5 * (mode + inside[-1])]
    value = integrate.quad(
        lambda w: np.exp(log_term(w) - top),
        inside[0] - 1e-3,
        inside[-1] + 1e-3,
        points=cuts,
        limit=500,
        epsabs=0,
        epsrel=1e-11,
    )[0]
    choose = special.gammaln(n + 1) - special.gammaln(r + 1) - special.gammaln(n - r + 1)
    return float(top + np.log(value) - np.log(nu) - 0.5 * np.log(2 * np.pi) + choose)


@pytest.mark.parametrize("top", [2, 10, 300])
def test_what_is_surely_right_or_wrong_needs_no_beta_function(top: int) -> None:
    """Reference: the incomplete beta function of every favourability."""
    w, sizes = np.linspace(-12, 12, 401), np.array([2.0, 3, 10, 11, 301, 302, 5_000, 1e12])
    reference = special.betaincc(float(top), np.maximum(sizes - top, 1), special.ndtr(-w)[:, np.newaxis])
    reference[:, sizes <= top] = 1.0
    np.testing.assert_allclose(subset_success(w, sizes, top), reference, rtol=1e-14, atol=1e-200)


CASES = [(2, 0.0, 1.0), (49, 2.0, 0.5), (49, -3.0, 0.1), (499, 4.7, 0.55), (4999, 1.0, 2.0), (99_999, 4.0, 0.3)]


@pytest.mark.parametrize(("n", "mu", "nu"), CASES)
def test_log_pmf_is_the_integral(n: int, mu: float, nu: float) -> None:
    wins = np.unique(np.round(np.array([0, 0.1, 0.5, 0.9, 0.999, 1]) * n))
    expected = [log_pmf_by_quad(int(r), n, mu, nu) for r in wins]
    np.testing.assert_allclose(probit_normal_log_pmf(wins, n, mu, nu)[0], expected, atol=1e-9)


@pytest.mark.parametrize(("n", "mu", "nu"), [(20, 4.5, 2.5), (263, 5.0, 3.0), (263, 6.2, 3.9), (100, 8.0, 6.0)])
def test_few_nodes_suffice_for_wide_distributions(n: int, mu: float, nu: float) -> None:
    wins = np.array([0.0, n // 2, n - 1, n])
    expected = [log_pmf_by_quad(int(r), n, mu, nu) for r in wins]
    np.testing.assert_allclose(probit_normal_log_pmf(wins, n, mu, nu, n_nodes=41)[0], expected, atol=5e-6)


@pytest.mark.parametrize(("n", "mu", "nu"), [case for case in CASES if case[0] < 5000])
def test_probabilities_sum_to_one(n: int, mu: float, nu: float) -> None:
    log_pmf, _ = probit_normal_log_pmf(np.arange(n + 1.0), n, mu, nu)
    assert np.exp(log_pmf).sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(("n", "mu", "nu"), CASES)
def test_gradient_is_the_derivative(n: int, mu: float, nu: float) -> None:
    wins, h = np.unique(np.round(np.array([0, 0.2, 0.9, 1]) * n)), 1e-5
    gradient = probit_normal_log_pmf(wins, n, mu, nu)[1]
    by_mu = probit_normal_log_pmf(wins, n, mu + h, nu)[0] - probit_normal_log_pmf(wins, n, mu - h, nu)[0]
    up, down = nu * np.exp(h), nu * np.exp(-h)
    by_nu = probit_normal_log_pmf(wins, n, mu, up)[0] - probit_normal_log_pmf(wins, n, mu, down)[0]
    numeric = np.stack([by_mu, by_nu], axis=1) / (2 * h)
    np.testing.assert_allclose(gradient, numeric, atol=1e-6 * (1 + np.abs(gradient).max()))


@pytest.mark.parametrize(("n_nodes", "tolerance"), [(21, 5e-4), (41, 1e-6)])
def test_few_nodes_are_nearly_as_good(n_nodes: int, tolerance: float) -> None:
    for n, mu, nu in CASES:
        wins = np.unique(np.round(np.linspace(0, 1, 9) * n))
        many = probit_normal_log_pmf(wins, n, mu, nu)[0]
        np.testing.assert_allclose(probit_normal_log_pmf(wins, n, mu, nu, n_nodes=n_nodes)[0], many, atol=tolerance)


def test_each_entry_may_have_its_own_mean_and_number_of_wrong_labels() -> None:
    wins, wrong, mu = np.array([3.0, 20.0]), np.array([10.0, 20.0]), np.array([0.5, 2.0])
    together = probit_normal_log_pmf(wins, wrong, mu, 0.7)[0]
    alone = [probit_normal_log_pmf(wins[[i]], int(wrong[i]), float(mu[i]), 0.7)[0][0] for i in range(2)]
    np.testing.assert_allclose(together, alone, rtol=1e-12)


def test_posterior_of_an_uninformative_win_is_the_normal_distribution() -> None:
    # with one wrong label and a mean of 0, Pr[win] = 1/2 and E[W | win] = 2 E[W Phi(W)]
    _, w, share = posterior_nodes(np.array([1.0]), 1, np.zeros(1), 1.0)
    assert float((w * share).sum()) == pytest.approx(1 / np.sqrt(np.pi), abs=1e-9)


@pytest.mark.parametrize("mu", [-1e6, -1e4, -300.0, 300.0, 1e4, 1e6])
def test_distributions_far_out_are_no_trouble(mu: float) -> None:
    """All wrong (or all right) is certain there, and what is impossible is so to a finite degree."""
    wins = np.array([0.0, 3.0, 10.0])
    log_pmf, gradient = probit_normal_log_pmf(wins, 10, mu, 0.5)
    assert np.isfinite(log_pmf).all()
    assert np.isfinite(gradient).all()
    np.testing.assert_allclose(log_pmf[0 if mu < 0 else 2], 0.0, atol=1e-6)
    assert log_pmf[1] < -1e3


@pytest.mark.parametrize("top", [1, 2, 5])
def test_subset_success_is_a_binomial_cdf(top: int) -> None:
    w, sizes = np.array([-1.0, 0.3, 2.0]), np.array([2.0, 7.0, 40.0])
    expected = [[stats.binom.cdf(top - 1, k - 1, special.ndtr(-x)) for k in sizes] for x in w]
    np.testing.assert_allclose(subset_success(w, sizes, top), expected, rtol=1e-10)


@pytest.mark.parametrize("top", [1, 3])
def test_subset_success_far_out(top: int) -> None:
    # a wrong label wins with probability 1e-12; among 10^12 of them the number of wins is Poisson(1)
    w = -special.ndtri(1e-12)
    value = subset_success(np.array([w]), np.array([1e12 + 1]), top)[0, 0]
    assert value == pytest.approx(stats.poisson.cdf(top - 1, 1), abs=1e-4)


def test_collapsing_balances_classes() -> None:
    counts = collapse_wins(cx.ranks_from_wins([1, 1, 2, 0], 3, labels=[0, 0, 1, 2]))
    np.testing.assert_array_equal(counts.wins, [0, 1, 2])
    np.testing.assert_allclose(counts.weight, [1 / 3, 1 / 3, 1 / 3])


def test_ties_share_a_point_out_over_the_ways_to_break_them() -> None:
    counts = collapse_wins(cx.ranks_from_wins([1, 0, 4], 5, ties=[2, 3, 0], labels=[0, 1, 2]))
    np.testing.assert_array_equal(counts.wins, np.arange(5))
    expected = np.array([0, 1, 1, 1, 0]) / 9 + np.array([1, 1, 1, 1, 0]) / 12 + np.array([0, 0, 0, 0, 1]) / 3
    np.testing.assert_allclose(counts.weight, expected, rtol=1e-12)


@pytest.mark.parametrize("k1", [40, 900])
def test_collapsed_ties_are_those_of_a_plain_loop(k1) -> None:
    rng = np.random.default_rng(k1)
    wins = rng.integers(0, k1, 200)
    ties = np.where(rng.random(200) < 0.5, 0, rng.integers(0, k1 - wins))
    counts = collapse_wins(cx.CorrectRanks(wins, ties, np.arange(200) % k1, k1))
    bins, representative = bins_of_wins(k1)
    expected = np.zeros(representative.size)
    weight = 1 / np.bincount(np.arange(200) % k1)[np.arange(200) % k1]
    for w, t, share in zip(wins, ties, weight / weight.sum(), strict=True):
        for u in range(t + 1):
            expected[bins[w + u]] += share / (t + 1)
    np.testing.assert_array_equal(counts.wins, representative[expected > 0])
    np.testing.assert_allclose(counts.weight, expected[expected > 0], rtol=1e-9)


def test_many_classes_are_lumped_without_harm() -> None:
    rng = np.random.default_rng(5)
    k1 = 4000
    wins = rng.binomial(k1 - 1, special.ndtr(rng.normal(2.5, 0.8, k1)))
    ranks = cx.CorrectRanks(wins, np.zeros(k1, dtype=int), np.arange(k1), k1)
    counts = collapse_wins(ranks)
    assert counts.wins.size < 500
    values = np.unique(wins)
    full = probit_normal_log_pmf(values.astype(float), k1 - 1, 2.5, 0.8)
    index = np.searchsorted(values, wins)
    lumped = probit_normal_log_pmf(counts.wins, k1 - 1, 2.5, 0.8)
    # lumping shifts the score of mu and log nu by far less than its sampling error, about 1/sqrt(k1)
    np.testing.assert_allclose(counts.weight @ lumped[1], full[1][index].mean(axis=0), atol=0.02 / np.sqrt(k1))
