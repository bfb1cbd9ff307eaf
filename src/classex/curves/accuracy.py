"""Average of any function of the rank over all subsets of the observed classes, with standard errors over classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._checks import (
    as_class_counts,
    as_finite_array,
    as_plain_array,
    as_positive_int,
    as_probabilities,
    as_weights,
    one_of,
)
from classex._estimates import AccuracyCurve, UnitSpread, varies
from classex._loops.curves import expected_of_rank, subset_accuracy
from classex._types import Average, FloatArray, IntArray
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.ranks import (
    as_ranks,
    in_clusters,
    in_units,
    point_shares,
    point_weights,
    ranks_of_checked,
    subset_ranks,
    thin_ranks,
    tie_nodes,
)
from classex.ranks.ranks import LISTED_TIES, CorrectRanks, DistractorTable, tie_quadrature, weights_of_labels
from classex.ranks.scores import scores_and_labels

__all__ = [
    "SubsetMean",
    "accuracy_covariance",
    "accuracy_curve",
    "beyond_half",
    "cells_of_points",
    "centred",
    "default_sizes",
    "degrees_of_freedom",
    "deviations_of_units",
    "distractor_ratio",
    "jackknife_deviations",
    "most_trials",
    "own_class_deviations",
    "published_curve",
    "ranks_of_classes",
    "satterthwaite",
    "spaced_sizes",
    "subset_deviations",
    "sums_by_group",
    "unit_deviations",
    "weigh",
    "weighted_curve",
    "win_distribution",
    "without_small",
]


# A curve has a value for every number of classes up to this one; a longer one is smooth between as many numbers, evenly
# spaced in the logarithm
_EVERY_SIZE = 1000
# Up to this m, top-m accuracies are sums of products that start from top-1
_MOST_PRODUCTS = 64


def spaced_sizes(first: float, last: float, most: int) -> FloatArray:
    """Return up to `most` whole numbers from `first` to `last`, evenly in the logarithm."""
    return np.unique(np.rint(np.geomspace(first, last, most)))


def default_sizes(first: int, last: int) -> IntArray:
    """Numbers of classes of a curve by default: all of them, or a logarithmic grid if there are more than 1,000."""
    few = last <= _EVERY_SIZE
    return np.arange(first, last + 1) if few else spaced_sizes(first, last, _EVERY_SIZE).astype(np.int64)


@dataclass(frozen=True)
class SubsetMean:
    """Mean of a metric over the subsets of k classes that hold the true one.

    Attributes
    ----------
    metric : RankMetric
        The function of the rank.
    """

    metric: RankMetric

    def untied(self, wins: IntArray, n_classes: int, sizes: IntArray) -> FloatArray:
        """Mean for each number of wins among `n_classes` classes and each size: (n_wins, n_sizes)."""
        if sizes.size == 0:
            return np.zeros((wins.size, 0))
        if (top := self.metric.top) is not None and top <= _MOST_PRODUCTS:
            return _subset_accuracy(wins, n_classes, sizes, top)
        return np.asarray(expected_of_rank(wins, n_classes - 1, sizes, self._table(sizes)))

    def expected(self, wins: IntArray, ties: IntArray, n_classes: int, sizes: IntArray) -> FloatArray:
        """Mean over random tie-breaking, for each (wins, ties) and each size."""
        if (top := self.metric.top) is not None and top <= _MOST_PRODUCTS:
            value = _subset_accuracy(wins, n_classes, sizes, top)
            return _over_ties(value, wins, ties, n_classes, sizes, top) if sizes.size and ties.any() else value
        listed = np.minimum(ties, LISTED_TIES)
        start = np.cumsum(listed + 1) - (listed + 1)
        extra = np.arange(int((listed + 1).sum())) - np.repeat(start, listed + 1)
        distinct, index = np.unique(np.repeat(wins, listed + 1) + extra, return_inverse=True)
        value = self.untied(distinct, n_classes, sizes)[index.ravel()]
        out: FloatArray = np.add.reduceat(value, start, axis=0) / (listed + 1)[:, np.newaxis]
        many = np.flatnonzero(ties > LISTED_TIES)
        if many.size and sizes.size:
            # Abel's summation of the closed form for top-m accuracies: with F the running sum of f, a difference
            # of two means of F(losses), of k labels drawn out of all n_classes
            total = np.append(0.0, np.cumsum(self._table(sizes)))
            ends = np.stack([wins[many], wins[many] + ties[many] + 1])
            distinct, index = np.unique(ends, return_inverse=True)
            mean = expected_of_rank(distinct, n_classes, sizes + 1, total)
            lower, upper = index.reshape(ends.shape)
            out[many] = (mean[lower] - mean[upper]) * (n_classes / sizes) / (ties[many] + 1)[:, np.newaxis]
        return out

    def _table(self, sizes: IntArray) -> FloatArray:
        """Value of the metric for every number of labels that beat the truth."""
        return self.metric.values(np.arange(1.0, int(sizes.max()) + 1))


def _over_ties(
    out: FloatArray, wins: IntArray, ties: IntArray, n_classes: int, sizes: IntArray, top: int
) -> FloatArray:
    """Average the subset accuracies of tied (wins, ties) over random tie-breaking: those are a product, or a few."""
    # sum_{u=0..t} C(w+u, k-1-j) C(K-1-w-u, j) counts the k-subsets of K things whose (k-j)-th lowest lies
    # among positions w+1..w+t+1 (a hockey-stick sum): a difference of two top-(j+1) accuracies, of k+1
    # labels out of K+1
    tied = np.flatnonzero(ties)
    t = ties[tied]
    ends = np.stack([wins[tied], wins[tied] + t + 1])
    distinct, index = np.unique(ends, return_inverse=True)
    lower, upper = index.reshape(ends.shape)
    total = np.zeros((tied.size, sizes.size))
    for j in range(1, min(top, int(sizes.max())) + 1):
        cumulative = _subset_accuracy(distinct, n_classes + 1, sizes + 1, j)
        total += cumulative[upper] - cumulative[lower]
    out[tied] = np.minimum(total * (n_classes / sizes) / (t + 1)[:, np.newaxis], 1.0)
    return out


def _subset_accuracy(wins: IntArray, n_classes: int, sizes: IntArray, top: int) -> FloatArray:
    """Subset accuracy without ties, for sizes in any order."""
    if sizes.size == 0:
        return np.zeros((wins.size, 0))
    ascending, index = np.unique(sizes, return_inverse=True)
    accuracy = subset_accuracy(wins, n_classes, ascending, top)
    return np.asarray(accuracy[:, index], dtype=np.float64)


def distinct_pairs(wins: IntArray, ties: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the different (wins, ties), in ascending order, and which of them each point has."""
    base = int(ties.max(initial=0)) + 1
    if (int(wins.max(initial=0)) + 1) * base >= 2**63:
        pairs, pair = np.unique(np.stack([wins, ties]), axis=1, return_inverse=True)
        return pairs[0], pairs[1], pair.ravel()
    # one number stands for both: numbers are sorted many times faster than pairs
    codes, pair = np.unique(wins * base + ties, return_inverse=True)
    return codes // base, codes % base, pair


