"""Blocks of approximate scores, each with a rigorous bound on its error.

The bounds are the standard ones (Higham 2002, section 3.1): a sum of n products, in any order, errs by at most
``n u / (1 - n u)`` times the sum of their sizes, and that sum is at most the product of the two norms. The
counts of operations below are rounded up, and 1.1 covers ``1 - n u`` and the rounding of the bound itself.
"""

from __future__ import annotations

import threading
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

from classex._kernels.ranks import fill_squared_distances

__all__ = ["LARGEST_SINGLE", "BlockScores", "FewDimensions", "MatrixProduct", "SparseProduct"]

#: products and sums of larger numbers could overflow in single precision
LARGEST_SINGLE = 1e15
_CACHE_LINE = 64
_GATHERED = 2**20


class BlockScores(Protocol):
    """Scores of test points against references, in blocks: ``block[row, column] - offset[column]``.

    They order the references of one test point as the metric does, but for errors that the band allows for. The
    other methods take the test points as `points` prepared them. A block is valid until the same thread asks for
    the next one: they share memory.
    """

    def points(self, rows: Any) -> Any:
        """Return some test points, prepared."""

    def block(self, points: Any, columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the products and the offsets of a block."""

    def own(self, points: Any, references: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the score of one reference for each point, within the same error."""

    def band(self, points: Any, own: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return two scores for each point: what the block gives below (above) is surely below (above) `own`."""


class _Buffer(threading.local):
    """One piece of memory of each thread for block after block: fresh pages would cost more than the products."""

    def __init__(self) -> None:
        self._memory: dict[str, NDArray[np.uint8]] = {}

    def take(self, use: str, n_rows: int, n_columns: int, dtype: Any) -> NDArray[Any]:
        """Return an uninitialised block, which begins with a line of the cache."""
        size = n_rows * n_columns * np.dtype(dtype).itemsize
        if use not in self._memory or self._memory[use].size < size + _CACHE_LINE:
            self._memory[use] = np.empty(size + _CACHE_LINE, dtype=np.uint8)
        memory = self._memory[use]
        first = -memory.ctypes.data % _CACHE_LINE
        block: NDArray[Any] = memory[first : first + size].view(dtype).reshape(n_rows, n_columns)
        return block


class _Centred:
    """Test points and references less the mean reference, rounded once to the precision of the blocks."""

    def __init__(self, points: NDArray[Any], references: NDArray[Any], dtype: Any, *, move: bool) -> None:
        self._points, self._references, self._dtype = points, references, np.dtype(dtype)
        self._centre: NDArray[Any] = np.zeros(0)
        if move:
            self._centre = references.mean(axis=0, dtype=np.float64).astype(dtype)

    def points(self, rows: Any) -> NDArray[Any]:
        return self._moved(self._points[rows])

    def references(self, rows: Any) -> NDArray[Any]:
        return self._moved(self._references[rows])

    def _moved(self, part: NDArray[Any]) -> NDArray[Any]:
        if self._centre.size:
            # in the wider of the two precisions: the difference itself is rounded, not what it is taken of
            part = np.subtract(part, self._centre)
        return np.ascontiguousarray(part, dtype=self._dtype)

    def largest_norm(self) -> float:
        """Largest norm of a moved reference."""
        largest = 0.0
        step = max(1, _GATHERED // self._references.shape[1])
        for first in range(0, self._references.shape[0], step):
            part = self.references(slice(first, first + step))
            largest = max(largest, float(np.einsum("ij,ij->i", part, part, dtype=np.float64).max()))
        return float(np.sqrt(largest))


class MatrixProduct:
    """Dense embeddings by matrix products, in single or double precision.

    The Euclidean score is (x - c).(r - c) - |r - c|^2/2, which orders references as minus the distance does;
    c, the mean reference, keeps the norms and with them the band small.
    """

    def __init__(self, points: NDArray[Any], references: NDArray[Any], metric: str, dtype: Any) -> None:
        self._metric, self._dtype = metric, np.dtype(dtype)
        self._inputs = _Centred(points, references, dtype, move=metric == "euclidean")
        precision = np.finfo(self._dtype)
        n_features = points.shape[1]
        self._absolute = 4 * n_features * float(precision.tiny)
        self._factor = 1.1 * (n_features + 12) * float(precision.eps) / 2
        self._buffer = _Buffer()
        self._radius = 1.0 if metric == "cosine" else self._inputs.largest_norm()
        self.points = self._inputs.points

    def _targets(self, rows: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """References as multiplied, and their offsets."""
        part = self._inputs.references(rows)
        if self._metric == "inner_product":
            return part, np.zeros(part.shape[0])
        square = np.einsum("ij,ij->i", part, part, dtype=np.float64)
        if self._metric == "cosine":
            return (part / np.sqrt(square)[:, np.newaxis]).astype(self._dtype), np.zeros(part.shape[0])
        return part, square / 2

    def block(self, points: NDArray[Any], columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        target, offset = self._targets(columns)
        out = self._buffer.take("block", points.shape[0], target.shape[0], self._dtype)
        return np.matmul(points, target.T, out=out), offset.astype(self._dtype)

    def own(self, points: NDArray[Any], references: NDArray[np.int64]) -> NDArray[np.float64]:
        target, offset = self._targets(references)
        score: NDArray[np.float64] = np.einsum("ij,ij->i", points, target, dtype=np.float64)
        return score - offset

    def band(self, points: NDArray[Any], own: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        norm = np.sqrt(np.einsum("ij,ij->i", points, points, dtype=np.float64))
        size = norm * self._radius + (self._radius**2 if self._metric == "euclidean" else 0.0)
        # both scores of a comparison may err
        width = 2 * (self._factor * size + self._absolute)
        return own - width, own + width


class FewDimensions:
    """Minus the squared Euclidean distance by direct differences: the best for few features.

    With unit roundoff u, and the moved point and reference each rounded once, the root of a computed square errs
    by at most ``(n + 8) u`` times the distance D plus ``u (|x| + |r|) <= u (2 |x| + D)``: a reference far away
    does not widen the band.
    """

    def __init__(self, points: NDArray[Any], references: NDArray[Any], dtype: Any) -> None:
        self._dtype = np.dtype(dtype)
        exact = self._dtype == np.float64
        self._inputs = _Centred(points, references, dtype, move=not exact)
        precision = np.finfo(self._dtype)
        unit = float(precision.eps) / 2
        self._relative = 1.1 * (points.shape[1] + 8) * unit
        self._rounding = 0.0 if exact else 2.2 * unit
        # squares may underflow, each by the smallest number
        self._absolute = 2 * np.sqrt(2 * points.shape[1] * float(precision.tiny))
        self._raw = (points, references)
        self._buffer = _Buffer()

    def points(self, rows: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        return self._inputs.points(rows), self._raw[0][rows].astype(np.float64, copy=False)

    def block(self, points: tuple[NDArray[Any], Any], columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        moved = self._inputs.references(columns)
        # whole lines of the cache, so that every row begins with one
        line = _CACHE_LINE // self._dtype.itemsize
        width = -(-moved.shape[0] // line) * line
        features = self._buffer.take("features", moved.shape[1], width, self._dtype)
        features[:, : moved.shape[0]] = moved.T
        features[:, moved.shape[0] :] = 0
        out = self._buffer.take("block", points[0].shape[0], width, self._dtype)
        fill_squared_distances(points[0], features, out)
        return out[:, : moved.shape[0]], np.zeros(moved.shape[0], dtype=self._dtype)

    def own(self, points: tuple[Any, NDArray[np.float64]], references: NDArray[np.int64]) -> NDArray[np.float64]:
        difference = points[1] - self._raw[1][references]
        score: NDArray[np.float64] = -np.einsum("ij,ij->i", difference, difference)
        return score

    def band(
        self, points: tuple[NDArray[Any], Any], own: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        distance = np.sqrt(-own)
        norm = np.sqrt(np.einsum("ij,ij->i", points[0], points[0], dtype=np.float64))
        width = self._relative * distance + self._rounding * norm + self._absolute
        return -np.square(distance + width), -np.square(np.maximum(distance - width, 0.0))


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

    def points(self, rows: Any) -> Any:
        return self._points[rows]

    def block(self, points: Any, columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        target = self._target[columns]
        return (points @ target.T).toarray(), np.zeros(target.shape[0])

    def own(self, points: Any, references: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(points.multiply(self._target[references]).sum(axis=1), dtype=np.float64).ravel()

    def band(self, points: Any, own: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        norm = 2 * own if self._positive else linalg.norm(points, axis=1) * self._radius
        width = 2 * self._factor * norm
        return own - width, own + width
