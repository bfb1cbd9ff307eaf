"""The confusion-matrix estimate against tables, leaving out and simulation, and units."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classex.information import (
    confusion,
    confusion_information,
    nats_to_bits,
)


def information_of(joint):
    joint = np.asarray(joint) / np.sum(joint)
    product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    keep = joint > 0
    return float((joint[keep] * np.log(joint[keep] / product[keep])).sum())


def test_confusion_plug_in_equals_the_information_of_the_table():
    counts = np.array([[30, 5, 5], [10, 20, 10], [0, 4, 36]])
    result = confusion_information(counts, correction="none")
    assert result.plug_in == pytest.approx(information_of(counts), rel=1e-13)
    assert result.value == result.plug_in
    assert result.bias == 0
    corrected = confusion_information(counts, correction="miller_madow")
    p = counts / 40
    q = p.mean(axis=0)
    of_columns = (p * (1 - p) / 39 / q).sum() / 18
    assert corrected.bias == pytest.approx((8 - 3) / 240 - of_columns, rel=1e-12)
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
    q = (table / table.sum(axis=1, keepdims=True)).mean(axis=0)
    predicted = -(q * np.log(np.where(q > 0, q, 1.0))).sum()
    assert 0 <= result.value <= min(np.log(len(table)), predicted) + 1e-12
    assert 0 <= result.interval.low <= result.interval.high <= np.log(min(table.shape)) + 1e-12
    assert result.standard_error > 0


def test_confusion_weighs_classes_equally():
    counts = np.array([[80, 20], [30, 70]])
    tripled = counts * np.array([[3], [1]])
    same = confusion_information(counts, correction="none")
    assert confusion_information(tripled, correction="none").value == pytest.approx(same.value, rel=1e-13)


def leave_one_out(counts):
    """Jackknife bias and variance, one test left out at a time."""
    whole, bias, variance = information_of(counts / counts.sum(axis=1, keepdims=True)), 0.0, 0.0
    for row, n in enumerate(counts.sum(axis=1)):
        values = []
        for column in np.repeat(np.arange(counts.shape[1]), counts[row]):
            fewer = counts.astype(float)
            fewer[row, column] -= 1
            values.append(information_of(fewer / fewer.sum(axis=1, keepdims=True)))
        bias += (n - 1) * (np.mean(values) - whole)
        variance += (n - 1) * np.var(values)
    return bias, variance


def test_confusion_jackknife_against_leaving_tests_out():
    counts = np.array([[30, 5, 5], [10, 14, 6], [0, 14, 36]])
    bias, variance = leave_one_out(counts)
    result = confusion_information(counts)
    assert result.bias == pytest.approx(bias, rel=1e-9)
    assert result.value == pytest.approx(result.plug_in - bias, rel=1e-12)
    assert np.sqrt(variance) <= result.standard_error < 1.05 * np.sqrt(variance)


def test_confusion_second_order_at_independence():
    with pytest.warns(UserWarning, match="bias rules"):
        result = confusion_information(np.full((4, 4), 5))
    # 2 n times the estimate is chi-square with (k - 1)^2 degrees of freedom
    assert result.standard_error == pytest.approx(np.sqrt(9 / 2) / 80, rel=1e-9)
    assert (result.value, result.interval.low) == (0, 0)


@pytest.mark.parametrize("right", [0.99, 0.97, 0.8, 0.6, 0.2])
def test_confusion_intervals_cover_the_information_of_the_population(right):
    """Five classes with 20 tests each; right = .2 is chance. 300 draws: z = 3 from 93 %."""
    p = np.full((5, 5), (1 - right) / 4) + np.eye(5) * (right - (1 - right) / 4)
    truth = information_of(p)
    rng = np.random.default_rng(3)
    inside = within = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(300):
            found = confusion_information(rng.multinomial(20, p))
            inside += found.interval.low <= truth <= found.interval.high
            within += abs(found.value - truth) <= 1.96 * found.standard_error
    assert inside / 300 > 0.93 - 3 * 0.0147
    assert within / 300 > 0.93 - 3 * 0.0147


def test_bias_rules_with_400_classes_of_50_tests():
    rng = np.random.default_rng(1)
    counts = np.stack([rng.multinomial(50, np.full(400, 1 / 400)) for _ in range(400)])
    with pytest.warns(UserWarning, match=r"bias rules this estimate: 20000 tests in 400 x 400 .* could reach 4 nats"):
        result = confusion_information(counts)
    assert result.plug_in > 2  # the truth is 0
    assert result.value > 1  # and the correction does not help
    assert result.unseen > 0.8


def test_warning_where_the_first_order_bias_is_a_large_share():
    with pytest.warns(UserWarning, match="bias rules"):
        result = confusion_information([[11, 9], [9, 11]])
    assert result.value == 0
    assert result.plug_in > 0


def test_units():
    assert nats_to_bits(np.log(2)) == pytest.approx(1.0)
    np.testing.assert_allclose(nats_to_bits(np.log([[2.0, 4.0]])), [[1.0, 2.0]])
    with pytest.raises(TypeError):
        nats_to_bits("a")


def warned(table):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        confusion_information(table)
    return ["bias rules" in str(one.message) for one in caught] == [True]


@pytest.mark.parametrize(("alone", "expected"), [(4, False), (6, True)])
def test_a_share_of_predictions_that_came_once_draws_a_warning(alone, expected):
    """Of 100 tests a class, four or six fell into a cell of their own: Good and Turing's estimate of the unseen."""
    table = np.zeros((2, 2 + 2 * alone), dtype=int)
    table[0, 0] = table[1, 1] = 100 - alone
    table[0, 2 : 2 + alone] = table[1, 2 + alone :] = 1
    assert warned(table) == expected


@pytest.mark.parametrize(("off", "expected"), [(38, False), (39, True)])
def test_a_bias_beyond_a_tenth_of_the_value_draws_a_warning(off, expected):
    """Two classes of 100 tests; the jackknife's bias is .09 and .11 of the plug-in value."""
    table = np.array([[100 - off, off], [off, 100 - off]])
    plug_in, corrected = (confusion_of(table, correction) for correction in ("none", "jackknife"))
    share = (plug_in - corrected) / plug_in
    assert (0.1 < share < 0.12) if expected else (0.08 < share < 0.1)
    assert warned(table) == expected


def confusion_of(table, correction):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return confusion_information(table, correction=correction).nats


def test_the_least_variance_is_that_of_a_table_with_four_more_tests():
    """Reference with loops, for a perfect table: nothing varies in the table itself."""
    r, k = 20, 2
    share = [[(r + 1) / (r + 2), 1 / (r + 2)], [1 / (r + 2), (r + 1) / (r + 2)]]  # four tests over four cells
    variance = 0.0
    for row in share:
        ratio = [np.log(p / (sum(each[j] for each in share) / k)) for j, p in enumerate(row)]
        mean = sum(p * x for p, x in zip(row, ratio, strict=True))
        variance += sum(p * (x - mean) ** 2 for p, x in zip(row, ratio, strict=True)) / r / k**2
    found = confusion._least_variance(r * np.eye(k), np.full((k, 1), float(r)), np.log(k))
    assert found == pytest.approx(variance, rel=1e-9)
