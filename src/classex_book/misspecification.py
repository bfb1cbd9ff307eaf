"""Bias of least squares on moments when D is not in the span of the basis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog
from scipy.special import ndtr

from classex._checks import as_class_counts, as_finite_array, as_positive_float
from classex._result import Result
from classex._types import FloatArray
from classex.distributions.bases import Basis
from classex.distributions.distribution import average_accuracy, beta_weights, panels

__all__ = ["MisspecificationBound", "misspecification_bias", "misspecification_bound", "uniform_error"]


_POINTS = 1000  # of each kind; the distance of a cubic changes in the sixth digit beyond


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
    >>> from classex_book.misspecification import misspecification_bound
    >>> bound = misspecification_bound(PolynomialBasis(1), [2, 3, 4], 10, 0.01)
    >>> bool((bound.sharp <= bound.simple).all()), bound.simple.round(3)
    (True, array([0.036]))
    """

    sharp: NDArray[np.float64]
    simple: NDArray[np.float64]

    _tabulated: ClassVar[bool] = True

    _says: ClassVar[str] = "Bounds on the bias of {sharp} extrapolated accuracies:"


def uniform_error(discriminability: Callable[[FloatArray], Any], basis: Basis) -> float:
    r"""Distance of D from the span of a basis, :math:`\delta = \min_\beta \sup_u |D(u) - \sum_l \beta_l h_l(u)|`.

    Parameters
    ----------
    discriminability : callable
        D, a function from favourabilities of shape (n,) to values of the same shape.
    basis : Basis
        The basis.

    Returns
    -------
    float
        The distance.

    Raises
    ------
    ValueError
        If a value of D is not finite.

    Notes
    -----
    By linear programming, with the supremum taken at 2,000 points. Source: thesis section 3.4.1.

    Examples
    --------
    >>> from classex.distributions import PolynomialBasis
    >>> from classex_book.misspecification import uniform_error
    >>> round(uniform_error(lambda u: u**2, PolynomialBasis(1)), 4)
    0.125
    """
    # Chebyshev points crowd at both ends of [0, 1], where the extremes of polynomials lie
    u = np.concatenate([(1 - np.cos(np.linspace(0, np.pi, _POINTS))) / 2, ndtr(np.linspace(-7, 7, _POINTS))])
    d = as_finite_array(discriminability(u), "the value of discriminability", ndim=1, dtype=np.float64)
    h = basis.evaluate(u)
    scale = np.maximum(np.abs(h).max(axis=0), 1e-300)
    h = h / scale
    ones = np.ones((u.size, 1))
    solved = linprog(
        np.append(np.zeros(h.shape[1]), 1.0),
        A_ub=np.vstack([np.hstack([h, -ones]), np.hstack([-h, -ones])]),
        b_ub=np.concatenate([d, -d]),
        bounds=[(None, None)] * h.shape[1] + [(0, None)],
        method="highs",
    )
    return float(solved.x[-1])


def misspecification_bias(
    discriminability: Callable[[FloatArray], Any],
    basis: Basis,
    n_observed: ArrayLike,
    n_classes: ArrayLike,
) -> FloatArray:
    r"""Bias of unconstrained least squares for a D outside the span of the basis.

    It is the accuracy predicted from the exact average accuracies at `n_observed`, minus the exact accuracy.

    Parameters
    ----------
    discriminability : callable
        D, a function from favourabilities of shape (n,) to values of the same shape.
    basis : Basis
        The basis.
    n_observed : array_like of int
        Numbers of classes that enter the regression, increasing.
    n_classes : int or array_like of int
        Numbers of classes K to predict at.

    Returns
    -------
    ndarray of shape (n,)
        Bias of the predicted accuracy for each K.

    Raises
    ------
    ValueError
        If a number of classes is not accepted.

    Notes
    -----
    Source: thesis section 3.4.1.

    Examples
    --------
    >>> from classex.distributions import PolynomialBasis
    >>> from classex_book.misspecification import misspecification_bias
    >>> misspecification_bias(
    ...     lambda u: u**2, PolynomialBasis(1), [2, 3, 4], 100
    ... ).round(3)
    array([0.131])
    """
    g = _linear_map(basis, n_observed, n_classes)
    truth = average_accuracy(discriminability, n_classes)
    # g maps observed errors to predicted ones
    observed = 1.0 - average_accuracy(discriminability, n_observed)
    return np.asarray((1.0 - g @ observed) - truth)


def misspecification_bound(
    basis: Basis, n_observed: ArrayLike, n_classes: ArrayLike, delta: float
) -> MisspecificationBound:
    r"""Bounds on that bias for every D within delta of the span, in the supremum norm.

    With g the weights of the observed accuracies in the predicted one,

    .. math:: |\mathrm{bias}| \le \delta \int_0^1 \Bigl|\sum_k g_k (k-1) u^{k-2} - (K-1) u^{K-2}\Bigr|\,du
              \le \delta \bigl(1 + \|g\|_1\bigr).

    Parameters
    ----------
    basis : Basis
        The basis.
    n_observed : array_like of int
        Numbers of classes that enter the regression, increasing.
    n_classes : int or array_like of int
        Numbers of classes K to predict at.
    delta : float
        Largest distance of D from the span (see `uniform_error`).

    Returns
    -------
    MisspecificationBound
        The sharp bound (the integral) and the simple one, for each K.

    Raises
    ------
    ValueError
        If a number of classes or delta is not accepted.

    Notes
    -----
    Source: thesis section 3.4.1, where the bound lacks delta (see the errata page).

    Examples
    --------
    >>> from classex.distributions import PolynomialBasis
    >>> from classex_book.misspecification import misspecification_bound
    >>> misspecification_bound(
    ...     PolynomialBasis(1), [2, 3, 4], 10, 0.01
    ... ).simple.round(3)
    array([0.036])
    """
    size = as_positive_float(delta, "delta", allow_zero=True)
    g = _linear_map(basis, n_observed, n_classes)
    observed, target = as_class_counts(n_observed), as_class_counts(n_classes, minimum=2)
    u, v, _ = panels()
    log_u = np.where(u < 0.5, np.log(u), np.log1p(-v))
    width = beta_weights(np.array([2.0]), 1)[0]
    kernel = g @ ((observed[:, np.newaxis] - 1) * np.exp((observed[:, np.newaxis] - 2) * log_u))
    kernel -= (target[:, np.newaxis] - 1) * np.exp((target[:, np.newaxis] - 2) * log_u)
    return MisspecificationBound(size * (np.abs(kernel) @ width), size * (1.0 + np.abs(g).sum(axis=1)))


def _linear_map(basis: Basis, n_observed: ArrayLike, n_classes: ArrayLike) -> FloatArray:
    """Weights of the observed error rates in the predicted ones: shape (n_targets, n_observed)."""
    design = basis.moments_of_reals(as_class_counts(n_observed, minimum=2))
    inverse = np.linalg.lstsq(design, np.eye(design.shape[0]), rcond=None)[0]
    return np.asarray(basis.moments_of_reals(as_class_counts(n_classes, minimum=2)) @ inverse)
