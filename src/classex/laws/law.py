r"""What is known of the favourability U* of the correct label of a random test point: the protocol of every law.

A recogniser is known, for every number of classes, once the law of U* is known: the average accuracy with K classes is
its moment :math:`E\,(U^*)^{K-1}`. Every way of fitting is a function that takes ranks (and scores) and returns a frozen
value with the methods below; estimators keep that value and delegate to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from classex.results import CorrectRanks

__all__ = ["Evidence", "Law", "confined_accuracy"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """What a fit says of itself.

    Attributes
    ----------
    parameters : mapping of str to float
        Fitted parameters and chosen tuning values, by name.
    n_parameters : float
        Effective number of parameters.
    log_likelihood : float or None
        Class-balanced log-likelihood of all test points in nats, where the fit has one.
    residual : float or None
        Root mean squared distance of the fitted from the observed accuracies, where the fit minimises one.
    """

    parameters: Mapping[str, float] = field(default_factory=dict)
    n_parameters: float = 0.0
    log_likelihood: float | None = None
    residual: float | None = None


@runtime_checkable
class Law(Protocol):
    """A law of the favourability U*, frozen, with the evidence it rests on."""

    @property
    def evidence(self) -> Evidence:
        """What the fit says of itself."""

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        r"""Average accuracy :math:`E \Pr[\mathrm{Bin}(K-1, 1-U^*) < top]` for each number of classes K > `top`."""

    def cdf(self, u: FloatArray) -> FloatArray:
        r"""Discriminability function :math:`D(u) = \Pr[U^* \le u]` for each u in [0, 1]."""

    def refit(
        self, ranks: CorrectRanks, scores: NDArray[Any] | None = None, classes: NDArray[np.int64] | None = None
    ) -> Self:
        """Fit the same law to other data with its tuning values frozen.

        `classes` says which of the classes of the first fit these data are about, in their order. A refit is what
        resampling repeats many times: it draws nothing at random, warns of nothing, and may be cheaper than the fit.
        """

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray | None:
        """Sampling variance of `accuracy`, over classes, in closed form, or None where only resampling can tell."""


def confined_accuracy(law: Law, sizes: FloatArray, top: int = 1) -> FloatArray:
    """Return the accuracy of a law for checked numbers of classes: 1 up to `top` classes, and a probability beyond."""
    out = np.ones_like(sizes)
    open_ = sizes > top
    if open_.any():
        out[open_] = np.clip(law.accuracy(sizes[open_], top), 0.0, 1.0)
    return out
