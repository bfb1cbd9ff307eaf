"""Checkers of the exercises of Chapter 5; the truth comes from quadrature, plain loops and exact covariances."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from classex.information import curve_test, identification_accuracy, identification_information
from classex.ranks import correct_ranks
from classex_book.course.answers import (
    as_array,
    as_whole,
    honest_estimator,
    require,
    same_array,
    same_function,
    same_number,
)
from classex_book.course.texts import Numbers, Variations

FloatArray = NDArray[np.float64]


def _sum_over_normals(c: float, k: float) -> float:
    """The integral of phi(z - c) Phi(z)^(k-1), by a plain sum."""
    z, step = np.linspace(-12.0, 12.0 + c, 20_001, retstep=True)
    return float((stats.norm.pdf(z - c) * np.exp((k - 1) * special.log_ndtr(z))).sum() * step)


def check_two_candidates(answer: object, accuracy: float = 0.95) -> None:
    truth = optimize.brentq(lambda nats: _sum_over_normals(np.sqrt(2 * nats), 2) - accuracy, 0.01, 30, xtol=1e-12)
    same_number(answer, truth)


def check_five_numbers(
    answer: object,
    gap: float = 2.0,
    own: float = 2.0,
    rival: float = 1.5,
    with_truth: float = 0.5,
    between: float = 0.25,
) -> None:
    mean = np.array([gap, 0.0, 0.0])
    covariance = np.array([[own, with_truth, with_truth], [with_truth, rival, between], [with_truth, between, rival]])
    differences = np.array([[1.0, -1.0, 0.0], [1.0, 0.0, -1.0]])
    centre, spread = differences @ mean, differences @ covariance @ differences.T
    alone = spread[0, 0] - spread[0, 1]  # what one rival does not share with another
    two = stats.norm.sf(0, centre[0], np.sqrt(spread[0, 0]))
    same_array(answer, [centre[0] / np.sqrt(alone), np.sqrt(spread[0, 1] / alone), two])


def check_tilt(answer: object, sd: float = 3.0) -> None:
    u, step = np.linspace(-60.0, 60.0, 240_001, retstep=True)

    def mass(mean: float) -> float:
        return float((stats.norm.pdf(u, mean, sd) * np.exp(u)).sum() * step)

    mean = optimize.brentq(lambda m: np.log(mass(m)), -20, 5, xtol=1e-13)
    unrelated = stats.norm.pdf(u, mean, sd)
    nats = (u * unrelated * np.exp(u)).sum() * step
    same_array(answer, [nats, mean, stats.norm.sf(0, mean, sd)])


def check_curve(answer: object, information: float | None = None, k: int = 2) -> None:
    if information is not None:
        same_number(answer, _sum_over_normals(np.sqrt(2 * information), k))
        return
    cases = {
        f"{nats:g} nats and k = {k:,}": (float(nats), k)
        for nats in (0.0, 0.3, 2.0, 8.0, 20.0)
        for k in (2, 10, 1_000, 10**9)
    }
    same_function(answer, lambda nats, k: float(identification_accuracy(nats, k)), cases)


def check_channels(answer: object, signal: float = 0.02, candidates: int = 200) -> None:
    n = as_whole(answer, "a whole number of channels")

    def accuracy(count: float) -> float:
        return _sum_over_normals(np.sqrt(count * np.log(1 + signal)), candidates)

    require(accuracy(n) >= 0.5, "with this many channels the accuracy is below one half")
    require(accuracy(n - 1) < 0.5, "with one channel fewer the accuracy is still at least one half")


def _implied_by_search(accuracy: FloatArray) -> float:
    """The best of a fine grid of information, by the definition."""
    sizes = np.arange(2, accuracy.size + 2)
    low, high = 0.0, 12.0
    for _ in range(4):  # to 1e-4
        nats = np.linspace(low, high, 31)
        best = min(nats, key=lambda value: float(np.square(accuracy - identification_accuracy(value, sizes)).sum()))
        low, high = max(best - (nats[1] - nats[0]), 0.0), best + (nats[1] - nats[0])
    return float(best)


def check_implied(answer: object, accuracies: Sequence[float] = ()) -> None:
    if accuracies:
        same_number(answer, _implied_by_search(np.array(accuracies)), tolerance=2e-3)
        return
    sizes = np.arange(2, 41)
    noise = 0.03 * np.sin(np.arange(39.0))
    curves = {
        "an exact curve of 2 nats": identification_accuracy(2.0, sizes),
        "an exact curve of 0.1 nats": identification_accuracy(0.1, sizes),
        "the curve of 3 nats, disturbed": identification_accuracy(3.0, sizes) + noise,
        "a curve of ten accuracies": np.linspace(0.9, 0.5, 10),
        "accuracies below chance": 0.8 / sizes,
    }
    cases = {case: (np.asarray(curve),) for case, curve in curves.items()}
    same_function(answer, _implied_by_search, cases, tolerance=2e-3)


def check_whiten(
    answer: object, variances: Sequence[int] = (), covariance: float = 0.0, **case: Sequence[float]
) -> None:
    if variances:
        root = np.linalg.cholesky([[variances[0], covariance], [covariance, variances[1]]])
        left = np.linalg.solve(root, np.subtract(case["response"], case["prediction"]))
        same_number(answer, -0.5 * float(left @ left))
        return

    def truth(responses: FloatArray, predictions: FloatArray, covariance: FloatArray) -> FloatArray:
        inverse = np.linalg.inv(covariance)
        return np.array([[-0.5 * (y - x) @ inverse @ (y - x) for x in predictions] for y in responses])

    rng = np.random.default_rng(51)
    cases: dict[str, tuple[Any, ...]] = {}
    for q, correlation in ((1, 0.0), (3, 0.8), (6, -0.15)):
        scale = np.diag(np.arange(1.0, q + 1))
        noise = scale @ ((1 - correlation) * np.eye(q) + correlation) @ scale
        name = f"{q} responses with correlation {correlation:g}"
        cases[name] = (rng.normal(size=(5, q)), rng.normal(size=(4, q)), noise)
    same_function(answer, truth, cases)


def _of_the_mean(easy: float, hard: float, k: int) -> float:
    """Information whose curve has the mean of two curves' accuracies with k candidates."""
    mean = np.mean([_sum_over_normals(np.sqrt(2 * nats), k) for nats in (easy, hard)])
    return float(optimize.brentq(lambda s: _sum_over_normals(s, k) - mean, 0, 8, xtol=1e-12) ** 2 / 2)


