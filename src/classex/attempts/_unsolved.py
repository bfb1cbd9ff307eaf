"""Share of problems that k attempts leave unsolved: unbiased up to the trials, predicted beyond them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from classex.attempts._chances import ChanceDistributions, draw_chance_distributions
from classex.curves.metrics import as_rank_metric
from classex.curves.subsets import SubsetMean

__all__ = ["Problems", "draw_beyond", "unsolved_shares"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Replicates of the problems, fewer if they have very many outcomes. With the larger number the ends of a 95 % interval
# are accurate to 2 % of its half-width.
_REPLICATES, _MOST_ELEMENTS = (1_000, 4_000), 2**22
# Weight of a problem unlike all those seen. If each problem is solved or not, weight 1 gives Clopper and Pearson's
# ends, which cover .95 everywhere; those with a half cover .96 on average and at least .90.
_UNSEEN = 0.5
_ALL_FAIL = SubsetMean(as_rank_metric("accuracy"))


@dataclass(frozen=True)
class Problems:
    """Distinct outcomes, in ascending order of the trials.

    Attributes
    ----------
    trials, successes, batch : ndarray of int of shape (n_outcomes,)
        Trials of a problem, successes among them, and size of the last batch, which holds all the successes.
    count : ndarray of int of shape (n_outcomes,)
        Number of problems with each outcome.
    """

    trials: IntArray
    successes: IntArray
    batch: IntArray
    count: IntArray

    @classmethod
    def of(cls, successes: IntArray, trials: IntArray, batch: int | None) -> Problems:
        """Problems with a fixed number of trials, or tried in batches of this size until one holds a success."""
        rows, count = np.unique(np.stack([trials, successes]), axis=1, return_counts=True)
        last = rows[0] if batch is None else np.minimum(batch, rows[0])
        return cls(rows[0], rows[1], last, count.astype(np.int64))

    @cached_property
    def unsolved(self) -> IntArray:
        """Indices of the outcomes without a success."""
        return np.flatnonzero(self.successes == 0)

    def known(self, attempts: FloatArray) -> FloatArray:
        """Unbiased estimate of (1 - p)^k, where a problem counts beyond its trials as it did at their end: (n, k).

        All trials before the last batch failed, and the trials of the last batch come in random order.
        """
        out = np.empty((self.trials.size, attempts.size))
        for size in np.unique(self.batch):
            rows = np.flatnonzero(self.batch == size)
            before = (self.trials[rows] - size)[:, np.newaxis]
            drawn, index = np.unique(np.clip(attempts - before, 0, size).astype(np.int64), return_inverse=True)
            table = _ALL_FAIL.untied(size - self.successes[rows], int(size) + 1, drawn + 1)
            out[rows] = np.take_along_axis(table, index.reshape(rows.size, attempts.size), axis=1)
        return out

    @cached_property
    def replicates(self) -> tuple[FloatArray, FloatArray]:
        """Bayesian bootstrap: shares of the outcomes, and of problems unlike them: (n, outcomes) and (n, 1)."""
        rng = np.random.default_rng(0)
        number = int(np.clip(_MOST_ELEMENTS // self.count.size, *_REPLICATES))
        share = rng.standard_gamma(self.count.astype(np.float64), (number, self.count.size))
        unseen = rng.standard_gamma(_UNSEEN, (number, 1))
        total = share.sum(axis=1, keepdims=True) + unseen
        share /= total
        return share, unseen / total

    def mean_ends(self, value: FloatArray, level: float) -> FloatArray:
        """Interval of the mean over the population of a value in [0, 1], given for every outcome: (2, k)."""
        share, unseen = self.replicates
        return _ends(share @ value, unseen, level)


def _ends(seen: FloatArray, unseen: FloatArray, level: float) -> FloatArray:
    """Quantiles over the replicates: at the low end problems unlike those seen have the value 0, at the high end 1."""
    return np.stack([np.quantile(seen, (1 - level) / 2, axis=0), np.quantile(seen + unseen, (1 + level) / 2, axis=0)])


def draw_beyond(problems: Problems, most: float) -> ChanceDistributions | None:
    """Draw distributions of the chances if an unsolved problem had fewer trials than this number of attempts."""
    trials, unsolved = problems.trials, problems.unsolved
    if unsolved.size == 0 or most <= trials[unsolved[0]]:
        return None
    successes = np.repeat(problems.successes, problems.count)
    return draw_chance_distributions(successes, np.repeat(trials, problems.count))


def unsolved_shares(
    problems: Problems, drawn: ChanceDistributions | None, attempts: FloatArray, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Unsolved shares after k attempts, their standard errors, and ends of their intervals: (k,), (k,) and (2, k).

    A problem that is unsolved after n trials stays unsolved until k > n with probability F(k) / F(n), where F is
    E (1 - P)^k under the drawn distribution. So every estimate falls with k, and meets the unbiased one at k = n.
    """
    n = problems.count.sum()
    value = problems.known(attempts)
    share, unseen = problems.replicates
    if drawn is None:
        mean, seen, fitted = problems.count @ value / n, share @ value, 0.0
    else:
        rows = problems.unsolved
        beyond = problems.trials[rows, np.newaxis] < attempts
        met = beyond.sum(axis=0)
        later = drawn.unsolved(attempts)
        earlier = np.maximum(drawn.unsolved(problems.trials[rows].astype(np.float64)), 1e-300)
        stays = (drawn.weight[:, np.newaxis] / earlier).T @ later
        rest = value.copy()
        rest[rows] = np.where(beyond, 0.0, 1.0)
        value[rows] = np.where(beyond, np.minimum(stays, 1.0), 1.0)
        # Match by order: the replicate with the most unsolved problems and the distribution that leaves most unsolved
        order = np.argsort(earlier @ problems.count[rows])
        rank = (np.argsort(np.argsort(share[:, rows].sum(axis=1))) + 0.5) / len(share)
        pick = order[np.minimum(np.searchsorted(np.cumsum(drawn.weight[order]), rank), order.size - 1)]
        seen = share @ rest + later[pick] * _sums(share[:, rows] / earlier[pick], met)
        of_draw = problems.count @ rest / n + later * _sums(problems.count[rows] / n / earlier, met)
        mean = problems.count @ value / n
        fitted = drawn.weight @ np.square(of_draw - drawn.weight @ of_draw)
    spread = problems.count @ np.square(value - mean) / (n - 1)
    low, high = _ends(seen, unseen, level)
    return mean, np.sqrt(spread / n + fitted), np.clip([np.minimum(low, mean), np.maximum(high, mean)], 0.0, 1.0)


def _sums(terms: FloatArray, number: IntArray) -> FloatArray:
    """Sums of the first terms of each row, for each number of terms: (rows, numbers)."""
    total = np.cumsum(terms, axis=1)
    out: FloatArray = np.where(number > 0, total[:, np.maximum(number - 1, 0)], 0.0)
    return out
