"""Retrieval metrics of queries with several relevant items, averaged over random parts of the corpus."""

from __future__ import annotations

from itertools import product
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln
from scipy.stats import hypergeom

from classex._kernels.rank_metrics import expected_of_rank
from classex._validation import as_class_counts, one_of, shown
from classex.curves.metrics import as_rank_metric
from classex.results import RelevantRanks, RetrievalCurve

__all__ = ["retrieval_curve", "retrieval_deviations"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_METRICS = ("recall", "precision", "hit", "map", "mrr", "ndcg")
# Places of items among those with the same score that are listed: 800 MB
_MOST_PLACES = 2 * 10**7


def retrieval_curve(
    ranks: RelevantRanks, n_items: ArrayLike | None = None, *, metric: str = "map", relevant: str = "fixed"
) -> RetrievalCurve:
    return retrieval_deviations(ranks, n_items, metric, relevant)[0]


def retrieval_deviations(
    ranks: RelevantRanks, n_items: ArrayLike | None, metric: str, relevant: str = "fixed"
) -> tuple[RetrievalCurve, FloatArray]:
    """Return the curve, and the part of each query in its deviation, whose Gram matrix is the covariance."""
    if not isinstance(ranks, RelevantRanks):
        raise TypeError(f"ranks must be a RelevantRanks, not {type(ranks).__name__}: call relevant_ranks first")
    fixed = one_of(relevant, "relevant", ("fixed", "growing")) == "fixed"
    whole = as_class_counts(ranks.n_items if n_items is None else n_items, "n_items", maximum=ranks.n_items)
    sizes, most = whole.astype(np.int64), int(ranks.n_relevant.max())
    if fixed and sizes.min() < most:
        raise ValueError(f"n_items must be at least {most}, the relevant items of one query, not {sizes.min()}")
    values = _values(ranks, sizes, metric, fixed, ranks.found)
    upper = None if ranks.found.all() else _values(ranks, sizes, metric, fixed, np.True_).mean(axis=0)
    value, n = values.mean(axis=0), ranks.n_queries
    deviation = (values - value) / np.sqrt(n * (n - 1.0)) if n > 1 else np.full_like(values, np.nan)
    error, limits = np.sqrt(np.square(deviation).sum(axis=0)), np.tile([0.0, 1.0], (sizes.size, 1))
    about: dict[str, Any] = {"n_tested": n, "n_points": ranks.query.size, "limits": limits, "upper": upper}
    return RetrievalCurve(sizes, value, error, metric, average="queries", **about), deviation


def _values(ranks: RelevantRanks, sizes: IntArray, metric: str, fixed: bool, found: Any) -> FloatArray:
    """Mean of each query over the parts of each size: (n_queries, n_sizes)."""
    kind = str(metric).partition("@")[0]
    if kind not in _METRICS:
        raise ValueError(f"metric must be map, mrr, ndcg or one of {'@m, '.join(_METRICS)}@m, not {shown(metric)}")
    function = as_rank_metric("mrr" if metric == "map" else metric.replace("precision", "recall"))
    value = function.values(np.arange(1.0, int(sizes.max()) + 1))
    gain = ranks.gain if kind == "ndcg" else np.ones(ranks.query.size)
    weight = gain * found
    if kind == "ndcg" and fixed:
        weight /= np.bincount(ranks.query, gain[np.lexsort((-gain, ranks.query))] * value[ranks.place])[ranks.query]
    # which of the relevant items a part contains matters to its ideal only: to that, items of equal gain are alike
    falling, level = np.unique(np.zeros_like(gain) if fixed else -gain, return_inverse=True)
    item, chance, losses, counts = _without_ties(ranks, level)
    total = np.zeros((item.size, sizes.size))
    codes = np.ravel_multi_index((level[item], *counts.T), (falling.size, *(counts.max(axis=0) + 1)))
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    for form, others in enumerate(counts[first].tolist()):
        n_wrong, rows = ranks.n_items - 1 - sum(others), np.flatnonzero(which == form)
        for held in product(*(range(one if fixed else 0, one + 1) for one in others)):
            r, a = 1 + sum(held), sum(held[: falling.size])
            share = np.full(sizes.size, a + 1.0 if kind == "map" else float(a == 0 or kind not in ("mrr", "hit")))
            if not share.any() or value[min(a, value.size - 1)] == 0:
                continue
            share /= {"recall": r, "map": r, "precision": function.cutoff}.get(kind, 1)
            if not fixed:
                n = sum(others) + 1
                share *= hypergeom.pmf(r, ranks.n_items, n, sizes) / hypergeom.sf(0, ranks.n_items, n, sizes)
                share *= prod(map(comb, others, held)) / comb(n, r)
                if kind == "ndcg":
                    best = np.add(held[: falling.size], held[falling.size :])
                    best[level[item[first[form]]]] += 1
                    share /= np.repeat(-falling, best) @ value[:r]
            mean = expected_of_rank(n_wrong - losses[rows], n_wrong, np.clip(sizes - r, 0, n_wrong) + 1, value[a:])
            total[rows] += share * mean
    total *= (weight[item] * chance)[:, np.newaxis]
    return np.stack([np.bincount(ranks.query[item], one) for one in total.T], axis=1)


def _without_ties(ranks: RelevantRanks, level: IntArray) -> tuple[IntArray, FloatArray, IntArray, IntArray]:
    """Return each item in each of the places that random tie-breaking can give it, with the probability of that place.

    Also the number of items that are not relevant and come before, and for each level of the gain the numbers of other
    relevant items that come before and after.
    """
    begin = np.searchsorted(ranks.query, ranks.query)
    group, ties = begin + ranks.above, ranks.ties
    own = np.eye(int(level.max()) + 1, dtype=np.int64)[level]
    if (level != level[group]).any():
        raise ValueError("ranks must not tie relevant items of unequal gain where relevant='growing': break these ties")
    alike = np.bincount(group)[group]
    places = alike * (ties + 1)
    if places.sum() > _MOST_PLACES:
        raise ValueError(f"ranks must have fewer ties, not {places.sum():,} possible places of items: break the ties")
    item = np.repeat(np.arange(group.size), places)
    relevant, other = np.divmod(np.arange(item.size) - np.repeat(np.cumsum(places) - places, places), ties[item] + 1)
    p, t = alike[item] - 1, ties[item]
    chance = np.exp(_log_choose(p, relevant) + _log_choose(t, other) - _log_choose(p + t, relevant + other)) / (
        p + t + 1
    )
    seen = np.vstack([np.zeros_like(own[:1]), np.cumsum(own, axis=0)])
    before = (seen[group] - seen[begin])[item] + relevant[:, np.newaxis] * own[item]
    whole = seen[begin + ranks.n_relevant[ranks.query]] - seen[begin] - own
    return item, chance, ranks.losses[item] + other, np.hstack([before, whole[item] - before])


def _log_choose(n: IntArray, k: IntArray) -> FloatArray:
    return -np.log1p(n) - betaln(n - k + 1, k + 1)