def check_easy_and_hard(answer: object, easy: float | None = None, hard: float = 1.0, k: int = 100) -> None:
    if easy is not None:
        same_array(answer, [_of_the_mean(easy, hard, size) for size in (2, k)], tolerance=1e-5)
        return
    scores = as_array(answer, (None, None))
    require(scores.shape[0] == scores.shape[1], f"the matrix must be square, but its shape is {scores.shape}")
    require(scores.shape[0] >= 100, "there must be at least 100 stimuli")
    require(scores.shape[0] <= 2000, "at most 2,000 stimuli, please")
    ranks = correct_ranks(scores, np.arange(scores.shape[0]))
    share = float(np.mean((ranks.wins + 0.5 * ranks.ties) / (scores.shape[0] - 1)))
    require(0.6 <= share <= 0.99, "the accuracy with two candidates must lie between 0.6 and 0.99")
    test = curve_test(ranks)
    require(test.nu > 1.2, "the fitted nu is not above 1.2")
    require(test.p_value < 0.01, "the test does not reject nu = 1 at the level of 1 %")


def check_two_points(answer: object, shift: float | None = None) -> None:
    y, step = np.linspace(-14.0, 14.0, 40_001, retstep=True)
    densities = stats.norm.pdf(y, (1.0 if shift is None else shift) * np.array([[-1.0], [1.0]]))
    mixture = densities.mean(axis=0)
    # H(Y) - H(Y | X)
    information = -(mixture * np.log(mixture)).sum() * step - 0.5 * np.log(2 * np.pi * np.e)
    if shift is not None:
        same_number(answer, float(information), tolerance=2e-3)
        return
    honest_estimator(answer, float(information), largest_error=0.005)


# Other numbers: drawn from a seed, with a key that is worked out in another way than the checkers' truth


def _channels_key(signal: float, candidates: int) -> int:
    return ceil(float(identification_information(0.5, candidates)) / (log(1 + signal) / 2))


