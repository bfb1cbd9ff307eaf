r"""Sharp limits of an accuracy, given others: a linear program over all distributions of the favourability.

The largest mean of h(U), given limits of the means of the functions :math:`g_j(U)`, is a linear program in the
probabilities of the values of U. It is solved on nodes. Then the values of u are added at which the dual constraint
:math:`y_0 + \sum_j y_j g_j(u) \ge h(u)` is violated, until there are none. The dual proves the limit (Karlin and
Studden 1966, Tchebycheff Systems, chapter 12).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.optimize import elementwise, linprog

from classex._types import FloatArray
from classex.distributions.limits import failure, success
from classex.exceptions import SolverError

__all__ = ["extremes"]

Setting = tuple[float, float]
_Averaged = tuple[float, float, bool]

# Probits of the favourability that the program starts from, beside both ends
_GRID = np.concatenate([[-np.inf], np.linspace(-12, 12, 161), [np.inf]])
# Levels at which each accuracy, as a function of the favourability, has nodes of its own: it may rise within one step
_LEVELS = special.ndtr(np.linspace(-5, 5, 41))
# Violation of the dual constraint that ends the rounds; after the last round, the largest that is accepted. The limits
# allow for it.
_SMALL, _LARGEST, _MOST_ROUNDS = 1e-9, 1e-6, 20
# New nodes come in threes: the distance within them in the first round, and its factor from round to round
_STEP, _SHRINKING = 4e-3, 0.03
# Conflict of reports that is rounding
_ROUNDING = 1e-8
# Widening of the ends, on the safe side, in turn: a top-5 accuracy of exactly 1 leaves programs that cannot be solved
_SLACKS = (0.0, 1e-7, 1e-6, 1e-5)
# Options of the solver, the second for programs that it otherwise gives up: one in a thousand of random ones. On a few
# programs without room it would not end; those that it solves take some hundred steps
_MOST_STEPS = {"maxiter": 10_000}
_ATTEMPTS = (
    {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10, **_MOST_STEPS},
    {"presolve": False, **_MOST_STEPS},
)


class Extreme(NamedTuple):
    r"""A distribution that makes an accuracy largest or smallest, and the proof that no other goes further.

    Attributes
    ----------
    value : ndarray of shape (...)
        The largest, or smallest, accuracy.
    atoms : ndarray of shape (..., n_atoms)
        Probits of the favourabilities that have positive probability.
    weight : ndarray of shape (..., n_atoms)
        Their probabilities.
    certificate : ndarray of shape (..., n_reports + 1)
        Numbers y such that :math:`y_0 + \sum_j y_j g_j(u)` is nowhere on the wrong side of the accuracy at u.

    Examples
    --------
    >>> import classex as cx
    >>> cx.restate([(2, 1, 0.8)], n_classes=3).largest[0].weight.round(2)
    array([0.8, 0.2])
    """

    value: NDArray[np.float64]
    atoms: NDArray[np.float64]
    weight: NDArray[np.float64]
    certificate: NDArray[np.float64]


def extremes(
    reports: list[Setting],
    ends: FloatArray,
    targets: list[Setting],
    increasing: bool,
    averaged: Sequence[bool] | None = None,
) -> list[Extreme]:
    """Return what makes each of several accuracies smallest, and then largest, given the ends of others.

    Parameters
    ----------
    reports, targets : list of (n_classes, top)
        Which accuracies are reported, and restated.
    ends : ndarray of shape (n_reports, 2)
        Between which the reported accuracies lie.
    increasing : bool
        Whether the favourability has an increasing density: a mixture of uniform distributions on [u, 1], and the
        atoms are these u.
    averaged : sequence of bool, optional
        The same for each target apart: whether its accuracy is the mean over [u, 1], for atoms u.

    Returns
    -------
    list of Extreme
        Two for each target.

    Raises
    ------
    ValueError
        If no distribution has such accuracies; the message says by how much the nearest one misses them.
    """
    known = [(*report, increasing) for report in reports]
    sought = [(*target, mean) for target, mean in zip(targets, averaged or [increasing] * len(targets), strict=True)]
    for slack in _SLACKS[:-1]:
        with suppress(SolverError):
            return _extremes(known, ends + np.array([-slack, slack]), sought)
    return _extremes(known, ends + np.array([-1.0, 1.0]) * _SLACKS[-1], sought)


def _extremes(reports: list[_Averaged], ends: FloatArray, targets: list[_Averaged]) -> list[Extreme]:
    miss, _, nodes = _least_mean([*reports, reports[0]], 0, ends, _GRID)
    if miss.fun > _ROUNDING:
        raise ValueError(
            f"reports must be possible together, but every distribution misses them by {miss.fun:.2g} or more"
        )
    # a point mass, say, leaves no room for rounding
    wide = ends + np.array([-2.0, 2.0]) * (max(miss.fun, _SMALL) if miss.fun > 0 else 0.0)
    extrema = []
    for target, sense in product(targets, (-1, 1)):
        solved, dual, held = _least_mean([*reports, target], -sense, wide, nodes)
        value = dual[0] + np.where(dual[1:] > 0, dual[1:] * wide[:, 0], dual[1:] * wide[:, 1]).sum()
        most = np.argsort(-solved.x[: held.size])[: len(reports) + 1]
        extrema.append(Extreme(np.asarray(-sense * value), held[most], np.maximum(solved.x[most], 0.0), -sense * dual))
    return extrema


def _gains(w: FloatArray, settings: list[_Averaged]) -> FloatArray:
    """Accuracies in several settings at the favourability u = Phi(w), or their means over [u, 1]: (n_settings, n_w)."""
    n, m, averaged = np.array(settings, dtype=np.float64).T[:, :, np.newaxis]
    if not averaged.any():
        return success(w, n, m)
    # the mean failure over losing probabilities from 0 to 1 - u: by parts, incomplete beta functions
    losing = np.maximum(special.ndtr(-w), np.finfo(float).tiny)
    more = averaged * special.betainc(m + 1, n - m, losing) * m / (n * losing)
    return np.asarray(1 - failure(w, n, m) + more)


def _surplus(w: FloatArray, settings: list[_Averaged], dual: tuple[FloatArray, float]) -> FloatArray:
    """By how much the cost at u = Phi(w) exceeds the dual's bound of it."""
    return np.asarray(dual[0] @ _gains(w, settings) - dual[1])


