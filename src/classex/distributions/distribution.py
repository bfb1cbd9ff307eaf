r"""The distribution of the favourability U* of the correct label of a random test point: what every method returns.

This distribution gives the average accuracy with every number of classes K, as its moment :math:`E\,(U^*)^{K-1}`. A
method fits it to ranks (and scores); `classex.Extrapolator` keeps it and predicts with it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from classex._types import FloatArray
from classex.curves.metrics import RankMetric, expected_metric, largest_deviation
from classex.distributions.discrete import DiscreteDistribution

__all__ = [
    "Distribution",
    "Evidence",
    "NodeDistribution",
    "confined_accuracy",
    "metric_of",
    "metric_variance",
    "share_of",
]


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