def cells_of_points(first: IntArray, units: IntArray) -> tuple[IntArray, IntArray]:
    """Cell of each test point, one for each pair of class (or cluster) and unit, and the unit of each cell."""
    n = int(first.max()) + 1
    code, cell = np.unique(units * n + first, return_inverse=True)
    return cell, code // n


def unit_deviations(
    own: FloatArray, weight: NDArray[Any], unit: IntArray, scale: ArrayLike = 0.0
) -> tuple[FloatArray, UnitSpread]:
    r"""Deviations of a weighted mean that units add to those of classes.

    The variance over units contains that of single cells, which the variance over classes contains too. Rows are the
    jackknife deviations of the units, times :math:`\sqrt{1 - V_{\text{cells}} / V_{\text{units}}}`, or 0.

    Parameters
    ----------
    own : ndarray of shape (n_cells, n_functions)
        Weighted sums of what is averaged over each cell: the points of one class and one unit.
    weight : ndarray of shape (n_cells,)
        Weight of each cell.
    unit : ndarray of shape (n_cells,)
        Its unit, numbered from 0. A single one adds nothing.
    scale : float or ndarray of shape (n_functions,)
        Size of the numbers that errors are compared with, so that rounding does not count.

    Returns
    -------
    ndarray of shape (n_units, n_functions)
        Under the deviations of classes, so that the Gram matrix of all rows is the covariance.
    UnitSpread
        How much the units differ.
    """
    sums = np.zeros((int(unit.max()) + 1, own.shape[1]))
    np.add.at(sums, unit, own)
    shares = np.bincount(unit, weights=weight)
    if shares.size < 2:  # a part of the data may come from one unit
        none = np.zeros((2, own.shape[1]))
        return none[:1], UnitSpread(1, *none)
    units, cells = _left_out(sums, shares), _left_out(own, weight)
    whole, alone = (np.square(deviations).sum(axis=0) for deviations in (units, cells))
    share = np.divide(whole - alone, whole, out=np.zeros_like(whole), where=varies(np.sqrt(whole), scale))
    # the variance of a mean is that of one of so many equal units
    number = shares.sum() ** 2 / np.square(shares).sum()
    spread = UnitSpread(shares.size, number * whole, number * alone)
    return units * np.sqrt(np.maximum(share, 0.0)), spread


