"""Exercises of Chapter 3 with other numbers."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, log, prod, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from scipy.stats import binom, ncx2, norm, qmc

from classex_book.course.texts import Numbers, Variations


def _line_key(k: int) -> list[float]:
    g = 2 * (k - 1) / k
    turn = exp(log(g / (k - 1)) / (k - 2))
    return [1 + g, 2 * (g * turn - turn ** (k - 1)) + 1 - g]


def _draw_room(rng: np.random.Generator) -> Numbers:
    two = float(rng.choice([0.7, 0.8, 0.85, 0.92]))
    return {"two": two, "three": round(two**2 + float(rng.choice([0.2, 0.3, 0.4, 0.5])) * (two - two**2), 3)}


def _room_key(two: float, three: float) -> list[float]:
    return [three**2 / two, three - (two - three) ** 2 / (1 - two)]


def _toy_key(u: float, rho: float) -> float:
    tau = 2 * sqrt(1 - rho**2) / rho
    return float(2 * quad(lambda v: ndtr((ndtri(v) - ndtri(v + 1 - u)) / tau), 0, u)[0])


def _draw_wins(rng: np.random.Generator) -> Numbers:
    n = int(rng.choice([9, 14, 19]))
    mu, nu = float(rng.choice([0.5, 1.0, 1.5])), float(rng.choice([0.5, 1.0, 1.5]))
    return {"wins": n - int(rng.integers(0, 4)), "n": n, "mu": mu, "nu": nu}


def _wins_key(wins: int, n: int, mu: float, nu: float) -> float:
    z = np.linspace(-9, 9, 20_001)
    return float(binom.pmf(wins, n, ndtr(mu + nu * z)) @ norm.pdf(z) * (z[1] - z[0]))


def _draw_rank(rng: np.random.Generator) -> Numbers:
    others = int(rng.integers(5, 13))
    return {"below": others - int(rng.integers(0, 4)), "others": others, "q": int(rng.integers(2, 5))}


def _thousand_key(noise: float, classes: int) -> float:
    normal = ndtri(np.clip(qmc.Sobol(30, rng=1).random_base2(14), 1e-12, 1 - 1e-12))
    own, stored, seen = np.split(normal, 3, axis=1)
    square = noise * np.square(stored - seen).sum(axis=1)
    point = np.square(own + sqrt(noise) * seen).sum(axis=1)
    nearer = ncx2.cdf(square / (1 + noise), 10, point / (1 + noise))
    return float(np.mean((1 - nearer) ** (classes - 1)))


def _draw_limits(rng: np.random.Generator) -> Numbers:
    high = float(rng.choice([0.5, 0.6, 0.7, 0.8]))
    return {
        "many": int(rng.choice([50_000, 100_000, 200_000])),
        "high": high,
        "low": float(rng.choice([0.1, 0.2, 0.3])),
    }


def _limits_key(many: int, high: float, low: float) -> list[list[list[float]]]:
    seldom = exp(log(low / high) / (many - 1))
    return [[[u, high], [0.5, 1 - high]] for u in (1.0, seldom)]


def _draw_negative(rng: np.random.Generator) -> Numbers:
    two = float(rng.choice([0.65, 0.7, 0.75, 0.8]))
    # the first coefficient is negative where the error with three classes exceeds one and a half times that with two
    return {"two": two, "three": round(1 - 1.5 * (1 - two) - float(rng.choice([0.005, 0.01, 0.02])), 4)}


def _negative_key(two: float, three: float) -> list[float]:
    second = 18 * (1 - three) - 24 * (1 - two)
    first = 2 * (1 - two) - 2 * second / 3
    alone = ((1 - two) / 3 + (1 - three) / 2) / (1 / 9 + 1 / 4)
    return [first, second, 1 - first * 99 / 100 - second * 99 / 101, alone, 1 - alone * 99 / 101]


def _wider_key(sigma: float, seen: float, error: float) -> list[float]:
    prior, data = 1 / sigma**2, 1 / error**2
    slope = (-0.6 * prior + (seen - 1) * data) / (prior + data)
    return [1 + 3 * slope, 3 / sqrt(prior + data), 3 / sqrt(prior / 4 + data), 3 * error]


def _slopes_key(t: float, u: float, sigma: float, length: float) -> float:
    a, b = t / length, u / length
    return (sigma * length) ** 2 * (2 * min(a, b) + exp(-a) + exp(-b) - 1 - exp(-abs(a - b)))


def _three_points_key(first: float, second: float, third: float, error: float) -> list[float]:
    t, z = np.array([0.0, 0.5, 1.0]), np.array([first, second, third])
    gain = np.linalg.solve(9 + 0.04 * np.outer(t, t) + error**2 * np.eye(3), 9 + 0.08 * t)
    return [1 - 1.2 + float(gain @ (z - 1 + 0.6 * t)), sqrt(9.16 - float(gain @ (9 + 0.08 * t)))]


VARIATIONS: Variations = {
    "two-kinds": (
        lambda rng: {"clear": float(rng.choice([0.2, 0.3, 0.4, 0.6])), "other": float(rng.choice([0.8, 0.85, 0.95]))},
        lambda clear, other: [*(clear + (1 - clear) * other ** (k - 1) for k in (2, 10)), clear],
    ),
    "power": (
        lambda rng: {"two": float(rng.choice([0.75, 0.8, 0.95, 0.96, 0.98]))},
        lambda two: [two / (1 - two), two / (1 - two) / (two / (1 - two) + 99)],
    ),
    "room": (_draw_room, _room_key),
    "unbiased-power": (
        lambda rng: {"wins": int(rng.integers(12, 22)), "n": int(rng.integers(23, 31))},
        lambda wins, n: [Fraction(wins, n) ** 2, Fraction(comb(wins, 2), comb(n, 2))],
    ),
    "line": (lambda rng: {"k": int(rng.choice([20, 40, 50, 80, 200]))}, _line_key),
    "negative": (_draw_negative, _negative_key),
    "wider": (
        lambda rng: {
            "sigma": float(rng.choice([0.1, 0.2, 0.3])),
            "seen": float(rng.choice([0.3, 0.5, 0.7])),
            "error": float(rng.choice([0.05, 0.1, 0.15])),
        },
        _wider_key,
    ),
    "top": (
        lambda rng: {
            "u": float(rng.choice([0.8, 0.85, 0.9])),
            "k": int(rng.choice([15, 20, 30, 40])),
            "m": int(rng.integers(2, 6)),
        },
        lambda u, k, m: float(binom.cdf(m - 1, k - 1, 1 - u)),
    ),
    "toy-d": (
        lambda rng: {
            "u": float(rng.choice([0.4, 0.6, 0.7, 0.8, 0.95])),
            "rho": float(rng.choice([0.4, 0.5, 0.6, 0.8])),
        },
        _toy_key,
    ),
    "likelihood": (_draw_wins, _wins_key),
    "expected-powers": (
        _draw_rank,
        lambda below, others, q: prod(
            (Fraction(below + m, others + 1 + m) for m in range(1, q + 1)), start=Fraction(1)
        ),
    ),
    "slopes": (
        lambda rng: {
            "t": float(rng.choice([0.5, 1.0, 2.0])),
            "u": float(rng.choice([1.5, 2.5, 3.0])),
            "sigma": float(rng.choice([0.1, 0.2, 0.3])),
            "length": float(rng.choice([0.5, 1.0, 2.0])),
        },
        _slopes_key,
    ),
    "three-points": (
        lambda rng: {
            "first": float(rng.choice([1.4, 1.5, 1.6])),
            "second": float(rng.choice([1.1, 1.2, 1.3])),
            "third": float(rng.choice([0.7, 0.8, 0.9])),
            "error": float(rng.choice([0.05, 0.1, 0.2])),
        },
        _three_points_key,
    ),
    "thousand": (
        lambda rng: {
            "noise": float(rng.choice([0.15, 0.2, 0.25, 0.35])),
            "classes": int(rng.choice([300, 1000, 3000, 10_000])),
        },
        _thousand_key,
    ),
    "apart": (_draw_limits, _limits_key),
}
