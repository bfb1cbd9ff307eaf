"""Implied information against its limit, reference implementations of its standard errors, and simulated coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

import classex as cx
from classex.distributions import probit_normal_log_pmf
from classex.information import compare_implied_information, curve_test, implied_information

METHODS = ("likelihood", "least_squares")


def sequence(rng, n, information, dimension):
    """Stimuli, responses and the best decoder's scores in the Gaussian sequence model."""
    s = np.expm1(2 * information / dimension)
    x = rng.normal(size=(n, dimension)) * np.sqrt(s)
    y = x + rng.normal(size=(n, dimension))
    return x, y, gaussian_scores(x, y)


def gaussian_scores(x, y):
    return y @ x.T - 0.5 * np.square(x).sum(axis=1)


def drop(scores, out):
    keep = np.setdiff1d(np.arange(scores.shape[0]), out)
    return cx.correct_ranks(scores[np.ix_(keep, keep)], np.arange(keep.size))


@pytest.fixture(scope="module")
def scores():
    return sequence(np.random.default_rng(0), 40, 2.0, 60)[2]


@pytest.fixture(scope="module")
def ranks(scores):
    return cx.correct_ranks(scores, np.arange(40))


def test_least_squares_minimises_the_distance_of_the_curves(ranks):
    sizes = np.arange(2, 41)
    observed = cx.accuracy_curve(ranks, sizes).accuracy
    best = optimize.minimize_scalar(
        lambda nats: np.square(observed - cx.identification_accuracy(nats, sizes)).sum(),
        bounds=(0, 10),
        method="bounded",
        options={"xatol": 1e-10},
    ).x
    assert implied_information(ranks, method="least_squares").value == pytest.approx(best, abs=1e-5)


def test_likelihood_maximises_the_probability_of_the_ranks(ranks):
    # the prior of the fit is worth one of 40 points
    def loss(mu):
        return -probit_normal_log_pmf(ranks.wins.astype(float), 39, mu, 1.0)[0].sum()

    best = optimize.minimize_scalar(loss, bounds=(0, 6), method="bounded").x
    result = implied_information(ranks)
    assert result.value == pytest.approx(best**2 / 2, abs=0.2 * result.standard_error)


@pytest.mark.parametrize("method", METHODS)
def test_standard_error_is_that_of_leaving_one_stimulus_out(scores, ranks, method):
    """The closed form is one Newton step from the estimate; the reference decodes and fits everything anew."""
    root = [np.sqrt(2 * implied_information(drop(scores, [m]), method=method).value) for m in range(40)]
    direct = np.sqrt(39 / 40 * np.square(root - np.mean(root)).sum())
    result = implied_information(ranks, method=method)
    c = np.sqrt(2 * result.value)
    assert result.standard_error == pytest.approx(np.sqrt(c**2 * direct**2 + direct**4 / 2), rel=0.04)
    half = special.stdtrit(39, 0.975) * direct
    assert result.interval.low == pytest.approx((c - half) ** 2 / 2, rel=0.05)
    assert result.interval.high == pytest.approx((c + half) ** 2 / 2, rel=0.05)


def test_standard_error_is_that_of_leaving_many_stimuli_out(scores, ranks):
    """Delete-d jackknife: subsets without replacement, half of the stimuli at a time."""
    rng = np.random.default_rng(1)
    values = [implied_information(drop(scores, rng.permutation(40)[:20])).value for _ in range(80)]
    # z = 4 at a relative standard error of 8 % for an SD from 80 draws; half samples are themselves noisier
    assert implied_information(ranks).standard_error == pytest.approx(np.std(values), rel=0.4)


def test_difference_is_that_of_leaving_one_stimulus_out_of_both():
    rng = np.random.default_rng(2)
    x, y, _ = sequence(rng, 30, 2.0, 40)
    both = [gaussian_scores(x[:, :n], y[:, :n]) for n in (40, 25)]

    def gap(out):
        one, two = (implied_information(drop(part, out)).value for part in both)
        return one - two

    values = np.array([gap([m]) for m in range(30)])
    direct = np.sqrt(29 / 30 * np.square(values - values.mean()).sum())
    result = compare_implied_information(*(cx.correct_ranks(part, np.arange(30)) for part in both))
    assert result.value == pytest.approx(gap([]))
    assert result.standard_error == pytest.approx(direct, rel=0.08)
    unpaired = np.hypot(*(implied_information(cx.correct_ranks(part, np.arange(30))).standard_error for part in both))
    assert result.standard_error < 0.85 * unpaired
    swapped = compare_implied_information(*(cx.correct_ranks(part, np.arange(30)) for part in both[::-1]))
    assert swapped.value == -result.value
    assert swapped.p_value == pytest.approx(result.p_value)


