"""What is known of an accuracy curve without a model: from ranks, or from a published or weighted curve."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from classex._estimates import AccuracyCurve, Estimate
from classex._rates import density, probit, rate_interval
from classex._types import FloatArray
from classex.curves.accuracy import accuracy_curve, curve_with_influence
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.ranks._ranks import CorrectRanks

__all__ = ["ACCURACY", "KnownCurve", "ObservedCurve", "PublishedCurve", "least_accuracy"]

ACCURACY = as_rank_metric("accuracy")


class KnownCurve(ABC):
    """An accuracy curve up to k1 classes, as far as it is known without a model.

    Attributes
    ----------
    sizes : ndarray of shape (n,)
        Numbers of classes with a known accuracy, rising; or the first and the last of consecutive ones.
    n_observed : int
        The last of them, k1.
    n_points, n_units : int
        Number of test points, and of independent units among them.
    average : str
        What weighs the same: see `AccuracyCurve`.
    freedom : ndarray of shape (1,) or None
        Degrees of freedom of the last standard error, if not one less than `n_units`.
    """

    sizes: FloatArray
    n_observed: int
    n_points: int
    n_units: int
    average: str
    freedom: FloatArray | None = None

    @abstractmethod
    def gives(self, metric: RankMetric) -> bool:
        """Whether this metric is known, and need not be 1 for all numbers of classes."""

    @abstractmethod
    def last(self, metric: RankMetric) -> Estimate | None:
        """The metric with all observed classes, and its standard error; None where averages may be biased."""

    @abstractmethod
    def values(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """The curve alone, without the errors that take most of the time."""

    @abstractmethod
    def read(self, sizes: FloatArray, metric: RankMetric, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The curve, its standard errors and its interval, (n, 2), at numbers of classes within its range."""

    @property
    @abstractmethod
    def last_step(self) -> tuple[float, float, float]:
        """The number of classes before the last, and the fall of the accuracy since then with its standard error."""

    def within(self, sizes: FloatArray) -> NDArray[np.bool_]:
        """Whether numbers of classes lie between the first and the last known one."""
        return np.asarray((sizes >= self.sizes[0]) & (sizes <= self.n_observed))

    def interval(self, sizes: FloatArray, level: float) -> FloatArray:
        """Interval of the accuracy, shape (n, 2)."""
        return self.read(sizes, ACCURACY, level)[2]

    @cached_property
    def last_fall(self) -> tuple[float, float]:
        """Share of the test points that the last step of the curve loses, and its standard error.

        From k1 - 1 to k1 classes it is the share of the points that exactly one wrong label beats, which is minus the
        slope of the curve by the natural logarithm of the number of classes.
        """
        _, fall, error = self.last_step
        return float(np.clip(self.points_per_fall * fall, 0.0, 1.0)), self.points_per_fall * error

    @property
    def points_per_fall(self) -> float:
        """Factor from a fall of the accuracy in the last step to `last_fall`: k / (k1 - k), or 1 after a long step."""
        before = self.last_step[0]
        return max(before / (self.n_observed - before), 1.0)

    def variance_of_units(self, metric: RankMetric) -> float:  # noqa: ARG002
        """Variance that units of test points add to the probit of the metric with all classes, on a scale to 1."""
        return 0.0

    def share(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """The known curve on the scale from the metric's least to its largest value."""
        low, width = metric.span(sizes)
        return np.asarray((self.values(sizes, metric) - low) / width)

    def end(self, level: float) -> tuple[float, float, float, float]:
        """Interval of the accuracy with k1 classes; a least value of it and of that one step before, jointly valid."""
        last = np.array([float(self.n_observed)])
        low, high = self.interval(last, level)[0]
        # two errors may lower the limit: each gets half of the error probability
        half = (1 + level) / 2
        least = float(self.interval(last, half)[0, 0])
        share, error = (np.array([number]) for number in self.last_fall)
        steepest = float(rate_interval(share, error, self.n_units, half, freedom=self.freedom)[0, 1])
        return float(low), float(high), least, least + steepest / self.points_per_fall

    def limits(self, sizes: FloatArray, level: float) -> FloatArray:
        """Confidence limits for every distribution of the favourability: see `moment_limits`."""
        out = np.tile([0.0, 1.0], (sizes.size, 1))
        near, far = self.within(sizes), sizes > self.n_observed
        if near.any():
            out[near] = self.interval(sizes[near], level)
        if far.any():
            low, high, least, before = self.end(level)
            steps = (sizes[far] - self.n_observed) / (self.n_observed - self.last_step[0])
            out[far] = np.stack([np.minimum(least_accuracy(before, least, steps), low), np.full(steps.size, high)], 1)
        return out


class ObservedCurve(KnownCurve):
    """The curve that ranks show, each part computed once.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes; where points met samples of the wrong labels, equally many.
    """

    def __init__(self, ranks: CorrectRanks) -> None:
        self.ranks, self.n_observed = ranks, ranks.largest_subset
        self.n_points, self.n_units = ranks.n_points, ranks.n_units
        self.sizes = np.array([1.0, float(self.n_observed)])
        self.average = "balanced" if ranks.class_balanced else "points"
        self._added_by_units: dict[int, float] = {}
        if ranks.point_units is not None:
            self.freedom = cast("FloatArray", self._few[0].freedom)[-1:]

    def gives(self, metric: RankMetric) -> bool:
        """Whether the metric is not 1 for all observed numbers of classes."""
        return self.ranks.evenly_sampled and self.n_observed > (1 if metric.top is None else metric.top)

    def last(self, metric: RankMetric) -> Estimate | None:
        """The average with all classes."""
        if not self.ranks.evenly_sampled:
            return None
        curve = self.accuracies if metric.top == 1 else accuracy_curve(self.ranks, self.n_observed, metric=metric)
        return Estimate(float(curve.accuracy[0]), float(curve.standard_error[0]))

    def values(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Averages over subsets of the observed classes."""
        known = self._among_few(sizes, metric)
        return (known or accuracy_curve(self.ranks, sizes, metric=metric, standard_errors=False)).accuracy

    def read(self, sizes: FloatArray, metric: RankMetric, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Averages over subsets of the observed classes."""
        curve = self._among_few(sizes, metric) or accuracy_curve(self.ranks, sizes, metric=metric)
        return curve.accuracy, curve.standard_error, curve.interval(level)

    def variance_of_units(self, metric: RankMetric) -> float:
        """Variance at the number of observed classes."""
        if self.ranks.point_units is None:
            return 0.0
        if metric.top in self._added_by_units:
            return self._added_by_units[metric.top]
        last = np.array([float(self.n_observed)])
        added = curve_with_influence(self.ranks, last, metric)[1][-int(self.ranks.point_units.max() + 1) :]
        slope = metric.span(last)[1] * density(probit(self.share(last, metric)))
        variance = float((np.square(added / slope)).sum())
        if metric.top is not None:
            self._added_by_units[metric.top] = variance
        return variance

    @cached_property
    def _few(self) -> tuple[AccuracyCurve, FloatArray]:
        """Accuracies that are read again and again, and their influences: the first and last ones, and one between."""
        k1 = self.n_observed
        return curve_with_influence(self.ranks, np.unique([2, max(round(k1 / 4), 2), k1 - 1, k1]))

    def _among_few(self, sizes: FloatArray, metric: RankMetric) -> AccuracyCurve | None:
        """Return accuracies that are known already."""
        return self._of_few(sizes) if metric.top == 1 and np.isin(sizes, self._few[0].n_classes).all() else None

    def _of_few(self, sizes: FloatArray) -> AccuracyCurve:
        curve = self._few[0]
        index = np.searchsorted(curve.n_classes, sizes)
        of_each = ("n_classes", "accuracy", "standard_error", "limits", "most_trials", "freedom")
        known = {name: column[index] for name in of_each if (column := getattr(curve, name)) is not None}
        return replace(curve, **known, units=None)

    @cached_property
    def accuracies(self) -> AccuracyCurve:
        """Average accuracies with all classes, with a quarter of them, and with two."""
        return self._of_few(np.array([self.n_observed, max(round(self.n_observed / 4), 2), 2], dtype=np.float64))

    @cached_property
    def last_step(self) -> tuple[float, float, float]:
        """From k1 - 1 to k1 classes."""
        (curve, influence), k1 = self._few, self.n_observed
        fall = float(curve.accuracy[-2] - curve.accuracy[-1])
        return k1 - 1, fall, float(np.linalg.norm(influence[:, -1] - influence[:, -2]))


class PublishedCurve(KnownCurve):
    """A curve without ranks: a published or a weighted one.

    Parameters
    ----------
    curve : AccuracyCurve
        Accuracies at rising numbers of classes.
    step_error : float, optional
        Standard error of the difference between the last two accuracies; by default that of a share of the test points.
    """

    def __init__(self, curve: AccuracyCurve, step_error: float | None = None) -> None:
        self.known, self.step_error = curve, step_error
        self.sizes, self.n_observed = curve.n_classes.astype(np.float64), int(curve.n_classes[-1])
        self.n_points = int(curve.n_points or curve.n_tested or 1)
        self.n_units = int(curve.n_units or curve.n_tested or 1)
        self.average = curve.average

    def gives(self, metric: RankMetric) -> bool:
        """Whether the metric is the accuracy."""
        return metric.top == 1 and self.n_observed > 1

    def last(self, metric: RankMetric) -> Estimate:  # noqa: ARG002
        """The last accuracy."""
        return Estimate(float(self.known.accuracy[-1]), float(self.known.standard_error[-1]))

    def values(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:  # noqa: ARG002
        """The accuracies, and between their numbers of classes lines in log K."""
        return np.interp(np.log(sizes), np.log(self.sizes), self.known.accuracy)

    def read(self, sizes: FloatArray, metric: RankMetric, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:  # noqa: ARG002
        """The accuracies, and between their numbers of classes lines in log K."""
        columns = np.column_stack([self.known.accuracy, self.known.standard_error, self.known.interval(level)])
        log_sizes, known = np.log(sizes), np.log(self.sizes)
        value, error, low, high = (np.interp(log_sizes, known, column) for column in columns.T)
        return value, error, np.stack([low, high], axis=1)

    @property
    def last_step(self) -> tuple[float, float, float]:
        """From the last but one number of classes, or from one class, with which every accuracy is 1."""
        before, value = ([1.0, *column][-2:] for column in (self.sizes, self.known.accuracy))
        fall = float(value[0] - value[1])
        binomial = float(np.sqrt(abs(fall) * (1 - abs(fall)) / self.n_points))
        return float(before[0]), fall, binomial if self.step_error is None else self.step_error


def least_accuracy(before: float, last: float, steps: FloatArray) -> FloatArray:
    """Least accuracy after further steps of as many classes, given the last two; attained by points that are alike."""
    ratio = last / before if before > 0 else 0.0
    return np.asarray(last * np.power(ratio, steps))
