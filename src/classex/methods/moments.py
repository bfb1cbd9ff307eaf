"""Least squares of error rates on the moments of a basis, with the constraints that make D a cdf."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls

from classex._solver import SOLVING, solve_problem
from classex._validation import as_class_counts, as_finite_array, as_positive_int, as_probabilities, one_of
from classex.distributions.bases import ProbitBasis
from classex.distributions.basis import Basis
from classex.exceptions import SolverError

__all__ = ["Discriminability", "MomentRegression"]

FloatArray = NDArray[np.float64]

COVARIANCE_SHRINKAGE = 0.1
_RANK_TOLERANCE, _LEAST_SEEN = 1e-11, 1e-9
_MOST_EXACT_SIZES, _CHEBYSHEV_NODES = 256, 128
# residuals of a good fit are small; enlarged, their squares stay clear of the solver's absolute tolerances
_RESIDUAL_SCALE = 1000.0
_LARGE, _MOST_ADDED = 1000, 300
_LARGEST_GAP = 1e-5
_MOST_ROUNDS = 12
# an interior point method first; an active set method where neighbouring functions are too alike for it
_ATTEMPTS: tuple[dict[str, Any], ...] = (
    {"solver": "CLARABEL", "tol_gap_abs": 1e-9, "tol_gap_rel": 1e-9, "tol_feas": 1e-9},
    {"solver": "CLARABEL", "tol_gap_abs": 1e-7, "tol_gap_rel": 1e-7, "tol_feas": 1e-7},
    {"solver": "HIGHS"},
    {"solver": "CLARABEL", "tol_gap_abs": 1e-5, "tol_gap_rel": 1e-5, "tol_feas": 1e-5},
)
# for who asks for cvxpy where non-negative least squares would do: to the last digits, if it can be had
_EXACTLY: dict[str, Any] = {"solver": "CLARABEL", **dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-12)}
_WHAT = "the constrained fit of the discriminability function"


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
        What the solver reported; ``"optimal"``, or ``"closed form"`` without constraints.

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
        value: FloatArray = self.basis.evaluate(u) @ self.coefficients
        return value

    def accuracy(self, n_classes: ArrayLike, *, top: int = 1) -> FloatArray:
        """Return the average accuracy this D implies for numbers of classes of shape (n,), as it comes out."""
        return self.accuracy_of_reals(as_class_counts(n_classes), as_positive_int(top, "top"))

    def accuracy_of_reals(self, n_classes: FloatArray, top: int = 1) -> FloatArray:
        """Return `accuracy` for checked, not necessarily whole, numbers of classes."""
        error: FloatArray = self.basis.moments_of_reals(n_classes, top) @ self.coefficients
        return 1.0 - error


@dataclass(frozen=True)
class _Program:
    """A cvxpy problem with the handles to set its parameters and read its solution."""

    problem: Any
    beta: Any
    target: Any
    last: Any
    bound: Any
    agreement: Any
    functions: NDArray[np.intp]


class MomentRegression:
    r"""Constrained least squares of error rates on the moments of a basis, built once and solved many times.

    .. math:: \hat\beta = \arg\min_\beta \sum_k w_k \Bigl(1 - \mathrm{ATA}_k - \sum_l \beta_l H_{l,k}\Bigr)^2

    Parameters
    ----------
    basis : Basis
        Basis in which D is expanded.
    n_classes : array_like of int
        Numbers of classes k, in increasing order, at which accuracies were observed.
    weights : array_like of shape (n,), optional
        Weights :math:`w_k`, positive; by default equal. Only their ratios matter.
    covariance : array_like of shape (n, n), optional
        Covariance of the accuracies, for generalised least squares in place of weights. A tenth of its mean
        variance is added to the diagonal.
    nonnegative : bool, optional
        Whether coefficients must not be negative. By default they must if the basis functions increase.
    monotone, bounded : bool
        Whether D must not fall, and whether it must stay within [0, 1].
    exact : bool
        Whether the fit must agree with the accuracy observed at the largest k.
    survival : bool
        Regress accuracies on the moments of 1 - D, with non-negative coefficients, as the authors' program
        does: coefficients may then sum to more than 1. For a `ProbitBasis`.
    solver : {"auto", "cvxpy"}
        Which solver takes the constrained problem: non-negative least squares where it can, or always cvxpy.

    Notes
    -----
    Source: journal version section 3.3; April 2017 draft, section 4.3. The moment matrix is compressed by QR
    and SVD to its numerical rank first, and with many k it is interpolated from 128 Chebyshev nodes in log k,
    in which it is analytic. The problem reaches cvxpy once, with the accuracies as parameters.
    Constrained estimates are not unbiased.

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
        weights: ArrayLike | None = None,
        covariance: ArrayLike | None = None,
        nonnegative: bool | None = None,
        monotone: bool = True,
        bounded: bool = True,
        exact: bool = False,
        survival: bool = False,
        solver: str = "auto",
    ) -> None:
        if not isinstance(basis, Basis):
            raise TypeError(f"basis must be a Basis of classex.distributions, not {type(basis).__name__}")
        if survival and not isinstance(basis, ProbitBasis):
            raise ValueError(f"survival=True needs a ProbitBasis, not {basis!r}")
        self.basis = basis
        self.n_classes = as_class_counts(n_classes, minimum=1 if survival else 2)
        if (np.diff(self.n_classes) <= 0).any():
            raise ValueError(f"n_classes must increase, not {n_classes!r}")
        self.nonnegative = basis.increasing if nonnegative is None else nonnegative
        self.monotone, self.bounded, self.exact, self.survival = monotone, bounded, exact, survival
        self._always = one_of(solver, "solver", ("auto", "cvxpy")) == "cvxpy"
        self._whitener = _whitener(self.n_classes.size, weights, covariance)
        self._design = self._compress()
        self._problem: _Program | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave the solver's program behind: it cannot be pickled, and is built again when needed."""
        return {**self.__dict__, "_problem": None}

    def whiten(self, rows: FloatArray) -> FloatArray:
        """Apply the square root of the weights to rows that belong to the numbers of classes."""
        if self._whitener.ndim == 2:
            out: FloatArray = self._whitener @ rows
        else:
            out = self._whitener.reshape(-1, *([1] * (rows.ndim - 1))) * rows
        return out

    def _compress(self) -> tuple[FloatArray, FloatArray]:
        """Return R and Q with whitened moments = Q R and R of full row rank."""
        sizes = self.n_classes
        if sizes.size > _MOST_EXACT_SIZES:
            nodes, interpolation = _chebyshev(sizes)
            left, core = np.linalg.qr(self.whiten(interpolation))
            rows = core @ self.columns(nodes)
        else:
            left, rows = np.eye(sizes.size), self.whiten(self.columns(sizes))
        # QR of the tall transpose first: the SVD then sees a square matrix of at most 256 columns
        q, r = np.linalg.qr(rows.T)
        u, s, vt = np.linalg.svd(r.T)
        rank = max(int((s > _RANK_TOLERANCE * s[0]).sum()), 1)
        return (s[:rank, np.newaxis] * vt[:rank]) @ q.T, left @ u[:, :rank]

    def columns(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Return the regressors at checked numbers of classes: moments of D, or of 1 - D with `survival`."""
        moments = self.basis.moments_of_reals(sizes, top)
        if self.survival:
            moments = 1.0 - moments
            moments[:, -1] = 1.0
        return moments

    def solve(self, accuracy: ArrayLike) -> Discriminability:
        """Fit D to average accuracies.

        Parameters
        ----------
        accuracy : array_like of shape (n,)
            Average accuracy at each of the numbers of classes.

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
        """
        value = as_probabilities(accuracy, "accuracy")
        if value.shape != self.n_classes.shape:
            raise ValueError(f"accuracy must have shape {self.n_classes.shape}, but has {value.shape}")
        target = value if self.survival else 1.0 - value
        r, q = self._design
        whitened = self.whiten(target)
        beta, status = self._coefficients(q.T @ whitened, target[-1])
        residual = float(np.linalg.norm(whitened - q @ (r @ beta)) / np.sqrt(target.size))
        if self.survival:
            beta[-1] = 1.0 - beta.sum()
        return Discriminability(self.basis, beta, residual, status)

    def _coefficients(self, target: FloatArray, last: float) -> tuple[FloatArray, str]:
        r, _ = self._design
        if self.survival:
            # functions that vanish at every number of classes observed can only chase rounding errors, with
            # coefficients so large that the others are lost beside them
            size = np.linalg.norm(r, axis=0)
            seen = size > _LEAST_SEEN * size.max()
            beta: FloatArray = np.zeros(r.shape[1])
            beta[seen] = nnls(r[:, seen], target, maxiter=100 * r.shape[1])[0]
            return beta, "optimal"
        shaped = self.bounded or (self.monotone and not (self.nonnegative and self.basis.increasing))
        if not (shaped or self.exact):
            if not self.nonnegative:
                free: FloatArray = np.linalg.lstsq(r, target, rcond=None)[0].astype(np.float64)
                return free, "closed form"
            if not self._always:
                return nnls(r, target, maxiter=100 * r.shape[1])[0], "optimal"
        if self.nonnegative and not target.any():
            return np.zeros(self.basis.n_functions), "optimal"  # no errors: D = 0 below 1
        if self.nonnegative and self.basis.increasing and not (self.exact or self._large or self._always):
            return _below_one(self._rows, _RESIDUAL_SCALE * target) / self.scale, "optimal"
        with SOLVING:
            if self._problem is None:
                self._problem = self._build(self.basis.main_functions() if self._large else None)
            return self._solve_growing(_RESIDUAL_SCALE * target, float(last))

    @property
    def _large(self) -> bool:
        return self.nonnegative and self.basis.increasing and self.basis.n_functions > _LARGE

    def _solve_growing(self, target: FloatArray, last: float) -> tuple[FloatArray, str]:
        """Solve on some of the functions, and add more until none has a negative reduced cost.

        With coefficients that sum to at most 1 on the solver's scale, the most negative reduced cost bounds
        how far the objective is from its minimum over all functions.
        """
        for _ in range(_MOST_ROUNDS):
            program = self._problem
            if program is None:  # pragma: no cover - built by the caller
                raise AssertionError
            program.target.value = target
            if program.last is not None:
                program.last.value = last
            status = solve_problem(program.problem, _WHAT, (_EXACTLY, *_ATTEMPTS) if self._always else _ATTEMPTS)
            scaled = np.zeros(self.basis.n_functions)
            scaled[program.functions] = program.beta.value
            if self.nonnegative:
                np.maximum(scaled, 0.0, out=scaled)
            if not self._large:
                return scaled / self.scale, status
            cost = self._reduced_costs(program, scaled, target)
            worst = np.argsort(cost)[:_MOST_ADDED]
            new = np.setdiff1d(worst[cost[worst] < -_LARGEST_GAP], program.functions)
            if new.size == 0:
                return scaled / self.scale, status
            self._problem = self._build(np.concatenate([program.functions, new]))
        raise SolverError(f"{_WHAT} kept calling for more basis functions", "unfinished")

    def _reduced_costs(self, program: _Program, scaled: FloatArray, target: FloatArray) -> FloatArray:
        r = self._rows
        cost: FloatArray = 2 * (r @ scaled - target) @ r
        if program.bound is not None:
            cost += float(program.bound.dual_value)
        if program.agreement is not None:
            cost += float(program.agreement.dual_value) * self._last_row
        return cost

    @cached_property
    def scale(self) -> FloatArray:
        """Value of each function at 1, by which the solver's variables are scaled."""
        end: FloatArray = np.abs(self.basis.evaluate(1.0)[0])
        return np.where(end > 0, end, 1.0)

    @cached_property
    def _rows(self) -> FloatArray:
        return _RESIDUAL_SCALE * self._design[0] / self.scale

    @cached_property
    def _last_row(self) -> FloatArray:
        row: FloatArray = self.basis.moments_of_reals(self.n_classes[-1:])[0] / self.scale
        return row

    def _build(self, functions: NDArray[np.intp] | None) -> _Program:
        """Build the cvxpy problem; the rotated error rates (and the last one, if `exact`) are its parameters."""
        import cvxpy as cp

        chosen = np.arange(self.basis.n_functions) if functions is None else functions
        beta, target = cp.Variable(chosen.size, nonneg=self.nonnegative), cp.Parameter(self._rows.shape[0])
        constraints = []
        bound = agreement = last = None
        if self.nonnegative and self.basis.increasing:
            if self.bounded:
                bound = cp.sum(beta) <= 1
                constraints.append(bound)
        else:
            values = (self.basis.shape_rows() / self.scale)[:, chosen] @ beta
            if self.monotone:
                constraints.append(cp.diff(values) >= 0)
            if self.bounded:
                lowest, highest = (values[0], values[-1]) if self.monotone else (values, values)
                constraints += [lowest >= 0, highest <= 1]
        if self.exact:
            last = cp.Parameter()
            agreement = self._last_row[chosen] @ beta == last
            constraints.append(agreement)
        objective = cp.sum_squares(self._rows[:, chosen] @ beta - target)
        return _Program(cp.Problem(cp.Minimize(objective), constraints), beta, target, last, bound, agreement, chosen)


def _below_one(rows: FloatArray, target: FloatArray) -> FloatArray:
    """Minimise |rows b - target| over b >= 0 with a sum of at most 1, by non-negative least squares.

    A slack completes the sum to 1, so that the residual is C b with C = (rows, 0) - target 1'. Write b = t p with
    p of sum 1: |C b|^2 + (t - 1)^2 = t^2 |C p|^2 + (t - 1)^2 is least, for any t, at the p that is sought.
    """
    residual = np.column_stack([rows, np.zeros(target.size)]) - target[:, np.newaxis]
    system = np.vstack([residual, np.ones(residual.shape[1])])
    b = nnls(system, np.append(np.zeros(target.size), 1.0), maxiter=100 * system.shape[1])[0]
    out: FloatArray = b[:-1] / b.sum()
    return out


def _whitener(n: int, weights: ArrayLike | None, covariance: ArrayLike | None) -> FloatArray:
    """Square root of the weights, with mean square 1: shape (n,), or (n, n) from a covariance."""
    if weights is not None and covariance is not None:
        raise ValueError("give weights or covariance, not both")
    if covariance is not None:
        matrix = as_finite_array(covariance, "covariance", ndim=2, dtype=np.float64)
        if matrix.shape != (n, n):
            raise ValueError(f"covariance must have shape ({n}, {n}), but has {matrix.shape}")
        value, vector = np.linalg.eigh((matrix + matrix.T) / 2)
        if value[-1] <= 0:
            return np.ones(n)  # accuracies that do not vary carry equal weight
        # the differences of neighbouring accuracies hardly vary: left alone they would decide the fit, and a basis
        # that is a little wrong would miss the level of the curve
        root = 1.0 / np.sqrt(np.maximum(value, 0.0) + COVARIANCE_SHRINKAGE * value.mean())
        out: FloatArray = (root / np.sqrt(np.mean(root**2)))[:, np.newaxis] * vector.T
        return out
    if weights is None:
        return np.ones(n)
    w = as_finite_array(weights, "weights", ndim=1, dtype=np.float64)
    if w.shape != (n,) or (w <= 0).any():
        raise ValueError(f"weights must be {n} numbers greater than 0, not {weights!r}")
    root_weights: FloatArray = np.sqrt(w / w.mean())
    return root_weights


def _chebyshev(sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Chebyshev nodes in log k over the range of sizes, and the matrix that interpolates from them."""
    x = np.log(sizes)
    middle, half = (x[-1] + x[0]) / 2, (x[-1] - x[0]) / 2
    angle = (np.arange(_CHEBYSHEV_NODES) + 0.5) * np.pi / _CHEBYSHEV_NODES
    nodes = np.cos(angle)
    order = np.arange(_CHEBYSHEV_NODES)
    coefficient = 2.0 / _CHEBYSHEV_NODES * np.cos(order[:, np.newaxis] * angle)
    coefficient[0] /= 2
    position = np.clip((x - middle) / half, -1.0, 1.0)
    return np.exp(middle + half * nodes), np.cos(np.arccos(position)[:, np.newaxis] * order) @ coefficient
