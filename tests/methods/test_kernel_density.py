"""Kernel density bandwidths and favourabilities: R's values, reference implementations, edge cases."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import classex as cx
from classex.methods.kernel_density import (
    BANDWIDTH_RULES,
    _bandwidths,
    _exponents,
    kernel_favourability,
)


def plain_criterion(rule, x, h):
    """The formulas, pair by pair, with R's bins."""
    n = x.size
    width = 1.01 * np.ptp(x) / 1000
    bins = np.trunc(x / width)
    i, j = np.triu_indices(n, 1)
    delta = (np.abs(bins[i] - bins[j]) * width / h) ** 2
    delta = delta[delta < 1000]
    if rule == "ucv":
        total = np.sum(np.exp(-delta / 4) - np.sqrt(8) * np.exp(-delta / 2))
        return (0.5 + total / n) / (n * h * np.sqrt(np.pi))
    total = np.sum(np.exp(-delta / 4) * (delta**2 - 12 * delta + 12))
    return (1 + total / (32 * n)) / (2 * n * h * np.sqrt(np.pi))


def kernel_bandwidth(values, rule):
    """The bandwidth for one row of wrong scores."""
    power = _exponents(values[np.newaxis])
    return float(np.ldexp(_bandwidths(np.ldexp(values, -power)[np.newaxis], rule), power)[0])


SAMPLES = {
    "normal": np.random.default_rng(1).normal(size=200),
    "far from zero": 50 + np.random.default_rng(2).gamma(2, size=90),
    "two lumps": np.concatenate([np.random.default_rng(3).normal(m, 0.2, size=60) for m in (-2, 1)]),
    "few": np.array([-0.3, 0.1, 0.9]),
    "ties": np.repeat([0.0, 0.5, 2.0], [5, 3, 9]),
}


@pytest.mark.parametrize("rule", ["ucv", "bcv"])
def test_bandwidths_of_r(rule, reference, reference_scores):
    found = kernel_favourability(reference_scores, np.arange(12), rule).bandwidth
    np.testing.assert_allclose(found, reference[f"bandwidth_{rule}_per_row"], atol=1e-7)


def test_reference_bandwidths_of_r(reference, reference_scores):
    found = kernel_favourability(reference_scores, np.arange(12), "normal_reference").bandwidth
    np.testing.assert_allclose(found, np.array(reference["bandwidth_nrd0_per_row"]) * 1.06 / 0.9, atol=2e-7)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("rule", ["ucv", "bcv"])
def test_bandwidth_minimises_its_criterion(rule, name):
    x = SAMPLES[name]
    hmax = 1.144 * x.std(ddof=1) * x.size**-0.2
    h = kernel_bandwidth(x, rule)
    assert 0.1 * hmax <= h <= hmax
    grid = np.linspace(0.1 * hmax, hmax, 400)
    values = np.array([plain_criterion(rule, x, g) for g in grid])
    inside = np.flatnonzero((values[1:-1] < values[:-2]) & (values[1:-1] < values[2:])) + 1
    # a minimiser of the criterion (perhaps a local one, as R's may be), to its tolerance
    minima = np.append(grid[inside], [grid[0], grid[-1]])
    assert np.abs(minima - h).min() < 0.02 * hmax
    if name == "normal":
        assert plain_criterion(rule, x, h) <= values.min() + 0.01 * np.ptp(values)


def test_equal_scores_have_bandwidth_zero_and_count():
    for rule in BANDWIDTH_RULES:
        assert kernel_bandwidth(np.full(7, 3.0), rule) == 0
        found = kernel_favourability([[2.0, 1, 1, 1], [1, 1, 1, 1], [2, 2, 1, 2], [0, 0, 0, -1]], np.arange(4), rule)
        np.testing.assert_array_equal(found.beaten, [0, 0.5, 1, 1])


def test_values_too_far_from_zero_for_their_spread():
    x = 1e15 + np.array([0.0, 0.25, 0.5])
    assert kernel_bandwidth(x, "ucv") == pytest.approx(1.144 * x.std(ddof=1) * 3**-0.2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_favourability_is_the_smoothed_fraction_below_the_truth(dtype):
    rng = np.random.default_rng(4)
    scores, labels = rng.normal(size=(30, 9)).astype(dtype), np.arange(30) % 9
    for bandwidth in (0.4, "ucv"):
        found = kernel_favourability(scores, labels, bandwidth)
        for row in range(30):
            wrong = np.delete(scores[row], labels[row]).astype(np.float64)
            h = 0.4 if bandwidth == 0.4 else kernel_bandwidth(wrong, "ucv")
            assert found.bandwidth[row] == pytest.approx(h, rel=1e-12)
            truth = float(scores[row, labels[row]])
            assert found.beaten[row] == pytest.approx(stats.norm.sf((truth - wrong) / h).mean(), rel=1e-12)


def test_tiny_probabilities_keep_their_digits():
    found = kernel_favourability([[12.0, 0, 0.5], [0, 12, 0.5], [0, 0.5, 12]], [0, 1, 2], 1.0)
    expected = (stats.norm.sf(12.0) + stats.norm.sf(11.5)) / 2
    np.testing.assert_allclose(found.beaten, expected, rtol=1e-12)
    assert (found.beaten > 0).all()


@pytest.mark.parametrize("rule", BANDWIDTH_RULES)
def test_rows_without_spread_and_with_masks(rule):
    scores = np.full((6, 6), 0.25)
    scores[0, 0] = 1.0  # wins outright
    scores[1] = [1e-200, 3e-170, 1e-300, 0.0, 5e-324, 2e-200]  # posteriors that have all but vanished
    scores[2, 1], scores[2, 0] = -1e308, 1e308
    found = kernel_favourability(scores, np.arange(6), rule)
    assert np.isfinite(found.beaten).all()
    assert (found.beaten[0], found.bandwidth[0]) == (0.0, 0.0)
    assert found.beaten[1] < 0.5
    assert ((found.beaten >= 0) & (found.beaten <= 1)).all()


@pytest.mark.parametrize("rule", ["ucv", "bcv"])
def test_predictions_of_r(rule, reference, reference_scores):
    est = cx.Extrapolator(cx.methods.KernelDensity(bandwidth=rule)).fit(reference_scores, np.arange(12))
    expected = reference[f"kde_extrapolated_{rule}_k_2_12_100_1000"]
    np.testing.assert_allclose(est.predict([2, 12, 100, 1000]), expected, atol=1e-7)


def test_powers_of_favourability_are_averaged_class_by_class():
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1, 2, 3], [1, 2, 3, 6])
    scores = rng.normal(size=(12, 4)) + 2 * np.eye(4)[labels]
    est = cx.Extrapolator(cx.methods.KernelDensity(bandwidth=0.3)).fit(scores, labels)
    u = 1 - cx.methods.kernel_favourability(scores, labels, 0.3).beaten
    k = [2, 10, 1000]
    expected = [np.mean([(u[labels == c] ** (n - 1)).mean() for c in range(4)]) for n in k]
    np.testing.assert_allclose(est.predict(k), expected, rtol=1e-9)
    top = [np.mean([stats.binom.cdf(2, n - 1, 1 - u[labels == c]).mean() for c in range(4)]) for n in (4, 10, 1000)]
    np.testing.assert_allclose(est.predict([4, 10, 1000], top=3), top, rtol=1e-9)
    d = est.distribution_.cdf(np.array([0.0, 0.5, 0.9, 1.0]))
    for value, at in zip(d, (0.0, 0.5, 0.9, 1.0), strict=True):
        assert value == pytest.approx(np.mean([(u[labels == c] <= at).mean() for c in range(4)]))
