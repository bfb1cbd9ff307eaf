"""The Pitman-Yor process of identification: published values, simulation, slow references, and recovery."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
import pytest
from scipy import integrate, stats

import classex as cx
from classex.distributions import average_accuracy
from classex.methods import PitmanYor, PitmanYorDistribution
from classex.methods.pitman_yor import _accuracy, _log_pmf, _uniqueness


def pitman_yor_accuracy(d, a, n):
    return _accuracy(d, a, np.atleast_1d(np.asarray(n, dtype=np.float64)), 1)


def pitman_yor_uniqueness(d, a, n):
    return _uniqueness(d, a, np.atleast_1d(np.asarray(n, dtype=np.float64)))


PARAMETERS = [(0.3, 5.0), (0.0, 20.0), (1e-6, 3.0), (0.6, 0.5), (0.95, 0.01)]


@pytest.mark.parametrize(
    ("d", "a", "n", "kappa", "unique"),
    [
        (0.3, 5, 10, 0.68383421, 0.49311207),
        (0.3, 5, 10_000, 0.01498458, 0.00499323),
        (0, 20, 100, 0.36255906, 0.16806723),
        (0.6, 50, 10_000, 0.19293377, 0.12016425),
    ],
)
def test_published_formulas(d: float, a: float, n: int, kappa: float, unique: float) -> None:
    assert pitman_yor_accuracy(d, a, n)[0] == pytest.approx(kappa, abs=5e-9)
    assert pitman_yor_uniqueness(d, a, n)[0] == pytest.approx(unique, abs=5e-9)


@pytest.mark.parametrize(("d", "a"), PARAMETERS)
def test_the_moments_of_d_are_the_accuracies(d: float, a: float) -> None:
    distribution, sizes = PitmanYorDistribution(d, a), np.array([2, 30, 1_000])
    for top in (1, 2):
        expected = distribution.accuracy(sizes.astype(float), top)[sizes > top]
        np.testing.assert_allclose(average_accuracy(distribution.cdf, sizes[sizes > top], top=top), expected, atol=2e-6)


@pytest.mark.parametrize(("d", "a"), PARAMETERS[:3])
def test_the_wins_against_quadrature(d: float, a: float) -> None:
    """Quadrature over P of the conditional probability."""
    pmf = np.exp(_log_pmf(np.array([0, 3, 12]), 12, d, a))
    distribution = stats.beta(1 - d, a + d)
    for m, value in zip((0, 3, 12), pmf, strict=True):
        reference = integrate.quad(
            lambda p, m=m: distribution.pdf(p) * stats.binom.sf(m, 13, p) / (13 * p), 0, 1, epsabs=1e-12, limit=500
        )[0]
        assert value == pytest.approx(reference, rel=1e-4)


@cache
def log_gamma(x: Decimal) -> Decimal:
    """Stirling's series after the recurrence, to about 70 digits, without its constant."""
    below = Decimal(1)
    while x < 60:
        below, x = below * x, x + 1
    bernoulli = [Fraction(1)]
    for m in range(1, 61):
        bernoulli.append(-sum(comb(m + 1, k) * b for k, b in enumerate(bernoulli)) / (m + 1))
    series = (bernoulli[k] / (k * (k - 1)) for k in range(2, 61, 2))
    tail = sum(Decimal(c.numerator) / c.denominator / x ** (2 * k + 1) for k, c in enumerate(series))
    return (x - Decimal("0.5")) * x.ln() - x + tail - below.ln()


def exact(d: float, a: float, n: int) -> tuple[Decimal, Decimal]:
    """The printed formulas, kappa and uniqueness, in arithmetic that can afford to cancel."""
    d, a = max(Decimal(d), Decimal("1e-30")), Decimal(a)
    with localcontext(prec=90):
        ratio = (log_gamma(1 + a) - log_gamma(d + a) + log_gamma(n + d + a) - log_gamma(n + a)).exp()
        return (ratio - a) / (n * d), ratio / (n + d + a - 1)


DISCOUNTS = (0.0, 1e-9, 5e-5, 1.3e-4, 2e-4, 0.3, 0.9, 1 - 1e-9)
CONCENTRATIONS = (1e-12, 0.5, 16.5, 9359.0, 2e4, 1e9)


@pytest.mark.parametrize("d", DISCOUNTS)
def test_twelve_digits_everywhere(d: float) -> None:
    sizes = [1, 2, 3, 16, 1_000, 12_345, 10**9, 10**12]
    for a in CONCENTRATIONS:
        truth = [exact(d, a, n) for n in sizes]
        for ours, column in zip((pitman_yor_accuracy, pitman_yor_uniqueness), (0, 1), strict=True):
            value = ours(d, a, sizes)
            expected = [float(row[column]) for row in truth]
            np.testing.assert_allclose(value, expected, rtol=1e-13, err_msg=f"{ours.__name__} at {a}")


def simulated(d: float, a: float, k1: int, n: int, seed: int) -> cx.CorrectRanks:
    """Ranks of n points a class whose favourabilities follow the distribution."""
    rng = np.random.default_rng(seed)
    u = 1 - rng.beta(1 - d, a + d, k1 * n) * rng.random(k1 * n)
    wins = rng.binomial(k1 - 1, u)
    return cx.CorrectRanks(wins, np.zeros_like(wins), np.repeat(np.arange(k1), n), k1)


def test_likelihood_is_at_its_maximum() -> None:
    ranks = simulated(0.3, 5.0, 60, 3, 5)
    distribution = PitmanYor().fit(ranks)
    assert distribution.evidence.log_likelihood == distribution.log_likelihood

    def total(d: float, a: float) -> float:
        return float(_log_pmf(59 - ranks.wins, 59, d, a).sum())

    best = total(distribution.discount, distribution.concentration)
    assert distribution.log_likelihood == pytest.approx(best, abs=1e-6)
    for d in np.linspace(0, 0.95, 20):
        for a in np.geomspace(0.1, 100, 31):
            assert total(float(d), float(a)) <= best + 1e-6
