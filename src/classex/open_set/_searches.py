"""Searches as they are given: scores, identities and several images of one identity, checked and brought together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_finite_array, as_scores

__all__ = ["Rates", "as_identities", "as_searches", "search_weights"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Rates:
    """A rate at every threshold, its standard error, and the largest number of trials that it can be worth."""

    value: FloatArray
    error: FloatArray
    most: FloatArray

    @classmethod
    def without_errors(cls, value: FloatArray) -> Self:
        """Rates alone."""
        unknown = np.full(value.shape, np.nan)
        return cls(value, unknown, unknown)


def as_searches(
    scores: ArrayLike, labels: ArrayLike, impostor_scores: ArrayLike, gallery_labels: ArrayLike | None
) -> tuple[FloatArray, ArrayLike, FloatArray]:
    """Return scores of mated probes, labels as columns, and scores of impostors, with one column for each identity.

    Raises
    ------
    ValueError
        If the matrices disagree, or a label is not among those of the gallery.
    """
    matrix = as_scores(scores).astype(np.float64)
    n = matrix.shape[1]
    impostors = as_finite_array(impostor_scores, "impostor_scores", ndim=2, dtype=np.float64)
    if impostors.shape[0] < 1 or impostors.shape[1] != n:
        raise ValueError(
            f"impostor_scores must have shape (n_impostors, {n}), one column per enrolled image, "
            f"but has {impostors.shape}"
        )
    if gallery_labels is None:
        return matrix, labels, impostors
    images = _names(gallery_labels, "gallery_labels", n)
    names, place = np.unique(images, return_inverse=True)
    if names.size < 2:
        raise ValueError("gallery_labels must name at least two identities, not 1")
    truth = _names(labels, "labels", matrix.shape[0])
    if truth.dtype.kind != names.dtype.kind and "U" in (truth.dtype.kind, names.dtype.kind):
        truth, names = truth.astype(str), names.astype(str)
        order = np.argsort(names)
        names, place = names[order], np.argsort(order)[place]
    column = np.minimum(np.searchsorted(names, truth), names.size - 1)
    if (names[column] != truth).any():
        at = int(np.argmax(names[column] != truth))
        raise ValueError(f"labels must be among the gallery_labels, but position {at} is {truth[at]}")
    return _best(matrix, place, names.size), column, _best(impostors, place, names.size)


def as_identities(labels: ArrayLike | None, n_rows: int) -> IntArray:
    """Return consecutive numbers of the people behind the rows, all different by default."""
    if labels is None:
        return np.arange(n_rows)
    return np.unique(_names(labels, "impostor_labels", n_rows), return_inverse=True)[1].astype(np.int64)


def search_weights(who: IntArray) -> FloatArray:
    """Share of every search in a mean over people, who weigh the same however many searches they have."""
    count = np.bincount(who)
    share: FloatArray = 1.0 / (count[who] * count.size)
    return share


def _names(labels: ArrayLike, name: str, size: int) -> NDArray[Any]:
    who = np.asarray(labels)
    if who.shape != (size,):
        raise ValueError(f"{name} must have shape ({size},), one entry for each, but has {who.shape}")
    if who.dtype.kind not in "buifUS":
        raise TypeError(f"{name} must hold numbers or names, not values of dtype {who.dtype}")
    return who


def _best(scores: FloatArray, place: IntArray, n_identities: int) -> FloatArray:
    """Best score of the images of each identity."""
    order = np.argsort(place, kind="stable")
    first = np.searchsorted(place[order], np.arange(n_identities))
    best: FloatArray = np.maximum.reduceat(scores[:, order], first, axis=1)
    return best
