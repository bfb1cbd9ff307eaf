"""Coverage of the bounds for average Bayes accuracy and information when classes come from a finite population.

Populations are tables of N classes and finitely many letters, so the average Bayes accuracy of k independent draws or
of k distinct classes and the information are known exactly. Each experiment draws k1 distinct classes and 5 test points
of each, and is read twice: as if the population were infinite, for independent draws, and with its size, for distinct
classes. About two minutes on one core.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import norm

from classex.bayes import average_bayes_accuracy_bound
from classex.information import information_bound

FloatArray = NDArray[np.float64]

SEED = 20_260_101
REPEATS = 5
METHODS = ("joint", "chernoff", "cantelli")
LEVELS = (0.5, 0.8, 0.95)
DESIGNS = ((30, 10), (30, 30), (100, 30), (100, 100), (468, 100))
TABLE = "coverage_population/coverage"
HEADER = (
    "population,size,n_classes,method,level,known_size,experiments,coverage,standard_error,truth,mean_bound,"
    "information,information_coverage,mean_information_bound"
)
EXPERIMENTS = 2000


def names(size: int) -> FloatArray:
    """Every class has a letter of its own: always right, and log N nats."""
    return np.eye(size)


def lottery(size: int) -> FloatArray:
    """With probability one half the class is named, otherwise nothing is said."""
    return np.column_stack([np.eye(size) / 2, np.full(size, 0.5)])


def code(size: int) -> FloatArray:
    """Random words of ten bits, each bit flipped with probability 0.1."""
    rng = np.random.default_rng([SEED, size])
    words = rng.choice(1024, size, replace=size > 1024)
    distance = np.bitwise_count(words[:, np.newaxis] ^ np.arange(1024)).astype(float)
    return np.asarray(0.1**distance * 0.9 ** (10 - distance))


def line(size: int) -> FloatArray:
    """Normal points on a line, observed with noise of standard deviation 0.05 and sorted into 400 bins."""
    x = np.random.default_rng([SEED, size, 1]).normal(size=size)
    edges = np.linspace(-4, 4, 399)
    below = norm.cdf((edges - x[:, np.newaxis]) / 0.05)
    return np.diff(np.column_stack([np.zeros(size), below, np.ones(size)]), axis=1)


POPULATIONS = {"names": names, "lottery": lottery, "random code": code, "points on a line": line}


def truth(channel: FloatArray, k: int) -> tuple[float, float]:
    """Average Bayes accuracy of k independent draws, by sorted likelihoods, and information in nats."""
    n = len(channel)
    marginal = channel.mean(axis=0)
    used = marginal > 0
    q = np.sort(channel[:, used], axis=0) / marginal[used]
    steps = np.diff((np.arange(n + 1) / n) ** k) / k
    entropy = np.where(q > 0, q * np.log(np.where(q > 0, q, 1)), 0.0).mean(axis=0)
    return float(marginal[used] @ (steps @ q)), float(marginal[used] @ entropy)


def truth_of_distinct(channel: FloatArray, k: int) -> float:
    """Average Bayes accuracy of k distinct classes, by sorted likelihoods."""
    n, below = len(channel), np.arange(k - 1, len(channel))
    log_ways = gammaln(below + 1) - gammaln(below - k + 2) - gammaln(n) + gammaln(n - k + 1)
    return float(np.exp(log_ways) @ np.sort(channel, axis=0)[k - 1 :].sum(axis=1)) / n


def correct_chances(channel: FloatArray) -> FloatArray:
    """Chance of a right answer by the Bayes rule, ties broken at random, for each row of the task."""
    best = channel == channel.max(axis=0)
    return np.asarray((channel * best / best.sum(axis=0)).sum(axis=1))


def bounds(right: NDArray[np.int64], k: int, method: str, level: float, size: int | None) -> FloatArray:
    """Bound of every experiment; each distinct number of right answers is worked out once."""
    value, where = np.unique(right, return_inverse=True)
    found = [
        average_bayes_accuracy_bound(
            v / (k * REPEATS), n_classes=k, n_repeats=REPEATS, confidence_level=level, method=method,
            population_size=size,
        )
        for v in value
    ]  # fmt: skip
    return np.array(found)[where]


CELLS = tuple((name, *design) for name in POPULATIONS for design in DESIGNS)


def rows(name: str, size: int, k: int) -> list[list[object]]:
    """Rows of one population and one number of classes."""
    rng = np.random.default_rng([SEED, list(POPULATIONS).index(name), size, k])
    channel = POPULATIONS[name](size)
    accuracy, information = truth(channel, k)
    right = np.empty(EXPERIMENTS, dtype=np.int64)
    for i in range(EXPERIMENTS):
        drawn = rng.choice(size, k, replace=False)
        right[i] = rng.binomial(REPEATS, np.clip(correct_chances(channel[drawn]), 0, 1)).sum()
    out: list[list[object]] = []
    for method, level, known in product(METHODS, LEVELS, (False, True)):
        bound = bounds(right, k, method, level, size if known else None)
        value, where = np.unique(bound, return_inverse=True)
        # an accuracy of one has no finite inverse; nothing is claimed beyond the largest double below it
        nats = information_bound(np.minimum(value, 1 - 1e-16), k, population_size=size if known else None)[where]
        target = truth_of_distinct(channel, k) if known else accuracy
        covered = (bound <= target + 1e-12).mean()
        numbers = (
            covered, np.sqrt(covered * (1 - covered) / EXPERIMENTS), target, bound.mean(), information,
            (nats <= information + 1e-12).mean(), nats.mean(),
        )  # fmt: skip
        out.append([name, size, k, method, level, int(known), EXPERIMENTS, *(f"{x:.6g}" for x in numbers)])
    return out
