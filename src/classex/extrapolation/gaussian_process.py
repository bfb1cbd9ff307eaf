"""Extrapolation by a Gaussian process for the accuracy curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_class_counts, as_probability
from classex.curves.metrics import as_rank_metric
from classex.extrapolation._base import Extrapolator
from classex.extrapolation._intervals import coherent_ends, interval_ends
from classex.laws.gaussian_process import (
    CurvePrior,
    GaussianProcessLaw,
    fit_gaussian_process,
    fit_gaussian_process_curve,
)
from classex.laws.law import metric_of_law, metric_variance
from classex.results import CorrectRanks

__all__ = ["GaussianProcessExtrapolator"]

FloatArray = NDArray[np.float64]

_MANY = 10**9  # degrees of freedom of a posterior that is normal


class GaussianProcessExtrapolator(Extrapolator):
    r"""Extrapolate the accuracy curve as a smooth line of probit accuracy against the logarithm of K: the default.

    On the probit scale the accuracy curves of real classifiers fall by .3 to .9 per decade of K, and their slopes
    change slowly. The prior, learnt from thirteen kinds of classifiers, describes this in three numbers (see
    `classex.laws.CurvePrior`); the accuracies observed at a few numbers of classes do the rest.

    Parameters
    ----------
    prior : CurvePrior, optional
        Prior of curves; by default the one learnt from real classifiers.

    Attributes
    ----------
    law_ : GaussianProcessLaw
        The posterior of the curve, and the distribution of favourability closest to its mean.

    Notes
    -----
    Ranks suffice, or a published curve alone (`fit_curve`). A monotone change of all scores changes nothing. Intervals
    need no resampling: their width is the posterior standard deviation of the curve times ``prior.width``, and they are
    held to what the observed curve shows by itself (see `predict_interval`).

    Where the distribution of scores is known exactly, a method that uses it is more accurate: `MixtureExtrapolator` for
    Gaussian classes and faces, `ProbitNormalExtrapolator` where favourabilities are probit-normal.

    Examples
    --------
    >>> import classex as cx
    >>> published = cx.GaussianProcessExtrapolator().fit_curve(
    ...     [10, 100, 1_000], [0.95, 0.85, 0.70], 5_000
    ... )
    >>> published.predict(10_000).round(1)
    array([0.5])
    """

    takes_samples = True
    keeps_scores = False
    _held_to_data = True
    law_: GaussianProcessLaw

    def __init__(self, prior: CurvePrior | None = None) -> None:
        self.prior = prior

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> GaussianProcessLaw:
        del scores
        return fit_gaussian_process(ranks, prior=self.prior)

    def fit_curve(self, n_classes: ArrayLike, accuracy: ArrayLike, n_test: int) -> Self:
        """Fit on a published curve, when nothing else is known, or on that of a recogniser trained anew each time.

        Parameters
        ----------
        n_classes : array_like of int of shape (n,)
            Numbers of classes, each at least 2, no two equal.
        accuracy : array_like of shape (n,)
            Accuracy with so many classes.
        n_test : int
            Number of test points behind the curve.

        Returns
        -------
        GaussianProcessExtrapolator
            The estimator itself; its intervals are for the average accuracy.

        Raises
        ------
        TypeError, ValueError
            If an argument is not as described.
        """
        self.law_ = fit_gaussian_process_curve(n_classes, accuracy, n_test, prior=self.prior)
        for name in ("ranks_", "scores_", "lack_of_fit_"):
            self.__dict__.pop(name, None)
        return self

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
        """Interval for the accuracy with K classes, as in every estimator.

        After `fit_curve` nothing is known of single classes: only ``target="average"`` is answered.

        Parameters
        ----------
        n_classes, confidence_level, target, metric, top, n_repeats, n_resamples, rng, n_jobs, progress
            As in `Extrapolator.predict_interval`.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper end for each K.

        Raises
        ------
        NotFittedError, ValueError
            As in `Extrapolator.predict_interval`, and for other targets after `fit_curve`.
        """
        self._check_fitted()
        if hasattr(self, "ranks_"):
            return super().predict_interval(
                n_classes,
                confidence_level=confidence_level,
                target=target,
                metric=metric,
                top=top,
                n_repeats=n_repeats,
                n_resamples=n_resamples,
                rng=rng,
                n_jobs=n_jobs,
                progress=progress,
            )
        if target != "average":
            raise ValueError(f"target must be 'average' after fit_curve, which knows no single classes, not {target!r}")
        sizes, scored = as_class_counts(n_classes), as_rank_metric(metric, top)
        level = as_probability(confidence_level, "confidence_level", open_ends=True)
        value, (low, width) = metric_of_law(self.law_, sizes, scored), scored.span(sizes)
        variance = np.asarray(metric_variance(self.law_.variance, sizes, scored))
        unit = interval_ends((value - low) / width, variance / np.square(width), level, _MANY)
        ends = low[:, np.newaxis] + width[:, np.newaxis] * unit
        return coherent_ends(ends[np.newaxis], value, sizes, falling=scored.falls(sizes))
