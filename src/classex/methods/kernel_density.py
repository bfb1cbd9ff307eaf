"""Kernel density estimates of the wrong labels' scores, one for each test point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import pi, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.fft import irfft, rfft
from scipy.optimize import fminbound
from scipy.special import betainc, ndtr

from classex._checks import as_labels, as_positive_float, as_scores, one_of
from classex._result import Result
from classex._types import FloatArray
from classex.distributions.distribution import Distribution, Evidence
from classex.methods.protocol import Method
from classex.ranks import point_shares
from classex.ranks.ranks import CorrectRanks

__all__ = ["BANDWIDTH_RULES", "KernelDensity", "KernelDensityDistribution", "kernel_favourability"]


_NORMAL_REFERENCE = 1.06  # R's bw.nrd
BANDWIDTH_RULES = ("ucv", "bcv", "normal_reference")
_BINS = 1000  # R's default
_FFT = 2048  # the bins and as many zeros, so that the autocorrelation does not wrap
_FARTHEST = 200.0  # squared distance, in bandwidths, beyond which pairs add less than rounding
_BLOCK = 2**16  # scores at a time, whose arrays stay in the processor's cache


@dataclass(frozen=True)
class KernelFavourability(Result):
    """Favourability of the correct label by kernel density estimates, for every test point.

    Attributes
    ----------
    beaten : ndarray of shape (n_test,)
        Probability that a random wrong label scores above the truth: one minus the favourability.
    bandwidth : ndarray of shape (n_test,)
        Bandwidth of each test point's kernel density estimate, in units of the scores.

    Examples
    --------
    >>> from classex.methods import kernel_favourability
    >>> found = kernel_favourability(
    ...     [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 1.0]], [0, 1, 2], 0.5
    ... )
    >>> found.beaten.round(3), found.bandwidth
    (array([0.011, 0.011, 0.261]), array([0.5, 0.5, 0.5]))
    """

    beaten: NDArray[np.float64]
    bandwidth: NDArray[np.float64]

    _says: ClassVar[str] = "Kernel density estimates of {beaten} test points:"


def _exponents(x: FloatArray) -> NDArray[np.intc]:
    """Exponents of the powers of two that bring the largest entry of each row to between 1/2 and 1.

    Scaling by them is exact and changes no estimate, but squares neither overflow nor vanish.
    """
    return np.asarray(np.frexp(np.abs(x).max(axis=1))[1])


def _bandwidths(x: FloatArray, rule: str) -> FloatArray:
    """Bandwidth of every row, 0 where all values are equal."""
    n = x.shape[1]
    spread = x.std(axis=1, ddof=1)
    if rule == "normal_reference":
        first, third = np.quantile(x, [0.25, 0.75], axis=1)
        robust = (third - first) / 1.34
        return np.asarray(np.where(robust > 0, np.minimum(spread, robust), spread) * _NORMAL_REFERENCE * n**-0.2)
    extent = np.ptp(x, axis=1)
    bandwidth: FloatArray = np.where(extent > 0, 1.144 * spread * n**-0.2, 0.0)
    width = 1.01 * extent / _BINS
    # far from zero the distance between numbers limits the bins
    rows = np.flatnonzero((extent > 0) & (np.abs(x).max(axis=1) < 1e12 * width))
    if rows.size:
        pairs = _pair_counts(np.trunc(x[rows] / width[rows, np.newaxis]).astype(np.int64))
        for row, counts in zip(rows, pairs, strict=True):
            bandwidth[row] = _cross_validated(rule, counts, n, float(width[row]), float(bandwidth[row]))
    return bandwidth


def _pair_counts(bins: NDArray[np.int64]) -> FloatArray:
    """Number of pairs of points of each row at each distance between bins, by the Fourier transform."""
    n_rows, n = bins.shape
    cell = bins - bins.min(axis=1, keepdims=True) + _FFT * np.arange(n_rows)[:, np.newaxis]
    counts = np.bincount(cell.ravel(), minlength=n_rows * _FFT).reshape(n_rows, _FFT)
    transform = rfft(counts, axis=1)
    power = np.square(transform.real) + np.square(transform.imag)
    pairs: FloatArray = np.rint(irfft(power, _FFT, axis=1))[:, : _BINS + 1]
    pairs[:, 0] = (pairs[:, 0] - n) / 2
    return pairs


def _cross_validated(rule: str, pairs: FloatArray, n: int, width: float, hmax: float) -> float:
    """Minimise the criterion of a rule by Brent's method, to R's tolerance; R's ``optimize`` takes the same steps."""
    distance = np.square(width * np.arange(min(int(sqrt(_FARTHEST) * hmax / width) + 2, pairs.size)))
    pairs = pairs[: distance.size]

    def unbiased(h: float) -> float:
        near = np.exp(distance * (-0.25 / h**2))
        total = float(pairs @ near) - sqrt(8.0) * float((pairs * near) @ near)
        return (0.5 + total / n) / (n * h * sqrt(pi))

    def biased(h: float) -> float:
        delta = distance / h**2
        total = float(pairs @ (np.exp(-delta / 4) * (delta * delta - 12 * delta + 12)))
        return (1.0 + total / (32.0 * n)) / (2.0 * n * h * sqrt(pi))

    criterion: Callable[[float], float] = unbiased if rule == "ucv" else biased
    return float(fminbound(criterion, 0.1 * hmax, hmax, xtol=0.01 * hmax))


