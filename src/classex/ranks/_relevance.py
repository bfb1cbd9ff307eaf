"""Ranks of several relevant items for each query, from scores or from the lists of a search engine."""

from __future__ import annotations

from collections.abc import Mapping
import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_finite_array, as_positive_int, as_scores, one_of
from classex.results import RelevantRanks

__all__ = ["relevant_ranks"]

FloatArray = NDArray[np.float64]
Lists = Mapping[str, Mapping[str, float]]


def relevant_ranks(
    scores: ArrayLike | Lists, relevance: ArrayLike | Lists, *, n_items: int | None = None, ties: str = "random"
) -> RelevantRanks:
    by_name = one_of(ties, "ties", ("random", "document")) == "document"
    if isinstance(scores, Mapping) and isinstance(relevance, Mapping):
        size = as_positive_int(n_items, "n_items", minimum=2)
        found = [_from_list(scores.get(name, {}), judged, by_name) for name, judged in relevance.items()]
    else:
        matrix, gains = as_scores(scores), as_finite_array(relevance, "relevance", ndim=2)  # type: ignore[arg-type]
        if matrix.shape != gains.shape:
            raise ValueError(f"relevance must have the shape of scores, {matrix.shape}, not {gains.shape}")
        size = matrix.shape[1]
        found = [_counts(*row, np.empty(0)) for row in zip(matrix, gains, strict=True)]
    found = [one for one in found if one.shape[1]]
    query = np.repeat(np.arange(len(found)), [one.shape[1] for one in found])
    above, losses, tied, gain, seen = np.concatenate([np.empty((5, 0)), *found], axis=1)
    return RelevantRanks(query, above, losses, tied, gain, seen, n_items=size)


def _from_list(listed: Mapping[str, float], judged: Mapping[str, float], by_name: bool) -> FloatArray:
    """Counts of one query from its list, in which ties may be broken by the names of documents, last first."""
    names = sorted(listed, key=lambda name: (listed[name], name))
    score = np.arange(len(names)) if by_name else np.array([listed[name] for name in names])
    gain = np.array([judged.get(name, 0.0) for name in names])
    missing = np.array([one for name, one in judged.items() if one > 0 and name not in listed])
    return _counts(score, gain, missing)


def _counts(score: FloatArray, gain: FloatArray, missing: FloatArray) -> FloatArray:
    """Relevant and other items above each relevant item, those that tie, its gain, and whether it was found: (5, n)."""
    other, good = np.sort(score[gain <= 0]), gain > 0
    order = np.argsort(-score[good], kind="stable")
    best = score[good][order]
    last = np.searchsorted(other, best, side="right")
    rows = [np.searchsorted(-best, -best), other.size - last, last - np.searchsorted(other, best), gain[good][order]]
    n = missing.size
    unseen = [best.size + np.arange(n), np.full(n, other.size), np.zeros(n), -np.sort(-missing), np.zeros(n)]
    return np.hstack([[*rows, np.ones(best.size)], unseen])