def _least_mean(
    settings: list[_Averaged], sign: int, ends: FloatArray, nodes: FloatArray
) -> tuple[Any, FloatArray, FloatArray]:
    """Least mean of `sign` times the last accuracy, given the ends of the others; for sign 0, the least sum of misses.

    Returns the solution, the constant and the multipliers of its dual, and the nodes.
    """
    levels = [special.ndtri(special.betaincinv(n - m, m, _LEVELS)) for n, m, _ in settings]
    grid = np.unique(np.concatenate([_GRID, *levels]))
    nodes, eye = np.union1d(grid, nodes), np.eye(len(ends))
    free = [(0, 0 if sign else None)] * (2 * len(ends))
    for count in range(_MOST_ROUNDS):
        # columns: probabilities, the accuracies, and how far these are missed from above and below
        *rows, last = _gains(nodes, settings)
        sides = np.block([[np.array(rows), -eye, -eye, eye], [np.ones(nodes.size), np.zeros(3 * len(ends))]])
        cost = np.concatenate([sign * last, np.zeros(len(ends)), np.ones(2 * len(ends))])
        sums, bounds = np.append(np.zeros(len(ends)), 1.0), [*[(0, None)] * nodes.size, *ends, *free]
        for options in _ATTEMPTS:
            solved = linprog(cost, A_eq=sides, b_eq=sums, bounds=bounds, options=options)
            if solved.status == 0:
                break
        else:
            break
        slope, constant = solved.eqlin.marginals[:-1], float(solved.eqlin.marginals[-1])
        surplus = partial(_surplus, settings=settings, dual=(np.append(-slope, sign), constant))
        value = surplus(grid)
        middle = 2 + np.flatnonzero((value[2:-2] <= value[1:-3]) & (value[2:-2] <= value[3:-1]))
        least = elementwise.find_minimum(surplus, (grid[middle - 1], grid[middle], grid[middle + 1]))
        gap = max(-value.min(), -least.f_x.min(initial=0.0), 0.0)
        if gap < _SMALL or (count == _MOST_ROUNDS - 1 and gap < _LARGEST):
            return solved, np.append(constant - gap, slope), nodes
        around = _STEP * _SHRINKING**count * np.array([[-1.0], [0.0], [1.0]])
        # nodes closer than this make columns that the solver cannot tell apart
        nodes = np.unique(np.round(np.append(nodes, least.x[least.f_x < 0] + around), 7))
    raise SolverError("the limits were not found", str(solved.message))
