"""From the variance of a law's accuracies to the ends of an interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex.curves.accuracy import accuracy_covariance, accuracy_curve
from classex.laws.law import Law, confined_accuracy
from classex.laws.probit_normal import fit_probit_normal
from classex.laws.subsets import distractor_ratio
from classex.results import CorrectRanks, LackOfFit

__all__ = ["TARGETS", "check_fit", "coherent_ends", "interval_ends", "lack_of_fit", "law_interval", "target_variance"]

TARGETS = ("average", "fresh", "superset")
_LEAST = 1e-12

FloatArray = NDArray[np.float64]


def law_interval(
    law: Law,
    ranks: CorrectRanks,
    sizes: FloatArray,
    top: int,
    *,
    variance: FloatArray,
    level: float,
    freedom: int,
    target: str = "average",
    n_repeats: int | None = None,
) -> FloatArray:
    """Return the ends for each number of classes, shape (n, 2), from the variance of the law's own accuracies.

    Where every test point is right, or every one wrong, subsets of the classes tell nothing of what is not known
    yet. The interval then reaches as far as that of a probit-normal law with its weak prior, worth about one test
    point, and to the end of the scale that the data do not speak against.
    """
    value = confined_accuracy(law, sizes, top)
    total = variance + lack_of_fit(law, ranks, sizes, top)
    total = target_variance(law, ranks, sizes, top, target=target, variance=total, n_repeats=n_repeats)
    ends = interval_ends(value, total, level, freedom)
    all_right = bool((ranks.wins == ranks.n_classes - 1).all())
    all_wrong = bool((ranks.wins + ranks.ties == 0).all())
    if all_right or all_wrong:
        prior = fit_probit_normal(ranks)
        least = target_variance(
            prior, ranks, sizes, top, target=target, variance=prior.variance(sizes, top), n_repeats=n_repeats
        )
        wide = probit_ends(confined_accuracy(prior, sizes, top), least, level, freedom)
        open_ = sizes > top
        ends[open_, 0] = np.minimum(ends[open_, 0], wide[open_, 0]) if all_right else 0.0
        ends[open_, 1] = np.maximum(ends[open_, 1], wide[open_, 1]) if all_wrong else 1.0
    return ends


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


def check_fit(law: Law, ranks: CorrectRanks) -> LackOfFit:
    """Compare a law with the accuracies observed with all classes and with a quarter of them."""
    k1 = ranks.n_classes
    at = np.array([k1, max(round(k1 / 4), 2)])[: 1 if k1 <= 2 else 2]
    curve = accuracy_curve(ranks, at)
    predicted = confined_accuracy(law, at.astype(np.float64))
    # where all points are right, or wrong, nothing varies: then the spread that the prediction itself implies
    implied = np.maximum(np.sqrt(predicted * (1 - predicted) / ranks.n_tested), 1.0 / (ranks.n_tested + 1))
    error = np.where(curve.standard_error > 0, curve.standard_error, implied)
    return LackOfFit(at, predicted, curve.accuracy, error)


def lack_of_fit(law: Law, ranks: CorrectRanks, sizes: FloatArray, top: int) -> FloatArray:
    """Squared error that the fitted curve betrays where it can be checked, carried on to other numbers of classes.

    The accuracies observed at k1 and at k1 / 4 classes are unbiased. What the fit misses there, on the probit
    scale, is continued as a straight line in log K, and counts where it exceeds its own standard error: a method
    that follows the observed curve loses nothing, one whose assumption fails is less sure of itself.
    """
    k1 = ranks.n_classes
    low = max(round(k1 / 4), top + 1)
    if low >= k1:
        return np.zeros_like(sizes)
    at = np.array([low, k1], dtype=np.float64)
    fitted = confined_accuracy(law, at, top)
    slope = _probit_density(fitted)
    missed = (accuracy_curve(ranks, at, top=top).accuracy - fitted) / slope
    covariance = accuracy_covariance(ranks, at, top=top) / np.outer(slope, slope)
    beyond = np.maximum(np.log(sizes / k1) / np.log(k1 / low), -1.0)
    line = np.stack([-beyond, 1 + beyond], axis=1)
    square = np.square(line @ missed)
    chance = np.einsum("ki,ij,kj->k", line, covariance, line)
    here = _probit_density(confined_accuracy(law, sizes, top))
    out: FloatArray = np.where(square > chance, square, 0.0) * np.square(here)
    return out


def _probit_density(value: FloatArray) -> FloatArray:
    """Slope of the normal distribution function where it takes a value."""
    z = special.ndtri(np.clip(value, _LEAST, 1 - _LEAST))
    density: FloatArray = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return density


def target_variance(
    law: Law,
    ranks: CorrectRanks,
    sizes: FloatArray,
    top: int,
    *,
    target: str,
    variance: FloatArray,
    n_repeats: int | None,
) -> FloatArray:
    """Variance of prediction minus target, from the variance of prediction minus average.

    Let s be the variance of the accuracy of one class set around the average. Against a fresh set it adds up
    (with the test points of that set); a set that holds the observed classes shares them with the estimate,
    which takes s away.
    """
    if target == "average":
        return variance
    mean = confined_accuracy(law, sizes, top)
    # E[U^(2K-2)] - E[U^(K-1)]^2: how much the favourability of points varies at K, at most p (1 - p)
    spread = mean * (1 - mean)
    points = np.clip(confined_accuracy(law, 2 * sizes - 1, 1) - mean**2, 0, spread) if top == 1 else spread
    low, high = _between_share(ranks)
    ratio = distractor_ratio(ranks)
    if target == "superset":
        return np.maximum(variance - low * ratio * points / sizes, 0.1 * variance)
    between = high * points
    within = 0.0 if n_repeats is None else (spread - between) / n_repeats
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
    size = max(ranks.n_classes // 2, 2)
    share = (ranks.wins + 0.5 * ranks.ties) / (ranks.n_classes - 1)
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
