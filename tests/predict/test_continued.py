"""The default beyond the observed classes: where it starts, what a record without errors says, what is unusual."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex.models import BivariateNormal, GaussianClasses

METRICS = [{}, {"top": 3}, {"metric": "mrr"}, {"metric": "ndcg@5"}]


@pytest.fixture(scope="module")
def ranks():
    sample = GaussianClasses(10, 0.2).sample(60, n_repeats=3, rng=5)
    return cx.correct_ranks(sample.scores, sample.labels)


@pytest.mark.parametrize("options", METRICS)
def test_up_to_k1_everything_is_the_observed_curve_s_own(ranks, options):
    sizes = [5, 20, 60]
    result = cx.extrapolate(ranks, n_classes=sizes, **options)
    curve = cx.accuracy_curve(ranks, sizes, **options)
    np.testing.assert_allclose(result.accuracy, curve.accuracy, rtol=1e-12)
    np.testing.assert_allclose(result.standard_error, curve.standard_error, rtol=1e-9)
    np.testing.assert_allclose(result.interval, curve.interval(), rtol=1e-9)


@pytest.mark.parametrize("options", METRICS)
def test_beyond_k1_it_goes_on_without_a_step(ranks, options):
    """One class more changes all by less than two hundredths of the interval, and tenfold by much more."""
    result = cx.extrapolate(ranks, n_classes=[60, 61, 600], **options)
    width = np.diff(result.interval[0])[0]
    for column in (result.accuracy, result.standard_error, *result.interval.T):
        assert abs(column[1] - column[0]) < 0.1 * width
        assert abs(column[2] - column[0]) > abs(column[1] - column[0])


def test_a_published_curve_is_predicted_as_it_was_published():
    fitted = cx.Extrapolator().fit_curve([10, 100, 1_000], [0.95, 0.85, 0.70], 5_000)
    np.testing.assert_allclose(fitted.predict([10, 100, 1_000]), [0.95, 0.85, 0.70], rtol=1e-12)
    low, high = fitted.predict_interval([1_001])[0]
    assert low < 0.70 < high


@pytest.mark.parametrize("r", [1, 20])
def test_a_record_without_errors_is_never_contradicted(r):
    """Nothing observed speaks against an accuracy of 1, for any K; more points and classes raise the lower end."""
    k = [50, 500, 50_000, 10**9]
    labels = np.repeat(np.arange(50), r)
    low, high = cx.extrapolate(np.eye(50)[labels], labels, n_classes=k).interval.T
    assert (high == 1).all()
    assert (np.diff(low) < 0).all()
    more = cx.extrapolate(np.eye(100)[np.repeat(np.arange(100), r)], np.repeat(np.arange(100), r), n_classes=k[1:])
    assert (more.interval[:, 0] > low[1:]).all()
    if r > 1:
        once = cx.extrapolate(np.eye(50), range(50), n_classes=k[1:])
        assert (low[1:] > once.interval[:, 0]).all()


def test_nearly_perfect_classes_are_covered():
    """Gaussian classes of noise .02, 100 of 5 points: the truth at 1,000 is .9997, and most samples hold no error."""
    model = GaussianClasses(10, 0.02)
    truth = model.average_accuracy(1_000)
    for seed in range(10):
        sample = model.sample(100, n_repeats=5, rng=seed)
        low, high = cx.extrapolate(sample.scores, sample.labels, n_classes=[1_000]).interval[0]
        assert low <= truth <= high


def test_an_interval_widens_on_the_probit_scale():
    sample = GaussianClasses(10, 0.3).sample(40, n_repeats=2, rng=1)
    low, high = special.ndtri(
        cx.extrapolate(sample.scores, sample.labels, n_classes=np.rint(np.geomspace(40, 1e9, 30))).interval
    ).T
    assert (np.diff(high - low) > -1e-6).all()


@pytest.mark.parametrize("units", [False, True])
def test_ordinary_curves_are_seldom_called_unusual(units):
    """30 to 50 stimuli of 8 subjects, or none: fewer than one in twenty of 100 experiments; none here."""
    rng, named = np.random.default_rng(3), 0
    for _ in range(100):
        k = int(rng.integers(30, 51))
        sample = GaussianClasses(8, rng.uniform(0.1, 0.5)).sample(k, n_repeats=2, rng=rng)
        subject = np.tile([0, 1], k) + 2 * rng.integers(0, 4, 2 * k)
        given = {"units": subject} if units else {}
        named += cx.extrapolate(sample.scores, sample.labels, n_classes=[500], **given).departure is not None
    assert named < 5


def test_points_that_are_all_alike_are_named():
    wins = np.random.default_rng(1).binomial(199, 0.99, 2_000)
    result = cx.extrapolate(cx.ranks_from_wins(wins, 200), n_classes=[2_000])
    assert "as if all test points were equally hard (weight" in str(result)
    assert result.interval[0, 0] < 0.99**1_999 * 1.5 < 0.01


def test_the_tested_reach_is_said_once_and_only_beyond_it(ranks):
    near, far = (str(cx.extrapolate(ranks, n_classes=[k])) for k in (30_000, 60_000))
    said = "Real data have tested predictions up to 658 times the observed number of classes."
    assert said not in near
    assert far.count(said) == 1


def test_steep_curves_are_covered():
    """Impostors in one dimension, whose curves fall far more steeply than those of real classifiers."""
    model = BivariateNormal(0.9)
    truth = model.average_accuracy(240)
    held = 0
    for seed in range(20):
        sample = model.sample(24, n_repeats=8, rng=seed)
        low, high = cx.extrapolate(sample.scores, sample.labels, n_classes=[240]).interval[0]
        held += low <= truth <= high
    assert held >= 17


def test_lists_longer_than_the_number_of_classes():
    """Among three classes the five best are always right, also where no other number was observed."""
    sample = cx.models.GaussianClasses(10, 0.2).sample(30, rng=0)
    found = cx.extrapolate(sample.scores, sample.labels, n_classes=[3, 100], top=5)
    assert found.accuracy[0] == 1
    assert found.interval[0, 1] == 1


def test_observed_numbers_of_classes_may_be_asked_in_any_order():
    sample = cx.models.GaussianClasses(10, 0.2).sample(30, rng=0)
    for options in ({}, {"top": 2}, {"metric": "mrr"}):
        there, back = (
            cx.extrapolate(sample.scores, sample.labels, n_classes=k, **options) for k in ([9, 17, 23], [23, 9, 17])
        )
        np.testing.assert_allclose(back.interval, there.interval[[2, 0, 1]], rtol=1e-9)
        np.testing.assert_allclose(back.standard_error, there.standard_error[[2, 0, 1]], rtol=1e-9)
