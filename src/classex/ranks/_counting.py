"""Count a block of scores against the truth's score, with a band of doubt around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._kernels.products import add_to_groups, count_tiles, recount_tiles
from classex._kernels.ranks import count_block, list_between
from classex.ranks._blocks import MatrixProduct

__all__ = ["Counts", "count_products", "count_scores", "count_with_band"]

#: pairs in doubt that a block seldom exceeds
_LISTED = 4096


@dataclass(frozen=True)
class Counts:
    """Wrong labels that some test points beat and tie with, by group of classes.

    Attributes
    ----------
    beaten : ndarray of shape (n_rows, n_groups)
        Labels that score below the truth.
    tied : ndarray of shape (n_rows, n_groups), or (0, n_groups)
        Labels that score the same; no rows where nothing ties.
    """

    beaten: NDArray[np.int32]
    tied: NDArray[np.int32]

    @classmethod
    def none(cls, n_rows: int, n_groups: int) -> Counts:
        """Nothing beaten, nothing tied."""
        return cls(np.zeros((n_rows, n_groups), dtype=np.int32), np.zeros((0, n_groups), dtype=np.int32))

    def plus(self, other: Counts) -> Counts:
        """Counts of the same test points over two sets of classes together; neither is changed."""
        tied = self.tied if other.tied.shape[0] == 0 else other.tied
        if self.tied.shape[0] and other.tied.shape[0]:
            tied = self.tied + other.tied
        return Counts(self.beaten + other.beaten, tied)

    def plus_ties(self, rows: NDArray[np.int64], groups: NDArray[np.int64]) -> Counts:
        """Add listed ties, in place where there are some already."""
        if rows.size == 0:
            return self
        tied = self.tied if self.tied.shape[0] else np.zeros_like(self.beaten)
        np.add.at(tied, (rows, groups), 1)
        return Counts(self.beaten, tied)


def count_with_band(
    block: NDArray[Any],
    offset: NDArray[Any],
    low: NDArray[Any],
    high: NDArray[Any],
    first: int,
    own: NDArray[np.int64],
    group: int,
    beaten: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Add the wrong labels surely below the truth to `beaten`; return (row, class) of those in doubt.

    Parameters
    ----------
    block : ndarray of shape (n_rows, n_columns)
        Scores, of which ``offset[column]`` is still to be subtracted.
    offset : ndarray of shape (n_columns,)
        What to subtract.
    low, high : ndarray of shape (n_rows,)
        Band around the score of the truth: below it a label is beaten, above it it wins.
    first : int
        Class of the block's first column.
    own : ndarray of shape (n_rows,)
        Correct class of each row.
    group : int
        Group of the block's first column, modulo the number of groups.
    beaten : ndarray of shape (n_rows, n_groups)
        Counts by group, added to in place.
    """
    between = np.empty(block.shape[0], dtype=np.int64)
    count_block(block, offset, low, high, first, own, group, beaten, between)
    rows = np.flatnonzero(between)
    count = between[rows]
    classes = np.empty(int(count.sum()), dtype=np.int64)
    list_between(block, offset, low, high, first, own, rows, np.cumsum(count) - count, classes)
    return np.repeat(rows, count), classes


def count_products(
    scores: MatrixProduct,
    points: NDArray[np.float32],
    columns: slice,
    ends: tuple[NDArray[np.float32], NDArray[np.float32]],
    own: NDArray[np.int64],
    group: int,
    beaten: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Do what `count_with_band` does, for products that are compared as they are made.

    Parameters
    ----------
    scores : MatrixProduct
        The references, one of each class, in single precision.
    points : ndarray of shape (n_rows, n_features)
        Test points, as `scores` prepared them.
    columns : slice
        Classes.
    ends, own, group, beaten
        The band, the correct classes, the group of the first class, and the counts, as in `count_with_band`.
    """
    packed, start = scores.tiles(columns, beaten.shape[1])
    first = columns.start
    n_rows, n_groups = beaten.shape
    n_tiles, n_rounds, n_features, _ = packed.shape
    below, between = scores.counts(n_rows, n_tiles)
    flat = points.ravel(), packed.ravel(), start.ravel()
    count_tiles(*flat, (n_rows, n_tiles, n_rounds, n_features), *ends, below.ravel(), between.ravel())
    here = np.where((own >= first) & (own < columns.stop), own - first, -1)
    again = (points, packed, start, *ends, here, n_groups, below, between)
    listed = np.empty((_LISTED, 2), dtype=np.int64)
    n_listed = recount_tiles(*again, listed)
    if n_listed > _LISTED:
        listed = np.empty((n_listed, 2), dtype=np.int64)
        recount_tiles(*again, listed)
    add_to_groups(below, group, beaten)
    return listed[:n_listed, 0], listed[:n_listed, 1] + first


def count_scores(block: NDArray[Any], own: NDArray[np.int64], n_groups: int) -> Counts:
    """Count rows whose stored scores are compared as they are: equal scores tie."""
    counts = Counts.none(own.size, n_groups)
    truth = block[np.arange(own.size), own]
    offset = np.zeros(block.shape[1], dtype=block.dtype)
    row, label = count_with_band(block, offset, truth, truth, 0, own, 0, counts.beaten)
    return counts.plus_ties(row, label % n_groups)
