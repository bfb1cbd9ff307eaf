"""Curves of average accuracy and risk over all subsets of the observed classes, with standard errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from classex._lazy import lazy_names

if TYPE_CHECKING:
    from classex.curves.accuracy import accuracy_covariance, accuracy_curve
    from classex.curves.exchangeability import ExchangeabilityTest, exchangeability_test
    from classex.curves.metrics import RankMetric, expected_metric
    from classex.curves.risk import mean_ordered_costs, risk_curve

__all__ = [
    "ExchangeabilityTest",
    "RankMetric",
    "accuracy_covariance",
    "accuracy_curve",
    "exchangeability_test",
    "expected_metric",
    "mean_ordered_costs",
    "risk_curve",
]

if not TYPE_CHECKING:  # a type checker would take it for a promise of every name
    __getattr__, __dir__ = lazy_names(
        "classex.curves",
        {
            "ExchangeabilityTest": "exchangeability",
            "RankMetric": "metrics",
            "accuracy_covariance": "accuracy",
            "accuracy_curve": "accuracy",
            "exchangeability_test": "exchangeability",
            "expected_metric": "metrics",
            "mean_ordered_costs": "risk",
            "risk_curve": "risk",
        },
    )
