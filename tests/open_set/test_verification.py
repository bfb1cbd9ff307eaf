"""Rates of pairs of samples, and their errors over the people in them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import special, stats

from classex.fields.open_set import open_set_curve, verification_curve
from classex.fields.open_set.verification import _Accepted
from classex.plots import DetectionErrorDisplay

RNG = np.random.default_rng(4)
GENUINE, IMPOSTOR = RNG.normal(2, 1, 400), RNG.normal(0, 1, 3000)


def test_rates_by_counting():
    cuts = [-1.0, 0.5, float(GENUINE[0]), 9.0]
    curve = verification_curve(GENUINE, IMPOSTOR, thresholds=cuts)
    np.testing.assert_allclose(curve.fmr, [(t <= IMPOSTOR).mean() for t in cuts], atol=1e-15)
    np.testing.assert_allclose(curve.fnmr, [(t > GENUINE).mean() for t in cuts], atol=1e-15)
    assert (curve.n_people, curve.n_genuine, curve.n_impostor) == (None, 400, 3000)
    exact = stats.binomtest(int((IMPOSTOR >= 0.5).sum()), 3000).proportion_ci(method="wilson")
    assert curve.fmr_interval[1] == pytest.approx([exact.low, exact.high], abs=2e-3)
    assert "FNIR" not in str(curve)


def test_the_equal_error_rate_of_two_normals():
    """Both rates are Phi(-1) at the threshold 1; the estimate is within four of its standard errors."""
    found = verification_curve(GENUINE, IMPOSTOR).equal_error_rate()
    truth = special.ndtr(-1.0)
    assert abs(found.value - truth) < 4 * np.sqrt(truth * (1 - truth) / 400)
    assert found.interval.low < truth < found.interval.high
    assert str(found).startswith("EER 0.1")


@pytest.mark.parametrize(
    ("seed", "n", "digits", "expected"), [(122, 50, 3, 0.24), (56, 1000, 15, 0.176)], ids=["rounded", "not rounded"]
)
def test_the_equal_error_rate_is_at_a_threshold_of_the_data(seed, n, digits, expected):
    """At the score where the two shares differ least; the first has a score at which both are .24."""
    rng = np.random.default_rng(seed)
    genuine, impostor = (np.round(rng.normal(mean, 1, n), digits) for mean in (2, 0))
    found = verification_curve(genuine, impostor).equal_error_rate()
    shares = [((t <= impostor).mean(), (t > genuine).mean()) for t in np.append(genuine, impostor)]
    nearest = min(shares, key=lambda both: abs(both[0] - both[1]))
    assert np.mean(nearest) == pytest.approx(expected, abs=0.51 / n)
    assert found.value == pytest.approx(np.mean(nearest), abs=1e-12 if nearest[0] == nearest[1] else 0.51 / n)


def test_rates_at_a_false_match_rate_are_exact():
    rng = np.random.default_rng(6)
    genuine, impostor = rng.normal(2, 1, 1000), rng.normal(0, 1, 1000)
    found = verification_curve(genuine, impostor).fnmr_at_fmr([0.033, 0.05])
    # just above the 34th and 51st best impostor
    expected = [(genuine <= np.sort(impostor)[-k]).mean() for k in (34, 51)]
    np.testing.assert_allclose(found.fnmr, expected, atol=1e-12)
    assert [row[2] for row in found._displayed()[1]] == ["set", "set"]


def test_the_least_detection_cost_by_trying_all_thresholds():
    curve = verification_curve(GENUINE, IMPOSTOR)
    for prior, miss, false_match in ((0.01, 1, 1), (0.5, 1, 1), (0.9, 2, 3)):
        found = curve.detection_cost(prior, miss=miss, false_match=false_match)
        costs = [
            miss * prior * (t > GENUINE).mean() + false_match * (1 - prior) * (t <= IMPOSTOR).mean()
            for t in np.append(np.concatenate([GENUINE, IMPOSTOR]), np.inf)
        ]
        assert found.value == pytest.approx(min(costs) / min(miss * prior, false_match * (1 - prior)), abs=1e-12)
        assert found.interval.low < found.value < found.interval.high <= 1


def test_with_one_enrolled_the_rates_of_a_matrix_are_the_same():
    mated = RNG.normal(size=(6, 6)) + 2 * np.eye(6)
    other = RNG.normal(size=(9, 6))
    matrix = open_set_curve(mated, range(6), other, [0.0, 1.0], n_enrolled=1)
    pairs = verification_curve(np.diag(mated), other.ravel(), thresholds=[0.0, 1.0])
    np.testing.assert_allclose(pairs.fmr, matrix.fpir)
    np.testing.assert_allclose(pairs.fnmr, matrix.fnir)


@pytest.mark.parametrize("sides", [1, 2])
def test_errors_are_those_of_the_jackknife_over_people(sides):
    """Against leaving out each person by hand, less what is in the sums of both people of a pair."""
    rng, n, people = np.random.default_rng(sides), 60, 7
    who = np.array([rng.permutation(people)[:sides] for _ in range(n)])
    scores = np.round(rng.normal(size=n) + rng.normal(size=people)[who[:, 0]], 1)
    kind = _Accepted.of(scores, who, people)
    for cut in np.unique(scores):
        hit = scores >= cut
        share, left = hit.mean(), [hit[(who != p).all(axis=1)].mean() for p in range(people)]
        variance = (people - 1) / people * np.square(np.array(left) - share).sum()
        if sides == 2:
            for one, other in itertools.combinations(range(people), 2):
                both = np.isin(who, (one, other)).all(axis=1)
                variance -= ((hit[both] - share).sum() / n) ** 2
        expected = np.sqrt(max(variance, share * (1 - share) / n))
        assert kind.error[kind.number(np.array([cut]))[0]] == pytest.approx(expected, abs=1e-7)  # roots of rounding
        np.testing.assert_allclose(kind.without_each(cut, people), np.array(left) - share, atol=1e-12)


def test_pairs_of_different_people_are_as_if_independent():
    people = np.arange(400), 400 + np.arange(3000)
    with_units = verification_curve(GENUINE, IMPOSTOR, people).equal_error_rate()
    without = verification_curve(GENUINE, IMPOSTOR).equal_error_rate()
    ends = (without.interval.low, without.interval.high)
    assert (with_units.interval.low, with_units.interval.high) == pytest.approx(ends, abs=1e-3)
    assert (with_units.n_people, without.n_people) == (3400, None)


def test_intervals_over_people_cover():
    """Ten speakers with effects of standard deviation 1: 57 of 60 expected, and more than 51 at z = 3.6."""
    covered, truth = {True: 0, False: 0}, special.ndtr(-2 / (2 * np.sqrt(1.25)))
    for seed in range(60):
        rng = np.random.default_rng(seed)
        effect, own, other = rng.normal(size=10), np.repeat(range(10), 10), np.repeat(range(10), 90)
        genuine, impostor = 2 + effect[own] + rng.normal(0, 0.5, 100), effect[other] + rng.normal(0, 0.5, 900)
        for known in covered:
            ends = verification_curve(genuine, impostor, (own, other) if known else None).equal_error_rate().interval
            covered[known] += ends.low < truth < ends.high
    assert covered[True] > 51
    assert covered[False] < 48


def test_distances_are_named():
    with pytest.warns(UserWarning, match="exceed only 0 % of the scores of impostor pairs.*are the scores distances"):
        verification_curve(RNG.normal(0.3, 0.1, 200), RNG.normal(0.8, 0.1, 2000))


def test_one_person_in_all_pairs_leaves_the_error_open():
    """Nothing is known of other people: the interval is that of a single observation."""
    found = verification_curve(GENUINE, IMPOSTOR, (np.zeros(400, int), np.arange(3000)))
    assert (found.fnmr_interval[:, 1] - found.fnmr_interval[:, 0]).min() > 0.9


def test_the_trade_off_is_drawn_with_its_band():
    import matplotlib.pyplot as plt

    curve = verification_curve(GENUINE, IMPOSTOR, thresholds=[0.0, 1.0, 2.0])
    ax = DetectionErrorDisplay(curve).plot().ax_
    assert (ax.get_xlabel(), ax.get_xscale(), ax.get_xlim()[1]) == ("false match rate", "log", 1)
    np.testing.assert_allclose(ax.lines[0].get_data(), [curve.fmr, curve.fnmr])
    vertices = ax.collections[0].get_paths()[0].vertices
    for rate in curve.fmr:
        ends = curve.fnmr_at_fmr(rate).fnmr_interval[0]
        here = vertices[np.isclose(vertices[:, 0], rate), 1]
        np.testing.assert_allclose([here.min(), here.max()], ends)
    plt.close(ax.figure)
