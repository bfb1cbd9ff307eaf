r"""Binomial likelihood of wins: probit-normal fits and what mixtures build on.

Given the favourability :math:`U^*` of a test point, its wins are :math:`\mathrm{Binomial}(k_1 - 1, U^*)`, so the
law D of :math:`U^*` is a mixing distribution. Everything here lives on the probit scale
:math:`W = \Phi^{-1}(U^*)`, where the tails of both ends stay representable.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from classex._jackknife import class_weights, jackknife_deviations
from classex._validation import as_class_counts, as_finite_number, as_positive_float, as_positive_int
from classex.ranks import MOST_TIE_NODES, bins_of_wins
from classex.results import CorrectRanks, DistractorTable, ProbitNormalFit

__all__ = ["WinCounts", "collapse_wins", "fit_probit_normal", "probit_normal_accuracy", "probit_normal_log_pmf"]

FloatArray = NDArray[np.float64]

_MU_BOUNDS = (-30.0, 30.0)
_LOG_NU_BOUNDS = (-4.0, 4.0)
# centre and width of the weak prior on log nu: 1 is the limit law in high dimension, .5 typical in low dimension
_LOG_NU_PRIOR = (-0.2, 0.4)
_STEPS = np.linspace(-3.7, 3.7, 75)
_OFFSETS = np.sinh(_STEPS)
_LOG_WEIGHTS = np.log(np.cosh(_STEPS) * (_STEPS[1] - _STEPS[0]))
_LOG_ROOT_2PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class WinCounts:
    """Ranks of all test points, collapsed to the distinct ones.

    Attributes
    ----------
    wins : ndarray of shape (n_support,)
        Distinct numbers of wins. Above 512 classes, close ones are lumped (see `classex.ranks.bins_of_wins`).
    support : ndarray of shape (n_nodes,)
        Index into `wins` of every node; a rank with ties has several nodes, equally likely.
    start : ndarray of shape (n_ranks,)
        First node of every distinct rank.
    weight : ndarray of shape (n_ranks,)
        Class-balanced share of the test points with that rank; the shares sum to 1.
    n_wrong : int
        Number of wrong labels, k1 - 1.
    n_points : int
        Number of test points.
    """

    wins: FloatArray
    support: NDArray[np.int64]
    start: NDArray[np.int64]
    weight: FloatArray
    n_wrong: int
    n_points: int

    def rank_log_likelihood(self, log_pmf: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log-likelihood of every rank from that of every number of wins, and each node's share in it."""
        nodes = log_pmf[self.support]
        count = self.nodes_per_rank
        if self.start.size == nodes.size:
            return nodes, np.ones_like(nodes)
        total = np.logaddexp.reduceat(nodes, self.start)
        return total - np.log(count), np.exp(nodes - np.repeat(total, count))

    def win_weights(self, share: FloatArray) -> FloatArray:
        """Weight of every number of wins, each rank's weight split over its nodes by `share`."""
        spread = share * np.repeat(self.weight, self.nodes_per_rank)
        return np.bincount(self.support, weights=spread, minlength=self.wins.size).astype(np.float64)

    @property
    def nodes_per_rank(self) -> NDArray[np.int64]:
        """Number of nodes of every distinct rank."""
        return np.diff(self.start, append=self.support.size)


def collapse_wins(ranks: CorrectRanks) -> WinCounts:
    """Collapse ranks to the distinct ones, with class-balanced weights.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes.

    Returns
    -------
    WinCounts
        At most a few hundred distinct ranks, however many points there are, as long as ties are few.

    Notes
    -----
    A point with t ties has the likelihood averaged over wins + u, u = 0..t (at most 33 equally spaced u).
    """
    bin_of_wins, representative = bins_of_wins(ranks.n_classes)
    weight = class_weights(ranks) / ranks.n_classes
    lumped = np.where(ranks.ties == 0, representative[bin_of_wins[ranks.wins]], ranks.wins)
    pairs, pair = np.unique(np.stack([lumped, ranks.ties]), axis=1, return_inverse=True)
    n_nodes = np.minimum(pairs[1] + 1, MOST_TIE_NODES)
    start = np.concatenate([[0], np.cumsum(n_nodes)[:-1]])
    node = np.arange(int(n_nodes.sum())) - np.repeat(start, n_nodes)
    ties, steps = np.repeat(pairs[1], n_nodes), np.repeat(np.maximum(n_nodes - 1, 1), n_nodes)
    value = np.repeat(pairs[0], n_nodes) + node * ties // steps
    wins, support = np.unique(value, return_inverse=True)
    share = np.bincount(pair.ravel(), weights=weight, minlength=pairs.shape[1]).astype(np.float64)
    return WinCounts(wins.astype(np.float64), support, start, share, ranks.n_classes - 1, ranks.wins.size)


