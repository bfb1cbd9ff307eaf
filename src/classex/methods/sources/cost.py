r"""The cost-weighted discriminability function :math:`\bar D`, from which average risk follows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from classex.curves.risk import CheckedScores, jackknife_of_ordered_costs, mean_costs_of_checked
from classex.distributions.bases import PolynomialBasis
from classex.distributions.basis import Basis
from classex.methods.sources.measurement_error import powers_of_ranks
from classex.methods.sources.pseudolikelihood import rank_moments

__all__ = ["CostDistribution", "fit_cost"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class CostDistribution:
    r"""What is known of :math:`\bar D(u) = E[C(Y^*, Y_u)\, 1\{U^* < u\}]`.

    Attributes
    ----------
    basis : Basis
        Basis in which it is expanded.
    coefficients : ndarray of shape (n_functions,)
        Estimated coefficients.
    largest_cost : float
        Largest cost between two different classes.
    data : CheckedScores
        What it was fitted to.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.curves.risk import check_scores
    >>> from classex.distributions import PolynomialBasis
    >>> from classex.methods.sources import fit_cost
    >>> data = check_scores(
    ...     [[1, 2, 0], [0, 1, 2], [1, 0, 2]],
    ...     [0, 1, 2],
    ...     [[0, 1, 1], [1, 0, 5], [1, 1, 0]],
    ...     None,
    ... )
    >>> distribution = fit_cost(data, basis=PolynomialBasis(1))
    >>> distribution.largest_cost, distribution.risk(np.array([2.0, 3.0])).round(4)
    (5.0, array([1., 2.]))
    """

    basis: Basis
    coefficients: FloatArray
    largest_cost: float
    data: CheckedScores = field(repr=False)

    @property
    def n_classes(self) -> int:
        """Number of classes observed."""
        return int(self.data.cost.shape[0])

    def mean_cost(self, u: FloatArray) -> FloatArray:
        r"""Fitted :math:`\bar D` at favourabilities u, in units of cost, not confined."""
        value: FloatArray = self.basis.evaluate(u) @ self.coefficients
        return value

    def risk(self, sizes: FloatArray) -> FloatArray:
        """Average risk for each number of classes, between 0 and the largest cost."""
        return np.clip(self.basis.moments_of_reals(sizes) @ self.coefficients, 0.0, self.largest_cost)

    def variance(self, sizes: FloatArray) -> FloatArray:
        """Jackknife variance over classes of `risk`, before it is confined."""
        k1 = self.n_classes
        if self.basis.n_functions > k1 - 2:
            raise ValueError(
                f"a standard error needs a basis of at most {k1 - 2} functions with {k1} classes,"
                f" not {self.basis.n_functions}"
            )
        weights = np.linalg.pinv(_expected_values(self.basis, k1 - 1)).T @ self.basis.moments_of_reals(sizes).T
        return np.square(jackknife_of_ordered_costs(self.data, weights))


def fit_cost(data: CheckedScores, *, basis: Basis | None = None) -> CostDistribution:
    r"""Fit :math:`\bar D` by least squares of the mean ordered costs on what a basis expects of them.

    Parameters
    ----------
    data : CheckedScores
        From `classex.curves.risk.check_scores`.
    basis : Basis, optional
        Basis; by default polynomials of degree 3.

    Returns
    -------
    CostDistribution

    Raises
    ------
    ValueError
        If the basis has more functions than there are wrong labels.
    TypeError
        If `basis` is not a Basis.

    Notes
    -----
    Source: November 2016 draft, section 3.3, corrected (see the errata page).

    Examples
    --------
    >>> from classex.curves.risk import check_scores
    >>> from classex.distributions import PolynomialBasis
    >>> from classex.methods.sources.cost import fit_cost
    >>> data = check_scores(
    ...     [[1, 2, 0], [0, 1, 2], [1, 0, 2]],
    ...     [0, 1, 2],
    ...     [[0, 1, 1], [1, 0, 5], [1, 1, 0]],
    ...     None,
    ... )
    >>> fit_cost(data, basis=PolynomialBasis(1)).coefficients.round(6)
    array([-2.,  6.])
    """
    chosen = PolynomialBasis(3) if basis is None else basis
    if not isinstance(chosen, Basis):
        raise TypeError(f"basis must be a Basis of classex.distributions, not {type(basis).__name__}")
    k1 = data.cost.shape[0]
    if chosen.n_functions > k1 - 1:
        raise ValueError(f"basis must have at most {k1 - 1} functions with {k1} classes, not {chosen.n_functions}")
    design = _expected_values(chosen, k1)
    coefficients = np.linalg.lstsq(design, mean_costs_of_checked(data), rcond=None)[0].astype(np.float64)
    return CostDistribution(chosen, coefficients, float(np.max(data.cost[~np.eye(k1, dtype=bool)])), data)


def _expected_values(basis: Basis, n_classes: int) -> FloatArray:
    """Integrals of the basis over Beta(m, n_classes - m), m = 1..n_classes-1: shape (n_classes - 1, n_functions)."""
    if isinstance(basis, PolynomialBasis):
        return powers_of_ranks(np.arange(n_classes - 1.0), n_classes - 2, basis.degree)
    return rank_moments(basis, n_classes, np.arange(1, n_classes))
