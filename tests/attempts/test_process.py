"""The process beyond the trials: its formula, its shapes, and its noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import classex as cx
from classex.attempts._beyond import Continuation, _at, _shares_that_stay
from classex.attempts._problems import Problems

# prior probability, hopeless share of the unsolved, share of the last fall of the logarithm
FIVE = ((0.6, 0, 0), (0.1, 0.4, 0), (0.1, 0.8, 0), (0.1, 0, 0.4), (0.1, 0, 0.8))


def plain_covariance(one, other):
    """Level of deviation 3, slope of deviation 1 and length 24: the integral of the slope's covariance, by sums."""
    step = 2.5e-3
    nodes = np.arange(step / 2, 5, step)
    slope = np.exp(-np.abs(nodes[:, None] - nodes) / 24)
    rows, columns = (nodes < np.log10(np.array(k) / 2)[:, None] for k in (one, other))
    return 9 + rows @ slope @ columns.T * step**2


def test_the_process_against_its_textbook_formula():
    """Probabilities of the shapes to 2 %, and moments of 400 drawn shares within 4 standard errors and .01.

    The integral of the reference is a sum with an error of about 1e-3, and curves that rise are held down.
    """
    problems = Problems.of(np.array([0, 0, 1, 3, 0, 10, 7, 0, 2, 5]), np.full(10, 10), None)
    beyond = Continuation(problems)
    share, covariance = beyond.observed
    k, later = beyond.sizes, np.array([100.0, 1e4])
    at, grid = k + 1, later + 1
    within = plain_covariance(at, at)
    cross, own = plain_covariance(at, grid), plain_covariance(grid, grid)
    mean, ahead = (-1.4 * np.log10(size / 2) for size in (at, grid))
    weights, moments = [], []
    for weight, hopeless, floor in FIVE:
        h = hopeless * share[-1]
        fall = floor * np.log(share[-2] / share[-1]) / (k[-1] - k[-2])

        def coordinate(s, h=h, fall=fall):
            return np.log(-np.log(1 - (s * np.exp(fall * k) - h) / (1 - h)))

        slope = 2e-6 / (coordinate(share + 1e-6) - coordinate(share - 1e-6))
        noise = covariance / np.outer(slope, slope)
        noise = noise + np.diag(1e-5 + 1e-4 * np.diag(noise))
        y = coordinate(share)
        whole = stats.multivariate_normal(mean, within + noise).logpdf(y)
        first = stats.norm(mean[0], np.sqrt((within + noise)[0, 0])).logpdf(y[0])
        weights.append(np.log(weight) + 0.3 * (whole - first - np.log(slope[1:]).sum()))
        inverse = np.linalg.inv(within + noise)
        centre = ahead + cross.T @ inverse @ (y - mean)
        deviation = np.sqrt(np.diag(own - cross.T @ inverse @ cross))
        drawn = centre + stats.norm.ppf((np.arange(400) + 0.5) / 400)[:, None] * deviation
        moments.append((h + (1 - h) * (1 - np.exp(-np.exp(drawn)))) * np.exp(-fall * later))
    weights = special.softmax(weights)
    np.testing.assert_allclose([fit[0] for fit in beyond.fits], weights, rtol=0.02)
    values = np.concatenate(moments)
    expected = np.repeat(weights / 400, 400) @ values
    spread = np.sqrt(np.repeat(weights / 400, 400) @ np.square(values - expected))
    found = _at(beyond.centre, later)
    assert (np.abs(found.mean(axis=0) - expected) < 4 * spread / np.sqrt(400) + 0.01).all()
    np.testing.assert_allclose(found.std(axis=0), spread, rtol=0.15)
    assert (np.diff(beyond.centre, axis=1) <= 0).all()


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


def impossible(rng, size, share, first, second):
    return np.where(rng.random(size) < share, 0.0, rng.beta(first, second, size))


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("draw", "n_problems", "k"),
    [
        (lambda rng, size: impossible(rng, size, 0.12, 0.5, 0.9), 164, 1_000),
        (lambda rng, size: np.minimum(0.01 / rng.random(size) ** 0.7, 1.0), 120, 200),
    ],
    ids=["12 % impossible", "a common floor"],
)
def test_hopeless_problems_and_a_common_floor_are_covered(draw, n_problems, k):
    """Forty benchmarks of twenty trials: at a coverage of .95 six or more miss with probability .014."""
    rng = np.random.default_rng(6)
    truth = (1 - (1 - draw(rng, 400_000)) ** k).mean()
    missed = 0
    for _ in range(40):
        low, high = cx.pass_at_k(rng.binomial(20, draw(rng, n_problems)), 20, k).interval[0]
        missed += not low <= truth <= high
    assert missed <= 5


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
    uniform = np.random.default_rng(1).random((2, 1))
    expected = stats.binom.ppf(uniform, number, np.clip(chance, 1e-15, 1 - 1e-15))
    np.testing.assert_array_equal(np.rint(number * _shares_that_stay(chance, number)), expected)
