"""What `classex.extrapolate` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from classex import plots
from classex._estimates import AccuracyCurve, Estimate, LackOfFit
from classex._result import Result, described
from classex._types import FloatArray
from classex.curves.accuracy import accuracy_curve
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.distributions.distribution import Evidence
from classex.forecast.priors import TESTED_REACH
from classex.growth._result import Growth
from classex.predict.extrapolator import Extrapolator
from classex.predict.known import ObservedCurve, PublishedCurve
from classex.predict.reliance import Reliance

__all__ = ["ExtrapolationResult"]


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
    method : str
        Name of the method.
    observed : Estimate or None
        Accuracy with all observed classes, and its standard error; None if points met unequal numbers of sampled wrong
        labels.
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
    evidence : Evidence
        Parameters and goodness of the fit.
    lack_of_fit : LackOfFit or None
        Distance of the fit from the observed accuracies; None for a published curve.
    reliance : Reliance or None
        How much of the predictions the observed classes cannot show; None for other metrics and `top` above 1.
    departure : str or None
        The kind of curve that the data make likely, with its weight in the posterior, if it is not the usual one; None
        otherwise, and for other methods than the default.
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
    method: str
    observed: Estimate | None
    n_observed: int
    n_points: int
    metric: str
    top: int
    target: str | None
    confidence_level: float
    evidence: Evidence
    lack_of_fit: LackOfFit | None
    reliance: Reliance | None
    departure: str | None
    estimator: Extrapolator = field(repr=False)
    options: Mapping[str, Any] = field(repr=False)
    average: str = "balanced"
    growth: Growth | None = None

    tested_reach: ClassVar[float] = TESTED_REACH
    _tabulated: ClassVar[bool] = True

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
        if self.interval is None:
            return f"{first}\n{second}:"
        target = _WORDS[self.target or "average"] if self.growth is None else "the average over such growth"
        return f"{first}\n{second}, with {100 * self.confidence_level:g} % intervals for {target}:"

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
        return notes + [part._sentence() for part in (self.growth, self.reliance) if part is not None]

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
        grid = np.union1d(_grid(k[-1]), k)
        return plots.AccuracyCurveDisplay(
            observed=self._observed_curve(metric),
            n_classes=grid,
            accuracy=self.estimator.fitted_.predict(grid, metric),
            interval=self._band(grid, metric),
            marked=k,
            confidence_level=self.confidence_level,
            name=self.method,
            ylabel=f"average {self._quantity()}",
        ).plot(ax, **line)

    def _observed_curve(self, metric: RankMetric) -> AccuracyCurve | None:
        known = self.estimator.fitted_.known
        if isinstance(known, ObservedCurve):
            return accuracy_curve(known.ranks, _grid(known.n_observed), metric=metric) if self.observed else None
        return known.known if isinstance(known, PublishedCurve) and metric.top == 1 else None

    def _band(self, grid: FloatArray, metric: RankMetric) -> FloatArray | None:
        """Intervals on a grid, those of the table where it has them."""
        if self.interval is None:
            return None
        target = self.target or "average"
        asked = (metric, self.confidence_level, target, self.options["n_repeats"])
        ends = self.estimator.fitted_.assess(grid, *asked)[0]
        ends[np.searchsorted(grid, self.n_classes)] = self.interval
        if target != "fresh" and metric.falls(grid):  # both ends fall with K, as those between them must
            low, high = ends.T
            ends = np.stack([np.minimum.accumulate(low), np.maximum.accumulate(high[::-1])[::-1]], axis=1)
        return ends


def _grid(largest: float) -> FloatArray:
    """Whole numbers from 2 to the largest, evenly in the logarithm."""
    return np.unique(np.geomspace(2.0, max(largest, 2.0), _MOST_POINTS).round())
