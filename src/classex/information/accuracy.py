"""Accuracy that information allows, or gives in high dimension, and the inverse functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classex._kernels.information import bound, ceiling, curve, divergence_from_uniform, implied
from classex._types import FloatArray
from classex._validation import as_class_counts, as_information, as_plain_array, as_probabilities, broadcast

__all__ = [
    "accuracy_ceiling",
    "error_floor",
    "fano_bound",
    "identification_accuracy",
    "identification_error",
    "identification_information",
    "information_bound",
]


# k - 1 is exact in floating point, with room for sums
MOST_CLASSES = 10**15
# largest |accuracy + error - 1|: both may have been rounded to six digits
_INCONSISTENT = 1e-6


def accuracy_ceiling(information: ArrayLike, n_classes: ArrayLike) -> Any:
    r"""Largest average Bayes accuracy with k classes, :math:`C_k(\iota)`.

    .. math:: C_k(\iota) &= \sup\{\mathrm{ABA}_k[p] : I[p] \le \iota\} = \int_0^1 t^{k-1} Q_c(t)\,dt, \\
              Q_c(t) &= \frac{\exp(c\,t^{k-1})}{\int_0^1 \exp(c\,s^{k-1})\,ds},

    with c such that :math:`\int_0^1 Q_c \log Q_c = \iota`. No joint density with information :math:`\iota` does
    better, and `ExtremalChannel` attains it.

    Parameters
    ----------
    information : array_like
        Mutual information in nats, at least 0; infinity is allowed.
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `information`.

    Returns
    -------
    float or ndarray
        A probability for each pair; a float if both arguments are scalars.

    Raises
    ------
    ValueError
        If information is negative or NaN, k is below 2 or not whole, or the shapes do not broadcast.

    See Also
    --------
    classex.information.error_floor : One minus this accuracy, with full relative precision.
    information_bound : Its inverse.

    Notes
    -----
    Source: thesis theorem 4.3.1. For small information :math:`C_k(\iota) \approx 1/k + \sqrt{2\iota}\,(k-1) /
    (k\sqrt{2k-1})`; for large information :math:`1 - C_k(\iota) \approx (k-1)e^{-\iota-1}`. Increasing and
    concave in information, with slope :math:`1/c`.

    The relative error is below 1e-12 for k up to 10^9 and information from 1e-10 to 50 nats, and so is that of
    :math:`C_k(\iota) - 1/k` if floating point resolves it. Beyond 50 nats the value is 1, and `error_floor` is
    positive up to its underflow near 745 nats.

    Examples
    --------
    >>> from classex import accuracy_ceiling
    >>> accuracy_ceiling([1.0, 2.0], 10).round(4)
    array([0.5131, 0.717 ])
    """
    nats, m, shape = as_information_and_counts(information, n_classes)
    return shaped(ceiling(nats, m)[0], shape)


def error_floor(information: ArrayLike, n_classes: ArrayLike) -> Any:
    r"""Smallest average Bayes error with k classes, :math:`1 - C_k(\iota)`, with full relative precision.

    Parameters
    ----------
    information : array_like
        Mutual information in nats, at least 0; infinity is allowed.
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `information`.

    Returns
    -------
    float or ndarray
        A probability for each pair; a float if both arguments are scalars.

    Raises
    ------
    ValueError
        As for `accuracy_ceiling`.

    Notes
    -----
    Source: thesis theorem 4.3.1; close to :math:`(k-1)e^{-\iota-1}` for large information.

    Examples
    --------
    >>> from classex.information import error_floor
    >>> f"{error_floor(40.0, 100):.6e}"
    '1.547253e-16'
    """
    nats, m, shape = as_information_and_counts(information, n_classes)
    return shaped(ceiling(nats, m)[1], shape)


def information_bound(accuracy: ArrayLike, n_classes: ArrayLike, *, error: ArrayLike | None = None) -> Any:
    r"""Least mutual information that allows an average Bayes accuracy with k classes, :math:`C_k^{-1}`, in nats.

    :math:`I[p] \ge C_k^{-1}(\mathrm{ABA}_k[p])` for every joint density. A lower confidence bound for
    :math:`\mathrm{ABA}_k` gives a lower confidence bound for the information.

    Parameters
    ----------
    accuracy : array_like
        Average Bayes accuracies, or lower bounds for them, in [0, 1].
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `accuracy`.
    error : array_like, optional
        ``1 - accuracy``, if it is known more precisely than subtraction gives it. Used where the accuracy
        is above 1/2.

    Returns
    -------
    float or ndarray
        Information in nats. 0 where the accuracy is 1/k or less; infinity where the error is 0, since
        :math:`C_k(\iota) < 1` at every finite information.

    Raises
    ------
    ValueError
        If an accuracy or error is outside [0, 1] or NaN, the two disagree by more than 1e-6, k is below 2 or
        not whole, or the shapes do not broadcast.

    See Also
    --------
    accuracy_ceiling : Its inverse.
    fano_bound : Never larger, and never above log k.

    Notes
    -----
    Source: thesis section 4.3.1, after theorem 4.3.1.

    From accuracy alone the result has the rounding error of the accuracy: relative 1e-16 / ((1 - accuracy)
    information) near accuracy 1, and 1e-16 accuracy / (accuracy - 1/k) near 1/k. With `error` given,
    ``information_bound(accuracy_ceiling(i, k), k, error=error_floor(i, k))`` returns i to 1e-9 for every i from
    1e-10 to 700 nats.

    Examples
    --------
    >>> from classex import information_bound
    >>> information_bound([0.5, 0.9], 10).round(4)
    array([0.9472, 3.3982])
    """
    excess, complement, m, shape = as_accuracy(accuracy, n_classes, error)
    return shaped(bound(excess, complement, m), shape)


def identification_accuracy(information: ArrayLike, n_classes: ArrayLike) -> Any:
    r"""Average Bayes accuracy with k classes in the high-dimensional limit, :math:`\bar\pi_k(\sqrt{2\iota})`.

    .. math:: \bar\pi_k(c) = \int_{-\infty}^{\infty} \phi(z - c)\,\Phi(z)^{k-1}\,dz.

    Parameters
    ----------
    information : array_like
        Mutual information :math:`\iota` in nats, at least 0; infinity is allowed.
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `information`.

    Returns
    -------
    float or ndarray
        A probability for each pair; a float if both arguments are scalars.

    Raises
    ------
    ValueError
        If information is negative or NaN, k is below 2 or not whole, or the shapes do not broadcast.

    See Also
    --------
    classex.information.identification_information : Its inverse.
    accuracy_ceiling : The largest accuracy of any distribution; this curve belongs to many weak, independent sources.

    Notes
    -----
    Source: thesis theorem 5.3.1. Trapezoid rule in z, relative error below 1e-12 for k up to 10^9, information
    from 1e-10 to 50 nats. At k = 2 it is :math:`\Phi(\sqrt{\iota})`. For small information
    :math:`\bar\pi_k - 1/k \approx \sqrt{2\iota}\,E[\max_{i \le k} Z_i]/k` with standard normal Z.

    Examples
    --------
    >>> from classex import identification_accuracy
    >>> identification_accuracy(1.0, [2, 10, 100]).round(6)
    array([0.841345, 0.479196, 0.158053])
    """
    nats, m, shape = as_information_and_counts(information, n_classes)
    return shaped(curve(nats, m)[0], shape)


def identification_error(information: ArrayLike, n_classes: ArrayLike) -> Any:
    r"""One minus `identification_accuracy`, with full relative precision.

    Parameters
    ----------
    information : array_like
        Mutual information in nats, at least 0; infinity is allowed.
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `information`.

    Returns
    -------
    float or ndarray
        A probability for each pair; a float if both arguments are scalars.

    Raises
    ------
    ValueError
        As for `identification_accuracy`.

    Notes
    -----
    Source: thesis theorem 5.3.1. At most :math:`(k-1)\,\Phi(-\sqrt{\iota})`; it underflows to 0 beyond about
    1,500 nats.

    Examples
    --------
    >>> from classex.information import identification_error
    >>> f"{identification_error(50.0, 2):.6e}"
    '7.687299e-13'
    """
    nats, m, shape = as_information_and_counts(information, n_classes)
    return shaped(curve(nats, m)[1], shape)


def identification_information(accuracy: ArrayLike, n_classes: ArrayLike, *, error: ArrayLike | None = None) -> Any:
    r"""Information at which `identification_accuracy` reaches a given accuracy, in nats.

    Parameters
    ----------
    accuracy : array_like
        Accuracies in [0, 1].
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `accuracy`.
    error : array_like, optional
        ``1 - accuracy``, if it is known more precisely than subtraction gives it. Used where the accuracy
        is above 1/2.

    Returns
    -------
    float or ndarray
        Information in nats. 0 where the accuracy is 1/k or less, infinity where the error is 0.

    Raises
    ------
    ValueError
        If an accuracy or error is outside [0, 1] or NaN, the two disagree by more than 1e-6, k is below 2 or
        not whole, or the shapes do not broadcast.

    Notes
    -----
    Source: thesis section 5.4 (the inverse of theorem 5.3.1). It is an estimate for high dimension, not a bound
    like `information_bound`. Errors down to 1e-300 are resolved.

    Examples
    --------
    >>> from classex.information import identification_information
    >>> round(identification_information(0.479196, 10), 4)
    1.0
    """
    excess, complement, m, shape = as_accuracy(accuracy, n_classes, error)
    return shaped(implied(excess, complement, m), shape)


def fano_bound(accuracy: ArrayLike, n_classes: ArrayLike) -> Any:
    r"""Fano's lower bound for mutual information from an average accuracy with k classes, in nats.

    .. math:: &\log k - h(e) - e \log(k - 1), \\
              &e = 1 - \text{accuracy}, \quad h(e) = -e \log e - (1-e) \log(1-e).

    Parameters
    ----------
    accuracy : array_like
        Average accuracies in [0, 1].
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `accuracy`.

    Returns
    -------
    float or ndarray
        Information in nats, from 0 (accuracy 1/k or less) to log k (accuracy 1).

    Raises
    ------
    ValueError
        If an accuracy is outside [0, 1] or NaN, k is below 2 or not whole, or the shapes do not broadcast.

    See Also
    --------
    information_bound : The best bound that accuracy gives; never smaller, and not limited by log k.

    Notes
    -----
    Computed as the divergence of (accuracy, e/(k-1), ..., e/(k-1)) from the uniform distribution, which is equal
    to it, in a form that keeps its relative precision near 1/k.

    Examples
    --------
    >>> from classex.information import fano_bound
    >>> fano_bound([0.5, 0.9], 10).round(4)
    array([0.5108, 1.7578])
    """
    excess, _, m, shape = as_accuracy(accuracy, n_classes)
    return shaped(divergence_from_uniform(np.maximum(excess, 0.0), m), shape)


def as_information_and_counts(
    information: ArrayLike, n_classes: ArrayLike
) -> tuple[FloatArray, FloatArray, tuple[int, ...]]:
    """Return information and k - 1 as flat arrays, and the shape they broadcast to."""
    nats, counts = broadcast(information=as_information(information), n_classes=_as_counts(n_classes))
    return nats.flatten(), counts.flatten() - 1.0, nats.shape


def shaped(value: FloatArray, shape: tuple[int, ...]) -> Any:
    """Return a float for scalar input, else an array."""
    return float(value[0]) if shape == () else value.reshape(shape)


def as_accuracy(
    accuracy: ArrayLike, n_classes: ArrayLike, error: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray, FloatArray, tuple[int, ...]]:
    """Return accuracy - 1/k, the error and k - 1 as flat arrays, and the shape they broadcast to.

    Up to an accuracy of 1/2 the accuracy is more precise than the error, above it the error.
    """
    a = as_probabilities(accuracy, "accuracy")
    e = 1.0 - a if error is None else as_probabilities(error, "error")
    a, k, e = broadcast(accuracy=a, n_classes=_as_counts(n_classes), error=e)
    bad = np.abs(a + e - 1.0) > _INCONSISTENT
    if bad.any():
        raise ValueError(f"error must be 1 - accuracy, but accuracy is {a[bad][0]} and error is {e[bad][0]}")
    excess = np.where(a <= 0.5, a - 1.0 / k, (1.0 - 1.0 / k) - e)
    return excess.flatten(), e.flatten(), k.flatten() - 1.0, a.shape


def _as_counts(n_classes: ArrayLike) -> FloatArray:
    counts = as_plain_array(n_classes, "n_classes")
    return as_class_counts(counts.ravel(), minimum=2, maximum=MOST_CLASSES).reshape(counts.shape)
