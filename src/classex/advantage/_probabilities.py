"""Predicted probabilities as people store them: in half precision, or with a few decimals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_finite_array, as_plain_array
from classex.io.archives import LOG

__all__ = ["as_probability_rows"]

# Decimals that stored probabilities may have been rounded to, and significant digits of a number of 32 bits as text
_DECIMALS, _DIGITS = range(2, 9), 9
# Rows whose digits are counted
_ROWS = 100
# Largest deviation of a sum that can be rounding: with two decimals, that of four classes
_MOST = 0.02


def as_probability_rows(value: ArrayLike, name: str) -> tuple[NDArray[Any], float]:
    """Return probabilities of shape (n_rows, n_classes) that sum to 1 in each row, and the least that one may be.

    One column holds the probability of the second of two classes. Sums may be off by the rounding of the numbers that
    were given; rows that are not sums of 1 to half of the digits are then divided by their sums.

    Raises
    ------
    ValueError
        If an entry lies outside [0, 1], or a row does not sum to 1.
    TypeError
        If the entries are not real numbers.
    """
    given = as_plain_array(value, name)
    p = as_finite_array(given, name, ndim=1 if given.ndim == 1 else 2)
    smallest = float(np.finfo(p.dtype).eps)
    if given.dtype == np.float16:  # whose precision is more than the share of one class among a thousand
        smallest = float(np.finfo(np.float16).smallest_subnormal)
    if p.ndim == 1:
        p = np.column_stack([1 - p, p])
    sums = p.sum(axis=1)
    off, bad = np.abs(sums - 1), (p < 0).any(axis=1) | (p > 1 + smallest).any(axis=1)
    exact = np.sqrt(np.finfo(p.dtype).eps)
    if (off > exact).any():
        bad |= off > max(exact, min(p.shape[1] * _unit(p[off > exact]), _MOST))
    if bad.any():
        row = int(bad.argmax())
        what = f"row {row} sums to {sums[row]:.9g}, with entries from {p[row].min():.6g} to {p[row].max():.6g}"
        raise ValueError(f"{name} must hold probabilities that sum to 1 in each row, but {what}")
    if (off > exact).any():
        LOG.info(
            "%s: rows sum to %.9g to %.9g, as rounded numbers do, and are divided by their sums",
            name,
            sums.min(),
            sums.max(),
        )
        p = p / sums[:, np.newaxis]
    return np.minimum(p, 1.0), smallest


def _unit(p: NDArray[Any]) -> float:
    """Largest rounding error of the entries, from the numbers of bits, decimals or digits that they have."""
    for half in (np.float16, np.float32):
        if (p.astype(half) == p).all():
            return float(np.finfo(half).eps) / 2
    for decimals in _DECIMALS:
        if (np.round(p, decimals) == p).all():
            return 0.5 * 10.0**-decimals
    if all(float(f"{entry:.{_DIGITS}g}") == entry for entry in p[:_ROWS].ravel().tolist()):
        return float(np.finfo(np.float32).eps) / 2
    return 0.0
