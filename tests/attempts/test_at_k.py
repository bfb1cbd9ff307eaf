"""best@k, m of k, maj@k and intervals for these problems, against enumeration and simulation."""

from __future__ import annotations

from itertools import combinations
from math import ceil, comb

import numpy as np
import pytest
from scipy import stats

import classex as cx
from classex.fields.attempts import best_at_k, majority_at_k, pass_at_k_difference, pass_hat_k

RNG = np.random.default_rng(8)
ROWS = [RNG.random(6), RNG.random(5).round(1), np.array([0.0, 1, 1, 0, 1, 0, 0])]
ANSWERS = [list("abbca"), list("bbcca"), list("cccab"), list("abcdea")]


def enumerated(rows, k, worth):
    """Mean over all k-subsets of the attempts, for each problem."""
    return np.array([np.mean([worth(some, i) for some in combinations(row, k)]) for i, row in enumerate(rows)])


def vote(some, right="a"):
    count = {name: some.count(name) for name in some}
    best = [name for name, votes in count.items() if votes == max(count.values())]
    return (right in best) / len(best)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.6, 0.75, 1.0])
def test_scores_by_enumeration(share):
    found = best_at_k(ROWS, range(1, 6), share=share)
    for i, k in enumerate(range(1, 6)):
        m = max(1, ceil(share * k - 1e-9))
        each = enumerated(ROWS, k, lambda some, _, m=m: sorted(some)[-m])
        assert found.value[i] == pytest.approx(each.mean(), abs=1e-12)
        assert found.standard_error[i] == pytest.approx(np.std(each, ddof=1) / np.sqrt(3), abs=1e-12)


def test_m_of_k_is_the_formula_of_scorio():
    """G-Pass@k of successes c among n: sum over j >= ceil(share k) of C(c, j) C(n - c, k - j) / C(n, k)."""
    n, successes, k = 60, np.array([0, 3, 31, 58, 60]), 16
    scores = (np.arange(n) < successes[:, np.newaxis]).astype(float)
    for share in (0.25, 0.5, 0.75, 1.0):
        m = ceil(share * k)
        exact = np.mean([sum(comb(c, j) * comb(n - c, k - j) for j in range(m, k + 1)) / comb(n, k) for c in successes])
        assert best_at_k(scores, k, share=share).value[0] == pytest.approx(exact, abs=1e-12)
    assert best_at_k(scores, k, share=1.0).value[0] == pytest.approx(pass_hat_k(successes, n, k).value[0], abs=1e-12)
    assert best_at_k(np.ones((2, 1000)), 500, share=0.5).value[0] == pytest.approx(1, abs=1e-12)
    assert best_at_k(scores, k).value[0] == pytest.approx(cx.pass_at_k(successes, n, k).value[0], abs=1e-12)


def test_votes_by_enumeration():
    found = majority_at_k(ANSWERS, ["a"] * 4, range(1, 6))
    for i, k in enumerate(range(1, 6)):
        each = enumerated(ANSWERS, k, lambda some, _: vote(some))
        assert found.value[i] == pytest.approx(each.mean(), abs=1e-12)
    assert majority_at_k([[1, 2, 1, 3]] * 2, [1, 9], 3).value[0] == pytest.approx(
        enumerated([[1, 2, 1, 3]], 3, lambda some, _: vote(some, 1))[0] / 2
    )


@pytest.mark.parametrize("measure", ["best", "vote"])
def test_the_chance_of_trials_is_the_jackknife(measure):
    """One attempt left out at a time."""
    rows = ROWS if measure == "best" else ANSWERS
    worth = (lambda some, _: max(some)) if measure == "best" else (lambda some, _: vote(some))
    found = (
        best_at_k(rows, [1, 3], problems="these")
        if measure == "best"
        else majority_at_k(rows, ["a"] * 4, [1, 3], problems="these")
    )
    for i, k in enumerate((1, 3)):
        variance = 0.0
        for row in map(list, rows):
            without = enumerated([row[:j] + row[j + 1 :] for j in range(len(row))], k, worth)
            variance += np.var(without) * (len(row) - 1)
        assert found.standard_error[i] == pytest.approx(np.sqrt(variance) / len(rows), abs=1e-12)


def test_scores_on_another_scale():
    a, b = best_at_k(ROWS, 2), best_at_k([10 * row - 5 for row in ROWS], 2, bounds=(-5, 5))
    np.testing.assert_allclose(10 * a.interval - 5, b.interval)
    np.testing.assert_allclose((10 * a.value - 5, 10 * a.standard_error), (b.value, b.standard_error))


LAWS = {
    "many": (stats.beta(0.6, 0.9).ppf(np.linspace(0.005, 0.995, 100)), 5),
    "few": (stats.beta(0.6, 0.9).ppf(np.linspace(0.02, 0.98, 20)), 8),
    "alike": (np.full(50, 0.5), 4),
    "rare": (np.where(np.arange(50) % 2, 0.3, 0.003), 50),
    "single": (stats.beta(0.6, 0.9).ppf(np.linspace(0.005, 0.995, 100)), 1),
    "unequal": (np.linspace(0.05, 0.95, 40), np.tile([3, 5], 20)),
}


