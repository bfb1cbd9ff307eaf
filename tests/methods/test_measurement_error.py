"""Calibrated and importance-weighted regression, and the expected powers of a favourability seen as a rank."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

import classex as cx
from classex.distributions import PolynomialBasis
from classex.methods.sources.published_regression import accuracy_by_wins, rank_weights


@pytest.mark.parametrize(("n_others", "degree"), [(0, 3), (1, 2), (6, 6), (40, 3)])
def test_expected_powers_are_posterior_means(n_others, degree):
    below = np.arange(n_others + 1)
    found = cx.methods.sources.expected_powers(below, n_others, degree)
    for row, n in zip(found, below, strict=True):
        evidence = integrate.quad(lambda u, n=n: stats.binom.pmf(n, n_others, u), 0, 1)[0]
        for h in range(degree + 1):
            mean = integrate.quad(lambda u, n=n, h=h: u**h * stats.binom.pmf(n, n_others, u), 0, 1)[0] / evidence
            assert row[h] == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("k1", [4, 6, 9])
@pytest.mark.parametrize("top", [1, 2])
def test_polynomial_estimate_is_exactly_unbiased_up_to_degree_k1_minus_2(k1, top):
    """Over every number of wins with its exact probability, D = u^h gives back the accuracy for every K."""
    targets = np.array([2.0, 5.0, 50.0, 10_000.0])[top - 1 :]
    wins = np.arange(k1)
    for degree in range(1, k1 - 1):
        value = accuracy_by_wins(k1, degree, targets, top)
        for h in range(1, degree + 1):
            # favourability with distribution function u^h is Beta(h, 1), the wins beta-binomial
            probability = stats.betabinom.pmf(wins, k1 - 1, h, 1)
            truth = 1 - PolynomialBasis(h).moments(targets, top=top)[:, h]
            np.testing.assert_allclose(probability @ value, truth, rtol=1e-6, atol=1e-8)


def test_calibration_removes_the_bias_of_noisy_covariates():
    rng = np.random.default_rng(0)
    n, repeats = 300, 400
    calibrated, naive = [], []
    for _ in range(repeats):
        u = rng.uniform(size=n)
        below = rng.binomial(8, u)
        y = 1.0 - 2.0 * u**2 + rng.normal(scale=0.1, size=n)
        powers = cx.methods.sources.expected_powers(below, 8, 2)
        fit = cx.methods.sources.calibrated_regression(powers[:, [0, 2]], y)
        calibrated.append(fit.coefficients)
        noisy = np.column_stack([np.ones(n), (below / 8) ** 2])
        naive.append(np.linalg.lstsq(noisy, y, rcond=None)[0])
    error = np.std(calibrated, axis=0, ddof=1) / np.sqrt(repeats)
    assert (np.abs(np.mean(calibrated, axis=0) - [1, -2]) < 4 * error).all()
    assert np.abs(np.mean(naive, axis=0)[1] + 2) > 20 * error[1]


def test_sandwich_covariance_is_the_spread():
    rng = np.random.default_rng(1)
    x = np.column_stack([np.ones(200), rng.normal(size=200)])
    fits = []
    for _ in range(400):
        y = x @ [1.0, 2.0] + rng.normal(size=200) * np.abs(x[:, 1])
        fits.append(cx.methods.sources.calibrated_regression(x, y, weights=np.full(200, 3.0)))
    spread = np.cov(np.array([fit.coefficients for fit in fits]).T)
    mean = np.mean([fit.covariance for fit in fits], axis=0)
    # a variance from 400 draws is off by sqrt(2/400) = 7 %; z = 4
    assert (np.abs(np.diag(mean) / np.diag(spread) - 1) < 4 * 0.07).all()


def test_importance_weights_bring_back_the_population():
    """Two sub-populations with curved means that are linear only in the right mixture (z = 4)."""
    rng = np.random.default_rng(2)
    weighted, plain = [], []
    for _ in range(200):
        # the population has both kinds equally often; the sample has nine of the second for one of the first
        second = rng.uniform(size=500) < 0.9
        x = rng.uniform(size=500)
        y = x + np.where(second, 1.0, -1.0) * (x**2 - x) + rng.normal(scale=0.1, size=500)
        design = np.column_stack([np.ones(500), x])
        ratio = np.where(second, 0.9 / 0.5, 0.1 / 0.5)
        weighted.append(cx.methods.sources.importance_regression(design, y, ratio).coefficients)
        plain.append(cx.methods.sources.calibrated_regression(design, y).coefficients)
    error = np.std(weighted, axis=0, ddof=1) / np.sqrt(200)
    assert (np.abs(np.mean(weighted, axis=0) - [0, 1]) < 4 * error + 0.003).all()
    assert np.abs(np.mean(plain, axis=0)[0]) > 0.05


def test_variance_bound_holds_given_the_classes_and_not_over_them():
    """Test points alone vary by less than the bound; exchanging classes adds what the bound leaves out."""
    k1, target, degree, repeats = 10, 20, 2, 300
    kappa, bound = cx.methods.sources.polynomial_variance_bound(k1, target, degree, n_repeats=repeats)
    g = rank_weights(k1, degree, np.array([float(target)]))[:, 0]
    assert kappa == pytest.approx(g @ g)
    model = cx.models.BivariateNormal(0.7)
    rng = np.random.default_rng(3)

    def estimate(scores, labels):
        value = accuracy_by_wins(k1, degree, np.array([float(target)]))[:, 0]
        return value[cx.correct_ranks(scores, labels).wins].mean()

    whole = [estimate((s := model.sample(k1, n_repeats=repeats, rng=rng)).scores, s.labels) for _ in range(200)]
    # many points of one set of classes, dealt into experiments of `repeats` points a class
    many = model.sample(k1, n_repeats=repeats * 80, rng=rng)
    deal = np.arange(many.labels.size).reshape(k1, 80, repeats)
    within = [estimate(many.scores[deal[:, i].ravel()], many.labels[deal[:, i].ravel()]) for i in range(80)]
    assert np.var(within, ddof=1) < bound
    assert np.var(whole, ddof=1) > bound
    assert np.var(whole, ddof=1) > 5 * np.var(within, ddof=1)