def _left_out(own: FloatArray, weight: NDArray[Any]) -> FloatArray:
    """Deviations of groups, from leaving each out of a weighted mean: their Gram matrix is the jackknife covariance."""
    total, n = weight.sum(), weight.size
    centred = own - weight[:, np.newaxis] * (own.sum(axis=0) / total)
    return np.asarray(np.sqrt(1 - 1 / n) * centred / (total - weight)[:, np.newaxis])


def degrees_of_freedom(deviation: FloatArray, ranks: CorrectRanks) -> FloatArray:
    """Degrees of freedom of the variances in the columns of deviations, by Satterthwaite's formula."""
    if ranks.point_units is None:
        return np.full(deviation.shape[1], max(ranks.n_units - 1.0, 1.0))
    square, n_units = np.square(deviation), int(ranks.point_units.max()) + 1
    over_classes, over_units = square[:-n_units].sum(axis=0), square[-n_units:].sum(axis=0)
    return satterthwaite(over_classes, ranks.n_units - 1, over_units, n_units - 1)


def satterthwaite(first: FloatArray, first_df: float, second: FloatArray, second_df: float) -> FloatArray:
    """Degrees of freedom of the sum of two variances; those of the first alone if the second is 0."""
    whole = np.square(first + second)
    parts = np.square(first) / max(first_df, 1) + np.square(second) / max(second_df, 1)
    known = np.isfinite(parts) & (parts > 0)
    return np.asarray(np.divide(whole, parts, out=np.full(whole.shape, float(max(first_df, 1))), where=known))


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
    return rows if ranks.point_units is None else _with_units(rows, ranks, (every, every, weight), value)


def _with_units(rows: FloatArray, ranks: CorrectRanks, spread: tuple[Any, Any, FloatArray], value: Any) -> FloatArray:
    """Rows for classes, and under them what units add; `spread` has points, rows of `value`, and their weights."""
    cell, unit = cells_of_points(ranks.units, cast("IntArray", ranks.point_units))
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
    group = table.group[ranks.labels]
    tested = np.bincount(group, weights=point_weights(ranks), minlength=table.beaten.shape[1])
    spread = point, bins, weight = _bins_of_points(ranks, table)
    own, effect = np.zeros_like(table.beaten), kept - lost
    np.add.at(own, (bins, group[point]), weight)
    met = own.sum(axis=1, keepdims=True) * np.bincount(table.group) - own if table.met is None else table.met
    total = met.sum(axis=1, keepdims=True)
    rate = np.divide(table.beaten.sum(axis=1, keepdims=True), total, out=np.zeros_like(total), where=total > 0)
    rows = centred(own.T @ (kept - rate * effect), tested, (table.beaten - rate * met).T @ effect, ranks.n_units)
    return rows if ranks.point_units is None else _with_units(rows, ranks, spread, kept)


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
        table, alone = ranks.distractors, ranks if ranks.point_units is None else replace(ranks, point_units=None)
        kept, lost = np.empty((2, table.wins.size, np.count_nonzero(small)))
        n_met = table.n_met
        for n in np.unique(n_met).tolist():
            rows = n_met == n
            kept[rows] = mean.untied(np.minimum(table.wins[rows], n - 1), n, extended[small])
            lost[rows] = mean.untied(np.clip(table.wins[rows] - 1, 0, n - 1), n, extended[small])
        jackknife = without_small(jackknife_deviations(alone, table, kept, lost), scale[small])
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


# Standard errors of a difference beyond which a rise is no accident
_LARGEST_RISE = 3.0
# Largest number of points that standard errors can stand for
_MOST_POINTS = 10**15


