"""pass^k, the attempts that a coverage takes, problems in groups, and the numbers of other programs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import classex as cx


def human_eval(n, c, k):
    """The product that OpenAI's human-eval computes for one problem."""
    return 1.0 if n - c < k else 1.0 - float(np.prod([1.0 - k / i for i in range(n - c + 1, n + 1)]))


def test_the_numbers_of_human_eval():
    rng = np.random.default_rng(1)
    trials = rng.integers(20, 200, 50)
    successes = rng.binomial(trials, rng.random(50) ** 3)
    for k in (1, 5, 20):
        expected = np.mean([human_eval(n, c, k) for n, c in zip(trials, successes, strict=True)])
        assert cx.pass_at_k(successes, trials, k, stopped=False).value[0] == pytest.approx(expected, abs=1e-12)
    # beyond the trials it says 1 without a single success
    assert human_eval(10, 0, 11) == 1.0
    assert cx.pass_at_k([0, 0], 10, 11).value[0] < 0.5


@pytest.mark.parametrize(
    ("k", "at_least_one", "all_of_them"), [(2, 0.8, 0.2), (3, 0.95, 0.05), (5, 1.0, 0.0), (1, 0.5, 0.5)]
)
def test_the_numbers_of_inspect_ai(k, at_least_one, all_of_them):
    """Its tests of pass_at and pass_k: scores 6, 0, 0, 0, 8 and 4, of which three reach the threshold."""
    assert cx.pass_at_k([3, 3], 6, k).value[0] == pytest.approx(at_least_one, abs=1e-12)
    assert cx.attempts.pass_hat_k([3, 3], 6, k).value[0] == pytest.approx(all_of_them, abs=1e-12)


def test_pass_hat_k_is_the_share_of_subsets_with_successes_alone():
    successes, trials = np.array([0, 1, 3, 6, 2]), np.array([6, 6, 7, 6, 8])
    for k in range(1, 7):
        by_problem = [
            np.mean([min(chosen) for chosen in combinations([1] * c + [0] * (n - c), k)])
            for c, n in zip(successes, trials, strict=True)
        ]
        found = cx.attempts.pass_hat_k(successes, trials, k)
        assert found.value[0] == pytest.approx(np.mean(by_problem), abs=1e-12)
        assert found.standard_error[0] == pytest.approx(np.std(by_problem, ddof=1) / np.sqrt(5), rel=1e-9)
        assert found.interval[0, 0] <= found.value[0] <= found.interval[0, 1]
    k = [6, 7, 100, 10**6]
    found, failed = cx.attempts.pass_hat_k(successes, trials, k), cx.pass_at_k(trials - successes, trials, k)
    assert (np.diff(found.value) <= 1e-12).all()
    np.testing.assert_array_equal(found.value, 1 - failed.value)
    np.testing.assert_array_equal(found.limits, 1 - failed.limits[:, ::-1])
    assert (found.n_unsolved, failed.n_unsolved) == (1, 1)
    with pytest.raises(ValueError, match="pass\\^k needs trials fixed in advance"):
        cx.attempts.pass_hat_k([1, 1, 1, 0], [1, 3, 4, 6], 1)


def test_the_attempts_until_a_coverage():
    """The first number of attempts that reaches it, and the same for the ends, among all up to 400."""
    successes, k = [0, 0, 1, 3, 0, 10, 7, 0, 2, 5], np.arange(1, 401)
    curve = cx.pass_at_k(successes, 10, k)
    for coverage in (0.05, 0.3, 0.55, 0.62, 0.7):
        cost = cx.attempts.attempts_to_reach(successes, 10, coverage)
        for found, column in (
            (cost.value, curve.value),
            (cost.low, curve.interval[:, 1]),
            (cost.high, curve.interval[:, 0]),
        ):
            reached = k[column >= coverage]
            assert found == reached[0] if reached.size else found > 400, coverage
        assert cost.low <= cost.value <= cost.high, coverage


def test_a_coverage_that_may_never_be_reached():
    cost = cx.attempts.attempts_to_reach([0] * 8 + [9, 10], 10, 0.9)
    assert cost.high == np.inf
    assert "to infinite" in str(cost)
    hopeless = cx.attempts.attempts_to_reach([0] * 40, 10, 0.999)
    assert hopeless.high == np.inf
    stopped = cx.attempts.attempts_to_reach([1, 1, 1, 0], [1, 3, 4, 6], 0.7, stopped=True)
    assert stopped.value == 4
    with pytest.raises(ValueError, match="coverage"):
        cx.attempts.attempts_to_reach([1, 2], 3, 1.0)


def test_the_standard_error_over_groups():
    """The mean over problems is a ratio of sums over groups: its delta-method error, from sums of deviations."""
    rng = np.random.default_rng(6)
    successes, group = rng.binomial(10, 0.3, 30), np.array(list("abcde"))[rng.integers(0, 5, 30)]
    value = np.array([human_eval(10, c, 3) for c in successes])
    off = [np.sum(value[group == one] - value.mean()) for one in np.unique(group)]
    found = cx.pass_at_k(successes, 10, 3, groups=group)
    assert found.standard_error[0] == pytest.approx(np.sqrt(5 / 4 * np.sum(np.square(off))) / 30, rel=1e-9)
