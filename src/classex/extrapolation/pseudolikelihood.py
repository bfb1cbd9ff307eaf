"""Extrapolation by maximum pseudolikelihood of D (November 2016 draft, section 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import one_of
from classex.curves.jackknife import win_distribution
from classex.extrapolation._base import Extrapolator
from classex.laws import Basis, Discriminability, PiecewiseLinearBasis
from classex.laws.pseudolikelihood import PseudolikelihoodRegression
from classex.results import CorrectRanks

__all__ = ["PseudolikelihoodExtrapolator"]

FloatArray = NDArray[np.float64]

VARIANTS = ("unconstrained", "moment", "monotone", "monotone moment")


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
    discriminability_ : Discriminability
        The fitted D.

    Notes
    -----
    Needs ranks only. Not constrained, D follows the noise, and predictions far beyond :math:`k_1` are as good
    as the last node allows: the variants are here to be compared.

    Source: November 2016 draft, section 4, with the corrected law of the ranks (see the errata page).

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks([[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3])
    >>> est = cx.PseudolikelihoodExtrapolator(variant="monotone moment").fit_ranks(ranks)
    >>> float(est.predict(4)[0].round(4))
    0.25
    """

    discriminability_: Discriminability

    def __init__(self, *, variant: str = "monotone", basis: Basis | None = None) -> None:
        self.variant = variant
        self.basis = basis

    def discriminability(self, u: ArrayLike) -> FloatArray:
        """Fitted distribution function of the correct label's favourability.

        Parameters
        ----------
        u : array_like of shape (n,)
            Favourabilities in [0, 1].

        Returns
        -------
        ndarray of shape (n,)
            D(u), a probability.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a favourability lies outside [0, 1].
        """
        self._check_fitted()
        return np.clip(self.discriminability_(u), 0.0, 1.0)

    def _fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> None:
        del scores  # ranks suffice
        kind = one_of(self.variant, "variant", VARIANTS)
        if self.basis is not None and not isinstance(self.basis, Basis):
            raise TypeError(f"basis must be a Basis of classex.laws, not {type(self.basis).__name__}")
        k1 = ranks.n_classes
        programs: dict[int, PseudolikelihoodRegression] = vars(self).get("programs_", {})
        if "whole_" not in vars(self) or k1 not in programs:
            basis = self.basis or PiecewiseLinearBasis.for_data(k1, ranks.labels.size / k1)
            if "whole_" not in vars(self):
                programs = {}
            programs[k1] = PseudolikelihoodRegression(
                basis, k1, moment="moment" in kind, monotone=kind.startswith("monotone")
            )
        self.programs_ = programs
        # the m-th lowest wrong label beats the points with fewer than m wins
        self.discriminability_ = programs[k1].solve(np.cumsum(win_distribution(ranks))[:-1])

    def _accuracy(self, n_classes: FloatArray, top: int) -> FloatArray:
        return self.discriminability_.accuracy_of_reals(n_classes, top)

    def _resampled(self) -> Extrapolator:
        """Return an unfitted estimator that shares the convex problems, one for each number of classes."""
        twin = super()._resampled()
        if isinstance(twin, PseudolikelihoodExtrapolator):
            twin.basis = self.discriminability_.basis
            twin.programs_, twin.whole_ = self.programs_, True
        return twin

    programs_: dict[int, PseudolikelihoodRegression]
    whole_: bool