def probit_normal_accuracy(mu: float, nu: float, n_classes: ArrayLike, *, top: int = 1) -> FloatArray:
    r"""Average accuracy with K classes when the probit of the favourability is normal.

    .. math:: \mathrm{AGA}_K = E\,\Phi(W)^{K-1}, \qquad W \sim N(\mu, \nu^2).

    Parameters
    ----------
    mu, nu : float
        Mean and standard deviation of the probit of the favourability, ``nu > 0``.
    n_classes : int or array_like of int
        Numbers of classes K, each at least 1.
    top : int
        A point counts as correct when its truth is among the `top` best labels.

    Returns
    -------
    ndarray of shape (n,)
        Probabilities.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Source: thesis Lemma 5.3.1 gives the form; the equation follows from equation (5) of the journal version.

    Examples
    --------
    >>> from classex.likelihood import probit_normal_accuracy
    >>> probit_normal_accuracy(2**0.5, 1.0, [2, 10, 100]).round(6)
    array([0.841345, 0.479196, 0.158053])
    """
    sizes = as_class_counts(n_classes)
    m = as_positive_int(top, "top")
    mean, deviation = as_finite_number(mu, "mu"), as_positive_float(nu, "nu")
    return accuracy_and_gradient(mean, deviation, sizes, m)[0]


def accuracy_and_gradient(mu: float, nu: float, sizes: FloatArray, top: int) -> tuple[FloatArray, FloatArray]:
    """Average accuracy, and its derivatives in mu and log nu: shapes (n,) and (n, 2)."""
    # the integrand varies on the scale of nu, and on that of the largest of K normals (about .1 at K = 10^12)
    step = min(nu, 0.25) / 8
    z = np.linspace(-9.5, 9.5, 2 * int(np.ceil(9.5 * nu / step)) + 1)
    weight = np.exp(-0.5 * z**2)
    weight /= weight.sum()
    success = subset_success(mu + nu * z, sizes, top)
    value = weight @ success
    derivatives = (weight[:, np.newaxis] * np.stack([z / nu, z**2 - 1], axis=1)).T @ success
    return np.minimum(value, 1.0), derivatives.T


def subset_success(w: FloatArray, sizes: FloatArray, top: int) -> FloatArray:
    """Probability that at most top - 1 of K - 1 wrong labels beat a truth of favourability Phi(w).

    Shape (n_w, n_sizes). For top = 1 this is Phi(w)^(K-1), in logarithms.
    """
    w = w[:, np.newaxis]
    if top == 1:
        out: FloatArray = np.exp((sizes - 1) * special.log_ndtr(w))
        return out
    wrong = np.maximum(sizes - 1, top)
    out = special.betaincc(float(top), wrong - top + 1, special.ndtr(-w))
    return np.where(sizes <= top, 1.0, out)


def probit_normal_log_pmf(wins: FloatArray, n_wrong: int, mu: float, nu: float) -> tuple[FloatArray, FloatArray]:
    r"""Log-probability of each number of wins, and its derivatives in mu and log nu.

    .. math:: \Pr[R^* = r] = \binom{n}{r} \int \Phi(w)^r \Phi(-w)^{n-r}
              \frac{1}{\nu}\varphi\Big(\frac{w - \mu}{\nu}\Big)\,dw

    Parameters
    ----------
    wins : ndarray of shape (n,)
        Numbers of wins r, each in ``0..n_wrong``.
    n_wrong : int
        Number of wrong labels n.
    mu, nu : float
        Mean and standard deviation of the probit of the favourability.

    Returns
    -------
    log_pmf : ndarray of shape (n,)
        Natural logarithms.
    gradient : ndarray of shape (n, 2)
        Derivatives in mu and log nu.

    Notes
    -----
    The integrand is log-concave. It is summed over 75 nodes around its mode, spaced like sinh in units of its
    curvature, dense in the middle and wide enough for a tail that is only exponential.
    """
    mode, scale = _mode(wins, n_wrong, mu, nu)
    w = mode[:, np.newaxis] + scale[:, np.newaxis] * _OFFSETS
    z = (w - mu) / nu
    log_terms = (
        wins[:, np.newaxis] * special.log_ndtr(w)
        + (n_wrong - wins)[:, np.newaxis] * special.log_ndtr(-w)
        - 0.5 * z**2
        + _LOG_WEIGHTS
    )
    top = log_terms.max(axis=1, keepdims=True)
    terms = np.exp(log_terms - top)
    total = terms.sum(axis=1)
    log_pmf = np.log(total * scale / nu) + top[:, 0] - _LOG_ROOT_2PI + log_choose(n_wrong, wins)
    gradient = np.stack([(terms * z).sum(axis=1) / nu, (terms * (z**2 - 1)).sum(axis=1)], axis=1)
    return log_pmf, gradient / total[:, np.newaxis]


