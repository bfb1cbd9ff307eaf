"""The methods that are compared: those of the library, and the baselines that live here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import classex as cx
from benchmarks.suite.baselines import GoodToulmin, LogLinear, OfLaw, PowerLaw
from classex.laws import fit_pitman_yor

METHODS: dict[str, Callable[[], Any]] = {
    "ClassExReg": lambda: cx.RegressionExtrapolator(published=True),
    "KDE-BCV": lambda: cx.KernelDensityExtrapolator(bandwidth="bcv"),
    "KDE-UCV": lambda: cx.KernelDensityExtrapolator(bandwidth="ucv"),
    "regression": lambda: cx.RegressionExtrapolator(),
    "polynomial": lambda: cx.PolynomialExtrapolator(),
    "exponential": lambda: cx.ExponentialExtrapolator(),
    "log-linear": LogLinear,
    "power law": PowerLaw,
    "Good-Toulmin": GoodToulmin,
    "Pitman-Yor, published": lambda: OfLaw(partial(fit_pitman_yor, method="least squares")),
    "Pitman-Yor": lambda: OfLaw(partial(fit_pitman_yor, method="likelihood")),
    "probit-normal": lambda: cx.ProbitNormalExtrapolator(),
    "mixture of ranks": lambda: cx.MixtureExtrapolator(use_scores=False),
    "mixture": lambda: cx.MixtureExtrapolator(),
}
# scores as well as ranks
SCORED = ("KDE-BCV", "KDE-UCV", "mixture")
# the prediction takes a second or more, the interval a minute: no intervals
WITH_INTERVAL = ("ClassExReg", "probit-normal")
# trained elsewhere, by cleanex.py
CLEANEX = "CleaneX"
