"""Wins as binomial data: collapsed counts, and their probability if the probit of the favourability is normal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._types import FloatArray
from classex.ranks import point_shares
from classex.ranks.ranks import CorrectRanks, bins_of_wins

__all__ = ["WinCounts", "collapse_wins", "posterior_nodes", "probit_normal_log_pmf", "subset_success"]


_LOG_ROOT_2PI = 0.5 * np.log(2 * np.pi)
# Standard deviation above which the likelihood, whose scale is about 1, needs more nodes
_WIDE = 2.0
# Rounding error of a running sum that has returned to zero
_ROUNDING = 1e-15
# Exponents of Chernoff's bound: 1 - e^-40 is 1 in double precision, and e^-600 is negligible in every sum
_SURELY, _SURELY_NOT = 40.0, 600.0
# Keeps logarithms finite
_TINY = 1e-300


@dataclass(frozen=True)
class WinCounts:
    """Ranks of all test points, collapsed to the distinct ones.

    Attributes
    ----------
    wins : ndarray of shape (n_support,)
        Distinct numbers of wins. Above 509 classes, close ones are lumped (see `classex.ranks.ranks.bins_of_wins`).
    weight : ndarray of shape (n_support,)
        Class-balanced shares of the test points, which sum to 1. A point with ties is spread evenly over all numbers of
        wins that random tie-breaking may give.
    n_wrong : ndarray of shape (n_support,)
        Number of wrong labels that these points met: k1 - 1, or the number sampled for them.
    n_points : int
        Number of test points.

    Examples
    --------
    >>> import classex as cx
    >>> counts = cx.distributions.collapse_wins(
    ...     cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4)
    ... )
    >>> counts.wins, counts.weight.round(3), counts.n_points
    (array([1., 2., 3.]), array([0.167, 0.167, 0.667]), 6)
    """

    wins: FloatArray
    weight: FloatArray
    n_wrong: FloatArray
    n_points: int


def collapse_wins(ranks: CorrectRanks) -> WinCounts:
    """Collapse ranks to the distinct numbers of wins, with class-balanced weights.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes; points may have met samples of the wrong labels.

    Returns
    -------
    WinCounts
        At most a few hundred distinct numbers of wins for each number of wrong labels, however many points there are.

    Notes
    -----
    With t ties a point's log-likelihood is the mean over the t + 1 equally likely outcomes of breaking them. The
    logarithm of the mean likelihood would let every fit choose the most favourable outcome: with many ties, as in
    votes, that is far from the accuracy under random tie-breaking.

    Examples
    --------
    >>> import classex as cx
    >>> counts = cx.distributions.collapse_wins(
    ...     cx.ranks_from_wins([3, 3, 0], 4, ties=[0, 0, 1])
    ... )
    >>> # the tie is broken evenly: half a point at 0, half at 1
    >>> counts.wins, counts.weight.round(3)
    (array([0., 1., 3.]), array([0.167, 0.167, 0.667]))
    """
    share = point_shares(ranks)
    met = np.full(ranks.n_points, ranks.n_classes - 1) if ranks.n_wrong is None else ranks.n_wrong
    groups = [(int(n), met == n) for n in np.unique(met)]
    parts = [_collapse(ranks.wins[rows], ranks.ties[rows], share[rows], n) for n, rows in groups]
    wins, weight, n_wrong = (np.concatenate(column) for column in zip(*parts, strict=True))
    return WinCounts(wins, weight, n_wrong, ranks.n_points)


def _collapse(
    wins: NDArray[np.int64], ties: NDArray[np.int64], share: FloatArray, n_wrong: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Collapse the points that met `n_wrong` wrong labels: distinct wins, their weights, and `n_wrong`."""
    bin_of_wins, representative = bins_of_wins(n_wrong + 1)
    tied = ties > 0
    weight: FloatArray = np.bincount(bin_of_wins[wins], share * ~tied, representative.size).astype(np.float64)
    if tied.any():
        first, more = wins[tied], ties[tied]
        each = share[tied] / (more + 1)
        steps = np.bincount(first, weights=each, minlength=n_wrong + 2)
        steps -= np.bincount(first + more + 1, weights=each, minlength=n_wrong + 2)
        spread = np.cumsum(steps)[:-1]
        spread[spread < _ROUNDING] = 0.0
        weight += np.bincount(bin_of_wins, weights=spread, minlength=representative.size)
    kept = weight > 0
    return representative[kept].astype(np.float64), weight[kept], np.full(kept.sum(), float(n_wrong))


