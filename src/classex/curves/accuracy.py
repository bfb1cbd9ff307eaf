"""Average of any function of the rank over all subsets of the observed classes, with standard errors over classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._estimates import AccuracyCurve
from classex._types import Average, FloatArray, IntArray
from classex._validation import as_class_counts
from classex.curves.jackknife import deviations_of_units, subset_deviations, sums_by_group, weigh
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.curves.subsets import SubsetMean, default_sizes
from classex.curves.units import degrees_of_freedom
from classex.curves.weighted import weighted_curve
from classex.ranks import as_ranks, in_clusters, in_units
from classex.ranks._ranks import CorrectRanks

__all__ = ["accuracy_covariance", "accuracy_curve"]


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
    `classex.results.AccuracyCurve.interval`.

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
    limits, value = np.stack([low, low + width], axis=1), mean.clip(value, sizes)
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
