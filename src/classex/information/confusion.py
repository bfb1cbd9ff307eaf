"""Information from a confusion matrix, and units of information."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.special import entr

from classex._checks import as_finite_array, as_plain_array, as_probability, one_of, refuse_totals
from classex._estimates import Interval, varies
from classex._types import FloatArray
from classex.information.ceiling import ConfusionInformation

__all__ = ["confusion_information", "nats_to_bits"]

Correction = Literal["jackknife", "miller_madow", "none"]

# test points added to the table for its least variance: simulations of nearly perfect tables with 3 to 10 classes
_EXTRA_TESTS = 4.0
# warn above this share of unseen cells, or bias relative to the plug-in value: set by judgement
_MOST_UNSEEN, _LARGEST_SHARE = 0.05, 0.1


def nats_to_bits(nats: ArrayLike) -> Any:
    """Convert information from nats to bits: divide by log 2.

    Parameters
    ----------
    nats : array_like
        Amounts in nats. A result that is an amount of information has it in `bits` as well.

    Examples
    --------
    >>> from classex.information import nats_to_bits
    >>> nats_to_bits([1.0, 2.0]).round(4)
    array([1.4427, 2.8854])
    """
    return as_plain_array(nats, "nats") / math.log(2.0)


def confusion_information(
    confusion: ArrayLike, *, correction: Correction = "jackknife", confidence_level: float = 0.95
) -> ConfusionInformation:
    r"""Mutual information of true and predicted label, from a confusion matrix of counts.

    .. math:: \hat I = H(\hat q) - \frac{1}{k} \sum_i H(\hat p_i), \qquad
              \hat q = \frac{1}{k} \sum_i \hat p_i,

    with :math:`\hat p_i` the observed frequencies of the predictions for class i. Each class weighs the same,
    however many test points it has. The plug-in value is usually too large, because a row of r tests occupies at most
    r cells. The correction subtracts an estimate of the bias. The result is limited to possible values: at least 0, at
    most the entropies of the true and of the predicted labels.

    Parameters
    ----------
    confusion : array_like of shape (n_classes, n_predicted)
        ``confusion[true, predicted]``: number of test points. Whole numbers; every row has at least one.
    correction : {"jackknife", "miller_madow", "none"}
        How to estimate the bias: by leaving out one test point at a time, by the first-order formula, or not at all.
    confidence_level : float
        Nominal coverage of the interval, in (0, 1).

    Returns
    -------
    ConfusionInformation
        Estimate in nats with its standard error and interval, the plug-in value, the bias subtracted, and the
        estimated share of predictions that fall into cells not seen yet.

    Raises
    ------
    ValueError
        If a count is negative, not whole or not finite, there are fewer than two rows, a row is empty, a row and a
        column hold the sums of the others, or an option is unknown or out of range.

    Warns
    -----
    UserWarning
        If more than 5 % of the predictions are estimated to fall into cells not seen yet (Good and Turing: the share
        of cells seen once), or the jackknife's bias is more than 10 % of the plug-in value. If a row or a column holds
        the sums of the others.

    Notes
    -----
    The number of test points of each class counts as fixed. The Miller-Madow correction is then
    :math:`\frac{1}{k}\sum_i \frac{m_i - 1}{2 r_i} - \frac{1}{2 k^2} \sum_{ij} \frac{p_{ij}(1 - p_{ij})}{r_i q_j}`,
    with :math:`m_i` the number of occupied cells in row i; the second term is the bias of :math:`H(\hat q)`. Both
    terms are 0 for a perfect table. The jackknife leaves out one test point of one row at a time, and each row adds
    :math:`r_i - 1` times its mean change. In ordinary tables of 10 classes with 20 tests each it leaves a quarter
    to a half of the bias that Miller and Madow's correction leaves. With 400 classes of 50 tests the bias is about 4
    nats, log 400 is 6 nats, and no correction is sufficient. `information_bound` needs only the share of correct
    predictions.

    The standard error is the jackknife's. At independence the usual first-order variance vanishes while the estimate
    still varies like a chi-square variable; the jackknife includes this second order. A nearly perfect table hardly
    varies, so the variance is at least the first- and second-order variance by the delta method. The first-order term
    is computed for a table with four more test points, spread evenly. The number of cells seen once estimates the mass
    of the cells not seen yet. If that mass were spread over all empty cells of its rows, the information would be lower
    by some amount b, and :math:`b^2/2` is added to the variance.

    The interval is Wilson's, for the distance of the estimate by jackknife from the largest possible value. It covers
    90 % or more at a nominal 95 % for perfect, nearly perfect, ordinary and independent tables with 20 or more tests
    in each of 3 to 10 classes. Where the function warns, it may not cover the true value.

    Examples
    --------
    >>> from classex.information import confusion_information
    >>> result = confusion_information([[90, 10], [20, 80]])
    >>> round(result.value, 4), round(result.standard_error, 4)
    (0.2715, 0.0444)
    """
    one_of(correction, "correction", get_args(Correction))
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    counts = _as_counts(confusion)
    r = counts.sum(axis=1, keepdims=True)
    p = counts / r
    q = p.mean(axis=0)
    most = math.log(min(counts.shape))
    entropy = min(float(entr(q).sum()), most)
    plug_in = min(max(float(entr(q).sum() - entr(p).sum(axis=1).mean()), 0.0), entropy)
    jackknife, variance = _leave_one_out(counts, r)
    bias = {"jackknife": jackknife, "miller_madow": _first_order_bias(p, q, r), "none": 0.0}[correction]
    once = (counts == 1).sum(axis=1)
    unseen = float((once / r[:, 0]).mean())
    if unseen > _MOST_UNSEEN or (jackknife > _LARGEST_SHARE * plug_in and varies(jackknife, 1.0)):
        first_order = (counts.shape[0] - 1) * (counts.shape[1] - 1) / (2 * counts.sum())
        warnings.warn(
            f"bias rules this estimate: {counts.sum():.0f} tests in {' x '.join(map(str, counts.shape))} cells; about"
            f" {unseen:.0%} of the predictions fall into cells not seen yet, and the bias could reach"
            f" {first_order:.2g} nats to first order (plug-in value {plug_in:.2g})",
            UserWarning,
            stacklevel=2,
        )
    # loss of information if the unseen mass were spread over the empty cells of its rows
    hidden = float((once / r[:, 0] * np.log1p((counts == 0).sum(axis=1) / np.maximum(once, 1))).mean())
    variance = max(variance, _least_variance(counts, r, most)) + hidden**2 / 2
    value, centre = (min(max(plug_in - removed, 0.0), entropy) for removed in (bias, jackknife))
    interval = Interval(*_limits(centre, variance, most, level), level)
    return ConfusionInformation(value, math.sqrt(variance), plug_in, bias, unseen, interval)


def _leave_one_out(counts: FloatArray, r: FloatArray) -> tuple[float, float]:
    """Jackknife bias and variance of the plug-in value, with the number of tests in each row fixed.

    Without one test of cell (i, j), all other cells of row i grow by the same factor. Every entropy is therefore a sum
    that differs in a single term from a sum common to the row.
    """
    k, others = counts.shape[0], np.maximum(r - 1, 1)
    p = counts / r
    q = p.mean(axis=0)
    rest = q + p / (k * others)
    row, column = entr(counts / others), entr(rest)
    of_column = column.sum(axis=1, keepdims=True) - column + entr(np.maximum(rest - 1 / (k * others), 0.0))
    of_row = row.sum(axis=1, keepdims=True) - row + entr(np.maximum(counts - 1, 0.0) / others)
    change = of_column - entr(q).sum() - (of_row - entr(p).sum(axis=1, keepdims=True)) / k
    mean = (p * change).sum(axis=1, keepdims=True)
    return float(((r - 1) * mean).sum()), float(((r - 1) * p * np.square(change - mean)).sum())


def _first_order_bias(p: FloatArray, q: FloatArray, r: FloatArray) -> float:
    """Miller and Madow's bias with fixed rows; p (1 - p) is estimated without bias in rows of two tests or more."""
    of_rows = (((p > 0).sum(axis=1, keepdims=True) - 1) / (2 * r)).mean()
    of_columns = (p * (1 - p) / np.maximum(r - 1, 1)).sum(axis=0) / np.where(q > 0, q, 1.0)
    return float(of_rows - of_columns.sum() / (2 * p.shape[0] ** 2))


