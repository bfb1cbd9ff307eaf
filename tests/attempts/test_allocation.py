"""Which problems to attempt next: one attempt at a time."""

from __future__ import annotations

import numpy as np

import classex as cx


def one_by_one(successes, trials, budget):
    """Give each attempt to the first of the unsolved problems that were tried least."""
    given, tried = np.zeros(len(trials), dtype=int), np.array(trials)
    for _ in range(budget):
        least = min((tried[i] for i in range(len(trials)) if successes[i] == 0), default=None)
        if least is None:
            break
        # ties go to the problem with the fewest trials at the start, and then to the first
        i = min((i for i in range(len(trials)) if successes[i] == 0 and tried[i] == least), key=lambda i: trials[i])
        tried[i] += 1
        given[i] += 1
    return given


def test_the_problems_with_the_fewest_trials_come_first():
    rng = np.random.default_rng(1)
    for _ in range(60):
        trials = rng.integers(1, 15, rng.integers(2, 12))
        successes = rng.binomial(trials, 0.1)
        for budget in (1, 2, 7, 40, 101):
            found = cx.attempts.next_attempts(successes, trials, budget)
            expected = one_by_one(successes, trials, budget)
            assert found.sum() == expected.sum() == (budget if (successes == 0).any() else 0)
            # the same levels, whichever of two equal problems comes first
            unsolved = successes == 0
            after = [np.sort(trials[unsolved] + one[unsolved]) for one in (found, expected)]
            np.testing.assert_array_equal(*after)
            assert (found[~unsolved] == 0).all()


def test_a_plan_that_is_carried_out_is_one_of_trials_that_stopped():
    """Five rounds of 300 attempts at 40 problems; the estimate then takes ``stopped=True``."""
    rng = np.random.default_rng(7)
    p = rng.beta(0.4, 6.0, 40)
    trials = np.ones(40, dtype=int)
    successes = rng.binomial(1, p)
    for _ in range(5):
        for i, number in enumerate(cx.attempts.next_attempts(successes, trials, 300)):
            for _ in range(number):
                if successes[i] == 0:
                    trials[i] += 1
                    successes[i] = rng.binomial(1, p[i])
    found = cx.pass_at_k(successes, trials, [5, 20], stopped=True)
    truth = 1 - ((1 - p) ** np.array([[5], [20]])).mean(axis=1)
    # four standard errors of the share of 40 problems
    np.testing.assert_allclose(found.value, truth, atol=4 * np.sqrt(0.25 / 40))
    assert trials[successes == 0].min() > 30