def _five_numbers_key(gap: float, own: float, rival: float, with_truth: float, between: float) -> list[float]:
    alone, left = rival - between, own + between - 2 * with_truth
    return [gap / sqrt(alone), sqrt(left / alone), norm.cdf(gap / sqrt(alone + left))]


def _draw_accuracies(rng: np.random.Generator) -> Numbers:
    curve = identification_accuracy(float(rng.choice([0.5, 1.0, 1.5, 2.0])), np.arange(2, 7))
    noisy = np.sort(curve + rng.uniform(-0.03, 0.03, 5))[::-1]
    return {"accuracies": [round(float(a), 2) for a in noisy]}


def _implied_key(accuracies: list[float]) -> float:
    def gap(nats: float) -> float:
        return float(np.square(np.array(accuracies) - identification_accuracy(nats, np.arange(2, 7))).sum())

    return float(minimize_scalar(gap, bounds=(0, 8), method="bounded", options={"xatol": 1e-9}).x)


def _draw_voxels(rng: np.random.Generator) -> Numbers:
    return {
        "variances": [int(v) for v in rng.integers(2, 6, 2)],
        "covariance": float(rng.choice([-1.0, 0.5, 1.0, 1.5])),
        "response": [float(v) / 2 for v in rng.integers(-6, 7, 2)],
        "prediction": [float(v) / 2 for v in rng.integers(-6, 7, 2) + 0.5],
    }


def _whiten_key(variances: list[int], covariance: float, response: list[float], prediction: list[float]) -> float:
    (v, w), (a, b) = variances, (y - x for y, x in zip(response, prediction, strict=True))
    return -(w * a**2 - 2 * covariance * a * b + v * b**2) / (2 * (v * w - covariance**2))


def _mixture_key(easy: float, hard: float, k: int) -> list[float]:
    mean = [float(np.mean(identification_accuracy([easy, hard], size))) for size in (2, k)]
    return [float(identification_information(a, size)) for a, size in zip(mean, (2, k), strict=True)]


def _two_points_key(shift: float) -> float:
    def lost(y: float) -> float:
        return float(norm.pdf(y, shift) * np.logaddexp(0, -2 * shift * y))

    return log(2) - float(quad(lost, shift - 12, shift + 12, epsabs=1e-11)[0])


VARIATIONS: Variations = {
    "two-candidates": (
        lambda rng: {"accuracy": float(rng.choice([0.8, 0.85, 0.9, 0.97, 0.99]))},
        lambda accuracy: norm.ppf(accuracy) ** 2,
    ),
    "five-numbers": (
        lambda rng: {
            "gap": float(rng.choice([1.0, 1.5, 2.5, 3.0])),
            "own": float(rng.choice([2.0, 2.5, 3.0])),
            "rival": float(rng.choice([1.25, 1.5, 2.0])),
            "with_truth": float(rng.choice([0.25, 0.5])),
            "between": float(rng.choice([0.25, 0.5])),
        },
        _five_numbers_key,
    ),
    "tilt": (
        lambda rng: {"sd": float(rng.choice([1.0, 1.5, 2.0, 2.5, 4.0]))},
        lambda sd: [sd**2 / 2, -(sd**2) / 2, norm.cdf(-sd / 2)],
    ),
    "curve": (
        lambda rng: {
            "information": float(rng.choice([0.7, 1.5, 3.0, 5.0, 9.0])),
            "k": int(rng.choice([5, 40, 300, 5000, 10**6])),
        },
        lambda information, k: float(identification_accuracy(information, k)),
    ),
    "channels": (
        lambda rng: {
            "signal": float(rng.choice([0.01, 0.03, 0.05])),
            "candidates": int(rng.choice([50, 100, 400, 1000])),
        },
        _channels_key,
    ),
    "implied": (_draw_accuracies, _implied_key),
    "whiten": (_draw_voxels, _whiten_key),
    "easy-and-hard": (
        lambda rng: {
            "easy": float(rng.choice([4.0, 5.0, 6.0])),
            "hard": float(rng.choice([0.3, 0.5, 0.8])),
            "k": int(rng.choice([50, 100, 200])),
        },
        _mixture_key,
    ),
    "two-points": (lambda rng: {"shift": float(rng.choice([0.5, 0.7, 1.2, 1.5, 2.0]))}, _two_points_key),
}
