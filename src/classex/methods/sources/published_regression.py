"""The published regression and its errors of measurement, and the average risk.

Both are in the appendix of the November 2016 draft (A.1 and A.2). The covariates of its polynomial estimator are
expected powers of a favourability that was observed only as a rank.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from classex._checks import as_class_counts, as_finite_array, as_positive_float, as_positive_int, as_probability
from classex._result import Parameters, Result
from classex._types import FloatArray
from classex.curves.risk import check_scores, jackknife_of_ordered_costs, mean_costs_of_checked
from classex.distributions.bases import Basis, PolynomialBasis
from classex.methods.sources.pseudolikelihood import rank_moments

__all__ = [
    "RiskExtrapolator",
    "calibrated_regression",
    "expected_powers",
    "importance_regression",
    "polynomial_variance_bound",
]


@dataclass(frozen=True)
class LinearFit(Result):
    """Coefficients of a linear regression.

    Attributes
    ----------
    coefficients : ndarray of shape (p,)
        Estimated coefficients.
    covariance : ndarray of shape (p, p)
        Their sandwich covariance.

    Examples
    --------
    >>> from classex.methods.sources import calibrated_regression
    >>> fit = calibrated_regression([[1, 0], [1, 1], [1, 2]], [1.0, 3.0, 5.0])
    >>> # a straight line, without error
    >>> fit.coefficients.round(6), bool(abs(fit.covariance).max() < 1e-12)
    (array([1., 2.]), True)
    """

    coefficients: NDArray[np.float64]
    covariance: NDArray[np.float64]

    _tabulated: ClassVar[bool] = True

    _says: ClassVar[str] = "Linear regression with {coefficients} coefficients:"

    def _table(self) -> dict[str, Any]:
        error = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return {"coefficient": self.coefficients, "standard_error": error}


def expected_powers(n_below: ArrayLike, n_others: int, degree: int) -> FloatArray:
    r"""Expected powers of a label's favourability, given how many other labels score below it.

    The favourability of a random wrong label is uniform, and of `n_others` other wrong labels N score below
    it: N given U is binomial, so U given N is Beta(N + 1, n_others - N + 1), and

    .. math:: E[U^h \mid N] = \prod_{z=1}^h \frac{N + z}{n_{others} + 1 + z}.

    Parameters
    ----------
    n_below : array_like of shape (n,)
        Numbers N of other wrong labels below, from 0 to `n_others`.
    n_others : int
        Number of other wrong labels: :math:`k_1 - 2` among :math:`k_1` classes.
    degree : int
        Largest power.

    Returns
    -------
    ndarray of shape (n, degree + 1)
        Expected powers 0, 1, ..., `degree`.

    Raises
    ------
    ValueError
        If a number is not whole or out of range.

    Notes
    -----
    Source: November 2016 draft, section 3.3, corrected (rising factorials; see the errata page).

    Examples
    --------
    >>> from classex.methods.sources.published_regression import expected_powers
    >>> expected_powers([0, 1], 1, 2).round(4)
    array([[1.    , 0.3333, 0.1667],
           [1.    , 0.6667, 0.5   ]])
    """
    others = as_positive_int(n_others, "n_others", minimum=0)
    d = as_positive_int(degree, "degree", minimum=0)
    below = as_finite_array(n_below, "n_below", ndim=1, dtype=np.float64)
    if (below != np.floor(below)).any() or (below < 0).any() or (below > others).any():
        raise ValueError(f"n_below must hold whole numbers from 0 to {others}, not {n_below!r}")
    return powers_of_ranks(below, others, d)


def powers_of_ranks(below: FloatArray, others: int, degree: int) -> FloatArray:
    """Return `expected_powers` of checked input."""
    z = np.arange(1, degree + 1)
    factors = (below[:, np.newaxis] + z) / (others + 1 + z)
    return np.column_stack([np.ones(below.size), np.cumprod(factors, axis=1)])


def calibrated_regression(
    expected_covariates: ArrayLike, response: ArrayLike, *, weights: ArrayLike | None = None
) -> LinearFit:
    r"""Least squares on the expected values of covariates that were measured with error.

    Let :math:`Y = X^\top \beta + \epsilon`, and let Y be independent of a measurement Z given X (nondifferential
    error). Then :math:`E[Y \mid Z] = E[X \mid Z]^\top \beta`. Regression on :math:`E[X \mid Z]` is unbiased;
    regression on Z in general is not.

    Parameters
    ----------
    expected_covariates : array_like of shape (n, p)
        :math:`E[X_i \mid Z_i]`, intercept included if there is one.
    response : array_like of shape (n,)
        Responses.
    weights : array_like of shape (n,), optional
        Positive weights.

    Returns
    -------
    LinearFit
        Coefficients and their sandwich covariance for independent rows.

    Raises
    ------
    ValueError
        If shapes disagree, the columns are linearly dependent, or a weight is not positive.

    Notes
    -----
    Source: November 2016 draft, appendix A.1, equation (14). By QR.

    Examples
    --------
    >>> from classex.methods.sources.published_regression import (
    ...     calibrated_regression,
    ... )
    >>> calibrated_regression(
    ...     [[1, 0], [1, 1], [1, 2]], [1.0, 3.0, 5.0]
    ... ).coefficients.round(6)
    array([1., 2.])
    """
    x = as_finite_array(expected_covariates, "expected_covariates", ndim=2, dtype=np.float64)
    y = as_finite_array(response, "response", ndim=1, dtype=np.float64)
    if y.size != x.shape[0]:
        raise ValueError(f"response must have {x.shape[0]} entries, one per row, but has {y.size}")
    root = np.ones(y.size) if weights is None else np.sqrt(_positive(weights, "weights", y.size))
    q, r = np.linalg.qr(root[:, np.newaxis] * x)
    size = np.abs(np.diag(r))
    if x.shape[0] < x.shape[1] or size.min() <= 1e-12 * size.max():
        raise ValueError(f"the {x.shape[1]} columns of the covariates must be linearly independent, but are not")
    beta = np.linalg.solve(r, q.T @ (root * y))
    scores = np.linalg.solve(r, (q * (root * (y - x @ beta))[:, np.newaxis]).T)
    return LinearFit(beta, scores @ scores.T)


def importance_regression(covariates: ArrayLike, response: ArrayLike, density_ratio: ArrayLike) -> LinearFit:
    r"""Least squares for a population from which the data were not drawn.

    Rows come with parameters :math:`\theta_i \sim H` and the linear model holds on average over
    :math:`\theta \sim G`. With :math:`\eta = dH/dG`,

    .. math:: \hat\beta = \arg\min_\beta \sum_i \frac{1}{\eta(\theta_i)} (y_i - x_i^\top \beta)^2

    Parameters
    ----------
    covariates : array_like of shape (n, p)
        Covariates, intercept included if there is one.
    response : array_like of shape (n,)
        Responses.
    density_ratio : array_like of shape (n,)
        :math:`\eta(\theta_i)`, up to a constant factor: how much more often the row was drawn than it should.

    Returns
    -------
    LinearFit
        Coefficients and their sandwich covariance for independent rows.

    Raises
    ------
    ValueError
        If shapes disagree, the columns are linearly dependent, or a ratio is not positive.

    Notes
    -----
    Source: November 2016 draft, appendix A.2 (the square is missing there; see the errata page). Consistent
    rather than exactly unbiased, because the weights enter the inverse as well. It applies when the class priors
    differ from the shares in which the classes were sampled.

    Examples
    --------
    >>> from classex.methods.sources.published_regression import (
    ...     importance_regression,
    ... )
    >>> importance_regression(
    ...     [[1.0], [1.0]], [0.0, 3.0], [2.0, 1.0]
    ... ).coefficients.round(6)
    array([2.])
    """
    ratio = _positive(density_ratio, "density_ratio", np.size(response))
    return calibrated_regression(covariates, response, weights=1.0 / ratio)


def _positive(value: ArrayLike, name: str, n: int) -> FloatArray:
    array: FloatArray = as_finite_array(value, name, ndim=1, dtype=np.float64)
    if array.size != n or (array <= 0).any():
        raise ValueError(f"{name} must be {n} numbers greater than 0, not {value!r}")
    return array


def polynomial_variance_bound(
    n_classes: int, n_target: float, degree: int, *, n_repeats: float = 1.0
) -> tuple[float, float]:
    r"""Bound on the variance of the polynomial estimate of average risk, given the classes; costs in [0, 1].

    The estimate is :math:`\sum_m g_m \bar C_m`, :math:`g = Z (Z^\top Z)^{-1} W`, with
    :math:`Z_{mh} = E[U^h \mid N = m - 1]` and :math:`W_h = (K-1)/(K+h-1)`. The k - 1 mean costs
    :math:`\bar C_m` rest on r k test points, so given the classes their covariance has trace at most
    :math:`(k-1)/(4 r k)`, and the variance is at most

    .. math:: \kappa(k, K, d)\, \frac{k-1}{4 r k}, \qquad \kappa(k, K, d) = W^\top (Z^\top Z)^{-1} W = |g|^2.

    Parameters
    ----------
    n_classes : int
        Number of observed classes k, greater than `degree` + 1.
    n_target : float
        Number of classes K to extrapolate to.
    degree : int
        Degree d of the polynomial.
    n_repeats : float
        Test points per class r.

    Returns
    -------
    kappa : float
        :math:`\kappa(k, K, d)`.
    bound : float
        Bound on the variance over test points, before the estimate is confined to [0, 1].

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    The variance due to the classes is not included and does not fall with r. The draft's "consistent as r grows"
    holds for fixed classes only.

    Source: November 2016 draft, section 3.4, with W corrected (see the errata page).

    Examples
    --------
    >>> from classex.methods.sources.published_regression import (
    ...     polynomial_variance_bound,
    ... )
    >>> kappa, bound = polynomial_variance_bound(100, 1000, 1)
    >>> round(kappa, 4)
    0.0409
    """
    d = as_positive_int(degree, "degree", minimum=0)
    k = as_positive_int(n_classes, "n_classes", minimum=d + 2)
    r = as_positive_float(n_repeats, "n_repeats")
    g = rank_weights(k, d, np.array([as_positive_float(n_target, "n_target")]))[:, 0]
    kappa = float(g @ g)
    return kappa, kappa * (k - 1) / (4 * r * k)


def rank_weights(n_classes: int, degree: int, n_targets: FloatArray, top: int = 1) -> FloatArray:
    """Weights of the m-th lowest wrong label's mean cost in the estimated risk: shape (k - 1, n_targets)."""
    z = powers_of_ranks(np.arange(n_classes - 1.0), n_classes - 2, degree)
    q, r = np.linalg.qr(z)
    return np.asarray(q @ np.linalg.solve(r.T, PolynomialBasis(degree).moments_of_reals(n_targets, top).T))


