"""The rejection rule that maximises the prediction advantage on what is accepted."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from classex._types import FloatArray
from classex._validation import as_cost, as_plain_array, as_probability, shown
from classex.advantage._probabilities import as_probability_rows

# linear programs at most: Dinkelbach's method converges superlinearly, usually within ten
_MOST_STEPS = 50


def best_rejection(
    probabilities: ArrayLike, *, coverage: float, predictions: ArrayLike | None = None, cost: ArrayLike | None = None
) -> FloatArray:
    r"""Choose the rows to answer on so that the expected prediction advantage at this coverage is largest.

    With :math:`r_i` the expected loss of row i's prediction and :math:`r_{ai}` that of the constant a, both
    under the row's probabilities, the chances of acceptance :math:`g_i \in [0, 1]` solve

    .. math:: \max_g \; 1 - \frac{\sum_i g_i r_i}{\min_a \sum_i g_i r_{ai}}
              \quad\text{with}\quad \frac1n \sum_i g_i = c.

    Parameters
    ----------
    probabilities : array_like of shape (n, n_classes)
        Probability of each class for each row, as well calibrated as possible; at least two classes.
    coverage : float
        Share c of the rows to accept, in (0, 1].
    predictions : array_like of int of shape (n,), optional
        Column predicted for each row; by default the one of least expected loss.
    cost : array_like of shape (n_classes, n_classes), optional
        ``cost[true, predicted]``; zero-one loss by default.

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
        raise ValueError(
            f"probabilities must have shape (n, n_classes) with at least two classes, but has {given.shape}"
        )
    p = as_probability_rows(given, "probabilities")[0].astype(np.float64)
    share = as_probability(coverage, "coverage")
    if share == 0:
        raise ValueError("coverage must be a number in (0, 1], not 0")
    n, k = p.shape
    expected = p @ (1 - np.eye(k) if cost is None else as_cost(cost, k))
    if predictions is None:
        loss = expected.min(axis=1)
    else:
        column = np.asarray(predictions)
        if column.shape != (n,) or not np.issubdtype(column.dtype, np.integer) or not np.isin(column, range(k)).all():
            raise ValueError(f"predictions must hold {n} column numbers in 0..{k - 1}, not {shown(column)}")
        loss = expected[np.arange(n), column]
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
