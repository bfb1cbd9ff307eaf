r"""Functions of the rank of the correct label: reciprocal rank, discounted gain, recall at m, or any other.

A score that depends on the rank alone is a weighted sum of top-m accuracies (Abel's summation): for K classes,

.. math:: E f(\mathrm{rank}) = f(K) + \sum_{m=1}^{K-1} \big(f(m) - f(m+1)\big)\,\mathrm{Acc}_K(m),

so the accuracies for every m give every metric.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classex._checks import as_class_counts, as_positive_int, call, shown
from classex._types import FloatArray

__all__ = ["METRICS", "NAMED", "RankMetric", "as_rank_metric", "expected_metric", "largest_deviation"]


# Sums are exact up to this rank; beyond it ranks grow by this ratio, with a relative error below 5e-4 where the probits
# of the favourabilities vary by .3 or more, and below 5e-3 where all points are alike (see the tests)
_EXACT_RANKS, _RATIO = 256, 1.05
# Standard deviations change slowly with the rank: they are summed exactly up to this rank, and at as many beyond it
_FEW_RANKS = 24


def _discounted(ranks: FloatArray) -> FloatArray:
    return np.asarray(1.0 / np.log2(1.0 + ranks))


#: functions of the rank by name; "name@m" is the same, 0 below the m best
NAMED: dict[str, Callable[[FloatArray], FloatArray]] = {"mrr": np.reciprocal, "ndcg": _discounted}
METRICS = ("accuracy", *(form for name in NAMED for form in (name, f"{name}@m")), "map@m", "recall@m", "hit@m", "top-m")


@dataclass(frozen=True)
class RankMetric:
    """A function f of the rank 1, 2, ... of the correct label.

    Attributes
    ----------
    name : str
        Its name, as given.
    function : callable
        Takes an array of ranks (float64) and returns their values.
    cutoff : int or None
        Last rank whose value is not zero, if there is one.
    top : int or None
        The m of a top-m accuracy; None for anything else.

    Examples
    --------
    >>> import classex as cx
    >>> halving = cx.curves.RankMetric(
    ...     "halving", lambda rank: 0.5 ** (rank - 1), cutoff=3
    ... )
    >>> halving.values([1, 2, 3, 4])
    array([1.  , 0.5 , 0.25, 0.  ])
    >>> # ranks 1, 2, 3 and 1
    >>> cx.accuracy_curve(
    ...     cx.ranks_from_wins([3, 2, 1, 3], 4), 4, metric=halving
    ... ).accuracy
    array([0.6875])
    """

    name: str
    function: Callable[[FloatArray], FloatArray]
    cutoff: int | None = None
    top: int | None = None

    def values(self, ranks: FloatArray) -> FloatArray:
        """Return f of each rank, finite and of the same shape."""
        ranks = np.asarray(ranks, dtype=np.float64)
        value = self.function(ranks)
        return value if self.cutoff is None else np.where(ranks <= self.cutoff, value, 0.0)

    def span(self, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the least value, or 0 if that is less, and the range of the metric with each number of classes."""
        if self.top is not None:
            return np.zeros_like(sizes), np.ones_like(sizes)
        nodes = _nodes(sizes, self.cutoff)
        value = self.values(nodes)
        last = np.searchsorted(nodes, sizes, side="right") - 1
        low = np.minimum(np.minimum.accumulate(value)[last], 0.0)
        width: FloatArray = np.maximum.accumulate(value)[last] - low
        return low, np.where(width > 0, width, 1.0)

    def falls(self, sizes: FloatArray) -> bool:
        """Return whether a better rank is never worth less, up to the largest number of classes."""
        return self.top is not None or bool((np.diff(self.values(_nodes(sizes, self.cutoff))) <= 0).all())

    def squared(self) -> RankMetric:
        """Return the square of the metric."""
        return RankMetric(f"{self.name} squared", lambda ranks: np.square(self.function(ranks)), self.cutoff)


