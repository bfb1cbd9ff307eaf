"""The default's interval: the curve's own up to k1, and wider where the data contradict the usual shape of a curve."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.intervals.departures import Departures
from classex.intervals.reliance import ObservedCurve
from classex.models import BivariateNormal, GaussianClasses

N_CLASSES, N_REPEATS = 60, 3
LABELS = np.repeat(np.arange(N_CLASSES), N_REPEATS)
SIZES = np.array([60, 120, 600, 6_000])


def drawn(favourability, seed):
    """Ranks of points that win independently with these chances."""
    rng = np.random.default_rng([11, seed])
    u = favourability(rng, LABELS.size)
    return cx.ranks_from_wins(rng.binomial(N_CLASSES - 1, u), N_CLASSES, labels=LABELS)


def perfect_or_hopeless(rng, n):
    return np.where(rng.random(n) < 0.6, 1.0, 0.0)


def all_alike(rng, n):
    del rng
    return np.full(n, 0.98)


@pytest.mark.parametrize(
    ("favourability", "truth", "found"),
    [
        (perfect_or_hopeless, lambda k: np.full(k.size, 0.6), Departures(flat=True)),
        (all_alike, lambda k: 0.98 ** (k - 1.0), Departures(alike=True)),
    ],
    ids=["flat", "alike"],
)
def test_refuted_assumptions_widen_the_interval(favourability, truth, found):
    """Nominal .95: of 12 intervals at .95 fewer than 9 hold the truth once in 2,000 times; without the rule, 0 to 2."""
    held = []
    for seed in range(12):
        fit = cx.Extrapolator().fit_ranks(drawn(favourability, seed))
        assert fit._departures == found
        low, high = fit.predict_interval(SIZES).T
        held.append((low <= truth(SIZES)) & (truth(SIZES) <= high))
    assert (np.sum(held, axis=0) >= 9).all()


@pytest.mark.parametrize("model", [GaussianClasses(10, 0.2), GaussianClasses(10, 0.4), BivariateNormal(0.9)])
def test_ordinary_curves_are_not_refuted(model):
    for seed in range(6):
        sample = model.sample(N_CLASSES, n_repeats=N_REPEATS, rng=[13, seed])
        assert not cx.Extrapolator().fit(sample.scores, sample.labels)._departures


def test_the_result_says_so():
    result = cx.extrapolate(drawn(perfect_or_hopeless, 0), n_classes=600)
    assert "the observed curve hardly falls at its end. Therefore the upper end of the intervals reaches" in str(result)
    assert result.to_dict()["departure"] == result.departure
    result = cx.extrapolate(drawn(all_alike, 0), n_classes=600)
    assert "the test points seem to be all equally hard. Therefore the lower end" in str(result)
    sample = GaussianClasses(10, 0.2).sample(40, rng=3)
    usual = cx.extrapolate(sample.scores, sample.labels, n_classes=400)
    assert usual.departure is None
    assert "contradict" not in str(usual)
    assert "both ends of the intervals reach as far" in str(Departures(flat=True, alike=True))


def test_up_to_k1_the_interval_is_the_curve_s_own():
    """Equal at k1, without a jump beyond it, and falling ends."""
    sample = GaussianClasses(10, 0.1).sample(40, rng=5)
    fit = cx.Extrapolator().fit(sample.scores, sample.labels)
    own = cx.accuracy_curve(fit.ranks_, [10, 40]).interval(0.9)
    np.testing.assert_allclose(fit.predict_interval([10, 40], confidence_level=0.9), own, rtol=1e-12)
    ends = fit.predict_interval(np.arange(40, 121), confidence_level=0.9)
    np.testing.assert_allclose(ends[0], own[1], rtol=1e-12)
    assert (np.diff(ends, axis=0) <= 1e-12).all()
    assert np.abs(np.diff(ends, axis=0)).max() < 0.02


def test_where_all_classes_are_right_one_more_could_differ():
    """Classes that are wholly right with probability .95: the accuracy is .95 with any number of classes."""
    ranks = cx.ranks_from_wins(np.full(1000, 19), 20, labels=np.repeat(np.arange(20), 50))
    low, high = cx.Extrapolator().fit_ranks(ranks).predict_interval([20, 40, 200]).T
    assert (low < 0.9).all()
    assert (high > 0.95).all()


def test_where_none_is_right_the_lower_end_is_zero():
    wins = np.random.default_rng(0).binomial(19, 0.05, 100)
    ranks = cx.ranks_from_wins(wins, 20, labels=np.repeat(np.arange(20), 5))
    assert cx.accuracy_curve(ranks, 20).accuracy[0] == 0
    for target in ("average", "fresh", "superset"):
        ends = cx.Extrapolator().fit_ranks(ranks).predict_interval([40, 200], target=target)
        np.testing.assert_array_equal(ends[:, 0], 0.0)


def test_guesses_stay_at_chance():
    ranks = cx.ranks_from_wins([1] * 25 + [0] * 25, 2, labels=[0, 1] * 25)
    assert ObservedCurve(ranks).above_chance
    fit = cx.Extrapolator().fit_ranks(ranks)
    sizes = np.array([2, 20, 10**6])
    assert (fit.predict(sizes) >= 1 / sizes).all()
    assert (fit.predict_interval(sizes)[:, 1] >= 1 / sizes).all()
    worse = cx.ranks_from_wins([9] * 5 + [0] * 95, 10, labels=np.arange(100) % 10)
    assert not ObservedCurve(worse).above_chance


def test_points_of_few_classes_that_agree_only_widen_the_interval() -> None:
    """Half of eight classes perfect, the others hopeless: the curve is as flat with 500 points a class as with 5."""
    ends = []
    for r in (5, 500):
        labels = np.repeat(np.arange(8), r)
        ranks = cx.ranks_from_wins(np.where(labels < 4, 7, 2), 8, labels=labels)
        ends.append(cx.extrapolate(ranks, n_classes=80).interval[0])
    assert ends[1][0] <= 0.5 <= ends[1][1]
    assert ends[1][1] >= ends[0][1] - 1e-9
