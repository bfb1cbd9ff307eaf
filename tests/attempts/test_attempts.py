"""pass@k, pass^k and the attempts that a coverage takes: unbiased up to the trials, by straight curves beyond."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import special, stats

import classex as cx
from classex.fields.attempts import Continuation, Problems, _at


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
def test_the_estimate_beyond_the_trials_against_the_truth():
    """Twenty sets of 500 problems with known chances; one in five is never solved, which the prior does not expect.

    The mean error stays within one mean standard error at 200 attempts and within two at 1,000, and every interval
    covers. At a coverage of .95 three or more of twenty would miss with probability .08.
    """
    rng = np.random.default_rng(9)
    k = np.array([200, 1_000])
    errors, stated, missed = [], [], np.zeros(2)
    for _ in range(20):
        p = rng.beta(0.5, 4.0, 500) * (rng.random(500) > 0.2)
        exact = 1 - 0.8 * np.exp(special.betaln(0.5, 4.0 + k) - special.betaln(0.5, 4.0)) - 0.2
        found = cx.pass_at_k(rng.binomial(50, p), 50, k)
        errors.append(found.value - exact)
        stated.append(found.standard_error)
        missed += (exact < found.interval[:, 0]) | (exact > found.interval[:, 1])
    assert (np.abs(np.mean(errors, axis=0)) < [1, 2] * np.mean(stated, axis=0)).all()
    assert (missed <= 2).all()


def plain(successes, trials, batch, k, group, level=0.95, draws=20_000):
    """pass@k, its standard error, and ranges of the ends of its interval, one problem at a time, with other draws."""
    rng = np.random.default_rng(77)
    fixed = np.array_equal(trials, batch)
    problems = Problems.of(np.array(successes), np.array(trials), None if fixed else batch[0])
    beyond = Continuation(problems)
    size, names = len(successes), np.arange(len(successes)) if group is None else np.array(group)
    number = np.unique(names).size
    weights = rng.exponential(size=(draws, number))[:, np.unique(names, return_inverse=True)[1]]
    which = [
        np.flatnonzero((problems.trials == n) & (problems.successes == c))[0]
        for c, n in zip(successes, trials, strict=True)
    ]
    shares = np.zeros((draws, problems.count.size))
    np.add.at(shares, (slice(None), which), weights)
    order = rng.permutation(draws)
    paths = np.empty((draws, beyond.centre.shape[1]))
    paths[order] = beyond._paths(beyond._curve(shares[order], beyond.sizes))
    known, centre, drawn = np.empty(size), np.ones((400, size)), np.ones((draws, size))
    for i, (c, n, b) in enumerate(zip(successes, trials, batch, strict=True)):
        left = [1] * c + [0] * (b - c)
        r = min(max(k - (n - b), 0), b)
        known[i] = np.mean([not any(chosen) for chosen in combinations(left, r)])
        if c == 0 and k > n:
            for out, some in ((centre, beyond.centre), (drawn, paths)):
                later, earlier = _at(some, np.array([float(k), float(n)])).T
                out[:, i] = later / earlier
    value = known * centre.mean(axis=0)
    off = [np.sum(value[names == one] - value.mean()) for one in np.unique(names)]
    error = np.sqrt(np.sum(np.square(off)) * number / (number - 1) / size**2 + np.var((known * centre).mean(axis=1)))
    unseen = size / number * rng.gamma(0.5, size=draws)
    total = weights.sum(axis=1) + unseen
    unsolved = np.array(successes) == 0
    weight = weights @ unsolved
    stays = (weights * drawn)[:, unsolved].sum(axis=1) / weight
    units = np.unique(names[unsolved]).size
    staying = (rng.random((draws, units)) < stays[:, np.newaxis]).mean(axis=1)  # each is solved or not
    seen = ((weights * known) @ ~unsolved + weight * np.where(stays < 1 - 1e-12, staying, stays)) / total
    # where the ends from 4,000 draws may lie: four standard errors of their share of the draws
    off, tail = 4 * np.sqrt(level * (1 - level) * (1 / draws + 1 / 4_000) / 2), (1 - level) / 2
    low = 1 - np.quantile(seen + unseen / total, [1 - tail + off, 1 - tail - off])
    high = 1 - np.quantile(seen, [tail + off, tail - off])
    return 1 - value.mean(), error, np.array([low, high])


@pytest.mark.parametrize("k", [4, 9, 12, 300])
@pytest.mark.parametrize("batch", [None, 3])
@pytest.mark.parametrize("grouped", [False, True])
def test_values_and_intervals_against_one_problem_at_a_time(k, batch, grouped):
    if batch is None:
        successes, trials = [0, 1, 3, 6, 2, 0, 0, 1, 0, 4], [6, 6, 7, 6, 8, 10, 7, 9, 6, 12]
        last, stopped = trials, None
    else:
        successes, trials = [1, 3, 2, 1, 0, 0, 0, 2], [3, 3, 6, 9, 12, 12, 6, 12]
        last, stopped = [batch] * 8, batch
    group = list("aabbbcadeff"[: len(trials)]) if grouped else None
    found = cx.pass_at_k(successes, trials, k, stopped=stopped, groups=group)
    value, error, ends = plain(successes, trials, last, k, group)
    assert found.value[0] == pytest.approx(value, abs=1e-9)
    assert found.standard_error[0] == pytest.approx(error, abs=1e-9)
    assert ((ends[:, 0] - 1e-12 <= found.interval[0]) & (found.interval[0] <= ends[:, 1] + 1e-12)).all()


def test_the_interval_of_problems_that_are_solved_or_not():
    """Quantiles of beta distributions; 4,000 draws know them to two parts in a hundred of the width."""
    found = cx.pass_at_k([5] * 33 + [0] * 7, 5, 5)
    low, high = 1 - stats.beta.ppf(0.975, 7.5, 33), 1 - stats.beta.ppf(0.025, 7, 33.5)
    np.testing.assert_allclose(found.interval[0], [low, high], atol=0.04 * (high - low))


def stopped_trials(rng, p, batch, most):
    """Successes and trials of problems that are tried in batches until one holds a success."""
    successes, trials = np.zeros(p.size, dtype=int), np.zeros(p.size, dtype=int)
    for _ in range(most):
        live = successes == 0
        successes += rng.binomial(batch, p) * live
        trials += batch * live
    return successes, trials


@pytest.mark.parametrize("batch", [1, 4])
def test_trials_that_stopped_at_a_success_are_estimated_without_bias(batch):
    """All outcomes of one problem with their probabilities: the expectation of the estimate is exact."""
    p, most = 0.3, 3
    k = np.arange(1, batch * most + 1)
    total = np.zeros(k.size)
    for number in range(1, most + 1):
        for c in range(0 if number == most else 1, batch + 1):
            chance = (1 - p) ** (batch * (number - 1)) * stats.binom.pmf(c, batch, p)
            total += chance * cx.pass_at_k([c, c], batch * number, k, stopped=batch).value
    np.testing.assert_allclose(total, 1 - (1 - p) ** k, rtol=1e-12)


@pytest.mark.no_cover
def test_the_intervals_and_limits_of_trials_that_stopped():
    """Fifteen benchmarks: at a coverage of .95 four or more miss one k with probability .005."""
    rng = np.random.default_rng(4)
    k = np.array([30, 60, 600])
    truth = 1 - np.exp(special.betaln(0.3, 2.0 + k) - special.betaln(0.3, 2.0))
    missed = np.zeros((2, 3))
    for _ in range(15):
        found = cx.pass_at_k(*stopped_trials(rng, rng.beta(0.3, 2.0, 150), 60, 5), k, stopped=60)
        np.testing.assert_array_equal(found.extrapolated, [False, False, True])
        for row, ends in zip(missed, (found.interval, found.limits), strict=True):
            row += (truth < ends[:, 0]) | (truth > ends[:, 1])
    assert (missed <= 3).all()


@pytest.mark.parametrize(
    ("successes", "trials"),
    [
        ([1, 1, 1, 0], [1, 3, 4, 6]),
        ([1, 1, 1], [1, 3, 4]),
        ([1, 30, 1, 0], [60, 120, 60, 180]),
        # two rounds, the second for those that were unsolved in the first
        ([3] * 30 + [0] * 20 + [20], [10] * 30 + [100] * 21),
    ],
)
def test_trials_that_seem_to_have_stopped_at_a_success_are_refused(successes, trials):
    with pytest.raises(ValueError, match="trials seem to have stopped at a success"):
        cx.pass_at_k(successes, trials, 1)
    assert cx.pass_at_k(successes, trials, 1, stopped=False).value[0] > 0


def test_the_limits_hold_for_the_distribution_that_attains_them():
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
    first, _, _, near, far, *_ = text.splitlines()
    assert first == "pass@k of 10 problems, 4 of them unsolved so far:"
    assert near.split()[:2] == ["1", "0.28"]
    assert (near.split()[-1], far.split()[-1]) == ("no", "yes")
