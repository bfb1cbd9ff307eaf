"""Three classifiers that compare a test point with stored examples, and score every class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_finite_array, as_labels, as_probability

__all__ = ["NearestCentroidScorer", "NearestNeighbourScorer", "NeighbourCountScorer"]

FloatArray = NDArray[np.float64]

_BLOCK_ENTRIES = 4_000_000  # distances held at a time (32 MB)


@dataclass
class _Stored:
    """Training points ordered by class, and where each class begins."""

    points: FloatArray = field(init=False, repr=False)
    starts: NDArray[np.int64] = field(init=False, repr=False)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Any:
        """Store the training points X (n, d) with their classes y, all of 0..k-1 present.

        Raises
        ------
        TypeError, ValueError
            If `X` is not a finite (n, d) array, or `y` does not name every class from 0 to its largest value.
        """
        points = as_finite_array(X, "X", ndim=2, dtype=np.float64)
        classes = np.asarray(y)
        count = int(classes.max()) + 1 if classes.size and np.issubdtype(classes.dtype, np.number) else 1
        labels = as_labels(classes, points.shape[0], count, "y")
        order = np.argsort(labels, kind="stable")
        self.points = points[order]
        self.starts = np.searchsorted(labels[order], np.arange(labels[order[-1]] + 1))
        return self

    @property
    def classes_(self) -> NDArray[np.int64]:
        """The classes, 0..k-1."""
        return np.arange(self.starts.size)

    def _squared_distances(self, X: ArrayLike, references: FloatArray) -> Iterator[FloatArray]:
        """Yield squared distances of the rows of X from the references, some rows at a time."""
        points = as_finite_array(X, "X", ndim=2, dtype=np.float64)
        squares = np.einsum("ij,ij->i", references, references)
        step = max(1, _BLOCK_ENTRIES // references.shape[0])
        for start in range(0, points.shape[0], step):
            block = points[start : start + step]
            distances = block @ references.T
            distances *= -2
            distances += squares
            distances += np.einsum("ij,ij->i", block, block)[:, None]
            yield np.maximum(distances, 0, out=distances)


@dataclass
class NearestNeighbourScorer(_Stored):
    """One nearest neighbour: the score of a class is minus the distance to its closest training point.

    Marginal: a class's score depends on that class's training points only.

    Examples
    --------
    >>> NearestNeighbourScorer().fit(
    ...     [[0.0], [1.0], [5.0]], [0, 0, 1]
    ... ).decision_function([[2.0]]).tolist()
    [[-1.0, -3.0]]
    """

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return minus the Euclidean distance from each row of X to the closest point of each class, (n, k)."""
        blocks = [np.minimum.reduceat(d, self.starts, axis=1) for d in self._squared_distances(X, self.points)]
        closest: FloatArray = np.sqrt(np.concatenate(blocks))
        return -closest


@dataclass
class NearestCentroidScorer(_Stored):
    """Nearest centroid: the score of a class is minus the distance to the mean of its training points.

    Marginal: a class's score depends on that class's training points only.

    Examples
    --------
    >>> NearestCentroidScorer().fit(
    ...     [[0.0], [1.0], [5.0]], [0, 0, 1]
    ... ).decision_function([[2.0]]).tolist()
    [[-1.5, -3.0]]
    """

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return minus the Euclidean distance from each row of X to the mean of each class, (n, k)."""
        counts = np.diff(np.append(self.starts, self.points.shape[0]))
        means = np.add.reduceat(self.points, self.starts, axis=0) / counts[:, None]
        distances: FloatArray = np.sqrt(np.concatenate(list(self._squared_distances(X, means))))
        return -distances


@dataclass
class NeighbourCountScorer(_Stored):
    """Nearest neighbours with a fixed share of the training points: a class scores its points among them.

    Not marginal: which points are among the nearest depends on all classes. Most scores are equal (zero), so ties
    abound; `classex.correct_ranks` counts them in expectation over random tie-breaking.

    Parameters
    ----------
    fraction : float
        Share of the n training points that count as near: the round(fraction n) nearest, at least one.

    Notes
    -----
    The "epsilon-nearest neighbours" of the April 2017 draft, Table 1: there epsilon = .002 is the share, so that
    20 classes of 50 points use 2 neighbours and 400 classes use 40.

    Examples
    --------
    >>> scorer = NeighbourCountScorer(fraction=0.5).fit(
    ...     [[0.0], [1.0], [3.0], [9.0]], [0, 0, 1, 1]
    ... )
    >>> scorer.decision_function([[2.2]]).tolist()
    [[1.0, 1.0]]
    """

    fraction: float = 0.002

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return how many of the nearest training points belong to each class, (n, k)."""
        share = as_probability(self.fraction, "fraction")
        near = max(1, round(share * self.points.shape[0]))
        counts = np.diff(np.append(self.starts, self.points.shape[0]))
        owner = np.repeat(np.arange(self.starts.size), counts)
        blocks = []
        for distances in self._squared_distances(X, self.points):
            nearest = np.argpartition(distances, near - 1, axis=1)[:, :near]
            block = np.zeros((nearest.shape[0], self.starts.size))
            np.add.at(block, (np.arange(nearest.shape[0])[:, None], owner[nearest]), 1.0)
            blocks.append(block)
        return np.concatenate(blocks)
