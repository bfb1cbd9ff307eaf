r"""What in the ranks contradicts the usual shape of an accuracy curve, and intervals that allow for it.

The default's intervals rest on how accuracy curves usually continue. Two findings in the ranks contradict that:

- *flat*: at its end the observed curve falls much less steeply than the fitted curve falls beyond it;
- *alike*: the test points are all equally hard, so that the curve will fall like :math:`u^{K-1}`.

If one of them holds, the interval extends to the limits that hold for every distribution of the favourability (see
`classex.intervals.moment_limits`): to the upper one if the curve is flat, to the lower one if points are alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._rates import rate_interval, varies
from classex.curves.accuracy import accuracy_curve
from classex.curves.metrics import RankMetric
from classex.distributions.distribution import Distribution, confined_accuracy
from classex.distributions.wins import collapse_wins, log_choose, probit_normal_log_pmf
from classex.intervals.reliance import ObservedCurve
from classex.methods.probit_normal import ProbitNormal

__all__ = ["Departures", "find_departures", "hold_to_data"]

FloatArray = NDArray[np.float64]

# Distance of a probability from 0 and 1 at which its probit is cut off, at 7: far beyond any curve that is observed
_LEAST = 1e-12
# The predicted slope is that of the next tenfold of K, the unit of the slopes in the default's prior
_DECADE = 10.0
# Ratio of observed to predicted slope: 0.73 or more for real curves (syllables, names: least), 0.6 or less if flat
_FLATTER = 0.7
# Two-sided level of the observed slope's interval: its upper end is a one-sided 95 % limit
_FLAT_LEVEL = 0.9
# Least usual standard deviation of the probit of favourability: real classifiers of the suite have 0.37 or more
_LEAST_SPREAD = 0.35
# Nats by which equal points must fit better than points of that spread: a likelihood ratio of e, by convention
_BETTER = 1.0


@dataclass(frozen=True)
class Departures:
    """What contradicts the usual shape of a curve."""

    flat: bool = False
    alike: bool = False

    def __bool__(self) -> bool:
        """Whether anything does."""
        return self.flat or self.alike

    def __str__(self) -> str:
        """One or two sentences, or nothing."""
        if not self:
            return ""
        found = ["the observed curve hardly falls at its end"] * self.flat
        found += ["the test points seem to be all equally hard"] * self.alike
        side = "both ends" if len(found) > 1 else "the upper end" if self.flat else "the lower end"
        reach = "reach" if len(found) > 1 else "reaches"
        return (
            f"The data contradict the method's assumption: {' and '.join(found)}. Therefore {side} of the intervals"
            f" {reach} as far as the observed curve alone allows, and the predictions may be far off."
        )


def find_departures(distribution: Distribution, observed: ObservedCurve) -> Departures:
    """Look for what contradicts the usual shape of a curve; two classes show no shape."""
    if observed.ranks.largest_subset < 3:
        return Departures()
    return Departures(_is_flat(distribution, observed), _are_alike(observed))


def _is_flat(distribution: Distribution, observed: ObservedCurve) -> bool:
    """Whether the observed curve falls much less at its end than the fitted one over the next decade of K."""
    k1, n = observed.ranks.largest_subset, observed.ranks.n_points
    at = np.array([k1, _DECADE * k1])
    probit = _probit(confined_accuracy(distribution, at))
    density = np.exp(-0.5 * probit[0] ** 2) / np.sqrt(2 * np.pi)
    expected = float(density * (probit[0] - probit[1]) / np.log(_DECADE))
    share, error = observed.beaten_once
    # every point counts, also if those of a class err together: too quick a finding only widens the interval
    error = max(error, np.sqrt(share * (1 - share) / n))
    steepest = rate_interval(np.array([share]), np.array([error]), n, _FLAT_LEVEL)[0, 1]
    return bool(steepest < _FLATTER * expected)


def _are_alike(observed: ObservedCurve) -> bool:
    """Whether one favourability for all points fits the wins better than the smallest usual spread."""
    counts = collapse_wins(observed.ranks)
    u = np.clip(float(counts.weight @ (counts.wins / counts.n_wrong)), _LEAST, 1 - _LEAST)
    equal = log_choose(counts.n_wrong, counts.wins)
    equal = equal + counts.wins * np.log(u) + (counts.n_wrong - counts.wins) * np.log1p(-u)
    usual = ProbitNormal(nu=_LEAST_SPREAD).fit(observed.ranks)
    spread, _ = probit_normal_log_pmf(counts.wins, counts.n_wrong, usual.mu, usual.nu)
    # points of a class that err together are worth fewer independent ones
    value, error = (float(one[0]) for one in (observed.accuracies.accuracy, observed.accuracies.standard_error))
    worth = float(observed.ranks.n_points)
    if varies(error, value):
        worth = min(worth, value * (1 - value) / error**2)
    return bool(worth * float(counts.weight @ (equal - spread)) > _BETTER)


def hold_to_data(
    ends: FloatArray,
    observed: ObservedCurve,
    sizes: FloatArray,
    metric: RankMetric,
    *,
    departures: Departures,
    level: float,
    target: str,
    value: Callable[[FloatArray], FloatArray],
    extra: FloatArray,
) -> FloatArray:
    """Return the ends, shape (n, 2), held to what the observed curve shows by itself.

    All ends are on the scale from the metric's least to its largest value. Up to the k1 observed classes the interval
    for the average is the curve's own. From there to twice as many it passes over to that of the fit, evenly in log K
    on the probit scale, and falls as the predicted `value` does. Beyond k1 it never lies above the curve's own interval
    with k1 classes. If `departures` were found it extends to the limits that hold for every distribution; `extra` is
    what the variance of a single set of classes adds to the square of half an interval.
    """
    k1, open_ = observed.ranks.largest_subset, 1 if metric.top is None else metric.top
    if k1 <= open_ or not metric.falls(sizes):  # all accuracies that were observed are 1
        return ends
    out = ends.copy()
    far = sizes > k1
    end = np.array([float(k1)])
    own = observed.accuracies.interval(level)[0] if metric.top == 1 else _own_ends(observed, end, metric, level)[0]
    if departures and far.any():
        # an accuracy's lower limit is below any falling metric; the upper limit is the curve's own end at k1
        least = observed.limits(sizes[far], level)[:, 0]
        centre = 0.5 * (least + own[1])
        half = np.sqrt(np.square(centre - least) + extra[far])
        if departures.alike:
            out[far, 0] = np.minimum(out[far, 0], np.maximum(centre - half, 0.0))
        if departures.flat:
            out[far, 1] = np.maximum(out[far, 1], np.minimum(centre + half, 1.0))
    if target == "average":
        fall = _probit(value(sizes[far])) - _probit(value(end))
        out[far] = _passed_over(np.minimum(out[far], own), own, sizes[far] / k1, np.minimum(fall, 0.0))
        near = ~far & (sizes > open_)
        if near.any():
            out[near] = _own_ends(observed, sizes[near], metric, level)
    else:
        out[far, 0] = np.minimum(out[far, 0], own[0])
    return out


def _own_ends(observed: ObservedCurve, sizes: FloatArray, metric: RankMetric, level: float) -> FloatArray:
    """Interval of the observed curve on the scale from the metric's least to its largest value: (n, 2)."""
    low, width = (one[:, np.newaxis] for one in metric.span(sizes))
    return (accuracy_curve(observed.ranks, sizes, metric=metric).interval(level) - low) / width


def _passed_over(ends: FloatArray, own: FloatArray, ratio: FloatArray, fall: FloatArray) -> FloatArray:
    """Ends between those of the curve, moved by the fall since k1, and those of the fit from twice as many on."""
    share = np.clip(1 - np.log2(ratio), 0.0, 1.0)[:, np.newaxis]
    first = _probit(own) + fall[:, np.newaxis]
    return np.where(share > 0, special.ndtr(share * first + (1 - share) * _probit(ends)), ends)


def _probit(share: FloatArray) -> FloatArray:
    out: FloatArray = special.ndtri(np.clip(share, _LEAST, 1 - _LEAST))
    return out
