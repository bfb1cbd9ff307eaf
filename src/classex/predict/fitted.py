"""A fitted distribution beside what the data show: predictions, standard errors and intervals from both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._estimates import LackOfFit
from classex._rates import density, probit
from classex._types import Average, FloatArray
from classex.curves.metrics import RankMetric
from classex.curves.units import satterthwaite
from classex.distributions.distribution import Distribution, metric_of, metric_variance, share_of
from classex.methods._method import Method
from classex.predict.departures import Departures
from classex.predict.intervals import NORMAL, coherent_ends, distribution_interval, shorter_lists
from classex.predict.known import Curve, KnownCurve, ObservedCurve, remembered
from classex.predict.resampling import resampled_variance

__all__ = ["FittedCurve"]


@dataclass(frozen=True)
class FittedCurve:
    """What an estimator has after a fit. Its functions take arguments that were checked.

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
    departures : Departures or None
        What contradicts the method's assumption; None for methods that are not held to the observed curve.
    """

    method: Method
    distribution: Distribution
    known: KnownCurve
    average: Average
    scores: NDArray[Any] | None = None
    lack_of_fit: LackOfFit | None = None
    departures: Departures | None = None

    def predict(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Mean of a function of the rank for each number of classes."""
        if not self._is_held(metric):
            return metric_of(self.distribution, sizes, metric)
        low, width = metric.span(sizes)
        return low + width * self.known.predicted(self._share(metric), sizes, metric)

    def errors(self, variance: FloatArray, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Standard errors of the predictions, from the variance of the method's own."""
        held = self._is_held(metric)
        return self.known.errors(variance, self._share(metric), sizes, metric) if held else np.sqrt(variance)

    def _is_held(self, metric: RankMetric) -> bool:
        return self.departures is not None and self.known.gives(metric)

    def _share(self, metric: RankMetric) -> Curve:
        """The fitted metric on the scale from its least to its largest value."""
        return partial(share_of, self.distribution, metric=metric)

    def variance(
        self, sizes: FloatArray, metrics: tuple[RankMetric, ...], n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Sampling variance of the method's own predictions for each metric, (n_metrics, n_sizes)."""
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
        return metric.span(sizes)[1] * density(probit(self._share(metric)(sizes)))

    def _freedom(self, variance: FloatArray, sizes: FloatArray, metric: RankMetric, over_classes: int) -> FloatArray:
        """Degrees of freedom of the variance of the predictions, given those over classes."""
        ranks = self.known.ranks if isinstance(self.known, ObservedCurve) else None
        if ranks is None or ranks.point_units is None:
            return np.full(sizes.size, float(over_classes))
        whole = variance / np.square(self._slope(sizes, metric))
        part = np.minimum(self.known.variance_of_units(metric), whole)
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
    ) -> tuple[FloatArray, FloatArray]:
        """Intervals (n, 2) and standard errors (n,)."""
        value, known = self.predict(sizes, metric), self.known
        ranks = known.ranks if isinstance(known, ObservedCurve) else None
        lists = shorter_lists(metric.top) if ranks is not None and metric.top is not None else (metric,)
        variance = self.variance(sizes, lists, n_resamples, np.random.default_rng(0) if rng is None else rng)
        if target != "average" and ranks is None:
            raise ValueError(f"target must be 'average' after fit_curve or with weights, not {target!r}")
        if target != "average" and self.average == "points" and ranks is not None and not ranks.class_balanced:
            raise ValueError(f"target must be 'average' with average='points', not {target!r}")
        options: dict[str, Any] = {"level": level, "target": target, "n_repeats": n_repeats}
        options["departures"] = self.departures
        freedoms: list[Any] = [NORMAL] * len(lists)
        if ranks is not None and self.lack_of_fit is not None:
            options["refuted"] = self.lack_of_fit.refuted
            over_classes = self.method.resampling.freedom(ranks.n_units, n_resamples)
            freedoms = [self._freedom(row, sizes, one, over_classes) for one, row in zip(lists, variance, strict=True)]
        ends = [
            distribution_interval(
                self.distribution, remembered(self._share(one)), known, sizes, one, variance=row, freedom=df, **options
            )
            for one, row, df in zip(lists, variance, freedoms, strict=True)
        ]
        falling = target != "fresh" and metric.falls(sizes)
        return coherent_ends(np.array(ends), value, sizes, falling), self.errors(variance[-1], sizes, metric)
