"""A curve that goes on: what is known of it, its predictions, and how each interval comes about.

A `Forecast` has a fitted distribution of the favourability, and a `KnownCurve`: what the data show without it.
`ContinuedForecast` is the default's: the observed curve, and beyond it the posterior. `ResampledForecast` serves all
other methods.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Protocol, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._checks import as_class_counts, as_positive_int, as_probability
from classex._estimates import UNSEEN_UNITS, AccuracyCurve, Estimate, LackOfFit, density, probit, rate_interval, varies
from classex._optional import in_parallel
from classex._result import Result
from classex._types import Average, FloatArray, Target
from classex.curves.accuracy import (
    accuracy_covariance,
    accuracy_curve,
    curve_with_influence,
    distractor_ratio,
    ranks_of_classes,
    satterthwaite,
    spaced_sizes,
)
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.distributions.distribution import (
    Distribution,
    accuracy_of,
    confined_accuracy,
    metric_of,
    metric_variance,
    share_of,
)
from classex.distributions.probit_normal import fit_probit_normal
from classex.exceptions import LackOfFitWarning
from classex.forecast.posterior import Posterior
from classex.ranks import as_ranks
from classex.ranks.ranks import CorrectRanks

__all__ = [
    "ContinuedForecast",
    "Forecast",
    "KnownCurve",
    "ObservedCurve",
    "PublishedCurve",
    "Reliance",
    "ResampledForecast",
    "Resampling",
    "moment_limits",
    "reliance_of",
]


ACCURACY = as_rank_metric("accuracy")
# Numbers of classes at which the observed curve is read: more make the covariance nearly singular
MOST_SIZES = 14


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

    @abstractmethod
    def lists(self, metric: RankMetric, target: str, average: Average) -> tuple[RankMetric, ...]:
        """The metrics whose intervals must agree with this one; refuses a target that the curve cannot serve."""

    @abstractmethod
    def curve(self, metric: RankMetric, sizes: FloatArray) -> AccuracyCurve | None:
        """What a plot shows of the metric, at these sizes if there is a choice."""

    def lack_of_fit(self, distribution: Distribution) -> LackOfFit | None:  # noqa: ARG002
        """Distance of a fit from the observed accuracies; None without ranks."""
        return None

    @property
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

    def end(self, level: float) -> tuple[float, float, float, float]:
        """Interval of the accuracy with k1 classes; a least value of it and of that one step before, jointly valid."""
        last = np.array([float(self.n_observed)])
        low, high = self.read(last, ACCURACY, level)[2][0]
        # two errors may lower the limit: each gets half of the error probability
        half = (1 + level) / 2
        least = float(self.read(last, ACCURACY, half)[2][0, 0])
        share, error = (np.array([number]) for number in self.last_fall)
        steepest = float(rate_interval(share, error, self.n_units, half, freedom=self.freedom)[0, 1])
        return float(low), float(high), least, least + steepest / self.points_per_fall

    def limits(self, sizes: FloatArray, level: float) -> FloatArray:
        """Confidence limits for every distribution of the favourability: see `moment_limits`."""
        out = np.tile([0.0, 1.0], (sizes.size, 1))
        near, far = (sizes >= self.sizes[0]) & (sizes <= self.n_observed), sizes > self.n_observed
        if near.any():
            out[near] = self.read(sizes[near], ACCURACY, level)[2]
        if far.any():
            low, high, least, before = self.end(level)
            steps = (sizes[far] - self.n_observed) / (self.n_observed - self.last_step[0])
            out[far] = np.stack([np.minimum(least_accuracy(before, least, steps), low), np.full(steps.size, high)], 1)
        return out


class ObservedCurve(KnownCurve):
    """The curve that ranks show.

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
            self.freedom = cast("FloatArray", self.few[0].freedom)[-1:]

    @cached_property
    def few(self) -> tuple[AccuracyCurve, FloatArray]:
        """The accuracies that are read again and again, with the influences: all that is kept of the curve."""
        k1 = self.n_observed
        return curve_with_influence(
            self.ranks, np.union1d(spaced_sizes(2, k1, MOST_SIZES), [max(round(k1 / 4), 2), k1 - 1])
        )

    def gives(self, metric: RankMetric) -> bool:
        """Whether the metric is not 1 for all observed numbers of classes."""
        return self.ranks.evenly_sampled and self.n_observed > (1 if metric.top is None else metric.top)

    def last(self, metric: RankMetric) -> Estimate | None:
        """The average with all classes."""
        if not self.ranks.evenly_sampled:
            return None
        value, error, _ = self.read(self.sizes[-1:], metric, 0.95)
        return Estimate(float(value[0]), float(error[0]))

    def values(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Averages over subsets of the observed classes."""
        if metric.top == 1 and np.isin(sizes, (curve := self.few[0]).n_classes).all():
            return curve.accuracy[np.searchsorted(curve.n_classes, sizes)]
        return accuracy_curve(self.ranks, sizes, metric=metric, standard_errors=False).accuracy

    def read(self, sizes: FloatArray, metric: RankMetric, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Averages over subsets of the observed classes."""
        if metric.top == 1 and np.isin(sizes, (curve := self.few[0]).n_classes).all():
            index = np.searchsorted(curve.n_classes, sizes)
            return curve.accuracy[index], curve.standard_error[index], curve.interval(level)[index]
        curve = accuracy_curve(self.ranks, sizes, metric=metric)  # in the order asked for
        return curve.accuracy, curve.standard_error, curve.interval(level)

    def curve(self, metric: RankMetric, sizes: FloatArray) -> AccuracyCurve | None:
        """Averages over subsets of the observed classes."""
        return accuracy_curve(self.ranks, sizes, metric=metric) if self.ranks.evenly_sampled else None

    def lists(self, metric: RankMetric, target: str, average: Average) -> tuple[RankMetric, ...]:
        """Shorter lists of guesses, whose ends no longer one may contradict."""
        if target != "average" and average == "points" and not self.ranks.class_balanced:
            raise ValueError(f"target must be 'average' with average='points', not {target!r}")
        return (metric,) if metric.top in (None, 1) else shorter_lists(metric.top)

    def variance_of_units(self, metric: RankMetric) -> float:
        """Variance at the number of observed classes."""
        if self.ranks.point_units is None:
            return 0.0
        last = self.sizes[-1:]
        low, width = metric.span(last)
        curve, influence = self.few if metric.top == 1 else curve_with_influence(self.ranks, last, metric)
        added = influence[-int(self.ranks.point_units.max() + 1) :, -1:]
        slope = width * density(probit((curve.accuracy[-1:] - low) / width))
        return float((np.square(added / slope)).sum())

    def lack_of_fit(self, distribution: Distribution) -> LackOfFit:
        """With all classes, with a quarter of them, and with two."""
        n, k1 = self.ranks.n_units, self.n_observed
        if not self.ranks.evenly_sampled:  # averages over subsets may be biased
            return LackOfFit(np.empty(0, dtype=np.int64), *np.empty((3, 0)))
        sizes = np.array([k1, max(round(k1 / 4), 2)][: 1 if k1 == 2 else 2], dtype=np.float64)
        value, error, _ = self.read(sizes, ACCURACY, 0.95)
        predicted = confined_accuracy(distribution, sizes)
        # if all points are right, or all wrong, nothing varies: take the error that the prediction itself implies
        implied = np.maximum(np.sqrt(predicted * (1 - predicted) / n), 1.0 / (n + 1))
        error = np.where(varies(error, value), error, implied)
        return LackOfFit(sizes.astype(np.int64), predicted, value, error)

    @property
    def last_step(self) -> tuple[float, float, float]:
        """From k1 - 1 to k1 classes."""
        (curve, influence), k1 = self.few, self.n_observed
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

    def curve(self, metric: RankMetric, sizes: FloatArray) -> AccuracyCurve | None:  # noqa: ARG002
        """The published curve."""
        return self.known if metric.top == 1 else None

    def lists(self, metric: RankMetric, target: str, average: Average) -> tuple[RankMetric, ...]:  # noqa: ARG002
        """The metric alone."""
        if target != "average":
            raise ValueError(f"target must be 'average' after fit_curve or with weights, not {target!r}")
        return (metric,)

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


# Distance of the limits up to which an accuracy counts as known: a convention, named in the sentence
_FIXED = 0.1


@dataclass(frozen=True)
class Reliance(Result):
    """What a predicted accuracy rests on.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of classes K.
    unseen : ndarray of shape (n,)
        Share of the predicted accuracy that comes from points of favourability above 1 - 1/k1.
    low, high : ndarray of shape (n,)
        Between these the accuracy lies with this confidence or more, for every distribution of the favourability (see
        `moment_limits`). Where a prediction lies outside, they extend to it.
    n_observed : int
        Number k1 of observed classes.
    reach : float
        Largest number of classes with which the limits are at most 0.1 apart; 0 where they are further apart with k1.
    confidence_level : float
        Confidence level of the limits.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> reliance = cx.extrapolate(
    ...     sample.scores,
    ...     sample.labels,
    ...     n_classes=[50, 100],
    ...     method="probit-normal",
    ... ).reliance
    >>> reliance.low.round(3), reliance.high.round(3), reliance.n_observed
    (array([0.748, 0.547]), array([0.938, 0.938]), 50)
    """

    n_classes: FloatArray
    unseen: FloatArray
    low: FloatArray
    high: FloatArray
    n_observed: int
    reach: float
    confidence_level: float = 0.95

    def __str__(self) -> str:
        return self._sentence()

    def _sentence(self) -> str:
        last = int(np.argmax(self.n_classes))
        k, k1 = int(self.n_classes[last]), self.n_observed
        if k <= k1:
            return f"Up to {k1:,} classes the accuracy was observed: no assumption is needed."
        share = f"{100 * self.unseen[last]:.0f} %" if self.unseen[last] < 0.995 else "more than 99 %"
        if self.reach >= k:
            reach = f", no more than {_FIXED:g} apart"
        elif self.reach >= k1:
            reach = f"; to within {_FIXED:g} it is known only up to {int(self.reach):,} classes"
        else:
            reach = ""
        return (
            f"From the observed curve alone, up to {k1:,} classes, the accuracy with {k:,} lies between"
            f" {self.low[last]:.3f} and {self.high[last]:.3f} with {100 * self.confidence_level:g} % confidence{reach}."
            f" The rest is assumed: {share} of the prediction comes from test points that fewer than one in {k1:,}"
            " wrong labels beat."
        )


def reliance_of(distribution: Distribution, observed: KnownCurve, sizes: FloatArray, level: float) -> Reliance:
    """Split predicted accuracies into what the observed classes show and what is assumed, for checked arguments.

    Without assumptions nothing can be predicted beyond about log k1 times the observed number of classes (Orlitsky,
    Suresh and Wu, PNAS 2016). The two limits show the same for the data observed.
    """
    k1 = observed.n_observed
    edge = float(distribution.cdf(np.array([1 - 1 / k1]))[0])
    # from what the observed classes can show, since 1 - D has no digits left where the accuracy is tiny
    seen = accuracy_of(lambda u: 1 - np.maximum(edge - distribution.cdf(u), 0.0), sizes)
    value = confined_accuracy(distribution, sizes)
    unseen = np.clip(1 - seen / np.maximum(value, 1e-300), 0.0, 1.0)
    low, high = observed.limits(sizes, level).T
    reach = _reach(observed, level)
    return Reliance(sizes, unseen, np.minimum(low, value), np.maximum(high, value), k1, reach, level)


def _reach(observed: KnownCurve, level: float) -> float:
    """Largest number of classes with which the limits are at most 0.1 apart; 0 where they never are."""
    low, high, least, before = observed.end(level)
    if high <= _FIXED:
        return np.inf
    if high - low > _FIXED or high - least > _FIXED:
        return 0.0
    if least >= before:
        return np.inf
    steps = np.log((high - _FIXED) / least) / np.log(least / before)
    return float(observed.n_observed + np.floor(steps * (observed.n_observed - observed.last_step[0])))


def moment_limits(ranks: CorrectRanks, n_classes: ArrayLike, *, confidence_level: float = 0.95) -> FloatArray:
    """Confidence limits of the average accuracy that hold for every distribution of the favourability.

    Up to the observed number of classes they are the observed curve's own interval. Beyond it the accuracy is at most
    the one observed, and its logarithm falls at most as steeply as the curve last did, within their sampling errors.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes; where points met samples of the wrong labels, equally many.
    n_classes : int or array_like of int
        Numbers of classes K.
    confidence_level : float
        Confidence level, in (0, 1).

    Returns
    -------
    ndarray of shape (n, 2)
        Lower and upper limits. Neither rises with K beyond k1.

    Raises
    ------
    ValueError
        If a number of classes or the level is not accepted.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([29] * 24 + [20, 26, 28, 10, 28, 3], 30)
    >>> cx.forecast.moment_limits(ranks, [30, 60]).round(2)
    array([[0.62, 0.91],
           [0.37, 0.91]])
    """
    sizes = as_class_counts(n_classes)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    return ObservedCurve(as_ranks(ranks, sampled=True, evenly=True)).limits(sizes, level)


class Refitting(Protocol):
    """What resampling asks of a method: see `classex.methods.Method`."""

    resampling: Resampling

    def refit(self, fitted: Any, ranks: CorrectRanks, scores: Any = None, classes: Any = None) -> Distribution:
        """Fit to other data with the tuning values of a fit."""


@dataclass(frozen=True)
class Resampling:
    """How classes are left out when a variance has no closed form.

    Attributes
    ----------
    share : float
        Share of the classes that is kept.
    most : int or None
        Maximum number of subsets, for expensive fits; the variance then has as many degrees of freedom, less one.
    """

    share: float
    most: int | None = None

    def draws(self, n_resamples: int) -> int:
        """Return the number of subsets to draw when `n_resamples` are requested."""
        return n_resamples if self.most is None else min(n_resamples, self.most)

    def freedom(self, n_units: int, n_resamples: int) -> int:
        """Return the degrees of freedom of the variance."""
        return n_units - 1 if self.most is None else self.draws(n_resamples) - 1


@dataclass(frozen=True)
class Forecast(ABC):
    """A fitted distribution beside what the data show. Its functions take arguments that were checked.

    Attributes
    ----------
    method : Method
        The method that was fitted.
    distribution : Distribution
        The fitted distribution of the favourability.
    known : KnownCurve
        What is known of the curve without the method.
    average : {"balanced", "points"}
        The average that was asked for.
    scores : ndarray or None
        Scores that the method was fitted on, if it reads them.
    """

    method: Any
    distribution: Any
    known: Any
    average: Average = "balanced"
    scores: NDArray[Any] | None = None

    @property
    def departure(self) -> str | None:
        """What the data say about the curve that is unusual, or None."""
        return None

    @cached_property
    def lack_of_fit(self) -> LackOfFit | None:
        """Distance of the fit from the observed accuracies; None without ranks."""
        found: LackOfFit | None = self.known.lack_of_fit(self.distribution)
        return found

    @abstractmethod
    def predict(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Mean of a function of the rank for each number of classes."""

    @abstractmethod
    def standard_error(
        self, sizes: FloatArray, metric: RankMetric, n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Standard errors of the predictions as estimates of the average."""

    @abstractmethod
    def assess(
        self,
        sizes: FloatArray,
        metric: RankMetric,
        level: float,
        target: str,
        n_repeats: int | None,
        n_resamples: int = 100,
        rng: np.random.Generator | None = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Predictions (n,), intervals (n, 2) and standard errors (n,)."""


class ContinuedForecast(Forecast):
    """The observed curve, and beyond it the posterior of the default's distribution, which goes on from its end.

    Up to k1 classes the value, its error and its interval are the curve's own. Beyond, an accuracy is the posterior
    median, given the last one. Another metric is that of the distribution, which agrees with both best; what it misses
    with k1 classes fades as k1 / K. Intervals are quantiles of the posterior, where the last value lies within its own
    interval; those of another metric start from its own, and grow as those of an accuracy that is as hard.
    """

    @property
    def departure(self) -> str | None:
        """The kind of curve that the data make likely, if it is not the usual one."""
        found: str | None = self.distribution.posterior(np.array([float(self.known.n_observed)])).departure
        return found

    def predict(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """The observed curve, and beyond it the posterior median."""
        lists = (metric,) if metric.top in (None, 1) else shorter_lists(metric.top)
        return self._value(sizes, metric, np.max([self._probit(sizes, one) for one in lists], axis=0))

    def _value(self, sizes: FloatArray, metric: RankMetric, z: FloatArray) -> FloatArray:
        """The observed curve, and beyond it the metric with these probits, which is at most the last one observed."""
        known, (low, width) = self.known, metric.span(sizes)
        out = np.array(low + width * special.ndtr(z))
        if known.gives(metric):
            near = (sizes >= known.sizes[0]) & (sizes <= known.n_observed)
            if near.any():
                out[near] = known.values(sizes[near], metric)
            if metric.falls(sizes):
                far = sizes > known.n_observed
                most = low + width * (known.values(known.sizes[-1:], metric) if metric.top else self._share(metric))
                out[far] = np.minimum(out[far], most[far])
        if metric.top is not None:
            out[sizes <= metric.top] = 1.0
        return out

    def standard_error(
        self,
        sizes: FloatArray,
        metric: RankMetric,
        n_resamples: int = 0,  # noqa: ARG002
        rng: np.random.Generator | None = None,  # noqa: ARG002
    ) -> FloatArray:
        """Standard errors of the observed curve, and beyond it the spread of the posterior."""
        return self._one(sizes, metric, 0.95, "average", None)[2]

    def assess(
        self,
        sizes: FloatArray,
        metric: RankMetric,
        level: float,
        target: str,
        n_repeats: int | None,
        n_resamples: int = 0,  # noqa: ARG002
        rng: np.random.Generator | None = None,  # noqa: ARG002
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Predictions (n,), intervals (n, 2) and standard errors (n,), of which none is drawn."""
        lists = self.known.lists(metric, target, self.average)
        found = [self._one(sizes, one, level, target, n_repeats) for one in lists]
        value, ends = self._value(sizes, metric, np.max([z for z, _, _ in found], axis=0)), [one[1] for one in found]
        falling = target != "fresh" and metric.falls(sizes)
        return value, coherent_ends(np.array(ends), value, sizes, falling), found[-1][2]

    def _share(self, metric: RankMetric) -> FloatArray:
        """The metric with k1 classes, on the scale from its least to its largest value."""
        end = self.known.sizes[-1:]
        low, width = metric.span(end)
        return np.asarray((self.known.values(end, metric) - low) / width)

    def _probit(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Probit of the predicted metric, on the scale from its least to its largest value."""
        if metric.top == 1:
            median: FloatArray = self.distribution.posterior(sizes).quantiles([0.5])[:, 0]
            return median
        fitted, end = partial(share_of, self.distribution, metric=metric), self.known.sizes[-1:]
        moved = probit(fitted(sizes))
        if self.known.gives(metric):
            missed = probit_of_last(self._share(metric), self.known.n_points) - probit(fitted(end))
            moved += missed * np.minimum(end / sizes, 1.0)
        return moved

    def _last(self, metric: RankMetric, level: float) -> tuple[FloatArray, FloatArray, float]:
        """With k1 classes the probits of the interval, their distances from the value, and the standard error."""
        end = self.known.sizes[-1:]
        low, width = metric.span(end)
        value, error, ends = self.known.read(end, metric, level)
        z, open_ends = probit_of_last((value - low) / width, self.known.n_points), _open((ends - low) / width)[0]
        distance = np.maximum(np.array([-1.0, 1.0]) * (open_ends - z), 0.0)
        return open_ends, distance, float((error / width / density(z))[0])

    def _one(
        self, sizes: FloatArray, metric: RankMetric, level: float, target: str, n_repeats: int | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """For one metric the predicted probits, (n,), the ends of the intervals, (n, 2), and standard errors, (n,)."""
        known, (low, width), normal = self.known, metric.span(sizes), float(special.ndtri(0.5 + level / 2))
        given, sign, probability = known.gives(metric), np.array([-1.0, 1.0]), [0.5 - level / 2, 0.5 + level / 2]
        # the accuracy with as many classes as are as hard, first with all observed classes
        every = np.append(known.sizes[-1], sizes)
        hard: Posterior = self.distribution.posterior(every if metric.top == 1 else _as_hard(every, metric.top or 1))
        most, last, error = self._last(ACCURACY, level)
        middle, spread = hard.quantiles([0.5]), hard.spread(error)
        reach = np.abs(hard.quantiles(probability, *last / normal) - middle)
        predicted = middle[1:, 0] if metric.top == 1 else self._probit(sizes, metric)
        z = predicted.copy()
        if given and metric.top != 1:
            most, last, error = self._last(metric, level)
        elif not given:
            last, error = reach[0], spread[0]
        away = _grown(last, reach[1:], reach[0]) * sign
        out = width * density(z) * _grown(error, spread[1:], spread[0])
        if given and metric.falls(sizes):
            far = sizes > known.n_observed
            away[far] = np.minimum(away[far], most - z[far, np.newaxis])
        inside = given & (sizes >= known.sizes[0]) & (sizes <= known.n_observed)
        if inside.any():
            out[inside] = known.read(sizes[inside], metric, 0.95)[1]
        near = inside & (sizes > (metric.top or 1))
        if near.any():
            value, _, ends = known.read(sizes[near], metric, level)
            least, scale = low[near], width[near]
            z[near] = probit((value - least) / scale)
            away[near] = _open((ends.T - least) / scale).T - z[near, np.newaxis]
        if target != "average":
            average = np.square(out / width)
            about: dict[str, Any] = {"target": target, "variance": average, "n_repeats": n_repeats}
            whole = target_variance(self.distribution, known.ranks, sizes, metric, **about)
            extra = np.square(normal / density(z)) * (whole - average)
            away = np.sqrt(np.maximum(np.square(away) + extra[:, np.newaxis], 0.1 * np.square(away))) * sign
        ends = special.ndtr(z[:, np.newaxis] + away)
        return predicted, low[:, np.newaxis] + width[:, np.newaxis] * ends, out


class ResampledForecast(Forecast):
    """A fitted distribution whose intervals come from its variance: in closed form, or from random sets of classes."""

    def predict(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Mean of a function of the rank for each number of classes."""
        return metric_of(self.distribution, sizes, metric)

    def standard_error(
        self, sizes: FloatArray, metric: RankMetric, n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Standard errors of the predictions as estimates of the average."""
        return np.asarray(np.sqrt(self._variance(sizes, (metric,), n_resamples, rng)[0][0]))

    def warn_of_misfit(self, stacklevel: int) -> None:
        """Warn if the fit misses the accuracy with all classes."""
        if (misfit := self.lack_of_fit) is not None and misfit.refuted:
            fitted, seen, error = misfit.predicted[0], misfit.observed[0], misfit.standard_error[0]
            warnings.warn(
                f"{type(self.method).__name__} fits an accuracy of {fitted:.4f} with {misfit.n_classes[0]} classes,"
                f" where {seen:.4f} was observed (standard error {error:.4f}): its"
                " assumption fails for these data, and its predictions may be far off",
                LackOfFitWarning,
                stacklevel=stacklevel,
            )

    def _variance(
        self, sizes: FloatArray, metrics: tuple[RankMetric, ...], n_resamples: int, rng: np.random.Generator
    ) -> tuple[FloatArray, list[float]]:
        """Sampling variance of the predictions for each metric, (n_metrics, n_sizes), and what units add to probits."""
        units = [self.known.variance_of_units(metric) for metric in metrics]
        closed = [metric_variance(self.distribution.variance, sizes, metric) for metric in metrics]
        if all(variance is not None for variance in closed):
            return np.array(closed, dtype=np.float64), units
        data = self.distribution, self.known.ranks
        about: dict[str, Any] = {"method": self.method, "n_resamples": n_resamples, "rng": rng}
        variance = resampled_variance(*data, self.scores, sizes, metrics, **about)
        # only classes were left out: what units add to the probit at the end of the known curve is added everywhere
        for row, unit, metric in zip(variance, units, metrics, strict=True):
            row += unit * np.square(self._slope(sizes, metric))
        return variance, units

    def _slope(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Slope of the fitted metric by its probit on a scale to 1."""
        return metric.span(sizes)[1] * density(probit(share_of(self.distribution, sizes, metric)))

    def _freedom(
        self, variance: FloatArray, units: float, sizes: FloatArray, metric: RankMetric, n_resamples: int
    ) -> FloatArray:
        """Degrees of freedom of the variance of the predictions."""
        ranks, over_classes = self.known.ranks, self.method.resampling.freedom(self.known.n_units, n_resamples)
        if ranks.point_units is None:
            return np.full(sizes.size, float(over_classes))
        whole = variance / np.square(self._slope(sizes, metric))
        part = np.minimum(units, whole)
        return satterthwaite(whole - part, over_classes, part, int(ranks.point_units.max()))

    def assess(
        self,
        sizes: FloatArray,
        metric: RankMetric,
        level: float,
        target: str,
        n_repeats: int | None,
        n_resamples: int = 100,
        rng: np.random.Generator | None = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Predictions (n,), intervals (n, 2) and standard errors (n,), with the seed 0 unless told otherwise."""
        lists, value = self.known.lists(metric, target, self.average), self.predict(sizes, metric)
        generator = np.random.default_rng(0) if rng is None else rng
        (variance, units), ends = self._variance(sizes, lists, n_resamples, generator), []
        for one, row, unit in zip(lists, variance, units, strict=True):
            about: dict[str, Any] = {"level": level, "target": target, "n_repeats": n_repeats}
            about["refuted"] = self.lack_of_fit is not None and self.lack_of_fit.refuted
            about |= {"variance": row, "freedom": self._freedom(row, unit, sizes, one, n_resamples)}
            ends.append(resampled_ends(self.distribution, self.known.ranks, sizes, one, **about))
        falling = target != "fresh" and metric.falls(sizes)
        return value, coherent_ends(np.array(ends), value, sizes, falling), np.sqrt(variance[-1])


def probit_of_last(value: ArrayLike, n_points: float) -> FloatArray:
    """Probit of the last value of a curve, away from 0 and 1 by what half a point more changes as likely as not."""
    least = special.betaincinv(UNSEEN_UNITS, n_points, 0.5)
    return probit(np.clip(value, least, 1 - least))


def _grown(own: ArrayLike, distance: FloatArray, first: FloatArray) -> FloatArray:
    """Distances of a metric that grow from its own with k1 classes as those of the accuracy do from their first."""
    with np.errstate(invalid="ignore"):
        more = np.where(np.isinf(distance), np.inf, np.maximum(np.square(distance) - np.square(first), 0.0))
    return np.asarray(np.sqrt(np.square(own) + more))


def _as_hard(sizes: FloatArray, top: int) -> FloatArray:
    """Number of classes, 2 or more, among which the first rank is as hard as the `top` best ranks among K.

    A point of favourability u is among the `top` best if its binomial number of wins, (K - 1, u), reaches K - `top`.
    At one u that has probability 1/2, and u^(K' - 1) = 1/2 at the same u gives K'.
    """
    tiny = np.finfo(float).tiny
    half = np.clip(special.betaincinv(float(top), np.maximum(sizes - top, tiny), 0.5), tiny, 0.5)
    return np.asarray(np.maximum(1 + np.log(0.5) / np.log1p(-half), 2.0))


def _open(share: FloatArray) -> FloatArray:
    """Probits of ends; infinite where nothing speaks against a value of 1."""
    return np.asarray(np.where(share >= 1, np.inf, probit(share)))


TARGETS = get_args(Target)
# Lists of guesses whose intervals are compared: all up to here, evenly in the logarithm beyond
_MOST_TOPS = 24


def repeats_for(target: Target | None, n_repeats: int | None) -> int | None:
    """Return the checked number of test points per class of a set of classes; an average has none."""
    if n_repeats is not None and target in ("average", None):
        raise ValueError(f"n_repeats goes with target='fresh' or 'superset', not with target={target!r}")
    return None if n_repeats is None else as_positive_int(n_repeats, "n_repeats")


def coherent_ends(ends: FloatArray, values: FloatArray, sizes: FloatArray, falling: bool) -> FloatArray:
    """Return the ends for the last of several `top`, shapes (n_tops, n, 2) and (n,), such that no two disagree.

    An accuracy is at least that of a shorter list of guesses, so the ends never fall as `top` grows. If `falling`, the
    target is one quantity that falls as the number of classes grows, and so do the ends.
    """
    out: FloatArray = ends.max(axis=0)
    if falling:
        order = np.argsort(sizes, kind="stable")
        back = np.argsort(order, kind="stable")
        low, high = out[order].T
        out = np.stack([np.maximum.accumulate(low[::-1])[::-1], np.minimum.accumulate(high)], axis=1)[back]
    # a curve that is not monotone itself stays inside its own interval
    out[:, 0] = np.minimum(out[:, 0], values)
    out[:, 1] = np.maximum(out[:, 1], values)
    return out


def resampled_ends(
    distribution: Distribution,
    ranks: CorrectRanks,
    sizes: FloatArray,
    metric: RankMetric,
    *,
    variance: FloatArray,
    level: float,
    freedom: ArrayLike,
    target: str,
    n_repeats: int | None,
    refuted: bool,
) -> FloatArray:
    """Return the ends for each number of classes, shape (n, 2), from the variance of the fit's own predictions.

    Metrics are brought to the scale of accuracies, from 0 to 1, by the least and the largest value they can take. A
    lack of fit is added. A fit that the observed accuracy refutes (`refuted`, see `check_fit`) may predict 1e-9, around
    which no variance makes an interval wide. If its interval excludes the prediction of the probit-normal distribution,
    which follows most curves, it extends as far as the interval of that distribution.

    If every test point is right, or every one wrong, subsets of the classes do not vary. The interval then extends as
    far as that of a probit-normal distribution with its weak prior, worth about one test point, and to the end of the
    scale that the data do not contradict.
    """
    low, width = metric.span(sizes)
    average = variance / np.square(width) + lack_of_fit(distribution, ranks, sizes, metric)

    def total(fit: Distribution, average: FloatArray) -> FloatArray:
        return target_variance(fit, ranks, sizes, metric, target=target, variance=average, n_repeats=n_repeats)

    ends = probit_ends(share_of(distribution, sizes, metric), total(distribution, average), level, freedom)
    ends = _widened(ends, ranks, sizes, metric, total, level=level, freedom=freedom, refuted=refuted)
    return low[:, np.newaxis] + width[:, np.newaxis] * ends


def _widened(
    ends: FloatArray,
    ranks: CorrectRanks,
    sizes: FloatArray,
    metric: RankMetric,
    total: Callable[[Distribution, FloatArray], FloatArray],
    *,
    level: float,
    freedom: ArrayLike,
    refuted: bool,
) -> FloatArray:
    """Ends that reach those of a probit-normal fit, if the own fit is refuted, or if no point varies."""
    all_right = bool((ranks.losses + ranks.ties == 0).all())
    all_wrong = bool((ranks.wins + ranks.ties == 0).all())
    if not (refuted or all_right or all_wrong):
        return ends
    other = fit_probit_normal(ranks)
    value, width = share_of(other, sizes, metric), metric.span(sizes)[1]
    least = np.asarray(metric_variance(other.variance, sizes, metric), dtype=np.float64) / np.square(width)
    if refuted:
        whole = total(other, least + lack_of_fit(other, ranks, sizes, metric))
        wide = probit_ends(value, whole, level, freedom)
        below, above = value < ends[:, 0], value > ends[:, 1]
        ends[below, 0], ends[above, 1] = wide[below, 0], wide[above, 1]
    if all_right or all_wrong:
        wide = probit_ends(value, total(other, least), level, freedom)
        open_ = sizes > (1 if metric.top is None else metric.top)
        falls = metric.falls(sizes)
        ends[open_, 0] = 0.0 if all_wrong and falls else np.minimum(ends[open_, 0], wide[open_, 0])
        ends[open_, 1] = 1.0 if all_right and falls else np.maximum(ends[open_, 1], wide[open_, 1])
    return ends


def lack_of_fit(distribution: Distribution, ranks: CorrectRanks, sizes: FloatArray, metric: RankMetric) -> FloatArray:
    """Squared error of the fitted curve at the observed numbers of classes, continued to others.

    The accuracies observed at k1 and at k1 / 4 classes are unbiased. The error of the fit there, on the probit scale,
    is continued as a straight line in log K, and counts if it exceeds its own standard error. A fit that follows the
    observed curve adds nothing. Other metrics are treated likewise, on the scale from their least to their largest
    value.
    """
    k1 = ranks.largest_subset
    low = max(round(k1 / 4), 2 if metric.top is None else metric.top + 1)
    if low >= k1 or not ranks.evenly_sampled:
        return np.zeros_like(sizes)
    ends = np.array([low, k1], dtype=np.float64)
    least, width = metric.span(ends)
    fitted = share_of(distribution, ends, metric)
    slope = density(probit(fitted))
    seen = accuracy_curve(ranks, ends, metric=metric, standard_errors=False).accuracy
    missed = ((seen - least) / width - fitted) / slope
    covariance = accuracy_covariance(ranks, ends, metric=metric) / np.outer(slope * width, slope * width)
    beyond = np.maximum(np.log(sizes / k1) / np.log(k1 / low), -1.0)
    line = np.stack([-beyond, 1 + beyond], axis=1)
    square = np.square(line @ missed)
    chance = np.einsum("ki,ij,kj->k", line, covariance, line)
    here = density(probit(share_of(distribution, sizes, metric)))
    return np.asarray(np.where(square > chance, square, 0.0) * np.square(here))


def _quantile(level: float, freedom: ArrayLike) -> FloatArray:
    """Half of a two-sided t interval in standard errors."""
    return np.asarray(special.stdtrit(np.maximum(freedom, 1), 0.5 + level / 2))


def target_variance(
    distribution: Distribution,
    ranks: CorrectRanks,
    sizes: FloatArray,
    metric: RankMetric,
    *,
    target: str,
    variance: FloatArray,
    n_repeats: int | None,
) -> FloatArray:
    """Variance of prediction minus target, from the variance of prediction minus average.

    The accuracy on a set of K classes has variance (b + (w + e) / r) / K around the average: b is the variance of the
    points' chances between classes, w the variance within classes, e that of the outcomes, and r the number of points
    per class. For a fresh set this is added. A set with the observed classes shares b with the estimate, so that b / K
    is subtracted. If it is tested with the observed points, w is shared too: b / K and 2 w / (r K) are subtracted, and
    (w + e) / (r K) is added.
    """
    if target == "average":
        return variance
    mean = share_of(distribution, sizes, metric)
    spread = mean * (1 - mean)
    points = spread
    if metric.top == 1:
        # E[U^(2K-2)] - E[U^(K-1)]^2: how much the favourability of points varies at K, at most p (1 - p)
        points = np.clip(share_of(distribution, 2 * sizes - 1, metric) - mean**2, 0, spread)
    elif metric.top is None:
        square = metric_of(distribution, sizes, metric.squared()) - np.square(metric_of(distribution, sizes, metric))
        points = spread = np.clip(square / np.square(metric.span(sizes)[1]), 0, spread)
    low, high = _between_share(ranks)
    ratio = distractor_ratio(ranks)
    # with one point per class b is not known: the larger it is, the wider the interval, unless the points are shared
    between = (low if target == "superset" and n_repeats is None else high) * points
    within = 0.0 if n_repeats is None else (spread - between) / n_repeats
    if target == "superset":
        seen = ranks.n_points / ranks.n_tested
        shared = ratio * (between if n_repeats is None else between + 2 * (points - between) / seen)
        return np.maximum(variance + (within - shared) / sizes, 0.1 * variance)
    return np.asarray(variance + (ratio * between + within) / sizes)


def _between_share(ranks: CorrectRanks) -> tuple[float, float]:
    """Share of the variance of the points' accuracy that lies between classes: a lower and an upper bound.

    With one test point per class it is not identified, and the bounds are 0 and 1.
    """
    labels = np.unique(ranks.labels, return_inverse=True)[1]  # without the classes that have no test points
    count = np.bincount(labels)
    if count.min() < 2:
        return 0.0, 1.0
    alone = replace(ranks, distractors=None, clusters=None, point_units=None)
    size = max(ranks.largest_subset // 2, 2)
    share = (ranks.wins + 0.5 * ranks.ties) / (ranks.wins + ranks.ties + ranks.losses)
    value = share ** (size - 1)
    mean = np.bincount(labels, weights=value) / count
    within = np.bincount(labels, weights=np.square(value - mean[labels])) / (count - 1)
    total = float(np.square(accuracy_curve(alone, size).standard_error[0]) * count.size)
    between = total - float((within / count).mean())
    whole = between + float(within.mean())
    rho = float(np.clip(between / whole, 0.0, 1.0)) if whole > 0 else 0.0
    return rho, rho


def probit_ends(value: FloatArray, variance: FloatArray, level: float, df: ArrayLike) -> FloatArray:
    """Return the ends of a t interval on the probit scale: shape (n, 2)."""
    z = probit(value)
    half = _quantile(level, df) * np.sqrt(variance) / density(z)
    return np.asarray(special.ndtr(np.stack([z - half, z + half], axis=1)))


def shorter_lists(top: int) -> tuple[RankMetric, ...]:
    """Top-m accuracies with lists of guesses up to `top`: all of them, or some where there are many."""
    lengths = range(1, top + 1) if top <= _MOST_TOPS else np.unique(np.geomspace(1, top, _MOST_TOPS).round())
    return tuple(as_rank_metric("accuracy", int(m)) for m in lengths)


# Fewest classes whose subsets still vary: 4 of 5 are kept
_FEWEST_CLASSES = 5


def resampled_variance(
    distribution: Distribution,
    ranks: CorrectRanks,
    scores: NDArray[Any] | None,
    sizes: FloatArray,
    metrics: tuple[RankMetric, ...],
    *,
    n_resamples: int,
    rng: np.random.Generator,
    method: Refitting,
) -> FloatArray:
    """Return the delete-d variance of the predictions, (n_metrics, n_sizes): d of k1 classes are left out at a time.

    Where classes come in clusters, k1, b and d are numbers of clusters, which are left out as a whole.

    With b classes kept, Var(estimate on k1) = b / (k1 - b) * Var(estimate on a subset | data) for a statistic that is
    smooth in the classes. For others the variance is too large, least with half of the classes kept. From ranks alone
    the wins are thinned at random, which loses the dependence through shared wrong labels; the ratio of the jackknife
    to the own-class variance of the average accuracy restores it.
    """
    # if every point met a sample of its own, classes without test points do not count
    classes = np.arange(ranks.n_classes) if ranks.n_wrong is None else np.unique(ranks.labels)
    unit = classes if ranks.clusters is None else ranks.clusters[classes]
    k1 = np.unique(unit).size
    if k1 < _FEWEST_CLASSES:
        raise ValueError(f"resampling needs at least {_FEWEST_CLASSES} observed classes, not {k1} (a cluster is one)")
    n = method.resampling.draws(n_resamples)
    kept = min(max(round(method.resampling.share * k1), 4), k1 - 1)
    subsets = [_draw(ranks, unit, kept, rng) for _ in range(n)]
    tasks = [
        (method, distribution, ranks, scores, subset, own, sizes, metrics)
        for subset, own in zip(subsets, rng.spawn(n), strict=True)
    ]
    draws = np.array(in_parallel(_predict_from_classes, tasks, "class subsets"))
    variance: FloatArray = kept / (k1 - kept) * draws.var(axis=0, ddof=1)
    return variance if scores is not None else variance * distractor_ratio(ranks)


def _draw(ranks: CorrectRanks, unit: NDArray[np.int64], kept: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw units without replacement, and return their classes, at least one of them with test points."""
    while True:
        classes = np.flatnonzero(np.isin(unit, rng.permutation(np.unique(unit))[:kept]))
        if ranks.n_tested == unit.size or np.isin(ranks.labels, classes).any():
            return classes


def _predict_from_classes(
    method: Refitting,
    distribution: Distribution,
    ranks: CorrectRanks,
    scores: NDArray[Any] | None,
    classes: NDArray[np.int64],
    rng: np.random.Generator,
    sizes: FloatArray,
    metrics: tuple[RankMetric, ...],
) -> FloatArray:
    few, block = ranks_of_classes(ranks, scores, classes, rng)
    refitted = method.refit(distribution, few, block, classes)
    return np.stack([metric_of(refitted, sizes, metric) for metric in metrics])


def own_copy(matrix: NDArray[Any], given: Any) -> NDArray[Any]:
    """Return read-only scores: a copy, unless checking made one or the file is mapped read-only."""
    mapped = isinstance(given, np.memmap) and given.mode == "r" and not given.flags.writeable
    fresh = isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.dtype != matrix.dtype)
    out = matrix if mapped or fresh else matrix.copy()
    if not mapped:
        out.flags.writeable = False
    return out
