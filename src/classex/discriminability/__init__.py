r"""The discriminability function D: bases, their moments, and constrained fits.

D is the distribution function of the favourability of the correct label, and average accuracy is its moment,

.. math:: \mathrm{AGA}_k = 1 - (k-1) \int_0^1 D(u) u^{k-2} du,

so an expansion of D in a basis turns accuracies into a linear regression (journal version, sections 3 and 3.3).
"""

from __future__ import annotations

from classex.discriminability.bases import (
    Basis,
    FunctionBasis,
    LinearSplineBasis,
    PolynomialBasis,
    ProbitBasis,
)
from classex.discriminability.fits import Discriminability, MomentRegression
from classex.discriminability.misspecification import misspecification_bias, misspecification_bound, uniform_error
from classex.discriminability.piecewise import PiecewiseLinearBasis
from classex.discriminability.quadrature import average_accuracy

__all__ = [
    "Basis",
    "Discriminability",
    "FunctionBasis",
    "LinearSplineBasis",
    "MomentRegression",
    "PiecewiseLinearBasis",
    "PolynomialBasis",
    "ProbitBasis",
    "average_accuracy",
    "misspecification_bias",
    "misspecification_bound",
    "uniform_error",
]
