"""References brought together by class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._kernels.ranks import best_of_classes

__all__ = ["ClassesOfReferences"]


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
        #: most references of a class
        self.most = 1
        # class c owns order[starts[c]:starts[c + 1]]; single references need neither
        self._order = self._starts = np.empty(0, dtype=np.int64)
        if owner is not None:
            self._order = np.argsort(owner, kind="stable")
            self._starts = np.searchsorted(owner[self._order], np.arange(self.n_classes + 1))
            self.most = int(np.diff(self._starts).max())

    def count(self, classes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of references of each entry of `classes`."""
        if self.single:
            return np.ones(classes.size, dtype=np.int64)
        return np.asarray(self._starts[classes + 1] - self._starts[classes])

    def member(self, classes: NDArray[np.int64], position: NDArray[np.int64] | int) -> NDArray[np.int64]:
        """Return the reference at a position within each entry of `classes`."""
        if self.single:
            return classes
        return np.asarray(self._order[self._starts[classes] + position])

    def members(self, classes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all references of each entry of `classes`, after the entry each belongs to."""
        if self.single:
            return np.arange(classes.size), classes
        count = self.count(classes)
        entry = np.repeat(np.arange(classes.size), count)
        within = np.arange(entry.size) - np.repeat(np.cumsum(count) - count, count)
        return entry, self.member(classes[entry], within)

    def blocks(self, most: int) -> Iterator[tuple[int, int]]:
        """Ranges of the counted classes with at most `most` references (one class may have more)."""
        first = 0
        while first < self.n_counted:
            last = first + most
            if not self.single:
                last = int(np.searchsorted(self._starts, self._starts[first] + most, side="right")) - 1
            last = min(max(last, first + 1), self.n_counted)
            yield first, last
            first = last

    def references(self, first: int, last: int) -> Any:
        """Return what picks the references of a range of classes, class after class: a slice where it can."""
        if self.single:
            return slice(first, last)
        chosen = self._order[self._starts[first] : self._starts[last]]
        if (np.diff(chosen) == 1).all():
            return slice(int(chosen[0]), int(chosen[-1]) + 1)
        return chosen

    def best(self, scores: NDArray[Any], offset: NDArray[Any], first: int, last: int) -> NDArray[Any]:
        """Return the best ``scores - offset`` of each class, from those of `references`."""
        best = np.empty((scores.shape[0], last - first), dtype=scores.dtype)
        best_of_classes(scores, offset, self._starts[first : last + 1] - self._starts[first], best)
        return best
