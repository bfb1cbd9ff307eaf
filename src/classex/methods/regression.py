"""Regression of average accuracies on moments of the discriminability function: the papers' ClassExReg as a law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._progress import track
from classex._validation import as_class_counts, as_finite_array, as_generator, as_positive_int, one_of
from classex.curves.accuracy import accuracy_covariance, accuracy_curve
from classex.curves.class_subsets import ranks_of_classes
from classex.distributions.basis import Basis
from classex.distributions.distribution import Distribution, Evidence
from classex.methods._candidate_bases import candidate_bases
from classex.methods._method import Indices, Method, Scores
from classex.methods._sensitivity import prediction_sensitivity
from classex.methods.moments import Discriminability, MomentRegression
from classex.ranks import as_ranks
from classex.results import AccuracyCurve, CorrectRanks

__all__ = ["BasisChoice", "Regression", "RegressionDistribution"]

FloatArray = NDArray[np.float64]

_WEIGHTS = ("equal", "inverse_variance", "generalised")
_MOST_SIZES = 500
_PUBLISHED_SIZES = 25
_FEWEST_TO_SPLIT = 4
_KEPT_PROBLEMS = 64
_LARGE = 1000


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

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> choice = (
    ...     cx.methods.Regression()
    ...     .fit(cx.correct_ranks(sample.scores, sample.labels))
    ...     .choice
    ... )
    >>> (
    ...     choice.predictions.shape[1] == choice.error.size == len(choice.bases),
    ...     round(choice.observed, 3),
    ... )
    (True, 0.125)
    """

    bases: tuple[Basis, ...]
    error: FloatArray
    predictions: FloatArray
    observed: float


@dataclass(frozen=True, eq=False)
class _Settings:
    """What stays the same when the law is fitted to other data; one object is equal to itself only."""

    whole: CorrectRanks
    sizes: int | ArrayLike | None
    weights: str | ArrayLike
    shape: tuple[tuple[str, Any], ...]

    @property
    def published(self) -> bool:
        return bool(dict(self.shape)["survival"])

    @property
    def exact(self) -> bool:
        return bool(dict(self.shape)["exact"])


@dataclass(frozen=True)
class RegressionDistribution(Distribution):
    """A law whose discriminability function was fitted to the observed curve.

    Attributes
    ----------
    discriminability : Discriminability
        The fitted D.
    curve : AccuracyCurve
        Observed average accuracies that entered.
    choice : BasisChoice or None
        Evidence of the choice among bases, where there was one.
    settings : object
        The settings of the fit, with the ranks whose standard errors weigh the accuracies.

    Examples
    --------
    >>> import classex as cx
    >>> distribution = cx.methods.Regression(bandwidth=0.5).fit(
    ...     cx.ranks_from_wins([2, 3, 1, 1], 4)
    ... )
    >>> (
    ...     distribution.curve.n_classes,
    ...     distribution.choice is None,
    ...     bool(distribution.discriminability.coefficients.min() >= 0),
    ... )
    (array([2, 3, 4]), True, True)
    """

    discriminability: Discriminability
    curve: AccuracyCurve = field(repr=False)
    choice: BasisChoice | None = field(repr=False)
    settings: _Settings = field(repr=False)

    @property
    def basis(self) -> Basis:
        """The basis in use."""
        return self.discriminability.basis

    @property
    def evidence(self) -> Evidence:
        """Bandwidth or degree, number of coefficients in use, and the distance from the observed curve."""
        fit = self.discriminability
        named = {name: float(value) for name in ("bandwidth", "degree") if (value := vars(fit.basis).get(name))}
        return Evidence(named, float((np.abs(fit.coefficients) > 1e-9).sum()), residual=fit.residual)

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        return self.discriminability.accuracy_of_reals(sizes, top)

    def cdf(self, u: FloatArray) -> FloatArray:
        """Discriminability function at favourabilities u, confined to [0, 1]."""
        return np.clip(self.discriminability(u), 0.0, 1.0)

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        r"""Sandwich variance :math:`s_K^\top S s_K` over classes, the choice of the basis taken as given.

        The prediction is linear in the observed accuracies as long as the same constraints bind; S is their
        covariance and :math:`s_K` are the sensitivities of the prediction to them.
        """
        problem = _problem(self.basis, self.settings, self.curve.n_classes)
        sensitivity = prediction_sensitivity(problem, self.discriminability, sizes, top)
        covariance = accuracy_covariance(self.settings.whole, self.curve.n_classes)
        variance: FloatArray = np.einsum("ij,jk,ik->i", sensitivity, covariance, sensitivity)
        return np.maximum(variance, 0.0)


