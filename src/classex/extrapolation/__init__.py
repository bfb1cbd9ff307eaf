"""Estimators of the average accuracy with more classes than were observed.

Every estimator follows one pattern: ``fit(scores, labels)`` (or ``fit_ranks(ranks)`` where ranks suffice), then
``predict`` and ``predict_interval``. The modules load when their names are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "CrossValidatedExtrapolator": "cross_validated",
    "ExponentialExtrapolator": "exponential",
    "ExtrapolationTrials": "trials",
    "Extrapolator": "_base",
    "KernelDensityExtrapolator": "kernel_density",
    "MixtureExtrapolator": "mixture",
    "NotFittedError": "_base",
    "PolynomialExtrapolator": "polynomial",
    "ProbitNormalExtrapolator": "probit_normal",
    "PseudolikelihoodExtrapolator": "pseudolikelihood",
    "RegressionExtrapolator": "regression",
    "RiskExtrapolator": "risk",
    "extrapolation_trials": "trials",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"classex.extrapolation.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'classex.extrapolation' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
