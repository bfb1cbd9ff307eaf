"""From the variance of predicted accuracies to the ends of an interval."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from classex._estimates import LackOfFit
from classex._rates import density, probit, varies
from classex._types import FloatArray, Target
from classex._validation import as_positive_int
from classex.curves.accuracy import accuracy_covariance, accuracy_curve
from classex.curves.class_subsets import distractor_ratio
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.distributions.distribution import Distribution, confined_accuracy, metric_of, metric_variance, share_of
from classex.exceptions import LackOfFitWarning
from classex.methods.probit_normal import ProbitNormal
from classex.predict.known import ObservedCurve
from classex.ranks._ranks import CorrectRanks

__all__ = [
    "TARGETS",
    "check_fit",
    "coherent_ends",
    "lack_of_fit",
    "repeats_for",
    "resampled_ends",
    "rescaled",
    "shorter_lists",
    "target_variance",
    "warn_of_misfit",
]

TARGETS = get_args(Target)
# Lists of guesses whose intervals are compared: all up to here, evenly in the logarithm beyond
_MOST_TOPS = 24


def repeats_for(target: Target | None, n_repeats: int | None) -> int | None:
    """Return the checked number of test points per class of a set of classes; an average has none."""
    if n_repeats is not None and target in ("average", None):
        raise ValueError(f"n_repeats goes with target='fresh' or 'superset', not with target={target!r}")
    return None if n_repeats is None else as_positive_int(n_repeats, "n_repeats")


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
    ends = _widened_to_probit_normal(ends, ranks, sizes, metric, total, level=level, freedom=freedom, refuted=refuted)
    return rescaled(ends, low, width)


def _widened_to_probit_normal(
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
    other = ProbitNormal().fit(ranks)
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


def rescaled(ends: FloatArray, low: FloatArray, width: FloatArray) -> FloatArray:
    """Return ends on the scale of a metric, from those on the scale from 0 to 1."""
    return low[:, np.newaxis] + width[:, np.newaxis] * ends


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


def check_fit(distribution: Distribution, observed: ObservedCurve) -> LackOfFit:
    """Compare a fit with the accuracies observed with all classes and with a quarter of them."""
    n = observed.ranks.n_units
    if not observed.ranks.evenly_sampled:  # averages over subsets may be biased
        return LackOfFit(np.empty(0, dtype=np.int64), *np.empty((3, 0)))
    curve = observed.accuracies
    some = slice(0, 1 if curve.n_classes[0] == 2 else 2)
    sizes, value, error = curve.n_classes[some], curve.accuracy[some], curve.standard_error[some]
    predicted = confined_accuracy(distribution, sizes.astype(np.float64))
    # if all points are right, or all wrong, nothing varies: take the error that the prediction itself implies
    implied = np.maximum(np.sqrt(predicted * (1 - predicted) / n), 1.0 / (n + 1))
    return LackOfFit(sizes, predicted, value, np.where(varies(error, value), error, implied))


def warn_of_misfit(misfit: LackOfFit, name: str, *, stacklevel: int) -> None:
    """Warn if a fit by the method of this name misses the observed accuracy."""
    if misfit.refuted:
        warnings.warn(
            f"{name} fits an accuracy of {misfit.predicted[0]:.4f} with {misfit.n_classes[0]}"
            f" classes, where {misfit.observed[0]:.4f} was observed (standard error {misfit.standard_error[0]:.4f}):"
            " its assumption fails for these data, and its predictions may be far off",
            LackOfFitWarning,
            stacklevel=stacklevel,
        )


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
