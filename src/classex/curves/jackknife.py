"""Standard errors over classes: the leave-one-class-out jackknife, and what replaces it beyond half of the classes."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._rates import varies
from classex._types import Average
from classex._validation import one_of
from classex.ranks import class_totals, point_shares, point_weights, tie_nodes
from classex.results import CorrectRanks, DistractorTable
from classex.results.ranks import bins_of_wins

__all__ = ["carried_errors", "jackknife_deviations", "most_trials", "own_class_deviations", "weigh", "win_distribution"]

FloatArray = NDArray[np.float64]


def win_distribution(ranks: CorrectRanks) -> FloatArray:
    """Probability of 0, ..., k1 - 1 wins, every class with the same weight, ties broken at random: shape (k1,)."""
    share = point_shares(ranks) / (ranks.ties + 1.0)
    steps = np.bincount(ranks.wins, weights=share, minlength=ranks.n_classes + 1)
    steps -= np.bincount(ranks.wins + ranks.ties + 1, weights=share, minlength=ranks.n_classes + 1)
    return np.asarray(np.maximum(np.cumsum(steps)[:-1], 0.0))


def own_class_deviations(ranks: CorrectRanks, value: FloatArray) -> FloatArray:
    """Contribution of each class, through its own points, to the deviation of an average over points.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks, for the classes and weights of the points.
    value : ndarray of shape (n_points, n_functions)
        What is averaged.

    Returns
    -------
    ndarray of shape (n_units, n_functions)
        One row for each class, or cluster, with test points. Its Gram matrix is the variance of the average over
        classes, each seen through its own points only. NaN where only one class has test points.
    """
    label, weight = np.unique(ranks.units, return_inverse=True)[1], point_weights(ranks)
    own = np.zeros((ranks.n_units, value.shape[1]))
    np.add.at(own, label, weight[:, np.newaxis] * value)
    totals = np.bincount(label, weights=weight)[:, np.newaxis]
    return scaled(own - totals * own.sum(axis=0) / ranks.n_tested, ranks)


def scaled(deviation: FloatArray, ranks: CorrectRanks) -> FloatArray:
    """Return sums over classes, or clusters, with test points as deviations; the Gram matrix is the variance."""
    p, n = ranks.n_tested, ranks.n_units
    return deviation / (p * np.sqrt(1 - 1 / n)) if p > 1 else np.full_like(deviation, np.nan)


def jackknife_deviations(ranks: CorrectRanks, table: DistractorTable, kept: FloatArray, lost: FloatArray) -> FloatArray:
    r"""Part of each group of classes in the deviation of a class-balanced mean, from leaving the group out.

    Without class m, a point of another class has one win fewer if it beat m, so the mean without m is linear
    in the wins against m: sum_{i != m} g(R) + sum_{points that beat m} (g(R-1) - g(R)), with g the
    function that is averaged, among n_classes - 1. A class without test points is left out as a distractor only;
    what it did is compared with what all the others did, each of which meets the points of all classes but its own.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes.
    table : DistractorTable
        Its distractor table.
    kept, lost : ndarray of shape (n_bins, n_functions)
        g(R) and g(R-1) among k1 - 1 classes, for ``R = table.wins``.

    Returns
    -------
    ndarray of shape (n_groups, n_functions)
        Deviations, whose Gram matrix is the jackknife covariance. NaN where only one class has test points.
    """
    k1, p = ranks.n_classes, ranks.n_tested
    tested = np.bincount(table.group, weights=class_totals(ranks))[:, np.newaxis]
    others = np.bincount(table.group)[:, np.newaxis] - tested
    base = _own_bins(ranks, table).T @ kept
    effect = table.beaten.T @ (lost - kept)
    mean = effect.sum(axis=0) / (p * (k1 - 1.0))
    # without a class that does well the mean falls
    deviation = base - effect - tested * base.sum(axis=0) / p + (tested * (p - 1) + others * p) * mean
    # left out as a truth, a class makes the others count for more
    return np.where(tested > 0, scaled(deviation, ranks), deviation / p)


def _own_bins(ranks: CorrectRanks, table: DistractorTable) -> FloatArray:
    """Weight of each group's own points in each bin of wins, ties spread as in the table: (n_bins, n_groups)."""
    bin_of_wins = bins_of_wins(ranks.n_classes)[0]
    out = np.zeros_like(table.beaten)
    point, extra, start = tie_nodes(ranks.ties)
    weight = point_weights(ranks) / np.diff(start, append=point.size)
    group = table.group[ranks.labels]
    np.add.at(out, (bin_of_wins[ranks.wins[point] + extra], group[point]), weight[point])
    return out


