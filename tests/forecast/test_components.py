"""Curves of the components against integrals, inversions and exact moments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

from classex.forecast import CURVES, Beta, Related, Straight, related_curve
from classex.forecast.posterior import normal_maximum, wandering


def test_a_slope_that_is_forgotten() -> None:
    """Reference: the covariance .8^2 exp(-|x - y| / 1.5) of the slope, summed over a million pairs x, y."""
    t = np.log10(np.array([3.5, 450.0]))
    found = wandering(t, 0.8, 1.5)
    middles = (np.arange(1_000) + 0.5) / 1_000
    for i in range(2):
        for j in range(2):
            apart = np.abs(t[i] * middles[:, np.newaxis] - t[j] * middles)
            assert found[i, j] == pytest.approx(0.64 * t[i] * t[j] * np.exp(-apart / 1.5).mean(), abs=1e-5)


def test_a_straight_curve_is_steep_at_first() -> None:
    """Reference: the slope b + c exp(-t / d) integrated from two classes on."""
    part, sizes = Straight(1.0, slope=-0.4, early=-0.9, decay=0.3, level=0.7), np.array([2.0, 9.0, 4_000.0])
    mean, covariance = part.processes(sizes, 1, 0.0)
    for k, found in zip(sizes, mean[0], strict=True):
        fall = integrate.quad(lambda t: -0.4 - 0.9 * np.exp(-t / 0.3), 0, np.log10(k / 2))[0]
        assert found == pytest.approx(0.7 + fall, abs=1e-9)
    assert covariance[0, 0, 0] == pytest.approx(9.0)


def test_normal_scores_fall_by_the_largest_of_their_rivals() -> None:
    """The median of the largest of K - 1 normal scores, by inversion; at far reach like the root of 2 log K."""
    sizes = np.array([2.0, 3.0, 50.0, 1e6])
    for k, found in zip(sizes, normal_maximum(sizes), strict=True):
        median = optimize.brentq(lambda x, k=k: (k - 1) * stats.norm.logcdf(x) - np.log(0.5), -3, 9)
        assert found == pytest.approx(median, abs=1e-9)
    far = normal_maximum(np.array([1e6, 1e12]))
    assert far[1] / far[0] == pytest.approx(np.sqrt(2), abs=0.06)
    part = Straight(1.0, slope=-1.0, early=0.0, axis="normal", level=3.0)
    np.testing.assert_allclose(part.processes(sizes, 1, 0.0)[0][0], 3.0 - normal_maximum(sizes))


@pytest.mark.parametrize(("b", "h"), [(0.1, 0.0), (1.0, 0.1), (200.0, 0.4)])
def test_beta_curves_are_moments(b: float, h: float) -> None:
    """Through a known value at the end, every accuracy is the moment of a beta distribution, a product of ratios."""
    a, sizes = 4.0 + 30 * b, np.array([2.0, 10.0, 60.0, 500.0])

    def accuracy(k: float) -> float:
        return (1 - h) * float(np.exp(sum(np.log((a + i) / (a + b + i)) for i in range(int(k) - 1)))) + h / k

    z = special.ndtri([accuracy(k) for k in sizes])
    mean, covariance = Beta(1.0, ((b, h),), slope_sd=0.0).processes(sizes, 3, z[2])
    np.testing.assert_allclose(mean[0], z, atol=2e-3)
    # the level is vague at the end, and moves the curve as the first parameter does
    assert np.sqrt(covariance[0, 2, 2]) == pytest.approx(3.0)
    np.testing.assert_allclose(covariance[0] * covariance[0, 2, 2], np.outer(covariance[0, 2], covariance[0, 2]))


def test_a_shape_that_cannot_reach_the_last_value_has_no_mean() -> None:
    mean, _ = Beta(1.0, ((1.0, 0.5), (1.0, 0.0))).processes(np.array([2.0, 50.0]), 2, special.ndtri(0.9))
    assert np.isnan(mean[0]).all()
    assert np.isfinite(mean[1]).all()
    assert Beta(0.6, ((0.1, 0.0), (1.0, 0.0), (200.0, 0.0))).weights.tolist() == pytest.approx([0.2] * 3)


def test_a_related_curve_is_the_mean_and_goes_on_with_the_usual_slope() -> None:
    sizes, accuracy = np.array([2.0, 20.0, 200.0]), np.array([0.95, 0.8, 0.6])
    at = np.array([2.0, 20.0, 200.0, 2_000.0])
    mean = Related(1.0, sizes, accuracy).processes(at, 1, 0.0)[0][0]
    np.testing.assert_allclose(mean[:3], special.ndtri(accuracy), atol=1e-12)
    usual = Straight(1.0).processes(at, 1, 0.0)[0][0]
    assert mean[3] - mean[2] == pytest.approx(usual[3] - usual[2])


@pytest.mark.parametrize("name", CURVES)
def test_stored_curves_fall(name: str) -> None:
    sizes, accuracy = related_curve(name)
    assert (np.diff(sizes) > 0).all()
    assert (np.diff(accuracy) <= 0).all()
    assert accuracy[0] < 1
