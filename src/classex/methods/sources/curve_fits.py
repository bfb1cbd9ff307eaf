"""Curves fitted to the observed accuracies: an exponential and a polynomial."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from classex._checks import as_positive_int
from classex._types import FloatArray
from classex.curves.accuracy import accuracy_curve, jackknife_deviations, own_class_deviations, win_distribution
from classex.distributions.bases import PolynomialBasis
from classex.distributions.distribution import Distribution, Evidence
from classex.methods.protocol import Method
from classex.methods.sources.published_regression import accuracy_by_wins, powers_of_ranks
from classex.ranks import as_ranks
from classex.ranks.ranks import CorrectRanks

__all__ = ["Exponential", "ExponentialDistribution", "Polynomial", "PolynomialDistribution"]


_ROUNDING = 1e-12  # error of an accuracy at chance
_MOST_SIZES = 50  # more hardly move the line


@dataclass(frozen=True)
class ExponentialDistribution(Distribution):
    """An exponential decay of the accuracy above chance.

    Attributes
    ----------
    offset, rate : float
        a and b for top-1 accuracy; infinite a where nothing is above chance.
    ranks : CorrectRanks
        The ranks it was fitted to. Top-m accuracies have a line of their own.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> distribution = cx.methods.sources.Exponential().fit(
    ...     cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4)
    ... )
    >>> distribution.accuracy(np.array([2.0, 4.0, 1e12])).round(3)
    array([0.831, 0.662, 0.   ])
    """

    offset: float
    rate: float
    ranks: CorrectRanks = field(repr=False)

    @property
    def evidence(self) -> Evidence:
        """Offset and rate, and how far the fit is from the observed curve."""
        sizes = np.arange(2.0, self.ranks.n_classes + 1)
        missed = self.accuracy(sizes) - accuracy_curve(self.ranks, sizes).accuracy
        return Evidence(
            {"offset": self.offset, "rate": self.rate}, 2.0, residual=float(np.sqrt(np.square(missed).mean()))
        )

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        offset, rate = (self.offset, self.rate) if top == 1 else _line(self.ranks, top)
        chance = top / sizes
        return chance + (1 - chance) * np.exp(-offset - rate * np.log(sizes / top))

    def cdf(self, u: FloatArray) -> FloatArray:
        r"""Return the function whose moments are these accuracies, confined to [0, 1].

        It is :math:`u \bigl(1 - e^{-a} (-\log u)^b / \Gamma(b+1)\bigr)`. Where this leaves [0, 1] or falls, no
        distribution has accuracies that decay so.
        """
        x = np.asarray(u, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            log_density = self.rate * np.log(-np.log(x)) - self.offset - gammaln(self.rate + 1)
            value = np.where(x > 0, x * (1 - np.exp(np.nan_to_num(log_density, nan=-self.offset))), 0.0)
        return np.clip(np.where(x == 1, 1.0, value), 0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Exponential(Method):
    r"""Extrapolate an exponential decay of the accuracy above chance (a baseline without theory).

    .. math:: \widehat{\mathrm{AGA}}_K = \frac1K + \Bigl(1 - \frac1K\Bigr) e^{-a - b \log K},

    with a and b at least 0. They come from a straight line through
    :math:`-\log\bigl((\mathrm{ATA}_k - 1/k)/(1 - 1/k)\bigr)` against log k, at up to 50 numbers of classes k,
    evenly spread in log k, where the accuracy is above chance. Each doubling of the classes costs the same factor.

    Notes
    -----
    Needs ranks only. ``predict(..., top=m)`` fits the observed top-m accuracies, with chance m/K. Predictions never
    rise with K. No distribution of the favourability gives an exponential in log K over all K.

    Source: the extrapolation quoted in the November 2016 draft, section 1 (accuracy .10 at about
    :math:`10^{9.5}` images).

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> cx.Extrapolator(cx.methods.sources.Exponential()).fit_ranks(ranks).predict(
    ...     [4, 100]
    ... ).round(3)
    array([0.375, 0.175])
    """

    def fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None = None) -> ExponentialDistribution:
        r"""Fit an exponential decay of the accuracy above chance.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes.
        scores : ndarray, optional
            Not used: ranks suffice.

        Returns
        -------
        ExponentialDistribution

        Examples
        --------
        >>> import classex as cx
        >>> ranks = cx.correct_ranks(
        ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
        ... )
        >>> distribution = cx.methods.sources.Exponential().fit(ranks)
        >>> round(distribution.offset, 3), round(distribution.rate, 3)
        (1.792, 0.0)
        """
        return ExponentialDistribution(*_line(as_ranks(ranks), 1), ranks)


def _line(ranks: CorrectRanks, top: int) -> tuple[float, float]:
    """Intercept and slope of minus the logarithm of the accuracy above chance."""
    sizes = np.unique(np.geomspace(min(top + 1, ranks.n_classes), ranks.n_classes, _MOST_SIZES).round())
    chance = np.minimum(top / sizes, 1.0)
    above = accuracy_curve(ranks, sizes, top=top).accuracy - chance
    usable = (above > _ROUNDING) & (chance < 1)
    if not usable.any():
        return np.inf, 0.0
    x, y = np.log(sizes[usable] / top), -np.log(np.minimum(above / (1 - chance), 1.0)[usable])
    spread = np.square(x - x.mean()).sum()
    slope = max(float((x - x.mean()) @ y / spread), 0.0) if spread > 0 else 0.0
    offset = float(y.mean() - slope * x.mean())
    if offset < 0:
        # more than perfect at one class: the line starts at 1 there
        offset, slope = 0.0, max(float(x @ y / (x @ x)), 0.0)
    return offset, slope


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
