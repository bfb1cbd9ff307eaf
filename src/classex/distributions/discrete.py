"""A distribution of the probit of the favourability on nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from classex._kernels.rank_metrics import expected_given_favourability
from classex._types import FloatArray
from classex.curves.metrics import RankMetric
from classex.distributions.wins import subset_success

__all__ = ["DiscreteDistribution"]


@dataclass(frozen=True)
class DiscreteDistribution:
    """A distribution of the probit of the favourability, on nodes.

    Attributes
    ----------
    nodes : ndarray of shape (n,)
        Values w.
    weight : ndarray of shape (n,)
        Probabilities, summing to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.distributions import DiscreteDistribution
    >>> from classex.methods import probit_normal_accuracy
    >>> distribution = DiscreteDistribution.normal(mu=2**0.5, nu=1.0)
    >>> (
    ...     distribution.accuracy(np.array([2.0, 10.0])).round(6),
    ...     probit_normal_accuracy(2**0.5, 1.0, [2, 10]).round(6),
    ... )
    (array([0.841345, 0.479196]), array([0.841345, 0.479196]))
    """

    nodes: FloatArray
    weight: FloatArray

    @classmethod
    def normal(cls, mu: float, nu: float) -> DiscreteDistribution:
        """Put nodes on a normal distribution, closely enough for any number of classes."""
        n_nodes = 2 * int(np.ceil(9.5 * nu / (min(nu, 0.25) / 8))) + 1
        return cls.smoothed(np.array([mu]), np.array([nu]), np.ones(1), n_nodes, 9.5)

    @classmethod
    def smoothed(
        cls, mean: FloatArray, sd: FloatArray, weight: FloatArray, n_nodes: int = 65, reach: float = 8.0
    ) -> DiscreteDistribution:
        """Mix normal distributions; if there are many, those whose means agree to .02 are merged."""
        if mean.size > 1:
            which = np.unique(np.rint(mean / 0.02), return_inverse=True)[1]
            total = np.bincount(which, weights=weight)
            mean = np.bincount(which, weights=weight * mean) / total
            sd, weight = np.bincount(which, weights=weight * sd) / total, total.astype(np.float64)
        z = np.linspace(-reach, reach, n_nodes)
        share = np.exp(-0.5 * z**2)
        nodes = mean[:, np.newaxis] + sd[:, np.newaxis] * z
        return cls(nodes.ravel(), np.outer(weight, share / share.sum()).ravel())

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        held = self.weight > 0
        return np.minimum(self.weight[held] @ subset_success(self.nodes[held], sizes, top), 1.0)

    def expected(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Mean of a function of the rank for each number of classes: a table of its values must fit into memory."""
        value = metric.values(np.arange(1.0, float(sizes.max(initial=1.0)) + 1))
        held = self.weight > 0
        nodes = self.nodes[held]
        each = expected_given_favourability(ndtr(nodes), ndtr(-nodes), sizes.astype(np.int64), value)
        return np.asarray(self.weight[held] @ each)

    def cdf(self, u: FloatArray) -> FloatArray:
        """Probability that the favourability is at most u, with straight lines between the nodes."""
        order = np.argsort(self.nodes)
        nodes, weight = self.nodes[order], self.weight[order]
        return np.asarray(np.interp(ndtri(u), nodes, np.cumsum(weight) - weight / 2, left=0.0, right=1.0))

    def times(self, ratio: FloatArray, knots: FloatArray) -> DiscreteDistribution:
        """Return the distribution with density multiplied by a piecewise linear ratio, normalised."""
        weight = self.weight * np.interp(self.nodes, knots, ratio)
        return DiscreteDistribution(self.nodes, weight / weight.sum())
