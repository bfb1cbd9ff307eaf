"""Extrapolation by the probit-normal distribution."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.models import GaussianClasses


def test_prediction_is_that_of_the_fit() -> None:
    sample = GaussianClasses(5, 0.3).sample(50, rng=1)
    estimator = cx.Extrapolator(cx.methods.ProbitNormal()).fit(sample.scores, sample.labels)
    expected = cx.methods.probit_normal_accuracy(
        estimator.distribution_.mu, estimator.distribution_.nu, [10, 10**12], top=2
    )
    np.testing.assert_array_equal(estimator.predict([10, 10**12], top=2), expected)


def test_coverage_where_the_distribution_holds() -> None:
    """80 experiments at the nominal 95 %, at 4 standard errors; ten Gaussian features are nearly probit-normal."""
    model, sizes = GaussianClasses(10, 0.3), [50, 500]
    truth = model.average_accuracy(sizes)
    inside = np.zeros(2)
    for seed in range(80):
        sample = model.sample(50, rng=seed)
        ends = cx.Extrapolator(cx.methods.ProbitNormal()).fit(sample.scores, sample.labels).predict_interval(sizes)
        inside += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    assert (inside / 80 > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 80)).all()


def test_perfect_scores_have_an_honest_interval() -> None:
    estimator = cx.Extrapolator(cx.methods.ProbitNormal()).fit(np.eye(30), np.arange(30))
    low, high = estimator.predict_interval([30, 300])[0]
    assert 0.7 < low < 0.99
    assert high > 0.999


@pytest.mark.parametrize("k1", [3, 4])
def test_few_classes(k1: int) -> None:
    scores = np.random.default_rng(0).normal(size=(k1, k1))
    ends = cx.Extrapolator(cx.methods.ProbitNormal()).fit(scores, np.arange(k1)).predict_interval([k1, 10**12])
    assert np.isfinite(ends).all()
    assert (ends[:, 0] <= ends[:, 1]).all()
