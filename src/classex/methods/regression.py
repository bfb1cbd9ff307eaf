"""Regression of average accuracies on moments of the discriminability function: ClassExReg, the papers' method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._estimates import AccuracyCurve
from classex._progress import track
from classex._types import FloatArray
from classex._validation import as_class_counts, as_generator, as_positive_float, as_positive_int, one_of, shown
from classex.curves.accuracy import accuracy_covariance, accuracy_curve
from classex.curves.class_subsets import ranks_of_classes
from classex.distributions.basis import Basis
from classex.distributions.basis_families import LinearSplineBasis, PolynomialBasis, ProbitBasis
from classex.distributions.distribution import Distribution, Evidence
from classex.methods._method import Indices, Method, Scores
from classex.methods.moments import Discriminability, MomentRegression
from classex.ranks import as_ranks
from classex.ranks._ranks import CorrectRanks

__all__ = ["BasisChoice", "Regression", "RegressionDistribution"]


_BANDWIDTHS: tuple[float, ...] = tuple(step / 10 for step in range(1, 11))  # journal version, section 4
_PUBLISHED_SIZES = 25  # the authors' scripts
# All k would not change predictions by a twentieth of their standard error (see the tests)
_MOST_SIZES = 500
_FEWEST_TO_SPLIT = 4  # a half needs two classes
_CACHED_PROBLEMS = 64  # ten bandwidths for each of a few numbers of classes


@dataclass(frozen=True)
class BasisChoice:
    """Errors of each candidate basis when it extrapolates from half of the observed classes to all of them.

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


