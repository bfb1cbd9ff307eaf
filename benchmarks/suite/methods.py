"""The methods that are compared: those of the library that read ranks, and baselines that are kept here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.methods import DEFAULT as DEFAULT
from benchmarks.methods import named
from benchmarks.suite.baselines import GoodToulmin, LogLinear, PowerLaw
from classex import Extrapolator
from classex.methods import BetaBinomial, EmpiricalBayes, PitmanYor


def made(*names: str) -> dict[str, Callable[[], Any]]:
    """Some of the methods, as what makes their estimators."""
    return {name: partial(Extrapolator, method) for name, method in named(*names).items()}


METHODS: dict[str, Callable[[], Any]] = {
    **made("ClassExReg", "regression", "polynomial", "exponential"),
    "log-linear": LogLinear,
    "power law": PowerLaw,
    "Good-Toulmin": GoodToulmin,
    "Pitman-Yor, published": partial(Extrapolator, PitmanYor(method="least squares")),
    "Pitman-Yor": partial(Extrapolator, PitmanYor()),
    "empirical Bayes": partial(Extrapolator, EmpiricalBayes()),
    "beta-binomial": partial(Extrapolator, BetaBinomial()),
    **made("probit-normal"),
}
# from the features, which the recipes make and which are not stored here
FROM_SCORES = made("KDE-BCV", "KDE-UCV")
