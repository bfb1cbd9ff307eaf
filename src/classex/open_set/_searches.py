"""Mated and non-mated searches, checked once, with one column for each enrolled identity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._types import FloatArray, IntArray
from classex._validation import as_labels, as_plain_array, as_scores
from classex.ranks import ranks_of_checked
from classex.ranks._ranks import CorrectRanks
from classex.ranks.checks import warn_if_inverted
from classex.ranks.counting import count_scores
from classex.ranks.weights import weights_of_labels

__all__ = ["Searches", "as_searches", "compared", "cut_off", "ranks_among_compared", "search_weights"]


@dataclass(frozen=True)
class Searches:
    """Scores against all enrolled identities, columns of the mated searches' own, people of the non-mated searches.

    A score of minus infinity stands for a comparison that was not made.
    """

    mated: FloatArray
    labels: IntArray
    nonmated: FloatArray
    people: IntArray

    @property
    def own(self) -> FloatArray:
        """Score of each mated search for its own identity."""
        return np.asarray(self.mated[np.arange(self.labels.size), self.labels])

    @property
    def fewest(self) -> int:
        """Fewest identities that a search was compared with."""
        return min(int(compared(scores).min()) for scores in (self.mated, self.nonmated))


def compared(scores: FloatArray) -> IntArray:
    """Return the number of identities that each search was compared with."""
    return np.asarray(np.count_nonzero(scores > -np.inf, axis=1))


def cut_off(searches: Searches, least: float) -> Searches:
    """Make all scores below `least` alike: those in lists are a part of them, from which no tail can be fitted."""
    floor = np.nextafter(least, -np.inf)
    mated, nonmated = (
        np.where(scores > -np.inf, np.maximum(scores, floor), scores) for scores in (searches.mated, searches.nonmated)
    )
    return replace(searches, mated=mated, nonmated=nonmated)


def ranks_among_compared(scores: FloatArray, labels: IntArray) -> CorrectRanks:
    """Ranks among the identities that each search was compared with, without a distractor table if these differ."""
    made = compared(scores)
    if (made == scores.shape[1]).all():
        return ranks_of_checked(scores, labels)
    wins, ties = count_scores(scores, labels, 1)[:, :, 0].astype(np.int64)
    n = scores.shape[1]
    return warn_if_inverted(CorrectRanks(wins - (n - made), ties, labels, n, None, made - 1))


def as_searches(
    scores: ArrayLike,
    labels: ArrayLike,
    nonmated_scores: ArrayLike,
    nonmated_labels: ArrayLike | None,
    enrolled_labels: ArrayLike | None,
) -> Searches:
    """Check the arguments of the functions of this package; several samples of one identity become one column."""
    mated = _as_compared(scores, "scores")
    m, n = mated.shape
    nonmated = _as_compared(nonmated_scores, "nonmated_scores")
    if nonmated.shape[1] != n:
        raise ValueError(
            f"nonmated_scores must have shape (n_searches, {n}), one column per enrolled sample, "
            f"but has {nonmated.shape}"
        )
    people = np.arange(nonmated.shape[0])
    if nonmated_labels is not None:
        people = np.unique(_names(nonmated_labels, "nonmated_labels", people.size), return_inverse=True)[1]
    if enrolled_labels is None:
        return _checked(Searches(mated, as_labels(labels, m, n, every_class=False), nonmated, people))
    samples, searched = _names(enrolled_labels, "enrolled_labels", n), _names(labels, "labels", m)
    if "U" in (samples.dtype.kind, searched.dtype.kind):
        samples, searched = samples.astype(str), searched.astype(str)
    enrolled, column = np.unique(samples, return_inverse=True)
    if nonmated_labels is not None:
        others = np.asarray(nonmated_labels)
        others = np.unique(others.astype(str) if samples.dtype.kind == "U" else others)
        if (inside := np.intersect1d(others, enrolled)).size:
            raise ValueError(
                f"nonmated_labels must be of people who are not enrolled, but {inside.size} of {others.size} are among"
                f" the enrolled_labels, such as {inside[0]}"
            )
    if enrolled.size < 2:
        raise ValueError("enrolled_labels must name at least two identities, not 1")
    truth = np.minimum(np.searchsorted(enrolled, searched), enrolled.size - 1)
    unknown = enrolled[truth] != searched
    if unknown.any():
        i = np.argmax(unknown)
        raise ValueError(f"labels must be among the enrolled_labels, but position {i} is {searched[i]}")
    order = np.argsort(column, kind="stable")
    first = np.searchsorted(column[order], np.arange(enrolled.size))
    mated, nonmated = (np.maximum.reduceat(array[:, order], first, axis=1) for array in (mated, nonmated))
    return _checked(Searches(mated, truth, nonmated, people))


def _as_compared(scores: ArrayLike, name: str) -> FloatArray:
    """Return checked scores, of which minus infinity is kept."""
    array = as_plain_array(scores, name)
    left_out = np.isneginf(array) if array.dtype.kind == "f" else np.zeros(array.shape, dtype=bool)
    checked: FloatArray = as_scores(np.where(left_out, 0, array), name).astype(np.float64, copy=False)
    checked[left_out] = -np.inf
    return checked


def _checked(searches: Searches) -> Searches:
    """Refuse searches that were not compared with their own identity and another one; warn of distances."""
    unlisted = np.flatnonzero(searches.own == -np.inf)
    if searches.fewest < 2 or unlisted.size:
        raise ValueError(
            "scores and nonmated_scores must be above -inf, which leaves a comparison out, for two or more identities"
            " of each row, and for the own identity of each mated search"
            + (f" ({unlisted.size} lack it, first row {unlisted[0]} of scores)" if unlisted.size else "")
        )
    ranks_among_compared(searches.mated, searches.labels)
    return searches


def search_weights(people: IntArray) -> FloatArray:
    """Weight of every search in a mean over people, each with the same weight however many searches they have."""
    return np.asarray(weights_of_labels(people) / (people.max() + 1))


def _names(labels: ArrayLike, name: str, size: int) -> NDArray[Any]:
    names = np.asarray(labels)
    if names.shape != (size,):
        raise ValueError(f"{name} must have shape ({size},), one entry for each, but has {names.shape}")
    if names.dtype.kind not in "buifUS":
        raise TypeError(f"{name} must hold numbers or names, not values of dtype {names.dtype}")
    return names
