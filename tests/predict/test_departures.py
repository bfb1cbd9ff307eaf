"""The default: the observed curve up to k1, and wider intervals where the data contradict the usual shape."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import classex as cx
from classex.models import GaussianClasses
from classex.predict.departures import Departures, find_departures, widened_by_departures
from classex.predict.known import ObservedCurve, PublishedCurve
from classex.results import AccuracyCurve

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


def luce(rng, n):
    """Gumbel scores, the truth's shifted by log(100)."""
    return rng.random(n) ** 0.01


TRUTHS = {
    "flat": (perfect_or_hopeless, lambda k: np.full(k.size, 0.6)),
    "alike": (all_alike, lambda k: 0.98 ** (k - 1.0)),
    "steep": (luce, lambda k: 1 / (1 + 0.01 * (k - 1.0))),
}


@pytest.mark.parametrize("side", TRUTHS)
def test_refuted_assumptions_widen_the_interval(side):
    """Nominal .95: of 12 intervals at .95 fewer than 9 cover the truth once in 2,000 times."""
    favourability, truth = TRUTHS[side]
    held, found = [], []
    for seed in range(12):
        fit = cx.Extrapolator().fit_ranks(drawn(favourability, seed))
        found.append(getattr(fit.fitted_.departures, side))
        low, high = fit.predict_interval(SIZES).T
        held.append((low <= truth(SIZES)) & (truth(SIZES) <= high))
    assert np.mean(found) > (0.3 if side == "steep" else 0.9)
    assert (np.sum(held, axis=0) >= 9).all()


def published(favourability, truth, ks, n):
    """An estimator of the exact curve, published at some numbers of classes with n points behind it."""
    del favourability
    return cx.Extrapolator().fit_curve(ks, truth(np.array(ks, dtype=float)), n)


@pytest.mark.parametrize(
    ("side", "attribute", "ks"),
    [
        ("flat", "flat", [59, 60]),
        ("flat", "flat", [10, 30, 60]),
        ("alike", "steep", [59, 60]),
        ("alike", "steep", [10, 30, 60]),
        ("steep", "steep", [59, 60]),
    ],
)
def test_published_curves_pass_the_same_checks(side, attribute, ks):
    favourability, truth = TRUTHS[side]
    fit = published(favourability, truth, ks, 3_000)
    assert getattr(fit.fitted_.departures, attribute)
    low, high = fit.predict_interval(SIZES).T
    assert ((low <= truth(SIZES)) & (truth(SIZES) <= high)).all()
    assert "speak against" in str(cx.extrapolate(fit, n_classes=600))


def test_a_published_curve_of_the_usual_shape_is_not_refuted():
    """Whatever the steps are: the mean of the prior itself."""
    for ks in ([2, 10, 50], [10, 100, 1_000], [49, 50], [5, 50]):
        accuracy = special.ndtr(cx.methods.CurvePrior().mean(np.array(ks, dtype=float)))
        assert not cx.Extrapolator().fit_curve(ks, accuracy, 5_000).fitted_.departures


def scores_of(seed, n_classes=60, n_repeats=3):
    rng = np.random.default_rng([17, seed])
    labels = np.repeat(np.arange(n_classes), n_repeats)
    scores = rng.gumbel(size=(labels.size, n_classes))
    scores[np.arange(labels.size), labels] += np.log(100)
    return scores, labels


def test_every_door_makes_the_same_checks():
    """Weights, groups, a list of guesses and the inverse: steep data are named, and intervals reach the truth."""
    scores, labels = scores_of(1)
    truth = 1 / (1 + 0.01 * 599)
    for options in ({}, {"weights": np.ones(60)}, {"groups": np.repeat(np.arange(12), 5)}, {"metric": "recall@1"}):
        found = cx.extrapolate(scores, labels, n_classes=600, **options)
        assert "falls more steeply at its end than predicted" in found.departure
        assert found.interval[0, 0] <= truth <= found.interval[0, 1]
    fit = cx.Extrapolator().fit(scores, labels)
    capacity = cx.classes_at_accuracy(fit, 0.2)
    assert capacity.low <= 401 <= capacity.high  # 1 / (1 + .01 (K - 1)) = .2


@pytest.mark.parametrize("options", [{}, {"top": 3}, {"metric": "mrr"}, {"weights": np.ones(60)}], ids=str)
def test_up_to_k1_the_prediction_is_the_observed_curve(options):
    scores, labels = scores_of(2)
    sizes = np.array([5, 20, 59, 60])
    if "weights" in options:
        curve = cx.accuracy_curve(scores, sizes, labels=labels, **options)
    else:
        curve = cx.accuracy_curve(cx.correct_ranks(scores, labels), sizes, **options)
    found = cx.extrapolate(scores, labels, n_classes=sizes, **options)
    np.testing.assert_allclose(found.accuracy, curve.accuracy, rtol=1e-12)
    np.testing.assert_allclose(found.standard_error, curve.standard_error, rtol=1e-12)
    beyond = cx.extrapolate(scores, labels, n_classes=[60, 61, 70, 100, 300, 10**4, 10**6], **options)
    assert (np.diff(beyond.accuracy) <= 1e-12).all()
    assert beyond.accuracy[1] == pytest.approx(beyond.accuracy[0], abs=0.02)  # no step


def test_a_published_curve_is_predicted_as_it_was_published():
    fit = cx.Extrapolator().fit_curve([10, 100, 1_000], [0.95, 0.85, 0.7], 5_000)
    np.testing.assert_allclose(fit.predict([10, 100, 1_000]), [0.95, 0.85, 0.7], rtol=1e-12)
    value = fit.predict([30])[0]
    assert 0.85 < value < 0.95


