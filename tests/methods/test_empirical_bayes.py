"""Early stopped expectation-maximisation: slow references, monotone likelihood, its limit, and known distributions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import classex as cx
from classex.distributions import Distribution
from classex.methods import EmpiricalBayes, ProbitNormal, probit_normal_accuracy
from classex.methods.beta_binomial import expectation_maximisation


def ranks_of(w: np.ndarray, k1: int, seed: int) -> cx.CorrectRanks:
    """One point a class, with the given probits of the favourability."""
    wins = np.random.default_rng(seed).binomial(k1 - 1, special.ndtr(w))
    return cx.CorrectRanks(wins, np.zeros_like(wins), np.arange(k1), k1)


def test_the_steps_against_a_slow_reference() -> None:
    """Every point's posterior over the nodes, averaged, in a loop."""
    rng = np.random.default_rng(0)
    nodes = np.array([0.1, 0.5, 0.8, 0.99])
    wins = rng.binomial(9, rng.choice(nodes, 40))
    values, count = np.unique(wins, return_counts=True)
    likelihood = stats.binom.pmf(values[:, np.newaxis], 9, nodes)
    start = np.array([0.4, 0.3, 0.2, 0.1])
    fast = expectation_maximisation(likelihood * rng.random((values.size, 1)), count / 40, start, 3)
    slow = start
    for _ in range(3):
        rows = []
        for r in wins:
            row = np.array([stats.binom.pmf(r, 9, u) * q for u, q in zip(nodes, slow, strict=True)])
            rows.append(row / row.sum())
        slow = np.mean(rows, axis=0)
    np.testing.assert_allclose(fast, slow, rtol=1e-12)


@pytest.mark.parametrize("start", ["probit-normal", "flat"])
def test_steps_raise_the_likelihood_and_spend_parameters(start: str) -> None:
    rng = np.random.default_rng(1)
    ranks = ranks_of(rng.choice([-0.5, 2.2], 300), 300, 2)
    fits = [EmpiricalBayes(start=start, n_steps=n).fit(ranks) for n in (1, 3, 10, 100)]
    gains = np.diff([fit.log_likelihood for fit in fits])
    assert (gains > 0).all()
    # a distribution of two humps hardly needs more than three atoms
    assert all(0 < fit.freedom < 3 for fit in fits)
    assert fits[2].evidence.log_likelihood == fits[2].log_likelihood
    assert isinstance(fits[0], Distribution)


def test_freedom_is_the_trace_of_the_influence_of_each_rank_on_its_own_fit() -> None:
    """Numerically: raise the weight of one rank by h, take one step more, and see its own log-likelihood rise."""
    rng = np.random.default_rng(4)
    k1, wins = 6, rng.integers(0, 6, 42)
    fit = EmpiricalBayes(start="flat").fit(cx.CorrectRanks(wins, np.zeros_like(wins), np.arange(42) % k1, k1))
    u, weight = special.ndtr(fit.discrete.nodes), fit.discrete.weight
    likelihood = stats.binom.pmf(np.arange(k1)[:, np.newaxis], k1 - 1, u)
    share = np.bincount(wins, minlength=k1) / wins.size
    trace, h = 0.0, 1e-6
    for rank in range(k1):
        moved = (1 - h) * weight + h * likelihood[rank] * weight / (likelihood[rank] @ weight)
        trace += share[rank] * np.log(likelihood[rank] @ moved / (likelihood[rank] @ weight)) / h
    assert fit.freedom == pytest.approx(trace, rel=1e-4)


def test_the_limit_is_the_maximum_likelihood_mixture() -> None:
    """At the maximum no node can raise the likelihood: the mean ratio of likelihoods is at most 1 at every node."""
    rng = np.random.default_rng(3)
    nodes = np.linspace(0.05, 0.95, 19)
    wins = rng.binomial(20, rng.choice([0.3, 0.8], 500))
    values, count = np.unique(wins, return_counts=True)
    likelihood = stats.binom.pmf(values[:, np.newaxis], 20, nodes)
    mixing = expectation_maximisation(likelihood, count / 500, np.full(19, 1 / 19), 20_000)
    slope = (count / 500) @ (likelihood / (likelihood @ mixing)[:, np.newaxis])
    assert slope.max() < 1 + 1e-3


def test_the_start_decides_where_the_wins_say_nothing() -> None:
    ranks = ranks_of(np.random.default_rng(5).normal(1.5, 0.8, 100), 100, 6)
    fit = ProbitNormal().fit(ranks)
    few = EmpiricalBayes(n_steps=1).fit(ranks)
    sizes = np.array([2.0, 100.0, 10_000.0])
    np.testing.assert_allclose(few.accuracy(sizes), probit_normal_accuracy(fit.mu, fit.nu, sizes), atol=0.03)
    # far out the flat start runs straight in log K, where the probit-normal distribution bends
    good = ranks_of(np.full(100, 4.0), 100, 6)
    flat = EmpiricalBayes(start="flat").fit(good).accuracy(np.geomspace(3e3, 3e5, 3))
    assert np.diff(flat)[0] == pytest.approx(np.diff(flat)[1], rel=0.1)
    bent = EmpiricalBayes().fit(good).accuracy(np.geomspace(3e3, 3e5, 3))
    assert abs(np.diff(bent)[1] / np.diff(bent)[0] - 1) > 0.1


def test_d_and_accuracies_agree() -> None:
    distribution = EmpiricalBayes().fit(ranks_of(np.random.default_rng(7).normal(1.0, 0.8, 50), 50, 8))
    u = np.linspace(0, 1, 2_001)
    d = distribution.cdf(u)
    assert d[-1] == pytest.approx(1)
    assert (np.diff(d) >= -1e-12).all()
    # E U^9 = 1 - 9 int D u^8 du, by the trapezoid rule
    moment = 1 - 9 * np.trapezoid(d * u**8, u)
    assert distribution.accuracy(np.array([10.0]))[0] == pytest.approx(moment, abs=2e-3)


def test_ties_are_broken_at_random() -> None:
    """Two points with 3 wins and one tie each are as good as one with 3 wins and one with 4."""
    tied = cx.CorrectRanks(np.array([3, 3, 5, 9, 0, 2, 7, 8, 9, 9]), np.array([1, 1] + 8 * [0]), np.arange(10), 10)
    broken = cx.CorrectRanks(np.array([3, 4, 5, 9, 0, 2, 7, 8, 9, 9]), np.zeros(10, dtype=np.int64), np.arange(10), 10)
    sizes = np.array([5.0, 100.0])
    one, other = (EmpiricalBayes(start="flat").fit(ranks).accuracy(sizes) for ranks in (tied, broken))
    np.testing.assert_allclose(one, other, rtol=1e-10)
