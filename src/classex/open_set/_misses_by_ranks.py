"""False negative identification rates of larger galleries from the ranks of the mated searches."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from classex._rates import rate_interval
from classex.methods import BetaBinomial, BetaBinomialDistribution
from classex.ranks import correct_ranks
from classex.ranks.weights import weights_of_labels

__all__ = ["misses_by_ranks"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# half galleries drawn for the standard error: its own error is then a tenth
_HALVES = 50


def misses_by_ranks(
    scores: FloatArray, truth: IntArray, reached: NDArray[np.bool_], sizes: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Predicted FNIR and its interval (n_sizes, 2): a beta distribution of the favourability, from the wins alone.

    Where people differ in how many others resemble them, the ranks show it and the tail of the scores does not. The
    variance is that over half galleries, with the searches of their people.
    """
    distribution, value = _fit(None, scores, truth, reached, sizes)
    rng = np.random.default_rng(0)  # the same halves for every call
    n, found = scores.shape[1], []
    for _ in range(_HALVES):
        kept = np.sort(rng.permutation(n)[: n // 2])
        rows = np.isin(truth, kept)
        if reached[rows].any():
            own = np.searchsorted(kept, truth[rows])
            found.append(_fit(distribution, scores[rows][:, kept], own, reached[rows], sizes)[1])
    error = np.std(found, axis=0, ddof=1) if len(found) > 1 else np.zeros_like(value)
    return value, rate_interval(value, error, np.unique(truth).size, level)


def _fit(
    distribution: BetaBinomialDistribution | None,
    scores: FloatArray,
    truth: IntArray,
    reached: NDArray[np.bool_],
    sizes: FloatArray,
) -> tuple[BetaBinomialDistribution, FloatArray]:
    """Distribution of the favourability of the searches that reach the threshold, and the FNIR with it."""
    weight = weights_of_labels(truth)
    share = float(weight @ reached / weight.sum())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that few searches reach the threshold is known
        ranks = correct_ranks(scores[reached], truth[reached])
    method = BetaBinomial()
    found = method.fit(ranks) if distribution is None else method.refit(distribution, ranks)
    return found, 1.0 - share * found.accuracy(sizes)
