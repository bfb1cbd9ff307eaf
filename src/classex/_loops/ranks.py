"""Loops behind the ranks of the correct label: counting, the best of each class, squared distances, sparse products."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classex._loops import loop

__all__ = ["best_of_classes", "count_block", "fill_sparse_products", "fill_squared_distances", "sums_by_class_group"]


def sums_by_class_group(flags: NDArray[np.bool_], n_groups: int) -> NDArray[np.int32]:
    """Number of classes of each group, class c in group ``c % n_groups``, along the last axis."""
    *shape, n_columns = flags.shape
    rounds = np.pad(flags, [(0, 0)] * len(shape) + [(0, -n_columns % n_groups)])
    return np.asarray(rounds.reshape(*shape, rounds.shape[-1] // n_groups, n_groups).sum(axis=-2, dtype=np.int32))


def _count_block(
    block: NDArray[Any],
    offset: NDArray[Any],
    low: NDArray[Any],
    high: NDArray[Any],
    first: int,
    own: NDArray[np.int64],
    group: int,
    beaten: NDArray[np.int32],
    between: NDArray[np.int64],
) -> None:
    value, n_groups = block - offset, beaten.shape[1]
    below = value < low[:, np.newaxis]
    beaten += np.roll(sums_by_class_group(below, n_groups), group % n_groups, axis=1)
    inside = np.count_nonzero(value <= high[:, np.newaxis], axis=1) - np.count_nonzero(below, axis=1)
    between[:] = inside - ((first <= own) & (own < first + block.shape[1]))


@loop(_count_block)
def count_block(
    block: NDArray[Any],
    offset: NDArray[Any],
    low: NDArray[Any],
    high: NDArray[Any],
    first: int,
    own: NDArray[np.int64],
    group: int,
    beaten: NDArray[np.int32],
    between: NDArray[np.int64],
) -> None:
    """Count, in a block of scores, what lies surely below the truth, and what is too close to call.

    The score of column c is ``block[row, c] - offset[c]``; below ``low[row]`` the truth beats it, up to
    ``high[row]`` it is in between; the truth itself, class ``own[row]``, always is, and is left out. Column c of
    the block is class ``first + c``, in group ``(group + c) % beaten.shape[1]``.
    """
    n_columns = block.shape[1]
    n_groups = beaten.shape[1]
    for row in range(block.shape[0]):
        lo = low[row]
        hi = high[row]
        in_between = np.int32(0)
        column = 0
        start = group % n_groups
        while column < n_columns:
            # one run of columns whose groups follow each other: the loop over it vectorises
            length = min(n_groups - start, n_columns - column)
            score = block[row, column : column + length]
            off = offset[column : column + length]
            count = beaten[row, start : start + length]
            for i in range(length):
                value = score[i] - off[i]
                below = np.int32(value < lo)
                count[i] += below
                in_between += np.int32(value <= hi) - below
            column += length
            start = 0
        between[row] = in_between - (first <= own[row] < first + n_columns)


def _best_of_classes(block: NDArray[Any], offset: NDArray[Any], starts: NDArray[np.int64], best: NDArray[Any]) -> None:
    np.maximum.reduceat(block - offset, starts[:-1], axis=1, out=best)


@loop(_best_of_classes, fastmath={"nnan", "nsz"})
def best_of_classes(block: NDArray[Any], offset: NDArray[Any], starts: NDArray[np.int64], best: NDArray[Any]) -> None:
    """Fill ``best[row, c]`` with the greatest ``block[row, i] - offset[i]``, i from starts[c] to starts[c + 1]."""
    for row in range(block.shape[0]):
        for c in range(starts.size - 1):
            score = block[row, starts[c] : starts[c + 1]]
            off = offset[starts[c] : starts[c + 1]]
            greatest = score[0] - off[0]
            for i in range(1, score.size):
                greatest = max(greatest, score[i] - off[i])
            best[row, c] = greatest


def _fill_squared_distances(points: NDArray[Any], features: NDArray[Any], out: NDArray[Any]) -> None:
    out[:] = 0
    for x, feature in zip(points.T, features, strict=True):
        out -= np.square(np.subtract.outer(x, feature[: out.shape[1]]))


@loop(_fill_squared_distances, fastmath={"contract"})
def fill_squared_distances(points: NDArray[Any], features: NDArray[Any], out: NDArray[Any]) -> None:
    """Fill `out` with minus the squared distance of every point to as many columns of `features`.

    `features` holds a reference in each column (and may have more columns), so that the inner loops vectorise, five
    features to a pass; tiles stay in the first cache. Contraction to fused multiply-adds rounds less, never more.
    """
    tile = 512
    n_features = points.shape[1]
    for first in range(0, out.shape[1], tile):
        last = min(first + tile, out.shape[1])
        for row in range(points.shape[0]):
            here = out[row, first:last]
            here[:] = 0
            d = 0
            while d + 5 <= n_features:
                x, y, z = points[row, d], points[row, d + 1], points[row, d + 2]
                v, w = points[row, d + 3], points[row, d + 4]
                a, b, c = features[d, first:last], features[d + 1, first:last], features[d + 2, first:last]
                e, f = features[d + 3, first:last], features[d + 4, first:last]
                for i in range(last - first):
                    near = (x - a[i]) * (x - a[i]) + (y - b[i]) * (y - b[i]) + (z - c[i]) * (z - c[i])
                    here[i] -= near + ((v - e[i]) * (v - e[i]) + (w - f[i]) * (w - f[i]))
                d += 5
            while d + 2 <= n_features:
                x, y = points[row, d], points[row, d + 1]
                a, b = features[d, first:last], features[d + 1, first:last]
                for i in range(last - first):
                    here[i] -= (x - a[i]) * (x - a[i]) + (y - b[i]) * (y - b[i])
                d += 2
            if d < n_features:
                x = points[row, d]
                a = features[d, first:last]
                for i in range(last - first):
                    here[i] -= (x - a[i]) * (x - a[i])


def _fill_sparse_products(
    starts: NDArray[Any],
    features: NDArray[Any],
    weights: NDArray[np.float64],
    column_starts: NDArray[Any],
    references: NDArray[Any],
    values: NDArray[np.float64],
    column_of: NDArray[np.int32],
    out: NDArray[np.float64],
) -> None:
    n_features = column_starts.size - 1
    points = sparse.csr_array((weights, features, starts), (out.shape[0], n_features))
    by_feature = sparse.csr_array((values, references, column_starts), (n_features, column_of.size))
    products = (points @ by_feature).tocsc()
    used = np.flatnonzero(column_of >= 0)
    out[:, column_of[used]] = products[:, used].toarray()


@loop(_fill_sparse_products)
def fill_sparse_products(
    starts: NDArray[Any],
    features: NDArray[Any],
    weights: NDArray[np.float64],
    column_starts: NDArray[Any],
    references: NDArray[Any],
    values: NDArray[np.float64],
    column_of: NDArray[np.int32],
    out: NDArray[np.float64],
) -> None:
    """Fill `out` with the inner products of sparse points, by rows, with sparse references, by features.

    Point p has ``weights[i]`` at ``features[i]``, i from starts[p] to starts[p + 1], and feature f has ``values[i]``
    at ``references[i]``, i from column_starts[f] to column_starts[f + 1]. Reference r is column ``column_of[r]`` of
    `out`, or none of them where that is negative.
    """
    for row in range(out.shape[0]):
        here = out[row]
        here[:] = 0
        for entry in range(starts[row], starts[row + 1]):
            weight = weights[entry]
            feature = features[entry]
            for i in range(column_starts[feature], column_starts[feature + 1]):
                column = column_of[references[i]]
                if column >= 0:
                    here[column] += weight * values[i]
