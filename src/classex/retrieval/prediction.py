"""Retrieval metrics in larger corpora, for queries with any number of relevant items."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._rates import density, probit
from classex._types import FloatArray, RetrievalTarget
from classex._validation import as_class_counts, one_of
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.curves.subsets import SubsetMean, spaced_sizes
from classex.curves.units import unit_deviations
from classex.distributions.distribution import metric_of, metric_variance
from classex.methods.gaussian_process import (
    MOST_SIZES,
    GaussianProcessDistribution,
    from_curve,
    probit_of_last,
    spread_of_losses,
)
from classex.retrieval._results import RelevantRanks, RetrievalCurve
from classex.retrieval.curve import metric_of_lists, retrieval_curve, shares

__all__ = ["extrapolate_retrieval"]


# Share of its standard error by which items that lists do not contain may change a number that is fitted
_UNKNOWN = 0.1
# An item below so many times as many others as the metric counts is among those in 1 of 10^5 larger corpora at most
_DEEP = 3
# Other corpora that are drawn for the errors of these queries: those errors are known to a sixth
_DRAWS = 20
# Added to the number of items above the first relevant one: with none in this corpus there may be some in another
_UNSEEN = 0.5


def extrapolate_retrieval(
    ranks: RelevantRanks, n_items: ArrayLike, *, metric: str = "map", target: RetrievalTarget = "average"
) -> RetrievalCurve:
    r"""Predict a retrieval metric in larger corpora, in which each query has the same relevant items.

    Parameters
    ----------
    ranks : RelevantRanks
        From `classex.retrieval.relevant_ranks`, in a corpus of N items, a random sample of those to come.
    n_items : int or array_like of int
        Numbers of items in the corpus, relevant ones included. Up to N the values are those observed, averaged over all
        corpora of so many of the observed items; beyond, they are predicted.
    metric : str
        As in `classex.retrieval.retrieval_curve`.
    target : {"average", "queries"}
        Whether intervals are for queries like those observed, or for these queries.

    Returns
    -------
    RetrievalCurve
        Its intervals are for the average over random corpora, and over queries like those observed. With
        ``target="queries"`` they are for the average over random corpora for these queries, whose choice then does not
        enter.

    Raises
    ------
    TypeError
        If `ranks` is not a `RelevantRanks`.
    ValueError
        If a number of items is below the relevant ones of a query, or the metric or the target is not known. Beyond N,
        if lists are cut off so early that the places of the missing items matter to the fit. Lists with three times as
        many irrelevant items as the cutoff are long enough.

    Notes
    -----
    Relevant item i of a query, in the order of their scores, has rank i plus the number h of other items above it. With
    favourability U, h is binomial with probability 1 - U, so that the metric is a sum over i of the mean of a function
    of h (see `classex.retrieval.retrieval_curve`). For each i the default (`classex.methods.GaussianProcess`) is fitted
    to the share of items with h = 0, as observed in corpora of 2 to N items. Items count with their weights in the
    metric. With n items, what the sum of the fits misses with N has faded by N / n, on the probit scale.
    Errors for different i are taken to be perfectly correlated, since the queries are the same.

    Standard errors take queries as independent: they do not cover that all of them share one sample of items. In
    simulations predictions of values below .01 were too high, by .001 to .005.

    The estimate is one number for both targets: it comes from the fit with the covariance over queries. Errors for
    these queries come from a fit with the covariance over corpora alone. With :math:`A_k` the share of items that come
    first among k, that is, for one query, :math:`E[h_k h_l] - A_{k + l - 1}`, where :math:`h_k` is the
    estimate of the query's own share: two corpora that have no other item in common make one of k + l - 1. Up to N the
    :math:`A` are those observed, and beyond those of the fit. Standard errors are no smaller than the standard
    deviation of predictions from 20 other corpora, in which the numbers of items above are Poisson. Where some items
    are above the relevant ones of many queries, these intervals are too narrow. They do not contain the variation of
    one corpus about the average.

    With one relevant item for each query, the prediction is that of `classex.extrapolate` for the same metric.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> relevance = np.tile([1] * 2 + [0] * 498, (200, 1))
    >>> scores = rng.normal(size=(200, 500)) + 2.5 * relevance
    >>> ranks = cx.retrieval.relevant_ranks(scores, relevance)
    >>> print(cx.extrapolate_retrieval(ranks, [500, 5000], metric="recall@10"))
    Average recall@10 over random corpora, from 400 relevant items of 200 queries; each query weighs the same:
    <BLANKLINE>
    items  recall@10  standard error   95 % interval
      500      0.652           0.024  0.604 to 0.698
    5,000      0.334           0.055  0.236 to 0.448
    """
    metric_of_lists(ranks, metric)
    these = one_of(target, "target", get_args(RetrievalTarget)) == "queries"
    if these and ranks.units is not None:
        raise ValueError("target must be 'average' where queries come in units: it is about units beyond these")
    sizes = as_class_counts(n_items, "n_items")
    if not these and sizes.max() <= ranks.n_items:
        return retrieval_curve(ranks, sizes, metric=metric)
    value, error, freedom = _predicted(ranks, sizes, metric, these=these)
    if these:
        rng = np.random.default_rng(0)
        drawn = [_predicted(_redrawn(ranks, rng), sizes, metric, these=True)[0] for _ in range(_DRAWS)]
        error = np.maximum(error, np.std(drawn, axis=0, ddof=1))
    about = "these queries" if these else "queries"
    return RetrievalCurve.of(ranks, sizes.astype(np.int64), value, error, metric, average=about, freedom=freedom)


def _redrawn(ranks: RelevantRanks, rng: np.random.Generator) -> RelevantRanks:
    """Ranks of the same queries in another corpus: numbers of items between relevant ones are Poisson."""
    first = ranks.place == 0
    between = np.where(first, ranks.losses + _UNSEEN, ranks.losses - np.append(0, ranks.losses[:-1]))
    total = np.cumsum(rng.poisson(between))
    start = np.flatnonzero(first)
    losses = total - np.repeat(np.append(0, total)[start], ranks.n_relevant)
    most = ranks.n_items - ranks.n_relevant[ranks.query] - ranks.ties
    return replace(ranks, losses=np.minimum(losses, most))


def _predicted(
    ranks: RelevantRanks, sizes: FloatArray, metric: str, *, these: bool
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Return the metric, observed and predicted, its standard errors, and their degrees of freedom up to N."""
    kind, function = metric_of_lists(ranks, metric)
    n = float(ranks.n_items)
    known = retrieval_curve(ranks, np.minimum(np.append(sizes, n), n), metric=metric)
    sizes = np.append(sizes, n)
    weight = shares(ranks, kind, function) * (ranks.place + 1 if kind == "map" else 1)
    n_places = 1 if kind in ("mrr", "hit") else min(function.cutoff or ranks.n_items, int(ranks.n_relevant.max()))
    last = probit(known.accuracy[-1])
    last_error = known.standard_error[-1] / density(last)
    value, error = np.zeros((2, sizes.size))
    for place in range(n_places):
        rows = np.flatnonzero(ranks.place == place)
        share = weight[rows].sum() / ranks.n_relevant.size
        over_queries, over_corpora = _fits_of_first(ranks, rows, weight[rows] / weight[rows].sum(), function.cutoff)
        left = function.cutoff and function.cutoff - place
        part = RankMetric(metric, partial(_later, function, place), left, function.top and left)
        own = share * metric_of(over_queries, sizes, part)
        value += own
        if these:
            variance = metric_variance(over_corpora.variance, sizes, part)
            error += share * np.sqrt(np.asarray(variance, dtype=np.float64))
        else:
            error += own * over_queries.posterior(sizes).spread(float(last_error))
    # on the probit scale, what the fit misses in this corpus fades as N / n
    before = probit(value)
    z = before + (probit_of_last(known.accuracy[-1], ranks.n_relevant.size) - before[-1]) * np.minimum(n / sizes, 1.0)
    error *= density(z) / (density(before) if these else value)
    value = np.where(sizes > n, np.minimum(special.ndtr(z), known.accuracy[-1]), known.accuracy)
    error = error if these else np.where(sizes > n, error, known.standard_error)
    return value[:-1], error[:-1], None if known.freedom is None else known.freedom[:-1]


