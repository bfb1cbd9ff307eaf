r"""How often one of n people is identified, if traits follow a Pitman-Yor process.

A person's trait is shared by a random proportion P of the population, :math:`P \sim \mathrm{Beta}(1-d, a+d)`, and ties
among those who share it are broken at random. So the favourability is :math:`U^* = 1 - P V` with V uniform on [0, 1]:
:math:`\int_0^1 (1 - pv)^{n-1} dv = (1 - (1-p)^n) / (np)` is the probability to be picked among the sharers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.polynomial.polynomial import polyval
from numpy.typing import NDArray
from scipy import optimize, special

from classex._checks import one_of
from classex._types import FloatArray
from classex.curves.accuracy import accuracy_curve, spaced_sizes
from classex.distributions.distribution import Distribution, Evidence
from classex.distributions.wins import collapse_wins
from classex.methods.protocol import HALVES, Method, Resampling, Scores
from classex.ranks import as_ranks
from classex.ranks.ranks import CorrectRanks

__all__ = ["PitmanYor", "PitmanYorDistribution"]


# Logarithm of h and logit of gamma at the start of the published fit, h = 12 and gamma = .26
_START = np.array([np.log(12.0), special.logit(0.26)])
# A concentration of e^30 and a discount within e^-12 of its ends leave no error to fit
_BOUNDS = [(-12.0, np.log(30.0)), (-12.0, 12.0)]
# Below this discount the closed form of D loses half of its digits
_SMALL = 1e-4
# Sizes of the least squares: enough for a smooth curve
_MOST_SIZES = 30
# Smaller values change no digit; these divide without overflow
_LEAST_DISCOUNT, _LEAST_CONCENTRATION = 1e-200, 1e-100
# Steps of the recurrence before Stirling's series, see `_STIRLING`
_STEPS = 16
# -B_(2j+1)((1 + d)/2) / (d j (2j + 1) (1 - d^2)), j = 1..5, by powers of d^2; the next is below 1e-15 after the steps
_STIRLING = (
    (1 / 24,),
    (-7 / 960, 3 / 960),
    (31 / 8064, -18 / 8064, 3 / 8064),
    (-381 / 92160, 239 / 92160, -55 / 92160, 5 / 92160),
    (2555 / 337920, -1636 / 337920, 410 / 337920, -52 / 337920, 3 / 337920),
)


@dataclass(frozen=True)
class PitmanYorDistribution(Distribution):
    r"""The distribution of :math:`U^* = 1 - P V`, :math:`P \sim \mathrm{Beta}(1-d, a+d)`, V uniform.

    Attributes
    ----------
    discount : float
        d in [0, 1). Accuracy falls like K^-(1-d): a large d means many traits that hardly anyone shares.
    concentration : float
        a > 0: the larger, the rarer are people who look alike.
    log_likelihood : float or None
        Class-balanced log-likelihood of all test points in nats; None for least squares.
    residual : float or None
        Root mean weighted square of kappa minus the observed accuracy, for least squares.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.methods import PitmanYorDistribution
    >>> distribution = PitmanYorDistribution(discount=0.3, concentration=5.0)
    >>> distribution.accuracy(np.array([10.0])).round(8)
    array([0.68383421])
    """

    discount: float
    concentration: float
    log_likelihood: float | None = None
    residual: float | None = None

    @property
    def evidence(self) -> Evidence:
        """Parameters and fit."""
        parameters = {"discount": self.discount, "concentration": self.concentration}
        return Evidence(parameters, 2.0, self.log_likelihood, self.residual)

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        r"""Average accuracy for each number of classes, :math:`\kappa(n) = E\,(U^*)^{n-1}`.

        .. math:: \kappa(n) = \frac{1}{nd}\Bigl[\frac{\Gamma(1+a)\,\Gamma(n+d+a)}{\Gamma(d+a)\,\Gamma(n+a)} - a\Bigr]

        For d = 0 it is :math:`(a/n)(\psi(n+a) - \psi(a))`. Source: Rocher, Hendrickx and de Montjoye, Nature
        Communications 16:347 (2025).
        """
        return _accuracy(self.discount, self.concentration, sizes, top)

    def cdf(self, u: FloatArray) -> FloatArray:
        r"""Discriminability function: :math:`D(u) = \Pr[P V \ge t] = E[(1 - t/P)_+]` at :math:`t = 1 - u`."""
        d, a = self.discount, self.concentration
        t = np.clip(1.0 - np.asarray(u, dtype=np.float64), 1e-300, 1.0)
        above = special.betaincc(1 - d, a + d, t)
        log_beta = special.betaln(1 - d, a + d)
        if d > _SMALL:
            inverse = (t**-d * (1 - t) ** (a + d) * np.exp(-log_beta) - a * above) / d
        else:
            # E[1/P; P > t] as a sum over panels in log p, which are smooth for d near 0
            x, weight = np.polynomial.legendre.leggauss(200)
            half = -np.log(t) / 2
            p = np.exp(half[..., np.newaxis] * (x - 1))
            inverse = half * np.exp(-log_beta) * (p**-d * (1 - p) ** (a + d - 1) @ weight)
        return np.asarray(np.clip(above - t * inverse, 0.0, 1.0))


@dataclass(frozen=True, kw_only=True)
class PitmanYor(Method):
    r"""Pitman-Yor process, a model of how people are identified by their traits.

    The favourability is :math:`U^* = 1 - P V` with V uniform and :math:`P \sim \mathrm{Beta}(1-d, a+d)`, the share of
    the people with the same traits. For large K its accuracy curve falls like :math:`K^{-(1-d)}`.

    Parameters
    ----------
    method : {"likelihood", "least squares"}
        The likelihood of the wins, or the published least squares with weights :math:`\log n`.

    Notes
    -----
    Uses ranks only. Source: Rocher, Hendrickx and de Montjoye, Nature Communications 16:347 (2025). They give no
    intervals; these come from half-sampling of classes.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> fitted = cx.Extrapolator(cx.methods.PitmanYor()).fit(
    ...     sample.scores, sample.labels
    ... )
    >>> fitted.predict(40).round(1)
    array([0.2])
    """

    takes_samples: ClassVar[bool] = True
    resampling: ClassVar[Resampling] = HALVES
    method: Literal["likelihood", "least squares"] = "likelihood"

    def fit(self, ranks: CorrectRanks, scores: Scores = None) -> PitmanYorDistribution:
        r"""Fit discount and concentration.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes.
        scores : ndarray, optional
            Not used: ranks suffice.

        Returns
        -------
        PitmanYorDistribution

        Raises
        ------
        TypeError
            If `ranks` is not a `CorrectRanks`.
        ValueError
            If `method` is not one of the two.

        Notes
        -----
        Source: Rocher, Hendrickx and de Montjoye (2025) for the model and the least squares. The simplex search is
        theirs too: it starts from (12, .26) in the parameters :math:`h = \psi(a+1) - \psi(1-d)` and
        :math:`\gamma = (\psi(1) - \psi(1-d))/h`. The likelihood is this package's: given P, a point loses m times
        against n wrong labels with probability :math:`\frac{1}{p(n+1)} \Pr[\mathrm{Bin}(n+1, p) > m]`, and the mean
        over P is a sum of ratios of gamma functions.

        Examples
        --------
        >>> import classex as cx
        >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
        >>> distribution = cx.methods.PitmanYor().fit(
        ...     cx.correct_ranks(sample.scores, sample.labels)
        ... )
        >>> bool(0 <= distribution.discount < 1)
        True
        """
        likely = one_of(self.method, "method", ("likelihood", "least squares")) == "likelihood"
        as_ranks(ranks, sampled=True, evenly=not likely)
        if likely:
            counts = collapse_wins(ranks)
            losses = (counts.n_wrong - counts.wins).astype(np.int64)
            groups = [(int(n), counts.n_wrong == n) for n in np.unique(counts.n_wrong)]

            def loss(d: float, a: float) -> float:
                return -float(sum(counts.weight[some] @ _log_pmf(losses[some], n, d, a) for n, some in groups))

            d, a, least = _search(loss)
            return PitmanYorDistribution(d, a, log_likelihood=-counts.n_points * least)
        sizes = spaced_sizes(2, ranks.largest_subset, _MOST_SIZES)
        observed = accuracy_curve(ranks, sizes).accuracy
        d, a, least = _search(
            lambda d, a: float(np.mean(np.log(sizes) * np.square(_accuracy(d, a, sizes, 1) - observed)))
        )
        return PitmanYorDistribution(d, a, residual=float(np.sqrt(least)))


def _search(loss: Callable[[float, float], float]) -> tuple[float, float, float]:
    """Minimise by the simplex method, from the published start: return d, a and the least loss."""
    options = {"xatol": 1e-5, "fatol": 1e-12, "maxiter": 500}
    fit = optimize.minimize(
        lambda theta: loss(*_parameters(theta)), _START, method="Nelder-Mead", bounds=_BOUNDS, options=options
    )
    return *_parameters(fit.x), float(fit.fun)


def _parameters(theta: FloatArray) -> tuple[float, float]:
    """Discount and concentration from the logarithm of h and the logit of gamma."""
    h, gamma = float(np.exp(theta[0])), float(special.expit(theta[1]))
    low = float(special.psi(1.0)) - h * gamma
    # rounding must not make the discount negative, nor 1
    d = min(max(1 - _inverse_psi(low), 0.0), 1 - 1e-12)
    return d, max(_inverse_psi(low + h) - 1, 1e-12)


def _inverse_psi(value: float) -> float:
    """Invert the digamma function by Newton's method, which converges from this start for every value."""
    x = np.exp(min(value, 600.0)) + 0.5 if value >= -2.22 else -1 / (value - special.psi(1.0))
    for _ in range(8):
        x -= (special.psi(x) - value) / special.polygamma(1, x)
    return float(x)


