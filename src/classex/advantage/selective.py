"""Selective prediction: risk and prediction advantage on the rows a predictor is most confident about."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from classex._checks import as_finite_array, as_plain_array, as_probability, as_weights
from classex._types import FloatArray
from classex.advantage.measure import LossOptions, SelectiveCurve, make_target
from classex.advantage.targets import as_probability_rows, blocks

__all__ = []


# coverages on the default grid: a curve of more points looks the same
_MOST_COVERAGES = 1000


def selective_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    confidence: ArrayLike,
    *,
    coverage: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    **options: Unpack[LossOptions],
) -> SelectiveCurve:
    r"""Risk, marginal risk and prediction advantage as functions of coverage.

    At coverage c the predictor answers on the share c of rows with the highest confidence and declines on the
    others. The accepted rows have their own distribution of Y, so the best constant is that of these rows:

    .. math:: \mathrm{PA}(c) = 1 - \frac{R_c(f)}{\min_a R_c(a)}.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `prediction_advantage`.
    confidence : array_like of shape (n,)
        Confidence of each row's prediction, of which only the order matters. Rows that tie at the threshold are
        accepted with equal probabilities: they enter with fractional weight.
    coverage : array_like of shape (n_coverages,), optional
        Increasing coverages in (0, 1]. By default 1/n, 2/n, ..., 1, or 1,000 equally spaced ones.
    **options
        `loss`, `labels` and `quantile`, as in `prediction_advantage`.

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
    target = make_target(y_true, **options)
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


# linear programs at most: Dinkelbach's method converges superlinearly, usually within ten
_MOST_STEPS = 50


def best_rejection(probabilities: ArrayLike, *, coverage: float) -> FloatArray:
    r"""Choose the rows to answer on so that the expected prediction advantage at this coverage is largest.

    With :math:`r_i` the probability that the most probable class of row i is wrong and :math:`r_{ai}` that of the
    constant a, both under the row's probabilities, the chances of acceptance :math:`g_i \in [0, 1]` solve

    .. math:: \max_g \; 1 - \frac{\sum_i g_i r_i}{\min_a \sum_i g_i r_{ai}}
              \quad\text{with}\quad \frac1n \sum_i g_i = c.

    Parameters
    ----------
    probabilities : array_like of shape (n, n_classes)
        Probability of each class for each row, as well calibrated as possible; at least two classes.
    coverage : float
        Share c of the rows to accept, in (0, 1].

    Returns
    -------
    ndarray of shape (n,)
        Probability of accepting each row. All but about `n_classes` of them are 0 or 1.

    Raises
    ------
    ValueError
        If an argument is not as described, or every row is certain of one and the same class: the marginal
        risk is then 0 for every rule.
    RuntimeError
        If the linear program's solver does not reach the optimum; the message carries its status.

    Notes
    -----
    The advantage is at least 1 - t exactly if :math:`\sum_i g_i (r_i - t\, r_{ai}) \le 0` for all a: linear
    constraints. So the advantage is quasi-concave in g, though neither convex nor concave. Dinkelbach's method
    solves a few linear programs: minimise :math:`\sum_i g_i r_i - t\,m` with m at most every
    :math:`\sum_i g_i r_{ai}`, then take the ratio found as the next t.

    Source: slides "The Prediction Advantage", selective prediction, where the rule is an open question.

    Examples
    --------
    Fifteen rows are more probably of class 0, five of class 1. The ten of highest confidence are all of class 0,
    where the constant 0 is as good. Accepting rows of both classes is better:

    >>> import numpy as np
    >>> from classex.advantage import best_rejection
    >>> one = np.repeat([0.1, 0.8], [15, 5])
    >>> accept = best_rejection(np.column_stack([1 - one, one]), coverage=0.5)
    >>> print(accept[:15].sum().round(6), accept[15:].sum().round(6))
    5.0 5.0
    """
    given = as_plain_array(probabilities, "probabilities")
    if given.ndim != 2 or given.shape[0] < 1 or given.shape[1] < 2:
        raise ValueError(f"probabilities must have shape (n, n_classes) with at least two classes, not {given.shape}")
    p = as_probability_rows(given, "probabilities")[0].astype(np.float64)
    share = as_probability(coverage, "coverage")
    if share == 0:
        raise ValueError("coverage must be a number in (0, 1], not 0")
    n, k = p.shape
    expected = p @ (1 - np.eye(k))
    loss = expected.min(axis=1)
    accepted = np.full(n, share)
    marginal = (accepted @ expected).min()
    if marginal <= 0:
        raise ValueError("every row is certain of one class: the marginal risk is 0, whatever is accepted")
    ratio = accepted @ loss / marginal
    for _ in range(_MOST_STEPS):
        candidate = _linear_program(loss, expected, ratio, share)
        marginal = (candidate @ expected).min()
        if marginal <= 0:
            break
        better = candidate @ loss / marginal
        if better >= ratio * (1 - 1e-12):
            break
        accepted, ratio = candidate, better
    return accepted


def _linear_program(loss: FloatArray, expected: FloatArray, ratio: float, share: float) -> FloatArray:
    """Minimise g @ loss - ratio m over 0 <= g <= 1 of mean `share`, m at most each entry of g @ expected."""
    from scipy.optimize import linprog

    n, k = expected.shape
    solution = linprog(
        np.append(loss, -ratio),
        A_ub=np.hstack([-expected.T, np.ones((k, 1))]),
        b_ub=np.zeros(k),
        A_eq=np.append(np.ones(n), 0.0)[np.newaxis],
        b_eq=[share * n],
        bounds=[(0, 1)] * n + [(None, None)],
    )
    if solution.status != 0:
        raise RuntimeError(f"the linear program was not solved (status {solution.status}): {solution.message}")
    return np.asarray(np.clip(solution.x[:n], 0, 1))
