r"""One posterior for every curve that goes on: components, their weights by evidence, the median and the quantiles.

Given a component, the values :math:`z` of a curve on a scale without ends are normal. So the observed values, with
their covariance, leave a normal distribution of the value with more classes, in closed form, and a density of what was
observed, the evidence of the component (Rasmussen and Williams 2006, Gaussian Processes, sections 2.2 and 5.4). The
weight of a component is its prior weight times a power of its evidence.

The last observed value has an interval of its own, which allows for what the sample lacks. The posterior goes on from
there: the value :math:`\zeta` at the end is taken to be normal on either side of the one observed, with the ends of its
own interval as quantiles, and each component is conditioned on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from scipy import special

from classex._checks import as_class_counts, as_positive_float, as_probabilities, one_of
from classex._estimates import probit
from classex._types import FloatArray

__all__ = [
    "ACCURACY_CURVES",
    "CURVES",
    "TESTED_REACH",
    "Beta",
    "Component",
    "CurvePrior",
    "Posterior",
    "Related",
    "Straight",
    "mixture_of",
    "normal_maximum",
    "related_curve",
    "wandering",
]


# Standard deviation of the level of a curve, in probits: vague, one deviation covers accuracies from .001 to .999
_LEVEL_SD = 3.0
# Logarithms of the first parameter at which beta curves are inverted: accuracies from 1e-6 to 1 - 1e-6 at any K
_LOG_A = np.linspace(-14.0, 20.0, 241)
# Step of the derivative of a beta curve by its level
_STEP = 0.05
# What beta curves do, by their second parameter: below 1, from 1 on, and where all points are nearly equally hard
_FLATTENS, _STEEPENS, _ALIKE = "flattens", "steepens", "falls as if all test points were equally hard"


class Component(Protocol):
    """One or more curves of a kind.

    Examples
    --------
    >>> from classex.forecast import ACCURACY_CURVES
    >>> [len(component.weights) for component in ACCURACY_CURVES.components]
    [1, 1, 1, 15, 1]
    """

    @property
    def weights(self) -> FloatArray:
        """Prior weight of each curve."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What each curve does, as the end of a sentence."""

    def processes(self, sizes: FloatArray, n_seen: int, last: float) -> tuple[FloatArray, FloatArray]:
        """Mean (m, n) and covariance (m, n, n) of m curves at numbers of classes, of which the first were observed.

        `last` is the probit observed with the largest of those, the place where curves of a shape are anchored.
        """


def normal_maximum(sizes: FloatArray) -> FloatArray:
    """Median of the largest of K - 1 standard normal scores; 0 for two classes, like sqrt(2 log K) for many."""
    return np.asarray(-special.ndtri(-np.expm1(-np.log(2) / (sizes - 1))))


def wandering(t: FloatArray, slope_sd: float, length: float) -> FloatArray:
    """Covariance (n, n) of the integral from 0 of a slope of this deviation that forgets itself over a length."""
    t, d = t / length, np.abs(np.subtract.outer(t, t)) / length
    integral = 2 * np.minimum.outer(t, t) + np.exp(-t)[:, np.newaxis] + np.exp(-t) - 1 - np.exp(-d)
    return np.asarray((slope_sd * length) ** 2 * integral)


@dataclass(frozen=True)
class Straight:
    r"""Curves whose probit falls along a straight line, after a steeper start.

    .. math:: E\,z(K) = \alpha + b\,t + c\,d\,(1 - e^{-t/d}), \qquad t = \log_{10}(K/2),

    around which the slope varies with a standard deviation and a correlation length. With ``axis="normal"``, t is the
    median of the largest of K - 1 normal scores instead, so that probits fall like :math:`\sqrt{2 \log K}`.

    Attributes
    ----------
    weight : float
        Prior weight.
    slope, slope_sd, length : float
        Mean slope b per unit of t, its standard deviation, and the correlation length in units of t.
    early, decay : float
        What the mean slope has in addition with 2 classes, c, and the scale d on which that fades.
    level : float
        Mean of the probit with 2 classes.
    axis : {"decades", "normal"}
        The unit of t.
    kind : str
        What the curve does, as the end of a sentence.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.forecast import Straight
    >>> line = Straight(1.0, slope=-0.5, early=0.0)
    >>> sizes = np.array([2.0, 20.0, 200.0])
    >>> mean, covariance = line.processes(sizes, 2, 0.0)
    >>> mean, covariance.shape
    (array([[1. , 0.5, 0. ]]), (1, 3, 3))
    """

    weight: float
    slope: float = -0.59
    slope_sd: float = 0.17
    length: float = 2.3
    early: float = -0.88
    decay: float = 0.38
    level: float = 1.0
    axis: str = "decades"
    kind: str = "falls along a straight line"

    @property
    def weights(self) -> FloatArray:
        """Prior weight of the curve."""
        return np.array([self.weight])

    @property
    def kinds(self) -> tuple[str, ...]:
        """What the curve does."""
        return (self.kind,)

    def processes(self, sizes: FloatArray, n_seen: int, last: float) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        """Mean and covariance of the curve."""
        t = np.log10(sizes / 2) if self.axis == "decades" else normal_maximum(sizes)
        mean = self.level + self.slope * t - self.early * self.decay * np.expm1(-t / self.decay)
        return mean[np.newaxis], (_LEVEL_SD**2 + wandering(t, self.slope_sd, self.length))[np.newaxis]


