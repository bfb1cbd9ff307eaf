"""Comparison of test points with references: fast where it is certain, exact where it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._validation import as_finite_array, call
from classex.io.arrays import ArrayLibrary
from classex.ranks._blocks import LARGEST_SINGLE, BlockScores, FewDimensions, MatrixProduct, SparseProduct
from classex.ranks._classes import ClassesOfReferences
from classex.ranks._counting import Counts, count_products, count_with_band
from classex.ranks._device import DeviceProduct
from classex.ranks._exact import best_of_own, exact_signs

__all__ = ["Comparison", "scores_of_callable"]

#: features up to which products are compared as they are made: beyond, BLAS is faster (measured by `benchmarks/speed`)
FEW = 96
#: features up to which differences are faster than BLAS, where a class has several references (measured likewise)
FEWER = 16
#: numbers in the references of a block whose products are compared as they are made
TILED_FEATURES = 2**18
# few blocks: between them Python's lock makes threads wait for each other
TILED_ROWS = 2560
#: rows and columns of a block, a few megabytes of scores; differences take fewer columns
ROWS, COLUMNS = 1024, 1024
_PROBE_ROWS, _PROBE_COLUMNS = 64, 1024
#: share of pairs in doubt above which double precision pays
MOST_IN_DOUBT = 0.01
_EXACT_AT_ONCE = 2**16
#: numbers in the points or references of a block
_BLOCK_FEATURES = 2**21
_FEWEST = 32
#: scores in a block of sparse points, each of which meets as many references at once as fit
SPARSE_SCORES = 2**19


class Comparison:
    """Counts the wrong labels that test points beat and tie with, by group of classes.

    Parameters
    ----------
    points, exemplars : ndarray or scipy.sparse CSR, of shape (n, n_features)
        Checked embeddings, of one kind.
    labels : ndarray of shape (n_points,)
        Class of each point.
    classes : ClassesOfReferences
        Classes of the exemplars.
    metric : {"euclidean", "inner_product", "cosine"}
        The score.
    method : {"auto", "direct", "product"}
        How Euclidean distances are computed.
    largest : float
        Largest size of a number in either input.
    device : ArrayLibrary, optional
        The exemplars on a device, to multiply there where few pairs are then in doubt.
    """

    def __init__(
        self,
        points: Any,
        exemplars: Any,
        labels: NDArray[np.int64],
        classes: ClassesOfReferences,
        metric: str,
        *,
        method: str,
        largest: float,
        device: ArrayLibrary | None = None,
    ) -> None:
        self._points, self._exemplars, self._metric = points, exemplars, metric
        self._labels, self._classes = labels, classes
        there = None if device is None else self._choose_products(device, largest)
        self.on_device = there is not None
        self._scores = there or self._choose_scores(method, largest)
        few = points.shape[1] <= FEW and self._scores.dtype == np.float32
        self._in_tiles = few and classes.single and isinstance(self._scores, MatrixProduct)
        if isinstance(self._scores, DeviceProduct):
            self.n_rows, self._n_columns = self._scores.n_rows, self._scores.n_columns
        elif isinstance(self._scores, SparseProduct):
            self._n_columns = min(SPARSE_SCORES, exemplars.shape[0])
            self.n_rows = min(ROWS, SPARSE_SCORES // self._n_columns)
        elif self._in_tiles:
            self._n_columns, self.n_rows = TILED_FEATURES // points.shape[1], TILED_ROWS
        else:
            most = max(_FEWEST, _BLOCK_FEATURES // points.shape[1])
            self.n_rows = min(ROWS, most)
            self._n_columns = min(COLUMNS // 2 if isinstance(self._scores, FewDimensions) else COLUMNS, most)

    def _choose_products(self, device: ArrayLibrary, largest: float) -> DeviceProduct | None:
        """Return the fastest products on the device that leave few of some trial pairs in doubt, if any do."""
        for kind in (np.float32, np.float64)[largest >= LARGEST_SINGLE :]:
            if device.has(kind):
                scores = DeviceProduct(self._points, self._exemplars, self._metric, kind, device, largest)
                if self._share_in_doubt(scores) <= MOST_IN_DOUBT:
                    return scores
        return None

    def _choose_scores(self, method: str, largest: float) -> BlockScores:
        """Return the fastest scores that leave few of some trial pairs in doubt, or else the last resort."""
        if sparse.issparse(self._points):
            return SparseProduct(self._points, self._exemplars, self._metric)
        few = self._points.shape[1] <= FEWER if method == "auto" else method == "direct"
        direct = self._metric == "euclidean" and few
        kinds = [(direct, np.float32), (direct, np.float64)]
        if self._metric == "euclidean" and method == "auto":
            # a few references far from the others widen the band of products, not that of differences
            if not direct:
                kinds.append((True, np.float64))
            elif self._classes.single:
                kinds.insert(0, (False, np.float32))
        if largest >= LARGEST_SINGLE:
            kinds = [kind for kind in kinds if kind[1] == np.float64]
        for kind in kinds[:-1]:
            scores = self._dense_scores(*kind)
            if self._share_in_doubt(scores) <= MOST_IN_DOUBT:
                return scores
        return self._dense_scores(*kinds[-1])

    def _dense_scores(self, direct: bool, dtype: Any) -> BlockScores:
        if direct:
            return FewDimensions(self._points, self._exemplars, dtype)
        return MatrixProduct(self._points, self._exemplars, self._metric, dtype)

    def _share_in_doubt(self, scores: BlockScores) -> float:
        """Share of doubtful pairs among some points and some references that are not theirs."""
        n_points, n_exemplars = self._points.shape[0], self._exemplars.shape[0]
        row = np.unique(np.linspace(0, n_points - 1, _PROBE_ROWS).astype(np.int64))
        column = np.unique(np.linspace(0, n_exemplars - 1, _PROBE_COLUMNS).astype(np.int64))
        own = self._classes.member(self._labels[row], 0)
        point = scores.points(row)
        low, high = scores.band(point, scores.own(point, own))
        block, offset = scores.block(point, column)
        value = block.astype(np.float64) - offset
        doubtful = (value >= low[:, np.newaxis]) & (value <= high[:, np.newaxis]) & (column != own[:, np.newaxis])
        return float(doubtful.mean())

    def count(self, rows: slice, n_groups: int, n_counted: int, first_group: int = 0) -> tuple[Counts, int]:
        """Compare a block of points with the first `n_counted` classes, the first of which has a known group.

        Returns the counts, and the number of pairs that were decided again without rounding.
        """
        own = self._labels[rows]
        point = self._scores.points(rows)
        truth = self._best_own(point, own)
        low, high = self._scores.band(point, truth)
        ends = _outward(low, high, self._scores.dtype)
        counts = Counts.none(own.size, n_groups)
        looks = 0
        # the reference of its own class that each point scores highest, found once it is needed
        best = np.empty(0, dtype=np.int64)
        at_once = max(1, _EXACT_AT_ONCE // self._classes.most)
        for row, label in self._look(point, ends, own, n_counted, first_group, counts.beaten):
            if row.size and not best.size:
                asked = np.arange(rows.start, rows.stop), own
                best = best_of_own(self._points, self._exemplars, self._classes, *asked, self._metric)
            for piece in range(0, row.size, at_once):
                part = slice(piece, piece + at_once)
                # without a band the stored scores are exact, and what lies between them ties
                sign = np.zeros(row[part].size, dtype=np.int8)
                open_ = (high > low)[row[part]]
                sign[open_] = self._exact(rows, best, row[part][open_], label[part][open_])
                place = (label[part] + first_group) % n_groups
                np.add.at(counts.beaten, (row[part][sign < 0], place[sign < 0]), 1)
                counts = counts.plus_ties(row[part][sign == 0], place[sign == 0])
            looks += row.size
        return counts, looks

    def _look(
        self,
        point: Any,
        ends: tuple[NDArray[Any], NDArray[Any]],
        own: NDArray[np.int64],
        n_counted: int,
        first_group: int,
        beaten: NDArray[np.int32],
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Add what is surely beaten, block after block of classes, and yield the (row, class) in doubt."""
        if isinstance(self._scores, DeviceProduct):
            yield from self._scores.look(point, ends, own, self._classes, beaten)
            return
        if isinstance(self._scores, MatrixProduct) and self._in_tiles:
            n_groups = beaten.shape[1]
            whole_rounds = max(1, self._n_columns // n_groups) * n_groups
            for first, last in self._classes.blocks(whole_rounds, n_counted):
                yield count_products(self._scores, point, slice(first, last), ends, own, first + first_group, beaten)
            return
        for first, last in self._classes.blocks(self._n_columns, n_counted):
            block, offset = self._class_block(point, first, last)
            yield count_with_band(block, offset, *ends, first, own, first + first_group, beaten)

    def _best_own(self, point: Any, own: NDArray[np.int64]) -> NDArray[np.float64]:
        count = self._classes.count(own)
        best = np.full(own.size, -np.inf)
        for position in range(int(count.max())):
            reference = self._classes.member(own, np.minimum(position, count - 1))
            best = np.maximum(best, self._scores.own(point, reference))
        return best

    def _class_block(self, point: Any, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any]]:
        block, offset = self._scores.block(point, self._classes.references(first, last))
        if self._classes.single:
            return block, offset
        best = self._classes.best(block, offset, first, last)
        return best, np.zeros(best.shape[1], dtype=best.dtype)

    def _exact(
        self, rows: slice, best: NDArray[np.int64], row: NDArray[np.int64], label: NDArray[np.int64]
    ) -> NDArray[np.int8]:
        """Sign of the best score of class `label` minus that of the true class, for each row listed."""
        if row.size == 0:
            return np.empty(0, dtype=np.int8)
        sign = np.full(row.size, -1, dtype=np.int8)
        entry, reference = self._classes.members(label)
        pairs = (row[entry] + rows.start, reference, best[row[entry]])
        np.maximum.at(sign, entry, exact_signs(self._points, self._exemplars, pairs, self._metric))
        return sign


def _outward(low: NDArray[np.float64], high: NDArray[np.float64], dtype: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Ends of the band in the precision of the block, rounded outward; a band of no width stays."""
    ends = low.astype(dtype), high.astype(dtype)
    wide = high > low
    ends[0][wide] = np.nextafter(ends[0][wide], -np.inf, dtype=dtype)
    ends[1][wide] = np.nextafter(ends[1][wide], np.inf, dtype=dtype)
    return ends


def scores_of_callable(
    metric: Callable[[Any, Any], ArrayLike], points: Any, exemplars: Any, classes: ClassesOfReferences
) -> NDArray[Any]:
    """Scores of all classes that the caller's function gives a block of test points; they are compared as they come."""
    block = as_finite_array(call(metric, "metric", points, exemplars), "the scores that metric returns", ndim=2)
    expected = (points.shape[0], exemplars.shape[0])
    if block.shape != expected:
        raise ValueError(f"the scores that metric returns must have shape {expected}, but have {block.shape}")
    if classes.single:
        return block
    chosen = np.ascontiguousarray(block[:, classes.references(0, classes.n_classes)])
    return classes.best(chosen, np.zeros(chosen.shape[1], dtype=chosen.dtype), 0, classes.n_classes)
