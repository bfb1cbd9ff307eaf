"""Measures, bounds and designs of an experiment, each a frozen dataclass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from classex.results import Interval


@dataclass(frozen=True)
class ConfusionInformation:
    """Mutual information of true and predicted label, estimated from a confusion matrix.

    Attributes
    ----------
    value : float
        The estimate in nats, corrected if asked for; never below 0, nor above the entropy of the true labels or of
        the predicted labels.
    standard_error : float
        Its standard error in nats, with an allowance for cells of the matrix not seen yet.
    plug_in : float
        The estimate before correction.
    bias : float
        The estimated bias that was subtracted; 0 without correction.
    unseen : float
        Estimated share of predictions that fall into cells of the matrix not seen yet.
    interval : Interval
        Confidence interval, around the estimate by jackknife whatever the correction.

    Examples
    --------
    >>> from classex.information import confusion_information
    >>> found = confusion_information([[50, 0], [0, 50]], correction="none")
    >>> # log 2 nats
    >>> round(found.value, 4), found.plug_in == found.value, found.bias
    (0.6931, True, 0.0)
    """

    value: float
    standard_error: float
    plug_in: float
    bias: float
    unseen: float
    interval: Interval


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

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianSequence(n_features=100, signal=12.0).sample(
    ...     60, n_repeats=10, rng=0
    ... )
    >>> bound = cx.information_confidence_bound(
    ...     cx.correct_ranks(sample.scores, sample.labels)
    ... )
    >>> (
    ...     bound.information < sample.model.information(),
    ...     bool((bound.accuracy_bound < bound.accuracy).all()),
    ... )
    (True, True)
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
