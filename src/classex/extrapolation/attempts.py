"""pass@k: the share of problems that at least one of k attempts solves, up to the trials made and beyond."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._rates import rate_interval
from classex._validation import as_class_counts, as_finite_array, as_probability
from classex.curves.accuracy import accuracy_curve
from classex.laws.beta_binomial import fit_beta_binomial_counts
from classex.ranks import ranks_from_wins

__all__ = ["PassAtK", "pass_at_k"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_DRAWS = 600


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
    extrapolated: NDArray[np.bool_]
    confidence_level: float
    n_problems: int
    n_unsolved: int

    def __str__(self) -> str:
        """A sentence and a table."""
        lines = [
            f"pass@k of {self.n_problems:,} problems, {self.n_unsolved:,} of them unsolved so far:",
            f"{'k':>12}  pass@k  {self.confidence_level:.0%} interval",
        ]
        for k, value, (low, high), far in zip(self.k, self.value, self.interval, self.extrapolated, strict=True):
            lines.append(f"{k:>12,}  {value:.4f}  {low:.4f} to {high:.4f}{'  extrapolated' if far else ''}")
        return "\n".join(lines)


def pass_at_k(successes: ArrayLike, trials: ArrayLike, k: ArrayLike, *, confidence_level: float = 0.95) -> PassAtK:
    r"""Share of problems that at least one of k independent attempts solves.

    A problem that was solved c times in n trials counts, for :math:`k \le n`, with the share of the k-subsets of its
    trials that hold a success,

    .. math:: \widehat{\mathrm{pass@}k} = 1 - \operatorname*{mean} \binom{n - c}{k} \Big/ \binom{n}{k},

    which is unbiased. Beyond the trials,
    :math:`\mathrm{pass@}k = 1 - E\,(1 - P)^k` under a beta law of the success probability P with atoms at 0 and 1:
    problems that can never, and problems that are always solved. An unsolved problem is never taken for solved.

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
    them its ends are quantiles of the prediction over laws drawn given the data, twice: with problems that can never be
    solved, and without. The outer ends count, so that they say how little the data tell an impossible problem from a
    hard one. They do not allow for chances that follow no beta law (see ``benchmarks/coverage_communities``). Given the
    law, a number of attempts k is a number of classes k + 1 (see `classex.accuracy_curve`).

    Source: the unbiased estimate is that of Chen et al. (2021), section 2.1.

    Examples
    --------
    >>> import classex as cx
    >>> cx.extrapolation.pass_at_k([0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, [1, 5]).value.round(3)
    array([0.28 , 0.519])
    """
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    c, n = _counts(successes, trials)
    attempts = as_class_counts(k, "k")
    far = attempts > n.min()
    value, error, interval = np.empty(attempts.size), np.empty(attempts.size), np.empty((attempts.size, 2))
    if not far.all():
        # an attempt is a wrong label, and the problem stands until one beats it
        ranks = ranks_from_wins(n - c, max(int(n.max()) + 1, c.size), n_wrong=n)
        seen = accuracy_curve(ranks, attempts[~far] + 1)
        value[~far], error[~far] = 1.0 - seen.accuracy, seen.standard_error
        interval[~far] = rate_interval(value[~far], error[~far], c.size, level)
    if far.any():
        value[far], error[far], interval[far] = _beyond(c, n, attempts[far], level)
    return PassAtK(attempts.astype(np.int64), value, error, interval, far, level, c.size, int((c == 0).sum()))


def _beyond(
    successes: IntArray, trials: IntArray, attempts: FloatArray, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Prediction, its standard error and its interval, under laws with and without problems that are never solved."""
    law = fit_beta_binomial_counts(successes, trials, limited=False, n_draws=_DRAWS)
    solvable = fit_beta_binomial_counts(successes, trials, limited=False, atoms="always", n_draws=_DRAWS)
    value = 1.0 - law.accuracy(attempts + 1.0)
    draws, weights = law.accuracy_draws(attempts + 1.0)
    error = np.sqrt(weights @ np.square(1.0 - draws - value))
    low, high = value, value
    for one in (law, solvable):
        draws, weights = one.accuracy_draws(attempts + 1.0)
        share = [(1 - level) / 2, (1 + level) / 2]
        ends = np.quantile(1.0 - draws, share, axis=0, method="inverted_cdf", weights=weights)
        low, high = np.minimum(low, ends[0]), np.maximum(high, ends[1])
    return value, error, np.stack([low, high], axis=1)


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
