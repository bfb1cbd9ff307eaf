"""Retrieval metrics of queries with any number of relevant items, averaged over random corpora."""

from __future__ import annotations

from itertools import product
from math import comb, prod
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import hypergeom

from classex._kernels.rank_metrics import expected_of_rank
from classex._types import FloatArray, IntArray
from classex._validation import as_class_counts, one_of, shown
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.curves.units import satterthwaite, unit_deviations
from classex.retrieval._results import RelevantRanks, RetrievalCurve

__all__ = ["divisor", "metric_of_lists", "retrieval_curve", "shares"]

Corpus = Literal["fixed", "growing"]

_METRICS = ("recall", "precision", "hit", "map", "mrr", "ndcg")
# Places that items can take among those with the same score: 1 GB
_MOST_PLACES = 2 * 10**7


def retrieval_curve(
    ranks: RelevantRanks, n_items: ArrayLike | None = None, *, metric: str = "map", relevant: Corpus = "fixed"
) -> RetrievalCurve:
    r"""Average of a retrieval metric over all corpora of n of the observed items.

    Parameters
    ----------
    ranks : RelevantRanks
        From `classex.retrieval.relevant_ranks`, in a corpus of N items.
    n_items : int or array_like of int, optional
        Numbers of items n in the corpus, relevant ones included, up to N. By default N.
    metric : str
        "recall@m" and "precision@m": relevant items among the m best, over all relevant items, and over m. "hit@m":
        whether there is one. "map" or "map@m": average precision, over all relevant items. "mrr" or "mrr@m": one over
        the rank of the first relevant item. "ndcg" or "ndcg@m": the sum of ``gain / log2(1 + rank)`` over its largest
        possible value. With "@m", ranks beyond m add nothing.
    relevant : {"fixed", "growing"}
        Whether a corpus contains all relevant items of a query and a random part of the others, or is a random part of
        all items. In the second case the mean of a query is over corpora that contain at least one relevant item.

    Returns
    -------
    RetrievalCurve
        Each query weighs the same. Standard errors are over queries.

    Raises
    ------
    TypeError
        If `ranks` is not a `RelevantRanks`.
    ValueError
        If a number of items is out of its range, the metric is not known, there are more than 20 million places that
        ties can give, or relevant items of unequal gain tie in "ndcg" with growing relevant items.

    Notes
    -----
    Each metric is a sum over relevant items of a function of the numbers a and h of relevant and other items above it,

    .. math:: g\, c(a)\, f(1 + a + h) / d,

    with gain g, :math:`c(a) = a + 1` for MAP, 1{a = 0} for MRR and hits and 1 otherwise, f the function of the rank,
    and the divisor d. In a random corpus, h is hypergeometric. So are the numbers of relevant items above and below,
    for each gain, if these are drawn too: the mean is an exact sum over them, whose length grows with the third power
    of the number of relevant items. Ties are averaged over random tie-breaking.

    Standard errors take queries, or with `units` of the ranks their units, as independent. They do not cover that all
    queries share one sample of items. Intervals of "precision@m" take the most relevant items of one query, over m, for
    its largest value.

    Definitions are those of trec_eval (recall, P, success, map, map_cut, recip_rank, ndcg, ndcg_cut) and ranx, with
    gains equal to relevance. Both agree to rounding where no scores tie; where they do, trec_eval's rule is in the
    examples of `classex.retrieval.relevant_ranks`.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.retrieval.relevant_ranks([[0.9, 0.5, 0.7, 0.8]], [[2, 1, 0, 0]])
    >>> for relevant in ("fixed", "growing"):
    ...     curve = cx.retrieval.retrieval_curve(
    ...         ranks, [2, 3, 4], metric="map", relevant=relevant
    ...     )
    ...     print(curve.accuracy.round(4))
    [1.     0.8333 0.75  ]
    [0.8  0.75 0.75]
    """
    kind, function = metric_of_lists(ranks, metric)
    fixed = one_of(relevant, "relevant", get_args(Corpus)) == "fixed"
    whole = as_class_counts(ranks.n_items if n_items is None else n_items, "n_items", maximum=ranks.n_items)
    sizes, most = whole.astype(np.int64), int(ranks.n_relevant.max())
    if fixed and sizes.min() < most:
        raise ValueError(f"n_items must be at least {most}, the relevant items of one query, not {sizes.min()}")
    each = _values(ranks, sizes, kind, function, fixed, ranks.found)
    upper = None if ranks.found.all() else _values(ranks, sizes, kind, function, fixed, np.True_).mean(axis=0)
    n = each.shape[0]
    error = each.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(sizes.size, np.nan)
    mean, more = each.mean(axis=0), dict[str, Any]()
    if ranks.units is not None:
        added, more["units"] = unit_deviations(each, np.ones(n), ranks.units, mean)
        alone, shared = np.square(error), np.square(added).sum(axis=0)
        error, more["freedom"] = np.sqrt(alone + shared), satterthwaite(alone, n - 1, shared, ranks.units.max())
    return RetrievalCurve.of(ranks, sizes, mean, error, metric, upper, **more)