def published_curve(
    n_classes: ArrayLike, accuracy: ArrayLike, n_test: int | None, standard_error: ArrayLike | None
) -> AccuracyCurve:
    """Return a checked curve in the order of the numbers of classes.

    Parameters
    ----------
    n_classes, accuracy : array_like of shape (n,)
        The curve.
    n_test : int or None
        Number of test points behind it.
    standard_error : array_like of shape (n,) or None
        Standard errors, where `n_test` is None: the number is the least of accuracy (1 - accuracy) / standard_error^2.

    Returns
    -------
    AccuracyCurve
        With its number of test points and binomial standard errors.

    Raises
    ------
    ValueError
        If an argument is not as described, a number of classes comes twice, or an accuracy exceeds the one before it
        by more than three standard errors.
    TypeError
        If both or neither of the last two are given.
    """
    sizes, value = as_class_counts(n_classes, minimum=2), np.atleast_1d(as_probabilities(accuracy, "accuracy"))
    if value.shape != sizes.shape:
        raise ValueError(f"accuracy must have one entry for each of the {sizes.size} n_classes, not {value.size}")
    if (n_test is None) == (standard_error is None):
        given = "none" if n_test is None else "both"
        raise TypeError(f"n_test or standard_error must be given: one of them, not {given}")
    n = _points_behind(value, standard_error) if n_test is None else as_positive_int(n_test, "n_test")
    order = np.argsort(sizes, kind="stable")
    sizes, value = sizes[order], value[order]
    if (np.diff(sizes) == 0).any():
        raise ValueError(f"n_classes must not hold a number twice, but is {n_classes!r}")
    variance = value * (1 - value) / n
    rise = np.diff(value)
    if (rise > 0).any():
        step = int(np.argmax(rise))
        message = (
            f"the accuracy rises from {value[step]:.4g} with {sizes[step]:.10g} classes to {value[step + 1]:.4g} with"
            f" {sizes[step + 1]:.10g}, but the average over random sets of classes never rises"
        )
        if (rise > _LARGEST_RISE * np.sqrt(variance[:-1] + variance[1:])).any():
            raise ValueError(f"{message}: are these error rates, or was there more training data?")
        warnings.warn(f"{message}: the curve is fitted as if chance had raised it", UserWarning, stacklevel=3)
    whole: Any = sizes.astype(np.int64) if sizes[-1] < 2**62 else sizes
    return AccuracyCurve(whole, value, np.sqrt(variance), n_tested=n, limits=np.tile([0.0, 1.0], (sizes.size, 1)))


def _points_behind(value: NDArray[np.float64], standard_error: Any) -> int:
    """Return the number of test points that would give the largest standard errors."""
    error = as_finite_array(standard_error, "standard_error", ndim=1)
    if error.shape != value.shape:
        raise ValueError(f"standard_error must have one entry for each accuracy ({value.size}), not {error.size}")
    used = (error > 0) & (value > 0) & (value < 1)
    if not used.any() or error.min() < 0:
        raise ValueError("standard_error must not be negative, and positive for an accuracy between 0 and 1")
    points = value[used] * (1 - value[used]) / np.maximum(error[used], 1e-8) ** 2
    return max(1, round(min(float(points.min()), _MOST_POINTS)))


# Fewest effective classes: as many as resampling needs
_FEWEST_CLASSES = 5
_REFUSED = (
    f"weights must be finite and leave {_FEWEST_CLASSES} effective classes, but {{}}: classes that could hardly be"
    " drawn have no weight. Give groups= and growth=, and read the sensitivity curve of result.growth"
)
# Numbers in a block of comparisons, 32 MB, and of probabilities, which a processor keeps at hand
_BLOCK_ELEMENTS_WEIGHTED, _CACHED_ELEMENTS = 2**22, 2**16
_TINY = np.finfo(np.float64).tiny
_ACCURACY = SubsetMean(as_rank_metric("accuracy"))


def weighted_curve(
    scores: Any, labels: Any, weights: ArrayLike, n_classes: ArrayLike | None = None, *, classes: Any = None
) -> tuple[AccuracyCurve, FloatArray]:
    """Average accuracies over weighted subsets, and the influence of each class on them.

    Parameters
    ----------
    scores, labels, classes
        As in `classex.correct_ranks`.
    weights : array_like of shape (n_classes,)
        Weight of each class; only ratios matter.
    n_classes : array_like of int, optional
        Numbers of classes, up to the effective number; by default as in `classex.accuracy_curve`.

    Returns
    -------
    AccuracyCurve
        The curve, with standard errors over classes.
    influence : ndarray of shape (n_classes, n)
        What each class adds to the deviation of the accuracies. The Gram matrix is the covariance.

    Raises
    ------
    TypeError, ValueError
        If ranks were given, or an argument is not as described.
    """
    if isinstance(scores, CorrectRanks) or labels is None:
        raise TypeError("weights need scores and labels: ranks do not show which classes a point beats")
    matrix, truth = scores_and_labels(scores, labels, classes, every_class=False)
    tested = np.unique(truth)
    weight = _checked(weights, matrix.shape[1], tested)
    last, units = (_effective_number(weights) for weights in (weight, weight[tested]))
    asked = default_sizes(1, last) if n_classes is None else as_class_counts(n_classes, maximum=last).astype(np.int64)
    if (weight == 1).all():
        value, influence, most = subset_deviations(ranks_of_checked(matrix, truth), asked, _ACCURACY)
    else:
        value, influence, most = _deviations(matrix, truth, weight, asked, (last, units))
    error, limits = np.linalg.norm(influence, axis=0), np.tile([0.0, 1.0], (asked.size, 1))
    counts = ("accuracy", tested.size, limits, most, "weights", truth.size, units)
    return AccuracyCurve(asked, np.clip(value, 0.0, 1.0), error, *counts), influence


