"""Bases in which a discriminability function is fitted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, gammaln, log_ndtr, ndtr, ndtri

from classex._checks import as_class_counts, as_finite_array, as_positive_float, as_positive_int, as_probabilities, call
from classex._types import FloatArray
from classex.distributions.distribution import beta_weights, panels

__all__ = ["Basis", "FunctionBasis", "LinearSplineBasis", "PiecewiseLinearBasis", "PolynomialBasis", "ProbitBasis"]


_FEW_SIZES = 4  # resampled fits repeat one prediction at few numbers of classes: its moments are cached


class Basis(ABC):
    r"""Functions :math:`h_l` on [0, 1] in which D is expanded: :math:`D(u) = \sum_l \beta_l h_l(u)`.

    Attributes
    ----------
    n_functions : int
        Number of basis functions.
    increasing : bool
        Whether every function is non-negative and non-decreasing, so that non-negative coefficients make D
        monotone.

    Examples
    --------
    >>> from classex.distributions import Basis, PolynomialBasis
    >>> basis = PolynomialBasis(2)
    >>> isinstance(basis, Basis), basis.n_functions, basis.increasing
    (True, 3, False)
    >>> basis.moments(3)  # means of 1, u and u^2 under the density 2u
    array([[1.        , 0.66666667, 0.5       ]])
    """

    n_functions: int
    increasing: bool

    def evaluate(self, u: ArrayLike) -> FloatArray:
        """Evaluate the functions: shape (n, n_functions).

        Parameters
        ----------
        u : array_like of shape (n,)
            Favourabilities in [0, 1].

        Returns
        -------
        ndarray of shape (n, n_functions)
            Values of the basis functions.
        """
        return self._evaluate(np.atleast_1d(as_probabilities(u, "u")))

    def moments(self, n_classes: ArrayLike, *, top: int = 1) -> FloatArray:
        r"""Moments :math:`H_{l,k} = E\,h_l(B)` with B distributed Beta(k - top, top).

        For ``top=1`` this is :math:`(k-1) \int_0^1 h_l(u) u^{k-2} du`; one minus the top-m accuracy with k
        classes is :math:`\sum_l \beta_l H_{l,k}`.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes k, up to 10^12.
        top : int
            A point counts as correct when its truth is among the `top` best labels.

        Returns
        -------
        ndarray of shape (n, n_functions)
            Moments; zero where k is at most `top`, because no error is possible.

        Notes
        -----
        Source: journal version equation (21). The truth is among the m best when its favourability exceeds the
        m-th largest of the other k-1 favourabilities, which are uniform: that one is Beta(k-m, m).
        """
        return self.moments_of_reals(as_class_counts(n_classes), as_positive_int(top, "top"))

    def moments_of_reals(self, n_classes: FloatArray, top: int = 1) -> FloatArray:
        """Return `moments` for checked numbers of classes, whole or not."""
        if n_classes.size <= _FEW_SIZES:
            return _cached_moments(self, tuple(n_classes.tolist()), top).copy()
        return _moments(self, n_classes, top)

    @abstractmethod
    def _evaluate(self, u: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _moments(self, n_classes: FloatArray, top: int) -> FloatArray: ...

    def shape_rows(self) -> FloatArray:
        """Return rows whose products with the coefficients must rise from at least 0 to at most 1.

        D is then a distribution function. By default they are the values on a grid that is regular on the probit scale.
        """
        return self._evaluate(np.concatenate([[0.0], ndtr(np.linspace(-8.0, 8.0, 321)), [1.0]]))

    def _key(self) -> tuple[Any, ...]:
        """Return what bases of one class have in common if they are equal; by default only the object itself."""
        return (id(self),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Basis) and type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))


def _moments(basis: Basis, n_classes: FloatArray, top: int) -> FloatArray:
    out = np.zeros((n_classes.size, basis.n_functions))
    open_ = n_classes > top
    if open_.any():
        out[open_] = basis._moments(n_classes[open_], top)
    return out


@lru_cache(maxsize=64)
def _cached_moments(basis: Basis, n_classes: tuple[float, ...], top: int) -> FloatArray:
    return _moments(basis, np.array(n_classes, dtype=np.float64), top)


_WIDEST = 9.0  # a normal variable leaves +-9 with probability 1e-19
_FINEST_STEP = 0.03  # Phi(w)^(k-1) rises from 0 to 1 over at least .13 for k up to 10^12
_BERNSTEIN_DEGREE = 64  # nearly necessary for a monotone polynomial of a low degree, and cheap


class ProbitBasis(Basis):
    r"""Normal kernels on the probit scale, :math:`\Phi((\Phi^{-1}(u) - t_l)/h)`, and a constant.

    The "radial" basis of the papers. With non-negative coefficients, :math:`\Phi^{-1}(U^*)` is a mixture of
    normal kernels. The constant is an atom at U* = 0; an atom at U* = 1 has one minus the sum of the coefficients.

    Parameters
    ----------
    knots : array_like of shape (n,)
        Centres :math:`t_l`.
    bandwidth : float
        Standard deviation h of the kernels.

    Notes
    -----
    Source: journal version section 4. Moments: :math:`H_{l,k} = 1 - E\,\Phi(t_l + hW)^{k-1}`, W standard
    normal, by the trapezoid rule, which is exact to rounding for these integrands.

    Examples
    --------
    >>> from classex.distributions import ProbitBasis
    >>> ProbitBasis([0.0, 1.0], 0.5).moments(2).round(4)
    array([[0.5   , 0.1855, 1.    ]])
    """

    increasing = True

    def __init__(self, knots: ArrayLike, bandwidth: float) -> None:
        self.knots = as_finite_array(knots, "knots", ndim=1, dtype=np.float64)
        if self.knots.size == 0:
            raise ValueError("knots must hold at least one number, but is empty")
        self.bandwidth = as_positive_float(bandwidth, "bandwidth")
        self.n_functions = self.knots.size + 1

    @classmethod
    def for_data(cls, n_classes: int, n_repeats: float = 1.0, bandwidth: float = 0.5) -> ProbitBasis:
        r"""Knots of the journal version: h/2 or more apart, up to :math:`\Phi^{-1}(1 - 1/(r k_1^2))`.

        Parameters
        ----------
        n_classes : int
            Number of observed classes :math:`k_1`.
        n_repeats : float
            Test points per class r.
        bandwidth : float
            Standard deviation h of the kernels.
        """
        largest, h = _largest_knot(n_classes, n_repeats), as_positive_float(bandwidth, "bandwidth")
        return cls(np.linspace(-largest, largest, max(floor(4 * largest / h) + 1, 2)), h)

    @classmethod
    def published(cls, n_classes: int, n_repeats: float = 1.0, bandwidth: float = 0.5) -> ProbitBasis:
        r"""Knots spaced as the authors' program spaces them: about h apart, ``ceil(largest / h)`` from 0 upwards.

        The largest is the journal's :math:`\Phi^{-1}(1 - 1/(r k_1^2))`; the program takes r = 1 whatever the data.
        """
        largest, h = _largest_knot(n_classes, n_repeats), as_positive_float(bandwidth, "bandwidth")
        half = np.linspace(0.0, largest, ceil(largest / h))
        return cls(np.concatenate([-half[:0:-1], half]), h)

    def _evaluate(self, u: FloatArray) -> FloatArray:
        kernels = ndtr((ndtri(u)[:, np.newaxis] - self.knots) / self.bandwidth)
        return np.column_stack([kernels, np.ones(u.size)])

    def _moments(self, n_classes: FloatArray, top: int) -> FloatArray:
        t, h = self.knots, self.bandwidth
        w = np.arange(t.min() - _WIDEST * h, t.max() + _WIDEST * h, min(h / 5, _FINEST_STEP))
        kernel = np.exp(-0.5 * ((w[:, np.newaxis] - t) / h) ** 2)
        return np.column_stack([_error_at(w, n_classes, top) @ (kernel / kernel.sum(axis=0)), np.ones(n_classes.size)])

    def _key(self) -> tuple[Any, ...]:
        return self.knots.tobytes(), self.bandwidth

    def __repr__(self) -> str:
        return f"ProbitBasis({self.knots.size} knots, bandwidth={self.bandwidth:g})"


def _largest_knot(n_classes: int, n_repeats: float) -> float:
    k1 = as_positive_int(n_classes, "n_classes", minimum=2)
    r = as_positive_float(n_repeats, "n_repeats")
    return -float(ndtri(min(1.0 / (r * k1**2), 0.25)))


def _error_at(w: FloatArray, n_classes: FloatArray, top: int) -> FloatArray:
    """Probability of an error with k classes at probit favourability w: shape (n_classes, n_w)."""
    k = n_classes[:, np.newaxis]
    return np.asarray(-np.expm1((k - 1) * log_ndtr(w)) if top == 1 else betainc(float(top), k - top, ndtr(-w)))


class LinearSplineBasis(Basis):
    r"""Hinges :math:`[u - t_l]_+`; with non-negative coefficients D is convex.

    Parameters
    ----------
    n_hinges : int
        Number m of hinges, at :math:`t_l = (l-1)/m`, l = 1..m.

    Notes
    -----
    Source: April 2017 draft, section 5.1, with m = 10,000. A Bayes rule's D is convex. Moments for top = 1:
    :math:`[\operatorname{expm1}(k \log t) + k (1 - t)]/k`.

    Examples
    --------
    >>> from classex.distributions import LinearSplineBasis
    >>> LinearSplineBasis(2).moments(2)
    array([[0.5  , 0.125]])
    """

    increasing = True

    def __init__(self, n_hinges: int = 10_000) -> None:
        self.n_functions = as_positive_int(n_hinges, "n_hinges")
        self.knots = np.arange(self.n_functions) / self.n_functions

    def _evaluate(self, u: FloatArray) -> FloatArray:
        return np.maximum(u[:, np.newaxis] - self.knots, 0.0)

    def _moments(self, n_classes: FloatArray, top: int) -> FloatArray:
        return _hinge_moments(self.knots, n_classes, top)

    def _key(self) -> tuple[Any, ...]:
        return (self.n_functions,)

    def __repr__(self) -> str:
        return f"LinearSplineBasis({self.n_functions} hinges)"


def _hinge_moments(knots: FloatArray, n_classes: FloatArray, top: int) -> FloatArray:
    """Return the moments of hinges at knots in [0, 1): shape (n_classes, n_knots)."""
    e, k = 1.0 - knots, n_classes[:, np.newaxis]
    if top > 1:
        return np.asarray(e * betainc(float(top), k - top, e) - top / k * betainc(top + 1.0, k - top, e))
    with np.errstate(divide="ignore"):
        return (np.expm1(k * np.log1p(-e)) + k * e) / k


class PolynomialBasis(Basis):
    r"""Powers :math:`u^l`, l = 0..degree.

    Parameters
    ----------
    degree : int
        Largest power.

    Notes
    -----
    Source: November 2016 draft, section 3.3. Moments for top = 1: :math:`(k-1)/(l+k-1)`. For a monotone D the
    Bernstein coefficients of degree 64, or twice the degree if that is more, must not fall: this is sufficient, and
    nearly necessary.

    Examples
    --------
    >>> from classex.distributions import PolynomialBasis
    >>> PolynomialBasis(2).moments(2)
    array([[1.        , 0.5       , 0.33333333]])
    """

    increasing = False

    def __init__(self, degree: int = 3) -> None:
        self.degree = as_positive_int(degree, "degree", minimum=0)
        self.n_functions = self.degree + 1

    def _evaluate(self, u: FloatArray) -> FloatArray:
        return u[:, np.newaxis] ** np.arange(self.n_functions)

    def _moments(self, n_classes: FloatArray, top: int) -> FloatArray:
        z = np.arange(self.degree)
        k = n_classes[:, np.newaxis]
        factors = (k - top + z) / (k + z)
        return np.column_stack([np.ones(n_classes.size), np.cumprod(factors, axis=1)])

    def shape_rows(self) -> FloatArray:
        """Return the matrix from coefficients of powers to Bernstein coefficients."""
        n = max(_BERNSTEIN_DEGREE, 2 * self.degree)
        i, power = np.arange(n + 1)[:, np.newaxis], np.arange(self.n_functions)
        above = np.maximum(i - power, 0)
        log_ratio = gammaln(i + 1) - gammaln(above + 1) - gammaln(n + 1) + gammaln(n - power + 1)
        return np.where(i >= power, np.exp(log_ratio), 0.0)

    def _key(self) -> tuple[Any, ...]:
        return (self.degree,)

    def __repr__(self) -> str:
        return f"PolynomialBasis(degree={self.degree})"


class PiecewiseLinearBasis(Basis):
    r"""Hat functions: the coefficients are the values of D at the nodes, with straight lines between.

    This is the most flexible basis. D is bounded and monotone if its coefficients are.

    Parameters
    ----------
    nodes : array_like of shape (n,)
        Favourabilities, increasing, from 0 to 1.

    Examples
    --------
    >>> from classex.distributions import PiecewiseLinearBasis
    >>> PiecewiseLinearBasis([0.0, 0.5, 1.0]).moments(2)
    array([[0.25, 0.5 , 0.25]])
    """

    increasing = False

    def __init__(self, nodes: ArrayLike) -> None:
        self.nodes = as_finite_array(nodes, "nodes", ndim=1, dtype=np.float64)
        if self.nodes.size < 2 or self.nodes[0] != 0 or self.nodes[-1] != 1 or (np.diff(self.nodes) <= 0).any():
            raise ValueError(f"nodes must increase from 0 to 1, not {nodes!r}")
        self.n_functions = self.nodes.size

    @classmethod
    def for_data(cls, n_classes: int, n_repeats: float = 1.0, n_nodes: int = 40) -> PiecewiseLinearBasis:
        r"""Nodes evenly spread on the probit scale, up to :math:`1 - 1/(r k_1^2)`, with 0 and 1 added.

        Parameters
        ----------
        n_classes : int
            Number of observed classes :math:`k_1`.
        n_repeats : float
            Test points per class r.
        n_nodes : int
            Number of nodes, at least 4.
        """
        largest, n = _largest_knot(n_classes, n_repeats), as_positive_int(n_nodes, "n_nodes", minimum=4)
        return cls(np.concatenate([[0.0], ndtr(np.linspace(-largest, largest, n - 2)), [1.0]]))

    def _evaluate(self, u: FloatArray) -> FloatArray:
        return np.stack([np.interp(u, self.nodes, hat) for hat in np.eye(self.nodes.size)], axis=1)

    def _moments(self, n_classes: FloatArray, top: int) -> FloatArray:
        # the rise from node i to i + 1 is a difference of two hinges; a hat is one rise minus the next
        hinges = np.column_stack([_hinge_moments(self.nodes[:-1], n_classes, top), np.zeros(n_classes.size)])
        rises = -np.diff(hinges, axis=1) / np.diff(self.nodes)
        whole = np.ones((n_classes.size, 1))
        return -np.diff(np.hstack([whole, rises, np.zeros_like(whole)]), axis=1)

    def shape_rows(self) -> FloatArray:
        """Return the identity: the coefficients are values of D."""
        return np.eye(self.nodes.size)

    def _key(self) -> tuple[Any, ...]:
        return (self.nodes.tobytes(),)

    def __repr__(self) -> str:
        return f"PiecewiseLinearBasis({self.nodes.size} nodes)"


class FunctionBasis(Basis):
    """Functions of your own, with moments by quadrature.

    Parameters
    ----------
    functions : callable
        Function from favourabilities u of shape (n,) to values of shape (n, n_functions).
    increasing : bool
        Whether every function is non-negative and non-decreasing.

    Notes
    -----
    Moments are Gauss-Legendre sums over panels that halve towards both ends, so functions may change as
    fast as 1 - u does near 1.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.distributions import FunctionBasis
    >>> FunctionBasis(
    ...     lambda u: np.column_stack([u, u**2]), increasing=True
    ... ).moments(2).round(6)
    array([[0.5     , 0.333333]])
    """

    def __init__(self, functions: Callable[[FloatArray], Any], *, increasing: bool = False) -> None:
        if not callable(functions):
            raise TypeError(f"functions must be callable, not {type(functions).__name__}")
        self._functions = functions
        self.increasing = increasing
        trial = self._evaluate(np.array([0.25, 0.5, 0.75]))
        if trial.shape[0] != 3 or trial.shape[1] == 0:
            raise ValueError(f"functions must return shape (n, n_functions) for u of shape (n,), not {trial.shape}")
        self.n_functions = trial.shape[1]

    def _evaluate(self, u: FloatArray) -> FloatArray:
        value: FloatArray = as_finite_array(
            call(self._functions, "functions", u), "the value of functions", ndim=2, dtype=np.float64
        )
        return value

    def _moments(self, n_classes: FloatArray, top: int) -> FloatArray:
        return beta_weights(n_classes, top) @ self._evaluate(panels()[0])

    def __repr__(self) -> str:
        return f"FunctionBasis({self.n_functions} functions)"
