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
