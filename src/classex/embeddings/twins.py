"""Queries that are references themselves: a gallery that contains the test points."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classex._types import IntArray

__all__ = ["references_excluded"]

# Numbers of a piece of the rows, 8 MB; and any seed of the multipliers
_PIECE, _SEED = 2**20, 0


def references_excluded(
    points: Any, references: Any, labels: IntArray, owner: IntArray | None, *, exclude: bool, first: int = 0
) -> IntArray:
    """Reference that each test point leaves out, the first of its class with the same numbers; -1 without `exclude`.

    Rows of test points are numbered from `first`.

    Raises
    ------
    ValueError
        If a point is to be excluded that has no such reference, or whose class has no other one.

    Warns
    -----
    UserWarning
        If points are not excluded that have such a reference, in a class with others.
    """
    none = np.full(labels.size, -1)
    if owner is None:
        if exclude:
            raise ValueError("exclude_self needs classes with several references, whose classes are reference_labels")
        return none
    twin = _twins(points, references, labels, owner)
    alone = np.bincount(owner)[labels] == 1
    if not exclude:
        if n_equal := np.count_nonzero((twin >= 0) & ~alone):
            warnings.warn(
                f"{n_equal:,} of {twin.size:,} test points equal a reference of their own class, which they always"
                " match: if the references contain the test points, give exclude_self=True (--exclude-self)",
                UserWarning,
                stacklevel=3,
            )
        return none
    for bad, why in ((twin < 0, "equals no reference of its class"), (alone, "is the only reference of its class")):
        if bad.any():
            row = first + int(bad.argmax())
            raise ValueError(f"exclude_self needs test points among the references, but row {row} {why}")
    return twin


def _twins(points: Any, references: Any, labels: IntArray, owner: IntArray) -> IntArray:
    """Return the first reference of its class that equals each point, or -1."""
    number = np.unique(np.concatenate([_marks(references), _marks(points)]), return_inverse=True)[1]
    code = number * (int(owner.max()) + 1) + np.concatenate([owner, labels])
    known, first = np.unique(code[: owner.size], return_index=True)
    position = np.minimum(np.searchsorted(known, code[owner.size :]), known.size - 1)
    return np.where(known[position] == code[owner.size :], first[position], -1).astype(np.int64)


def _marks(rows: Any) -> NDArray[np.uint64]:
    """Return a number for each row: equal rows share one, and others do with a chance below 2^-40."""
    multipliers = np.random.default_rng(_SEED).integers(2**64, size=rows.shape[1], dtype=np.uint64) | np.uint64(1)
    out = np.empty(rows.shape[0], dtype=np.uint64)
    step = max(1, _PIECE // rows.shape[1])
    for first in range(0, out.size, step):
        piece = rows[first : first + step]
        dense = piece.toarray() if sparse.issparse(piece) else piece
        # adding 0 makes -0 and 0 alike
        bits = np.ascontiguousarray(dense, dtype=np.float64) + 0.0
        word = bits.view(np.uint64)
        out[first : first + step] = ((word ^ (word >> np.uint64(32))) * multipliers).sum(axis=1, dtype=np.uint64)
    return out
