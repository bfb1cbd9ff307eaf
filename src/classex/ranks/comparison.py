"""Comparison of test points with references: fast where it is certain, exact where it is not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._checks import as_finite_array, call
from classex._loops.threads import row_blocks
from classex._types import FloatArray
from classex.ranks._blocks import LARGEST_SINGLE, BlockScores, FewDimensions, MatrixProduct, SparseProduct
from classex.ranks.inputs import ClassesOfReferences
from classex.ranks.scores import Counts, Truth

__all__ = ["Comparison", "best_of_own", "exact_signs", "scores_of_callable"]


# products of smaller numbers lose bits
_SMALLEST = 1e-140
# numbers gathered at a time
_GATHERED = 2**21
# rounding error of double precision
_UNIT = 2.0**-53
# splits a number into two of 26 bits
_SPLITTER = 2.0**27 + 1


def exact_signs(
    points: Any, references: Any, pairs: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], metric: str
) -> NDArray[np.int8]:
    """Sign of score(point, one) - score(point, other) for each (point, one, other), exactly.

    Parameters
    ----------
    points, references : ndarray or scipy.sparse CSR, of shape (n, n_features)
        Stored inputs; every stored number is taken as exact.
    pairs : tuple of three ndarrays of shape (n_pairs,)
        Rows of `points`, of `references` and of `references` again.
    metric : {"euclidean", "inner_product", "cosine"}
        The score: minus the distance, the inner product, or the cosine.
    """
    sign = np.zeros(pairs[0].size, dtype=np.int8)
    if sparse.issparse(points):
        doubtful = np.arange(sign.size)
    elif metric == "cosine":
        doubtful = _cosine_signs(points, references, pairs, sign)
    else:
        for part in row_blocks(sign.size, max(1, _GATHERED // (16 * points.shape[1]))):
            x, a, b = (
                array[rows[part]].astype(np.float64)
                for array, rows in zip((points, references, references), pairs, strict=True)
            )
            sign[part] = _sums_signs(x, a, b, metric == "euclidean")
        tiny = _has_tiny(points, pairs[0]) | _has_tiny(references, pairs[1]) | _has_tiny(references, pairs[2])
        doubtful = np.flatnonzero(tiny)
    for i in doubtful:
        x, a, b = (
            _stored(array, int(rows[i])) for array, rows in zip((points, references, references), pairs, strict=True)
        )
        sign[i] = _fraction_sign(x, a, b, metric)
    return sign


def _sums_signs(x: FloatArray, a: FloatArray, b: FloatArray, squared: bool) -> NDArray[np.int8]:
    """Signs of x.(a - b) or, with `squared`, of |x - b|^2 - |x - a|^2, row by row, exactly.

    A sum with its error bound decides nearly all rows. In the others every product becomes the sum of two floats
    (Dekker 1971), and their sum is rounded once (Shewchuk 1997): the sign is right. Valid while every nonzero number
    lies within 1e-140..1e140 in size, so that no product overflows or loses its low part.
    """
    # |x - b|^2 - |x - a|^2 = 2 x a - 2 x b - a a + b b
    left = np.stack([2 * x, -2 * x, -a, b]) if squared else np.stack([x, -x])
    right = np.stack([a, b, a, b][: len(left)])
    product = left * right
    total, size = product.sum(axis=(0, 2)), np.abs(product).sum(axis=(0, 2))
    sign: NDArray[np.int8] = np.sign(total).astype(np.int8)
    # n terms of at most 8 roundings each, summed in any order; 2 covers the rounding of the bound itself
    close = np.abs(total) <= 2 * (x.shape[1] + 8) * _UNIT * size
    sign[close] = 0
    rows = np.flatnonzero(close & (a != b).any(axis=1))
    product, left, right = product[:, rows], left[:, rows], right[:, rows]
    (left_high, left_low), (right_high, right_low) = _halves(left), _halves(right)
    error = (left_high * right_high - product) + left_high * right_low + left_low * right_high + left_low * right_low
    terms = np.concatenate([product, error]).transpose(1, 0, 2)
    sign[rows] = [np.sign(fsum(row.ravel().tolist())) for row in terms]
    return sign


def _halves(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Split numbers into two whose products are exact."""
    scaled = _SPLITTER * values
    high = scaled - (scaled - values)
    return high, values - high


