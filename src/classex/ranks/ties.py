"""How ties are broken: the truth beats each of its ties with one chance, which is uniform between 0 and 1.

That is the expectation over random orders of equal scores: of t ties it beats u, and each u = 0, ..., t is as likely.
Three ways to average over it: over u (`tie_nodes`), over u among ties of two kinds (`tie_outcomes`), and over the
chance itself (`tie_quadrature`). `classex.curves.subsets` has the sums over u of averages over subsets in closed form.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from classex._kernels.ranks import MOST_TIE_NODES
from classex._types import FloatArray, IntArray

__all__ = ["LISTED_TIES", "MOST_TIE_NODES", "tie_nodes", "tie_outcomes", "tie_quadrature"]

#: up to this many ties every outcome is listed; beyond, this many of the outcomes, finest near the top
LISTED_TIES = 32
# Nodes of the quadrature over the chance: exact up to 63 ties of a point
_MOST_NODES = 32


def tie_nodes(ties: IntArray) -> tuple[IntArray, IntArray, IntArray]:
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
    >>> from classex.ranks import tie_nodes
    >>> tie_nodes(np.array([0, 2]))
    (array([0, 1, 1, 1]), array([0, 0, 1, 2]), array([0, 1]))
    """
    count = np.minimum(ties + 1, MOST_TIE_NODES)
    start = np.cumsum(count) - count
    point = np.repeat(np.arange(ties.size), count)
    node = np.arange(point.size) - start[point]
    return point, node * ties[point] // np.maximum(count[point] - 1, 1), start


def tie_outcomes(near: int, far: int) -> FloatArray:
    """Ties that a point may win against near and far rivals, with probabilities: rows (near, far, probability)."""
    if near + far <= LISTED_TIES:
        x, y = np.indices((near + 1, far + 1)).reshape(2, -1)
        # the truth beats each with the same uniform chance, over which it is averaged
        log_ways = sum(-special.betaln(n - i + 1, i + 1) - np.log(n + 1) for n, i in ((near, x), (far, y)))
        chance = np.exp(log_ways + special.betaln(x + y + 1, near + far - x - y + 1))
        return np.stack([x, y, chance], axis=1)
    edges = np.unique(np.rint(np.geomspace(1, near + far + 2, LISTED_TIES))) - 1
    lost = np.floor((edges[:-1] + edges[1:] - 1) / 2)
    x = np.rint((near + far - lost) * near / (near + far))
    return np.stack([x, near + far - lost - x, np.diff(edges) / (near + far + 1)], axis=1)


def tie_quadrature(ties: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Point, probability and share of beaten ties at each node: the truth beats ties with one uniform chance."""
    number = np.minimum(ties // 2 + 1, _MOST_NODES)
    rules = {n: np.polynomial.legendre.leggauss(n) for n in np.unique(number).tolist()}
    node, chance = np.concatenate([rules[n] for n in number.tolist()], axis=1) / 2
    return np.repeat(np.arange(ties.size), number), chance, node + 0.5
