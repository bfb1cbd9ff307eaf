"""The accuracy curve for all k and kernel density extrapolation, against plain scipy and numpy."""

from __future__ import annotations

import time

import numpy as np
from scipy import optimize, special, stats

import classex as cx
from benchmarks.speed.timing import Row, least_seconds
from classex._loops.curves import subset_accuracy
from classex.models import BivariateNormal
from classex.ranks import subset_ranks

N_CLASSES = 2_000
EVERY = 20


def curve_by_hypergeometric(ranks: cx.CorrectRanks) -> np.ndarray:
    """Average accuracy for every twentieth k: probability that k - 1 wrong labels drawn are all beaten."""
    drawn = np.arange(0, ranks.n_classes, EVERY)[:, np.newaxis]
    return stats.hypergeom.pmf(drawn, ranks.n_classes - 1, ranks.wins, drawn).mean(axis=1)


def curve_by_logarithms(ranks: cx.CorrectRanks) -> np.ndarray:
    """The same for every k by logarithms of factorials, looked up in a table: the leanest formula in numpy."""
    k1 = ranks.n_classes
    log_factorial = special.gammaln(np.arange(1.0, k1 + 1))
    drawn = np.arange(k1)[:, np.newaxis]
    left = ranks.wins - drawn
    ways = log_factorial[ranks.wins] - log_factorial[np.maximum(left, 0)]
    total = log_factorial[k1 - 1] - log_factorial[k1 - 1 - drawn]
    return np.where(left >= 0, np.exp(ways - total), 0.0).mean(axis=1)


def all_k_curve() -> list[Row]:
    """All k from 1 to 2,000, from 2,000 ranks, with and without standard errors."""
    sample = BivariateNormal(0.9).sample(N_CLASSES, rng=1)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    plain, lean, every = [], [], np.arange(1, N_CLASSES + 1)
    each = (
        lambda: cx.accuracy_curve(ranks, every),
        lambda: cx.accuracy_curve(ranks, every, standard_errors=False),
        lambda: lean.append(curve_by_logarithms(ranks)),
    )
    each[0]()
    errors, alone, logarithms = least_seconds(*each, repeats=5)
    peer = EVERY * least_seconds(lambda: plain.append(curve_by_hypergeometric(ranks)), repeats=1)[0]
    wins, sizes = np.arange(10**7 - 1000, 10**7), np.array([2, 1000, 10**6, 10**7])
    probability = stats.hypergeom.pmf(sizes - 1, 10**7 - 1, wins[:, np.newaxis], sizes - 1)
    chosen = subset_accuracy(wins, 10**7, sizes, 1)
    accuracy = cx.accuracy_curve(ranks, every).accuracy
    return [
        Row("accuracy_curve, with standard errors", errors, "s"),
        Row("accuracy_curve, without", alone, "s"),
        Row(f"scipy's hypergeometric probabilities, every {EVERY}th k, times {EVERY}", peer, "s"),
        Row("logarithms of factorials from a table, in numpy", logarithms, "s"),
        Row("speed without standard errors against scipy", peer / alone, "times", "at least 100"),
        Row("speed with standard errors against scipy", peer / errors, "times", "at least 40"),
        Row("speed without standard errors against the table", logarithms / alone, "times"),
        Row("largest difference from scipy", float(np.abs(accuracy[::EVERY] - plain[0]).max())),
        Row("largest difference from the table", float(np.abs(accuracy - lean[0]).max())),
        Row("largest difference at chosen k up to 10^7", float(np.abs(chosen - probability).max())),
    ]


def regression() -> list[Row]:
    """Regression at 500 classes: choice of the bandwidth among ten, prediction and interval."""
    sample = BivariateNormal(0.9).sample(500, rng=1)
    rng = np.random.default_rng(1)
    halves = [np.sort(rng.permutation(500)[:250]) for _ in range(120)]

    def whole() -> None:
        fitted = cx.Extrapolator(cx.methods.Regression()).fit(sample.scores, sample.labels)
        fitted.predict_interval(5_000)

    def ranks_alone() -> None:
        for half in halves:
            subset_ranks(sample.scores, sample.labels, half)

    whole()
    seconds, ranks = least_seconds(whole, ranks_alone, repeats=15)
    work = least_seconds(whole, repeats=3, clock=time.process_time)[0]
    return [
        Row("Regression, fit and interval", seconds, "s", "under 0.3"),
        Row("the same in processor seconds", work, "s"),
        Row("ranks among 120 halves of the classes alone", ranks, "s"),
    ]


def plain_bandwidth(x: np.ndarray) -> float:
    """Unbiased cross-validation on 1,000 bins with numpy and scipy."""
    n = x.size
    hmax = 1.144 * x.std(ddof=1) * n**-0.2
    width = 1.01 * np.ptp(x) / 1000
    counts = np.bincount(np.trunc(x / width).astype(np.int64) - int(x.min() / width)).astype(float)
    pairs = np.correlate(counts, counts, "full")[counts.size - 1 :]
    pairs[0] = (counts * (counts - 1)).sum() / 2
    distance = width * np.arange(counts.size)

    def criterion(h: float) -> float:
        near = np.exp(-0.25 * (distance / h) ** 2)
        return (0.5 + (pairs * (near - np.sqrt(8.0) * near**2)).sum() / n) / (n * h * np.sqrt(np.pi))

    bounds = (0.1 * hmax, hmax)
    return float(optimize.minimize_scalar(criterion, bounds=bounds, method="bounded", options={"xatol": 0.01 * hmax}).x)


def plain_kernel_density(scores: np.ndarray, labels: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Average accuracy at each number of classes by the kernel density method, one row after the other."""
    beaten = np.empty(labels.size)
    for row, label in enumerate(labels):
        wrong = np.delete(scores[row], label)
        beaten[row] = stats.norm.sf((scores[row, label] - wrong) / plain_bandwidth(wrong)).mean()
    return np.array([((1 - beaten) ** (size - 1)).mean() for size in sizes])


def kernel_density() -> list[Row]:
    """2,000 classes, bandwidths by unbiased cross-validation for each of 2,000 test points."""
    sample = BivariateNormal(0.9).sample(N_CLASSES, rng=1)
    sizes = np.array([1e4, 1e5])
    small = BivariateNormal(0.9).sample(30, rng=1)
    cx.Extrapolator(cx.methods.KernelDensity()).fit(small.scores, small.labels).predict(sizes)
    predicted, plain = [], []

    def library() -> None:
        predicted.append(
            cx.Extrapolator(cx.methods.KernelDensity(bandwidth="ucv")).fit(sample.scores, sample.labels).predict(sizes)
        )

    def given() -> None:
        cx.Extrapolator(cx.methods.KernelDensity(bandwidth=0.1)).fit(sample.scores, sample.labels).predict(sizes)

    ours, densities = least_seconds(library, given, repeats=3)
    peer = least_seconds(lambda: plain.append(plain_kernel_density(sample.scores, sample.labels, sizes)), repeats=1)[0]
    return [
        Row("KernelDensity, fit and predict", ours, "s"),
        Row("KernelDensity, the bandwidths given", densities, "s"),
        Row("loop over rows with numpy and scipy", peer, "s"),
        Row("speed against the loop", peer / ours, "times"),
        Row("largest difference of the predictions", float(np.abs(predicted[0] - plain[0]).max())),
    ]
