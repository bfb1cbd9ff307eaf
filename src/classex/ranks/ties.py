"""Random tie-breaking on a few nodes, as every part of the package counts it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from classex._kernels.ties import MOST_TIE_NODES, fill_tie_nodes

__all__ = ["MOST_TIE_NODES", "tie_nodes"]


def tie_nodes(ties: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Spread points over the wins that random tie-breaking can give them.

    A point with t ties wins u more, u = 0..t, each with the same probability; beyond 33 values of u, 33 equally
    spaced ones stand for them.

    Parameters
    ----------
    ties : ndarray of int64 of shape (n_points,)
        Number of ties of each point.

    Returns
    -------
    point : ndarray of int64 of shape (n_nodes,)
        Point of each node, in ascending order.
    extra : ndarray of int64 of shape (n_nodes,)
        Value of u.
    start : ndarray of int64 of shape (n_points,)
        First node of each point.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.ranks.ties import tie_nodes
    >>> tie_nodes(np.array([0, 2]))
    (array([0, 1, 1, 1]), array([0, 0, 1, 2]), array([0, 1]))
    """
    count = np.minimum(ties + 1, MOST_TIE_NODES)
    start = np.cumsum(count) - count
    point, extra = (np.empty(int(count.sum()), dtype=np.int64) for _ in range(2))
    fill_tie_nodes(ties, start, point, extra)
    return point, extra, start