@dataclass(frozen=True)
class Beta:
    r"""Curves of favourabilities that have a beta distribution, and a share of hopeless points that guess.

    .. math:: A_K = (1 - h)\,\frac{B(a + K - 1, b)}{B(a, b)} + \frac{h}{K}.

    A small b makes curves flat, b = 1 makes accurate ones steepen, a large b makes all points alike.

    Attributes
    ----------
    weight : float
        Prior weight, shared by the shapes.
    shapes : tuple of (float, float)
        Parameters b and shares h.
    slope_sd, length : float
        Standard deviation and correlation length of the slope around a beta curve, in probits per decade and decades.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.forecast import Beta
    >>> curves = Beta(1.0, ((0.1, 0.0), (1.0, 0.0), (200.0, 0.0)))
    >>> for kind in curves.kinds:
    ...     print(kind)
    flattens
    steepens
    falls as if all test points were equally hard
    >>> mean, _ = curves.processes(np.array([100.0, 1000.0]), 1, 1.0)
    >>> mean.round(1)
    array([[ 1. ,  0.5],
           [ 1. , -0.4],
           [ 1. , -0.9]])
    """

    weight: float
    shapes: tuple[tuple[float, float], ...]
    slope_sd: float = 0.12
    length: float = 2.3

    @property
    def weights(self) -> FloatArray:
        """Prior weight of each shape."""
        return np.full(len(self.shapes), self.weight / len(self.shapes))

    @property
    def kinds(self) -> tuple[str, ...]:
        """What each curve does: a hopeless share leaves the rest of the points to decide."""
        return tuple(_FLATTENS if b < 1 else _STEEPENS if b < 20 else _ALIKE for b, _ in self.shapes)

    def processes(self, sizes: FloatArray, n_seen: int, last: float) -> tuple[FloatArray, FloatArray]:
        """Mean and covariance of each curve; a shape that cannot reach the last observed value has no mean (NaN)."""
        b, h = np.array(self.shapes).T[..., np.newaxis]
        at_end = _beta_probit(_LOG_A, b, h, sizes[n_seen - 1])
        log_a = np.array([np.interp(last, row, _LOG_A, left=np.nan, right=np.nan) for row in at_end])[:, np.newaxis]
        mean, above, below = (_beta_probit(log_a + step, b, h, sizes) for step in (0.0, _STEP, -_STEP))
        by_level = (above - below) / (2 * _STEP)
        by_level *= _LEVEL_SD / np.maximum(np.abs(by_level[:, [n_seen - 1]]), 1e-3)
        stray = wandering(np.log10(sizes / 2), self.slope_sd, self.length)
        return mean, stray + by_level[:, :, np.newaxis] * by_level[:, np.newaxis]


@dataclass(frozen=True)
class Related:
    """A curve that resembles a known one, such as that of another classifier of the same classes.

    Attributes
    ----------
    weight : float
        Prior weight.
    n_classes, accuracy : ndarray of shape (n,)
        The known curve; beyond it, or before it, the slope of `Straight` continues.
    slope_sd, length : float
        Standard deviation and correlation length of the slope around it.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.forecast import CURVES, Related, related_curve
    >>> related = Related(1.0, *related_curve("icons"))
    >>> mean, _ = related.processes(np.array([100.0, 1000.0]), 1, 0.0)
    >>> mean.round(2)
    array([[0.69, 0.2 ]])
    """

    weight: float
    n_classes: FloatArray
    accuracy: FloatArray
    slope_sd: float = 0.08
    length: float = 2.3

    @property
    def weights(self) -> FloatArray:
        """Prior weight of the curve."""
        return np.array([self.weight])

    @property
    def kinds(self) -> tuple[str, ...]:
        """What the curve does."""
        return ("resembles the related curve",)

    def processes(self, sizes: FloatArray, n_seen: int, last: float) -> tuple[FloatArray, FloatArray]:
        """Mean and covariance of the curve."""
        usual = Straight(1.0)
        line = usual.processes(np.append(sizes, self.n_classes), n_seen, last)[0][0]
        offset = probit(self.accuracy) - line[sizes.size :]
        mean = line[: sizes.size] + np.interp(np.log(sizes), np.log(self.n_classes), offset)
        return mean[np.newaxis], (_LEVEL_SD**2 + wandering(np.log10(sizes / 2), self.slope_sd, self.length))[np.newaxis]


