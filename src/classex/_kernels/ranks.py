"""Loops behind the ranks of the correct label and the average accuracy over class subsets."""

from __future__ import annotations

from math import exp, lgamma
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from classex._kernels.threads import by_rows, constant

#: comparisons up to which NumPy serves and nothing is compiled
FEW = 2**20
# the same for factors of products, where NumPy takes several times as long as the compiled loop: half a millisecond
_FEW_FACTORS = 2**17
#: a point with t ties has wins + u, u = 0..t, equally likely; more values than this are thinned to this number
MOST_TIE_NODES = 33
# beyond this number of factors four logarithms of gamma functions take less time
_LONGEST_PRODUCT = 1_000_000
# a product this small only gets smaller
_VANISHED = 1e-300
# usual number of factors of a product, for the size of blocks
_FACTORS = 100.0


@numba.njit(cache=True, nogil=True)
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


@numba.njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
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


@numba.njit(cache=True, nogil=True)
def add_to_table(
    beaten: NDArray[np.int32],
    tied: NDArray[np.int32],
    wins: NDArray[np.int64],
    ties: NDArray[np.int64],
    weights: NDArray[np.float64],
    bin_of_wins: NDArray[np.int16],
    table: NDArray[np.float64],
) -> None:
    """Fill `wins` and `ties`; add each point's weight, at its wins, to the groups of the wrong labels it beats.

    Under random tie-breaking the point has wins + u, u = 0..ties, equally likely, and beats a tied label
    with probability u/ties; many values of u are thinned to `MOST_TIE_NODES`.
    """
    n_groups = table.shape[1]
    for row in range(wins.size):
        wins[row] = beaten[row].sum()
        ties[row] = tied[row].sum()
        n_ties = ties[row]
        n_nodes = min(n_ties + 1, MOST_TIE_NODES)
        weight = weights[row] / n_nodes
        for node in range(n_nodes):
            u = node * n_ties // max(n_nodes - 1, 1)
            here = table[bin_of_wins[wins[row] + u]]
            for group in range(n_groups):
                here[group] += weight * beaten[row, group]
            if n_ties > 0:
                for group in range(n_groups):
                    here[group] += weight * u / n_ties * tied[row, group]


@numba.njit(cache=True)
def _subset_win(wins: int, n_classes: int, k: int) -> float:
    """C(wins, k-1) / C(n_classes-1, k-1), by the shorter of its two products."""
    losses = n_classes - 1 - wins
    if k - 1 > wins:
        return 0.0
    if min(losses, k - 1) > _LONGEST_PRODUCT:
        return exp(lgamma(wins + 1.0) - lgamma(wins - k + 2.0) - lgamma(float(n_classes)) + lgamma(n_classes - k + 1.0))
    p = 1.0
    if losses < k - 1:
        for z in range(losses):
            p *= 1.0 - (k - 1.0) / (n_classes - 1.0 - z)
            if p < _VANISHED:
                return 0.0
    else:
        for z in range(k - 1):
            p *= (wins - z) / (n_classes - 1.0 - z)
            if p < _VANISHED:
                return 0.0
    return p


@numba.njit(cache=True)
def _subset_top(p: float, wins: int, n_classes: int, k: int, top: int) -> float:
    """Pr[fewer than `top` of the k-1 drawn wrong labels beat the truth], from p = Pr[none does]."""
    losses = n_classes - 1 - wins
    first = max(0, k - 1 - wins)
    last = min(top - 1, losses, k - 1)
    if first > last:
        return 0.0
    if first > 0:
        p = 1.0
        for z in range(1, wins + 1):
            p *= (first + z) / (losses + z)
    total = p
    for j in range(first, last):
        p *= (losses - j) * (k - 1.0 - j) / ((j + 1.0) * (wins - k + 2.0 + j))
        total += p
    return min(total, 1.0)


def subset_accuracy(
    wins: NDArray[np.int64], n_classes: int, sizes: NDArray[np.int64], top: int, running: bool
) -> NDArray[np.float64]:
    """Probability, for each number of wins and each (sorted) subset size, that the truth is in the top.

    With `running`, one product runs through all sizes (best for many sizes); otherwise each size has its own.
    """
    most = int(sizes.max(initial=1))
    if top == 1 and wins.size * most <= _FEW_FACTORS:
        factors = np.maximum(np.subtract.outer(wins, np.arange(most - 1)), 0) / (n_classes - np.arange(1.0, most))
        # with one class there is no rival, and the product is empty
        products = np.cumprod(np.hstack([np.ones((wins.size, 1)), factors]), axis=1)
        return np.asarray(products[:, sizes - 1])
    out = np.empty((wins.size, sizes.size))
    of_points, columns = constant(wins, np.int64), constant(sizes, np.int64)

    def work(rows: slice) -> None:
        _subset_accuracy(of_points[rows], n_classes, columns, top, running, out[rows])

    by_rows(work, wins.size, float(columns.max(initial=0)) if running else _FACTORS * sizes.size)
    return out


@numba.njit(cache=True, nogil=True)
def _subset_accuracy(
    wins: NDArray[np.int64],
    n_classes: int,
    sizes: NDArray[np.int64],
    top: int,
    running: bool,
    out: NDArray[np.float64],
) -> None:
    for row in range(wins.size):
        p = 1.0
        z = 0
        for column in range(sizes.size):
            k = sizes[column]
            if running:
                while z < k - 1:
                    p *= max(wins[row] - z, 0) / (n_classes - 1.0 - z)
                    z += 1
            else:
                p = _subset_win(wins[row], n_classes, k)
            out[row, column] = p if top == 1 else _subset_top(p, wins[row], n_classes, k, top)


@numba.njit(cache=True, nogil=True, fastmath={"contract"})
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


@numba.njit(cache=True, nogil=True)
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
