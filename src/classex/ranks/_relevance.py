"""Ranks of several relevant items for each query, from scores or from the lists of a search engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_finite_array, as_positive_int, as_scores, one_of
from classex.results import RelevantRanks

__all__ = ["relevant_ranks"]

FloatArray = NDArray[np.float64]


def relevant_ranks(scores: Any, relevance: Any, *, n_items: int | None = None, ties: str = "random") -> RelevantRanks:
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
    ties : {"random", "document"}
        With lists, whether documents with the same score are in random order, over which metrics are averaged, or in
        the order of their names, the last first, as trec_eval sorts them. In a matrix, the order is random.

    Returns
    -------
    RelevantRanks
        Queries without relevant items are left out. A query that has relevance judgements and no list counts as one
        that found nothing (as with the option ``-c`` of trec_eval).

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described, a list is longer than the corpus, or no query has a relevant item.

    Examples
    --------
    >>> from classex.ranks import relevant_ranks
    >>> run = {"q1": {"d7": 0.9, "d2": 0.4, "d5": 0.3}}
    >>> ranks = relevant_ranks(run, {"q1": {"d2": 2, "d8": 1}}, n_items=1000)
    >>> ranks.losses, ranks.found
    (array([1, 2]), array([ True, False]))
    """
    by_name = one_of(ties, "ties", ("random", "document")) == "document"
    if isinstance(scores, Mapping):
        longest = max((len({**listed, **relevance.get(name, {})}) for name, listed in scores.items()), default=0)
        size = as_positive_int(n_items, "n_items", minimum=max(longest, 2))
        counts = [_from_list(scores.get(name, {}), judged, by_name) for name, judged in relevance.items()]
    else:
        matrix, gains = as_scores(scores), as_finite_array(relevance, "relevance", ndim=2)
        if matrix.shape != gains.shape:
            raise ValueError(f"relevance must have the shape of scores, {matrix.shape}, not {gains.shape}")
        size = matrix.shape[1]
        counts = [_counts(score, gain, np.empty(0)) for score, gain in zip(matrix, gains, strict=True)]
    counts = [one for one in counts if one.shape[1]]
    if not counts:
        raise ValueError("relevance must be positive for at least one item")
    query = np.repeat(np.arange(len(counts)), [one.shape[1] for one in counts])
    *whole, gain, found = np.concatenate(counts, axis=1)
    return RelevantRanks(query, *np.array(whole, dtype=np.int64), gain, found > 0, size)


def _from_list(listed: Mapping[str, float], judged: Mapping[str, float], by_name: bool) -> FloatArray:
    """Counts of one query from its list; ties may be broken by the names of documents, the last first."""
    names = sorted(listed, key=lambda name: (listed[name], name))
    score = np.arange(len(names)) if by_name else np.array([listed[name] for name in names], dtype=np.float64)
    missing = [gain for name, gain in judged.items() if gain > 0 and name not in listed]
    return _counts(score, np.array([judged.get(name, 0.0) for name in names]), np.array(missing))


def _counts(score: NDArray[Any], gain: FloatArray, missing: FloatArray) -> FloatArray:
    """Relevant and other items above each relevant item, those that tie, its gain, and whether it was found: (5, n)."""
    order = np.flatnonzero(gain > 0)[np.argsort(-score[gain > 0], kind="stable")]
    best, other = score[order], np.sort(score[gain <= 0])
    last = np.searchsorted(other, best, side="right")
    seen = [np.searchsorted(-best, -best), other.size - last, last - np.searchsorted(other, best), gain[order]]
    beyond = np.zeros((5, missing.size))
    beyond[:4:3] = best.size + np.arange(missing.size), -np.sort(-missing)
    beyond[1] = other.size
    return np.hstack([[*seen, np.ones(best.size)], beyond])
