r"""Least divergence of the favourability from the uniform distribution, for infinitely many classes and for N.

With N classes the true one is at position j from below with probability q_j, and beats the k - 1 other classes of a
task with probability :math:`f_j = \binom{j-1}{k-1} / \binom{N-1}{k-1}`; with infinitely many it is at t in [0, 1] and
beats them with probability :math:`t^{k-1}`. One minus this probability is the loss. Sums over positions and integrals
over [0, 1] are sums over nodes, whose weights add up to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from classex._loops.information import bound, ceiling, relative_growth
from classex._optional import needed_for, solve_problem
from classex._types import FloatArray
from classex.distributions.distribution import panels
from classex.exceptions import SolverError

__all__ = ["ceiling_in", "extremal_in", "least_divergence", "log_normaliser", "loss_at", "losses", "tilt"]

# Nodes a block of integers: exact up to as many integers, and for polynomials of degree 39 beyond
_NODES = 20
# Ends of the bisection in log c: below the first the information is under 1e-39, above the second the error is 0
_ENDS = (-46.0, 60.0)
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


@cache
def integers(n: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights for sums over 0, ..., n-1 of functions that vary by the distance from an end in proportion.

    Blocks double away from both ends. In each, Gauss's rule for the sum over its integers: the eigenvalues of the
    Jacobi matrix of the discrete Chebyshev polynomials.
    """
    half, order = n // 2, np.arange(1.0, _NODES)
    edges = np.unique(np.minimum(np.append(0, _NODES * 2 ** np.arange(48)), half))
    edges = np.concatenate([edges, n - edges[::-1]])
    nodes, weights = [], []
    for start, size in zip(edges, np.diff(edges).tolist(), strict=False):
        if size > _NODES:
            beside = order / 2 * np.sqrt((size - order) * (size + order) / (4 * order**2 - 1))
            place, vectors = linalg.eigh_tridiagonal(np.full(_NODES, (size - 1) / 2), beside)
            weight = size * vectors[0] ** 2
        else:
            place, weight = np.arange(float(size)), np.ones(size)
        nodes.append(start + place)
        weights.append(weight)
    return np.concatenate(nodes), np.concatenate(weights)


def losses(m: FloatArray, population_size: int | None, order: int = 20) -> tuple[FloatArray, FloatArray]:
    """Losses with m = k - 1 other classes at the nodes, of shape (n_counts, n_nodes), and their weights."""
    if population_size is None:
        u, v, width = panels(order, _HALVINGS)
        return -np.expm1(m[:, np.newaxis] * np.where(v < 0.5, np.log1p(-np.minimum(v, 0.5)), np.log(u))), width
    above, width = integers(population_size)  # classes above the true one
    return np.stack([_lost(above, int(others), population_size) for others in m]), width / population_size


def _lost(above: FloatArray, others: int, population_size: int) -> FloatArray:
    """Probability that one of m other classes, drawn from N - 1 of which some are above the true one, is above it."""
    left, weight = integers(others)
    loss, some = np.ones(above.size), above < population_size - others
    # the share that is above among those that are left, class by class
    loss[some] = -np.expm1(np.log1p(-above[some, np.newaxis] / (population_size - others + left)) @ weight)
    return loss


def loss_at(t: FloatArray, m: FloatArray, population_size: int | None) -> FloatArray:
    """Losses at any t in [0, 1], of shape (n_counts, ...); with N classes of the position that stands for t."""
    if population_size is None:
        return np.asarray(1 - t ** m.reshape(-1, *(1,) * t.ndim))
    above = np.floor(np.clip(population_size * (1 - t), 0, population_size - 1)).ravel()
    return np.stack([_lost(above, int(others), population_size).reshape(t.shape) for others in m])


