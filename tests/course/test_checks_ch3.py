"""The checkers of Chapter 3 accept every way to the right answer and reject the usual mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from classex.distributions import FunctionBasis
from classex_book import check
from classex_book.misspecification import misspecification_bound


def test_the_sharp_factor_of_the_line_is_that_of_the_library():
    basis = FunctionBasis(lambda u: u[:, np.newaxis])
    bound = misspecification_bound(basis, [2], 100, 1.0)
    turn = (1.98 / 99) ** (1 / 98)
    sharp = 2 * (1.98 * turn - turn**99) + 1 - 1.98
    check("exr-ch3-line", [bound.simple[0], sharp])
    assert bound.sharp[0] == pytest.approx(sharp, abs=1e-3)  # its quadrature meets a kink
