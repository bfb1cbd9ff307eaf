"""ClassEx: how accurate will a recogniser be on many more classes, and what does its accuracy say?

The public names below load their modules when first used, so that ``import classex`` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "AccuracyCurve": "results",
    "AccuracyCurveDisplay": "displays",
    "AdvantageInterval": "results",
    "ConfusionInformation": "results",
    "CorrectRanks": "results",
    "CrossValidatedExtrapolator": "extrapolation",
    "CurveTest": "identification",
    "EncodingFit": "identification",
    "Estimate": "results",
    "ExchangeabilityTest": "exchangeability",
    "ExperimentDesign": "results",
    "ExponentialExtrapolator": "extrapolation",
    "ExtrapolationTrials": "extrapolation",
    "ExtremalChannel": "information",
    "IdentificationModel": "identification",
    "ImpliedInformation": "identification",
    "InformationConfidenceBound": "results",
    "InformationDifference": "identification",
    "Interval": "results",
    "KernelDensityExtrapolator": "extrapolation",
    "KernelFavourability": "results",
    "LinearFit": "results",
    "MarginalPredictor": "advantage",
    "MisspecificationBound": "results",
    "MixtureExtrapolator": "extrapolation",
    "PermutationTest": "identification",
    "PolynomialExtrapolator": "extrapolation",
    "ProbitNormalExtrapolator": "extrapolation",
    "PseudolikelihoodExtrapolator": "extrapolation",
    "RegressionExtrapolator": "extrapolation",
    "RelatedMeasures": "results",
    "RiskExtrapolator": "extrapolation",
    "SelectiveCurve": "results",
    "SelectiveDisplay": "displays",
    "SolverError": "_solver",
    "accuracy_ceiling": "information",
    "accuracy_covariance": "accuracy",
    "accuracy_curve": "accuracy",
    "advantage_of_accuracy": "advantage",
    "area_under": "advantage",
    "average_accuracy": "discriminability",
    "average_bayes_accuracy": "bayes",
    "average_bayes_accuracy_bound": "bayes",
    "average_bayes_accuracy_by_simulation": "bayes",
    "bayes_accuracy_bound": "bayes",
    "bayes_accuracy_variance_bound": "bayes",
    "bayes_accuracy_variance_by_simulation": "bayes",
    "bayesian_marginal_prediction": "advantage",
    "best_rejection": "advantage",
    "bits_to_nats": "information",
    "calibrated_regression": "measurement_error",
    "cheapest_design": "bayes",
    "compare_implied_information": "identification",
    "confusion_information": "information",
    "confusion_measures": "advantage",
    "correct_ranks": "ranks",
    "correct_ranks_from_embeddings": "ranks",
    "curve_test": "identification",
    "default_class_counts": "information_bounds",
    "error_floor": "information",
    "exchangeability_test": "exchangeability",
    "expected_powers": "measurement_error",
    "extrapolation_trials": "extrapolation",
    "extremal_density": "information",
    "fano_bound": "information",
    "generalisation_accuracy_bound": "bayes",
    "guaranteed_bounds": "advantage",
    "identification_accuracy": "information",
    "identification_error": "information",
    "identification_information": "information",
    "implied_information": "identification",
    "importance_regression": "measurement_error",
    "information_bound": "information",
    "information_confidence_bound": "information_bounds",
    "kernel_bandwidth": "density",
    "kernel_favourability": "density",
    "marginal_risk": "advantage",
    "mean_ordered_costs": "risk",
    "nats_to_bits": "information",
    "permutation_test": "identification",
    "polynomial_variance_bound": "measurement_error",
    "prediction_advantage": "advantage",
    "prediction_advantage_interval": "advantage",
    "related_measures": "advantage",
    "required_classes": "bayes",
    "required_repeats": "bayes",
    "risk_curve": "risk",
    "selective_curve": "advantage",
}

_MODULES = (
    "accuracy",
    "advantage",
    "bayes",
    "datasets",
    "density",
    "discriminability",
    "exchangeability",
    "extrapolation",
    "identification",
    "information",
    "information_bounds",
    "likelihood",
    "measurement_error",
    "models",
    "ranks",
    "results",
    "risk",
)

__all__ = [*sorted(_HOME), "__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"classex.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f"classex.{name}")
    raise AttributeError(f"module 'classex' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
