"""Extrapolation by regression of average accuracies on moments of the discriminability function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._progress import track
from classex._validation import (
    as_class_counts,
    as_finite_array,
    as_generator,
    as_positive_float,
    as_positive_int,
    one_of,
)
from classex.curves.accuracy import accuracy_covariance, accuracy_curve
from classex.extrapolation._base import Extrapolator
from classex.laws import (
    Basis,
    Discriminability,
    LinearSplineBasis,
    MomentRegression,
    PolynomialBasis,
    ProbitBasis,
)
from classex.laws.sensitivity import prediction_sensitivity
from classex.ranks import subset_ranks, thin_ranks
from classex.results import AccuracyCurve, CorrectRanks

__all__ = ["BasisChoice", "RegressionExtrapolator"]

FloatArray = NDArray[np.float64]

BANDWIDTHS = tuple(round(0.1 * step, 1) for step in range(1, 11))
_BASES = ("probit", "linear_spline", "polynomial")
_WEIGHTS = ("equal", "inverse_variance", "generalised")
_MOST_SIZES = 500
_PUBLISHED_SIZES = 25
_FEWEST_TO_SPLIT = 4


@dataclass(frozen=True)
class BasisChoice:
    """How well each candidate basis extrapolated from half of the observed classes to all of them.

    Attributes
    ----------
    bases : tuple of Basis
        The candidates.
    error : ndarray of shape (n_bases,)
        Root mean square, over the half-splits, of predicted minus observed accuracy at all classes.
    predictions : ndarray of shape (n_splits, n_bases)
        Predicted accuracies.
    observed : float
        Average test accuracy with all classes.
    """

    bases: tuple[Basis, ...]
    error: FloatArray
    predictions: FloatArray
    observed: float


class RegressionExtrapolator(Extrapolator):
    r"""Extrapolate by regressing error rates on moments of a basis for D (the papers' ClassExReg).

    With :math:`D = \sum_l \beta_l h_l`, one minus the average accuracy with k classes is
    :math:`\sum_l \beta_l H_{l,k}`. The coefficients minimise

    .. math:: \sum_k w_k \Bigl(1 - \mathrm{ATA}_k - \sum_l \beta_l H_{l,k}\Bigr)^2

    such that D is a distribution function: non-negative coefficients (for bases that increase), D monotone,
    :math:`0 \le D \le 1`. Predictions lie in [0, 1] and never rise with the number of classes.

    Parameters
    ----------
    basis : {"probit", "linear_spline", "polynomial"}, Basis, or a sequence of these
        Basis for D; of several, the one that extrapolates best from half of the classes to all is taken.
        "probit" is the papers' radial basis, "linear_spline" has 10,000 hinges (April 2017 draft).
    bandwidth : "auto" or float
        Bandwidth of the probit basis; "auto" tries 0.1, 0.2, ..., 1 by half-splitting.
    degree : int
        Degree of the polynomial basis.
    sizes : None, int or array_like of int
        Numbers of classes k that enter the regression. None: all, or 500 equally spaced ones where there are
        more. An integer n: multiples of ``k1 // n`` (the authors take 25). Or the numbers themselves.
    weights : {"equal", "inverse_variance", "generalised"} or array_like
        Weights :math:`w_k`: equal; one over the squared standard errors of the accuracies; generalised least
        squares with their covariance over classes; or one number for each of `sizes`.
    exact : bool
        Whether the fitted curve must pass through the accuracy observed with all classes.
    nonnegative : bool, optional
        Whether coefficients must not be negative; by default for bases whose functions increase.
    monotone, bounded : bool
        Whether D must not fall, and whether it must stay within [0, 1].
    n_splits : int
        Number of half-splits for the choice among bases.
    interval : {"resampling", "sandwich"}
        How `predict_interval` finds the variance: from class subsets, or from the sandwich formula.
    published : bool
        The authors' own program: knots about h apart, 25 numbers of classes, non-negative least squares of
        the accuracies themselves with no bound on the sum of the coefficients. For comparisons.
    rng : int, numpy.random.Generator or None
        Seed or generator of the half-splits.

    Attributes
    ----------
    basis_ : Basis
        The basis in use.
    curve_ : AccuracyCurve
        Observed average accuracies that entered.
    discriminability_ : Discriminability
        The fitted D.
    choice_ : BasisChoice or None
        Evidence of the choice among bases, where there was one.

    Notes
    -----
    Source: journal version sections 3.3, 3.4 and 4; April 2017 draft, section 5.1. The classes are halved
    without replacement (the journal's "with replacement" would put copies of the true class among its
    competitors; see the errata page). Constrained estimates are not unbiased. With fewer than four classes
    nothing can be split, and the middle candidate is taken.

    Examples
    --------
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(30, 30)) + 2 * np.eye(30)
    >>> est = cx.RegressionExtrapolator(bandwidth=0.5).fit(scores, np.arange(30))
    >>> bool((np.diff(est.predict([2, 30, 300, 3000])) < 0).all())
    True
    """

    basis_: Basis
    curve_: AccuracyCurve
    discriminability_: Discriminability
    choice_: BasisChoice | None
    light_: Basis
    problems_: dict[tuple[Any, ...], MomentRegression]
    whole_: CorrectRanks

    def __init__(
        self,
        *,
        basis: str | Basis | Sequence[str | Basis] = "probit",
        bandwidth: str | float = "auto",
        degree: int = 3,
        sizes: int | ArrayLike | None = None,
        weights: str | ArrayLike = "equal",
        exact: bool = False,
        nonnegative: bool | None = None,
        monotone: bool = True,
        bounded: bool = True,
        n_splits: int = 20,
        interval: str = "resampling",
        published: bool = False,
        rng: Any = 0,
    ) -> None:
        self.basis = basis
        self.bandwidth = bandwidth
        self.degree = degree
        self.sizes = sizes
        self.weights = weights
        self.exact = exact
        self.nonnegative = nonnegative
        self.monotone = monotone
        self.bounded = bounded
        self.n_splits = n_splits
        self.interval = interval
        self.published = published
        self.rng = rng

    def discriminability(self, u: ArrayLike) -> FloatArray:
        """Fitted distribution function of the correct label's favourability.

        Parameters
        ----------
        u : array_like of shape (n,)
            Favourabilities in [0, 1].

        Returns
        -------
        ndarray of shape (n,)
            D(u), a probability.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a favourability lies outside [0, 1].
        """
        self._check_fitted()
        return np.clip(self.discriminability_(u), 0.0, 1.0)

    def standard_error(self, n_classes: ArrayLike, *, top: int = 1) -> FloatArray:
        r"""Sandwich standard error of the predictions, over classes.

        The prediction is linear in the observed accuracies as long as the same constraints bind; with the
        covariance S of the accuracies over classes and sensitivities :math:`s_K` its variance is
        :math:`s_K^\top S s_K`. The choice of the bandwidth is taken as given.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K.
        top : int
            A point counts as correct when its truth is among the `top` best labels.

        Returns
        -------
        ndarray of shape (n,)
            Standard errors.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a number of classes is not whole or below 1, or `top` is not a positive integer.
        """
        self._check_fitted()
        return np.sqrt(self._sandwich(as_class_counts(n_classes), as_positive_int(top, "top"), self.ranks_))

    def _sandwich(self, sizes: FloatArray, top: int, ranks: CorrectRanks) -> FloatArray:
        problem = self._regression(self.basis_, ranks, self.curve_.n_classes)
        sensitivity = prediction_sensitivity(problem, self.discriminability_, sizes, top)
        covariance = accuracy_covariance(ranks, self.curve_.n_classes)
        variance: FloatArray = np.einsum("ij,jk,ik->i", sensitivity, covariance, sensitivity)
        return np.maximum(variance, 0.0)

    def _fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> None:
        one_of(self.interval, "interval", ("resampling", "sandwich"))
        candidates = self._candidates(ranks)
        weighing = vars(self).get("whole_", ranks)
        equal = isinstance(self.weights, str) and self.weights == "equal"
        if weighing is ranks and not (equal and isinstance(self.basis, Basis) and hasattr(self, "problems_")):
            self.problems_ = {}
        self.choice_ = None
        vars(self).pop("light_", None)
        if len(candidates) == 1 or ranks.n_classes < _FEWEST_TO_SPLIT:
            self.basis_ = candidates[len(candidates) // 2]
        else:
            self.choice_ = self._choose(candidates, ranks, scores)
            self.basis_ = candidates[int(np.argmin(self.choice_.error))]
        self.curve_ = accuracy_curve(ranks, self._sizes(ranks.n_classes, ranks.n_classes))
        self.discriminability_ = self._solve(self.basis_, weighing, self.curve_)

    def _accuracy(self, n_classes: FloatArray, top: int) -> FloatArray:
        return self.discriminability_.accuracy_of_reals(n_classes, top)

    def _variance(self, sizes: FloatArray, top: int, n_resamples: int, rng: np.random.Generator) -> FloatArray:
        if self.interval == "sandwich":
            return self._sandwich(sizes, top, self.ranks_)
        return super()._variance(sizes, top, n_resamples, rng)

    def _resampled(self) -> Extrapolator:
        """Return an unfitted estimator with the chosen basis, a spline thinned out; problems are shared."""
        twin = super()._resampled()
        if isinstance(twin, RegressionExtrapolator):
            if not hasattr(self, "light_"):
                self.light_ = self.basis_.light()
            twin.basis, twin.problems_, twin.whole_ = self.light_, self.problems_, self.ranks_
        return twin

    def _candidates(self, ranks: CorrectRanks) -> list[Basis]:
        given = [self.basis] if isinstance(self.basis, (str, Basis)) else list(self.basis)
        if not given:
            raise ValueError("basis must name at least one basis, but is empty")
        if self.published and [name for name in given if not isinstance(name, ProbitBasis) and name != "probit"]:
            raise ValueError(f"published=True goes with the probit basis, not {self.basis!r}")
        out: list[Basis] = []
        for name in given:
            out += [name] if isinstance(name, Basis) else self._named(one_of(name, "basis", _BASES), ranks)
        return out

    def _named(self, name: str, ranks: CorrectRanks) -> list[Basis]:
        if name == "linear_spline":
            return [LinearSplineBasis()]
        if name == "polynomial":
            return [PolynomialBasis(as_positive_int(self.degree, "degree"))]
        if isinstance(self.bandwidth, str):
            one_of(self.bandwidth, "bandwidth", ("auto",))
            bandwidths: tuple[float, ...] = BANDWIDTHS
        else:
            bandwidths = (as_positive_float(self.bandwidth, "bandwidth"),)
        make = ProbitBasis.published if self.published else ProbitBasis.for_data
        repeats = ranks.labels.size / ranks.n_classes
        return [make(ranks.n_classes, repeats, bandwidth) for bandwidth in bandwidths]

    def _choose(self, candidates: list[Basis], ranks: CorrectRanks, scores: NDArray[Any] | None) -> BasisChoice:
        """Predict the accuracy with all classes from random halves of them, with every candidate."""
        rng = as_generator(self.rng)
        k1, half = ranks.n_classes, ranks.n_classes // 2
        sizes = self._sizes(k1, half)
        light = [basis.light() for basis in candidates]
        predictions = np.empty((as_positive_int(self.n_splits, "n_splits"), len(candidates)))
        for row in track(predictions, "half-splits"):
            classes = np.sort(rng.permutation(k1)[:half])
            if scores is None:
                part = thin_ranks(ranks, classes, rng=rng)
            else:
                part = subset_ranks(scores, ranks.labels, classes)[0]
            curve = accuracy_curve(part, sizes)
            fits = [self._solve(basis, ranks, curve) for basis in light]
            row[:] = [float(fit.accuracy_of_reals(np.array([float(k1)]), 1)[0]) for fit in fits]
        observed = float(accuracy_curve(ranks, k1).accuracy[0])
        error = np.sqrt(np.square(np.clip(predictions, 0, 1) - observed).mean(axis=0))
        return BasisChoice(tuple(candidates), error, predictions, observed)

    def _solve(self, basis: Basis, ranks: CorrectRanks, curve: AccuracyCurve) -> Discriminability:
        return self._regression(basis, ranks, curve.n_classes).solve(curve.accuracy)

    def _regression(self, basis: Basis, ranks: CorrectRanks, sizes: NDArray[np.int64]) -> MomentRegression:
        """Return the regression, built once for each basis and numbers of classes; weights are those of `ranks`."""
        options = (self.nonnegative, self.monotone, self.bounded, self.exact, self.published)
        key = (basis, sizes.tobytes(), options)
        if key in self.problems_:
            return self.problems_[key]
        problem = MomentRegression(
            basis,
            sizes,
            **self._weighting(ranks, sizes),
            nonnegative=self.nonnegative,
            monotone=self.monotone,
            bounded=self.bounded,
            exact=self.exact,
            survival=self.published,
        )
        self.problems_[key] = problem
        return problem

    def _weighting(self, ranks: CorrectRanks, sizes: NDArray[np.int64]) -> dict[str, Any]:
        if not isinstance(self.weights, str):
            weights = as_finite_array(self.weights, "weights", ndim=1)
            given = np.asarray(self.sizes)
            if given.shape != weights.shape:
                raise ValueError("weights need sizes: give one weight for each entry of sizes, as arrays of one shape")
            order = np.argsort(given)
            place = np.searchsorted(given[order], sizes)
            return {"weights": weights[order][np.minimum(place, order.size - 1)]}
        kind = one_of(self.weights, "weights", _WEIGHTS)
        if kind == "equal":
            return {}
        if kind == "generalised":
            return {"covariance": accuracy_covariance(ranks, sizes)}
        error = accuracy_curve(ranks, sizes).standard_error
        least = 1e-3 * error.max()
        return {"weights": 1.0 / np.maximum(error, least) ** 2} if least > 0 else {}

    def _sizes(self, k1: int, available: int) -> NDArray[np.int64]:
        """Numbers of classes that enter when `available` of the k1 classes are there."""
        if self.sizes is None:
            if self.published:
                sizes = _multiples(k1, _PUBLISHED_SIZES)
            else:
                sizes = np.unique(np.linspace(2, k1, min(k1 - 1, _MOST_SIZES)).round().astype(np.int64))
        elif np.ndim(self.sizes) == 0:
            sizes = _multiples(k1, as_positive_int(self.sizes, "sizes"))
        else:
            sizes = np.unique(as_class_counts(self.sizes, "sizes", minimum=2).astype(np.int64))
        if sizes[-1] > k1 and not hasattr(self, "whole_"):
            raise ValueError(f"sizes must not exceed the {k1} observed classes, but hold {sizes[-1]}")
        sizes = sizes[sizes <= available]
        if sizes.size == 0 or (self.exact and sizes[-1] < available):
            return np.append(sizes, available)
        return sizes


def _multiples(k1: int, n: int) -> NDArray[np.int64]:
    """Multiples of k1 // n from 2 to k1, as in the authors' program."""
    step = max(k1 // n, 1)
    multiples = np.arange(step, k1 + 1, step)
    return multiples[multiples >= 2]
