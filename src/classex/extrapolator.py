"""The one estimator: it fits a method to scores, ranks or a published curve, and predicts with intervals."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._parallel import at_work
from classex._parameters import Parameters
from classex._validation import as_class_counts, as_generator, as_positive_int, as_probability, one_of
from classex.curves.metrics import RankMetric, as_rank_metric
from classex.distributions.distribution import Distribution, metric_of, metric_variance, variance_of
from classex.exceptions import LackOfFitWarning
from classex.intervals.departures import Departures, above_chance, find_departures
from classex.intervals.resampling import own_copy, resampled_variance
from classex.intervals.targets import (
    TARGETS,
    check_fit,
    coherent_ends,
    distribution_interval,
    interval_ends,
    shorter_lists,
)
from classex.io.scores import scores_and_labels
from classex.methods._method import Method
from classex.methods.gaussian_process import GaussianProcess
from classex.methods.registry import default_method, method_by_name
from classex.ranks import as_ranks, ranks_of_checked
from classex.results import CorrectRanks, LackOfFit

__all__ = ["Extrapolator"]

FloatArray = NDArray[np.float64]

_NORMAL = 10**9  # degrees of freedom of a posterior that is normal


class Extrapolator(Parameters):
    """Extrapolate average accuracy to more classes.

    Parameters
    ----------
    method : Method or str, optional
        How the distribution of the favourability is fitted, such as ``cx.methods.Regression(basis="probit")``, or the
        name of a method with its default options (see `classex.methods.METHODS`). By default the Gaussian process
        (`classex.methods.GaussianProcess`); where points met unequal numbers of sampled wrong labels, empirical Bayes.

    Attributes
    ----------
    method_ : Method
        The method that was fitted.
    distribution_ : Distribution
        The fitted distribution of the favourability.
    ranks_ : CorrectRanks
        Ranks of the correct labels; absent after `fit_curve`.
    scores_ : ndarray of shape (n_test, n_classes) or None
        Scores the method was fitted on, read-only; None after `fit_ranks`, and where only ranks are read.
    lack_of_fit_ : LackOfFit
        How far the fit is from the accuracies observed with all classes and with a quarter of them.

    Notes
    -----
    Every method assumes that the observed classes are a random sample of those to come, and that the score of a class
    for a test point does not depend on which other classes take part.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4)
    >>> for method in (
    ...     None,
    ...     "exponential",
    ...     cx.methods.sources.Polynomial(degree=1),
    ... ):
    ...     fitted = cx.Extrapolator(method).fit_ranks(ranks)
    ...     print(fitted.predict(4).round(2), fitted.method_)
    [0.65] GaussianProcess(prior=None)
    [0.66] Exponential()
    [0.67] Polynomial(degree=1)
    """

    method_: Method
    distribution_: Distribution
    ranks_: CorrectRanks
    scores_: NDArray[Any] | None
    lack_of_fit_: LackOfFit
    _departures: Departures | None = None
    _above_chance = False

    def __init__(self, method: Method | str | None = None) -> None:
        self.method = method

    def _chosen(self, ranks: CorrectRanks | None) -> Method:
        """Return the method to fit; None where it waits for the ranks."""
        if self.method is None:
            return GaussianProcess() if ranks is None else default_method(ranks)
        if isinstance(self.method, str):
            return method_by_name(self.method)
        if not isinstance(self.method, Method):
            raise TypeError(f"method must be a name or one of classex.methods, not {self.method!r}")
        return self.method

    def fit(self, scores: ArrayLike, labels: ArrayLike, *, classes: ArrayLike | None = None) -> Self:
        """Fit on a matrix of scores.

        Parameters
        ----------
        scores : array_like of shape (n_test, n_classes)
            Score of every label for every test point; higher is better. A copy is kept for intervals, unless the
            array is a file mapped into memory read-only.
        labels : array_like of shape (n_test,)
            Correct label of each test point: its column, or its name.
        classes : array_like of shape (n_classes,), optional
            Names of the columns (see `classex.correct_ranks`).

        Returns
        -------
        Extrapolator
            The estimator itself.

        Raises
        ------
        ValueError
            If a score is NaN or infinite, a label is out of range, there are fewer than two classes, or the shapes
            disagree; or if an option is not accepted.
        TypeError
            If scores or labels are not numbers.

        Warns
        -----
        LackOfFitWarning
            If the accuracy fitted with the observed classes misses the observed one by more than three standard
            errors.
        """
        method = self._chosen(None)
        checked, truth = scores_and_labels(scores, labels, classes, every_class=False)
        if not method.keeps_scores:
            return self._fit_checked(method, ranks_of_checked(checked, truth), None)
        matrix = own_copy(checked, scores)
        return self._fit_checked(method, ranks_of_checked(matrix, truth), matrix)

    def fit_ranks(self, ranks: CorrectRanks) -> Self:
        """Fit on ranks of the correct labels, for the methods that need no more.

        Parameters
        ----------
        ranks : CorrectRanks
            From `correct_ranks`, `correct_ranks_from_embeddings` or `ranks_from_wins`.

        Returns
        -------
        Extrapolator
            The estimator itself.

        Raises
        ------
        TypeError
            If `ranks` is not a `CorrectRanks`, or the method needs scores.
        ValueError
            If points met samples of the wrong labels, and the method averages over classes that all points met.
        ValueError
            If an option is not accepted.

        Warns
        -----
        LackOfFitWarning
            As in `fit`.
        """
        method = self._chosen(ranks if isinstance(ranks, CorrectRanks) else None)
        as_ranks(ranks, sampled=method.takes_samples)
        if method.needs_scores:
            raise TypeError(f"{type(method).__name__} needs scores, ranks do not suffice: call fit(scores, labels)")
        return self._fit_checked(method, ranks, None)

    def fit_curve(self, n_classes: ArrayLike, accuracy: ArrayLike, n_test: int) -> Self:
        """Fit on a published curve, when nothing else is known, or on that of a classifier trained anew each time.

        Parameters
        ----------
        n_classes : array_like of int of shape (n,)
            Numbers of classes, each at least 2, no two equal.
        accuracy : array_like of shape (n,)
            Accuracy with that many classes.
        n_test : int
            Number of test points behind the curve.

        Returns
        -------
        Extrapolator
            The estimator itself; its intervals are for the average accuracy.

        Raises
        ------
        TypeError, ValueError
            If an argument is not as described, or the method is not a Gaussian process.
        """
        method = self._chosen(None)
        if not isinstance(method, GaussianProcess):
            raise TypeError(f"fit_curve needs the Gaussian process, not {type(method).__name__}")
        self.method_, self.distribution_ = method, method.fit_curve(n_classes, accuracy, n_test)
        for name in ("ranks_", "scores_", "lack_of_fit_", "_departures", "_above_chance"):
            self.__dict__.pop(name, None)
        return self

    def _fit_checked(self, method: Method, ranks: CorrectRanks, scores: NDArray[Any] | None) -> Self:
        self.method_, self.distribution_ = method, method.fit(ranks, scores)
        self.ranks_, self.scores_ = ranks, scores
        self.lack_of_fit_ = found = check_fit(self.distribution_, ranks)
        self._departures, self._above_chance = None, False
        if method.held_to_data:
            self._departures = find_departures(self.distribution_, ranks)
            self._above_chance = above_chance(ranks)
        if found.refuted:
            warnings.warn(
                f"{type(method).__name__} fits an accuracy of {found.predicted[0]:.4f} with {found.n_classes[0]}"
                f" classes, where {found.observed[0]:.4f} was observed (standard error {found.standard_error[0]:.4f}):"
                " its assumption fails for these data, and its predictions may be far off",
                LackOfFitWarning,
                stacklevel=3,
            )
        return self

    def predict(
        self, n_classes: ArrayLike, *, metric: str | Callable[[Any], Any] = "accuracy", top: int = 1
    ) -> FloatArray:
        """Average accuracy, or any other function of the rank, over random sets of K classes.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K, each at least 1 (up to 10^12 and beyond).
        metric : str or callable
            "accuracy", "recall@m", "mrr", "ndcg@m", "map@m" or a function of the rank 1, 2, ..., as in
            `classex.accuracy_curve`; anything but the accuracy is summed up from the accuracies with all `top`.
        top : int
            With the metric "accuracy", a point counts as correct when its truth is among the `top` best labels.

        Returns
        -------
        ndarray of shape (n,)
            Class-balanced average accuracy for each K, a probability; or the mean of the function of the rank.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a number of classes is not whole or below 1, `metric` is not known, or `top` is not a positive integer.
        """
        self._check_fitted()
        return self._predicted(as_class_counts(n_classes), as_rank_metric(metric, top))

    def _predicted(self, sizes: FloatArray, metric: RankMetric) -> FloatArray:
        """Mean of the distribution; at least what guessing gives, if the observed accuracies are not below that."""
        value = metric_of(self.distribution_, sizes, metric)
        if not self._above_chance or metric.top is None:
            return value
        out: FloatArray = np.maximum(value, np.minimum(metric.top / sizes, 1.0))
        return out

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
        n_classes : int or array_like of int
            Numbers of classes K.
        metric, top
            As in `predict`.
        n_resamples, rng
            As in `predict_interval`.

        Returns
        -------
        ndarray of shape (n,)
            Standard errors, without what a lack of fit adds to intervals.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If an argument is out of range, or fewer than 5 classes were observed and the method rests on resampling.
        """
        self._check_fitted()
        draws = as_positive_int(n_resamples, "n_resamples", minimum=10)
        sizes, scored = as_class_counts(n_classes), as_rank_metric(metric, top)
        variance: FloatArray = self._variance(sizes, (scored,), draws, as_generator(rng))[0]
        return np.sqrt(variance)

    def predict_interval(
        self,
        n_classes: ArrayLike,
        *,
        confidence_level: float = 0.95,
        target: str = "average",
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
            of K classes; or the accuracy on one set of K classes that holds the observed ones.
        metric, top
            As in `predict`.
        n_repeats : int, optional
            Test points per class with which the accuracy on a fresh set, or a superset, will be measured; in a
            superset the observed classes keep theirs. By default that accuracy is the one in the limit of many.
        n_resamples : int
            Number of class subsets drawn, where the method's interval rests on resampling.
        rng : int, numpy.random.Generator or None
            Seed or generator of the class subsets.
        n_jobs : int, optional
            Number of processes that fit to class subsets; by default what ``joblib.parallel_config`` says. The
            result does not depend on it.
        progress : bool, optional
            Whether to show a progress bar, if standard error is a terminal.

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
        log K, is added to the standard error. A miss of more than three standard errors at k1 refutes the fit
        (`LackOfFitWarning`). Where its interval then leaves out what the probit-normal law predicts, it reaches on that
        side as far as the interval of that law. Where every point is right, or every one wrong, the interval reaches
        as far as one more test point could move it.

        The default's intervals are held to what the observed curve shows by itself. Up to the k1 observed classes the
        interval for the average is the curve's own (`AccuracyCurve.interval`), and beyond it lies no higher. Nothing is
        added for a miss: the variance of its curve counts that. Two findings contradict how accuracy curves usually go
        on: a curve that falls much less at its end than the prediction falls beyond, and test points that are all
        equally hard. Then the interval extends, to the upper or to the lower side, as far as
        `classex.intervals.moment_limits`, which hold for every distribution.

        No interval covers what the observed classes do not show. Coverage may be far below the nominal level if a
        few labels beat the points of all other classes and none of them was observed; if nearly every class has a
        near twin in the population and hardly any was observed; if points are alike but nearly all of them are right;
        if the curve is flat but fewer than some 100 points show it; if the curve becomes flat only beyond k1,
        because some of the points lose to a few wrong labels in a hundred and the others to none;
        or if it becomes steep only there.

        A metric is a weighted sum of accuracies with all `top`. Where only the variance of these has a closed form,
        the metric's is the largest that agrees with it, which takes their errors to go together. Its interval is
        symmetric on the probit scale of the metric's least and largest value.

        The ends never fall as `top` grows. Asked for several K at once, the average accuracy and that of one growing
        set have ends that never rise with K.
        """
        self._check_fitted()
        sizes = as_class_counts(n_classes)
        level = as_probability(confidence_level, "confidence_level", open_ends=True)
        kind = one_of(target, "target", TARGETS)
        scored = as_rank_metric(metric, top)
        repeats = None if n_repeats is None else as_positive_int(n_repeats, "n_repeats")
        draws = as_positive_int(n_resamples, "n_resamples", minimum=10)
        seed = as_generator(rng)
        with at_work(n_jobs, progress):
            return self._assess(sizes, scored, level, kind, repeats, draws, seed)[0]

    def _assess(
        self,
        sizes: FloatArray,
        metric: RankMetric,
        level: float,
        target: str,
        n_repeats: int | None = None,
        n_resamples: int = 100,
        rng: np.random.Generator | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Intervals (n, 2) and standard errors (n,) for checked arguments."""
        if not hasattr(self, "ranks_"):
            return self._assess_curve(sizes, metric, level, target)
        shorter = (metric,) if metric.top is None else shorter_lists(metric.top)
        variance = self._variance(sizes, shorter, n_resamples, np.random.default_rng(0) if rng is None else rng)
        freedom = self.method_.resampling.freedom(self.ranks_.n_tested, n_resamples)
        ends = [
            distribution_interval(
                self.distribution_,
                self.ranks_,
                sizes,
                one,
                variance=row,
                level=level,
                freedom=freedom,
                refuted=self.lack_of_fit_.refuted,
                target=target,
                n_repeats=n_repeats,
                departures=self._departures,
            )
            for one, row in zip(shorter, variance, strict=True)
        ]
        falling = target != "fresh" and metric.falls(sizes)
        return coherent_ends(np.array(ends), self._predicted(sizes, metric), sizes, falling), np.sqrt(variance[-1])

    def _assess_curve(
        self, sizes: FloatArray, metric: RankMetric, level: float, target: str
    ) -> tuple[FloatArray, FloatArray]:
        """Intervals and standard errors after `fit_curve`, which knows no single classes."""
        if target != "average":
            raise ValueError(f"target must be 'average' after fit_curve, which knows no single classes, not {target!r}")
        value, (low, width) = self._predicted(sizes, metric), metric.span(sizes)
        variance = np.asarray(metric_variance(self.distribution_.variance, sizes, metric), dtype=np.float64)
        unit = interval_ends((value - low) / width, variance / np.square(width), level, _NORMAL)
        ends = low[:, np.newaxis] + width[:, np.newaxis] * unit
        return coherent_ends(ends[np.newaxis], value, sizes, falling=metric.falls(sizes)), np.sqrt(variance)

    def _variance(
        self, sizes: FloatArray, metrics: tuple[RankMetric, ...], n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Sampling variance of the predictions for each metric, (n_metrics, n_sizes)."""
        closed = [variance_of(self.distribution_, sizes, metric) for metric in metrics]
        known = [one for one in closed if one is not None]
        if len(known) == len(closed):
            return np.array(known)
        draws = resampled_variance(
            self.distribution_,
            self.ranks_,
            self.scores_,
            sizes,
            metrics,
            n_resamples=n_resamples,
            rng=rng,
            method=self.method_,
        )
        return self.method_.complete_variance(self.distribution_, self.ranks_, draws, sizes, metrics)
