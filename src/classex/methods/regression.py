"""Regression of average accuracies on moments of the discriminability function: ClassExReg, the papers' method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls

from classex._checks import (
    as_class_counts,
    as_finite_array,
    as_generator,
    as_positive_float,
    as_positive_int,
    as_probabilities,
    one_of,
    shown,
)
from classex._estimates import AccuracyCurve
from classex._optional import SOLVING, solve_problem, track
from classex._types import FloatArray
from classex.curves.accuracy import accuracy_covariance, accuracy_curve, ranks_of_classes
from classex.distributions.bases import Basis, LinearSplineBasis, PolynomialBasis, ProbitBasis
from classex.distributions.distribution import Distribution, Evidence
from classex.methods.protocol import Indices, Method, Scores
from classex.ranks import as_ranks
from classex.ranks.ranks import CorrectRanks

__all__ = ["BasisChoice", "Discriminability", "MomentRegression", "Regression", "RegressionDistribution"]


# Ridge of generalised least squares, as a share of the mean variance. Differences of neighbouring accuracies hardly
# vary: without it they would decide the fit, and a basis that is a little wrong would miss the level of the curve.
COVARIANCE_SHRINKAGE = 0.1
# Singular values below this share of the largest are rounding errors of the moments (about 1e-13 each)
_RANK_TOLERANCE = 1e-11
# Published regression: functions smaller than this at all sizes would get huge coefficients from rounding errors
_LEAST_SEEN = 1e-9
# Moments are analytic in log k: beyond 256 sizes 128 nodes interpolate them to 2e-10 (see the tests)
_MOST_EXACT_SIZES, _CHEBYSHEV_NODES = 256, 128
# Residuals of a good fit are small; enlarged, their squares stay clear of the solver's absolute tolerances
_RESIDUAL_SCALE = 1000.0
# Coefficients below this share of their sum are what an interior point method leaves of zero at a tolerance of 1e-12
_ACTIVE = 1e-9
# Most functions for cvxpy, a tenth of a second; 10,000 hinges would take seconds
_MOST_FOR_CVXPY = 1000
_WHAT = "the constrained fit of the discriminability function"


def _clarabel(tolerance: float) -> dict[str, Any]:
    return {"solver": "CLARABEL"} | dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), tolerance)


# An interior point method first; an active-set method where neighbouring functions are too alike for it
_ATTEMPTS = (_clarabel(1e-9), _clarabel(1e-7), {"solver": "HIGHS"}, _clarabel(1e-5))


@dataclass(frozen=True)
class Discriminability:
    """A fitted discriminability function, the distribution function of the correct label's favourability.

    Attributes
    ----------
    basis : Basis
        Basis in which D is expanded.
    coefficients : ndarray of shape (n_functions,)
        Coefficients of the basis functions.
    residual : float
        Root mean (weighted) square of the differences between observed and fitted error rates.
    status : str
        Status of the solver: ``"optimal"``, or ``"closed form"`` without constraints.

    Examples
    --------
    >>> from classex.methods import MomentRegression
    >>> from classex.distributions import PolynomialBasis
    >>> accuracies = [2 / 3, 1 / 2, 2 / 5]
    >>> d = MomentRegression(PolynomialBasis(2), [2, 3, 4]).solve(accuracies)
    >>> (d([0.25, 0.5]) + 0.0).round(4), d.accuracy(10).round(4)  # D is the square
    (array([0.0625, 0.25  ]), array([0.1818]))
    """

    basis: Basis
    coefficients: FloatArray
    residual: float
    status: str

    def __call__(self, u: ArrayLike) -> FloatArray:
        """Evaluate D at favourabilities u of shape (n,)."""
        return np.asarray(self.basis.evaluate(u) @ self.coefficients)

    def accuracy(self, n_classes: ArrayLike, *, top: int = 1) -> FloatArray:
        """Return the average accuracy that follows from D for numbers of classes of shape (n,), not confined."""
        return self.accuracy_of_reals(as_class_counts(n_classes), as_positive_int(top, "top"))

    def accuracy_of_reals(self, n_classes: FloatArray, top: int = 1) -> FloatArray:
        """Return `accuracy` for checked numbers of classes, whole or not."""
        error: FloatArray = self.basis.moments_of_reals(n_classes, top) @ self.coefficients
        return 1.0 - error


class MomentRegression:
    r"""Constrained least squares of error rates on the moments of a basis, built once and solved many times.

    .. math:: \hat\beta = \arg\min_\beta \sum_k \Bigl(1 - \mathrm{ATA}_k - \sum_l \beta_l H_{l,k}\Bigr)^2

    such that D is a distribution function. If the functions increase, this means non-negative coefficients with
    :math:`D(1) \le 1`; otherwise `Basis.shape_rows` times the coefficients must rise from at least 0 to at most 1.

    Parameters
    ----------
    basis : Basis
        Basis in which D is expanded.
    n_classes : array_like of int
        Numbers of classes k, in increasing order, at which accuracies were observed.
    covariance : array_like of shape (n, n), optional
        Covariance of the accuracies, for generalised least squares. A tenth of its mean variance is added to the
        diagonal.
    constrained : bool
        Whether D must be a distribution function.
    survival : bool
        Regress accuracies on the moments of 1 - D with non-negative coefficients, as the authors' program does.
        Coefficients may then sum to more than 1. For a `ProbitBasis`.

    Notes
    -----
    Source: journal version section 3.3; April 2017 draft, section 4.3. The moment matrix is compressed by QR
    and SVD to its numerical rank first. With many k it is interpolated from 128 Chebyshev nodes in log k,
    in which it is analytic. Constrained estimates are not unbiased.

    Examples
    --------
    >>> from classex.methods import MomentRegression
    >>> from classex.distributions import PolynomialBasis
    >>> accuracies = [2 / 3, 1 / 2, 2 / 5]
    >>> d = MomentRegression(PolynomialBasis(2), [2, 3, 4]).solve(accuracies)
    >>> d.accuracy(10).round(4)
    array([0.1818])
    """

    def __init__(
        self,
        basis: Basis,
        n_classes: ArrayLike,
        *,
        covariance: ArrayLike | None = None,
        constrained: bool = True,
        survival: bool = False,
    ) -> None:
        if not isinstance(basis, Basis):
            raise TypeError(f"basis must be a Basis of classex.distributions, not {type(basis).__name__}")
        if survival and not isinstance(basis, ProbitBasis):
            raise ValueError(f"survival=True needs a ProbitBasis, not {basis!r}")
        self.basis, self.constrained, self.survival = basis, constrained, survival
        self.n_classes = as_class_counts(n_classes, minimum=1 if survival else 2)
        if (np.diff(self.n_classes) <= 0).any():
            raise ValueError(f"n_classes must increase, not {n_classes!r}")
        self._whitener = None if covariance is None else _whitener(self.n_classes.size, covariance)

    def _whiten(self, rows: FloatArray) -> FloatArray:
        return rows if self._whitener is None else self._whitener @ rows

    @cached_property
    def _design(self) -> tuple[FloatArray, FloatArray]:
        """R of full row rank and Q with orthonormal columns, whose product Q R is the whitened moment matrix."""
        sizes = self.n_classes
        if sizes.size > _MOST_EXACT_SIZES:
            nodes, interpolation = _chebyshev(sizes)
            left, core = np.linalg.qr(self._whiten(interpolation))
            rows = core @ self._columns(nodes)
        else:
            left, rows = np.eye(sizes.size), self._whiten(self._columns(sizes))
        # QR of the tall transpose first: the SVD then sees a square matrix of at most 256 columns
        q, r = np.linalg.qr(rows.T)
        u, s, vt = np.linalg.svd(r.T)
        rank = max(int((s > _RANK_TOLERANCE * s[0]).sum()), 1)
        return (s[:rank, np.newaxis] * vt[:rank]) @ q.T, left @ u[:, :rank]

    def _columns(self, sizes: FloatArray) -> FloatArray:
        """Return the regressors: moments of D, or of 1 - D with `survival`."""
        moments = self.basis.moments_of_reals(sizes)
        if self.survival:
            moments = 1.0 - moments
            moments[:, -1] = 1.0
        return moments

    def solve(self, accuracy: ArrayLike, *, active_set: bool = False) -> Discriminability:
        """Fit D to average accuracies.

        Parameters
        ----------
        accuracy : array_like of shape (n,)
            Average accuracy at each of the numbers of classes.
        active_set : bool
            Leave out cvxpy where the functions increase, as half-splitting and resampling do for speed.

        Returns
        -------
        Discriminability
            The fitted function.

        Raises
        ------
        ValueError
            If an accuracy is no probability, or the shape is wrong.
        SolverError
            If the constrained problem was not solved to optimality; the error carries the status.

        Notes
        -----
        cvxpy takes the problem once, with the accuracies as parameters. Where the functions increase, Clarabel solves
        it to 1e-12, and one step polishes the solution: least squares by an active-set method,
        `scipy.optimize.nnls`, on the functions to which cvxpy gave a positive coefficient. With `active_set`, and with
        more than 1,000 functions, the active-set method takes all functions at once. Predictions of both agree to
        1e-10.
        """
        value = as_probabilities(accuracy, "accuracy")
        if value.shape != self.n_classes.shape:
            raise ValueError(f"accuracy must have shape {self.n_classes.shape}, but has {value.shape}")
        target = value if self.survival else 1.0 - value
        rows, q = self._design
        whitened = self._whiten(target)
        beta, status = self._coefficients(q.T @ whitened, active_set)
        residual = float(np.linalg.norm(whitened - q @ (rows @ beta)) / np.sqrt(target.size))
        if self.survival:
            beta[-1] = 1.0 - beta.sum()
        return Discriminability(self.basis, beta, residual, status)

    def _coefficients(self, target: FloatArray, active_set: bool) -> tuple[FloatArray, str]:
        rows, status = self._design[0], "optimal"
        beta: FloatArray = np.zeros(rows.shape[1])
        if self.survival:
            size = np.linalg.norm(rows, axis=0)
            seen = size > _LEAST_SEEN * size.max()
            beta[seen] = nnls(rows[:, seen], target, maxiter=100 * beta.size)[0]
        elif not self.constrained:
            beta, status = np.linalg.lstsq(rows, target, rcond=None)[0].astype(np.float64), "closed form"
        elif not self.basis.increasing:
            beta, status = self._solve_program(target)
        elif target.any():  # without errors D = 0 below 1
            active = np.ones(beta.size, dtype=bool)
            if not active_set and beta.size <= _MOST_FOR_CVXPY:
                solution, status = self._solve_program(target)
                active = solution * self._scale > _ACTIVE
            scaled = _RESIDUAL_SCALE * rows[:, active] / self._scale[active]
            beta[active] = _below_one(scaled, _RESIDUAL_SCALE * target) / self._scale[active]
        return beta, status

    def _solve_program(self, target: FloatArray) -> tuple[FloatArray, str]:
        with SOLVING:
            problem, beta, parameter = self._program
            parameter.value = _RESIDUAL_SCALE * target
            first = (_clarabel(1e-12),) if self.basis.increasing else ()
            status = solve_problem(problem, _WHAT, first + _ATTEMPTS)
            return np.asarray(beta.value, dtype=np.float64) / self._scale, status

    @cached_property
    def _scale(self) -> FloatArray:
        """Value of each function at 1, by which the solver's variables are scaled."""
        end: FloatArray = np.abs(self.basis.evaluate(1.0)[0])
        return np.where(end > 0, end, 1.0)

    @cached_property
    def _program(self) -> tuple[Any, Any, Any]:
        """The cvxpy problem, its variable, and its parameter: the compressed error rates."""
        import cvxpy as cp

        rows = _RESIDUAL_SCALE * self._design[0] / self._scale
        beta, target = cp.Variable(rows.shape[1], nonneg=self.basis.increasing), cp.Parameter(rows.shape[0])
        if self.basis.increasing:
            constraints = [cp.sum(beta) <= 1]
        else:
            values = (self.basis.shape_rows() / self._scale) @ beta
            constraints = [cp.diff(values) >= 0, values[0] >= 0, values[-1] <= 1]
        return cp.Problem(cp.Minimize(cp.sum_squares(rows @ beta - target)), constraints), beta, target


