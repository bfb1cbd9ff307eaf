"""A basis of hat functions: D is given by its values at nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from classex._validation import as_finite_array, as_positive_float, as_positive_int
from classex.distributions.bases import LinearSplineBasis
from classex.distributions.basis import Basis

__all__ = ["PiecewiseLinearBasis"]

FloatArray = NDArray[np.float64]


class PiecewiseLinearBasis(Basis):
    r"""Hat functions: the coefficients are the values of D at the nodes, with straight lines between.

    The most flexible of the bases. Bounds and monotonicity of D are those of its coefficients.

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
        self._hinges = LinearSplineBasis(knots=self.nodes[:-1])

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
        k1 = as_positive_int(n_classes, "n_classes", minimum=2)
        r, n = as_positive_float(n_repeats, "n_repeats"), as_positive_int(n_nodes, "n_nodes", minimum=4)
        largest = -float(ndtri(min(1.0 / (r * k1**2), 0.25)))
        return cls(np.concatenate([[0.0], ndtr(np.linspace(-largest, largest, n - 2)), [1.0]]))

    def _evaluate(self, u: FloatArray) -> FloatArray:
        place = np.clip(np.searchsorted(self.nodes, u, side="right") - 1, 0, self.nodes.size - 2)
        share = (u - self.nodes[place]) / (self.nodes[place + 1] - self.nodes[place])
        out = np.zeros((u.size, self.nodes.size))
        row = np.arange(u.size)
        out[row, place] = 1 - share
        out[row, place + 1] = share
        return out

    def _moments(self, n_classes: FloatArray, top: int) -> FloatArray:
        # the rise from node i to i + 1 is a difference of two hinges; a hat is one rise minus the next
        hinges = np.column_stack([self._hinges.moments_of_reals(n_classes, top), np.zeros(n_classes.size)])
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