def subset_success(w: FloatArray, sizes: FloatArray, top: int) -> FloatArray:
    """Probability that at most top - 1 of K - 1 wrong labels beat a correct label of favourability Phi(w).

    Shape (n_w, n_sizes). For top = 1 this is Phi(w)^(K-1), in logarithms.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.distributions import subset_success
    >>> subset_success(np.array([0.0]), np.array([2.0, 3.0, 4.0]), 1)
    array([[0.5  , 0.25 , 0.125]])
    """
    w = w[:, np.newaxis]
    if top == 1:
        return np.asarray(np.exp((sizes - 1) * special.log_ndtr(w)))
    wrong, beaten = np.maximum(sizes - 1, top), np.maximum(special.ndtr(-w), _TINY)
    # Chernoff's bound of the smaller of the two probabilities: most are 0 or 1 without an incomplete beta function
    expected = beaten * wrong
    exponent = expected - top - top * np.log(expected / top)
    out = np.where(expected > top, 0.0, 1.0)
    row, column = np.nonzero(exponent < np.where(expected > top, _SURELY_NOT, _SURELY))
    out[row, column] = special.betaincc(float(top), (wrong - top + 1)[column], beaten[row, 0])
    return np.where(sizes <= top, 1.0, out)


def probit_normal_log_pmf(
    wins: FloatArray, n_wrong: int | FloatArray, mu: float | FloatArray, nu: float | FloatArray, *, n_nodes: int = 75
) -> tuple[FloatArray, FloatArray]:
    r"""Log-probability of each number of wins, and its derivatives in mu and log nu.

    .. math:: \Pr[R^* = r] = \binom{n}{r} \int \Phi(w)^r \Phi(-w)^{n-r}
              \frac{1}{\nu}\varphi\Big(\frac{w - \mu}{\nu}\Big)\,dw

    Parameters
    ----------
    wins : ndarray of shape (n,)
        Numbers of wins r, each in ``0..n_wrong``.
    n_wrong : int or ndarray of shape (n,)
        Number of wrong labels n.
    mu, nu : float or ndarray of shape (n,)
        Mean and standard deviation of the probit of the favourability, possibly one for each entry.
    n_nodes : int
        Nodes of the quadrature (see `posterior_nodes`).

    Returns
    -------
    log_pmf : ndarray of shape (n,)
        Natural logarithms.
    gradient : ndarray of shape (n, 2)
        Derivatives in each entry's mu and log nu.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.distributions import probit_normal_log_pmf
    >>> log_pmf, gradient = probit_normal_log_pmf(np.arange(4.0), 3, 0.0, 1.0)
    >>> # with mu = 0 and nu = 1 all ranks are equally likely
    >>> np.exp(log_pmf).round(6), gradient.shape
    (array([0.25, 0.25, 0.25, 0.25]), (4, 2))
    """
    mean, spread = (np.broadcast_to(np.asarray(parameter, dtype=np.float64), wins.shape) for parameter in (mu, nu))
    log_pmf, w, share = posterior_nodes(wins, n_wrong, mean, spread, n_nodes)
    z = (w - mean[:, np.newaxis]) / spread[:, np.newaxis]
    return log_pmf, np.stack([(share * z).sum(axis=1) / spread, (share * (z**2 - 1)).sum(axis=1)], axis=1)


