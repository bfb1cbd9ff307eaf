"""Information from accuracy by Fano's inequality, from a confusion matrix, and units."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from classex._kernels.information import divergence_from_uniform
from classex._validation import as_finite_array, one_of
from classex.information._arrays import as_accuracy, shaped
from classex.results import ConfusionInformation

__all__ = ["bits_to_nats", "confusion_information", "fano_bound", "nats_to_bits"]

_MOST_UNSEEN = 0.05
_LARGEST_SHARE = 0.1


def nats_to_bits(nats: ArrayLike) -> Any:
    """Convert information from nats to bits: divide by log 2.

    Examples
    --------
    >>> from classex.information import nats_to_bits
    >>> round(nats_to_bits(1.0), 4)
    1.4427
    """
    return _scaled(nats, "nats", 1.0 / math.log(2.0))


def bits_to_nats(bits: ArrayLike) -> Any:
    """Convert information from bits to nats: multiply by log 2.

    Examples
    --------
    >>> from classex.information import bits_to_nats
    >>> round(bits_to_nats(8.0), 4)
    5.5452
    """
    return _scaled(bits, "bits", math.log(2.0))


def _scaled(value: ArrayLike, name: str, factor: float) -> Any:
    array = np.asarray(value)
    if array.dtype == object or not np.issubdtype(array.dtype, np.number):
        raise TypeError(f"{name} must hold numbers, not values of dtype {array.dtype}")
    scaled = array.astype(np.float64) * factor
    return float(scaled) if scaled.ndim == 0 else scaled


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
    Computed as the divergence of (accuracy, e/(k-1), ..., e/(k-1)) from the uniform law, which it equals, in a
    form that keeps its relative precision near 1/k.

    Examples
    --------
    >>> from classex.information import fano_bound
    >>> fano_bound([0.5, 0.9], 10).round(4)
    array([0.5108, 1.7578])
    """
    excess, _, m, shape = as_accuracy(accuracy, n_classes, None)
    return shaped(divergence_from_uniform(np.maximum(excess, 0.0), m), shape)


def confusion_information(confusion: ArrayLike, *, correction: str = "miller_madow") -> ConfusionInformation:
    r"""Mutual information of true and predicted label, from a confusion matrix of counts.

    .. math:: \hat I = H(\hat q) - \frac{1}{k} \sum_i H(\hat p_i), \qquad
              \hat q = \frac{1}{k} \sum_i \hat p_i,

    with :math:`\hat p_i` the observed frequencies of the predictions for class i. Each class weighs the same,
    however many test points it has. The plug-in value is too large: a row of r tests cannot look spread over
    more than r cells. The Miller-Madow correction subtracts the first-order bias.

    Parameters
    ----------
    confusion : array_like of shape (n_classes, n_predicted)
        ``confusion[true, predicted]``: number of test points. Whole numbers; every row has at least one.
    correction : {"miller_madow", "none"}
        Whether to subtract the first-order bias.

    Returns
    -------
    ConfusionInformation
        Estimate in nats with its large-sample standard error, the plug-in value, the bias subtracted, and the
        estimated share of predictions that fall into cells not seen yet.

    Raises
    ------
    ValueError
        If a count is negative, not whole or not finite, there are fewer than two rows, a row is empty, or the
        correction is unknown.

    Warns
    -----
    UserWarning
        If bias rules: more than 5 % of the predictions fall into cells not seen yet (Good's estimate: the share
        of cells seen once), or the first-order bias is more than 10 % of the plug-in value.

    Notes
    -----
    The correction is :math:`\frac{1}{k}\sum_i \frac{m_i - 1}{2 r_i} - \frac{m - 1}{2 r_*}`, with :math:`m_i` and
    m the numbers of occupied cells in row i and in all, and :math:`r_* = k^2 / \sum_i 1/r_i`. With all
    :math:`m_i = k`, 400 classes of 50 tests it comes to about 4 nats, of the 6 that log 400 allows: no
    correction rescues such a matrix. `information_bound` needs only the share of correct predictions.

    The standard error is that of the delta method: :math:`\frac{1}{k^2}\sum_i \mathrm{Var}_i(\log(\hat p_i /
    \hat q)) / r_i`. It does not cover the bias.

    Examples
    --------
    >>> from classex.information import confusion_information
    >>> result = confusion_information([[90, 10], [20, 80]])
    >>> round(result.value, 4), round(result.standard_error, 4)
    (0.2729, 0.0436)
    """
    one_of(correction, "correction", ("miller_madow", "none"))
    counts = _as_counts(confusion)
    k, r = counts.shape[0], counts.sum(axis=1)
    p = counts / r[:, np.newaxis]
    q = p.mean(axis=0)
    log_ratio = np.log(np.where(counts > 0, p, 1.0)) - np.log(np.where(counts > 0, q, 1.0))
    information = (p * log_ratio).sum(axis=1)
    plug_in = float(xlogy(p, p).sum() / k - xlogy(q, q).sum())
    variance = (p * np.square(log_ratio)).sum(axis=1) - np.square(information)
    standard_error = math.sqrt(max(float((variance / r).sum()), 0.0)) / k
    occupied = (counts > 0).sum(axis=1)
    bias = float(((occupied - 1) / (2 * r)).mean() - ((q > 0).sum() - 1) * (1.0 / r).sum() / (2 * k**2))
    unseen = float(((counts == 1).sum(axis=1) / r).mean())
    _warn_if_bias_rules(counts, plug_in, bias, unseen)
    removed = bias if correction == "miller_madow" else 0.0
    return ConfusionInformation(max(plug_in - removed, 0.0), standard_error, max(plug_in, 0.0), removed, unseen)


def _as_counts(confusion: ArrayLike) -> NDArray[np.float64]:
    counts = as_finite_array(confusion, "confusion", ndim=2, dtype=np.float64)
    if min(counts.shape) < 2:
        raise ValueError(f"confusion must have at least two rows and two columns, but its shape is {counts.shape}")
    bad = (counts < 0) | (counts != np.floor(counts))
    if bad.any():
        row, column = (int(index) for index in np.argwhere(bad)[0])
        raise ValueError(
            f"confusion must hold counts, whole numbers of at least 0, but confusion[{row}, {column}] is"
            f" {counts[row, column]}"
        )
    empty = np.flatnonzero(counts.sum(axis=1) == 0)
    if empty.size:
        raise ValueError(f"confusion must have a test point in every row, but row {int(empty[0])} is empty")
    return counts


def _warn_if_bias_rules(counts: NDArray[np.float64], plug_in: float, bias: float, unseen: float) -> None:
    if unseen <= _MOST_UNSEEN and bias <= _LARGEST_SHARE * plug_in:
        return
    rows, columns = counts.shape
    first_order = (rows - 1) * (columns - 1) / (2 * counts.sum())
    warnings.warn(
        f"bias rules this estimate: {counts.sum():.0f} tests in {rows} x {columns} cells; about {unseen:.0%} of the"
        f" predictions fall into cells not seen yet, and the bias could reach {first_order:.2g} nats to first order"
        f" (plug-in value {plug_in:.2g})",
        UserWarning,
        stacklevel=3,
    )