def best_of_own(
    points: Any,
    references: Any,
    classes: ClassesOfReferences,
    row: NDArray[np.int64],
    own: NDArray[np.int64],
    metric: str,
    excluded: NDArray[np.int64] | int = -1,
) -> NDArray[np.int64]:
    """The reference of its own class that each row of `points` scores highest, one of them perhaps excluded."""
    count, skipped = classes.count(own), np.broadcast_to(excluded, own.shape)
    best = classes.member(own, 0).copy()
    out = best == skipped
    best[out] = classes.member(own[out], 1)
    for position in range(1, int(count.max())):
        more = np.flatnonzero(count > position)
        challenger = classes.member(own[more], position)
        more, challenger = (index[challenger != skipped[more]] for index in (more, challenger))
        sign = exact_signs(points, references, (row[more], challenger, best[more]), metric)
        best[more] = np.where(sign > 0, challenger, best[more])
    return best


def _has_tiny(array: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a row holds a nonzero number so small that products of it lose bits."""
    distinct, which = np.unique(rows, return_inverse=True)
    size = np.abs(array[distinct])
    return np.asarray(((size > 0) & (size < _SMALLEST)).any(axis=1)[which])


def _cosine_signs(
    points: NDArray[Any],
    references: NDArray[Any],
    pairs: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    sign: NDArray[np.int8],
) -> NDArray[np.intp]:
    """Fill the signs that float64 with its error bound decides; return the pairs it does not."""
    n_features = points.shape[1]
    difference, bound = np.empty((2, sign.size))
    for part in row_blocks(sign.size, max(1, _GATHERED // n_features)):
        x = points[pairs[0][part]].astype(np.float64)
        cosine = []
        for rows in (pairs[1][part], pairs[2][part]):
            r = references[rows].astype(np.float64)
            cosine.append(np.einsum("ij,ij->i", x, r) / np.sqrt(np.einsum("ij,ij->i", r, r)))
        difference[part] = cosine[0] - cosine[1]
        bound[part] = 4 * (n_features + 10) * _UNIT * np.sqrt(np.einsum("ij,ij->i", x, x))
    sign[:] = np.sign(difference)
    same = (references[pairs[1]] == references[pairs[2]]).all(axis=1) if sign.size < _GATHERED else np.False_
    sign[same] = 0
    return np.asarray(np.flatnonzero((np.abs(difference) <= bound) & ~same))


def _stored(array: Any, row: int) -> dict[int, Fraction]:
    """The nonzero numbers of a row, exactly."""
    if sparse.issparse(array):
        part = slice(array.indptr[row], array.indptr[row + 1])
        index, value = array.indices[part], array.data[part]
    else:
        index, value = np.arange(array.shape[1]), array[row]
    return {int(i): Fraction(float(v)) for i, v in zip(index, value, strict=True) if v}


def _fraction_sign(x: dict[int, Fraction], a: dict[int, Fraction], b: dict[int, Fraction], metric: str) -> int:
    if a == b:
        return 0
    dot_a, dot_b = (sum((v * r[i] for i, v in x.items() if i in r), Fraction(0)) for r in (a, b))
    square_a, square_b = (sum((v * v for v in r.values()), Fraction(0)) for r in (a, b))
    if metric == "euclidean":
        difference = 2 * dot_a - square_a - 2 * dot_b + square_b
    elif metric == "cosine":
        # a/|a| against b/|b|, squared with the sign kept
        difference = dot_a * abs(dot_a) * square_b - dot_b * abs(dot_b) * square_a
    else:
        difference = dot_a - dot_b
    return (difference > 0) - (difference < 0)


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
        """Whether few pairs are in doubt among some points and some references that are not theirs."""
        n_points, n_exemplars = self._points.shape[0], self._exemplars.shape[0]
        row = np.unique(np.linspace(0, n_points - 1, _PROBE_ROWS).astype(np.int64))
        column = np.unique(np.linspace(0, n_exemplars - 1, _PROBE_COLUMNS).astype(np.int64))
        own = self._classes.member(self._labels[row], 0)
        point = scores.points(row)
        low, high = scores.band(point, scores.own(point, own))
        block, offset = scores.block(point, column)
        value = block.astype(np.float64) - offset
        doubtful = (value >= low[:, np.newaxis]) & (value <= high[:, np.newaxis]) & (column != own[:, np.newaxis])
        return bool(doubtful.mean() <= MOST_IN_DOUBT)

    def count(self, rows: slice, n_groups: int) -> tuple[Counts, int]:
        """Compare a block of points with the counted classes.

        Returns the counts, and the number of pairs that were decided again without rounding.
        """
        own = self._labels[rows]
        point = self.scores.points(rows)
        low, high = self.scores.band(point, self._best_own(point, own, self._excluded[rows]))
        truth = Truth(*_outward(low, high, self.scores.dtype), own)
        counts = np.zeros((2, own.size, n_groups), dtype=np.int32)
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
    return classes.best(chosen, np.zeros(chosen.shape[1], dtype=chosen.dtype), 0, classes.n_classes, chosen.size)
