"""A polynomial discriminability function, fitted without bias if it is one (November 2016 draft)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._types import FloatArray
from classex._validation import as_positive_int
from classex.curves.accuracy import accuracy_curve
from classex.curves.jackknife import jackknife_deviations, own_class_deviations, win_distribution
from classex.distributions.basis_families import PolynomialBasis
from classex.distributions.distribution import Distribution, Evidence
from classex.methods._method import Method
from classex.methods.sources.measurement_error import accuracy_by_wins, powers_of_ranks
from classex.ranks import as_ranks
from classex.ranks._ranks import CorrectRanks

__all__ = ["Polynomial", "PolynomialDistribution"]


@dataclass(frozen=True)
class PolynomialDistribution(Distribution):
    """A polynomial discriminability function.

    Attributes
    ----------
    coefficients : ndarray of shape (degree + 1,)
        Estimated coefficients of 1, u, u^2, ...
    ranks : CorrectRanks
        The ranks it was fitted to.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> distribution = cx.methods.sources.Polynomial(degree=1).fit(
    ...     cx.ranks_from_wins([2, 3, 1, 1], 4)
    ... )
    >>> (
    ...     distribution.coefficients.round(4),
    ...     distribution.cdf(np.array([0.5])).round(4),
    ... )
    (array([-0.3333,  1.5   ]), array([0.4167]))
    """

    coefficients: FloatArray
    ranks: CorrectRanks = field(repr=False)

    @property
    def evidence(self) -> Evidence:
        """Coefficients, and how far the fit is from the observed curve."""
        sizes = np.arange(2.0, self.ranks.n_classes + 1)
        missed = self.accuracy(sizes) - accuracy_curve(self.ranks, sizes).accuracy
        named = {f"u^{power}": float(value) for power, value in enumerate(self.coefficients)}
        return Evidence(named, float(self.coefficients.size), residual=float(np.sqrt(np.square(missed).mean())))

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes, not confined to [0, 1]."""
        moments = PolynomialBasis(self.coefficients.size - 1).moments_of_reals(sizes, top)
        return 1.0 - moments @ self.coefficients

    def cdf(self, u: FloatArray) -> FloatArray:
        """Fitted polynomial at favourabilities u, not confined to [0, 1] nor monotone."""
        return np.asarray(np.asarray(u)[..., np.newaxis] ** np.arange(self.coefficients.size) @ self.coefficients)

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Variance of `accuracy` by the class jackknife, with distractors included where they are known."""
        ranks = self.ranks
        k1, d = ranks.n_classes, self.coefficients.size - 1
        table = ranks.distractors
        if table is None:
            by_wins = accuracy_by_wins(k1, d, sizes, top)
            below = np.vstack([np.zeros(sizes.size), np.cumsum(by_wins, axis=0)])
            # ties are averaged
            of_point = (below[ranks.wins + ranks.ties + 1] - below[ranks.wins]) / (ranks.ties + 1.0)[:, np.newaxis]
            deviations = own_class_deviations(ranks, of_point)
        elif d > k1 - 3:
            raise ValueError(f"an interval needs a degree of at most {k1 - 3} with {k1} classes, not {d}")
        else:
            value = accuracy_by_wins(k1 - 1, d, sizes, top)
            kept = value[np.minimum(table.wins, k1 - 2)]
            lost = value[np.maximum(table.wins - 1, 0)]
            deviations = jackknife_deviations(ranks, table, kept, lost)
        return np.where(sizes > top, np.square(deviations).sum(axis=0), 0.0)


@dataclass(frozen=True, kw_only=True)
class Polynomial(Method):
    r"""Extrapolate with a polynomial D, unbiasedly if D is one.

    The m-th lowest of the :math:`k_1 - 1` wrong labels has m - 1 others below it; whether it beats the truth,
    :math:`1\{m > R^*\}`, has mean :math:`\sum_h \beta_h E[U^h \mid N = m - 1]` when
    :math:`D(u) = \sum_h \beta_h u^h`. Least squares over all m and points gives :math:`\hat\beta`, and

    .. math:: \widehat{\mathrm{AGA}}_K = 1 - \sum_h \hat\beta_h \frac{K-1}{K-1+h}.

    Parameters
    ----------
    degree : int
        Degree of the polynomial, at most :math:`k_1 - 2`.

    Notes
    -----
    Needs ranks only. The coefficients, and predictions before they are confined to [0, 1], are exactly unbiased for a D
    of this degree. Predictions may rise with K. Too low a degree brings bias, too high a degree a huge variance.
    Intervals rest on the class jackknife, with distractors included.

    Source: November 2016 draft, section 3.3, with rising factorials for the printed falling ones (see the
    errata page).

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> fitted = cx.Extrapolator(cx.methods.sources.Polynomial(degree=1)).fit_ranks(
    ...     ranks
    ... )
    >>> fitted.predict([2, 4, 100]).round(4)
    array([0.5833, 0.2083, 0.    ])
    """

    degree: int = 3

    def fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None = None) -> PolynomialDistribution:
        r"""Fit a polynomial D by least squares over all wrong labels and test points.

        The m-th lowest of the :math:`k_1 - 1` wrong labels has m - 1 others below it; whether it beats the truth has
        mean :math:`\sum_h \beta_h E[U^h \mid N = m - 1]`.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes.
        scores : ndarray, optional
            Not used: ranks suffice.

        Returns
        -------
        PolynomialDistribution

        Raises
        ------
        ValueError
            If the degree is out of range.

        Notes
        -----
        Source: November 2016 draft, section 3.3, corrected (see the errata page).

        Examples
        --------
        >>> import classex as cx
        >>> ranks = cx.correct_ranks(
        ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
        ... )
        >>> cx.methods.sources.Polynomial(degree=1).fit(ranks).coefficients.round(4)
        array([-0.3333,  1.5   ])
        """
        d = as_positive_int(self.degree, "degree", minimum=0)
        k1 = as_ranks(ranks).n_classes
        if d > k1 - 2:
            raise ValueError(f"degree must be at most {k1 - 2} with {k1} classes, not {d}")
        # the m-th lowest wrong label beats the points with fewer than m wins
        response = np.cumsum(win_distribution(ranks))[:-1]
        z = powers_of_ranks(np.arange(k1 - 1.0), k1 - 2, d)
        return PolynomialDistribution(np.linalg.lstsq(z, response, rcond=None)[0].astype(np.float64), ranks)
