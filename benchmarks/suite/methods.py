"""The methods that are compared: those of the library that read ranks, and baselines that are kept here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import classex as cx
from benchmarks.suite.baselines import GoodToulmin, LogLinear, PowerLaw

DEFAULT = "default"
METHODS: dict[str, Callable[[], Any]] = {
    "ClassExReg": lambda: cx.Extrapolator(cx.methods.Regression(published="journal")),
    "regression": lambda: cx.Extrapolator(cx.methods.Regression()),
    "polynomial": lambda: cx.Extrapolator(cx.methods.sources.Polynomial()),
    "exponential": lambda: cx.Extrapolator(cx.methods.sources.Exponential()),
    "log-linear": LogLinear,
    "power law": PowerLaw,
    "Good-Toulmin": GoodToulmin,
    "Pitman-Yor, published": lambda: cx.Extrapolator(cx.methods.PitmanYor(method="least squares")),
    "Pitman-Yor": lambda: cx.Extrapolator(cx.methods.PitmanYor()),
    "empirical Bayes": lambda: cx.Extrapolator(cx.methods.EmpiricalBayes()),
    "beta-binomial": lambda: cx.Extrapolator(cx.methods.BetaBinomial()),
    "probit-normal": lambda: cx.Extrapolator(cx.methods.ProbitNormal()),
    "mixture of ranks": lambda: cx.Extrapolator(cx.methods.Mixture(use_scores=False)),
}
# made by recipes from the features, which are not stored here
FROM_SCORES: dict[str, Callable[[], Any]] = {
    "KDE-BCV": lambda: cx.Extrapolator(cx.methods.KernelDensity(bandwidth="bcv")),
    "KDE-UCV": lambda: cx.Extrapolator(cx.methods.KernelDensity(bandwidth="ucv")),
    "mixture": lambda: cx.Extrapolator(cx.methods.Mixture()),
}
