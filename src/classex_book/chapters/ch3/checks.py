"""Checkers of the exercises of Chapter 3; the truth comes from enumeration, quadrature or linear programming."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, log, pi, prod, sqrt
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.optimize import linprog, nnls
from scipy.special import betainc, gammaln, log_ndtr, ndtr, ndtri
from scipy.stats import binom, ncx2, norm, qmc

from classex.models import BivariateNormal, GaussianClasses
from classex_book.course.answers import as_array, honest_estimator, require, same_array, same_function, same_number
from classex_book.course.texts import Numbers, Variations


def check_two_kinds(answer: object, clear: float = 0.5, other: float = 0.9) -> None:
    # by the second form of the theorem: D is 0 below the other favourability and flat from there to 1
    truth = [1 - (k - 1) * quad(lambda u, k=k: (1 - clear) * u ** (k - 2), other, 1)[0] for k in (2, 10)]
    same_array(answer, [*truth, clear])


def check_power(answer: object, two: float = 0.9) -> None:
    a = float(as_array(answer, (2,))[0])
    require(a >= 1, "the exponent must be at least 1")
    accuracy = [1 - (k - 1) * quad(lambda u, k=k: u ** (a + k - 2), 0, 1)[0] for k in (2, 100)]
    require(abs(accuracy[0] - two) < 1e-7, f"with this exponent the accuracy with two classes is not {two:g}")
    same_array(answer, [a, accuracy[1]])


def check_room(answer: object, two: float = 0.9, three: float = 0.82) -> None:
    # a fine grid, and the points where a distribution on two points could sit beside 0 and 1
    u = np.unique([*np.linspace(0, 1, 2001), (two - three) / (1 - two), three / two])
    moments = np.vstack([np.ones_like(u), u, u**2])
    ends = [linprog(sign * u**3, A_eq=moments, b_eq=[1, two, three], method="highs").fun * sign for sign in (1, -1)]
    same_array(answer, ends, tolerance=1e-5)


def check_unbiased_power(answer: object, wins: int = 17, n: int = 20) -> None:
    beaten = [True] * wins + [False] * (n - wins)
    pairs = [beaten[i] and beaten[j] for i in range(n) for j in range(n) if i != j]
    replaced = [beaten[i] and beaten[j] for i in range(n) for j in range(n)]
    same_array(answer, [np.mean(replaced), np.mean(pairs)])


def check_line(answer: object, k: int = 100) -> None:
    g = ((k - 1) / k) / (1 / 2)
    turn = exp(log(g / (k - 1)) / (k - 2))
    pieces = [quad(lambda u: abs(g - (k - 1) * u ** (k - 2)), low, high)[0] for low, high in ((0, turn), (turn, 1))]
    same_array(answer, [1 + g, sum(pieces)], tolerance=1e-6)


def check_negative(answer: object, two: float = 0.7, three: float = 0.54) -> None:
    def moments(k: int) -> list[float]:
        return [(k - 1) * quad(lambda u, e=power + k - 2: u**e, 0, 1)[0] for power in (1, 2)]

    H, errors = np.array([moments(2), moments(3)]), np.array([1 - two, 1 - three])
    free, held = np.linalg.solve(H, errors), nnls(H, errors)[0]
    predicted = [1 - float(np.dot(moments(100), beta)) for beta in (free, held)]
    same_array(answer, [*free, predicted[0], held[1], predicted[1]])


def check_wider(answer: object, sigma: float = 0.2, seen: float = 0.6, error: float = 0.1) -> None:
    # by the covariance of z(1) with its error and z(3), instead of by precisions
    def given(spread: float) -> tuple[float, float]:
        gain = 3 * spread**2 / (spread**2 + error**2)
        return 1 - 1.8 + gain * (seen - 0.4), sqrt(9 * spread**2 - gain * 3 * spread**2)

    same_array(answer, [*given(sigma), given(2 * sigma)[1], 3 * error])


def check_top(answer: object, **values: float) -> None:
    def truth(u: float, k: int, m: int) -> float:
        return 1.0 if m >= k else 1.0 - float(betainc(m, k - m, 1 - u))

    cases = {
        "u = 0.9, k = 2, m = 1": (0.9, 2, 1),
        "u = 0.9, k = 10, m = 1": (0.9, 10, 1),
        "u = 0.9, k = 10, m = 3": (0.9, 10, 3),
        "u = 0.99, k = 500, m = 5": (0.99, 500, 5),
        "u = 0.2, k = 4, m = 4": (0.2, 4, 4),
    }
    same_function(answer, truth, cases, values=values)


def check_toy_d(answer: object, **values: float) -> None:
    def truth(u: float, rho: float) -> float:
        return float(BivariateNormal(rho).discriminability(u))

    cases = {f"u = {u}, rho = {rho}": (u, rho) for u in (0.1, 0.5, 0.9) for rho in (0.3, 0.7)}
    same_function(answer, truth, cases, values=values)


def check_likelihood(answer: object, **values: float) -> None:
    def truth(wins: int, n: int, mu: float, nu: float) -> float:
        choose = gammaln(n + 1) - gammaln(wins + 1) - gammaln(n - wins + 1)

        def integrand(w: float) -> float:
            z = (w - mu) / nu
            return exp(choose + wins * log_ndtr(w) + (n - wins) * log_ndtr(-w) - z * z / 2) / (nu * sqrt(2 * pi))

        return float(quad(integrand, mu - 12 * nu, mu + 12 * nu, limit=400, points=[mu])[0])

    cases = {
        "7 of 9 wins, mu = 1, nu = 1": (7, 9, 1.0, 1.0),
        "all of 19 wins, mu = 2, nu = 0.5": (19, 19, 2.0, 0.5),
        "no win of 4, mu = 0, nu = 1.5": (0, 4, 0.0, 1.5),
        "98 of 99 wins, mu = 2, nu = 1": (98, 99, 2.0, 1.0),
    }
    same_function(answer, truth, cases, values=values, tolerance=1e-5)


def check_expected_powers(answer: object, **values: int) -> None:
    def truth(below: int, others: int, q: int) -> float:
        # the moments of the uniform distribution, weighted by the binomial probability of the count, as exact fractions
        def moment(power: int) -> Fraction:
            terms = (
                (-1) ** j * Fraction(comb(others - below, j), below + power + j + 1) for j in range(others - below + 1)
            )
            return sum(terms, Fraction(0))

        return float(moment(q) / moment(0))

    cases = {
        f"below = {below}, others = {others}, q = {q}": (below, others, q)
        for below, others, q in ((0, 0, 1), (0, 6, 2), (3, 6, 1), (6, 6, 3), (20, 48, 5), (4, 6, 0))
    }
    same_function(answer, truth, cases, values=values)


def check_slopes(answer: object, **values: float) -> None:
    def truth(t: float, u: float, sigma: float, length: float) -> float:
        def up_to_u(v: float) -> float:
            return float(quad(lambda w: exp(-abs(v - w) / length), 0, u, points=[v] if v < u else None)[0])

        return float(sigma**2 * quad(up_to_u, 0, t, points=[u] if 0 < u < t else None)[0])

    cases = {
        f"t = {t}, u = {u}, sigma = {sigma}, length = {length}": (t, u, sigma, length)
        for t, u, sigma, length in (
            (1.0, 1.0, 0.2, 2.3),
            (3.0, 1.0, 0.2, 2.3),
            (0.1, 2.0, 1.0, 0.5),
            (0.0, 2.0, 0.3, 1.0),
        )
    }
    same_function(answer, truth, cases, values=values)


def check_three_points(answer: object, **values: float) -> None:
    def truth(t: Any, z: Any, error: float, at: float) -> list[float]:
        # regression on the level and the slope, with the prior as two more observations
        design = np.vstack([np.column_stack([np.ones(3), t]) / error, np.diag([1 / 3, 1 / 0.2])])
        response = np.concatenate([np.asarray(z) / error, [1 / 3, -0.6 / 0.2]])
        root = np.linalg.qr(design)[1]
        row = np.array([1.0, at])
        line = np.linalg.lstsq(design, response)[0]
        return [float(row @ line), float(np.linalg.norm(np.linalg.solve(root.T, row)))]

    if values:
        z = [values[name] for name in ("first", "second", "third")]
        same_array(answer, truth([0.0, 0.5, 1.0], z, values["error"], 2.0))
        return
    cases = {
        "t = [0, 0.5, 1], z = [1.5, 1.25, 0.9], error = 0.05, at = 2": (
            *(np.array([0.0, 0.5, 1.0]), np.array([1.5, 1.25, 0.9]), 0.05, 2.0),
        ),
        "t = [0, 1, 3], z = [2, 1.9, 0.5], error = 0.3, at = 5": (
            *(np.array([0.0, 1.0, 3.0]), np.array([2.0, 1.9, 0.5]), 0.3, 5.0),
        ),
    }
    same_function(answer, truth, cases)


def check_thousand(answer: object, noise: float | None = None, classes: int = 1000) -> None:
    truth = float(GaussianClasses(n_features=10, noise=noise or 0.3).average_accuracy(classes))
    if noise is None:
        honest_estimator(answer, truth, largest_error=0.005)
    else:
        same_number(answer, truth, tolerance=0.005)


def check_apart(answer: object, many: int = 10_000, high: float | None = None, low: float = 0.0) -> None:
    require(isinstance(answer, tuple | list) and len(answer) == 2, "the answer must be a pair of distributions")
    curves = []
    for distribution in answer:  # type: ignore[attr-defined]
        u, p = as_array(
            distribution, (None, 2), "a pair of distributions, each with rows [favourability, probability]"
        ).T
        require(u.size > 0, "a distribution has no rows")
        require((u >= 0).all() and (u <= 1).all(), "a favourability lies outside [0, 1]")
        require((p >= 0).all() and abs(p.sum() - 1) < 1e-9, "the probabilities of a distribution do not sum to 1")
        curves.append(np.array([p @ u ** (k - 1) for k in (*range(2, 21), many)]))
    gap = np.abs(curves[0] - curves[1])
    require(gap[:-1].max() < 0.001, "the accuracies differ by 0.001 or more for some number of classes up to 20")
    if high is None:
        require(gap[-1] > 0.3, "the accuracies with 10,000 classes differ by 0.3 or less")
    else:
        same_array([curve[-1] for curve in curves], [high, low], tolerance=0.001)


# Other numbers: drawn from a seed, with a key that is worked out in another way than the checkers' truth


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
