"""From the variance of a law's accuracies to the ends of an interval."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._rates import varies
from classex.curves.accuracy import accuracy_covariance, accuracy_curve
from classex.curves.class_subsets import distractor_ratio
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.distributions.distribution import Distribution, metric_of, variance_of
from classex.intervals.departures import Departures, hold_to_data
from classex.methods.probit_normal import ProbitNormal
from classex.results import CorrectRanks, LackOfFit

__all__ = [
    "TARGETS",
    "check_fit",
    "coherent_ends",
    "distribution_interval",
    "interval_ends",
    "lack_of_fit",
    "shorter_lists",
    "target_variance",
]

TARGETS = ("average", "fresh", "superset")
_LEAST = 1e-12
_MOST_TOPS = 24

FloatArray = NDArray[np.float64]


def distribution_interval(
    distribution: Distribution,
    ranks: CorrectRanks,
    sizes: FloatArray,
    metric: RankMetric,
    *,
    variance: FloatArray,
    level: float,
    freedom: int,
    refuted: bool,
    target: str = "average",
    n_repeats: int | None = None,
    departures: Departures | None = None,
) -> FloatArray:
    """Return the ends for each number of classes, shape (n, 2), from the variance of the law's own predictions.

    Metrics are brought to the scale of accuracies, from 0 to 1, by the least and the largest value they can take.

    A law that the observed accuracy refutes (`refuted`, see `check_fit`) may predict 1e-9, around which no variance
    makes an interval wide. Where the interval of such a law leaves out the prediction of the probit-normal law, which
    follows most curves, it reaches as far as the interval of that law.

    Where `departures` are given, even empty ones, the law's variance counts every way in which its curve may go on. The
    interval is then held to what the observed curve shows (see `hold_to_data`), and nothing else is added.

    Otherwise, if every test point is right, or every one wrong, subsets of the classes tell nothing of what is unknown
    yet. The interval then reaches as far as that of a probit-normal law with its weak prior, worth about one test
    point, and to the end of the scale that the data do not speak against.
    """
    low, width = metric.span(sizes)
    options: dict[str, Any] = {"target": target, "n_repeats": n_repeats}

    def own(distribution: Distribution, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        average = variance / np.square(width)
        if departures is None:
            average = average + lack_of_fit(distribution, ranks, sizes, metric)
        total = target_variance(distribution, ranks, sizes, metric, variance=average, **options)
        return interval_ends(_share(distribution, sizes, metric), total, level, freedom), np.maximum(
            total - average, 0.0
        )

    ends, more = own(distribution, variance)
    if departures is not None:
        low, width = low[:, np.newaxis], width[:, np.newaxis]
        extra = special.stdtrit(max(freedom, 1), 0.5 + level / 2) ** 2 * more
        held: dict[str, Any] = {"departures": departures, "level": level, "target": target, "extra": extra}
        return hold_to_data(low + width * ends, ranks, sizes, metric, **held)
    if refuted:
        other = ProbitNormal().fit(ranks)
        wide, _ = own(other, _known(variance_of(other, sizes, metric)))
        value = _share(other, sizes, metric)
        below, above = value < ends[:, 0], value > ends[:, 1]
        ends[below, 0], ends[above, 1] = wide[below, 0], wide[above, 1]
    all_right = bool((ranks.losses + ranks.ties == 0).all())
    all_wrong = bool((ranks.wins + ranks.ties == 0).all())
    if all_right or all_wrong:
        prior = ProbitNormal().fit(ranks)
        least = _known(variance_of(prior, sizes, metric)) / np.square(width)
        least = target_variance(prior, ranks, sizes, metric, variance=least, **options)
        wide = probit_ends(_share(prior, sizes, metric), least, level, freedom)
        open_ = sizes > (1 if metric.top is None else metric.top)
        falls = metric.falls(sizes)
        ends[open_, 0] = 0.0 if all_wrong and falls else np.minimum(ends[open_, 0], wide[open_, 0])
        ends[open_, 1] = 1.0 if all_right and falls else np.maximum(ends[open_, 1], wide[open_, 1])
    out: FloatArray = low[:, np.newaxis] + width[:, np.newaxis] * ends
    return out


def _share(distribution: Distribution, sizes: FloatArray, metric: RankMetric) -> FloatArray:
    """A metric on the scale from its least to its largest value; an accuracy as it is."""
    low, width = metric.span(sizes)
    return (metric_of(distribution, sizes, metric) - low) / width


def _known(variance: FloatArray | None) -> FloatArray:
    if variance is None:  # pragma: no cover - the callers' laws have one
        raise AssertionError
    return variance


def coherent_ends(ends: FloatArray, values: FloatArray, sizes: FloatArray, falling: bool) -> FloatArray:
    """Return the ends for the last of several `top`, shapes (n_tops, n, 2) and (n,), such that no two disagree.

    An accuracy is at least that of a shorter list of guesses, so the ends never fall as `top` grows. Where `falling`,
    that is where one quantity is followed as the number of classes grows, it is at least that with more classes,
    and at most that with fewer: the ends never rise with the number of classes.
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


