"""Decide, without rounding, which of two references a test point scores higher."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classex._kernels.exact import compare_pairs
from classex.embeddings.classes import ClassesOfReferences

__all__ = ["best_of_own", "exact_signs"]

# products of smaller numbers lose bits
_SMALLEST = 1e-140
# numbers gathered at a time
_GATHERED = 2**21
# rounding error of double precision
_UNIT = 2.0**-53


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
        compare_pairs(points, references, *pairs, metric == "euclidean", sign)
        tiny = _has_tiny(points, pairs[0]) | _has_tiny(references, pairs[1]) | _has_tiny(references, pairs[2])
        doubtful = np.flatnonzero(tiny)
    for i in doubtful:
        x, a, b = (
            _stored(array, int(rows[i])) for array, rows in zip((points, references, references), pairs, strict=True)
        )
        sign[i] = _fraction_sign(x, a, b, metric)
    return sign


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
    difference = np.empty(sign.size)
    bound = np.empty(sign.size)
    step = max(1, _GATHERED // n_features)
    for first in range(0, sign.size, step):
        part = slice(first, first + step)
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