def metric_of_lists(ranks: RelevantRanks, metric: Any) -> tuple[str, RankMetric]:
    """Return the kind of a metric, and its function of the rank, after a check of both arguments."""
    if not isinstance(ranks, RelevantRanks):
        raise TypeError(f"ranks must be a RelevantRanks, not {type(ranks).__name__}: call ranks.relevant_ranks first")
    kind = str(metric).partition("@")[0]
    if kind not in _METRICS:
        raise ValueError(f"metric must be map, mrr, ndcg or one of {'@m, '.join(_METRICS)}@m, not {shown(metric)}")
    return kind, as_rank_metric("mrr" if metric == "map" else metric.replace("precision", "recall"))


def divisor(kind: str, function: RankMetric, n_relevant: Any, ideal: Any) -> Any:
    """What the sum over relevant items is divided by."""
    return {"recall": n_relevant, "map": n_relevant, "precision": function.cutoff, "ndcg": ideal}.get(kind, 1)


def shares(ranks: RelevantRanks, kind: str, function: RankMetric) -> FloatArray:
    """Return the gain of each relevant item, over the divisor of its query."""
    # the ideal has relevant items first, in the order of their gains
    best = ranks.gain[np.lexsort((-ranks.gain, ranks.query))] * function.values((ranks.place + 1).astype(np.float64))
    ideal, gain = np.bincount(ranks.query, best), ranks.gain if kind == "ndcg" else np.ones_like(ranks.gain)
    return np.asarray(gain / divisor(kind, function, ranks.n_relevant[ranks.query], ideal[ranks.query]))


def _values(
    ranks: RelevantRanks, sizes: IntArray, kind: str, function: RankMetric, fixed: bool, found: Any
) -> FloatArray:
    """Mean of each query over the corpora of each size: (n_queries, n_sizes)."""
    value = function.values(np.arange(1.0, int(sizes.max()) + 1))
    # the ideal of a corpus depends on which relevant items it contains; to that, items of equal gain are alike
    gain = -ranks.gain if kind == "ndcg" and not fixed else -np.ones_like(ranks.gain)
    falling, level = np.unique(gain, return_inverse=True)
    item, weight, losses, counts = _without_ties(ranks, level)
    weight *= (found * (shares(ranks, kind, function) if fixed else -gain))[item]
    total, n_levels = np.zeros((item.size, sizes.size)), falling.size
    codes = np.ravel_multi_index((level[item], *counts.T), (n_levels, *(counts.max(axis=0) + 1)))
    _, first, form = np.unique(codes, return_index=True, return_inverse=True)
    for which, others in enumerate(counts[first].tolist()):
        n, rows = 1 + sum(others), np.flatnonzero(form == which)
        wrong, own = ranks.n_items - n, np.arange(n_levels) == level[item[first[which]]]
        distinct, row = np.unique(losses[rows], return_inverse=True)
        # how many of the other relevant items, before and after and for each level, are in the corpus
        for held in product(*(range(count if fixed else 0, count + 1) for count in others)):
            r, a = 1 + sum(held), sum(held[:n_levels])
            lead = a + 1.0 if kind == "map" else float(a == 0 or kind not in ("mrr", "hit"))
            if r > value.size or lead * value[a] == 0:
                continue
            if not fixed:
                number = hypergeom.pmf(r, ranks.n_items, n, sizes) / hypergeom.sf(0, ranks.n_items, n, sizes)
                best = np.repeat(-falling, np.add(held[:n_levels], held[n_levels:]) + own) @ value[:r]
                ways = prod(map(comb, others, held)) / comb(n, r)
                lead = lead * number * ways / divisor(kind, function, r, best)
            drawn = np.clip(sizes - r, 0, wrong)
            total[rows] += lead * expected_of_rank(wrong - distinct, wrong, drawn + 1, value[a:])[row]
    total *= weight[:, np.newaxis]
    return np.stack([np.bincount(ranks.query[item], column) for column in total.T], axis=1)


def _without_ties(ranks: RelevantRanks, level: IntArray) -> tuple[IntArray, FloatArray, IntArray, IntArray]:
    """Return each item in each place that random tie-breaking can give it, with the probability of that place.

    Also the number of items before it that are not relevant, and for each level of the gain the numbers of other
    relevant items before it and after it.
    """
    begin = np.searchsorted(ranks.query, ranks.query)
    group = begin + ranks.above
    alike = np.bincount(group)[group]
    places = alike * (ranks.ties + 1)
    if (level != level[group]).any():
        raise ValueError("ranks must not tie relevant items of unequal gain where relevant='growing': break these ties")
    if places.sum() > _MOST_PLACES:
        raise ValueError(f"ranks must have fewer ties, not {places.sum():,} possible places of items: break the ties")
    item = np.repeat(np.arange(group.size), places)
    p, t = alike[item] - 1, ranks.ties[item]
    before, other = np.divmod(np.arange(item.size) - np.repeat(np.cumsum(places) - places, places), t + 1)
    chance, both = 1 / (p + t + 1), (p > 0) & (t > 0)
    chance[both] *= hypergeom.pmf(before, p + t, p, before + other)[both]
    own = np.eye(int(level.max()) + 1, dtype=np.int64)[level]
    seen = np.vstack([np.zeros_like(own[:1]), np.cumsum(own, axis=0)])
    above = (seen[group] - seen[begin])[item] + before[:, np.newaxis] * own[item]
    below = (seen[begin + ranks.n_relevant[ranks.query]] - seen[begin] - own)[item] - above
    return item, chance, ranks.losses[item] + other, np.hstack([above, below])
