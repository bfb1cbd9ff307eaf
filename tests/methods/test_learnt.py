"""Predictions of two fixed samples: what was learnt from data, or judged, enters them, and changes only on purpose."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.methods import EmpiricalBayes, Regression

SIZES = np.array([30.0, 300.0, 3000.0, 30_000.0])
HARD = (cx.models.GaussianClasses(6, 0.25), 30, 2, 0)


@pytest.mark.parametrize(
    ("method", "data", "expected"),
    [
        (Regression(bandwidth=0.5, weights="generalised"), HARD, [0.63410, 0.22988, 0.12151, 0.11333]),
        (EmpiricalBayes(start="flat"), HARD, [0.63900, 0.34819, 0.23111, 0.12976]),
    ],
    ids=["regression", "empirical Bayes"],
)
def test_predictions_of_a_fixed_sample(method, data, expected):
    model, n_classes, n_repeats, seed = data
    sample = model.sample(n_classes, n_repeats=n_repeats, rng=seed)
    fit = method.fit(cx.correct_ranks(sample.scores, sample.labels), sample.scores)
    np.testing.assert_allclose(fit.accuracy(SIZES), expected, atol=1e-4)
    truth = model.average_accuracy([30, 300])
    assert np.abs(fit.accuracy(SIZES[:2]) - truth).max() < 0.15
