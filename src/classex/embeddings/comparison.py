"""Comparison of test points with references: fast where it is certain, exact where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._validation import as_finite_array, call
from classex.embeddings._blocks import LARGEST_SINGLE, BlockScores, FewDimensions, MatrixProduct, SparseProduct
from classex.embeddings.classes import ClassesOfReferences
from classex.embeddings.exact import best_of_own, exact_signs
from classex.ranks.counting import Counts, Truth, no_counts

__all__ = ["Comparison", "scores_of_callable"]

#: features up to which differences are faster than BLAS, where a class has several references (`benchmarks/speed`)
FEWER = 16
#: share of pairs in doubt above which double precision pays
MOST_IN_DOUBT = 0.01
# trial pairs: points and references
_PROBE_ROWS, _PROBE_COLUMNS = 64, 1024
# pairs that are decided without rounding at a time
_EXACT_AT_ONCE = 2**16


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
    largest : float
        Largest size of a number in either input.
    excluded : ndarray of shape (n_points,) or int
        Exemplar of its own class that each point leaves out; -1 for none.
    """

    def __init__(
        self,
        points: Any,
        exemplars: Any,
        labels: NDArray[np.int64],
        classes: ClassesOfReferences,
        metric: str,
        *,
        largest: float,
        excluded: NDArray[np.int64] | int = -1,
    ) -> None:
        self._points, self._exemplars, self._metric = points, exemplars, metric
        self._labels, self._classes = labels, classes
        self._excluded = np.broadcast_to(excluded, labels.shape)
        self.scores = self._choose_scores(largest)

    def _choose_scores(self, largest: float) -> BlockScores:
        """Return the fastest scores that leave few of some trial pairs in doubt, or else the last resort."""
        if sparse.issparse(self._points):
            return SparseProduct(self._points, self._exemplars, self._metric)
        product, direct, single = "product", "direct", self._classes.single
        kinds = [(product, np.float32), (product, np.float64)]
        if self._metric == "euclidean" and self._points.shape[1] > FEWER:
            # a few references far from the others widen the band of products, not that of differences
            kinds.append((direct, np.float64))
        elif self._metric == "euclidean":
            kinds = [(product, np.float32)] * single + [(direct, np.float32), (direct, np.float64)]
        for way, dtype in kinds:
            if dtype == np.float32 and largest >= LARGEST_SINGLE:
                continue
            scores: BlockScores = (
                FewDimensions(self._points, self._exemplars, dtype)
                if way == direct
                else MatrixProduct(self._points, self._exemplars, self._metric, dtype, tiled=single)
            )
            if (way, dtype) == kinds[-1] or self._few_in_doubt(scores):
                break
        return scores

    def _few_in_doubt(self, scores: BlockScores) -> bool:
        return self._share_in_doubt(scores) <= MOST_IN_DOUBT

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

    def count(self, rows: slice, n_groups: int) -> tuple[Counts, int]:
        """Compare a block of points with the counted classes.

        Returns the counts, and the number of pairs that were decided again without rounding.
        """
        own = self._labels[rows]
        point = self.scores.points(rows)
        low, high = self.scores.band(point, self._best_own(point, own, self._excluded[rows]))
        truth = Truth(*_outward(low, high, self.scores.dtype), own)
        counts = no_counts(own.size, n_groups)
        looks = 0
        # the reference of its own class that each point scores highest, found once it is needed
        best = np.empty(0, dtype=np.int64)
        at_once = max(1, _EXACT_AT_ONCE // self._classes.most)
        for row, label in self.scores.look(point, truth, self._classes, counts[0]):
            if row.size and not best.size:
                index = np.arange(rows.start, rows.stop)
                given = self._points, self._exemplars, self._classes, index, own, self._metric
                best = best_of_own(*given, self._excluded[rows])
            sign = np.zeros(row.size, dtype=np.int8)
            # without a band the stored scores are exact, and what lies between them ties
            unsettled = np.flatnonzero((high > low)[row])
            for first in range(0, unsettled.size, at_once):
                part = unsettled[first : first + at_once]
                sign[part] = self._exact(rows, best, row[part], label[part])
            group = (label + self._classes.first_group) % n_groups
            for kind, chosen in enumerate((sign < 0, sign == 0)):
                np.add.at(counts[kind], (row[chosen], group[chosen]), 1)
            looks += row.size
        return counts, looks

    def _best_own(self, point: Any, own: NDArray[np.int64], excluded: NDArray[np.int64]) -> NDArray[np.float64]:
        count = self._classes.count(own)
        best = np.full(own.size, -np.inf)
        for position in range(int(count.max())):
            reference = self._classes.member(own, np.minimum(position, count - 1))
            best = np.maximum(best, np.where(reference == excluded, -np.inf, self.scores.own(point, reference)))
        return best

    def _exact(
        self, rows: slice, best: NDArray[np.int64], row: NDArray[np.int64], label: NDArray[np.int64]
    ) -> NDArray[np.int8]:
        """Sign of the best score of class `label` minus that of the true class, for each row listed."""
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
    metric: Callable[[Any, Any], ArrayLike],
    points: Any,
    exemplars: Any,
    classes: ClassesOfReferences,
    excluded: NDArray[np.int64],
) -> NDArray[Any]:
    """Scores of all classes that the caller's function gives a block of test points; they are compared as they come.

    One exemplar is excluded for each point, or none, by -1.
    """
    block = as_finite_array(call(metric, "metric", points, exemplars), "the scores that metric returns", ndim=2)
    expected = (points.shape[0], exemplars.shape[0])
    if block.shape != expected:
        raise ValueError(f"the scores that metric returns must have shape {expected}, but have {block.shape}")
    if classes.single:
        return block
    if (excluded >= 0).any():
        block = np.where(np.arange(block.shape[1]) == excluded[:, np.newaxis], -np.inf, block)
    chosen = np.ascontiguousarray(block[:, classes.references(0, classes.n_classes)])
    return classes.best(chosen, np.zeros(chosen.shape[1], dtype=chosen.dtype), 0, classes.n_classes)
