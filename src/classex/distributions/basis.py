"""The interface of a basis for the discriminability function: functions on [0, 1] and their moments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from classex._types import FloatArray
from classex._validation import as_class_counts, as_positive_int, as_probabilities

__all__ = ["Basis"]


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
