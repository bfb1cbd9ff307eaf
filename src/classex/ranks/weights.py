"""Weights of test points and classes in averages, clusters of classes, and units of test points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._types import FloatArray
from classex._validation import as_clusters, as_units
from classex.ranks._ranks import CorrectRanks

__all__ = ["class_totals", "in_clusters", "in_units", "point_shares", "point_weights"]


def weights_of_labels(labels: NDArray[np.int64]) -> FloatArray:
    """Weight of every test point: the points of one class share a total weight of 1."""
    return np.asarray(1.0 / np.bincount(labels)[labels])


def point_weights(ranks: CorrectRanks) -> FloatArray:
    """Weight of every test point; they add up to the number of classes with test points.

    The points of a class share a total weight of 1, or, where ranks are not balanced by class, all points weigh
    the same.

    Examples
    --------
    >>> import classex as cx
    >>> cx.ranks.point_weights(cx.ranks_from_wins([3, 3, 2], 4, labels=[0, 0, 2]))
    array([0.5, 0.5, 1. ])
    """
    if ranks.class_balanced:
        return weights_of_labels(ranks.labels)
    return np.full(ranks.n_points, ranks.n_tested / ranks.n_points)


def point_shares(ranks: CorrectRanks) -> FloatArray:
    """Share of every test point in an average: `point_weights` over their sum.

    Examples
    --------
    >>> import classex as cx
    >>> cx.ranks.point_shares(cx.ranks_from_wins([3, 3, 2], 4, labels=[0, 0, 2]))
    array([0.25, 0.25, 0.5 ])
    """
    return point_weights(ranks) / ranks.n_tested


def class_totals(ranks: CorrectRanks) -> FloatArray:
    """Weight of each class as a truth, the sum over its points: 1, or 0 for a class without test points.

    Examples
    --------
    >>> import classex as cx
    >>> cx.ranks.class_totals(cx.ranks_from_wins([3, 3, 2], 4, labels=[0, 0, 2]))
    array([1., 0., 1., 0.])
    """
    if ranks.class_balanced:
        return (np.bincount(ranks.labels, minlength=ranks.n_classes) > 0).astype(np.float64)
    totals = np.bincount(ranks.labels, weights=point_weights(ranks), minlength=ranks.n_classes)
    return totals.astype(np.float64)


def in_clusters(ranks: CorrectRanks, clusters: ArrayLike | None) -> CorrectRanks:
    r"""Return the ranks for standard errors and intervals over clusters of classes, such as families of fonts.

    Everything that is computed from them then takes the clusters for the random sample, not the classes: curves,
    extrapolations, capacities, limits and implied information. Averages do not change. Predictions of the default do,
    because it weighs the observed accuracies by their errors. The deviation of an average is, up to terms of second
    order, the sum of the deviations :math:`\psi_m` of the classes, each as truth and as wrong label. Over n clusters c
    with test points,

    .. math:: \operatorname{Var} = \frac{n}{n - 1} \sum_{c=1}^{n} \Bigl(\sum_{m \in c} \psi_m\Bigr)^2.

    The squares contain every covariance within a cluster: of truths that are equally hard, of wrong labels that beat
    the same points, and of truths with wrong labels.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks that are not yet in clusters.
    clusters : array_like of shape (n_classes,) or None
        Cluster of each class: numbers or names. None returns the ranks as they are.

    Returns
    -------
    CorrectRanks
        The same ranks with `clusters`.

    Raises
    ------
    ValueError
        If `clusters` does not have one entry for each class, or fewer than two clusters have test points. Also if the
        ranks are in clusters already, or have a distractor table of more than 509 classes: then give the clusters to
        `classex.correct_ranks`.

    Warns
    -----
    UserWarning
        If fewer than ten clusters have test points.

    Notes
    -----
    Leaving whole clusters out one at a time gives nearly the same variance. The two differ mainly by the comparisons
    between classes of one cluster, a share of about 1/n of all. Intervals take the quantile of the t distribution with
    n - 1 degrees of freedom. A fresh set (``target="fresh"``) is taken to contain independent classes.

    In simulations, the five classes of a cluster shared their difficulty, the strength of their labels, or these and
    their place. Intervals of level .95 for the observed curve covered the true value in 94 % to 97 % with 40 clusters,
    in at least 88.5 % with 8, and in 70 % to 88 % where clusters were not given. Intervals for ten times as many
    classes covered it in 87.5 % to 100 %, and in 64 % to 93 % where clusters were not given.

    What is estimated stays the average over sets that come in such clusters. If classes of one cluster resemble each
    other, the observed classes have more close competitors than independent classes would have. No interval allows for
    that.

    Source: sums by cluster and degrees of freedom as in Cameron and Miller (Journal of Human Resources 50, 2015), here
    for classes that are truths and wrong labels at once.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([29] * 15 + [12] * 15, 30)
    >>> families = [label // 3 for label in range(30)]
    >>> together = cx.ranks.in_clusters(ranks, families)
    >>> [
    ...     cx.accuracy_curve(one, 30).standard_error.round(3)
    ...     for one in (ranks, together)
    ... ]
    [array([0.093]), array([0.167])]
    """
    if clusters is None:
        return ranks
    member = as_clusters(clusters, ranks.labels, ranks.n_classes)
    table = ranks.distractors
    if table is not None:
        if table.beaten.shape[1] < ranks.n_classes:
            raise ValueError("clusters must be given to correct_ranks: these ranks do not keep the single wrong labels")
        met = None if table.met is None else sums_by_cluster(table.met, member)
        table = replace(table, beaten=sums_by_cluster(table.beaten, member), met=met, group=member)
    return replace(ranks, distractors=table, clusters=member)


def in_units(ranks: CorrectRanks, units: ArrayLike | None) -> CorrectRanks:
    r"""Return the ranks for standard errors over units of test points, such as subjects, as well as over classes.

    Everything that is computed from them then takes both the classes, or their clusters, and the units for random
    samples: curves, extrapolations, capacities, limits and implied information. Averages do not change, except that the
    default method weighs the observed accuracies by their errors. With the variances over classes, over units, and
    over cells (the points of one class and one unit),

    .. math:: V = V_{\text{classes}} + \max(V_{\text{units}} - V_{\text{cells}},\, 0).

    Units may be crossed with the classes (each subject sees every stimulus), nested in one another (each sees stimuli
    of its own), or anything between. What is estimated is the mean over the population of units.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks whose test points are not yet in units.
    units : array_like of shape (n_points,) or None
        Unit of each test point: numbers or names. None returns the ranks as they are.

    Returns
    -------
    CorrectRanks
        The same ranks with `point_units`.

    Raises
    ------
    ValueError
        If `units` does not have one entry for each test point, or names a single unit, or the ranks have units already.

    Notes
    -----
    :math:`V_{\text{units}}` and :math:`V_{\text{cells}}` are jackknife variances: with share :math:`h_s` of the weight,
    leaving unit s out changes the mean by its deviation over :math:`1 - h_s`, also where few units have unequal numbers
    of points. Intervals take the quantile of the t distribution, with degrees of freedom by Satterthwaite's formula
    from those of classes and units: n - 1 for n units if these dominate. If each unit has a single point, or all its
    points in one class that has no others, nothing changes.

    Intervals do not allow for a kind of unit that the sample lacks, such as one subject in twenty who does nothing
    right, where no such subject was observed.

    In simulations with 8 to 20 subjects, crossed and nested, whose noise differed (standard deviation of its logarithm
    .35), intervals of level .95 covered the mean over all subjects in 92 % to 95 % for the observed curve, and for ten
    times as many classes in 93 % to 99 % by the default (``benchmarks/coverage``). Without units they covered it in
    29 % to 63 %, and in 73 % to 89 %.

    Source: two-way clustering as in Cameron, Gelbach and Miller (Journal of Business and Economic Statistics 29, 2011),
    with the jackknife of MacKinnon, Nielsen and Webb (Journal of Applied Econometrics 38, 2023), and Satterthwaite
    (Biometrics Bulletin 2, 1946). The variance is kept at least that over classes.

    Examples
    --------
    >>> import classex as cx
    >>> labels, subjects = (
    ...     list(range(30)) * 4,
    ...     [s for s in range(4) for _ in range(30)],
    ... )
    >>> wins = [
    ...     29 if (i + s) % (s + 2) else 20 for s in range(4) for i in range(30)
    ... ]
    >>> ranks = cx.ranks_from_wins(wins, 30, labels=labels)
    >>> [
    ...     cx.accuracy_curve(one, 30).standard_error.round(3)
    ...     for one in (ranks, cx.ranks.in_units(ranks, subjects))
    ... ]
    [array([0.049]), array([0.072])]
    """
    if units is None:
        return ranks
    if ranks.point_units is not None:
        raise ValueError("units must be None for ranks that have units already")
    return replace(ranks, point_units=as_units(units, ranks.n_points))


def sums_by_cluster(values: NDArray[Any], clusters: NDArray[np.int64]) -> NDArray[Any]:
    """Sum what belongs to single classes, along the last axis, over the classes of each cluster."""
    order = np.argsort(clusters, kind="stable")
    first = np.searchsorted(clusters[order], np.arange(int(clusters.max()) + 1))
    return np.asarray(np.add.reduceat(values[..., order], first, axis=-1))
