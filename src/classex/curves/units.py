"""What units of test points, such as subjects, add to a variance over classes: the one place where it is computed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._estimates import UnitSpread
from classex._rates import varies
from classex._types import FloatArray, IntArray
from classex.ranks._ranks import CorrectRanks

__all__ = ["cells_of_points", "degrees_of_freedom", "satterthwaite", "unit_deviations"]


def cells_of_points(first: IntArray, units: IntArray) -> tuple[IntArray, IntArray]:
    """Cell of each test point, one for each pair of class (or cluster) and unit, and the unit of each cell."""
    n = int(first.max()) + 1
    code, cell = np.unique(units * n + first, return_inverse=True)
    return cell, code // n


def unit_deviations(
    own: FloatArray, weight: NDArray[Any], unit: IntArray, scale: ArrayLike = 0.0
) -> tuple[FloatArray, UnitSpread]:
    r"""Deviations of a weighted mean that units add to those of classes.

    The variance over units contains that of single cells, which the variance over classes contains too. Rows are the
    jackknife deviations of the units, times :math:`\sqrt{1 - V_{\text{cells}} / V_{\text{units}}}`, or 0.

    Parameters
    ----------
    own : ndarray of shape (n_cells, n_functions)
        Weighted sums of what is averaged over each cell: the points of one class and one unit.
    weight : ndarray of shape (n_cells,)
        Weight of each cell.
    unit : ndarray of shape (n_cells,)
        Its unit, numbered from 0. A single one adds nothing.
    scale : float or ndarray of shape (n_functions,)
        Size of the numbers that errors are compared with, so that rounding does not count.

    Returns
    -------
    ndarray of shape (n_units, n_functions)
        Under the deviations of classes, so that the Gram matrix of all rows is the covariance.
    UnitSpread
        How much the units differ.
    """
    sums = np.zeros((int(unit.max()) + 1, own.shape[1]))
    np.add.at(sums, unit, own)
    shares = np.bincount(unit, weights=weight)
    if shares.size < 2:  # a part of the data may come from one unit
        none = np.zeros((2, own.shape[1]))
        return none[:1], UnitSpread(1, *none)
    units, cells = _left_out(sums, shares), _left_out(own, weight)
    whole, alone = (np.square(deviations).sum(axis=0) for deviations in (units, cells))
    share = np.divide(whole - alone, whole, out=np.zeros_like(whole), where=varies(np.sqrt(whole), scale))
    # the variance of a mean is that of one of so many equal units
    number = shares.sum() ** 2 / np.square(shares).sum()
    spread = UnitSpread(shares.size, number * whole, number * alone)
    return units * np.sqrt(np.maximum(share, 0.0)), spread


def _left_out(own: FloatArray, weight: NDArray[Any]) -> FloatArray:
    """Deviations of groups, from leaving each out of a weighted mean: their Gram matrix is the jackknife covariance."""
    total, n = weight.sum(), weight.size
    centred = own - weight[:, np.newaxis] * (own.sum(axis=0) / total)
    return np.asarray(np.sqrt(1 - 1 / n) * centred / (total - weight)[:, np.newaxis])


def degrees_of_freedom(deviation: FloatArray, ranks: CorrectRanks) -> FloatArray:
    """Degrees of freedom of the variances in the columns of deviations, by Satterthwaite's formula."""
    if ranks.point_units is None:
        return np.full(deviation.shape[1], max(ranks.n_units - 1.0, 1.0))
    square, n_units = np.square(deviation), int(ranks.point_units.max()) + 1
    over_classes, over_units = square[:-n_units].sum(axis=0), square[-n_units:].sum(axis=0)
    return satterthwaite(over_classes, ranks.n_units - 1, over_units, n_units - 1)


def satterthwaite(first: FloatArray, first_df: float, second: FloatArray, second_df: float) -> FloatArray:
    """Degrees of freedom of the sum of two variances; those of the first alone if the second is 0."""
    whole = np.square(first + second)
    parts = np.square(first) / max(first_df, 1) + np.square(second) / max(second_df, 1)
    known = np.isfinite(parts) & (parts > 0)
    return np.asarray(np.divide(whole, parts, out=np.full(whole.shape, float(max(first_df, 1))), where=known))
