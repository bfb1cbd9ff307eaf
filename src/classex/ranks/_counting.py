"""Count a block of scores against the truth's score, with a band of doubt around it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._kernels.ranks import count_block, list_between

__all__ = ["count_with_band"]


def count_with_band(
    block: NDArray[Any],
    offset: NDArray[Any],
    low: NDArray[Any],
    high: NDArray[Any],
    first: int,
    own: NDArray[np.int64],
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
    beaten : ndarray of shape (n_rows, n_groups)
        Counts by group, added to in place.
    """
    between = np.empty(block.shape[0], dtype=np.int64)
    count_block(block, offset, low, high, first, own, beaten, between)
    rows = np.flatnonzero(between)
    count = between[rows]
    classes = np.empty(int(count.sum()), dtype=np.int64)
    list_between(block, offset, low, high, first, own, rows, np.cumsum(count) - count, classes)
    return np.repeat(rows, count), classes
