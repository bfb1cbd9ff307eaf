"""Rates of pairs of samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from classex.fields.open_set import open_set_curve, verification_curve

RNG = np.random.default_rng(4)
GENUINE, IMPOSTOR = RNG.normal(2, 1, 400), RNG.normal(0, 1, 3000)


def test_rates_by_counting():
    cuts = [-1.0, 0.5, float(GENUINE[0]), 9.0]
    curve = verification_curve(GENUINE, IMPOSTOR, cuts)
    np.testing.assert_allclose(curve.fpir, [(t <= IMPOSTOR).mean() for t in cuts], atol=1e-15)
    np.testing.assert_allclose(curve.fnir, [(t > GENUINE).mean() for t in cuts], atol=1e-15)
    np.testing.assert_array_equal(curve.fmr, curve.fpir)
    assert (curve.n_enrolled, curve.n_mated, curve.n_nonmated) == (1, 400, 3000)
    exact = stats.binomtest(int((IMPOSTOR >= 0.5).sum()), 3000).proportion_ci(method="wilson")
    assert curve.fpir_interval[1] == pytest.approx([exact.low, exact.high], abs=2e-3)


def test_the_equal_error_rate_of_two_normals():
    """Both rates are Phi(-1) at the threshold 1; the estimate is within four of its standard errors."""
    found = verification_curve(GENUINE, IMPOSTOR).equal_error_rate()
    truth = special.ndtr(-1.0)
    assert abs(found.fpir[0] - truth) < 4 * np.sqrt(truth * (1 - truth) / 400)
    assert found.fpir_interval[0, 0] < truth < found.fpir_interval[0, 1]
    cuts = np.unique(np.concatenate([GENUINE, IMPOSTOR]))
    gap = np.array([abs((t <= IMPOSTOR).mean() - (t > GENUINE).mean()) for t in cuts])
    at = cuts[gap.argmin()]
    assert found.fpir[0] == pytest.approx((at <= IMPOSTOR).mean(), abs=0.01)


def test_with_one_enrolled_the_rates_of_a_matrix_are_the_same():
    mated = RNG.normal(size=(6, 6)) + 2 * np.eye(6)
    other = RNG.normal(size=(9, 6))
    matrix = open_set_curve(mated, range(6), other, [0.0, 1.0], n_enrolled=1)
    pairs = verification_curve(np.diag(mated), other.ravel(), [0.0, 1.0])
    np.testing.assert_allclose(pairs.fpir, matrix.fpir)
    np.testing.assert_allclose(pairs.fnir, matrix.fnir)
