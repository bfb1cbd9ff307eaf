"""Scores and counts on the device that holds the references, in any library of the array API standard.

The numbers that bound the errors come from the processor: it moves the test points and finds each one's own score.
The device multiplies and counts, and names the pairs that are too close to call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classex._arrays import ArrayLibrary, library_of, on_host
from classex._validation import as_finite_array
from classex.io.scores import labels_of_columns, scores_and_labels
from classex.ranks._blocks import LARGEST_SINGLE, MatrixProduct
from classex.ranks._classes import ClassesOfReferences
from classex.ranks._counting import Counts, Doubtful, Truth, count_blocks
from classex.ranks._scores import ranks_of_checked
from classex.results import CorrectRanks

__all__ = ["DeviceProduct", "device_for", "input_rounding", "products_there", "ranks_of_scores_there"]

#: rows and columns of a block of scores on a device, and numbers in its points or references
ROWS, COLUMNS, FEATURES = 2048, 4096, 2**23
#: scores in a block
SCORES = ROWS * COLUMNS


def input_rounding(library: ArrayLibrary, dtype: np.dtype[Any], shape: tuple[int, int, int]) -> float:
    """Bound of the relative rounding of factors before they are multiplied: 0 where the device takes them as they are.

    Many devices may shorten single precision to 11 bits (TF32) or 8 (bfloat16) to multiply faster, as some setting of
    the library says. So ones are multiplied with numbers of every length, in the `shape` (rows, features, columns) of
    a block; what does not come out as it went in was shortened. Among the numbers are those that suffer most: if p
    bits are kept after the first, rounding errs most at ``1 + 2**-(p + 1)``, chopping at the number below 2.
    """
    n_rows, n_features, n_columns = shape
    precision = np.finfo(dtype)
    worst = np.append(1 + 2.0 ** -np.arange(1, precision.nmant + 1), 2 - float(precision.eps)).astype(dtype)
    lost = 0.0
    for swapped in (False, True):
        here, others = (n_columns, n_rows) if swapped else (n_rows, n_columns)
        value = np.resize(worst, max(here, worst.size))[:, np.newaxis]
        ones = np.zeros((others, n_features), dtype=dtype)
        ones[np.arange(others), np.arange(others) % n_features] = 1
        pair = library.send(np.repeat(value, n_features, axis=1)), library.send(ones)
        left, right = pair[::-1] if swapped else pair
        product = on_host(library.xp.matmul(left, right.mT))
        # exact: both are between 1 and 2
        lost = max(lost, float(np.max(np.abs(product - (value.T if swapped else value)))))
    return 2 * lost


class DeviceProduct(MatrixProduct):
    """Matrix products of test points with references that another library holds on its device.

    The standard model of rounding holds for sums in any order, fused or not. Beyond it, the unit roundoff is doubled
    for hardware that chops where it should round; factors that are shortened before they are multiplied (see
    `input_rounding`) widen the band by what they lose; and numbers below the smallest normal one may count as zero.

    Parameters
    ----------
    points, references : ndarray of shape (n, n_features)
        The embeddings in main memory.
    metric : {"euclidean", "inner_product", "cosine"}
        The score.
    dtype : data type
        Precision of the products.
    library : ArrayLibrary
        The references on the device, in their own precision.
    largest : float
        Largest size of a number in either input.
    """

    def __init__(
        self,
        points: NDArray[Any],
        references: NDArray[Any],
        metric: str,
        dtype: Any,
        library: ArrayLibrary,
        largest: float,
    ) -> None:
        super().__init__(points, references, metric, dtype)
        self._library = library
        n_features = points.shape[1]
        most = max(1, FEATURES // n_features)
        self.n_rows, self.n_columns = min(ROWS, most, points.shape[0]), min(COLUMNS, most, references.shape[0])
        lost = input_rounding(library, self.dtype, (self.n_rows, n_features, self.n_columns))
        self._factor = 1.1 * ((n_features + 12) * float(np.finfo(self.dtype).eps) + lost * (2 + lost))
        self._absolute *= 1 + 4 * largest
        self._shift_there = None if self._shift is None else library.send(self._shift)
        wide = np.float64 if library.has(np.float64) else np.float32
        self._norm_there = library.send(self._norm.astype(wide)[:, np.newaxis]) if self._norm.size else None
        self._offset_there = library.send(self._offset[:, np.newaxis])

    def _values(self, points: Any, columns: Any) -> Any:
        """Scores of points on the device against a slice or a list of references, on the device."""
        xp = self._library.xp
        index = None if isinstance(columns, slice) else self._library.send(np.asarray(columns, dtype=np.int32))

        def rows(array: Any) -> Any:
            return array[columns, :] if index is None else xp.take(array, index, axis=0)

        target = rows(self._library.array)
        if target.dtype not in (xp.float32, xp.float64):  # half precision
            target = xp.astype(target, xp.float32)
        if self._shift_there is not None:
            target = target - self._shift_there
        if self._norm_there is not None:
            target = target / rows(self._norm_there)
        target = xp.astype(target, self._library.dtype(self.dtype))
        return xp.matmul(points, target.mT) - rows(self._offset_there).mT

    def block(self, points: NDArray[Any], columns: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        value = on_host(self._values(self._library.send(points), columns))
        return value, np.zeros(value.shape[1], dtype=value.dtype)

    def look(
        self, points: Any, truth: Truth, classes: ClassesOfReferences, beaten: NDArray[np.int32]
    ) -> Iterator[Doubtful]:
        """Count all classes on the device; `beaten` has the counts at the end."""
        library = self._library
        there = library.send(points)
        low, high = (library.send(part[:, np.newaxis]) for part in truth[:2])
        own = library.send(truth.own.astype(np.int32)[:, np.newaxis])
        total = library.send(np.zeros_like(beaten))
        for first, last in classes.blocks(self.n_columns):
            value = self._values(there, classes.references(first, last))
            if not classes.single:
                value = _best(library, value, classes.count(np.arange(first, last)))
            wrong = library.send(np.arange(first, last, dtype=np.int32)[np.newaxis]) != own
            below = (value < low) & wrong
            row, column = library.xp.nonzero((value <= high) & wrong & ~below)
            total = total + _grouped(library, below, first + classes.first_group, beaten.shape[1])
            yield on_host(row).astype(np.int64), on_host(column).astype(np.int64) + first
        beaten += on_host(total)


def _best(library: ArrayLibrary, value: Any, count: NDArray[np.int64]) -> Any:
    """Greatest score of each class, whose columns follow each other: twice as many at a time are compared."""
    xp = library.xp
    last = np.repeat(np.cumsum(count) - 1, count)
    step = 1
    while step < count.max():
        reach = np.minimum(np.arange(last.size) + step, last)
        value = xp.maximum(value, xp.take(value, library.send(reach.astype(np.int32)), axis=1))
        step *= 2
    return xp.take(value, library.send((np.cumsum(count) - count).astype(np.int32)), axis=1)


def _grouped(library: ArrayLibrary, mask: Any, first: int, n_groups: int) -> Any:
    """Number of marked columns of each group, column c of the mask being in group ``(first + c) % n_groups``."""
    xp = library.xp
    n_rows, n_columns = mask.shape
    before = first % n_groups
    after = -(before + n_columns) % n_groups
    # whole rounds of the groups
    sides = [library.send(np.zeros((n_rows, width), dtype=np.int8)) for width in (before, after)]
    whole = xp.concat([sides[0], xp.astype(mask, xp.int8), sides[1]], axis=1)
    return xp.sum(xp.reshape(whole, (n_rows, -1, n_groups)), axis=1, dtype=xp.int32)


def device_for(test: Any, references: Any, exemplars: Any, metric: str, *, averaged: bool) -> ArrayLibrary | None:
    """Return the device to multiply on, with the references there; None: in main memory.

    Parameters
    ----------
    test, references : array_like
        As they were given. The device is that of `references`, or else that of `test`.
    exemplars : ndarray of shape (n_references, n_features)
        References in main memory, or the means of their classes.
    metric : {"euclidean", "inner_product", "cosine"}
        The score.
    averaged : bool
        Whether `exemplars` are means.
    """
    library = library_of(references, test)
    if library is None or sparse.issparse(exemplars) or (metric == "cosine" and _too_short(exemplars)):
        return None
    if averaged or library_of(references) is None or "float" not in str(references.dtype):
        if not library.has(exemplars.dtype):
            return None
        library.array = library.send(exemplars)
    return library


def _too_short(references: NDArray[Any]) -> bool:
    """Whether the cosine with some reference would suffer where tiny numbers count as zero."""
    precision = np.finfo(references.dtype)
    longest = np.maximum(references.max(axis=1), -references.min(axis=1)).astype(np.float64)
    return bool(longest.min() < np.sqrt(references.shape[1]) * float(precision.tiny) / float(precision.eps))


def products_there(
    points: NDArray[Any], exemplars: NDArray[Any], metric: str, device: ArrayLibrary, largest: float
) -> Iterator[DeviceProduct]:
    """Yield products in the precisions that the device supports, the fastest first."""
    for kind in (np.float32, np.float64)[largest >= LARGEST_SINGLE :]:
        if device.has(kind):
            yield DeviceProduct(points, exemplars, metric, kind, device, largest)


def ranks_of_scores_there(library: ArrayLibrary, labels: Any, classes: Any) -> CorrectRanks:
    """Return the ranks from a matrix of scores, counted on its device; see `classex.correct_ranks`."""
    shape, kind = tuple(library.array.shape), str(library.array.dtype)
    if len(shape) != 2 or shape[0] < 1 or shape[1] < 2 or not ("float" in kind or "int" in kind):
        # says why they are refused, or takes one column of scores
        return ranks_of_checked(*scores_and_labels(on_host(library.array), labels, classes, every_class=False))
    truth = labels_of_columns(labels, classes, shape)

    def count(rows: slice, n_groups: int) -> Counts:
        return count_scores_there(library, rows, truth[rows], n_groups)

    return count_blocks(count, truth, shape[1], max(1, SCORES // shape[1]), threads=1)


def count_scores_there(library: ArrayLibrary, rows: slice, own: NDArray[np.int64], n_groups: int) -> Counts:
    """Count a block of rows of scores on their device, compared as they are: equal scores tie."""
    xp = library.xp
    block = library.array[rows, :]
    if not bool(xp.all(xp.isfinite(block))):
        # says which
        as_finite_array(on_host(library.array), "scores", ndim=2)
    flat = np.arange(own.size) * block.shape[1] + own
    truth = xp.take(xp.reshape(block, (-1,)), library.send(flat.astype(np.int32)), axis=0)[:, None]
    label = library.send(np.arange(block.shape[1], dtype=np.int32)[np.newaxis])
    tied = (block == truth) & (label != library.send(own.astype(np.int32)[:, np.newaxis]))
    return np.stack([on_host(_grouped(library, mask, 0, n_groups)) for mask in (block < truth, tied)])
