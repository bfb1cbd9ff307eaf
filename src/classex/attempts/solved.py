"""pass@k, pass^k and the attempts that a coverage takes, up to the trials made and beyond."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from classex._types import FloatArray, IntArray
from classex._validation import as_class_counts, as_plain_array, as_positive_int, as_probability, distinct
from classex.attempts._beyond import Continuation
from classex.attempts._problems import Problems
from classex.attempts._results import AttemptsToReach, PassAtK, PassHatK
from classex.distributions.wins import log_choose
from classex.methods.beta_binomial import checked_counts

__all__ = ["attempts_to_reach", "checked_groups", "pass_at_k", "pass_hat_k"]


# Elements of the largest arrays, 32 MB each
_BLOCK_ELEMENTS = 2**22
# Where the search for a number of attempts ends, numbers that it tries at a time, and its relative accuracy
_MOST_ATTEMPTS, _AT_A_TIME, _SEARCHED = 1e12, 50, 1e-6
# Probability below which short trials that all hold a success count as stopped
_UNLIKELY = 0.01


def pass_at_k(
    successes: ArrayLike,
    trials: ArrayLike,
    k: ArrayLike,
    *,
    stopped: bool | int | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
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
    confidence_level : float
        Level of the intervals, in (0, 1).

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
    part. The weights come from a fixed seed, so results repeat exactly. Each set has half a problem, or group, of a
    type not yet seen, hopeless at the lower end and always solved at the upper end. If each problem is either solved or
    not, this is Clopper and Pearson's interval with half an observation in place of one. It has width even if all
    problems agree: twenty of them do not exclude that one in twenty is hopeless.

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
    checked = CheckedAttempts.of(successes, trials, stopped, groups, confidence_level)
    return checked.pass_at(as_class_counts(k, "k", maximum=int(_MOST_ATTEMPTS)))


def pass_hat_k(
    successes: ArrayLike,
    trials: ArrayLike,
    k: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
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
    confidence_level : float
        Level of the intervals, in (0, 1).

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
    failed = CheckedAttempts.of(n - c, n, False, groups, confidence_level).pass_at(
        as_class_counts(k, "k", maximum=int(_MOST_ATTEMPTS))
    )
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
    checked = CheckedAttempts.of(successes, trials, stopped, groups, confidence_level)
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
        cls, successes: ArrayLike, trials: ArrayLike, stopped: bool | int | None, groups: ArrayLike | None, level: float
    ) -> CheckedAttempts:
        confidence = as_probability(level, "confidence_level", open_ends=True)
        c, n = (counts.astype(np.int64) for counts in checked_counts(successes, trials))
        if c.size < 2:
            raise ValueError(f"successes must hold at least two problems, not {c.size}")
        group = None if groups is None else checked_groups(groups, c.size)
        problems = Problems.of(c, n, _batch(c, n, stopped), group)
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


def checked_groups(groups: ArrayLike, n_problems: int) -> IntArray:
    """Return the groups as numbers from 0."""
    array = as_plain_array(groups, "groups")
    if array.shape != (n_problems,):
        raise ValueError(f"groups must have one entry for each of the {n_problems} problems, not shape {array.shape}")
    names, group = distinct(array, "groups")
    if names.size < 2:
        raise ValueError("groups must hold at least two groups: a variance over groups needs two")
    return group.astype(np.int64)


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
            "give the size of the batches, such as stopped=60 (--batch 60), or stopped=False (--fixed) if trials were "
            "fixed in advance"
        )
    return batch


def _refuse_stopped(successes: IntArray, trials: IntArray) -> None:
    """Refuse trials that continued only without a success."""
    most, unsolved = int(trials.max()), successes == 0
    short = trials < most
    if not short.any() or (unsolved & short).any():
        return
    once = successes.max() <= 1
    in_batches = unsolved.any() and successes.max() <= np.gcd.reduce(trials)
    # the probability that none of the unsolved problems is among the short ones
    among_long, among_all = log_choose(np.array([(~short).sum(), trials.size], dtype=np.float64), unsolved.sum())
    if once or in_batches or among_long - among_all < np.log(_UNLIKELY):
        raise ValueError(
            f"trials seem to have stopped at a success, which all {short.sum()} problems with fewer than {most} have: "
            "pass stopped=True (--stopped) if each was tried until its first success, stopped=b (--batch b) if in "
            "batches of b until one contained a success, or stopped=False (--fixed) if trials were fixed in advance"
        )
