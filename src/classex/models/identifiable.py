"""The extreme case of the variance bound: a class is either unmistakable or like all others."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log1p

import numpy as np
from numpy.typing import ArrayLike

from classex._types import FloatArray
from classex._validation import as_finite_array, as_probability
from classex.models._base import Model, as_point_sets

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
