"""False negative identification rates at all thresholds at once, with their variances over identities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classex.curves.metrics import as_rank_metric
from classex.curves.subsets import SubsetMean
from classex.open_set._intervals import carried, up_to_half
from classex.open_set._searches import Rates
from classex.ranks import point_weights, tie_nodes
from classex.results import CorrectRanks

__all__ = ["misses"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_BLOCK_ELEMENTS = 2**22
# as in accuracy_curve: with fewer identities leaving one out says nothing
_FEWEST = 4


def misses(scores: FloatArray, ranks: CorrectRanks, cuts: FloatArray, size: int, top: int, *, errors: bool) -> Rates:
    """FNIR and its variance, at a gallery size and at half of all identities at most.

    A mated search succeeds when its own score reaches the threshold and fewer than `top` of the others beat it. Ranks
    do not depend on the threshold: they are counted once, and searches enter in the order of their own scores. The
    variance is that of `classex.accuracy_curve`: the jackknife over identities up to half of them, and beyond it the
    identities' own variance, enlarged by the ratio found at half, or the error there where identities do not differ.
    """
    truth = scores[np.arange(ranks.n_points), ranks.labels]
    value = _successes(ranks, ranks.n_classes, size, top)
    own = _Own(ranks, truth, cuts)
    rate = own.mean(value)
    if not errors:
        return Rates.without_errors(1.0 - rate)
    n = ranks.n_classes
    half = max(min(size, n // 2), 1)
    if n < _FEWEST or ranks.n_tested < 2:
        found = up_to_half(rate, own.variance(value))
    elif half == size:
        found = up_to_half(rate, _jackknife(scores, ranks, truth, cuts, half, top))
    else:
        chances = [value] + [_successes(ranks, n, each, top) for each in (half, n)]
        rates, variances = (np.stack([each(one) for one in chances]) for each in (own.mean, own.variance))
        jackknife = _jackknife(scores, ranks, truth, cuts, half, top)
        found = carried((size, half, n), rates, variances, jackknife, ranks.n_tested)
    return replace(found, value=1.0 - rate)


def _successes(ranks: CorrectRanks, n: int, size: int, top: int) -> FloatArray:
    """Chance of each search to rank its own identity among the `top` best of a random gallery that holds it."""
    if top >= size:
        return np.ones(ranks.n_points)
    mean = SubsetMean(as_rank_metric("accuracy", top))
    return mean.expected(ranks.wins, ranks.ties, n, np.array([size]))[:, 0]


class _Own:
    """Sums over the searches that reach each threshold, by the identity searched for."""

    def __init__(self, ranks: CorrectRanks, truth: FloatArray, cuts: FloatArray) -> None:
        self.weights, self.people = point_weights(ranks), ranks.n_tested
        self.identity = np.unique(ranks.labels, return_inverse=True)[1]
        self.truth, self.cuts = truth, cuts

    def mean(self, value: FloatArray) -> FloatArray:
        return _reaching(self.truth, self.cuts, (self.weights * value)[:, np.newaxis])[:, 0] / self.people

    def variance(self, value: FloatArray) -> FloatArray:
        """Variance of the mean over identities, each seen through its own searches only."""
        if self.people < 2:
            return np.full(self.cuts.size, np.nan)
        cells = (np.arange(value.size), self.identity)
        own = sparse.coo_array((self.weights * value, cells), shape=(value.size, self.people)).tocsr()
        out = np.empty(self.cuts.size)
        step = max(1, _BLOCK_ELEMENTS // self.people)
        for first in range(0, self.cuts.size, step):
            some = slice(first, first + step)
            out[some] = _reaching(self.truth, self.cuts[some], own).var(axis=1, ddof=1) / self.people
        return out


def _reaching(truth: FloatArray, cuts: FloatArray, rows: FloatArray | sparse.csr_array) -> FloatArray:
    """Sum of the rows whose own score reaches each threshold: (n_thresholds, n_columns)."""
    ordered, back = np.unique(cuts, return_inverse=True)
    reached = np.searchsorted(ordered, truth, side="right")
    pick = sparse.csr_array(
        (np.ones(truth.size), (reached, np.arange(truth.size))), shape=(ordered.size + 1, truth.size)
    )
    sums = pick @ rows
    dense = sums.toarray() if sparse.issparse(sums) else np.asarray(sums)
    total: FloatArray = np.cumsum(dense[:0:-1], axis=0)[::-1][back.ravel()]
    return total


def _jackknife(
    scores: FloatArray, ranks: CorrectRanks, truth: FloatArray, cuts: FloatArray, size: int, top: int
) -> FloatArray:
    """Variance of the rate of success by leaving out one identity, as a truth and as a rival of all others.

    As `classex.curves.jackknife`, whose sums over searches run here over those that reach the threshold.
    """
    n, p, m = ranks.n_classes, ranks.n_tested, ranks.n_points
    point, extra, start = tie_nodes(ranks.ties)
    wins = ranks.wins[point] + extra
    few = np.minimum(np.arange(n), n - 2)
    mean = SubsetMean(as_rank_metric("accuracy", top))
    table = np.ones(n) if top >= size else mean.untied(few, n - 1, np.array([size]))[:, 0]
    kept, step = table[wins], table[np.maximum(wins - 1, 0)] - table[wins]
    length = np.diff(start, append=point.size)
    weight = point_weights(ranks)
    per_point = [weight * np.add.reduceat(values, start) / length for values in (kept, step)]
    shares = extra / np.maximum(ranks.ties[point], 1)
    tied_step = weight * np.add.reduceat(step * shares, start) / length

    base, effect = np.zeros((cuts.size, n)), np.zeros((cuts.size, n))
    block = max(1, _BLOCK_ELEMENTS // n)
    for first in range(0, m, block):
        some = slice(first, first + block)
        here, own, label = scores[some], truth[some][:, np.newaxis], ranks.labels[some]
        change = per_point[1][some][:, np.newaxis] * (here < own) + tied_step[some][:, np.newaxis] * (here == own)
        mine = (np.arange(label.size), label)
        change[mine] = 0.0
        effect += _reaching(truth[some], cuts, change)
        base += _reaching(truth[some], cuts, sparse.csr_array((per_point[0][some], mine), shape=(label.size, n)))
    tested = np.bincount(ranks.labels, minlength=n) > 0
    average = effect.sum(axis=1, keepdims=True) / (p * (n - 1.0))
    expected = np.where(tested, p - 1.0, p) * average
    deviation = effect - base + tested * base.sum(axis=1, keepdims=True) / p - expected
    variance: FloatArray = (np.square(deviation) / np.where(tested, p * (p - 1.0), p * p)).sum(axis=1)
    return variance
