"""Average Bayes accuracy, its variability over random class sets, and confidence bounds for it."""

from __future__ import annotations

from classex.bayes.bounds import (
    average_bayes_accuracy_bound,
    bayes_accuracy_bound,
    generalisation_accuracy_bound,
)
from classex.bayes.design import cheapest_design, required_classes, required_repeats
from classex.bayes.population import distinct_share
from classex.bayes.simulation import (
    average_bayes_accuracy,
    average_bayes_accuracy_by_simulation,
    bayes_accuracy_variance_bound,
    bayes_accuracy_variance_by_simulation,
)

__all__ = [
    "average_bayes_accuracy",
    "average_bayes_accuracy_bound",
    "average_bayes_accuracy_by_simulation",
    "bayes_accuracy_bound",
    "bayes_accuracy_variance_bound",
    "bayes_accuracy_variance_by_simulation",
    "cheapest_design",
    "distinct_share",
    "generalisation_accuracy_bound",
    "required_classes",
    "required_repeats",
]
