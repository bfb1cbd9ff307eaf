"""Fano's bound, the confusion-matrix estimate and units."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classex.information import (
    bits_to_nats,
    confusion_information,
    fano_bound,
    information_bound,
    nats_to_bits,
)


def fano_as_printed(accuracy, k):
    e = 1 - accuracy
    h = -sum(x * np.log(x) for x in (e, accuracy) if x > 0)
    return np.log(k) - h - e * np.log(k - 1)


def information_of(joint):
    joint = np.asarray(joint) / np.sum(joint)
    product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    keep = joint > 0
    return float((joint[keep] * np.log(joint[keep] / product[keep])).sum())


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


def test_confusion_plug_in_equals_the_information_of_the_table():
    counts = np.array([[30, 5, 5], [10, 20, 10], [0, 4, 36]])
    result = confusion_information(counts, correction="none")
    assert result.plug_in == pytest.approx(information_of(counts), rel=1e-13)
    assert result.value == result.plug_in
    assert result.bias == 0
    corrected = confusion_information(counts)
    # balanced: (K_xy - K_x - K_y + 1) / 2n
    assert corrected.bias == pytest.approx((8 - 3 - 3 + 1) / 240, rel=1e-12)
    assert corrected.value == pytest.approx(corrected.plug_in - corrected.bias, rel=1e-15)


@settings(max_examples=100, deadline=None)
@given(counts=st.lists(st.lists(st.integers(0, 30), min_size=4, max_size=4), min_size=2, max_size=5))
def test_confusion_information_is_between_zero_and_log_k(counts):
    table = np.array(counts) + np.eye(len(counts), 4, dtype=int)
    if (table.sum(axis=1) == 0).any():
        table[:, 0] += 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = confusion_information(table)
    assert 0 <= result.plug_in <= np.log(min(table.shape)) * (1 + 1e-12)
    assert result.value >= 0
    assert result.standard_error >= 0


def test_confusion_weighs_classes_equally():
    counts = np.array([[80, 20], [30, 70]])
    tripled = counts * np.array([[3], [1]])
    same = confusion_information(counts, correction="none")
    assert confusion_information(tripled, correction="none").value == pytest.approx(same.value, rel=1e-13)


def test_confusion_standard_error_and_correction_against_simulation():
    p = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
    truth = information_of(p)
    rng = np.random.default_rng(0)
    tests = np.array([60, 90, 120])
    draws = [np.stack([rng.multinomial(n, row) for n, row in zip(tests, p, strict=True)]) for _ in range(4000)]
    results = [confusion_information(table) for table in draws]
    value = np.array([r.value for r in results])
    plug_in = np.array([r.plug_in for r in results])
    spread = value.std() / np.sqrt(value.size)
    bias = plug_in.mean() - truth
    assert bias > 5 * spread  # the plug-in is too large ...
    assert abs(value.mean() - truth) < 3 * spread + 0.1 * bias  # ... and the correction takes nearly all of it
    mean_error = np.mean([r.standard_error for r in results])
    assert mean_error == pytest.approx(value.std(), rel=0.06)  # 4,000 draws know an SD to 1.1 %


def test_bias_rules_with_400_classes_of_50_tests():
    rng = np.random.default_rng(1)
    counts = np.stack([rng.multinomial(50, np.full(400, 1 / 400)) for _ in range(400)])
    with pytest.warns(UserWarning, match=r"bias rules this estimate: 20000 tests in 400 x 400 .* could reach 4 nats"):
        result = confusion_information(counts)
    assert result.plug_in > 2  # the truth is 0
    assert result.value > 1.5  # and the correction does not save it
    assert result.unseen > 0.8


def test_no_warning_where_bias_is_small():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_information(np.full((3, 3), 500) + 2000 * np.eye(3))
        result = confusion_information(np.eye(400) * 50)  # perfect: nothing unseen
    assert result.value == pytest.approx(np.log(400) + result.value - result.plug_in, rel=1e-12)
    assert result.unseen == 0
    assert result.standard_error == pytest.approx(0, abs=1e-9)


def test_warning_where_the_first_order_bias_is_a_large_share():
    with pytest.warns(UserWarning, match="bias rules"):
        result = confusion_information([[11, 9], [9, 11]])
    assert result.value == 0
    assert result.plug_in > 0


def test_units():
    assert nats_to_bits(np.log(2)) == pytest.approx(1.0)
    np.testing.assert_allclose(bits_to_nats([1, 2]), np.log([2, 4]))
    np.testing.assert_allclose(nats_to_bits(bits_to_nats(np.array([[0.3, np.inf]]))), [[0.3, np.inf]])
    with pytest.raises(TypeError, match="nats must hold numbers"):
        nats_to_bits("a")
    with pytest.raises(TypeError, match="bits must hold numbers"):
        bits_to_nats(["a"])


def test_bad_input():
    with pytest.raises(ValueError, match=r"confusion\[0, 1\] is -1.0"):
        confusion_information([[1, -1], [0, 2]])
    with pytest.raises(ValueError, match=r"confusion\[1, 0\] is 0.5"):
        confusion_information([[1, 1], [0.5, 2]])
    with pytest.raises(ValueError, match="at least two rows and two columns"):
        confusion_information([[1, 1]])
    with pytest.raises(ValueError, match="row 1 is empty"):
        confusion_information([[1, 1], [0, 0]])
    with pytest.raises(ValueError, match="correction must be one of 'miller_madow', 'none'"):
        confusion_information([[1, 1], [1, 1]], correction="jackknife")
    with pytest.raises(ValueError, match=r"accuracy must be in \[0, 1\]"):
        fano_bound(2.0, 2)
