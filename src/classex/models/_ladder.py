"""Models whose scores take few values: random tie-breaking, everything in logarithms."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from classex._types import FloatArray
from classex.models._base import Model

# exp(-30) is below the rounding of anything it is added to
_NEGLIGIBLE = -30.0


class LadderModel(Model):
    r"""A model with finitely many values of the score, the same for every test point.

    With ties broken at random, the favourability of a correct class with the h-th best value is uniform on
    :math:`[1 - b_{h+1}, 1 - b_h]`, :math:`b_h` the probability that a wrong class has a better value. So
    :math:`E (U^*)^{k-1}` given the value is :math:`[(1 - b_h)^k - (1 - b_{h+1})^k] / (k w_h)`,
    :math:`w_h = b_{h+1} - b_h`.
    """

    @property
    @abstractmethod
    def _ladder(self) -> tuple[FloatArray, FloatArray]:
        """Log probabilities of the values for a wrong class and for the correct one, best value first."""

    def _average_accuracy(self, k: FloatArray) -> FloatArray:
        return self._accuracy_at(np.log(k))

    def _accuracy_at(self, log_k: FloatArray) -> FloatArray:
        """Average accuracy for every log k; k need not be whole, nor representable."""
        log_wrong, log_right = self._ladder
        log_better = np.append(-np.inf, np.logaddexp.accumulate(log_wrong)[:-1])
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            # log probability 1 - b_h that a wrong class has this value or a worse one
            from_below = np.logaddexp.accumulate(log_wrong[::-1])[::-1]
            log_beatable = np.where(log_better < np.log(0.5), np.log1p(-np.exp(log_better)), from_below)
            log_share = np.minimum(log_wrong - log_beatable, 0.0)
            # log of -log(1 - share): by how much one value lowers the logarithm of the favourability
            exact = np.log(-np.log1p(-np.exp(log_share)))
            log_drop = np.where(log_share < _NEGLIGIBLE, log_share, exact)
            value = np.empty(log_k.size)
            for i, log_size in enumerate(log_k):
                # exp(log_size) * log_beatable; 0 where nothing is better, also if k is beyond floating point
                kept = np.where(log_beatable == 0, 0.0, -np.exp(np.minimum(log_size + np.log(-log_beatable), 709.0)))
                drop = log_size + log_drop
                gained = np.where(drop < _NEGLIGIBLE, drop, np.log(-np.expm1(-np.exp(drop))))
                value[i] = np.exp(log_right + kept + gained - log_size - log_wrong).sum()
        return value

    def _discriminability(self, u: FloatArray) -> FloatArray:
        # linear between the values
        knot, value = (np.append(0.0, np.cumsum(np.exp(log_p[::-1]))) for log_p in self._ladder)
        return np.asarray(np.interp(u, knot / knot[-1], value / value[-1]))