def accuracy_by_wins(n_classes: int, degree: int, n_targets: FloatArray, top: int = 1) -> FloatArray:
    """Return what a point with 0, ..., k - 1 wins adds to the estimated accuracy: shape (k, n_targets)."""
    weights = rank_weights(n_classes, degree, n_targets, top)
    beaten = np.cumsum(weights[::-1], axis=0)[::-1]
    return 1.0 - np.vstack([beaten, np.zeros(n_targets.size)])


class RiskExtrapolator(Parameters):
    r"""Extrapolate average risk, unbiasedly if :math:`\bar D` is in the span of a basis.

    With costs, :math:`\mathrm{AvRisk}_k = (k-1) \int_0^1 \bar D(u) u^{k-2} du`, where
    :math:`\bar D(u) = E[C(Y^*, Y_u)\, 1\{U^* < u\}]` and :math:`Y_u` is a label with favourability u. The mean
    cost of the m-th lowest wrong label has mean :math:`\int \bar D\, d\mathrm{Beta}(m, k_1 - m)`. Least squares
    of the mean costs on these integrals of the basis gives :math:`\bar D`.

    Parameters
    ----------
    basis : Basis, optional
        Basis for :math:`\bar D`; by default polynomials of degree 3. It need not be monotone.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_functions,)
        Coefficients of :math:`\bar D`.
    largest_cost_ : float
        Largest cost between two different classes, to which predictions are confined.

    Notes
    -----
    Source: November 2016 draft, section 3.3, corrected (see the errata page), with any basis in place of
    its polynomials. With class priors the estimate is a ratio.

    Examples
    --------
    >>> import classex as cx
    >>> from classex.distributions import PolynomialBasis
    >>> scores = [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]]
    >>> cost = [[abs(i - j) for j in range(4)] for i in range(4)]
    >>> est = cx.methods.sources.RiskExtrapolator(basis=PolynomialBasis(1)).fit(
    ...     scores, [0, 1, 2, 3], cost
    ... )
    >>> est.predict([2, 3, 4]).round(4)
    array([0.5833, 0.9167, 1.0833])
    """

    _fitted_name = "coefficients_"

    def __init__(self, *, basis: Basis | None = None) -> None:
        self.basis = basis

    def fit(self, scores: ArrayLike, labels: ArrayLike, cost: ArrayLike, priors: ArrayLike | None = None) -> Self:
        """Fit.

        Parameters
        ----------
        scores, labels, cost, priors
            As in `classex.risk_curve`. Copies are kept for standard errors.

        Returns
        -------
        RiskExtrapolator
            The estimator itself.

        Raises
        ------
        ValueError
            If an argument is not accepted, or the basis has more functions than there are wrong labels.
        TypeError
            If an argument does not hold numbers, or `basis` is not a Basis.
        """
        basis = PolynomialBasis() if self.basis is None else self.basis
        if not isinstance(basis, Basis):
            raise TypeError(f"basis must be a Basis of classex.distributions, not {type(basis).__name__}")
        data = check_scores(scores, labels, cost, priors)
        k1 = data.cost.shape[0]
        if basis.n_functions > k1 - 1:
            raise ValueError(f"basis must have at most {k1 - 1} functions with {k1} classes, not {basis.n_functions}")
        self._basis = basis
        self._data = replace(data, scores=data.scores.copy(), labels=data.labels.copy(), cost=data.cost.copy())
        self.largest_cost_ = float(np.max(data.cost[~np.eye(k1, dtype=bool)]))
        self.coefficients_ = np.linalg.lstsq(_expected_values(basis, k1), mean_costs_of_checked(data), rcond=None)[0]
        return self

    def predict(self, n_classes: ArrayLike) -> FloatArray:
        """Average risk over random sets of K classes.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K.

        Returns
        -------
        ndarray of shape (n,)
            Average risk, between 0 and the largest cost.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a number of classes is not whole or below 1.
        """
        self.check_fitted()
        moments = self._basis.moments_of_reals(as_class_counts(n_classes))
        return np.clip(moments @ self.coefficients_, 0.0, self.largest_cost_)

    def standard_error(self, n_classes: ArrayLike) -> FloatArray:
        """Jackknife standard error over classes, of predictions before they are confined.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K.

        Returns
        -------
        ndarray of shape (n,)
            Standard errors, in units of cost.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a number of classes is not accepted, or the basis has more functions than one class fewer allows.
        """
        self.check_fitted()
        moments, k1 = self._basis.moments_of_reals(as_class_counts(n_classes)), self._data.cost.shape[0]
        if moments.shape[1] > k1 - 2:
            raise ValueError(
                f"a standard error needs a basis of at most {k1 - 2} functions with {k1} classes,"
                f" not {moments.shape[1]}"
            )
        weights = np.linalg.pinv(_expected_values(self._basis, k1 - 1)).T @ moments.T
        return jackknife_of_ordered_costs(self._data, weights)

    def predict_interval(self, n_classes: ArrayLike, *, confidence_level: float = 0.95) -> FloatArray:
        """Confidence interval for the average risk: prediction plus and minus a multiple of its standard error.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K.
        confidence_level : float
            Nominal coverage, in (0, 1).

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper end for each K, between 0 and the largest cost.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            As in `standard_error`, or if the confidence level is not in (0, 1).
        """
        level = as_probability(confidence_level, "confidence_level", open_ends=True)
        value, error = self.predict(n_classes), self.standard_error(n_classes)
        half = float(stdtrit(self._data.cost.shape[0] - 1, 0.5 + level / 2)) * error
        return np.clip(np.stack([value - half, value + half], axis=1), 0.0, self.largest_cost_)


def _expected_values(basis: Basis, n_classes: int) -> FloatArray:
    """Integrals of the basis over Beta(m, n_classes - m), m = 1..n_classes-1: shape (n_classes - 1, n_functions)."""
    if isinstance(basis, PolynomialBasis):
        return powers_of_ranks(np.arange(n_classes - 1.0), n_classes - 2, basis.degree)
    return rank_moments(basis, n_classes, np.arange(1, n_classes))
