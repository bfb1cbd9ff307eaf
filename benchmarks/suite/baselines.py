"""Baselines of biometrics: rank-one rate linear in the logarithm of the gallery; miss rates that grow as a power."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

import classex as cx
from classex.results import CorrectRanks

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
