"""The marginal risk estimated from few labels: the bias of plugging in, and its correction."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from classex._validation import one_of
from classex.advantage._class_targets import blocks
from classex.advantage._number_targets import QuantileTarget
from classex.advantage.measure import Loss, make_target


def marginal_risk(
    y_true: ArrayLike,
    *,
    loss: Loss = "zero_one",
    correction: Literal["none", "first_order"] = "none",
    labels: ArrayLike | None = None,
    quantile: float | None = None,
) -> float:
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
    float
        The estimate; nats for cross-entropy.

    Raises
    ------
    ValueError
        If there are fewer than three rows for a correction.

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
    >>> risk = marginal_risk(
    ...     [1.0, 2.0, 6.0], loss="squared", correction="first_order"
    ... )
    >>> round(risk, 12)
    7.0
    """
    one_of(correction, "correction", ("none", "first_order"))
    target = make_target(y_true, loss, labels, quantile)
    n = target.n_rows
    risk = target.best_risk(np.ones(n))
    if correction == "none":
        return risk
    if n < 3:
        raise ValueError(f"the first-order correction needs at least three rows of y_true, not {n}")
    total = 0.0
    for rows in blocks(n, n):
        others = np.ones((rows.stop - rows.start, n))
        np.fill_diagonal(others[:, rows], 0)
        if isinstance(target, QuantileTarget):
            total += float(target.residual_loss(target.y[rows] - target.best_constants(others)).sum())
        else:
            total += float(target.best_risks(others).sum())
    return (risk + total / n) / 2 if isinstance(target, QuantileTarget) else n * risk - (n - 1) * total / n
