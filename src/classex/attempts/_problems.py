"""Distinct outcomes of problems, what they say of fewer attempts than trials, and replicates of the problems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from classex._rates import UNSEEN_UNITS
from classex._types import FloatArray, IntArray
from classex.curves.metrics import as_rank_metric
from classex.curves.subsets import SubsetMean

__all__ = ["Problems"]


# Replicates of the problems, fewer if they have very many outcomes. With the larger number the ends of a 95 % interval
# are accurate to 2 % of its half-width.
_REPLICATES, _MOST_ELEMENTS = (1_000, 4_000), 2**22
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
    groups : sparse array of shape (n_groups, n_outcomes) or None
        Number of problems of each group with each outcome; None if every problem is a group of its own.
    fixed : bool
        Whether the numbers of trials were fixed in advance.
    """

    trials: IntArray
    successes: IntArray
    batch: IntArray
    count: IntArray
    groups: Any
    fixed: bool

    @classmethod
    def of(cls, successes: IntArray, trials: IntArray, batch: int | None, group: IntArray | None = None) -> Problems:
        """Problems with a fixed number of trials, or tried in batches of this size until one holds a success."""
        # one number stands for both: numbers are sorted many times faster than pairs
        base = int(successes.max()) + 1
        code, outcome, count = np.unique(trials * base + successes, return_inverse=True, return_counts=True)
        tried, solved = code // base, code % base
        last = tried if batch is None else np.minimum(batch, tried)
        table = None
        if group is not None:
            table = sparse.coo_array((np.ones(group.size), (group, outcome.ravel()))).tocsr()
        return cls(tried, solved, last, count.astype(np.int64), table, batch is None)

    @cached_property
    def unsolved(self) -> IntArray:
        """Indices of the outcomes without a success."""
        return np.flatnonzero(self.successes == 0)

    def units(self, outcomes: IntArray) -> int:
        """Number of problems with one of these outcomes, or of groups that hold such problems."""
        if self.groups is None:
            return int(self.count[outcomes].sum())
        return int(np.count_nonzero(self.groups[:, outcomes].sum(axis=1)))

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
        """Bayesian bootstrap of the groups: shares of the outcomes, and of others: (n, n_outcomes) and (n, 1)."""
        rng = np.random.default_rng(0)
        each = self.count.size if self.groups is None else self.groups.shape[0]
        number = int(np.clip(_MOST_ELEMENTS // each, *_REPLICATES))
        if self.groups is None:
            share, size = rng.standard_gamma(self.count.astype(np.float64), (number, each)), 1.0
        else:  # one after another: weights of all groups at once may fill the memory
            share = np.stack([rng.standard_exponential(each) @ self.groups for _ in range(number)])
            size = self.count.sum() / each
        unseen = size * rng.standard_gamma(UNSEEN_UNITS, (number, 1))
        total = share.sum(axis=1, keepdims=True) + unseen
        share /= total
        return share, unseen / total

    def mean_ends(self, value: FloatArray, level: float) -> FloatArray:
        """Interval of the mean over the population of a value in [0, 1], given for every outcome: (2, k)."""
        return self.ends(self.replicates[0] @ value, level)

    def ends(self, seen: FloatArray, level: float) -> FloatArray:
        """Quantiles over replicates: at the low end groups unlike those seen have the value 0, at the high end 1."""
        low, high = (
            np.quantile(seen, (1 - level) / 2, axis=0),
            np.quantile(seen + self.replicates[1], (1 + level) / 2, axis=0),
        )
        return np.stack([low, high])

    def variance(self, value: FloatArray) -> FloatArray:
        """Squared standard error of the mean of a value over problems, from its sums over groups."""
        off = value - self.count @ value / self.count.sum()
        if self.groups is None:
            squares, n = self.count @ np.square(off), self.count.sum()
        else:
            squares, n = np.square(self.groups @ off).sum(axis=0), self.groups.shape[0]
        return np.asarray(squares * (n / (n - 1)) / self.count.sum() ** 2)
