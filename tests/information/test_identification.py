"""The identification curve and its inverse against decimal arithmetic, closed forms and simulation."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr

from classex._loops.information import curve, identification
from classex.information import (
    identification_accuracy,
    identification_information,
)
from classex.information.ceiling import flat, shaped

from . import reference


def identification_error(information, n_classes):
    """One minus the accuracy, with full relative precision, which the inverse function reads."""
    nats, m, shape = flat(n_classes, information=np.asarray(information, dtype=float))
    return shaped(curve(nats, m)[1], shape)


@pytest.mark.parametrize("k", [2, 10, 10**4, 10**9])
@pytest.mark.parametrize("c", [1.4142e-5, 0.3, 0.999, 1.001, 4.0, 10.0])
def test_curve_against_decimal_arithmetic(k, c):
    accuracy, error = reference.identification(Decimal(c), k, Decimal("0.05") if k < 10**6 else Decimal("0.04"))
    found = identification(c, k - 1.0)
    for value, exact in zip(found, (accuracy - 1 / Decimal(k), accuracy, error), strict=False):
        assert abs(Decimal(value) / exact - 1) < Decimal("1e-12")


def test_published_values_and_two_classes_in_closed_form():
    found = identification_accuracy([[1.0], [2.0]], [2, 10, 100])
    np.testing.assert_allclose(found, [[0.841345, 0.479196, 0.158053], [0.921350, 0.673645, 0.323219]], atol=5.1e-7)
    nats = np.geomspace(1e-10, 50, 60)
    np.testing.assert_allclose(identification_accuracy(nats, 2), ndtr(np.sqrt(nats)), rtol=1e-13)
    np.testing.assert_allclose(identification_error(nats, 2), ndtr(-np.sqrt(nats)), rtol=1e-12)


def test_slope_is_the_derivative():
    for c, m in [(0.5, 1.0), (2.0, 99.0), (6.0, 1e6)]:
        numeric = (identification(c + 1e-5, m)[1] - identification(c - 1e-5, m)[1]) / 2e-5
        assert identification(c, m)[3] == pytest.approx(numeric, rel=1e-8)


def test_inverse_returns_the_information():
    nats = np.geomspace(1e-10, 50, 60)[:, np.newaxis]
    k = np.array([2, 3, 50, 10**4, 10**9])
    accuracy, error = identification_accuracy(nats, k), identification_error(nats, k)
    nats = np.broadcast_to(nats, accuracy.shape)
    found = identification_information(accuracy, k, error=error)
    np.testing.assert_allclose(found, nats, rtol=1e-9)
    resolved = (1 - accuracy) * nats > 1e-6
    np.testing.assert_allclose(identification_information(accuracy, k)[resolved], nats[resolved], rtol=1e-9)


def test_limits():
    assert identification_accuracy(0.0, 8) == pytest.approx(1 / 8, rel=1e-13)
    assert identification_accuracy(np.inf, 8) == 1
    assert identification_error(np.inf, 8) == 0
    assert identification_error(1e4, 10**9) == 0
    assert identification_information([0.1, 0.125], 8).tolist() == [0, 0]
    assert identification_information(1.0, 8) == np.inf
    assert log_ndtr(-np.sqrt(identification_information(1.0, 2, error=1e-300))) == pytest.approx(np.log(1e-300))
    assert identification_error(identification_information(1.0, 5, error=1e-200), 5) == pytest.approx(1e-200, rel=1e-9)
    assert type(identification_accuracy(1.0, 3)) is float
    assert type(identification_information(0.7, 3)) is float
