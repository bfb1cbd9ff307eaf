"""Published error rates, continued: exact slopes, coverage on simulated scores of known rates, and messages."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

import classex as cx
from classex.fields.open_set import binomial_fpir, extrapolate_published_rates
from classex.fields.open_set import prediction as published
from classex.forecast import ACCURACY_CURVES, Beta, CurvePrior, Straight
from classex.methods import GaussianProcess

SIZES = np.array([0.64e6, 1.6e6, 3e6, 6e6, 12e6])
BEYOND = np.array([120e6, 1200e6])
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def fpir_of(others, spread, threshold, n):
    """Exact FPIR: searches differ by a normal shift of their scores."""
    return float(WEIGHTS @ -np.expm1(n * others.logcdf(threshold - spread * NODES)))


def fnir_of(others, spread, mates, lost, threshold, n):
    """Exact FNIR at rank 1: scores below the threshold, and scores above it that another one beats."""
    middle = (np.arange(4_000) + 0.5) / 4_000
    above = mates.sf(threshold)
    score = mates.isf(above * middle)
    beaten = [np.mean(-np.expm1((n - 1) * others.logcdf(score - spread * z))) for z in NODES]
    return lost + (1 - lost) * (1 - above + above * float(WEIGHTS @ beaten))


def best_of_others(others, spread, n_searches, rng):
    """Highest score of each search among nested galleries: (n_sizes, n_searches)."""
    best = np.full(n_searches, -np.inf)
    found = []
    for more in np.diff(SIZES, prepend=0.0):
        best = np.maximum(best, others.isf(-np.expm1(-rng.exponential(size=n_searches) / more)))
        found.append(best)
    return np.array(found) + spread * rng.normal(size=n_searches)


NORMAL, LOGISTIC = stats.norm(), stats.logistic(0, 0.5)
# scores of others, spread between searches, own scores, share of FNIR with 12 million that no threshold finds
WORLDS = {
    "equal variance": (NORMAL, 0.0, stats.norm, 1.0, 0.0),
    "narrow": (NORMAL, 0.0, stats.norm, 0.7, 0.0),
    "wide": (NORMAL, 0.0, stats.norm, 2.0, 0.0),
    "unequal searches": (NORMAL, 0.5, stats.norm, 1.5, 0.0),
    "skewed": (NORMAL, 0.0, stats.gumbel_l, 1.2, 0.0),
    "long tails": (LOGISTIC, 0.0, stats.norm, 3.0, 0.0),
    "failures": (NORMAL, 0.0, stats.norm, 1.0, 0.8),
}


def fnir_world(name, fpir, last):
    """Thresholds at this FPIR, and the shift of own scores for which FNIR(12 million) is `last`."""
    others, spread, family, scale, share = WORLDS[name]
    cuts = [optimize.brentq(lambda t, n=n: fpir_of(others, spread, t, n) - fpir, 1, 60) for n in (*SIZES, *BEYOND)]

    def rate(shift, i):
        n = (*SIZES, *BEYOND)[i]
        return fnir_of(others, spread, family(shift, scale), share * last, cuts[i], n)

    shift = optimize.brentq(lambda d: rate(d, 4) - last, cuts[4] - 2, cuts[4] + 60)
    return cuts, shift, np.array([rate(shift, i) for i in range(7)])


def drawn_fnir(name, shift, last, fpir, rng):
    """FNIR in a table of four digits: 20,000 mated and 50,000 non-mated searches among nested galleries."""
    others, spread, family, scale, share = WORLDS[name]
    cuts = np.quantile(best_of_others(others, spread, 50_000, rng), 1 - fpir, axis=1)
    own = family(shift, scale).rvs(20_000, random_state=rng)
    own[rng.random(20_000) < share * last] = -np.inf
    rivals = best_of_others(others, spread, 20_000, rng)
    return np.round([((own < cut) | (own < best)).mean() for cut, best in zip(cuts, rivals, strict=True)], 4)


def log_linear(rates, sizes):
    """The usual rule: the logarithm of the rate is linear in log N."""
    return np.exp(np.polyval(np.polyfit(np.log(SIZES), np.log(np.maximum(rates, 1e-4)), 1), np.log(sizes)))


def test_fnir_at_a_fixed_fpir_is_covered_and_nearer_than_by_a_log_linear_rule():
    """Seven kinds of scores, two levels, two FPIR, three tables each, at 10 and 100 times N."""
    covered, ours, linear = [], [], []
    for i, name in enumerate(WORLDS):
        for fpir, last in ((0.003, 0.02), (0.001, 0.1)):
            _, shift, exact = fnir_world(name, fpir, last)
            for draw in range(3):
                rates = drawn_fnir(name, shift, last, fpir, np.random.default_rng([i, draw]))
                found = extrapolate_published_rates(SIZES, rates, n_enrolled=BEYOND, n_searches=20_000, fpir=fpir)
                low, high = found.interval.T
                covered.append((low <= exact[5:]) & (exact[5:] <= high))
                ours.append(np.log(found.rates / exact[5:]))
                linear.append(np.log(log_linear(rates, BEYOND) / exact[5:]))
    assert np.mean(covered, axis=0).min() > 0.95
    ours, linear = (np.sqrt(np.mean(np.square(one), axis=0)) for one in (ours, linear))
    assert (ours < [0.15, 0.35]).all()
    assert (ours < 0.7 * linear).all()


def test_fpir_at_one_threshold_is_covered_and_nearer_than_by_either_rule():
    """Searches alike or not, tails of two kinds, four levels, two tables each, at 2 and 10 times N."""
    to = np.array([24e6, 120e6])
    covered, errors = [], {"ours": [], "log-linear": [], "binomial": []}
    for others in (NORMAL, LOGISTIC):
        for spread in (0.0, 0.3, 0.6):
            for last in (0.003, 0.03, 0.3, 0.8):
                cut = optimize.brentq(lambda t, a=(others, spread), end=last: fpir_of(*a, t, SIZES[-1]) - end, 0, 60)
                exact = np.array([fpir_of(others, spread, cut, n) for n in to])
                for draw in range(2):
                    best = best_of_others(others, spread, 100_000, np.random.default_rng(draw))
                    rates = np.round((best >= cut).mean(axis=1), 4)
                    found = extrapolate_published_rates(SIZES, rates, n_enrolled=to, n_searches=100_000, rate="fpir")
                    covered.append((found.interval[:, 0] <= exact) & (exact <= found.interval[:, 1]))
                    fmr = -np.expm1(np.log1p(-rates[-1]) / SIZES[-1])
                    rules = (found.rates, log_linear(rates, to), binomial_fpir(fmr, to))
                    for each, rule in zip(errors.values(), rules, strict=True):
                        each.append(np.log(rule / exact))
    assert np.mean(covered, axis=0).min() > 0.95
    ours, *rules = (np.sqrt(np.mean(np.square(one), axis=0)) for one in errors.values())
    assert (ours < rules).all()


def straight(prior):
    """Components whose probits fall along straight lines in log N."""
    return [part for part in prior.components if isinstance(part, Straight) and part.axis == "decades"]


def slope_of(*about):
    """The mean slope, which all straight components share."""
    (slope,) = {part.slope for part in straight(published._prior(*about))}
    return slope


def test_the_expected_slope_of_fnir_is_that_of_normal_scores_of_equal_variance():
    """A numerical derivative of the normal deviate of FNIR = Phi(T - d), whatever the d."""
    for n, fpir in ((100, 0.2), (12e6, 0.003), (12e6, 0.5)):
        cuts = [stats.norm.isf(-np.expm1(np.log1p(-fpir) / size)) for size in (n * 0.999, n * 1.001)]
        slope = (cuts[1] - cuts[0]) / np.log10(1.001 / 0.999)
        assert slope_of("fnir", n, 0.1, 1_000, fpir) == pytest.approx(-slope, rel=1e-5)
    # the best of N others has the rate f with N f standard exponential
    best = -np.log1p(-(np.arange(10**6) + 0.5) / 10**6)
    usual = -np.expm1(-np.exp(np.log(best).mean()))
    alone, at = (slope_of("fnir", 12e6, 0.1, 1_000, fpir) for fpir in (None, usual))
    assert alone == pytest.approx(at, rel=1e-5)
    # at rank 1 the threshold is the best of the others, whose spread flattens the slope a little
    score = stats.norm.ppf((np.arange(100_000) + 0.5) / 100_000) + 6.5
    ends = stats.norm.ppf([np.exp((n - 1) * stats.norm.logcdf(score)).mean() for n in (10e6, 14e6)])
    slope = (ends[1] - ends[0]) / np.log10(14 / 10)
    assert slope_of("fnir", 12e6, 0.1, 1_000, None) == pytest.approx(slope, rel=0.05)


@pytest.mark.parametrize("rate", [0.001, 0.1, 0.6])
def test_the_expected_slope_of_fpir_is_half_that_of_equal_searches(rate):
    """A uniform slope between 0 and a numerical derivative of the normal deviate of 1 - (1 - FMR)^N."""
    fmr = -np.expm1(np.log1p(-rate) / 1_000)
    ends = stats.norm.ppf([1 - (1 - fmr) ** n for n in (999, 1_001)])
    steepest = (ends[1] - ends[0]) / np.log10(1_001 / 999)
    assert slope_of("fpir", 1_000, rate, 10**12, None) == pytest.approx(-steepest / 2, rel=1e-5)
    # no narrower than the library's components
    for part, own in zip(
        straight(published._prior("fpir", 1_000, rate, 10**12, None)), straight(ACCURACY_CURVES), strict=True
    ):
        assert part.slope_sd == pytest.approx(max(own.slope_sd, steepest / np.sqrt(12)), rel=1e-5)
    # no alarm among 100 searches counts as half of one
    none = slope_of("fpir", 1_000, 0.0, 100, None)
    assert none == pytest.approx(slope_of("fpir", 1_000, 0.5 / 101, 10**12, None))


def test_it_is_the_published_curve_of_an_accuracy():
    """FNIR of the estimator by hand; FPIR with N is one minus the accuracy with N + 1."""
    rates = np.array([0.0150, 0.0191, 0.0225, 0.0268, 0.0316])
    found = extrapolate_published_rates(SIZES, rates, n_enrolled=[12e6, 48e6], n_searches=150_000, fpir=0.003)
    slope = slope_of("fnir", 12e6, 0.03, 1, 0.003)
    beta = [part for part in ACCURACY_CURVES.components if isinstance(part, Beta)]
    prior = CurvePrior((*(replace(part, slope=slope) for part in straight(ACCURACY_CURVES)), *beta))
    curve = cx.Extrapolator(GaussianProcess(prior)).fit_curve(SIZES, 1 - rates, 150_000)
    assert found.rates == pytest.approx(1 - curve.predict([12e6, 48e6]), abs=1e-12)
    assert found.rates[0] == pytest.approx(rates[-1], abs=1e-12)
    assert found.interval == pytest.approx(1 - curve.predict_interval([12e6, 48e6])[:, ::-1], abs=1e-12)
    alarms = extrapolate_published_rates(SIZES, rates, n_enrolled=[12e6, 48e6], n_searches=150_000, rate="fpir")
    assert alarms.rates[0] == pytest.approx(rates[-1], abs=1e-12)
    # nothing is above the rule of equal searches, at the upper end of the last step
    assert found.rates[1] < alarms.rates[1] < alarms.interval[1, 1]
    assert "FPIR at one threshold, continued" in str(alarms)
    assert "FNIR at FPIR 0.003, by a threshold for each N, continued" in str(found)
    assert "normal scores" in str(found)


def test_rows_are_algorithms_and_gaps_are_left_out():
    both = [[0.0150, 0.0191, 0.0225, 0.0268, 0.0316], [np.nan, 0.0023, 0.0023, 0.0024, 0.0025]]
    given = {"n_enrolled": [48e6, 1e9], "n_searches": 150_000}
    found = extrapolate_published_rates(SIZES, both, algorithms=["one", "two"], **given)
    alone = extrapolate_published_rates(SIZES[1:], both[1][1:], **given)
    assert list(found.algorithms) == ["one", "one", "two", "two"]
    assert list(found.n_enrolled) == [48e6, 1e9] * 2
    assert found.rates[2:].tolist() == pytest.approx(alone.rates.tolist(), rel=1e-9)
    assert found.unusual == []
    shuffled = extrapolate_published_rates(SIZES[[3, 1, 4, 2]], np.array(both[1])[[3, 1, 4, 2]], **given)
    assert shuffled.rates.tolist() == pytest.approx(alone.rates.tolist(), rel=1e-9)


def test_a_curve_of_another_kind_is_named():
    """Searches with the same false match rate: the accuracy 1 - FPIR falls faster than along a straight line."""
    rates = -np.expm1(-np.log(2) * SIZES / SIZES[-1])
    given = {"n_enrolled": 48e6, "n_searches": 100_000, "rate": "fpir", "algorithms": ["alike"]}
    found = extrapolate_published_rates(SIZES, rates, **given)
    (note,) = found.unusual
    assert note.startswith("alike: The observed curve is more likely one that steepens (weight 0.9")
    assert note in str(found)


def test_fewer_enrolled_than_were_published_are_a_warning():
    given = {"n_published": [640_000, 10**7], "rates": [0.02, 0.03], "n_searches": 100_000}
    with pytest.warns(UserWarning, match="n_enrolled holds 48, 1000, below the least published N, 640,000: there the"):
        extrapolate_published_rates(**given, n_enrolled=[48, 640_000, 1_000, 10**8])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        extrapolate_published_rates(**given, n_enrolled=[640_000, 10**8])
