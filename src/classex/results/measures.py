"""Measures, bounds and designs of an experiment, each a frozen dataclass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class RelatedMeasures:
    """The prediction advantage under zero-one loss beside the measures it is compared with.

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
        Measures of each class, as if it were the positive one; 0 by convention where the class does not
        occur (recall), is never predicted (precision), or neither (F1).

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


@dataclass(frozen=True)
class SelectiveCurve:
    """What a predictor achieves on the rows it is most confident about.

    Attributes
    ----------
    coverage : ndarray of shape (n,)
        Share of (weighted) rows accepted, increasing, in (0, 1].
    risk : ndarray of shape (n,)
        Mean loss of the accepted rows.
    marginal_risk : ndarray of shape (n,)
        Mean loss, on the accepted rows, of the constant that is best for them.
    advantage : ndarray of shape (n,)
        Prediction advantage on the accepted rows; 0 by convention where `marginal_risk` and `risk` are both
        0, minus infinity where only `marginal_risk` is (one label only was accepted).

    Examples
    --------
    >>> from classex.advantage import selective_curve
    >>> curve = selective_curve([0, 0, 0, 1], [0, 0, 1, 1], [0.9, 0.8, 0.6, 0.7])
    >>> curve.coverage, curve.risk  # the least confident is the one that is wrong
    (array([0.25, 0.5 , 0.75, 1.  ]), array([0.  , 0.  , 0.  , 0.25]))
    """

    coverage: NDArray[np.float64]
    risk: NDArray[np.float64]
    marginal_risk: NDArray[np.float64]
    advantage: NDArray[np.float64]


@dataclass(frozen=True)
class ExperimentDesign:
    """Size of a classification experiment.

    Attributes
    ----------
    n_classes : int
        Number of classes k.
    n_repeats : int
        Test points per class r.
    cost : float
        What it costs, in the unit that was asked for.

    Examples
    --------
    >>> from classex.bayes import cheapest_design
    >>> design = cheapest_design(
    ...     0.1, accuracy=0.9, class_cost=25.0, repeat_cost=1.0
    ... )
    >>> design.n_classes * (25.0 + design.n_repeats * 1.0) == design.cost
    True
    """

    n_classes: int
    n_repeats: int
    cost: float


@dataclass(frozen=True)
class KernelFavourability:
    """Favourability of the correct label by kernel density estimates, for every test point.

    Attributes
    ----------
    beaten : ndarray of shape (n_test,)
        Probability that a random wrong label scores above the truth: one minus the favourability.
    bandwidth : ndarray of shape (n_test,)
        Bandwidth of each test point's kernel density estimate, in units of the scores.

    Examples
    --------
    >>> from classex.methods import kernel_favourability
    >>> found = kernel_favourability(
    ...     [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 1.0]], [0, 1, 2], 0.5
    ... )
    >>> found.beaten.round(3), found.bandwidth
    (array([0.011, 0.011, 0.261]), array([0.5, 0.5, 0.5]))
    """

    beaten: NDArray[np.float64]
    bandwidth: NDArray[np.float64]


@dataclass(frozen=True)
class LinearFit:
    """Coefficients of a linear regression.

    Attributes
    ----------
    coefficients : ndarray of shape (p,)
        Estimated coefficients.
    covariance : ndarray of shape (p, p)
        Their sandwich covariance.

    Examples
    --------
    >>> from classex.methods.sources import calibrated_regression
    >>> fit = calibrated_regression([[1, 0], [1, 1], [1, 2]], [1.0, 3.0, 5.0])
    >>> # a straight line, without error
    >>> fit.coefficients.round(6), bool(abs(fit.covariance).max() < 1e-12)
    (array([1., 2.]), True)
    """

    coefficients: NDArray[np.float64]
    covariance: NDArray[np.float64]


@dataclass(frozen=True)
class MisspecificationBound:
    """Bounds on the bias of extrapolated accuracies when D is not in the span of the basis.

    Attributes
    ----------
    sharp, simple : ndarray of shape (n,)
        The sharp and the simple bound for each number of classes, probabilities.

    Examples
    --------
    >>> from classex.distributions import PolynomialBasis
    >>> from classex.methods.sources import misspecification_bound
    >>> bound = misspecification_bound(PolynomialBasis(1), [2, 3, 4], 10, 0.01)
    >>> bool((bound.sharp <= bound.simple).all()), bound.simple.round(3)
    (True, array([0.036]))
    """

    sharp: NDArray[np.float64]
    simple: NDArray[np.float64]
