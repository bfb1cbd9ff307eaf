"""What the functions of this package return: frozen dataclasses, each estimate with its standard error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._rates import rate_interval
from classex._validation import as_probability
from classex.results.fits import ExtrapolationEvidence, LackOfFit
from classex.results.ranks import CorrectRanks, DistractorTable

__all__ = [
    "AccuracyCurve",
    "AdvantageInterval",
    "ConfusionInformation",
    "CorrectRanks",
    "DistractorTable",
    "Estimate",
    "ExperimentDesign",
    "ExtrapolationEvidence",
    "InformationConfidenceBound",
    "Interval",
    "KernelFavourability",
    "LackOfFit",
    "LinearFit",
    "MisspecificationBound",
    "RelatedMeasures",
    "SelectiveCurve",
]


@dataclass(frozen=True)
class AccuracyCurve:
    """Average accuracy (or risk) over random class sets, as a function of the number of classes.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of classes k.
    accuracy : ndarray of shape (n,)
        Estimated average accuracy with k classes, a probability (for a risk curve: the average cost).
    standard_error : ndarray of shape (n,)
        Standard error of each entry, over classes.
    metric : str
        What was averaged: "accuracy", another function of the rank, or "risk".
    n_tested : int or None
        Number of classes with test points, on which the standard errors rest; None where it is not known.
    limits : ndarray of shape (n, 2) or None
        Least and largest value that each entry can take; None where none are known.
    """

    n_classes: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    metric: str = "accuracy"
    n_tested: int | None = None
    limits: NDArray[np.float64] | None = None

    def interval(self, confidence_level: float = 0.95) -> NDArray[np.float64]:
        """Confidence intervals for the average over random class sets of the population.

        Wilson's, at the number of trials that would have the standard error, where the average has limits (accuracies
        and other functions of the rank); otherwise the value and so many standard errors, by the t law.

        Parameters
        ----------
        confidence_level : float
            Nominal coverage, in (0, 1).

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper ends.

        Raises
        ------
        ValueError
            If the level is not in (0, 1).

        Examples
        --------
        >>> import classex as cx
        >>> ranks = cx.ranks_from_wins([2, 3, 1, 3, 3, 2], 4)
        >>> cx.accuracy_curve(ranks, [2, 4], metric="mrr").interval().round(2)
        array([[0.65, 0.97],
               [0.4 , 0.91]])
        """
        level = as_probability(confidence_level, "confidence_level", open_ends=True)
        people = 10**9 if self.n_tested is None else self.n_tested
        if self.limits is None:
            half = special.stdtrit(max(people - 1, 1), 0.5 + level / 2) * self.standard_error
            return np.stack([self.accuracy - half, self.accuracy + half], axis=1)
        low, high = self.limits.T
        width = np.where(high > low, high - low, 1.0)
        ends = rate_interval((self.accuracy - low) / width, self.standard_error / width, people, level)
        out: NDArray[np.float64] = low[:, np.newaxis] + (high - low)[:, np.newaxis] * ends
        return out


@dataclass(frozen=True)
class Estimate:
    """An estimated number and its standard error.

    Attributes
    ----------
    value : float
        The estimate.
    standard_error : float
        Its standard error, in the same unit.
    """

    value: float
    standard_error: float


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Ends of the interval, ``low <= high``.
    confidence_level : float
        Nominal probability, in (0, 1), that the interval covers the true value.

    Examples
    --------
    >>> import classex as cx
    >>> from classex.models import BivariateNormal
    >>> sample = BivariateNormal(0.9).sample(40, rng=0)
    >>> interval = cx.implied_information(cx.correct_ranks(sample.scores, sample.labels)).interval
    >>> round(interval.low, 3), round(interval.high, 3), interval.confidence_level
    (0.076, 0.587, 0.95)
    """

    low: float
    high: float
    confidence_level: float


@dataclass(frozen=True)
class ConfusionInformation:
    """Mutual information of true and predicted label, estimated from a confusion matrix.

    Attributes
    ----------
    value : float
        The estimate in nats, corrected if asked for, never below 0.
    standard_error : float
        Its large-sample standard error in nats; bias not included.
    plug_in : float
        The estimate before correction.
    bias : float
        The first-order bias that was subtracted; 0 without correction.
    unseen : float
        Estimated share of predictions that fall into cells of the matrix not seen yet.
    """

    value: float
    standard_error: float
    plug_in: float
    bias: float
    unseen: float


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
    """

    value: float
    standard_error: float
    method: str


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
    """

    n_classes: int
    n_repeats: int
    cost: float


@dataclass(frozen=True)
class InformationConfidenceBound:
    """Lower confidence bound for mutual information, with everything that went into it.

    Attributes
    ----------
    information : float
        The bound in nats: the largest entry of `information_by_class_count`.
    n_classes : int
        Number of classes k that gave it.
    classifier : int
        Position of the classifier that gave it.
    confidence_level : float
        Probability with which the bound holds, all k and classifiers allowed for.
    class_counts : ndarray of shape (n_counts,)
        Numbers of classes k that were tried.
    accuracy : ndarray of shape (n_classifiers, n_counts)
        Average test accuracy with k classes.
    accuracy_bound : ndarray of shape (n_classifiers, n_counts)
        Simultaneous lower confidence bounds for the average Bayes accuracy with k classes.
    information_by_class_count : ndarray of shape (n_classifiers, n_counts)
        The information each of them implies, in nats.
    """

    information: float
    n_classes: int
    classifier: int
    confidence_level: float
    class_counts: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    accuracy_bound: NDArray[np.float64]
    information_by_class_count: NDArray[np.float64]


@dataclass(frozen=True)
class KernelFavourability:
    """Favourability of the correct label by kernel density estimates, for every test point.

    Attributes
    ----------
    beaten : ndarray of shape (n_test,)
        Probability that a random wrong label scores above the truth: one minus the favourability.
    bandwidth : ndarray of shape (n_test,)
        Bandwidth of each test point's kernel density estimate, in units of the scores.
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
    """

    sharp: NDArray[np.float64]
    simple: NDArray[np.float64]
