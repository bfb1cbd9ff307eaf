"""Ranks of the correct label, streamed from embeddings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._validation import as_finite_array, as_labels, as_positive_int, one_of
from classex.ranks._blocks import BlockScores, FewDimensions, MatrixProduct, SparseProduct, largest_size
from classex.ranks._counting import count_with_band
from classex.ranks._exact import LARGEST, exact_signs
from classex.ranks._scores import count_scores
from classex.ranks._tally import Tally
from classex.results import CorrectRanks

__all__ = ["correct_ranks_from_embeddings"]

METRICS = ("euclidean", "inner_product", "cosine")
_FEW = 4
_BLOCK_ELEMENTS = 2**20
_MOST_ROWS = 8192
_FEWEST_ROWS = 512


def correct_ranks_from_embeddings(
    test: Any,
    references: Any,
    labels: ArrayLike,
    reference_labels: ArrayLike | None = None,
    metric: str | Callable[[Any, Any], ArrayLike] = "euclidean",
    *,
    aggregate: str = "nearest",
    method: str = "auto",
    progress: bool = False,
) -> CorrectRanks:
    """Rank of the correct label of every test point, streamed from embeddings.

    The score of a class is minus the distance (or the inner product, or the cosine) between the test point
    and the class's reference; with several references, as its best one or as their mean. Scores are computed in
    blocks, so the ``n_test x n_classes`` matrix is never formed. The ranks are those that exact arithmetic on
    the stored numbers gives: scores too close to call in floating point are compared again without rounding.

    Parameters
    ----------
    test : array_like or scipy.sparse matrix of shape (n_test, n_features)
        Embeddings of the test points, 32- or 64-bit.
    references : array_like or scipy.sparse matrix of shape (n_references, n_features)
        Embeddings of the references.
    labels : array_like of shape (n_test,)
        Correct class of each test point, in ``0..n_classes-1``.
    reference_labels : array_like of shape (n_references,), optional
        Class of each reference. By default reference ``c`` is the one of class ``c``.
    metric : {"euclidean", "inner_product", "cosine"} or callable
        How a test point and a reference are compared; sparse input takes the last two. A callable gets a block
        of rows of `test` and all of `references` and returns their scores, higher is better.
    aggregate : {"nearest", "mean"}
        With several references, a class scores as its best one, or as the mean of them all (in double precision).
    method : {"auto", "direct", "product"}
        Euclidean distances by direct differences or by matrix products; "auto" takes differences up to four
        features, where they are faster.
    progress : bool
        Whether to show a progress bar on standard error.

    Returns
    -------
    CorrectRanks
        The same as `correct_ranks` on the matrix of exact scores.

    Raises
    ------
    ValueError
        If an entry is NaN, infinite or beyond 1e140 in size, shapes disagree, a class has no reference or no
        test point, a label is out of range, the metric is unknown or does not go with sparse input, or (cosine)
        a row is zero.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    Source: journal version section 5.1 (face recognition by embeddings). Memory: the inputs and blocks of at
    most 100 MB.

    Examples
    --------
    >>> import classex as cx
    >>> cx.correct_ranks_from_embeddings([[0.1], [0.8]], [[0.0], [1.0]], [0, 1]).wins
    array([1, 1])
    """
    points, exemplars = _as_embeddings(test, "test"), _as_embeddings(references, "references")
    if points.shape[1] != exemplars.shape[1]:
        raise ValueError(
            f"test and references must have the same number of columns, but have {points.shape[1]}"
            f" and {exemplars.shape[1]}"
        )
    owner, n_classes = _as_reference_labels(reference_labels, exemplars.shape[0])
    if one_of(aggregate, "aggregate", ("nearest", "mean")) == "mean" and owner is not None:
        exemplars, owner = _class_means(exemplars, owner), None
    truth = as_labels(labels, points.shape[0], n_classes)
    how = one_of(method, "method", ("auto", "direct", "product"))
    tally = Tally(truth, n_classes)
    classes = _Classes.of(owner, exemplars.shape[0])
    n_rows = int(np.clip(_BLOCK_ELEMENTS // exemplars.shape[0], 1, _MOST_ROWS))
    if callable(metric):
        for rows in _row_blocks(truth.size, n_rows, progress):
            _count_callable(tally, rows, metric, points, exemplars, classes)
        return tally.ranks()
    kind = one_of(metric, "metric", METRICS)
    comparison = _Comparison(points, exemplars, kind, _block_scores(points, exemplars, kind, how), classes)
    if not sparse.issparse(points):
        n_rows = max(n_rows, _FEWEST_ROWS)
    for rows in _row_blocks(truth.size, n_rows, progress):
        comparison.count(tally, rows, max(_BLOCK_ELEMENTS // n_rows, 1))
    return tally.ranks()


def _as_embeddings(value: Any, name: str) -> Any:
    if sparse.issparse(value):
        matrix = sparse.csr_array(value)
        as_finite_array(matrix.data, f"the stored entries of {name}", ndim=1)
        matrix = matrix.astype(np.float64)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        data = matrix.data
    else:
        matrix = data = as_finite_array(value, name, ndim=2)
    if matrix.shape[0] == 0 or matrix.shape[1] == 0:
        raise ValueError(f"{name} must have rows and columns, but its shape is {matrix.shape}")
    if largest_size(data) > LARGEST:
        raise ValueError(f"{name} must hold numbers of size at most {LARGEST:g}, not {largest_size(data)}")
    return matrix


def _as_reference_labels(value: ArrayLike | None, n_references: int) -> tuple[NDArray[np.int64] | None, int]:
    """Return the checked class of each reference (None: its own) and the number of classes."""
    if value is None:
        return None, as_positive_int(n_references, "the number of classes", minimum=2)
    raw = np.asarray(value)
    whole = raw.size and np.issubdtype(raw.dtype, np.integer)
    owner = as_labels(raw, n_references, max(int(raw.max()) + 1, 1) if whole else 1, "reference_labels")
    return owner, as_positive_int(int(owner.max()) + 1, "the number of classes", minimum=2)


def _class_means(exemplars: Any, owner: NDArray[np.int64]) -> Any:
    share = 1.0 / np.bincount(owner)[owner]
    return sparse.csr_array((share, (owner, np.arange(owner.size)))) @ exemplars


def _block_scores(points: Any, exemplars: Any, metric: str, method: str) -> BlockScores:
    if sparse.issparse(points) != sparse.issparse(exemplars):
        raise ValueError("test and references must be both sparse or both dense")
    if metric == "cosine":
        _check_no_zero_row(points, "test")
        _check_no_zero_row(exemplars, "references")
    if sparse.issparse(points):
        if metric == "euclidean":
            raise ValueError("metric must be 'inner_product' or 'cosine' for sparse input, not 'euclidean'")
        return SparseProduct(points, exemplars, metric)
    if metric == "euclidean" and (method == "direct" or (method == "auto" and points.shape[1] <= _FEW)):
        return FewDimensions(points, exemplars)
    return MatrixProduct(points, exemplars, metric)


def _check_no_zero_row(array: Any, name: str) -> None:
    filled = np.diff(array.indptr) > 0 if sparse.issparse(array) else array.any(axis=1)
    if not filled.all():
        raise ValueError(f"{name} must have no zero row with metric='cosine', but row {int(np.argmin(filled))} is")


def _row_blocks(n_rows: int, step: int, progress: bool) -> Iterator[slice]:
    blocks = [slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step)]
    if not progress:
        yield from blocks
        return
    from tqdm import tqdm

    with tqdm(total=n_rows, unit=" points", desc="ranks") as bar:
        for rows in blocks:
            yield rows
            bar.update(rows.stop - rows.start)


def _count_callable(
    tally: Tally, rows: slice, metric: Callable[[Any, Any], ArrayLike], points: Any, exemplars: Any, classes: _Classes
) -> None:
    """Count a block whose scores the caller's function computes; they are compared as they come."""
    block = as_finite_array(metric(points[rows], exemplars), "the scores that metric returns", ndim=2)
    expected = (rows.stop - rows.start, exemplars.shape[0])
    if block.shape != expected:
        raise ValueError(f"the scores that metric returns must have shape {expected}, but have {block.shape}")
    if not classes.single:
        block = np.maximum.reduceat(block[:, classes.order], classes.starts[:-1], axis=1)
    count_scores(tally, rows, block, np.zeros(block.shape[1], dtype=block.dtype))


