"""Variances and interval ends that the extrapolation methods share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._parallel import in_parallel
from classex.curves.accuracy import accuracy_covariance, accuracy_curve
from classex.ranks import subset_ranks, thin_ranks
from classex.results import CorrectRanks

if TYPE_CHECKING:
    from classex.extrapolation._base import Extrapolator

TARGETS = ("average", "fresh", "superset")
FEWEST_CLASSES = 5
_KEPT_SHARE = 0.75
_LEAST = 1e-12

FloatArray = NDArray[np.float64]


def resampled_variance(
    estimator: Extrapolator,
    sizes: FloatArray,
    top: int,
    n_resamples: int,
    rng: np.random.Generator,
    share: float = _KEPT_SHARE,
) -> FloatArray:
    """Return the delete-d variance of the predictions: d of the k1 classes are left out at a time.

    With b classes kept, Var(estimate on k1) = b / (k1 - b) * Var(estimate on a subset | data) for a statistic
    that is smooth in the classes; what is rough in it is enlarged as well, least with half of them kept. Where
    only ranks are known the wins are thinned at random, which loses the dependence through shared wrong labels;
    the ratio of the jackknife to the own-class variance of the average accuracy restores it.
    """
    k1 = estimator.ranks_.n_classes
    if k1 < FEWEST_CLASSES:
        raise ValueError(f"an interval by resampling needs at least {FEWEST_CLASSES} observed classes, not {k1}")
    kept = min(max(round(share * k1), 4), k1 - 1)
    subsets = [np.sort(rng.permutation(k1)[:kept]) for _ in range(n_resamples)]
    generators = rng.spawn(n_resamples)
    tasks = [(estimator, classes, own, sizes, top) for classes, own in zip(subsets, generators, strict=True)]
    draws = np.array(in_parallel(_predict_from_classes, tasks, "class subsets"))
    variance: FloatArray = kept / (k1 - kept) * draws.var(axis=0, ddof=1)
    return variance if estimator.scores_ is not None else variance * distractor_ratio(estimator.ranks_)


def _predict_from_classes(
    estimator: Extrapolator, classes: NDArray[np.int64], rng: np.random.Generator, sizes: FloatArray, top: int
) -> FloatArray:
    return fit_on_classes(estimator, classes, rng)._predict_checked(sizes, top)


def fit_on_classes(estimator: Extrapolator, classes: NDArray[np.int64], rng: np.random.Generator) -> Extrapolator:
    """Refit the estimator on some of its classes, from scores or, failing them, from thinned ranks."""
    twin = estimator._resampled()
    twin._on_classes(classes)
    if estimator.scores_ is None:
        return twin._fit_checked(thin_ranks(estimator.ranks_, classes, rng=rng), None)
    ranks, block = subset_ranks(estimator.scores_, estimator.ranks_.labels, classes)
    return twin._fit_checked(ranks, block)


def distractor_ratio(ranks: CorrectRanks) -> float:
    """Variance of the average accuracy at half the classes, over its part due to the classes' own points."""
    if ranks.distractors is None or ranks.n_classes < 4:
        return 1.0
    alone = CorrectRanks(ranks.wins, ranks.ties, ranks.labels, ranks.n_classes)
    half = ranks.n_classes // 2
    own = float(accuracy_curve(alone, half).standard_error[0])
    full = float(accuracy_curve(ranks, half).standard_error[0])
    return max((full / own) ** 2, 1.0) if own > 0 else 1.0


