"""The methods that are compared, and the oracle that knows the model up to its noise."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

import classex as cx
from benchmarks.methods import DEFAULT
from classex.distributions import collapse_wins
from classex.models import GaussianClasses

FEATURES = 10
ORACLE_NOISE = np.geomspace(0.004, 1.2, 90)
ORACLE_DRAWS = 2**16
PROBIT_STEP = 0.02

ORACLE = "oracle"
RANKS_ONLY = ("probit-normal", "default")
PAPER = ("ClassExReg", "KDE-BCV", "KDE-UCV")
# a third of the replicates at k1 = 5000: the slowest, whose errors vary little, and the oracle
FEWER = (*PAPER, "KDE, normal reference", ORACLE)
# enough replicates to tell a maximum over levels from chance
MANY = (DEFAULT, "probit-normal")


@cache
def points() -> NDArray[np.float64]:
    """Quasi-random test points: length of the point, and its own example along it and across it."""
    from scipy.stats import qmc

    return qmc.Sobol(3, seed=1).random(ORACLE_DRAWS)


def probit_law(noise: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Law of the probit of the favourability in narrow bins: centres and logarithms of probabilities."""
    u = points()
    length = np.sqrt(special.chdtri(FEATURES, 1 - u[:, 0]) * (1 + noise))
    slope, rest = 1 / (1 + noise), (1 + noise) - 1 / (1 + noise)
    across = special.chdtri(FEATURES - 1, 1 - u[:, 2])
    own = (length * (1 - slope) - np.sqrt(rest) * special.ndtri(u[:, 1])) ** 2 + rest * across
    lost = special.chndtr(own / (1 + noise), FEATURES, length**2 / (1 + noise))
    place = np.rint(-special.ndtri(np.clip(lost, 1e-300, 1 - 1e-15)) / PROBIT_STEP)
    bins, count = np.unique(place, return_counts=True)
    return bins * PROBIT_STEP, np.log(count / count.sum())


@cache
def oracle_table(n_wrong: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distinct numbers of wins, and their log-likelihood at every noise level of the oracle's grid."""
    from classex.ranks.ranks import bins_of_wins

    wins = np.unique(bins_of_wins(n_wrong + 1)[1]).astype(np.float64)
    table = np.empty((wins.size, ORACLE_NOISE.size))
    for column, noise in enumerate(ORACLE_NOISE):
        w, log_share = probit_law(float(noise))
        terms = wins[:, np.newaxis] * special.log_ndtr(w) + (n_wrong - wins)[:, np.newaxis] * special.log_ndtr(-w)
        table[:, column] = special.logsumexp(terms + log_share, axis=1)
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
    log_likelihood = counts.weight @ table[np.searchsorted(wins, counts.wins)]
    best = int(np.clip(np.argmax(log_likelihood), 1, ORACLE_NOISE.size - 2))
    near = slice(best - 1, best + 2)
    curve = np.polyfit(np.log(ORACLE_NOISE[near]), log_likelihood[near], 2)
    place = -curve[1] / (2 * curve[0]) if curve[0] < 0 else np.log(ORACLE_NOISE[best])
    logit = special.logit(np.clip(oracle_curves(k2), 1e-15, 1 - 1e-15))
    return special.expit([np.interp(place, np.log(ORACLE_NOISE), column) for column in logit.T])
