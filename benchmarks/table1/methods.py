"""The methods that are compared, and the oracle that knows the model up to its noise."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

import classex as cx
from classex.extrapolation import Extrapolator
from classex.likelihood import collapse_wins
from classex.models import GaussianClasses

FEATURES = 10
ORACLE_NOISE = np.geomspace(0.004, 1.2, 90)
ORACLE_DRAWS = 2048

# in the order of the table; stacking is run at k1 = 500 only
METHODS: dict[str, Callable[[], Extrapolator]] = {
    "probit-normal": lambda: cx.ProbitNormalExtrapolator(),
    "mixture, ranks": lambda: cx.MixtureExtrapolator(use_scores=False),
    "mixture": lambda: cx.MixtureExtrapolator(),
    "ClassExReg": lambda: cx.RegressionExtrapolator(published=True),
    "regression": lambda: cx.RegressionExtrapolator(),
    "KDE-BCV": lambda: cx.KernelDensityExtrapolator(bandwidth="bcv"),
    "KDE-UCV": lambda: cx.KernelDensityExtrapolator(bandwidth="ucv"),
    "stacked": lambda: cx.CrossValidatedExtrapolator(),
}
ORACLE = "oracle"
PAPER = ("ClassExReg", "KDE-BCV", "KDE-UCV")


@cache
def favourability(noise: float) -> NDArray[np.float64]:
    """Equally likely logarithms of the favourability, from a fixed quasi-random set of points."""
    from scipy.stats import chi2, ncx2, qmc

    u = qmc.Sobol(3, seed=1).random(2 ** int(np.log2(ORACLE_DRAWS)))
    # a test point and its own example, in the direction of the point and across it
    point = np.sqrt(chi2.ppf(u[:, 0], FEATURES) * (1 + noise))
    slope, rest = 1 / (1 + noise), (1 + noise) - 1 / (1 + noise)
    own = (point * (1 - slope) - np.sqrt(rest) * special.ndtri(u[:, 1])) ** 2 + rest * chi2.ppf(u[:, 2], FEATURES - 1)
    lost = ncx2.cdf(own / (1 + noise), FEATURES, point**2 / (1 + noise))
    return np.log1p(-np.clip(lost, 0.0, 1 - 1e-15))


@cache
def oracle_table(n_wrong: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distinct numbers of wins, and their log-likelihood at every noise level of the oracle's grid."""
    from classex.ranks import bins_of_wins

    wins = np.unique(bins_of_wins(n_wrong + 1)[1]).astype(np.float64)
    table = np.empty((wins.size, ORACLE_NOISE.size))
    for column, noise in enumerate(ORACLE_NOISE):
        log_u = favourability(float(noise))
        log_v = np.log(-np.expm1(np.minimum(log_u, -1e-300)))
        terms = wins[:, np.newaxis] * log_u + (n_wrong - wins)[:, np.newaxis] * log_v
        table[:, column] = special.logsumexp(terms, axis=1)
    return wins, table


@cache
def oracle_curves(k2: tuple[int, ...]) -> NDArray[np.float64]:
    """Average accuracy at every noise level of the oracle's grid."""
    return np.array(
        [np.atleast_1d(GaussianClasses(FEATURES, float(noise)).average_accuracy(k2)) for noise in ORACLE_NOISE]
    )


def oracle(ranks: cx.CorrectRanks, k2: tuple[int, ...]) -> NDArray[np.float64]:
    """Maximum likelihood over the noise level from the wins, the rest of the model known."""
    counts = collapse_wins(ranks)
    wins, table = oracle_table(ranks.n_classes - 1)
    log_likelihood = counts.weight @ table[np.searchsorted(wins, counts.wins[counts.support])]
    best = int(np.clip(np.argmax(log_likelihood), 1, ORACLE_NOISE.size - 2))
    near = slice(best - 1, best + 2)
    curve = np.polyfit(np.log(ORACLE_NOISE[near]), log_likelihood[near], 2)
    place = -curve[1] / (2 * curve[0]) if curve[0] < 0 else np.log(ORACLE_NOISE[best])
    logit = special.logit(np.clip(oracle_curves(k2), 1e-15, 1 - 1e-15))
    return special.expit([np.interp(place, np.log(ORACLE_NOISE), column) for column in logit.T])
