"""Differences of pass@k on the same problems."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import classex as cx

RNG = np.random.default_rng(2)
FIRST, SECOND = (RNG.integers(0, 6, 30), 5), (RNG.integers(0, 8, 30), 7)


def slow(won, tried, k):
    """pass@k of one problem, over all sets of k attempts."""
    outcomes = [1] * won + [0] * (tried - won)
    return np.mean([max(some) for some in combinations(outcomes, k)])


def test_values_and_errors_by_plain_loops():
    found = cx.attempts.pass_at_k_difference(FIRST, SECOND, [1, 3, 5])
    for i, k in enumerate((1, 3, 5)):
        each = np.array([slow(a, 5, k) - slow(b, 7, k) for a, b in zip(FIRST[0], SECOND[0], strict=True)])
        assert found.value[i] == pytest.approx(each.mean(), abs=1e-14)
        assert found.standard_error[i] == pytest.approx(each.std(ddof=1) / np.sqrt(30))
        ends = stats.t.interval(0.95, 29, each.mean(), found.standard_error[i])
        assert found.interval[i, 0] <= ends[0] + 1e-12
        assert found.interval[i, 1] >= ends[1] - 1e-12
    for name in ("pass_at_k", "pass_hat_k"):
        assert name in dir(cx.attempts)
    whole = cx.pass_at_k(*FIRST, [1, 3, 5]).value - cx.pass_at_k(*SECOND, [1, 3, 5]).value
    np.testing.assert_allclose(found.value, whole, atol=1e-12)


def test_groups_are_the_sample():
    groups = np.repeat(np.arange(10), 3)
    found = cx.attempts.pass_at_k_difference(FIRST, SECOND, 1, groups=groups)
    each = FIRST[0] / 5 - SECOND[0] / 7
    sums = np.array([(each - each.mean())[groups == g].sum() for g in range(10)])
    assert found.standard_error[0] == pytest.approx(np.sqrt((sums**2).sum() * 10 / 9) / 30)
    alone = cx.attempts.pass_at_k_difference(FIRST, SECOND, 1, groups=np.arange(30))
    plain = cx.attempts.pass_at_k_difference(FIRST, SECOND, 1)
    np.testing.assert_allclose(alone.interval, plain.interval)


@pytest.mark.parametrize(("n", "gap"), [(20, 0.0), (100, 0.1)])
def test_intervals_cover(n, gap):
    """95 % intervals over samples of problems, within four standard errors of the coverage, or above."""
    rng, covered = np.random.default_rng(3), []
    for _ in range(400):
        p = rng.beta(0.6, 0.9, n) * (1 - gap)
        pair = [(rng.binomial(4, chance), 4) for chance in (p, p + gap)]
        low, high = cx.attempts.pass_at_k_difference(*pair, 1).interval[0]
        covered.append(low <= -gap <= high)
    assert np.mean(covered) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 400)


def test_equal_systems_still_have_an_interval():
    low, high = cx.attempts.pass_at_k_difference(([5] * 40, 5), ([5] * 40, 5), 1).interval[0]
    unseen = stats.beta.ppf(0.975, 0.5, 40)
    assert (low, high) == pytest.approx((-unseen, unseen))
