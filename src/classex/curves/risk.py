"""Average risk over all subsets of the observed classes, for any costs and class priors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_class_counts, as_clusters, as_cost, as_finite_array, as_units, shown
from classex._estimates import AccuracyCurve, without_rounding
from classex._loops.curves import leave_labels_out, ordered_costs
from classex._types import FloatArray
from classex.curves.accuracy import (
    beyond_half,
    cells_of_points,
    default_sizes,
    most_trials,
    satterthwaite,
    unit_deviations,
)
from classex.ranks.ranks import sums_by_cluster, weights_of_labels
from classex.ranks.scores import scores_and_labels

__all__ = ["mean_ordered_costs", "risk_curve"]


# Costs and their order for a block of test points: 16 bytes a wrong label
_BLOCK_BYTES = 64 * 2**20
# Numbers of classes with an exact jackknife: standard errors are smooth in log k, and interpolated between these
_MOST_JACKKNIFE_SIZES = 64


def risk_curve(
    scores: ArrayLike,
    labels: ArrayLike,
    cost: ArrayLike,
    priors: ArrayLike | None = None,
    *,
    n_classes: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    units: ArrayLike | None = None,
) -> AccuracyCurve:
    r"""Average test risk over all subsets of k of the observed classes.

    .. math:: \mathrm{AvTestRisk}_k = \sum_{m=1}^{k_1-1} \bar C_m
              \binom{m-1}{k-2} \Big/ \binom{k_1-1}{k-1},

    with :math:`\bar C_m` the mean cost of the wrong label with the m-th lowest score, zero where it does not
    beat the truth. Each class weighs the same, or as `priors` say, however many test points it has.

    Parameters
    ----------
    scores : array_like of shape (n_test, n_classes)
        Score of every label for every test point; higher is better.
    labels : array_like of shape (n_test,)
        Column of the correct label of each test point, or its name. Classes without test points compete as wrong
        labels only.
    cost : array_like of shape (n_classes, n_classes)
        ``cost[true, predicted]``, not negative; its diagonal is not used.
    priors : array_like of shape (n_classes,), optional
        Relative weight of each class as a truth: the prior probability of its label over the probability with
        which the label was sampled. Only the ratios matter. The wrong labels stay as they were sampled.
    n_classes : int or array_like of int, optional
        Numbers of classes k, each in ``2..n_classes``. By default all of them, or a grid as in
        `accuracy_curve`.
    classes : array_like of shape (n_classes,), optional
        Name of the class of each column, where labels are names, as in `correct_ranks`.
    clusters : array_like of shape (n_classes,), optional
        Cluster of each class, for standard errors and intervals over clusters (see `classex.ranks.in_clusters`).
    units : array_like of shape (n_test,), optional
        Unit of each test point, such as its subject, for standard errors and intervals over units as well (see
        `classex.ranks.in_units`).

    Returns
    -------
    AccuracyCurve
        Its ``accuracy`` holds the average risk, in units of cost, with a standard error over classes.

    Raises
    ------
    ValueError
        If an argument is not accepted: scores, labels, costs, priors or numbers of classes.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    With priors the estimate is a ratio of weighted means. The standard error is the jackknife over classes,
    exact for k up to :math:`k_1/2` (at 64 of these k; interpolated between them); beyond, the own-class
    standard error times the ratio of the two at :math:`k_1/2`, as in `accuracy_curve`. For costs that differ among
    tied labels it takes them in some order. The intervals of the curve lie between 0 and the largest cost of a wrong
    label. They allow for half a class more whose errors all have the largest cost, and are therefore wide if that cost
    is rare: with costs of 1 and, in one pair of labels out of fifty, 100, intervals of level .95 from 30 classes
    covered the true risk in 99 % of simulations.

    Source: thesis section 2.3.1, equation (2.5), and November 2016 draft, equations (4) and (5), corrected
    (inclusive ranks, cost[true, predicted]; see the errata page). Normalised non-uniform priors within each
    subset, as in the draft's section 2.2, would make the wrong labels dependent; weights do not.

    Examples
    --------
    >>> import classex as cx
    >>> scores = [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]]
    >>> cost = [[abs(i - j) for j in range(4)] for i in range(4)]
    >>> cx.risk_curve(scores, [0, 1, 2, 3], cost).accuracy.round(6)
    array([0.583333, 0.916667, 1.      ])
    """
    data = check_scores(scores, labels, cost, priors, classes)
    k1 = data.scores.shape[1]
    if clusters is not None:
        data = replace(data, clusters=as_clusters(clusters, data.labels, k1))
    asked = default_sizes(2, k1) if n_classes is None else n_classes
    sizes = as_class_counts(asked, minimum=2, maximum=k1).astype(np.int64)
    largest = float(data.cost[~np.eye(k1, dtype=bool)].max())
    value, error, most = _curve(data, sizes, largest)
    limits = np.tile([0.0, largest], (sizes.size, 1))
    # a weighted mean of costs can round to just above the largest
    weights = "balanced" if priors is None else "priors"
    value, counts = np.minimum(value, largest), (data.labels.size, data.n_units)
    curve = AccuracyCurve(sizes, value, error, "risk", data.n_tested, limits, most, weights, *counts)
    return curve if units is None else _over_units(curve, data, as_units(units, data.labels.size))


def _over_units(curve: AccuracyCurve, data: CheckedScores, units: NDArray[np.int64]) -> AccuracyCurve:
    """Add what units of test points add to the variances over classes."""
    cell, unit = cells_of_points(data.clusters[data.labels], units)
    share = data.class_weight[data.labels] * data.point_weight
    own = data.sums(subset_weights(data.cost.shape[0], curve.n_classes), share, cell, unit.size)
    scale = np.abs(curve.accuracy)
    added, spread = unit_deviations(own, np.bincount(cell, weights=share), unit, scale)
    over_classes, over_units = np.square(curve.standard_error), np.square(added).sum(axis=0)
    df = satterthwaite(over_classes, data.n_units - 1, over_units, unit.max())
    return replace(curve, standard_error=np.sqrt(over_classes + over_units), units=spread, freedom=df)


def mean_ordered_costs(
    scores: ArrayLike, labels: ArrayLike, cost: ArrayLike, priors: ArrayLike | None = None
) -> FloatArray:
    r"""Mean cost :math:`\bar C_m` of the m-th lowest wrong label, zero where it does not beat the truth.

    Parameters
    ----------
    scores, labels, cost, priors
        As in `risk_curve`.

    Returns
    -------
    ndarray of shape (n_classes - 1,)
        Mean costs, class-balanced or weighted by `priors`.

    Raises
    ------
    ValueError
        As in `risk_curve`.

    Notes
    -----
    Source: November 2016 draft, section 4.

    Examples
    --------
    >>> from classex.curves.risk import mean_ordered_costs
    >>> mean_ordered_costs(
    ...     [[1, 2, 0], [0, 1, 2], [1, 0, 2]],
    ...     [0, 1, 2],
    ...     [[0, 1, 1], [1, 0, 5], [1, 1, 0]],
    ... )
    array([0., 2.])
    """
    data = check_scores(scores, labels, cost, priors)
    return mean_costs_of_checked(data)


@dataclass(frozen=True)
class CheckedScores:
    """Checked input: scores, labels, costs, each class's and test point's weight, and each class's cluster."""

    scores: NDArray[Any]
    labels: NDArray[np.int64]
    cost: FloatArray
    class_weight: FloatArray
    point_weight: FloatArray
    clusters: NDArray[np.int64]

    @property
    def n_units(self) -> int:
        """Number of classes, or of clusters of classes, that have test points."""
        return np.unique(self.clusters[self.labels]).size

    def error(self, deviation: FloatArray) -> FloatArray:
        """Standard errors from the deviations of the classes, (n_classes, n), whose Gram matrix is the covariance."""
        factor = np.sqrt((1 - 1 / max(self.n_tested, 2)) / (1 - 1 / max(self.n_units, 2)))
        return np.asarray(factor * np.linalg.norm(sums_by_cluster(deviation.T, self.clusters), axis=1))

    @property
    def n_tested(self) -> int:
        """Number of classes that have test points."""
        return int(np.count_nonzero(self.class_weight))

    def blocks(self) -> Iterator[tuple[slice, FloatArray, NDArray[np.int64]]]:
        """Yield blocks of rows with their ordered costs and orders."""
        n, k1 = self.scores.shape
        step = max(1, _BLOCK_BYTES // (16 * k1))
        for start in range(0, n, step):
            rows = slice(start, min(start + step, n))
            costs = np.empty((rows.stop - start, k1 - 1))
            order = np.empty((rows.stop - start, k1 - 1), dtype=np.int64)
            ordered_costs(self.scores[rows], self.labels[rows], self.cost, costs, order)
            yield rows, costs, order

    def mean_by_class(self, weights: FloatArray) -> FloatArray:
        """Mean over each class's points of the weighted ordered costs: shape (n_classes, n_columns)."""
        return self.sums(weights, self.point_weight, self.labels, self.cost.shape[0])

    def sums(self, weights: FloatArray, share: FloatArray, group: NDArray[np.int64], n_groups: int) -> FloatArray:
        """Sums over each group of points of their share of the weighted ordered costs: shape (n_groups, n_columns)."""
        out = np.zeros((n_groups, weights.shape[1]))
        for rows, costs, _ in self.blocks():
            np.add.at(out, group[rows], share[rows, np.newaxis] * (costs @ weights))
        return out


def check_scores(
    scores: ArrayLike,
    labels: ArrayLike,
    cost: ArrayLike,
    priors: ArrayLike | None,
    classes: ArrayLike | None = None,
) -> CheckedScores:
    """Check what `risk_curve` takes."""
    matrix, truth = scores_and_labels(scores, labels, classes, every_class=False)
    k1 = matrix.shape[1]
    costs = as_cost(cost, k1)
    if priors is None:
        weight = np.ones(k1)
    else:
        weight = as_finite_array(priors, "priors", ndim=1, dtype=np.float64)
        if weight.shape != (k1,) or (weight <= 0).any():
            raise ValueError(f"priors must be {k1} numbers greater than 0, one per class, not {shown(priors)}")
    tested = np.bincount(truth, minlength=k1) > 0
    # classes without test points are no truth; the others weigh 1 on average
    weight = np.where(tested, weight / weight[tested].mean(), 0.0)
    return CheckedScores(matrix, truth, costs, weight, weights_of_labels(truth), np.arange(k1))


def mean_costs_of_checked(data: CheckedScores) -> FloatArray:
    """Return `mean_ordered_costs` of checked input."""
    k1 = data.cost.shape[0]
    share = (data.class_weight / data.n_tested)[data.labels] * data.point_weight
    total = np.zeros(k1 - 1)
    for rows, costs, _ in data.blocks():
        total += share[rows] @ costs
    return total


def subset_weights(n_classes: int, sizes: NDArray[np.int64]) -> FloatArray:
    """C(m-1, k-2) / C(n_classes-1, k-1) for the m-th lowest of n_classes - 1: shape (n_classes - 1, n_sizes)."""
    m = np.arange(1, n_classes)
    order = np.argsort(sizes, kind="stable")
    out = np.empty((m.size, sizes.size))
    # C(m-1, k-2) / C(n-1, k-1) = (k-1)/(n-1) * prod_{z < k-2} (m-1-z)/(n-2-z), as a running product
    product, z = np.ones(m.size), 0
    for column in order:
        k = int(sizes[column])
        while z < k - 2:
            product *= np.maximum(m - 1 - z, 0) / (n_classes - 2.0 - z)
            z += 1
        out[:, column] = (k - 1) / (n_classes - 1) * product
    return out


def _curve(
    data: CheckedScores, sizes: NDArray[np.int64], largest: float
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Average risks, their standard errors, and the largest number of trials that each is worth."""
    k1, p, w = data.cost.shape[0], data.n_tested, data.class_weight
    half = k1 // 2
    further = k1 >= 4 and bool((sizes > half).any())
    extended = np.append(sizes, [half, k1]) if further else sizes
    by_class = data.mean_by_class(subset_weights(k1, extended))
    value = w @ by_class / p
    if p < 2:
        return value[: sizes.size], np.full(sizes.size, np.nan), None
    own = w[:, np.newaxis] * (by_class - value) / np.sqrt(p * (p - 1))
    error = without_rounding(data.error(own), value)
    if k1 < 4:
        return value, error, None
    room = np.maximum(value * (largest - value), 0.0)
    error = _with_distractors(data, extended, value, error, room)
    most = most_trials(sizes, half, k1, room=room[-2:], error=error[-2:], n_people=data.n_units) if further else None
    return value[: sizes.size], error[: sizes.size], most


def _with_distractors(
    data: CheckedScores, sizes: NDArray[np.int64], value: FloatArray, own: FloatArray, room: FloatArray
) -> FloatArray:
    """Jackknife standard errors, from the own-class ones; half of the classes is among any sizes beyond it."""
    k1 = data.cost.shape[0]
    below = np.flatnonzero(sizes <= k1 // 2)
    nodes, index = np.unique(sizes[below], return_index=True)
    if nodes.size > _MOST_JACKKNIFE_SIZES:
        chosen = np.unique(np.geomspace(1, nodes.size, _MOST_JACKKNIFE_SIZES).round().astype(np.int64) - 1)
        nodes, index = nodes[chosen], index[chosen]
    rows = below[index]
    jackknife = without_rounding(jackknife_of_ordered_costs(data, subset_weights(k1 - 1, nodes)), value[rows])
    if (own[rows] > 0).all():
        error = own * np.interp(np.log(sizes), np.log(nodes), jackknife / own[rows])
    else:  # no ratios: the number of trials is interpolated instead
        share = np.divide(jackknife, np.sqrt(room[rows]), out=np.zeros_like(jackknife), where=room[rows] > 0)
        error = np.sqrt(room) * np.interp(np.log(sizes), np.log(nodes), share)
    if (above := np.flatnonzero(sizes > k1 // 2)).size:
        last, single = rows[-1:], own[np.newaxis]
        ends = {"room": (room[above], room[last]), "scale": (value[above], value[last])}
        error[above] = beyond_half(single[:, above], single[:, last], jackknife[np.newaxis, -1:], **ends)[0]
    return error


def jackknife_of_ordered_costs(data: CheckedScores, weights: FloatArray) -> FloatArray:
    """Leave-one-class-out jackknife standard error of weighted sums of the mean ordered costs.

    `weights` of shape (n_classes - 2, n_sums) belong to the wrong labels among one class fewer. Classes with and
    without test points are samples of their own: what leaving one out does is compared within each kind. A single
    class without test points is compared with the average over all classes.
    """
    k1, w = data.cost.shape[0], data.class_weight
    without = np.zeros((k1, weights.shape[1]))
    share = w[data.labels] * data.point_weight
    for rows, costs, order in data.blocks():
        without += leave_labels_out(costs, order, share[rows], weights)
    # the others' weight, added up from both sides: a difference of sums would lose small ones
    others = np.append(0.0, np.cumsum(w)[:-1]) + np.append(np.cumsum(w[::-1])[::-1][1:], 0.0)
    mean = without / others[:, np.newaxis]
    deviation = np.zeros_like(mean)
    for kind in (np.flatnonzero(w > 0), np.flatnonzero(w == 0)):
        if kind.size > 1:
            deviation[kind] = np.sqrt(1 - 1 / kind.size) * (mean[kind] - mean[kind].mean(axis=0))
        elif kind.size == 1:
            deviation[kind] = mean[kind[0]] - without.sum(axis=0) / (w.sum() * (k1 - 1))
    return data.error(deviation)
