r"""What is known of the favourability U* of the correct label of a random test point: the protocol of every law.

A recogniser is known, for every number of classes, once the law of U* is known: the average accuracy with K classes is
its moment :math:`E\,(U^*)^{K-1}`. Every way of fitting is a function that takes ranks (and scores) and returns a frozen
value with the methods below; estimators keep that value and delegate to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from classex.curves.metrics import RankMetric, expected_metric, largest_deviation
from classex.distributions.discrete import DiscreteDistribution
from classex.results import CorrectRanks

__all__ = ["Distribution", "Evidence", "confined_accuracy", "metric_of", "metric_variance", "variance_of"]

FloatArray = NDArray[np.float64]

_MOST_TABLED = 1e5


@dataclass(frozen=True)
class Evidence:
    """What a fit says of itself.

    Attributes
    ----------
    parameters : mapping of str to float
        Fitted parameters and chosen tuning values, by name.
    n_parameters : float
        Effective number of parameters.
    log_likelihood : float or None
        Class-balanced log-likelihood of all test points in nats, where the fit has one.
    residual : float or None
        Root mean squared distance of the fitted from the observed accuracies, where the fit minimises one.

    Examples
    --------
    >>> import classex as cx
    >>> evidence = (
    ...     cx.methods.sources.Exponential()
    ...     .fit(cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4))
    ...     .evidence
    ... )
    >>> (
    ...     sorted(evidence.parameters),
    ...     evidence.n_parameters,
    ...     evidence.log_likelihood,
    ...     round(evidence.residual, 3),
    ... )
    (['offset', 'rate'], 2.0, None, 0.005)
    """

    parameters: Mapping[str, float] = field(default_factory=dict)
    n_parameters: float = 0.0
    log_likelihood: float | None = None
    residual: float | None = None


@runtime_checkable
class Distribution(Protocol):
    """A law of the favourability U*, frozen, with the evidence it rests on.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> distribution = cx.methods.PitmanYorDistribution(0.0, 1.0, "likelihood")
    >>> (
    ...     isinstance(distribution, cx.distributions.Distribution),
    ...     distribution.accuracy(np.array([2.0])).round(4),
    ...     sorted(distribution.evidence.parameters),
    ... )
    (True, array([0.75]), ['concentration', 'discount'])
    """

    @property
    def evidence(self) -> Evidence:
        """What the fit says of itself."""

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        r"""Average accuracy :math:`E \Pr[\mathrm{Bin}(K-1, 1-U^*) < top]` for each number of classes K > `top`."""

    def cdf(self, u: FloatArray) -> FloatArray:
        r"""Discriminability function :math:`D(u) = \Pr[U^* \le u]` for each u in [0, 1]."""

    def refit(
        self, ranks: CorrectRanks, scores: NDArray[Any] | None = None, classes: NDArray[np.int64] | None = None
    ) -> Self:
        """Fit the same law to other data with its tuning values frozen.

        `classes` says which of the classes of the first fit these data are about, in their order. A refit is what
        resampling repeats many times: it draws nothing at random, warns of nothing, and may be cheaper than the fit.
        """

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray | None:
        """Sampling variance of `accuracy`, over classes, in closed form, or None where only resampling can tell."""


def confined_accuracy(distribution: Distribution, sizes: FloatArray, top: int = 1) -> FloatArray:
    """Return the accuracy of a law for checked numbers of classes: 1 up to `top` classes, and a probability beyond.

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
    """Return the mean of a function of the rank under a law, for checked numbers of classes.

    Laws that stand on nodes, their attribute ``law``, give it by a sum over all ranks; beyond a hundred thousand
    classes, and for other laws, it is summed up from accuracies.
    """
    if metric.top is not None:
        return confined_accuracy(distribution, sizes, metric.top)
    nodes = getattr(distribution, "discrete", None)
    near = (sizes <= _MOST_TABLED) & isinstance(nodes, DiscreteDistribution)
    out = np.empty_like(sizes)
    if isinstance(nodes, DiscreteDistribution) and near.any():
        out[near] = nodes.expected(sizes[near], metric)
    if not near.all():
        out[~near] = expected_metric(lambda some, m: confined_accuracy(distribution, some, m), sizes[~near], metric)
    return out


def metric_variance(
    variance: Callable[[FloatArray, int], FloatArray | None], sizes: FloatArray, metric: RankMetric
) -> FloatArray | None:
    """Return the variance of a metric from that of the top-m accuracies (see `largest_deviation`), if that is known."""
    first = variance(sizes, 1 if metric.top is None else metric.top)
    if first is None or metric.top is not None:
        return first

    def deviation(some: FloatArray, m: int) -> FloatArray:
        known = variance(some, m)
        return np.zeros_like(some) if known is None else np.sqrt(np.maximum(known, 0.0))

    return np.square(largest_deviation(deviation, sizes, metric))


def variance_of(distribution: Distribution, sizes: FloatArray, metric: RankMetric) -> FloatArray | None:
    """Return the variance of a metric under a law: from its method ``metric_variance``, or from those of accuracies.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> from classex.curves.metrics import as_rank_metric
    >>> from classex.distributions.distribution import variance_of
    >>> distribution = cx.methods.ProbitNormal().fit(
    ...     cx.ranks_from_wins([2, 3, 1, 1], 4)
    ... )
    >>> at = np.array([9.0])
    >>> first = as_rank_metric("map@1")  # another name of accuracy
    >>> (
    ...     variance_of(distribution, at, first).round(3),
    ...     distribution.variance(at).round(3),
    ... )
    (array([0.017]), array([0.017]))
    """
    own = getattr(distribution, "metric_variance", None)
    found: FloatArray | None = (
        metric_variance(distribution.variance, sizes, metric) if own is None else own(sizes, metric)
    )
    return found
