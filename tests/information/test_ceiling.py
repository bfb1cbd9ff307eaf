"""The accuracy ceiling, its inverse and Fano's bound against decimal arithmetic, quadrature, limits and themselves."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classex._loops.information import C_INFORMATION, extremal, relative_growth, solve
from classex._loops.information import ceiling as ceilings
from classex.information import accuracy_ceiling, fano_bound, information_bound
from classex.information.ceiling import flat, shaped

from . import reference

CLASSES = [2, 3, 10, 100, 10**4, 10**6, 10**9]
# both sides of every switch of method: c = 100, and the 40 terms of h(s) at |s| = 0.3
CONCENTRATIONS = [1e-12, 1e-5, 0.01, 0.29, 0.3, 0.31, 0.5, 3.0, 9.9, 30.0, 99.999, 100.001, 150.0, 2000.0]


def error_floor(information, n_classes):
    """One minus the ceiling, with full relative precision, which the inverse function reads."""
    nats, m, shape = flat(n_classes, information=np.asarray(information, dtype=float))
    return shaped(ceilings(nats, m)[1], shape)


@pytest.mark.parametrize("k", CLASSES)
def test_extremal_family_against_decimal_arithmetic(k):
    for c in CONCENTRATIONS:
        information, accuracy, error = reference.extremal(Decimal(c), k, 90)
        truth = information, accuracy - 1 / Decimal(k), accuracy, error
        found = extremal(np.log(c), k - 1.0)
        for value, exact in zip(found, truth, strict=False):
            assert abs(Decimal(value) / exact - 1) < Decimal("1e-13"), (k, c)


@pytest.mark.parametrize("k", CLASSES)
@pytest.mark.parametrize("c", [3e3, 1e6, 1e12, 1e22])
def test_large_concentration_against_quadrature(k, c):
    # v = c s turns int_0^1 exp(-c s) (1-s)^(a-1) ds into a Laguerre integral; what lies beyond v = c is below e^-c
    v, weight = np.polynomial.laguerre.laggauss(80)
    keep = v < c
    tilt = weight[keep] * (1 - v[keep] / c) ** (1 / (k - 1) - 1)
    normaliser, error = tilt.sum(), (tilt * v[keep]).sum() / c / tilt.sum()
    information = np.log(c) + np.log(k - 1) - np.log(normaliser) - c * error
    found = extremal(np.log(c), k - 1.0)
    assert found[0] == pytest.approx(information, rel=1e-12)
    assert found[3] == pytest.approx(error, rel=1e-12)


@pytest.mark.parametrize(
    ("k", "c", "information", "accuracy"),
    [
        (3, np.e**2, 1.489141, 0.84885283),
        (10, np.e**2, 2.632400, 0.81365449),
        (100, np.e**2, 3.197787, 0.60739223),
        (100, np.e**4, 7.557253, 0.98133250),
        (3, np.e**-2, 8.277214e-4, 0.34551528),
        (10**6, 20, 14.947069, 0.9114285),
    ],
)
def test_published_values(k, c, information, accuracy):
    nats, _, attained, error, _ = extremal(np.log(c), k - 1.0)
    assert nats == pytest.approx(information, rel=2.5e-7)
    assert attained == pytest.approx(accuracy, abs=5.1e-8)
    assert accuracy_ceiling(nats, k) == pytest.approx(attained, rel=1e-13)
    assert error_floor(nats, k) == pytest.approx(error, rel=1e-12)


def test_published_inverse_values():
    found = information_bound([0.9, 0.5, 0.9, 0.8, 0.99], [2, 10, 10, 100, 100])
    np.testing.assert_allclose(found, [1.302631, 0.947169, 3.398201, 4.763232, 8.190290], atol=5.1e-7)
    ceiling = accuracy_ceiling([1, 1, 2], [2, 10, 100])
    np.testing.assert_allclose(ceiling, [0.864579, 0.513087, 0.433076], atol=5.1e-7)


@pytest.mark.parametrize("k", CLASSES)
def test_ceiling_solves_its_definition_in_decimal_arithmetic(k):
    # iota in, accuracy out: the decimal series at the c found must give back both
    for nats in [1e-10, 1e-6, 1e-3, 0.1, 1.0, 3.0, 8.0]:
        c = Decimal(float(np.exp(solve(C_INFORMATION, nats, k - 1.0))))
        if c > 3000:
            continue
        information, accuracy, error = reference.extremal(c, k, 90)
        assert float(information) == pytest.approx(nats, rel=1e-12)
        assert accuracy_ceiling(nats, k) == pytest.approx(float(accuracy), rel=1e-12)
        assert error_floor(nats, k) == pytest.approx(float(error), rel=1e-12)


@settings(max_examples=300, deadline=None)
@given(
    nats=st.floats(1e-10, 700.0),
    k=st.integers(2, 10**9),
)
def test_inverse_returns_the_information_anywhere(nats, k):
    found = information_bound(accuracy_ceiling(nats, k), k, error=error_floor(nats, k))
    assert found == pytest.approx(nats, rel=1e-9)


@settings(max_examples=200, deadline=None)
@given(nats=st.lists(st.floats(0.0, 60.0), min_size=2, max_size=8), k=st.integers(2, 10**9))
def test_ceiling_is_monotone_concave_and_bounded(nats, k):
    order = np.sort(np.array(nats))
    value = accuracy_ceiling(order, k)
    error = error_floor(order, k)
    assert (value >= 1 / k - 1e-16).all()
    assert (value <= 1).all()
    assert (error >= 0).all()
    assert (np.diff(value) >= -1e-15).all()
    assert (np.diff(error) <= 1e-15).all()
    middle = accuracy_ceiling((order[0] + order[-1]) / 2, k)
    assert middle >= (value[0] + value[-1]) / 2 - 1e-13


def test_neighbouring_informations_across_the_switches_of_method():
    for k in CLASSES:
        for log_c in [np.log(100.0), np.log(0.3)]:
            below, above = extremal(log_c - 1e-13, k - 1.0), extremal(log_c + 1e-13, k - 1.0)
            np.testing.assert_allclose(below[:4], above[:4], rtol=2e-12)
    for s in (-0.3, 0.3):
        assert relative_growth(s * (1 - 1e-15)) == pytest.approx(relative_growth(s * (1 + 1e-15)), rel=1e-13)
    assert relative_growth(-1.0) == 1.0


def fano_as_printed(accuracy, k):
    e = 1 - accuracy
    h = -sum(x * np.log(x) for x in (e, accuracy) if x > 0)
    return np.log(k) - h - e * np.log(k - 1)


@settings(max_examples=200, deadline=None)
@given(accuracy=st.floats(0.0, 1.0), k=st.integers(2, 10**6))
def test_fano_against_the_printed_form(accuracy, k):
    value = fano_bound(accuracy, k)
    if accuracy <= 1 / k:
        assert value == 0
    else:
        assert value == pytest.approx(fano_as_printed(accuracy, k), abs=2e-15 * k + 1e-13)
        assert 0 <= value <= np.log(k) * (1 + 1e-15)
        assert value <= information_bound(accuracy, k) * (1 + 1e-12)


def test_fano_values():
    found = fano_bound([0.9, 0.5, 0.9, 0.8, 0.99], [2, 10, 10, 100, 100])
    np.testing.assert_allclose(found, [0.368064, 0.510826, 1.757780, 3.185744, 4.503217], atol=5.1e-7)
    assert fano_bound(1.0, 50) == pytest.approx(np.log(50), rel=1e-15)
    # near 1/k the quadratic term k^2 d^2 / (2 (k - 1)) keeps its relative precision
    assert fano_bound(0.5 + 1e-9, 2) == pytest.approx(2e-18, rel=1e-6)
    assert type(fano_bound(0.5, 3)) is float


def test_limits():
    for k in [2, 5, 1000]:
        small = 1 / k + np.sqrt(2e-10) * (k - 1) / (k * np.sqrt(2 * k - 1))
        assert accuracy_ceiling(1e-10, k) - 1 / k == pytest.approx(small - 1 / k, rel=1e-3)
        assert error_floor(40.0, k) == pytest.approx((k - 1) * np.exp(-41.0), rel=1e-12)
    assert accuracy_ceiling(0.0, 7) == pytest.approx(1 / 7, rel=1e-15)
    assert error_floor(0.0, 7) == pytest.approx(6 / 7, rel=1e-15)
    assert accuracy_ceiling(np.inf, 7) == 1
    assert error_floor(np.inf, 7) == 0
    assert accuracy_ceiling(1e5, 7) == 1
    assert error_floor(1e5, 7) == 0
    assert accuracy_ceiling(1e-300, 7) == pytest.approx(1 / 7, rel=1e-15)
    assert information_bound(1.0, 2) == np.inf
    assert information_bound(1.0, 2, error=1e-30) == pytest.approx(30 * np.log(10) - 1, rel=1e-12)
    assert information_bound([0.0, 0.2, 0.5], 2).tolist() == [0, 0, 0]
    assert 0 < information_bound(np.nextafter(0.5, 1), 2) < 1e-30
    assert information_bound(1 - 1e-12, 2, error=1e-12) == pytest.approx(12 * np.log(10) - 1, rel=1e-10)
    # C_2 has the closed form of a truncated exponential
    c = 3.0
    accuracy = 1 / -np.expm1(-c) - 1 / c
    information = np.log(c / np.expm1(c)) + c * accuracy
    assert accuracy_ceiling(information, 2) == pytest.approx(accuracy, rel=1e-14)


def test_scalars_and_broadcasting():
    assert type(accuracy_ceiling(1.0, 2)) is float
    assert type(information_bound(0.7, 2)) is float
    assert accuracy_ceiling(np.ones((4, 1)), [2, 3, 4]).shape == (4, 3)
    assert information_bound([0.5, 0.6], np.array([[2], [3]])).shape == (2, 2)
    assert accuracy_ceiling([], 2).shape == (0,)
    assert accuracy_ceiling(1.0, 10**15) > 0
