"""Rates among more enrolled against exact truths: searches alike and unequal, false matches many, few and none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from classex.fields.open_set import extrapolate_open_set, open_set_curve
from classex.fields.open_set.curve import Searches
from classex.fields.open_set.prediction import _GRID, _SPREADS, _WEIGHTS, Tail, _fnir_by_scores, fit_tail, larger_fpir

N, NONMATED, SIZES = 200, 300, np.array([2_000, 20_000, 400_000])
DRAWS = 6
# misses out of DRAWS that intervals of coverage .9 have with a chance below 1 in 1,000
MOST_MISSES = int(stats.binom.isf(1e-3, DRAWS, 0.1))


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def cosine_rate(t):
    """Chance that the cosine of two random directions in 64 dimensions is at least t."""
    above = 0.5 * special.betainc(31.5, 0.5, 1 - np.square(t))
    return np.where(np.asarray(t) > 0, above, 1 - above)


def cosines(rng, n=N, nonmated=NONMATED, noise=1.1):
    gallery, strangers = rng.normal(size=(n, 64)), rng.normal(size=(nonmated, 64))
    probes = gallery + noise * rng.normal(size=(n, 64))
    return unit(probes) @ unit(gallery).T, unit(strangers) @ unit(gallery).T


def alike(rng):
    return cosines(rng)[1], lambda t: np.array([cosine_rate(t)])


def unequal(rng):
    """Normal scores whose means differ between searches: log-normal rates, nearly."""
    shift = 0.5 * stats.norm.ppf((np.arange(4000) + 0.5) / 4000)
    scores = rng.normal(size=(NONMATED, N)) + 0.5 * rng.normal(size=(NONMATED, 1))
    return scores, lambda t: special.ndtr(shift - t)


def twins(rng):
    """One comparison in 5,000 is with a near twin."""
    near = rng.random((NONMATED, N)) < 2e-4
    scores = np.where(near, 6.0, 0.0) + rng.normal(size=near.shape)
    return scores, lambda t: np.array([2e-4 * special.ndtr(6 - t) + (1 - 2e-4) * special.ndtr(-t)])


@pytest.mark.parametrize(("domain", "cuts"), [(alike, [0.35, 0.48, 0.58]), (unequal, [2.5, 4.5, 6.0]), (twins, [5.0])])
def test_false_alarms_of_larger_galleries(domain, cuts):
    """Many false matches, few, none: intervals cover, and with none they are no wider than the counts allow."""
    shape = SIZES.size, len(cuts)
    missed, upper = np.zeros(shape), []
    for seed in range(DRAWS):
        scores, rates = domain(np.random.default_rng([seed, 3]))
        # the mated searches, of which there must be eight, have no part in the false alarms
        found = extrapolate_open_set(np.eye(8, N) + scores[:8], range(8), scores, cuts, n_enrolled=SIZES)
        truth = np.array([[-np.expm1(size * np.log1p(-rates(cut))).mean() for cut in cuts] for size in SIZES])
        fpir, low, high = (each.reshape(shape) for each in (found.fpir, *found.fpir_interval.T))
        missed += (truth < low) | (truth > high)
        assert (low < high).all()
        assert ((low <= fpir) & (fpir <= high)).all()
        upper.append(high)
    assert (missed <= MOST_MISSES).all(), missed
    if domain is alike:
        # counts alone would allow 1 - exp(-3.7 / 60,000 * 20,000) = .71
        assert np.median(upper, axis=0)[1, 2] < 0.3


@pytest.mark.parametrize(("noise", "cuts"), [(1.1, [0.4]), (2.0, [0.62])])
def test_misses_of_larger_galleries(noise, cuts):
    """Nearly all mated searches reach the threshold, most, and few."""
    rng = np.random.default_rng(5)
    people = rng.normal(size=(50_000, 64))
    own = (unit(people) * unit(people + noise * rng.normal(size=people.shape))).sum(axis=1)
    right = [np.exp((k - 1) * np.log1p(-cosine_rate(own))) for k in SIZES]
    truth = np.array([1 - ((own >= cut) * chance).mean() for chance in right for cut in cuts])
    missed = np.zeros(truth.size)
    for seed in range(DRAWS):
        mated, strangers = cosines(np.random.default_rng([seed, 4]), nonmated=30, noise=noise)
        low, high = extrapolate_open_set(mated, range(N), strangers, cuts, n_enrolled=SIZES).fnir_interval.T
        missed += (truth < low) | (truth > high)
    assert (missed <= MOST_MISSES).all(), missed


def test_the_upper_limit_is_that_of_searches_which_are_alike():
    """No match in 60,000 equal scores: "no more than" the binomial formula at the upper limit of the rate."""
    found = extrapolate_open_set(np.eye(N), range(N), np.zeros((NONMATED, N)), 0.5, n_enrolled=SIZES)
    limit = 1 - 0.025 ** (1 / (N * NONMATED))
    assert (found.fpir_interval[:, 1] >= 1 - (1 - limit) ** SIZES - 1e-9).all()
    np.testing.assert_allclose(found.fpir_interval[:, 0], 0.0)


def test_searches_whose_scores_have_unequal_spreads():
    """Log-normal spread, about one false match in 3,600: estimates and intervals at 10, 100 and 2,000 times 60."""
    sizes, spread = 60 * np.array([10.0, 100, 2000]), np.exp(0.3 * special.ndtri((np.arange(4000) + 0.5) / 4000))
    truth = np.array([-np.expm1(size * special.log_ndtr(4.5 / spread)).mean() for size in sizes])
    found = []
    for seed in range(2 * DRAWS):
        rng = np.random.default_rng([seed, 5])
        scores = np.exp(0.3 * rng.normal(size=(60, 1))) * rng.normal(size=(60, 60))
        searches = Searches(np.eye(60), np.arange(60), scores, np.arange(60))
        found.append(larger_fpir(searches, np.array([4.5]), sizes, 0.95)[0])
    value, low, high = np.moveaxis(found, 2, 0)
    missed = ((truth < low) | (truth > high)).sum(axis=0)
    assert (missed <= stats.binom.isf(1e-3, 2 * DRAWS, 0.1)).all(), missed
    np.testing.assert_allclose(np.median(value, axis=0), truth, atol=0.12)


def test_a_tail_that_ends_far_below_the_threshold_has_no_rate_there():
    """The logarithm of the rate, -5 * 3^200, is a number, but the rate is not; a little lower both are."""
    tail = Tail(0.0, 5.0, np.array([0.005, 0.0]), np.arange(3), np.arange(3), np.ones(3) / 3, np.zeros((3, 2)), (3, 3))
    assert tail.log_rate(400.0) is None
    assert tail.log_rate(1.0)[0] == pytest.approx(-5 * 1.005**200)


def test_the_tail_of_normal_and_exponential_scores():
    rng = np.random.default_rng(2)
    for scores, log_rate, theta in (
        (rng.normal(size=(400, 400)), special.log_ndtr(-5.0), 0.5),
        (rng.exponential(size=(400, 400)), -12.0, 1.0),
    ):
        tail = fit_tail(scores, np.arange(400), 0.01)
        at = 5.0 if theta == 0.5 else 12.0
        value, variance = tail.log_rate(at)
        assert abs(value - log_rate) < 4 * np.sqrt(variance) + 0.2
        assert np.sqrt(variance) < 1.5
        scores = np.linspace(tail.start, at, 7)
        np.testing.assert_allclose(tail.score(tail.exponent(scores)), scores, rtol=1e-9)


def test_up_to_the_gallery_searched_the_rates_are_those_observed():
    mated, strangers = cosines(np.random.default_rng(1), n=40, nonmated=30)
    found = extrapolate_open_set(mated, range(40), strangers, 0.3, n_enrolled=[10, 40, 4000])
    for i, size in enumerate((10, 40)):
        seen = open_set_curve(mated, range(40), strangers, 0.3, n_enrolled=size)
        assert (found.fpir[i], found.fnir[i]) == (seen.fpir[0], seen.fnir[0])
        np.testing.assert_array_equal(found.fpir_interval[i], seen.fpir_interval[0])
    assert (np.diff(found.fpir) >= 0).all()
    assert (np.diff(found.fnir) >= 0).all()
    assert "Predicted from 40 enrolled. FNIR at rank 1, from 40 mated and 30 non-mated searches" in str(found)
    np.testing.assert_array_equal(found.n_false_matches, np.count_nonzero(strangers >= 0.3))


@pytest.mark.parametrize("top", [1, 3])
def test_thresholds_together_are_each_alone(top):
    mated, strangers = cosines(np.random.default_rng(1), n=40, nonmated=30)
    cuts, sizes = [0.2, 0.45, 0.3], [10, 400, 4000]
    found = extrapolate_open_set(mated, range(40), strangers, cuts, n_enrolled=sizes, top=top)
    np.testing.assert_array_equal(found.n_enrolled, np.repeat(sizes, 3))
    np.testing.assert_array_equal(found.thresholds, np.tile(cuts, 3))
    for i, cut in enumerate(cuts):
        alone = extrapolate_open_set(mated, range(40), strangers, cut, n_enrolled=sizes, top=top)
        for name in ("fpir", "fnir", "fpir_interval", "fnir_interval"):
            np.testing.assert_allclose(getattr(found, name)[i::3], getattr(alone, name), rtol=1e-9, atol=1e-12)


def test_misses_at_a_rank():
    """Own scores of which the predicted rate is known: FNIR(N, R, T) falls with R and covers the truth."""
    own = 3 + special.ndtri((np.arange(4000) + 0.5) / 4000)
    found = []
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(150, 150))
    scores[np.arange(150), np.arange(150)] += 3
    for top in (1, 20):
        one = extrapolate_open_set(scores, range(150), rng.normal(size=(20, 150)), -9.0, n_enrolled=2000, top=top)
        truth = 1 - np.mean(stats.binom.cdf(top - 1, 1999, special.ndtr(-own)))
        assert one.fnir_interval[0, 0] < truth < one.fnir_interval[0, 1], (top, truth, one.fnir_interval)
        found.append(one.fnir[0])
    assert found[0] > found[1]


def test_default_thresholds_span_the_rates_of_larger_galleries():
    rng = np.random.default_rng(9)
    scores, strangers = rng.normal(size=(20, 20)) + 6 * np.eye(20), rng.normal(size=(40, 20))
    found = extrapolate_open_set(scores, range(20), strangers, n_enrolled=200)
    assert found.fpir.max() > 0.5
    assert found.fpir.min() < 0.001
    rate = found.equal_error_rate()
    assert rate.fpir_interval[0, 0] < rate.fpir[0] < rate.fpir_interval[0, 1]
    assert rate.fnir[0] == rate.fpir[0]


def test_comparisons_left_out_are_no_part_of_the_tails_share():
    scores = np.random.default_rng(3).normal(size=(500, 8))
    scores[np.arange(500), np.arange(500) % 8] = -np.inf
    tail = fit_tail(scores, np.arange(500), 0.1)
    above = np.count_nonzero(scores > tail.start) / (500 * 7)
    np.testing.assert_allclose(np.exp(-tail.level), above)


@pytest.mark.parametrize(("n", "apart"), [(8, 0.1), (30, 0.03)])
def test_misses_are_not_too_few_where_few_are_enrolled(n, apart):
    """Rows that do not differ: their own means would cut the tail short, to .45 and .64 for .689."""
    heights = special.ndtri((np.arange(2000) + 0.5) / 2000)
    truth = 1 - np.mean(special.ndtr(3 + 0.3 * heights) ** 999)
    found = []
    for seed in range(3):
        rng, who = np.random.default_rng(seed), np.arange(2000) % n
        scores = rng.normal(size=(2000, n))
        scores[np.arange(2000), who] = 3 + 0.3 * rng.normal(size=2000)
        searches = Searches(scores, who, scores, who)
        found.append(_fnir_by_scores(searches, np.array([-1e9]), np.array([1000.0]), 0.95, 1)[0][0, 0])
    assert abs(np.mean(found) - truth) < apart, found


def test_distributions_of_unequal_rates_have_mean_one():
    """Gamma distributions of a large spread have nearly all their mass below any grid."""
    rate = np.exp(_GRID)
    np.testing.assert_allclose(_WEIGHTS.sum(axis=1), 1.0)
    np.testing.assert_allclose(_WEIGHTS @ rate, 1.0, rtol=0.001)
    gamma, wide = _WEIGHTS[::2], _SPREADS > 0.02
    np.testing.assert_allclose((gamma @ np.square(rate) - 1)[wide], _SPREADS[wide], rtol=0.001)


def test_own_scores_below_all_others_with_rates_of_one():
    rng = np.random.default_rng(6)
    scores, strangers = rng.normal(size=(20, 20)) - 50 * np.eye(20), rng.normal(size=(20, 20))
    with pytest.warns(UserWarning, match="the correct label beats only"):
        found = extrapolate_open_set(scores, range(20), strangers, -99.0, n_enrolled=[5, 1, 40, 5, 20, 5])
    np.testing.assert_allclose(found.fnir, [1, 0, 1, 1, 1, 1])


def test_predictions_from_lists_use_the_scores_that_all_lists_reach():
    """At thresholds from there on they are those of the whole matrix cut off there; at lower ones nothing is cut."""
    rng = np.random.default_rng(4)
    n, longest = 60, 3
    own = np.arange(n)
    strangers = rng.normal(size=(80, n)) + rng.normal(size=(80, 1))
    mated = rng.normal(size=(n, n)) + rng.normal(size=(n, 1)) + 5 * np.eye(n)
    ends = [np.sort(scores, axis=1)[:, -longest, np.newaxis] for scores in (mated, strangers)]
    lowest, reach = min(map(np.min, ends)), float(max(map(np.max, ends)))
    listed = [np.where(s >= end, s, lowest - 1) for s, end in zip((mated, strangers), ends, strict=True)]
    cuts = [reach - 1, reach]
    found, whole = (
        extrapolate_open_set(a, own, b, cuts, n_enrolled=[60, 600], complete_from=reach)
        for a, b in (listed, (mated, strangers))
    )
    uncut = extrapolate_open_set(*(listed[0], own, listed[1]), cuts, n_enrolled=[60, 600])
    for name in ("fpir", "fnir", "fpir_interval", "fnir_interval"):
        above = found.thresholds >= reach
        np.testing.assert_allclose(getattr(found, name)[above], getattr(whole, name)[above], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(getattr(found, name)[~above], getattr(uncut, name)[~above], rtol=1e-9)
    assert found.complete_from == reach
    ahead = (found.thresholds == reach) & (found.n_enrolled == 600)
    assert abs(uncut.fpir[ahead] - found.fpir[ahead]) > 0.02