def _gain(n: FloatArray, a: float, d: float) -> FloatArray:
    r"""Growth of :math:`\log(\Gamma(x + d) / \Gamma(x)) / d` from x = a to x = n + a, without cancellation.

    The recurrence moves both ends up by 16 steps, with its factors paired. From there, with w = x + (d - 1)/2, the
    function is :math:`\log w - \sum_j B_{2j+1}((1 + d)/2) / (d j (2j + 1) w^{2j})`. A discount of 0 is its limit.
    """
    d, a = max(d, _LEAST_DISCOUNT), max(a, _LEAST_CONCENTRATION)
    low = a + np.arange(_STEPS)
    steps = np.log1p(d * n[:, np.newaxis] / (low * (n[:, np.newaxis] + low + d))).sum(axis=1) / d
    w = a + _STEPS + (d - 1) / 2
    series: list[Any] = [0.0, *((1 - d * d) * polyval(d * d, row) for row in _STIRLING)]
    return np.asarray(steps + np.log1p(n / w) + polyval((w + n) ** -2, series) - polyval(w**-2, series))


def _uniqueness(d: float, a: float, sizes: FloatArray) -> FloatArray:
    return np.asarray(np.minimum(np.exp(d * _gain(sizes - 1, a, d)) * (a / (sizes - 1 + a)), 1.0))


