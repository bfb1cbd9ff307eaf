"""Differences of pass@k between two systems that tried the same problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._rates import UNSEEN_UNITS
from classex._result import Result
from classex._validation import as_class_counts, as_probability
from classex.attempts.solved import checked_groups
from classex.distributions.wins import log_choose
from classex.methods.beta_binomial import checked_counts

__all__ = ["pass_at_k_difference"]


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

    _names: ClassVar[Mapping[str, str]] = {"value": "difference"}
    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "pass@k of {first} less that of {second}, on the same {n_problems} problems:"


def pass_at_k_difference(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    k: ArrayLike = 1,
    *,
    names: tuple[str, str] = ("a", "b"),
    groups: ArrayLike | None = None,
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
    The interval is Student's over problems or groups, and at least what half a problem, or group, of a kind not yet
    seen could change, with the difference -1 at the lower end and 1 at the upper end, as in `pass_at_k`. Source: paired
    differences, Miller (2024), section 3.

    Examples
    --------
    >>> import classex as cx
    >>> cx.attempts.pass_at_k_difference(
    ...     ([3, 5, 1], 5), ([1, 4, 0], 5), [1, 2]
    ... ).value.round(3)
    array([0.267, 0.3  ])
    """
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    attempts = as_class_counts(k, "k")
    failed = []
    for name, counts in (("first", first), ("second", second)):
        successes, trials = checked_counts(*counts)
        if attempts.max() > trials.min():
            raise ValueError(f"k must be at most {trials.min():g}, the fewest trials of {name}, not {attempts.max():g}")
        left, drawn = trials - successes, attempts[:, np.newaxis]
        with np.errstate(invalid="ignore"):
            ways = log_choose(left, np.minimum(drawn, left)) - log_choose(trials, drawn)
        failed.append(np.where(left >= drawn, np.exp(ways), 0.0))
    if failed[0].shape != failed[1].shape:
        raise ValueError(f"second must have the {failed[0].shape[1]} problems of first, not {failed[1].shape[1]}")
    n = failed[0].shape[1]
    group = np.arange(n) if groups is None else checked_groups(groups, n)
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
    interval = np.clip(np.stack([low, high], axis=1), -1.0, 1.0)
    return PairedDifference(*names, attempts.astype(np.int64), value, error, interval, level, n)
