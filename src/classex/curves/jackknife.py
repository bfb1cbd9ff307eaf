"""Standard errors over classes: the leave-one-class-out jackknife, and what replaces it beyond half of the classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._estimates import UnitSpread
from classex._rates import varies
from classex._types import Average, FloatArray, IntArray
from classex._validation import one_of
from classex.curves.subsets import SubsetMean, distinct_pairs
from classex.curves.units import cells_of_points, unit_deviations
from classex.ranks import class_totals, point_shares, point_weights, tie_nodes
from classex.ranks._ranks import CorrectRanks, DistractorTable

__all__ = [
    "beyond_half",
    "centred",
    "deviations_of_units",
    "jackknife_deviations",
    "most_trials",
    "own_class_deviations",
    "subset_deviations",
    "sums_by_group",
    "weigh",
    "win_distribution",
    "without_small",
]


# Elements of a block of accuracies by distinct rank and size: 32 MB
_BLOCK_ELEMENTS = 2**22
# Sums by group and rank up to which a dense matrix takes less time than to set up a sparse one
_FEW_SUMS = 2**14


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
    ndarray of shape (m, n_functions)
        One row for each class, or cluster, with test points, and one for each unit of test points. Its Gram matrix is
        the variance of the average, with each class seen through its own points only. NaN where only one class has test
        points.
    """
    label, weight = np.unique(ranks.units, return_inverse=True)[1], point_weights(ranks)
    own = np.zeros((ranks.n_units, value.shape[1]))
    np.add.at(own, label, weight[:, np.newaxis] * value)
    rows = centred(own, np.bincount(label, weights=weight), 0.0, ranks.n_units)
    every = np.arange(ranks.n_points)
    return _with_units(rows, ranks, (every, every, weight), value)


def _with_units(rows: FloatArray, ranks: CorrectRanks, spread: tuple[Any, Any, FloatArray], value: Any) -> FloatArray:
    """Rows for classes, and under them what units add; `spread` has points, rows of `value`, and their weights."""
    if ranks.point_units is None:
        return rows
    cell, unit = cells_of_points(ranks.units, ranks.point_units)
    point, row, weight = spread
    own = sparse.coo_array((weight, (cell[point], row)), shape=(unit.size, value.shape[0])).tocsr() @ value
    scale = np.abs(own).sum(axis=0) / weight.sum()
    return np.vstack([rows, unit_deviations(own, np.bincount(cell[point], weights=weight), unit, scale)[0]])


def jackknife_deviations(ranks: CorrectRanks, table: DistractorTable, kept: FloatArray, lost: FloatArray) -> FloatArray:
    r"""Part of each group of classes in the deviation of a class-balanced mean, from leaving the group out.

    Without class m, a point of another class has one win fewer if it beat m, so the mean without m is linear
    in the wins against m: sum_{i != m} g(R) + sum_{points that beat m} (g(R-1) - g(R)), with g the
    function that is averaged, among n_classes - 1. A class without test points is left out as a distractor only.
    A mean of g over the wrong labels that can be left out is g among all of them, which a point keeps that did not meet
    class m: what m did to the points that it met is compared with what an average wrong label of theirs did.

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
    ndarray of shape (n_groups, n_functions), or with units (n_groups + n_units, n_functions)
        Deviations, whose Gram matrix is the jackknife covariance. NaN where only one class has test points.
    """
    tested = np.bincount(table.group, weights=class_totals(ranks))
    spread = _bins_of_points(ranks, table)
    own, effect = _own_bins(ranks, table, spread), kept - lost
    met = own.sum(axis=1, keepdims=True) * np.bincount(table.group) - own if table.met is None else table.met
    total = met.sum(axis=1, keepdims=True)
    rate = np.divide(table.beaten.sum(axis=1, keepdims=True), total, out=np.zeros_like(total), where=total > 0)
    rows = centred(own.T @ (kept - rate * effect), tested, (table.beaten - rate * met).T @ effect, ranks.n_units)
    return _with_units(rows, ranks, spread, kept)


def centred(own: FloatArray, tested: NDArray[Any], rival: ArrayLike, n_units: float) -> FloatArray:
    """Deviations of a weighted mean, from what classes do as truths and as wrong labels.

    Parameters
    ----------
    own : ndarray of shape (n_groups, n_functions)
        Sums of a function over the own points of each class, or group of classes.
    tested : ndarray of shape (n_groups,)
        Weight of the classes with test points in each group.
    rival : ndarray of shape (n_groups, n_functions), or 0
        What each group adds to the sums as wrong labels, less what an average one would; 0 for points alone.
    n_units : float
        Number of independent units with test points.

    Returns
    -------
    ndarray of shape (n_groups, n_functions)
        Deviations, whose Gram matrix is the covariance of the means. NaN where only one unit has test points.
    """
    total, weight = tested.sum(), tested[:, np.newaxis]
    deviation = (own - weight * own.sum(axis=0) / total + rival) / total
    # left out as a truth, a class makes the others count for more
    factor = 1 / np.sqrt(1 - 1 / n_units) if n_units > 1 else np.nan
    return np.asarray(deviation * np.where(weight > 0, factor, 1.0))