def _accuracy(d: float, a: float, sizes: FloatArray, top: int) -> FloatArray:
    """E Pr[Bin(n - 1, P V) < top]: Pr[no loss] from its closed form, Pr[m losses] by differences from it."""
    n = sizes
    gain = _gain(n, a, d)
    first: FloatArray = np.minimum(a * gain * special.exprel(d * gain) / n, 1.0)
    if top == 1:
        return first
    # Pr[m losses] falls by term_(m+1) / n from m to m + 1
    drop = np.exp(_log_terms(n - 1, top - 1, d, a)) / n[:, np.newaxis]
    later = np.maximum(first[:, np.newaxis] - np.cumsum(drop, axis=1), 0.0)
    return np.asarray(np.where(n <= top, 1.0, np.minimum(first + later.sum(axis=1), 1.0)))


def _log_terms(n: FloatArray, last: int, d: float, a: float) -> FloatArray:
    """Logarithms of C(n+1, j) E[P^(j-1) (1-P)^(n+1-j)] for j = 1..last, from their ratios: shape (n_sizes, last)."""
    n = n[:, np.newaxis]
    j = np.arange(1, last, dtype=np.float64)
    ratio = np.maximum(n + 1 - j, 0.0) * (j - d) / ((j + 1) * (np.maximum(n - j, 0.0) + a + d))  # 0 beyond n + 1
    with np.errstate(divide="ignore"):
        log_ratios = np.log(ratio)
        first = np.log((n + 1) * _uniqueness(d, a, n[:, 0] + 1)[:, np.newaxis])
    return np.asarray(np.cumsum(np.column_stack([first, log_ratios]), axis=1))


def _log_pmf(losses: NDArray[np.int64], n_wrong: int, d: float, a: float) -> FloatArray:
    """Log-probability of each number of losses to n wrong labels, from the sums of the terms beyond."""
    n = float(n_wrong)
    terms = np.exp(_log_terms(np.array([n]), n_wrong + 1, d, a)[0])
    beyond = np.cumsum(terms[::-1])[::-1]
    return np.asarray(np.log(np.maximum(beyond[losses], 1e-300)) - np.log(n + 1))
