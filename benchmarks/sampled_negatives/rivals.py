"""Estimators of a metric on the full catalogue from sampled ranks, written from the formulas of Li et al.

With n negatives drawn from a catalogue of N items, an item of rank R has the sampled rank r with probability
P(r | R) = Binomial(n, (R - 1) / (N - 1)) at r - 1. Sources: Krichene and Rendle (KDD 2020); Li, Jin, Gao and Liu (KDD
2020; AAAI 2023, with R. Jin and others).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

FloatArray = NDArray[np.float64]

EPOCHS = 100
ENTROPY = 0.01
VARIANCE = 0.01


@cache
def sampled_given_full(n_items: int, n_wrong: int) -> FloatArray:
    """Probability of every sampled rank given every full rank: (n_items, n_wrong + 1)."""
    share = np.arange(n_items) / (n_items - 1)
    out: FloatArray = stats.binom.pmf(np.arange(n_wrong + 1), n_wrong, share[:, np.newaxis])
    return out


def maximum_likelihood(shares: FloatArray, n_items: int) -> FloatArray:
    """Law of the full rank by a hundred steps of expectation-maximisation from the uniform law."""
    table = sampled_given_full(n_items, shares.size - 1)
    distribution = np.full(n_items, 1 / n_items)
    for _ in range(EPOCHS):
        distribution = distribution * (table @ (shares / np.maximum(table.T @ distribution, 1e-300)))
    return distribution / distribution.sum()


def maximum_entropy(shares: FloatArray, n_items: int) -> FloatArray:
    """Law x of the full rank that minimises n sum_r p_r ((A'x - p)_r)^2 - g entropy(x), by its dual problem.

    With a multiplier for each sampled rank, x is proportional to exp(-A m / g): as many unknowns as sampled ranks.
    """
    table = sampled_given_full(n_items, shares.size - 1)
    seen = shares > 0
    table, p, n = table[:, seen], shares[seen], shares.size

    def dual(multiplier: FloatArray) -> tuple[float, FloatArray]:
        exponent = -(table @ multiplier) / ENTROPY
        total = special.logsumexp(exponent)
        distribution = np.exp(exponent - total)
        value = ENTROPY * total + multiplier @ p + np.square(multiplier) @ (1 / (4 * n * p))
        return float(value), p + multiplier / (2 * n * p) - table.T @ distribution

    scale = np.sqrt(n * p)  # the quadratic part has the same curvature in every direction
    found = optimize.minimize(
        lambda y: (lambda value, slope: (value, slope * scale))(*dual(y * scale)),
        np.zeros(p.size),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 500},
    )
    exponent = -(table @ (found.x * scale)) / ENTROPY
    return np.exp(exponent - special.logsumexp(exponent))


def bias_and_variance(prior: FloatArray, n_wrong: int, value: FloatArray) -> FloatArray:
    """Value of each sampled rank: W f with W = ((1 - g) A'DA + g diag(1'DA))^-1 A'D, and D the prior of the rank."""
    table = sampled_given_full(prior.size, n_wrong)
    weighted = prior[:, np.newaxis] * table
    matrix = (1 - VARIANCE) * table.T @ weighted + VARIANCE * np.diag(weighted.sum(axis=0))
    out: FloatArray = np.linalg.solve(matrix, weighted.T @ value)
    return out
