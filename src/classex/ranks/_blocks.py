"""Blocks of approximate scores, each with a rigorous bound on its error.

The bounds are the standard ones (Higham 2002, section 3.1): a sum of n products, in any order, errs by at most
``n u / (1 - n u)`` times the sum of their sizes, and that sum is at most the product of the two norms. The
counts of operations below are rounded up, and 1.1 covers ``1 - n u`` and the rounding of the bound itself.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

from classex._kernels.ranks import fill_squared_distances

__all__ = ["BlockScores", "FewDimensions", "MatrixProduct", "SparseProduct", "largest_size"]


def largest_size(array: NDArray[Any]) -> float:
    """Largest absolute value, without a copy of the array."""
    return max(float(array.max(initial=0)), -float(array.min(initial=0)))


class BlockScores(Protocol):
    """Scores of test points against references, in blocks: ``block[row, column] - offset[column]``.

    They order the references of one test point as the metric does, but for an error of at most `bound`. The
    other methods take the test points as `points` prepared them. A block is valid until the next one is asked
    for: they share memory.
    """

    def points(self, rows: slice) -> Any:
        """Return some test points, prepared."""

    def block(self, points: Any, columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the products and the offsets of a block."""

    def own(self, points: Any, references: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the score of one reference for each point, within the same bound."""

    def bound(self, points: Any, own: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the largest error, for each point, of any score near `own`."""


class _Buffer:
    """One piece of memory for block after block: fresh pages for each would cost more than the products."""

    def __init__(self) -> None:
        self._memory: NDArray[Any] = np.empty(0)

    def take(self, n_rows: int, n_columns: int, dtype: Any) -> NDArray[Any]:
        """Return an uninitialised block."""
        if self._memory.size < n_rows * n_columns or self._memory.dtype != dtype:
            self._memory = np.empty(n_rows * n_columns, dtype=dtype)
        return self._memory[: n_rows * n_columns].reshape(n_rows, n_columns)


class MatrixProduct:
    """Dense embeddings by matrix products, in the precision of the input.

    The Euclidean score is (x - c).(r - c) - |r - c|^2/2, which orders references as minus the distance does;
    c, the mean reference, keeps the norms and with them the bound small.
    """

    def __init__(self, points: NDArray[Any], references: NDArray[Any], metric: str) -> None:
        self._points, self._references, self._metric = points, references, metric
        n_features = points.shape[1]
        largest = max(largest_size(points), largest_size(references))
        both_single = points.dtype == references.dtype == np.float32
        # products and sums of larger numbers could overflow in single precision
        self._dtype: Any = np.float32 if both_single and largest < 1e15 else np.float64
        precision = np.finfo(self._dtype)
        self._absolute = 4 * n_features * float(precision.tiny)
        self._centre: NDArray[Any] = np.zeros(n_features, dtype=self._dtype)
        if metric == "euclidean":
            self._centre = references.mean(axis=0, dtype=np.float64).astype(self._dtype)
        self._factor = 1.1 * (n_features + 12) * float(precision.eps) / 2
        self._buffer = _Buffer()
        self._radius = 1.0 if metric == "cosine" else self._largest_norm()

    def _largest_norm(self, step: int = 65_536) -> float:
        largest = 0.0
        for first in range(0, self._references.shape[0], step):
            part = self._references[first : first + step].astype(np.float64) - self._centre
            largest = max(largest, float(np.einsum("ij,ij->i", part, part).max()))
        return float(np.sqrt(largest))

    def _moved(self, array: NDArray[Any], rows: Any) -> NDArray[Any]:
        part: NDArray[Any] = array[rows].astype(self._dtype, copy=False)
        return np.subtract(part, self._centre) if self._metric == "euclidean" else part

    def _targets(self, rows: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """References as multiplied, and their offsets."""
        part = self._moved(self._references, rows)
        if self._metric == "inner_product":
            return part, np.zeros(part.shape[0])
        square = np.einsum("ij,ij->i", part, part, dtype=np.float64)
        if self._metric == "cosine":
            return (part / np.sqrt(square)[:, np.newaxis]).astype(self._dtype), np.zeros(part.shape[0])
        return part, square / 2

    def points(self, rows: slice) -> NDArray[Any]:
        return self._moved(self._points, rows)

    def block(self, points: NDArray[Any], columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        target, offset = self._targets(columns)
        out = self._buffer.take(points.shape[0], target.shape[0], self._dtype)
        return np.matmul(points, target.T, out=out), offset.astype(self._dtype)

    def own(self, points: NDArray[Any], references: NDArray[np.int64]) -> NDArray[np.float64]:
        target, offset = self._targets(references)
        score: NDArray[np.float64] = np.einsum("ij,ij->i", points, target, dtype=np.float64)
        return score - offset

    def bound(self, points: NDArray[Any], own: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG002 - protocol
        norm = np.sqrt(np.einsum("ij,ij->i", points, points, dtype=np.float64))
        size = norm * self._radius + (self._radius**2 if self._metric == "euclidean" else 0.0)
        return np.asarray(self._factor * size + self._absolute)


class FewDimensions:
    """Minus the squared Euclidean distance by direct differences, in double precision: the best for few features.

    A sum of squares errs relatively, so the bound near the own score is relative to it.
    """

    def __init__(self, points: NDArray[Any], references: NDArray[Any]) -> None:
        self._points, self._references = points, references
        self._factor = 1.1 * (points.shape[1] + 4) * 2.0**-53
        self._buffer = _Buffer()

    def points(self, rows: slice) -> NDArray[np.float64]:
        return np.asarray(self._points[rows], dtype=np.float64)

    def block(self, points: NDArray[np.float64], columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        features = np.ascontiguousarray(self._references[columns].T, dtype=np.float64)
        out = self._buffer.take(points.shape[0], features.shape[1], np.float64)
        fill_squared_distances(points, features, out)
        return out, np.zeros(features.shape[1])

    def own(self, points: NDArray[np.float64], references: NDArray[np.int64]) -> NDArray[np.float64]:
        difference = points - self._references[references]
        score: NDArray[np.float64] = -np.einsum("ij,ij->i", difference, difference)
        return score

    def bound(self, points: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG002
        return np.asarray(2 * self._factor * np.abs(own) + 1e-300)


class SparseProduct:
    """Inner products or cosines of scipy.sparse rows, in double precision.

    Where nothing is negative the error is relative to the score, and scores of zero are exact.
    """

    def __init__(self, points: Any, references: Any, metric: str) -> None:
        norm = linalg.norm(references, axis=1) if metric == "cosine" else np.ones(references.shape[0])
        self._points = points
        self._target = sparse.csr_array(references.multiply(1 / norm[:, np.newaxis]))
        most = int(np.diff(points.indptr).max(initial=0))
        self._factor = 1.1 * (most + references.shape[1] + 12) * 2.0**-53
        self._positive = not ((points.data < 0).any() or (references.data < 0).any())
        self._radius = float(linalg.norm(self._target, axis=1).max())

    def points(self, rows: slice) -> Any:
        return self._points[rows]

    def block(self, points: Any, columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        target = self._target[columns]
        return (points @ target.T).toarray(), np.zeros(target.shape[0])

    def own(self, points: Any, references: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(points.multiply(self._target[references]).sum(axis=1), dtype=np.float64).ravel()

    def bound(self, points: Any, own: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._positive:
            return np.asarray(2 * self._factor * own)
        return np.asarray(self._factor * linalg.norm(points, axis=1) * self._radius)
