"""Estimators of the average accuracy with more classes than were observed.

Every estimator follows one pattern: ``fit(scores, labels)`` (or ``fit_ranks(ranks)`` where ranks suffice), then
``predict`` and ``predict_interval``. The modules load when their names are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classex._lazy import lazy_names

if TYPE_CHECKING:
    from classex.extrapolation._base import Extrapolator
    from classex.extrapolation.attempts import PassAtK, pass_at_k
    from classex.extrapolation.average_risk import RiskExtrapolator
    from classex.extrapolation.beta_binomial import BetaBinomialExtrapolator
    from classex.extrapolation.capacity import Capacity, classes_at_accuracy
    from classex.extrapolation.empirical_bayes import EmpiricalBayesExtrapolator
    from classex.extrapolation.exponential import ExponentialExtrapolator
    from classex.extrapolation.front import extrapolate
    from classex.extrapolation.gaussian_process import GaussianProcessExtrapolator
    from classex.extrapolation.kernel_density import KernelDensityExtrapolator
    from classex.extrapolation.methods import DEFAULT_METHOD, METHODS, make_method
    from classex.extrapolation.mixture import MixtureExtrapolator
    from classex.extrapolation.pitman_yor import PitmanYorExtrapolator
    from classex.extrapolation.polynomial import PolynomialExtrapolator
    from classex.extrapolation.probit_normal import ProbitNormalExtrapolator
    from classex.extrapolation.pseudolikelihood import PseudolikelihoodExtrapolator
    from classex.extrapolation.regression import RegressionExtrapolator
    from classex.extrapolation.result import ExtrapolationResult
    from classex.extrapolation.trials import ExtrapolationTrials, extrapolation_trials

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "BetaBinomialExtrapolator",
    "Capacity",
    "EmpiricalBayesExtrapolator",
    "ExponentialExtrapolator",
    "ExtrapolationResult",
    "ExtrapolationTrials",
    "Extrapolator",
    "GaussianProcessExtrapolator",
    "KernelDensityExtrapolator",
    "MixtureExtrapolator",
    "PassAtK",
    "PitmanYorExtrapolator",
    "PolynomialExtrapolator",
    "ProbitNormalExtrapolator",
    "PseudolikelihoodExtrapolator",
    "RegressionExtrapolator",
    "RiskExtrapolator",
    "classes_at_accuracy",
    "extrapolate",
    "extrapolation_trials",
    "make_method",
    "pass_at_k",
]

if not TYPE_CHECKING:  # a type checker would take it for a promise of every name
    __getattr__, __dir__ = lazy_names(
        "classex.extrapolation",
        {
            "DEFAULT_METHOD": "methods",
            "METHODS": "methods",
            "BetaBinomialExtrapolator": "beta_binomial",
            "Capacity": "capacity",
            "classes_at_accuracy": "capacity",
            "EmpiricalBayesExtrapolator": "empirical_bayes",
            "ExponentialExtrapolator": "exponential",
            "ExtrapolationResult": "result",
            "ExtrapolationTrials": "trials",
            "Extrapolator": "_base",
            "GaussianProcessExtrapolator": "gaussian_process",
            "KernelDensityExtrapolator": "kernel_density",
            "MixtureExtrapolator": "mixture",
            "PassAtK": "attempts",
            "pass_at_k": "attempts",
            "PitmanYorExtrapolator": "pitman_yor",
            "PolynomialExtrapolator": "polynomial",
            "ProbitNormalExtrapolator": "probit_normal",
            "PseudolikelihoodExtrapolator": "pseudolikelihood",
            "RegressionExtrapolator": "regression",
            "RiskExtrapolator": "average_risk",
            "extrapolate": "front",
            "extrapolation_trials": "trials",
            "make_method": "methods",
        },
    )
