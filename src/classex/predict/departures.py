r"""What in the data contradicts the usual shape of an accuracy curve, and intervals that allow for it.

The default's intervals rest on how accuracy curves usually continue. Three findings contradict that:

- *flat*: at its end the observed curve falls less steeply than the fitted curve does beyond it;
- *steep*: it falls more steeply;
- *alike*: the test points are all equally hard, so that the curve will fall like :math:`u^{K-1}`.

If one of them holds, the interval extends to the limits that hold for every distribution of the favourability (see
`classex.predict.moment_limits`): to the upper one if the curve is flat, to the lower one if it is steep or points are
alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import special

from classex._rates import probit, rate_interval, varies
from classex._types import FloatArray
from classex.curves.metrics import RankMetric
from classex.distributions.wins import collapse_wins, log_choose
from classex.methods.curve_prior import CurvePrior
from classex.methods.probit_normal import most_likely
from classex.predict.known import ACCURACY, Curve, KnownCurve, ObservedCurve

__all__ = ["Departures", "blended", "find_departures", "joined_to_curve", "widened_by_departures"]


# The predicted slope is that of the next tenfold of K, the unit of the slopes in the default's prior
_DECADE = 10.0
# The observed slope contradicts the predicted one if it differs by this share of it and, besides, is smaller by one
# standard error or larger by half of one: a prediction that is too high is the greater fault. They are given as levels
# of intervals. Chosen on simulated and real curves, see benchmarks/suite
_BENT = 0.1
_ONE_ERROR, _HALF_ERROR = 0.68, 0.38
# Least usual standard deviation of the probit of favourability: real classifiers of the suite have 0.37 or more
_LEAST_SPREAD = 0.35
# Nats by which equal points must fit better than points of that spread: a likelihood ratio of e, by convention
_BETTER = 1.0


@dataclass(frozen=True)
class Departures:
    """What contradicts the usual shape of a curve."""

    flat: bool = False
    steep: bool = False
    alike: bool = False

    def __bool__(self) -> bool:
        """Whether anything does."""
        return self.flat or self.steep or self.alike

    def __str__(self) -> str:
        """One or two sentences, or nothing."""
        if not self:
            return ""
        signs = ["the observed curve falls less steeply at its end than predicted"] * self.flat
        signs += ["the observed curve falls more steeply at its end than predicted"] * self.steep
        signs += ["the test points seem to be all equally hard"] * self.alike
        both = self.flat and self.alike
        side = "both ends" if both else "the upper end" if self.flat else "the lower end"
        return (
            f"The data speak against the method's assumption: {' and '.join(signs)}. Therefore {side} of the intervals"
            f" {'reach' if both else 'reaches'} as far as the observed curve alone allows, and the predictions may be"
            " far off."
        )


def find_departures(fitted: Curve, prior: CurvePrior, known: KnownCurve) -> Departures:
    """Look for what contradicts the usual shape of a curve; two classes, or one accuracy, show no shape.

    The function `fitted` gives the accuracy with any number of classes, before it is linked to the known curve.
    """
    if known.n_observed < 3 or known.sizes.size < 2:
        return Departures()
    linked = partial(known.link(fitted, ACCURACY).shifted, fitted)
    return Departures(*_bends(linked, prior, known), isinstance(known, ObservedCurve) and _are_alike(known))


def _bends(fitted: Curve, prior: CurvePrior, known: KnownCurve) -> tuple[bool, bool]:
    """Whether the known curve falls less, or more, in its last step than the fitted one over the next decade of K.

    Both are compared with the fall that the mean of the prior has there.
    """
    sizes = np.array([known.last_step[0], known.n_observed, _DECADE * known.n_observed])
    here, beyond = probit(fitted(sizes[1:]))
    usual = -np.diff(prior.mean(np.maximum(sizes, 1.0)))
    back = (here - beyond) * usual[0] / usual[1]
    expected = known.points_per_fall * float(special.ndtr(here + back) - special.ndtr(here))
    share, error = known.last_fall
    # every point counts, also if those of a class err together: too quick a finding only widens the interval
    error = max(error, np.sqrt(share * (1 - share) / known.n_points))
    most, least = (
        float(rate_interval(np.array([share]), np.array([error]), known.n_points, level)[0, end])
        for level, end in ((_ONE_ERROR, 1), (_HALF_ERROR, 0))
    )
    return most < (1 - _BENT) * expected, least > (1 + _BENT) * expected


def _are_alike(observed: ObservedCurve) -> bool:
    """Whether one favourability for all points fits the wins better than the smallest usual spread."""
    counts = collapse_wins(observed.ranks)
    u = min(float(counts.weight @ (counts.wins / counts.n_wrong)), 1.0)
    equal = log_choose(counts.n_wrong, counts.wins)
    equal = equal + special.xlogy(counts.wins, u) + special.xlog1py(counts.n_wrong - counts.wins, -u)
    usual = most_likely(counts, _LEAST_SPREAD)[1]
    # points of a class that err together are worth fewer independent ones
    value, error = (float(column[0]) for column in (observed.accuracies.accuracy, observed.accuracies.standard_error))
    worth = float(observed.ranks.n_points)
    if varies(error, value):
        worth = min(worth, value * (1 - value) / error**2)
    return bool(worth * (float(counts.weight @ equal) - usual) > _BETTER)


def joined_to_curve(
    ends: FloatArray,
    known: KnownCurve,
    sizes: FloatArray,
    metric: RankMetric,
    *,
    departures: Departures,
    level: float,
    target: str,
    value: Curve,
    extra: FloatArray,
) -> FloatArray:
    """Return the ends, shape (n, 2), held to what the known curve shows by itself.

    All ends are on the scale from the metric's least to its largest value. Up to the k1 observed classes the interval
    for the average is the curve's own. From there to twice as many it passes over to that of the fit, evenly in log K
    on the probit scale, and falls as the predicted `value` does. Beyond k1 it never lies above the curve's own interval
    with k1 classes. If `departures` were found it extends to the limits that hold for every distribution; `extra` is
    what the variance of a single set of classes adds to the square of half an interval.
    """
    if not (known.gives(metric) and metric.falls(sizes)):
        return ends
    out, k1 = ends.copy(), known.n_observed
    far, end = sizes > k1, np.array([float(k1)])
    own = _own_ends(known, end, metric, level)[0]
    if departures and far.any():
        # an accuracy's lower limit is below any falling metric; the upper limit is the curve's own end at k1
        out[far] = widened_by_departures(
            out[far], departures, known.limits(sizes[far], level)[:, 0], own[1], extra[far]
        )
    if target == "average":
        fall = probit(value(sizes[far])) - probit(value(end))
        out[far] = blended(out[far], own, sizes[far] / k1, fall)
        near = known.within(sizes) & (sizes > (1 if metric.top is None else metric.top))
        if near.any():
            out[near] = _own_ends(known, sizes[near], metric, level)
    else:
        out[far, 0] = np.minimum(out[far, 0], own[0])
    return out


def widened_by_departures(
    ends: FloatArray, departures: Departures, least: FloatArray, most: float, extra: FloatArray
) -> FloatArray:
    """Ends that extend to the least or largest possible value on the side of a departure.

    `extra` is what the variance of a single set of classes adds to the square of half an interval.
    """
    out, centre = ends.copy(), 0.5 * (least + most)
    half = np.sqrt(np.square(centre - least) + extra)
    if departures.steep or departures.alike:
        out[:, 0] = np.minimum(out[:, 0], np.maximum(centre - half, 0.0))
    if departures.flat:
        out[:, 1] = np.maximum(out[:, 1], np.minimum(centre + half, 1.0))
    return out


def _own_ends(known: KnownCurve, sizes: FloatArray, metric: RankMetric, level: float) -> FloatArray:
    """Interval of the known curve on the scale from the metric's least to its largest value: (n, 2)."""
    low, width = (column[:, np.newaxis] for column in metric.span(sizes))
    return (known.read(sizes, metric, level)[2] - low) / width


def blended(ends: FloatArray, own: FloatArray, ratio: FloatArray, fall: FloatArray) -> FloatArray:
    """Ends between those of the curve, moved by the fall since k1, and those of the fit from twice as many on.

    None lies above the curve's own interval with k1 classes.
    """
    ends, share = np.minimum(ends, own), np.clip(1 - np.log2(ratio), 0.0, 1.0)[:, np.newaxis]
    first = probit(own) + np.minimum(fall, 0.0)[:, np.newaxis]
    return np.where(share > 0, special.ndtr(share * first + (1 - share) * probit(ends)), ends)
