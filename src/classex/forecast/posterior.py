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
from typing import NamedTuple

import numpy as np
from scipy import special

from classex._types import FloatArray
from classex._validation import as_positive_float
from classex.forecast.components import Component, Related

__all__ = ["CurvePrior", "Posterior", "mixture_of"]


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

    def __post_init__(self) -> None:
        """Check the power."""
        if not self.components:
            raise ValueError("components must hold one or more, but is empty")
        as_positive_float(self.temper, "temper")

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
        weight = np.concatenate([part.weights for part in self.components])
        usable = np.isfinite(mean).all(axis=1) & (weight > 0)
        mean, covariance = mean[usable], covariance[usable]
        kinds = np.array([kind for part in self.components for kind in part.kinds])[usable]
        root = np.linalg.cholesky(covariance[:, :n, :n] + noise)
        rest = np.linalg.solve(root, (observed - mean[:, :n])[..., np.newaxis])[..., 0]
        evidence = -0.5 * np.square(rest).sum(axis=1) - np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
        joint = np.log(weight[usable]) + self.temper * evidence
        return _Fit(tuple(kinds.tolist()), mean, covariance, root, rest, joint)
