"""The largest average Bayes accuracy that a given information allows, and its inverse."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from classex._kernels.information import bound, ceiling
from classex.information._arrays import as_accuracy, as_information_and_counts, shaped

__all__ = ["accuracy_ceiling", "error_floor", "information_bound"]


def accuracy_ceiling(information: ArrayLike, n_classes: ArrayLike) -> Any:
    r"""Largest average Bayes accuracy with k classes, :math:`C_k(\iota)`.

    .. math:: C_k(\iota) &= \sup\{\mathrm{ABA}_k[p] : I[p] \le \iota\} = \int_0^1 t^{k-1} Q_c(t)\,dt, \\
              Q_c(t) &= \frac{\exp(c\,t^{k-1})}{\int_0^1 \exp(c\,s^{k-1})\,ds},

    with c such that :math:`\int_0^1 Q_c \log Q_c = \iota`. No joint density with information :math:`\iota` does
    better, and `ExtremalChannel` does as well.

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
    classex.information.error_floor : One minus it, precise where it is close to 1.
    information_bound : Its inverse.

    Notes
    -----
    Source: thesis theorem 4.3.1. For small information :math:`C_k(\iota) \approx 1/k + \sqrt{2\iota}\,(k-1) /
    (k\sqrt{2k-1})`; for large information :math:`1 - C_k(\iota) \approx (k-1)e^{-\iota-1}`. Increasing and
    concave in information, with slope :math:`1/c`.

    The relative error is below 1e-12 for k up to 10^9 and information from 1e-10 to 50 nats, and so is that of
    :math:`C_k(\iota) - 1/k` as long as floating point resolves it. Beyond 50 nats there is no overflow: the
    value is 1, and `error_floor` goes on until it underflows near 745 nats.

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
    :math:`\mathrm{ABA}_k` put in here gives one for the information.

    Parameters
    ----------
    accuracy : array_like
        Average Bayes accuracies, or lower bounds for them, in [0, 1].
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `accuracy`.
    error : array_like, optional
        ``1 - accuracy``, where it is known more precisely than subtraction gives it. Counts where the accuracy
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

    From accuracy alone the answer inherits the rounding of the accuracy: relative 1e-16 / ((1 - accuracy)
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
