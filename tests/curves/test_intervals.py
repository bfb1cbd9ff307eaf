"""Intervals of observed curves where nothing varies, where labels beat every point, and near all of the classes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

import classex as cx
from classex import AccuracyCurve
from classex.curves.accuracy import beyond_half, most_trials
from classex.curves.metrics import METRICS

NAMED = [name.replace("@m", "@3").replace("-m", "-3") for name in METRICS]


def scores_of(beaten, labels):
    """Scores by which the points of `labels` beat these labels and no others."""
    scores = np.where(beaten, 0.0, 1.0)
    scores[np.arange(labels.size), labels] = 0.5
    return scores


def drawn(rng, n_classes, n_repeats, *, n_tested=None, perfect_class=1.0, win=1.0, hub=0.0):
    """Classes perfect with one probability or else hopeless; wins with another; labels that beat all points."""
    n_tested = n_classes if n_tested is None else n_tested
    labels = np.repeat(np.arange(n_tested), n_repeats)
    good = (rng.random(n_tested) < perfect_class)[labels]
    beaten = (rng.random((labels.size, n_classes)) < win) & good[:, np.newaxis]
    hubs = rng.random(n_classes) < hub
    beaten[:, hubs] = False
    return scores_of(beaten, labels), labels, bool(hubs.any())


def all_right(n_repeats, n_classes=20):
    labels = np.repeat(np.arange(n_classes), n_repeats)
    return np.eye(n_classes)[labels], labels


def unseen(n, level=0.95):
    """Largest share of hopeless classes when none of n classes is: half of one more."""
    return stats.beta(0.5, n).ppf(0.5 + level / 2)


def wilson_at(number, df, level=0.95):
    """Ends below 1 and above 0 for rates of 1 and 0."""
    t = stats.t(df).ppf(0.5 + level / 2)
    return number / (number + t**2)


@pytest.mark.filterwarnings("ignore:the correct label beats only 0 %")
@pytest.mark.parametrize("metric", NAMED)
@pytest.mark.parametrize("n_repeats", [1, 9, 10, 50, "uneven"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_where_nothing_varies_half_a_class_more_could_differ(metric, n_repeats, dtype):
    scores, labels = all_right(np.arange(1, 21) if n_repeats == "uneven" else n_repeats)
    sizes = [5, 10, 11, 20]
    for right in (1, -1):
        curve = cx.accuracy_curve(cx.correct_ranks(right * scores.astype(dtype), labels), sizes, metric=metric)
        np.testing.assert_array_equal(curve.standard_error, 0)
        value, share = curve.accuracy, unseen(20)
        expected = np.stack([value * (1 - share), value + (1 - value) * share], axis=1)
        np.testing.assert_allclose(curve.interval(), expected, atol=1e-9)
        assert np.allclose(value, 1) == (right == 1)


@pytest.mark.parametrize("n_repeats", [1, 9, 10, 50])
def test_the_risk_where_nothing_varies(n_repeats):
    scores, labels = all_right(n_repeats)
    cost = 5.0 * (1 - np.eye(20))
    cost[3, 4] = 10
    ends = cx.risk_curve(scores, labels, cost, n_classes=[2, 10, 11, 20]).interval()
    np.testing.assert_allclose(ends, [[0, 10 * unseen(20)]] * 4, rtol=1e-12)
    ends = cx.risk_curve(-scores, labels, 7 * (1 - np.eye(20)), n_classes=[2, 10, 11, 20]).interval()
    np.testing.assert_allclose(ends, [[7 * (1 - unseen(20)), 7]] * 4, rtol=1e-12)
    free = cx.risk_curve(scores, labels, np.zeros((20, 20)), n_classes=[2, 20])
    np.testing.assert_array_equal(free.interval(), 0)


@pytest.mark.parametrize("priors", [None, np.linspace(0.2, 3, 13)])
def test_a_risk_is_between_nothing_and_the_largest_cost(priors):
    rng = np.random.default_rng(2)
    labels = np.concatenate([np.arange(13), rng.integers(0, 13, 9)])
    scores = rng.normal(size=(22, 13))
    scores[np.arange(22), labels] += 2
    cost = 1.0 * np.abs(np.subtract.outer(np.arange(13), np.arange(13)))
    np.fill_diagonal(cost, 99)  # not used
    curve = cx.risk_curve(scores, labels, cost, priors)
    np.testing.assert_array_equal(curve.limits, np.tile([0, 12.0], (12, 1)))
    low, high = curve.interval().T
    assert ((low >= 0) & (low < curve.accuracy) & (curve.accuracy < high) & (high <= 12)).all()


@pytest.mark.parametrize("n_repeats", [1, 9])
def test_a_label_that_beats_every_point_counts_beyond_half(n_repeats):
    """Ten probed classes, all right but for an eleventh label that beats them: one event, at every k."""
    labels = np.repeat(np.arange(10), n_repeats)
    beaten = np.ones((labels.size, 11), dtype=bool)
    beaten[:, 10] = False
    scores = scores_of(beaten, labels)
    with warnings.catch_warnings():  # of an accuracy below chance
        warnings.simplefilter("ignore", UserWarning)
        curve = cx.accuracy_curve(cx.correct_ranks(scores, labels))
    k = np.arange(1, 12)
    np.testing.assert_allclose(curve.accuracy, (11 - k) / 10, atol=1e-12)
    inside = (k >= 5) & (k < 11)
    number = (curve.accuracy * (1 - curve.accuracy))[inside] / np.square(curve.standard_error[inside])
    np.testing.assert_allclose(number, number[0], rtol=1e-9)  # k = 5 is half of eleven
    assert number[0] < 2
    assert curve.standard_error[-1] == 0
    np.testing.assert_allclose(curve.interval()[-1], [0, 1 - wilson_at(number[0], 9)], atol=1e-9)
    risk = cx.risk_curve(scores, labels, 1 - np.eye(11))
    number = (risk.accuracy * (1 - risk.accuracy))[3:-1] / np.square(risk.standard_error[3:-1])
    assert (number < 2).all()


def test_no_error_exceeds_that_of_one_trial():
    """One point a class, and one of the probed labels beats all: the hub's own point is the only one that is right."""
    beaten = np.ones((20, 20), dtype=bool)
    beaten[:, 0] = False
    ranks = cx.correct_ranks(scores_of(beaten, np.arange(20)), np.arange(20))
    curve = cx.accuracy_curve(ranks, [10, 15, 20])
    assert curve.accuracy[2] == pytest.approx(1 / 20)
    single = np.sqrt(curve.accuracy * (1 - curve.accuracy))
    assert (curve.standard_error <= single * (1 + 1e-12)).all()
    np.testing.assert_allclose(curve.standard_error[1:], single[1:])
    # the covariance is that of the same errors, and positive semi-definite
    covariance = cx.curves.accuracy_covariance(ranks, [10, 15, 20])
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), curve.standard_error)
    assert np.linalg.eigvalsh(covariance).min() > -1e-12


