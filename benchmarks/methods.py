"""The methods of the package under the names that the tables of all studies give them."""

from __future__ import annotations

from collections.abc import Callable

import classex as cx
from classex.extrapolation import Extrapolator

DEFAULT = "default"
METHODS: dict[str, Callable[[], Extrapolator]] = {
    "ClassExReg": lambda: cx.RegressionExtrapolator(published="journal"),
    "KDE-BCV": lambda: cx.KernelDensityExtrapolator(bandwidth="bcv"),
    "KDE-UCV": lambda: cx.KernelDensityExtrapolator(bandwidth="ucv"),
    "KDE, normal reference": lambda: cx.KernelDensityExtrapolator(bandwidth="normal_reference"),
    "regression": lambda: cx.RegressionExtrapolator(),
    "regression, linear spline": lambda: cx.RegressionExtrapolator(basis="linear_spline"),
    "regression, generalised": lambda: cx.RegressionExtrapolator(weights="generalised"),
    "polynomial": lambda: cx.PolynomialExtrapolator(),
    "pseudolikelihood": lambda: cx.PseudolikelihoodExtrapolator(variant="monotone moment"),
    "exponential": lambda: cx.ExponentialExtrapolator(),
    "probit-normal": lambda: cx.ProbitNormalExtrapolator(),
    "mixture of ranks": lambda: cx.MixtureExtrapolator(use_scores=False),
    "mixture": lambda: cx.MixtureExtrapolator(),
    DEFAULT: lambda: cx.GaussianProcessExtrapolator(),
}


def named(*names: str) -> dict[str, Callable[[], Extrapolator]]:
    """Return some of the methods, in this order."""
    return {name: METHODS[name] for name in names}
