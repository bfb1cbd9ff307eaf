"""The prediction advantage: one minus the risk over the risk of the best constant prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import (
    as_class_counts,
    as_cost,
    as_finite_array,
    as_plain_array,
    as_probabilities,
    as_probability,
    as_weights,
    by_name,
    one_of,
    refuse_totals,
    shown,
    squared,
)
from classex._estimates import Interval
from classex._result import DrawnResult, Result
from classex._types import FloatArray
from classex.advantage.targets import (
    CallableTarget,
    CrossEntropyTarget,
    LabelTarget,
    QuantileTarget,
    SquaredTarget,
    Target,
    as_class_array,
    blocks,
)

__all__ = []


@dataclass(frozen=True)
class AdvantageInterval(Interval):
    """A confidence interval for the prediction advantage, with the estimate it belongs to.

    Attributes
    ----------
    value : float
        The estimate, at most 1.
    standard_error : float
        Its standard error by the delta method.
    method : str
        How the ends were found, ``"delta"`` or ``"bootstrap"``.
    seed : int or None
        Seed of the bootstrap, if it was given as a number.
    n_points : int or None
        Number of predictions.

    Examples
    --------
    >>> from classex.advantage import prediction_advantage_interval
    >>> y_true, y_pred = [0] * 60 + [1] * 40, [0] * 55 + [1] * 39 + [0] * 6
    >>> interval = prediction_advantage_interval(y_true, y_pred)
    >>> (
    ...     interval.method,
    ...     round(interval.value, 3),
    ...     bool(interval.low < interval.value < interval.high),
    ... )
    ('delta', 0.725, True)
    """

    value: float
    standard_error: float
    method: str
    seed: int | None = None
    n_points: int | None = None

    _says: ClassVar[str] = "Prediction advantage of {n_points} predictions: {found}, by the {method} method."


@dataclass(frozen=True)
class RelatedMeasures(Result):
    """The prediction advantage under zero-one loss, and the measures it is compared with.

    One confusion matrix gives numbers; an array of them, of shape (..., K, K), gives arrays of shape (...,)
    for the summaries and (..., K) for the measures of single classes.

    Attributes
    ----------
    prediction_advantage : float or ndarray
        One minus the error over the error of always predicting the most frequent class.
    accuracy : float or ndarray
        Share of right predictions.
    balanced_accuracy : float or ndarray
        Mean recall of the classes that occur.
    kappa : float or ndarray
        Cohen's kappa, agreement beyond that of independent guesses with the same margins.
    matthews : float or ndarray
        Matthews' correlation coefficient; 0 by convention where every prediction is the same.
    macro_f : float or ndarray
        Mean F1 of the classes that occur or are predicted.
    recall, precision, f_score : ndarray
        Measures with each class as the positive one. By convention recall is 0 for a class that does not occur,
        precision for one that is never predicted, and F1 for one that is neither.

    Examples
    --------
    >>> from classex.advantage import confusion_measures
    >>> measures = confusion_measures([[2, 1], [0, 2]])
    >>> measures.accuracy, measures.recall.round(3), measures.precision.round(3)
    (0.8, array([0.667, 1.   ]), array([1.   , 0.667]))
    """

    prediction_advantage: float | NDArray[np.float64]
    accuracy: float | NDArray[np.float64]
    balanced_accuracy: float | NDArray[np.float64]
    kappa: float | NDArray[np.float64]
    matthews: float | NDArray[np.float64]
    macro_f: float | NDArray[np.float64]
    recall: NDArray[np.float64]
    precision: NDArray[np.float64]
    f_score: NDArray[np.float64]

    _tabulated: ClassVar[bool] = True

    _says: ClassVar[str] = "Measures of confusion matrices, a row for each:"

    def _table(self) -> dict[str, Any]:
        return {field.name: np.ravel(getattr(self, field.name)) for field in fields(self)[:-3]}


@dataclass(frozen=True)
class SelectiveCurve(DrawnResult):
    """Risk and prediction advantage on the rows of highest confidence, as functions of coverage.

    Attributes
    ----------
    coverage : ndarray of shape (n,)
        Share of (weighted) rows accepted, increasing, in (0, 1].
    risk : ndarray of shape (n,)
        Mean loss of the accepted rows.
    marginal_risk : ndarray of shape (n,)
        Mean loss, on the accepted rows, of the constant that is best for them.
    advantage : ndarray of shape (n,)
        Prediction advantage on the accepted rows. Where only one label was accepted, `marginal_risk` is 0. The
        advantage is then by convention 0 if `risk` is 0 too, and minus infinity otherwise.

    Examples
    --------
    >>> from classex.advantage import selective_curve
    >>> curve = selective_curve([0, 0, 0, 1], [0, 0, 1, 1], [0.9, 0.8, 0.6, 0.7])
    >>> # the least confident prediction is the wrong one
    >>> curve.coverage, curve.risk
    (array([0.25, 0.5 , 0.75, 1.  ]), array([0.  , 0.  , 0.  , 0.25]))
    """

    coverage: NDArray[np.float64]
    risk: NDArray[np.float64]
    marginal_risk: NDArray[np.float64]
    advantage: NDArray[np.float64]

    _display: ClassVar[str] = "SelectiveDisplay"
    _says: ClassVar[str] = "Risk and prediction advantage by coverage, the share of rows of highest confidence:"


# losses known by name; a square array is a cost matrix, a function is a loss of its own
LOSSES = ("cross_entropy", "zero_one", "squared", "absolute", "pinball")
Loss = str | ArrayLike | Callable[[Any, Any], ArrayLike]


class LossOptions(TypedDict, total=False):
    """Options that say what a prediction costs, as in `prediction_advantage`."""

    loss: Loss
    labels: ArrayLike | None
    quantile: float | None


def prediction_advantage(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    loss: Loss = "zero_one",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    quantile: float | None = None,
    marginal_prediction: Any = None,
) -> float:
    r"""Prediction advantage over the best prediction that does not look at the input.

    .. math:: \mathrm{PA}_\ell(f) = 1 - \frac{R_\ell(f)}{R_\ell(f_0)}, \qquad
              R_\ell(f_0) = \min_a \mathbb{E}\,\ell(a, Y),

    with :math:`f_0` the Bayesian marginal prediction: the class shares (cross-entropy), the mode (zero-one),
    the mean (squared), the median (absolute), a quantile (pinball), or the label of smallest expected cost.
    1 is perfect, 0 no better than the constant, negative worse.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        True labels.
    y_pred : array_like
        Predictions: labels (zero-one, cost matrix), numbers (squared, absolute, pinball), whatever a callable loss
        takes, or for cross-entropy probabilities of shape (n, n_classes). With two classes, shape (n,) is the
        probability of the second label. Probabilities are clipped to the precision of their dtype, as in
        scikit-learn, so that no row costs infinity (in half precision, to its smallest number). Rows that sum to 1
        only within the precision of their numbers, such as six decimals, are divided by their sums.
    loss : {"zero_one", "cross_entropy", "squared", "absolute", "pinball"}, array_like or callable
        A square array is a cost matrix ``cost[true, predicted]``. A callable ``loss(y_true, y_pred)`` returns
        one non-negative number per row.
    sample_weight : array_like of shape (n,), optional
        Weights of the rows, used for both risks and for the empirical marginal.
    labels : array_like of shape (n_classes,), optional
        Labels in the order of the columns of `y_pred` and of the cost matrix. By default the distinct labels of
        `y_true`, sorted.
    quantile : float, optional
        Level of the pinball loss, in (0, 1); 0.5 by default.
    marginal_prediction : optional
        The constant :math:`f_0` itself, for example that of the training labels. Its risk is then the mean
        loss on the evaluated rows. By default it is the best constant for the **empirical** marginal of `y_true`;
        for a callable loss the best label that occurs, refined by a one-dimensional search between its neighbours
        where labels are floating-point numbers.

    Returns
    -------
    float
        The prediction advantage, at most 1.

    Raises
    ------
    ValueError
        If the marginal risk is 0 (one class only, a constant target): the best constant is then perfect, and
        no advantage over it is defined. Also for inputs that do not fit the loss.

    Notes
    -----
    Source: slides "The Prediction Advantage", definition and the four losses. With the empirical marginal it
    equals scikit-learn's ``d2_log_loss_score``, ``r2_score``, ``d2_absolute_error_score`` and
    ``d2_pinball_score``, except that those return 0 or 1 for a constant target.

    Examples
    --------
    99 % accuracy with a minority of 0.5 % is worse than always predicting the majority:

    >>> import numpy as np
    >>> from classex.advantage import prediction_advantage
    >>> y_true = np.repeat([0, 1], [995, 5])
    >>> y_pred = np.repeat([0, 1, 1], [985, 10, 5])
    >>> prediction_advantage(y_true, y_pred)
    -1.0
    >>> advantage = prediction_advantage(
    ...     [3, -0.5, 2, 7], [2.5, 0.0, 2, 8], loss="squared"
    ... )
    >>> round(advantage, 4)
    0.9486
    """
    target = make_target(y_true, loss=loss, labels=labels, quantile=quantile)
    case = prepare(target, y_pred, sample_weight, marginal_prediction)
    return 1 - case.risk / case.marginal_risk


def bayesian_marginal_prediction(
    y_true: ArrayLike, *, sample_weight: ArrayLike | None = None, **options: Unpack[LossOptions]
) -> Any:
    """Return the best constant prediction under the empirical marginal, ``argmin_a sum_i w_i loss(y_i, a)``.

    Parameters
    ----------
    y_true, sample_weight
        As in `prediction_advantage`.
    **options
        `loss`, `labels` and `quantile`, as there.

    Returns
    -------
    label, float or ndarray
        The mode, the label of smallest expected cost, the class shares (ndarray), or the mean, median or
        quantile. The smallest such label where several are best, the middle of the interval of best medians or
        quantiles.

    Notes
    -----
    scikit-learn's ``DummyClassifier`` and ``DummyRegressor`` are estimators that predict these constants.

    Examples
    --------
    >>> from classex.advantage import bayesian_marginal_prediction
    >>> print(bayesian_marginal_prediction(["b", "a", "b"]))
    b
    >>> print(bayesian_marginal_prediction([1, 2, 30], loss="absolute"))
    2.0
    """
    target = make_target(y_true, **options)
    return target.best_constant(as_weights(sample_weight, target.n_rows))


@dataclass(frozen=True)
class Case:
    """What the advantage is computed from: each row's loss, and that of the constant prediction.

    Attributes
    ----------
    target : Target
        The labels under the loss.
    weight : ndarray of shape (n,)
        Row weights.
    losses, reference : ndarray of shape (n,)
        Loss of the prediction and of the constant on each row. Where the population's marginal risk is
        known, every row of `reference` holds it.
    """

    target: Target
    weight: FloatArray
    losses: FloatArray
    reference: FloatArray

    @property
    def risk(self) -> float:
        """Weighted mean loss."""
        return float(np.average(self.losses, weights=self.weight))

    @property
    def marginal_risk(self) -> float:
        """Weighted mean loss of the constant; positive."""
        return float(np.average(self.reference, weights=self.weight))


def make_target(
    y_true: ArrayLike, *, loss: Loss = "zero_one", labels: ArrayLike | None = None, quantile: float | None = None
) -> Target:
    """Pair the true labels with their loss, both checked."""
    name = loss if isinstance(loss, str) else None
    if quantile is not None and name != "pinball":
        raise ValueError(f"quantile goes with loss='pinball', not with {shown(loss)}")
    if labels is not None and (callable(loss) or name in LOSSES[2:]):
        raise ValueError(f"labels goes with class labels, not with loss={shown(loss)}")
    if callable(loss):
        return CallableTarget(y_true, loss)
    if name is None:
        names = np.unique(as_plain_array(y_true, "y_true")) if labels is None else as_plain_array(labels, "labels")
        matrix = as_plain_array(by_name(loss, names.tolist(), "loss", names.tolist()), "loss")
        return LabelTarget(y_true, labels, as_cost(matrix, len(np.atleast_1d(matrix)), "loss (a cost matrix)"))
    one_of(name, "loss", LOSSES)
    if name == "zero_one":
        return LabelTarget(y_true, labels)
    if name == "cross_entropy":
        return CrossEntropyTarget(y_true, labels)
    if name == "squared":
        return SquaredTarget(y_true)
    if name == "absolute":
        return QuantileTarget(y_true, 0.5, scale=2.0)
    return QuantileTarget(y_true, as_probability(0.5 if quantile is None else quantile, "quantile", open_ends=True))


def prepare(target: Target, y_pred: ArrayLike, sample_weight: ArrayLike | None, constant: Any = None) -> Case:
    """Check the input once and evaluate every row's loss."""
    weight = as_weights(sample_weight, target.n_rows)
    losses = target.row_losses(y_pred)
    reference = target.constant_losses(target.best_constant(weight) if constant is None else constant)
    case = Case(target, weight, losses, reference)
    if not (target.best_risk(weight) if constant is None else case.marginal_risk) > 0:
        raise ValueError(
            "the marginal risk is 0: one constant prediction is right on every row (one class only, or a constant"
            " target), so the prediction advantage is not defined"
        )
    return case


