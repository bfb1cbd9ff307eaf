r"""Sharp limits of an accuracy, given several others: a linear program over all distributions of the favourability.

The largest mean of h(U), given limits of the means of the functions :math:`g_j(U)`, is a linear program in the
probabilities of the values of U. It is solved on nodes. Then the values of u are added at which the dual constraint
:math:`y_0 + \sum_j y_j g_j(u) \ge h(u)` is violated, until there are none. The dual proves the limit (Karlin and
Studden 1966, Tchebycheff Systems, chapter 12).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.optimize import elementwise, linprog

from classex.exceptions import SolverError
from classex.intervals.restated import Extreme, failure, success

__all__ = ["extremes_of_several"]

FloatArray = NDArray[np.float64]

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
_EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def extremes_of_several(
    reports: list[tuple[float, float]],
    ends: FloatArray,
    targets: list[tuple[float, float]],
    *,
    increasing: bool = False,
) -> list[tuple[Extreme, Extreme]]:
    """Return what makes each of several accuracies smallest, and largest, given the ends of others.

    Parameters
    ----------
    reports, targets : list of (n_classes, top)
        Which accuracies are reported, and restated.
    ends : ndarray of shape (n_reports, 2)
        Between which the reported accuracies lie.
    increasing : bool
        Whether the favourability has an increasing density: a mixture of uniform distributions on [u, 1].

    Raises
    ------
    ValueError
        If no distribution has such accuracies; the message says by how much the nearest one misses them.
    """

    def gains(w: FloatArray) -> FloatArray:
        return np.array([_gain(w, *one, increasing) for one in reports])

    levels = [special.ndtri(special.betaincinv(n - m, m, _LEVELS)) for n, m in (*reports, *targets)]
    grid = np.unique(np.concatenate([_GRID, *levels]))
    miss, _, _, nodes = _least_mean(np.zeros_like, gains, ends, grid, grid, price=1.0)
    if miss.fun > _ROUNDING:
        raise ValueError(
            f"reports must be possible together, but every distribution misses one of them by {miss.fun:.2g} or more,"
            " beyond its standard errors"
        )
    # a point mass, say, leaves no room for rounding
    wide = ends + np.array([-2.0, 2.0]) * (max(miss.fun, _SMALL) if miss.fun > 0 else 0.0)
    found = []
    for target in targets:
        pair = []
        for sense in (-1, 1):

            def cost(w: FloatArray, target: tuple[float, float] = target, sense: int = sense) -> FloatArray:
                return -sense * _gain(w, *target, increasing)

            solved, slope, constant, held = _least_mean(cost, gains, wide, nodes, grid)
            value = constant + np.where(slope > 0, slope * wide[:, 0], slope * wide[:, 1]).sum()
            most = np.argsort(-solved.x[:-1])[: len(reports) + 1]
            dual = -sense * np.append(constant, slope)
            pair.append(Extreme(np.asarray(-sense * value), held[most], np.maximum(solved.x[most], 0.0), dual))
        found.append((pair[0], pair[1]))
    return found


def _gain(w: FloatArray, n_classes: float, top: float, increasing: bool) -> FloatArray:
    """Accuracy at the favourability u = Phi(w), or its mean over [u, 1]."""
    if not increasing:
        return success(w, n_classes, top)
    # the mean failure over losing probabilities from 0 to 1 - u: by parts, incomplete beta functions
    losing = np.maximum(special.ndtr(-w), np.finfo(float).tiny)
    later = special.betainc(top + 1, n_classes - top, losing) * top / (n_classes * losing)
    return np.asarray(1 - failure(w, n_classes, top) + later)


def _least_mean(
    cost: Callable[[FloatArray], FloatArray],
    gains: Callable[[FloatArray], FloatArray],
    ends: FloatArray,
    nodes: FloatArray,
    grid: FloatArray,
    price: float | None = None,
) -> tuple[Any, FloatArray, float, FloatArray]:
    """Least mean cost of a distribution, plus the price of the largest violation of the ends if there is a price.

    Returns the solution, the multipliers, their constant, and the nodes. The cost at every u is at least the constant
    plus the multipliers times the gains.
    """
    for count in range(_MOST_ROUNDS):
        rows, slack = gains(nodes), np.full((len(ends), 1), -1.0)
        solved = linprog(
            np.append(cost(nodes), price or 0.0),
            A_ub=np.block([[rows, slack], [-rows, slack]]),
            b_ub=np.concatenate([ends[:, 1], -ends[:, 0]]),
            A_eq=np.append(np.ones(nodes.size), 0.0)[np.newaxis],
            b_eq=[1.0],
            bounds=[(0, None)] * nodes.size + [(0, None if price else 0)],
            options=_EXACT,
        )
        if solved.status != 0:
            break
        slope, constant = np.subtract(*np.split(solved.ineqlin.marginals, 2)), solved.eqlin.marginals[0]

        def rest(w: FloatArray, slope: FloatArray = slope, constant: float = constant) -> FloatArray:
            return np.asarray(cost(w) - constant - slope @ gains(w))

        value = rest(grid)
        middle = 2 + np.flatnonzero((value[2:-2] <= value[1:-3]) & (value[2:-2] <= value[3:-1]))
        least = elementwise.find_minimum(rest, (grid[middle - 1], grid[middle], grid[middle + 1]))
        gap = max(-value.min(), -least.f_x.min(initial=0.0), 0.0)
        if gap < _SMALL or (count == _MOST_ROUNDS - 1 and gap < _LARGEST):
            return solved, slope, float(constant - gap), nodes
        around = _STEP * _SHRINKING**count * np.array([[-1.0], [0.0], [1.0]])
        nodes = np.union1d(nodes, least.x[least.f_x < 0] + around)
    raise SolverError("the limits were not found", str(solved.message))