def test_groups_start_from_the_observed_accuracy():
    scores, labels = scores_of(3)
    found = cx.extrapolate(scores, labels, n_classes=[60, 61, 600], groups=np.repeat(np.arange(12), 5))
    assert found.accuracy[0] == pytest.approx(found.observed.value, rel=1e-9)
    own = cx.accuracy_curve(cx.correct_ranks(scores, labels), 60).interval()[0]
    np.testing.assert_allclose(found.interval[0], own, rtol=1e-9)


def test_no_point_right_or_all_right():
    for wins in (np.full(30, 9), np.zeros(30, dtype=int)):
        ranks = cx.ranks_from_wins(wins, 10, labels=np.repeat(np.arange(10), 3))
        sizes = np.array([10.0, 11.0, 100.0, 1e6])
        fit = cx.Extrapolator().fit_ranks(ranks)
        value, ends = fit.predict(sizes), fit.predict_interval(sizes)
        assert value[0] == wins[0] / 9
        assert (np.diff(value) <= 0).all()
        assert ((ends[:, 0] <= value) & (value <= ends[:, 1])).all()
        assert (ends[1:, 1] > ends[1:, 0]).all()


@pytest.mark.parametrize("seed", range(6))
def test_ordinary_curves_are_not_refuted(seed):
    def usual(rng, n):
        return special.ndtr(3 + 1.5 * rng.normal(size=n))

    assert not cx.Extrapolator().fit_ranks(drawn(usual, seed)).fitted_.departures


def test_the_result_says_so():
    result = cx.extrapolate(drawn(perfect_or_hopeless, 0), n_classes=600)
    said = "the observed curve falls less steeply at its end than predicted. Therefore the upper end of the intervals"
    assert said in str(result)
    assert result.to_dict()["departure"] == result.departure
    result = cx.extrapolate(drawn(all_alike, 0), n_classes=600)
    assert "the test points seem to be all equally hard. Therefore the lower end" in str(result)
    sample = GaussianClasses(10, 0.2).sample(40, rng=3)
    usual = cx.extrapolate(sample.scores, sample.labels, n_classes=400)
    assert usual.departure is None
    assert "speak against" not in str(usual)
    assert "both ends of the intervals reach as far" in str(Departures(flat=True, alike=True))


@pytest.mark.parametrize(("ratio", "found"), [(0.55, "flat"), (0.8, "flat"), (0.97, ""), (1.03, ""), (1.25, "steep")])
def test_how_far_the_slope_may_differ(ratio, found):
    """With hardly any sampling error: within a tenth of the fitted slope nothing is found, beyond it the side is."""
    prior, sizes = cx.methods.CurvePrior(), np.array([50.0, 51.0, 510.0])
    probit = prior.mean(sizes)
    known = PublishedCurve(
        AccuracyCurve(
            sizes[:2].astype(int), special.ndtr([probit[1] + ratio * (probit[0] - probit[1]), probit[1]]), np.zeros(2),
            n_tested=10**9,
        ),
        1e-9,
    )  # fmt: skip
    departures = find_departures(lambda some: special.ndtr(prior.mean(some)), prior, known)
    assert (departures.flat, departures.steep) == (found == "flat", found == "steep")


@pytest.mark.parametrize(
    ("side", "errors", "found"),
    [("flat", 0.7, False), ("flat", 1.3, True), ("steep", 0.35, False), ("steep", 0.65, True)],
)
def test_how_many_standard_errors_a_slope_must_differ_by(side, errors, found):
    """The share that the last step loses misses the bound by one standard error, or exceeds it by half of one."""
    prior, sizes = cx.methods.CurvePrior(), np.array([50.0, 51.0])
    probit, sign = prior.mean(sizes), 1 if side == "steep" else -1
    expected = (1 + 0.1 * sign) * (special.ndtr(probit[0]) - special.ndtr(probit[1]))
    error = 0.02 * expected
    accuracy = special.ndtr(probit[1]) + np.array([expected + sign * errors * error, 0.0])
    known = PublishedCurve(AccuracyCurve(sizes.astype(int), accuracy, np.zeros(2), n_tested=10**9), error)
    assert getattr(find_departures(lambda some: special.ndtr(prior.mean(some)), prior, known), side) == found


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
    assert (fit.predict(sizes) >= 1 / sizes - 1e-12).all()
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


def test_widened_ends_allow_for_the_draw_of_new_classes():
    """Half the room between the curve's own limits, .3, and a variance of .07 make .4 on either side of the middle."""
    ends, extra = np.array([[0.39, 0.41]]), np.array([0.07])
    found = widened_by_departures(ends, Departures(flat=True, steep=True), np.array([0.1]), 0.7, extra)
    np.testing.assert_allclose(found, [[0.0, 0.8]], atol=1e-12)


@pytest.mark.parametrize(("k", "accuracy"), [(4, 0.887), (4, 0.6), (10, 0.5)])
def test_one_published_accuracy_has_no_slope(k, accuracy):
    """And so contradicts none; a larger standard error never narrows the interval."""
    fit = cx.Extrapolator().fit_curve([k], [accuracy], 14_000)
    assert not fit.fitted_.departures
    widths = []
    for error in (0.001, 0.003, 0.005, 0.007, 0.01, 0.03):
        low, high = cx.Extrapolator().fit_curve([k], [accuracy], standard_error=[error]).predict_interval(10 * k)[0]
        widths.append(high - low)
    assert (np.diff(widths) > 0).all()
