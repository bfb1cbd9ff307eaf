"""What is known of an accuracy curve without a model: from ranks, or from a published or weighted curve."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._estimates import AccuracyCurve, Estimate
from classex._rates import density, probit, rate_interval
from classex._types import FloatArray
from classex.curves.accuracy import accuracy_curve, curve_with_influence
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.ranks._ranks import CorrectRanks

__all__ = ["ACCURACY", "Curve", "KnownCurve", "Link", "ObservedCurve", "PublishedCurve", "least_accuracy", "remembered"]

# Values between 0 and 1 at numbers of classes
Curve = Callable[[FloatArray], FloatArray]

ACCURACY = as_rank_metric("accuracy")
# Level of intervals that are not used
_ANY_LEVEL = 0.95


def remembered(curve: Curve) -> Curve:
    """Return the same curve, which computes its values at the same numbers of classes once."""
    known: dict[bytes, FloatArray] = {}

    def value(sizes: FloatArray) -> FloatArray:
        asked = sizes.tobytes()
        if asked not in known:
            known[asked] = curve(sizes)
        return known[asked].copy()

    return value


@dataclass(frozen=True)
class Link:
    """How a fitted curve, between 0 and 1, is brought to a known value at its end.

    The probit of the fitted curve is shifted to that of the known value, with one hypothetical unit at the fitted one.
    What still misses, because the probit of a perfect score is infinite, is a factor. Both fade as k1 / K.

    Attributes
    ----------
    known, fitted : float
        Values with k1 classes.
    n_units : float
        Number of independent units behind the known value.
    n_observed : float
        Number k1 of classes.
    """

    known: float
    fitted: float
    n_units: float
    n_observed: float

    @property
    def near(self) -> float:
        """The known value, with one hypothetical unit at the fitted one."""
        return (self.n_units * self.known + self.fitted) / (self.n_units + 1)

    @cached_property
    def largest_shift(self) -> float:
        """What is added to the probit of the fitted curve up to k1 classes."""
        return float(probit(self.near) - probit(self.fitted))

    def shift(self, sizes: FloatArray) -> FloatArray:
        """What is added to the probit of the fitted curve."""
        return self.largest_shift * np.minimum(self.n_observed / sizes, 1.0)

    def shifted(self, fitted: Curve, sizes: FloatArray) -> FloatArray:
        """The fitted curve after the shift."""
        return np.asarray(special.ndtr(probit(fitted(sizes)) + self.shift(sizes)))

    def moved(self, fitted: Curve, sizes: FloatArray) -> FloatArray:
        """The fitted curve after the shift and the factor."""
        factor = (self.known / max(self.near, np.finfo(float).tiny) - 1) * np.minimum(self.n_observed / sizes, 1.0)
        return np.asarray(np.minimum(self.shifted(fitted, sizes) * (1 + factor), 1.0))

    def variance(self, variance: FloatArray, fitted: Curve, sizes: FloatArray) -> FloatArray:
        """Variance of the shifted curve, from that of the fitted one: as much of the probit, and the shift squared."""
        before = probit(fitted(sizes))
        shift = self.shift(sizes)
        slope = density(before + shift)
        return np.asarray(variance * np.square(slope / density(before)) + np.square(shift * slope))


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
    def above_chance(self) -> bool:
        """Whether the accuracies with fewest and with all classes are at least chance, within their 95 % intervals."""
        ends = np.array([max(self.sizes[0], 2.0), float(self.n_observed)])
        return bool((self.interval(ends, 0.95)[:, 1] >= 1 / ends).all())

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

    def link(self, fitted: Curve, metric: RankMetric) -> Link:
        """Return the link to a fitted curve, a function of numbers of classes."""
        last, known = np.array([float(self.n_observed)]), self._last.get(metric.top)
        if known is None:
            known = float(self.share(last, metric)[0])
            if metric.top is not None:
                self._last[metric.top] = known
        return Link(known, fitted(last)[0], self.n_units, last[0])

    @cached_property
    def _last(self) -> dict[int | None, float]:
        """Accuracies with k1 classes that were read before, by length of the list of guesses."""
        return {}

    def share(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """The known curve on the scale from the metric's least to its largest value."""
        low, width = metric.span(sizes)
        return np.asarray((self.values(sizes, metric) - low) / width)

    def predicted(self, fitted: Curve, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Return the known curve up to k1 classes, and beyond it a fitted one that starts from its end.

        Both are on the scale from the metric's least to its largest value. An accuracy is at least chance if the known
        one is.
        """
        link = self.link(fitted, metric)
        out = link.moved(fitted, sizes)
        if metric.falls(sizes):
            out = np.minimum(out, link.known)
        if metric.top is not None and self.above_chance:
            out = np.maximum(out, np.minimum(metric.top / sizes, link.known))
        below = sizes < self.sizes[0]
        out[below] = fitted(sizes[below])
        near = self.within(sizes)
        if near.any():
            out[near] = self.share(sizes[near], metric)
        return out

    def errors(self, variance: FloatArray, fitted: Curve, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Standard errors of the known curve up to k1 classes; beyond it those of a fitted one with this variance."""
        link, near = self.link(fitted, metric), self.within(sizes)
        width = metric.span(sizes)[1]
        out: FloatArray = width * np.sqrt(link.variance(variance / np.square(width), fitted, sizes))
        if near.any():
            out[near] = self.read(sizes[near], metric, _ANY_LEVEL)[1]
        return out

    def end(self, level: float) -> tuple[float, float, float, float]:
        """Interval of the accuracy with k1 classes; a least value of it and of that one step before, jointly valid."""
        if level not in self._ends:
            self._ends[level] = self._end(level)
        return self._ends[level]

    @cached_property
    def _ends(self) -> dict[float, tuple[float, float, float, float]]:
        """Ends that were computed before, by level."""
        return {}

    def _end(self, level: float) -> tuple[float, float, float, float]:
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
        if (known := self._of_units.get(metric.top)) is not None:
            return known
        last = np.array([float(self.n_observed)])
        added = curve_with_influence(self.ranks, last, metric)[1][-int(self.ranks.point_units.max() + 1) :]
        slope = metric.span(last)[1] * density(probit(self.share(last, metric)))
        found = float((np.square(added / slope)).sum())
        if metric.top is not None:
            self._of_units[metric.top] = found
        return found

    @cached_property
    def _of_units(self) -> dict[int | None, float]:
        """Variances of units that were computed before, by length of the list of guesses."""
        return {}

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
