"""The methods of the package under the names that the tables of all studies give them."""

from __future__ import annotations

import classex as cx
from classex.methods import Method

DEFAULT = "default"
METHODS: dict[str, Method] = {
    "ClassExReg": cx.methods.Regression(published="journal"),
    "KDE-BCV": cx.methods.KernelDensity(bandwidth="bcv"),
    "KDE-UCV": cx.methods.KernelDensity(bandwidth="ucv"),
    "KDE, normal reference": cx.methods.KernelDensity(bandwidth="normal_reference"),
    "regression": cx.methods.Regression(),
    "regression, linear spline": cx.methods.Regression(basis="linear_spline"),
    "regression, generalised": cx.methods.Regression(weights="generalised"),
    "polynomial": cx.methods.sources.Polynomial(),
    "pseudolikelihood": cx.methods.sources.Pseudolikelihood(variant="monotone moment"),
    "exponential": cx.methods.sources.Exponential(),
    "probit-normal": cx.methods.ProbitNormal(),
    DEFAULT: cx.methods.GaussianProcess(),
}


def named(*names: str) -> dict[str, Method]:
    """Return some of the methods, in this order."""
    return {name: METHODS[name] for name in names}
