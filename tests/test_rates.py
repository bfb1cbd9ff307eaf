"""Intervals of rates: the number of trials behind a standard error, and what tells a sample that varies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from classex._estimates import density, probit, rate_interval, varies


def wilson(rate, number, t):
    centre = (rate + t**2 / (2 * number)) / (1 + t**2 / number)
    half = t / (1 + t**2 / number) * np.sqrt(rate * (1 - rate) / number + t**2 / (4 * number**2))
    return [centre - half, centre + half]


def unseen(n, level=0.95):
    """Largest share of a kind of which n units hold none, at the upper end: half a unit more of it."""
    return stats.beta(0.5, n).ppf(0.5 + level / 2)


def test_wilson_at_the_number_that_the_error_implies():
    rate, error = np.array([0.2, 0.7]), np.array([0.1, 0.06])
    expected = [wilson(r, r * (1 - r) / e**2, stats.t(19).ppf(0.975)) for r, e in zip(rate, error, strict=True)]
    np.testing.assert_allclose(rate_interval(rate, error, 20, 0.95), expected, rtol=1e-12)


def test_what_an_unseen_kind_of_unit_could_change():
    """Units so alike that Wilson's interval is narrower: the nearer of always and never failing limits each end."""
    rate, error = np.array([0.5, 0.99, 0.002]), np.array([1e-4, 1e-4, 1e-5])
    share = unseen(30, 0.9)
    expected = np.stack([rate * (1 - share), rate + (1 - rate) * share], axis=1)
    np.testing.assert_allclose(rate_interval(rate, error, 30, 0.9), expected, rtol=1e-12)


@pytest.mark.parametrize("rate", [1.0, 1 - 2e-16, 1 + 2e-16])
@pytest.mark.parametrize("error", [0.0, 4e-17, 1e-15])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rounding_is_no_variation(rate, error, dtype):
    """Neither at one nor at its mirror image, zero."""
    for value, expected in ((rate, [1 - unseen(20), 1]), (1 - rate, [0, unseen(20)])):
        ends = rate_interval(np.array([value], dtype=dtype), np.array([error], dtype=dtype), 20, 0.95)
        np.testing.assert_allclose(ends, [expected], atol=1e-6 if dtype == np.float32 else 1e-12)


def test_an_unknown_error_is_that_of_the_units():
    t = stats.t(19).ppf(0.975)
    ends = rate_interval(np.array([1.0, 0.4]), np.full(2, np.nan), 20, 0.95)
    np.testing.assert_allclose(ends, [[20 / (20 + t**2), 1], wilson(0.4, 20, t)], rtol=1e-12)


def test_wilson_without_bound_on_the_trials():
    np.testing.assert_array_equal(rate_interval(np.array([0.3]), np.zeros(1), 20, 0.95, unseen=0.0), [[0.3, 0.3]])


def test_no_more_trials_than_the_sample_is_worth():
    t = stats.t(9).ppf(0.95)
    rate, error = np.array([0.4, 0.4, 0.0]), np.array([0.01, 0.2, 0.0])
    ends = rate_interval(rate, error, 10, 0.9, [5.0, np.inf, 1.5])
    np.testing.assert_allclose(ends[:2], [wilson(0.4, 5, t), wilson(0.4, 6, t)], rtol=1e-12)
    np.testing.assert_allclose(ends[2], [0, t**2 / (1.5 + t**2)], rtol=1e-12)


def test_an_error_larger_than_the_scale_gives_all_of_it():
    np.testing.assert_allclose(rate_interval(np.array([1e-200]), np.array([0.5]), 20, 0.95), [[0, 1]])


def test_rounding_of_a_tiny_rate():
    """What remains of a difference of two rates near one: below 1e-14 it is rounding, however small the rate."""
    ends = rate_interval(np.full(2, 1e-30), np.array([0.8e-14, 1.2e-14]), 20, 0.95)
    np.testing.assert_allclose(ends, [[0, unseen(20)], [0, 1]], atol=0.01)


def test_varies_is_relative():
    np.testing.assert_array_equal(varies([0.8e-9, 1.2e-9], 1), [0, 1])
    np.testing.assert_array_equal(varies([1e-10, 1e-8, 1e-20, 0, np.nan], [1, -1, 1e-12, 0, 1]), [0, 1, 1, 0, 0])


def test_the_probit_scale():
    rates = np.array([1e-6, 0.2, 0.9])
    np.testing.assert_allclose(probit(rates), stats.norm.ppf(rates), rtol=1e-12)
    np.testing.assert_allclose(probit([0.0, 1.0]), [-7.034, 7.034], atol=1e-2)
    np.testing.assert_allclose(density([-8.0, 0.3, 30.0]), stats.norm.pdf([-8.0, 0.3, 30.0]), rtol=1e-12)
    assert density(1e6) > 0