def log_choose(n: int, r: FloatArray) -> FloatArray:
    """Logarithm of the binomial coefficient."""
    out: FloatArray = -special.betaln(r + 1, n - r + 1) - np.log(n + 1.0)
    return out


def _mode(wins: FloatArray, n_wrong: int, mu: float, nu: float) -> tuple[FloatArray, FloatArray]:
    """Mode of the integrand in w, and the standard deviation its curvature there implies."""
    losses = n_wrong - wins
    likeliest = special.ndtri((wins + 0.5) / (n_wrong + 1))
    # the slope of the binomial part decides on which side of mu the mode lies
    rising = wins * _hazard(np.full_like(wins, -mu)) > losses * _hazard(np.full_like(wins, mu))
    # the normal cdf is 1 to the last bit long before 39, so no mode lies beyond it and mu
    low, high = np.where(rising, mu, min(mu - 1, -39)), np.where(rising, max(mu + 1, 39), mu)
    w = np.clip(likeliest, low, high)
    for _ in range(60):
        up, down = _hazard(-w), _hazard(w)
        slope = wins * up - losses * down - (w - mu) / nu**2
        curvature = wins * up * (w + up) + losses * down * (down - w) + 1 / nu**2
        low, high = np.where(slope > 0, w, low), np.where(slope > 0, high, w)
        step = w + slope / curvature
        step = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        done = np.abs(step - w) < 1e-6 * (1 + np.abs(w))
        w = step
        if done.all():
            break
    up, down = _hazard(-w), _hazard(w)
    curvature = wins * up * (w + up) + losses * down * (down - w) + 1 / nu**2
    return w, 1 / np.sqrt(curvature)


def _hazard(w: FloatArray) -> FloatArray:
    """Hazard of the standard normal, phi(w) / Phi(-w)."""
    out: FloatArray = np.exp(-0.5 * w**2 - _LOG_ROOT_2PI - special.log_ndtr(-w))
    return out


def fit_probit_normal(ranks: CorrectRanks, *, nu: float | None = None, prior: bool = True) -> ProbitNormalFit:
    r"""Fit the probit-normal law of the favourability by maximum marginal likelihood.

    Maximises the mean over classes of the mean over their points of :math:`\log\Pr[R^* \mid \mu, \nu]`, with
    :math:`R^* \mid W \sim \mathrm{Binomial}(k_1-1, \Phi(W))` and :math:`W \sim N(\mu, \nu^2)`.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes.
    nu : float, optional
        Known standard deviation. With ``nu=1`` this is the information curve of high-dimensional theory:
        :math:`\mu^2/2` is an information in nats.
    prior : bool
        Whether to add a penalty worth about one test point, which keeps the estimate finite when every point
        is right or wrong: half the logarithms of the accuracy with k1 classes and of the error (as Jeffreys
        would for a coin), and a normal prior on log nu with mean -0.2 and standard deviation 0.4. Without it
        the estimate ends on its bounds in such cases, ``|mu| <= 30`` and ``|log nu| <= 4``.

    Returns
    -------
    ProbitNormalFit
        With the covariance of (mu, log nu). The points of one class share a weight; points depend on each
        other through their classes, as truths and as wrong labels, so the covariance comes from leaving out
        one class at a time (one Newton step each), not from the curvature of the likelihood.

    Raises
    ------
    ValueError
        If `nu` is not positive.
    TypeError
        If `ranks` is not a `CorrectRanks`.

    Notes
    -----
    Source: thesis Lemma 5.3.1 for the law of the favourability; the likelihood is this package's.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks([[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3])
    >>> fit = cx.likelihood.fit_probit_normal(ranks, nu=1)
    >>> round(fit.mu, 2)
    0.28
    """
    if not isinstance(ranks, CorrectRanks):
        raise TypeError(f"ranks must be a CorrectRanks, from correct_ranks, not {type(ranks).__name__}")
    known = None if nu is None else as_positive_float(nu, "nu")
    counts = collapse_wins(ranks)
    place = _maximise(counts, known, prior)
    hessian = _hessian(counts, place, prior)
    free = np.array([True, known is None])
    covariance = np.zeros((2, 2))
    scores = _class_scores(ranks, counts, place)[:, free]
    k1 = ranks.n_classes
    covariance[np.ix_(free, free)] = _sandwich(
        hessian[np.ix_(free, free)], (k1 - 1) / k1 * scores.T @ scores, counts.n_points
    )
    log_likelihood = counts.n_points * _mean_log_likelihood(counts, place)[0]
    return ProbitNormalFit(float(place[0]), float(np.exp(place[1])), log_likelihood, covariance, k1)