def related_measures(y_true: ArrayLike, y_pred: ArrayLike) -> RelatedMeasures:
    """Prediction advantage, accuracy, balanced accuracy, kappa, Matthews and F scores of one set of predictions.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        True and predicted class labels. `recall`, `precision` and `f_score` are in the order of all labels that
        occur in either, sorted.

    Returns
    -------
    RelatedMeasures

    Raises
    ------
    ValueError
        If `y_true` holds one class only.

    Examples
    --------
    >>> from classex.advantage import related_measures
    >>> measures = related_measures([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    >>> measures.prediction_advantage, round(measures.kappa, 4), measures.f_score
    (0.5, 0.6154, array([0.8, 0.8]))
    """
    true, predicted = as_class_array(y_true, "y_true"), as_class_array(y_pred, "y_pred")
    if predicted.size != true.size:
        raise ValueError(f"y_pred must have {true.size} rows, as y_true has, but its shape is {predicted.shape}")
    if (true.dtype.kind in "SU") != (predicted.dtype.kind in "SU"):
        raise TypeError(f"y_pred holds values of dtype {predicted.dtype}, but y_true of dtype {true.dtype}")
    labels, code = np.unique(np.concatenate([true, predicted]), return_inverse=True)
    if (k := labels.size) < 2:
        raise ValueError("y_true must hold at least two classes, not one: its marginal risk is 0")
    return confusion_measures(np.bincount(code[: true.size] * k + code[true.size :], minlength=k * k).reshape(k, k))