def _beta_probit(log_a: FloatArray, b: FloatArray, h: FloatArray, sizes: FloatArray) -> FloatArray:
    """Probit of the accuracies of beta curves."""
    a = np.exp(log_a)
    return probit((1 - h) * np.exp(special.betaln(a + sizes - 1, b) - special.betaln(a, b)) + h / sizes)


# Least variance of a value given the last observed one: keeps divisions finite
_LEAST_VARIANCE = 1e-9
# Posterior weight below which a component changes no quantile
_LEAST_WEIGHT = 1e-5
# Posterior weight from which a kind of curve is worth a sentence: four to one
_LIKELY = 0.8
# Quantiles are looked for within so many standard deviations of the components, in so many halvings
_DEVIATIONS, _HALVINGS = 9.0, 30


@dataclass(frozen=True)
class Posterior:
    """Values beyond the observed ones, given the last: normal for each component.

    Attributes
    ----------
    weight : ndarray of shape (m,)
        Posterior weight of each component.
    kinds : tuple of str
        What each component stands for.
    mean, gain, deviation : ndarray of shape (m, n)
        Mean given the last value that was observed, what it changes with the true last value, and standard deviation.
    log_evidence : float
        Logarithm of the prior mean of the tempered evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.methods import GaussianProcess
    >>> distribution = GaussianProcess().fit_curve(
    ...     [10, 100, 1_000], [0.95, 0.85, 0.70], 5_000
    ... )
    >>> found = distribution.posterior(np.array([10_000.0]))
    >>> found.quantiles([0.025, 0.5, 0.975]).round(1)
    array([[-0.2,  0. ,  0.2]])
    """

    weight: FloatArray
    kinds: tuple[str, ...]
    mean: FloatArray
    gain: FloatArray
    deviation: FloatArray
    log_evidence: float = 0.0

    def cdf(self, z: FloatArray, below: float = 0.0, above: float = 0.0) -> FloatArray:
        r"""Probability of values up to z, shape (n, q).

        The last value is normal with deviation `below` under the observed one, and `above` over it. With Owen's T,
        :math:`\int_{-\infty}^0 \varphi(x)\,\Phi(\alpha + \beta x)\,dx = \Phi(\kappa)/2 - T(\kappa, \beta)`, where
        :math:`\kappa = \alpha / \sqrt{1 + \beta^2}`.
        """
        some = self.weight > _LEAST_WEIGHT
        mean, gain, deviation = (part[some, :, np.newaxis] for part in (self.mean, self.gain, self.deviation))
        out = np.zeros((mean.shape[0], *z.shape))
        for side, spread in ((-1, below), (1, above)):
            if spread == 0:
                out += 0.5 * special.ndtr((z - mean) / deviation)
            elif np.isfinite(spread):
                ratio = gain * spread / deviation
                kappa = (z - mean) / (deviation * np.sqrt(1 + ratio**2))
                out += 0.5 * special.ndtr(kappa) - side * special.owens_t(kappa, ratio)
        return np.asarray(np.einsum("j,jnq->nq", self.weight[some], out))

    def quantiles(self, probability: Sequence[float], below: float = 0.0, above: float = 0.0) -> FloatArray:
        """Quantiles of the values, shape (n, q); infinite where nothing bounds them from above."""
        wanted, open_end = np.array(probability), not np.isfinite(above)
        wide = _DEVIATIONS * self.deviation
        low = (self.mean - wide - _DEVIATIONS * below * self.gain).min(axis=0)[:, np.newaxis]
        high = (self.mean + wide + (0.0 if open_end else _DEVIATIONS * above * self.gain)).max(axis=0)[:, np.newaxis]
        low, high = np.repeat(low, wanted.size, axis=1), np.repeat(high, wanted.size, axis=1)
        beyond = open_end & (wanted >= 0.5)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            under = self.cdf(middle, below, above) < wanted
            low, high = np.where(under, middle, low), np.where(under, high, middle)
        return np.where(beyond, np.inf, 0.5 * (low + high))

    def spread(self, last: float) -> FloatArray:
        """Standard errors of the values, given that of the last one: half of the way between two quantiles.

        They are those that a normal distribution has one standard deviation below and above its mean.
        """
        low, high = self.quantiles([special.ndtr(-1.0), special.ndtr(1.0)], last, last).T
        return np.asarray(0.5 * (high - low))

    def shares(self) -> dict[str, float]:
        """Posterior weight of each kind of curve."""
        return {kind: float(self.weight[[kind == own for own in self.kinds]].sum()) for kind in self.kinds}

    @property
    def departure(self) -> str | None:
        """A sentence on the kind of curve that is most likely, if that is clearly not the first."""
        shares = self.shares()
        usual, (kind, share) = self.kinds[0], max(shares.items(), key=lambda item: item[1])
        if kind == usual or share < _LIKELY:
            return None
        return f"The observed curve is more likely one that {kind} (weight {share:.2f}) than one that {usual}."