def tilt(multipliers: FloatArray, loss: FloatArray) -> FloatArray:
    """Sum of lambda_j loss_j over the first axis, where infinity times 0 is 0."""
    some = np.zeros_like(loss)
    np.multiply(multipliers.reshape(-1, *(1,) * (loss.ndim - 1)), loss, where=loss > 0, out=some)
    return np.asarray(some.sum(axis=0))


def log_normaliser(multipliers: FloatArray, m: FloatArray, population_size: int | None) -> float:
    """Logarithm of the mean of exp(-sum_j lambda_j loss_j); what the panels leave out counts as if it were 1."""
    loss, width = losses(m, population_size)
    total = float(special.logsumexp(-tilt(multipliers, loss), b=width))
    return total if population_size else float(np.logaddexp(total, (1 - _HALVINGS) * np.log(2)))


def _ratio(c: FloatArray, loss: FloatArray, width: FloatArray) -> FloatArray:
    """Likelihood ratio exp(-c loss) / mean, less 1: of shape (n, n_nodes), with small c as exact as with large."""
    c = c[:, np.newaxis]
    exponent = -c * np.where(c < 1, loss - width @ loss, loss)
    near = np.log1p(np.expm1(np.where(c < 1, exponent, 0.0)) @ width)
    return np.asarray(np.expm1(exponent - np.where(c[:, 0] < 1, near, np.log(np.exp(exponent) @ width))[:, np.newaxis]))


def _solve(n: int, too_small: Callable[[FloatArray], NDArray[np.bool_]]) -> FloatArray:
    """Concentrations c from which on n increasing functions reach their targets, by bisection in log c."""
    low, high = (np.full(n, end) for end in _ENDS)
    for _ in range(64):
        middle = (low + high) / 2
        up = too_small(np.exp(middle))
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return np.asarray(np.exp(high))


