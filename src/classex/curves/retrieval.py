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
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.results import RelevantRanks, RetrievalCurve

__all__ = ["parsed", "retrieval_curve", "shares"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_METRICS = ("recall", "precision", "hit", "map", "mrr", "ndcg")
# Places of items among those with the same score that are listed: 800 MB
_MOST_PLACES = 2 * 10**7


def retrieval_curve(
    ranks: RelevantRanks, n_items: ArrayLike | None = None, *, metric: str = "map", relevant: str = "fixed"
) -> RetrievalCurve:
    if not isinstance(ranks, RelevantRanks):
        raise TypeError(f"ranks must be a RelevantRanks, not {type(ranks).__name__}: call relevant_ranks first")
    fixed = one_of(relevant, "relevant", ("fixed", "growing")) == "fixed"
    whole = as_class_counts(ranks.n_items if n_items is None else n_items, "n_items", maximum=ranks.n_items)
    sizes, most = whole.astype(np.int64), int(ranks.n_relevant.max())
    if fixed and sizes.min() < most:
        raise ValueError(f"n_items must be at least {most}, the relevant items of one query, not {sizes.min()}")
    each = _values(ranks, sizes, metric, fixed, ranks.found)
    upper = None if ranks.found.all() else _values(ranks, sizes, metric, fixed, np.True_).mean(axis=0)
    n, limits = each.shape[0], np.tile([0.0, 1.0], (sizes.size, 1))
    error = each.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(sizes.size, np.nan)
    about: dict[str, Any] = {"n_tested": n, "n_points": ranks.query.size, "limits": limits, "upper": upper}
    return RetrievalCurve(sizes, each.mean(axis=0), error, metric, average="queries", **about)


def parsed(metric: Any) -> tuple[str, RankMetric]:
    """Return the kind of a metric, and its function of the rank."""
    kind = str(metric).partition("@")[0]
    if kind not in _METRICS:
        raise ValueError(f"metric must be map, mrr, ndcg or one of {'@m, '.join(_METRICS)}@m, not {shown(metric)}")
    return kind, as_rank_metric("mrr" if metric == "map" else metric.replace("precision", "recall"))


def shares(ranks: RelevantRanks, kind: str, function: RankMetric) -> FloatArray:
    """Return the weight of each relevant item in the metric of its query."""
    n_relevant = ranks.n_relevant[ranks.query]
    if kind != "ndcg":
        return 1 / np.broadcast_to(
            {"recall": n_relevant, "map": n_relevant, "precision": function.cutoff}.get(kind, 1), n_relevant.size
        )
    # the ideal: relevant items first, in the order of their gains
    best = ranks.gain[np.lexsort((-ranks.gain, ranks.query))] * function.values(ranks.place + 1.0)
    return ranks.gain / np.bincount(ranks.query, best)[ranks.query]


def _values(ranks: RelevantRanks, sizes: IntArray, metric: str, fixed: bool, found: Any) -> FloatArray:
    """Mean of each query over the corpora of each size: (n_queries, n_sizes)."""
    kind, function = parsed(metric)
    value = function.values(np.arange(1.0, int(sizes.max()) + 1))
    # the ideal of a corpus depends on which relevant items it has; to that, items of equal gain are alike
    graded = kind == "ndcg" and not fixed
    falling, level = np.unique(-ranks.gain if graded else np.zeros(ranks.query.size), return_inverse=True)
    item, weight, losses, counts = _without_ties(ranks, level)
    weight *= (found * (shares(ranks, kind, function) if fixed else -falling[level] if graded else 1))[item]
    total, n_levels = np.zeros((item.size, sizes.size)), falling.size
    codes = np.ravel_multi_index((level[item], *counts.T), (n_levels, *(counts.max(axis=0) + 1)))
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    for form, others in enumerate(counts[first].tolist()):
        n, rows = 1 + sum(others), np.flatnonzero(which == form)
        # how many of the relevant items before, and after, are in the corpus, for each level
        for held in product(*(range(one if fixed else 0, one + 1) for one in others)):
            r, a = 1 + sum(held), sum(held[:n_levels])
            lead = a + 1.0 if kind == "map" else float(a == 0 or kind not in ("mrr", "hit"))
            if a >= value.size or lead * value[a] == 0:
                continue
            if not fixed:
                number = hypergeom.pmf(r, ranks.n_items, n, sizes) / hypergeom.sf(0, ranks.n_items, n, sizes)
                lead = lead * number * prod(map(comb, others, held)) / comb(n, r)
                best = np.add(held[:n_levels], held[n_levels:]) + (np.arange(n_levels) == level[item[first[form]]])
                ideal = np.repeat(-falling, best) @ value[:r]
                lead /= {"recall": r, "map": r, "precision": function.cutoff, "ndcg": ideal}.get(kind, 1)
            wrong = ranks.n_items - n
            drawn = np.clip(sizes - r, 0, wrong)
            total[rows] += lead * expected_of_rank(wrong - losses[rows], wrong, drawn + 1, value[a:])
    total *= weight[:, np.newaxis]
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