@dataclass(frozen=True, kw_only=True)
class Regression(Method):
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
    published : {"journal", "program"}, optional
        The authors' method, for comparisons: knots about h apart, 25 numbers of classes, and non-negative least
        squares of the accuracies themselves with no bound on the sum of the coefficients. The two differ in the
        largest knot: "journal" has :math:`\Phi^{-1}(1 - 1/(r k_1^2))` as printed, with r test points per class,
        and "program" has :math:`\Phi^{-1}(1 - 1/k_1^2)` as in the authors' R scripts. With r = 1 they are the same.
        The script for Telugu regresses on every k, 1 too; for that, give ``sizes=range(1, k1 + 1)`` as well.
    solver : {"auto", "cvxpy"}
        Which solver takes the constrained problem. "auto" takes non-negative least squares where functions increase
        and coefficients are non-negative with a bounded sum, and cvxpy elsewhere; "cvxpy" takes cvxpy always. Both
        give the same to about eight digits. Without effect on `published`, which is defined by its solver.
    rng : int, numpy.random.Generator or None
        Seed or generator of the half-splits.

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
    >>> est = cx.Extrapolator(cx.methods.Regression(bandwidth=0.5)).fit(
    ...     scores, np.arange(30)
    ... )
    >>> bool((np.diff(est.predict([2, 30, 300, 3000])) < 0).all())
    True
    """

    basis: str | Basis | Sequence[str | Basis] = "probit"
    bandwidth: str | float = "auto"
    degree: int = 3
    sizes: int | ArrayLike | None = None
    weights: str | ArrayLike = "equal"
    exact: bool = False
    nonnegative: bool | None = None
    monotone: bool = True
    bounded: bool = True
    n_splits: int = 20
    interval: str = "resampling"
    published: str | None = None
    solver: str = "auto"
    rng: Any = 0

    def fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None = None) -> RegressionDistribution:
        r"""Fit a discriminability function to the observed curve by constrained least squares.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes.
        scores : ndarray of shape (n_test, n_classes), optional
            The scores behind them, with which the half-splits that choose a basis are exact.
        basis, bandwidth, degree, sizes, weights, exact, nonnegative, monotone, bounded, n_splits, published, solver, rng
            As in `classex.methods.Regression`.

        Returns
        -------
        RegressionDistribution

        Raises
        ------
        ValueError, TypeError
            If a setting is not accepted.
        SolverError
            If a constrained problem is not solved to optimality.

        Examples
        --------
        >>> import classex as cx
        >>> ranks = cx.correct_ranks(
        ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
        ... )
        >>> cx.methods.Regression(bandwidth=0.5).fit(ranks).basis
        ProbitBasis(13 knots, bandwidth=0.5)
        """
        candidates = candidate_bases(self.basis, self.bandwidth, self.degree, self.published, ranks)
        shape = {
            "nonnegative": self.nonnegative,
            "monotone": self.monotone,
            "bounded": self.bounded,
            "exact": self.exact,
            "survival": self.published is not None,
            "solver": self.solver,
        }
        settings = _Settings(ranks, self.sizes, _as_weights(self.weights, self.sizes), tuple(shape.items()))
        k1 = as_ranks(ranks).n_classes
        at = _sizes(settings, k1, k1)
        choice, chosen = None, candidates[len(candidates) // 2]
        if len(candidates) > 1 and k1 >= _FEWEST_TO_SPLIT:
            choice = _choose(
                candidates, settings, scores, as_positive_int(self.n_splits, "n_splits"), as_generator(self.rng)
            )
            chosen = candidates[int(np.argmin(choice.error))]
        else:
            as_positive_int(self.n_splits, "n_splits")
            as_generator(self.rng)
        curve = accuracy_curve(ranks, at)
        return RegressionDistribution(_solve(chosen, settings, curve), curve, choice, settings)

    def refit(
        self, fitted: RegressionDistribution, ranks: CorrectRanks, scores: Scores = None, classes: Indices = None
    ) -> RegressionDistribution:
        """Fit to other ranks with the basis chosen, a spline thinned out, and the weights of the first fit.

        The curve that is fitted has no standard errors, which would take longer than the fit.
        """
        settings = fitted.settings
        curve = accuracy_curve(ranks, _sizes(settings, ranks.n_classes, ranks.n_classes), standard_errors=False)
        fit = _solve(fitted.basis.light(), settings, curve)
        return RegressionDistribution(fit, curve, fitted.choice, settings)


def _choose(
    candidates: list[Basis],
    settings: _Settings,
    scores: NDArray[Any] | None,
    n_splits: int,
    rng: np.random.Generator,
) -> BasisChoice:
    """Predict the accuracy with all classes from random halves of them, with every candidate."""
    ranks = settings.whole
    k1, half = ranks.n_classes, ranks.n_classes // 2
    sizes = _sizes(settings, k1, half)
    light = [basis.light() for basis in candidates]
    predictions = np.empty((n_splits, len(candidates)))
    for row in track(predictions, "half-splits"):
        part = ranks_of_classes(ranks, scores, np.sort(rng.permutation(k1)[:half]), rng)[0]
        curve = accuracy_curve(part, sizes, standard_errors=False)
        fits = [_solve(basis, settings, curve) for basis in light]
        row[:] = [float(fit.accuracy_of_reals(np.array([float(k1)]), 1)[0]) for fit in fits]
    observed = float(accuracy_curve(ranks, k1, standard_errors=False).accuracy[0])
    error = np.sqrt(np.square(np.clip(predictions, 0, 1) - observed).mean(axis=0))
    return BasisChoice(tuple(candidates), error, predictions, observed)


def _solve(basis: Basis, settings: _Settings, curve: AccuracyCurve) -> Discriminability:
    return _problem(basis, settings, curve.n_classes).solve(curve.accuracy)


def _problem(basis: Basis, settings: _Settings, sizes: NDArray[np.int64]) -> MomentRegression:
    """Return the regression for some numbers of classes, built once; what is grown while it is solved is not kept."""
    weighted = not (isinstance(settings.weights, str) and settings.weights == "equal")
    build = _built.__wrapped__ if basis.n_functions > _LARGE else _built
    return build(basis, settings.shape, tuple(sizes.tolist()), settings if weighted else None)


@lru_cache(maxsize=_KEPT_PROBLEMS)
def _built(
    basis: Basis, shape: tuple[tuple[str, Any], ...], sizes: tuple[int, ...], settings: _Settings | None
) -> MomentRegression:
    at = np.array(sizes, dtype=np.int64)
    weighting = {} if settings is None else _weighting(settings, at)
    return MomentRegression(basis, at, **weighting, **dict(shape))


def _weighting(settings: _Settings, sizes: NDArray[np.int64]) -> dict[str, Any]:
    if not isinstance(settings.weights, str):
        given, weights = np.asarray(settings.sizes), np.asarray(settings.weights)
        order = np.argsort(given)
        position = np.searchsorted(given[order], sizes)
        return {"weights": weights[order][np.minimum(position, order.size - 1)]}
    if settings.weights == "generalised":
        return {"covariance": accuracy_covariance(settings.whole, sizes)}
    error = accuracy_curve(settings.whole, sizes).standard_error
    least = 1e-3 * error.max()
    return {"weights": 1.0 / np.maximum(error, least) ** 2} if least > 0 else {}


def _as_weights(weights: str | ArrayLike, sizes: int | ArrayLike | None) -> str | FloatArray:
    if isinstance(weights, str):
        return str(one_of(weights, "weights", _WEIGHTS))
    array: FloatArray = as_finite_array(weights, "weights", ndim=1, dtype=np.float64)
    if np.shape(np.asarray(sizes)) != array.shape:
        raise ValueError("weights need sizes: give one weight for each entry of sizes, as arrays of one shape")
    return array


def _sizes(settings: _Settings, k1: int, available: int) -> NDArray[np.int64]:
    """Numbers of classes that enter when `available` of the k1 classes are there."""
    if settings.sizes is None:
        if settings.published:
            sizes = _multiples(k1, _PUBLISHED_SIZES)
        else:
            sizes = np.unique(np.linspace(2, k1, min(k1 - 1, _MOST_SIZES)).round().astype(np.int64))
    elif np.ndim(settings.sizes) == 0:
        sizes = _multiples(k1, as_positive_int(settings.sizes, "sizes"))
    else:
        sizes = np.unique(
            as_class_counts(settings.sizes, "sizes", minimum=1 if settings.published else 2).astype(np.int64)
        )
        if sizes[-1] > settings.whole.n_classes:
            raise ValueError(
                f"sizes must not exceed the {settings.whole.n_classes} observed classes, but hold {sizes[-1]}"
            )
    sizes = sizes[sizes <= available]
    if sizes.size == 0 or (settings.exact and sizes[-1] < available):
        return np.append(sizes, available)
    return sizes


def _multiples(k1: int, n: int) -> NDArray[np.int64]:
    """Multiples of k1 // n from 2 to k1, as in the authors' program."""
    step = max(k1 // n, 1)
    multiples = np.arange(step, k1 + 1, step)
    return multiples[multiples >= 2]
