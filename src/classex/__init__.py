"""ClassEx: how accurate will a recogniser be on many more classes, and what does its accuracy say?

The public names below load their modules when first used, so that ``import classex`` stays fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classex._lazy import lazy_names

if TYPE_CHECKING:
    from classex import (
        advantage,
        bayes,
        curves,
        datasets,
        displays,
        exceptions,
        extrapolation,
        identification,
        information,
        laws,
        models,
        open_set,
        ranks,
        results,
    )
    from classex.advantage import prediction_advantage, prediction_advantage_interval
    from classex.bayes import average_bayes_accuracy_bound
    from classex.curves import accuracy_curve, risk_curve
    from classex.displays import AccuracyCurveDisplay
    from classex.extrapolation import (
        BetaBinomialExtrapolator,
        EmpiricalBayesExtrapolator,
        ExponentialExtrapolator,
        GaussianProcessExtrapolator,
        KernelDensityExtrapolator,
        MixtureExtrapolator,
        PitmanYorExtrapolator,
        PolynomialExtrapolator,
        ProbitNormalExtrapolator,
        PseudolikelihoodExtrapolator,
        RegressionExtrapolator,
        RiskExtrapolator,
        classes_at_accuracy,
        extrapolate,
        pass_at_k,
    )
    from classex.files import load_scores
    from classex.information import (
        accuracy_ceiling,
        fano_bound,
        identification_accuracy,
        implied_information,
        information_bound,
        information_confidence_bound,
    )
    from classex.ranks import correct_ranks, correct_ranks_from_embeddings, ranks_from_wins
    from classex.results import CorrectRanks
__version__ = "0.3.0.dev0"

__all__ = [
    "AccuracyCurveDisplay",
    "BetaBinomialExtrapolator",
    "CorrectRanks",
    "EmpiricalBayesExtrapolator",
    "ExponentialExtrapolator",
    "GaussianProcessExtrapolator",
    "KernelDensityExtrapolator",
    "MixtureExtrapolator",
    "PitmanYorExtrapolator",
    "PolynomialExtrapolator",
    "ProbitNormalExtrapolator",
    "PseudolikelihoodExtrapolator",
    "RegressionExtrapolator",
    "RiskExtrapolator",
    "__version__",
    "accuracy_ceiling",
    "accuracy_curve",
    "advantage",
    "average_bayes_accuracy_bound",
    "bayes",
    "classes_at_accuracy",
    "correct_ranks",
    "correct_ranks_from_embeddings",
    "curves",
    "datasets",
    "displays",
    "exceptions",
    "extrapolate",
    "extrapolation",
    "fano_bound",
    "identification",
    "identification_accuracy",
    "implied_information",
    "information",
    "information_bound",
    "information_confidence_bound",
    "laws",
    "load_scores",
    "models",
    "open_set",
    "pass_at_k",
    "prediction_advantage",
    "prediction_advantage_interval",
    "ranks",
    "ranks_from_wins",
    "results",
    "risk_curve",
]

if not TYPE_CHECKING:  # a type checker would take it for a promise of every name
    __getattr__, __dir__ = lazy_names(
        "classex",
        {
            "AccuracyCurveDisplay": "displays",
            "BetaBinomialExtrapolator": "extrapolation",
            "CorrectRanks": "results",
            "EmpiricalBayesExtrapolator": "extrapolation",
            "ExponentialExtrapolator": "extrapolation",
            "GaussianProcessExtrapolator": "extrapolation",
            "KernelDensityExtrapolator": "extrapolation",
            "MixtureExtrapolator": "extrapolation",
            "PitmanYorExtrapolator": "extrapolation",
            "PolynomialExtrapolator": "extrapolation",
            "ProbitNormalExtrapolator": "extrapolation",
            "PseudolikelihoodExtrapolator": "extrapolation",
            "RegressionExtrapolator": "extrapolation",
            "RiskExtrapolator": "extrapolation",
            "accuracy_ceiling": "information",
            "accuracy_curve": "curves",
            "advantage": "advantage",
            "average_bayes_accuracy_bound": "bayes",
            "bayes": "bayes",
            "classes_at_accuracy": "extrapolation",
            "correct_ranks": "ranks",
            "correct_ranks_from_embeddings": "ranks",
            "curves": "curves",
            "datasets": "datasets",
            "displays": "displays",
            "exceptions": "exceptions",
            "extrapolate": "extrapolation",
            "extrapolation": "extrapolation",
            "fano_bound": "information",
            "identification": "identification",
            "identification_accuracy": "information",
            "implied_information": "information",
            "information": "information",
            "information_bound": "information",
            "information_confidence_bound": "information",
            "laws": "laws",
            "load_scores": "files",
            "models": "models",
            "open_set": "open_set",
            "pass_at_k": "extrapolation",
            "prediction_advantage": "advantage",
            "prediction_advantage_interval": "advantage",
            "ranks": "ranks",
            "ranks_from_wins": "ranks",
            "results": "results",
            "risk_curve": "curves",
        },
    )