def weigh(ranks: CorrectRanks, average: Average) -> CorrectRanks:
    """Return the ranks with the weights of an average over classes ("balanced") or over test points ("points").

    The distractor table holds weights of points, binned by wins. They are multiplied by the ratio of new to old weight
    in each bin: in a bin, points of large and of small classes are taken to beat the same classes. Standard errors are
    then somewhat too large, because the few points of small classes had most of the weight in the table.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks; where their points weigh the same already, they are returned as they are.
    average : {"balanced", "points"}
        Whether each class weighs the same, or each test point.

    Raises
    ------
    ValueError
        If `average` is neither.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([3, 3, 0], 4, labels=[0, 0, 2])
    >>> (
    ...     cx.curves.accuracy_curve(ranks, 4).accuracy,
    ...     cx.curves.accuracy_curve(ranks, 4, average="points").accuracy.round(3),
    ... )
    (array([0.5]), array([0.667]))
    """
    count = np.bincount(ranks.labels)
    alike = count[count > 0].min() == count.max()
    if one_of(average, "average", get_args(Average)) == "balanced" or alike or not ranks.class_balanced:
        return ranks
    if (table := ranks.distractors) is None:
        return replace(ranks, class_balanced=False)
    equal = replace(ranks, class_balanced=False)
    old, new = (_own_bins(one, table).sum(axis=1, keepdims=True) for one in (ranks, equal))
    ratio = np.divide(new, old, out=np.zeros_like(old), where=old > 0)
    return replace(equal, distractors=replace(table, beaten=table.beaten * ratio))


def carried_errors(
    own: FloatArray, room: FloatArray, scale: FloatArray, *, alone: ArrayLike, whole: ArrayLike, room_at_half: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Factors of the own-class error at each size, and of the jackknife error at half; one of the two is zero.

    The own-class error is multiplied by the ratio of jackknife to own-class error at half. That ratio does not exist if
    the classes do not differ on their own points but the jackknife varies, as with a label that beats every point. The
    jackknife error at half is then scaled at the same number of trials. No error exceeds that of one trial.

    Parameters
    ----------
    own, room, scale : ndarray of shape (n,) or (n, n_rates)
        Own-class standard errors, the variances of one trial and the sizes of numbers that the errors are compared
        with, for each number of classes.
    alone, whole, room_at_half : float, or ndarray of shape (n_rates,)
        At half of the classes: own-class and jackknife standard errors, zero where they are rounding, and the
        variance of one trial.
    """
    single = np.sqrt(room)
    alone, whole, room_at_half = (np.asarray(one, dtype=np.float64) for one in (alone, whole, room_at_half))
    ratio = np.divide(whole, alone, out=np.ones_like(alone), where=(alone > 0) & (whole > 0))
    as_at_half = np.where(room_at_half > 0, single / np.sqrt(np.where(room_at_half > 0, room_at_half, 1.0)), 0.0)
    lost = ~varies(own, scale) | ((alone == 0) & (as_at_half * whole > own))
    error = own * ratio
    on_own = ratio * np.minimum(1.0, np.divide(single, error, out=np.ones_like(error), where=error > 0))
    return np.where(lost, 0.0, on_own), np.where(lost, as_at_half, 0.0)


def most_trials(
    sizes: NDArray[np.int64], half: int, last: int, *, room: FloatArray, error: FloatArray, n_people: int
) -> FloatArray:
    """Largest number of independent trials that a sample is worth at each number of classes.

    With all classes, a label that beats every point gives an accuracy of exactly zero, without any variance. With
    nearly all, points that were beaten once give an accuracy near zero and a small variance. From sample to sample
    both vary more. The number of trials is known at half of the classes, from the jackknife, and with all of them,
    when no point is averaged over subsets. In between it is interpolated on logarithmic scales.

    Parameters
    ----------
    sizes : ndarray of shape (n,)
        Numbers of classes.
    half, last : int
        Half of the classes, and all.
    room, error : ndarray of shape (2,) or (2, n_rates)
        Variance of one trial and standard error at `half` and at `last`; an error of 0 says that nothing varies.
    n_people : int
        Number of trials if nothing varies.

    Returns
    -------
    ndarray of shape (n,) or (n, n_rates)
        Infinite up to half of the classes, and if nothing varies at half.
    """
    known = error > 0
    number = np.divide(room, np.square(error), out=np.full(room.shape, float(n_people)), where=known)
    with np.errstate(divide="ignore"):
        least, most = np.log(number)
    most = np.minimum(least, most)
    share, above = (one.reshape(-1, *(1,) * least.ndim) for one in (np.log(sizes / half), sizes > half))
    found = np.exp(least + share / np.log(last / half) * (most - least))
    return np.where(above & known[0], found, np.inf)
