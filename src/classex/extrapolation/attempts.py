"""pass@k: the share of problems that at least one of k attempts solves, up to the trials made and beyond."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._rates import rate_interval
from classex._validation import as_class_counts, as_finite_array, as_probability
from classex.curves.accuracy import accuracy_covariance, accuracy_curve
from classex.laws.chances import draw_chance_laws
from classex.ranks import ranks_from_wins
from classex.results import CorrectRanks

__all__ = ["PassAtK", "pass_at_k"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class PassAtK:
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
        Between these pass@k lies whatever the law of the chances, with the same confidence or more; up to the trials
        they are the interval.
    extrapolated : ndarray of bool of shape (n,)
        Whether k exceeds the trials of some problem, so that the value rests on the fitted law.
    confidence_level : float
        Nominal level of the intervals.
    n_problems, n_unsolved : int
        Number of problems, and of those without a success.

    Examples
    --------
    >>> import classex as cx
    >>> found = cx.pass_at_k([0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, [1, 5, 100])
    >>> found.value[:2].round(3), found.extrapolated, found.n_unsolved
    (array([0.28 , 0.519]), array([False, False,  True]), 4)
    """

    k: IntArray
    value: FloatArray
    standard_error: FloatArray
    interval: FloatArray
    limits: FloatArray
    extrapolated: NDArray[np.bool_]
    confidence_level: float
    n_problems: int
    n_unsolved: int

    def __str__(self) -> str:
        """A sentence and a table."""
        level = f"{self.confidence_level:.0%} interval"
        lines = [
            f"pass@k of {self.n_problems:,} problems, {self.n_unsolved:,} of them unsolved so far:",
            f"{'k':>12}  pass@k  {level:<16}  whatever the law",
        ]
        rows = zip(self.k, self.value, self.interval, self.limits, self.extrapolated, strict=True)
        for k, value, ends, (least, most), far in rows:
            line = f"{k:>12,}  {value:.4f}  {ends[0]:.4f} to {ends[1]:.4f}"
            lines.append(f"{line}  {least:.4f} to {most:.4f}  extrapolated" if far else line)
        return "\n".join(lines)


def pass_at_k(successes: ArrayLike, trials: ArrayLike, k: ArrayLike, *, confidence_level: float = 0.95) -> PassAtK:
    r"""Share of problems that at least one of k independent attempts solves.

    A problem that was solved c times in n trials counts, for :math:`k \le n`, with the share of the k-subsets of its
    trials that hold a success,

    .. math:: \widehat{\mathrm{pass@}k} = 1 - \operatorname*{mean} \binom{n - c}{k} \Big/ \binom{n}{k},

    which is unbiased. Beyond the trials, :math:`\mathrm{pass@}k = 1 - E\,(1 - P)^k` is averaged over laws of the
    success probability P drawn given the data: beta, logit-normal, and with a normal logarithm of the rate, each with
    and without problems that can never be solved (see `classex.laws.draw_chance_laws`). An unsolved problem is never
    taken for solved.

    Parameters
    ----------
    successes : array_like of int of shape (n_problems,)
        Successes c of each problem.
    trials : int or array_like of int of shape (n_problems,)
        Trials n of each problem, at least 1.
    k : int or array_like of int
        Numbers of attempts.
    confidence_level : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    PassAtK
        Values, standard errors and intervals.

    Raises
    ------
    ValueError
        If there are fewer than two problems, or not 0 <= successes <= trials, or k is below 1.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    Up to the trials the interval is Wilson's at the number of problems that would have this standard error. Beyond
    them its ends are quantiles of the prediction over the drawn laws, so they are wide where the data do not tell the
    families apart, an impossible problem from a hard one among them. They do not allow for laws that no family comes
    near, such as many equally hard problems just below the reach of the trials (see
    ``benchmarks/coverage_communities``). The limits do: pass@k never falls, and by Jensen's inequality the share of
    unsolved problems :math:`A_k` falls at most as fast as it last did,
    :math:`A_k \ge A_n (A_n / A_{n-1})^{k-n}`, where :math:`n (A_{n-1} - A_n)` is the share solved once in n trials.

    Given the law, a number of attempts k is a number of classes k + 1 (see `classex.accuracy_curve`).

    Source: the unbiased estimate is that of Chen et al. (2021), section 2.1.

    Examples
    --------
    >>> import classex as cx
    >>> cx.extrapolation.pass_at_k(
    ...     [0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, [1, 5]
    ... ).value.round(3)
    array([0.28 , 0.519])
    """
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    c, n = _counts(successes, trials)
    attempts = as_class_counts(k, "k")
    far = attempts > n.min()
    value, error, interval = np.empty(attempts.size), np.empty(attempts.size), np.empty((attempts.size, 2))
    # an attempt is a wrong label, and the problem stands until one beats it
    ranks = ranks_from_wins(n - c, max(int(n.max()) + 1, c.size), n_wrong=n)
    if not far.all():
        seen = accuracy_curve(ranks, attempts[~far] + 1)
        value[~far], error[~far] = 1.0 - seen.accuracy, seen.standard_error
        interval[~far] = rate_interval(value[~far], error[~far], c.size, level)
    limits = interval
    if far.any():
        value[far], error[far], interval[far] = _beyond(c, n, attempts[far], level)
        limits = interval.copy()
        limits[far] = _limits(ranks, int(n.min()), attempts[far], level)
    return PassAtK(attempts.astype(np.int64), value, error, interval, limits, far, level, c.size, int((c == 0).sum()))


