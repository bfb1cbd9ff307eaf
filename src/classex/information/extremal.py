"""The channel that attains the accuracy ceiling: its density, its exact accuracy, and draws from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from classex._kernels.information import ceiling, extremal_exponent
from classex._types import FloatArray
from classex._validation import (
    as_finite_array,
    as_generator,
    as_positive_float,
    as_positive_int,
    as_probabilities,
    broadcast,
)
from classex.information.accuracy import MOST_CLASSES, as_information_and_counts, shaped

__all__ = ["ExtremalChannel", "extremal_density"]


# above this concentration the rejection sampler leaves out an event of probability below 1e-21
_LARGE = 100.0
# the density at t = 1 is about exp(information + 1), which overflows at 709
_MOST_INFORMATION = 700.0


def extremal_density(t: ArrayLike, information: ArrayLike, n_classes: ArrayLike) -> Any:
    r"""Density :math:`Q_c(t) = \exp(c\,t^{k-1}) / \int_0^1 \exp(c\,s^{k-1})\,ds` that attains the ceiling.

    Parameters
    ----------
    t : array_like
        Points in [0, 1].
    information : array_like
        :math:`\int Q_c \log Q_c` in nats, which fixes c; from 0 to 700.
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15.

    Returns
    -------
    float or ndarray
        Density at t; a float if all arguments are scalars.

    Raises
    ------
    ValueError
        If a t lies outside [0, 1], information outside [0, 700], k is below 2 or not whole, or the shapes do
        not broadcast.

    Notes
    -----
    Source: thesis theorem 4.3.1.

    Examples
    --------
    >>> from classex.information import extremal_density
    >>> [round(float(q), 4) for q in extremal_density([0.0, 0.5, 1.0], 1.0, 2)]
    [0.0047, 0.1865, 7.3542]
    """
    points = as_probabilities(t, "t")
    nats, m, shape = as_information_and_counts(information, n_classes)
    if (nats > _MOST_INFORMATION).any():
        raise ValueError(f"information must be at most {_MOST_INFORMATION:.0f} nats, not {nats.max()}")
    log_c = ceiling(nats, m)[2].reshape(shape)
    points, log_c, m = broadcast(t=points, information=log_c, n_classes=m.reshape(shape))
    exponent, log_normaliser = extremal_exponent(points.flatten(), log_c.flatten(), m.flatten())
    return shaped(np.exp(exponent - log_normaliser), points.shape)


@dataclass(frozen=True)
class ExtremalChannel:
    r"""The joint distribution of (X, Y) with the largest average Bayes accuracy that its information allows.

    X is uniform on [0, 1], and Y given X = x has the density Q_c((y - x) mod 1). Both marginals are uniform. With k
    classes drawn at random, the Bayes rule picks the class with the largest (y - x) mod 1, and is right with
    probability exactly :math:`C_k(\iota)`.

    Parameters
    ----------
    information : float
        Mutual information :math:`\iota` in nats, greater than 0 and at most 700.
    n_classes : int
        Number of classes k for which the channel is extremal, at least 2.

    Attributes
    ----------
    concentration : float
        The c of :math:`Q_c`.
    average_bayes_accuracy : float
        :math:`C_k(\iota)`, its exact average Bayes accuracy with k classes.

    Raises
    ------
    ValueError
        If information is not positive and finite or above 700 nats, or k is below 2.

    Notes
    -----
    Source: thesis section 4.3.3 (the density corrected, see the errata page).

    Examples
    --------
    >>> from classex.information import ExtremalChannel
    >>> channel = ExtremalChannel(information=2.0, n_classes=100)
    >>> round(channel.average_bayes_accuracy, 6)
    0.433076
    >>> x, y = channel.sample(3, rng=0)
    >>> x.shape, y.shape
    ((3,), (3,))
    """

    information: float
    n_classes: int
    concentration: float = field(init=False)
    average_bayes_accuracy: float = field(init=False)

    def __post_init__(self) -> None:
        nats = as_positive_float(self.information, "information")
        if nats > _MOST_INFORMATION:
            raise ValueError(f"information must be at most {_MOST_INFORMATION:.0f} nats, not {nats}")
        k = as_positive_int(self.n_classes, "n_classes", minimum=2, maximum=MOST_CLASSES)
        accuracy, _, log_c = ceiling(np.array([nats]), np.array([k - 1.0]))
        object.__setattr__(self, "information", nats)
        object.__setattr__(self, "n_classes", k)
        object.__setattr__(self, "concentration", float(np.exp(log_c[0])))
        object.__setattr__(self, "average_bayes_accuracy", float(accuracy[0]))

    def density(self, t: ArrayLike) -> Any:
        """Density of the offset (Y - X) mod 1, shape of t; the conditional density of Y given X = x at x + t."""
        return extremal_density(t, self.information, self.n_classes)

    def sample(self, size: int, *, rng: Any = None) -> tuple[FloatArray, FloatArray]:
        """Draw independent pairs: x of shape (size,), uniform, and y of shape (size,) given x."""
        generator = as_generator(rng)
        x = generator.random(as_positive_int(size, "size"))
        return x, self.respond(x, rng=generator)

    def respond(self, x: ArrayLike, *, rng: Any = None) -> FloatArray:
        """Draw one y given every x; x of any shape, in [0, 1], and y of the same shape, in [0, 1)."""
        classes = as_finite_array(np.ravel(x), "x", ndim=1, dtype=np.float64)
        draw = self._draw_by_rejection if self.concentration > _LARGE else self._draw_from_mixture
        return np.asarray(np.mod(classes + draw(classes.size, as_generator(rng)), 1.0).reshape(np.shape(x)))

    def scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """Offset (y - x) mod 1 of every test point y (n_test,) from every class x (k,): shape (n_test, k).

        A monotone function of the conditional density of y given x, so its largest entry is the Bayes rule.
        """
        y = as_finite_array(points, "points", ndim=1, dtype=np.float64)
        x = as_finite_array(references, "references", ndim=1, dtype=np.float64)
        return np.asarray(np.mod(y[:, np.newaxis] - x, 1.0))

    def _draw_from_mixture(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Q_c is the mixture of the densities (1 + m j) t^(m j) with weights c^j / (j! (1 + m j))."""
        m = self.n_classes - 1
        j = np.arange(int(self.concentration + 12 * np.sqrt(self.concentration)) + 60)
        weight = special.softmax(j * np.log(self.concentration) - special.gammaln(j + 1) - np.log1p(m * j))
        component = rng.choice(j, size=n, p=weight)
        return np.asarray(rng.random(n) ** (1.0 / (1.0 + m * component)))

    def _draw_by_rejection(self, n: int, rng: np.random.Generator) -> FloatArray:
        """S = 1 - T^m has a density proportional to exp(-c s) (1-s)^(1/m - 1), drawn for s < 1/2."""
        m = self.n_classes - 1
        offsets = np.empty(0)
        while offsets.size < n:
            s = rng.exponential(1.0 / self.concentration, size=2 * n + 10)
            s = s[s < 0.5]
            keep = rng.random(s.size) * 2.0 ** (1.0 - 1.0 / m) < (1.0 - s) ** (1.0 / m - 1.0)
            offsets = np.append(offsets, np.exp(np.log1p(-s[keep]) / m))
        return offsets[:n]
