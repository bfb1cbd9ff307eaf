"""Linear interpolation between many knots, for many values in no order."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from classex._kernels.threads import by_rows, constant

FloatArray = NDArray[np.float64]

_CELLS = 4096


def interpolate(values: NDArray[Any], place: FloatArray, level: FloatArray) -> NDArray[np.float32]:
    """Levels at a matrix of values, in single precision: straight between ascending places, constant beyond the ends.

    What `numpy.interp` does, but every value's search starts in one of many equal cells of the range.
    """
    starts = np.searchsorted(place, np.linspace(place[0], place[-1], _CELLS + 1), "right") - 1
    knots, heights, first = constant(place), constant(level), constant(starts, np.int64)
    out = np.empty(values.shape, dtype=np.float32)

    def work(rows: slice) -> None:
        _interpolate(constant(values[rows]), knots, heights, first, out[rows])

    by_rows(work, *values.shape)
    return out


@numba.njit(cache=True, nogil=True)
def _interpolate(
    values: FloatArray, place: FloatArray, level: FloatArray, first: NDArray[np.int64], out: NDArray[np.float32]
) -> None:
    low, high = place[0], place[-1]
    last, cells = place.size - 1, first.size - 1
    per_unit = cells / (high - low) if high > low else 0.0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            value = values[i, j]
            if value <= low:
                out[i, j] = level[0]
            elif value >= high:
                out[i, j] = level[last]
            else:
                cell = min(int((value - low) * per_unit), cells - 1)
                # rounding may put a value into the next cell
                below, above = max(first[cell] - 1, 0), min(first[cell + 1] + 1, last)
                while above - below > 1:
                    middle = (below + above) // 2
                    if place[middle] <= value:
                        below = middle
                    else:
                        above = middle
                share = (value - place[below]) / (place[above] - place[below])
                out[i, j] = level[below] + share * (level[above] - level[below])
