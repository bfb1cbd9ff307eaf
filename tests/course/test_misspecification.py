"""Bias of a basis that does not hold D, and its bounds."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.distributions import PolynomialBasis, ProbitBasis
from classex_book.misspecification import misspecification_bias, misspecification_bound, uniform_error

MODEL = cx.models.BivariateNormal(0.7)
CUBIC = PolynomialBasis(3)
OBSERVED = np.arange(2, 21)


def test_worked_example():
    """rho .7, k1 = 20, K = 100, cubic: delta .00774, bias of the risk -.00587, bounds .0098 and .0509."""
    delta = uniform_error(MODEL.discriminability, CUBIC)
    assert delta == pytest.approx(0.00774, abs=1e-5)
    bias = misspecification_bias(MODEL.discriminability, CUBIC, OBSERVED, 100)
    assert bias == pytest.approx([0.00587], abs=1e-5)
    bound = misspecification_bound(CUBIC, OBSERVED, 100, delta)
    assert bound.sharp == pytest.approx([0.0098], abs=1e-4)
    assert bound.simple == pytest.approx([0.0509], abs=1e-4)


@pytest.mark.parametrize("rho", [0.3, 0.9, 0.99])
@pytest.mark.parametrize("basis", [PolynomialBasis(1), PolynomialBasis(4), ProbitBasis([-1.0, 1.0], 1.0)])
def test_bounds_hold(rho, basis):
    model = cx.models.BivariateNormal(rho)
    k = np.array([25, 100, 10_000])
    delta = uniform_error(model.discriminability, basis)
    bound = misspecification_bound(basis, OBSERVED, k, delta)
    bias = np.abs(misspecification_bias(model.discriminability, basis, OBSERVED, k))
    assert (bias <= bound.sharp * (1 + 1e-3) + 1e-7).all()
    assert (bound.sharp <= bound.simple * (1 + 1e-9)).all()


def test_worst_case_reaches_the_sharp_bound():
    """A D that errs by delta with the sign of the kernel is biased by the sharp bound."""
    basis, target = PolynomialBasis(1), 40
    bound = misspecification_bound(basis, OBSERVED, target, 0.01)
    moments = basis.moments(OBSERVED)
    g = basis.moments(target) @ np.linalg.pinv(moments)
    k = OBSERVED[:, np.newaxis]

    def worst(u):
        kernel = g[0] @ ((k - 1) * u ** (k - 2)) - (target - 1) * u ** (target - 2)
        return 0.5 * u + 0.01 * np.sign(kernel)

    bias = misspecification_bias(worst, basis, OBSERVED, target)
    assert abs(bias[0]) == pytest.approx(bound.sharp[0], rel=0.01)