class _Fit(NamedTuple):
    """Components at all numbers of classes, and the data in units of their roots."""

    kinds: tuple[str, ...]
    mean: FloatArray
    covariance: FloatArray
    root: FloatArray
    rest: FloatArray
    joint: FloatArray


def mixture_of(parts: Sequence[Posterior], weight: FloatArray, added: float = 0.0) -> Posterior:
    """Return the mixture of posteriors at the same values, with a variance added to each.

    Parameters
    ----------
    parts : sequence of Posterior
        The posteriors.
    weight : ndarray of shape (n_parts,)
        Their weights, which sum to 1.
    added : float
        The variance.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.forecast import Posterior, mixture_of
    >>> parts = [
    ...     Posterior(np.ones(1), ("a",), *np.array([[[m]], [[1.0]], [[1.0]]]))
    ...     for m in (-1.0, 1.0)
    ... ]
    >>> mixture_of(parts, np.array([0.5, 0.5])).quantiles([0.5]).round(3)
    array([[-0.]])
    """
    shares = np.concatenate([own * part.weight for own, part in zip(weight, parts, strict=True)])
    mean, gain, deviation = (
        np.concatenate([getattr(p, name) for p in parts]) for name in ("mean", "gain", "deviation")
    )
    return Posterior(shares, sum((p.kinds for p in parts), ()), mean, gain, np.sqrt(np.square(deviation) + added))


