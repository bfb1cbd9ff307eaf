"""The naive baseline: accuracy above chance decays exponentially."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from classex.extrapolation._base import Extrapolator
from classex.laws.exponential import ExponentialLaw, fit_exponential
from classex.results import CorrectRanks

__all__ = ["ExponentialExtrapolator"]


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
    law_ : ExponentialLaw
        With ``offset`` and ``rate``, a and b for top-1 accuracy; infinite a where nothing is above chance.

    Notes
    -----
    Needs ranks only. ``predict(..., top=m)`` fits the observed top-m accuracies, with chance m/K. Never rises
    with K. True curves bend: D decides the shape, and no D gives an exponential in log K over all K.

    Source: the extrapolation quoted in the November 2016 draft, section 1 (accuracy .10 at about
    :math:`10^{9.5}` images).

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> cx.ExponentialExtrapolator().fit_ranks(ranks).predict([4, 100]).round(3)
    array([0.375, 0.175])
    """

    law_: ExponentialLaw

    def __init__(self, *, scale: str = "log") -> None:
        self.scale = scale

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> ExponentialLaw:
        return fit_exponential(ranks, scores, scale=self.scale)