def kernel_favourability(scores: ArrayLike, labels: ArrayLike, bandwidth: str | float = "ucv") -> KernelFavourability:
    r"""Favourability of the correct label by a kernel density estimate of the wrong labels' scores.

    For a test point with wrong scores :math:`m_1, \dots, m_n` and true score m,

    .. math:: \hat U^* = \frac1n \sum_l \Phi\bigl((m - m_l)/h\bigr).

    Parameters
    ----------
    scores : array_like of shape (n_test, n_classes)
        Score of every label for every test point; at least three classes.
    labels : array_like of shape (n_test,)
        Column of the correct label of each test point.
    bandwidth : {"ucv", "bcv", "normal_reference"} or float
        Rule for the bandwidth of each test point, or one bandwidth for all. Unbiased or biased cross-validation; or
        1.06 times the lesser of standard deviation and interquartile range / 1.34, times :math:`n^{-1/5}` (R's
        ``bw.nrd``). Where all wrong scores are equal it is 0.

    Returns
    -------
    KernelFavourability
        For each test point the probability that a random wrong label beats the truth (one minus the
        favourability, precise where it is tiny) and the bandwidth.

    Raises
    ------
    ValueError
        If scores or labels are not accepted (see `classex.correct_ranks`), there are fewer than three
        classes, or the bandwidth is neither a known rule nor a positive number.

    Notes
    -----
    With :math:`c_d` pairs of wrong scores d bins apart, :math:`D = (d \delta / h)^2` and 1,000 bins of width
    :math:`\delta`, "ucv" minimises

    .. math:: \Bigl(\tfrac12 + \tfrac1n \sum_d c_d (e^{-D/4} - \sqrt 8\, e^{-D/2})\Bigr) \Big/ (n h \sqrt\pi)

    and "bcv" minimises

    .. math:: \Bigl(1 + \tfrac{1}{32 n} \sum_d c_d\, e^{-D/4} (D^2 - 12 D + 12)\Bigr) \Big/ (2 n h \sqrt\pi)

    over :math:`[h_{max}/10, h_{max}]`, :math:`h_{max} = 1.144\, s\, n^{-1/5}`, to within a hundredth of
    :math:`h_{max}`, with the bins, the interval and the steps of R's ``bw.ucv`` and ``bw.bcv`` (Scott 1992).

    Source: Kay et al. (2008), supplement; journal version section 4.1, with the integral from minus infinity
    (see the errata page).

    Examples
    --------
    >>> from classex.methods.kernel_density import kernel_favourability
    >>> kernel_favourability(
    ...     [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 1.0]], [0, 1, 2], 0.5
    ... ).beaten.round(3)
    array([0.011, 0.011, 0.261])
    """
    matrix = as_scores(scores)
    truth = as_labels(labels, matrix.shape[0], matrix.shape[1])
    return favourability_of_checked(matrix, truth, bandwidth)