def lack_of_fit(estimator: Extrapolator, sizes: FloatArray, top: int) -> FloatArray:
    """Squared error that the fitted curve betrays where it can be checked, carried on to other numbers of classes.

    The accuracies observed at k1 and at k1 / 4 classes are unbiased. What the fit misses there, on the probit
    scale, is continued as a straight line in log K, and counts where it exceeds its own standard error: a method
    that follows the observed curve loses nothing, one whose assumption fails is less sure of itself.
    """
    k1 = estimator.ranks_.n_classes
    low = max(round(k1 / 4), top + 1)
    if low >= k1:
        return np.zeros_like(sizes)
    at = np.array([low, k1], dtype=np.float64)
    fitted = estimator._predict_checked(at, top)
    slope = _probit_density(fitted)
    missed = (accuracy_curve(estimator.ranks_, at, top=top).accuracy - fitted) / slope
    covariance = accuracy_covariance(estimator.ranks_, at, top=top) / np.outer(slope, slope)
    beyond = np.maximum(np.log(sizes / k1) / np.log(k1 / low), -1.0)
    line = np.stack([-beyond, 1 + beyond], axis=1)
    square = np.square(line @ missed)
    chance = np.einsum("ki,ij,kj->k", line, covariance, line)
    here = _probit_density(estimator._predict_checked(sizes, top))
    out: FloatArray = np.where(square > chance, square, 0.0) * np.square(here)
    return out


def _probit_density(value: FloatArray) -> FloatArray:
    """Slope of the normal distribution function where it takes a value."""
    z = special.ndtri(np.clip(value, _LEAST, 1 - _LEAST))
    density: FloatArray = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return density


def target_variance(
    estimator: Extrapolator, sizes: FloatArray, top: int, target: str, variance: FloatArray, n_repeats: int | None
) -> FloatArray:
    """Variance of prediction minus target, from the variance of prediction minus average.

    Let s be the variance of the accuracy of one class set around the average. Against a fresh set it adds up
    (with the test points of that set); a set that holds the observed classes shares them with the estimate,
    which takes s away.
    """
    if target == "average":
        return variance
    mean = estimator._predict_checked(sizes, top)
    # E[U^(2K-2)] - E[U^(K-1)]^2: how much the favourability of points varies at K, at most p (1 - p)
    spread = mean * (1 - mean)
    points = np.clip(estimator._predict_checked(2 * sizes - 1, 1) - mean**2, 0, spread) if top == 1 else spread
    low, high = _between_share(estimator.ranks_)
    ratio = distractor_ratio(estimator.ranks_)
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
    count = np.bincount(ranks.labels, minlength=ranks.n_classes)
    if count.min() < 2:
        return 0.0, 1.0
    alone = CorrectRanks(ranks.wins, ranks.ties, ranks.labels, ranks.n_classes)
    size = max(ranks.n_classes // 2, 2)
    share = (ranks.wins + 0.5 * ranks.ties) / (ranks.n_classes - 1)
    value = share ** (size - 1)
    mean = np.bincount(ranks.labels, weights=value) / count
    within = np.bincount(ranks.labels, weights=np.square(value - mean[ranks.labels])) / (count - 1)
    total = float(np.square(accuracy_curve(alone, size).standard_error[0]) * ranks.n_classes)
    between = total - float((within / count).mean())
    whole = between + float(within.mean())
    rho = float(np.clip(between / whole, 0.0, 1.0)) if whole > 0 else 0.0
    return rho, rho


def interval_ends(value: FloatArray, variance: FloatArray, level: float, df: int) -> FloatArray:
    """Return the ends of a t interval, symmetric on the probit scale: shape (n, 2).

    The probit scale stretches accuracies near 0 and 1 without limit, where a standard error measured on the
    accuracy scale no longer translates; the ends stay within twice the half-width on the accuracy scale.
    """
    inside = np.clip(value, _LEAST, 1 - _LEAST)
    z = special.ndtri(inside)
    slope = _probit_density(inside)
    plain = special.stdtrit(max(df, 1), 0.5 + level / 2) * np.sqrt(variance)
    half = plain / slope
    ends: FloatArray = special.ndtr(np.stack([z - half, z + half], axis=1))
    ends[:, 0] = np.maximum(ends[:, 0], value - 2 * plain)
    ends[:, 1] = np.minimum(ends[:, 1], value + 2 * plain)
    # a prediction at the very end of the scale stays inside its own interval
    ends[:, 0] = np.minimum(ends[:, 0], value)
    ends[:, 1] = np.maximum(ends[:, 1], value)
    return ends