def _least_variance(counts: FloatArray, r: FloatArray, most: float) -> float:
    """First-order variance of the table with a few more tests, spread evenly, plus the second-order variance."""
    k = counts.shape[0]
    more = r + _EXTRA_TESTS / k
    smoothed = (counts + _EXTRA_TESTS / counts.size) / more
    log_ratio = np.log(smoothed) - np.log(smoothed.mean(axis=0))
    mean = (smoothed * log_ratio).sum(axis=1, keepdims=True)
    first = float(((smoothed * np.square(log_ratio - mean)).sum(axis=1) / r[:, 0]).sum() / k**2)
    least = first + _second_order_variance(counts / r, r)
    # if all predictions are the same, only the smoothed table varies
    return least if varies(math.sqrt(least), most) else _second_order_variance(smoothed, more)


def _second_order_variance(p: FloatArray, r: FloatArray) -> float:
    """Half the trace of (H S)^2, H the second derivatives of the information and S the covariance of the table.

    It is 0 for a perfect table. At independence it is the variance of a chi-square variable with (k - 1)(m - 1)
    degrees of freedom, over 2 n.
    """
    k, q = p.shape[0], p.mean(axis=0)
    root = np.sqrt(np.where(q > 0, q, 1.0))
    scaled = p / root
    of_rows = (((p > 0).sum(axis=1, keepdims=True) - 1) / np.square(r)).sum() / k**2
    both = ((p * (1 - p) / np.square(root)).sum(axis=1, keepdims=True) / np.square(r)).sum() / k**3
    covariance = np.diag((scaled / root / r).sum(axis=0)) - (scaled / r).T @ scaled
    return max(float(of_rows - 2 * both + np.square(covariance).sum() / k**4) / 2, 0.0)


def _limits(centre: float, variance: float, most: float, level: float) -> tuple[float, float]:
    """Wilson's limits: the variance is taken to be proportional to the distance from the largest value."""
    z = float(special.ndtri(0.5 + level / 2))
    missing = max(most - centre, 0.0)
    # the distance of a table without an error is not known to be less than its standard error
    unit = variance / max(missing, math.sqrt(variance))
    middle = missing + z**2 * unit / 2
    half = z * math.sqrt(unit * missing + z**2 * unit**2 / 4)
    return max(most - middle - half, 0.0), min(most - middle + half, most)


def _as_counts(confusion: ArrayLike) -> FloatArray:
    counts = as_finite_array(confusion, "confusion", ndim=2, dtype=np.float64)
    if min(counts.shape) < 2:
        raise ValueError(f"confusion must have at least two rows and two columns, but its shape is {counts.shape}")
    bad = (counts < 0) | (counts != np.floor(counts))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(
            f"confusion must hold counts, whole numbers of at least 0, but confusion[{row}, {column}] is"
            f" {counts[row, column]}"
        )
    refuse_totals(counts, "confusion")
    total = counts.sum(axis=1)
    if not total.all():
        raise ValueError(f"confusion must have a test point in every row, but row {np.argmin(total)} is empty")
    return counts
