"""The least information that several average Bayes accuracies allow together: an entropy problem and its dual."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._kernels.information import bound, ceiling
from classex._solver import solve_problem
from classex._types import FloatArray
from classex.distributions.quadrature import panels
from classex.information._bound_results import CurveInformationBound
from classex.information.accuracy import as_accuracy

__all__ = ["curve_information_bound", "least_divergence"]


# Points a panel of the program: from 3 to 8 the certified bound changes by less than 1e-8
_ORDER = 4
# Panels towards 1: the density may have its mass within 1e-44 of 1, an error of 1e-29 with 10^15 classes
_HALVINGS = 150
# Probability below which the program drops a point: the certificate uses all points, so a bound remains one
_NEGLIGIBLE = 1e-11
# Nats that a multiplier adds for the whole of an error, below which it is the solver's tolerance
_NOTHING = 1e-6
# An inaccurate solution, one in 300, is a bound as well: the certificate says which
_STATUS = ("optimal", "optimal_inaccurate")


def curve_information_bound(
    accuracy: ArrayLike, n_classes: ArrayLike, *, error: ArrayLike | None = None
) -> CurveInformationBound:
    r"""Least mutual information that allows several average Bayes accuracies together, in nats.

    .. math:: I \ge \min\Big\{\int_0^1 q \log q : q \ge 0,\ \int_0^1 q = 1,\
              \int_0^1 q(t)\,t^{k-1}\,dt \ge a_k \text{ for every } k\Big\},

    if :math:`\mathrm{ABA}_k \ge a_k` for every k. The minimum is attained by
    :math:`q(t) \propto \exp \sum_k \lambda_k t^{k-1}` with :math:`\lambda \ge 0`, the density of a channel, so no
    larger bound follows from these numbers.

    Parameters
    ----------
    accuracy : array_like of shape (n,)
        Average Bayes accuracies, or lower bounds for them that hold together, in [0, 1]. They are taken as exact: for
        accuracies measured on a sample of classes, `information_confidence_bound` allows for chance.
    n_classes : array_like of int of shape (n,)
        Their numbers of classes k, each once, from 2 to 10^15.
    error : array_like of shape (n,), optional
        ``1 - accuracy``, if it is known more precisely than subtraction gives it.

    Returns
    -------
    CurveInformationBound
        The bound, the multipliers :math:`\lambda_k` that prove it, and the density. Infinite if an error is 0.

    Raises
    ------
    ValueError
        If an accuracy or error is outside [0, 1] or NaN, the two disagree by more than 1e-6, a k is below 2, not whole
        or repeated, or the shapes do not broadcast to one dimension.
    SolverError
        If the program is not solved.

    See Also
    --------
    classex.information_bound : The bound from each accuracy alone.
    classex.restate : Limits from reported accuracies of a rule, from both sides.

    Notes
    -----
    Source: this package; for a single k it is thesis theorem 4.3.1. For every :math:`\lambda \ge 0`

    .. math:: I \ge \sum_k \lambda_k a_k - \log \int_0^1 \exp \sum_k \lambda_k t^{k-1}\,dt .

    cvxpy maximises the right-hand side, an exponential-cone program, on a few hundred points. The value returned is the
    right-hand side at the multipliers found, by quadrature with what lies beyond its nodes added, or the bound from one
    accuracy if that is larger. So an inexact solution lowers the bound, by less than 1e-8 nats in the tests, and never
    makes it wrong.

    Examples
    --------
    >>> import classex as cx
    >>> sizes = [2, 5, 20, 100]
    >>> accuracy = cx.identification_accuracy(3.0, sizes)
    >>> together = cx.information.curve_information_bound(accuracy, sizes)
    >>> cx.information_bound(accuracy, sizes).round(3), round(together.information, 3)
    (array([2.179, 2.374, 2.574, 2.323]), 2.829)
    """
    excess, complement, m, shape = as_accuracy(accuracy, n_classes, error)
    if len(shape) > 1 or np.unique(m).size < m.size:
        raise ValueError(f"n_classes must name each number of classes once, not {np.asarray(n_classes).tolist()}")
    single, multipliers = bound(excess, complement, m), np.where(complement == 0, np.inf, 0.0)
    information = float(single.max())
    if np.isfinite(information):
        certified, multipliers = least_divergence(m, np.arange(m.size), complement, np.zeros(m.size))
        information = max(certified, information)
    return CurveInformationBound(
        information, m + 1, 1 - complement, multipliers, single, log_normaliser(multipliers, m)
    )


def least_divergence(
    m: FloatArray, owner: NDArray[np.int64], error: FloatArray, share: FloatArray
) -> tuple[float, FloatArray]:
    r"""Least divergence from the uniform density, by its dual, and the multipliers :math:`\lambda_j`.

    Constraint j lets the mean of :math:`1 - t^{m_j}` be at most any `error` whose `owner` is j, or a convex combination
    of them, but the combined `share` of all constraints must not exceed 1. Its first error is its largest. For all
    :math:`\lambda, \mu \ge 0`, with errors e and shares s, the divergence is at least

    .. math:: \sum_j \min_i (\mu s_{ji} - \lambda_j e_{ji}) - \mu
              - \log \int_0^1 \exp \sum_j \lambda_j (t^{m_j} - 1)\,dt.
    """
    import cvxpy as cp

    first = np.searchsorted(owner, np.arange(m.size))
    largest = error[first]
    loss, width = _losses(m, _ORDER)
    # points that matter for the densities that each error alone would give
    concentration = np.exp(ceiling(bound(m / (m + 1) - largest, largest, m), m)[2])[:, np.newaxis]
    kept = special.softmax(np.log(width) - concentration * loss, axis=1).mean(axis=0) > _NEGLIGIBLE
    # multipliers in units of 1 / error, the minima over i, and mu
    scaled, least, price = cp.Variable(m.size, nonneg=True), cp.Variable(m.size), cp.Variable(nonneg=True)
    tilt = np.log(width[kept]) - (loss[:, kept] / largest[:, np.newaxis]).T @ scaled
    minima = least[owner] <= price * share - cp.multiply(error / largest[owner], scaled[owner])
    problem = cp.Problem(cp.Maximize(cp.sum(least) - price - cp.log_sum_exp(tilt)), [minima])
    solve_problem(problem, "the entropy problem", ({"solver": "CLARABEL"},), _STATUS)
    multipliers = np.where(scaled.value > _NOTHING, scaled.value, 0.0) / largest
    cost = max(float(price.value), 0.0) if share.any() else 0.0
    value = np.minimum.reduceat(cost * share - multipliers[owner] * error, first).sum() - cost
    return float(value - log_normaliser(multipliers, m)), multipliers


def log_normaliser(multipliers: FloatArray, m: FloatArray) -> float:
    """Logarithm of int_0^1 exp(-sum_j lambda_j (1 - t^m_j)) dt; what the panels leave out counts as if it were 1."""
    loss, width = _losses(m)
    return float(np.logaddexp(special.logsumexp(-multipliers @ loss, b=width), (1 - _HALVINGS) * np.log(2)))


def _losses(m: FloatArray, order: int = 20) -> tuple[FloatArray, FloatArray]:
    """1 - t^m at the nodes, of shape (n_counts, n_nodes), and their weights."""
    u, v, width = panels(order, _HALVINGS)
    return -np.expm1(m[:, np.newaxis] * np.where(v < 0.5, np.log1p(-np.minimum(v, 0.5)), np.log(u))), width
