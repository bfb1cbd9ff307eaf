"""Three classifiers that compare a test point with stored examples, and score every class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from classex._checks import as_finite_array, as_labels, as_probability
from classex._optional import needed_for
from classex._types import FloatArray

__all__ = ["NearestCentroidScorer", "NearestNeighbourScorer", "NeighbourCountScorer"]


@dataclass
class _Stored:
    """Training points ordered by class, the class of each, and where each class begins."""

    points: FloatArray = field(init=False, repr=False)
    labels: NDArray[np.int64] = field(init=False, repr=False)
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
        self.points, self.labels = points[order], labels[order]
        self.starts = np.searchsorted(self.labels, self.classes_)
        return self

    @property
    def classes_(self) -> NDArray[np.int64]:
        """The classes, 0..k-1."""
        return np.arange(self.labels[-1] + 1)


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
        with needed_for("this classifier"):
            from sklearn.metrics import pairwise_distances_chunked
        points = as_finite_array(X, "X", ndim=2, dtype=np.float64)
        closest = pairwise_distances_chunked(
            points, self.points, reduce_func=lambda block, _: np.minimum.reduceat(block, self.starts, axis=1)
        )
        return np.asarray(-np.concatenate(list(closest)))


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
        means = np.add.reduceat(self.points, self.starts, axis=0) / np.bincount(self.labels)[:, np.newaxis]
        distance: FloatArray = cdist(as_finite_array(X, "X", ndim=2, dtype=np.float64), means)
        return -distance


@dataclass
class NeighbourCountScorer(_Stored):
    """Nearest neighbours with a fixed share of the training points: a class scores its points among them.

    Not marginal: all classes decide which points are among the nearest. Most scores are zero, so ties abound;
    `classex.correct_ranks` counts them in expectation over random tie-breaking.

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
        with needed_for("this classifier"):
            from sklearn.neighbors import KNeighborsClassifier
        near = max(1, round(as_probability(self.fraction, "fraction") * self.labels.size))
        nearest = KNeighborsClassifier(near, algorithm="brute").fit(self.points, self.labels)
        return np.asarray(np.rint(near * nearest.predict_proba(as_finite_array(X, "X", ndim=2, dtype=np.float64))))
