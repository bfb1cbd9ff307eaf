"""Embeddings as they are given: arrays, classes, references that are twins."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._checks import as_finite_array, as_labels, as_plain_array, as_positive_int, by_name, is_frame
from classex._loops.ranks import best_of_classes
from classex._types import IntArray
from classex.ranks.scores import labels_by_name

__all__ = ["ClassesOfReferences", "references_excluded"]


METRICS = ("euclidean", "inner_product", "cosine")
# products of larger numbers overflow
_LARGEST = 1e140


def largest_size(array: Any) -> float:
    """Largest absolute value, without a copy of the array."""
    values = array.data if sparse.issparse(array) else array
    return max(float(values.max(initial=0)), -float(values.min(initial=0)))


def as_embeddings(value: Any, name: str) -> Any:
    """Return finite embeddings as an array, or sparse ones as CSR in double precision without stored zeros."""
    if sparse.issparse(value):
        matrix = sparse.csr_array(value)
        as_finite_array(matrix.data, f"the stored entries of {name}", ndim=1)
        matrix = matrix.astype(np.float64)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    else:
        matrix = as_finite_array(value, name, ndim=2)
    if matrix.shape[0] == 0 or matrix.shape[1] == 0:
        raise ValueError(f"{name} must have rows and columns, but its shape is {matrix.shape}")
    largest = largest_size(matrix)
    if largest > _LARGEST:
        raise ValueError(f"{name} must hold numbers of size at most {_LARGEST:g}, not {largest}")
    return matrix


def as_reference_labels(value: ArrayLike | None, n_references: int) -> tuple[NDArray[np.int64] | None, int]:
    """Return the checked class of each reference (None: its own) and the number of classes."""
    if value is None:
        return None, as_positive_int(n_references, "the number of references", minimum=2)
    raw = as_plain_array(value, "reference_labels")
    count = int(raw.max()) + 1 if raw.size and raw.dtype.kind in "iu" else 1
    owner = as_labels(raw, n_references, max(count, 1), "reference_labels")
    return owner, as_positive_int(int(owner.max()) + 1, "the number of classes in reference_labels", minimum=2)


def numbered_labels(
    labels: ArrayLike, reference_labels: ArrayLike | None, classes: ArrayLike | None
) -> tuple[ArrayLike, ArrayLike | None]:
    """Return labels of test points and references as numbers of classes, where they are names."""
    names: Any = classes
    if names is None and reference_labels is not None:
        owners = as_plain_array(reference_labels, "reference_labels")
        if owners.ndim == 1 and (owners.dtype.kind == "U" or all(isinstance(owner, str) for owner in owners.tolist())):
            names = np.unique(owners.astype(str)) if owners.size else None
    if names is None:
        if reference_labels is None and as_plain_array(labels, "labels").dtype.kind in "OUS":
            raise TypeError("labels must hold integers, or names with the names of the references as reference_labels=")
        return labels, reference_labels
    owner = None if reference_labels is None else labels_by_name(reference_labels, names, "reference_labels")
    return labels_by_name(labels, names), owner


def check_pair(test: Any, references: Any, metric: Any) -> None:
    """Check that test points and references can be compared in this metric."""
    if test.shape[1] != references.shape[1]:
        raise ValueError(
            f"test and references must have the same number of columns, but have {test.shape[1]}"
            f" and {references.shape[1]}"
        )
    if callable(metric):
        return
    if sparse.issparse(test) != sparse.issparse(references):
        raise ValueError("test and references must be both sparse or both dense")
    if sparse.issparse(test) and metric == "euclidean":
        raise ValueError("metric must be 'inner_product' or 'cosine' for sparse input, not 'euclidean'")
    for name, array in (("test", test), ("references", references)) if metric == "cosine" else ():
        filled = np.diff(array.indptr) > 0 if sparse.issparse(array) else array.any(axis=1)
        if not filled.all():
            raise ValueError(f"{name} must have no zero row with metric='cosine', but row {int(np.argmin(filled))} is")


def checked_embeddings(
    test: Any, references: Any, labels: ArrayLike, reference_labels: ArrayLike | None, classes: Any, metric: Any
) -> tuple[Any, Any, IntArray, IntArray | None, int]:
    """Return checked test points, references, the classes of both, and the number of classes."""
    labels, reference_labels = numbered_labels(labels, reference_labels, classes)
    if is_frame(test):
        references = by_name(references, test.columns, "references")
    points, exemplars = as_embeddings(test, "test"), as_embeddings(references, "references")
    check_pair(points, exemplars, metric)
    owner, n_classes = as_reference_labels(reference_labels, exemplars.shape[0])
    return points, exemplars, as_labels(labels, points.shape[0], n_classes, every_class=False), owner, n_classes


def class_means(exemplars: Any, owner: NDArray[np.int64]) -> Any:
    """Mean reference of each class, in double precision."""
    share = 1.0 / np.bincount(owner)[owner]
    return sparse.csr_array((share, (owner, np.arange(owner.size)))) @ exemplars


class ClassesOfReferences:
    """Which references are of which class.

    Parameters
    ----------
    owner : ndarray of shape (n_references,) or None
        Class of each reference, every class present; None gives each reference a class of its own.
    n_references : int
        Number of references.
    n_counted : int, optional
        Number of classes, the first ones, that test points are compared with; by default all.
    first_group : int
        Group of class 0 in the counts.
    """

    def __init__(
        self,
        owner: NDArray[np.int64] | None,
        n_references: int,
        n_counted: int | None = None,
        first_group: int = 0,
    ) -> None:
        self.owner, self.single = owner, owner is None
        self.n_classes = n_references if owner is None else int(owner.max()) + 1
        self.n_counted = self.n_classes if n_counted is None else n_counted
        self.first_group = first_group
        # class c owns order[starts[c]:starts[c + 1]]
        self._order = self._starts = np.arange(n_references + 1)
        if owner is not None:
            self._order = np.argsort(owner, kind="stable")
            self._starts = np.searchsorted(owner[self._order], np.arange(self.n_classes + 1))
        #: most references of a class
        self.most = int(np.diff(self._starts).max())

    def count(self, classes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of references of each entry of `classes`."""
        return np.asarray(self._starts[classes + 1] - self._starts[classes])

    def member(self, classes: NDArray[np.int64], position: NDArray[np.int64] | int) -> NDArray[np.int64]:
        """Return the reference at a position within each entry of `classes`."""
        return np.asarray(self._order[self._starts[classes] + position])

    def members(self, classes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all references of each entry of `classes`, after the entry each belongs to."""
        count = self.count(classes)
        entry = np.repeat(np.arange(classes.size), count)
        within = np.arange(entry.size) - np.repeat(np.cumsum(count) - count, count)
        return entry, self.member(classes[entry], within)

    def blocks(self, most: int) -> Iterator[tuple[int, int]]:
        """Ranges of the counted classes with at most `most` references (one class may have more)."""
        first = 0
        while first < self.n_counted:
            last = int(np.searchsorted(self._starts, self._starts[first] + most, side="right")) - 1
            last = min(max(last, first + 1), self.n_counted)
            yield first, last
            first = last

    def references(self, first: int, last: int) -> Any:
        """Return what picks the references of a range of classes, class after class: a slice where it can."""
        chosen = self._order[self._starts[first] : self._starts[last]]
        if (np.diff(chosen) == 1).all():
            return slice(int(chosen[0]), int(chosen[-1]) + 1)
        return chosen

    def best(self, scores: NDArray[Any], offset: NDArray[Any], first: int, last: int, cells: float) -> NDArray[Any]:
        """Return the best ``scores - offset`` of each class, from those of `references`; `cells` as in the loops."""
        best = np.empty((scores.shape[0], last - first), dtype=scores.dtype)
        best_of_classes(scores, offset, self._starts[first : last + 1] - self._starts[first], best, cells=cells)
        return best


# Numbers of a piece of the rows, 8 MB; and any seed of the multipliers
_PIECE, _SEED = 2**20, 0


def references_excluded(
    points: Any, references: Any, labels: IntArray, owner: IntArray | None, *, exclude: bool, first: int = 0
) -> IntArray:
    """Reference that each test point leaves out, the first of its class with the same numbers; -1 without `exclude`.

    Rows of test points are numbered from `first`.

    Raises
    ------
    ValueError
        If a point is to be excluded that has no such reference, or whose class has no other one.

    Warns
    -----
    UserWarning
        If points are not excluded that have such a reference, in a class with others.
    """
    none = np.full(labels.size, -1)
    if owner is None:
        if exclude:
            raise ValueError("exclude_self needs classes with several references, whose classes are reference_labels")
        return none
    twin = _twins(points, references, labels, owner)
    alone = np.bincount(owner)[labels] == 1
    if not exclude:
        if n_equal := np.count_nonzero((twin >= 0) & ~alone):
            warnings.warn(
                f"{n_equal:,} of {twin.size:,} test points equal a reference of their own class, which they always"
                " match: if the references contain the test points, give exclude_self=True",
                UserWarning,
                stacklevel=3,
            )
        return none
    for bad, why in ((twin < 0, "equals no reference of its class"), (alone, "is the only reference of its class")):
        if bad.any():
            row = first + int(bad.argmax())
            raise ValueError(f"exclude_self needs test points among the references, but row {row} {why}")
    return twin


def _twins(points: Any, references: Any, labels: IntArray, owner: IntArray) -> IntArray:
    """Return the first reference of its class that equals each point, or -1."""
    number = np.unique(np.concatenate([_marks(references), _marks(points)]), return_inverse=True)[1]
    code = number * (int(owner.max()) + 1) + np.concatenate([owner, labels])
    known, first = np.unique(code[: owner.size], return_index=True)
    position = np.minimum(np.searchsorted(known, code[owner.size :]), known.size - 1)
    return np.where(known[position] == code[owner.size :], first[position], -1).astype(np.int64)


def _marks(rows: Any) -> NDArray[np.uint64]:
    """Return a number for each row: equal rows share one, and others do with a chance below 2^-40."""
    multipliers = np.random.default_rng(_SEED).integers(2**64, size=rows.shape[1], dtype=np.uint64) | np.uint64(1)
    out = np.empty(rows.shape[0], dtype=np.uint64)
    step = max(1, _PIECE // rows.shape[1])
    for first in range(0, out.size, step):
        piece = rows[first : first + step]
        dense = piece.toarray() if sparse.issparse(piece) else piece
        # adding 0 makes -0 and 0 alike
        bits = np.ascontiguousarray(dense, dtype=np.float64) + 0.0
        word = bits.view(np.uint64)
        out[first : first + step] = ((word ^ (word >> np.uint64(32))) * multipliers).sum(axis=1, dtype=np.uint64)
    return out
