"""Coverage of nominal 95 % intervals where classes come in clusters of five, with and without `clusters=`.

Classes are points in ten dimensions, test points lie around them, and a class scores minus the squared distance. In
each model one more thing may be common to the classes of a cluster. The truth is the mean over many independent sets
that are drawn in the same way: of the observed curve up to the observed number of classes, and beyond it of sets with
ten times as many classes.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

import classex as cx

TABLE = "coverage_clusters/coverage"
HEADER = "model,n_clusters,interval,n_classes,clusters,truth,experiments,coverage,standard_error,width"
SIZE, REPEATS, DIMENSION, NOISE = 5, 2, 10, 0.4  # classes a cluster, test points a class, features, variance
EXPERIMENTS, CURVES, SETS, BEYOND = 200, 1500, 100, 10


class Shared(NamedTuple):
    """What the classes of a cluster share: part of their place, the logarithm of the noise, a shift of their scores."""

    place: float = 0.0
    noise: float = 0.0
    shift: float = 0.0


MODELS = {
    "nothing shared": Shared(),
    "classes near each other": Shared(place=0.5),
    "points equally hard": Shared(noise=0.7),
    "labels equally strong": Shared(shift=3.0),
    "all three": Shared(0.5, 0.7, 3.0),
}
CELLS = tuple((model, n) for model in MODELS for n in (8, 40))


def draw(rng: np.random.Generator, shared: Shared, n_clusters: int, repeats: int = REPEATS) -> Any:
    """Return scores, labels and the cluster of each class."""
    cluster = np.repeat(np.arange(n_clusters), SIZE)
    labels = np.repeat(np.arange(cluster.size), repeats)
    place = np.sqrt(shared.place) * rng.normal(size=(n_clusters, DIMENSION))[cluster]
    place += np.sqrt(1 - shared.place) * rng.normal(size=(cluster.size, DIMENSION))
    deviation = np.sqrt(NOISE) * np.exp(shared.noise * rng.normal(size=n_clusters))[cluster]
    test = place[labels] + deviation[labels, np.newaxis] * rng.normal(size=(labels.size, DIMENSION))
    shift = shared.shift * rng.normal(size=n_clusters)[cluster]
    return 2 * test @ place.T - np.square(place).sum(axis=1) + shift, labels, cluster


@lru_cache(maxsize=1)
def truths(model: str, n_clusters: int) -> np.ndarray:
    """Accuracies with a quarter of the observed classes, with all, and with ten times as many."""
    k1, seed = n_clusters * SIZE, [20260102, list(MODELS).index(model), n_clusters]
    rng, curves = np.random.default_rng([*seed, 0]), []
    for _ in range(CURVES):
        scores, labels, _ = draw(rng, MODELS[model], n_clusters)
        ranks = cx.correct_ranks(scores, labels)
        curves.append(cx.accuracy_curve(ranks, [k1 // 4, k1], standard_errors=False).accuracy)
    beyond = []
    for _ in range(SETS):
        scores, labels, _ = draw(rng, MODELS[model], BEYOND * n_clusters, 1)
        beyond.append((scores.argmax(axis=1) == labels).mean())
    return np.append(np.mean(curves, axis=0), np.mean(beyond))


def rows(model: str, n_clusters: int) -> list[list[object]]:
    """Coverage and width in one setting, one row for each interval, number of classes and unit."""
    k1 = n_clusters * SIZE
    sizes = [k1 // 4, k1, BEYOND * k1]
    truth = truths(model, n_clusters)
    found: dict[tuple[str, int, str], list[np.ndarray]] = {}
    warnings.filterwarnings("ignore", "standard errors over only")
    for number in range(EXPERIMENTS):
        rng = np.random.default_rng([20260103, list(MODELS).index(model), n_clusters, number])
        scores, labels, cluster = draw(rng, MODELS[model], n_clusters)
        for given, clusters in (("no", None), ("yes", cluster)):
            ranks = cx.correct_ranks(scores, labels, clusters=clusters)
            for at, ends in enumerate(cx.accuracy_curve(ranks, sizes[:2]).interval()):
                found.setdefault(("accuracy_curve", at, given), []).append(ends)
            for method in ("gaussian-process", "probit-normal"):
                ends = cx.Extrapolator(method).fit_ranks(ranks).predict_interval(sizes[2])[0]
                found.setdefault((method, 2, given), []).append(ends)
    out: list[list[object]] = []
    for (interval, at, given), pairs in found.items():
        low, high = np.array(pairs).T
        p = ((low <= truth[at]) & (truth[at] <= high)).mean()
        error = np.sqrt(max(p * (1 - p), 0.5 / EXPERIMENTS) / EXPERIMENTS)
        numbers = (f"{p:.4f}", f"{error:.4f}", f"{(high - low).mean():.4f}")
        start = [model, n_clusters, interval, sizes[at], given, f"{truth[at]:.5f}", EXPERIMENTS]
        out.append([*start, *numbers])
    return out
