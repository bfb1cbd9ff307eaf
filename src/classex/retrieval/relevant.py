"""Ranks of several relevant items for each query, from scores or from the lists of a search engine."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._types import FloatArray
from classex._validation import as_finite_array, as_positive_int, as_scores, as_units, shown
from classex.io.ids import refuse_unshared
from classex.retrieval._results import RelevantRanks

__all__ = ["relevant_ranks"]


def relevant_ranks(
    scores: Any, relevance: Any, *, n_items: int | None = None, units: ArrayLike | Mapping[Any, Any] | None = None
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
    >>> from classex.retrieval import relevant_ranks
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
        counts = [_from_list(scores.get(name, {}), judged) for name, judged in relevance.items()]
    else:
        matrix, gains = as_scores(scores), as_finite_array(relevance, "relevance", ndim=2)
        if matrix.shape != gains.shape:
            raise ValueError(f"relevance must have the shape of scores, {matrix.shape}, not {gains.shape}")
        size = matrix.shape[1]
        counts = [_counts(score, gain, []) for score, gain in zip(matrix, gains, strict=True)]
    number = np.repeat(np.arange(len(counts)), [part.shape[1] for part in counts])
    if not number.size:
        raise ValueError("relevance must be positive for at least one item")
    above, losses, ties, gain, found = np.concatenate(counts, axis=1)
    kept, position = np.unique(number, return_inverse=True)
    query, *whole = (numbers.astype(np.int64) for numbers in (position, above, losses, ties))
    unit = None if units is None else _units(units, relevance, len(counts), kept)
    ranks = RelevantRanks(query, whole[0], whole[1], whole[2], gain, found > 0, size, unit)
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
    n = len(missing)
    beyond = np.stack(
        [best.size + np.arange(n), np.full(n, other.size), 0 * np.arange(n), -np.sort(-np.array(missing))]
    )
    found = np.arange(best.size + n) < best.size
    return np.vstack([np.hstack([seen, beyond]), found])