def test_errors_of_lists_as_long_as_half_of_the_classes():
    """Within the three best of two out of five is everyone: there is no ratio at half, and own-class errors stand."""
    rng = np.random.default_rng(4)
    labels = np.repeat(np.arange(5), 4)
    scores = rng.normal(size=(20, 5))
    ranks = cx.correct_ranks(scores, labels)
    curve = cx.accuracy_curve(ranks, [4, 5], top=3)
    alone = cx.accuracy_curve(cx.ranks_from_wins(ranks.wins, 5, labels=labels), [4, 5], top=3)
    np.testing.assert_allclose(curve.standard_error, alone.standard_error)
    assert np.isinf(curve.most_trials).all()


def test_most_trials_between_half_and_all():
    sizes = np.array([3, 10, 14, 20])
    room, error = np.array([0.2, 0.1]), np.array([0.1, 0.1])  # 20 trials at 10 classes and 10 at 20
    expected = [np.inf, np.inf, 20 * 0.5 ** np.log2(1.4), 10]
    np.testing.assert_allclose(most_trials(sizes, 10, 20, room=room, error=error, n_people=5), expected)
    at_last = [most_trials(sizes, 10, 20, room=room, error=np.array([0.1, e]), n_people=n)[-1] for e, n in
               ((0, 5), (0, 50), (0.01, 5))]  # fmt: skip
    np.testing.assert_allclose(at_last, [5, 20, 20])  # nothing varies with all; never more than at half
    assert np.isinf(most_trials(sizes, 10, 20, room=room, error=np.array([0.0, 0.1]), n_people=5)).all()


