"""Extrapolation by the beta-binomial law, with a limit of its support and atoms."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from classex.extrapolation._base import Extrapolator
from classex.extrapolation._resampling import HALVES
from classex.laws.beta_binomial import BetaBinomialLaw, fit_beta_binomial
from classex.results import CorrectRanks

__all__ = ["BetaBinomialExtrapolator"]


class BetaBinomialExtrapolator(Extrapolator):
    """Extrapolate with a beta law of the probability to be beaten by a random wrong label.

    Parameters
    ----------
    limited : bool
        Whether the support may end below 1.
    atoms : bool
        Whether there may be points that no wrong label beats, and points that all of them beat.

    Attributes
    ----------
    law_ : BetaBinomialLaw
        With ``alpha``, ``beta``, ``limit``, ``never`` and ``always``.

    Notes
    -----
    Needs ranks only. The law of choice for repeated attempts at a problem; recognition has twins, whose
    favourabilities no beta law has, and with atoms a part of the points is never beaten, however many classes
    come. Intervals by half-sampling of classes.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> fitted = cx.BetaBinomialExtrapolator().fit(sample.scores, sample.labels)
    >>> fitted.predict(40).round(1)
    array([0.2])
    """

    takes_samples = True
    law_: BetaBinomialLaw
    _plan = HALVES

    def __init__(self, *, limited: bool = True, atoms: bool = True) -> None:
        self.limited = limited
        self.atoms = atoms

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> BetaBinomialLaw:
        return fit_beta_binomial(ranks, scores, limited=self.limited, atoms=self.atoms)
