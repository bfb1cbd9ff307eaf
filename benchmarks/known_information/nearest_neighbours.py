"""The comparator: mutual information by nearest neighbours (Kraskov, Stögbauer and Grassberger 2004).

scikit-learn's ``mutual_info_regression`` is the same estimator for one feature and one target only; vectors on
both sides need this one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import digamma


def nearest_neighbour_information(x: NDArray[np.float64], y: NDArray[np.float64], *, neighbours: int = 3) -> float:
    r"""First estimator of Kraskov et al., in nats, from pairs of vectors with a joint density.

    .. math:: \hat I = \psi(k) + \psi(N) - \langle \psi(n_x + 1) + \psi(n_y + 1) \rangle,

    with n_x the number of other points closer to a point in x, in the maximum norm, than its k-th neighbour in the
    joint space. Each coordinate is first scaled to variance 1.

    Parameters
    ----------
    x : ndarray of shape (n, p)
        One side of the pairs.
    y : ndarray of shape (n, q)
        The other side.
    neighbours : int
        Number k of neighbours.

    Returns
    -------
    float
        The estimate; it may be negative.
    """
    # all distances at once: in many dimensions no search tree does better
    sides = [cdist(side, side, "chebyshev") for side in (x / x.std(axis=0), y / y.std(axis=0))]
    reach = np.partition(np.maximum(*sides), neighbours, axis=1)[:, neighbours]
    # strictly closer, the point itself included in the count
    counts = [(side < reach[:, np.newaxis]).sum(axis=1) for side in sides]
    n = x.shape[0]
    return float(digamma(neighbours) + digamma(n) - sum(digamma(count).mean() for count in counts))