@pytest.mark.parametrize(("information", "n"), [(0.3, 30), (2.0, 60)])
def test_estimates_and_intervals_meet_the_information_in_high_dimension(information, n):
    rng = np.random.default_rng(3)
    results = {method: [] for method in METHODS}
    tests = []
    for _ in range(40):
        drawn = cx.correct_ranks(sequence(rng, n, information, 500)[2], np.arange(n))
        for method in METHODS:
            results[method].append(implied_information(drawn, method=method))
        tests.append(curve_test(drawn).p_value)
    for found in results.values():
        value = np.array([result.value for result in found])
        error = value.std(ddof=1) / np.sqrt(40)
        # z = 4; the limit is 500 dimensions away, which moves the curve by less than .03 nats
        assert abs(value.mean() - information) < 4 * error + 0.03
        covered = np.mean([result.interval.low <= information <= result.interval.high for result in found])
        assert covered > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 40)
        typical = np.sqrt(np.mean([result.standard_error**2 for result in found]))
        assert typical == pytest.approx(value.std(ddof=1), rel=4 * 0.112 + 0.05)
    # at level .05, 40 tests reject 2 times, give or take 1.4
    assert np.mean(np.array(tests) < 0.05) < 0.05 + 4 * 0.034


def test_the_curve_test_finds_low_dimension_and_says_so():
    rng = np.random.default_rng(4)
    low = cx.correct_ranks(sequence(rng, 300, 1.6, 1)[2], np.arange(300))
    result = curve_test(low)
    assert result.p_value < 1e-4
    assert result.statistic < 0
    assert result.nu < 0.8
    assert result.wide_distance < 0.5 * result.distance
    assert str(result).startswith("nu = 1 does not fit")
    high = curve_test(cx.correct_ranks(sequence(rng, 300, 1.6, 300)[2], np.arange(300)))
    assert high.p_value > 0.01
    assert "is not contradicted" in str(high)


@pytest.mark.parametrize(("mu", "n", "n_repeats"), [(3.5, 10, 1), (4.0, 20, 1), (1.5, 5, 50), (1.5, 10, 50)])
def test_the_curve_test_holds_its_level_with_few_classes(mu, n, n_repeats):
    """Points of one class have the same favourability. 60 draws at level .05, z = 3."""
    rng = np.random.default_rng(8)
    label = np.repeat(np.arange(n), n_repeats)
    rejected = 0
    for _ in range(60):
        scores = rng.normal(size=(label.size, n))
        scores[np.arange(label.size), label] = rng.normal(mu, 1, n)[label]
        rejected += curve_test(cx.correct_ranks(scores, label)).p_value < 0.05
    assert rejected / 60 < 0.05 + 3 * 0.0281


@pytest.mark.parametrize(("nu", "sign"), [(0.3, -1), (3.0, 1)])
def test_the_curve_test_has_power_with_fifty_classes(nu, sign):
    rng = np.random.default_rng(9)
    scores = rng.normal(size=(50, 50))
    np.fill_diagonal(scores, rng.normal(1.5, nu, 50))
    result = curve_test(cx.correct_ranks(scores, np.arange(50)))
    assert result.p_value < 0.05
    assert np.sign(result.statistic) == sign


def test_chance_implies_next_to_no_information():
    rng = np.random.default_rng(5)
    for method in METHODS:
        found = [
            implied_information(cx.correct_ranks(rng.normal(size=(50, 50)), np.arange(50)), method=method)
            for _ in range(20)
        ]
        assert np.mean([result.value for result in found]) < 0.03
        assert np.mean([result.interval.low == 0 for result in found]) > 0.8
        assert min(result.standard_error for result in found) > 0


def test_below_chance_is_zero():
    with pytest.warns(UserWarning, match="are the scores distances"):
        worst = cx.correct_ranks(1 - np.eye(20), np.arange(20))
    for method in METHODS:
        result = implied_information(worst, method=method)
        assert result.value == 0
        assert result.interval.low == 0


def test_perfect_identification_has_no_upper_end():
    perfect = cx.correct_ranks(np.eye(50), np.arange(50))
    likelihood, squares = (implied_information(perfect, method=method) for method in METHODS)
    assert np.isinf(likelihood.interval.high)
    assert 1 < likelihood.interval.low < likelihood.value < np.inf
    assert squares.value == squares.standard_error == squares.interval.high == np.inf
    assert squares.interval.low == likelihood.interval.low
    # more stimuli, all right, say more
    more = implied_information(cx.correct_ranks(np.eye(400), np.arange(400)))
    assert more.interval.low > likelihood.interval.low
    with pytest.raises(ValueError, match="first identifies every stimulus"):
        compare_implied_information(perfect, perfect)


def test_many_classes_in_groups():
    rng = np.random.default_rng(6)
    drawn = cx.correct_ranks(sequence(rng, 1200, 2.0, 800)[2], np.arange(1200))
    for method in METHODS:
        result = implied_information(drawn, method=method)
        assert abs(result.value - 2.0) < 4 * result.standard_error
        assert 0.02 < result.standard_error < 0.1


@pytest.mark.parametrize("n_classes", [4, 5])
def test_the_checked_fewest_classes(n_classes):
    """A variance over four classes has three degrees of freedom."""
    sample = np.random.default_rng(0).normal(size=(n_classes, n_classes)) + 2 * np.eye(n_classes)
    ranks = cx.correct_ranks(sample, np.arange(n_classes))
    if n_classes == 5:
        assert implied_information(ranks).value > 0
        return
    with pytest.raises(ValueError, match="ranks must have at least"):
        implied_information(ranks)
