"""Identification accuracy in high dimension as a function of information, and its inverse."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from classex._kernels.information import curve, implied
from classex.information._arrays import as_accuracy, as_information_and_counts, shaped

__all__ = ["identification_accuracy", "identification_error", "identification_information"]


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
    accuracy_ceiling : What no law can exceed; this curve is what many weak, independent sources give.

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
        ``1 - accuracy``, where it is known more precisely than subtraction gives it. Counts where the accuracy
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
    Source: thesis section 5.4 (the inverse of theorem 5.3.1). It is an estimate under a model of high dimension,
    not a bound: `information_bound` is the bound. Errors down to 1e-300 are resolved.

    Examples
    --------
    >>> from classex.information import identification_information
    >>> round(identification_information(0.479196, 10), 4)
    1.0
    """
    excess, complement, m, shape = as_accuracy(accuracy, n_classes, error)
    return shaped(implied(excess, complement, m), shape)
