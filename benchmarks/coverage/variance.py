"""Variance of the Bayes accuracy over sets of classes, and its bounds; the experiments are those of `bounds`."""

from __future__ import annotations

import numpy as np

from benchmarks.coverage.bounds import CELLS as CELLS
from benchmarks.coverage.bounds import MODELS, draws
from classex.bayes import bayes_accuracy_variance_bound

TABLE = "coverage_bounds/variance"
HEADER = (
    "model,n_classes,experiments,average_bayes_accuracy,variance,standard_error,bound,bound_given_average,"
    "bound_given_gain"
)


def rows(name: str) -> list[list[object]]:
    """Rows of one model, one for each number of classes."""
    return [_row(name, k, bayes) for k, _, bayes, _ in draws(name)]


def _row(name: str, k: int, bayes: np.ndarray) -> list[object]:
    square = (bayes - bayes.mean()) ** 2
    a, before = MODELS[name].truth(k), MODELS[name].truth(k - 1)
    numbers = (
        a, square.mean(), square.std() / np.sqrt(bayes.size), bayes_accuracy_variance_bound(k),
        bayes_accuracy_variance_bound(k, average_accuracy=a),
        bayes_accuracy_variance_bound(k, average_accuracy=a, one_fewer=before),
    )  # fmt: skip
    return [name, k, bayes.size, *(f"{x:.6g}" for x in numbers)]
