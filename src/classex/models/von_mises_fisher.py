"""Classes on a sphere: embeddings of unit length around random directions, as face recognition makes them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv, betaln, expit, gammaln, hyp0f1, ive

from classex._validation import as_positive_float, as_positive_int, as_probability, one_of
from classex.models._base import FavourabilityTable, Model, as_point_sets

__all__ = ["VonMisesFisherClasses"]

_MOST_FEATURES = 2048  # beyond, a Bessel function underflows
_NEGLIGIBLE = 75.0  # e-folds below the peak of a density at which it is cut off
_STEPS = 4000
_NODES = 200
_LARGEST = 1 - 2.0**-53  # keeps the logarithm of a favourability that rounds to zero finite
_SERIES = 300.0  # below it the function itself does not overflow

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class VonMisesFisherClasses(Model):
    r"""Classes on the sphere: mean directions uniform, embeddings von Mises-Fisher around them.

    An embedding x of a class with mean direction m has density proportional to
    :math:`\exp(\kappa\, m^\top x)` on the unit sphere in p dimensions. With ``stored="example"`` the reference of
    a class is one of its embeddings (one photograph of a face); with ``stored="centroid"`` it is m itself. The
    score is the inner product s of test point and reference, so the rule is "nearest reference".

    Seen from any test point, the reference of a wrong class is uniform on the sphere. So the favourability
    depends on s alone, :math:`U^* = I_{(1+s)/2}(a, a)`, the Beta distribution function with
    :math:`a = (p-1)/2`. The own reference has the likelihood ratio

    .. math:: g(s) = \frac{{}_0F_1\bigl(\tfrac p2; \tfrac{\kappa^2 (1+s)}{2}\bigr)}{{}_0F_1\bigl(\tfrac p2;
              \tfrac{\kappa^2}{4}\bigr)^2} \quad\text{(example)}, \qquad
              g(s) = \frac{e^{\kappa s}}{{}_0F_1(\tfrac p2; \tfrac{\kappa^2}{4})} \quad\text{(centroid)}

    against a wrong one, increasing in s, so the rule is the Bayes rule given the references, and every
    quantity is one integral over s.

    Parameters
    ----------
    n_features : int
        Dimension p of the space, from 2 to 2048; the sphere has p - 1.
    concentration : float
        Concentration :math:`\kappa` of a class, greater than 0.
    stored : {"example", "centroid"}
        What the classifier knows of each class.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Made for the protocol of the journal version's Table 2 (faces, 128 features, one stored photograph); the
    model itself is not in the sources. `calibrated` finds the concentration that gives a certain accuracy.

    Examples
    --------
    >>> from classex.models import VonMisesFisherClasses
    >>> VonMisesFisherClasses(n_features=128, concentration=93.17).average_accuracy(
    ...     [100, 1672]
    ... ).round(3)
    array([0.758, 0.43 ])
    """

    n_features: int = 128
    concentration: float = 93.0
    stored: str = "example"

    def __post_init__(self) -> None:
        p = as_positive_int(self.n_features, "n_features", minimum=2, maximum=_MOST_FEATURES)
        object.__setattr__(self, "n_features", p)
        object.__setattr__(self, "concentration", as_positive_float(self.concentration, "concentration"))
        one_of(self.stored, "stored", ("example", "centroid"))

    @classmethod
    def calibrated(cls, accuracy: float, n_classes: int, *, n_features: int = 128, stored: str = "example") -> Self:
        """Return the model whose average accuracy with `n_classes` classes is `accuracy`.

        Parameters
        ----------
        accuracy : float
            Average accuracy wanted, greater than chance and less than 1.
        n_classes : int
            Number of classes, at least 2.
        n_features, stored
            As for the class.

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
            model = cls(n_features, float(np.exp(log_concentration)), stored)
            return float(model.average_accuracy(k)) - target

        high = 0.0
        while excess(high) < 0:
            high += 1.0
        return cls(n_features, float(np.exp(brentq(excess, -20.0, high, xtol=1e-12))), stored)

    @property
    def _a(self) -> float:
        return (self.n_features - 1) / 2

    def scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """Inner product of each test point with each reference, shape (n_test, k)."""
        y, x = as_point_sets(points, references, self.n_features)
        product: FloatArray = y @ x.T
        return product

    def information(self) -> float:
        """Mutual information between a reference and a test point of its class, exact, in nats."""
        x, weight = self._grid
        return float(weight @ self._log_ratio(expit(x)))

    def _log_ratio(self, q: FloatArray) -> FloatArray:
        """Logarithm of g(s) at s = 1 - 2 q."""
        kappa, half = self.concentration, self.n_features / 2
        norm = _log_hyp0f1(half, np.array([kappa**2 / 4]))[0]
        if self.stored == "centroid":
            ratio: FloatArray = kappa * (1 - 2 * q) - norm
        else:
            ratio = _log_hyp0f1(half, kappa**2 * (1 - q)) - 2 * norm
        return ratio

    def _log_density(self, x: FloatArray) -> FloatArray:
        """Log density of x = logit q, q = (1 - s)/2, s the inner product with the own reference."""
        # log q(1 - q) without loss where q is close to 0 or 1
        spread = -np.abs(x) - 2 * np.log1p(np.exp(-np.abs(x)))
        value: FloatArray = self._log_ratio(expit(x)) + self._a * spread - betaln(self._a, self._a)
        return value

    @cached_property
    def _range(self) -> tuple[float, float]:
        """Ends of the interval of x outside of which the density of the own inner product is nothing."""
        reach = 2 * _NEGLIGIBLE / self._a + 2 * np.log(self.concentration + 2) + 20
        low, high = -reach, reach
        for _ in range(4):
            x = np.linspace(low, high, 4001)
            density = self._log_density(x)
            kept = x[density > density.max() - _NEGLIGIBLE]
            low, high = max(low, kept[0] - (x[1] - x[0])), min(high, kept[-1] + (x[1] - x[0]))
        return low, high

    @cached_property
    def _grid(self) -> tuple[FloatArray, FloatArray]:
        """Trapezoid nodes x and weights for expectations over the own inner product."""
        x = np.linspace(*self._range, _STEPS)
        return x, np.exp(self._log_density(x)) * (x[1] - x[0])

    @cached_property
    def _table(self) -> FavourabilityTable:
        x, weight = self._grid
        return FavourabilityTable(self._log_favourability(expit(x)), weight)

    def _log_favourability(self, q: FloatArray) -> FloatArray:
        beaten = betainc(self._a, self._a, q)
        value: FloatArray = np.log1p(-np.minimum(beaten, _LARGEST))
        return value

    def _average_accuracy(self, k: FloatArray) -> FloatArray:
        return self._table.moment(k - 1)

    def _discriminability(self, u: FloatArray) -> FloatArray:
        # over the angle between test point and own reference, q = sin^2(angle / 2), where nothing is singular
        low, high = (2 * np.arctan(np.exp(x / 2)) for x in self._range)
        start = 2 * np.arcsin(np.sqrt(betaincinv(self._a, self._a, 1 - u)))
        start = np.clip(start, low, high)[..., np.newaxis]
        node, weight = np.polynomial.legendre.leggauss(_NODES)
        half = (high - start) / 2
        angle = start + half * (node + 1)
        density = np.exp(self._log_density(2 * np.log(np.tan(angle / 2)))) * 2 / np.sin(angle)
        value: FloatArray = (density * half) @ weight
        return value

    def _draw(self, k: int, r: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        mean = rng.standard_normal((k, self.n_features))
        mean /= np.linalg.norm(mean, axis=1, keepdims=True)
        points = self._around(np.repeat(mean, r, axis=0), rng)
        return points, self._around(mean, rng) if self.stored == "example" else mean

    def _around(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """One embedding around each mean direction."""
        t = self._draw_cosine(mean.shape[0], rng)[:, np.newaxis]
        side = rng.standard_normal(mean.shape)
        side -= (side * mean).sum(axis=1, keepdims=True) * mean
        side /= np.linalg.norm(side, axis=1, keepdims=True)
        point: FloatArray = t * mean + np.sqrt((1 - t) * (1 + t)) * side
        return point

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

    def _draw_log_favourability(self, n: int, rng: np.random.Generator) -> FloatArray:
        s = self._draw_cosine(n, rng)
        if self.stored == "example":
            other = self._draw_cosine(n, rng)
            # between the parts of the two embeddings across the mean lies a uniform angle of one dimension less
            side = self._draw_side(n, rng)
            s = s * other + np.sqrt((1 - s**2) * (1 - other**2)) * side
        return self._log_favourability(np.clip((1 - s) / 2, 0.0, 1.0))

    def _draw_side(self, n: int, rng: np.random.Generator) -> FloatArray:
        m = self.n_features - 1
        if m == 1:
            return rng.choice([-1.0, 1.0], size=n)
        return 2 * rng.beta((m - 1) / 2, (m - 1) / 2, n) - 1


def _log_hyp0f1(b: float, z: FloatArray) -> FloatArray:
    r"""Logarithm of :math:`{}_0F_1(b; z)`, which is :math:`\Gamma(b) z^{(1-b)/2} I_{b-1}(2\sqrt z)`, for z >= 0."""
    small = z < _SERIES * b
    out: Any = np.empty_like(z)
    out[small] = np.log(hyp0f1(b, z[small]))
    root = np.sqrt(z[~small])
    out[~small] = np.log(ive(b - 1, 2 * root)) + 2 * root + gammaln(b) - (b - 1) * np.log(root)
    value: FloatArray = out
    return value
