"""Random tie-breaking on a few nodes: one rule for every loop that spreads a tied point over its wins."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

#: a point with t ties has wins + u, u = 0..t, equally likely; more values than this are thinned to so many
MOST_TIE_NODES = 33


@numba.njit(cache=True, nogil=True)
def n_tie_nodes(ties: int) -> int:
    """Number of values of u that stand for 0..ties."""
    return min(ties + 1, MOST_TIE_NODES)


@numba.njit(cache=True, nogil=True)
def tie_node(node: int, ties: int, n_nodes: int) -> int:
    """Value of u at a node, from 0 at the first to `ties` at the last."""
    return node * ties // max(n_nodes - 1, 1)


@numba.njit(cache=True, nogil=True)
def fill_tie_nodes(
    ties: NDArray[np.int64], start: NDArray[np.int64], point: NDArray[np.int64], extra: NDArray[np.int64]
) -> None:
    """Fill, from ``start[i]`` on, the nodes of point i: its number, and u."""
    for i in range(ties.size):
        n_nodes = n_tie_nodes(ties[i])
        for node in range(n_nodes):
            point[start[i] + node] = i
            extra[start[i] + node] = tie_node(node, ties[i], n_nodes)
