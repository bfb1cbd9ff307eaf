"""Extrapolation by the Pitman-Yor law of identification."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from classex.extrapolation._base import Extrapolator
from classex.extrapolation._resampling import HALVES
from classex.laws.pitman_yor import PitmanYorLaw, fit_pitman_yor
from classex.results import CorrectRanks

__all__ = ["PitmanYorExtrapolator"]


class PitmanYorExtrapolator(Extrapolator):
    r"""Extrapolate with the law that describes how people are identified by their traits.

    The favourability is :math:`U^* = 1 - P V` with :math:`P \sim \mathrm{Beta}(1-d, a+d)`, the share of the people who
    cannot be told from someone, and V uniform. Its accuracy curve falls like :math:`K^{-(1-d)}` in the end.

    Parameters
    ----------
    method : {"likelihood", "least squares"}
        The likelihood of the wins, or the published least squares with weights :math:`\log n`.

    Attributes
    ----------
    law_ : PitmanYorLaw
        With ``discount`` d and ``concentration`` a.

    Notes
    -----
    Needs ranks only. Source: Rocher, Hendrickx and de Montjoye, Nature Communications 16:347 (2025); intervals,
    which they do not give, are by half-sampling of classes.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> fitted = cx.PitmanYorExtrapolator().fit(sample.scores, sample.labels)
    >>> fitted.predict(40).round(1)
    array([0.2])
    """

    takes_samples = True
    law_: PitmanYorLaw
    _plan = HALVES

    def __init__(self, *, method: str = "likelihood") -> None:
        self.method = method

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> PitmanYorLaw:
        return fit_pitman_yor(ranks, scores, method=self.method)
