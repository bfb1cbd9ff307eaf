"""Blocks of approximate scores, each with a rigorous bound on its error.

The bounds are the standard ones (Higham 2002, section 3.1): a sum of n products, in any order, errs by at most
``n u / (1 - n u)`` times the sum of their sizes, and that sum is at most the product of the two norms. The
counts of operations below are rounded up, and 1.1 covers ``1 - n u`` and the rounding of the bound itself.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

from classex._loops import compiled_products, numba_for
from classex._loops.ranks import fill_sparse_products, fill_squared_distances
from classex.ranks.inputs import ClassesOfReferences
from classex.ranks.scores import Doubtful, Truth, count_with_band

__all__ = ["FEW", "LARGEST_SINGLE", "BlockScores", "FewDimensions", "MatrixProduct", "SparseProduct"]


#: products and sums of larger numbers could overflow in single precision
LARGEST_SINGLE = 1e15
#: features up to which products are compared as they are made: beyond, BLAS is faster (measured by `benchmarks/speed`)
FEW = 96
#: rows and columns of a block, a few megabytes of scores; differences take half as many columns
ROWS, COLUMNS = 1024, 1024
#: most numbers in the points or references of a block, and fewest rows and columns all the same
_BLOCK_FEATURES, _FEWEST = 2**21, 32
#: numbers in the references of a block whose products are compared as they are made
TILED_FEATURES = 2**18
# few blocks: between them Python's lock makes threads wait for each other
TILED_ROWS = 2560
#: scores in a block of sparse points, which all references enter if they fit
SPARSE_SCORES = 2**19
# bytes of a line of the processor's cache
_CACHE_LINE = 64
# numbers of the references whose norms are computed at a time
_GATHERED = 2**20
# moving references costs a pass over them, so norms must shrink by more than this factor
_MUCH_LARGER = 1.5
# pairs in doubt that a block seldom exceeds; if it does, they are listed again
_LISTED = 4096
Tiles = tuple[NDArray[np.float32], NDArray[np.float32]]


class BlockScores:
    """Scores of test points against references, in blocks: ``block[row, column] - offset[column]``.

    They order the references of one test point as the metric does, except for errors that the band allows for. The
    other methods take the test points as `points` prepared them. A block is valid until the same thread computes
    the next one: they share memory.
    """

    def __init__(self, points: Any, references: Any, dtype: Any) -> None:
        self._points, self._references, self.dtype = points, references, np.dtype(dtype)
        self._buffer = _Buffer()
        #: comparisons of all blocks
        self.cells = float(points.shape[0]) * references.shape[0]
        most = max(_FEWEST, _BLOCK_FEATURES // points.shape[1])
        self.n_rows, self.n_columns = min(ROWS, most), min(COLUMNS, most)

    def points(self, rows: Any) -> Any:
        """Return some test points, prepared."""
        return self._points[rows]

    def block(self, points: Any, columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the products and the offsets of a block."""
        raise NotImplementedError

    def own(self, points: Any, references: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the score of one reference for each point, within the same error."""
        raise NotImplementedError

    def band(self, points: Any, own: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return two scores for each point: what the block gives below (above) is surely below (above) `own`."""
        raise NotImplementedError

    def look(
        self, points: Any, truth: Truth, classes: ClassesOfReferences, beaten: NDArray[np.int32]
    ) -> Iterator[Doubtful]:
        """Add the labels surely below the truth to `beaten`, block after block of classes, and yield those in doubt."""
        for first, last in classes.blocks(self.n_columns):
            block, offset = self.block(points, classes.references(first, last))
            if not classes.single:
                block = classes.best(block, offset, first, last, self.cells)
                offset = np.zeros(block.shape[1], dtype=block.dtype)
                # the truth is counted as in its band, from which a reference that is left out may take it
                mine = np.flatnonzero((truth.own >= first) & (truth.own < last))
                block[mine, truth.own[mine] - first] = truth.low[mine]
            yield count_with_band(block, offset, truth, first, first + classes.first_group, beaten, self.cells)


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
        return np.asarray(memory[first : first + size].view(dtype).reshape(n_rows, n_columns))


def _moved(part: NDArray[Any], centre: NDArray[Any] | None, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return rows less the centre, rounded once: the subtraction is done in the wider of the two precisions."""
    return np.ascontiguousarray(part if centre is None else np.subtract(part, centre), dtype=dtype)


class MatrixProduct(BlockScores):
    """Dense embeddings by matrix products, in single or double precision; few features in `tiled` registers.

    The Euclidean score is (x - c).r - |r - c|^2/2, with c the mean reference: it orders references as minus the
    distance does. Where that makes the products, and with them the band, much smaller, r is replaced by r - c.
    """

    def __init__(
        self, points: NDArray[Any], references: NDArray[Any], metric: str, dtype: Any, *, tiled: bool = False
    ) -> None:
        super().__init__(points, references, dtype)
        precision = np.finfo(self.dtype)
        n_features = points.shape[1]
        self.tiled = tiled and n_features <= FEW and self.dtype == np.float32 and numba_for(self.cells) is not None
        if self.tiled:
            self.n_rows, self.n_columns = TILED_ROWS, TILED_FEATURES // n_features
        self._absolute = 4 * n_features * float(precision.tiny)
        self._factor = 1.1 * (n_features + 12) * float(precision.eps) / 2
        self._kept: dict[int, Tiles] = {}
        self._centre: NDArray[Any] | None = None
        if metric == "euclidean":
            self._centre = references.mean(axis=0, dtype=np.float64).astype(self.dtype)
        self._offset = np.zeros(references.shape[0], dtype=self.dtype)
        self._norm = np.ones(references.shape[0] if metric == "cosine" else 0)
        raw, moved = self._fill_norms()
        self._shift = self._centre if raw > _MUCH_LARGER * moved else None
        radius = 1.0 if metric == "cosine" else (raw if self._shift is None else moved)
        self._sizes = (radius, moved**2 if metric == "euclidean" else 0.0)

    def _fill_norms(self) -> tuple[float, float]:
        """Fill what is subtracted from products, or divides references; return the largest norms, raw and moved."""
        largest = [0.0, 0.0]
        step = max(1, _GATHERED // self._references.shape[1])
        for first in range(0, self._references.shape[0], step):
            rows = slice(first, first + step)
            for side, centre in enumerate((None, self._centre)):
                part = _moved(self._references[rows], centre, self.dtype)
                square = np.einsum("ij,ij->i", part, part, dtype=np.float64)
                largest[side] = max(largest[side], float(square.max()))
                if self._norm.size:
                    self._norm[rows] = np.sqrt(square)
                elif self._centre is not None and side == 1:
                    self._offset[rows] = square / 2
        return float(np.sqrt(largest[0])), float(np.sqrt(largest[1]))

    def _targets(self, rows: Any) -> NDArray[Any]:
        """References as multiplied."""
        part = _moved(self._references[rows], self._shift, self.dtype)
        return (part / self._norm[rows, np.newaxis]).astype(self.dtype) if self._norm.size else part

    def points(self, rows: Any) -> NDArray[Any]:
        return _moved(self._points[rows], self._centre, self.dtype)

    def block(self, points: NDArray[Any], columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        target = self._targets(columns)
        out = self._buffer.take("block", points.shape[0], target.shape[0], self.dtype)
        return np.matmul(points, target.T, out=out), self._offset[columns]

    def look(
        self, points: Any, truth: Truth, classes: ClassesOfReferences, beaten: NDArray[np.int32]
    ) -> Iterator[Doubtful]:
        if not self.tiled:
            yield from super().look(points, truth, classes, beaten)
            return
        n_groups = beaten.shape[1]
        for first, last in classes.blocks(max(1, self.n_columns // n_groups) * n_groups):
            yield self._count_tiles(points, slice(first, last), truth, first + classes.first_group, beaten)

    def _count_tiles(
        self, points: NDArray[np.float32], columns: slice, truth: Truth, group: int, beaten: NDArray[np.int32]
    ) -> Doubtful:
        """Compare products as they are made; parameters as in `count_with_band`."""
        loops = compiled_products()
        *ends, own = truth
        packed, start = self._tiles(columns, beaten.shape[1])
        n_rows, n_groups = beaten.shape
        n_tiles, n_rounds, n_features, _ = packed.shape
        below = self._buffer.take("below", n_rows, n_tiles * loops.TILE, np.int32)
        between = self._buffer.take("between", n_rows, n_tiles, np.int32)
        flat = points.ravel(), packed.ravel(), start.ravel()
        loops.count_tiles(*flat, (n_rows, n_tiles, n_rounds, n_features), *ends, below.ravel(), between.ravel())
        here = np.where((own >= columns.start) & (own < columns.stop), own - columns.start, -1)
        n_listed = _LISTED
        for _ in range(2):
            listed = np.empty((n_listed, 2), dtype=np.int64)
            n_listed = loops.recount_tiles(points, packed, start, *ends, here, n_groups, below, between, listed)
            if n_listed <= listed.shape[0]:
                break
        # lane g is group + g, modulo the number of groups
        turned = group % n_groups
        beaten[:, turned:] += below[:, : n_groups - turned]
        beaten[:, :turned] += below[:, n_groups - turned : n_groups]
        return listed[:n_listed, 0], listed[:n_listed, 1] + columns.start

    def _tiles(self, columns: slice, n_groups: int) -> Tiles:
        """Return references and the starts of their sums, laid out for `classex._loops.products`.

        A layout of all references is kept for the next block of points; others lie in shared memory.
        """
        loops = compiled_products()
        whole = columns == slice(0, self._references.shape[0])
        if whole and n_groups in self._kept:
            return self._kept[n_groups]
        target = self._targets(columns)
        shape = (-(-n_groups // loops.TILE), -(-target.shape[0] // n_groups))
        buffer = _Buffer() if whole else self._buffer
        packed = buffer.take("tiles", shape[0] * shape[1], target.shape[1] * loops.TILE, np.float32)
        packed = packed.reshape(*shape, target.shape[1], loops.TILE)
        start = np.empty((*shape, loops.TILE), dtype=np.float32)
        loops.pack_tiles(target, self._offset[columns], n_groups, packed, start)
        if whole:
            self._kept[n_groups] = packed, start
        return packed, start

    def own(self, points: NDArray[Any], references: NDArray[np.int64]) -> NDArray[np.float64]:
        target = self._targets(references)
        score: NDArray[np.float64] = np.einsum("ij,ij->i", points, target, dtype=np.float64)
        return score - self._offset[references]

    def band(self, points: NDArray[Any], own: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        norm = np.sqrt(np.einsum("ij,ij->i", points, points, dtype=np.float64))
        size = norm * self._sizes[0] + self._sizes[1]
        # both scores of a comparison may err
        width = 2 * (self._factor * size + self._absolute)
        return own - width, own + width


class FewDimensions(BlockScores):
    """Minus the squared Euclidean distance by direct differences: the best for few features.

    With unit roundoff u, and the moved point and reference each rounded once, the root of a computed square errs
    by at most ``(n + 8) u`` times the distance D plus ``u (|x| + |r|) <= u (2 |x| + D)``: a reference far away
    does not widen the band.
    """

    def __init__(self, points: NDArray[Any], references: NDArray[Any], dtype: Any) -> None:
        super().__init__(points, references, dtype)
        self.n_columns = min(COLUMNS // 2, self.n_columns)
        exact = self.dtype == np.float64
        self._centre = None if exact else references.mean(axis=0, dtype=np.float64).astype(self.dtype)
        precision = np.finfo(self.dtype)
        unit = float(precision.eps) / 2
        self._relative = 1.1 * (points.shape[1] + 8) * unit
        self._rounding = 0.0 if exact else 2.2 * unit
        # squares may underflow, each by the smallest number
        self._absolute = 2 * np.sqrt(2 * points.shape[1] * float(precision.tiny))

    def points(self, rows: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        part = self._points[rows]
        return _moved(part, self._centre, self.dtype), part.astype(np.float64, copy=False)

    def block(self, points: tuple[NDArray[Any], Any], columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        moved = _moved(self._references[columns], self._centre, self.dtype)
        # whole lines of the cache, so that every row begins with one
        line = _CACHE_LINE // self.dtype.itemsize
        width = -(-moved.shape[0] // line) * line
        features = self._buffer.take("features", moved.shape[1], width, self.dtype)
        features[:, : moved.shape[0]] = moved.T
        out = self._buffer.take("block", points[0].shape[0], moved.shape[0], self.dtype)
        fill_squared_distances(points[0], features, out, cells=self.cells)
        return out, np.zeros(moved.shape[0], dtype=self.dtype)

    def own(self, points: tuple[Any, NDArray[np.float64]], references: NDArray[np.int64]) -> NDArray[np.float64]:
        difference = points[1] - self._references[references]
        return np.asarray(-np.einsum("ij,ij->i", difference, difference))

    def band(
        self, points: tuple[NDArray[Any], Any], own: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        distance = np.sqrt(-own)
        norm = np.sqrt(np.einsum("ij,ij->i", points[0], points[0], dtype=np.float64))
        width = self._relative * distance + self._rounding * norm + self._absolute
        return -np.square(distance + width), -np.square(np.maximum(distance - width, 0.0))


class SparseProduct(BlockScores):
    """Inner products or cosines of scipy.sparse rows, in double precision.

    Each test point adds up, feature by feature, what it shares with all references of the block at once. Where
    nothing is negative the error is relative to the score, and scores of zero are exact, unless products underflow.
    """

    def __init__(self, points: Any, references: Any, metric: str) -> None:
        super().__init__(points, references, np.float64)
        self.n_columns = min(SPARSE_SCORES, references.shape[0])
        self.n_rows = min(ROWS, SPARSE_SCORES // self.n_columns)
        self._scale = 1 / (linalg.norm(references, axis=1) if metric == "cosine" else np.ones(references.shape[0]))
        self._by_feature = sparse.csc_array(references)
        self._by_feature.data *= self._scale[self._by_feature.indices]
        most = int(np.diff(points.indptr).max(initial=0))
        self._factor = 1.1 * (most + references.shape[1] + 12) * 2.0**-53
        self._positive = not ((points.data < 0).any() or (references.data < 0).any())
        self._radius = float(np.max(linalg.norm(references, axis=1) * self._scale))
        self._absolute = self._underflow(most)

    def _underflow(self, most: int) -> float:
        """Bound of what a score of at most `most` products loses to underflow: none where none can."""
        sizes = []
        for array in (self._points, self._references, self._by_feature):
            size = np.abs(array.data)
            sizes.append((float(size.min(initial=1.0)), float(size.max(initial=1.0))))
        tiny = float(np.finfo(self.dtype).tiny)
        if sizes[0][0] * min(sizes[1][0], sizes[2][0]) >= tiny:
            return 0.0
        return 4 * most * tiny * sizes[0][1] * max(1.0, float(self._scale.max()))

    def block(self, points: Any, columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        column_of = np.full(self._scale.size, -1, dtype=np.int32)
        n_columns = column_of[columns].size
        column_of[columns] = np.arange(n_columns)
        out = self._buffer.take("block", points.shape[0], n_columns, self.dtype)
        rows, by_feature = (points.indptr, points.indices, points.data), self._by_feature
        columns = by_feature.indptr, by_feature.indices, by_feature.data
        fill_sparse_products(*rows, *columns, column_of, out, cells=self.cells)
        return out, np.zeros(n_columns)

    def own(self, points: Any, references: NDArray[np.int64]) -> NDArray[np.float64]:
        product = np.asarray(points.multiply(self._references[references]).sum(axis=1), dtype=np.float64).ravel()
        return product * self._scale[references]

    def band(self, points: Any, own: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        norm = 2 * own if self._positive else linalg.norm(points, axis=1) * self._radius
        width = 2 * (self._factor * norm + self._absolute)
        return own - width, own + width