@dataclass(frozen=True)
class RegressionDistribution(Distribution):
    """A distribution whose discriminability function was fitted to the observed curve.

    Attributes
    ----------
    discriminability : Discriminability
        The fitted D.
    curve : AccuracyCurve
        The observed average accuracies.
    choice : BasisChoice or None
        Evidence of the choice among bases, if there was more than one.
    method : Regression
        The options of the fit.
    ranks : CorrectRanks
        The ranks of the first fit, which give the weights of all refits.

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
    method: Regression = field(repr=False)
    ranks: CorrectRanks = field(repr=False)

    @property
    def basis(self) -> Basis:
        """The basis of D."""
        return self.discriminability.basis

    @property
    def evidence(self) -> Evidence:
        """Bandwidth or degree, number of positive coefficients, and the distance from the observed curve."""
        fit = self.discriminability
        named = {name: float(value) for name in ("bandwidth", "degree") if (value := vars(fit.basis).get(name))}
        return Evidence(named, float((np.abs(fit.coefficients) > 1e-9).sum()), residual=fit.residual)

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        return self.discriminability.accuracy_of_reals(sizes, top)

    def cdf(self, u: FloatArray) -> FloatArray:
        """Discriminability function at favourabilities u, confined to [0, 1]."""
        return np.clip(self.discriminability(u), 0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Regression(Method):
    r"""Extrapolate by regressing error rates on moments of a basis for D (the papers' ClassExReg).

    With :math:`D = \sum_l \beta_l h_l`, one minus the average accuracy with k classes is
    :math:`\sum_l \beta_l H_{l,k}`. The coefficients minimise

    .. math:: \sum_k \Bigl(1 - \mathrm{ATA}_k - \sum_l \beta_l H_{l,k}\Bigr)^2

    such that D is a distribution function: it does not fall and stays within [0, 1]. Predictions lie in [0, 1] and
    never rise with the number of classes.

    Parameters
    ----------
    basis : {"probit", "linear_spline", "polynomial"}, Basis, or a sequence of these
        Basis for D. Of several, the one that extrapolates best from half of the classes to all is taken.
        "probit" is the papers' radial basis; "linear_spline" has the 10,000 hinges of the April 2017 draft, and
        "polynomial" the powers up to 3 of the November 2016 draft.
    bandwidth : "auto" or float
        Bandwidth of the probit basis; "auto" tries 0.1, 0.2, ..., 1 by half-splitting.
    sizes : None, int or array_like of int
        Numbers of classes k that enter the regression. None: all, or 500 equally spaced ones if there are
        more. An integer n: multiples of ``k1 // n``. An array: the numbers themselves.
    weights : {"equal", "generalised"}
        Least squares as above, or generalised least squares with the covariance of the accuracies over classes.
    n_splits : int
        Number of half-splits for the choice among bases.
    published : {"journal", "program"}, optional
        The authors' method, for comparisons: knots about h apart, 25 numbers of classes, and non-negative least
        squares of the accuracies themselves with no bound on the sum of the coefficients. The largest knot of "journal"
        is :math:`\Phi^{-1}(1 - 1/(r k_1^2))` as printed, with r test points per class. That of "program" is
        :math:`\Phi^{-1}(1 - 1/k_1^2)` as in the authors' R scripts. The script for Telugu regresses on every k from 1:
        give ``sizes=range(1, k1 + 1)`` as well.
    rng : int, numpy.random.Generator or None
        Seed or generator of the half-splits.

    Notes
    -----
    Source: journal version sections 3.3, 3.4 and 4; April 2017 draft, section 5.1. The classes are halved
    without replacement; the journal's "with replacement" would put copies of the true class among its
    competitors (see the errata page). Constrained estimates are not unbiased. With fewer than four classes
    the middle candidate is taken.

    The fit is a convex programme, solved by cvxpy and polished (see `MomentRegression.solve`). Half-splits and
    resampled fits use non-negative least squares instead, which is faster and gives the same predictions to 1e-10.

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
    sizes: int | ArrayLike | None = None
    weights: Literal["equal", "generalised"] = "equal"
    n_splits: int = 20
    published: Literal["journal", "program"] | None = None
    rng: Any = 0

    def fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None = None) -> RegressionDistribution:
        r"""Fit a discriminability function to the observed curve by constrained least squares.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes.
        scores : ndarray of shape (n_test, n_classes), optional
            The scores behind them. With these the half-splits that choose a basis are exact.

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
        candidates = _candidates(self, as_ranks(ranks))
        one_of(self.weights, "weights", ("equal", "generalised"))
        n_splits, rng = as_positive_int(self.n_splits, "n_splits"), as_generator(self.rng)
        if self.sizes is not None and np.ndim(self.sizes):
            as_class_counts(self.sizes, "sizes", maximum=ranks.n_classes)
        sizes = _sizes(self, ranks.n_classes, ranks.n_classes)
        choice, chosen = None, candidates[len(candidates) // 2]
        if len(candidates) > 1 and ranks.n_classes >= _FEWEST_TO_SPLIT:
            choice = _choose(self, candidates, ranks, scores, n_splits, rng)
            chosen = candidates[int(np.argmin(choice.error))]
        curve = accuracy_curve(ranks, sizes)
        fit = _problem(self, chosen, sizes, ranks).solve(curve.accuracy)
        return RegressionDistribution(fit, curve, choice, self, ranks)

    def refit(
        self, fitted: RegressionDistribution, ranks: CorrectRanks, scores: Scores = None, classes: Indices = None
    ) -> RegressionDistribution:
        """Fit to other ranks with the same basis and weights, by the active-set method and without standard errors."""
        sizes = _sizes(self, ranks.n_classes, ranks.n_classes)
        curve = accuracy_curve(ranks, sizes, standard_errors=False)
        fit = _problem(self, fitted.basis, sizes, fitted.ranks).solve(curve.accuracy, active_set=True)
        return RegressionDistribution(fit, curve, fitted.choice, self, fitted.ranks)


def _candidates(method: Regression, ranks: CorrectRanks) -> list[Basis]:
    """Return the bases that are named or given, one for each bandwidth to try."""
    given = [method.basis] if isinstance(method.basis, (str, Basis)) else list(method.basis)
    if not given:
        raise ValueError("basis must name at least one basis, but is empty")
    published = method.published
    if published is not None:
        one_of(published, "published", ("journal", "program"))
        if any(name != "probit" and not isinstance(name, ProbitBasis) for name in given):
            raise ValueError(f"published={published!r} goes with the probit basis, not {method.basis!r}")
    if isinstance(method.bandwidth, str):
        one_of(method.bandwidth, "bandwidth", ("auto",))
        bandwidths = _BANDWIDTHS
    elif not any(isinstance(name, str) and name == "probit" for name in given):
        raise ValueError(f"bandwidth goes with basis='probit', not with {shown(method.basis)}")
    else:
        bandwidths = (as_positive_float(method.bandwidth, "bandwidth"),)
    make = ProbitBasis.published if published else ProbitBasis.for_data
    repeats = 1.0 if published == "program" else ranks.labels.size / ranks.n_classes
    out: list[Basis] = []
    for name in given:
        if isinstance(name, Basis):
            out.append(name)
        elif one_of(name, "basis", ("probit", "linear_spline", "polynomial")) == "probit":
            out += [make(ranks.n_classes, repeats, h) for h in bandwidths]
        else:
            out.append(LinearSplineBasis() if name == "linear_spline" else PolynomialBasis())
    return out


def _choose(
    method: Regression,
    candidates: list[Basis],
    ranks: CorrectRanks,
    scores: NDArray[Any] | None,
    n_splits: int,
    rng: np.random.Generator,
) -> BasisChoice:
    """Predict the accuracy with all classes from random halves of them, with every candidate."""
    k1, half = ranks.n_classes, ranks.n_classes // 2
    sizes = _sizes(method, k1, half)
    problems = [_problem(method, basis, sizes, ranks) for basis in candidates]
    predictions = np.empty((n_splits, len(candidates)))
    for row in track(predictions, "half-splits"):
        part = ranks_of_classes(ranks, scores, np.sort(rng.permutation(k1)[:half]), rng)[0]
        accuracy = accuracy_curve(part, sizes, standard_errors=False).accuracy
        fits = [problem.solve(accuracy, active_set=True) for problem in problems]
        row[:] = [fit.accuracy(k1)[0] for fit in fits]
    observed = float(accuracy_curve(ranks, k1, standard_errors=False).accuracy[0])
    error = np.sqrt(np.square(np.clip(predictions, 0, 1) - observed).mean(axis=0))
    return BasisChoice(tuple(candidates), error, predictions, observed)


def _problem(method: Regression, basis: Basis, sizes: NDArray[np.int64], ranks: CorrectRanks) -> MomentRegression:
    weighed = ranks if method.weights == "generalised" else None
    return _cached_problem(basis, tuple(sizes.tolist()), method.published is not None, weighed)


@lru_cache(maxsize=_CACHED_PROBLEMS)
def _cached_problem(
    basis: Basis, sizes: tuple[int, ...], survival: bool, weighed: CorrectRanks | None
) -> MomentRegression:
    """Build the regression once for all fits that share its numbers of classes; ranks are equal to themselves only."""
    covariance = None if weighed is None else accuracy_covariance(weighed, np.array(sizes))
    return MomentRegression(basis, np.array(sizes), covariance=covariance, survival=survival)


def _sizes(method: Regression, k1: int, available: int) -> NDArray[np.int64]:
    """Numbers of classes that enter when `available` of the k1 classes are there."""
    if method.sizes is None and not method.published:
        sizes = np.unique(np.linspace(2, k1, min(k1 - 1, _MOST_SIZES)).round().astype(np.int64))
    elif method.sizes is None or np.ndim(method.sizes) == 0:
        n = _PUBLISHED_SIZES if method.sizes is None else as_positive_int(method.sizes, "sizes")
        step = max(k1 // n, 1)
        multiples = np.arange(step, k1 + 1, step)
        sizes = multiples[multiples >= 2]
    else:
        sizes = np.unique(as_class_counts(method.sizes, "sizes", minimum=1 if method.published else 2).astype(np.int64))
    few = sizes[sizes <= available]
    return few if few.size else np.array([available])
