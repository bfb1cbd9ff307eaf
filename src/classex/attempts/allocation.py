"""Which problems to attempt next."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_positive_int
from classex.methods.beta_binomial import checked_counts

__all__ = ["next_attempts"]


def next_attempts(successes: ArrayLike, trials: ArrayLike, budget: int, *, batch: int = 1) -> NDArray[np.int64]:
    r"""Attempts to give to each problem next, if a budget goes to the unsolved problems with the fewest trials.

    Each gets :math:`\max(L - n, 0)` attempts beyond its n trials, with the level L that spends the budget. What is left
    of it by rounding goes to the first of these problems. Stop at the first success, or after the batch that contains
    one, ask again with what is left of the budget, and pass ``stopped=batch`` to `pass_at_k`.

    Parameters
    ----------
    successes : array_like of int of shape (n_problems,)
        Successes of each problem.
    trials : int or array_like of int of shape (n_problems,)
        Trials of each problem, at least 1.
    budget : int
        Number of attempts to give.
    batch : int
        Size of the batches in which problems are tried; only whole batches are given.

    Returns
    -------
    ndarray of int of shape (n_problems,)
        Numbers of attempts; 0 for solved problems.

    Raises
    ------
    ValueError, TypeError
        If not 0 <= successes <= trials, or `budget` or `batch` is not a whole number of at least 1.

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
    size = as_positive_int(batch, "batch")
    number = as_positive_int(budget, "budget") // size
    unsolved = np.flatnonzero(c == 0)
    unsolved = unsolved[np.argsort(n[unsolved], kind="stable")]
    out = np.zeros_like(n)
    if unsolved.size:
        tried = n[unsolved] // size
        spent = np.cumsum(tried)
        few = int(np.count_nonzero(np.arange(tried.size) * tried - (spent - tried) <= number))
        level, more = divmod(number + int(spent[few - 1]), few)
        out[unsolved[:few]] = size * (level - tried[:few] + (np.arange(few) < more))
    return out