@pytest.mark.parametrize("law", LAWS)
def test_intervals_for_these_problems_cover(law):
    """At least .93, less two standard errors of 100 sets of trials, and inside the interval for a population."""
    rng, (p, n) = np.random.default_rng(2), LAWS[law]
    k = np.unique([1, (np.min(n) + 1) // 2, np.min(n)])
    truth, covered = np.array([np.mean(1 - (1 - p) ** size) for size in k]), []
    for _ in range(100):
        successes = rng.binomial(n, p)
        low, high = cx.pass_at_k(successes, n, k, problems="these", stopped=False).interval.T
        covered.append((low <= truth) & (truth <= high))
    assert (np.mean(covered, axis=0) >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / 100)).all()
    least, most = cx.pass_at_k(successes, n, k, stopped=False).interval.T
    assert ((least <= low) & (high <= most)).all()


def test_differences_on_these_problems_cover():
    rng, (p, n) = np.random.default_rng(4), LAWS["few"]
    better, k, covered = np.clip(p + 0.1, 0, 1), np.array([1, 4, 8]), []
    truth = np.array([np.mean((1 - better) ** size - (1 - p) ** size) for size in k])
    for _ in range(100):
        pair = [(rng.binomial(n, chance), n) for chance in (p, better)]
        found = pass_at_k_difference(*pair, k, problems="these")
        covered.append((found.interval[:, 0] <= truth) & (truth <= found.interval[:, 1]))
    assert (np.mean(covered, axis=0) >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / 100)).all()
    assert (np.ptp(found.interval, axis=1) <= np.ptp(pass_at_k_difference(*pair, k).interval, axis=1)).all()
    assert "intervals for these problems alone" in str(found)


def test_intervals_for_these_problems_are_narrow_where_problems_differ():
    """164 problems and five trials, as in a report of HumanEval: less than half as wide."""
    rng = np.random.default_rng(5)
    successes = rng.binomial(5, rng.beta(0.6, 0.9, 164))
    these, all_of_them = (np.ptp(cx.pass_at_k(successes, 5, 1, problems=of).interval) for of in ("these", "population"))
    assert these < 0.55 * all_of_them
    found = pass_hat_k(successes, 5, [1, 2], problems="these")
    mirrored = cx.pass_at_k(5 - successes, 5, [1, 2], problems="these")
    np.testing.assert_allclose(found.interval, 1 - mirrored.interval[:, ::-1])
    assert "intervals for these problems alone" in str(found)


def test_the_chance_of_trials_is_unbiased_up_to_half_of_them():
    """Over all outcomes of eight trials at each of two problems, fixed and stopped at a success."""
    p = np.array([0.2, 0.6])
    counts = np.arange(9)
    weight = np.multiply.outer(*(stats.binom.pmf(counts, 8, one) for one in p))
    outcomes = [(a, b) for a in counts for b in counts]
    found = [cx.pass_at_k(one, 8, 4, problems="these", stopped=False).standard_error[0] ** 2 for one in outcomes]
    values = [cx.pass_at_k(one, 8, 4).value[0] for one in outcomes]
    exact = weight.ravel() @ np.square(values) - (weight.ravel() @ values) ** 2
    # a variance below zero counts as zero
    assert exact <= weight.ravel() @ found < 1.02 * exact
    first = np.minimum(np.arange(1, 10), 9)
    chance = [np.append(one * (1 - one) ** np.arange(8), (1 - one) ** 8) for one in p]
    weight = np.multiply.outer(*chance)
    of = [([a < 9, b < 9], [min(a, 8), min(b, 8)]) for a in first for b in first]
    found = [cx.pass_at_k(*one, 4, stopped=True, problems="these").standard_error[0] ** 2 for one in of]
    q = (1 - p) ** 4
    assert weight.ravel() @ found == pytest.approx((q * (1 - q)).sum() / 4)


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_graded_intervals_cover(share):
    """Scores of 30 problems, eight trials: these problems, and the population they are drawn from, in .93 of 200."""
    rng, k = np.random.default_rng(3), 4
    level = rng.beta(1, 1, 30)

    def drawn(level):
        return np.clip(level[:, np.newaxis] + 0.3 * rng.normal(size=(level.size, 8)), 0, 1)

    z = np.sort(0.3 * rng.normal(size=(4_000, k)), axis=1)[:, -max(1, int(share * k))]
    true = np.clip(level[:, np.newaxis] + z, 0, 1).mean()
    all_true = np.clip(rng.beta(1, 1, 4_000) + z, 0, 1).mean()
    covered = []
    for _ in range(200):
        low, high = best_at_k(drawn(level), k, share=share, problems="these").interval[0]
        least, most = best_at_k(drawn(rng.beta(1, 1, 30)), k, share=share).interval[0]
        covered.append((low <= true <= high, least <= all_true <= most))
    assert (np.mean(covered, axis=0) >= 0.93).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cx.pass_at_k([1, 2], 5, 6, problems="these"), "at most 5 with problems='these'"),
        (lambda: cx.pass_at_k([1, 2], 5, 1, problems="these", groups=[0, 1]), "groups must be None"),
        (lambda: cx.pass_at_k([1, 2], 5, 1, problems="some"), "problems must be"),
        (lambda: best_at_k(ROWS, 6), "at most 5, since the trials show nothing beyond"),
        (lambda: best_at_k(ROWS, 5, problems="these"), "at most 4, since the chance"),
        (lambda: best_at_k([[1, 8], [3, 4]], 1), "must lie in bounds"),
        (lambda: best_at_k([[0, 1]], 1), "at least two problems"),
        (lambda: best_at_k(ROWS, 1, bounds=(1, 0)), "ascending"),
        (lambda: majority_at_k([[1, 2], [2, 2]], ["1", "2"], 1), "all be text, or all numbers"),
        (lambda: majority_at_k(ANSWERS, ["a"], 1), "the 4 problems of answers"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
