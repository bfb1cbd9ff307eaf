"""Pseudolikelihood: the corrected law of the ranks, optimality, constraints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import classex as cx
from classex.curves.accuracy import win_distribution
from classex.distributions import PiecewiseLinearBasis, PolynomialBasis
from classex.methods.sources.pseudolikelihood import PseudolikelihoodRegression, rank_moments

K1 = 25


@pytest.fixture(scope="module")
def ranks():
    sample = cx.models.BivariateNormal(0.95).sample(K1, n_repeats=4, rng=3)
    return cx.correct_ranks(sample.scores, sample.labels)


def test_law_of_the_ranks():
    """The m-th lowest wrong label has a Beta(m, k1 - m) favourability: .7778 for D = u^2, k1 = 8, m = 7."""
    moments = rank_moments(PolynomialBasis(2), 8, np.arange(1, 8))
    assert moments[6, 2] == pytest.approx(0.7778, abs=5e-5)
    for m in range(1, 8):
        assert moments[m - 1, 2] == pytest.approx(stats.beta(m, 8 - m).expect(lambda x: x**2))


def test_hat_functions_and_their_moments():
    basis = PiecewiseLinearBasis([0.0, 0.3, 0.9, 1.0])
    u = np.array([0.0, 0.15, 0.3, 0.95, 1.0])
    value = basis.evaluate(u)
    np.testing.assert_allclose(value @ basis.nodes, u)
    np.testing.assert_allclose(value.sum(axis=1), 1)
    grid = (np.arange(200_000) + 0.5) / 200_000
    for k, top in ((2, 1), (30, 1), (30, 4)):
        density = stats.beta(k - top, top).pdf(grid) / grid.size
        np.testing.assert_allclose(basis.moments(k, top=top)[0], density @ basis.evaluate(grid), atol=1e-8)
    fine = PiecewiseLinearBasis.for_data(5000)
    np.testing.assert_allclose(fine.moments([2, 10**12]).sum(axis=1), 1)
    assert (fine.moments([2, 5000, 10**12]) > -1e-7).all()
    assert repr(fine) == "PiecewiseLinearBasis(40 nodes)"
    for nodes in ([0.0], [0.0, 0.5], [0.0, 0.5, 0.5, 1.0], [0.1, 1.0]):
        with pytest.raises(ValueError, match="nodes must increase from 0 to 1"):
            PiecewiseLinearBasis(nodes)


def log_pseudolikelihood(basis, beta, beats):
    gamma = rank_moments(basis, beats.size + 1, np.arange(1, beats.size + 1)) @ beta
    gamma = np.clip(gamma, 1e-12, 1 - 1e-12)
    return float(np.sum(beats * np.log(gamma) + (1 - beats) * np.log(1 - gamma)))


@pytest.mark.parametrize("variant", ["unconstrained", "moment", "monotone", "monotone moment"])
def test_no_feasible_change_improves_the_pseudolikelihood(variant, ranks):
    est = cx.Extrapolator(cx.methods.sources.Pseudolikelihood(variant=variant)).fit_ranks(ranks)
    fit = est.distribution_.discriminability
    beats = np.cumsum(win_distribution(ranks))[:-1]
    best = log_pseudolikelihood(fit.basis, fit.coefficients, beats)
    rng = np.random.default_rng(0)
    last = fit.basis.moments(K1)[0]
    for _ in range(300):
        other = np.clip(rng.uniform(size=fit.coefficients.size), 0, 1)
        if "monotone" in variant:
            other = np.sort(other)
        mixed = fit.coefficients + rng.uniform(0, 0.3) * (other - fit.coefficients)
        if "moment" in variant and abs(last @ mixed - beats[-1]) > 1e-9:
            # move along the constraint: blend with all-zero or all-one D, which are feasible
            gap = beats[-1] - last @ mixed
            end = 1.0 if gap > 0 else 0.0
            share = gap / (end - last @ mixed)
            mixed = mixed + share * (end - mixed)
        assert log_pseudolikelihood(fit.basis, mixed, beats) <= best + 1e-5
    assert fit.coefficients.min() >= -1e-7
    assert fit.coefficients.max() <= 1 + 1e-7
    if "monotone" in variant:
        assert np.diff(fit.coefficients).min() > -1e-7
    if "moment" in variant:
        assert est.predict(K1) == pytest.approx(cx.accuracy_curve(ranks, K1).accuracy, abs=1e-6)


def test_a_polynomial_d_is_recovered_from_its_own_probabilities():
    basis = PolynomialBasis(2)
    truth = np.array([0.1, 0.2, 0.6])
    beats = rank_moments(basis, 30, np.arange(1, 30)) @ truth
    for moment in (False, True):
        fit = PseudolikelihoodRegression(basis, 30, moment=moment).solve(beats)
        np.testing.assert_allclose(fit.coefficients, truth, atol=2e-3)
        assert fit.residual < 1e-4
        assert fit.status == "optimal"


@pytest.mark.parametrize("variant", ["moment", "monotone moment"])
def test_a_solution_at_the_edge_of_the_logarithm_is_no_warning(variant):
    # five errors among 500 points: the solver ends a rounding error outside the domain of the objective
    rng = np.random.default_rng([20180901, 500, 50, 1])
    sample = cx.models.GaussianClasses(10, 0.05).sample(500, rng=rng)
    est = cx.Extrapolator(cx.methods.sources.Pseudolikelihood(variant=variant)).fit(sample.scores, sample.labels)
    observed = (sample.scores.argmax(axis=1) == sample.labels).mean()
    np.testing.assert_allclose(est.predict(500), observed, atol=1e-6)


@pytest.mark.parametrize("variant", ["moment", "monotone moment"])
def test_no_point_right_has_no_constrained_fit(variant):
    """An error of 1 forces D = 1, under which a point that wins has probability 0; without any win D = 1 is the fit."""
    method = cx.methods.sources.Pseudolikelihood(variant=variant)
    for n_classes, wins in ((4, [2, 2, 1, 2]), (10, [8] * 20), (30, [28, 0] * 30)):
        ranks = cx.ranks_from_wins(wins, n_classes)
        with pytest.raises(ValueError, match=f"variant must be .* where no point is right, not '{variant}'"):
            method.fit(ranks)
        free = cx.methods.sources.Pseudolikelihood(variant="monotone").fit(ranks)
        assert 0 <= free.accuracy(np.array([10.0 * n_classes]))[0] < 0.1
    never = method.fit(cx.ranks_from_wins([0] * 12, 12))
    np.testing.assert_allclose(never.accuracy(np.array([2.0, 12.0, 100.0])), 0, atol=1e-5)
