"""How predictions from a fitted D react to the accuracies it was fitted to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

from classex.methods.moments import Discriminability, MomentRegression

__all__ = ["prediction_sensitivity"]

FloatArray = NDArray[np.float64]

_ACTIVE = 1e-7
_RANK_TOLERANCE = 1e-10


def prediction_sensitivity(
    problem: MomentRegression, fit: Discriminability, n_classes: FloatArray, top: int = 1
) -> FloatArray:
    r"""Derivatives of predicted accuracies with respect to the observed ones.

    Without constraints these are the rows of :math:`H_K G`, with
    :math:`G = (H^\top W H)^{-1} H^\top W`; with constraints, those that hold with equality at the solution
    are kept, and coefficients that are zero stay zero.

    Parameters
    ----------
    problem : MomentRegression
        The regression.
    fit : Discriminability
        Its solution.
    n_classes : ndarray of shape (n,)
        Checked numbers of classes to predict at.
    top : int
        A point counts as correct when its truth is among the `top` best labels.

    Returns
    -------
    ndarray of shape (n, n_observed)
        Sensitivities; with the covariance S of the observed accuracies, row s has variance ``s @ S @ s``.

    Notes
    -----
    Source: thesis section 3.4.1.
    """
    beta = fit.coefficients.copy()
    if problem.survival:
        beta[-1] = 1.0 - beta.sum()
    active = np.flatnonzero(beta * problem.scale > _ACTIVE) if problem.nonnegative else np.arange(beta.size)
    n_observed = problem.n_classes.size
    if active.size == 0:
        return np.zeros((n_classes.size, n_observed))
    rows, observed = _equalities(problem, beta, active)
    a = problem.whiten(problem.columns(problem.n_classes)[:, active])
    particular = np.linalg.pinv(rows) @ observed
    free = null_space(rows) if rows.size else np.eye(active.size)
    beside = problem.whiten(np.eye(n_observed)) - a @ particular
    reaction = particular + free @ (np.linalg.pinv(a @ free, rcond=_RANK_TOLERANCE) @ beside)
    out: FloatArray = problem.columns(n_classes, top)[:, active] @ reaction
    return out


def _equalities(problem: MomentRegression, beta: FloatArray, active: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """Rows of the constraints that hold with equality, and how their right sides follow the observations."""
    rows = []
    if not problem.survival:
        shape = problem.basis.shape_rows()
        value = shape @ beta
        if problem.bounded:
            rows += [shape[i] for i, at_end in ((0, value[0] < _ACTIVE), (-1, value[-1] > 1 - _ACTIVE)) if at_end]
        if problem.monotone and not (problem.nonnegative and problem.basis.increasing):
            rows += list(np.diff(shape, axis=0)[np.diff(value) < _ACTIVE])
    observed = np.zeros((len(rows) + problem.exact, problem.n_classes.size))
    if problem.exact:
        rows.append(problem.columns(problem.n_classes[-1:])[0])
        observed[-1, -1] = 1.0
    stacked = np.array(rows).reshape(len(rows), beta.size)[:, active]
    return stacked, observed