def check_fit(distribution: Distribution, ranks: CorrectRanks) -> LackOfFit:
    """Compare a law with the accuracies observed with all classes and with a quarter of them."""
    k1 = ranks.largest_subset
    at = np.array([k1, max(round(k1 / 4), 2)])[: 1 if k1 <= 2 else 2]
    if not ranks.evenly_sampled:  # averages over subsets may be biased
        return LackOfFit(at[:0], *np.empty((3, 0)))
    curve = accuracy_curve(ranks, at)
    predicted = metric_of(distribution, at.astype(np.float64), as_rank_metric("accuracy"))
    # where all points are right, or wrong, nothing varies: then the spread that the prediction itself implies
    implied = np.maximum(np.sqrt(predicted * (1 - predicted) / ranks.n_tested), 1.0 / (ranks.n_tested + 1))
    error = np.where(varies(curve.standard_error, curve.accuracy), curve.standard_error, implied)
    return LackOfFit(at, predicted, curve.accuracy, error)


def lack_of_fit(distribution: Distribution, ranks: CorrectRanks, sizes: FloatArray, metric: RankMetric) -> FloatArray:
    """Squared error that the fitted curve betrays where it can be checked, carried on to other numbers of classes.

    The accuracies observed at k1 and at k1 / 4 classes are unbiased. What the fit misses there, on the probit
    scale, is continued as a straight line in log K, and counts where it exceeds its own standard error: a method
    that follows the observed curve loses nothing, one whose assumption fails is less sure of itself. Other metrics
    are treated likewise, on the scale from their least to their largest value.
    """
    k1 = ranks.largest_subset
    low = max(round(k1 / 4), 2 if metric.top is None else metric.top + 1)
    if low >= k1 or not ranks.evenly_sampled:
        return np.zeros_like(sizes)
    at = np.array([low, k1], dtype=np.float64)
    least, width = metric.span(at)
    fitted = _share(distribution, at, metric)
    slope = _probit_density(fitted)
    missed = ((accuracy_curve(ranks, at, metric=metric).accuracy - least) / width - fitted) / slope
    covariance = accuracy_covariance(ranks, at, metric=metric) / np.outer(slope * width, slope * width)
    beyond = np.maximum(np.log(sizes / k1) / np.log(k1 / low), -1.0)
    line = np.stack([-beyond, 1 + beyond], axis=1)
    square = np.square(line @ missed)
    chance = np.einsum("ki,ij,kj->k", line, covariance, line)
    here = _probit_density(_share(distribution, sizes, metric))
    out: FloatArray = np.where(square > chance, square, 0.0) * np.square(here)
    return out


