"""Average Bayes accuracy from its definition, and the variance bounds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from classex.bayes import (
    average_bayes_accuracy,
    bayes_accuracy_variance_bound,
    bayes_accuracy_variance_by_simulation,
    smallest_gain,
)
from classex.models import BivariateNormal, PartlyIdentifiable, RandomCode


def test_definition_agrees_with_the_random_code():
    """Quadrature over likelihoods and the sum over Hamming distances have nothing in common."""
    word = (np.arange(32)[:, None] >> np.arange(5)) & 1
    distance = np.abs(word[:, None] - word[None]).sum(axis=2)
    likelihood = 0.9 ** (5 - distance) * 0.1**distance
    k = np.array([1, 2, 7, 100, 10**6])
    np.testing.assert_allclose(average_bayes_accuracy(likelihood, k), RandomCode(5, 0.1).average_accuracy(k), rtol=1e-9)


def test_definition_by_enumeration_with_unequal_prior():
    """Slow reference: all pairs and triples of classes."""
    p = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    prior = np.array([0.3, 0.7])
    stacked = np.repeat(p, [3, 7], axis=0)
    for k in (2, 3):
        expected = sum(
            prior[list(classes)].prod() * p[list(classes)].max(axis=0).sum() / k for classes in np.ndindex(*[2] * k)
        )
        assert average_bayes_accuracy(stacked, k) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("k", [2, 10, 60])
def test_variance_bounds_hold_and_tighten(k):
    """Sampling error of a variance over 20,000 class sets is about 1 %; 5 % is allowed."""
    rng = np.random.default_rng(k)
    for model in (BivariateNormal(0.7), BivariateNormal(0.99), PartlyIdentifiable(0.5), PartlyIdentifiable(0.9)):
        if isinstance(model, PartlyIdentifiable):
            variance = model.bayes_accuracy_variance(k)
        else:
            variance = np.var([model.bayes_accuracy(rng.standard_normal(k)) for _ in range(20_000)]) / 1.05
        a, before = model.average_accuracy(k), model.average_accuracy(k - 1)
        refined = bayes_accuracy_variance_bound(k, average_accuracy=a, one_fewer=before)
        known = bayes_accuracy_variance_bound(k, average_accuracy=a)
        assert variance <= refined * (1 + 1e-9)
        assert refined <= known * (1 + 1e-9)
        assert known <= bayes_accuracy_variance_bound(k) == 1 / (4 * k)


def test_bivariate_variances_match_known_values():
    """4k Var at rho .7, k = 2, 5, 10: .123, .071, .033 (rounded to three digits); z = 4."""
    for k, expected in ((2, 0.123), (5, 0.071), (10, 0.033)):
        estimate = bayes_accuracy_variance_by_simulation(BivariateNormal(0.7), k, n_class_sets=10_000, rng=k)
        assert abs(4 * k * estimate.value - expected) < 4 * k * 4 * estimate.standard_error + 5e-4
        assert estimate.standard_error < 0.05 * estimate.value


@pytest.mark.parametrize(("k", "accuracy"), [(2, 0.8), (5, 0.3), (20, 0.5), (20, 0.95), (200, 0.9)])
def test_smallest_gain_against_linear_programming(k, accuracy):
    """Slow reference: minimise the last moment over all mixtures on a grid with the given mean of moments."""
    u = np.linspace(0, 1, 4001)
    power = u[None] ** np.arange(k)[:, None]
    solution = linprog(power[-1], A_eq=[power.mean(axis=0), np.ones(u.size)], b_eq=[accuracy, 1])
    assert solution.status == 0
    assert smallest_gain(accuracy, k) == pytest.approx(solution.fun, abs=2e-4)
    assert smallest_gain(accuracy, k) <= solution.fun + 1e-9


def test_smallest_gain_at_the_ends():
    assert smallest_gain(1.0, 10) == 1.0
    assert smallest_gain(0.1, 10) == 0.0