def posterior_nodes(
    wins: FloatArray, n_wrong: int | FloatArray, mu: FloatArray, nu: float | FloatArray, n_nodes: int = 75
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return log-probability of each number of wins, and nodes and weights of the distribution of W given the wins.

    The integrand is log-concave in w. It is summed over nodes around its mode, spaced like sinh in units of its
    curvature: dense in the middle, and wide enough for an exponential tail. There are more of them if nu exceeds 2,
    because the likelihood then falls within a fraction of nu. Shapes (n,), (n, nodes) and (n, nodes); the weights of a
    row sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.distributions import posterior_nodes
    >>> log_pmf, nodes, weight = posterior_nodes(
    ...     np.array([0.0, 9.0]), 9, np.zeros(2), 1.0
    ... )
    >>> np.exp(log_pmf).round(4), (weight * nodes).sum(axis=1).round(3)
    (array([0.1, 0.1]), array([-1.539,  1.539]))
    """
    spread = np.broadcast_to(np.asarray(nu, dtype=np.float64), wins.shape)
    widest = float(spread.max(initial=0.0))
    step = np.linspace(-3.7, 3.7, n_nodes * (int(np.ceil(widest)) if widest > _WIDE else 1))
    mode, scale = _mode(wins, n_wrong, mu, spread)
    w = mode[:, np.newaxis] + scale[:, np.newaxis] * np.sinh(step)
    log_terms = (
        wins[:, np.newaxis] * special.log_ndtr(w)
        + (n_wrong - wins)[:, np.newaxis] * special.log_ndtr(-w)
        - 0.5 * ((w - mu[:, np.newaxis]) / spread[:, np.newaxis]) ** 2
        + np.log(np.cosh(step) * (step[1] - step[0]))
    )
    top = log_terms.max(axis=1, keepdims=True)
    terms = np.exp(log_terms - top)
    total = terms.sum(axis=1)
    log_pmf = np.log(total * scale / spread) + top[:, 0] - _LOG_ROOT_2PI + log_choose(n_wrong, wins)
    return log_pmf, w, terms / total[:, np.newaxis]


def log_choose(n: int | FloatArray, r: FloatArray) -> FloatArray:
    """Logarithm of the binomial coefficient."""
    return np.asarray(-special.betaln(r + 1, n - r + 1) - np.log(n + 1.0))


def _mode(wins: FloatArray, n_wrong: int | FloatArray, mu: FloatArray, nu: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mode of the integrand in w (to 1/20 of its width), and the standard deviation its curvature there implies."""
    losses = n_wrong - wins
    # the slope of the binomial part at mu shows on which side of mu the mode lies
    rising = wins * _hazard(-mu) > losses * _hazard(mu)
    # the normal cdf is 1 in double precision well below 39, so no mode lies beyond 39 and mu
    low, high = np.where(rising, mu, np.minimum(mu - 1, -39)), np.where(rising, np.maximum(mu + 1, 39), mu)
    share = (wins + 0.5) / (n_wrong + 1)
    likeliest = special.ndtri(share)
    information = (n_wrong + 1) * np.exp(-(likeliest**2) - 2 * _LOG_ROOT_2PI) / (share * (1 - share))
    w = np.clip((mu + nu**2 * information * likeliest) / (1 + nu**2 * information), low, high)
    for _ in range(60):
        slope, curvature = _slope(w, wins, losses, mu, nu)
        low, high = np.where(slope > 0, w, low), np.where(slope > 0, high, w)
        last, w = w, w + slope / curvature
        w = np.where((w >= low) & (w <= high), w, 0.5 * (low + high))
        if (np.abs(w - last) * np.sqrt(curvature)).max() < 0.05:
            break
    return w, 1 / np.sqrt(_slope(w, wins, losses, mu, nu)[1])


def _slope(
    w: FloatArray, wins: FloatArray, losses: FloatArray, mu: FloatArray, nu: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return first and minus second derivative of the logarithm of the integrand."""
    up, down = _hazard(-w), _hazard(w)
    slope = wins * up - losses * down - (w - mu) / nu**2
    # the binomial part is positive, but rounding may make it negative far out
    binomial = wins * up * (w + up) + losses * down * (down - w)
    return slope, np.maximum(binomial, 0.0) + 1 / nu**2


def _hazard(w: FloatArray) -> FloatArray:
    """Hazard of the standard normal, phi(w) / Phi(-w)."""
    return np.asarray(np.sqrt(2 / np.pi) / special.erfcx(w / np.sqrt(2)))
