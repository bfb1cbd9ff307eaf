"""Tests of decoders against enumeration of all guesses, orders and signs, and their level and coverage."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

import classex as cx
from classex.fields.decoding import above_chance, compare_decoders, time_course, transfer_rate


def balanced(truth, found):
    return np.mean([np.mean(found[truth == c] == c) for c in np.unique(truth)])


@pytest.mark.parametrize("sizes", [2, 3, [2, 2, 3, 3, 3, 4, 4, 2, 5]])
@pytest.mark.parametrize("units", [None, [0, 0, 0, 0, 1, 1, 1, 1, 1]])
def test_guesses_by_enumeration(sizes, units):
    """The chance of every pattern of hits, with unequal classes and numbers of candidates."""
    truth = np.array([0, 0, 0, 1, 0, 1, 1, 0, 1])
    found = np.array([0, 0, 1, 1, 0, 1, 0, 0, 1])
    unit = np.zeros(9, dtype=int) if units is None else np.array(units)
    weight = np.zeros(9)
    for u, c in product(np.unique(unit), (0, 1)):
        weight[(unit == u) & (truth == c)] = 1 / (np.unique(unit).size * 2 * ((unit == u) & (truth == c)).sum())
    hits = np.array(list(product([0, 1], repeat=9)))
    chance = np.prod(np.where(hits == 1, 1 / np.broadcast_to(sizes, 9), 1 - 1 / np.broadcast_to(sizes, 9)), axis=1)
    expected = chance[hits @ weight >= weight @ (truth == found) - 1e-12].sum()
    result = above_chance(truth, found, units=units, n_classes=sizes, n_permutations=9)
    assert result.p_guess[-1] == pytest.approx(expected, rel=1e-10)
    assert result.chance[-1] == pytest.approx(weight @ (1 / np.broadcast_to(sizes, 9)))


def test_guesses_among_equal_classes_are_binomial():
    truth, found = np.arange(60) % 4, np.where(np.arange(60) < 24, np.arange(60) % 4, 9)
    result = above_chance(truth, found, n_classes=4, n_permutations=9)
    assert result.p_guess[0] == pytest.approx(stats.binom.sf(23, 60, 0.25), rel=1e-10)


def test_weights_without_a_common_denominator_never_lower_the_p_value():
    counts = [7, 11, 13, 17, 19, 23]
    truth = np.repeat(range(6), counts)
    rng = np.random.default_rng(0)
    hits = rng.random(90) < 0.3
    result = above_chance(truth, np.where(hits, truth, 6), n_classes=6, n_permutations=9)
    drawn = sum(rng.binomial(n, 1 / 6, 10**6) / n for n in counts) / 6
    exact = np.mean(drawn >= result.accuracy[0] - 1e-12)
    # z = 0.2
    assert abs(result.p_guess[0] - exact) < 4 * np.sqrt(exact / 10**6)


def test_permutations_by_enumeration():
    """All orders of the labels in each of two units."""
    truth, found, unit = np.array([0, 1, 1, 2, 0, 1, 0]), np.array([0, 1, 2, 2, 1, 1, 0]), np.array([0] * 4 + [1] * 3)
    orders = [np.array(list(permutations(truth[unit == u]))) for u in (0, 1)]
    each = [np.array([balanced(order, found[unit == u]) for order in orders[u]]) for u in (0, 1)]
    result = above_chance(truth, found, units=unit, n_permutations=20_000)
    values = [balanced(truth[unit == u], found[unit == u]) for u in (0, 1)]
    np.testing.assert_allclose(result.accuracy, [*values, np.mean(values)])
    both = np.add.outer(*each) / 2
    for p, drawn, value in zip(result.p_value, (*each, both), result.accuracy, strict=True):
        exact = np.mean(drawn >= value - 1e-12)
        assert abs(p - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000)
    assert result.standard_error[2] == pytest.approx(np.std(values, ddof=1) / np.sqrt(2))


@pytest.mark.parametrize("preference", [[0.25, 0.25, 0.25, 0.25], [0.7, 0.1, 0.1, 0.1]])
def test_level_of_the_tests_against_chance(preference):
    """Within two standard errors of .05 over 500 experiments; guesses with preferences need the permutations."""
    rng, p = np.random.default_rng(1), []
    truth, unit = np.repeat([0, 1, 2, 3, 0, 1, 2, 3], [9, 7, 5, 8, 6, 9, 10, 4]), np.repeat([0, 1], [29, 29])
    for _ in range(500):
        found = rng.choice(4, 58, p=preference)
        result = above_chance(truth, found, units=unit, n_classes=4, n_permutations=199, rng=rng)
        p.append((result.p_value[2], result.p_guess[2]))
    rejected, error = (np.array(p) <= 0.05).mean(axis=0), np.sqrt(0.05 * 0.95 / 500)
    assert abs(rejected[0] - 0.05) < 2 * error
    if preference[0] == 0.25:
        assert abs(rejected[1] - 0.05) < 2 * error


def test_two_decoders_by_enumeration():
    """The p-value over all signs, and ends of the interval where the test of a shift turns."""
    rng = np.random.default_rng(3)
    first, second = rng.random(9), rng.random(9) * 0.6
    signs = np.array(list(product([1, -1], repeat=9)))

    def p_of(shift):
        d = first - second - shift
        return np.mean(np.abs(signs @ d) >= abs(d.sum()) - 1e-9)

    result = compare_decoders(first, second)
    assert result.p_value == pytest.approx(p_of(0))
    for end, inward in ((result.interval.low, 1e-6), (result.interval.high, -1e-6)):
        assert p_of(end + inward) > 0.05 >= p_of(end - inward)
    few = compare_decoders(first[:5], second[:5])
    assert (few.interval.low, few.interval.high) == (-1, 1)
    # random signs: 16 subjects have 65,536
    first, second = rng.random(16), rng.random(16) * 0.8
    exact, drawn = (compare_decoders(first, second, n_flips=n) for n in (65_535, 9_999))
    assert abs(drawn.p_value - exact.p_value) < 4 * np.sqrt(exact.p_value / 9_999)
    assert drawn.interval.low == pytest.approx(exact.interval.low, abs=0.01)


@pytest.mark.parametrize("n", [8, 16])
def test_level_and_coverage_of_two_decoders(n):
    """Symmetric differences with heavy tails: within two standard errors of .05 over 600 experiments."""
    rng, missed = np.random.default_rng(4), []
    for _ in range(600):
        d = np.clip(0.05 * rng.standard_t(3, n), -0.4, 0.4)
        result = compare_decoders(0.5 + d, np.full(n, 0.5), n_flips=399, rng=rng)
        missed.append((result.p_value <= 0.05, not result.interval.low <= 0 <= result.interval.high))
    assert (np.abs(np.mean(missed, axis=0) - 0.05) < 2 * np.sqrt(0.05 * 0.95 / 600)).all()


def test_a_time_course_by_enumeration():
    x = np.random.default_rng(5).normal([0.5, 0.55, 0.6, 0.5], 0.05, (7, 4))
    result = time_course(x, chance=0.5, times=[0.0, 0.1, 0.2, 0.3])
    signs = np.array(list(product([1, -1], repeat=7)))

    def largest(d):
        flipped = signs[:, :, np.newaxis] * d
        return np.abs(flipped.mean(axis=1) / (flipped.std(axis=1, ddof=1) / np.sqrt(7))).max(axis=1)

    own = np.abs(stats.ttest_1samp(x, 0.5).statistic)
    np.testing.assert_allclose(result.p_value, (largest(x - 0.5)[:, np.newaxis] >= own - 1e-9).mean(axis=0))
    half = (result.interval[:, 1] - result.interval[:, 0]) / 2
    reach = np.quantile(np.delete(largest(x - x.mean(axis=0)), 0), 0.95, method="higher")
    np.testing.assert_allclose(half, reach * stats.sem(x), rtol=1e-9)


@pytest.mark.parametrize("n", [8, 14])
def test_level_and_coverage_of_time_courses(n):
    """Ten neighbours in time are correlated: all ten intervals cover, and no time is found, in .95 of 600."""
    rng, missed = np.random.default_rng(6), []
    for _ in range(600):
        noise = rng.normal(size=(n, 11))
        result = time_course(0.5 + 0.03 * (noise[:, 1:] + noise[:, :-1]), chance=0.5, n_flips=399, rng=rng)
        low, high = result.interval.T
        missed.append(((result.p_value <= 0.05).any(), ((low > 0.5) | (high < 0.5)).any()))
    assert (np.abs(np.mean(missed, axis=0) - 0.05) < 2 * np.sqrt(0.05 * 0.95 / 600)).all()


def test_bits_are_those_of_wolpaw():
    sample = cx.models.GaussianClasses(10, 0.5).sample(20, n_repeats=5, rng=0)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    rate = transfer_rate(ranks, seconds=4, n_classes=[100, 1_000])
    ahead = cx.extrapolate(ranks, n_classes=[20, 100, 1_000])
    np.testing.assert_allclose(rate.accuracy, ahead.accuracy)
    for p, n, bits in [
        *zip(ahead.accuracy, rate.n_classes, rate.bits, strict=True),
        *zip(ahead.interval[:, 0], rate.n_classes, rate.bits_interval[:, 0], strict=True),
        *zip(ahead.interval[:, 1], rate.n_classes, rate.bits_interval[:, 1], strict=True),
    ]:
        assert bits == pytest.approx(np.log2(n) + p * np.log2(p) + (1 - p) * np.log2((1 - p) / (n - 1)), rel=1e-9)
    np.testing.assert_allclose(rate.bits_per_minute, 15 * rate.bits)
    assert rate.accuracy[0] == pytest.approx(cx.accuracy_curve(ranks, 20).accuracy[0])
    assert rate.implied.value == cx.implied_information(ranks).value
    assert rate.least_bits == pytest.approx(cx.information_confidence_bound(ranks).information / np.log(2))
    assert f"at least {rate.least_bits:.2f} bits" in str(rate)
    few = transfer_rate(cx.ranks_from_wins([0, 1, 2, 2], 3, labels=[0, 0, 1, 1]), seconds=1)
    assert (few.least_bits, few.implied) == (None, None)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: above_chance([0, 1], [0]), "one shape"),
        (lambda: above_chance([0, 1], [2, 3]), "classes of y_true, such as 0, not 2"),
        (lambda: above_chance([0, 1], [0, 1], units=[1, 1]), "at least 2 units"),
        (lambda: above_chance([0, 1, 1], [0, 1, 1], n_classes=[2, 2]), "one number or 3"),
        (lambda: compare_decoders([0.5, 0.6], [0.5, 0.6, 0.7]), "the 2 subjects of first, not 3"),
        (lambda: compare_decoders([50, 60], [0.5, 0.6]), "numbers from 0 to 1"),
        (lambda: time_course([[-0.5], [0.6]], chance=0.5), "numbers from 0 to 1"),
        (lambda: time_course([[0.5, 0.6]], chance=0.5), "at least two subjects"),
        (lambda: time_course([[0.5], [0.6]], chance=0.5, times=[1, 2]), "the 1 times of accuracy, not 2"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
