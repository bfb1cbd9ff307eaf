"""The beta-binomial distribution with a limit and atoms: closed forms, simulation, recovery, counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import classex as cx
from classex.distributions import Distribution, average_accuracy
from classex.methods import BetaBinomial, BetaBinomialDistribution
from classex.methods.beta_binomial import _likelihood, _mean_log_likelihood


def test_plain_distribution_has_the_closed_form() -> None:
    """E (1-P)^(K-1) = B(alpha, beta + K - 1) / B(alpha, beta)."""
    for alpha, beta in ((0.5, 3.0), (2.0, 2.0), (0.05, 40.0)):
        distribution = BetaBinomialDistribution(alpha, beta, 1.0, 0.0, 0.0)
        sizes = np.array([2.0, 30.0, 1_000.0, 1e6])
        exact = np.exp(special.betaln(alpha, beta + sizes - 1) - special.betaln(alpha, beta))
        np.testing.assert_allclose(distribution.accuracy(sizes), exact, rtol=2e-3)


def test_simulated_distribution_with_a_limit_and_atoms() -> None:
    """Accuracies, top three and D within 4.5 standard errors (z = 4.5) of 400,000 draws."""
    rng, n = np.random.default_rng(0), 400_000
    distribution = BetaBinomialDistribution(0.7, 2.0, 0.4, 0.15, 0.05)
    kind = rng.random(n)
    p = np.where(kind < 0.15, 0.0, np.where(kind > 0.95, 1.0, 0.4 * rng.beta(0.7, 2.0, n)))
    drawn = [(1 - p) ** 49, rng.binomial(49, p) < 3, 1 - p <= 0.8, 1 - p <= 0.5]
    exact = [
        distribution.accuracy(np.array([50.0]))[0],
        distribution.accuracy(np.array([50.0]), 3)[0],
        distribution.cdf(np.array([0.8]))[0],
        distribution.cdf(np.array([0.5]))[0],
    ]
    for sample, value in zip(drawn, exact, strict=True):
        assert abs(sample.mean() - value) < 4.5 * sample.std() / np.sqrt(n) + 1e-9
    np.testing.assert_allclose(distribution.cdf(np.array([0.0, 1.0])), [0.05, 1.0])
    sizes = np.array([2, 50])
    np.testing.assert_allclose(
        average_accuracy(distribution.cdf, sizes), distribution.accuracy(sizes.astype(float)), atol=1e-3
    )


def test_plain_fit_against_a_general_optimiser() -> None:
    """Reference: scipy's beta-binomial probabilities on a grid of parameters."""
    counts = stats.betabinom.rvs(40, 0.8, 3.0, size=300, random_state=1)
    distribution = BetaBinomial(limited=False, atoms=False).fit_counts(counts, 40)
    best = stats.betabinom.logpmf(counts, 40, distribution.alpha, distribution.beta).sum()
    assert distribution.log_likelihood == pytest.approx(best, abs=0.05)
    for alpha in np.linspace(0.4, 1.4, 11):
        for beta in np.linspace(1.5, 6, 10):
            # the prior is worth about one point
            assert stats.betabinom.logpmf(counts, 40, alpha, beta).sum() < best + 0.5


def simulated(rng: np.random.Generator, n: int, trials: np.ndarray) -> np.ndarray:
    kind = rng.random(n)
    p = np.where(kind < 0.3, 0.0, np.where(kind > 0.9, 1.0, 0.5 * rng.beta(1.5, 2.0, n)))
    return rng.binomial(trials, p)


def test_gradient_against_differences() -> None:
    """Central differences of the likelihood, whose own error is about 1e-9."""
    trials = np.array([5.0, 20.0, 60.0])
    likelihood = _likelihood(np.array([[0.0], [3.0], [60.0]]), trials[:, np.newaxis])
    weight, step = np.array([0.5, 0.3, 0.2]), 1e-5 * np.eye(5)
    for theta in ([-0.5, 1.0, 3.0, -3.0, -3.0], [0.3, 0.2, 0.0, -1.0, -2.0], [-2.0, 2.0, 5.0, -8.0, -8.0]):
        _, slope = _mean_log_likelihood(np.array(theta), likelihood, weight)
        ends = [[_mean_log_likelihood(theta + sign * one, likelihood, weight)[0] for one in step] for sign in (1, -1)]
        np.testing.assert_allclose(slope, np.subtract(*ends) / 2e-5, atol=2e-8)


def test_what_is_added_does_no_worse() -> None:
    rng = np.random.default_rng(3)
    counts = rng.binomial(30, rng.beta(0.5, 4.0, 400))
    plain, whole = (BetaBinomial(limited=more, atoms=more).fit_counts(counts, 30) for more in (False, True))
    assert whole.log_likelihood > plain.log_likelihood - 3.0
    assert (whole.evidence.n_parameters, plain.evidence.n_parameters) == (5.0, 2.0)


def test_ranks_are_counts_of_losses() -> None:
    rng = np.random.default_rng(4)
    wins = rng.binomial(39, rng.beta(5, 1, 40))
    ranks = cx.CorrectRanks(wins, np.zeros_like(wins), np.arange(40), 40)
    distribution, reference = BetaBinomial().fit(ranks), BetaBinomial().fit_counts(39 - wins, 39)
    assert isinstance(distribution, Distribution)
    np.testing.assert_allclose(distribution.accuracy(np.array([40.0])), reference.accuracy(np.array([40.0])), rtol=1e-4)
    sizes = np.array([4.0, 40.0, 4_000.0])
    np.testing.assert_allclose(
        BetaBinomial().refit(distribution, ranks).accuracy(sizes), distribution.accuracy(sizes), atol=1e-5
    )


@pytest.mark.parametrize("atoms", [True, False])
def test_a_refit_is_the_fit(atoms: bool) -> None:
    """A fit from nearby parameters reaches the likelihood, and the predictions, of the fit from several starts."""
    rng, sizes = np.random.default_rng(3), np.array([41.0, 400.0])
    first = cx.ranks_from_wins(40 - simulated(rng, 300, np.full(300, 40)), 41)
    method = BetaBinomial(atoms=atoms)
    distribution = method.fit(first)
    for seed in range(5):
        other = cx.ranks_from_wins(40 - simulated(np.random.default_rng(seed), 150, np.full(150, 40)), 41)
        whole, again = method.fit(other), method.refit(distribution, other)
        assert again.log_likelihood == pytest.approx(whole.log_likelihood, abs=0.02)
        np.testing.assert_allclose(again.accuracy(sizes), whole.accuracy(sizes), atol=2e-3)