@dataclass(frozen=True)
class CurvePrior:
    """What curves may do, and how much each observed one may say about it.

    Attributes
    ----------
    components : tuple of Component
        The components, with their prior weights.
    temper : float
        Power of the evidence: below 1 where curves are smoother than components allow for, so that the whole evidence
        would overstate what a curve says.

    Raises
    ------
    ValueError
        If there is no component, or the power is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.forecast import CurvePrior, Straight
    >>> prior = CurvePrior(
    ...     (Straight(1.0, slope=-0.5, early=0.0, slope_sd=0.1),), 1.0
    ... )
    >>> sizes, z = np.array([2.0, 20.0, 200.0]), np.array([2.0, 1.5, 1.0])
    >>> ahead = prior.posterior(sizes, z, 1e-6 * np.eye(3), 1.0, np.array([2000.0]))
    >>> ahead.quantiles([0.025, 0.5, 0.975]).round(2)
    array([[0.38, 0.5 , 0.62]])
    """

    components: tuple[Component, ...]
    temper: float = 1.0
    # of all components one after the other
    _weight: ClassVar[FloatArray]
    _kind: ClassVar[list[str]]

    def __post_init__(self) -> None:
        """Check the power."""
        if not self.components:
            raise ValueError("components must hold one or more, but is empty")
        as_positive_float(self.temper, "temper")
        object.__setattr__(self, "_weight", np.concatenate([part.weights for part in self.components]))
        object.__setattr__(self, "_kind", [kind for part in self.components for kind in part.kinds])

    def resembling(self, n_classes: FloatArray, accuracy: FloatArray) -> CurvePrior:
        """Return the prior with one more component, curves like a known one, as likely as all others together."""
        total = float(sum(part.weights.sum() for part in self.components))
        return CurvePrior((*self.components, Related(total, n_classes, accuracy)), self.temper)

    def posterior(
        self, sizes: FloatArray, observed: FloatArray, noise: FloatArray, last: float | None, wanted: FloatArray
    ) -> Posterior:
        """Return what the wanted numbers of classes may have, given observed values.

        Parameters
        ----------
        sizes, observed : ndarray of shape (n,)
            Numbers of classes, rising, and observed values.
        noise : ndarray of shape (n, n)
            Covariance of the observed values.
        last : float or None
            The last value, from which the curve goes on. None for what is added to the last value, as each component
            fits it.
        wanted : ndarray of shape (k,)
            Numbers of classes.
        """
        n, fit = sizes.size, self._fit(sizes, observed, noise, wanted)
        pull = np.linalg.solve(fit.root, fit.covariance[:, :n, n - 1 :])
        centre = fit.mean[:, n - 1 :] + np.einsum("jik,ji->jk", pull, fit.rest)
        # variances with the last observed and the wanted numbers of classes, and covariances of these with the first
        own = np.diagonal(fit.covariance, axis1=1, axis2=2)[:, n - 1 :] - np.square(pull).sum(axis=1)
        own = np.maximum(own, _LEAST_VARIANCE)
        shared = fit.covariance[:, n - 1, n:] - np.einsum("ji,jik->jk", pull[..., 0], pull[..., 1:])
        gain = shared / own[:, :1]
        return Posterior(
            special.softmax(fit.joint),
            fit.kinds,
            centre[:, 1:] - centre[:, :1] if last is None else centre[:, 1:] + gain * (last - centre[:, :1]),
            gain,
            np.sqrt(np.maximum(own[:, 1:] - gain * shared, _LEAST_VARIANCE)),
            float(special.logsumexp(fit.joint)),
        )

    def lines(
        self, sizes: FloatArray, observed: FloatArray, noise: FloatArray, wanted: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the posterior as a linear function of the observed values, for values other than those observed.

        Parameters
        ----------
        sizes, observed, noise, wanted
            As in `posterior`.

        Returns
        -------
        weight, level, gain, deviation : ndarray of shape (m,), (m, k), (m, n, k), (m, k)
            Given observed values z, component j has the weight ``weight[j]``, the mean ``level[j] + z @ gain[j]``, and
            the standard deviation ``deviation[j]``.
        """
        n, fit = sizes.size, self._fit(sizes, observed, noise, wanted)
        pull = np.linalg.solve(fit.root, fit.covariance[:, :n, n:])
        gain = np.linalg.solve(np.swapaxes(fit.root, 1, 2), pull)
        variance = np.diagonal(fit.covariance, axis1=1, axis2=2)[:, n:] - np.square(pull).sum(axis=1)
        level = fit.mean[:, n:] - np.einsum("ji,jik->jk", fit.mean[:, :n], gain)
        return special.softmax(fit.joint), level, gain, np.sqrt(np.maximum(variance, 0.0))

    def _fit(self, sizes: FloatArray, observed: FloatArray, noise: FloatArray, wanted: FloatArray) -> _Fit:
        """Means and covariances of the components, and the evidence of what was observed."""
        n, every = sizes.size, np.concatenate([sizes, wanted])
        parts = [part.processes(every, n, observed[-1]) for part in self.components]
        mean, covariance = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        usable = np.isfinite(mean).all(axis=1) & (self._weight > 0)
        mean, covariance = mean[usable], covariance[usable]
        kinds = tuple(kind for kind, used in zip(self._kind, usable, strict=True) if used)
        root = np.linalg.cholesky(covariance[:, :n, :n] + noise)
        rest = np.linalg.solve(root, (observed - mean[:, :n])[..., np.newaxis])[..., 0]
        evidence = -0.5 * np.square(rest).sum(axis=1) - np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
        joint = np.log(self._weight[usable]) + self.temper * evidence
        return _Fit(kinds, mean, covariance, root, rest, joint)


# Beta curves from flat to all points alike, each with no hopeless points, some, and many
_SHAPES = tuple((b, h) for b in (0.1, 0.4, 1.0, 5.0, 200.0) for h in (0.0, 0.1, 0.4))
#: The mean slope fits the true curves of the domains of ``benchmarks/suite``. The numbers of the slope, and the weights
#: of steep and of beta curves, have the smallest mean interval score there among those that cover at least .93 in every
#: domain. No domain reaches as far as the axis of normal scores matters: its numbers are those of Gaussian scores
ACCURACY_CURVES = CurvePrior(
    (
        Straight(0.74, slope_sd=0.17),
        Straight(0.10, slope_sd=0.4),
        Straight(0.05, slope_sd=0.8),
        Beta(0.06, _SHAPES),
        Straight(
            0.05, slope=-0.8, slope_sd=0.4, length=30.0, early=0.0, axis="normal", kind="falls as normal scores do"
        ),
    )
)
#: Largest number of classes over that of the observed ones for which the suite holds true accuracies
TESTED_REACH = 658


#: numbers of classes and accuracies of one classifier of each field, from ``benchmarks/suite``
CURVES: dict[str, tuple[tuple[int, ...], tuple[float, ...]]] = {
    "word definitions": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 32923),
        (0.993, 0.982, 0.970, 0.953, 0.918, 0.877, 0.823, 0.731, 0.650, 0.564, 0.448, 0.365, 0.238),
    ),
    "software descriptions": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 12000),
        (0.974, 0.927, 0.877, 0.816, 0.721, 0.641, 0.558, 0.450, 0.374, 0.305, 0.228, 0.179, 0.168),
    ),
    "translations": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3094),
        (0.828, 0.696, 0.634, 0.590, 0.546, 0.517, 0.490, 0.451, 0.419, 0.382, 0.356),
    ),
    "names of people and places": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 1381),
        (0.963, 0.923, 0.894, 0.865, 0.823, 0.787, 0.745, 0.679, 0.621, 0.591),
    ),
    "printed characters": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 9000),
        (0.922, 0.814, 0.730, 0.649, 0.544, 0.469, 0.398, 0.313, 0.257, 0.208, 0.154, 0.126),
    ),
    "icons": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3881),
        (0.961, 0.920, 0.887, 0.852, 0.799, 0.754, 0.704, 0.635, 0.581, 0.525, 0.473),
    ),
    "spoken words": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3993),
        (0.962, 0.899, 0.844, 0.783, 0.696, 0.630, 0.566, 0.486, 0.430, 0.379, 0.331),
    ),
    "melodies": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 4000),
        (0.888, 0.770, 0.696, 0.632, 0.556, 0.504, 0.456, 0.399, 0.362, 0.327, 0.290),
    ),
    "proteins": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 5372),
        (0.747, 0.486, 0.339, 0.229, 0.131, 0.084, 0.054, 0.029, 0.018, 0.011, 0.006, 0.005),
    ),
    "diagnoses": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 6800),
        (0.897, 0.833, 0.810, 0.793, 0.771, 0.748, 0.715, 0.655, 0.595, 0.522, 0.413, 0.375),
    ),
    "chemical compounds": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000),
        (0.994, 0.981, 0.964, 0.939, 0.890, 0.839, 0.777, 0.679, 0.597, 0.511, 0.398, 0.317),
    ),
    "source code": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 8000),
        (0.993, 0.984, 0.977, 0.968, 0.955, 0.940, 0.921, 0.886, 0.850, 0.804, 0.727, 0.681),
    ),
    "players": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 4634),
        (0.912, 0.766, 0.643, 0.518, 0.366, 0.269, 0.191, 0.119, 0.081, 0.053, 0.031),
    ),
}


def related_curve(like: Any) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of classes, rising, and the accuracies of a curve.

    Parameters
    ----------
    like : str, pair of array_like, or object with the attributes n_classes and accuracy
        A name of `CURVES`, or a curve.

    Raises
    ------
    TypeError, ValueError
        If it is none of these, or holds fewer than two numbers of classes.

    Examples
    --------
    >>> from classex.forecast import related_curve
    >>> related_curve(([100, 10], [0.5, 0.8]))
    (array([ 10., 100.]), array([0.8, 0.5]))
    """
    if isinstance(like, str):
        like = CURVES[one_of(like, "like", tuple(CURVES))]
    columns = (like.n_classes, like.accuracy) if hasattr(like, "accuracy") and hasattr(like, "n_classes") else like
    try:
        sizes, accuracy = columns
    except (TypeError, ValueError):
        raise TypeError(f"like must be a curve, a pair (n_classes, accuracy) or a name, not {like!r:.60}") from None
    k, value = as_class_counts(sizes, "like"), np.atleast_1d(as_probabilities(accuracy, "like"))
    if k.shape != value.shape or np.unique(k[k > 1]).size < 2:
        raise ValueError(f"like must hold an accuracy for each of two or more numbers of classes, not {value.size}")
    order = np.argsort(k, kind="stable")
    order = order[k[order] > 1]
    return k[order], value[order]
