"""Extrapolation of average risk, for any costs and class priors."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from classex._validation import as_class_counts, as_probabilities, as_probability
from classex.curves.risk import CheckedScores, check_scores, jackknife_of_ordered_costs, mean_costs_of_checked
from classex.exceptions import NotFittedError
from classex.laws import Basis, PolynomialBasis
from classex.laws.measurement_error import powers_of_ranks
from classex.laws.pseudolikelihood import rank_moments

__all__ = ["RiskExtrapolator"]

FloatArray = NDArray[np.float64]


class RiskExtrapolator:
    r"""Extrapolate average risk, unbiasedly if :math:`\bar D` is in the span of a basis.

    With costs, :math:`\mathrm{AvRisk}_k = (k-1) \int_0^1 \bar D(u) u^{k-2} du`, where
    :math:`\bar D(u) = E[C(Y^*, Y_u)\, 1\{U^* < u\}]` and :math:`Y_u` is a label with favourability u. The mean
    cost of the m-th lowest wrong label has mean :math:`\int \bar D\, d\mathrm{Beta}(m, k_1 - m)`: least squares
    of the mean costs on these integrals of the basis gives :math:`\bar D`.

    Parameters
    ----------
    basis : Basis, optional
        Basis for :math:`\bar D`; by default polynomials of degree 3. It need not be monotone.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_functions,)
        Estimated coefficients.
    largest_cost_ : float
        Largest cost, to which predictions are confined.

    Notes
    -----
    Source: November 2016 draft, section 3.3, corrected (see the errata page); any basis will do in place of
    its polynomials. With class priors the estimate is a ratio.

    Examples
    --------
    >>> import classex as cx
    >>> from classex.laws import PolynomialBasis
    >>> scores = [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]]
    >>> cost = [[abs(i - j) for j in range(4)] for i in range(4)]
    >>> est = cx.RiskExtrapolator(basis=PolynomialBasis(1)).fit(scores, [0, 1, 2, 3], cost)
    >>> est.predict([2, 3, 4]).round(4)
    array([0.5833, 0.9167, 1.0833])
    """

    coefficients_: FloatArray
    largest_cost_: float

    def __init__(self, *, basis: Basis | None = None) -> None:
        self.basis = basis

    def fit(self, scores: ArrayLike, labels: ArrayLike, cost: ArrayLike, priors: ArrayLike | None = None) -> Self:
        """Fit.

        Parameters
        ----------
        scores, labels, cost, priors
            As in `classex.risk_curve`.

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
        basis = PolynomialBasis(3) if self.basis is None else self.basis
        if not isinstance(basis, Basis):
            raise TypeError(f"basis must be a Basis of classex.laws, not {type(basis).__name__}")
        data = check_scores(scores, labels, cost, priors)
        k1 = data.cost.shape[0]
        if basis.n_functions > k1 - 1:
            raise ValueError(f"basis must have at most {k1 - 1} functions with {k1} classes, not {basis.n_functions}")
        design = _expected_values(basis, k1)
        self.coefficients_ = np.linalg.lstsq(design, mean_costs_of_checked(data), rcond=None)[0].astype(np.float64)
        self.largest_cost_ = float(np.max(data.cost[~np.eye(k1, dtype=bool)]))
        self.basis_: Basis = basis
        self._data: CheckedScores = data
        return self

    def discriminability(self, u: ArrayLike) -> FloatArray:
        r"""Fitted :math:`\bar D`, in units of cost, not confined.

        Parameters
        ----------
        u : array_like of shape (n,)
            Favourabilities in [0, 1].

        Returns
        -------
        ndarray of shape (n,)
            Values.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a favourability lies outside [0, 1].
        """
        self._check_fitted()
        value: FloatArray = self.basis_.evaluate(np.atleast_1d(as_probabilities(u, "u"))) @ self.coefficients_
        return value

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
        self._check_fitted()
        moments = self.basis_.moments_of_reals(as_class_counts(n_classes))
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
        self._check_fitted()
        moments = self.basis_.moments_of_reals(as_class_counts(n_classes))
        k1 = self._data.cost.shape[0]
        if self.basis_.n_functions > k1 - 2:
            raise ValueError(
                f"a standard error needs a basis of at most {k1 - 2} functions with {k1} classes,"
                f" not {self.basis_.n_functions}"
            )
        weights = np.linalg.pinv(_expected_values(self.basis_, k1 - 1)).T @ moments.T
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

    def _check_fitted(self) -> None:
        if not hasattr(self, "coefficients_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")

    def __repr__(self) -> str:
        return f"RiskExtrapolator(basis={self.basis!r})"


def _expected_values(basis: Basis, n_classes: int) -> FloatArray:
    """Integrals of the basis over Beta(m, n_classes - m), m = 1..n_classes-1: shape (n_classes - 1, n_functions)."""
    if isinstance(basis, PolynomialBasis):
        return powers_of_ranks(np.arange(n_classes - 1.0), n_classes - 2, basis.degree)
    return rank_moments(basis, n_classes, np.arange(1, n_classes))
