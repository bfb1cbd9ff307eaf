r"""Several attempts at a problem: pass@k, its curve beyond the trials, comparison, allocation.

If P is the chance that an attempt at a problem succeeds, the share is :math:`S_k = E\,(1 - P)^k`. Where -log pass@k is
a power of k, :math:`y = \log(-\log(1 - S_k))` is straight in log k. The prior of y is a mixture of nearly straight
Gaussian processes with different standard deviations of the slope, reweighted by their evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special
from scipy.stats import hypergeom, spearmanr

from classex import plots
from classex._checks import (
    as_class_counts,
    as_finite_array,
    as_finite_number,
    as_generator,
    as_plain_array,
    as_positive_int,
    as_probability,
    as_units,
    one_of,
)
from classex._estimates import UNSEEN_UNITS, rate_interval
from classex._result import Result
from classex._types import FloatArray, IntArray
from classex.curves.accuracy import SubsetMean, spaced_sizes
from classex.curves.metrics import as_rank_metric
from classex.distributions.wins import log_choose
from classex.forecast import CurvePrior, Straight
from classex.forecast.forecast import MOST_SIZES
from classex.methods.beta_binomial import checked_counts

__all__ = [
    "AttemptsToReach",
    "PairedDifference",
    "PassAtK",
    "PassHatK",
    "ScoreAtK",
    "attempts_to_reach",
    "best_at_k",
    "majority_at_k",
    "next_attempts",
    "pass_at_k",
    "pass_at_k_difference",
    "pass_hat_k",
]


def _for_these(sentence: str, problems: str) -> str:
    """Say so if intervals are for these problems alone."""
    return sentence if problems == "population" else f"{sentence[:-1]}; intervals for these problems alone:"


# What errors and intervals are for
ProblemsMeant = Literal["population", "these"]


@dataclass(frozen=True)
class PassAtK(Result):
    """Estimated pass@k.

    Attributes
    ----------
    k : ndarray of shape (n,)
        Numbers of attempts.
    value : ndarray of shape (n,)
        Estimated pass@k, a probability.
    standard_error : ndarray of shape (n,)
        Standard errors over problems.
    interval : ndarray of shape (n, 2)
        Confidence intervals.
    limits : ndarray of shape (n, 2)
        Limits of pass@k for every distribution of the chances, with the same confidence or more. Up to the trials they
        are the interval.
    extrapolated : ndarray of bool of shape (n,)
        Whether k exceeds the trials of some problem (of some unsolved problem, if trials stopped at a success), so that
        the value may depend on fitted distributions.
    confidence_level : float
        Nominal level of the intervals.
    n_problems, n_unsolved : int
        Number of problems, and of those without a success.
    problems : str
        What errors and intervals are for: a "population" of problems, or "these".

    Examples
    --------
    >>> import classex as cx
    >>> found = cx.pass_at_k([0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, [1, 5, 100])
    >>> found.value[:2].round(3), found.extrapolated, found.n_unsolved
    (array([0.28 , 0.519]), array([False, False,  True]), 4)
    """

    k: NDArray[np.int64]
    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    interval: NDArray[np.float64]
    limits: NDArray[np.float64]
    extrapolated: NDArray[np.bool_]
    confidence_level: float
    n_problems: int
    n_unsolved: int
    problems: str = "population"

    _names: ClassVar[Mapping[str, str]] = {"value": "pass@k"}
    _tabulated: ClassVar[bool] = True

    _says: ClassVar[str] = "pass@k of {n_problems} problems, {n_unsolved} of them unsolved so far:"

    def _sentence(self) -> str:
        return _for_these(super()._sentence(), self.problems)

    def _notes(self) -> list[str]:
        note = (
            "The limits allow for every distribution of the chances of success. They are wider than the interval only "
            "where k exceeds the trials made. Use them if the problems that remain may all have nearly the same "
            "chance, since the interval may then miss the true value."
        )
        return [note] if self.extrapolated.any() else []

    def plot(self, ax: Any = None, **line: Any) -> plots.AccuracyCurveDisplay:
        """Draw the values with their intervals.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line
            Passed to matplotlib for the line.

        Returns
        -------
        AccuracyCurveDisplay
        """
        order = np.argsort(self.k)
        k, value, interval = (column[order] for column in (self.k.astype(np.float64), self.value, self.interval))
        display = plots.AccuracyCurveDisplay(
            None, k, value, interval, xlabel="number of attempts k", ylabel=self._names["value"]
        )
        return display.plot(ax, **line)


@dataclass(frozen=True)
class PassHatK(PassAtK):
    """Estimated pass^k, the share of problems that all of k attempts solve; attributes as in `PassAtK`.

    Examples
    --------
    >>> import classex as cx
    >>> print(cx.attempts.pass_hat_k([0, 1, 3, 4], 4, 2).to_markdown())
    | k | pass^k | standard error | 95 % interval | limits | extrapolated |
    |--:|--:|--:|--:|--:|--:|
    | 2 | 0.38 | 0.24 | 0.06 to 0.81 | 0.06 to 0.81 | no |
    """

    _names: ClassVar[Mapping[str, str]] = {"value": "pass^k"}
    _says: ClassVar[str] = "pass^k of {n_problems} problems, {n_unsolved} of them unsolved so far:"


@dataclass(frozen=True)
class AttemptsToReach(Result):
    """Number of attempts at each problem with which pass@k reaches a coverage.

    Attributes
    ----------
    coverage : float
        Share of problems to be solved.
    value : float
        Least number of attempts with which pass@k reaches it; infinite if it does not up to 10^12 attempts.
    low, high : float
        Confidence interval, infinite where an end of the interval of pass@k does not reach the coverage.
    confidence_level : float
        Nominal level of the interval.
    n_problems, n_unsolved : int
        Number of problems, and of those without a success.

    Examples
    --------
    >>> import classex as cx
    >>> print(cx.attempts.attempts_to_reach([0, 1, 3, 4, 2, 2, 1, 4], 4, 0.5))
    Attempts at each problem for a coverage of 0.5: 1 (95 % interval 1 to 4). 1 of 8 problems are unsolved so far.
    """

    coverage: float
    value: float
    low: float
    high: float
    confidence_level: float
    n_problems: int
    n_unsolved: int

    _names: ClassVar[Mapping[str, str]] = {"value": "attempts", "low": "attempts_low", "high": "attempts_high"}
    _says: ClassVar[str] = (
        "Attempts at each problem for a coverage of {coverage}: {found}. "
        "{n_unsolved} of {n_problems} problems are unsolved so far."
    )


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
    rng : int, numpy.random.Generator or None
        Seed or generator of the replicates.
    """

    trials: IntArray
    successes: IntArray
    batch: IntArray
    count: IntArray
    groups: Any
    fixed: bool
    rng: Any = 0

    @classmethod
    def of(
        cls, successes: IntArray, trials: IntArray, batch: int | None, group: IntArray | None = None, rng: Any = 0
    ) -> Problems:
        """Problems with a fixed number of trials, or tried in batches of this size until one holds a success."""
        # one number stands for both: numbers are sorted many times faster than pairs
        base = int(successes.max()) + 1
        code, outcome, count = np.unique(trials * base + successes, return_inverse=True, return_counts=True)
        tried, solved = code // base, code % base
        last = tried if batch is None else np.minimum(batch, tried)
        table = None
        if group is not None:
            table = sparse.coo_array((np.ones(group.size), (group, outcome.ravel()))).tocsr()
        return cls(tried, solved, last, count.astype(np.int64), table, batch is None, rng)

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
        rng = as_generator(self.rng)
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
        low = np.quantile(seen, (1 - level) / 2, axis=0)
        return np.stack([low, np.quantile(seen + self.replicates[1], (1 + level) / 2, axis=0)])

    def trial_variance(self, attempts: FloatArray) -> FloatArray:
        r"""Squared standard error of the mean of (1 - p)^k over these problems, from the chance of the trials alone.

        The mean of :math:`\hat f^2` less that of :math:`(1-p)^{2k}`. Beyond the n trials of a problem the second is at
        least :math:`(S_n / S_{n-1})^{2k-n}` times what n trials leave, by Jensen's inequality.
        """
        value, twice = self.known(attempts), self.known(2 * attempts)
        for last in np.unique(self.trials):
            counts = self.count * ((self.trials >= last) | (not self.fixed and self.successes > 0))
            before, left = counts @ self.known(np.array([last - 1.0, last]))
            stays = left / before if before > 0 else 0.0
            twice[self.trials == last] *= stays ** np.maximum(2 * attempts - last, 0.0)
        return np.asarray(np.maximum(self.count @ (np.square(value) - twice), 0.0) / self.count.sum() ** 2)

    def variance(self, value: FloatArray) -> FloatArray:
        """Squared standard error of the mean of a value over problems, from its sums over groups."""
        off = value - self.count @ value / self.count.sum()
        if self.groups is None:
            squares, n = self.count @ np.square(off), self.count.sum()
        else:
            squares, n = np.square(self.groups @ off).sum(axis=0), self.groups.shape[0]
        return np.asarray(squares * (n / (n - 1)) / self.count.sum() ** 2)


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


# Elements of the largest arrays, 32 MB each
_BLOCK_ELEMENTS = 2**22
# Where the search for a number of attempts ends, numbers that it tries at a time, and its relative accuracy
_MOST_ATTEMPTS, _AT_A_TIME, _SEARCHED = 1e12, 50, 1e-6
# Probability below which short trials that all hold a success count as stopped
_UNLIKELY = 0.01
# Probability of so strong a rank correlation of trials and shares of successes, by chance
_DEPENDENT = 1e-4


def pass_at_k(
    successes: ArrayLike,
    trials: ArrayLike,
    k: ArrayLike,
    *,
    stopped: bool | int | None = None,
    groups: ArrayLike | None = None,
    problems: ProblemsMeant = "population",
    confidence_level: float = 0.95,
    rng: Any = 0,
) -> PassAtK:
    r"""Share of problems that at least one of k independent attempts solves.

    For :math:`k \le n`, a problem that was solved c times in n trials contributes the share of the k-subsets of its
    trials that contain a success,

    .. math:: \widehat{\mathrm{pass@}k} = 1 - \operatorname*{mean} \binom{n - c}{k} \Big/ \binom{n}{k},

    which is unbiased. Beyond its trials a solved problem stays solved, and an unsolved one stays unsolved with
    probability :math:`S_k / S_n`, where :math:`S_k = E\,(1 - P)^k` and P is the success probability. This ratio is
    averaged over curves for which :math:`\log(-\log \mathrm{pass@}k)` is nearly straight in log k, given the observed
    curve up to n. So the estimate never falls with k, and is continuous at n.

    Parameters
    ----------
    successes : array_like of int of shape (n_problems,)
        Successes c of each problem.
    trials : int or array_like of int of shape (n_problems,)
        Trials n of each problem, at least 1.
    k : int or array_like of int
        Numbers of attempts.
    stopped : bool or int, optional
        Whether the trials of a problem stopped at a success. True: each problem was tried until its first success or
        until its budget was spent. A number b: it was tried in batches of b, until a batch contained a success. False:
        the numbers of trials were fixed in advance. By default they are taken as fixed, and refused if they clearly
        depend on the successes.
    groups : array_like of shape (n_problems,), optional
        Group of each problem, by number or name, if problems come in clusters such as repositories or contests.
        Standard errors and intervals are then for a sample of groups. By default every problem is a group of its own.
    problems : {"population", "these"}
        What errors and intervals are for: the population that the problems are a sample of, or these very problems,
        such as a fixed benchmark, with the chance of the trials alone. The latter takes k up to the trials.
    confidence_level : float
        Level of the intervals, in (0, 1).
    rng : int, numpy.random.Generator or None
        Seed or generator of the reweighted problems behind the intervals; with another one their ends differ a little.

    Returns
    -------
    PassAtK
        Values, standard errors and intervals.

    Raises
    ------
    ValueError
        If there are fewer than two problems or groups, or not 0 <= successes <= trials, or k is below 1; if trials seem
        to have stopped at a success and `stopped` is not given; or if `stopped` contradicts the counts.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    Under a power law of -log pass@k, :math:`y = \log(-\log(1 - S_k))` is straight in log k. The prior of y is a mixture
    of three Gaussian processes. They have the same mean slope and correlation length of the slope, and differ in its
    standard deviation. Their probabilities are the prior ones times a power of the evidence, so that the data decide
    how far a curve may bend. The noise of the observed curve is the chance of the trials. The prior is learnt on
    attempts of randomised solvers and of small language models (``benchmarks/attempts``, where it is compared with
    other methods on families left out).

    The interval is for the population of which the problems are a sample. Its ends are quantiles over reweighted sets
    of problems, or of groups (the Bayesian bootstrap of Rubin, 1981), each with another curve given its own observed
    part. Each set has half a problem, or group, of a
    type not yet seen, hopeless at the lower end and always solved at the upper end. If each problem is either solved or
    not, this is Clopper and Pearson's interval with half an observation in place of one. It has width even if all
    problems agree: twenty of them do not exclude that one in twenty is hopeless.

    For these problems alone the variance is the mean of :math:`\hat f^2` less that of :math:`(1-p)^{2k}`, where
    :math:`\hat f` is the share of subsets without a success. Up to n the second is the share for 2k; beyond n it is at
    least :math:`S_n (S_n / S_{n-1})^{2k-n}`, which can only widen the interval. Its ends allow for rare events, as
    Wilson's do, and are never outside the interval for the population.

    Where all unsolved problems have nearly the same chance, they are solved together, the curve bends after the trials,
    and the interval can end too low: with half the problems at .3, half at .003, and 50 trials, it covers pass@500 in
    one sample of twelve. The limits cover these cases too. They use that pass@k never falls, and that by Jensen's
    inequality :math:`\log S_k` is convex in k, so that :math:`S_k \ge S_n (S_n / S_{n-1})^{k-n}`, where
    :math:`n (S_{n-1} - S_n)` is the share solved once in n trials.

    If trials stop at a success, failures come first, and subsets of all trials would be biased. With `stopped`, a
    problem is unsolved before its last batch, and the subsets are those of that batch: this is the only unbiased
    estimate. Beyond the trials the likelihood does not depend on how they stopped.

    Source: the unbiased estimate is that of Chen et al. (2021), section 2.1.

    Examples
    --------
    >>> import classex as cx
    >>> cx.attempts.pass_at_k(
    ...     [0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, [1, 5]
    ... ).value.round(3)
    array([0.28 , 0.519])

    Solved at the first, third and fourth attempt; given up after six:

    >>> cx.pass_at_k([1, 1, 1, 0], [1, 3, 4, 6], [1, 3, 6], stopped=True).value
    array([0.25, 0.5 , 0.75])
    """
    checked = CheckedAttempts.of(successes, trials, stopped, groups, confidence_level, rng)
    found = checked.pass_at(as_class_counts(k, "k", maximum=int(_MOST_ATTEMPTS)))
    return found if _meant(problems, groups) == "population" else checked.of_these(found)


def pass_hat_k(
    successes: ArrayLike,
    trials: ArrayLike,
    k: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    problems: ProblemsMeant = "population",
    confidence_level: float = 0.95,
    rng: Any = 0,
) -> PassHatK:
    r"""Share of problems that all of k independent attempts solve, a measure of reliability.

    For :math:`k \le n` a problem that was solved c times in n trials contributes the share of the k-subsets of its
    trials that hold successes only,

    .. math:: \widehat{\mathrm{pass\hat{\ }}k} = \operatorname*{mean} \binom{c}{k} \Big/ \binom{n}{k},

    which is unbiased for :math:`E P^k`. It is 1 - pass@k of the failures, and beyond the trials it is extrapolated as
    pass@k is.

    Parameters
    ----------
    successes : array_like of int of shape (n_problems,)
        Successes c of each problem.
    trials : int or array_like of int of shape (n_problems,)
        Trials n of each problem, at least 1, fixed in advance.
    k : int or array_like of int
        Numbers of attempts.
    groups : array_like of shape (n_problems,), optional
        Group of each problem, as in `pass_at_k`.
    problems : {"population", "these"}
        What errors and intervals are for, as in `pass_at_k`.
    confidence_level : float
        Level of the intervals, in (0, 1).
    rng : int, numpy.random.Generator or None
        Seed or generator of the reweighted problems behind the intervals; with another one their ends differ a little.

    Returns
    -------
    PassHatK
        Values, standard errors and intervals.

    Raises
    ------
    ValueError, TypeError
        As in `pass_at_k`; also if trials seem to have stopped at a success, since no estimate is unbiased then.

    Notes
    -----
    The prior was learnt on curves of pass@k, not on curves of pass^k. Source: Yao et al. (2024),
    tau-bench, section 3.

    Examples
    --------
    >>> import classex as cx
    >>> cx.attempts.pass_hat_k([0, 1, 3, 4], 4, [1, 2]).value.round(3)
    array([0.5  , 0.375])
    """
    c, n = (counts.astype(np.int64) for counts in checked_counts(successes, trials))
    try:
        _refuse_stopped(c, n)
    except ValueError:
        raise ValueError("trials seem to have stopped at a success: pass^k needs trials fixed in advance") from None
    options: Any = {"groups": groups, "problems": problems, "confidence_level": confidence_level, "rng": rng}
    failed = pass_at_k(n - c, n, k, stopped=False, **options)
    ends = {name: 1 - getattr(failed, name)[:, ::-1] for name in ("interval", "limits")}
    changed = {"value": 1 - failed.value, "n_unsolved": int((c == 0).sum()), **ends}
    return PassHatK(**{**vars(failed), **changed})


def attempts_to_reach(
    successes: ArrayLike,
    trials: ArrayLike,
    coverage: float,
    *,
    stopped: bool | int | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    rng: Any = 0,
) -> AttemptsToReach:
    r"""Least number of attempts at each problem with which pass@k reaches a coverage, with an interval.

    .. math:: k(a) = \min\{k : \mathrm{pass@}k \ge a\};

    its confidence interval contains every k at which the interval of pass@k contains a.

    Parameters
    ----------
    successes, trials, stopped, groups, confidence_level
        As in `pass_at_k`.
    coverage : float
        The share a of problems to be solved, strictly between 0 and 1.
    rng : int, numpy.random.Generator or None
        Seed or generator of the reweighted problems behind the intervals; with another one their ends differ a little.

    Returns
    -------
    AttemptsToReach
        The number and its interval, infinite where pass@k does not reach the coverage up to 10^12 attempts.

    Raises
    ------
    ValueError, TypeError
        As in `pass_at_k`, or if `coverage` is not between 0 and 1.

    Examples
    --------
    >>> import classex as cx
    >>> cost = cx.attempts.attempts_to_reach(
    ...     [0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, 0.5
    ... )
    >>> cost.value
    5
    """
    share = as_probability(coverage, "coverage", open_ends=True)
    checked = CheckedAttempts.of(successes, trials, stopped, groups, confidence_level, rng)
    k: list[float] = []
    for curve in range(3):
        low, high = 0.0, _MOST_ATTEMPTS
        while high - low > max(1.0, low * _SEARCHED):
            tried = np.unique(np.rint(np.geomspace(low + 1, high, _AT_A_TIME)))
            estimate = checked.pass_at(tried)
            reached = np.flatnonzero((estimate.value, estimate.interval[:, 1], estimate.interval[:, 0])[curve] >= share)
            if reached.size == 0:
                high = np.inf
                break
            low, high = float(np.append(low, tried)[reached[0]]), float(tried[reached[0]])
        k.append(int(high) if np.isfinite(high) else high)
    return AttemptsToReach(share, k[0], k[1], k[2], estimate.confidence_level, estimate.n_problems, estimate.n_unsolved)


@dataclass(frozen=True)
class CheckedAttempts:
    """Checked attempts.

    Attributes
    ----------
    problems : Problems
        The outcomes.
    beyond : Continuation
        The unsolved share beyond the trials.
    level : float
        Level of the intervals.
    """

    problems: Problems
    beyond: Continuation
    level: float

    @classmethod
    def of(
        cls, successes: ArrayLike, trials: ArrayLike, stopped: Any, groups: ArrayLike | None, level: float, rng: Any = 0
    ) -> CheckedAttempts:
        confidence = as_probability(level, "confidence_level", open_ends=True)
        c, n = (counts.astype(np.int64) for counts in checked_counts(successes, trials))
        if c.size < 2:
            raise ValueError(f"successes must hold at least two problems, not {c.size}")
        group = None if groups is None else as_units(groups, c.size, "groups", of="problem")
        problems = Problems.of(c, n, _batch(c, n, stopped), group, rng)
        return cls(problems, Continuation(problems), confidence)

    def pass_at(self, attempts: FloatArray) -> PassAtK:
        """Return pass@k for these numbers of attempts."""
        problems, level = self.problems, self.level
        # the trials up to which nothing depends on the fit
        some = problems.trials if problems.fixed else problems.trials[problems.unsolved]
        reach = int(some.min(initial=problems.trials.max()))
        step = max(1, _BLOCK_ELEMENTS // max(len(problems.replicates[0]), problems.count.size))
        blocks = [attempts[first : first + step] for first in range(0, attempts.size, step)]
        parts = [self.beyond.unsolved(block, level) for block in blocks]
        mean, error, ends = (np.concatenate(part, -1) for part in zip(*parts, strict=True))
        interval, far = 1.0 - ends[::-1], attempts > reach
        limits = interval
        if far.any():
            widest = [_limits(problems, reach, problems.fixed, block, level) for block in blocks]
            limits = np.where(far, np.concatenate(widest, axis=-1), interval)
            interval = np.minimum(interval, limits[1])
            limits[0] = np.minimum(limits[0], interval[0])
        value = np.clip(1.0 - mean, 0.0, limits[1])
        n, unsolved = int(problems.count.sum()), int(problems.count[problems.unsolved].sum())
        return PassAtK(attempts.astype(np.int64), value, error, interval.T, limits.T, far, level, n, unsolved)

    def of_these(self, found: PassAtK) -> PassAtK:
        """Return the same with errors and intervals for these problems."""
        # where trials stopped at a success, a solved problem has nothing left to show
        tried = self.problems.trials if self.problems.fixed else self.problems.trials[self.problems.unsolved]
        if tried.size and found.k.max() > (most := tried.min()):
            raise ValueError(
                f"k must be at most {most} with problems='these', the fewest trials, not {found.k.max()}: beyond, "
                "intervals are for the population alone"
            )
        variance = self.problems.trial_variance(found.k.astype(np.float64))
        heaviest = np.minimum(found.k / self.problems.batch.min(), 1.0) / found.n_problems
        low, high = _trial_ends(found.value, variance, heaviest, self.level)
        interval = np.stack([np.maximum(low, found.interval[:, 0]), np.minimum(high, found.interval[:, 1])], axis=1)
        changed: Any = {
            "standard_error": np.sqrt(variance),
            "interval": interval,
            "limits": interval,
            "problems": "these",
        }
        return replace(found, **changed)


def _trial_ends(value: FloatArray, variance: FloatArray, heaviest: FloatArray, level: float) -> FloatArray:
    """Ends for a mean in [0, 1] of fixed problems that one trial moves by `heaviest` at most: (2, k).

    Where all trials weigh the same and all problems are alike these contain Wilson's ends. Rare events lie above a
    small value and below a large one.
    """
    z = special.ndtri(0.5 + level / 2)
    half = z * np.sqrt(variance + np.square(z * heaviest) / 4)
    rare = z**2 * heaviest / 2
    ends = np.stack([value - rare * value - half, value + rare * (1 - value) + half])
    return np.asarray(np.clip(ends, 0.0, 1.0))


def _meant(problems: Any, groups: Any) -> str:
    """Return what the interval is for."""
    meant = one_of(problems, "problems", get_args(ProblemsMeant))
    if meant == "these" and groups is not None:
        raise ValueError("groups must be None with problems='these', which are no sample")
    return str(meant)


def _limits(problems: Problems, trials: int, fixed: bool, attempts: FloatArray, level: float) -> FloatArray:
    """Least and largest pass@k of any distribution, from the shares left unsolved by the trials and shortly before."""
    low = 1.0 - problems.mean_ends(problems.known(attempts), level)[1]
    # of a fixed number of trials each may be the last, which alone solves 1/n of the share solved once
    before, most = (trials - 1, 1 / trials) if fixed else (trials // 2, 1.0)
    left = problems.known(np.array([before, trials], dtype=np.float64))
    # two errors may raise the upper limit: each gets half of the remaining probability
    end = problems.mean_ends(left[:, 1:], (1 + level) / 2)[0, 0]
    least = min(end, problems.count @ left[:, 1] / problems.count.sum())
    solved = most * problems.mean_ends(np.clip((left[:, :1] - left[:, 1:]) / most, 0, 1), (1 + level) / 2)[1, 0]
    falls = least / max(least + solved, 1e-300)
    high = 1.0 - least * falls ** (np.maximum(attempts - trials, 0.0) / (trials - before))
    return np.asarray(np.clip(np.stack([low, high]), 0.0, 1.0))


def _batch(successes: IntArray, trials: IntArray, stopped: bool | int | None) -> int | None:
    """Number of trials in a batch, or None if the number of trials was fixed."""
    if stopped is None:
        _refuse_stopped(successes, trials)
        return None
    if isinstance(stopped, bool | np.bool_) and not stopped:
        return None
    batch = 1 if isinstance(stopped, bool | np.bool_) else as_positive_int(stopped, "stopped")
    wrong = (successes > batch) | ((successes > 0) & (trials % batch > 0))
    if wrong.any():
        i = int(np.argmax(wrong))
        kind = "at the first success" if batch == 1 else f"after the first batch of {batch} with a success"
        raise ValueError(
            f"trials cannot have stopped {kind} where problem {i} has successes {successes[i]} and trials {trials[i]}: "
            "give the size of the batches, such as stopped=60, or stopped=False if trials were fixed in advance"
        )
    return batch


def _refuse_stopped(successes: IntArray, trials: IntArray) -> None:
    """Refuse trials that continued only without a success."""
    most, unsolved = int(trials.max()), successes == 0
    short = trials < most
    if not short.any():
        return
    if (unsolved & short).any():
        _refuse_dependent(successes, trials)
        return
    once = successes.max() <= 1
    in_batches = unsolved.any() and successes.max() <= np.gcd.reduce(trials)
    # the probability that none of the unsolved problems is among the short ones
    among_long, among_all = log_choose(np.array([(~short).sum(), trials.size], dtype=np.float64), unsolved.sum())
    if once or in_batches or among_long - among_all < np.log(_UNLIKELY):
        raise ValueError(
            f"trials seem to have stopped at a success, which all {short.sum()} problems with fewer than {most} have: "
            "give stopped=True if each was tried until its first success, stopped=b if in batches of b until one "
            "contained a success, or stopped=False if trials were fixed in advance"
        )
    _refuse_dependent(successes, trials)


def _refuse_dependent(successes: IntArray, trials: IntArray) -> None:
    """Refuse trials whose numbers go up or down with the share of successes."""
    tried = trials > 0
    share = successes[tried] / trials[tried]
    if share.size and np.ptp(share) > 0 and spearmanr(trials[tried], share).pvalue < _DEPENDENT:
        raise ValueError(
            "trials depend on the successes: problems with few of them were solved more, or less, often. "
            "If empty outcomes were left out, say whether they failed: empty='fail'; if trials were "
            "fixed in advance, stopped=False"
        )


@dataclass(frozen=True)
class PairedDifference(Result):
    """Differences of pass@k between two systems that tried the same problems.

    Attributes
    ----------
    first, second : str
        Names of the systems; the difference is the first less the second.
    k : ndarray of shape (n,)
        Numbers of attempts.
    value, standard_error : ndarray of shape (n,)
        Estimated differences, and their standard errors over problems or groups of problems.
    interval : ndarray of shape (n, 2)
        Confidence intervals.
    confidence_level : float
        Nominal level of the intervals.
    n_problems : int
        Number of problems that both tried.
    problems : str
        What errors and intervals are for: a "population" of problems, or "these".

    Examples
    --------
    >>> import classex as cx
    >>> print(
    ...     cx.attempts.pass_at_k_difference(
    ...         ([3, 5, 1], [5, 5, 5]), ([1, 4, 0], [5, 5, 5]), 1
    ...     )
    ... )
    pass@k of a less that of b, on the same 3 problems:
    <BLANKLINE>
    k  difference  standard error    95 % interval
    1       0.267           0.067  -0.487 to 0.703
    """

    first: str
    second: str
    k: NDArray[np.int64]
    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    interval: NDArray[np.float64]
    confidence_level: float
    n_problems: int
    problems: str = "population"

    _names: ClassVar[Mapping[str, str]] = {"value": "difference"}
    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "pass@k of {first} less that of {second}, on the same {n_problems} problems:"

    def _sentence(self) -> str:
        return _for_these(super()._sentence(), self.problems)


def pass_at_k_difference(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    k: ArrayLike = 1,
    *,
    names: tuple[str, str] = ("a", "b"),
    groups: ArrayLike | None = None,
    problems: ProblemsMeant = "population",
    confidence_level: float = 0.95,
) -> PairedDifference:
    r"""Difference of pass@k of two systems, from their attempts at the same problems.

    .. math:: \operatorname*{mean}_i d_i, \qquad
        d_i = \binom{n_i' - c_i'}{k} \Big/ \binom{n_i'}{k} - \binom{n_i - c_i}{k} \Big/ \binom{n_i}{k},

    which is unbiased. Problems that are hard for both systems cancel, so that the interval is narrower than those of
    the two values suggest.

    Parameters
    ----------
    first, second : tuple of array_like of int of shape (n_problems,)
        Successes and trials of the two systems, problems in the same order; trials fixed in advance.
    k : int or array_like of int
        Numbers of attempts, at most the trials of every problem.
    names : tuple of str
        Names of the systems.
    groups : array_like of shape (n_problems,), optional
        Group of each problem, as in `pass_at_k`.
    problems : {"population", "these"}
        What errors and intervals are for, as in `pass_at_k`.
    confidence_level : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    PairedDifference
        Differences, standard errors and intervals.

    Raises
    ------
    ValueError
        If there are fewer than two problems or groups, the numbers of problems differ, not 0 <= successes <= trials, or
        k exceeds the trials of a problem.

    Notes
    -----
    For these problems alone, the distances from the two values to the ends of their intervals are combined as the
    roots of sums of squares (Newcombe, Statistics in Medicine 17, 1998), since trials of the two are independent. The
    interval is never outside that for a population.

    For a population the interval is Student's over problems or groups, and at least what half a problem, or group, of a
    kind not yet seen could change, with the difference -1 at the lower end and 1 at the upper end, as in `pass_at_k`.
    Source: paired differences, Miller (2024), section 3.

    Examples
    --------
    >>> import classex as cx
    >>> cx.attempts.pass_at_k_difference(
    ...     ([3, 5, 1], 5), ([1, 4, 0], 5), [1, 2]
    ... ).value.round(3)
    array([0.267, 0.3  ])
    """
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    attempts, meant = as_class_counts(k, "k"), _meant(problems, groups)
    failed = []
    for name, counts in (("first", first), ("second", second)):
        successes, trials = checked_counts(*counts)
        if attempts.max() > trials.min():
            raise ValueError(f"k must be at most {trials.min():g}, the fewest trials of {name}, not {attempts.max():g}")
        failed.append(hypergeom.pmf(0, trials, successes, attempts[:, np.newaxis]))
    if failed[0].shape != failed[1].shape:
        raise ValueError(f"second must have the {failed[0].shape[1]} problems of first, not {failed[1].shape[1]}")
    n = failed[0].shape[1]
    group = np.arange(n) if groups is None else as_units(groups, n, "groups", of="problem")
    units = int(group.max()) + 1
    if units < 2:
        raise ValueError(f"first must hold at least two problems, not {n}")
    each = failed[1] - failed[0]
    value = each.mean(axis=1)
    sums = np.stack([np.bincount(group, change - middle, units) for change, middle in zip(each, value, strict=True)])
    error = np.sqrt(np.square(sums).sum(axis=1) * units / (units - 1)) / n
    reach = special.stdtrit(units - 1, 0.5 + level / 2) * error
    unseen = special.betaincinv(UNSEEN_UNITS, units, 0.5 + level / 2)
    # what half a unit unlike those seen could change, or chance, whichever is more
    low = np.minimum(value - reach, value - (1 + value) * unseen)
    high = np.maximum(value + reach, value + (1 - value) * unseen)
    if meant == "these":
        options: Any = {"stopped": False, "problems": meant, "confidence_level": level}
        a, b = (pass_at_k(*counts, attempts, **options) for counts in (first, second))
        error = np.hypot(a.standard_error, b.standard_error)
        (below_a, below_b), (above_a, above_b) = (
            [np.abs(one.value - one.interval[:, end]) for one in (a, b)] for end in (0, 1)
        )
        low = np.maximum(low, value - np.hypot(below_a, above_b))
        high = np.minimum(high, value + np.hypot(above_a, below_b))
    interval = np.clip(np.stack([low, high], axis=1), -1.0, 1.0)
    return PairedDifference(*names, attempts.astype(np.int64), value, error, interval, level, n, meant)


def next_attempts(successes: ArrayLike, trials: ArrayLike, budget: int) -> NDArray[np.int64]:
    r"""Attempts to give to each problem next, if a budget goes to the unsolved problems with the fewest trials.

    Each gets :math:`\max(L - n, 0)` attempts beyond its n trials, with the level L that spends the budget. What is left
    of it by rounding goes to the first of these problems. Stop at the first success, ask again with what is left of the
    budget, and pass ``stopped=True`` to `pass_at_k`.

    Parameters
    ----------
    successes : array_like of int of shape (n_problems,)
        Successes of each problem.
    trials : int or array_like of int of shape (n_problems,)
        Trials of each problem, at least 1.
    budget : int
        Number of attempts to give.

    Returns
    -------
    ndarray of int of shape (n_problems,)
        Numbers of attempts; 0 for solved problems.

    Raises
    ------
    ValueError, TypeError
        If not 0 <= successes <= trials, or `budget` is not a whole number of at least 1.

    Notes
    -----
    Solved problems teach nothing more about the unsolved share beyond the trials. ``benchmarks/attempts`` measures the
    gain. The idea is that of Kazdan et al. (2025), who fit a beta-binomial distribution to such trials.

    Examples
    --------
    >>> import classex as cx
    >>> cx.attempts.next_attempts([0, 3, 0, 0], [5, 5, 5, 9], 12)
    array([6, 0, 5, 1])
    """
    c, n = (counts.astype(np.int64) for counts in checked_counts(successes, trials))
    number = as_positive_int(budget, "budget")
    unsolved = np.flatnonzero(c == 0)
    unsolved = unsolved[np.argsort(n[unsolved], kind="stable")]
    out = np.zeros_like(n)
    if unsolved.size:
        tried = n[unsolved]
        spent = np.cumsum(tried)
        few = int(np.count_nonzero(np.arange(tried.size) * tried - (spent - tried) <= number))
        level, more = divmod(number + int(spent[few - 1]), few)
        out[unsolved[:few]] = level - tried[:few] + (np.arange(few) < more)
    return out


@dataclass(frozen=True)
class ScoreAtK(Result):
    """Mean over problems of what k attempts together are worth.

    Attributes
    ----------
    k : ndarray of int of shape (n,)
        Numbers of attempts.
    value, standard_error : ndarray of shape (n,)
        Estimates and their standard errors.
    interval : ndarray of shape (n, 2)
        Confidence intervals.
    measure : str
        What k attempts are worth, such as "best@k".
    confidence_level : float
        Nominal level of the intervals.
    n_problems : int
        Number of problems.
    problems : str
        What errors and intervals are for: a "population" of problems, or "these".

    Examples
    --------
    >>> import classex as cx
    >>> print(cx.attempts.best_at_k([[0.2, 0.9, 0.4], [0.1, 0.1, 0.3]], [1, 2]))
    Of 2 problems, the mean of best@k:
    <BLANKLINE>
    k  value  standard error  95 % interval
    1   0.33            0.17   0.01 to 0.98
    2   0.48            0.25   0.01 to 0.99
    """

    k: NDArray[np.int64]
    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    interval: NDArray[np.float64]
    measure: str
    confidence_level: float
    n_problems: int
    problems: str = "population"

    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "Of {n_problems} problems, the mean of {measure}:"

    def _sentence(self) -> str:
        return _for_these(super()._sentence(), self.problems)


def best_at_k(
    scores: ArrayLike | Sequence[ArrayLike],
    k: ArrayLike,
    *,
    share: float = 0.0,
    bounds: tuple[float, float] = (0.0, 1.0),
    groups: ArrayLike | None = None,
    problems: ProblemsMeant = "population",
    confidence_level: float = 0.95,
) -> ScoreAtK:
    r"""Expected best score of k attempts, or the score that a share of them reaches.

    With the n scores of a problem in ascending order, the mean over all k-subsets of their m-th best is

    .. math:: \sum_{i=1}^{n} x_{(i)} \binom{i-1}{k-m} \binom{n-i}{m-1} \Big/ \binom{n}{k},
              \qquad m = \max(1, \lceil \tau k \rceil),

    which is unbiased for k attempts. A share :math:`\tau` of 0 is best@k. For scores of 0 and 1 the mean is the
    probability that at least m of k attempts succeed, G-Pass@k; with a share of 1 it is pass^k.

    Parameters
    ----------
    scores : array_like of shape (n_problems, n_trials), or sequence of array_like
        Scores of the attempts at each problem, higher is better.
    k : int or array_like of int
        Numbers of attempts, at most the trials of each problem.
    share : float
        The share :math:`\tau` of the attempts that must reach the score, in [0, 1].
    bounds : tuple of float
        Least and largest score that an attempt can have.
    groups : array_like of shape (n_problems,), optional
        Group of each problem, as in `pass_at_k`.
    problems : {"population", "these"}
        What errors and intervals are for, as in `pass_at_k`; the latter takes k below the trials.
    confidence_level : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    ScoreAtK
        Values, standard errors and intervals.

    Raises
    ------
    ValueError
        If k exceeds the trials, a score is outside `bounds`, or an argument is not accepted.

    Notes
    -----
    Beyond the trials nothing is known about scores above the best one, and k is refused. For the share of problems
    where at least one score, or every score, reaches a threshold, `pass_at_k` and `pass_hat_k` extrapolate. For these
    problems the variance is that of the jackknife over trials, whose expectation is at least the true one (Efron and
    Stein, Annals of Statistics 9, 1981). Source of G-Pass@k: Liu et al. (2024), "Are your LLMs capable of stable
    reasoning?".

    Examples
    --------
    >>> import classex as cx
    >>> scores = [[0.2, 0.9, 0.4], [0.1, 0.1, 0.3]]
    >>> cx.attempts.best_at_k(scores, [1, 2, 3]).value.round(3)
    array([0.333, 0.483, 0.6  ])
    """
    part = as_probability(share, "share")
    low, high = (as_finite_number(end, "bounds") for end in bounds)
    if not low < high:
        raise ValueError(f"bounds must be in ascending order, not {bounds}")
    rows = [np.sort(as_finite_array(row, "scores", ndim=1, dtype=np.float64)) for row in scores]  # type: ignore[union-attr]
    for i, row in enumerate(rows):
        if row.size and not low <= row[0] <= row[-1] <= high:
            raise ValueError(
                f"scores must lie in bounds={bounds}, but those of problem {i} go from {row[0]:g} to {row[-1]:g}"
            )
    attempts = _within([row.size for row in rows], k, problems)

    def of_problem(row: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the value of each k, and its jackknife variance."""
        value, deviation = np.empty(attempts.size), np.zeros((attempts.size, row.size))
        for i, size in enumerate(attempts):
            best = max(1, int(np.ceil(part * size - _WHOLE)))
            value[i] = _order_weights(row.size, size, best) @ row
            if problems == "these":
                fewer = _order_weights(row.size - 1, size, best)
                up, down = fewer * row[:-1], fewer * row[1:]
                without = np.append(0.0, np.cumsum(up)) + np.append(np.cumsum(down[::-1])[::-1], 0.0)
                deviation[i] = without - without.mean()
        return value, np.square(deviation).sum(axis=1) * (row.size - 1) / row.size

    each, noise = (
        np.array(part) for part in zip(*[of_problem((row - low) / (high - low)) for row in rows], strict=True)
    )
    name = "best@k" if part == 0 else f"G-Pass@k with a share of {part:g}"
    fewest = min(row.size for row in rows)
    found = _over_problems(each, noise, attempts, fewest, groups, problems, confidence_level, name)
    scaled: Any = {"value": low + (high - low) * found.value, "standard_error": (high - low) * found.standard_error}
    return replace(found, interval=low + (high - low) * found.interval, **scaled)


def majority_at_k(
    answers: ArrayLike | Sequence[ArrayLike],
    right: ArrayLike,
    k: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    problems: ProblemsMeant = "population",
    confidence_level: float = 0.95,
) -> ScoreAtK:
    r"""Share of problems that a vote of k attempts solves: maj@k, with ties broken at random.

    The mean over all k-subsets of the n attempts, which is unbiased for k attempts.

    Parameters
    ----------
    answers : array_like of shape (n_problems, n_trials), or sequence of array_like
        Answers of the attempts at each problem, by name or number; equal answers vote together.
    right : array_like of shape (n_problems,)
        The right answer of each problem.
    k : int or array_like of int
        Numbers of attempts, at most the trials of each problem.
    groups, problems, confidence_level
        As in `best_at_k`.

    Returns
    -------
    ScoreAtK
        Values, standard errors and intervals.

    Raises
    ------
    ValueError
        If k exceeds the trials, the lengths differ, or an argument is not accepted.

    Notes
    -----
    Subsets with j right answers are counted by the product over wrong answers, given c times, of
    :math:`\sum_{x \le j} \binom{c}{x} z^x`; those with t wrong answers at j too count :math:`1/(t+1)`. Whether more
    votes help depends on the wrong answers, so that k beyond the trials is refused.

    Examples
    --------
    >>> import classex as cx
    >>> answers = [["4", "4", "5", "3"], ["a", "b", "b", "c"]]
    >>> cx.attempts.majority_at_k(answers, ["4", "a"], [1, 3]).value
    array([0.375     , 0.41666667])
    """
    rows: list[Any] = [as_plain_array(row, "answers") for row in answers]  # type: ignore[union-attr]
    truth = as_plain_array(right, "right")
    if truth.shape != (len(rows),):
        raise ValueError(f"right must have the {len(rows)} problems of answers, not shape {truth.shape}")
    if len({one.dtype.kind in "US" for one in (*rows, truth)}) > 1:
        raise ValueError("answers and right must all be text, or all numbers, since text equals no number")
    attempts = _within([row.size for row in rows], k, problems)

    def of_problem(row: Any, answer: Any) -> tuple[FloatArray, FloatArray]:
        """Return the value of each k, and its jackknife variance."""
        names, count = np.unique(row, return_counts=True)
        own = names == answer
        won, wrong = int(count[own].sum()), count[~own]
        value = np.array([_voted(won, wrong, size) for size in attempts])
        if problems == "population":
            return value, np.zeros(attempts.size)
        fewer = [(won - 1, wrong)] * (won > 0) + [(won, wrong - one) for one in np.eye(wrong.size, dtype=int)]
        share = np.append([won] * (won > 0), wrong) / row.size
        without = np.array([[_voted(*counts, size) for size in attempts] for counts in fewer])
        return value, (row.size - 1) * (share @ np.square(without - share @ without))

    each, noise = (np.array(part) for part in zip(*map(of_problem, rows, truth), strict=True))
    fewest = min(row.size for row in rows)
    return _over_problems(each, noise, attempts, fewest, groups, problems, confidence_level, "maj@k")


# Shares such as 0.6 of 5 are whole up to rounding
_WHOLE = 1e-9


def _order_weights(n: int, k: int, best: int) -> FloatArray:
    """Probability that each of n ordered scores is the best, second best, ... of k drawn without replacement."""
    below = np.arange(n)
    return np.asarray(special.comb(below, k - best) * special.comb(n - 1 - below, best - 1) / special.comb(n, k))


def _voted(won: int, wrong: IntArray, k: int) -> float:
    """Probability that the right answer has most votes of k drawn without replacement from these counts."""
    total = 0.0
    for votes in range(1, min(won, k) + 1):
        ways = np.zeros((wrong.size + 1, k - votes + 1))  # of ties, of votes for wrong answers
        ways[0, 0] = 1.0
        for count in wrong:
            taken = np.zeros_like(ways)
            for x in range(min(int(count), votes, k - votes) + 1):
                tied = int(x == votes)
                moved = special.comb(int(count), x) * ways[: ways.shape[0] - tied, : ways.shape[1] - x]
                taken[tied:, x:] += moved
            ways = taken
        total += special.comb(won, votes) * float((ways[:, -1] / np.arange(1, wrong.size + 2)).sum())
    return total / float(special.comb(int(won + wrong.sum()), k))


def _within(trials: list[int], k: ArrayLike, problems: Any) -> IntArray:
    """Return numbers of attempts that the trials of every problem allow."""
    if len(trials) < 2:
        raise ValueError(f"there must be at least two problems, not {len(trials)}")
    attempts = as_class_counts(k, "k").astype(np.int64)
    most = min(trials) - (one_of(problems, "problems", get_args(ProblemsMeant)) == "these")
    if attempts.max() > most or max(trials) > _MOST_LISTED:
        why = (
            "the trials show nothing beyond them"
            if problems == "population"
            else "the chance of trials needs one more for problems='these'"
        )
        raise ValueError(
            f"k must be at most {most}, since {why}, and trials at most {_MOST_LISTED}, not k={attempts.max()}"
        )
    return attempts


# Trials whose subsets are still counted in double precision
_MOST_LISTED = 1000


def _over_problems(
    each: FloatArray,
    noise: FloatArray,
    attempts: IntArray,
    fewest: int,
    groups: ArrayLike | None,
    problems: ProblemsMeant,
    confidence_level: float,
    measure: str,
) -> ScoreAtK:
    """Mean over problems of values in [0, 1], each with its variance by the chance of the trials: (n_problems, k)."""
    level, n = as_probability(confidence_level, "confidence_level", open_ends=True), len(each)
    value = each.mean(axis=0)
    if _meant(problems, groups) == "these":
        error = np.sqrt(noise.sum(axis=0)) / n
        interval = _trial_ends(value, np.square(error), attempts / fewest / n, level).T
    else:
        group = np.arange(n) if groups is None else as_units(groups, n, "groups", of="problem")
        units = int(group.max()) + 1
        sums = np.stack([np.bincount(group, off, units) for off in (each - value).T], axis=1)
        error = np.sqrt(np.square(sums).sum(axis=0) * units / (units - 1)) / n
        interval = rate_interval(value, error, units, level)
    return ScoreAtK(attempts, value, error, interval, measure, level, n, problems)
