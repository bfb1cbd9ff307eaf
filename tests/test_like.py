"""A related curve: what ``like`` accepts, refuses and does to a prediction."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.forecast import CURVES, related_curve

FAR = [200, 1_000, 5_000]
KNOWN = [2, 5, 10, 20, 50, 100, 200, 1_000, 5_000]


def sample(seed):
    """Ranks with 20 classes whose favourabilities are B(.4, .1): the curve is much flatter than real ones."""
    rng = np.random.default_rng(seed)
    return cx.ranks_from_wins(rng.binomial(19, rng.beta(0.4, 0.1, 400)), 20)


@pytest.fixture(scope="module")
def flat():
    return sample(0)


def flat_accuracy(sizes, a=0.4, b=0.1):
    """Average accuracy by recursion: one more class multiplies E U^(K - 1) by (a + K - 2) / (a + b + K - 2)."""
    steps = np.arange(max(sizes) - 1)
    return np.append(1.0, np.cumprod((a + steps) / (a + b + steps)))[np.asarray(sizes) - 1]


def test_the_exact_curve_of_a_sibling_moves_the_prediction_towards_the_truth():
    """Mean squared errors over ten samples; the sibling is less accurate, so that its level is not the answer."""
    truth, sibling = flat_accuracy(FAR), flat_accuracy(KNOWN, a=0.35)
    errors, widths, covered = [], [], []
    for seed in range(10):
        results = [cx.extrapolate(sample(seed), n_classes=FAR, like=like) for like in (None, (KNOWN, sibling))]
        errors.append([result.accuracy - truth for result in results])
        widths.append([np.ptp(result.interval, axis=1) for result in results])
        low, high = results[1].interval.T
        covered.append((low <= truth) & (truth <= high))
        assert results[1].evidence.parameters["resembles the related curve"] > 0.5
    alone, helped = np.square(errors).mean(axis=0)
    assert (helped < 0.5 * alone).all()
    alone, helped = np.mean(widths, axis=0)
    assert (helped < 0.9 * alone).all()
    assert np.sum(covered, axis=0).min() >= 8


def test_what_is_accepted(flat):
    name, (sizes, accuracy) = "spoken words", CURVES["spoken words"]
    ranks = cx.ranks_from_wins(np.repeat([19, 18, 12], [15, 3, 2]), 20)
    curve, result = cx.accuracy_curve(ranks, [2, 5, 20]), cx.extrapolate(ranks, n_classes=[20, 100])
    for like, pair in (
        (name, (sizes, accuracy)),
        (curve, (curve.n_classes, curve.accuracy)),
        (result, (result.n_classes, result.accuracy)),
        (np.array([[20, 5, 2], [0.7, 0.8, 0.9]]), ([2, 5, 20], [0.9, 0.8, 0.7])),
        (([1, 2, 5, 20], [1.0, 0.9, 0.8, 0.7]), ([2, 5, 20], [0.9, 0.8, 0.7])),
    ):
        found = cx.extrapolate(flat, n_classes=FAR, like=like)
        np.testing.assert_array_equal(found.accuracy, cx.extrapolate(flat, n_classes=FAR, like=pair).accuracy)
    with_method = cx.extrapolate(flat, n_classes=FAR, like=name, method="gaussian-process")
    np.testing.assert_array_equal(with_method.accuracy, cx.extrapolate(flat, n_classes=FAR, like=name).accuracy)


def test_the_options_of_a_method_stay(flat):
    prior = cx.forecast.CurvePrior((cx.forecast.Straight(1.0, slope=-0.1, slope_sd=0.05, early=0.0),))
    found = cx.extrapolate(flat, n_classes=FAR, like="icons", method=cx.methods.GaussianProcess(prior))
    assert found.evidence.parameters.keys() == {"falls along a straight line", "resembles the related curve"}
    usual = cx.extrapolate(flat, n_classes=FAR, like="icons")
    assert len(usual.evidence.parameters) > 2


@pytest.mark.parametrize("name", CURVES)
def test_every_curve_of_the_library_is_one(name):
    sizes, accuracy = related_curve(name)
    assert sizes[0] == 2
    assert (np.diff(sizes) > 0).all()
    assert (np.diff(accuracy) < 0).all()
    assert ((accuracy > 0) & (accuracy < 1)).all()
