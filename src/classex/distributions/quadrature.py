"""Average accuracy of any discriminability function, by quadrature that is sharp where 1 - u is tiny."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from classex._types import FloatArray
from classex._validation import as_class_counts, as_finite_array, as_positive_int

__all__ = ["accuracy_of", "average_accuracy", "beta_weights", "panels"]


def average_accuracy(
    discriminability: Callable[[FloatArray], Any], n_classes: ArrayLike, *, top: int = 1
) -> FloatArray:
    r"""Average accuracy of a discriminability function, :math:`1 - (k-1) \int_0^1 D(u) u^{k-2} du`.

    Parameters
    ----------
    discriminability : callable
        D: takes favourabilities of shape (n,) and returns probabilities of the same shape.
    n_classes : int or array_like of int
        Numbers of classes k, up to 10^12.
    top : int
        A point counts as correct when its truth is among the `top` best labels.

    Returns
    -------
    ndarray of shape (n,)
        Average accuracy for each k.

    Raises
    ------
    ValueError
        If a value of D is not finite, or a number of classes or `top` is not accepted.

    Notes
    -----
    Source: journal version theorem 1. By Gauss-Legendre sums over panels that halve towards both ends.

    Examples
    --------
    >>> import classex as cx
    >>> cx.distributions.average_accuracy(lambda u: u**2, [2, 3]).round(6)
    array([0.666667, 0.5     ])
    """
    return accuracy_of(discriminability, as_class_counts(n_classes), as_positive_int(top, "top"))


def accuracy_of(discriminability: Callable[[FloatArray], Any], sizes: FloatArray, m: int = 1) -> FloatArray:
    """Return `average_accuracy` for checked numbers of classes."""
    d = as_finite_array(discriminability(panels()[0]), "the value of discriminability", ndim=1, dtype=np.float64)
    out = np.ones(sizes.size)
    open_ = sizes > m
    if open_.any():
        out[open_] = beta_weights(sizes[open_], m) @ (1.0 - d)
    return out


@cache
def panels(order: int = 20, halvings: int = 53) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Nodes u, their complements 1 - u, and weights, of panels that halve towards 0 and towards 1."""
    x, weight = np.polynomial.legendre.leggauss(order)
    edges = 0.5 ** np.arange(1, halvings + 1)  # 1 - 2^-53 is the last number below 1
    near = ((edges[:-1] + edges[1:])[:, np.newaxis] / 2 + (edges[:-1] - edges[1:])[:, np.newaxis] / 2 * x).ravel()
    width = ((edges[:-1] - edges[1:])[:, np.newaxis] / 2 * weight).ravel()
    return np.concatenate([near, 1 - near]), np.concatenate([1 - near, near]), np.concatenate([width, width])


def beta_weights(n_classes: FloatArray, top: int) -> FloatArray:
    """Weights with which a sum over the panels' nodes is E f(B), B ~ Beta(k - top, top): (n_k, n_nodes)."""
    u, v, width = panels()
    k = n_classes[:, np.newaxis]
    log_norm = np.log(k - top + np.arange(top)).sum(axis=1, keepdims=True) - gammaln(top)
    log_u = np.where(u < 0.5, np.log(u), np.log1p(-v))
    weight: FloatArray = np.exp(log_norm + (k - top - 1) * log_u + (top - 1) * np.log(v)) * width
    # what lies beyond the panels joins their last nodes
    missing = 1.0 - weight.sum(axis=1)
    weight[:, np.argmin(v)] += missing
    return weight
