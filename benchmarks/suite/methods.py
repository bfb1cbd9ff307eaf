"""The methods that are compared: those of the library that read ranks, and baselines that are kept here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import classex as cx
from benchmarks.suite.baselines import GoodToulmin, LogLinear, PowerLaw

DEFAULT = "default"
METHODS: dict[str, Callable[[], Any]] = {
    "ClassExReg": lambda: cx.RegressionExtrapolator(published="journal"),
    "regression": lambda: cx.RegressionExtrapolator(),
    "polynomial": lambda: cx.PolynomialExtrapolator(),
    "exponential": lambda: cx.ExponentialExtrapolator(),
    "log-linear": LogLinear,
    "power law": PowerLaw,
    "Good-Toulmin": GoodToulmin,
    "Pitman-Yor, published": lambda: cx.PitmanYorExtrapolator(method="least squares"),
    "Pitman-Yor": lambda: cx.PitmanYorExtrapolator(),
    "empirical Bayes": lambda: cx.EmpiricalBayesExtrapolator(),
    "beta-binomial": lambda: cx.BetaBinomialExtrapolator(),
    "probit-normal": lambda: cx.ProbitNormalExtrapolator(),
    "mixture of ranks": lambda: cx.MixtureExtrapolator(use_scores=False),
}
# made by recipes from the features, which are not stored here
FROM_SCORES: dict[str, Callable[[], Any]] = {
    "KDE-BCV": lambda: cx.KernelDensityExtrapolator(bandwidth="bcv"),
    "KDE-UCV": lambda: cx.KernelDensityExtrapolator(bandwidth="ucv"),
    "mixture": lambda: cx.MixtureExtrapolator(),
}
