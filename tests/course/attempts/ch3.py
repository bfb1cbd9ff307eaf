"""Attempts at the exercises of Chapter 3."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
from scipy.integrate import quad
from scipy.special import betaln, ndtr, ndtri
from scipy.stats import binom, ncx2

from classex.models import BivariateNormal

G = 0.99 / 0.5
TURN = (G / 99) ** (1 / 98)
NEVER = [[1.0, 0.5], [0.5, 0.5]]
SELDOM = [[1 - 1e-4, 0.5], [0.5, 0.5]]


def toy(u, rho, *, factor=2.0, square=True):
    tau = 2 * np.sqrt(1 - (rho**2 if square else rho)) / rho
    return factor * quad(lambda v: ndtr((ndtri(v) - ndtri(v + 1 - u)) / tau), 0, u)[0]


def by_hermite(wins, n, mu, nu):
    z, weight = np.polynomial.hermite_e.hermegauss(120)
    return binom.pmf(wins, n, ndtr(mu + nu * z)) @ weight / np.sqrt(2 * np.pi)


def by_quad(wins, n, mu, nu, *, spread=1.0, coefficient=True):
    def integrand(z):
        p = ndtr(mu + spread * nu * z)
        binomial = binom.pmf(wins, n, p) if coefficient else p**wins * (1 - p) ** (n - wins)
        return binomial * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

    return quad(integrand, -10, 10, limit=300, epsabs=1e-10)[0]


def by_beta(below, others, h):
    return np.exp(betaln(below + 1 + h, others - below + 1) - betaln(below + 1, others - below + 1))


def by_product(below, others, h):
    value = Fraction(1)
    for z in range(1, h + 1):
        value *= Fraction(below + z, others + 1 + z)
    return value


def slopes_by_sum(t, u, sigma, length, *, n=4000, halved=False, stretched=True):
    """The double integral by the midpoint rule in one direction, and exactly in the other."""
    v = (np.arange(n) + 0.5) / n * t
    scale = length if stretched else 1.0
    inner = scale * (2 - np.exp(-np.abs(v) / scale) - np.exp(-np.abs(u - v) / scale))
    beyond = scale * (np.exp(-np.abs(v - u) / scale) - np.exp(-v / scale))
    value = sigma**2 * np.mean(np.where(v < u, inner, beyond)) * t
    return value / 2 if halved else value


def slopes_exact(t, u, sigma, length):
    a, b = np.sort([t, u]) / length
    return (sigma * length) ** 2 * (2 * a - np.expm1(-(b - a)) + np.expm1(-a) + np.expm1(-b))


def three_points(t, z, error, at, *, noise=True, squared=True, slope=0.2):
    """By precisions of the level and the slope."""
    X = np.column_stack([np.ones(3), t])
    precision = np.diag([1 / 9, 1 / slope**2]) + X.T @ X / error**2
    line = np.linalg.solve(precision, [1 / 9, -0.6 / slope**2] + X.T @ np.asarray(z) / error**2)
    row = np.array([1.0, at])
    variance = row @ np.linalg.solve(precision, row) + (0 if noise else error**2)
    return [row @ line, np.sqrt(variance) if squared else variance]


def three_points_jointly(t, z, error, at):
    times = np.append(t, at)
    prior = 9 + 0.04 * np.outer(times, times)
    noisy = prior[:3, :3] + error**2 * np.eye(3)
    gain = prior[3, :3] @ np.linalg.inv(noisy)
    return 1 - 0.6 * at + gain @ (z - 1 + 0.6 * np.asarray(t)), (prior[3, 3] - gain @ prior[:3, 3]) ** 0.5


def thousand(rng, n=8_000, *, power=999, error=1.0, stored_noise=0.3):
    x = rng.normal(size=(n, 10))
    stored = x + np.sqrt(stored_noise) * rng.normal(size=(n, 10))
    y = x + np.sqrt(0.3) * rng.normal(size=(n, 10))
    u = ncx2.sf(np.square(stored - y).sum(axis=1) / 1.3, 10, np.square(y).sum(axis=1) / 1.3)
    values = u**power
    return values.mean(), error * values.std(ddof=1) / np.sqrt(n)


ATTEMPTS = {
    "exr-ch3-two-kinds": (
        [[0.95, 0.5 + 0.5 * 0.9**10, 0.5], [0.95, 0.95**9, 0.0], [0.95, 0.5 + 0.5 * 0.9**9, 0.0]],
        [np.array([0.95, 0.5 + 0.5 * 0.9**9, 0.5]), [0.5 * (1 + 0.9 ** (k - 1)) for k in (2, 10, 10**5)]],
    ),
    "exr-ch3-power": (
        [[9, 0.9**99], [10, 10 / 109], [9, 9 / 109]],
        [(9.0, 1 / 12), [Fraction(9), Fraction(9, 108)]],
    ),
    "exr-ch3-room": (
        [[0.82 - 0.064, 0.82**2 / 0.9], [0.9**3, 0.82], [0.75, 0.756]],  # exchanged; crude; rounded
        [(0.82**2 / 0.9, 0.756), [Fraction(82, 100) ** 2 / Fraction(9, 10), Fraction(756, 1000)]],
    ),
    "exr-ch3-unbiased-power": (
        [[0.85**2, 0.85**2], [0.85**2, 17 * 16 / 20**2], [17 * 16 / (20 * 19), 0.85**2]],
        [[0.7225, 0.8 * 17 / 19], (Fraction(17, 20) ** 2, Fraction(comb(17, 2), comb(20, 2)))],
    ),
    "exr-ch3-line": (
        [[1.98, 0.98], [1.98, 2 * (G * TURN - TURN**99) + 1 - G], [2.98, 0.98]],
        [
            [1 + G, 2 * (G * TURN - TURN**99) + 1 - G],
            (2.98, np.mean(np.abs(G - 99 * ((np.arange(4_000_000) + 0.5) / 4_000_000) ** 98))),
        ],
    ),
    "exr-ch3-negative": (
        [
            [-0.12, 1.08, 1 + 0.12 * 0.99 - 1.08 * 99 / 101, 1.08, 1 - 1.08 * 99 / 101],  # not fitted again
            [-0.12, 1.08, 0.12, 0.92, 0.1],
            [0.28, 0.26, 0.47, 0.9, 0.12],  # accuracies in place of error rates
        ],
        [
            [-0.12, 1.08, 1 + 0.12 * 0.99 - 1.08 * 99 / 101, 11.88 / 13, 1 - 11.88 / 13 * 99 / 101],
            (
                *(Fraction(-12, 100), Fraction(108, 100), 1 + Fraction(1188, 10_000) - Fraction(10_692, 10_100)),
                *(Fraction(1188, 1300), 1 - Fraction(1188, 1300) * Fraction(99, 101)),
            ),
        ],
    ),
    "exr-ch3-wider": (
        [
            [-0.2, 3 / 125**0.5, 3 / 106.25**0.5, 0.3],  # the prior ignored in the mean
            [-0.32, 1 / 125**0.5, 1 / 106.25**0.5, 0.1],  # the slope
            [-0.32, 9 / 125, 9 / 106.25, 0.09],  # variances
        ],
        [[-0.32, 3 / 125**0.5, 3 / 106.25**0.5, 0.3], (1 - 1.8 + 0.48, 0.6 / 5**0.5, 1.2 / 17**0.5, 0.3)],
    ),
    "exr-ch3-top": (
        [
            lambda u, k, m: u ** (k - m),
            lambda u, k, m: binom.cdf(m, k - 1, 1 - u),
            lambda u, k, m: binom.cdf(m - 1, k, 1 - u),
        ],
        [
            lambda u, k, m: sum(comb(k - 1, j) * (1 - u) ** j * u ** (k - 1 - j) for j in range(min(m, k))),
            lambda u, k, m: binom.sf(k - 1 - m, k - 1, u),
        ],
    ),
    "exr-ch3-toy-d": (
        [
            lambda u, rho: toy(u, rho, factor=1.0),
            lambda u, rho: toy(u, rho, square=False),
            lambda u, rho: u**rho,
        ],
        [toy, lambda u, rho: BivariateNormal(rho).discriminability(u)],
    ),
    "exr-ch3-likelihood": (
        [
            lambda wins, n, mu, _nu: binom.pmf(wins, n, ndtr(mu)),
            lambda *a: by_quad(*a, coefficient=False),
            lambda wins, n, mu, nu: by_quad(wins, n, mu, nu, spread=nu),  # the variance for the deviation
        ],
        [by_hermite, by_quad],
    ),
    "exr-ch3-expected-powers": (
        [
            lambda below, others, h: (below / others if others else 0.0) ** h,
            lambda below, others, h: ((below + 1) / (others + 2)) ** h,
            lambda below, others, h: np.prod((below + np.arange(1, h + 1)) / (others + np.arange(1, h + 1))),
        ],
        [by_beta, by_product],
    ),
    "exr-ch3-slopes": (
        [
            lambda t, u, sigma, length: sigma**2 * t * u * np.exp(-abs(t - u) / length),  # a constant slope
            lambda *a: slopes_by_sum(*a, halved=True),
            lambda *a: slopes_by_sum(*a, stretched=False),
        ],
        [lambda *a: slopes_by_sum(*a, n=200_000), slopes_exact],
    ),
    "exr-ch3-three-points": (
        [
            lambda *a: three_points(*a, noise=False),
            lambda *a: three_points(*a, squared=False),
            lambda *a: three_points(*a, slope=20.0),  # the prior of the slope ignored
        ],
        [three_points, three_points_jointly],
    ),
    "exr-ch3-thousand": (
        [
            lambda rng: thousand(rng, power=99),
            lambda rng: thousand(rng, error=0.3),
            lambda rng: thousand(rng, stored_noise=0.0),
        ],
        [thousand, lambda rng: list(thousand(rng, 16_000))],
    ),
    "exr-ch3-apart": (
        [(NEVER, NEVER), (NEVER, [[0.9, 0.5], [0.5, 0.5]]), (NEVER, [[0.5, 0.6]])],
        [(NEVER, SELDOM), [np.array([[1.0, 1.0]]), [[1 - 5e-5, 1.0]]]],
    ),
}
