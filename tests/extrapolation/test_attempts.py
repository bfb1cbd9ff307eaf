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


def test_the_interval_holds_those_with_and_without_impossible_problems():
    rng = np.random.default_rng(2)
    successes = rng.binomial(30, rng.beta(0.4, 3.0, 120))
    k = np.array([100.0, 3_000.0])
    low, high = cx.pass_at_k(successes, 30, k).interval.T
    ends = []
    for atoms in (True, "always"):
        law = cx.laws.fit_beta_binomial_counts(successes, 30, limited=False, atoms=atoms, n_draws=600)
        assert (law.never > 1e-9) == (atoms is True)
        draws, weights = law.accuracy_draws(k + 1)
        for column, draw in enumerate((1 - draws).T):
            order = np.argsort(draw)
            share = np.cumsum(weights[order])
            ends.append([column, *(draw[order][np.searchsorted(share, q)] for q in (0.025, 0.975))])
    for column in (0, 1):
        own = np.array([row[1:] for row in ends if row[0] == column])
        np.testing.assert_allclose([low[column], high[column]], [own[:, 0].min(), own[:, 1].max()], rtol=1e-12)


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
