r"""The distribution of the favourability U* of the correct label of a random test point: what every method returns.

This distribution gives the average accuracy with every number of classes K, as its moment :math:`E\,(U^*)^{K-1}`. A
method fits it to ranks (and scores); `classex.Extrapolator` keeps it and predicts with it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, ndtr, ndtri

from classex._checks import as_class_counts, as_finite_array, as_positive_int
from classex._loops.curves import expected_given_favourability
from classex._types import FloatArray
from classex.curves.metrics import RankMetric, expected_metric, largest_deviation
from classex.distributions.wins import subset_success

__all__ = [
    "DiscreteDistribution",
    "Distribution",
    "Evidence",
    "NodeDistribution",
    "accuracy_of",
    "average_accuracy",
    "beta_weights",
    "confined_accuracy",
    "metric_of",
    "metric_variance",
    "panels",
    "share_of",
]


def average_accuracy(
    discriminability: Callable[[FloatArray], Any], n_classes: ArrayLike, *, top: int = 1
) -> FloatArray:
    r"""Average accuracy of a discriminability function, :math:`1 - (k-1) \int_0^1 D(u) u^{k-2} du`.

    Parameters
    ----------
    discriminability : callable
        D: takes favourabilities of shape (n,) and returns probabilities of the same shape.
    n_classes : int or array_like of int
        Numbers of classes k, up to 10^12.
    top : int
        A point counts as correct when its truth is among the `top` best labels.

    Returns
    -------
    ndarray of shape (n,)
        Average accuracy for each k.

    Raises
    ------
    ValueError
        If a value of D is not finite, or a number of classes or `top` is not accepted.

    Notes
    -----
    Source: journal version theorem 1. By Gauss-Legendre sums over panels that halve towards both ends.

    Examples
    --------
    >>> import classex as cx
    >>> cx.distributions.average_accuracy(lambda u: u**2, [2, 3]).round(6)
    array([0.666667, 0.5     ])
    """
    return accuracy_of(discriminability, as_class_counts(n_classes), as_positive_int(top, "top"))


def accuracy_of(discriminability: Callable[[FloatArray], Any], sizes: FloatArray, m: int = 1) -> FloatArray:
    """Return `average_accuracy` for checked numbers of classes."""
    d = as_finite_array(discriminability(panels()[0]), "the value of discriminability", ndim=1, dtype=np.float64)
    out = np.ones(sizes.size)
    open_ = sizes > m
    if open_.any():
        out[open_] = beta_weights(sizes[open_], m) @ (1.0 - d)
    return out


@cache
def panels(order: int = 20, halvings: int = 53) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Nodes u, their complements 1 - u, and weights, of panels that halve towards 0 and towards 1."""
    x, weight = np.polynomial.legendre.leggauss(order)
    edges = 0.5 ** np.arange(1, halvings + 1)  # 1 - 2^-53 is the last number below 1
    near = ((edges[:-1] + edges[1:])[:, np.newaxis] / 2 + (edges[:-1] - edges[1:])[:, np.newaxis] / 2 * x).ravel()
    width = ((edges[:-1] - edges[1:])[:, np.newaxis] / 2 * weight).ravel()
    return np.concatenate([near, 1 - near]), np.concatenate([1 - near, near]), np.concatenate([width, width])


def beta_weights(n_classes: FloatArray, top: int) -> FloatArray:
    """Weights with which a sum over the panels' nodes is E f(B), B ~ Beta(k - top, top): (n_k, n_nodes)."""
    u, v, width = panels()
    k = n_classes[:, np.newaxis]
    log_norm = np.log(k - top + np.arange(top)).sum(axis=1, keepdims=True) - gammaln(top)
    log_u = np.where(u < 0.5, np.log(u), np.log1p(-v))
    weight: FloatArray = np.exp(log_norm + (k - top - 1) * log_u + (top - 1) * np.log(v)) * width
    # what lies beyond the panels joins their last nodes
    missing = 1.0 - weight.sum(axis=1)
    weight[:, np.argmin(v)] += missing
    return weight


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
        z = np.linspace(-9.5, 9.5, n_nodes)
        share = np.exp(-0.5 * z**2)
        return cls(mu + nu * z, share / share.sum())

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


# Numbers of classes up to which a metric is summed over all ranks: a table of its values takes a megabyte
_MOST_TABLED = 1e5


@dataclass(frozen=True)
class Evidence:
    """Parameters and goodness of a fit.

    Attributes
    ----------
    parameters : mapping of str to float
        Fitted parameters and chosen tuning values, by name; of the default, posterior weights of kinds of curves.
    n_parameters : float
        Effective number of parameters.
    log_likelihood : float or None
        Class-balanced log-likelihood of all test points in nats, where the fit has one.
    residual : float or None
        Root mean squared distance of the fitted from the observed accuracies, where the fit minimises one.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4)
    >>> evidence = cx.methods.sources.Exponential().fit(ranks).evidence
    >>> sorted(evidence.parameters), evidence.n_parameters, evidence.log_likelihood
    (['offset', 'rate'], 2.0, None)
    >>> round(evidence.residual, 3)
    0.005
    """

    parameters: Mapping[str, float] = field(default_factory=dict)
    n_parameters: float = 0.0
    log_likelihood: float | None = None
    residual: float | None = None


