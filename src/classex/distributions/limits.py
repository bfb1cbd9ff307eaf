r"""Sharp limits of one accuracy, given another: the convex hull of a curve.

A point of favourability u is among the m best of N with probability

.. math:: g_{N,m}(u) = \Pr[\mathrm{Bin}(N-1, 1-u) < m],

so an accuracy is the mean of such a function over the distribution of U. Two accuracies are possible together if they
lie in the convex hull of the curve :math:`u \mapsto (g_{N,m}(u), g_{K,M}(u))`. Its slope is proportional to
:math:`u^{(K-M)-(N-m)} (1-u)^{M-m}`: it rises or falls, or it turns once. So each side of the hull is an arc of the
curve and at most one chord, from an end of the curve to the point of contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.optimize import elementwise, linprog

from classex._checks import as_class_counts, as_probabilities, broadcast
from classex._types import FloatArray
from classex.exceptions import SolverError

__all__ = ["extremes", "failure", "restated_limits", "success"]


# Probit of the favourability beyond which 1 - u is no normal number
_WIDEST = 37.0
# Keeps logarithms finite
_TINY = 1e-300


def restated_limits(
    accuracy: ArrayLike, n_observed: ArrayLike, n_classes: ArrayLike, *, top_observed: ArrayLike = 1, top: ArrayLike = 1
) -> FloatArray:
    r"""Least and largest accuracy in one setting that any distribution of the favourability allows, given another.

    Parameters
    ----------
    accuracy : array_like of shape (n,)
        Accuracies in [0, 1].
    n_observed, top_observed : int or array_like of int of shape (n,)
        What they are: top-m accuracies with N classes, m < N.
    n_classes, top : int or array_like of int of shape (n,)
        The settings to restate them for: K classes and top M, M < K.

    Returns
    -------
    ndarray of shape (n, 2)
        The limits. Both are attained.

    Raises
    ------
    ValueError
        If an accuracy is outside [0, 1], a number is not a positive whole number, a `top` is not below its number of
        classes, or the shapes do not broadcast.

    See Also
    --------
    classex.restate : The same with standard errors, from several accuracies at once.

    Notes
    -----
    In closed form, apart from one point of contact, which is found by bracketing. Both limits rise with the accuracy,
    so the ends of an interval give an interval. Source: moment spaces are convex hulls (Karlin and Studden 1966,
    Tchebycheff Systems, chapter 2).

    Examples
    --------
    >>> import classex as cx
    >>> cx.distributions.restated_limits([0.62, 0.9], 50, [200, 10]).round(3)
    array([[0.144, 0.62 ],
           [0.9  , 0.981]])
    """
    names = {"n_observed": n_observed, "top_observed": top_observed, "n_classes": n_classes, "top": top}
    counts = {name: as_class_counts(value, name) for name, value in names.items()}
    a, n, m, k, best = broadcast(accuracy=np.atleast_1d(as_probabilities(accuracy, "accuracy")), **counts)
    for few, many in ((m, n), (best, k)):
        if (few >= many).any():
            high, of = few[few >= many][0], many[few >= many][0]
            raise ValueError(f"top must be below the number of classes, not {high:g} with {of:g} classes")
    return np.stack([_hull(a, n, m, k, best, sense) for sense in (-1, 1)], axis=-1)


def success(w: FloatArray, n_classes: ArrayLike, top: ArrayLike) -> FloatArray:
    """Probability that a point of favourability Phi(w) is among the `top` best; elementwise."""
    return np.asarray(special.betaincc(top, np.subtract(n_classes, top), special.ndtr(-w)))


def failure(w: FloatArray, n_classes: ArrayLike, top: ArrayLike) -> FloatArray:
    """One minus `success`, with full relative precision."""
    return np.asarray(special.betainc(top, np.subtract(n_classes, top), special.ndtr(-w)))


def _hull(a: FloatArray, n: FloatArray, m: FloatArray, k: FloatArray, best: FloatArray, sense: int) -> FloatArray:
    """Return the largest (`sense` 1) or smallest (-1) top-`best` accuracy with k classes, elementwise."""
    rise, fall = (k - best) - (n - m), best - m
    turns = rise * fall > 0
    w = special.ndtri(np.where(turns, rise / np.where(turns, rise + fall, 1.0), rise > fall))
    # a chord from u = 0 lies above the curve if the slope rises first, and a chord to u = 1 below it
    from_zero = (sense > 0) ^ (turns & (rise < 0))
    if turns.any():
        bracket = np.where(from_zero, w, -_WIDEST)[turns], np.where(from_zero, _WIDEST, w)[turns]
        rows = tuple(values[turns] for values in (n, m, k, best, from_zero))
        w[turns] = elementwise.find_root(_above_chord, bracket, args=rows).x
    contact, rest = _distance(w, n, m, from_zero), np.where(from_zero, a, 1 - a)
    chord = rest < contact
    # beyond the contact the side of the hull is the curve
    if not chord.all():
        root = elementwise.find_root(_excess, (-_WIDEST, _WIDEST), args=(a[~chord], n[~chord], m[~chord]))
        w[~chord] = np.where(root.success, root.x, np.where(a[~chord] < 0.5, -np.inf, np.inf))
    reached = _distance(w, k, best, from_zero) * np.where(chord, rest / np.maximum(contact, _TINY), 1.0)
    return np.where(from_zero, reached, 1 - reached)


def _excess(w: FloatArray, a: Any, n: Any, m: Any) -> FloatArray:
    """Accuracy at favourability Phi(w), less `a`; `betaincinv` loses digits where m and n are large."""
    return np.asarray(np.where(a < 0.5, success(w, n, m) - a, (1 - a) - failure(w, n, m)))


def _distance(w: FloatArray, n: FloatArray, m: FloatArray, from_zero: NDArray[np.bool_]) -> FloatArray:
    """Distance in one accuracy from the end u = 0 of the curve, or from the end u = 1."""
    return np.where(from_zero, success(w, n, m), failure(w, n, m))


def _above_chord(w: FloatArray, n: Any, m: Any, k: Any, best: Any, from_zero: NDArray[np.bool_]) -> FloatArray:
    """Logarithm of the slope of the curve over the slope of the chord between w and the end."""
    slope = ((k - best) - (n - m)) * special.log_ndtr(w) + (best - m) * special.log_ndtr(-w)
    slope += special.betaln(n - m, m) - special.betaln(k - best, best)
    x, y = (np.maximum(_distance(w, *pair, from_zero), _TINY) for pair in ((n, m), (k, best)))
    return np.asarray(slope + np.log(x) - np.log(y))


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
