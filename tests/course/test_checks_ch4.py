"""The checkers of Chapter 4 accept every way to the right answer and reject the usual mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import entropy

import classex as cx
from classex_book.chapters.ch4.checks import _by_quadrature, _mean_entropy_terms


def test_the_ceiling_by_quadrature_agrees_with_the_library():
    for nats, k in [(0.01, 2), (1.0, 10), (4.0, 30)]:
        assert _by_quadrature(nats, k) == pytest.approx(cx.accuracy_ceiling(nats, k), abs=1e-9)


def test_the_mean_entropy_of_counts_agrees_with_simulation():
    tables = np.random.default_rng(5).multinomial(7, np.full(4, 0.25), size=20_000)
    values = entropy(tables, axis=1)
    exact = _mean_entropy_terms(7, 4)
    assert abs(values.mean() - exact) < 4 * values.std() / np.sqrt(20_000)
