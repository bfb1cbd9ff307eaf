"""Least squares of error rates on the moments of a basis, with the constraints that make D a cdf."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from classex._solver import SOLVING, solve_problem
from classex._types import FloatArray
from classex._validation import as_class_counts, as_finite_array, as_positive_int, as_probabilities
from classex.distributions.basis import Basis
from classex.distributions.basis_families import ProbitBasis

__all__ = ["Discriminability", "MomentRegression"]


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