def _of_accuracy(
    excess: FloatArray, error: FloatArray, loss: FloatArray, width: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Divergence and c of the tilted distributions with accuracies above chance and below 1."""

    def too_small(c: FloatArray) -> NDArray[np.bool_]:
        ratio = _ratio(c, loss, width)
        gained, lost = ratio @ ((width @ loss - loss) * width), (1 + ratio) @ (loss * width)
        return np.where(error > 0.25, gained < excess, lost > error)

    c = _solve(excess.size, too_small)
    return relative_growth(_ratio(c, loss, width)) @ width, c


def _of_information(nats: FloatArray, loss: FloatArray, width: FloatArray) -> FloatArray:
    """Accuracy of the tilted distributions with divergences between 0 and the largest."""
    c = _solve(nats.size, lambda c: relative_growth(_ratio(c, loss, width)) @ width < nats)
    return np.asarray(1 - (1 + _ratio(c, loss, width)) @ (loss * width))


def extremal_in(
    excess: FloatArray, error: FloatArray, m: FloatArray, population_size: int | None
) -> tuple[FloatArray, FloatArray]:
    """Least information that allows the accuracies 1/k + excess = 1 - error, and the c of the density that does."""
    if population_size is None:
        nats = bound(excess, error, m)
        return nats, np.exp(ceiling(nats, m)[2])
    perfect = error == 0
    nats, c = np.where(perfect, np.log(population_size), 0.0), np.where(perfect, np.inf, 0.0)
    for others in np.unique(m):
        some = (m == others) & (excess > 0) & ~perfect
        (loss,), width = losses(np.array([others]), population_size)
        nats[some], c[some] = _of_accuracy(excess[some], error[some], loss, width)
    return nats, c


def ceiling_in(nats: FloatArray, m: FloatArray, population_size: int | None) -> FloatArray:
    """Largest accuracy at the given information."""
    if population_size is None:
        return ceiling(nats, m)[0]
    accuracy = np.where(nats > 0, 1.0, 1 / (m + 1))
    for others in np.unique(m):
        some = (m == others) & (nats > 0) & (nats < np.log(population_size))
        (loss,), width = losses(np.array([others]), population_size)
        accuracy[some] = _of_information(nats[some], loss, width)
    return accuracy


def least_divergence(
    m: FloatArray,
    owner: NDArray[np.int64],
    error: FloatArray,
    share: FloatArray,
    population_size: int | None = None,
) -> tuple[float, FloatArray]:
    r"""Least divergence from the uniform distribution, by its dual, and the multipliers :math:`\lambda_j`.

    Constraint j lets the mean of loss j be at most any `error` whose `owner` is j, or a convex combination of them, but
    the combined `share` of all constraints must not exceed 1. Its first error is its largest. For all
    :math:`\lambda, \mu \ge 0`, with errors e and shares s, the divergence is at least

    .. math:: \sum_j \min_i (\mu s_{ji} - \lambda_j e_{ji}) - \mu - \log E \exp(-\sum_j \lambda_j \mathrm{loss}_j).

    Each largest error alone is one choice of :math:`\lambda`, so the result is at least the best of these.
    """
    first = np.searchsorted(owner, np.arange(m.size))
    largest = error[first]
    alone, concentration = extremal_in(m / (m + 1) - largest, largest, m, population_size)
    best = int(alone.argmax())
    places = np.arange(m.size)
    single = np.where(places == best, concentration, 0.0)
    if largest[best] <= 0:
        return float(alone[best]), single
    used = places
    if not share.any():
        # the loss grows with m, and at most in proportion: an error that another one implies is left out
        implied = error >= error[:, np.newaxis] * np.maximum(m / m[:, np.newaxis], 1.0)
        used = np.flatnonzero(implied.sum(axis=0) == 1)
        loss, width = losses(m, population_size)
        mean = (1 + _ratio(concentration[[best]], loss[best], width)[0]) * width @ loss.T
        if ((mean <= error) | (places == best)).all():
            return float(alone[best]), single
    try:
        multipliers = np.zeros(m.size)
        rows = np.isin(owner, used)
        cost, multipliers[used] = _program(
            m[used], np.searchsorted(used, owner[rows]), error[rows], share[rows], concentration[used], population_size
        )
    except SolverError:
        return float(alone[best]), single
    value = np.minimum.reduceat(cost * share - multipliers[owner] * error, first).sum() - cost
    value -= log_normaliser(multipliers, m, population_size)
    return (float(value), multipliers) if value > alone[best] else (float(alone[best]), single)


def _program(
    m: FloatArray,
    owner: NDArray[np.int64],
    error: FloatArray,
    share: FloatArray,
    concentration: FloatArray,
    population_size: int | None,
) -> tuple[float, FloatArray]:
    """Price of the shares and multipliers that maximise the dual of `least_divergence`, by cvxpy."""
    with needed_for("a bound from several accuracies"):
        import cvxpy as cp

    largest = error[np.searchsorted(owner, np.arange(m.size))]
    loss, width = losses(m, population_size, _ORDER)
    # points that matter for the densities that each error alone would give
    kept = special.softmax(np.log(width) - concentration[:, np.newaxis] * loss, axis=1).mean(axis=0) > _NEGLIGIBLE
    # multipliers in units of 1 / error, the minima over i, and mu
    scaled, least, price = cp.Variable(m.size, nonneg=True), cp.Variable(m.size), cp.Variable(nonneg=True)
    tilt = np.log(width[kept]) - (loss[:, kept] / largest[:, np.newaxis]).T @ scaled
    minima = least[owner] <= price * share - cp.multiply(error / largest[owner], scaled[owner])
    problem = cp.Problem(cp.Maximize(cp.sum(least) - price - cp.log_sum_exp(tilt)), [minima])
    solve_problem(problem, "the entropy problem", ({"solver": "CLARABEL"},), _STATUS)
    multipliers = np.where(scaled.value > _NOTHING, scaled.value, 0.0) / largest
    return max(float(price.value), 0.0) if share.any() else 0.0, multipliers
