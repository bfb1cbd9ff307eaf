"""Mated and non-mated searches, checked once, with one column for each enrolled identity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_finite_array, as_scores
from classex.ranks import correct_ranks
from classex.ranks.weights import weights_of_labels

__all__ = ["Searches", "as_searches", "search_weights"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Searches:
    """Scores against all enrolled identities, columns of the mated searches' own, people of the non-mated searches."""

    mated: FloatArray
    labels: IntArray
    nonmated: FloatArray
    people: IntArray

    @property
    def own(self) -> FloatArray:
        """Score of each mated search for its own identity."""
        own: FloatArray = self.mated[np.arange(self.labels.size), self.labels]
        return own


def as_searches(
    scores: ArrayLike,
    labels: ArrayLike,
    nonmated_scores: ArrayLike,
    nonmated_labels: ArrayLike | None,
    enrolled_labels: ArrayLike | None,
) -> Searches:
    """Check the arguments of the functions of this package; several samples of one identity become one column."""
    mated = as_scores(scores).astype(np.float64)
    m, n = mated.shape
    nonmated = as_finite_array(nonmated_scores, "nonmated_scores", ndim=2, dtype=np.float64)
    if nonmated.shape[0] < 1:
        raise ValueError("nonmated_scores must hold at least one search, but have no rows")
    if nonmated.shape[1] != n:
        raise ValueError(
            f"nonmated_scores must have shape (n_searches, {n}), one column per enrolled sample, "
            f"but has {nonmated.shape}"
        )
    people = np.arange(nonmated.shape[0])
    if nonmated_labels is not None:
        people = np.unique(_names(nonmated_labels, "nonmated_labels", people.size), return_inverse=True)[1]
    if enrolled_labels is None:
        return Searches(mated, correct_ranks(mated, labels).labels, nonmated, people)
    samples, searched = _names(enrolled_labels, "enrolled_labels", n), _names(labels, "labels", m)
    if "U" in (samples.dtype.kind, searched.dtype.kind):
        samples, searched = samples.astype(str), searched.astype(str)
    enrolled, column = np.unique(samples, return_inverse=True)
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
    return Searches(mated, correct_ranks(mated, truth).labels, nonmated, people)


def search_weights(people: IntArray) -> FloatArray:
    """Weight of every search in a mean over people, each with the same weight however many searches they have."""
    weights: FloatArray = weights_of_labels(people) / (people.max() + 1)
    return weights


def _names(labels: ArrayLike, name: str, size: int) -> NDArray[Any]:
    names = np.asarray(labels)
    if names.shape != (size,):
        raise ValueError(f"{name} must have shape ({size},), one entry for each, but has {names.shape}")
    if names.dtype.kind not in "buifUS":
        raise TypeError(f"{name} must hold numbers or names, not values of dtype {names.dtype}")
    return names
