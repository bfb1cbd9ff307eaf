"""The one estimator: it fits a method to scores, ranks or a published curve, and predicts with intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_class_counts, as_generator, as_positive_int, as_probability, one_of
from classex._estimates import AccuracyCurve, LackOfFit
from classex._optional import at_work
from classex._result import Parameters
from classex._types import Average, FloatArray, MethodName, Target
from classex.curves.accuracy import published_curve, spaced_sizes, weigh, weighted_curve
from classex.curves.metrics import as_rank_metric
from classex.distributions.distribution import Distribution
from classex.forecast.forecast import (
    MOST_SIZES,
    TARGETS,
    ContinuedForecast,
    Forecast,
    PublishedCurve,
    own_copy,
    repeats_for,
)
from classex.methods.gaussian_process import (
    GaussianProcess,
    GaussianProcessDistribution,
    from_curve,
    from_published,
)
from classex.methods.protocol import Method
from classex.methods.registry import as_method, default_method
from classex.ranks import as_ranks, in_units, ranks_of_checked
from classex.ranks.ranks import CorrectRanks
from classex.ranks.scores import comparisons_left_out, scores_and_labels

__all__ = ["Extrapolator"]


class Extrapolator(Parameters):
    """Extrapolate average accuracy to more classes.

    The observed classes must be a random sample of those to come, and scores must not depend on which others take part.

    Parameters
    ----------
    method : Method or str, optional
        A method, such as ``cx.methods.Regression(basis="probit")``, or the name of one (see `classex.methods.METHODS`).
        By default the Gaussian process; if points met unequal numbers of sampled wrong labels, empirical Bayes.
    average : {"balanced", "points"}
        Whether each class weighs the same in the accuracy, or each test point; not with `fit_curve`.

    Attributes
    ----------
    method_, distribution_ : Method, Distribution
        The method that was fitted, and the fitted distribution of the favourability.
    ranks_, lack_of_fit_ : CorrectRanks, LackOfFit
        Ranks of the correct labels, and distance of the fit from the observed accuracies; absent beside a `curve_`.
    n_observed_ : int
        Largest number of classes with an observed accuracy.
    scores_ : ndarray of shape (n_test, n_classes) or None
        Scores the method was fitted on, read-only; None after `fit_ranks`, and if the method reads only ranks.
    fitted_ : Forecast
        What predictions are made from: the distribution, and what the data show beside it.
    curve_ : AccuracyCurve
        The published curve, or that of weighted classes; present only where there are no ranks.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4)
    >>> for method in (None, cx.methods.ProbitNormal(nu=1)):
    ...     fitted = cx.Extrapolator(method).fit_ranks(ranks)
    ...     print(fitted.predict(4).round(2), fitted.method_)
    [0.67] GaussianProcess(prior=None)
    [0.64] ProbitNormal(nu=1, prior=True)
    """

    _fitted_name = "fitted_"
    fitted_: Forecast

    def __init__(self, method: Method | MethodName | None = None, *, average: Average = "balanced") -> None:
        self.method, self.average = method, average

    def fit(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        units: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Self:
        """Fit on a matrix of scores.

        Parameters
        ----------
        scores : array_like of shape (n_test, n_classes)
            Score of every label for every test point; higher is better. A copy is kept, except of a read-only memmap.
        labels : array_like of shape (n_test,)
            Correct label of each test point: its column, or its name.
        classes, clusters : array_like of shape (n_classes,), optional
            Names of the columns, and clusters of the classes, for intervals over clusters: see `classex.correct_ranks`.
        units : array_like of shape (n_test,), optional
            Unit of each test point, such as its subject, for intervals over units too: see `classex.ranks.in_units`.
        weights : array_like of shape (n_classes,), optional
            Weights of classes that were drawn with unequal chances (see `classex.accuracy_curve`). The default is then
            fitted to the weighted curve, up to the effective number of classes.

        Returns
        -------
        Extrapolator
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If an argument is not as described, or an option of the method is not accepted.

        Warns
        -----
        LackOfFitWarning
            If the fit misses the accuracy with all classes by more than three standard errors.
        """
        method = GaussianProcess() if self.method is None else as_method(self.method)
        if weights is not None:
            given = clusters is not None or units is not None
            if not isinstance(method, GaussianProcess) or self.average != "balanced" or given:
                raise ValueError("method, average, clusters and units must have their default values with weights")
            curve, influence = weighted_curve(scores, labels, weights, classes=classes)
            few = np.searchsorted(curve.n_classes, spaced_sizes(2, curve.n_classes[-1], MOST_SIZES))
            sizes, covariance = curve.n_classes[few].astype(np.float64), influence[:, few].T @ influence[:, few]
            fit = from_curve(sizes, curve.accuracy[few], covariance, float(curve.n_units or 1), method.prior)
            return self._fit_known(method, curve, fit, float(np.linalg.norm(influence[:, -1] - influence[:, -2])))
        filled, left_out = comparisons_left_out(scores, None)
        checked, truth = scores_and_labels(filled, labels, classes, every_class=False)
        matrix = own_copy(checked, scores) if method.keeps_scores else checked
        ranks = ranks_of_checked(matrix, truth, clusters, left_out)
        ranks = ranks if units is None else in_units(ranks, units)
        if left_out is not None:
            return self.fit_ranks(ranks)
        kept = matrix if method.keeps_scores else None
        weighed = ranks if self.average == "balanced" else weigh(ranks, self.average)
        self.fitted_ = method.forecast(weighed, kept, self.average)
        return self

    def fit_ranks(self, ranks: CorrectRanks) -> Self:
        """Fit on ranks of the correct labels, for methods that do not need scores.

        Parameters
        ----------
        ranks : CorrectRanks
            From `correct_ranks` and its relatives; for intervals over clusters of classes or units of test points, from
            `classex.ranks.in_clusters` and `classex.ranks.in_units`.

        Returns
        -------
        Extrapolator
            The estimator itself.

        Raises
        ------
        TypeError, ValueError
            If `ranks` is not a `CorrectRanks`, or the method needs scores, or wrong labels that all points met.
        """
        method = default_method(as_ranks(ranks, sampled=True)) if self.method is None else as_method(self.method)
        as_ranks(ranks, sampled=method.takes_samples)
        if method.needs_scores:
            raise TypeError(f"{type(method).__name__} needs scores, ranks do not suffice: call fit(scores, labels)")
        self.fitted_ = method.forecast(weigh(ranks, self.average), None, self.average)
        return self

    def fit_curve(
        self, n_classes: ArrayLike, accuracy: ArrayLike, n_test: int | None = None, *, standard_error: Any = None
    ) -> Self:
        """Fit on a published curve, or on the curve of a classifier that is trained anew for each number of classes.

        Parameters
        ----------
        n_classes, accuracy : array_like of shape (n,)
            Numbers of classes, each at least 2, no two equal, and the accuracy with each.
        n_test, standard_error : int and array_like of shape (n,), optional
            Number of test points behind the curve. Or standard errors, instead of it: the number is then the least of
            accuracy (1 - accuracy) / standard_error^2.

        Returns
        -------
        Extrapolator
            The estimator, which `classex.extrapolate` takes; its intervals are for the average accuracy.

        Raises
        ------
        TypeError, ValueError
            If an argument is not as described, the method is not a Gaussian process, or the accuracy clearly rises.
        """
        method = GaussianProcess() if self.method is None else as_method(self.method)
        if not isinstance(method, GaussianProcess) or self.average != "balanced":
            raise TypeError(f"fit_curve needs the Gaussian process and average='balanced', not {self!r}")
        curve = published_curve(n_classes, accuracy, n_test, standard_error)
        return self._fit_known(method, curve, from_published(curve, method.prior))

    def _fit_known(
        self, method: Method, curve: AccuracyCurve, fit: GaussianProcessDistribution, step_error: float | None = None
    ) -> Self:
        self.fitted_ = ContinuedForecast(method, fit, PublishedCurve(curve, step_error))
        return self

    @property
    def method_(self) -> Method:
        """The method that was fitted."""
        method: Method = self.fitted_.method
        return method

    @property
    def distribution_(self) -> Distribution:
        """The fitted distribution of the favourability."""
        distribution: Distribution = self.fitted_.distribution
        return distribution

    @property
    def n_observed_(self) -> int:
        """Largest number of classes with an observed accuracy."""
        return int(self.fitted_.known.n_observed)

    @property
    def scores_(self) -> NDArray[Any] | None:
        """Scores the method was fitted on."""
        return self.fitted_.scores

    @property
    def ranks_(self) -> CorrectRanks:
        """Ranks of the correct labels."""
        ranks: CorrectRanks = self.fitted_.known.ranks
        return ranks

    @property
    def curve_(self) -> AccuracyCurve:
        """The published curve, or that of weighted classes."""
        curve: AccuracyCurve = self.fitted_.known.known
        return curve

    @property
    def lack_of_fit_(self) -> LackOfFit:
        """Distance of the fit from the observed accuracies."""
        if (found := self.fitted_.lack_of_fit) is None:
            raise AttributeError("lack_of_fit_ goes with ranks")
        return found

    def predict(
        self, n_classes: ArrayLike, *, metric: str | Callable[[Any], Any] = "accuracy", top: int = 1
    ) -> FloatArray:
        """Average accuracy, or any other function of the rank, over random sets of K classes.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K, each at least 1 (up to 10^12 and beyond).
        metric, top
            As in `classex.accuracy_curve`. Every metric is a weighted sum of the accuracies with all `top`.

        Returns
        -------
        ndarray of shape (n,)
            Average accuracy for each K, a probability; or the mean of the function of the rank.

        Raises
        ------
        NotFittedError, TypeError, ValueError
            If the estimator was not fitted, or an argument is not as described.
        """
        self.check_fitted()
        return self.fitted_.predict(as_class_counts(n_classes), as_rank_metric(metric, top))

    def standard_error(
        self,
        n_classes: ArrayLike,
        *,
        metric: str | Callable[[Any], Any] = "accuracy",
        top: int = 1,
        n_resamples: int = 100,
        rng: Any = 0,
    ) -> FloatArray:
        """Standard error of the predictions as estimates of the average accuracy, over classes.

        Parameters
        ----------
        n_classes, metric, top, n_resamples, rng
            As in `predict_interval`.

        Returns
        -------
        ndarray of shape (n,)
            Standard errors, without what a lack of fit adds to intervals.

        Raises
        ------
        NotFittedError, TypeError, ValueError
            As in `predict_interval`.
        """
        self.check_fitted()
        draws = as_positive_int(n_resamples, "n_resamples", minimum=10)
        sizes, scored = as_class_counts(n_classes), as_rank_metric(metric, top)
        return self.fitted_.standard_error(sizes, scored, draws, as_generator(rng))

    def predict_interval(
        self,
        n_classes: ArrayLike,
        *,
        confidence_level: float = 0.95,
        target: Target = "average",
        metric: str | Callable[[Any], Any] = "accuracy",
        top: int = 1,
        n_repeats: int | None = None,
        n_resamples: int = 100,
        rng: Any = 0,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> FloatArray:
        """Confidence or prediction interval for the accuracy, or another function of the rank, with K classes.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K.
        confidence_level : float
            Nominal coverage, in (0, 1).
        target : {"average", "fresh", "superset"}
            What the interval is for: the average over random sets of K classes; the accuracy on one fresh set
            of K classes; or the accuracy on one set of K classes that contains the observed ones.
        metric, top
            As in `predict`.
        n_repeats : int, optional
            Test points per class of a "fresh" set, or of the new classes of a "superset"; by default infinitely many.
        n_resamples : int
            Number of class subsets drawn, if the method's interval rests on resampling.
        rng : int, numpy.random.Generator or None
            Seed or generator of the class subsets.
        n_jobs : int, optional
            Number of processes for the class subsets; by default that of ``joblib.parallel_config``.
        progress : bool, optional
            Whether to show a progress bar, if standard error is a terminal.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper end for each K. They rise with `top`; except for a fresh set, they fall with K.

        Raises
        ------
        NotFittedError, TypeError, ValueError
            If the estimator was not fitted, an argument is not as described, or fewer than 5 classes, or clusters, were
            observed and the method's interval rests on resampling.

        Notes
        -----
        *The default.* Up to the k1 observed classes prediction, standard error and interval for the average are the
        observed curve's own (`AccuracyCurve.interval`). Beyond k1 the ends are quantiles of the posterior, in which the
        accuracy with k1 classes lies within its own interval (see `classex.forecast`). They never lie above those with
        k1 classes, and the upper end of a perfect record is 1 for every K. For other metrics the same distances, on the
        probit scale, are taken around the prediction.

        *All other methods.* The ends are symmetric around the prediction on the probit scale, between the metric's
        least and largest value. Resampling draws classes without replacement, because a copy of the true class would
        compete with it. If only the variances of the accuracies with all `top` are known, other metrics take their
        errors to be perfectly correlated. If the fit misses the accuracies observed at k1 and k1 / 4 classes by more
        than their standard error, the miss, continued in log K, is added. If it misses by more than three standard
        errors at k1 (`LackOfFitWarning`), the interval extends to that of the probit-normal method wherever it excludes
        that method's prediction. If all points are right, or all wrong, it extends as far as one more could move it.

        *What no interval covers.* Coverage may be far below the nominal level if the observed classes do not show it:
        labels that beat all points, or near twins of most classes, when few or none were observed; and a curve that
        changes its slope only far beyond k1. Real data have tested the default up to 658 times as many classes as were
        observed; beyond that its components are all that is known.
        """
        self.check_fitted()
        sizes = as_class_counts(n_classes)
        level = as_probability(confidence_level, "confidence_level", open_ends=True)
        kind, scored = one_of(target, "target", TARGETS), as_rank_metric(metric, top)
        draws, seed = as_positive_int(n_resamples, "n_resamples", minimum=10), as_generator(rng)
        with at_work(n_jobs, progress):
            return self.fitted_.assess(sizes, scored, level, kind, repeats_for(kind, n_repeats), draws, seed)[1]
