r"""A smooth correction of a base distribution of the probit, fitted to wins: a concave problem.

W has density :math:`\pi(w) \rho(w)`, with a base distribution :math:`\pi` (probit-normal, or sharpened by scores) and a
piecewise linear ratio :math:`\rho` over knots. Up to a constant the log-likelihood of the wins is

.. math:: \sum_j \omega_j \log \sum_m \rho_m A_{jm}, \qquad A_{jm} = E_\pi[h_m(W) \mid R^*_j],

concave in the values :math:`\rho_m \ge 0` at the knots, where :math:`h_m` are hat functions. A quadratic penalty on the
differences of neighbouring :math:`\rho_m` shrinks the ratio towards 1, the base distribution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from classex._types import FloatArray
from classex.distributions.distribution import DiscreteDistribution
from classex.exceptions import SolverError

__all__ = ["RatioFit", "fit_ratio", "hat_functions", "ratio_knots"]


# Enough for a ratio with a few humps
_N_KNOTS = 20
# Weights of the barrier that keeps the ratio positive: the last one has no effect in double precision
_BARRIERS = 10.0 ** -np.arange(2, 16)
# Newton steps for each weight, and the gain in nats that a further step must promise
_MOST_STEPS, _SMALL_GAIN = 60, 1e-22
# Gain that a further step may promise at the end
_NOT_CONVERGED = 1e-12
# Shortest step of the line search
_LEAST_SHARE = 1e-12
# Penalties to choose from: from nearly the base distribution to nearly free
_SMOOTHNESS = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)


@dataclass(frozen=True)
class RatioFit:
    """A fitted ratio to the base distribution.

    Attributes
    ----------
    ratio : ndarray of shape (n_knots,)
        Ratio at the knots: linear between them, constant beyond the end knots.
    smoothness : float
        Weight of the penalty; infinite if the base distribution was kept.
    freedom : float
        Effective number of parameters of the ratio.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.methods._ratio import fit_ratio
    >>> likelihood, base = np.array([[0.8, 0.2], [0.2, 0.8]]), np.array([0.5, 0.5])
    >>> flat = fit_ratio(likelihood, base, base, n_points=100, inflation=1.0)
    >>> (
    ...     flat.ratio,
    ...     flat.smoothness,
    ...     flat.freedom,
    ... )  # the base distribution explains the data
    (array([1., 1.]), inf, 0.0)
    """

    ratio: FloatArray
    smoothness: float
    freedom: float


def ratio_knots(distribution: DiscreteDistribution) -> FloatArray:
    """Knots that cover all but a thousandth of the distribution at either end.

    Examples
    --------
    >>> from classex.distributions import DiscreteDistribution
    >>> from classex.methods._ratio import ratio_knots
    >>> knots = ratio_knots(DiscreteDistribution.normal(0.0, 1.0))
    >>> knots.size, knots[[0, -1]].round(1)
    (20, array([-3.1,  3.1]))
    """
    order = np.argsort(distribution.nodes)
    cumulative = np.cumsum(distribution.weight[order])
    low, high = np.interp([1e-3, 1 - 1e-3], cumulative, distribution.nodes[order])
    return np.linspace(low, max(high, low + 0.1), _N_KNOTS)


def hat_functions(w: FloatArray, share: FloatArray, knots: FloatArray) -> FloatArray:
    """Expectation of every hat function under weighted nodes: (n, n_nodes) twice gives (n, n_knots).

    Examples
    --------
    >>> import numpy as np
    >>> from classex.methods._ratio import hat_functions
    >>> hat_functions(
    ...     np.array([[0.25, 1.0]]),
    ...     np.array([[0.5, 0.5]]),
    ...     np.array([0.0, 1.0, 2.0]),
    ... )
    array([[0.375, 0.625, 0.   ]])
    """
    step = knots[1] - knots[0]
    x = np.clip((w - knots[0]) / step, 0, knots.size - 1 - 1e-9)
    left = x.astype(np.int64)
    over = x - left
    rows = np.repeat(np.arange(w.shape[0]), w.shape[1])
    out = np.zeros((w.shape[0], knots.size))
    np.add.at(out, (rows, left.ravel()), (share * (1 - over)).ravel())
    np.add.at(out, (rows, left.ravel() + 1), (share * over).ravel())
    return out


def fit_ratio(
    likelihood: FloatArray,
    weight: FloatArray,
    base: FloatArray,
    *,
    n_points: int,
    inflation: float,
    smoothness: float | None = None,
) -> RatioFit:
    r"""Fit the ratio, its smoothness given or chosen by a corrected information criterion.

    Maximises :math:`\sum_j \omega_j \log \sum_m \rho_m A_{jm} - \frac{\lambda}{2} \sum_m (\rho_{m+1} - \rho_m)^2` over
    :math:`\rho \ge 0` with :math:`\sum_m \rho_m E_\pi h_m = 1`.

    Parameters
    ----------
    likelihood : ndarray of shape (n_ranks, n_knots)
        A, the posterior expectations of the hat functions under the base distribution.
    weight : ndarray of shape (n_ranks,)
        Shares of the test points; they sum to 1.
    base : ndarray of shape (n_knots,)
        Expectations of the hat functions under the base distribution; they sum to 1.
    n_points : int
        Number of test points.
    inflation : float
        Variance of averages over points, relative to what their own classes explain.
    smoothness : float, optional
        The weight :math:`\lambda`; infinity keeps the base distribution.

    Returns
    -------
    RatioFit
        The fit whose log-likelihood, minus the effective number of parameters times the inflation, is largest.

    Raises
    ------
    SolverError
        If the convex problem is not solved to optimality.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.methods._ratio import fit_ratio
    >>> likelihood, base = np.array([[0.8, 0.2], [0.2, 0.8]]), np.array([0.5, 0.5])
    >>> share = np.array([0.6, 0.4])
    >>> ratio = fit_ratio(
    ...     likelihood, share, base, n_points=100, inflation=1.0, smoothness=1e-6
    ... ).ratio
    >>> ratio.round(3), (likelihood @ (base * ratio)).round(3)  # the shares are met
    (array([1.333, 0.667]), array([0.6, 0.4]))
    """
    best, highest = RatioFit(np.ones(base.size), np.inf, 0.0), 0.0 if smoothness is None else -np.inf
    if smoothness is None:
        gains = {value: _gain_and_freedom(likelihood, weight, base, best.ratio, value) for value in _SMOOTHNESS}
        # Twice the gain of one Newton step bounds that of most solutions: most data stop here
        wanted = [value for value, (gain, freedom) in gains.items() if 2 * n_points * gain > inflation * freedom]
    else:
        wanted = [smoothness] if np.isfinite(smoothness) else []
    for value in wanted:
        ratio = _solve(likelihood, weight, base, value)
        freedom = _gain_and_freedom(likelihood, weight, base, ratio, value)[1]
        criterion = n_points * float(weight @ np.log(likelihood @ ratio)) - inflation * freedom
        if criterion > highest:
            best, highest = RatioFit(ratio, value, freedom), criterion
    return best


def _solve(likelihood: FloatArray, weight: FloatArray, base: FloatArray, smoothness: float) -> FloatArray:
    """Maximise by Newton's method with a logarithmic barrier whose weight falls until it has no effect.

    The problem is flat: with the tolerances of general solvers, predictions are uncertain by 1e-5.
    """
    keep = weight > 0
    penalty = smoothness * _roughness(base.size)
    ratio, gain = np.ones(base.size), 0.0
    for barrier in _BARRIERS:
        ratio, gain = _newton(likelihood[keep], weight[keep], base, penalty, ratio, barrier)
    if not gain < _NOT_CONVERGED:
        raise SolverError("the ratio to the base distribution was not solved", f"a step would still gain {gain:.1e}")
    raw = np.maximum(ratio, 1e-9)
    return np.asarray(raw / (base @ raw))


def _roughness(n_knots: int) -> FloatArray:
    """Matrix of the squared differences of neighbours."""
    difference = np.diff(np.eye(n_knots), axis=0)
    return difference.T @ difference


def _newton(
    likelihood: FloatArray, weight: FloatArray, base: FloatArray, penalty: FloatArray, ratio: FloatArray, barrier: float
) -> tuple[FloatArray, float]:
    """Newton iterations at one barrier weight; return the maximiser and the gain that a further step promises."""

    def loss(x: FloatArray) -> float:
        if (x <= 0).any():
            return np.inf
        return float(0.5 * x @ penalty @ x - weight @ np.log(likelihood @ x) - barrier * np.log(x).sum())

    gain = np.inf
    for _ in range(_MOST_STEPS):
        score = likelihood / (likelihood @ ratio)[:, np.newaxis]
        slope = weight @ score - penalty @ ratio + barrier / ratio
        curvature = (weight[:, np.newaxis] * score).T @ score + penalty + np.diag(barrier / ratio**2)
        free, across = np.linalg.solve(curvature, np.column_stack([slope, base])).T
        step = free - (base @ free + base @ ratio - 1) / (base @ across) * across
        gain = float(slope @ step)
        if gain < _SMALL_GAIN:
            break
        share, here = 1.0, loss(ratio)
        # Rounding of the loss, about 1e-15, must not stop a step
        while share > _LEAST_SHARE and not loss(ratio + share * step) <= here - 1e-4 * share * gain + 1e-15:
            share /= 2
        ratio = ratio + share * step
    return ratio, gain


def _gain_and_freedom(
    likelihood: FloatArray, weight: FloatArray, base: FloatArray, ratio: FloatArray, smoothness: float
) -> tuple[float, float]:
    """Gain in mean log-likelihood of a Newton step, and effective number of parameters tr(H^-1 M).

    H = G + lambda D'D is the curvature of the penalised objective, M the variance of its gradient over points;
    both in the directions that the constraint leaves free.
    """
    score = likelihood / (likelihood @ ratio)[:, np.newaxis]
    curvature = (weight[:, np.newaxis] * score).T @ score
    tangent = np.linalg.svd(base[np.newaxis])[2][1:].T
    whole = tangent.T @ (curvature + smoothness * _roughness(base.size)) @ tangent
    gradient = tangent.T @ (weight @ score)
    meat = tangent.T @ curvature @ tangent - np.outer(gradient, gradient)
    solved = np.linalg.solve(whole, np.column_stack([gradient, meat]))
    return 0.5 * float(gradient @ solved[:, 0]), float(np.trace(solved[:, 1:]))
