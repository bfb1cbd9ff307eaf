"""Retrieval metrics in larger corpora, for queries with any number of relevant items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_class_counts
from classex.curves.metrics import as_rank_metric
from classex.curves.retrieval import parsed, retrieval_curve, shares
from classex.curves.subsets import SubsetMean
from classex.distributions.distribution import metric_of, metric_variance
from classex.methods.gaussian_process import GaussianProcessDistribution, from_curve
from classex.results import RelevantRanks, RetrievalCurve

__all__ = ["extrapolate_retrieval"]

# Numbers of items at which the curve of each place is read, as those of `GaussianProcess`
_MOST_SIZES = 14
# Share of its standard error by which items that lists do not contain may change a number that is fitted
_UNKNOWN = 0.1


def extrapolate_retrieval(ranks: RelevantRanks, n_items: ArrayLike, *, metric: str = "map") -> RetrievalCurve:
    observed = retrieval_curve(ranks, metric=metric)
    sizes = as_class_counts(n_items, "n_items", minimum=ranks.n_items)
    kind, function = parsed(metric)
    weight = shares(ranks, kind, function) * (ranks.place + 1 if kind == "map" else 1)
    last = 1 if kind in ("mrr", "hit") else min(function.cutoff or ranks.n_items, int(ranks.n_relevant.max()))
    value, error = np.zeros((2, sizes.size))
    for place in range(last):
        rows = np.flatnonzero(ranks.place == place)
        share = weight[rows].sum() / ranks.n_relevant.size
        fitted = _fit_first(ranks, rows, weight[rows] / weight[rows].sum())
        left = None if function.cutoff is None else function.cutoff - place
        later = replace(
            function,
            function=lambda rank, place=place: function.function(rank + place),
            cutoff=left,
            top=function.top and left,
        )
        value += share * metric_of(fitted, sizes, later)
        # all places come from the same queries: their errors are taken to go together
        error += share * np.sqrt(np.asarray(metric_variance(fitted.variance, sizes, later)))
    limits = np.tile(np.array([0.0, 1.0]), (sizes.size, 1))
    return replace(
        observed, n_classes=sizes.astype(np.int64), accuracy=value, standard_error=error, limits=limits, upper=None
    )


def _fit_first(
    ranks: RelevantRanks, rows: NDArray[np.int64], share: NDArray[np.float64]
) -> GaussianProcessDistribution:
    """Fit the distribution of the favourability of some relevant items, from how often no other item comes first."""
    n = ranks.n_items
    sizes = np.unique(np.rint(np.geomspace(2, n, _MOST_SIZES))).astype(np.int64)
    wins, ties, found = n - 1 - ranks.losses[rows] - ranks.ties[rows], ranks.ties[rows], ranks.found[rows, np.newaxis]
    each = SubsetMean(as_rank_metric("accuracy")).expected(wins, ties, n, sizes)
    value = share @ (found * each)
    deviation = share[:, np.newaxis] * (found * each - value)
    covariance = deviation.T @ deviation
    known = np.flatnonzero(share @ (~found * each) <= _UNKNOWN * np.sqrt(np.diag(covariance)))
    if known.size < 3:
        raise ValueError(
            "ranks must come from longer lists: items that they lack could change every number that is fitted"
        )
    return from_curve(sizes[known] * 1.0, value[known], covariance[np.ix_(known, known)], 1 / (share @ share), None)
