"""Extrapolation by maximum pseudolikelihood of D (November 2016 draft, section 4)."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from classex.extrapolation._base import Extrapolator
from classex.laws.basis import Basis
from classex.laws.pseudolikelihood import PseudolikelihoodLaw, fit_pseudolikelihood
from classex.results import CorrectRanks

__all__ = ["PseudolikelihoodExtrapolator"]


class PseudolikelihoodExtrapolator(Extrapolator):
    r"""Extrapolate with the D of largest pseudolikelihood.

    The m-th lowest of the :math:`k_1 - 1` wrong labels beats the truth with probability
    :math:`\gamma_m = \int D\, d\mathrm{Beta}(m, k_1 - m)`; D maximises the likelihood of who beats the truth, as
    if the ranks of a test point were independent of each other.

    Parameters
    ----------
    variant : {"unconstrained", "moment", "monotone", "monotone moment"}
        The draft's approaches: D with no more than :math:`0 \le D \le 1`; with the observed error at
        :math:`k_1` classes as a moment constraint; monotone; both.
    basis : Basis, optional
        Basis for D; by default hat functions at 40 nodes.

    Attributes
    ----------
    law_ : PseudolikelihoodLaw
        With ``discriminability``, the fitted D.

    Notes
    -----
    Needs ranks only. Not constrained, D follows the noise, and predictions far beyond :math:`k_1` are as good
    as the last node allows: the variants are here to be compared.

    Source: November 2016 draft, section 4, with the corrected law of the ranks (see the errata page).

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> est = cx.PseudolikelihoodExtrapolator(variant="monotone moment").fit_ranks(
    ...     ranks
    ... )
    >>> float(est.predict(4)[0].round(4))
    0.25
    """

    law_: PseudolikelihoodLaw

    def __init__(self, *, variant: str = "monotone", basis: Basis | None = None) -> None:
        self.variant = variant
        self.basis = basis

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> PseudolikelihoodLaw:
        return fit_pseudolikelihood(ranks, scores, variant=self.variant, basis=self.basis)
