"""Inference: a permutation test against chance, and a random-effects interval over subjects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from classex._estimates import Interval
from classex._kernels.ranks import subset_accuracy
from classex._result import seed_of
from classex._validation import (
    as_finite_array,
    as_generator,
    as_labels,
    as_positive_int,
    as_probability,
    as_scores,
    distinct,
)
from classex.identification._results import GroupEstimate, PermutationTest

__all__ = ["permutation_test", "random_effects"]


def permutation_test(
    scores: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    runs: ArrayLike | None = None,
    n_classes: int = 2,
    n_permutations: int = 9999,
    rng: Any = None,
) -> PermutationTest:
    """Test identification against chance by shuffling which stimulus evoked which response.

    Parameters
    ----------
    scores : array_like of shape (n_test, n_stimuli)
        Score of every candidate stimulus for every response, from a decoder trained on *other* data.
    labels : array_like of int, shape (n_test,), optional
        Column of the right stimulus for each response. By default response i belongs to column i.
    runs : array_like of shape (n_stimuli,), optional
        Run (or block, or session) in which each stimulus was shown. Stimuli are then shuffled within their runs only;
        use it if responses drift from run to run. By default all stimuli are shuffled together.
    n_classes : int
        The statistic is the average accuracy with this many candidates. With 2 it is the mean normalised rank.
    n_permutations : int
        Number of random permutations.
    rng : None, int or numpy.random.Generator
        Source of randomness.

    Returns
    -------
    PermutationTest
        Observed accuracy, its values under permutation, and the p-value
        ``(1 + number at least as large) / (1 + n_permutations)``.

    Raises
    ------
    ValueError
        If a score is not finite, labels are out of range or missing for a matrix that is not square, a stimulus has
        no response, `runs` has another length than the stimuli, every run holds one stimulus only, or a number is out
        of range.
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    Exact at any level if, when responses do not depend on the stimuli, every order of the stimuli (within runs) would
    have been as probable as the one that was shown: randomise the order. It is not enough that there is no signal:
    drift makes responses to neighbours in time similar, and with a fixed order a decoder may learn that. A repeated
    stimulus is permuted with all its responses, because these may be correlated for reasons other than the stimulus.
    This requires equal numbers of responses to all stimuli. Ties count in expectation over
    random tie-breaking.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.identification import permutation_test
    >>> scores = np.eye(20) + np.random.default_rng(0).normal(size=(20, 20))
    >>> permutation_test(scores, n_permutations=999, rng=1).p_value
    0.001
    """
    matrix = as_scores(scores)
    n, k1 = matrix.shape
    if labels is None and n != k1:
        raise ValueError(f"labels must be given where scores is not square, but its shape is {matrix.shape}")
    truth = as_labels(np.arange(n) if labels is None else labels, n, k1)
    count = np.bincount(truth)
    if (count != count[0]).any():
        raise ValueError(
            f"labels must give all stimuli one number of responses, but stimulus {int(np.argmax(count))} has"
            f" {count.max()} and stimulus {int(np.argmin(count))} has {count.min()}"
        )
    k = as_positive_int(n_classes, "n_classes", minimum=2, maximum=k1)
    draws = as_positive_int(n_permutations, "n_permutations")
    generator = as_generator(rng)
    # gain[s, t]: summed accuracy if stimulus t had evoked the responses to stimulus s
    gain = np.zeros((k1, k1))
    np.add.at(gain, truth, _accuracy_of_every_label(matrix, k) / n)
    rows, runs_of_stimuli = np.arange(k1), _members(runs, k1)
    observed = float(gain[rows, rows].sum())
    permuted = np.empty(draws)
    for i in range(draws):
        order = rows.copy()
        for members in runs_of_stimuli:
            order[members] = generator.permutation(members)
        permuted[i] = gain[rows, order].sum()
    # sums of the same numbers in another order differ by rounding
    as_large = int((permuted >= observed - 1e-12).sum())
    return PermutationTest(observed, permuted, (1 + as_large) / (1 + draws), k, seed_of(rng))


def _members(runs: ArrayLike | None, k1: int) -> list[Any]:
    """Stimuli of each run."""
    names = np.zeros(k1) if runs is None else np.asarray(runs)
    if names.shape != (k1,):
        raise ValueError(f"runs must name the run of each of the {k1} stimuli, but its shape is {names.shape}")
    group = distinct(names, "runs")[1]
    parts = [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]
    if max(part.size for part in parts) < 2:
        raise ValueError("runs must hold at least one run with two stimuli: otherwise there is nothing to shuffle")
    return parts


def _accuracy_of_every_label(scores: Any, k: int) -> Any:
    """Subset accuracy with k classes if this column were the right one, for every entry of the matrix."""
    k1 = scores.shape[1]
    # sum of C(w, k-1) over w < x is C(x, k); a run of t + 1 tied labels averages over its ranks
    low = stats.rankdata(scores, method="min", axis=1).astype(np.int64) - 1
    high = stats.rankdata(scores, method="max", axis=1).astype(np.int64)
    of_wins = subset_accuracy(np.arange(k1, dtype=np.int64), k1, np.array([k]), 1, False)[:, 0]
    cumulative = np.concatenate([[0.0], np.cumsum(of_wins)])
    return (cumulative[high] - cumulative[low]) / (high - low)


def random_effects(values: ArrayLike, standard_errors: ArrayLike, *, confidence_level: float = 0.95) -> GroupEstimate:
    r"""Mean over a population of subjects, with an interval for it.

    Subject i has value :math:`\theta_i`, drawn from the population with mean :math:`\theta` and variance
    :math:`\tau^2`, and an estimate with standard error :math:`s_i`. The mean of the estimates has variance
    :math:`(\tau^2 + \overline{s^2})/n`, estimated by their variance over n. By the method of moments,
    :math:`\hat\tau^2` is their variance minus the mean of the :math:`s_i^2`.

    Parameters
    ----------
    values : array_like of shape (n_subjects,)
        One estimate for each subject, at least two.
    standard_errors : array_like of shape (n_subjects,)
        Their standard errors.
    confidence_level : float
        Nominal coverage, in (0, 1).

    Returns
    -------
    GroupEstimate
        Mean, standard error, interval, and the standard deviation between subjects.

    Raises
    ------
    ValueError
        If the lengths differ or are below two, an entry is not finite, or a standard error is negative.

    Notes
    -----
    All subjects have the same weight, so the mean estimates :math:`\theta` even if precise subjects differ from the
    others. A fixed-effects average would be about these subjects only.

    The interval assumes a nearly symmetric distribution of subjects, which three to ten subjects cannot show. With a
    skewed population a 95 % interval covers less often: 88 to 90 % for an exponential distribution of subjects, 80 to
    85 % for a log-normal one. A transformation to symmetry, such as the logarithm, helps if it is chosen beforehand;
    the interval is then for the mean on that scale.

    Examples
    --------
    >>> from classex.identification import random_effects
    >>> group = random_effects([2.0, 2.6, 1.7, 2.5], [0.2, 0.2, 0.2, 0.2])
    >>> round(group.value, 2), round(group.interval.low, 2), round(group.between, 2)
    (2.2, 1.52, 0.37)
    """
    x = as_finite_array(values, "values", ndim=1, dtype=np.float64)
    s = as_finite_array(standard_errors, "standard_errors", ndim=1, dtype=np.float64)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    if x.size != s.size or x.size < 2:
        raise ValueError(f"values and standard_errors must have one length of at least 2, not {x.size} and {s.size}")
    if (s < 0).any():
        raise ValueError(f"standard_errors must not be negative, but holds {s.min()}")
    value, variance = float(x.mean()), float(x.var(ddof=1))
    error = float(np.sqrt(variance / x.size))
    half = float(special.stdtrit(x.size - 1, 0.5 + level / 2)) * error
    between = float(np.sqrt(max(variance - float(np.square(s).mean()), 0.0)))
    return GroupEstimate(value, error, Interval(value - half, value + half, level), between, x.size)