def _later(function: RankMetric, place: int, rank: FloatArray) -> FloatArray:
    return function.function(rank + place)


def _fits_of_first(
    ranks: RelevantRanks, rows: NDArray[np.int64], share: FloatArray, cutoff: int | None
) -> tuple[GaussianProcessDistribution, GaussianProcessDistribution]:
    """Fit the distribution of the favourability of some relevant items, from how often no other item comes first.

    The first fit has the covariance over queries, for the errors of the mean of a population; the second that over
    corpora, for these queries.

    Numbers that items missing from the lists could change are left out. If too few are left, items count as beaten by
    all others where they are missing far below the cutoff, or the list is empty.
    """
    n = ranks.n_items
    sizes = spaced_sizes(2, n, MOST_SIZES).astype(np.int64)
    wins, ties, found = n - 1 - ranks.losses[rows] - ranks.ties[rows], ranks.ties[rows], ranks.found[rows, np.newaxis]
    each = SubsetMean(as_rank_metric("accuracy")).expected(wins, ties, n, sizes)
    value = share @ (found * each)
    # for equal shares, division by the number less one
    deviation = share[:, np.newaxis] * (found * each - value) / np.sqrt(1 - share @ share or 1.0)
    if ranks.units is not None:
        unit = np.unique(ranks.units[ranks.query[rows]], return_inverse=True)[1]
        deviation = np.vstack([deviation, unit_deviations(share[:, np.newaxis] * found * each, share, unit, value)[0]])
    covariance = deviation.T @ deviation
    least = _UNKNOWN * np.sqrt(np.diag(covariance))
    losses = ranks.losses[rows, np.newaxis]
    lost = (losses == 0) | (losses >= _DEEP * cutoff if cutoff else False)
    for unknown in (~found, ~found & ~lost):
        known = np.flatnonzero(share @ (unknown * each) <= least)
        if known.size >= 3:
            break
    else:
        raise ValueError(
            f"ranks must come from longer lists: in {(~found).sum()} of {rows.size} queries they lack relevant item "
            f"{ranks.place[rows[0]] + 1}, which could change every number that is fitted"
        )
    kept, each, square = sizes[known], (found * each)[:, known], float(share @ share)
    curve = kept.astype(np.float64), value[known]
    spread = covariance[np.ix_(known, known)] + spread_of_losses(curve[0], curve[1][-1], 1 / square)
    fitted = from_curve(*curve, spread, 1 / square, None)
    together = np.add.outer(kept, kept) - 1
    both, back = np.unique(together, return_inverse=True)
    first = metric_of(fitted, both.astype(np.float64), as_rank_metric("accuracy"))
    few = both <= n
    first[few] = share @ (found * SubsetMean(as_rank_metric("accuracy")).expected(wins, ties, n, both[few]))
    within = square * ((share[:, np.newaxis] * each).T @ each - first[back].reshape(together.shape))
    # estimated differences of averages need not be a covariance
    size, axes = np.linalg.eigh((within + within.T) / 2)
    return fitted, from_curve(*curve, (axes * np.maximum(size, 0.0)) @ axes.T, 1 / square, None)
