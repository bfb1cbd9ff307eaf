"""The methods of the package under the names that the tables of all studies give them."""

from __future__ import annotations

from collections.abc import Callable

import classex as cx
from classex import Extrapolator

DEFAULT = "default"
METHODS: dict[str, Callable[[], Extrapolator]] = {
    "ClassExReg": lambda: cx.Extrapolator(cx.methods.Regression(published="journal")),
    "KDE-BCV": lambda: cx.Extrapolator(cx.methods.KernelDensity(bandwidth="bcv")),
    "KDE-UCV": lambda: cx.Extrapolator(cx.methods.KernelDensity(bandwidth="ucv")),
    "KDE, normal reference": lambda: cx.Extrapolator(cx.methods.KernelDensity(bandwidth="normal_reference")),
    "regression": lambda: cx.Extrapolator(cx.methods.Regression()),
    "regression, linear spline": lambda: cx.Extrapolator(cx.methods.Regression(basis="linear_spline")),
    "regression, generalised": lambda: cx.Extrapolator(cx.methods.Regression(weights="generalised")),
    "polynomial": lambda: cx.Extrapolator(cx.methods.sources.Polynomial()),
    "pseudolikelihood": lambda: cx.Extrapolator(cx.methods.sources.Pseudolikelihood(variant="monotone moment")),
    "exponential": lambda: cx.Extrapolator(cx.methods.sources.Exponential()),
    "probit-normal": lambda: cx.Extrapolator(cx.methods.ProbitNormal()),
    "mixture of ranks": lambda: cx.Extrapolator(cx.methods.Mixture(use_scores=False)),
    "mixture": lambda: cx.Extrapolator(cx.methods.Mixture()),
    DEFAULT: lambda: cx.Extrapolator(),
}


def named(*names: str) -> dict[str, Callable[[], Extrapolator]]:
    """Return some of the methods, in this order."""
    return {name: METHODS[name] for name in names}