def as_rank_metric(metric: str | Callable[[Any], Any] | RankMetric, top: Any = 1) -> RankMetric:
    """Return the checked metric.

    Parameters
    ----------
    metric : str or callable
        One of `METRICS`, with a number for m: "accuracy" (with `top`), "recall@m", "hit@m" and "top-m" (the truth is
        among the m best), "mrr" (one over the rank), "mrr@m" and "map@m" (the same, 0 below the m best: average
        precision with one relevant item), "ndcg" and "ndcg@m" (``1 / log2(1 + rank)``); or a function of the rank.
        One that was checked before is returned as it is.
    top : int
        Of the metric "accuracy".

    Returns
    -------
    RankMetric
        The metric.

    Raises
    ------
    ValueError
        If the name is not known, or `top` is not a positive integer or goes with another metric.
    TypeError
        If `metric` is neither a name nor callable.

    Examples
    --------
    >>> from classex.curves.metrics import as_rank_metric
    >>> as_rank_metric("ndcg@3").values([1, 2, 3, 4]).round(3)
    array([1.   , 0.631, 0.5  , 0.   ])
    """
    if isinstance(metric, RankMetric):
        return metric
    m = min(as_positive_int(top, "top"), 2**62)
    if isinstance(metric, str) and metric == "accuracy":
        return RankMetric("accuracy" if m == 1 else f"top-{m}", np.ones_like, m, m)
    if m != 1:
        raise ValueError(f"top must be 1 with metric={shown(metric)}: top goes with metric='accuracy'")
    if callable(metric):
        return RankMetric(getattr(metric, "__name__", "metric"), _by_array(metric))
    if not isinstance(metric, str):
        raise TypeError(f"metric must be one of {', '.join(METRICS)}, or a function of the rank, not {shown(metric)}")
    match = re.fullmatch(rf"({'|'.join(NAMED)}|map|recall|hit|top)(?:[@-]([0-9]{{1,15}}))?", metric)
    kind, digits = match.groups() if match else ("", None)
    cutoff = None if digits is None else int(digits)
    if cutoff == 0 or (cutoff is None and kind not in NAMED):
        raise ValueError(f"metric must be one of {', '.join(METRICS)} (m a number of at least 1), not {metric!r}")
    if kind in ("recall", "hit", "top") and cutoff is not None:
        return RankMetric(metric, np.ones_like, cutoff, cutoff)
    return RankMetric(metric, NAMED.get(kind, np.reciprocal), cutoff)


def _by_array(function: Callable[[Any], Any]) -> Callable[[FloatArray], FloatArray]:
    """Let a function take arrays, whether it accepts arrays or single ranks only."""

    def values(ranks: FloatArray) -> FloatArray:
        try:
            value: Any = np.array(function(ranks), dtype=np.float64)
        except (TypeError, ValueError):
            value = None
        # a single number may be a constant, a sum or a count: evaluate rank by rank
        if value is None or value.shape != ranks.shape:
            single = [call(lambda r: float(function(r)), "metric", int(rank)) for rank in ranks.ravel()]
            value = np.array(single).reshape(ranks.shape)
        if not np.isfinite(value).all():
            bad = int(ranks[~np.isfinite(value)][0])
            raise ValueError(f"metric must be finite for every rank, but is not for rank {bad}")
        return np.asarray(value, dtype=np.float64)

    return values


def expected_metric(
    accuracy: Callable[[FloatArray, int], FloatArray],
    sizes: ArrayLike,
    metric: str | Callable[[Any], Any] | RankMetric,
) -> FloatArray:
    r"""Mean of a function of the rank, from the top-m accuracies of a distribution.

    Parameters
    ----------
    accuracy : callable
        ``accuracy(sizes, m)`` is the average top-m accuracy with each number of classes, an array; the method
        ``accuracy`` of any `classex.distributions.Distribution`. It is called for numbers of classes above m only.
    sizes : array_like of int
        Numbers of classes K.
    metric : str or callable
        As in `as_rank_metric`.

    Returns
    -------
    ndarray of shape (n,)
        :math:`E f(\mathrm{rank})` for each K.

    Raises
    ------
    ValueError
        If a number of classes is not a whole number of at least 1, or the metric is not known.
    TypeError
        If `metric` is neither a name nor callable.

    Notes
    -----
    Exact up to rank 256. Beyond, f and the accuracy are taken at ranks that grow by 1/20 at a time, and the accuracy
    by the trapezoid rule in f between them.

    Source: summation by parts; the rank is 1 + Binomial(K - 1, 1 - U) given the favourability U.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.curves.metrics import expected_metric
    >>> chance = lambda sizes, m: m / sizes
    >>> (
    ...     expected_metric(chance, [2, 10], "mrr").round(4),
    ...     np.round([(1 + 1 / 2) / 2, sum(1 / np.arange(1, 11)) / 10], 4),
    ... )
    (array([0.75  , 0.2929]), array([0.75  , 0.2929]))
    """
    f = as_rank_metric(metric)
    k = as_class_counts(sizes, "sizes")
    out = f.values(k)
    nodes = _nodes(k, f.cutoff)
    value = f.values(nodes)
    for m, beyond, drop in zip(nodes[:-1], nodes[1:], value[:-1] - value[1:], strict=True):
        open_ = k > m
        ends = [m] if beyond == m + 1 else [m, beyond - 1]
        out[open_] += drop * np.mean([_accuracy(accuracy, k[open_], int(top)) for top in ends], axis=0)
    return out


