"""Classes on a sphere: embeddings of unit length around random directions, as face recognition makes them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import make_interp_spline
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv, betaln, expit, gammaln, hyp0f1, ive, log_expit, logit

from classex._checks import as_positive_float, as_positive_int, as_probability
from classex._types import FloatArray
from classex.models.base import Model, as_point_sets, expected_power, log_favourability

# beyond, a Bessel function underflows
_MOST_FEATURES = 2048
# e-folds below the peak of a density at which it is cut off
_NEGLIGIBLE = 75.0
# nodes of the trapezoid rule: half as many change averages by less than 1e-11
_STEPS = 4000
# 0F1(b; z) up to z = 300 b does not overflow
_SERIES = 300.0


@dataclass(frozen=True)
class VonMisesFisherClasses(Model):
    r"""Classes on the sphere: mean directions uniform, embeddings von Mises-Fisher around them.

    An embedding x of a class with mean direction m has density proportional to
    :math:`\exp(\kappa\, m^\top x)` on the unit sphere in p dimensions. The reference of a class is one of its
    embeddings (one photograph of a face). The score is the inner product s of test point and reference, so the rule
    is "nearest reference".

    Given any test point, the reference of a wrong class is uniform on the sphere. So the favourability
    depends on s alone, :math:`U^* = I_{(1+s)/2}(a, a)`, the Beta distribution function with
    :math:`a = (p-1)/2`. The reference of the correct class has the likelihood ratio

    .. math:: g(s) = \frac{{}_0F_1\bigl(\tfrac p2; \tfrac{\kappa^2 (1+s)}{2}\bigr)}{{}_0F_1\bigl(\tfrac p2;
              \tfrac{\kappa^2}{4}\bigr)^2}

    against a wrong one, increasing in s, so the rule is the Bayes rule given the references, and every
    quantity is one integral over s.

    Parameters
    ----------
    n_features : int
        Dimension p of the space, from 2 to 2048; the sphere has p - 1.
    concentration : float
        Concentration :math:`\kappa` of a class, greater than 0.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Made for the protocol of the journal version's Table 2 (faces, 128 features, one stored photograph); the
    model itself is not in the sources. `calibrated` finds the concentration for a given accuracy.

    Examples
    --------
    >>> from classex_book.models import VonMisesFisherClasses
    >>> VonMisesFisherClasses(n_features=128, concentration=93.17).average_accuracy(
    ...     [100, 1672]
    ... ).round(3)
    array([0.758, 0.43 ])
    """

    n_features: int = 128
    concentration: float = 93.0

    def __post_init__(self) -> None:
        p = as_positive_int(self.n_features, "n_features", minimum=2, maximum=_MOST_FEATURES)
        object.__setattr__(self, "n_features", p)
        object.__setattr__(self, "concentration", as_positive_float(self.concentration, "concentration"))

    @classmethod
    def calibrated(cls, accuracy: float, n_classes: int, *, n_features: int = 128) -> Self:
        """Return the model whose average accuracy with `n_classes` classes is `accuracy`.

        Parameters
        ----------
        accuracy : float
            Average accuracy wanted, greater than chance and less than 1.
        n_classes : int
            Number of classes, at least 2.
        n_features : int
            Dimension of the space.

        Returns
        -------
        VonMisesFisherClasses
            The model.

        Raises
        ------
        ValueError
            If the accuracy is not above chance, or an argument is out of range.
        """
        target = as_probability(accuracy, "accuracy", open_ends=True)
        k = as_positive_int(n_classes, "n_classes", minimum=2)
        if target <= 1 / k:
            raise ValueError(f"accuracy must be greater than chance, 1/{k}, not {accuracy!r}")

        def excess(log_concentration: float) -> float:
            model = cls(n_features, float(np.exp(log_concentration)))
            return float(model.average_accuracy(k)) - target

        high = 0.0
        while excess(high) < 0:
            high += 1.0
        return cls(n_features, float(np.exp(brentq(excess, -20.0, high, xtol=1e-12))))

    @property
    def _a(self) -> float:
        return (self.n_features - 1) / 2

    def scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """Inner product of each test point with each reference, shape (n_test, k)."""
        y, x = as_point_sets(points, references, self.n_features)
        return np.asarray(y @ x.T)

    def information(self) -> float:
        """Mutual information between a reference and a test point of its class, exact, in nats."""
        x, weight = self._grid
        return float(weight @ self._log_ratio(expit(x)))

    def _log_ratio(self, q: FloatArray) -> FloatArray:
        """Logarithm of g(s) at s = 1 - 2 q."""
        kappa, half = self.concentration, self.n_features / 2
        norm = _log_hyp0f1(half, np.array([kappa**2 / 4]))[0]
        return np.asarray(_log_hyp0f1(half, kappa**2 * (1 - q)) - 2 * norm)

    def _log_density(self, x: FloatArray) -> FloatArray:
        """Log density of x = logit q, q = (1 - s)/2, s the inner product with the reference of the correct class."""
        spread = log_expit(x) + log_expit(-x)
        return np.asarray(self._log_ratio(expit(x)) + self._a * spread - betaln(self._a, self._a))

    @cached_property
    def _grid(self) -> tuple[FloatArray, FloatArray]:
        """Trapezoid nodes x and weights, on the interval outside of which the density is negligible."""
        high = 2 * _NEGLIGIBLE / self._a + 2 * np.log(self.concentration + 2) + 20
        low = -high
        for _ in range(5):
            x = np.linspace(low, high, _STEPS)
            log_density = self._log_density(x)
            kept = np.flatnonzero(log_density > log_density.max() - _NEGLIGIBLE)
            low, high = x[max(kept[0] - 1, 0)], x[min(kept[-1] + 1, _STEPS - 1)]
        return x, np.exp(log_density) * (x[1] - x[0])

    def _average_accuracy(self, k: FloatArray) -> FloatArray:
        x, weight = self._grid
        return expected_power(log_favourability(betainc(self._a, self._a, expit(x))), weight, k)

    def _discriminability(self, u: FloatArray) -> FloatArray:
        x, weight = self._grid
        integral = make_interp_spline(x, weight / (x[1] - x[0]), k=5).antiderivative()
        start = np.clip(logit(betaincinv(self._a, self._a, 1 - u)), x[0], x[-1])
        return np.asarray(integral(x[-1]) - integral(start))

    def _draw(self, k: int, r: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        mean = rng.standard_normal((k, self.n_features))
        mean /= np.linalg.norm(mean, axis=1, keepdims=True)
        points = self._around(np.repeat(mean, r, axis=0), rng)
        return points, self._around(mean, rng)

    def _around(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """One embedding around each mean direction."""
        t = self._draw_cosine(mean.shape[0], rng)[:, np.newaxis]
        side = rng.standard_normal(mean.shape)
        side -= (side * mean).sum(axis=1, keepdims=True) * mean
        side /= np.linalg.norm(side, axis=1, keepdims=True)
        return np.asarray(t * mean + np.sqrt((1 - t) * (1 + t)) * side)

    def _draw_cosine(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Inner products of embeddings with their mean direction, by the rejection sampler of Wood (1994)."""
        m, kappa = self.n_features - 1, self.concentration
        b = m / (2 * kappa + np.sqrt(4 * kappa**2 + m**2))
        x0 = (1 - b) / (1 + b)
        peak = kappa * x0 + m * np.log1p(-(x0**2))
        out = np.empty(n)
        open_ = np.arange(n)
        while open_.size:
            z = rng.beta(m / 2, m / 2, open_.size)
            t = (1 - (1 + b) * z) / (1 - (1 - b) * z)
            good = kappa * t + m * np.log1p(-x0 * t) - peak >= np.log(rng.random(open_.size))
            out[open_[good]] = t[good]
            open_ = open_[~good]
        return out


def _log_hyp0f1(b: float, z: FloatArray) -> FloatArray:
    r"""Logarithm of :math:`{}_0F_1(b; z)`, which is :math:`\Gamma(b) z^{(1-b)/2} I_{b-1}(2\sqrt z)`, for z >= 0."""
    root = np.sqrt(np.maximum(z, _SERIES * b))
    large = np.log(ive(b - 1, 2 * root)) + 2 * root + gammaln(b) - (b - 1) * np.log(root)
    return np.asarray(np.where(z < _SERIES * b, np.log(hyp0f1(b, np.minimum(z, _SERIES * b))), large))
