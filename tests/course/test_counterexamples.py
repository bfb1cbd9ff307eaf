"""The counterexamples, against values found in other ways."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import entropy

from classex_book.chapters.ch4.counterexamples import (
    ceiling_and_code_exponent,
    table_information,
    wolpaw_rate,
)


def test_wolpaws_rate_is_no_bound_where_targets_are_unequal() -> None:
    assert wolpaw_rate(0.9, 2) == pytest.approx(1 - entropy([0.9, 0.1], base=2))
    assert table_information([[0.9, 0.0], [0.1, 0.0]]) == pytest.approx(0, abs=1e-12)


def test_wolpaws_rate_is_not_exact_where_targets_are_recognised_unequally() -> None:
    information = table_information([[0.5, 0.0], [0.25, 0.25]]) / np.log(2)
    assert wolpaw_rate(0.75, 2) == pytest.approx(0.1887, abs=1e-4)
    assert information == pytest.approx(0.3113, abs=1e-4)


def test_wolpaws_rate_is_exact_where_errors_are_even() -> None:
    table = (np.full((4, 4), 0.1) + 0.6 * np.eye(4)) / 4
    assert wolpaw_rate(0.7, 4) == pytest.approx(table_information(table) / np.log(2))


def test_codes_are_far_below_the_ceilings_exponent() -> None:
    ceiling, code = ceiling_and_code_exponent(0.1)
    # no code beats the sphere-packing exponent: the divergence of the flip rate that makes R the capacity
    rate = ceiling

    def gap(flip: float) -> float:
        return float((np.log(2) - entropy([flip, 1 - flip]) - rate) ** 2)

    flip = minimize_scalar(gap, bounds=(0.1, 0.5), method="bounded", options={"xatol": 1e-12}).x
    packing = entropy([flip, 1 - flip], [0.1, 0.9])
    assert code == pytest.approx(packing, rel=1e-6)
    assert code < 0.3 * ceiling


def test_many_classes_look_like_infinitely_many() -> None:
    """Among N^2 equally likely classes, N observations are all different with probability above 1/2."""
    n = 1000
    log_distinct = np.log1p(-np.arange(n) / n**2).sum()
    assert np.exp(log_distinct) > 0.6
