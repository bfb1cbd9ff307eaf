r"""What the ranks show against the usual shape of an accuracy curve, and intervals that count it.

The default's intervals rest on how accuracy curves usually go on. Two findings in the ranks contradict that:

- *flat*: at its end the observed curve falls much less steeply than the fitted curve falls beyond it;
- *alike*: the test points are all equally hard, so that the curve will fall like :math:`u^{K-1}`.

Where one of them holds, the interval extends to the limits that hold for every distribution of the favourability (see
`classex.intervals.moment_limits`): to the upper one if the curve is flat, to the lower one if points are alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._rates import rate_interval, varies
from classex.curves.accuracy import accuracy_curve
from classex.curves.metrics import RankMetric
from classex.distributions.distribution import Distribution, confined_accuracy
from classex.distributions.wins import collapse_wins, log_choose, probit_normal_log_pmf
from classex.intervals.reliance import moment_limits, share_beaten_once
from classex.methods.probit_normal import ProbitNormal
from classex.results import CorrectRanks

__all__ = ["Departures", "above_chance", "find_departures", "hold_to_data"]

FloatArray = NDArray[np.float64]

_LEAST = 1e-12
_DECADE = 10.0
# Highest ratio of the observed slope's upper limit to the predicted slope: syllables and names had 0.73 or more, flat
# curves 0.6 or less
_FLATTER, _FLAT_LEVEL = 0.7, 0.9
# nats by which equal points must fit better than points of the least usual spread on the probit scale: in the suite of
# recognisers no fitted spread was below 0.37
_BETTER, _LEAST_SPREAD = 1.0, 0.35


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
        found = []
        if self.flat:
            found.append("the observed curve hardly falls at its end")
        if self.alike:
            found.append("the test points seem to be all equally hard")
        if not found:
            return ""
        side = "both ends" if len(found) > 1 else "the upper end" if self.flat else "the lower end"
        reach = "reach" if side == "both ends" else "reaches"
        return (
            f"The data contradict the method's assumption: {' and '.join(found)}. Therefore {side} of the intervals"
            f" {reach} as far as the observed curve alone allows, and the predictions may be far off."
        )


def find_departures(distribution: Distribution, ranks: CorrectRanks) -> Departures:
    """Look for what contradicts the usual shape of a curve."""
    if not ranks.evenly_sampled or ranks.n_tested < 2 or ranks.largest_subset < 3:
        return Departures()
    return Departures(_is_flat(distribution, ranks), _are_alike(ranks))


def _is_flat(distribution: Distribution, ranks: CorrectRanks) -> bool:
    """Whether the observed curve falls much less at its end than the law says for the next decade of K."""
    k1 = ranks.largest_subset
    at = np.array([k1, _DECADE * k1])
    probit = special.ndtri(np.clip(confined_accuracy(distribution, at), _LEAST, 1 - _LEAST))
    density = np.exp(-0.5 * probit[0] ** 2) / np.sqrt(2 * np.pi)
    expected = float(density * (probit[0] - probit[1]) / np.log(_DECADE))
    share, error = share_beaten_once(ranks)
    # every point counts, also where those of a class err together: too quick a finding only widens the interval
    n = ranks.n_points
    error = max(error, np.sqrt(share * (1 - share) / n))
    steepest = rate_interval(np.array([share]), np.array([error]), n, _FLAT_LEVEL)[0, 1]
    return bool(steepest < _FLATTER * expected)


def _worth(ranks: CorrectRanks) -> float:
    """Number of independent points that the sample is worth: points of a class that err together count for fewer."""
    curve = accuracy_curve(ranks, ranks.largest_subset)
    value, error = float(curve.accuracy[0]), float(curve.standard_error[0])
    if not varies(error, value):
        return float(ranks.n_points)
    return min(float(ranks.n_points), value * (1 - value) / error**2)


def _are_alike(ranks: CorrectRanks) -> bool:
    """Whether one favourability for all points fits the wins better than the least usual spread."""
    counts = collapse_wins(ranks)
    u = np.clip(float(counts.weight @ (counts.wins / counts.n_wrong)), _LEAST, 1 - _LEAST)
    equal = log_choose(counts.n_wrong, counts.wins)
    equal = equal + counts.wins * np.log(u) + (counts.n_wrong - counts.wins) * np.log1p(-u)
    usual = ProbitNormal(nu=_LEAST_SPREAD).fit(ranks)
    spread, _ = probit_normal_log_pmf(counts.wins, counts.n_wrong, usual.mu, usual.nu)
    return bool(_worth(ranks) * float(counts.weight @ (equal - spread)) > _BETTER)


def above_chance(ranks: CorrectRanks, level: float = 0.95) -> bool:
    """Whether the observed accuracies with 2 and with all classes are at or above chance, within their errors."""
    if not ranks.evenly_sampled or ranks.n_tested < 2:
        return False
    at = np.array([2, ranks.largest_subset])
    return bool((accuracy_curve(ranks, at).interval(level)[:, 1] >= 1 / at).all())


def hold_to_data(
    ends: FloatArray,
    ranks: CorrectRanks,
    sizes: FloatArray,
    metric: RankMetric,
    *,
    departures: Departures,
    level: float,
    target: str,
    extra: FloatArray,
) -> FloatArray:
    """Return the ends, shape (n, 2), held to what the observed curve shows by itself.

    Up to the k1 observed classes the interval for the average is the curve's own. From there to twice as many it
    passes over to that of the law, evenly in log K on the probit scale, and beyond k1 it never lies above the curve's
    own interval with k1 classes. Where `departures` were found it extends to the limits that hold for every
    distribution; `extra` is what the variance of a single set of classes adds to the square of half an interval.
    """
    if not ranks.evenly_sampled or ranks.n_tested < 2 or not metric.falls(sizes):
        return ends
    k1, open_ = ranks.largest_subset, 1 if metric.top is None else metric.top
    if k1 <= open_:  # all accuracies that were observed are 1
        return ends
    low, width = metric.span(sizes)
    out = (ends - low[:, np.newaxis]) / width[:, np.newaxis]
    far = sizes > k1
    own = _own_share(ranks, np.array([float(k1)]), metric, level)[0]
    if departures and far.any():
        out[far] = _extended(out[far], ranks, sizes[far], own, departures=departures, level=level, extra=extra[far])
    if target == "average":
        out[far] = _passed_over(np.minimum(out[far], own), own, sizes[far] / k1)
        near = ~far & (sizes > open_)
        if near.any():
            out[near] = _own_share(ranks, sizes[near], metric, level)
    else:
        out[far, 0] = np.minimum(out[far, 0], own[0])
    held: FloatArray = low[:, np.newaxis] + width[:, np.newaxis] * out
    return held


def _own_share(ranks: CorrectRanks, sizes: FloatArray, metric: RankMetric, level: float) -> FloatArray:
    """Interval of the observed curve on the scale from the metric's least to its largest value: (n, 2)."""
    low, width = metric.span(sizes)
    ends = accuracy_curve(ranks, sizes, metric=metric).interval(level)
    out: FloatArray = (ends - low[:, np.newaxis]) / np.where(width > 0, width, 1.0)[:, np.newaxis]
    return out


