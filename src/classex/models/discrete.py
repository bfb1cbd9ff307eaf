"""Models with finitely many favourabilities: random codes, identifiable points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, log, log1p
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import gammaln

from classex._checks import as_finite_array, as_positive_int, as_probability
from classex._types import FloatArray
from classex.models.base import LadderModel, Model, as_point_sets

__all__ = []


# bits of the received words that `class_accuracies` enumerates: a million words
_MOST_BITS = 20


@dataclass(frozen=True)
class RandomCode(LadderModel):
    r"""k random codewords of n fair bits; a channel flips each bit of the sent word with probability epsilon.

    The rule decodes to the nearest codeword in Hamming distance, which is the Bayes rule; ties are broken at
    random. A wrong codeword lies at distance Binomial(n, 1/2) from anything received, the right one at
    distance Binomial(n, epsilon), so every average is a sum over n + 1 distances.

    Parameters
    ----------
    length : int
        Block length n.
    crossover : float
        Probability epsilon that a bit is flipped, strictly between 0 and 1/2.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Source: thesis section 1.5.

    Examples
    --------
    >>> from classex.models import RandomCode
    >>> code = RandomCode(length=31, crossover=0.1)
    >>> round(code.average_accuracy(2**10), 3)
    0.957
    """

    length: int = 31
    crossover: float = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", as_positive_int(self.length, "length"))
        object.__setattr__(self, "crossover", as_probability(self.crossover, "crossover", open_ends=True))
        if self.crossover >= 0.5:
            raise ValueError(f"crossover must be a number strictly between 0 and 1/2, not {self.crossover!r}")

    @property
    def capacity(self) -> float:
        r"""Capacity of the channel, :math:`\log 2 - H(\varepsilon)`, in nats per bit sent."""
        e = self.crossover
        return log(2) + e * log(e) + (1 - e) * log1p(-e)

    def information(self) -> float:
        """Mutual information n times the capacity, exact, in nats."""
        return self.length * self.capacity

    def average_accuracy_at_rate(self, rate: ArrayLike) -> Any:
        r"""Average accuracy of :math:`k = e^{n \cdot \mathrm{rate}}` codewords, for any k, whole or not.

        Parameters
        ----------
        rate : float or array_like
            Rate :math:`(\log k)/n` in nats per bit sent, at least 0; k itself is never formed.

        Returns
        -------
        float or ndarray
            Probability that the nearest codeword is the one sent.
        """
        r = as_finite_array(np.atleast_1d(rate), "rate", ndim=1, dtype=np.float64)
        if (r < 0).any():
            raise ValueError(f"rate must be at least 0 nats, not {r[r < 0][0]}")
        value = np.clip(self._accuracy_at(r * self.length), 0.0, 1.0)
        return float(value[0]) if np.ndim(rate) == 0 else value

    def scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """Minus the Hamming distance of each received word to each codeword, shape (n_test, k)."""
        y, x = as_point_sets(points, references, self.length)
        return np.asarray(-cdist(y, x, "cityblock"))

    def class_accuracies(self, references: ArrayLike) -> FloatArray:
        """Pr[decoded correctly | codeword i sent, this code], by enumeration of all received words.

        Parameters
        ----------
        references : array_like of shape (k, n)
            The codewords, entries 0 and 1; n at most 20.

        Returns
        -------
        ndarray of shape (k,)
            Probabilities; their mean is the Bayes accuracy of this code.
        """
        x = as_finite_array(references, "references", ndim=2, dtype=np.float64)
        if x.shape[1] != self.length or not np.isin(x, (0.0, 1.0)).all():
            raise ValueError(f"references must hold 0 and 1 in {self.length} columns, but has shape {x.shape}")
        if self.length > _MOST_BITS:
            raise ValueError(
                f"class_accuracies enumerates received words: length must be at most 20, not {self.length}"
            )
        word = x.astype(np.int64) @ (1 << np.arange(self.length))
        distance = np.bitwise_count(word[:, np.newaxis] ^ np.arange(1 << self.length))
        nearest = distance == distance.min(axis=0)
        flips = np.arange(self.length + 1.0)
        chance = self.crossover**flips * (1 - self.crossover) ** (self.length - flips)
        return np.asarray((nearest * chance[distance]) @ (1.0 / nearest.sum(axis=0)))

    @cached_property
    def _ladder(self) -> tuple[FloatArray, FloatArray]:
        n, h = self.length, np.arange(self.length + 1.0)
        log_ways = gammaln(n + 1) - gammaln(h + 1) - gammaln(n - h + 1)
        return log_ways - n * log(2), log_ways + h * log(self.crossover) + (n - h) * log1p(-self.crossover)

    def _draw(self, k: int, r: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        words = rng.integers(0, 2, size=(k, self.length))
        flips = rng.random((k * r, self.length)) < self.crossover
        return (np.repeat(words, r, axis=0) ^ flips).astype(np.float64), words.astype(np.float64)


# mark of the classes that look alike; the unmistakable ones have marks in [0, 1)
_ALIKE = -1.0


@dataclass(frozen=True)
class PartlyIdentifiable(Model):
    r"""A class is unmistakable with probability `share`; all the others look exactly the same.

    With m unmistakable classes among k, the Bayes accuracy is :math:`(m + 1\{m < k\})/k`, m binomial. At
    share 1/2 its variance attains the bound 1/(4k) as k grows.

    Parameters
    ----------
    share : float
        Probability q that a class is unmistakable, strictly between 0 and 1.

    Raises
    ------
    ValueError
        If `share` is not strictly between 0 and 1.

    Examples
    --------
    >>> from classex.models import PartlyIdentifiable
    >>> PartlyIdentifiable(share=0.5).average_accuracy([2, 10]).round(4)
    array([0.875 , 0.5999])
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", as_probability(self.share, "share", open_ends=True))

    def scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """0 where the mark of the class equals that of the test point, -1 elsewhere, shape (n_test, k)."""
        y, x = as_point_sets(points, references, 1)
        return np.where(y == x[:, 0], 0.0, -1.0)

    def class_accuracies(self, references: ArrayLike) -> FloatArray:
        """Pr[the Bayes rule is right | class i, these classes]: 1 if unmistakable, else 1 over the number alike."""
        mark = as_finite_array(np.ravel(references), "references", ndim=1)
        alike = mark == _ALIKE
        return np.where(alike, 1.0 / max(int(alike.sum()), 1), 1.0)

    def bayes_accuracy_variance(self, n_classes: int) -> float:
        r"""Variance of the Bayes accuracy over random class sets, in closed form.

        With :math:`B = m + 1\{m < k\}`: :math:`[k q (1-q) + q^k (1 - q^k) - 2 k q^k (1 - q)]/k^2`.
        """
        k = int(n_classes)
        q, all_of_them = self.share, self.share**k
        return (k * q * (1 - q) + all_of_them * (1 - all_of_them) - 2 * k * all_of_them * (1 - q)) / k**2

    def information(self) -> float:
        """Infinite: an unmistakable class carries a mark from a continuum."""
        return inf

    def _draw(self, k: int, r: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        mark = np.where(rng.random(k) < self.share, rng.random(k), _ALIKE)[:, np.newaxis]
        return np.repeat(mark, r, axis=0), mark

    def _average_accuracy(self, k: FloatArray) -> FloatArray:
        none_alike = np.exp(k * log1p(self.share - 1))
        return self.share + (1 - none_alike) / k

    def _discriminability(self, u: FloatArray) -> FloatArray:
        return np.maximum(u - self.share, 0.0)
