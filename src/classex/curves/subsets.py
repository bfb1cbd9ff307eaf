"""Mean of a function of the rank over all subsets of the classes, for each rank among all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from classex._kernels.rank_metrics import expected_of_rank
from classex._kernels.ranks import subset_accuracy
from classex._types import FloatArray, IntArray
from classex.curves.metrics import RankMetric
from classex.ranks.ties import LISTED_TIES

__all__ = ["SubsetMean", "default_sizes", "distinct_pairs", "spaced_sizes"]


# A curve has a value for every number of classes up to this one; a longer one is smooth between as many numbers, evenly
# spaced in the logarithm
_EVERY_SIZE = 1000
# A product of factors 1 - x is below 1e-300 after this number over x
_VANISHES_AFTER = 700
# Rows from which the cheaper way is estimated
_LOOKED_AT = 32
# Up to this m, top-m accuracies are sums of products that start from top-1
_MOST_PRODUCTS = 64


def spaced_sizes(first: float, last: float, most: int) -> FloatArray:
    """Return up to `most` whole numbers from `first` to `last`, evenly in the logarithm."""
    return np.unique(np.rint(np.geomspace(first, last, most)))


def default_sizes(first: int, last: int) -> IntArray:
    """Numbers of classes of a curve by default: all of them, or a logarithmic grid if there are more than 1,000."""
    few = last <= _EVERY_SIZE
    return np.arange(first, last + 1) if few else spaced_sizes(first, last, _EVERY_SIZE).astype(np.int64)


@dataclass(frozen=True)
class SubsetMean:
    """Mean of a metric over the subsets of k classes that hold the true one.

    Attributes
    ----------
    metric : RankMetric
        The function of the rank.
    """

    metric: RankMetric

    def untied(self, wins: IntArray, n_classes: int, sizes: IntArray) -> FloatArray:
        """Mean for each number of wins among `n_classes` classes and each size: (n_wins, n_sizes)."""
        if sizes.size == 0:
            return np.zeros((wins.size, 0))
        if self._few_best is not None:
            return _subset_accuracy(wins, n_classes, sizes, self._few_best)
        return np.asarray(expected_of_rank(wins, n_classes - 1, sizes, self._table(sizes)))

    def expected(self, wins: IntArray, ties: IntArray, n_classes: int, sizes: IntArray) -> FloatArray:
        """Mean over random tie-breaking, for each (wins, ties) and each size."""
        if self._few_best is not None:
            return _expected_accuracy(wins, ties, n_classes, sizes, self._few_best)
        listed = np.minimum(ties, LISTED_TIES)
        start = np.cumsum(listed + 1) - (listed + 1)
        extra = np.arange(int((listed + 1).sum())) - np.repeat(start, listed + 1)
        distinct, index = np.unique(np.repeat(wins, listed + 1) + extra, return_inverse=True)
        value = self.untied(distinct, n_classes, sizes)[index.ravel()]
        out: FloatArray = np.add.reduceat(value, start, axis=0) / (listed + 1)[:, np.newaxis]
        many = np.flatnonzero(ties > LISTED_TIES)
        if many.size and sizes.size:
            # Abel's summation of the closed form for top-m accuracies: with F the running sum of f, a difference
            # of two means of F(losses), of k labels drawn out of all n_classes
            total = np.append(0.0, np.cumsum(self._table(sizes)))
            ends = np.stack([wins[many], wins[many] + ties[many] + 1])
            distinct, index = np.unique(ends, return_inverse=True)
            mean = expected_of_rank(distinct, n_classes, sizes + 1, total)
            lower, upper = index.reshape(ends.shape)
            out[many] = (mean[lower] - mean[upper]) * (n_classes / sizes) / (ties[many] + 1)[:, np.newaxis]
        return out

    @property
    def _few_best(self) -> int | None:
        """The m of a top-m accuracy that is cheap by itself: a product, or a short sum of products."""
        m = self.metric.top
        return m if m is not None and m <= _MOST_PRODUCTS else None

    def clip(self, value: FloatArray, sizes: IntArray) -> FloatArray:
        """Confine to the values of the metric, which rounding may exceed."""
        if self.metric.top is not None or sizes.size == 0:
            return np.clip(value, 0.0, 1.0)
        table = self._table(sizes)
        low, high = np.minimum.accumulate(table)[sizes - 1], np.maximum.accumulate(table)[sizes - 1]
        return np.clip(value, low, high)

    def _table(self, sizes: IntArray) -> FloatArray:
        """Value of the metric for every number of labels that beat the truth."""
        return self.metric.values(np.arange(1.0, int(sizes.max()) + 1))


def distinct_pairs(wins: IntArray, ties: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the different (wins, ties), in ascending order, and which of them each point has."""
    base = int(ties.max(initial=0)) + 1
    if (int(wins.max(initial=0)) + 1) * base >= 2**63:
        pairs, pair = np.unique(np.stack([wins, ties]), axis=1, return_inverse=True)
        return pairs[0], pairs[1], pair.ravel()
    # one number stands for both: numbers are sorted many times faster than pairs
    codes, pair = np.unique(wins * base + ties, return_inverse=True)
    return codes // base, codes % base, pair


def _expected_accuracy(wins: IntArray, ties: IntArray, n_classes: int, sizes: IntArray, top: int) -> FloatArray:
    """Subset accuracy, averaged over random tie-breaking, for each (wins, ties) and each size."""
    out = _subset_accuracy(wins, n_classes, sizes, top)
    tied = np.flatnonzero(ties)
    if tied.size == 0 or sizes.size == 0:
        return out
    # sum_{u=0..t} C(w+u, k-1-j) C(K-1-w-u, j) counts the k-subsets of K things whose (k-j)-th lowest lies
    # among positions w+1..w+t+1 (a hockey-stick sum): a difference of two top-(j+1) accuracies, of k+1
    # labels out of K+1
    t = ties[tied]
    ends = np.stack([wins[tied], wins[tied] + t + 1])
    distinct, index = np.unique(ends, return_inverse=True)
    lower, upper = index.reshape(ends.shape)
    total = np.zeros((tied.size, sizes.size))
    for j in range(1, min(top, int(sizes.max())) + 1):
        cumulative = _subset_accuracy(distinct, n_classes + 1, sizes + 1, j)
        total += cumulative[upper] - cumulative[lower]
    out[tied] = np.minimum(total * (n_classes / sizes) / (t + 1)[:, np.newaxis], 1.0)
    return out


def _subset_accuracy(wins: IntArray, n_classes: int, sizes: IntArray, top: int) -> FloatArray:
    """Choose the cheaper way through the sizes: one running product, or one product per size."""
    if sizes.size == 0:
        return np.zeros((wins.size, 0))
    ascending, index = np.unique(sizes, return_inverse=True)
    # factors a row takes on average: one for each label drawn, or for each label that beats the truth, until the
    # product has vanished
    some = wins[:: max(1, wins.size // _LOOKED_AT)]
    drawn, losses = ascending - 1.0, n_classes - 1.0 - some[:, np.newaxis]
    few, many = np.minimum(drawn, losses), np.maximum(np.maximum(drawn, losses), 1)
    separate = np.minimum(few, _VANISHES_AFTER * n_classes / many).mean(axis=0).sum()
    accuracy = subset_accuracy(wins, n_classes, ascending, top, bool(ascending[-1] <= separate))
    return np.asarray(accuracy[:, index], dtype=np.float64)