def confusion_measures(confusion: ArrayLike) -> RelatedMeasures:
    r"""Return the same measures from confusion matrices.

    With cells :math:`n_{ij}` (true class i, predicted j) as shares of all rows, margins :math:`p_i` (true) and
    :math:`q_j` (predicted) and agreement :math:`a = \sum_i n_{ii}`:
    :math:`\mathrm{PA} = 1 - (1-a)/(1-\max_i p_i)` and
    :math:`\kappa = 1 - (1-a)/(1-\sum_i p_i q_i)`.

    Parameters
    ----------
    confusion : array_like of shape (..., K, K)
        Non-negative counts or weights, ``confusion[true, predicted]``. Rows and columns of a data frame, such as a
        crosstab, are put in one order, and a label that only one of them has gets a row or column of zeros.

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
    confusion = squared(confusion)
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
    measures = {
        "prediction_advantage": 1 - wrong / marginal,
        "accuracy": right.sum(axis=-1),
        "balanced_accuracy": recall.sum(axis=-1) / np.count_nonzero(p, axis=-1),
        "kappa": beyond_chance / chance_wrong,
        "matthews": _ratio(beyond_chance, spread),
        "macro_f": f_score.sum(axis=-1) / np.count_nonzero(p + q, axis=-1),
    }
    if cells.ndim == 2:
        measures = {name: float(value) for name, value in measures.items()}
    return RelatedMeasures(**measures, recall=recall, precision=precision, f_score=f_score)


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


def marginal_risk(
    y_true: ArrayLike, *, correction: Literal["none", "first_order"] = "none", **options: Unpack[LossOptions]
) -> float:
    r"""Risk of the Bayesian marginal prediction: entropy, variance, deviation from the median, 1 - max p.

    The constant that is best for the sample fits it better than the population's best constant does, so the
    plug-in estimate :math:`\hat R_n = \min_a \frac1n \sum_i \ell(a, y_i)` is too small, by about b/n for smooth
    losses. The first-order correction is the jackknife,

    .. math:: n \hat R_n - (n-1) \frac1n \sum_i \hat R_{n-1}^{(-i)},

    with :math:`\hat R_{n-1}^{(-i)}` the plug-in estimate without row i. Medians and quantiles alternate between
    even and odd sizes, which the jackknife would magnify. For absolute and pinball loss the correction is the
    mean of the plug-in and the leave-one-out estimate, which is too large by as much as the former is too small.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        As in `prediction_advantage`.
    correction : {"none", "first_order"}
        ``"none"`` is what `prediction_advantage` divides by.
    **options
        `loss`, `labels` and `quantile`, as there.

    Returns
    -------
    float
        The estimate; nats for cross-entropy.

    Raises
    ------
    ValueError
        If there are fewer than three rows for a correction.

    Notes
    -----
    b is :math:`(K-1)/2` for the entropy of K labels that all occur, the variance for squared loss, and
    :math:`1/(4 f(m))` for absolute loss with density f at the median m. Where two modes are tied the bias is of
    order :math:`n^{-1/2}`, and the jackknife removes all of it for even n, none for odd n. A corrected estimate
    may be more variable.

    Examples
    --------
    >>> from classex.advantage import marginal_risk
    >>> # the unbiased variance
    >>> risk = marginal_risk(
    ...     [1.0, 2.0, 6.0], loss="squared", correction="first_order"
    ... )
    >>> round(risk, 12)
    7.0
    """
    one_of(correction, "correction", ("none", "first_order"))
    target = make_target(y_true, **options)
    n = target.n_rows
    risk = target.best_risk(np.ones(n))
    if correction == "none":
        return risk
    if n < 3:
        raise ValueError(f"the first-order correction needs at least three rows of y_true, not {n}")
    total = 0.0
    for rows in blocks(n, n):
        others = np.ones((rows.stop - rows.start, n))
        np.fill_diagonal(others[:, rows], 0)
        if isinstance(target, QuantileTarget):
            total += float(target.residual_loss(target.y[rows] - target.best_constants(others)).sum())
        else:
            total += float(target.best_risks(others).sum())
    return (risk + total / n) / 2 if isinstance(target, QuantileTarget) else n * risk - (n - 1) * total / n
