"""The curves beyond the trials: their formula and their noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import classex as cx
from classex.fields.attempts import ATTEMPTS, Continuation, Problems, _at, _shares_that_stay


def plain_covariance(one, other, deviation, length):
    """Level of deviation 3, and the integral of the slope's covariance over decades of k, by sums."""
    step = 2.5e-3
    nodes = np.arange(step / 2, 5, step)
    slope = deviation**2 * np.exp(-np.abs(nodes[:, None] - nodes) / length)
    rows, columns = (nodes < np.log10(np.array(k))[:, None] for k in (one, other))
    return 9 + rows @ slope @ columns.T * step**2


def test_the_mixture_against_its_textbook_formula():
    """Probabilities of the components, and their means and deviations beyond the trials.

    The integral of the reference is a sum with an error of about 1e-3.
    """
    problems = Problems.of(np.array([0, 0, 1, 3, 0, 10, 7, 0, 2, 5]), np.full(10, 10), None)
    beyond = Continuation(problems)
    share, covariance = beyond.observed
    k, later = beyond.sizes, np.array([100.0, 1e4])

    def coordinate(s):
        return np.log(-np.log(1 - s))

    slope = 2e-6 / (coordinate(share + 1e-6) - coordinate(share - 1e-6))
    noise = covariance / np.outer(slope, slope)
    noise = noise + np.diag(1e-5 + 1e-4 * np.diag(noise))
    y = coordinate(share)
    parts = ATTEMPTS.components
    mean, ahead = (parts[0].slope * np.log10(size) for size in (k, later))
    weight, level, gain, spread = beyond.lines(later)
    expected = []
    for j, part in enumerate(parts):
        within, cross, own = (
            plain_covariance(*pair, part.slope_sd, part.length) for pair in ((k, k), (k, later), (later, later))
        )
        whole = stats.multivariate_normal(mean, within + noise).logpdf(y)
        expected.append(np.log(part.weight) + ATTEMPTS.temper * whole)
        inverse = np.linalg.inv(within + noise)
        np.testing.assert_allclose(level[j] + y @ gain[j], ahead + cross.T @ inverse @ (y - mean), atol=0.02)
        np.testing.assert_allclose(spread[j], np.sqrt(np.diag(own - cross.T @ inverse @ cross)), rtol=0.02)
    np.testing.assert_allclose(weight, special.softmax(expected), rtol=0.02)


def test_curves_fall_and_are_quantiles_of_the_mixture():
    """Mean and deviation of y after 12 attempts, where no curve rises yet."""
    beyond = Continuation(Problems.of(np.repeat([0, 1, 2, 9], [40, 10, 30, 20]), np.full(100, 10), None))
    for curves in (beyond.centre, beyond.replicates):
        assert (np.diff(curves, axis=1) <= 0).all()
    (y,) = np.log(-np.log1p(-_at(beyond.centre, np.array([12.0])))).T
    weight, level, gain, spread = beyond.lines(np.array([12.0]))
    means = (level + np.log(-np.log1p(-beyond.observed[0])) @ gain)[:, 0]
    assert y.mean() == pytest.approx(weight @ means, abs=0.002)
    assert y.std() == pytest.approx(np.sqrt(weight @ (means**2 + spread[:, 0] ** 2) - (weight @ means) ** 2), rel=0.02)


@pytest.mark.no_cover
def test_the_noise_is_the_chance_of_the_trials():
    """2,000 repetitions of 30 trials at the same 60 problems: standard deviations within 15 %."""
    rng = np.random.default_rng(3)
    p = rng.beta(0.5, 2.0, 60)
    problems = [Problems.of(rng.binomial(30, p), np.full(60, 30), None) for _ in range(2_000)]
    sizes = Continuation(problems[0]).sizes
    curves = np.array([one.count @ one.known(sizes) / 60 for one in problems])
    stated = [np.sqrt(np.diag(Continuation(one).observed[1])) for one in problems[:200]]
    np.testing.assert_allclose(np.median(stated, axis=0), curves.std(axis=0), rtol=0.15)


def test_a_power_law_is_continued():
    """Four thousand problems with beta chances and 1,000 trials each, ten times further."""
    p = special.betaincinv(0.3, 30.0, (np.arange(4_000) + 0.5) / 4_000)
    k = np.array([1_000, 10_000])
    truth = 1 - np.exp(special.betaln(0.3, 30.0 + k) - special.betaln(0.3, 30.0))
    found = cx.pass_at_k(np.random.default_rng(2).binomial(1_000, p), 1_000, k)
    # a quarter of the unsolved share, and less than half of the interval
    assert abs(found.value[1] - truth[1]) < min(0.25 * (1 - truth[1]), 0.5 * np.diff(found.interval[1])[0])


@pytest.mark.parametrize("number", [1, 5, 90], ids=["one", "fewer than numbers of attempts", "more"])
def test_problems_that_stay_unsolved_are_binomial_quantiles(number):
    """They are those of SciPy, whichever of the two ways is the shorter one."""
    chance = np.vstack([np.linspace(1, 0, 40), np.geomspace(1, 1e-9, 40)])
    uniform = np.array([[1], [2]]) * (np.sqrt(5) - 1) / 2 % 1
    expected = stats.binom.ppf(uniform, number, np.clip(chance, 1e-15, 1 - 1e-15))
    np.testing.assert_array_equal(np.rint(number * _shares_that_stay(chance, number)), expected)
