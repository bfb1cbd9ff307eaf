"""The methods that are compared: those of the library that read ranks, and baselines that are kept here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import classex as cx
from benchmarks.methods import DEFAULT as DEFAULT
from benchmarks.methods import named
from benchmarks.suite.baselines import GoodToulmin, LogLinear, PowerLaw

METHODS: dict[str, Callable[[], Any]] = {
    **named("ClassExReg", "regression", "polynomial", "exponential"),
    "log-linear": LogLinear,
    "power law": PowerLaw,
    "Good-Toulmin": GoodToulmin,
    "Pitman-Yor, published": lambda: cx.Extrapolator(cx.methods.PitmanYor(method="least squares")),
    "Pitman-Yor": lambda: cx.Extrapolator(cx.methods.PitmanYor()),
    "empirical Bayes": lambda: cx.Extrapolator(cx.methods.EmpiricalBayes()),
    "beta-binomial": lambda: cx.Extrapolator(cx.methods.BetaBinomial()),
    **named("probit-normal", "mixture of ranks"),
}
# from the features, which the recipes make and which are not stored here
FROM_SCORES = named("KDE-BCV", "KDE-UCV", "mixture")