def favourability_of_checked(
    scores: NDArray[Any], labels: NDArray[np.int64], bandwidth: str | float
) -> KernelFavourability:
    """Return `kernel_favourability` of scores and labels that were checked before."""
    if scores.shape[1] < 3:
        raise ValueError(f"kernel densities need at least three classes, but scores has {scores.shape[1]}")
    if isinstance(bandwidth, str):
        one_of(bandwidth, "bandwidth", BANDWIDTH_RULES)
    else:
        as_positive_float(bandwidth, "bandwidth")
    beaten, bandwidths = np.empty((2, scores.shape[0]))
    step = max(_BLOCK // scores.shape[1], 1)
    for first in range(0, scores.shape[0], step):
        rows = slice(first, first + step)
        beaten[rows], bandwidths[rows] = _favourability(scores[rows], labels[rows], bandwidth)
    return KernelFavourability(beaten, bandwidths)


def _favourability(
    scores: NDArray[Any], labels: NDArray[np.int64], bandwidth: str | float
) -> tuple[FloatArray, FloatArray]:
    """Probability that a random wrong label beats the truth, and the bandwidth, for a block of rows."""
    n, k = scores.shape
    wrong = np.ones((n, k), dtype=bool)
    wrong[np.arange(n), labels] = False
    x = scores[wrong].reshape(n, k - 1).astype(np.float64)
    power = _exponents(x)[:, np.newaxis]
    x = np.ldexp(x, -power)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        truth = np.ldexp(scores[~wrong].astype(np.float64)[:, np.newaxis], -power)
        h = _bandwidths(x, bandwidth)[:, np.newaxis] if isinstance(bandwidth, str) else np.ldexp(bandwidth, -power)
        z = (x - truth) / h
    # without a width the kernels are steps, and a tie counts half
    z[np.isnan(z)] = 0.0
    return ndtr(z).mean(axis=1), np.ldexp(h, power)[:, 0]


@dataclass(frozen=True)
class KernelDensityDistribution(Distribution):
    """The distribution of the favourabilities that kernel densities give the test points.

    Attributes
    ----------
    favourability : KernelFavourability
        Probability that a random wrong label beats the truth, and bandwidth, of each test point.
    shares : ndarray of shape (n_test,)
        Weights of the test points, the same in total for every class.
    rule : str or float
        Rule for the bandwidth, or the bandwidth.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> scores = np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 1.5]])
    >>> distribution = cx.methods.KernelDensity(bandwidth=0.5).fit(
    ...     cx.correct_ranks(scores, [0, 1, 2]), scores
    ... )
    >>> (
    ...     distribution.rule,
    ...     distribution.shares.round(3),
    ...     distribution.favourability.beaten.round(3),
    ... )
    (0.5, array([0.333, 0.333, 0.333]), array([0.011, 0.011, 0.08 ]))
    """

    favourability: KernelFavourability = field(repr=False)
    shares: FloatArray = field(repr=False)
    rule: str | float

    @property
    def evidence(self) -> Evidence:
        """Median bandwidth."""
        return Evidence({"median bandwidth": float(np.median(self.favourability.bandwidth))}, self.shares.size)

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        beaten, k = self.favourability.beaten, sizes[:, np.newaxis]
        if top > 1:
            error: FloatArray = betainc(float(top), k - top, beaten) @ self.shares
            return 1.0 - error
        with np.errstate(divide="ignore"):
            log_favourability = np.log1p(-beaten)
        return np.asarray(np.exp((k - 1) * log_favourability) @ self.shares)

    def cdf(self, u: FloatArray) -> FloatArray:
        """Distribution function of the estimated favourabilities, every class with the same weight."""
        favourability = 1.0 - self.favourability.beaten
        order = np.argsort(favourability)
        mass = np.append(0.0, np.cumsum(self.shares[order]))
        return np.asarray(mass[np.searchsorted(favourability[order], u, side="right")] / mass[-1])


@dataclass(frozen=True, kw_only=True)
class KernelDensity(Method):
    r"""Extrapolate with kernel density estimates of the wrong scores, one for each test point.

    .. math:: \widehat{\mathrm{AGA}}_K = \frac1{k_1} \sum_i \frac1{r_i} \sum_j (\hat U^*_{ij})^{K-1}, \qquad
              \hat U^*_{ij} = \frac{1}{k_1 - 1} \sum_{l \ne i} \Phi\Bigl(\frac{M_{iji} - M_{ijl}}{h_{ij}}\Bigr)

    Parameters
    ----------
    bandwidth : {"ucv", "bcv", "normal_reference"} or float
        Rule for the bandwidth of each test point (see `classex.methods.kernel_favourability`), or one bandwidth.

    Notes
    -----
    Needs scores, and at least three classes. The estimate is biased, because a power of an unbiased estimate is not
    unbiased. Unlike methods that use ranks, it changes with any non-linear monotone rescaling of the scores.

    Source: Kay et al. (2008), supplement; journal version section 4.1.

    Examples
    --------
    >>> import classex as cx
    >>> scores = [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 1.5]]
    >>> fitted = cx.Extrapolator(cx.methods.KernelDensity(bandwidth=0.5)).fit(
    ...     scores, [0, 1, 2]
    ... )
    >>> fitted.predict([2, 3, 100]).round(3)
    array([0.966, 0.934, 0.215])
    """

    needs_scores: ClassVar[bool] = True
    bandwidth: str | float = "ucv"

    def fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None = None) -> KernelDensityDistribution:
        """Estimate the favourability of every test point by a kernel density of its wrong scores.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes; ``ranks.labels`` are the correct columns.
        scores : ndarray of shape (n_test, n_classes)
            The scores behind them; at least three classes.

        Returns
        -------
        KernelDensityDistribution

        Raises
        ------
        TypeError
            If there are no scores.
        ValueError
            If there are fewer than three classes, or the bandwidth is neither a known rule nor a positive number.

        Examples
        --------
        >>> import numpy as np
        >>> import classex as cx
        >>> scores = np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 1.5]])
        >>> distribution = cx.methods.KernelDensity(bandwidth=0.5).fit(
        ...     cx.correct_ranks(scores, [0, 1, 2]), scores
        ... )
        >>> distribution.accuracy(np.array([2.0, 100.0])).round(3)
        array([0.966, 0.215])
        """
        if scores is None:
            raise TypeError("kernel densities need scores; ranks do not suffice")
        return KernelDensityDistribution(
            favourability_of_checked(scores, ranks.labels, self.bandwidth), point_shares(ranks), self.bandwidth
        )
