"""False positive and false negative identification rates among more enrolled identities than were searched."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import special

from classex._kernels.threads import row_blocks
from classex._progress import track
from classex._rates import rate_interval, wilson
from classex._types import FloatArray, IntArray
from classex.distributions.distribution import confined_accuracy
from classex.methods import BetaBinomial
from classex.open_set._searches import Searches, compared, search_weights
from classex.open_set._tail import Mixing, Tail, different, fit_tail, log_chances, match_rate, supported
from classex.ranks._ranks import CorrectRanks
from classex.ranks.weights import weights_of_labels

__all__ = ["larger_fnir", "larger_fpir"]

Fit = Callable[[bool], Tail | None]
Above = Callable[[float], list[Mixing]]

# from these numbers of matches, and of matches per search, the threshold's own counts give the false match rate, and
# how much it differs between searches: set by judgement
_ENOUGH, _ENOUGH_PER_SEARCH = 30, 0.5
# the tail starts at this share of the scores, or at this number of scores per search if that is more: by judgement
_SHARE, _AT_START = 0.01, 2.0
# differences between searches are judged at a mean rate of at least this share of its upper limit: by judgement
_LEAST_MEAN = 0.25
# a tail is rejected if it makes the matches less likely by this number of nats than mixings of their own: by judgement
_CONTRADICTED = 3.0
# a tail is rejected if the number of matches is less probable than this: .005 on both sides is a 1 % test
_UNLIKELY = 0.005
# rates below this share of one over the number of comparisons are not extrapolated: set by judgement
_BEYOND = 1e-3
# own scores at which the tail's error is computed; between them it is interpolated
_NODES = 9
# half galleries drawn for the standard error, whose own relative error is then a tenth
_HALVES = 50
# chances of a block: a few megabytes
_BLOCK_ELEMENTS = 2**20
# keeps the weight of a prediction without error finite
_LEAST_WIDTH = 1e-9


def larger_fpir(searches: Searches, cuts: FloatArray, sizes: FloatArray, level: float) -> FloatArray:
    """Predicted FPIR and the ends of its interval, from a false match rate that differs between searches.

    Shape (n_cuts, n_sizes, 3).
    """
    scores, people, made = searches.nonmated, searches.people, compared(searches.nonmated)
    share, counts = max(_SHARE, _AT_START / made.min()), search_weights(people) * (people.max() + 1)

    @cache
    def fit(centred: bool) -> Tail | None:
        """Tail of all scores, or of one search: that is shorter if mean scores differ between searches."""
        middle = np.where(scores > -np.inf, scores, 0.0).sum(axis=1) / made
        return fit_tail(scores - middle[:, np.newaxis] if centred else scores, people, share)

    @cache
    def above(start: float) -> list[Mixing]:
        """How much searches differ in the numbers of scores above the start of the tail."""
        return supported(np.count_nonzero(scores > start, axis=1), counts, made, 0.0, level)

    return np.array(
        [_larger_fpir(searches, cut, sizes, level, fit, above) for cut in track(cuts, "FPIR at each threshold")]
    )


def _larger_fpir(
    searches: Searches, threshold: float, sizes: FloatArray, level: float, fit: Fit, above: Above
) -> FloatArray:
    """Predicted FPIR at one threshold and the ends of its interval: (n_sizes, 3)."""
    scores, people, made = searches.nonmated, searches.people, compared(searches.nonmated)
    n_people, comparisons = int(people.max()) + 1, int(made.sum())
    counts, matches = search_weights(people) * n_people, np.count_nonzero(scores >= threshold, axis=1)
    total = int(matches.sum())
    t = special.stdtrit(max(min(n_people, made.min()) - 1, 1), 0.5 + level / 2)
    # enough matches per search show how much searches differ
    tail = fit(False) if total < _ENOUGH_PER_SEARCH * people.size else None
    mean, ends = _counted_rate(scores, people, threshold, total, level, t)
    at_threshold = supported(matches, counts, made, _LEAST_MEAN * ends[1], level)
    likely, either = at_threshold, at_threshold
    if tail is not None and threshold > tail.start and total < _ENOUGH:
        fitted = tail.log_rate(threshold)
        if fitted is not None and _explains(*fitted, total, comparisons, t):
            mean, most = np.exp(fitted[0]), ends[1] if total else _BEYOND / comparisons
            ends = np.exp(np.minimum(fitted[0] + t * np.sqrt(fitted[1]) * np.array([-1.0, 1.0]), 0.0))
            # matches of a kind that the tail lacks, near twins for example, count as well
            ends[1] = max(ends[1], most)
        else:
            tail = None
    if tail is not None and threshold > tail.start:
        some, ways = above(tail.start), [each for each in (tail, fit(True)) if each is not None]
        moved = [[mixing.shifted(each, threshold - tail.start) for mixing in some] for each in ways]
        everywhere = [mixing for each in moved for mixing in each]
        if not _contradicted(everywhere, at_threshold, matches, counts, made):
            likely, either = moved[-1], [*some, *everywhere]
    chances = [mixing.scaled(mean).any_match(sizes) for mixing in likely]
    probability = special.softmax([mixing.log_likelihood for mixing in likely])
    value, variance = (probability @ np.array(each) for each in zip(*chances, strict=True))
    # the error of a mean over this number of people, even if the rate of each was known
    with np.errstate(divide="ignore", invalid="ignore"):
        trials = np.where((variance > 0) & (value < 1), n_people * value * (1 - value) / variance, np.inf)
    known = wilson(value, np.maximum(trials, 1.0), n_people, level)
    low, high = (np.array([mixing.scaled(end).any_match(sizes)[0] for mixing in either]) for end in ends)
    low, high = np.minimum(low.min(axis=0), known[:, 0]), np.maximum(high.max(axis=0), known[:, 1])
    return np.stack([value, low, high], axis=1)


def _counted_rate(
    scores: FloatArray, people: IntArray, threshold: float, total: int, level: float, t: float
) -> tuple[float, FloatArray]:
    """False match rate from the number of matches, and its limits, which allow for shared people and identities."""
    if total == 0:
        weight = (search_weights(people) / compared(scores)).max()
        return 0.0, np.array([0.0, -np.expm1(np.log(0.5 - level / 2) * weight)])
    rate, variance = match_rate(scores, people, threshold)
    if total >= _ENOUGH:
        limits = np.exp(t * np.sqrt(variance) / rate * np.array([-1.0, 1.0]))
    else:  # Poisson limits at the effective number of matches
        number = rate**2 / variance
        limits = special.gammaincinv([number, number + 1], [0.5 - level / 2, 0.5 + level / 2]) / number
    return rate, np.minimum(rate * limits, 1.0)


def _explains(log_rate: float, variance: float, total: int, comparisons: int, t: float) -> bool:
    """Whether the number of matches is probable enough under a tail."""
    ends = log_rate + t * np.sqrt(variance) * np.array([-1.0, 1.0])
    fewer, more = comparisons * np.exp(np.minimum(ends, 0.0))
    return bool(special.pdtr(total, fewer) > _UNLIKELY and (not total or special.pdtrc(total - 1, more) > _UNLIKELY))


def _contradicted(
    moved: list[Mixing], own: list[Mixing], matches: IntArray, counts: FloatArray, made: IntArray
) -> bool:
    """Whether the matches are much less likely under all mixings moved to the threshold than under their own."""
    if matches.sum() < 2:
        return False
    values, among, count = different(matches, made, counts)
    rate = float(count @ (values / among)) / count.sum()
    likely, there = (
        max(float(count @ log_chances(mixing.scaled(rate), values, among)) for mixing in some) for some in (moved, own)
    )
    return there - likely > _CONTRADICTED


def larger_fnir(searches: Searches, cuts: FloatArray, sizes: FloatArray, level: float, top: int) -> FloatArray:
    """Mean of the predictions from scores and from ranks, and an interval that includes both: (n_cuts, n_sizes, 3).

    Each prediction has the inverse square of its interval's width as weight.
    """
    predicted = _fnir_by_scores(searches, cuts, sizes, level, top)
    # searches that reach one threshold are those that reach another if there are as many
    halves = _in_halves(searches)
    by_ranks = cache(lambda n: _fnir_by_ranks(searches, halves, np.sort(searches.own)[-n], sizes, level, top))
    reached = np.count_nonzero(searches.own >= cuts[:, np.newaxis], axis=1).tolist()
    for i, n in enumerate(track(reached, "FNIR at each threshold")):
        if n:
            both = np.stack([predicted[i], by_ranks(n)])
            weight = 1 / np.maximum(both[..., 2] - both[..., 1], _LEAST_WIDTH) ** 2
            value = np.average(both[..., 0], axis=0, weights=weight)
            predicted[i] = np.stack([value, both[..., 1].min(axis=0), both[..., 2].max(axis=0)], axis=1)
    return predicted


def _fnir_by_scores(searches: Searches, cuts: FloatArray, sizes: FloatArray, level: float, top: int) -> FloatArray:
    """Predicted FNIR and its interval: the probability that `top` of N - 1 others have higher scores than the own one.

    Scores are measured from the mean of their row, as far as rows differ. The others' scores have one tail, and mated
    searches differ in their rates as non-mated searches do in `larger_fpir`.
    """
    scores, truth, own = searches.mated, searches.labels, searches.own
    m, made = own.size, compared(scores) - 1
    middle = _middles(scores, truth)
    others, own_height = scores - middle[:, np.newaxis], own - middle
    others[np.arange(m), truth] = -np.inf
    identity = np.unique(truth, return_inverse=True)[1]
    people = int(identity.max()) + 1
    weights, reached = search_weights(identity), (own >= cuts[:, np.newaxis]).astype(np.float64)
    t = float(special.stdtrit(max(people - 1, 1), 0.5 + level / 2))
    tail = fit_tail(others, identity, max(_SHARE, _AT_START / (made.min() + 1)))
    expected, lowest, highest = _rates_at(others, own_height, tail, t, level)
    start = tail.start if tail is not None else np.sort(others, axis=None)[-max(int(_AT_START * m), 1)]
    above = np.count_nonzero(others > start, axis=1)
    mixings = supported(above, weights * people, made, 1.0 / int(made.sum()), level)
    unequal = [float(mix.weight @ np.square(mix.rate)) / float(mix.weight @ mix.rate) ** 2 for mix in mixings]
    # the likeliest mixing, and those that are least and most unequal
    likelihood = [mixing.log_likelihood for mixing in mixings]
    some = [mixings[i] for i in (np.argmax(likelihood), np.argmin(unequal), np.argmax(unequal))]
    best = _successes(expected, some[0], sizes, top) * weights
    value = 1.0 - reached @ best.T
    low = np.min([1.0 - reached @ (_successes(lowest, mixing, sizes, top) * weights).T for mixing in some], axis=0)
    high = np.max([1.0 - reached @ (_successes(highest, mixing, sizes, top) * weights).T for mixing in some], axis=0)
    predicted = []
    for i, row in enumerate(reached):
        by_person = np.stack([np.bincount(identity, weights=success * row, minlength=people) for success in best])
        room = np.maximum(value[i] * (1 - value[i]), 0.0)
        error = np.sqrt(np.minimum(people * by_person.var(axis=1, ddof=1), room))
        ends = rate_interval(value[i], error, people, level)
        lower = value[i] - np.hypot(value[i] - ends[:, 0], value[i] - low[i])
        predicted.append([value[i], lower, value[i] + np.hypot(ends[:, 1] - value[i], high[i] - value[i])])
    return np.clip(np.swapaxes(predicted, 1, 2), 0.0, 1.0)


def _successes(rate: FloatArray, mixing: Mixing, sizes: FloatArray, top: int) -> FloatArray:
    """Probability that fewer than `top` of N - 1 others score higher, for each search: (n_sizes, n_searches)."""
    ratio, out = mixing.rate / float(mixing.weight @ mixing.rate), np.empty((sizes.size, rate.size))
    for rows in row_blocks(rate.size, max(1, _BLOCK_ELEMENTS // ratio.size)):
        chance = np.minimum(np.multiply.outer(rate[rows], ratio), 1.0)
        with np.errstate(divide="ignore"):
            none = np.log1p(-chance)
        for i, size in enumerate(sizes):
            few = np.exp((size - 1) * none) if top == 1 else special.bdtr(top - 1, int(size) - 1, chance)
            out[i, rows] = few @ mixing.weight
    return out


def _middles(scores: FloatArray, truth: IntArray) -> FloatArray:
    """Mean of the others' scores of each search, shrunk towards the overall mean by the share that is chance.

    A row's mean includes the scores that are compared with it: if rows do not differ, subtracting it would only shorten
    their tail. The share comes from the analysis of variance of rows and columns.
    """
    m, per_row = truth.size, compared(scores) - 1
    other = scores > -np.inf
    other[np.arange(m), truth] = False
    mean = float(scores[other].mean())
    centred = np.where(other, scores - mean, 0.0)
    size = other.sum(axis=0)
    rest = np.where(other, centred - centred.sum(axis=0) / np.maximum(size, 1), 0.0)
    row = rest.sum(axis=1) / per_row
    between = float(per_row.mean() * row.var(ddof=1))
    freedom = int(per_row.sum()) - m - np.count_nonzero(size) + 1
    within = float(np.square(rest).sum() - per_row @ np.square(row)) / max(int(freedom), 1)
    real = max(1.0 - within / between, 0.0) if between > 0 else 0.0
    return np.asarray(mean + real * centred.sum(axis=1) / per_row)


def _rates_at(others: FloatArray, own: FloatArray, tail: Tail | None, t: float, level: float) -> FloatArray:
    """Share of others' scores at or above each own score, and the limits of its interval: (3, n_searches)."""
    finite = np.sort(others, axis=None)
    finite = finite[np.searchsorted(finite, -np.inf, side="right") :]  # without the own scores
    above = (finite.size - np.searchsorted(finite, own, side="left")).astype(np.float64)
    low = np.where(above > 0, special.gammaincinv(np.maximum(above, 1), 0.5 - level / 2), 0.0)
    rates = np.stack([above, low, special.gammaincinv(above + 1, 0.5 + level / 2)]) / finite.size
    if tail is not None and own.max() > tail.start:
        nodes = np.linspace(tail.start, own.max(), _NODES + 1)[1:]
        known = [(node, rate[1]) for node in nodes if (rate := tail.log_rate(float(node))) is not None]
        if known:
            height, variance = np.array(known).T
            beyond = np.flatnonzero((own > tail.start) & (own <= height[-1]))
            error = t * np.interp(own[beyond], height, np.sqrt(variance))
            log_rates = np.array([[0.0], [-1.0], [1.0]]) * error - tail.exponent(own[beyond])
            rates[:, beyond] = np.exp(np.minimum(log_rates, 0.0))
            rates[2] = np.maximum(rates[2], _BEYOND / finite.size)
    return np.minimum(rates, 1.0)


