"""The naive baseline: accuracy above chance decays exponentially."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._validation import one_of
from classex.curves.accuracy import accuracy_curve
from classex.extrapolation._base import Extrapolator
from classex.results import CorrectRanks

__all__ = ["ExponentialExtrapolator"]

FloatArray = NDArray[np.float64]

_MOST_SIZES = 50


class ExponentialExtrapolator(Extrapolator):
    r"""Extrapolate an exponential decay of the accuracy above chance (a baseline, with no theory behind it).

    .. math:: \widehat{\mathrm{AGA}}_K = \frac1K + \Bigl(1 - \frac1K\Bigr) e^{-a - b\,x(K)},
              \qquad x(K) = \log K \text{ or } K - 1,

    with a and b at least 0 from a straight line through
    :math:`-\log\bigl((\mathrm{ATA}_k - 1/k)/(1 - 1/k)\bigr)` against x(k), at up to 50 numbers of classes k,
    evenly spread in log k, where the accuracy is above chance.

    Parameters
    ----------
    scale : {"log", "linear"}
        Decay in log K (each doubling of the classes costs the same factor), which is how identification
        accuracy has been read off a plot against the logarithm of the set size; or in K itself.

    Attributes
    ----------
    offset_, rate_ : float
        a and b for top-1 accuracy; infinite a where nothing is above chance.

    Notes
    -----
    Needs ranks only. ``predict(..., top=m)`` fits the observed top-m accuracies, with chance m/K. Never rises
    with K. True curves bend: D decides the shape, and no D gives an exponential in log K over all K.

    Source: the extrapolation quoted in the November 2016 draft, section 1 (accuracy .10 at about
    :math:`10^{9.5}` images).

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks([[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3])
    >>> cx.ExponentialExtrapolator().fit_ranks(ranks).predict([4, 100]).round(3)
    array([0.375, 0.175])
    """

    offset_: float
    rate_: float

    def __init__(self, *, scale: str = "log") -> None:
        self.scale = scale

    def _fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> None:
        del scores  # ranks suffice
        one_of(self.scale, "scale", ("log", "linear"))
        self.offset_, self.rate_ = self._line(ranks, 1)

    def _line(self, ranks: CorrectRanks, top: int) -> tuple[float, float]:
        """Intercept and slope of minus the logarithm of the accuracy above chance."""
        sizes = np.unique(np.geomspace(min(top + 1, ranks.n_classes), ranks.n_classes, _MOST_SIZES).round())
        chance = np.minimum(top / sizes, 1.0)
        above = accuracy_curve(ranks, sizes, top=top).accuracy - chance
        usable = (above > 0) & (chance < 1)
        if not usable.any():
            return np.inf, 0.0
        x, y = self._position(sizes[usable], top), -np.log(np.minimum(above / (1 - chance), 1.0)[usable])
        spread = np.square(x - x.mean()).sum()
        slope = max(float((x - x.mean()) @ y / spread), 0.0) if spread > 0 else 0.0
        offset = float(y.mean() - slope * x.mean())
        if offset < 0:
            # more than perfect at one class: the line starts at 1 there
            offset, slope = 0.0, max(float(x @ y / (x @ x)), 0.0)
        return offset, slope

    def _position(self, sizes: FloatArray, top: int) -> FloatArray:
        return np.log(sizes / top) if self.scale == "log" else sizes - top

    def _accuracy(self, n_classes: FloatArray, top: int) -> FloatArray:
        offset, rate = (self.offset_, self.rate_) if top == 1 else self._line(self.ranks_, top)
        chance = top / n_classes
        return chance + (1 - chance) * np.exp(-offset - rate * self._position(n_classes, top))