def _checked(weights: ArrayLike, n_classes: int, tested: IntArray) -> FloatArray:
    """Return the weights of all classes, at most 1; refuse what stands for classes that could not be drawn."""
    given = as_plain_array(weights, "weights")
    if given.dtype.kind == "f" and np.isinf(given).any():
        raise ValueError(_REFUSED.format("are infinite"))
    weight = as_weights(given, n_classes, "weights")
    left = min(_effective_number(weight), _effective_number(weight[tested]))
    if left < _FEWEST_CLASSES:
        raise ValueError(_REFUSED.format(f"leave {left}"))
    return np.asarray(weight / weight.max())


def _effective_number(weight: FloatArray) -> int:
    """Return the effective number of classes, the squared sum of the weights over the sum of their squares."""
    share = weight / max(weight.max(), _TINY)
    # rounding must not turn n equal weights into n - 1 classes
    return int(share.sum() ** 2 / max(np.square(share).sum(), _TINY) + 1e-9)


def _deviations(
    scores: NDArray[Any], labels: IntArray, weight: FloatArray, asked: IntArray, effective: tuple[int, int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Accuracies; deviations of classes, whose Gram matrix is the covariance; the most trials."""
    (last, units), n = effective, asked.size
    half, sizes = last // 2, np.append(asked, [last // 2, last])
    value, own, whole = _own_and_whole(scores, labels, weight, sizes, effective)
    room, at_half = value * (1 - value), slice(n, n + 1)
    ends = {"room": (room, room[at_half]), "scale": (value, value[at_half])}
    deviation = np.where(sizes > half, beyond_half(own, own[:, at_half], whole[:, at_half], **ends), whole)
    error = np.linalg.norm(deviation[:, n:], axis=0)
    return value[:n], deviation[:, :n], most_trials(asked, half, last, room=room[n:], error=error, n_people=units)


def _own_and_whole(
    scores: NDArray[Any], labels: IntArray, weight: FloatArray, sizes: IntArray, effective: tuple[int, int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Accuracies, and the deviations of classes by their own points alone, and as rivals as well.

    With equal weights, and without ties, these are the deviations of the leave-one-class-out jackknife.
    """
    n, units = effective
    points, drawn = np.arange(labels.size), sizes - 1
    truth, each = scores[points, labels][:, np.newaxis], weight[labels] * weights_of_labels(labels)
    below, tied = scores < truth, scores == truth
    tied[points, labels] = False
    point, chance, kept = tie_quadrature(tied.sum(axis=1))
    included = _inclusion(weight, int(drawn.max()))
    # sets of all classes that miss the point's own class are those of wrong labels
    missed = _beaten_sets(1 - np.eye(weight.size), included, drawn)
    own, gain = np.zeros((2, weight.size, sizes.size))
    step = max(1, _BLOCK_ELEMENTS_WEIGHTED // weight.size)
    for first in range(0, point.size, step):
        some = slice(first, first + step)
        rows = point[some]
        beaten = below[rows] + kept[some, np.newaxis] * tied[rows]
        right = _beaten_sets(beaten, included, drawn) / missed[labels[rows]]
        right *= (chance[some] * each[rows])[:, np.newaxis]
        np.add.at(own, labels[rows], right)
        gain += beaten.T @ (right / np.maximum(beaten @ weight, _TINY)[:, np.newaxis])
    totals = np.bincount(labels, weights=each, minlength=weight.size)
    value = own.sum(axis=0) / totals.sum()
    # a rival with more weight is drawn more often: right if it is beaten, wrong if not
    loss = own / (weight.sum() - weight)[:, np.newaxis]
    rival = weight[:, np.newaxis] * drawn * (gain - loss.sum(axis=0) + loss)
    # with one class of n left out, of which all have the same weight, its share of the others' draws is n / (n - 1)
    rival *= (n - 1) / np.maximum(n - sizes, 1)
    deviations = (without_small(centred(own, totals, part, units), value) for part in (0.0, rival))
    return np.clip(value, 0.0, 1.0), *deviations


def _inclusion(weight: FloatArray, most: int) -> FloatArray:
    """Probability that a random set of 1, ..., `most` of the classes up to each one contains it: (n_classes, most)."""
    ratio, out = np.full(most, _TINY), np.empty((weight.size, most))
    for c, w in enumerate(weight):
        out[c] = w / (ratio + w)
        ratio[1:], ratio[:1] = (ratio[1:] + w) * (ratio[:-1] / (ratio[:-1] + w)), ratio[:1] + w
    return out


def _beaten_sets(beaten: FloatArray, included: FloatArray, drawn: IntArray) -> FloatArray:
    """Probability that every class of a random set of so many classes is beaten: (n_rows, n_sizes)."""
    step, chances = max(1, _CACHED_ELEMENTS // (included.shape[1] + 1)), np.empty((beaten.shape[0], drawn.size))
    for first in range(0, beaten.shape[0], step):
        some = beaten[first : first + step]
        out = np.zeros((some.shape[0], included.shape[1] + 1))
        out[:, 0] = 1
        for column, r in zip(some.T, included, strict=True):
            out[:, 1:] += r * (column[:, np.newaxis] * out[:, :-1] - out[:, 1:])
        chances[first : first + step] = out[:, drawn]
    return chances


def accuracy_curve(
    ranks: CorrectRanks | ArrayLike,
    n_classes: ArrayLike | None = None,
    *,
    metric: str | Callable[[Any], Any] | RankMetric = "accuracy",
    top: int = 1,
    average: Average = "balanced",
    standard_errors: bool = True,
    clusters: ArrayLike | None = None,
    units: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> AccuracyCurve:
    r"""Average test accuracy, or any other function of the rank, over all subsets of k of the observed classes.

    .. math:: \mathrm{ATA}_k = \frac{1}{p} \sum_i \frac{1}{r_i} \sum_j
              \binom{R^*_{ij}}{k-1} \Big/ \binom{k_1-1}{k-1},

    with :math:`R^*_{ij}` the wins of test point j of class i, and i the p classes that have test points. Each of
    them weighs the same, however many test points it has; with ``average="points"`` each test point weighs the same.
    The other classes of a gallery compete as wrong labels.
    A point with ties is averaged over random tie-breaking, in closed form. With ``top=m`` the point counts when at
    most m-1 of the k-1 drawn wrong labels beat the truth; with another metric it scores f(1 + the number that do),
    a hypergeometric number.

    Parameters
    ----------
    ranks : CorrectRanks, or array_like of shape (n_test, n_classes)
        From `correct_ranks`, `correct_ranks_from_embeddings` or `ranks_from_wins`, with :math:`k_1` classes. With
        `weights` the scores themselves.
    n_classes : int or array_like of int, optional
        Numbers of classes k, each in ``1..ranks.largest_subset``: the number of classes, or one more than the
        fewest wrong labels that a point was compared with; with `weights` the effective number of classes. By default
        all of them, or with more than 1,000 classes a grid of up to 1,000 numbers, evenly spaced in the logarithm.
    metric : str or callable
        "accuracy"; "recall@m", "hit@m" or "top-m" (the truth is among the m best); "mrr", "mrr@m" or "map@m"
        (one over the rank, 0 below the m best); "ndcg" or "ndcg@m" (``1 / log2(1 + rank)``); or a function of the
        rank 1, 2, ...
    top : int
        With the metric "accuracy", a point counts as correct when its truth is among the `top` best labels.
    average : {"balanced", "points"}
        Whether each class weighs the same, as in scikit-learn's ``balanced_accuracy_score``, or each test point, as in
        ``accuracy_score``.
    standard_errors : bool
        Whether to compute them, which takes most of the time; if not, they are NaN.
    clusters : array_like of shape (n_classes,), optional
        Cluster of each class, for standard errors and intervals over clusters (see `classex.ranks.in_clusters`).
    units : array_like of shape (n_test,), optional
        Unit of each test point, such as its subject, session, document or annotator, for standard errors and intervals
        over units as well (see `classex.ranks.in_units`).
    labels : array_like of shape (n_test,), optional
        With `weights`, the column of the correct label of each test point.
    weights : array_like of shape (n_classes,), optional
        Weight of each class that was drawn with an unequal chance: the chance with which it is wanted over the chance
        with which it was observed. Only ratios matter.

    Returns
    -------
    AccuracyCurve
        ``accuracy[0]`` belongs to k = ``n_classes[0]``; accuracies are probabilities, and other metrics are means of
        the function of the rank.

    Raises
    ------
    TypeError
        If `ranks` is not a `CorrectRanks`, or `weights` come without scores and labels.
    ValueError
        If a k lies outside its range or is not whole, `metric` is not known, or `top` is not a positive integer. With
        weights, if other arguments than `n_classes` are given, or the weights leave fewer than 5 effective classes.

    Notes
    -----
    Source: thesis section 2.3.1, equation (2.4), with the rank counted in wins; journal version equation (4).

    The standard error is that of a U-statistic over classes: a class contributes as the truth of its own
    points and as a distractor to all the others. For k up to :math:`k_1/2` it is the jackknife over classes,
    in closed form. Leaving one class out breaks down as k approaches :math:`k_1` (at :math:`k = k_1` it is
    undefined), so beyond :math:`k_1/2` the own-class variance is used, times the ratio of jackknife to
    own-class variance at :math:`k_1/2`. Where all classes do the same on their own points this ratio does not exist,
    and the jackknife variance is carried on at the same number of trials, :math:`A (1 - A) / \mathrm{var}`; no
    standard error beyond :math:`k_1/2` exceeds that of one trial. Below four classes, or without distractor
    information, it is the own-class standard error alone. Classes without test points count as distractors only.
    Where points met samples of the wrong labels, each point's subsets are drawn from its own sample, and the
    own-class error holds; the numbers of wrong labels must not have been chosen by the wins (see `ranks_from_wins`).
    The standard error is NaN where only one class has test points.

    The jackknife errs on the safe side: what a point and one distractor do together is counted with the classes of
    both (Efron and Stein, Annals of Statistics, 1981). That matters most with one test point a class. On Gaussian
    classes its square at :math:`k_1/2` was 1.2 to 1.9 times the variance of repeated experiments.

    With k near :math:`k_1` a standard error can be zero because one label beats every point, or small because no point
    beats all labels. The intervals of the curve therefore use at most as many trials as the sample is worth
    at :math:`k_1/2` and at :math:`k_1`. They do not allow for such a label when the sample contains none: see
    `classex.AccuracyCurve.interval`.

    With `weights` the estimate is

    .. math::

        \frac{1}{\sum_i w_i} \sum_i \frac{w_i}{r_i} \sum_j
        \frac{e_{k-1}(w_b : b \text{ beaten by } j)}{e_{k-1}(w_b : b \ne i)},

    with :math:`e_m(w) = \sum_{|S| = m} \prod_{b \in S} w_b`,

    a mean over subsets, each weighted by the product of its weights. It is defined up to the effective number of
    classes :math:`(\sum w)^2 / \sum w^2` (Kish, Survey Sampling, 1965). As a ratio it is biased towards the unweighted
    curve: in simulations by .3 standard errors at a quarter of the effective number and by up to 1.1 at its end, where
    95 % intervals covered the true value in at least .87. Standard errors are those of the jackknife with as
    many classes as the effective number, continued beyond half of it as above: with equal weights the curve and its
    errors are those without weights. Weights cannot represent classes that had no
    chance to be observed, such as all but the most frequent words: give `groups` and `growth` to
    `classex.extrapolate` instead.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> cx.accuracy_curve(ranks).accuracy.round(4)
    array([1.    , 0.5833, 0.3333, 0.25  ])

    Half of the classes were drawn four times as often as the others:

    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, rng=0)
    >>> cx.accuracy_curve(
    ...     sample.scores, 20, labels=sample.labels, weights=[1, 4] * 25
    ... ).accuracy.round(2)
    array([0.96])
    """
    if weights is not None:
        usual = average == "balanced" and metric == "accuracy" and top == 1
        if not (usual and clusters is None and units is None):
            raise ValueError("metric, top, average, clusters and units must have their default values with weights")
        return weighted_curve(ranks, labels, weights, n_classes)[0]
    if labels is not None:
        raise TypeError("labels must be None without weights: ranks carry their labels")
    ranks = in_units(in_clusters(weigh(as_ranks(ranks, sampled=True), average), clusters), units)
    most, scored = ranks.largest_subset, as_rank_metric(metric, top)
    asked = default_sizes(1, most) if n_classes is None else n_classes
    sizes = as_class_counts(asked, maximum=most).astype(np.int64)
    if standard_errors:
        curve = curve_with_influence(ranks, sizes, scored)[0]
    else:
        mean, everyone = SubsetMean(scored), np.zeros(ranks.n_points, dtype=np.int64)
        value = sums_by_group(ranks, sizes, mean, everyone, 1)[0] / ranks.n_tested
        curve = _as_curve(ranks, sizes, mean, value, np.full(sizes.size, np.nan), None)
    return curve if top == 1 else replace(curve, metric=f"top-{top} accuracy")


def curve_with_influence(
    ranks: CorrectRanks, sizes: NDArray[Any], metric: RankMetric | None = None
) -> tuple[AccuracyCurve, FloatArray]:
    """Return the curve of checked ranks at checked sizes, and the deviation of each group of classes and unit, (m, n).

    Their Gram matrix is the covariance of the curve.
    """
    mean, whole = SubsetMean(metric or as_rank_metric("accuracy")), sizes.astype(np.int64)
    value, deviation, trials = subset_deviations(ranks, whole, mean)
    if ranks.point_units is None:
        return _as_curve(ranks, whole, mean, value, np.linalg.norm(deviation, axis=0), trials), deviation
    added, spread = deviations_of_units(ranks, whole, mean)
    deviation = np.vstack([deviation, added])
    curve = _as_curve(ranks, whole, mean, value, np.linalg.norm(deviation, axis=0), trials)
    return replace(curve, units=spread, freedom=degrees_of_freedom(deviation, ranks)), deviation


def _as_curve(
    ranks: CorrectRanks, sizes: IntArray, mean: SubsetMean, value: FloatArray, error: FloatArray, trials: Any
) -> AccuracyCurve:
    # a mean of ones over classes of unequal size can round to just above one: it is clipped
    low, width = mean.metric.span(sizes.astype(np.float64))
    limits = np.stack([low, low + width], axis=1)
    if mean.metric.top is None and sizes.size:  # its values need not fall with the rank
        table = mean.metric.values(np.arange(1.0, int(sizes.max()) + 1))
        low, high = np.minimum.accumulate(table)[sizes - 1], np.maximum.accumulate(table)[sizes - 1]
        value = np.clip(value, low, high)
    else:
        value = np.clip(value, 0.0, 1.0)
    weighing = "balanced" if ranks.class_balanced else "points"
    known = ranks.n_tested, limits, trials, weighing, ranks.n_points, ranks.n_units
    return AccuracyCurve(sizes, value, error, mean.metric.name, *known)


def accuracy_covariance(
    ranks: CorrectRanks,
    n_classes: ArrayLike,
    *,
    metric: str | Callable[[Any], Any] | RankMetric = "accuracy",
    top: int = 1,
) -> NDArray[np.float64]:
    r"""Covariance, over classes, of the average accuracies at several numbers of classes.

    Parameters
    ----------
    ranks : CorrectRanks
        From `correct_ranks` or `correct_ranks_from_embeddings`, with :math:`k_1` classes.
    n_classes : int or array_like of int
        Numbers of classes k, each in ``1..ranks.largest_subset``.
    metric : str or callable
        As in `accuracy_curve`.
    top : int
        A point counts as correct when its truth is among the `top` best labels.

    Returns
    -------
    ndarray of shape (n, n)
        Positive semi-definite covariance matrix; the root of its diagonal is the standard error that
        `accuracy_curve` returns.

    Raises
    ------
    TypeError
        If `ranks` is not a `CorrectRanks`.
    ValueError
        If a k lies outside its range or is not whole, `metric` is not known, or `top` is not a positive integer.

    Notes
    -----
    Source: thesis section 3.4.1, where :math:`k_1` times this matrix tends to a limit.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> cx.curves.accuracy_covariance(ranks, [2, 3]).shape
    (2, 2)
    """
    sizes = as_class_counts(n_classes, maximum=as_ranks(ranks, sampled=True).largest_subset)
    influence = curve_with_influence(ranks, sizes, as_rank_metric(metric, top))[1]
    return np.asarray(influence.T @ influence)


def ranks_of_classes(
    ranks: CorrectRanks, scores: NDArray[Any] | None, classes: NDArray[np.int64], rng: np.random.Generator
) -> tuple[CorrectRanks, NDArray[Any] | None]:
    """Return ranks and scores of some of the classes alone.

    Exact from scores, and if every point met a sample of its own. Otherwise every point keeps a random subset of its
    wrong labels, without the dependence between points that share some (see `classex.ranks.thin_ranks`).
    """
    if ranks.n_wrong is not None:
        # classes are numbered by position among those with test points
        rows = np.flatnonzero(np.isin(np.unique(ranks.labels, return_inverse=True)[1], classes))
        wins, ties, labels, met = (values[rows] for values in (ranks.wins, ranks.ties, ranks.labels, ranks.n_wrong))
        few = replace(ranks, wins=wins, ties=ties, labels=labels, distractors=None, n_wrong=met, point_units=None)
        return replace(few, clusters=None), None
    if scores is None:
        return thin_ranks(ranks, classes, rng=rng), None
    few, block = subset_ranks(scores, ranks.labels, classes)
    return replace(few, class_balanced=ranks.class_balanced), block


def distractor_ratio(ranks: CorrectRanks) -> float:
    """Variance of the average accuracy at half the classes, over its part due to the classes' own points."""
    if ranks.distractors is None or ranks.largest_subset < 4:
        return 1.0
    ranks = replace(ranks, point_units=None)
    alone = replace(ranks, distractors=None)
    half = ranks.largest_subset // 2
    own = float(accuracy_curve(alone, half).standard_error[0])
    full = float(accuracy_curve(ranks, half).standard_error[0])
    return max((full / own) ** 2, 1.0) if own > 0 else 1.0
