"""Lists of relevant items: their ranks, their metrics, and these in larger collections."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.stats import hypergeom

from classex._checks import (
    as_class_counts,
    as_finite_array,
    as_finite_number,
    as_generator,
    as_positive_int,
    as_scores,
    as_units,
    by_name,
    is_frame,
    one_of,
    shown,
)
from classex._estimates import AccuracyCurve, density, probit
from classex._loops.curves import expected_of_rank
from classex._result import Result, number
from classex._types import FloatArray, IntArray, RetrievalTarget
from classex.curves.accuracy import SubsetMean, distinct_pairs, satterthwaite, spaced_sizes, unit_deviations
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.distributions.distribution import metric_of, metric_variance
from classex.forecast.forecast import MOST_SIZES, probit_of_last
from classex.io.checks import refuse_unshared
from classex.methods.gaussian_process import GaussianProcessDistribution, from_curve, spread_of_losses

__all__ = ["RelevantRanks", "RetrievalCurve", "extrapolate_retrieval", "relevant_ranks", "retrieval_curve"]


# A query is worth at most one trial where the queries miss, or find, fewer than this in all: most of the variance then
# comes from a few queries, which a sample may lack
_RARE = 10


@dataclass(frozen=True, eq=False, repr=False)
class RelevantRanks(Result):
    """Where a search puts the relevant items of each query, in a corpus of `n_items` items.

    Made by `classex.retrieval.relevant_ranks`. Arrays have one entry for each relevant item, by query and by score.

    Attributes
    ----------
    query : ndarray of int64 of shape (n_relevant,)
        Query of each relevant item, numbered from 0 without gaps, in ascending order.
    above : ndarray of int64 of shape (n_relevant,)
        Number of relevant items of the same query with a higher score.
    losses, ties : ndarray of int64 of shape (n_relevant,)
        Number of items that are not relevant and have a higher score, and the same score.
    gain : ndarray of float64 of shape (n_relevant,)
        Gain of each item in NDCG, positive. For other metrics every item counts the same.
    found : ndarray of bool of shape (n_relevant,)
        False for an item that a cut-off list does not contain; its `losses` are then the least possible.
    n_items : int
        Number of items in the corpus, relevant or not.
    units : ndarray of int64 of shape (n_queries,) or None
        Unit of each query, such as its user, numbered from 0; None where queries are independent.

    Examples
    --------
    The first query has relevant items in places 1 and 4, the second has one in place 3:

    >>> import classex as cx
    >>> ranks = cx.retrieval.relevant_ranks(
    ...     [[0.9, 0.5, 0.7, 0.8], [0.9, 0.5, 0.7, 0.8]],
    ...     [[1, 1, 0, 0], [0, 0, 1, 0]],
    ... )
    >>> ranks.losses, ranks.n_items
    (array([0, 2, 2]), 4)
    """

    query: NDArray[np.int64]
    above: NDArray[np.int64]
    losses: NDArray[np.int64]
    ties: NDArray[np.int64]
    gain: NDArray[np.float64]
    found: NDArray[np.bool_]
    n_items: int
    units: NDArray[np.int64] | None = None

    _says: ClassVar[str] = "{query} relevant items of {n_relevant} queries, in a corpus of {n_items} items:"

    @property
    def n_relevant(self) -> NDArray[np.int64]:
        """Number of relevant items of each query."""
        return np.bincount(self.query)

    @property
    def place(self) -> NDArray[np.int64]:
        """Place of each entry among those of its query, from 0."""
        return np.arange(self.query.size) - np.searchsorted(self.query, self.query)


@dataclass(frozen=True)
class RetrievalCurve(AccuracyCurve):
    """Average of a retrieval metric over random corpora, as a function of their number of items.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of items in the corpus.
    accuracy, standard_error : ndarray of shape (n,)
        Mean of the metric over queries, and its standard error over queries. Items that a cut-off list does not
        contain add nothing.
    upper : ndarray of shape (n,) or None
        Mean if such items came directly after the list; None if every item was ranked.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.retrieval.relevant_ranks(
    ...     [[0.9, 0.5, 0.7, 0.8], [0.9, 0.5, 0.7, 0.8]],
    ...     [[1, 1, 0, 0], [0, 0, 1, 0]],
    ... )
    >>> cx.retrieval.retrieval_curve(ranks, [2, 3, 4], metric="map").accuracy.round(
    ...     4
    ... )
    array([0.8333, 0.6389, 0.5417])
    """

    upper: NDArray[np.float64] | None = None

    _counted: ClassVar[str] = "items"

    @classmethod
    def of(cls, ranks: RelevantRanks, n_items: Any, value: Any, error: Any, metric: str, **more: Any) -> Self:
        """Return the curve of a metric between 0 and 1, or for "precision@m" what the most relevant items can give."""
        n, kind, m = ranks.n_relevant.size, *metric.partition("@")[::2]
        largest = min(float(ranks.n_relevant.max()) / int(m), 1.0) if kind == "precision" else 1.0
        limits = np.tile([0.0, largest], (value.size, 1))
        rare = n * np.minimum(value, largest - value) < _RARE * largest
        most = np.where(rare, float(n), np.inf)
        about = {"average": "queries", "n_points": ranks.query.size, **more}
        return cls(n_items, value, error, metric, n, limits, most, **about)

    def _sentence(self) -> str:
        data = f"{number(self.n_points)} relevant items of {number(self.n_tested)} queries"
        data += "" if self.units is None else f" and {number(self.units.n_units)} units"
        these = ", with intervals for these queries" if self.average == "these queries" else ""
        least = "" if self.upper is None else "; upper: if relevant items that lists lack came directly after them"
        return f"Average {self.metric} over random corpora, from {data}; each query weighs the same{these}{least}:"

    def _table(self) -> dict[str, Any]:
        table = super()._table()
        known = {} if self.upper is None else {"upper": self.upper}
        return {"n_items": table.pop("n_classes"), **table, **known}


def relevant_ranks(
    scores: Any,
    relevance: Any,
    *,
    n_items: int | None = None,
    units: ArrayLike | Mapping[Any, Any] | None = None,
    relevant_from: float | None = None,
) -> RelevantRanks:
    """Ranks of the relevant items of each query, of which there may be any number.

    Parameters
    ----------
    scores : array_like of shape (n_queries, n_items), or mapping
        Score of every item for each query, higher is better. Or lists of a search engine, ``scores[query][document]``,
        as `classex.io.load_trec` reads them; they may be cut off at any depth.
    relevance : array_like of shape (n_queries, n_items), or mapping
        Gain of every item for each query: positive for relevant items, zero or negative for all others. With lists,
        ``relevance[query][document]``; documents without an entry are not relevant.
    n_items : int, optional
        Number of items in the corpus; needed with lists.
    units : array_like of shape (n_queries,), or mapping, optional
        Unit of each query, such as the user who asked it: numbers or names; with lists, ``units[query]``. Standard
        errors and intervals are then over units (see `classex.ranks.in_units`).
    relevant_from : float, optional
        Least gain of a relevant item, the option ``-l`` of trec_eval; lower gains count as zero. By default
        all that are positive are relevant.

    Returns
    -------
    RelevantRanks
        Queries without relevant items are left out. A query that has relevance judgements and no list counts as one
        that found nothing (as with the option ``-c`` of trec_eval).

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described, a list is longer than the corpus, no query has a relevant item, or lists
        and judgements share no query or no document.

    Warns
    -----
    UserWarning
        If queries with relevant documents have no list, or the first document of a list has the name of its query.

    Notes
    -----
    Items with the same score are in random order, over which metrics are averaged. To break ties as trec_eval does, by
    the names of the documents, give places for scores, as the second example does. (ranx has no rule for ties.)

    Examples
    --------
    >>> from classex.fields.retrieval import relevant_ranks
    >>> run = {"q1": {"d7": 0.9, "d2": 0.4, "d5": 0.4}}
    >>> qrels = {"q1": {"d2": 2, "d8": 1}}
    >>> ranks = relevant_ranks(run, qrels, n_items=1000)
    >>> ranks.losses, ranks.ties, ranks.found
    (array([1, 2]), array([1, 0]), array([ True, False]))
    >>> by_name = {
    ...     query: {
    ...         document: place
    ...         for place, document in enumerate(
    ...             sorted(scores, key=lambda name: (scores[name], name))
    ...         )
    ...     }
    ...     for query, scores in run.items()
    ... }
    >>> relevant_ranks(by_name, qrels, n_items=1000).losses
    array([2, 2])
    """
    least = 0.0 if relevant_from is None else as_finite_number(relevant_from, "relevant_from")
    if isinstance(scores, Mapping):
        size = as_positive_int(n_items, "n_items", minimum=2)
        for name, given in (("scores", scores), ("relevance", relevance)):
            if not isinstance(given, Mapping) or not all(isinstance(numbers, Mapping) for numbers in given.values()):
                raise TypeError(f"{name} must be a mapping from queries to mappings from documents to numbers")
        named = len(set().union(*scores.values()))
        if size < named:
            raise ValueError(f"n_items must be at least {named}, the number of documents in the lists, not {size}")
        refuse_unshared(scores, relevance)
        _warn_of_own(scores, relevance)
        counted = [{item: gain * (gain >= least) for item, gain in judged.items()} for judged in relevance.values()]
        counts = [_from_list(scores.get(name, {}), judged) for name, judged in zip(relevance, counted, strict=True)]
    else:
        if is_frame(scores):
            relevance = by_name(relevance, scores.columns, "relevance", scores.index)
        matrix, gains = as_scores(scores), as_finite_array(relevance, "relevance", ndim=2)
        if matrix.shape != gains.shape:
            raise ValueError(f"relevance must have the shape of scores, {matrix.shape}, not {gains.shape}")
        size = matrix.shape[1]
        counts = [_counts(score, gain * (gain >= least), []) for score, gain in zip(matrix, gains, strict=True)]
    number = np.repeat(np.arange(len(counts)), [part.shape[1] for part in counts])
    if not number.size:
        raise ValueError("relevance must be positive for at least one item")
    above, losses, ties, gain, found = np.concatenate(counts, axis=1)
    kept, position = np.unique(number, return_inverse=True)
    unit = None if units is None else _units(units, relevance, len(counts), kept)
    whole = np.stack([position, above, losses, ties]).astype(np.int64)
    ranks = RelevantRanks(whole[0], whole[1], whole[2], whole[3], gain, found > 0, size, unit)
    least = int((ranks.losses + ranks.ties + ranks.n_relevant[ranks.query]).max())
    if least > size:
        raise ValueError(f"n_items must be at least {least}, the items of one list, not {size}")
    return ranks


def _warn_of_own(lists: Mapping[str, Mapping[str, float]], judged: Mapping[str, Mapping[str, float]]) -> None:
    """Warn if queries are the best documents of their own lists, and not relevant."""
    first = [query for query, scores in lists.items() if scores and max(scores, key=lambda name: scores[name]) == query]
    if n_own := sum(judged.get(query, {}).get(query, 0) <= 0 for query in first):
        what = f"{n_own} of {len(lists)} queries find themselves first, as irrelevant documents"
        warnings.warn(f"{what}: if the corpus contains them, take each out of its list", UserWarning, stacklevel=3)


def _units(units: Any, relevance: Any, n_queries: int, kept: NDArray[Any]) -> NDArray[np.int64]:
    """Unit of each query that has relevant items."""
    if isinstance(units, Mapping) != isinstance(relevance, Mapping):
        raise TypeError("units must be a mapping from queries where relevance is one, and otherwise an array")
    if isinstance(units, Mapping):
        if left := [query for query in relevance if query not in units]:
            raise ValueError(f"units must hold every query of relevance, but {shown(left[0])} has none")
        units = [units[query] for query in relevance]
    return as_units(as_units(units, n_queries, of="query")[kept], kept.size, of="query with relevant items")


def _from_list(listed: Mapping[str, float], judged: Mapping[str, float]) -> FloatArray:
    score = as_finite_array(list(listed.values()), "scores", ndim=1, dtype=np.float64)
    missing = [gain for name, gain in judged.items() if gain > 0 and name not in listed]
    return _counts(score, np.array([judged.get(name, 0.0) for name in listed]), missing)


def _counts(score: NDArray[Any], gain: FloatArray, missing: list[float]) -> FloatArray:
    """Relevant and other items above each relevant item, those that tie, its gain, and whether it was found: (5, n)."""
    order = np.flatnonzero(gain > 0)[np.argsort(-score[gain > 0], kind="stable")]
    best, other = score[order], np.sort(score[gain <= 0])
    last = np.searchsorted(other, best, side="right")
    seen = [np.searchsorted(-best, -best), other.size - last, last - np.searchsorted(other, best), gain[order]]
    place = np.arange(len(missing))
    beyond = np.stack([best.size + place, other.size + 0 * place, 0 * place, np.sort(missing)[::-1]])
    return np.vstack([np.hstack([seen, beyond]), np.arange(best.size + place.size) < best.size])


_METRICS = ("recall", "precision", "hit", "map", "mrr", "ndcg")
# Places that items can take among those with the same score: 1 GB
_MOST_PLACES = 2 * 10**7


def retrieval_curve(ranks: RelevantRanks, n_items: ArrayLike | None = None, *, metric: str = "map") -> RetrievalCurve:
    r"""Average of a retrieval metric over all corpora of n of the observed items.

    A corpus holds all relevant items of a query, and a random part of the others.

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

    Returns
    -------
    RetrievalCurve
        Each query weighs the same. Standard errors are over queries.

    Raises
    ------
    TypeError
        If `ranks` is not a `RelevantRanks`.
    ValueError
        If a number of items is out of its range, the metric is not known, or there are more than 20 million places that
        ties can give.

    Notes
    -----
    Each metric is a sum over relevant items of a function of the numbers a and h of relevant and other items above it,

    .. math:: g\, c(a)\, f(1 + a + h) / d,

    with gain g, :math:`c(a) = a + 1` for MAP, 1{a = 0} for MRR and hits and 1 otherwise, f the function of the rank,
    and the divisor d. In a random corpus, h is hypergeometric. Ties are averaged over random tie-breaking.

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
    >>> cx.retrieval.retrieval_curve(ranks, [2, 3, 4], metric="map").accuracy.round(
    ...     4
    ... )
    array([1.    , 0.8333, 0.75  ])
    """
    kind, function = metric_of_lists(ranks, metric)
    whole = as_class_counts(ranks.n_items if n_items is None else n_items, "n_items", maximum=ranks.n_items)
    sizes, most = whole.astype(np.int64), int(ranks.n_relevant.max())
    if sizes.min() < most:
        raise ValueError(f"n_items must be at least {most}, the relevant items of one query, not {sizes.min()}")
    each = _values(ranks, sizes, kind, function, ranks.found)
    upper = None if ranks.found.all() else _values(ranks, sizes, kind, function, np.True_).mean(axis=0)
    n = each.shape[0]
    error = each.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(sizes.size, np.nan)
    mean, more = each.mean(axis=0), dict[str, Any]()
    if ranks.units is not None:
        added, more["units"] = unit_deviations(each, np.ones(n), ranks.units, mean)
        alone, shared = np.square(error), np.square(added).sum(axis=0)
        error, more["freedom"] = np.sqrt(alone + shared), satterthwaite(alone, n - 1, shared, ranks.units.max())
    return RetrievalCurve.of(ranks, sizes, mean, error, metric, upper=upper, **more)


def metric_of_lists(ranks: RelevantRanks, metric: Any) -> tuple[str, RankMetric]:
    """Return the kind of a metric, and its function of the rank, after a check of both arguments."""
    if not isinstance(ranks, RelevantRanks):
        raise TypeError(f"ranks must be a RelevantRanks, not {type(ranks).__name__}: call ranks.relevant_ranks first")
    kind = str(metric).partition("@")[0]
    if kind not in _METRICS:
        raise ValueError(f"metric must be map, mrr, ndcg or one of {'@m, '.join(_METRICS)}@m, not {shown(metric)}")
    return kind, as_rank_metric("mrr" if metric == "map" else metric.replace("precision", "recall"))


def shares(ranks: RelevantRanks, kind: str, function: RankMetric) -> FloatArray:
    """Return the gain of each relevant item, over what the sum over the relevant items of its query is divided by."""
    if kind == "ndcg":
        # the ideal has relevant items first, in the order of their gains
        discount = function.values((ranks.place + 1).astype(np.float64))
        best = ranks.gain[np.lexsort((-ranks.gain, ranks.query))] * discount
        return np.asarray(ranks.gain / np.bincount(ranks.query, best)[ranks.query])
    n_relevant = ranks.n_relevant[ranks.query]
    divisor: dict[str, Any] = {"recall": n_relevant, "map": n_relevant, "precision": function.cutoff}
    return np.asarray(np.ones(n_relevant.size) / divisor.get(kind, 1))


def _values(ranks: RelevantRanks, sizes: IntArray, kind: str, function: RankMetric, found: Any) -> FloatArray:
    """Mean of each query over the corpora of each size: (n_queries, n_sizes)."""
    value = function.values(np.arange(1.0, int(sizes.max()) + 1))
    item, weight, losses, above = _without_ties(ranks)
    weight *= (found * shares(ranks, kind, function))[item]
    total = np.zeros((item.size, sizes.size))
    numbers, before, form = distinct_pairs(ranks.n_relevant[ranks.query[item]], above)
    for which, (n, a) in enumerate(zip(numbers.tolist(), before.tolist(), strict=True)):
        lead = a + 1.0 if kind == "map" else float(a == 0 or kind not in ("mrr", "hit"))
        if lead * value[a] == 0:
            continue
        rows, wrong = np.flatnonzero(form == which), ranks.n_items - n
        distinct, row = np.unique(losses[rows], return_inverse=True)
        drawn = np.minimum(sizes - n, wrong) + 1
        total[rows] = lead * expected_of_rank(wrong - distinct, wrong, drawn, value[a:])[row]
    total *= weight[:, np.newaxis]
    return np.stack([np.bincount(ranks.query[item], column) for column in total.T], axis=1)


def _without_ties(ranks: RelevantRanks) -> tuple[IntArray, FloatArray, IntArray, IntArray]:
    """Return each item in each place that random tie-breaking can give it, with the probability of that place.

    Also the numbers of items before it that are not relevant, and that are.
    """
    group = np.searchsorted(ranks.query, ranks.query) + ranks.above
    alike = np.bincount(group)[group]
    places = alike * (ranks.ties + 1)
    if places.sum() > _MOST_PLACES:
        raise ValueError(f"ranks must have fewer ties, not {places.sum():,} possible places of items: break the ties")
    item = np.repeat(np.arange(group.size), places)
    p, t = alike[item] - 1, ranks.ties[item]
    before, other = np.divmod(np.arange(item.size) - np.repeat(np.cumsum(places) - places, places), t + 1)
    chance, both = 1 / (p + t + 1), (p > 0) & (t > 0)
    chance[both] *= hypergeom.pmf(before, p + t, p, before + other)[both]
    return item, chance, ranks.losses[item] + other, ranks.above[item] + before


# Share of its standard error by which items that lists do not contain may change a number that is fitted
_UNKNOWN = 0.1
# An item below so many times as many others as the metric counts is among those in 1 of 10^5 larger corpora at most
_DEEP = 3
# Other corpora that are drawn for the errors of these queries: those errors are known to a sixth
_DRAWS = 20
# Added to the number of items above the first relevant one: with none in this corpus there may be some in another
_UNSEEN = 0.5


def extrapolate_retrieval(
    ranks: RelevantRanks, n_items: ArrayLike, *, metric: str = "map", target: RetrievalTarget = "average", rng: Any = 0
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
    rng : int, numpy.random.Generator or None
        Seed or generator of the corpora drawn for the errors of these queries; with another one these differ a little.

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
        generator = as_generator(rng)
        drawn = [_predicted(_redrawn(ranks, generator), sizes, metric, these=True)[0] for _ in range(_DRAWS)]
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
        value += (own := share * metric_of(over_queries, sizes, part))
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
