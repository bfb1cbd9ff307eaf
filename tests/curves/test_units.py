"""Standard errors over units of test points: against none, units left out one at a time, enumeration, simulations."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

import classex as cx
from classex.curves.accuracy import (
    curve_with_influence,
    jackknife_deviations,
    own_class_deviations,
    satterthwaite,
    unit_deviations,
)
from classex.forecast.forecast import ACCURACY
from classex.ranks import in_clusters, in_units, point_weights

METHODS = [None, "probit-normal", "regression", cx.methods.sources.Polynomial(degree=2)]


def of_subjects(rng, n_subjects, n_stimuli, spread=0.5):
    """Scores of subjects that all see the same stimuli and differ in their noise."""
    subject = np.repeat(np.arange(n_subjects), n_stimuli)
    labels = np.tile(np.arange(n_stimuli), n_subjects)
    place = rng.normal(size=(n_stimuli, 5))
    noise = 0.6 * np.exp(spread * rng.normal(size=n_subjects))[subject]
    test = place[labels] + noise[:, np.newaxis] * rng.normal(size=(labels.size, 5))
    return -np.square(test[:, np.newaxis] - place).sum(axis=2), labels, subject


def gallery(case="table"):
    """Ranks with ties of 24 classes, of which some have unequal numbers of points, or none; and units of the points."""
    rng = np.random.default_rng(31)
    labels = np.concatenate([np.arange(20), rng.integers(0, 20, 37)])
    scores = rng.integers(0, 12, (labels.size, 24)) + 4.0 * np.eye(24)[labels]
    ranks = cx.correct_ranks(scores, labels)
    if case == "no table":
        ranks = replace(ranks, distractors=None)
    if case == "samples":
        ranks = cx.ranks_from_wins(rng.integers(5, 13, labels.size), 24, labels=labels, n_wrong=12)
    # units whose points are unlike those of others
    order = np.argsort(np.argsort(ranks.wins + 3 * rng.normal(size=labels.size)))
    return ranks, np.repeat([2, 0, 4, 1, 3], [3, 24, 9, 11, 10])[order]


def assert_same(one, other, rtol=1e-9):
    np.testing.assert_allclose(other.accuracy, one.accuracy, rtol=rtol)
    np.testing.assert_allclose(other.standard_error, one.standard_error, rtol=rtol, atol=1e-13)
    np.testing.assert_allclose(other.interval(), one.interval(), rtol=rtol)


@pytest.mark.parametrize("case", ["table", "no table", "samples"])
@pytest.mark.parametrize("options", [{}, {"top": 2}, {"metric": "mrr"}, {"average": "points"}])
def test_units_of_one_point_change_nothing_in_a_curve(case, options):
    ranks, _ = gallery(case)
    names = [f"point {i * 7 % 57}" for i in range(57)]
    assert_same(*(cx.accuracy_curve(ranks, units=units, **options) for units in (None, names)))


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_units_of_one_point_change_nothing_in_a_prediction(method):
    scores, labels, _ = of_subjects(np.random.default_rng(32), 3, 20)
    sizes = [10, 20, 200]
    for data in ((scores, labels), (cx.correct_ranks(scores, labels),)):
        one, other = (
            cx.extrapolate(*data, n_classes=sizes, method=method, target="superset", units=units)
            for units in (None, np.arange(60))
        )
        np.testing.assert_allclose(other.interval, one.interval, rtol=1e-7)
        np.testing.assert_allclose(other.standard_error, one.standard_error, rtol=1e-7)


def left_out_one_at_a_time(value, weight, groups):
    """Jackknife variance of a weighted mean: each group is left out by brute force."""
    kept = [groups != group for group in np.unique(groups)]
    means = np.array([np.average(value[rows], axis=0, weights=weight[rows]) for rows in kept])
    whole = np.average(value, axis=0, weights=weight)
    return (1 - 1 / len(kept)) * np.square(means - whole).sum(axis=0)


def by_hand(value, weight, classes, units, over_classes):
    """Variance and degrees of freedom by the definition, from the variance over classes."""
    cells = np.unique(np.stack([classes, units]), axis=1, return_inverse=True)[1].ravel()
    added = left_out_one_at_a_time(value, weight, units) - left_out_one_at_a_time(value, weight, cells)
    return over_classes + np.maximum(added, 0)


@pytest.mark.parametrize("case", ["table", "no table", "samples"])
@pytest.mark.parametrize("options", [{}, {"top": 2}, {"metric": "mrr"}, {"average": "points"}])
def test_a_curve_equals_units_left_out_one_at_a_time(case, options):
    ranks, units = gallery(case)
    if "average" in options:
        ranks, options = cx.curves.accuracy.weigh(ranks, "points"), {}
    sizes = [2, 5, 11, 13]
    one = [[cx.accuracy_curve(single(ranks, i), sizes, **options).accuracy for i in range(ranks.n_points)]]
    alone = cx.accuracy_curve(ranks, sizes, **options)
    expected = by_hand(np.array(one[0]), point_weights(ranks), ranks.labels, units, np.square(alone.standard_error))
    found = cx.accuracy_curve(ranks, sizes, units=units, **options)
    np.testing.assert_allclose(found.standard_error, np.sqrt(expected), rtol=1e-9)
    assert (found.standard_error > 1.05 * alone.standard_error).any()
    rows = curve_with_influence(in_units(ranks, units), np.array(sizes), found_metric(options))[1]
    np.testing.assert_allclose(np.linalg.norm(rows, axis=0), found.standard_error, rtol=1e-12)


def found_metric(options):
    return cx.curves.metrics.as_rank_metric(options.get("metric", "accuracy"), options.get("top", 1))


def single(ranks, i):
    """Ranks of one test point alone."""
    n_wrong = None if ranks.n_wrong is None else ranks.n_wrong[[i]]
    return cx.CorrectRanks(ranks.wins[[i]], ranks.ties[[i]], ranks.labels[[i]], 24, None, n_wrong)


def test_a_risk_curve_equals_units_left_out_one_at_a_time():
    rng = np.random.default_rng(34)
    scores, labels, subject = of_subjects(rng, 4, 8, 1.0)
    kept = rng.permutation(32)[:25]  # neither crossed nor nested
    scores, labels, subject = scores[kept], labels[kept], subject[kept]
    cost, priors, sizes = rng.uniform(0, 3, (8, 8)), rng.uniform(1, 2, 8), [2, 4, 8]
    risks = np.array(
        [cx.risk_curve(scores[[i]], labels[[i]], cost, n_classes=sizes).accuracy for i in range(labels.size)]
    )
    weight = priors[labels] / np.bincount(labels)[labels]
    alone = cx.risk_curve(scores, labels, cost, priors, n_classes=sizes)
    expected = by_hand(risks, weight, labels, subject, np.square(alone.standard_error))
    found = cx.risk_curve(scores, labels, cost, priors, n_classes=sizes, units=subject)
    np.testing.assert_allclose(found.standard_error, np.sqrt(expected), rtol=1e-9)
    assert (found.standard_error > 1.05 * alone.standard_error).any()
    np.testing.assert_allclose(found.accuracy, alone.accuracy)


def test_clusters_that_are_units_count_once():
    ranks, _ = gallery()
    team = np.arange(24) % 12
    clustered = in_clusters(ranks, team)
    assert_same(cx.accuracy_curve(clustered), cx.accuracy_curve(clustered, units=team[ranks.labels]))


def test_the_spread_is_unbiased_and_exact_over_all_samples():
    """All samples of 3 subjects and 3 stimuli, with effects of -1 or 1 and of -2 or 2, whose variances are 1 and 4."""
    found = []
    for signs in product([-1.0, 1.0], repeat=6):
        subject, stimulus = np.array(signs[:3]), 2 * np.array(signs[3:])
        value = (subject[:, np.newaxis] + stimulus).reshape(-1, 1)
        spread = unit_deviations(value, np.ones(9), np.repeat(np.arange(3), 3))[1]
        within = np.var(value, ddof=1) / 3
        np.testing.assert_allclose(spread.within, within, atol=1e-12)
        found.append(spread.total[0])
    assert np.mean(found) == pytest.approx(1.0)


def test_degrees_of_freedom():
    first, second = np.array([1.0, 0.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0, 0.0])
    np.testing.assert_allclose(satterthwaite(first, 30, second, 6), [30, 6, 4 / (1 / 30 + 1 / 6), 30])
    scores, labels, subject = of_subjects(np.random.default_rng(36), 6, 40, 2.0)
    curve = cx.accuracy_curve(cx.correct_ranks(scores, labels), [40], units=subject)
    assert 5 < curve.freedom[0] < 7  # subjects dominate
    wide = replace(curve, freedom=np.array([5.0])).interval()
    np.testing.assert_allclose(replace(curve, freedom=None, n_units=6, most_trials=None).interval()[0, 0], wide[0, 0])
    assert "Standard deviation between units, with 40 classes" in str(curve)
    assert "240 test points of 40 classes and 6 units" in str(curve)


def test_ranks_keep_units_in_files_and_lose_them_in_subsets(tmp_path):
    ranks, units = gallery()
    ranks = in_units(ranks, [f"unit {u}" for u in units])
    np.testing.assert_array_equal(ranks.point_units, units)
    ranks.save(tmp_path / "ranks.npz")
    read = cx.CorrectRanks.load(tmp_path / "ranks.npz")
    np.testing.assert_array_equal(read.point_units, units)
    assert_same(cx.accuracy_curve(ranks), cx.accuracy_curve(read))
    assert cx.ranks.thin_ranks(ranks, range(10), rng=0).point_units is None


@pytest.mark.parametrize("with_table", [True, False])
def test_deviations_of_any_function_equal_units_left_out_one_at_a_time(with_table):
    ranks, units = gallery("table" if with_table else "no table")
    ranks = replace(ranks, ties=np.zeros_like(ranks.ties))
    value = np.random.default_rng(42).normal(size=(24, 2)).cumsum(axis=0)
    table = ranks.distractors

    def variance(ranks):
        if table is None:
            rows = own_class_deviations(ranks, value[ranks.wins])
        else:
            rows = jackknife_deviations(ranks, table, value, value - 0.1)
        return np.square(rows).sum(axis=0)

    alone = variance(ranks)
    expected = by_hand(value[ranks.wins], point_weights(ranks), ranks.labels, units, alone)
    np.testing.assert_allclose(variance(in_units(ranks, units)), expected, rtol=1e-9)
    assert (expected > 1.1 * alone).any()


def test_predictions_have_few_degrees_of_freedom_where_few_units_matter():
    scores, labels, subject = of_subjects(np.random.default_rng(43), 4, 40, 1.0)
    alone = cx.correct_ranks(scores, labels)
    known = cx.Extrapolator().fit_ranks(in_units(alone, subject)).fitted_.known
    value, without = cx.accuracy_curve(alone, 40).accuracy[0], cx.accuracy_curve(alone, 40).standard_error[0]
    error = cx.accuracy_curve(alone, 40, units=subject).standard_error[0]
    slope = stats.norm.pdf(stats.norm.ppf(value))
    assert known.variance_of_units(ACCURACY) == pytest.approx((error**2 - without**2) / slope**2)
    for method in ("probit-normal", "beta-binomial"):
        one, other = (cx.extrapolate(alone, n_classes=[400], method=method, units=units) for units in (None, subject))
        # half the interval in standard errors, on the probit scale: Student's quantile, and what a lack of fit adds
        half = [
            np.diff(stats.norm.ppf(found.interval[0]))[0]
            / 2
            / found.standard_error[0]
            * stats.norm.pdf(stats.norm.ppf(found.accuracy[0]))
            for found in (one, other)
        ]
        assert half[1] > max(1.1 * half[0], 1.15 * stats.t.ppf(0.975, 39))


def test_nothing_varies_or_is_known():
    ranks = cx.ranks_from_wins([9] * 40, 10, labels=list(range(10)) * 4)
    one, other = (cx.accuracy_curve(ranks, [2, 10], units=units) for units in (None, np.repeat(range(4), 10)))
    assert_same(one, other)
    np.testing.assert_array_equal(other.units.between, 0)
    alone = cx.accuracy_curve(cx.ranks_from_wins([9, 3, 4, 5], 10, labels=[0] * 4), [2, 10], units=[0, 0, 1, 1])
    assert np.isnan(alone.standard_error).all()  # one class shows no variance over classes
    assert "deviation" not in str(alone)
    added, spread = unit_deviations(np.ones((3, 2)), np.ones(3), np.zeros(3, dtype=np.int64))
    assert not added.any()
    assert spread.n_units == 1
    unlimited = replace(other, limits=None, standard_error=np.ones(2), freedom=np.array([3.0, 7.0]))
    np.testing.assert_allclose(np.diff(unlimited.interval())[:, 0] / 2, stats.t.ppf(0.975, [3, 7]))
