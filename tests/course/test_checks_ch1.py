"""The checkers of Chapter 1 accept every way to the right answer and reject the usual mistakes."""

from __future__ import annotations

import pytest

from classex.models import RandomCode
from classex_book.chapters.ch1.checks import _code_accuracy


def test_the_exact_code_accuracy_agrees_with_the_library():
    for length, crossover, k in [(5, 0.2, 2), (5, 0.2, 7), (63, 0.1, 10**6), (15, 0.3, 1)]:
        truth = RandomCode(length=length, crossover=crossover).average_accuracy(k)
        assert _code_accuracy(length, crossover, k) == pytest.approx(truth, abs=1e-11)
