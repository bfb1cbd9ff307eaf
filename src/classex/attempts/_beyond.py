r"""The share of problems that k attempts leave unsolved: unbiased up to the trials, by straight curves beyond.

If P is the chance that an attempt at a problem succeeds, the share is :math:`S_k = E\,(1 - P)^k`. Where -log pass@k is
a power of k, :math:`y = \log(-\log(1 - S_k))` is straight in log k. The prior of y is a mixture of nearly straight
Gaussian processes with different standard deviations of the slope, reweighted by their evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from classex._types import FloatArray, IntArray
from classex.attempts._problems import Problems
from classex.curves.subsets import spaced_sizes
from classex.forecast import CurvePrior, Straight
from classex.methods.gaussian_process import MOST_SIZES

__all__ = ["ATTEMPTS", "Continuation"]


# Numbers of attempts at which curves are computed; straight lines between
_GRID = np.geomspace(1, 1e12, 97)
# Curves for the estimate itself, at quantiles of the posterior
_CURVES = 400
# Spreads quantiles evenly
_GOLDEN = (np.sqrt(5) - 1) / 2
# Added to the variances, and shares of them: keeps their matrix positive definite in double precision
_JITTER = (1e-5, 1e-4)
# The chance of an attempt is at least that of so many successes in all trials
_LEAST_SUCCESSES = 0.5
# Keeps coordinates, and logarithms of shares, finite
_LEAST, _LEAST_SHARE = 1e-12, 1e-300


# Learnt on the attempts of solvers and of language models, see benchmarks/attempts
ATTEMPTS = CurvePrior(
    tuple(
        Straight(weight, slope=-1.4, slope_sd=deviation, length=24.0, early=0.0, level=0.0)
        for weight, deviation in ((0.34, 1.0), (0.33, 2.0), (0.33, 4.0))
    ),
    temper=0.3,
)


@dataclass(frozen=True)
class Continuation:
    """The unsolved share for every number of attempts.

    Attributes
    ----------
    problems : Problems
        The outcomes.
    prior : CurvePrior
        Prior of the coordinate y.
    """

    problems: Problems
    prior: CurvePrior = ATTEMPTS

    @cached_property
    def sizes(self) -> FloatArray:
        """Numbers of attempts up to the last at which an unsolved problem was tried."""
        last = self.problems.trials[self.problems.unsolved].max()
        return spaced_sizes(1, last, MOST_SIZES)

    def _known(self, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Share of subsets that fail, for every outcome and size, and 1 where an outcome counts, else 0."""
        p = self.problems
        counts = p.trials[:, np.newaxis] >= sizes
        if not p.fixed:  # a solved problem stays solved; an unsolved one counts up to its last trial
            counts |= p.successes[:, np.newaxis] > 0
        return p.known(sizes), counts.astype(np.float64)

    def _curve(self, share: FloatArray, sizes: FloatArray) -> FloatArray:
        """Unsolved shares for weights of the outcomes, (n, n_outcomes): (n, n_sizes).

        The product of the ratios from each size to the next, among the outcomes that count at both.
        """
        known, counts = self._known(sizes)
        later, earlier = share @ (counts * known)[:, 1:], share @ (counts[:, 1:] * known[:, :-1])
        first = share @ known[:, :1] / share.sum(axis=1, keepdims=True)
        curve = np.column_stack([first, first * np.cumprod(later / earlier, axis=1)])
        rare = _LEAST_SUCCESSES / (self.problems.count @ self.problems.trials)
        return np.asarray(np.clip(np.minimum(curve, np.exp(-rare * sizes)), _LEAST, 1 - _LEAST))

    @cached_property
    def observed(self) -> tuple[FloatArray, FloatArray]:
        """Unsolved shares of these problems, and their covariance.

        It is the chance of the trials alone, since it is the curve of these problems that goes on:
        E h_k h_l - E (1-p)^(k+l) for the shares h. The second mean is the curve itself, and a power of k beyond the
        trials.
        """
        sizes, problems = self.sizes, self.problems
        known, counts = self._known(sizes)
        weight = problems.count[:, np.newaxis] * counts
        both = np.minimum.outer(number := weight.sum(axis=0), number)
        total = np.add.outer(sizes, sizes)
        seen = np.union1d(sizes, total[total <= sizes[-1]])
        curve = self._curve(problems.count[np.newaxis].astype(np.float64), seen)[0]
        share = curve[np.searchsorted(seen, sizes)]
        tail = seen**2 >= sizes[-1]
        power = np.polyfit(np.log(seen[tail]), np.log(curve[tail]), 1)[0] if tail.sum() > 1 else 0.0
        far = np.maximum(total / sizes[-1], 1.0)
        squares = curve[np.searchsorted(seen, np.minimum(total, sizes[-1]))] * far ** min(power, 0.0)
        value, vector = np.linalg.eigh(((weight * known).T @ known / both - squares) / both)
        return share, (vector * np.maximum(value, 0.0)) @ vector.T

    def lines(self, to: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Posterior at numbers of attempts (see `CurvePrior.lines`), as for 2k classes: decades count from k = 1."""
        share, covariance = self.observed
        power = -np.log1p(-share)
        slope = power * (1 - share)  # of the share, with respect to y
        noise = covariance / np.outer(slope, slope)
        noise += np.diag(_JITTER[0] + _JITTER[1] * np.diag(noise))
        return self.prior.lines(2 * self.sizes, np.log(power), noise, 2 * to)

    def _paths(self, observed: FloatArray) -> FloatArray:
        """Logarithms of unsolved shares on the grid, falling with k: one curve for each row of observed shares.

        Rows are in no order, so components and quantiles of their curves are given out in turn.
        """
        (weight, *lines), rows = self.lines(_GRID), np.log(-np.log1p(-observed))
        ends = np.rint(np.cumsum(weight)[:-1] * len(rows)).astype(int)
        parts = []
        for level, gain, deviation, y in zip(*lines, np.split(rows, ends), strict=True):
            normal = special.ndtri((np.arange(len(y)) + 0.5) / max(len(y), 1))
            parts.append(level + y @ gain + np.multiply.outer(normal, deviation))
        share = -np.expm1(-np.exp(np.concatenate(parts)))
        return np.minimum.accumulate(np.log(np.maximum(share, _LEAST_SHARE)), axis=1)

    @cached_property
    def centre(self) -> FloatArray:
        """Curves given these problems: (n_curves, n_grid)."""
        return self._paths(np.tile(self.observed[0], (_CURVES, 1)))

    @cached_property
    def replicates(self) -> FloatArray:
        """Curves, each given another replicate of the problems: (n_replicates, n_grid)."""
        return self._paths(self._curve(self.problems.replicates[0], self.sizes))

    def unsolved(self, attempts: FloatArray, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Unsolved shares after k attempts, their standard errors, and ends of their intervals: (k,), (k,), (2, k).

        Up to the trials they are unbiased. A problem that is unsolved after n trials stays unsolved until k > n with
        probability S_k / S_n, averaged over curves S: every estimate falls with k, and is continuous at k = n.
        In a replicate the unsolved problems are few, and each of them is solved or not.
        """
        problems = self.problems
        value, share = problems.known(attempts), problems.replicates[0]
        rows, n = problems.unsolved, problems.count.sum()
        if rows.size == 0 or attempts.max() <= problems.trials[rows[0]]:
            mean, seen, fitted = problems.count @ value / n, share @ value, 0.0
        else:
            trials = problems.trials[rows].astype(np.float64)
            later_than = trials[:, np.newaxis] < attempts
            met = later_than.sum(axis=0)
            rest = value.copy()
            rest[rows] = 0.0
            later, earlier = _at(self.centre, attempts), _at(self.centre, trials)
            others, before = _at(self.replicates, attempts), _at(self.replicates, trials)
            value[rows] = np.where(later_than, (1 / earlier).T @ later / _CURVES, 1.0)
            mean = problems.count @ value / n
            fitted = np.var(later * _sums(problems.count[rows] / n / earlier, met), axis=0)
            tried = _sums(share[:, rows], met)
            weight = share[:, rows].sum(axis=1, keepdims=True)
            stays = (others * _sums(share[:, rows] / before, met) + weight - tried) / weight
            seen = share @ rest + weight * _shares_that_stay(stays, problems.units(rows))
        low, high = problems.ends(seen, level)
        ends = np.clip([np.minimum(low, mean), np.maximum(high, mean)], 0.0, 1.0)
        return mean, np.sqrt(problems.variance(value) + fitted), ends


def _shares_that_stay(chance: FloatArray, number: int) -> FloatArray:
    """Share of so many problems that stay unsolved, one quantile a row: it falls with k as the chance does.

    The quantiles are multiples of the golden ratio modulo 1, which spread evenly in any stretch of rows.
    """
    uniform = (np.arange(1, len(chance) + 1)[:, np.newaxis] * _GOLDEN) % 1
    some = np.clip(chance, 1e-15, 1 - 1e-15)
    if number >= chance.shape[1]:
        return np.asarray(np.ceil(special.bdtrik(uniform, number, some)) / number)
    # the number exceeds j where the chance exceeds the one at which at most j have probability u
    j = np.arange(number)
    most = 1 - special.betaincinv(number - j, j + 1.0, uniform)
    return np.stack([np.searchsorted(row, own) for row, own in zip(most, some, strict=True)]) / number


def _at(paths: FloatArray, attempts: FloatArray) -> FloatArray:
    """Unsolved shares of curves after k attempts: (n_curves, n)."""
    where = np.interp(np.log(attempts), np.log(_GRID), np.arange(_GRID.size))
    low = np.minimum(where.astype(np.int64), _GRID.size - 2)
    return np.asarray(np.exp(paths[:, low] + (where - low) * (paths[:, low + 1] - paths[:, low])))


def _sums(terms: FloatArray, number: IntArray) -> FloatArray:
    """Sums of the first terms of each row, for each number of terms: (rows, numbers)."""
    total = np.cumsum(terms, axis=1)
    return np.asarray(np.where(number > 0, total[:, np.maximum(number - 1, 0)], 0.0))
