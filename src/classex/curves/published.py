"""Published curves: an accuracy for each of a few numbers of classes, without the ranks behind it."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from classex._validation import as_class_counts, as_finite_array, as_probabilities
from classex.results import AccuracyCurve

__all__ = ["as_curve", "points_behind"]

# Standard errors of a difference beyond which a rise is no accident
_LARGEST_RISE = 3.0


def points_behind(accuracy: ArrayLike, standard_error: ArrayLike) -> int:
    """Return the number of test points that would give the largest standard errors.

    Parameters
    ----------
    accuracy, standard_error : array_like of shape (n,)
        The curve, and the standard error of each entry.

    Returns
    -------
    int
        The least of accuracy (1 - accuracy) / standard_error^2, at least 1.

    Raises
    ------
    ValueError
        If the shapes differ, or no entry between 0 and 1 has a positive standard error.
    """
    value = np.atleast_1d(as_probabilities(accuracy, "accuracy"))
    error = as_finite_array(np.atleast_1d(np.asarray(standard_error)), "standard_error", ndim=1)
    if error.shape != value.shape:
        raise ValueError(
            f"standard_error must have one entry for each of the {value.size} accuracies, not {error.size}"
        )
    used = (error > 0) & (value > 0) & (value < 1)
    if not used.any() or error.min() < 0:
        raise ValueError("standard_error must not be negative, and positive for an accuracy between 0 and 1")
    variance = value[used] * (1 - value[used])
    return max(1, int(min(np.min(variance / np.maximum(error[used], 1e-8) ** 2), 1e15)))


def as_curve(n_classes: ArrayLike, accuracy: ArrayLike, n_test: int) -> AccuracyCurve:
    """Return a checked curve in the order of the numbers of classes; refuse one that rises, or warn of it.

    Parameters
    ----------
    n_classes, accuracy : array_like of shape (n,)
        The curve.
    n_test : int
        Number of test points behind it.

    Returns
    -------
    AccuracyCurve
        With binomial standard errors.

    Raises
    ------
    ValueError
        If an accuracy exceeds the one before it by more than three standard errors.
    """
    sizes, value = as_class_counts(n_classes, minimum=2), np.atleast_1d(as_probabilities(accuracy, "accuracy"))
    order = np.argsort(sizes)
    sizes, value = sizes[order], value[order]
    variance = value * (1 - value) / n_test
    rise = np.diff(value)
    if (rise > 0).any():
        at = int(np.argmax(rise))
        message = (
            f"the accuracy rises from {value[at]:.4g} with {sizes[at]:,.0f} classes to {value[at + 1]:.4g} with"
            f" {sizes[at + 1]:,.0f}, but the average over random sets of classes never rises"
        )
        if (rise > _LARGEST_RISE * np.sqrt(variance[:-1] + variance[1:])).any():
            raise ValueError(f"{message}: are these error rates, or was there more training data?")
        warnings.warn(f"{message}: the curve is fitted as if chance had raised it", UserWarning, stacklevel=3)
    whole = sizes.astype(np.int64) if sizes[-1] < 2**62 else sizes
    limits = np.tile([0.0, 1.0], (sizes.size, 1))
    return AccuracyCurve(whole, value, np.sqrt(variance), n_tested=n_test, limits=limits)