class Distribution(ABC):
    """A distribution of the favourability U*, frozen, with the evidence it rests on.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> distribution = cx.methods.PitmanYorDistribution(
    ...     discount=0.0, concentration=1.0
    ... )
    >>> (
    ...     distribution.accuracy(np.array([2.0])).round(4),
    ...     sorted(distribution.evidence.parameters),
    ... )
    (array([0.75]), ['concentration', 'discount'])
    """

    @cached_property
    def discrete(self) -> DiscreteDistribution | None:
        """The same distribution on nodes, or None."""
        return None

    @property
    @abstractmethod
    def evidence(self) -> Evidence:
        """Parameters and goodness of the fit."""

    @abstractmethod
    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        r"""Average accuracy :math:`E \Pr[\mathrm{Bin}(K-1, 1-U^*) < top]` for each number of classes K > `top`."""

    @abstractmethod
    def cdf(self, u: FloatArray) -> FloatArray:
        r"""Discriminability function :math:`D(u) = \Pr[U^* \le u]` for each u in [0, 1]."""

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray | None:  # noqa: ARG002
        """Sampling variance of `accuracy` over classes, in closed form, or None if only resampling gives one."""
        return None


class NodeDistribution(Distribution):
    """A distribution that predicts from its nodes.

    Examples
    --------
    >>> import classex as cx
    >>> fit = cx.methods.EmpiricalBayes().fit(cx.ranks_from_wins([2, 3, 1, 1], 4))
    >>> isinstance(fit, cx.distributions.NodeDistribution), fit.discrete.nodes.size
    (True, 400)
    """

    @cached_property
    @abstractmethod
    def discrete(self) -> DiscreteDistribution:
        """The nodes."""

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        return self.discrete.accuracy(sizes, top)

    def cdf(self, u: FloatArray) -> FloatArray:
        """Discriminability function at favourabilities u."""
        return self.discrete.cdf(u)


def confined_accuracy(distribution: Distribution, sizes: FloatArray, top: int = 1) -> FloatArray:
    """Return the accuracy for checked numbers of classes: 1 up to `top` classes, and a probability beyond.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> distribution = cx.methods.sources.Polynomial(degree=1).fit(
    ...     cx.ranks_from_wins([2, 3, 1, 1], 4)
    ... )
    >>> sizes = np.array([1.0, 4.0, 100.0])
    >>> (
    ...     distribution.accuracy(sizes).round(3),
    ...     cx.distributions.confined_accuracy(distribution, sizes).round(3),
    ... )
    (array([ 1.   ,  0.208, -0.152]), array([1.   , 0.208, 0.   ]))
    """
    out = np.ones_like(sizes)
    open_ = sizes > top
    if open_.any():
        out[open_] = np.clip(distribution.accuracy(sizes[open_], top), 0.0, 1.0)
    return out


def metric_of(distribution: Distribution, sizes: FloatArray, metric: RankMetric) -> FloatArray:
    """Return the mean of a function of the rank under a distribution, for checked numbers of classes.

    Distributions on nodes give it by a sum over all ranks. Beyond a hundred thousand classes, and for other
    distributions, it is summed up from accuracies.
    """
    if metric.top is not None:
        return confined_accuracy(distribution, sizes, metric.top)
    nodes = distribution.discrete
    near = sizes <= (0 if nodes is None else _MOST_TABLED)
    out = np.empty_like(sizes)
    if nodes is not None and near.any():
        out[near] = nodes.expected(sizes[near], metric)
    if not near.all():
        out[~near] = expected_metric(lambda some, m: confined_accuracy(distribution, some, m), sizes[~near], metric)
    return out


def share_of(distribution: Distribution, sizes: FloatArray, metric: RankMetric) -> FloatArray:
    """Return a metric on the scale from its least to its largest value; an accuracy as it is."""
    low, width = metric.span(sizes)
    return (metric_of(distribution, sizes, metric) - low) / width


def metric_variance(
    variance: Callable[[FloatArray, int], FloatArray | None], sizes: FloatArray, metric: RankMetric
) -> FloatArray | None:
    """Return the variance of a metric from that of the top-m accuracies (see `largest_deviation`), or None."""
    first = variance(sizes, 1 if metric.top is None else metric.top)
    if first is None or metric.top is not None:
        return first

    def deviation(some: FloatArray, m: int) -> FloatArray:
        known = variance(some, m)
        return np.zeros_like(some) if known is None else np.sqrt(np.maximum(known, 0.0))

    return np.square(largest_deviation(deviation, sizes, metric))
