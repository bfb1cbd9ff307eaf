"""Lower bounds for information from several accuracies together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._result import Result
from classex.information._results import InformationResult


@dataclass(frozen=True)
class CurveInformationBound(InformationResult):
    r"""Least mutual information that several average Bayes accuracies allow together, and its proof.

    Attributes
    ----------
    information : float
        The bound in nats.
    n_classes : ndarray of shape (n,)
        Numbers of classes k.
    accuracy : ndarray of shape (n,)
        The accuracies, taken as exact.
    multipliers : ndarray of shape (n,)
        :math:`\lambda_k \ge 0`, the nats by which the bound grows for each unit of the accuracy with k classes: 0 for a
        k that carries nothing.
    information_by_class_count : ndarray of shape (n,)
        The bound from each accuracy alone, in nats.
    log_normaliser : float
        :math:`\log \int_0^1 \exp \sum_k \lambda_k (t^{k-1} - 1)\,dt`.

    Examples
    --------
    >>> from classex.information import curve_information_bound
    >>> found = curve_information_bound([0.9, 0.6], [2, 20])
    >>> round(found.nats, 3), found.density([0.0, 0.5, 1.0]).round(3)
    (1.965, array([ 0.091,  0.209, 56.961]))
    """

    information: float
    n_classes: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    information_by_class_count: NDArray[np.float64]
    log_normaliser: float = field(repr=False)

    _amount: ClassVar[str] = "information"
    _tabulated: ClassVar[bool] = True
    _names: ClassVar[Mapping[str, str]] = {"information_by_class_count": "alone, nats"}
    _says: ClassVar[str] = (
        "The mutual information is at least {nats} nats ({bits} bits) if the average Bayes accuracies are exactly these"
        " or larger. It grows by the multiplier for each unit of an accuracy, so those with multiplier 0 add nothing."
    )

    def density(self, t: ArrayLike) -> NDArray[np.float64]:
        r"""Density :math:`q(t) \propto \exp \sum_k \lambda_k t^{k-1}` with the least divergence, at t in [0, 1]."""
        loss = 1 - np.asarray(t, dtype=np.float64)[..., np.newaxis] ** (self.n_classes - 1)
        return np.asarray(np.exp(-loss @ self.multipliers - self.log_normaliser))

    def _table(self) -> dict[str, Any]:
        return {**Result._table(self), "n_classes": self.n_classes.astype(np.int64)}


@dataclass(frozen=True)
class InformationConfidenceBound(InformationResult):
    """Lower confidence bound for mutual information, with the bounds for accuracy that it comes from.

    Attributes
    ----------
    information : float
        The bound in nats, from all numbers of classes and classifiers together.
    n_classes : int
        Number of classes k that alone gives the largest bound.
    classifier : int
        Index of the classifier that alone gives it.
    confidence_level : float
        Probability with which the bound holds, simultaneously for all k and classifiers.
    class_counts : ndarray of shape (n_counts,)
        Numbers of classes k that were tried.
    accuracy : ndarray of shape (n_classifiers, n_counts)
        Average test accuracy with k classes.
    accuracy_bound : ndarray of shape (n_classifiers, n_counts)
        Simultaneous lower confidence bounds for the average Bayes accuracy with k classes.
    information_by_class_count : ndarray of shape (n_classifiers, n_counts)
        The information that each of these bounds implies alone, in nats.
    multipliers : ndarray of shape (n_classifiers, n_counts)
        Nats by which the bound grows for each unit of an accuracy bound: 0 for an accuracy that carries nothing.
    n_points : int
        Number of test points of that classifier.
    method : str
        Form of the bound, ``"chernoff"`` or ``"joint"``.

    Examples
    --------
    >>> import classex as cx
    >>> model = cx.models.GaussianSequence(n_features=100, signal=12.0)
    >>> sample = model.sample(60, n_repeats=10, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> bound = cx.information_confidence_bound(ranks)
    >>> bound.information < model.information()
    True
    """

    information: float
    n_classes: int
    classifier: int
    confidence_level: float
    class_counts: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    accuracy_bound: NDArray[np.float64]
    information_by_class_count: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    n_points: int
    method: str

    _amount: ClassVar[str] = "information"

    _says: ClassVar[str] = (
        "The mutual information is at least {nats} nats ({bits} bits), at the confidence level {confidence_level}, from"
        " the accuracies of {n_points} test points, by the method '{method}'. Accuracies with multiplier 0 add nothing:"
    )

    def _table(self) -> dict[str, Any]:
        classifiers, counts = self.accuracy.shape
        return {
            "n_classes": np.tile(self.class_counts, classifiers),
            "classifier": np.repeat(np.arange(classifiers), counts),
            "accuracy": self.accuracy.ravel(),
            "average_bayes_accuracy_bound": self.accuracy_bound.ravel(),
            "information_bound_nats": self.information_by_class_count.ravel(),
            "multiplier": self.multipliers.ravel(),
        }