def _extended(
    ends: FloatArray,
    ranks: CorrectRanks,
    sizes: FloatArray,
    own: FloatArray,
    *,
    departures: Departures,
    level: float,
    extra: FloatArray,
) -> FloatArray:
    """Ends that reach the limits of every distribution on the sides that the departures are about.

    The limits are those of accuracies, which no metric that falls is below; above is the curve's own end at k1.
    """
    least = moment_limits(ranks, sizes, confidence_level=level)[:, 0]
    centre = 0.5 * (least + own[1])
    half = np.sqrt(np.square(centre - least) + extra)
    out = ends.copy()
    if departures.alike:
        out[:, 0] = np.minimum(out[:, 0], np.maximum(centre - half, 0.0))
    if departures.flat:
        out[:, 1] = np.maximum(out[:, 1], np.minimum(centre + half, 1.0))
    return out


def _passed_over(ends: FloatArray, own: FloatArray, ratio: FloatArray) -> FloatArray:
    """Ends between those of the curve with k1 classes and, from twice as many on, those of the law."""
    share = np.clip(1 - np.log2(ratio), 0.0, 1.0)[:, np.newaxis]
    near = share[:, 0] > 0
    out = ends.copy()
    probit = special.ndtri(np.clip(np.stack([np.broadcast_to(own, ends.shape), ends]), _LEAST, 1 - _LEAST))
    out[near] = special.ndtr(share * probit[0] + (1 - share) * probit[1])[near]
    return out