@dataclass(frozen=True)
class _Classes:
    """References brought together by class: class c owns ``order[starts[c]:starts[c + 1]]``."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    single: bool

    @classmethod
    def of(cls, owner: NDArray[np.int64] | None, n_references: int) -> _Classes:
        """Group references by their owners; None gives each reference a class of its own."""
        if owner is None:
            return cls(np.arange(n_references), np.arange(n_references + 1), True)
        order = np.argsort(owner, kind="stable")
        return cls(order, np.searchsorted(owner[order], np.arange(int(owner.max()) + 2)), False)

    def blocks(self, most: int) -> Iterator[tuple[int, int]]:
        """Ranges of whole classes with at most `most` references (one class may have more)."""
        first = 0
        while first < self.starts.size - 1:
            last = int(np.searchsorted(self.starts, self.starts[first] + most, side="right")) - 1
            last = max(last, first + 1)
            yield first, last
            first = last

    def members(self, classes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All references of each entry of `classes`, with the entry each belongs to."""
        count = self.starts[classes + 1] - self.starts[classes]
        entry = np.repeat(np.arange(classes.size), count)
        within = np.arange(entry.size) - np.repeat(np.cumsum(count) - count, count)
        return entry, self.order[self.starts[classes[entry]] + within]


class _Comparison:
    """Counts blocks of test points against all references: fast where it is certain, exactly where not."""

    def __init__(self, points: Any, exemplars: Any, metric: str, scores: BlockScores, classes: _Classes) -> None:
        self._points, self._exemplars, self._metric = points, exemplars, metric
        self._scores, self._classes = scores, classes

    def count(self, tally: Tally, rows: slice, n_columns: int) -> None:
        """Add a block of test points to the tally, `n_columns` references at a time."""
        own = tally.labels[rows]
        point = self._scores.points(rows)
        truth = self._best_own(point, own)
        # both scores of a comparison may err
        band = 2 * self._scores.bound(point, truth)
        beaten = tally.empty_counts(own.size)
        tied: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        for first, last in self._classes.blocks(n_columns):
            block, offset = self._class_block(point, first, last)
            row, label = count_with_band(block, offset, *_outward(truth, band, block.dtype), first, own, beaten)
            sign = np.zeros(row.size, dtype=np.int8)
            # without a band the stored scores are exact, and what lies between them ties
            open_ = band[row] > 0
            sign[open_] = self._exact(rows, own, row[open_], label[open_])
            np.add.at(beaten, (row[sign < 0], label[sign < 0] % tally.n_groups), 1)
            tied.append((row[sign == 0], label[sign == 0]))
        tally.add(rows, beaten, *(np.concatenate(part) for part in zip(*tied, strict=True)))

    def _best_own(self, point: Any, own: NDArray[np.int64]) -> NDArray[np.float64]:
        starts, order = self._classes.starts, self._classes.order
        count = starts[own + 1] - starts[own]
        best = np.full(own.size, -np.inf)
        for position in range(int(count.max())):
            reference = order[starts[own] + np.minimum(position, count - 1)]
            best = np.maximum(best, self._scores.own(point, reference))
        return best

    def _class_block(self, point: Any, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any]]:
        starts = self._classes.starts
        if self._classes.single:
            return self._scores.block(point, slice(first, last))
        block, offset = self._scores.block(point, self._classes.order[starts[first] : starts[last]])
        best = np.maximum.reduceat(block - offset, starts[first:last] - starts[first], axis=1)
        return best, np.zeros(best.shape[1], dtype=best.dtype)

    def _exact(
        self, rows: slice, own: NDArray[np.int64], row: NDArray[np.int64], label: NDArray[np.int64]
    ) -> NDArray[np.int8]:
        """Sign of the best score of class `label` minus that of the true class, for each row listed."""
        if row.size == 0:
            return np.empty(0, dtype=np.int8)
        distinct, place = np.unique(row, return_inverse=True)
        best = self._exact_best(distinct + rows.start, own[distinct])
        entry, reference = self._classes.members(label)
        pairs = (row[entry] + rows.start, reference, best[place[entry]])
        sign = np.full(row.size, -1, dtype=np.int8)
        np.maximum.at(sign, entry, exact_signs(self._points, self._exemplars, pairs, self._metric))
        return sign

    def _exact_best(self, row: NDArray[np.int64], own: NDArray[np.int64]) -> NDArray[np.int64]:
        """The reference of its own class that each row scores highest."""
        starts, order = self._classes.starts, self._classes.order
        count = starts[own + 1] - starts[own]
        best = order[starts[own]]
        for position in range(1, int(count.max())):
            more = np.flatnonzero(count > position)
            challenger = order[starts[own[more]] + position]
            sign = exact_signs(self._points, self._exemplars, (row[more], challenger, best[more]), self._metric)
            best[more] = np.where(sign > 0, challenger, best[more])
        return best


def _outward(truth: NDArray[np.float64], band: NDArray[np.float64], dtype: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Ends of the band in the precision of the block, rounded outward; a band of zero stays."""
    low, high = (truth - band).astype(dtype), (truth + band).astype(dtype)
    wide = band > 0
    low[wide] = np.nextafter(low[wide], -np.inf, dtype=dtype)
    high[wide] = np.nextafter(high[wide], np.inf, dtype=dtype)
    return low, high
