"""Lower confidence bounds: check values, slow references, the inequalities they rest on, and exact coverage."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, binomtest

from classex.bayes import (
    _slopes,
    average_bayes_accuracy_bound,
    bayes_accuracy_bound,
    generalisation_accuracy_bound,
)
from classex.models import PartlyIdentifiable


@pytest.mark.parametrize(("method", "value"), [("thesis", 0.661591), ("split", 0.790387), ("joint", 0.812598)])
def test_average_bounds_reproduce_known_values(method, value):
    bound = average_bayes_accuracy_bound(0.9, n_classes=200, n_repeats=50, method=method)
    assert bound == pytest.approx(value, abs=5e-7)


def chernoff_by_brute_force(x, k, r, alpha):
    """Largest a rejected, by brute force over the tangent, the slope and the three moment bounds."""
    c = np.log(1 / alpha) / k
    best = 0.0
    for slope in np.geomspace(0.02, 30, 250):
        kappa = slope * np.exp(-quad(lambda s: 1 / s - 1 / (2 * np.exp(s) - s - 2), 1e-9, slope)[0])
        for b in np.linspace(0, 1, 201):
            if b * slope >= r:
                continue
            eta = slope / (r - b * slope)
            conditional = r * np.log1p(b * eta) - b * slope - x * r * np.log1p(eta)
            bounds = (
                (-c - conditional - slope**2 / 8) / slope,
                (-c - conditional) / np.expm1(slope),
                1 - (slope + conditional + c) / kappa,
            )
            best = max(best, *bounds)
    return best


@pytest.mark.parametrize(("x", "k", "r"), [(0.9, 50, 5), (0.05, 100, 20), (0.98, 30, 1), (0.5, 20, 3)])
def test_chernoff_against_brute_force(x, k, r):
    bound = average_bayes_accuracy_bound(x, n_classes=k, n_repeats=r, method="chernoff")
    assert bound == pytest.approx(max(chernoff_by_brute_force(x, k, r, 0.05), 1 / k), abs=3e-4)


def test_moment_generating_bounds_hold_where_the_distribution_is_known():
    """k BA = m + 1{m < k}, m binomial: log E exp(theta k BA) stays below each of the three bounds."""
    theta, kappa = _slopes()
    at = slice(0, None, 97)
    for share in (0.05, 0.5, 0.9, 0.99):
        for k in (2, 10, 100):
            m = np.arange(k + 1)
            total, mass = m + (m < k), binom.pmf(m, k, share)
            a = PartlyIdentifiable(share).average_accuracy(k)
            log_mgf = np.array([np.log(mass @ np.exp(t * (total - k))) + t * k for t in theta[at]]) / k
            for bound in (a * theta + theta**2 / 8, a * np.expm1(theta), theta - (1 - a) * kappa):
                assert (log_mgf <= bound[at] * (1 + 1e-9) + 1e-12).all()


def test_clopper_pearson_is_scipys_limit_where_it_applies():
    for successes, n in ((3, 10), (57, 60), (60, 60), (2, 1000)):
        bound = generalisation_accuracy_bound(successes / n, n_classes=2, n_repeats=n // 2)
        exact = binomtest(successes, n, alternative="greater").proportion_ci(0.95).low
        assert bound == pytest.approx(exact, abs=1e-12)


def test_clopper_pearson_with_few_successes():
    bound = partial(generalisation_accuracy_bound, n_classes=10, n_repeats=1)
    assert bound(0.0) == 0.0
    assert bound(0.1) == pytest.approx(0.05 / 10)
    # at an error probability of 0.9 the plain limit would exceed (S-1)/n, where its justification ends
    assert bound(0.3, confidence_level=0.1) == pytest.approx(0.2)


def test_clopper_pearson_covers_exactly_for_unequal_classes():
    """All outcomes of a few indicators with different means, no simulation."""
    rng = np.random.default_rng(4)
    n = 8
    bound = np.array([generalisation_accuracy_bound(s / n, n_classes=n, n_repeats=1) for s in range(n + 1)])
    for _ in range(400):
        p = rng.beta(0.3, 0.3, n)
        distribution = np.array([1.0])
        for chance in p:
            distribution = np.convolve(distribution, [1 - chance, chance])
        assert distribution[bound > p.mean()].sum() <= 0.05 + 1e-12


def test_hoeffding_constants():
    n = 500
    hoeffding = generalisation_accuracy_bound(0.6, n_classes=50, n_repeats=10, method="hoeffding")
    thesis = generalisation_accuracy_bound(0.6, n_classes=50, n_repeats=10, method="thesis")
    assert hoeffding == pytest.approx(0.6 - np.sqrt(np.log(20) / (2 * n)))
    assert thesis == pytest.approx(0.6 - np.sqrt(np.log(40) / (2 * n)))


def test_selection_is_bonferroni():
    once = average_bayes_accuracy_bound(0.9, n_classes=100, n_repeats=5, confidence_level=1 - 0.05 / 20)
    assert average_bayes_accuracy_bound(0.9, n_classes=100, n_repeats=5, n_classifiers=20) == pytest.approx(once)
    for bound in (bayes_accuracy_bound, generalisation_accuracy_bound):
        for method in ("clopper-pearson", "hoeffding"):
            options = {"n_classes": 100, "n_repeats": 5, "method": method}
            alone = bound(0.9, confidence_level=1 - 0.05 / 20, **options)
            assert bound(0.9, n_classifiers=20, **options) == pytest.approx(alone)
            assert bound(0.9, **options) > alone
    thesis = average_bayes_accuracy_bound(0.9, n_classes=1000, n_repeats=5, n_classifiers=20, method="thesis")
    assert thesis == pytest.approx(0.9 - np.sqrt(np.log(80 / 0.05) / 10_000) - 1 / np.sqrt(100))


def test_unequal_repeats_enter_by_their_harmonic_mean():
    repeats = [1, 2, 4, 4]
    joint = average_bayes_accuracy_bound(0.99, n_classes=4, n_repeats=repeats, confidence_level=0.5, method="joint")
    assert joint == pytest.approx(0.99 - np.sqrt((1 + 0.5) * np.log(2) / 8))
    for method in ("chernoff", "cantelli"):
        uneven = average_bayes_accuracy_bound(0.9, n_classes=4, n_repeats=repeats, method=method)
        assert uneven == average_bayes_accuracy_bound(0.9, n_classes=4, n_repeats=1, method=method)
    hoeffding = generalisation_accuracy_bound(0.99, n_classes=4, n_repeats=repeats, method="hoeffding")
    assert hoeffding == pytest.approx(0.99 - np.sqrt(np.log(20) * 0.5 / 8))
