"""Measures related to the prediction advantage under zero-one loss, and when it bounds them from below."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classex._totals import refuse_totals
from classex._types import FloatArray
from classex._validation import as_class_counts, as_finite_array, as_probabilities, as_weights, shown
from classex.advantage._class_targets import LabelTarget, as_class_array
from classex.advantage._results import RelatedMeasures


def related_measures(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> RelatedMeasures:
    """Prediction advantage, accuracy, balanced accuracy, kappa, Matthews and F scores of one set of predictions.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        True and predicted class labels.
    sample_weight : array_like of shape (n,), optional
        Weights of the rows.
    labels : array_like of shape (n_classes,), optional
        Order of the classes in `recall`, `precision` and `f_score`; by default all labels that occur in
        either argument, sorted.

    Returns
    -------
    RelatedMeasures

    Raises
    ------
    ValueError
        If `y_true` holds one class only (with positive weight), or a label is not in `labels`.

    Examples
    --------
    >>> from classex.advantage import related_measures
    >>> measures = related_measures([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    >>> measures.prediction_advantage, round(measures.kappa, 4), measures.f_score
    (0.5, 0.6154, array([0.8, 0.8]))
    """
    true, predicted = as_class_array(y_true, "y_true"), as_class_array(y_pred, "y_pred")
    weight = as_weights(sample_weight, true.size)
    if predicted.size != true.size:
        raise ValueError(f"y_pred must have {true.size} rows, as y_true has, but its shape is {predicted.shape}")
    if (true.dtype.kind in "SU") != (predicted.dtype.kind in "SU"):
        raise TypeError(f"y_pred holds values of dtype {predicted.dtype}, but y_true of dtype {true.dtype}")
    coded = LabelTarget(true, np.union1d(true, predicted) if labels is None else labels)
    column = coded.encode(predicted, "y_pred")
    if (k := coded.labels.size) < 2:
        raise ValueError("y_true must hold at least two classes, not one: its marginal risk is 0")
    cells = np.bincount(coded.codes * k + column, weights=weight, minlength=k * k).reshape(k, k)
    return confusion_measures(cells)


def confusion_measures(confusion: ArrayLike) -> RelatedMeasures:
    r"""Return the same measures from confusion matrices.

    With cells :math:`n_{ij}` (true class i, predicted j) as shares of all rows, margins :math:`p_i` (true) and
    :math:`q_j` (predicted) and agreement :math:`a = \sum_i n_{ii}`:
    :math:`\mathrm{PA} = 1 - (1-a)/(1-\max_i p_i)` and
    :math:`\kappa = 1 - (1-a)/(1-\sum_i p_i q_i)`.

    Parameters
    ----------
    confusion : array_like of shape (..., K, K)
        Non-negative counts or weights, ``confusion[true, predicted]``.

    Returns
    -------
    RelatedMeasures

    Raises
    ------
    ValueError
        If a matrix is empty or holds one true class only: its marginal risk is 0. If a row and a column hold the sums
        of the others.

    Warns
    -----
    UserWarning
        If only a row or only a column does.

    Examples
    --------
    A rare class that is always missed:

    >>> from classex.advantage import confusion_measures
    >>> m = confusion_measures([[500, 0, 0], [0, 490, 0], [10, 0, 0]])
    >>> print(
    ...     f"{m.prediction_advantage:.3f} {m.balanced_accuracy:.3f} {m.macro_f:.3f}"
    ... )
    0.980 0.667 0.663
    """
    cells = as_finite_array(confusion, "confusion", ndim=max(np.ndim(confusion), 2), dtype=np.float64)
    if cells.shape[-1] != cells.shape[-2] or cells.shape[-1] < 2:
        raise ValueError(f"confusion must have shape (..., K, K) with K of at least 2, but has {cells.shape}")
    if (cells < 0).any():
        raise ValueError(f"confusion must not be negative, but holds {cells.min()}")
    refuse_totals(cells, "confusion")
    if (np.count_nonzero(cells.sum(axis=-1), axis=-1) < 2).any():
        raise ValueError(
            "confusion must hold at least two true classes: with one, the marginal risk is 0 and the prediction"
            " advantage is not defined"
        )
    share = cells / cells.sum(axis=(-2, -1), keepdims=True)
    p, q, right = share.sum(axis=-1), share.sum(axis=-2), np.diagonal(share, axis1=-2, axis2=-1)
    # every complement is a sum of positive terms, so that shares near 1 keep their digits
    off = 1 - np.eye(cells.shape[-1])
    wrong = (share * off).sum(axis=(-2, -1))
    other_p, other_q = p @ off, q @ off
    marginal = np.take_along_axis(other_p, p.argmax(axis=-1)[..., np.newaxis], axis=-1)[..., 0]
    chance_wrong = (p * other_q).sum(axis=-1)
    recall, precision, f_score = _ratio(right, p), _ratio(right, q), _ratio(2 * right, p + q)
    spread = np.sqrt((p * other_p).sum(axis=-1)) * np.sqrt((q * other_q).sum(axis=-1))
    beyond_chance = chance_wrong - wrong
    # a difference of rounding errors must not be divided by a tiny spread
    beyond_chance = np.where(np.abs(beyond_chance) <= 1e-15 * chance_wrong, 0.0, beyond_chance)
    single = cells.ndim == 2
    return RelatedMeasures(
        prediction_advantage=_number(1 - wrong / marginal, single),
        accuracy=_number(right.sum(axis=-1), single),
        balanced_accuracy=_number(recall.sum(axis=-1) / np.count_nonzero(p, axis=-1), single),
        kappa=_number(beyond_chance / chance_wrong, single),
        matthews=_number(_ratio(beyond_chance, spread), single),
        macro_f=_number(f_score.sum(axis=-1) / np.count_nonzero(p + q, axis=-1), single),
        recall=recall,
        precision=precision,
        f_score=f_score,
    )


def _number(value: Any, single: bool) -> Any:
    return float(value) if single else value


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Quotient, 0 where the denominator is 0."""
    return np.where(denominator > 0, numerator / np.where(denominator > 0, denominator, 1.0), 0.0)


def guaranteed_bounds(shares: ArrayLike) -> tuple[str, ...]:
    r"""Name the measures that the prediction advantage never exceeds, whatever the predictions.

    For true classes with shares :math:`p_1, \dots, p_K > 0` and the marginal prediction taken from the same
    labels: kappa always; balanced accuracy if and only if :math:`K p_{\min} \ge 1 - p_{\max}`; F1 of either
    class, with its precision and recall, if K = 2. (Matthews' coefficient is at least the prediction advantage
    where the latter is not negative, which depends on the predictions.)

    Parameters
    ----------
    shares : array_like of shape (K,)
        Shares of the true classes, summing to 1; classes with share 0 are left out.

    Returns
    -------
    tuple of str
        Among ``"kappa"``, ``"balanced_accuracy"``, ``"recall"``, ``"precision"``, ``"f_score"``.

    Examples
    --------
    >>> from classex.advantage import guaranteed_bounds
    >>> guaranteed_bounds([0.9, 0.1])
    ('kappa', 'balanced_accuracy', 'recall', 'precision', 'f_score')
    >>> guaranteed_bounds([0.5, 0.49, 0.01])
    ('kappa',)
    """
    p = as_probabilities(shares, "shares")
    if p.ndim != 1 or abs(p.sum() - 1) > 1e-8 or np.count_nonzero(p) < 2:
        raise ValueError(f"shares must be at least two positive probabilities that sum to 1, not {shown(p)}")
    p = p[p > 0]
    names = ["kappa"]
    # equality, as with balanced classes, must survive rounding
    if p.size * p.min() >= (1 - p.max()) * (1 - 1e-12):
        names.append("balanced_accuracy")
    if p.size == 2:
        names += ["recall", "precision", "f_score"]
    return tuple(names)


def advantage_of_accuracy(accuracy: ArrayLike, n_classes: ArrayLike) -> Any:
    r"""Prediction advantage of an accuracy with k equally likely classes, under zero-one loss.

    .. math:: \mathrm{PA}_k = 1 - \frac{1 - \mathrm{accuracy}_k}{1 - 1/k} = \frac{k\,\mathrm{accuracy}_k - 1}{k - 1}.

    Parameters
    ----------
    accuracy : float or array_like
        Accuracies, probabilities: of one classifier, of an `AccuracyCurve`, or extrapolated.
    n_classes : int or array_like
        Numbers of classes k, at least 2, of the same shape.

    Returns
    -------
    float or ndarray
        The advantage: 0 at chance, 1 when perfect. A standard error of the accuracy is multiplied by k/(k-1).

    Examples
    --------
    70 % accuracy with 3 and with 4 classes:

    >>> from classex.advantage import advantage_of_accuracy
    >>> advantage_of_accuracy(0.7, [3, 4]).round(3)
    array([0.55, 0.6 ])
    """
    a = as_probabilities(accuracy, "accuracy")
    k = as_class_counts(n_classes, minimum=2).reshape(np.shape(n_classes))
    # 1 - error/(1 - 1/k), so that a perfect score stays exactly 1
    value = 1 - (1 - a) / (1 - 1 / k)
    return float(value) if value.ndim == 0 else value