def _below_one(rows: FloatArray, target: FloatArray) -> FloatArray:
    """Minimise |rows b - target| over b >= 0 with a sum of at most 1, by non-negative least squares.

    A slack completes the sum to 1, so that the residual is C b with C = (rows, 0) - target 1'. Write b = t p with
    p of sum 1: |C b|^2 + (t - 1)^2 = t^2 |C p|^2 + (t - 1)^2 is least, for any t, at the p that is sought.
    """
    residual = np.column_stack([rows, np.zeros(target.size)]) - target[:, np.newaxis]
    system = np.vstack([residual, np.ones(residual.shape[1])])
    b = nnls(system, np.append(np.zeros(target.size), 1.0), maxiter=100 * system.shape[1])[0]
    return np.asarray(b[:-1] / b.sum())


def _whitener(n: int, covariance: ArrayLike) -> FloatArray:
    """Inverse square root of the covariance, with mean square 1: shape (n, n)."""
    matrix = as_finite_array(covariance, "covariance", ndim=2, dtype=np.float64)
    if matrix.shape != (n, n):
        raise ValueError(f"covariance must have shape ({n}, {n}), but has {matrix.shape}")
    value, vector = np.linalg.eigh((matrix + matrix.T) / 2)
    if value[-1] <= 0:
        return np.eye(n)  # accuracies that do not vary carry equal weight
    root = 1.0 / np.sqrt(np.maximum(value, 0.0) + COVARIANCE_SHRINKAGE * value.mean())
    return np.asarray((root / np.sqrt(np.mean(root**2)))[:, np.newaxis] * vector.T)


def _chebyshev(sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Chebyshev nodes in log k over the range of sizes, and the matrix that interpolates from them."""
    middle, half = np.log(sizes[-1] * sizes[0]) / 2, np.log(sizes[-1] / sizes[0]) / 2
    order = np.arange(_CHEBYSHEV_NODES)
    angle = (order + 0.5) * np.pi / _CHEBYSHEV_NODES
    coefficient = 2.0 / _CHEBYSHEV_NODES * np.cos(order[:, np.newaxis] * angle)
    coefficient[0] /= 2
    x = np.clip((np.log(sizes) - middle) / half, -1.0, 1.0)
    return np.exp(middle + half * np.cos(angle)), np.cos(np.arccos(x)[:, np.newaxis] * order) @ coefficient


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
