"""The prediction advantage: its relatives, and its course under selective prediction."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex._estimates import Interval
from classex._result import DrawnResult, Result


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
