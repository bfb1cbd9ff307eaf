"""Favourability when scores take steps: random tie-breaking within a step, everything in logarithms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["ScoreLadder"]

_NEGLIGIBLE = -30.0  # exp(-30) is below the rounding of anything it is added to


@dataclass(frozen=True)
class ScoreLadder:
    r"""Steps of the score, best first, with their probabilities for a wrong class and for the true one.

    With ties broken at random, the favourability of a truth on step h is uniform on :math:`[1 - b_{h+1}, 1 - b_h]`,
    :math:`b_h` the chance that a wrong class stands on a better step. So :math:`E (U^*)^{k-1}` given the step
    is :math:`[(1 - b_h)^k - (1 - b_{h+1})^k] / (k w_h)`, :math:`w_h = b_{h+1} - b_h`.

    Attributes
    ----------
    log_wrong, log_right : ndarray of shape (n_steps,)
        Log probabilities of the steps for a wrong class and for the truth, best step first.
    """

    log_wrong: NDArray[np.float64]
    log_right: NDArray[np.float64]

    @cached_property
    def log_better(self) -> NDArray[np.float64]:
        """Log probability that a wrong class stands on a better step."""
        return np.append(-np.inf, np.logaddexp.accumulate(self.log_wrong)[:-1])

    @cached_property
    def log_beatable(self) -> NDArray[np.float64]:
        """Log probability 1 - b_h that a wrong class stands on this step or a worse one."""
        from_below = np.logaddexp.accumulate(self.log_wrong[::-1])[::-1]
        few_better = self.log_better < np.log(0.5)
        return np.where(few_better, np.log1p(-np.exp(np.where(few_better, self.log_better, -1.0))), from_below)

    def average_accuracy(self, log_k: NDArray[np.float64]) -> NDArray[np.float64]:
        """AGA_k for every log k; k need not be whole, nor representable."""
        log_share = np.minimum(self.log_wrong - self.log_beatable, 0.0)
        # log of -log(1 - share): how much one step lowers the logarithm of the favourability
        with np.errstate(divide="ignore"):
            exact = np.log(-np.log1p(-np.exp(np.maximum(log_share, _NEGLIGIBLE))))
        log_drop = np.where(log_share < _NEGLIGIBLE, log_share, exact)
        value = np.empty(log_k.size)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for i, log_size in enumerate(log_k):
                kept = _times(log_size, self.log_beatable)
                drop = log_size + log_drop
                gained = np.where(drop < _NEGLIGIBLE, drop, np.log(-np.expm1(-np.exp(np.minimum(drop, 700.0)))))
                value[i] = np.exp(self.log_right + kept + gained - log_size - self.log_wrong).sum()
        return value

    def discriminability(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """D(u): linear between the steps."""
        knot = np.append(0.0, np.cumsum(np.exp(self.log_wrong[::-1])))
        value = np.append(0.0, np.cumsum(np.exp(self.log_right[::-1])))
        d: NDArray[np.float64] = np.interp(u, knot / knot[-1], value / value[-1])
        return d

    def information(self) -> float:
        """Divergence of the truth's law of steps from a wrong class's: the mutual information, in nats."""
        right = np.exp(self.log_right)
        on = right > 0
        return float(right[on] @ (self.log_right[on] - self.log_wrong[on]))

    def draw_log_favourability(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        right = np.exp(self.log_right)
        step = rng.choice(right.size, size=n, p=right / right.sum())
        beaten_by = np.exp(self.log_better[step]) + rng.random(n) * np.exp(self.log_wrong[step])
        return np.log1p(-np.minimum(beaten_by, 1 - 2.0**-53))


def _times(log_size: float, log_beatable: NDArray[np.float64]) -> NDArray[np.float64]:
    """exp(log_size) * log_beatable, with 0 where nothing is better and k is beyond floating point."""
    return np.where(log_beatable == 0, 0.0, -np.exp(np.minimum(log_size + np.log(-log_beatable), 709.0)))
