"""The prediction advantage: one minus the risk over the risk of the best constant prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classex._types import FloatArray
from classex._validation import as_cost, as_plain_array, as_probability, as_weights, one_of, shown
from classex.advantage._class_targets import CrossEntropyTarget, LabelTarget, Target
from classex.advantage._number_targets import CallableTarget, QuantileTarget, SquaredTarget

# losses known by name; a square array is a cost matrix, a function is a loss of its own
LOSSES = ("cross_entropy", "zero_one", "squared", "absolute", "pinball")

Loss = str | ArrayLike | Callable[[Any, Any], ArrayLike]


def prediction_advantage(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    loss: Loss = "zero_one",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    quantile: float | None = None,
    marginal: ArrayLike | None = None,
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
        Labels in the order of the columns of `y_pred`, of the cost matrix and of `marginal`. By default the
        distinct labels of `y_true`, sorted.
    quantile : float, optional
        Level of the pinball loss, in (0, 1); 0.5 by default.
    marginal : array_like, optional
        Distribution of Y in the population, where it is known: one probability per label, or (other losses) a
        sample of labels. :math:`R(f_0)` is then computed from this distribution, by default from the **empirical**
        marginal of `y_true`. The two differ where the rows are not a random sample of the population.
    marginal_prediction : optional
        The constant :math:`f_0` itself, for example that of the training labels. Its risk is then the mean
        loss on the evaluated rows (or under `marginal`). For a callable loss the default is the best label that
        occurs, refined by a one-dimensional search between its neighbours where labels are floating-point numbers.

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
    case = prepare(y_true, y_pred, loss, sample_weight, labels, quantile, marginal, marginal_prediction)
    return 1 - case.risk / case.marginal_risk


def bayesian_marginal_prediction(
    y_true: ArrayLike,
    *,
    loss: Loss = "zero_one",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    quantile: float | None = None,
) -> Any:
    """Return the best constant prediction under the empirical marginal, ``argmin_a sum_i w_i loss(y_i, a)``.

    Parameters
    ----------
    y_true, loss, sample_weight, labels, quantile
        As in `prediction_advantage`.

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
    target = make_target(y_true, loss, labels, quantile)
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
    empirical : bool
        Whether the constant was chosen from these rows.
    """

    target: Target
    weight: FloatArray
    losses: FloatArray
    reference: FloatArray
    empirical: bool

    @property
    def risk(self) -> float:
        """Weighted mean loss."""
        return float(np.average(self.losses, weights=self.weight))

    @property
    def marginal_risk(self) -> float:
        """Weighted mean loss of the constant; positive."""
        return float(np.average(self.reference, weights=self.weight))


def make_target(y_true: ArrayLike, loss: Loss, labels: ArrayLike | None, quantile: float | None) -> Target:
    """Pair the true labels with their loss, both checked."""
    name = loss if isinstance(loss, str) else None
    if quantile is not None and name != "pinball":
        raise ValueError(f"quantile goes with loss='pinball', not with {shown(loss)}")
    if labels is not None and (callable(loss) or name in LOSSES[2:]):
        raise ValueError(f"labels goes with class labels, not with loss={shown(loss)}")
    if callable(loss):
        return CallableTarget(y_true, loss)
    if name is None:
        matrix = as_plain_array(loss, "loss")
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


def prepare(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    loss: Loss,
    sample_weight: ArrayLike | None,
    labels: ArrayLike | None,
    quantile: float | None,
    marginal: ArrayLike | None,
    constant: Any,
) -> Case:
    """Check the input once and evaluate every row's loss."""
    target = make_target(y_true, loss, labels, quantile)
    weight = as_weights(sample_weight, target.n_rows)
    losses = target.row_losses(y_pred)
    rows, row_weight = (target, weight) if marginal is None else target.population(marginal)
    if constant is None:
        risk = rows.best_risk(row_weight)
        reference = rows.constant_losses(rows.best_constant(row_weight))
    else:
        reference = rows.constant_losses(constant)
        risk = float(np.average(reference, weights=row_weight))
    if not risk > 0:
        raise ValueError(
            "the marginal risk is 0: one constant prediction is right on every row (one class only, or a constant"
            " target), so the prediction advantage is not defined"
        )
    if marginal is not None:
        reference = np.full(target.n_rows, risk)
    return Case(target, weight, losses, reference, marginal is None and constant is None)
