"""Sums among the numbers that were summed."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["refuse_total_column", "refuse_totals"]

# Numbers that add up by chance are unlikely from three rows and columns on, and with more than a few counts
_LEAST = 3
# Decimals that people keep: sums of six-decimal numbers are equal to this share
_ROUNDING = 1e-6


def refuse_totals(table: NDArray[Any], name: str, *, rows_only: bool = False) -> None:
    """Refuse a table of counts whose first or last row, and column, hold the sums of the others; warn of either.

    Parameters
    ----------
    table : ndarray of shape (..., n_rows, n_columns)
        Counts.
    name : str
        What the table is, for the message.
    rows_only : bool
        Whether only a row may hold sums, since the columns are different things.
    """
    row, column = _of_others(table, 2), "" if rows_only else _of_others(np.swapaxes(table, -1, -2), _LEAST)
    totals = [f"{where} {what}" for where, what in ((row, "row"), (column, "column")) if where]
    if not totals:
        return
    what = f"{name} seems to contain totals: the {' and the '.join(totals)}"
    what += f" {'holds' if len(totals) == 1 else 'hold'} the sums of the others"
    if len(totals) == 2 or rows_only:
        raise ValueError(f"{what}: leave them out")
    warnings.warn(f"{what}. If so, leave it out", UserWarning, stacklevel=3)


def _of_others(table: NDArray[Any], least: int) -> str:
    """Whether the first or the last row is the sum of the others, in a table with something in each column."""
    if table.shape[-2] < _LEAST or table.shape[-1] < least or not np.isfinite(table).all():
        return ""
    for where, index in (("last", -1), ("first", 0)):
        total = table[..., index, :]
        if (2 * total == table.sum(axis=-2)).all() and np.count_nonzero(total) >= 2:
            return where
    return ""


def refuse_total_column(scores: NDArray[Any], names: Sequence[Any], labels: NDArray[Any], where: str) -> None:
    """Refuse a matrix of scores with a column that is the sum of the others, and the correct class of no row."""
    if scores.shape[0] < _LEAST or scores.shape[1] < _LEAST or not np.isfinite(scores).all():
        return
    size = np.abs(scores).sum(axis=1, keepdims=True)
    summed = (np.abs(2 * scores - scores.sum(axis=1, keepdims=True)) <= _ROUNDING * size).all(axis=0)
    for column in np.flatnonzero(summed & (scores != 0).any(axis=0)).tolist():
        if names[column] not in labels:
            raise ValueError(f"{where}: column {names[column]!r} holds the sums of the other columns: leave it out")
