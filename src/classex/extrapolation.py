"""One call from scores or ranks to the accuracy with more classes, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from classex import plots
from classex._checks import as_class_counts, as_probability, one_of
from classex._estimates import Estimate, LackOfFit
from classex._result import Result, described
from classex._types import Average, FloatArray, GroupGrowth, MethodName, Target
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.distributions.distribution import Evidence
from classex.extrapolator import Extrapolator
from classex.fields.growth import Growth, near_far_comparisons, predict_growth
from classex.forecast.forecast import (
    TARGETS,
    Reliance,
    reliance_of,
    repeats_for,
)
from classex.forecast.posterior import ACCURACY_CURVES, TESTED_REACH, related_curve
from classex.io import load_scores
from classex.io.archives import read_file
from classex.methods.gaussian_process import GaussianProcess
from classex.methods.protocol import Method
from classex.methods.registry import DEFAULT_METHOD, as_method, name_of_method
from classex.ranks import CorrectRanks, in_clusters, in_units

__all__ = ["ExtrapolationResult", "extrapolate"]


# Points of a curve: enough for a smooth line on a page
_MOST_POINTS = 80
_WORDS = {
    "average": "the average over random sets of that many classes",
    "fresh": "one fresh set of that many classes",
    "superset": "one set of that many classes that includes the observed ones",
}


@dataclass(frozen=True)
class ExtrapolationResult(Result):
    """Predicted accuracy, or another metric, for other numbers of classes, with its uncertainty.

    ``str()`` gives sentences and a table.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of classes K.
    accuracy : ndarray of shape (n,)
        Predicted accuracy, a probability; or the mean of another function of the rank.
    interval : ndarray of shape (n, 2) or None
        Ends of its intervals; None without a target.
    standard_error : ndarray of shape (n,) or None
        Standard error of each prediction as an estimate of the average, without what a lack of fit adds.
    n_observed, n_points : int
        Numbers of observed classes (the sampled wrong labels and the correct one; where comparisons are left out, the
        fewest that a point met and the correct one) and of test points.
    metric : str
        What is predicted: "accuracy" or another function of the rank.
    top : int
        A point counts as correct when its truth is among the `top` best labels.
    target : str or None
        What the intervals are for.
    confidence_level : float
        Their nominal coverage.
    tested_reach : float
        Largest number of classes, over that of the observed ones, for which the default was tested on real data.
    average : str
        "balanced": each class weighs the same; "points": each test point does; "weights": each class has its own.
    growth : Growth or None
        Near and far rivals, and what the prediction would be with other shares of them; None without groups.
    estimator : Extrapolator
        The fitted estimator, for more.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> result = cx.extrapolate(
    ...     sample.scores,
    ...     sample.labels,
    ...     n_classes=[100, 5000],
    ...     method="probit-normal",
    ... )
    >>> result.method, result.accuracy.round(4), result.n_observed
    ('probit-normal', array([0.8086, 0.4024]), 50)
    """

    n_classes: FloatArray
    accuracy: FloatArray
    interval: FloatArray | None
    standard_error: FloatArray | None
    n_observed: int
    n_points: int
    metric: str
    top: int
    target: str | None
    confidence_level: float
    estimator: Extrapolator = field(repr=False)
    options: Mapping[str, Any] = field(repr=False)
    average: str = "balanced"
    growth: Growth | None = None

    tested_reach: ClassVar[float] = TESTED_REACH
    _tabulated: ClassVar[bool] = True
    _later: ClassVar[tuple[str, ...]] = ("method", "observed", "evidence", "lack_of_fit", "reliance", "departure")

    @property
    def method(self) -> str:
        """Name of the method."""
        return name_of_method(self.estimator.method_)

    @property
    def observed(self) -> Estimate | None:
        """Accuracy with all observed classes; None if points met unequal numbers of sampled wrong labels."""
        found: Estimate | None = self.estimator.fitted_.known.last(as_rank_metric(self.options["metric"], self.top))
        return found

    @property
    def evidence(self) -> Evidence:
        """Parameters and goodness of the fit."""
        return self.estimator.distribution_.evidence

    @property
    def lack_of_fit(self) -> LackOfFit | None:
        """Distance of the fit from the observed accuracies; None for a published curve."""
        return self.estimator.fitted_.lack_of_fit

    @property
    def departure(self) -> str | None:
        """The kind of curve that is likely, with its posterior weight, if it is not the usual one."""
        return self.estimator.fitted_.departure if self.growth is None else self.growth.departure

    @cached_property
    def reliance(self) -> Reliance | None:
        """How much of the predictions the observed classes cannot show; None for other metrics and `top` above 1."""
        known, first = self.estimator.fitted_.known, self.metric == "accuracy" and self.top == 1
        # the errors behind the limits need two classes with test points
        if not first or self.growth is not None or known.n_units < 2 or self.observed is None:
            return None
        return reliance_of(self.estimator.distribution_, known, self.n_classes, self.confidence_level)

    @property
    def seed(self) -> int | None:
        """Seed of the class subsets that the intervals rest on; None where they rest on none."""
        resampled = self.estimator.distribution_.variance(self.n_classes[:1], self.top) is None
        return 0 if resampled and self.interval is not None else None

    def _quantity(self) -> str:
        return self.metric if self.top == 1 else f"top-{self.top} accuracy"

    def _sentence(self) -> str:
        published, seen, kind = not hasattr(self.estimator, "ranks_"), self.observed, self._quantity()
        sampled = None if published else self.estimator.ranks_.n_wrong
        averaged = f"class-balanced {kind}" if self.average == "balanced" else f"{kind} over test points"
        points = f"{self.n_points:,} test points"
        if not published and (units := self.estimator.ranks_.point_units) is not None:
            points += f" of {units.max() + 1:,} units"
        known = f"With {self.n_observed:,} classes and {points} the {averaged}"
        if sampled is not None:
            few, many = int(sampled.min()), int(sampled.max())
            met = f"{few:,}" if few == many else f"{few:,} to {many:,}"
            known = f"For {points}, each against {met} sampled wrong labels, the {averaged}"
            if self.estimator.ranks_.left_out:
                each = f"each against {met} wrong labels because others are left out"
                known = f"With {self.n_observed:,} classes and {points}, {each}, the {averaged}"
        elif published:
            known = f"With {self.n_observed:,} classes, the largest number of the published curve, the accuracy"
            if self.average == "weights":
                known = f"With {self.n_observed:,} classes, the effective number, the weighted accuracy"
        if seen is None:
            first = f"{known} is not averaged: numbers may have been chosen by the ranks."
        else:
            first = f"{known} is {described(seen.value, seen.standard_error)}."
        second = f"Predictions by the method {self.method!r}"
        if self.interval is not None:
            target = _WORDS[self.target or "average"] if self.growth is None else "the average over such growth"
            second += f", with {100 * self.confidence_level:g} % intervals for {target}"
        return f"{first}\n{second}, {self._assumed(published)}:"

    def _assumed(self, published: bool) -> str:
        """Return how the observed classes must have been chosen."""
        if self.growth is not None:
            return "if rivals of each kind were drawn at random"
        if self.average == "weights":
            return "if the weights undo how the observed classes were chosen"
        drawn = "if the observed classes were drawn at random, not by popularity"
        return drawn if published else f"{drawn} (otherwise give weights)"

    def _table(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"n_classes": self.n_classes.astype(np.int64), self._quantity(): self.accuracy}
        if self.interval is not None:
            columns |= {"standard_error": self.standard_error, "low": self.interval[:, 0], "high": self.interval[:, 1]}
        return columns

    def _notes(self) -> list[str]:
        notes = [] if self.departure is None or self.interval is None else [self.departure]
        if self.growth is None and self.n_classes.max() > self.tested_reach * self.n_observed:
            notes.append(
                f"Real data have tested predictions up to {self.tested_reach:g} times the observed number of classes."
            )
        shown = self.growth if self.interval is None else self.growth or self.reliance
        return notes + ([] if shown is None else [shown._sentence()])

    def plot(self, ax: Any = None, **line: Any) -> plots.AccuracyCurveDisplay:
        """Draw the observed and the extrapolated curve, with its intervals, and mark the numbers of classes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line
            Passed to matplotlib for the extrapolated line.

        Returns
        -------
        AccuracyCurveDisplay
        """
        k, order = np.unique(self.n_classes, return_index=True)
        if self.growth is not None:
            ends = None if self.interval is None else self.interval[order]
            return plots.AccuracyCurveDisplay(None, k, self.accuracy[order], ends, marked=k).plot(ax, **line)
        metric = as_rank_metric(self.options["metric"], self.top)
        grid, known = np.union1d(_grid(k[-1]), k), self.estimator.fitted_.known
        return plots.AccuracyCurveDisplay(
            observed=known.curve(metric, _grid(known.n_observed)),
            n_classes=grid,
            accuracy=self.estimator.fitted_.predict(grid, metric),
            interval=self._band(grid, metric),
            marked=k,
            confidence_level=self.confidence_level,
            name=self.method,
            ylabel=f"average {self._quantity()}",
        ).plot(ax, **line)

    def _band(self, grid: FloatArray, metric: RankMetric) -> FloatArray | None:
        """Intervals on a grid, those of the table where it has them."""
        if self.interval is None:
            return None
        target = self.target or "average"
        asked = (metric, self.confidence_level, target, self.options["n_repeats"])
        ends = self.estimator.fitted_.assess(grid, *asked)[1]
        ends[np.searchsorted(grid, self.n_classes)] = self.interval
        if target != "fresh" and metric.falls(grid):  # both ends fall with K, as those between them must
            low, high = ends.T
            ends = np.stack([np.minimum.accumulate(low), np.maximum.accumulate(high[::-1])[::-1]], axis=1)
        return ends


def _grid(largest: float) -> FloatArray:
    """Whole numbers from 2 to the largest, evenly in the logarithm."""
    return np.unique(np.geomspace(2.0, max(largest, 2.0), _MOST_POINTS).round())


def extrapolate(
    scores_or_ranks: ArrayLike | CorrectRanks | Path,
    labels: ArrayLike | None = None,
    *,
    n_classes: ArrayLike,
    method: MethodName | Method | None = None,
    target: Target | None = "average",
    metric: str | Callable[[Any], Any] = "accuracy",
    top: int = 1,
    confidence_level: float = 0.95,
    n_repeats: int | None = None,
    average: Average = "balanced",
    classes: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    growth: GroupGrowth | None = None,
    clusters: ArrayLike | None = None,
    units: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    like: Any = None,
) -> ExtrapolationResult:
    """Predict the accuracy, or another function of the rank, with other numbers of classes, with intervals.

    The accuracy is class-balanced: each class weighs the same, however many test points it has. With
    ``average="points"`` each test point weighs the same.

    Parameters
    ----------
    scores_or_ranks : array_like of shape (n_test, n_classes), CorrectRanks, Extrapolator, str or Path
        Score of every label for every test point (higher is better), or ranks made from them; also ranks among sampled
        wrong labels (see `classex.ranks_from_wins`). Or an estimator that was fitted, such as to a published curve by
        `Extrapolator.fit_curve`. Or the name of a file of scores, which has the labels, and the names of the classes
        (see `classex.load_scores`).
    labels : array_like of shape (n_test,), optional
        Correct label of each test point, with scores: its column, or its name.
    n_classes : int or array_like of int
        Numbers of classes K to predict for, up to 10^12 and beyond.
    method : str or Method, optional
        A name of `classex.methods.METHODS`, or a method with options of its own. By default the Gaussian process
        (`classex.methods.GaussianProcess`); if points met unequal numbers of sampled wrong labels, empirical Bayes.
    target : {"average", "fresh", "superset"} or None
        What the intervals are for (see `Extrapolator.predict_interval`); None for predictions alone, without
        resampling.
    metric : str or callable
        "accuracy", "recall@m", "mrr", "ndcg@m", "map@m" or a function of the rank 1, 2, ..., as in
        `classex.accuracy_curve`.
    top : int
        With the metric "accuracy", a point counts as correct when its truth is among the `top` best labels.
    confidence_level : float
        Nominal coverage of the intervals, in (0, 1).
    n_repeats : int, optional
        Of the targets "fresh" and "superset": test points per class with which the accuracy will be measured.
    average : {"balanced", "points"}
        Whether each class weighs the same, as in scikit-learn's ``balanced_accuracy_score``, or each test point, as in
        ``accuracy_score``.
    classes : array_like of shape (n_classes,), optional
        Names of the columns of the scores (see `classex.correct_ranks`).
    groups : array_like of shape (n_classes,), optional
        Group of each class, with scores. Rivals of a point's own group are then near ones, all others far ones, and
        the prediction follows how both grow.
    growth : str, mapping or array_like of shape (n, 2), optional
        With groups: "same groups" (the default: more classes of each), "more groups" (of the same size), a mapping of
        each group to its share in the population, or numbers (k_near, k_far) for each of `n_classes`, the own class
        among the near.
    clusters : array_like of shape (n_classes,), optional
        Cluster of each class, such as the family of a font, for standard errors and intervals over clusters (see
        `classex.ranks.in_clusters`). Fewer than ten clusters draw a warning.
    units : array_like of shape (n_test,), optional
        Unit of each test point, such as its subject, session, document or annotator. Standard errors and intervals are
        then over units as well as classes, for the mean over the population of units (see `classex.ranks.in_units`).
        With a file also the name of its column.
    weights : array_like of shape (n_classes,), optional
        With scores, for classes that were drawn with unequal chances: the chance with which each is wanted over the
        chance with which it was observed (see `classex.accuracy_curve`). By the default method, and for the average.
    like : AccuracyCurve, Extrapolator, ExtrapolationResult, str or pair of array_like, optional
        A curve that this one may resemble, such as that of an earlier system on the same classes: numbers of classes
        and accuracies, or what holds them; or the name of a domain of `classex.forecast.CURVES`. Best known up to the
        number of classes that is predicted for. By the default method.

    Returns
    -------
    ExtrapolationResult
        ``str()`` of it reads as sentences and a table.

    Raises
    ------
    ValueError
        If an argument is not accepted.
    TypeError
        If scores come without labels, a file or ranks with labels or classes, ranks with groups or weights, a fitted
        estimator with any of these or a method, growth without groups, or the method needs scores and sees ranks.

    Warns
    -----
    LackOfFitWarning
        If the method misses the accuracy observed with all classes by more than three standard errors.

    Notes
    -----
    Two assumptions carry every prediction. The observed classes are a random sample from the population that the others
    will come from; and the score of a class for a test point does not depend on which other classes take part.
    Features learnt from the observed classes can break the first: learn them on other classes, and keep them. A
    classifier that will be trained anew on all classes breaks the second: train it on groups of fewer, and extrapolate
    the accuracies by `Extrapolator.fit_curve`.

    With `groups` the first assumption is weaker: near rivals are a random sample, and so are far ones. The probit of
    the accuracy follows the same prior on an effective number of classes, in which a near rival counts as many far ones
    as fits the data. Rivals of a kind that was never observed are refused. Where new groups come, intervals allow for
    the differences between groups; those of few groups are wide. On six domains of real data those of version 0.3.0
    covered the true value in .93 to .96 of the cases; for groups of Gaussian classes predictions are too high
    (``benchmarks/growth``).

    With `weights` the observed classes need not be a random sample, but each of the others must have had a known chance
    to be among them. The curve is then weighted, and read up to the effective number of classes. If some classes had no
    chance, give `groups`, and read how the prediction depends on `growth`.

    A third assumption carries the default's intervals: beyond the observed classes the curve continues as one of the
    components of `classex.forecast` does, which the observed curve weighs. ``str()`` of the result says so if an
    unusual one is likely. `Extrapolator.predict_interval` describes the intervals, and lists what they do not cover.

    With `like`, curves that resemble a known one are a component too. On the domains of ``benchmarks/suite``, the curve
    of another classifier of the same classes made errors smaller, and a curve of other classes changed little, since
    the observed curve weighs it.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> result = cx.extrapolate(
    ...     sample.scores,
    ...     sample.labels,
    ...     n_classes=[100, 5000],
    ...     method="probit-normal",
    ... )
    >>> print(result)
    With 50 classes and 100 test points the class-balanced accuracy is 0.870 (standard error 0.047).
    Predictions by the method 'probit-normal', with 95 % intervals for the average over random sets of that many ...
    <BLANKLINE>
    classes  accuracy  standard error   95 % interval
        100     0.809           0.065  0.652 to 0.912
      5,000      0.40            0.17    0.13 to 0.74
    <BLANKLINE>
    From the observed curve alone, up to 50 classes, the accuracy with 5,000 lies between 0.000 and 0.938 with 95 % ...
    """
    file = None
    if isinstance(scores_or_ranks, str | Path):
        if labels is not None or classes is not None:
            raise TypeError("labels and classes must be None with a file of scores, which has them")
        file, column = read_file(scores_or_ranks), units if isinstance(units, str) else None
        scores_or_ranks, labels, classes, *named = load_scores(file, units=column)
        units = named[0] if named else units
    sizes = as_class_counts(n_classes)
    scored = as_rank_metric(metric, top)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    kind = one_of(target, "target", (*TARGETS, None))
    repeats = None if n_repeats is None else repeats_for(kind, n_repeats)
    if growth is not None and groups is None:
        raise TypeError("growth goes with groups, which must be given")
    if groups is not None and any(value is not None for value in (clusters, units, weights)):
        raise TypeError("clusters, units and weights must be None with groups, whose differences intervals allow for")
    about = {"labels": labels, "classes": classes, "clusters": clusters, "units": units, "weights": weights}
    if like is not None:
        if isinstance(scores_or_ranks, Extrapolator):
            raise TypeError("like must be None with a fitted estimator, whose prior it would change")
        method = _resembling(method, like)
    estimator = _fitted(Extrapolator(method, average=average), scores_or_ranks, **about)
    fitted = estimator.fitted_
    if groups is None:
        if kind is None:
            value, ends, error = fitted.predict(sizes, scored), None, None
        else:
            value, ends, error = fitted.assess(sizes, scored, level, kind, repeats)
        answer: dict[str, Any] = {"accuracy": value, "interval": ends, "standard_error": error}
    else:
        if labels is None:
            raise TypeError("groups need scores and labels: ranks do not show which rivals were beaten")
        usual = scored.name == "accuracy" and top == 1 and average == "balanced" and kind in ("average", None)
        if not usual or not isinstance(fitted.method, GaussianProcess):
            raise ValueError("method, metric, top, average and target must have their default values with groups")
        near_far = near_far_comparisons(scores_or_ranks, labels, classes, groups)
        answer = predict_growth(*near_far, growth, fitted, sizes, level, intervals=kind is not None)
    result = ExtrapolationResult(
        n_classes=sizes,
        **answer,
        n_observed=fitted.known.n_observed,
        n_points=fitted.known.n_points,
        metric=scored.name,
        top=top,
        target=kind,
        confidence_level=level,
        estimator=estimator,
        options={"metric": metric, "n_repeats": repeats},
        average=fitted.known.average,
    )
    return result if file is None else result.from_file(file.ledger)


def _resembling(method: MethodName | Method | None, like: Any) -> GaussianProcess:
    """Return the default with a related curve among the components of its prior."""
    given = as_method(DEFAULT_METHOD if method is None else method)
    if not isinstance(given, GaussianProcess):
        raise TypeError(f"like goes with the default method, not with {name_of_method(given)!r}")
    return GaussianProcess((given.prior or ACCURACY_CURVES).resembling(*related_curve(like)))


def _fitted(
    estimator: Extrapolator,
    data: Any,
    *,
    labels: ArrayLike | None,
    classes: ArrayLike | None,
    clusters: ArrayLike | None,
    units: ArrayLike | None,
    weights: ArrayLike | None,
) -> Extrapolator:
    """Fit the estimator to scores or ranks; return one that was fitted already."""
    if isinstance(data, Extrapolator):
        given = (labels, classes, clusters, units, weights)
        if estimator.method is not None or any(value is not None for value in given):
            raise TypeError("method, labels, classes, clusters, units and weights must be None with a fitted estimator")
        if estimator.average not in ("balanced", data.average):
            ours = estimator.average
            raise ValueError(f"average must be that of the fitted estimator, {data.average!r}, not {ours!r}")
        data.check_fitted()
        return data
    if isinstance(data, CorrectRanks):
        if weights is not None:
            raise TypeError("weights need scores and labels: ranks do not show which classes were beaten")
        if labels is not None or classes is not None:
            raise TypeError("labels and classes must be None with ranks, which carry their labels")
        return estimator.fit_ranks(in_units(in_clusters(data, clusters), units))
    if labels is None:
        raise TypeError("labels must be given with scores: the correct label of each test point")
    return estimator.fit(data, labels, classes=classes, clusters=clusters, units=units, weights=weights)
