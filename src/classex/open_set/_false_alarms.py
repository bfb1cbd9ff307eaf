"""False positive identification rates at all thresholds at once, with their variances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from classex._kernels.open_set import shared_squares
from classex._kernels.ranks import subset_accuracy
from classex.open_set._intervals import carried, up_to_half
from classex.open_set._searches import Rates, search_weights

__all__ = ["false_alarms", "hits_at"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_BLOCK_ELEMENTS = 2**22
# a variance from the gallery below this share of the squared rate is the rounding of a difference of sums
_ROUNDING = 1e-13


def hits_at(scores: FloatArray, cuts: FloatArray) -> IntArray:
    """Number of enrolled identities that reach each threshold in each search: (n_searches, n_thresholds)."""
    ordered, back = np.unique(cuts, return_inverse=True)
    out = np.empty((scores.shape[0], cuts.size), dtype=np.int64)
    width = ordered.size + 1
    step = max(1, _BLOCK_ELEMENTS // max(scores.shape[1], width))
    for first in range(0, scores.shape[0], step):
        some = scores[first : first + step]
        # a score reaches as many thresholds as lie at or below it
        reached = np.searchsorted(ordered, some, side="right") + width * np.arange(some.shape[0])[:, np.newaxis]
        counts = np.bincount(reached.ravel(), minlength=width * some.shape[0]).reshape(some.shape[0], width)
        out[first : first + step] = np.cumsum(counts[:, :0:-1], axis=1)[:, ::-1][:, back.ravel()]
    return out


def false_alarms(
    scores: FloatArray, who: IntArray, cuts: FloatArray, hits: IntArray, size: int, *, errors: bool
) -> Rates:
    """FPIR and its variance, at a gallery size and at half of all identities at most.

    The rate is a statistic of two samples. Its variance over impostors holds what impostor and gallery do together;
    the jackknife over enrolled identities adds what the gallery does to all impostors alike. That jackknife exists up
    to half the identities; beyond, the impostors' part is enlarged by the ratio of the errors found there, or the error
    there is carried on where all impostors have the same chance of a hit.
    """
    n, weights = scores.shape[1], search_weights(who)
    rate = _any_among(hits, n, size)
    value = weights @ rate
    if not errors:
        return Rates.without_errors(value)
    half = max(min(size, n // 2), 1)
    at_half = rate if half == size else _any_among(hits, n, half)
    value_at_half, alone = weights @ at_half, _variance_of_mean(at_half, who)
    gallery = _gallery_variance(scores, hits, who, cuts, half)
    whole = alone + np.where(gallery > _ROUNDING * np.square(value_at_half), gallery, 0.0)
    if half == size:
        return up_to_half(value, whole)
    with_all = rate if size == n else _any_among(hits, n, n)
    values = np.stack([value, value_at_half, weights @ with_all])
    own = np.stack([_variance_of_mean(rate, who), alone, _variance_of_mean(with_all, who)])
    return carried((size, half, n), values, own, whole, int(who.max()) + 1)


def _gallery_variance(scores: FloatArray, hits: IntArray, who: IntArray, cuts: FloatArray, size: int) -> FloatArray:
    """Variance of the FPIR that the enrolled identities bring to all impostors alike, by the jackknife.

    Leaving out an identity changes the mean by the sum of what it changes for each impostor. The square of that sum
    holds the impostors' own squares, which belong to their variance: they are taken out.
    """
    n, people = scores.shape[1], int(who.max()) + 1
    below = n - np.arange(n + 1)
    # leaving out an identity that an impostor does not resemble leaves one score fewer below the threshold
    kept, lost = (1.0 - _all_among(below - one, n - 1, size) for one in (0, 1))
    shared = shared_squares(scores, who, cuts, hits, lost - kept, search_weights(who))
    variance: FloatArray = np.maximum((n - 1) / n * shared * people / max(people - 1, 1), 0.0)
    return variance


def _any_among(hits: IntArray, n: int, drawn: int) -> FloatArray:
    """Probability that `drawn` of n identities, without replacement, hold at least one of the hits."""
    table = 1.0 - _all_among(n - np.arange(n + 1), n, drawn)
    chance: FloatArray = table[hits]
    return chance


def _all_among(low: IntArray, n: int, drawn: int) -> FloatArray:
    """Probability that `drawn` of n things, without replacement, all fall among `low` of them."""
    values = np.clip(low, 0, n).astype(np.int64)
    share: FloatArray = subset_accuracy(values, n + 1, np.array([drawn + 1]), 1, False)[:, 0]
    return share


def _variance_of_mean(values: FloatArray, who: IntArray) -> FloatArray:
    """Variance of the mean over people of the mean over their searches, for each column."""
    count = np.bincount(who)
    if count.size < 2:
        return np.zeros(values.shape[1])
    if count.size < who.size:
        total = np.zeros((count.size, values.shape[1]))
        np.add.at(total, who, values)
        values = total / count[:, np.newaxis]
    variance: FloatArray = values.var(axis=0, ddof=1) / count.size
    return variance
