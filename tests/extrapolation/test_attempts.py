"""pass@k: unbiased up to the trials, from a law with atoms beyond."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import classex as cx


def test_the_estimate_is_the_share_of_subsets_with_a_success():
    successes, trials = np.array([0, 1, 3, 6, 2]), np.array([6, 6, 7, 6, 8])
    for k in range(1, 7):
        by_problem = []
        for c, n in zip(successes, trials, strict=True):
            attempts = [1] * c + [0] * (n - c)
            by_problem.append(np.mean([max(chosen) for chosen in combinations(attempts, k)]))
        found = cx.pass_at_k(successes, trials, k)
        assert found.value[0] == pytest.approx(np.mean(by_problem), abs=1e-12)
        assert found.standard_error[0] == pytest.approx(np.std(by_problem, ddof=1) / np.sqrt(5), rel=1e-9)
        assert not found.extrapolated[0]


def test_unsolved_problems_are_never_taken_for_solved():
    found = cx.pass_at_k([0] * 30 + [5] * 10, 10, [1, 10, 11, 1_000, 10**9])
    assert (np.diff(found.value) >= -1e-9).all()
    assert found.value[-1] < 1
    assert found.n_unsolved == 30
    hopeless = cx.pass_at_k([0] * 40, 100, [100, 10_000])
    assert hopeless.value[0] == 0
    assert 0 < hopeless.interval[0, 1] < 0.15
    assert hopeless.value[1] < 0.5


@pytest.mark.no_cover
def test_the_law_beyond_the_trials_against_the_truth():
    """Twenty sets of 500 problems with known chances: the mean error lies within 4 of its own standard errors."""
    rng = np.random.default_rng(9)
    k = np.array([200, 1_000])
    errors = []
    for _ in range(20):
        p = rng.beta(0.5, 4.0, 500) * (rng.random(500) > 0.2)
        exact = 1 - 0.8 * np.exp(_log_beta(0.5, 4.0 + k) - _log_beta(0.5, 4.0)) - 0.2
        errors.append(cx.pass_at_k(rng.binomial(50, p), 50, k).value - exact)
    mean, spread = np.mean(errors, axis=0), np.std(errors, axis=0, ddof=1) / np.sqrt(20)
    # the prior, worth about one problem, may move the estimate by a fraction of a standard error of one set
    assert (np.abs(mean) < 4 * spread + 0.01).all()


def _log_beta(a, b):
    from scipy.special import betaln

    return betaln(a, b)


def test_beyond_the_trials_the_laws_that_the_counts_allow_are_averaged():
    rng = np.random.default_rng(2)
    successes = rng.binomial(30, rng.beta(0.4, 3.0, 120))
    k = np.array([100, 3_000])
    found = cx.pass_at_k(successes, 30, k)
    laws = cx.laws.draw_chance_laws(successes, np.full(120, 30))
    for column, draw in enumerate(laws.solved(k.astype(float)).T):
        order = np.argsort(draw)
        share = np.cumsum(laws.weight[order])
        ends = [draw[order][np.searchsorted(share, q)] for q in (0.025, 0.975)]
        np.testing.assert_allclose(found.interval[column], ends, rtol=1e-12)
        mean = laws.weight @ draw
        assert found.value[column] == pytest.approx(mean, rel=1e-12)
        assert found.standard_error[column] == pytest.approx(np.sqrt(laws.weight @ (draw - mean) ** 2), rel=1e-9)


def test_the_limits_hold_for_the_law_that_attains_them():
    """All unsolved problems have one chance of 1 in 100; forty benchmarks, where one in twenty may miss: at most five.

    At a coverage of .95 six or more of forty miss with probability .014; the limits are cautious.
    """
    rng = np.random.default_rng(5)
    k = np.array([20, 60, 400])
    p = np.where(np.arange(300) < 100, 0.01, 0.999)
    truth = 1 - (1 - p[:, np.newaxis]) ** k
    missed = 0
    for _ in range(40):
        found = cx.pass_at_k(rng.binomial(20, p), 20, k)
        np.testing.assert_array_equal(found.limits[0], found.interval[0])
        low, high = found.limits[1:].T
        missed += not ((low <= truth.mean(axis=0)[1:]) & (truth.mean(axis=0)[1:] <= high)).all()
        assert (high < 1).all()
    assert missed <= 5


def test_the_limits_are_those_of_jensen():
    """With very many problems they are the sharp ones: the shares are known, and a moment falls as it last did."""
    successes = np.repeat([0, 1, 2, 9], [40_000, 6_000, 30_000, 24_000])
    k = np.array([30, 1_000])
    low, high = cx.pass_at_k(successes, 10, k).limits.T
    unsolved, before = 0.4, 0.4 + 0.06 / 10
    np.testing.assert_allclose(low, 0.6, atol=0.005)
    np.testing.assert_allclose(high, 1 - unsolved * (unsolved / before) ** (k - 10), atol=0.01)


@pytest.mark.parametrize("thin", [False, True])
def test_the_interval_does_not_take_one_left_tail_for_granted(thin):
    """Fifteen benchmarks with a power-law and with a log-normal left tail: at most three intervals miss.

    At a coverage of .95 four or more of fifteen miss with probability .005.
    """
    rng = np.random.default_rng(3)
    draw = (lambda n: np.minimum(np.exp(rng.normal(-4, 2, n)), 1)) if thin else (lambda n: rng.beta(0.3, 2.0, n))
    p = draw(400_000)
    truth = (1 - (1 - p) ** 500).mean()
    missed = 0
    for _ in range(15):
        low, high = cx.pass_at_k(rng.binomial(50, draw(200)), 50, 500).interval[0]
        missed += not low <= truth <= high
    assert missed <= 3


def test_the_table_says_what_is_extrapolated():
    text = str(cx.pass_at_k([0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, [1, 100]))
    first, _, near, far = text.splitlines()
    assert first == "pass@k of 10 problems, 4 of them unsolved so far:"
    assert near.split()[:2] == ["1", "0.2800"]
    assert far.endswith("extrapolated")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], 2, 1), "successes must hold at least two problems"),
        (([1, 3], 2, 1), "problem 1 has 3 of 2"),
        (([1, 2], [2, 2, 2], 1), "trials must be a number or have 2 entries"),
        (([1, 0.5], 2, 1), "successes must hold whole numbers"),
        (([0, 0], 0, 1), "trials must hold whole numbers of at least 1"),
        (([1, 2], 3, 0), "k must hold whole numbers of at least 1"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        cx.pass_at_k(*arguments)
