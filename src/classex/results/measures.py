"""Measures, bounds and designs of an experiment, each a frozen dataclass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex.results._result import Result


@dataclass(frozen=True)
class KernelFavourability(Result):
    """Favourability of the correct label by kernel density estimates, for every test point.

    Attributes
    ----------
    beaten : ndarray of shape (n_test,)
        Probability that a random wrong label scores above the truth: one minus the favourability.
    bandwidth : ndarray of shape (n_test,)
        Bandwidth of each test point's kernel density estimate, in units of the scores.

    Examples
    --------
    >>> from classex.methods import kernel_favourability
    >>> found = kernel_favourability(
    ...     [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 1.0]], [0, 1, 2], 0.5
    ... )
    >>> found.beaten.round(3), found.bandwidth
    (array([0.011, 0.011, 0.261]), array([0.5, 0.5, 0.5]))
    """

    beaten: NDArray[np.float64]
    bandwidth: NDArray[np.float64]

    _says: ClassVar[str] = "Kernel density estimates of {beaten} test points:"


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


@dataclass(frozen=True)
class MisspecificationBound(Result):
    """Bounds on the bias of extrapolated accuracies when D is not in the span of the basis.

    Attributes
    ----------
    sharp, simple : ndarray of shape (n,)
        The sharp and the simple bound for each number of classes, probabilities.

    Examples
    --------
    >>> from classex.distributions import PolynomialBasis
    >>> from classex.methods.sources import misspecification_bound
    >>> bound = misspecification_bound(PolynomialBasis(1), [2, 3, 4], 10, 0.01)
    >>> bool((bound.sharp <= bound.simple).all()), bound.simple.round(3)
    (True, array([0.036]))
    """

    sharp: NDArray[np.float64]
    simple: NDArray[np.float64]

    _tabulated: ClassVar[bool] = True

    _says: ClassVar[str] = "Bounds on the bias of {sharp} extrapolated accuracies:"
