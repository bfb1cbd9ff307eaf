"""The default method: the hypothetical point, curves it must follow, published curves, bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import special, stats

from classex.distributions import average_accuracy
from classex.methods import GaussianProcess, probit_normal_accuracy


def test_one_hypothetical_point_is_added_to_a_curve() -> None:
    """Reference with loops: its accuracy falls from nearly 1 to one half, and it varies like a test point."""
    sizes, accuracy, n = [5, 40, 300], [0.9, 0.7, 0.4], 200
    distribution = GaussianProcess().fit_curve(sizes, accuracy, n)
    added = [1 - 0.5 * np.log(k) / np.log(300) for k in sizes]
    share = [(n * a + b) / (n + 1) for a, b in zip(accuracy, added, strict=True)]
    np.testing.assert_allclose(distribution.probit, stats.norm.ppf(share), rtol=1e-12)
    for i, j in itertools.product(range(3), repeat=2):
        first, last = min(i, j), max(i, j)  # accuracies fall
        spread = n**2 * accuracy[last] * (1 - accuracy[first]) / n + added[last] * (1 - added[first])
        slopes = [stats.norm.pdf(stats.norm.ppf(share[k])) for k in (i, j)]
        expected = spread / (n + 1) ** 2 / (slopes[0] * slopes[1]) + (1e-8 if i == j else 0)
        assert distribution.noise[i, j] == pytest.approx(expected, rel=1e-9)
    assert distribution.last == pytest.approx(special.ndtri(0.4))


@pytest.mark.parametrize(("accuracy", "expected"), [(1.0, 0.9977), (0.0, 0.0023), (0.9, 0.9)])
def test_a_perfect_end_is_taken_for_one_that_half_a_point_could_change(accuracy: float, expected: float) -> None:
    """Of 100 points; the median of Beta(1/2, 100) is .00227."""
    distribution = GaussianProcess().fit_curve([5, 40], [accuracy, accuracy], 100)
    assert special.ndtr(distribution.last) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("mu", "nu"), [(2.0, 1.0), (3.5, 1.5), (0.8, 0.6)])
def test_follows_exact_curves_and_their_moments(mu: float, nu: float) -> None:
    """With hardly any noise: the observed curve to .006, ten times further within the interval, and all parts agree."""
    sizes = np.array([2, 5, 10, 30, 100, 300, 1_000])
    curve = probit_normal_accuracy(mu, nu, sizes)
    distribution = GaussianProcess().fit_curve(sizes, curve, 10**8)
    np.testing.assert_allclose(distribution.accuracy(sizes.astype(float)), curve, atol=6e-3)
    low, high = special.ndtr(distribution.posterior(np.array([1e4])).quantiles([0.01, 0.99])[0])
    assert low < probit_normal_accuracy(mu, nu, [10_000])[0] < high
    # D is that of the same distribution: its moments are the accuracies
    np.testing.assert_allclose(
        average_accuracy(distribution.cdf, [5, 100]), distribution.accuracy(np.array([5.0, 100.0])), atol=0.02
    )
    at = np.array([10.0, 1e4, 1e6])
    middle = special.ndtr(distribution.posterior(at).quantiles([0.5])[:, 0])
    np.testing.assert_allclose(distribution.accuracy(at), middle, atol=3e-3)


def test_weights_of_the_kinds_of_curves_are_the_evidence() -> None:
    """Points that are all alike, seen with little noise, raise the weight of their curve from less than a hundredth."""
    sizes = np.array([2, 4, 8, 16, 32, 64])
    alike = GaussianProcess().fit_curve(sizes, 0.99 ** (sizes - 1.0), 10**6).evidence
    assert alike.parameters["falls as if all test points were equally hard"] > 0.4
    assert sum(alike.parameters.values()) == pytest.approx(1.0)
    assert alike.residual is not None
    assert alike.residual < 0.01