def _own_bins(ranks: CorrectRanks, table: DistractorTable, spread: tuple[Any, Any, FloatArray]) -> FloatArray:
    """Weight of each group's own points in each bin of wins, ties spread as in the table: (n_bins, n_groups)."""
    out = np.zeros_like(table.beaten)
    point, bins, weight = spread
    np.add.at(out, (bins, table.group[ranks.labels][point]), weight)
    return out


def _bins_of_points(ranks: CorrectRanks, table: DistractorTable) -> tuple[Any, Any, FloatArray]:
    """Each point, as often as its ties have numbers of wins; the bin of each number, and its weight."""
    point, extra, start = tie_nodes(ranks.ties)
    weight = point_weights(ranks) / np.diff(start, append=point.size)
    n_wrong = None if ranks.n_wrong is None else ranks.n_wrong[point]
    return point, table.bins(ranks.wins[point] + extra, n_wrong), weight[point]


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
    old, new = (
        np.bincount(bins, weights=weight, minlength=table.wins.size)[:, np.newaxis]
        for _, bins, weight in (_bins_of_points(ranks, table), _bins_of_points(equal, table))
    )
    ratio = np.divide(new, old, out=np.zeros_like(old), where=old > 0)
    met = None if table.met is None else table.met * ratio
    return replace(equal, distractors=replace(table, beaten=table.beaten * ratio, met=met))


