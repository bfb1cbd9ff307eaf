"""Extrapolation by polynomial regression on expected powers of favourability (November 2016 draft)."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from classex.extrapolation._base import Extrapolator
from classex.laws.polynomial import PolynomialLaw, fit_polynomial
from classex.results import CorrectRanks

__all__ = ["PolynomialExtrapolator"]


class PolynomialExtrapolator(Extrapolator):
    r"""Extrapolate with a polynomial D, unbiasedly if D is one.

    The m-th lowest of the :math:`k_1 - 1` wrong labels has m - 1 others below it; whether it beats the truth,
    :math:`1\{m > R^*\}`, has mean :math:`\sum_h \beta_h E[U^h \mid N = m - 1]` when
    :math:`D(u) = \sum_h \beta_h u^h`. Least squares over all m and points gives :math:`\hat\beta`, and

    .. math:: \widehat{\mathrm{AGA}}_K = 1 - \sum_h \hat\beta_h \frac{K-1}{K-1+h}.

    Parameters
    ----------
    degree : int
        Degree of the polynomial, at most :math:`k_1 - 2`.

    Attributes
    ----------
    law_ : PolynomialLaw
        With ``coefficients`` of 1, u, u^2, ...

    Notes
    -----
    Needs ranks only. The coefficients and what follows linearly from them are exactly unbiased for a D of
    this degree; predictions are then confined to [0, 1], and may rise with K. A degree that is too low
    biases, one that is too high lets the variance explode. Intervals rest on the class jackknife, distractors
    included.

    Source: November 2016 draft, section 3.3, with rising factorials for the printed falling ones (see the
    errata page).

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> fitted = cx.PolynomialExtrapolator(degree=1).fit_ranks(ranks)
    >>> fitted.predict([2, 4, 100]).round(4)
    array([0.5833, 0.2083, 0.    ])
    """

    law_: PolynomialLaw

    def __init__(self, *, degree: int = 3) -> None:
        self.degree = degree

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> PolynomialLaw:
        return fit_polynomial(ranks, scores, degree=self.degree)