def test_deviations_beyond_half():
    own, ones = np.array([[0.02, 1e-17, 0.3]]), np.ones(3)
    ends = {"room": (np.array([0.25, 0.09, 0.04]), np.array([0.16])), "scale": (ones, ones[:1])}
    found = beyond_half(own, np.array([[0.01]]), np.array([[0.03]]), **ends)
    # the ratio; rounding, so the deviation at half with as many trials; at most one trial
    np.testing.assert_allclose(found, [[0.06, 0.03 * 0.3 / 0.4, 0.2]])
    ends["room"] = (ends["room"][0], np.zeros(1))
    np.testing.assert_allclose(beyond_half(own, np.zeros((1, 1)), np.zeros((1, 1)), **ends), [[0.02, 0, 0.2]])


@pytest.mark.parametrize("tested", [1, 2])
def test_a_few_tested_classes_have_intervals(tested):
    labels = np.arange(tested)
    curve = cx.accuracy_curve(cx.correct_ranks(np.eye(6)[:tested], labels))
    assert np.isfinite(curve.interval()).all()
    assert np.isfinite(cx.risk_curve(np.eye(6)[:tested], labels, 1 - np.eye(6)).interval()).all()


def test_a_curve_of_values_beyond_one_is_not_confined():
    curve = AccuracyCurve(np.array([2]), np.array([3.0]), np.array([0.5]), n_tested=10)
    np.testing.assert_allclose(curve.interval(), [3 + 0.5 * stats.t(9).ppf([0.025, 0.975])])


def covered(sizes, truth, *, n_draws=200, metric="accuracy", with_hub=False, seed=0, **setting):
    """Share of the intervals of level .95 that cover, at each size; `with_hub`: of the samples with a hub."""
    rng = np.random.default_rng(seed)
    hits = []
    while len(hits) < n_draws:
        scores, labels, has_hub = drawn(rng, **setting)
        if with_hub and not has_hub:
            continue
        ends = cx.accuracy_curve(cx.correct_ranks(scores, labels), sizes, metric=metric).interval()
        hits.append((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
    return np.mean(hits, axis=0)


# 200 draws: a coverage of .95 has a standard error of .015, and three of them are .046
LEAST = 0.90


@pytest.mark.parametrize("n_classes", [10, 20])
def test_coverage_of_classes_alike_inside(n_classes):
    truth = np.full(3, 0.95)
    sizes = [2, n_classes // 2 + 1, n_classes]
    assert (covered(sizes, truth, n_classes=n_classes, n_repeats=50, perfect_class=0.95) >= LEAST).all()


@pytest.mark.parametrize(("n_classes", "n_tested", "win"), [(210, 10, 0.98), (100, 100, 0.96)])
def test_coverage_near_all_classes(n_classes, n_tested, win):
    """Few points beat all labels: those that were beaten once leave an average near zero, with hardly an error."""
    sizes = n_classes - np.array([n_classes // 4, 5, 1, 0])
    setting = {"n_classes": n_classes, "n_tested": n_tested, "n_repeats": 1, "win": win}
    assert (covered(sizes, win ** (sizes - 1.0), **setting) >= LEAST).all()


@pytest.mark.parametrize("n_repeats", [1, 9, 10, 50])
def test_a_perfect_test_is_no_lack_of_fit(n_repeats):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cx.extrapolate(cx.correct_ranks(*all_right(n_repeats)), n_classes=[40], method="probit-normal")
