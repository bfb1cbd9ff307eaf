"""Variance of predictions from refits to random subsets of the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._parallel import in_parallel
from classex._types import FloatArray
from classex.curves.class_subsets import distractor_ratio, ranks_of_classes
from classex.curves.metrics import RankMetric
from classex.distributions.distribution import Distribution, metric_of
from classex.methods._method import Method
from classex.ranks._ranks import CorrectRanks

__all__ = ["own_copy", "resampled_variance"]


# Fewest classes whose subsets still vary: 4 of 5 are kept
_FEWEST_CLASSES = 5


def resampled_variance(
    distribution: Distribution,
    ranks: CorrectRanks,
    scores: NDArray[Any] | None,
    sizes: FloatArray,
    metrics: tuple[RankMetric, ...],
    *,
    n_resamples: int,
    rng: np.random.Generator,
    method: Method,
) -> FloatArray:
    """Return the delete-d variance of the predictions, (n_metrics, n_sizes): d of k1 classes are left out at a time.

    Where classes come in clusters, k1, b and d are numbers of clusters, which are left out as a whole.

    With b classes kept, Var(estimate on k1) = b / (k1 - b) * Var(estimate on a subset | data) for a statistic that is
    smooth in the classes. For others the variance is too large, least with half of the classes kept. From ranks alone
    the wins are thinned at random, which loses the dependence through shared wrong labels; the ratio of the jackknife
    to the own-class variance of the average accuracy restores it.
    """
    # if every point met a sample of its own, classes without test points do not count
    classes = np.arange(ranks.n_classes) if ranks.n_wrong is None else np.unique(ranks.labels)
    unit = classes if ranks.clusters is None else ranks.clusters[classes]
    k1 = np.unique(unit).size
    if k1 < _FEWEST_CLASSES:
        raise ValueError(f"resampling needs at least {_FEWEST_CLASSES} observed classes, not {k1} (a cluster is one)")
    n = method.resampling.draws(n_resamples)
    kept = min(max(round(method.resampling.share * k1), 4), k1 - 1)
    subsets = [_draw(ranks, unit, kept, rng) for _ in range(n)]
    tasks = [
        (method, distribution, ranks, scores, subset, own, sizes, metrics)
        for subset, own in zip(subsets, rng.spawn(n), strict=True)
    ]
    draws = np.array(in_parallel(_predict_from_classes, tasks, "class subsets"))
    variance: FloatArray = kept / (k1 - kept) * draws.var(axis=0, ddof=1)
    return variance if scores is not None else variance * distractor_ratio(ranks)


def _draw(ranks: CorrectRanks, unit: NDArray[np.int64], kept: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw units without replacement, and return their classes, at least one of them with test points."""
    while True:
        classes = np.flatnonzero(np.isin(unit, rng.permutation(np.unique(unit))[:kept]))
        if ranks.n_tested == unit.size or np.isin(ranks.labels, classes).any():
            return classes


def _predict_from_classes(
    method: Method,
    distribution: Distribution,
    ranks: CorrectRanks,
    scores: NDArray[Any] | None,
    classes: NDArray[np.int64],
    rng: np.random.Generator,
    sizes: FloatArray,
    metrics: tuple[RankMetric, ...],
) -> FloatArray:
    few, block = ranks_of_classes(ranks, scores, classes, rng)
    refitted = method.refit(distribution, few, block, classes)
    return np.stack([metric_of(refitted, sizes, metric) for metric in metrics])


def own_copy(matrix: NDArray[Any], given: Any) -> NDArray[Any]:
    """Return read-only scores: a copy, unless checking made one or the file is mapped read-only."""
    mapped = isinstance(given, np.memmap) and given.mode == "r" and not given.flags.writeable
    fresh = isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.dtype != matrix.dtype)
    out = matrix if mapped or fresh else matrix.copy()
    if not mapped:
        out.flags.writeable = False
    return out