def _in_halves(searches: Searches) -> IntArray:
    """Wins, ties and wrong labels of each search among all enrolled identities and in random halves of these.

    Shape (3, n_searches, _HALVES + 1); the last number is -1 where a half lacks the own identity.
    """
    (m, n), rng = searches.mated.shape, np.random.default_rng(0)  # the same halves in every call
    kept = np.ones((n, _HALVES + 1), dtype=np.float32)  # sums are exact up to 2^24
    for half in kept.T[1:]:
        half[rng.permutation(n)[n // 2 :]] = 0
    found = np.empty((3, m, _HALVES + 1), dtype=np.int64)
    for rows in row_blocks(m, max(1, _BLOCK_ELEMENTS // n)):
        scores, own = searches.mated[rows], searches.own[rows, np.newaxis]
        made = scores > -np.inf
        found[:, rows] = [one.astype(np.float32) @ kept for one in (made & (scores < own), scores == own, made)]
    found[1:] -= 1  # an identity is not its own competitor
    found[2, kept[searches.labels] == 0] = -1
    return found


def _fnir_by_ranks(
    searches: Searches, halves: IntArray, threshold: float, sizes: FloatArray, level: float, top: int
) -> FloatArray:
    """Predicted FNIR and its interval from a beta distribution of the favourability, fitted to the wins.

    The ranks show if people differ in how many others resemble them, and the tail of the scores does not. The variance
    is over half galleries, with the searches of their people.
    """
    labels, reached = searches.labels, searches.own >= threshold
    method, whole, predicted = BetaBinomial(), None, []
    for wins, ties, n_wrong in np.moveaxis(halves, 2, 0):
        rows = n_wrong > 0
        right = rows & reached
        if not right.any():
            continue
        weight = weights_of_labels(labels[rows])
        ranks = CorrectRanks(wins[right], ties[right], labels[right], searches.mated.shape[1], None, n_wrong[right])
        distribution = method.fit(ranks) if whole is None else method.refit(whole, ranks)
        whole = whole or distribution
        share = float(weight @ reached[rows] / weight.sum())
        predicted.append(1.0 - share * confined_accuracy(distribution, sizes, top))
    error = np.std(predicted[1:], axis=0, ddof=1) if len(predicted) > 2 else np.zeros(sizes.size)
    return np.column_stack([predicted[0], rate_interval(predicted[0], error, np.unique(labels).size, level)])
