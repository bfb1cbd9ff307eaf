"""Baselines of biometrics: rank-one rate linear in the logarithm of the gallery; miss rates that grow as a power."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

import classex as cx
from classex import CorrectRanks

FloatArray = NDArray[np.float64]
POINTS = 14  # sizes from 2 to k1, geometrically spaced; the line is fitted to the upper half of them


class _Line:
    """A straight line by least squares through transformed observed accuracies against log K."""

    needs_scores = False

    def fit(self, scores: ArrayLike, labels: ArrayLike) -> Self:
        """Fit on a matrix of scores; only ranks are used."""
        return self.fit_ranks(cx.correct_ranks(scores, labels))

    def fit_ranks(self, ranks: CorrectRanks) -> Self:
        """Fit on ranks of the correct labels."""
        sizes = np.unique(np.rint(np.geomspace(2, ranks.n_classes, POINTS)).astype(int))
        half = sizes[sizes >= np.sqrt(2 * sizes[-1])]
        # half an error where none was seen
        accuracy = np.minimum(cx.accuracy_curve(ranks, half).accuracy, 1 - 0.5 / ranks.labels.size)
        self.slope_, self.constant_ = np.polyfit(np.log(half), self._ordinate(accuracy), 1)
        return self

    def _ordinate(self, accuracy: FloatArray) -> FloatArray:
        raise NotImplementedError


class LogLinear(_Line):
    """Accuracy linear in log K (Friedman et al. 2022), from the upper half of the observed curve."""

    def _ordinate(self, accuracy: FloatArray) -> FloatArray:
        return accuracy

    def predict(self, n_classes: ArrayLike) -> FloatArray:
        """Return the line at every number of classes, kept between 0 and 1."""
        return np.clip(self.constant_ + self.slope_ * np.log(np.asarray(n_classes, dtype=float)), 0, 1)


class PowerLaw(_Line):
    """Miss rate a N^b, as test reports of face recognition fit it, from the upper half of the observed curve."""

    def _ordinate(self, accuracy: FloatArray) -> FloatArray:
        return np.log1p(-accuracy)

    def predict(self, n_classes: ArrayLike) -> FloatArray:
        """Return the accuracy at every number of classes, kept between 0 and 1."""
        return np.clip(1 - np.exp(self.constant_ + self.slope_ * np.log(np.asarray(n_classes, dtype=float))), 0, 1)


class GoodToulmin:
    r"""No assumption: the smoothed series of Good and Toulmin (Orlitsky, Suresh and Wu 2016).

    With p_j the share of points that j of the k1 - 1 wrong classes beat, and t = (K - k1) / (k1 - 1), the accuracy is
    :math:`\sum_j (-t)^j p_j` if losses are Poisson. Beyond t = 1 the terms explode, and are cut off at a random place.
    """

    def fit_ranks(self, ranks: CorrectRanks) -> Self:
        """Fit on ranks of the correct labels."""
        self.k1_ = ranks.n_classes
        losses = np.rint(ranks.n_classes - 1 - ranks.wins - 0.5 * ranks.ties).astype(int)
        self.n_points_ = losses.size
        each = 1 / np.bincount(ranks.labels, minlength=ranks.n_classes)[ranks.labels]
        self.shares_ = np.bincount(losses, weights=each / ranks.n_classes, minlength=ranks.n_classes)
        return self

    def predict(self, n_classes: ArrayLike) -> FloatArray:
        """Return the series at every number of classes, kept between 0 and 1."""
        return np.array([self._at((size - self.k1_) / (self.k1_ - 1)) for size in np.asarray(n_classes, dtype=float)])

    def _at(self, t: float) -> float:
        place = np.arange(self.shares_.size)
        if t > 1:
            most = max(int(0.5 * np.log(self.n_points_ * t**2 / (t - 1)) / np.log(3)), 1)
            kept = stats.binom.sf(place - 1, most, 2 / (2 + t))
        else:
            most, kept = place.size, np.ones(place.size)
        last = min(most, place.size - 1)
        terms = (-t) ** place[: last + 1] * kept[: last + 1] * self.shares_[: last + 1]
        return float(np.clip(terms.sum(), 0, 1))
