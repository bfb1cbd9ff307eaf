"""The methods that are compared: those of the library, and the baselines that live here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import classex as cx
from benchmarks.suite.baselines import GoodToulmin, LogLinear, PowerLaw

METHODS: dict[str, Callable[[], Any]] = {
    "ClassExReg": lambda: cx.RegressionExtrapolator(published="journal"),
    "KDE-BCV": lambda: cx.KernelDensityExtrapolator(bandwidth="bcv"),
    "KDE-UCV": lambda: cx.KernelDensityExtrapolator(bandwidth="ucv"),
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
    "Gaussian process": lambda: cx.GaussianProcessExtrapolator(),
    "Gaussian process with scores": lambda: cx.GaussianProcessExtrapolator(),
    "probit-normal": lambda: cx.ProbitNormalExtrapolator(),
    "mixture of ranks": lambda: cx.MixtureExtrapolator(use_scores=False),
    "mixture": lambda: cx.MixtureExtrapolator(),
    "ensemble": lambda: cx.EnsembleExtrapolator(),
}
# seconds to minutes a prediction
SLOW = ("KDE-BCV", "KDE-UCV", "mixture")
# scores as well as ranks
SCORED = (*SLOW, "Gaussian process with scores", "ensemble")
# the intervals of the others come from refits, a hundred for each: a minute a cell
WITH_INTERVAL = ("probit-normal", "Gaussian process", "ensemble")
# trained elsewhere, by cleanex.py
CLEANEX = "CleaneX"
