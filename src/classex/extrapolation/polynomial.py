"""Extrapolation by polynomial regression on expected powers of favourability (November 2016 draft)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_positive_int, as_probabilities
from classex.curves.jackknife import jackknife_deviations, own_class_deviations, win_distribution
from classex.extrapolation._base import Extrapolator
from classex.laws.measurement_error import accuracy_by_wins, power_moments, powers_of_ranks
from classex.results import CorrectRanks

__all__ = ["PolynomialExtrapolator"]

FloatArray = NDArray[np.float64]


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
    coefficients_ : ndarray of shape (degree + 1,)
        Estimated coefficients of 1, u, u^2, ...

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
    >>> ranks = cx.correct_ranks([[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3])
    >>> cx.PolynomialExtrapolator(degree=1).fit_ranks(ranks).predict([2, 4, 100]).round(4)
    array([0.5833, 0.2083, 0.    ])
    """

    coefficients_: FloatArray

    def __init__(self, *, degree: int = 3) -> None:
        self.degree = degree

    def discriminability(self, u: ArrayLike) -> FloatArray:
        """Fitted polynomial, not confined to [0, 1] nor monotone.

        Parameters
        ----------
        u : array_like of shape (n,)
            Favourabilities in [0, 1].

        Returns
        -------
        ndarray of shape (n,)
            D(u).

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a favourability lies outside [0, 1].
        """
        self._check_fitted()
        at = np.atleast_1d(as_probabilities(u, "u"))
        value: FloatArray = at[:, np.newaxis] ** np.arange(self.coefficients_.size) @ self.coefficients_
        return value

    def _fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> None:
        del scores  # ranks suffice
        d = as_positive_int(self.degree, "degree", minimum=0)
        k1 = ranks.n_classes
        if d > k1 - 2:
            raise ValueError(f"degree must be at most {k1 - 2} with {k1} classes, not {d}")
        # the m-th lowest wrong label beats the points with fewer than m wins
        response = np.cumsum(win_distribution(ranks))[:-1]
        z = powers_of_ranks(np.arange(k1 - 1.0), k1 - 2, d)
        self.coefficients_ = np.linalg.lstsq(z, response, rcond=None)[0].astype(np.float64)

    def _accuracy(self, n_classes: FloatArray, top: int) -> FloatArray:
        error: FloatArray = self.coefficients_ @ power_moments(n_classes, self.coefficients_.size - 1, top)
        return 1.0 - error

    def _variance(self, sizes: FloatArray, top: int, n_resamples: int, rng: np.random.Generator) -> FloatArray:
        del n_resamples, rng  # in closed form
        ranks = self.ranks_
        k1, d = ranks.n_classes, self.coefficients_.size - 1
        table = ranks.distractors
        if table is None:
            variance = _own_class_variance(ranks, accuracy_by_wins(k1, d, sizes, top))
        elif d > k1 - 3:
            raise ValueError(f"an interval needs a degree of at most {k1 - 3} with {k1} classes, not {d}")
        else:
            value = accuracy_by_wins(k1 - 1, d, sizes, top)
            kept = value[np.minimum(table.wins, k1 - 2)]
            lost = value[np.maximum(table.wins - 1, 0)]
            deviations = jackknife_deviations(ranks, table, kept, lost)
            variance = (k1 - 1) / k1 * np.square(deviations).sum(axis=0)
        variance[sizes <= top] = 0.0
        return variance


def _own_class_variance(ranks: CorrectRanks, by_wins: FloatArray) -> FloatArray:
    """Variance of the mean over classes of what each class's own points add, ties averaged."""
    below = np.vstack([np.zeros(by_wins.shape[1]), np.cumsum(by_wins, axis=0)])
    of_point = (below[ranks.wins + ranks.ties + 1] - below[ranks.wins]) / (ranks.ties + 1.0)[:, np.newaxis]
    variance: FloatArray = np.square(own_class_deviations(ranks, of_point)).sum(axis=0)
    return variance
