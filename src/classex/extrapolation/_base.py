"""What all extrapolation methods share: validation, ranks, prediction and resampling intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import (
    as_class_counts,
    as_generator,
    as_labels,
    as_positive_int,
    as_probability,
    as_scores,
    one_of,
)
from classex.exceptions import NotFittedError
from classex.extrapolation._intervals import TARGETS, interval_ends, lack_of_fit, resampled_variance, target_variance
from classex.ranks import as_ranks, correct_ranks
from classex.results import CorrectRanks

__all__ = ["Extrapolator"]

FloatArray = NDArray[np.float64]


class Extrapolator(ABC):
    """Base of the methods that extrapolate average accuracy to more classes.

    A method sets `needs_scores` if ranks do not suffice and writes `_fit` and `_accuracy`; it may also write
    `_resampled` (the estimator to refit on class subsets, by default one with the same parameters) and
    `_variance` (the variance of its predictions, by default from class subsets). Parameters live in
    attributes without, fitted ones in attributes with a trailing underscore.

    Attributes
    ----------
    ranks_ : CorrectRanks
        Ranks of the correct labels the method was fitted on.
    scores_ : ndarray of shape (n_test, n_classes) or None
        Scores the method was fitted on; None after `fit_ranks`.
    """

    needs_scores = False
    ranks_: CorrectRanks
    scores_: NDArray[Any] | None

    @abstractmethod
    def _fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> None:
        """Fit on checked input; ``ranks.labels`` holds the correct column of every row of `scores`."""

    @abstractmethod
    def _accuracy(self, n_classes: FloatArray, top: int) -> FloatArray:
        """Average accuracy for checked numbers of classes, each greater than `top`."""

    def fit(self, scores: ArrayLike, labels: ArrayLike) -> Self:
        """Fit on a matrix of scores.

        Parameters
        ----------
        scores : array_like of shape (n_test, n_classes)
            Score of every label for every test point; higher is better.
        labels : array_like of shape (n_test,)
            Column of the correct label of each test point. Every class needs at least one test point.

        Returns
        -------
        Extrapolator
            The estimator itself.

        Raises
        ------
        ValueError
            If a score is NaN or infinite, a label is out of range, a class has no test point, there are fewer
            than two classes, or the shapes disagree.
        TypeError
            If scores or labels are not numbers.
        """
        matrix = as_scores(scores)
        truth = as_labels(labels, matrix.shape[0], matrix.shape[1])
        return self._fit_checked(correct_ranks(matrix, truth), matrix)

    def fit_ranks(self, ranks: CorrectRanks) -> Self:
        """Fit on ranks of the correct labels, for the methods that need no more.

        Parameters
        ----------
        ranks : CorrectRanks
            From `correct_ranks` or `correct_ranks_from_embeddings`.

        Returns
        -------
        Extrapolator
            The estimator itself.

        Raises
        ------
        TypeError
            If `ranks` is not a `CorrectRanks`, or the method needs scores.
        """
        as_ranks(ranks, every_class=True)
        if self.needs_scores:
            raise TypeError(f"{type(self).__name__} needs scores, ranks do not suffice: call fit(scores, labels)")
        return self._fit_checked(ranks, None)

    def _fit_checked(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> Self:
        self._fit(ranks, scores)
        self.ranks_ = ranks
        self.scores_ = scores
        return self

    def predict(self, n_classes: ArrayLike, *, top: int = 1) -> FloatArray:
        """Average accuracy over random sets of K classes.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K, each at least 1 (up to 10^12 and beyond).
        top : int
            A point counts as correct when its truth is among the `top` best labels.

        Returns
        -------
        ndarray of shape (n,)
            Class-balanced average accuracy for each K, a probability.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a number of classes is not whole or below 1, or `top` is not a positive integer.
        """
        self._check_fitted()
        return self._predict_checked(as_class_counts(n_classes), as_positive_int(top, "top"))

    def _predict_checked(self, sizes: FloatArray, top: int) -> FloatArray:
        out = np.ones_like(sizes)
        open_ = sizes > top
        if open_.any():
            out[open_] = np.clip(self._accuracy(sizes[open_], top), 0.0, 1.0)
        return out

    def predict_interval(
        self,
        n_classes: ArrayLike,
        *,
        confidence_level: float = 0.95,
        target: str = "average",
        top: int = 1,
        n_repeats: int | None = None,
        n_resamples: int = 100,
        rng: Any = 0,
    ) -> FloatArray:
        """Confidence or prediction interval for the accuracy with K classes.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K.
        confidence_level : float
            Nominal coverage, in (0, 1).
        target : {"average", "fresh", "superset"}
            What the interval is for: the average over random sets of K classes; the accuracy on one fresh set
            of K classes; or the accuracy on one set of K classes that holds the observed ones.
        top : int
            A point counts as correct when its truth is among the `top` best labels.
        n_repeats : int, optional
            Test points per class with which the accuracy on a fresh set will be measured. By default that
            accuracy is the one in the limit of many test points.
        n_resamples : int
            Number of class subsets drawn, where the method's interval rests on resampling.
        rng : int, numpy.random.Generator or None
            Seed or generator of the class subsets.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper end for each K.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If an argument is out of range, or fewer than 5 classes were observed and the method's interval
            rests on resampling.

        Notes
        -----
        The ends are symmetric around the prediction on the probit scale. Resampling draws classes without
        replacement, because a copy of the true class would compete with it. Where the fitted curve misses the
        accuracies observed at k1 and k1 / 4 classes by more than their standard error, the miss, continued in
        log K, is added to the standard error.
        """
        self._check_fitted()
        sizes = as_class_counts(n_classes)
        level = as_probability(confidence_level, "confidence_level", open_ends=True)
        kind = one_of(target, "target", TARGETS)
        m = as_positive_int(top, "top")
        repeats = None if n_repeats is None else as_positive_int(n_repeats, "n_repeats")
        draws = as_positive_int(n_resamples, "n_resamples", minimum=10)
        return self._interval(sizes, level, kind, m, repeats, draws, as_generator(rng))

    def _interval(
        self,
        sizes: FloatArray,
        level: float,
        target: str,
        top: int,
        n_repeats: int | None,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> FloatArray:
        value = self._predict_checked(sizes, top)
        variance = self._variance(sizes, top, n_resamples, rng) + lack_of_fit(self, sizes, top)
        variance = target_variance(self, sizes, top, target, variance, n_repeats)
        return interval_ends(value, variance, level, self._freedom(n_resamples))

    def _variance(self, sizes: FloatArray, top: int, n_resamples: int, rng: np.random.Generator) -> FloatArray:
        """Variance of the predictions as estimates of the average accuracy."""
        return resampled_variance(self, sizes, top, n_resamples, rng)

    def _freedom(self, n_resamples: int) -> int:
        """Degrees of freedom of the variance."""
        del n_resamples
        return self.ranks_.n_classes - 1

    def _resampled(self) -> Extrapolator:
        """Return an unfitted estimator to fit on class subsets; selected tuning values may be frozen in it."""
        twin = copy(self)
        for name in [name for name in vars(twin) if name.endswith("_")]:
            delattr(twin, name)
        return twin

    def _on_classes(self, classes: NDArray[np.int64]) -> None:  # noqa: B027 - most methods have nothing to do
        """Prepare an estimator from `_resampled` for a fit on some of the classes."""

    def _check_fitted(self) -> None:
        if not hasattr(self, "ranks_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit or fit_ranks first")

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if name.strip("_") == name)
        return f"{type(self).__name__}({parameters})"
