"""What an estimator has after a fit: predictions, standard errors and intervals, from the fit and the curve."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._estimates import LackOfFit
from classex._rates import density, probit
from classex._types import Average, FloatArray
from classex.curves.metrics import RankMetric
from classex.curves.units import satterthwaite
from classex.distributions.distribution import Distribution, metric_of, metric_variance, share_of
from classex.forecast.posterior import Posterior
from classex.methods._method import Method
from classex.methods.gaussian_process import GaussianProcessDistribution, probit_of_last
from classex.predict.intervals import coherent_ends, resampled_ends, rescaled, shorter_lists, target_variance
from classex.predict.known import ACCURACY, KnownCurve, ObservedCurve
from classex.predict.resampling import resampled_variance

__all__ = ["ContinuedCurve", "FittedCurve", "ResampledCurve"]


@dataclass(frozen=True)
class FittedCurve(ABC):
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
    lack_of_fit : LackOfFit or None
        Distance of the fit from the observed accuracies; None without ranks.
    """

    method: Method
    distribution: Distribution
    known: KnownCurve
    average: Average
    scores: NDArray[Any] | None = None
    lack_of_fit: LackOfFit | None = None

    @property
    def departure(self) -> str | None:
        """What the data say about the curve that is unusual, or None."""
        return None

    @abstractmethod
    def predict(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Mean of a function of the rank for each number of classes."""

    @abstractmethod
    def standard_error(
        self, sizes: FloatArray, metric: RankMetric, n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Standard errors of the predictions as estimates of the average."""

    @abstractmethod
    def _ends(
        self,
        sizes: FloatArray,
        lists: tuple[RankMetric, ...],
        level: float,
        target: str,
        n_repeats: int | None,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> tuple[FloatArray, FloatArray]:
        """Ends for each metric, (n_metrics, n, 2), and standard errors of the last metric, (n,)."""

    def assess(
        self,
        sizes: FloatArray,
        metric: RankMetric,
        level: float,
        target: str,
        n_repeats: int | None,
        n_resamples: int = 100,
        rng: np.random.Generator | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Intervals (n, 2) and standard errors (n,)."""
        ranks = self.known.ranks if isinstance(self.known, ObservedCurve) else None
        if target != "average" and ranks is None:
            raise ValueError(f"target must be 'average' after fit_curve or with weights, not {target!r}")
        if target != "average" and self.average == "points" and ranks is not None and not ranks.class_balanced:
            raise ValueError(f"target must be 'average' with average='points', not {target!r}")
        lists = shorter_lists(metric.top) if ranks is not None and metric.top is not None else (metric,)
        generator = np.random.default_rng(0) if rng is None else rng
        ends, error = self._ends(sizes, lists, level, target, n_repeats, n_resamples, generator)
        falling = target != "fresh" and metric.falls(sizes)
        return coherent_ends(ends, self.predict(sizes, metric), sizes, falling), error


class ContinuedCurve(FittedCurve):
    """The observed curve, and the posterior of a `GaussianProcess` beyond it, which goes on from the curve's end.

    Up to k1 classes the value, its error and its interval are the curve's own. Beyond, an accuracy is the posterior
    median, given the last one. Another metric is that of the distribution, which agrees with both best; what it misses
    with k1 classes fades as k1 / K. Intervals are quantiles of the posterior, where the last value lies within its own
    interval; those of another metric start from its own, and grow as those of an accuracy that is as hard.
    """

    distribution: GaussianProcessDistribution

    @property
    def departure(self) -> str | None:
        """The kind of curve that the data make likely, if it is not the usual one."""
        return self.distribution.posterior(self._end).departure

    @property
    def _end(self) -> FloatArray:
        """Number of observed classes."""
        return np.array([float(self.known.n_observed)])

    def predict(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """The observed curve, and beyond it the posterior median."""
        low, width = metric.span(sizes)
        found = self._posterior(sizes)
        lists = (metric,) if metric.top is None else shorter_lists(metric.top)
        out = np.array(low + width * special.ndtr(np.max([self._probit(sizes, one, found) for one in lists], axis=0)))
        if self.known.gives(metric):
            near = self.known.within(sizes)
            if near.any():
                out[near] = self.known.values(sizes[near], metric)
            if metric.falls(sizes):
                far = sizes > self.known.n_observed
                out[far] = np.minimum(out[far], (low + width * self.known.share(self._end, metric))[far])
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
        first, *others = self._hardness(sizes, metric).spread(self._last(ACCURACY, 0.95)[1])
        own = self._last(metric, 0.95)[1] if self.known.gives(metric) else first
        z = self._probit(sizes, metric, self._posterior(sizes))
        out = metric.span(sizes)[1] * density(z) * _grown(own, np.array(others), np.array(first))
        near = self.known.within(sizes)
        if self.known.gives(metric) and near.any():
            out[near] = self.known.read(sizes[near], metric, 0.95)[1]
        return np.asarray(out)

    def _hardness(self, sizes: FloatArray, metric: RankMetric) -> Posterior:
        """The posterior of the accuracy with as many classes as are as hard, first with all observed classes."""
        every = np.append(float(self.known.n_observed), sizes)
        return self._posterior(_as_hard(every, metric.top or 1))

    def _posterior(self, sizes: FloatArray) -> Posterior:
        return self.distribution.posterior(np.maximum(sizes, 2.0))

    def _probit(self, sizes: FloatArray, metric: RankMetric, found: Posterior) -> FloatArray:
        """Probit of the predicted metric, on the scale from its least to its largest value."""
        if metric.top == 1:
            return found.quantiles([0.5])[:, 0]
        fitted = partial(share_of, self.distribution, metric=metric)
        moved = probit(fitted(sizes))
        if self.known.gives(metric):
            missed = probit_of_last(self.known.share(self._end, metric), self.known.n_points) - probit(
                fitted(self._end)
            )
            moved += missed * np.minimum(self._end / sizes, 1.0)
        return moved

    def _last(self, metric: RankMetric, level: float) -> tuple[FloatArray, float]:
        """Ends of the interval with k1 classes, and the standard error there, as distances of probits."""
        low, width = metric.span(self._end)
        value, error, ends = self.known.read(self._end, metric, level)
        share, (first, second) = (value - low) / width, ((ends - low) / width)[0]
        z = probit_of_last(share, self.known.n_points)
        distance = np.maximum(np.array([-1.0, 1.0]) * (_open(np.array([first, second])) - z), 0.0)
        return distance, float((error / width / density(z))[0])

    def _ends(
        self,
        sizes: FloatArray,
        lists: tuple[RankMetric, ...],
        level: float,
        target: str,
        n_repeats: int | None,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> tuple[FloatArray, FloatArray]:
        found = self._posterior(sizes)
        ends = [self._interval(sizes, metric, found, level, target, n_repeats) for metric in lists]
        return np.array(ends), self.standard_error(sizes, lists[-1], n_resamples, rng)

    def _interval(
        self,
        sizes: FloatArray,
        metric: RankMetric,
        found: Posterior,
        level: float,
        target: str,
        n_repeats: int | None,
    ) -> FloatArray:
        """Ends of the intervals for one metric, (n, 2)."""
        (low, width), normal = metric.span(sizes), float(special.ndtri(0.5 + level / 2))
        hard, levels = self._hardness(sizes, metric), [0.5 - level / 2, 0.5 + level / 2]
        z = self._probit(sizes, metric, found)
        distance = np.abs(hard.quantiles(levels, *self._last(ACCURACY, level)[0] / normal) - hard.quantiles([0.5]))
        own = self._last(metric, level)[0] if self.known.gives(metric) else distance[0]
        away = _grown(own, distance[1:], distance[0]) * np.array([-1.0, 1.0])
        near = self.known.within(sizes) & (sizes > (metric.top or 1))
        if self.known.gives(metric):
            most = (self.known.read(self._end, metric, level)[2] - metric.span(self._end)[0]) / metric.span(self._end)[
                1
            ]
            if metric.falls(sizes):
                far = sizes > self.known.n_observed
                away[far] = np.minimum(away[far], _open(most) - z[far, np.newaxis])
            if near.any():
                own = (self.known.read(sizes[near], metric, level)[2] - low[near, np.newaxis]) / width[near, np.newaxis]
                z[near] = probit(self.known.share(sizes[near], metric))
                away[near] = _open(own) - z[near, np.newaxis]
        if target != "average" and isinstance(self.known, ObservedCurve):
            average = np.square(self.standard_error(sizes, metric) / width)
            whole = target_variance(
                self.distribution,
                self.known.ranks,
                sizes,
                metric,
                target=target,
                variance=average,
                n_repeats=n_repeats,
            )
            extra = np.square(normal / density(z)) * (whole - average)
            square = np.maximum(np.square(away) + extra[:, np.newaxis], 0.1 * np.square(away))
            away = np.sqrt(square) * np.array([-1.0, 1.0])
        return rescaled(np.asarray(special.ndtr(z[:, np.newaxis] + away)), low, width)


class ResampledCurve(FittedCurve):
    """A fitted distribution whose intervals come from its variance: in closed form, or from random sets of classes."""

    def predict(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Mean of a function of the rank for each number of classes."""
        return metric_of(self.distribution, sizes, metric)

    def standard_error(
        self, sizes: FloatArray, metric: RankMetric, n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Standard errors of the predictions as estimates of the average."""
        return np.asarray(np.sqrt(self._variance(sizes, (metric,), n_resamples, rng)[0]))

    def _variance(
        self, sizes: FloatArray, metrics: tuple[RankMetric, ...], n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Sampling variance of the predictions for each metric, (n_metrics, n_sizes)."""
        closed = [metric_variance(self.distribution.variance, sizes, metric) for metric in metrics]
        if all(variance is not None for variance in closed) or not isinstance(self.known, ObservedCurve):
            return np.array(closed, dtype=np.float64)
        data = self.distribution, self.known.ranks
        variance = resampled_variance(
            *data, self.scores, sizes, metrics, method=self.method, n_resamples=n_resamples, rng=rng
        )
        variance = self.method.complete_variance(*data, variance, sizes, metrics)
        # only classes were left out: what units add to the probit at the end of the known curve is added everywhere
        for row, metric in zip(variance, metrics, strict=True):
            row += self.known.variance_of_units(metric) * np.square(self._slope(sizes, metric))
        return variance

    def _slope(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Slope of the fitted metric by its probit on a scale to 1."""
        return metric.span(sizes)[1] * density(probit(share_of(self.distribution, sizes, metric)))

    def _freedom(self, variance: FloatArray, sizes: FloatArray, metric: RankMetric, over_classes: int) -> FloatArray:
        """Degrees of freedom of the variance of the predictions, given those over classes."""
        ranks = self.known.ranks if isinstance(self.known, ObservedCurve) else None
        if ranks is None or ranks.point_units is None:
            return np.full(sizes.size, float(over_classes))
        whole = variance / np.square(self._slope(sizes, metric))
        part = np.minimum(self.known.variance_of_units(metric), whole)
        return satterthwaite(whole - part, over_classes, part, int(ranks.point_units.max()))

    def _ends(
        self,
        sizes: FloatArray,
        lists: tuple[RankMetric, ...],
        level: float,
        target: str,
        n_repeats: int | None,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> tuple[FloatArray, FloatArray]:
        variance = self._variance(sizes, lists, n_resamples, rng)
        if not isinstance(self.known, ObservedCurve):
            raise TypeError(f"{type(self.method).__name__} needs ranks for intervals")
        ends, over_classes = [], self.method.resampling.freedom(self.known.n_units, n_resamples)
        for metric, row in zip(lists, variance, strict=True):
            freedom = self._freedom(row, sizes, metric, over_classes)
            about: dict[str, Any] = {"level": level, "target": target, "n_repeats": n_repeats}
            about["refuted"] = self.lack_of_fit is not None and self.lack_of_fit.refuted
            ends.append(
                resampled_ends(
                    self.distribution, self.known.ranks, sizes, metric, variance=row, freedom=freedom, **about
                )
            )
        return np.array(ends), np.sqrt(variance[-1])


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
    if top == 1:
        return np.maximum(sizes, 2.0)
    tiny = np.finfo(float).tiny
    half = np.clip(special.betaincinv(float(top), np.maximum(sizes - top, tiny), 0.5), tiny, 0.5)
    return np.asarray(np.maximum(1 + np.log(0.5) / np.log1p(-half), 2.0))


def _open(share: FloatArray) -> FloatArray:
    """Probits of ends; infinite where nothing speaks against a value of 1."""
    return np.asarray(np.where(share >= 1, np.inf, probit(share)))
