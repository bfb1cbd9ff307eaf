"""The accuracy curve for all k and kernel density extrapolation, against plain scipy and numpy."""

from __future__ import annotations

import numpy as np
from scipy import optimize, stats

import classex as cx
from benchmarks.speed.timing import Row, least_seconds
from classex._kernels.ranks import subset_accuracy
from classex.models import BivariateNormal

N_CLASSES = 2_000


def curve_by_hypergeometric(ranks: cx.CorrectRanks) -> np.ndarray:
    """Average accuracy for every k: probability that k - 1 wrong labels drawn are all beaten."""
    k1 = ranks.n_classes
    out = np.empty(k1)
    for first in range(0, k1, 100):
        drawn = np.arange(first, min(first + 100, k1))[:, np.newaxis]
        out[first : first + 100] = stats.hypergeom.pmf(drawn, k1 - 1, ranks.wins, drawn).mean(axis=1)
    return out


def all_k_curve() -> list[Row]:
    """All k from 1 to 2,000, from 2,000 ranks."""
    sample = BivariateNormal(0.9).sample(N_CLASSES, rng=1)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    cx.accuracy_curve(ranks)
    ours = least_seconds(lambda: cx.accuracy_curve(ranks), repeats=5)[0]
    plain = []
    peer = least_seconds(lambda: plain.append(curve_by_hypergeometric(ranks)), repeats=1)[0]
    wins, sizes = np.arange(10**7 - 1000, 10**7), np.array([2, 1000, 10**6, 10**7])
    probability = stats.hypergeom.pmf(sizes - 1, 10**7 - 1, wins[:, np.newaxis], sizes - 1)
    chosen = subset_accuracy(wins, 10**7, sizes, 1, False)
    return [
        Row("accuracy_curve, with standard errors", ours, "s"),
        Row("scipy's hypergeometric probabilities", peer, "s"),
        Row("speed against scipy", peer / ours, "times", "at least 50"),
        Row("largest difference", float(np.abs(cx.accuracy_curve(ranks).accuracy - plain[0]).max())),
        Row("largest difference at chosen k up to 10^7", float(np.abs(chosen - probability).max())),
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
    cx.KernelDensityExtrapolator().fit(small.scores, small.labels).predict(sizes)
    predicted, plain = [], []

    def library() -> None:
        predicted.append(cx.KernelDensityExtrapolator(bandwidth="ucv").fit(sample.scores, sample.labels).predict(sizes))

    ours = least_seconds(library, repeats=3)[0]
    peer = least_seconds(lambda: plain.append(plain_kernel_density(sample.scores, sample.labels, sizes)), repeats=1)[0]
    return [
        Row("KernelDensityExtrapolator, fit and predict", ours, "s"),
        Row("loop over rows with numpy and scipy", peer, "s"),
        Row("speed against the loop", peer / ours, "times", "at least 20"),
        Row("largest difference of the predictions", float(np.abs(predicted[0] - plain[0]).max())),
    ]
