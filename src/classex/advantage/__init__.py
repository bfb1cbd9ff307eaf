"""The prediction advantage and its relatives.

`MarginalPredictor` is a scikit-learn estimator and loads with it, when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classex._lazy import lazy_names

if TYPE_CHECKING:
    from classex.advantage.bias import marginal_risk
    from classex.advantage.intervals import prediction_advantage_interval
    from classex.advantage.marginal import MarginalPredictor
    from classex.advantage.measure import LOSSES, bayesian_marginal_prediction, prediction_advantage
    from classex.advantage.rejection import best_rejection
    from classex.advantage.relatives import (
        advantage_of_accuracy,
        confusion_measures,
        guaranteed_bounds,
        related_measures,
    )
    from classex.advantage.selective import area_under, selective_curve

__all__ = [
    "LOSSES",
    "MarginalPredictor",
    "advantage_of_accuracy",
    "area_under",
    "bayesian_marginal_prediction",
    "best_rejection",
    "confusion_measures",
    "guaranteed_bounds",
    "marginal_risk",
    "prediction_advantage",
    "prediction_advantage_interval",
    "related_measures",
    "selective_curve",
]

if not TYPE_CHECKING:  # a type checker would take it for a promise of every name
    __getattr__, __dir__ = lazy_names(
        "classex.advantage",
        {
            "LOSSES": "measure",
            "MarginalPredictor": "marginal",
            "advantage_of_accuracy": "relatives",
            "area_under": "selective",
            "bayesian_marginal_prediction": "measure",
            "best_rejection": "rejection",
            "confusion_measures": "relatives",
            "guaranteed_bounds": "relatives",
            "marginal_risk": "bias",
            "prediction_advantage": "measure",
            "prediction_advantage_interval": "intervals",
            "related_measures": "relatives",
            "selective_curve": "selective",
        },
    )