def _sandwich(hessian: FloatArray, meat: FloatArray, n_points: int) -> FloatArray:
    """Covariance H^-1 M H^-1, with M raised to H / n in the directions where it falls below.

    H is the curvature of the mean objective and M the covariance of its gradient. M = H / n for independent
    points; classes shared by points make it larger. It is smaller only by chance, or where (nearly) every
    point is right and the classes' scores hardly vary.
    """
    value, vector = np.linalg.eigh(hessian)
    root = vector / np.sqrt(np.maximum(value, 1e-12 * max(value.max(), 1e-300)))
    relative, turn = np.linalg.eigh(n_points * root.T @ meat @ root)
    side = root @ turn
    covariance: FloatArray = (side * np.maximum(relative, 1.0)) @ side.T / n_points
    return covariance


def _maximise(counts: WinCounts, nu: float | None, prior: bool) -> FloatArray:
    """Return the best (mu, log nu) from several starts."""
    nodes = counts.nodes_per_rank
    share = counts.win_weights(1.0 / np.repeat(nodes, nodes))
    middle = special.ndtri((share @ counts.wins + 0.5) / (counts.n_wrong + 1))
    starts = (0.4, 0.8, 1.6) if nu is None else (nu,)
    bounds = [_MU_BOUNDS, _LOG_NU_BOUNDS if nu is None else (np.log(nu), np.log(nu))]
    fits = [
        optimize.minimize(
            lambda place: tuple(-part for part in _objective(counts, place, prior)),
            [float(np.clip(middle * np.sqrt(1 + start**2), *_MU_BOUNDS)), np.log(start)],
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"ftol": 1e-13, "gtol": 1e-8},
        )
        for start in starts
    ]
    best: FloatArray = min(fits, key=lambda fit: float(fit.fun)).x
    return best


def _mean_log_likelihood(counts: WinCounts, place: FloatArray) -> tuple[float, FloatArray]:
    log_pmf, gradient = probit_normal_log_pmf(counts.wins, counts.n_wrong, float(place[0]), float(np.exp(place[1])))
    by_rank, share = counts.rank_log_likelihood(log_pmf)
    return float(counts.weight @ by_rank), counts.win_weights(share) @ gradient


def _objective(counts: WinCounts, place: FloatArray, prior: bool) -> tuple[float, FloatArray]:
    """Mean log-likelihood plus the penalty per point, and its gradient in (mu, log nu)."""
    value, gradient = _mean_log_likelihood(counts, place)
    if not prior:
        return value, gradient
    extra, slope = _log_prior(counts, place)
    return value + extra / counts.n_points, gradient + slope / counts.n_points


def _log_prior(counts: WinCounts, place: FloatArray) -> tuple[float, FloatArray]:
    """Log-density of the weak prior at (mu, log nu), up to a constant, and its gradient."""
    n = float(counts.n_wrong)
    right, slope = probit_normal_log_pmf(np.array([n]), counts.n_wrong, float(place[0]), float(np.exp(place[1])))
    p = min(float(np.exp(right[0])), 1 - 1e-15)
    deviation = (place[1] - _LOG_NU_PRIOR[0]) / _LOG_NU_PRIOR[1]
    gradient = 0.5 * (1 - p / (1 - p)) * slope[0]
    gradient[1] -= deviation / _LOG_NU_PRIOR[1]
    return float(0.5 * (right[0] + np.log1p(-p)) - 0.5 * deviation**2), gradient


def _hessian(counts: WinCounts, place: FloatArray, prior: bool) -> FloatArray:
    """Return minus the second derivatives of the objective, by central differences of its gradient."""
    step = 1e-4
    rows = [
        (_objective(counts, place - move, prior)[1] - _objective(counts, place + move, prior)[1]) / (2 * step)
        for move in step * np.eye(2)
    ]
    out = np.array(rows)
    return 0.5 * (out + out.T)


def _class_scores(ranks: CorrectRanks, counts: WinCounts, place: FloatArray) -> FloatArray:
    """Change of the mean score function when one group of classes is left out: (n_groups, 2)."""
    mu, nu = float(place[0]), float(np.exp(place[1]))
    table = ranks.distractors
    n = counts.n_wrong
    if table is None or ranks.n_classes < 4:
        representative = bins_of_wins(ranks.n_classes)[1]
        group = np.arange(ranks.n_classes) % 512
        table = DistractorTable(np.zeros((representative.size, int(group.max()) + 1)), representative, group)
        kept = probit_normal_log_pmf(representative.astype(np.float64), n, mu, nu)[1]
        return jackknife_deviations(ranks, table, kept, kept)
    wins = table.wins.astype(np.float64)
    kept = probit_normal_log_pmf(np.minimum(wins, n - 1), n - 1, mu, nu)[1]
    lost = probit_normal_log_pmf(np.clip(wins - 1, 0, n - 1), n - 1, mu, nu)[1]
    return jackknife_deviations(ranks, table, kept, lost)
