"""Selective prediction: risk and prediction advantage on the rows a predictor is most confident about."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from classex._validation import as_finite_array, as_weights
from classex.advantage._class_targets import blocks
from classex.advantage._results import SelectiveCurve
from classex.advantage.measure import Loss, make_target

# coverages on the default grid: a curve of more points looks the same
_MOST_COVERAGES = 1000


def selective_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    confidence: ArrayLike,
    *,
    loss: Loss = "zero_one",
    coverage: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    quantile: float | None = None,
) -> SelectiveCurve:
    r"""Risk, marginal risk and prediction advantage as functions of coverage.

    At coverage c the predictor answers on the share c of rows with the highest confidence and declines on the
    others. The accepted rows have their own distribution of Y, so the best constant is that of these rows:

    .. math:: \mathrm{PA}(c) = 1 - \frac{R_c(f)}{\min_a R_c(a)}.

    Parameters
    ----------
    y_true, y_pred, loss, sample_weight, labels, quantile
        As in `prediction_advantage`.
    confidence : array_like of shape (n,)
        Confidence of each row's prediction, of which only the order matters. Rows that tie at the threshold are
        accepted with equal probabilities: they enter with fractional weight.
    coverage : array_like of shape (n_coverages,), optional
        Increasing coverages in (0, 1]. By default 1/n, 2/n, ..., 1, or 1,000 equally spaced ones.

    Returns
    -------
    SelectiveCurve

    Notes
    -----
    Source: slides "The Prediction Advantage", selective prediction.

    Examples
    --------
    >>> from classex.advantage import selective_curve
    >>> curve = selective_curve(
    ...     [0, 0, 0, 1],
    ...     [0, 0, 1, 1],
    ...     [0.9, 0.8, 0.6, 0.7],
    ...     coverage=[0.5, 0.75, 1],
    ... )
    >>> curve.risk, curve.marginal_risk.round(4), curve.advantage
    (array([0.  , 0.  , 0.25]), array([0.    , 0.3333, 0.25  ]), array([0., 1., 0.]))
    """
    target = make_target(y_true, loss, labels, quantile)
    weight = as_weights(sample_weight, target.n_rows)
    losses = target.row_losses(y_pred)
    score = as_finite_array(confidence, "confidence", ndim=1)
    if score.shape[0] != target.n_rows:
        raise ValueError(f"confidence must have shape ({target.n_rows},), one entry per row, but has {score.shape}")
    if coverage is None:
        n = min(target.n_rows, _MOST_COVERAGES)
        coverage = np.arange(1, n + 1) / n
    grid = as_finite_array(coverage, "coverage", ndim=1, dtype=np.float64)
    if grid.size == 0 or (grid <= 0).any() or (grid > 1).any() or (np.diff(grid) <= 0).any():
        raise ValueError(f"coverage must increase and lie in (0, 1], not {grid}")
    # groups of equal confidence, the surest first, and the weight accepted before and within each
    _, group = np.unique(-score, return_inverse=True)
    within = np.bincount(group, weights=weight)
    after = np.cumsum(within)
    wanted = np.minimum(grid * after[-1], after[-1])
    # a coverage that ends a group up to rounding must not open the next one
    last = np.minimum(np.searchsorted(after, wanted * (1 - 1e-12)), after.size - 1)
    part = np.clip((wanted - (after[last] - within[last])) / np.where(within[last] > 0, within[last], 1), 0, 1)
    risk, marginal = np.empty(grid.size), np.empty(grid.size)
    for rows in blocks(grid.size, target.n_rows):
        edge = last[rows, np.newaxis]
        accepted = weight * np.where(group < edge, 1.0, np.where(group == edge, part[rows, np.newaxis], 0.0))
        risk[rows] = accepted @ losses / accepted.sum(axis=1)
        marginal[rows] = target.best_risks(accepted)
    ratio = np.divide(risk, marginal, out=np.where(risk > 0, np.inf, 1.0), where=marginal > 0)
    return SelectiveCurve(grid, risk, marginal, 1 - ratio)
