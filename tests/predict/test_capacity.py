"""The number of classes at an accuracy: the inverse of the curve and of its interval."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex import classes_at_accuracy


@pytest.fixture(scope="module")
def estimator():
    sample = cx.models.GaussianClasses(10, 0.2).sample(100, n_repeats=2, rng=5)
    return cx.Extrapolator(cx.methods.ProbitNormal()).fit(sample.scores, sample.labels)


@pytest.mark.parametrize("accuracy", [0.9, 0.5, 0.1, 0.001])
def test_it_inverts_prediction_and_interval(estimator, accuracy):
    found = classes_at_accuracy(estimator, accuracy)
    assert estimator.predict(found.n_classes)[0] >= accuracy
    assert estimator.predict(found.n_classes + 1)[0] < accuracy
    # between two points of the grid, a sixth of a decade apart, the ends are read off a straight line
    for k, side in ((found.low, 0), (found.high, 1)):
        assert estimator.predict_interval(np.round(k))[0, side] == pytest.approx(accuracy, abs=0.01)
    assert found.low < found.n_classes < found.high


def test_capacities_are_whole_and_exact(estimator):
    found = classes_at_accuracy(estimator, 0.8)
    every = estimator.predict(np.arange(2, 2000))
    assert found.n_classes == 2 + np.flatnonzero(every >= 0.8)[-1]


def test_an_accuracy_that_is_never_left_behind():
    perfect = cx.Extrapolator(cx.methods.ProbitNormal(nu=3)).fit(np.eye(50), range(50))
    found = classes_at_accuracy(perfect, 0.1)
    assert np.isinf([found.n_classes, found.high]).all()
    assert np.isfinite(found.low)
    assert "is not reached up to 10^15 classes and may never be" in str(found)


def test_a_distribution_that_never_falls_so_far():
    """A beta-binomial distribution with much weight near 1 falls like a small power of K."""
    found = classes_at_accuracy(
        cx.Extrapolator(cx.methods.BetaBinomial()).fit_ranks(flat_ranks()), 0.05, n_resamples=10
    )
    assert np.isinf(found.n_classes) == (found.n_classes > 1e15)


def flat_ranks(seed=0, share=0.6):
    """Points that are never beaten, and others that always are."""
    rng = np.random.default_rng(seed)
    return cx.ranks_from_wins(np.where(rng.random(500) < share, 99, 0), 100, labels=np.repeat(np.arange(100), 5))


def test_the_sentence(estimator):
    text = str(classes_at_accuracy(estimator, 0.5))
    assert text.startswith("An accuracy of 0.5 is reached at about ")
    assert "times the 100 observed, by the method 'probit-normal'." in text
