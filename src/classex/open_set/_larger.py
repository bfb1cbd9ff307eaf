"""False positive identification rates of galleries larger than the one searched."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._rates import wilson
from classex.open_set._searches import search_weights
from classex.open_set._tail import clustered_variance, fit_tail, sums_by
from classex.open_set._unequal import Mixing, log_chances, supported

__all__ = ["BEYOND", "larger_false_alarms"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# with so many hits the threshold's own counts give its rate, and with so many a search, how unequal impostors are
_ENOUGH, _A_SEARCH = 30, 0.5
# the tail starts at this share of the scores, or at so many hits a search where that is more
_SHARE, _AT_START = 0.01, 2.0
# inequality is judged at a mean rate of at least this share of the rate's upper end: set by judgement
_LEAST_MEAN = 0.25
# nats by which hits are less likely under all mixings of a tail than under their own, to contradict it: by judgement
_CONTRADICTED = 3.0
# hits that a tail makes less likely than this contradict it
_UNLIKELY = 0.005
# trials where people do not differ
_COUNTLESS = 1e18
# rates below this share of one over the number of comparisons are beyond any tail
BEYOND = 1e-3


def larger_false_alarms(
    scores: FloatArray, who: IntArray, threshold: float, sizes: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Predicted FPIR and its interval (n_sizes, 2): from a false match rate, and from how unequal impostors are."""
    n, people = scores.shape[1], int(who.max()) + 1
    weights = search_weights(who)
    hits = np.count_nonzero(scores >= threshold, axis=1)
    t = special.stdtrit(max(min(people, n) - 1, 1), 0.5 + level / 2)
    least = float(special.chdtri(2, 1 - level)) / 2
    # enough hits a search tell how unequal impostors are
    share = max(_SHARE, _AT_START / n)
    tail = fit_tail(scores, who, share) if hits.sum() < _A_SEARCH * who.size else None
    mean, ends = _by_counts(scores >= threshold, who, level, t)
    least_mean = max(mean, _LEAST_MEAN * ends[1])
    explained = tail is not None
    if tail is not None and hits.sum() < _ENOUGH:
        found = tail.log_rate(threshold) if threshold > tail.tail.start else None
        explained = found is not None and _explains(*found, int(hits.sum()), scores.size, t)
        if found is not None and explained:
            mean = np.exp(found[0])
            # hits of a kind that the tail lacks, near twins for one, count as well
            most = ends[1] if hits.any() else BEYOND / scores.size
            ends = np.exp(np.minimum(found[0] + t * np.sqrt(found[1]) * np.array([-1.0, 1.0]), 0.0))
            ends[1] = max(ends[1], most)
    counts = weights * people
    at_threshold = supported(hits, counts, n, least_mean, least)
    moved, either = at_threshold, at_threshold
    if tail is not None and explained and threshold > tail.tail.start:
        lower = tail.tail.start
        near = np.count_nonzero(scores > lower, axis=1)
        some = supported(near, counts, n, float(weights @ near) / n, least)
        # the tail of one impostor is that of all, or a shorter one where their scores differ in the mean
        one_by_one = fit_tail(scores - scores.mean(axis=1, keepdims=True), who, share)
        tails = [tail.tail] + ([one_by_one.tail] if one_by_one is not None else [])
        there = [[one.shifted(each, threshold - lower) for one in some] for each in tails]
        everywhere = [one for each in there for one in each]
        if not _contradicted(everywhere, at_threshold, hits, counts, n):
            moved, either = there[-1], [*some, *everywhere]
    return _range(either, moved, mean, ends, sizes, people, level)


def _range(
    either: list[Mixing],
    likely: list[Mixing],
    mean: float,
    ends: FloatArray,
    sizes: FloatArray,
    people: int,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """Mean over some mixings by their likelihood, and the range over all of them at both ends of the mean rate."""
    share = special.softmax([one.log_likelihood for one in likely])
    value = share @ np.array([one.scaled(mean).any_hit(sizes) for one in likely])
    # so many people tell no more than this, even if each one's rate were known
    differ = share @ np.array([one.scaled(mean).variance(sizes) for one in likely])
    with np.errstate(divide="ignore", invalid="ignore"):
        trials = np.where((differ > 0) & (value < 1), people * value * (1 - value) / differ, _COUNTLESS)
    known = wilson(value, np.maximum(trials, 1.0), people, level)
    low = np.min([one.scaled(ends[0]).any_hit(sizes) for one in either], axis=0)
    high = np.max([one.scaled(ends[1]).any_hit(sizes) for one in either], axis=0)
    return value, np.stack([np.minimum(low, known[:, 0]), np.maximum(high, known[:, 1])], axis=1)


def _by_counts(hit: NDArray[np.bool_], who: IntArray, level: float, t: float) -> tuple[float, FloatArray]:
    """False match rate and its ends by counting hits, which impostors and identities share."""
    weight = search_weights(who)[:, np.newaxis] / hit.shape[1]
    cell = weight * hit
    rate = float(cell.sum())
    total = int(np.count_nonzero(hit))
    if total == 0:
        return 0.0, np.array([0.0, -np.expm1(np.log(0.5 - level / 2) * weight.max())])
    # the design effect of hits that an impostor or an identity have in common
    by_person, by_identity = sums_by(who, cell.sum(axis=1), int(who.max()) + 1), cell.sum(axis=0)
    squares = float(np.square(cell).sum())
    variance = clustered_variance(by_person, by_identity, squares)
    if total >= _ENOUGH:
        return rate, np.minimum(rate * np.exp(t * np.sqrt(variance) / rate * np.array([-1.0, 1.0])), 1.0)
    number = rate**2 / variance
    tails = np.array([0.5 - level / 2, 0.5 + level / 2])
    # Poisson limits at the effective number of hits
    limits = np.array([special.gammaincinv(number, tails[0]), special.gammaincinv(number + 1, tails[1])]) / number
    return rate, np.minimum(rate * limits, 1.0)


def _explains(log_rate: float, variance: float, hits: int, comparisons: int, t: float) -> bool:
    """Whether a tail makes so many hits likely enough."""
    spread = t * np.sqrt(variance)
    expected = comparisons * np.exp(np.minimum(log_rate + spread * np.array([-1.0, 1.0]), 0.0))
    fewer, more = special.pdtr(hits, expected[0]), special.pdtrc(hits - 1, expected[1]) if hits else 1.0
    return bool(fewer > _UNLIKELY and more > _UNLIKELY)


def _contradicted(moved: list[Mixing], own: list[Mixing], hits: IntArray, counts: FloatArray, n: int) -> bool:
    """Whether hits at the threshold are far less likely under all mixings brought there than under their own."""
    if hits.sum() < 2:
        return False
    values, place = np.unique(hits, return_inverse=True)
    count = np.bincount(place.ravel(), weights=counts)
    rate = float(counts @ hits) / counts.sum() / n
    likely = max(float(count @ log_chances(one.scaled(rate), values, n)) for one in moved)
    there = max(float(count @ log_chances(one.scaled(rate), values, n)) for one in own)
    return there - likely > _CONTRADICTED
