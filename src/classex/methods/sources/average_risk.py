"""Extrapolation of average risk, for any costs and class priors."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from classex._parameters import Parameters
from classex._types import FloatArray
from classex._validation import as_class_counts, as_probability
from classex.curves.risk import check_scores, jackknife_of_ordered_costs, mean_costs_of_checked
from classex.distributions.basis import Basis
from classex.distributions.basis_families import PolynomialBasis
from classex.methods.sources.measurement_error import powers_of_ranks
from classex.methods.sources.pseudolikelihood import rank_moments

__all__ = ["RiskExtrapolator"]


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