def beyond_half(
    own: FloatArray,
    own_at_half: FloatArray,
    at_half: FloatArray,
    *,
    room: tuple[FloatArray, FloatArray],
    scale: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """Deviations at numbers of classes beyond half of them, where no class can be left out.

    The own-class deviations are multiplied by the ratio of the whole to the own-class error at half. That ratio does
    not exist if the classes do not differ on their own points but the whole varies, as with a label that beats every
    point. The whole deviations at half are then scaled at the same number of trials. No error exceeds that of one
    trial.

    Parameters
    ----------
    own : ndarray of shape (n_units, n)
        Own-class deviations, whose Gram matrix is a covariance.
    own_at_half, at_half : ndarray of shape (n_units, n) or (n_units, 1)
        Own-class and whole deviations at half of the classes.
    room, scale : pair of ndarray of shape (n,), and (n,) or (1,)
        Variance of one trial, and size of the numbers that errors are compared with, at each number and at half.
    """
    at_half = without_small(at_half, scale[1])
    alone, whole, error = (np.linalg.norm(dev, axis=0) for dev in (without_small(own_at_half, scale[1]), at_half, own))
    ratio = np.divide(whole, alone, out=np.ones_like(whole), where=(alone > 0) & (whole > 0))
    single = np.sqrt(room[0])
    as_at_half = np.where(room[1] > 0, single / np.sqrt(np.where(room[1] > 0, room[1], 1.0)), 0.0)
    lost = ~varies(error, scale[0]) | ((alone == 0) & (as_at_half * whole > error))
    at_most = np.minimum(1.0, np.divide(single, error * ratio, out=np.ones_like(error), where=error * ratio > 0))
    return without_small(np.where(lost, at_half * as_at_half, own * (ratio * at_most)), scale[0])


def without_small(deviation: FloatArray, scale: ArrayLike) -> FloatArray:
    """Put zeros in columns of deviations that vary only by rounding; NaN stays NaN."""
    error = np.linalg.norm(deviation, axis=0)
    kept = varies(error, scale) | np.isnan(error)
    return deviation if kept.all() else np.where(kept, deviation, 0.0)


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
    share, above = (array.reshape(-1, *(1,) * least.ndim) for array in (np.log(sizes / half), sizes > half))
    trials = np.exp(least + share / np.log(last / half) * (most - least))
    return np.where(above & known[0], trials, np.inf)


def subset_deviations(
    ranks: CorrectRanks, sizes: NDArray[np.int64], mean: SubsetMean
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Means over all subsets; deviations of groups of classes, whose Gram matrix is the covariance; the most trials."""
    half, last = ranks.largest_subset // 2, ranks.largest_subset
    beyond = sizes > half
    extended = np.append(sizes, [half, last]) if beyond.any() else sizes
    if ranks.distractors is None:  # classes without test points form no group
        group, n_groups = np.unique(ranks.units, return_inverse=True)[1].astype(np.int64), ranks.n_units
    else:
        group, n_groups = ranks.distractors.group.astype(np.int64)[ranks.labels], ranks.distractors.beaten.shape[1]
    own = sums_by_group(ranks, extended, mean, group, n_groups)
    totals = np.bincount(group, weights=point_weights(ranks), minlength=n_groups)
    value = own.sum(axis=0) / ranks.n_tested
    low, width = mean.metric.span(extended.astype(np.float64))
    scale = np.maximum(np.abs(value), -low)
    room = np.maximum((value - low) * (low + width - value), 0.0)
    deviation = without_small(centred(own, totals, 0.0, ranks.n_units), scale)
    if ranks.distractors is not None and last >= 4 and ranks.n_tested > 1:
        small, large = extended <= half, np.flatnonzero(extended > half)
        alone = ranks if ranks.point_units is None else replace(ranks, point_units=None)
        jackknife = without_small(_jackknife(alone, ranks.distractors, extended[small], mean), scale[small])
        if large.size:
            ends = {"room": (room[large], room[-2:-1]), "scale": (scale[large], scale[-2:-1])}
            deviation[:, large] = beyond_half(deviation[:, large], deviation[:, -2:-1], jackknife[:, -1:], **ends)
        deviation[:, small] = jackknife
    most = np.full(sizes.size, np.inf)
    if beyond.any():
        error = np.linalg.norm(deviation[:, -2:], axis=0)
        most = most_trials(sizes, half, last, room=room[-2:], error=error, n_people=ranks.n_units)
    return value[: sizes.size], deviation[:, : sizes.size], most


def deviations_of_units(
    ranks: CorrectRanks, sizes: NDArray[np.int64], mean: SubsetMean
) -> tuple[FloatArray, UnitSpread]:
    """Deviations that units of test points add to those of classes, (n_units, n), and how much they differ."""
    cell, unit = cells_of_points(ranks.units, cast("IntArray", ranks.point_units))
    weight, step = np.bincount(cell, weights=point_weights(ranks)), max(1, _BLOCK_ELEMENTS // unit.size)
    scale = np.abs(mean.metric.span(sizes.astype(np.float64))[1])
    parts = [
        unit_deviations(sums_by_group(ranks, sizes[some], mean, cell, unit.size), weight, unit, scale[some])
        for some in (slice(first, first + step) for first in range(0, sizes.size, step))
    ]
    added, spreads = zip(*parts, strict=True)
    total, within = (np.concatenate([getattr(spread, name) for spread in spreads]) for name in ("total", "within"))
    return np.hstack(added), replace(spreads[0], total=total, within=within)


def sums_by_group(
    ranks: CorrectRanks, sizes: NDArray[np.int64], mean: SubsetMean, groups: NDArray[np.int64], n_groups: int
) -> FloatArray:
    """Subset accuracy of the points, weighted and summed over each group: (n_groups, n_sizes)."""
    weight = point_weights(ranks)
    drawn = np.full(ranks.n_points, ranks.n_classes - 1) if ranks.n_wrong is None else ranks.n_wrong
    total = np.zeros((n_groups, sizes.size))
    for n_wrong in np.unique(drawn):
        rows = np.flatnonzero(drawn == n_wrong)
        wins, ties, pair = distinct_pairs(ranks.wins[rows], ranks.ties[rows])
        if n_groups == 1 or n_groups * wins.size <= _FEW_SUMS:
            entry, shape = groups[rows] * wins.size + pair, (n_groups, wins.size)
            spread = np.bincount(entry, weights=weight[rows], minlength=n_groups * wins.size).reshape(shape)
        else:
            spread = sparse.coo_array((weight[rows], (groups[rows], pair)), shape=(n_groups, wins.size)).tocsc()
        step = max(1, _BLOCK_ELEMENTS // max(sizes.size, 1))
        for first in range(0, wins.size, step):
            some = slice(first, first + step)
            total += spread[:, some] @ mean.expected(wins[some], ties[some], int(n_wrong) + 1, sizes)
    return total


def _jackknife(ranks: CorrectRanks, table: DistractorTable, sizes: NDArray[np.int64], mean: SubsetMean) -> FloatArray:
    """Leave-one-class-out deviations of the average accuracy, for sizes of at most `largest_subset` - 1."""
    kept, lost = np.empty((2, table.wins.size, sizes.size))
    for n in np.unique(table.n_met).tolist():
        rows = table.n_met == n
        kept[rows] = mean.untied(np.minimum(table.wins[rows], n - 1), n, sizes)
        lost[rows] = mean.untied(np.clip(table.wins[rows] - 1, 0, n - 1), n, sizes)
    return jackknife_deviations(ranks, table, kept, lost)