def _limits(ranks: CorrectRanks, trials: int, attempts: FloatArray, level: float) -> FloatArray:
    """Least and largest pass@k of any law, from the shares unsolved after n trials and solved once in them."""
    at = np.array([trials, trials + 1])
    before, last = accuracy_curve(ranks, at).accuracy
    (first, both), (_, second) = accuracy_covariance(ranks, at)
    once = trials * (before - last)
    error = np.sqrt([second, trials**2 * max(first - 2 * both + second, 0.0)])
    n = ranks.n_points
    low = rate_interval(np.array([1 - last]), error[:1], n, level)[0, 0]
    # two errors may raise the upper limit: each gets half of the chance that is left
    (unsolved, _), (_, most_once) = rate_interval(np.array([last, min(once, 1.0)]), error, n, (1 + level) / 2)
    falls = unsolved / max(unsolved + most_once / trials, 1e-300)
    high = 1.0 - unsolved * falls ** (attempts - trials)
    return np.stack([np.full(attempts.size, low), high], axis=1)


def _beyond(
    successes: IntArray, trials: IntArray, attempts: FloatArray, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean, standard deviation and quantiles of the predictions of laws drawn given the data."""
    laws = draw_chance_laws(successes, trials)
    solved = laws.solved(attempts)
    value: FloatArray = laws.weight @ solved
    error = np.sqrt(laws.weight @ np.square(solved - value))
    share = [(1 - level) / 2, (1 + level) / 2]
    ends = np.quantile(solved, share, axis=0, method="inverted_cdf", weights=laws.weight).T
    return value, error, np.stack([np.minimum(ends[:, 0], value), np.maximum(ends[:, 1], value)], axis=1)


def _counts(successes: ArrayLike, trials: ArrayLike) -> tuple[IntArray, IntArray]:
    c = as_finite_array(successes, "successes", ndim=1, dtype=np.float64)
    if c.size < 2:
        raise ValueError(f"successes must hold at least two problems, not {c.size}")
    many = np.full(c.shape, trials) if np.ndim(trials) == 0 else trials
    n = as_finite_array(many, "trials", ndim=1, dtype=np.float64)
    if n.shape != c.shape:
        raise ValueError(f"trials must be a number or have {c.size} entries, one per problem, not shape {n.shape}")
    for array, name in ((c, "successes"), (n, "trials")):
        if (array != np.rint(array)).any() or (array < (name == "trials")).any():
            raise ValueError(f"{name} must hold whole numbers of at least {int(name == 'trials')}, not {array.min():g}")
    if (c > n).any():
        i = int(np.argmax(c > n))
        raise ValueError(f"successes must not exceed trials, but problem {i} has {c[i]:g} of {n[i]:g}")
    return c.astype(np.int64), n.astype(np.int64)
