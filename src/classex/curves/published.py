"""Published curves: an accuracy for each of a few numbers of classes, without the ranks behind it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._estimates import AccuracyCurve
from classex._validation import as_class_counts, as_finite_array, as_positive_int, as_probabilities

__all__ = ["published_curve"]

# Standard errors of a difference beyond which a rise is no accident
_LARGEST_RISE = 3.0
# Largest number of points that standard errors can stand for
_MOST_POINTS = 10**15


def published_curve(
    n_classes: ArrayLike, accuracy: ArrayLike, n_test: int | None, standard_error: ArrayLike | None
) -> AccuracyCurve:
    """Return a checked curve in the order of the numbers of classes.

    Parameters
    ----------
    n_classes, accuracy : array_like of shape (n,)
        The curve.
    n_test : int or None
        Number of test points behind it.
    standard_error : array_like of shape (n,) or None
        Standard errors, where `n_test` is None: the number is the least of accuracy (1 - accuracy) / standard_error^2.

    Returns
    -------
    AccuracyCurve
        With its number of test points and binomial standard errors.

    Raises
    ------
    ValueError
        If an argument is not as described, a number of classes comes twice, or an accuracy exceeds the one before it
        by more than three standard errors.
    TypeError
        If both or neither of the last two are given.
    """
    sizes, value = as_class_counts(n_classes, minimum=2), np.atleast_1d(as_probabilities(accuracy, "accuracy"))
    if value.shape != sizes.shape:
        raise ValueError(f"accuracy must have one entry for each of the {sizes.size} n_classes, not {value.size}")
    if (n_test is None) == (standard_error is None):
        given = "none" if n_test is None else "both"
        raise TypeError(f"n_test (--points N) or standard_error (a column) must be given: one of them, not {given}")
    n = _points_behind(value, standard_error) if n_test is None else as_positive_int(n_test, "n_test")
    order = np.argsort(sizes, kind="stable")
    sizes, value = sizes[order], value[order]
    if (np.diff(sizes) == 0).any():
        raise ValueError(f"n_classes must not hold a number twice, but is {n_classes!r}")
    variance = value * (1 - value) / n
    rise = np.diff(value)
    if (rise > 0).any():
        step = int(np.argmax(rise))
        message = (
            f"the accuracy rises from {value[step]:.4g} with {sizes[step]:.10g} classes to {value[step + 1]:.4g} with"
            f" {sizes[step + 1]:.10g}, but the average over random sets of classes never rises"
        )
        if (rise > _LARGEST_RISE * np.sqrt(variance[:-1] + variance[1:])).any():
            raise ValueError(f"{message}: are these error rates, or was there more training data?")
        warnings.warn(f"{message}: the curve is fitted as if chance had raised it", UserWarning, stacklevel=3)
    whole: Any = sizes.astype(np.int64) if sizes[-1] < 2**62 else sizes
    return AccuracyCurve(whole, value, np.sqrt(variance), n_tested=n, limits=np.tile([0.0, 1.0], (sizes.size, 1)))


def _points_behind(value: NDArray[np.float64], standard_error: Any) -> int:
    """Return the number of test points that would give the largest standard errors."""
    error = as_finite_array(standard_error, "standard_error", ndim=1)
    if error.shape != value.shape:
        raise ValueError(f"standard_error must have one entry for each accuracy ({value.size}), not {error.size}")
    used = (error > 0) & (value > 0) & (value < 1)
    if not used.any() or error.min() < 0:
        raise ValueError("standard_error must not be negative, and positive for an accuracy between 0 and 1")
    points = value[used] * (1 - value[used]) / np.maximum(error[used], 1e-8) ** 2
    return max(1, round(min(float(points.min()), _MOST_POINTS)))