def largest_deviation(
    deviation: Callable[[FloatArray, int], FloatArray], sizes: FloatArray, metric: RankMetric
) -> FloatArray:
    r"""Largest standard deviation that a metric can have, given those of the top-m accuracies.

    The metric is a weighted sum of these accuracies, so its deviation is at most the sum of theirs with the absolute
    weights, :math:`\sum_m |f(m) - f(m+1)|\, \sigma_m`. It is that where the errors of all accuracies go together, as
    they nearly do: all of them come from the same favourabilities.

    Parameters
    ----------
    deviation : callable
        ``deviation(sizes, m)`` is the standard deviation of the top-m accuracy with each number of classes.
    sizes : ndarray of shape (n,)
        Numbers of classes.
    metric : RankMetric
        The metric.

    Returns
    -------
    ndarray of shape (n,)
        Standard deviations. Beyond rank 24 deviations are taken at ever fewer ranks, with straight lines between.
    """
    out = np.zeros_like(sizes)
    last = float(sizes.max(initial=1.0))
    last = last if metric.cutoff is None else min(last, metric.cutoff + 1.0)
    nodes = np.arange(1.0, min(last, _FEW_RANKS) + 1)
    if last > _FEW_RANKS:
        edge = [] if metric.cutoff is None else [max(last - 1, 1.0)]
        nodes = np.union1d(nodes, [*np.rint(np.geomspace(_FEW_RANKS, last, _FEW_RANKS)), *edge])
    value = metric.values(nodes)
    for m, beyond, drop in zip(nodes[:-1], nodes[1:], np.abs(np.diff(value)), strict=True):
        open_ = sizes > m
        ends = [m] if beyond == m + 1 else [m, beyond - 1]
        if drop > 0 and open_.any():
            out[open_] += drop * np.mean([deviation(sizes[open_], int(top)) for top in ends], axis=0)
    return out


def _nodes(sizes: FloatArray, cutoff: int | None) -> FloatArray:
    """Ranks at which accuracies are evaluated: all of the first, then ever fewer, and every number of classes."""
    largest = float(sizes.max(initial=1.0))
    last = largest if cutoff is None else min(largest, cutoff + 1.0)
    nodes = np.arange(1.0, min(last, _EXACT_RANKS) + 1)
    if last > _EXACT_RANKS:
        steps = int(np.ceil(np.log(last / _EXACT_RANKS) / np.log(_RATIO)))
        beyond = np.rint(np.geomspace(_EXACT_RANKS, last, steps + 1))
        # a function with a cutoff may fall there at once: no step may span it
        edge = [] if cutoff is None else [max(last - 1, 1.0)]
        nodes = np.unique(np.concatenate([nodes, beyond, edge, sizes[(sizes <= last) & (sizes >= 1)]]))
    return nodes


def _accuracy(accuracy: Callable[[FloatArray, int], FloatArray], sizes: FloatArray, m: int) -> FloatArray:
    """Top-m accuracy, which is 1 with up to m classes."""
    out = np.ones_like(sizes)
    above = sizes > m
    if above.any():
        out[above] = accuracy(sizes[above], m)
    return out
