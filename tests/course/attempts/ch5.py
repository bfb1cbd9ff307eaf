"""Attempts at the exercises of Chapter 5."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import erfinv, log_ndtr, ndtr
from scipy.stats import multivariate_normal, norm

import classex as cx
from classex.models import BivariateNormal, GaussianSequence

MU = 2 / np.sqrt(1.25)
NEEDED = cx.information.identification_information(0.5, 200) / (np.log(1.02) / 2)
LEAST = int(np.ceil(NEEDED))


def curve(information, k, *, factor=2.0, power=None):
    c = np.sqrt(factor * information)
    z, step = np.linspace(-9, c + 9, 4000, retstep=True)
    return step * np.sum(norm.pdf(z - c) * np.exp(((k if power is None else power) - 1) * log_ndtr(z)))


def by_gauss(information, k):
    # panels of Gauss points, finer than the step of Phi^(k-1)
    c = np.sqrt(2 * information)
    edges = np.linspace(-10, c + 10, 200)
    node, weight = np.polynomial.legendre.leggauss(20)
    half = np.diff(edges)[:, None] / 2
    z = edges[:-1, None] + half * (node + 1)
    return float((half * weight * norm.pdf(z - c) * np.exp((k - 1) * log_ndtr(z))).sum())


def implied(accuracies, *, first=2, bounds=(0, 5), power=2):
    sizes = np.arange(first, len(accuracies) + first)

    def gap(root):
        return np.sum(np.abs(accuracies - cx.identification_accuracy(root**2, sizes)) ** power)

    return minimize_scalar(gap, bounds=bounds, method="bounded", options={"xatol": 1e-9}).x ** 2


def implied_on_a_grid(accuracies):
    sizes = np.arange(2, len(accuracies) + 2)
    grid = np.linspace(0, 12, 121)
    for _ in range(5):
        best = min(grid, key=lambda nats: np.sum((accuracies - cx.identification_accuracy(nats, sizes)) ** 2))
        width = grid[1] - grid[0]
        grid = np.linspace(max(best - width, 0), best + width, 21)
    return best


def implied_by_first(accuracies):
    return norm.ppf(accuracies[0]) ** 2  # two candidates alone


def not_whitened(responses, predictions, _covariance):
    return -0.5 * np.square(responses[:, None] - predictions).sum(axis=2)


def without_half(responses, predictions, covariance):
    difference = responses[:, None] - predictions
    return -np.einsum("ijk,kl,ijl->ij", difference, np.linalg.inv(covariance), difference)


def wrong_root(responses, predictions, covariance):
    root = np.linalg.cholesky(covariance)
    return -0.5 * np.square((responses @ root)[:, None] - predictions @ root).sum(axis=2)


def by_densities(responses, predictions, covariance):
    top = multivariate_normal.logpdf(np.zeros(len(covariance)), cov=covariance)
    rows = [
        np.atleast_1d(multivariate_normal.logpdf(np.atleast_2d(y) - predictions, cov=covariance)) - top
        for y in responses
    ]
    return np.array(rows)


def by_eigenvectors(responses, predictions, covariance):
    value, vector = np.linalg.eigh(covariance)
    a, b = responses @ vector / np.sqrt(value), predictions @ vector / np.sqrt(value)
    return -0.5 * np.square(a[:, None] - b).sum(axis=2)


def drowsy(n, seed, strong, weak):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 100)) / 10
    awake = np.where(np.arange(n) % 2 == 0, strong, weak)[:, None]
    y = awake * x + rng.normal(size=x.shape)
    return awake * (y @ x.T) - 0.5 * awake**2 * np.sum(x**2, axis=1)


def two_points(rng, n=20_000, *, error=1.0, unit=1.0, prior=True):
    x = rng.choice([-1.0, 1.0], n)
    y = x + rng.normal(size=n)
    mixture = np.logaddexp(norm.logpdf(y, 1), norm.logpdf(y, -1)) - (np.log(2) if prior else 0)
    u = (norm.logpdf(y, x) - mixture) / unit
    return u.mean(), error * u.std(ddof=1) / np.sqrt(n)


def two_points_by_entropy(rng):
    y = 1 + rng.normal(size=40_000)
    p = 1 / (1 + np.exp(-2 * y))
    values = np.log(2) + p * np.log(p) + (1 - p) * np.log1p(-p)
    return [values.mean(), values.std(ddof=1) / np.sqrt(values.size)]


ATTEMPTS = {
    "exr-ch5-two-candidates": (
        [norm.ppf(0.95), norm.ppf(0.95) ** 2 / 2, norm.ppf(0.95) ** 2 / np.log(2)],
        [cx.information.identification_information(0.95, 2), 2 * erfinv(0.9) ** 2],
    ),
    "exr-ch5-five-numbers": (
        [[MU, 1, norm.cdf(MU)], [2 / np.sqrt(1.5), 1, norm.cdf(2 / np.sqrt(2.5))], [2 / 1.25, 1, norm.cdf(2 / 2.5)]],
        [(MU, 1, cx.identification_accuracy(MU**2 / 2, 2)), np.array([3.2**0.5, 1.0, ndtr(1.6**0.5)])],
    ),
    "exr-ch5-tilt": (
        [[4.5, 0, 0.5], [9, -9, norm.cdf(-3)], [4.5, -4.5, norm.cdf(-4.5)]],
        [(9 / 2, -9 / 2, norm.sf(1.5)), [4.5, -4.5, 1 - norm.cdf(1.5)]],
    ),
    "exr-ch5-curve": (
        [
            lambda nats, k: curve(nats, k, factor=1.0),
            lambda nats, k: curve(nats, k, power=k + 1),
            lambda nats, k: float(cx.accuracy_ceiling(nats, k)),
        ],
        [cx.identification_accuracy, by_gauss],
    ),
    "exr-ch5-channels": ([LEAST - 1, LEAST + 1, float(NEEDED)], [float(LEAST), np.int64(LEAST)]),
    "exr-ch5-implied": (
        [
            lambda accuracies: implied(accuracies, first=1),  # the accuracies begin with two candidates
            implied_by_first,
            lambda accuracies: implied(accuracies, power=1),  # absolute deviations
        ],
        [implied, implied_on_a_grid],
    ),
    "exr-ch5-whiten": ([not_whitened, without_half, wrong_root], [by_densities, by_eigenvectors]),
    "exr-ch5-easy-and-hard": (
        [
            GaussianSequence(n_features=100, signal=2.0).sample(150, rng=1).scores,
            BivariateNormal(rho=0.99).sample(250, rng=7).bayes_scores,
            np.eye(150),
        ],
        [drowsy(300, 5, 5.0, 1.0), drowsy(400, 8, 6.0, 0.8).tolist()],
    ),
    "exr-ch5-two-points": (
        [
            lambda rng: two_points(rng, unit=np.log(2)),
            lambda rng: two_points(rng, error=0.4),
            lambda rng: two_points(rng, prior=False),
        ],
        [two_points, two_points_by_entropy],
    ),
}
