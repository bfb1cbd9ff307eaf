"""The best rejection rule against exhaustive search and against rejection by confidence."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linprog

from classex.advantage import best_rejection


def advantage(g, p, cost):
    expected = p @ cost
    return 1 - (g @ expected.min(axis=1)) / (g @ expected).min()


@pytest.mark.parametrize("seed", range(12))
def test_beats_every_subset(seed):
    rng = np.random.default_rng(seed)
    k = 2 + seed % 2
    p = rng.dirichlet(np.full(k, 0.8), 9)
    cost = 1 - np.eye(k)
    for size in (3, 6, 9):
        g = best_rejection(p, coverage=size / 9)
        assert g.sum() == pytest.approx(size)
        best = max(advantage(np.isin(np.arange(9), rows), p, cost) for rows in combinations(range(9), size))
        assert advantage(g, p, cost) >= best - 1e-9
        fractional = np.count_nonzero((g > 1e-9) & (g < 1 - 1e-9))
        assert fractional <= k + 1


def test_full_coverage_accepts_everything():
    p = np.array([[0.7, 0.3], [0.2, 0.8], [0.6, 0.4], [0.9, 0.1]])
    np.testing.assert_allclose(best_rejection(p, coverage=1), 1)


def test_certain_rows_of_one_class_do_not_stop_the_search():
    p = np.array([[1.0, 0.0]] * 5 + [[0.5, 0.5]])
    g = best_rejection(p, coverage=0.5)
    assert g.sum() == pytest.approx(3)


def test_solver_failure_is_an_error(monkeypatch):
    monkeypatch.setattr("scipy.optimize.linprog", lambda *_, **__: SimpleNamespace(status=4, message="no"))
    with pytest.raises(RuntimeError, match=r"not solved \(status 4\): no"):
        best_rejection([[0.5, 0.5]], coverage=1)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_best_advantage_is_one_minus_the_smallest_feasible_ratio(seed):
    """The theorem of chapter 6, with the smallest t found by bisection over feasibility problems."""
    p = np.random.default_rng(seed).dirichlet([0.6, 0.4, 0.5], 25)
    expected, loss, coverage = 1 - p, 1 - p.max(axis=1), 0.4

    def feasible(t):
        found = linprog(
            np.zeros(25), A_ub=(loss[:, np.newaxis] - t * expected).T, b_ub=np.zeros(3),
            A_eq=np.ones((1, 25)), b_eq=[coverage * 25], bounds=[(0, 1)] * 25,
        )  # fmt: skip
        return found.status == 0

    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if feasible(middle) else (middle, high)
    g = best_rejection(p, coverage=coverage)
    # the largest advantage, not the smallest ratio itself, as it was once printed
    assert 1 - (g @ loss) / (g @ expected).min() == pytest.approx(1 - high, abs=1e-6)
    assert abs((1 - high) - high) > 0.05