def _probit_density(value: FloatArray) -> FloatArray:
    """Slope of the normal distribution function where it takes a value."""
    z = special.ndtri(np.clip(value, _LEAST, 1 - _LEAST))
    density: FloatArray = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return density


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

    A set of K classes is around the average with variance (b + (w + e) / r) / K: b is the variance of the points'
    chances between classes, w that within, e the chance itself, r the points a class. Against a fresh set this adds up.
    A set that holds the observed classes shares b with the estimate, which takes b / K away. If it is tested with the
    observed points, w is shared too: b / K and 2 w / (r K) go, (w + e) / (r K) comes.
    """
    if target == "average":
        return variance
    mean = _share(distribution, sizes, metric)
    spread = mean * (1 - mean)
    points = spread
    if metric.top == 1:
        # E[U^(2K-2)] - E[U^(K-1)]^2: how much the favourability of points varies at K, at most p (1 - p)
        points = np.clip(_share(distribution, 2 * sizes - 1, metric) - mean**2, 0, spread)
    elif metric.top is None:
        square = metric_of(distribution, sizes, metric.squared()) - np.square(metric_of(distribution, sizes, metric))
        points = spread = np.clip(square / np.square(metric.span(sizes)[1]), 0, spread)
    low, high = _between_share(ranks)
    ratio = distractor_ratio(ranks)
    # with one point a class b is not known: the larger it is, the wider the interval, unless the points are shared
    between = (low if target == "superset" and n_repeats is None else high) * points
    within = 0.0 if n_repeats is None else (spread - between) / n_repeats
    if target == "superset":
        seen = ranks.n_points / ranks.n_tested
        shared = ratio * (between if n_repeats is None else between + 2 * (points - between) / seen)
        return np.maximum(variance + (within - shared) / sizes, 0.1 * variance)
    total: FloatArray = variance + (ratio * between + within) / sizes
    return total


def _between_share(ranks: CorrectRanks) -> tuple[float, float]:
    """Share of the variance of the points' accuracy that lies between classes: a lower and an upper guess.

    With one test point a class it cannot be told, and the guesses are 0 and 1.
    """
    labels = np.unique(ranks.labels, return_inverse=True)[1]  # classes without test points have no say
    count = np.bincount(labels)
    if count.min() < 2:
        return 0.0, 1.0
    alone = replace(ranks, distractors=None)
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


def probit_ends(value: FloatArray, variance: FloatArray, level: float, df: int) -> FloatArray:
    """Return the ends of a t interval on the probit scale: shape (n, 2)."""
    inside = np.clip(value, _LEAST, 1 - _LEAST)
    z = special.ndtri(inside)
    half = special.stdtrit(max(df, 1), 0.5 + level / 2) * np.sqrt(variance) / _probit_density(inside)
    ends: FloatArray = special.ndtr(np.stack([z - half, z + half], axis=1))
    return ends


def interval_ends(value: FloatArray, variance: FloatArray, level: float, df: int) -> FloatArray:
    """Return the ends of a t interval, symmetric on the probit scale: shape (n, 2).

    The probit scale stretches accuracies near 0 and 1 without limit, where a standard error measured on the
    accuracy scale no longer translates; the ends stay within twice the half-width on the accuracy scale.
    """
    ends = probit_ends(value, variance, level, df)
    plain = special.stdtrit(max(df, 1), 0.5 + level / 2) * np.sqrt(variance)
    ends[:, 0] = np.maximum(ends[:, 0], value - 2 * plain)
    ends[:, 1] = np.minimum(ends[:, 1], value + 2 * plain)
    # a prediction at the very end of the scale stays inside its own interval
    ends[:, 0] = np.minimum(ends[:, 0], value)
    ends[:, 1] = np.maximum(ends[:, 1], value)
    return ends


def shorter_lists(top: int) -> tuple[RankMetric, ...]:
    """Top-m accuracies with lists of guesses up to `top`: all of them, or some where there are many."""
    lengths = range(1, top + 1) if top <= _MOST_TOPS else np.unique(np.geomspace(1, top, _MOST_TOPS).round())
    return tuple(as_rank_metric("accuracy", int(m)) for m in lengths)
