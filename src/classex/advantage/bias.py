"""The marginal risk estimated from few labels: the bias of plugging in, and its correction."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from classex._validation import one_of
from classex.advantage._class_targets import FloatArray, Target
from classex.advantage._number_targets import QuantileTarget
from classex.advantage.measure import Loss, make_target

__all__ = ["marginal_risk"]

#: Leave-one-out weights are evaluated in blocks of about this many numbers.
_BLOCK = 4_000_000


def marginal_risk(
    y_true: ArrayLike,
    *,
    loss: Loss = "zero_one",
    correction: str = "none",
    labels: ArrayLike | None = None,
    quantile: float | None = None,
) -> float | FloatArray:
    r"""Risk of the Bayesian marginal prediction: entropy, variance, deviation from the median, 1 - max p.

    The constant that is best for the sample fits it better than the population's best constant does, so the
    plug-in estimate :math:`\hat R_n = \min_a \frac1n \sum_i \ell(a, y_i)` is too small, by about b/n for smooth
    losses. The first-order correction is the jackknife,

    .. math:: n \hat R_n - (n-1) \frac1n \sum_i \hat R_{n-1}^{(-i)},

    with :math:`\hat R_{n-1}^{(-i)}` the plug-in estimate without row i. Medians and quantiles alternate between
    even and odd sizes, which the jackknife would magnify. For absolute and pinball loss the correction is the
    mean of the plug-in and the leave-one-out estimate, which is too large by as much as the former is too small.

    Parameters
    ----------
    y_true, loss, labels, quantile
        As in `prediction_advantage`.
    correction : {"none", "first_order"}
        ``"none"`` is what `prediction_advantage` divides by.

    Returns
    -------
    float or ndarray of shape (n_outputs,)
        The estimate; nats for cross-entropy.

    Raises
    ------
    ValueError
        If a correction is asked for with fewer than three rows.

    Notes
    -----
    b is :math:`(K-1)/2` for the entropy of K labels that all occur, the variance for squared loss, and
    :math:`1/(4 f(m))` for absolute loss with density f at the median m. Where two modes are tied the bias is of
    order :math:`n^{-1/2}`, and the jackknife removes all of it for even n, none for odd n. A corrected estimate
    may be more variable.

    Examples
    --------
    >>> from classex.advantage import marginal_risk
    >>> # the unbiased variance
    >>> marginal_risk([1.0, 2.0, 6.0], loss="squared", correction="first_order")
    7.0
    """
    one_of(correction, "correction", ("none", "first_order"))
    target = make_target(y_true, loss, labels, quantile)
    risk = target.best_risk(np.ones(target.n_rows))
    if correction == "first_order":
        n = target.n_rows
        if n < 3:
            raise ValueError(f"the first-order correction needs at least three rows of y_true, not {n}")
        if isinstance(target, QuantileTarget):
            risk = (risk + _leave_one_out(target)) / 2
        else:
            risk = n * risk - (n - 1) * _mean_without_one(target)
    return risk if risk.size > 1 else float(risk[0])


def _mean_without_one(target: Target) -> FloatArray:
    """Mean of the plug-in estimates without each row in turn."""
    n = target.n_rows
    total = np.zeros(target.n_outputs)
    block = max(1, _BLOCK // n)
    for start in range(0, n, block):
        left_out = np.arange(start, min(start + block, n))
        weights = np.ones((left_out.size, n))
        weights[np.arange(left_out.size), left_out] = 0
        total += target.best_risks(weights).sum(axis=0)
    return total / n


def _leave_one_out(target: Target) -> FloatArray:
    """Mean loss of each row under the constant that is best for the other rows."""
    total = np.zeros(target.n_outputs)
    weight = np.ones(target.n_rows)
    known: dict[bytes, FloatArray] = {}
    for row in range(target.n_rows):
        weight[row] = 0
        constant = target.best_constant(weight)
        weight[row] = 1
        key = constant.tobytes()
        # leaving out one row of n moves a quantile to a neighbour at most: few constants differ
        if key not in known:
            known[key] = target.constant_losses(constant)
        total += known[key][row]
    return total / target.n_rows
