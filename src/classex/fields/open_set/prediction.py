"""Open-set rates of larger galleries, from searches or from published rates."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from classex._checks import as_class_counts, as_generator, as_positive_int, as_probability, listed, one_of, shown
from classex._estimates import density, rate_interval
from classex._loops.threads import row_blocks
from classex._optional import track
from classex._result import Result
from classex._types import FloatArray, IntArray
from classex.distributions.distribution import confined_accuracy
from classex.extrapolator import Extrapolator
from classex.fields.open_set.curve import (
    OpenSetPrediction,
    Searches,
    as_searches,
    compared,
    cut_off,
    one_or_more,
    rates,
    search_weights,
)
from classex.forecast import CurvePrior, Straight
from classex.forecast.posterior import ACCURACY_CURVES
from classex.methods import BetaBinomial
from classex.methods.gaussian_process import GaussianProcess
from classex.ranks.ranks import CorrectRanks, weights_of_labels

__all__ = ["PublishedRates", "extrapolate_open_set", "extrapolate_published_rates"]


# beyond this condition number the numerical Hessian is dominated by rounding
_WORST_CONDITION = 1e12
# error of the form, per unit of the logarithm that the tail is continued; chosen on cosines in 64 dimensions
_FORM_ERROR = 0.03
# fewest scores that the tail is fitted to, and fewest different ones: set by judgement
_FEWEST, _FEWEST_DISTINCT = 200, 20
# the tail is compared with these numbers of highest scores, up to this number of standard errors: set by judgement
_COMPARED, _MOST_ERRORS = (10, 30, 100, 300), 3.5
# step of numerical derivatives: about the fourth root of the rounding error
_STEP = 1e-4
# logarithm of the rate over its mean, wide enough for the second moments that the tests check
_GRID = np.linspace(-40.0, 12.0, 313)
# squared coefficients of variation of the rate, and shares of its mean common to all searches: set by judgement
_SPREADS = np.geomspace(0.01, 1000.0, 81)
_COMMON = (0.0, 0.01, 0.05, 0.2, 0.5)
# weights and rates below these are treated as zero
_NEGLIGIBLE, _SMALLEST = 1e-18, 1e-300


@dataclass(frozen=True)
class Tail:
    r"""Share of comparisons above a score: beyond a start, its logarithm is a power of the score.

    .. math:: -\log f(s) = y_0 \bigl(1 + \theta (s - u)/g\bigr)^{1/\theta}, \qquad s \ge u.

    The exponent 1/theta is 1 for exponential tails and 2 for Gaussian tails. The arrays hold, for each score above the
    start, the search's person, the enrolled identity, the weight and the influence on (theta, log g).
    """

    start: float
    level: float
    parameters: FloatArray
    people: IntArray
    columns: IntArray
    weight: FloatArray
    influence: FloatArray
    shape: tuple[int, int]

    def exponent(self, score: FloatArray | float) -> FloatArray:
        """-log f at scores from the start on; infinite beyond the end of the tail."""
        return self.level * _power(np.asarray(score) - self.start, *self.parameters)

    def rate(self, score: FloatArray) -> FloatArray:
        """Share above scores; that above the start for lower ones."""
        return np.asarray(np.exp(-self.exponent(np.maximum(score, self.start))))

    def score(self, exponent: FloatArray) -> FloatArray:
        """Score at which -log f has these values."""
        theta, log_scale = self.parameters
        return np.asarray(self.start + np.exp(log_scale) * special.boxcox(exponent / self.level, theta))

    def log_rate(self, threshold: float) -> tuple[float, float] | None:
        """Logarithm of the false match rate at a threshold above the start, and its variance.

        The variance is that of a maximum-likelihood estimate from scores that share people and identities, plus the
        error of the form. None if the tail ends below the threshold, or the rate is less than any number above 0.
        """
        x = np.array(threshold - self.start)
        slope = _gradient(lambda b: -self.level * _power(x, *b), self.parameters)
        value = -float(self.exponent(threshold))
        if not (np.exp(value) > 0 and np.isfinite(slope).all()):
            return None
        # a score contributes to the share above the start, and to the parameters
        cell = self.weight * (1.0 + self.influence @ slope)
        variance = _clustered_variance(cell, self.people, self.columns, self.shape)
        return value, variance + (_FORM_ERROR * (value + self.level)) ** 2


def _power(x: FloatArray, theta: float, log_scale: float) -> FloatArray:
    z = x / np.exp(log_scale)
    with np.errstate(all="ignore"):
        return np.where(1 + theta * z > 0, special.inv_boxcox(z, theta), 0.0 if theta > 0 else np.inf)


def _log_density(x: FloatArray, level: float, theta: float, log_scale: float) -> FloatArray:
    y = _power(x, theta, log_scale)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.log(level) - log_scale + (1 - theta) * np.log(y) - level * (y - 1))


def fit_tail(scores: FloatArray, people: IntArray, share: float) -> Tail | None:
    """Fit the tail to a share of the scores, the highest; minus infinity stands for comparisons left out.

    None if too few of these scores differ, or the fitted tail disagrees with the highest scores.
    """
    made = int(np.isfinite(scores).sum())
    count = min(max(int(share * made), _FEWEST), made // 10)
    start = float(np.partition(scores.ravel(), -count - 1)[-count - 1])
    rows, columns = np.nonzero(scores > start)
    x = scores[rows, columns] - start
    if not np.isfinite(start) or np.unique(x).size < _FEWEST_DISTINCT:
        return None
    weight = _cell_weights(scores, people)[rows]
    above = float(weight.sum())
    weight, level = weight / above, float(-np.log(above))

    def loss(theta: FloatArray) -> float:
        value = -float(weight @ _log_density(x, level, *theta))
        return value if np.isfinite(value) else 1e10

    first = [0.5, np.log(level * float(weight @ x))]
    theta = optimize.minimize(loss, first, method="Nelder-Mead", options={"xatol": 1e-5, "fatol": 1e-9}).x
    for rank in _COMPARED:
        if rank < count / 2:
            high = float(np.partition(scores.ravel(), -rank)[-rank])
            rate, variance = match_rate(scores, people, high)
            # half a score less: the score at which the count is made is one of those counted
            gap = np.log(rate * (1 - 0.5 / rank)) + level * float(_power(np.array(high - start), *theta))
            if abs(gap) > _MOST_ERRORS * np.sqrt(variance) / rate:
                return None
    score = _gradient(lambda b: _log_density(x, level, *b), theta)
    hessian = _gradient(lambda b: -weight @ _gradient(lambda c: _log_density(x, level, *c), b), theta)
    if not (np.isfinite(hessian).all() and np.linalg.cond(hessian) < _WORST_CONDITION):
        return None
    shape = (int(people.max()) + 1, scores.shape[1])
    return Tail(start, level, theta, people[rows], columns, weight, score @ np.linalg.inv(hessian), shape)


def match_rate(scores: FloatArray, people: IntArray, threshold: float) -> tuple[float, float]:
    """Share of comparisons that reach a threshold, every person with the same weight, and its variance."""
    rows, columns = np.nonzero(scores >= threshold)
    cell = _cell_weights(scores, people)[rows]
    shape = (int(people.max()) + 1, scores.shape[1])
    return float(cell.sum()), _clustered_variance(cell, people[rows], columns, shape)


def _cell_weights(scores: FloatArray, people: IntArray) -> FloatArray:
    """Weight of a comparison of each search; comparisons left out have none."""
    return np.asarray(search_weights(people) / np.maximum(np.isfinite(scores).sum(axis=1), 1))


def _clustered_variance(cell: FloatArray, people: IntArray, columns: IntArray, shape: tuple[int, int]) -> float:
    """Variance of a sum over comparisons that share people and identities."""
    alone = float(np.square(cell).sum())
    sums = (np.bincount(group, weights=cell, minlength=n) for group, n in zip((people, columns), shape, strict=True))
    return max(sum(float(np.square(total - total.mean()).sum()) for total in sums) - alone, alone)


def _gradient(function: Callable[[FloatArray], Any], x: FloatArray) -> FloatArray:
    """Central differences, along a last axis."""
    with np.errstate(invalid="ignore"):
        return np.stack([(function(x + e) - function(x - e)) / (2 * _STEP) for e in _STEP * np.eye(x.size)], axis=-1)


@dataclass(frozen=True)
class Mixing:
    """A distribution of the false match rate over searches, and the log-likelihood of the matches under it."""

    rate: FloatArray
    weight: FloatArray
    log_likelihood: float = 0.0

    def scaled(self, mean: float) -> Mixing:
        """The same distribution with another mean."""
        rate = self.rate
        for _ in range(3):  # rates are at most one
            rate = np.minimum(rate * (mean / max(float(self.weight @ rate), _SMALLEST)), 1.0)
        return replace(self, rate=rate)

    def shifted(self, tail: Tail, by: float) -> Mixing:
        """The same searches at a higher threshold, if each has this tail, shifted by an amount of its own."""
        score = tail.score(-np.log(np.clip(self.rate, _SMALLEST, 1 - 1e-12)))
        return replace(self, rate=np.exp(-tail.exponent(score + by)))

    def of_matches(self, matches: IntArray, n: IntArray, count: FloatArray) -> float:
        """Log-likelihood, less binomial coefficients, of so many searches with these matches among n identities."""
        return float(count @ _log_means(self.weight, self.rate, matches, n))

    def any_match(self, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Probability of a match among galleries of these sizes, and its variance over searches."""
        with np.errstate(divide="ignore"):
            chances = -np.expm1(np.multiply.outer(sizes, np.log1p(-self.rate)))
        mean = chances @ self.weight
        return mean, np.square(chances - mean[:, np.newaxis]) @ self.weight


def different(matches: IntArray, made: IntArray, weights: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Different numbers of matches and of comparisons made, and the weight of the searches that have them."""
    base = int(matches.max()) + 1
    codes, index = np.unique(made * base + matches, return_inverse=True)
    return codes % base, codes // base, np.bincount(index, weights=weights).astype(np.float64)


def supported(matches: IntArray, weights: FloatArray, made: IntArray, least: float, level: float) -> list[Mixing]:
    """Mixings of a mean rate of at least `least` that the likelihood of the matches allows at a confidence level.

    A part of the mean rate is common to all searches, 1 if they do not differ. The rest follows a gamma or a log-normal
    distribution, or is the same for some searches and zero for the others. `weights` count the searches, and `made` the
    identities that each was compared with.
    """
    values, n, count = different(matches, made, weights)
    mean = max(float(count @ (values / n)) / count.sum(), least)
    few = [Mixing(np.ones(1), np.ones(1))]
    few += [
        Mixing(mean * np.array([common, common + (1 - common) / share]), np.array([1 - share, share]))
        for common in _COMMON
        for share in 1 / (1 + _SPREADS)
    ]
    scaled = [mixing.scaled(mean) for mixing in few]
    mixings = [replace(mixing, log_likelihood=mixing.of_matches(values, n, count)) for mixing in scaled]
    for common in _COMMON:
        rate = mean * (common + (1 - common) * np.exp(_GRID))
        mixings += [
            Mixing(rate[weight > 0], weight[weight > 0], float(count @ logs))
            for weight, logs in zip(_WEIGHTS, _log_means(_WEIGHTS, np.minimum(rate, 1.0), values, n), strict=True)
        ]
    best = max(mixing.log_likelihood for mixing in mixings)
    # two parameters
    return [mixing for mixing in mixings if mixing.log_likelihood >= best - special.chdtri(2, 1 - level) / 2]


def _log_means(weights: FloatArray, rate: FloatArray, matches: IntArray, n: IntArray) -> FloatArray:
    """Logarithm of the probability's mean over the rates, for each row of weights: (..., n_matches)."""
    some = np.clip(rate, _SMALLEST, 1 - 1e-15)
    terms = np.multiply.outer(np.log(some), matches) + np.multiply.outer(np.log1p(-some), n - matches)
    top = terms.max(axis=0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(weights @ np.exp(terms - top)) + top)


def _weights() -> FloatArray:
    """Gamma and log-normal distributions of mean 1 on the grid, one to a row."""
    rows = []
    edge = _GRID[0] - (_GRID[1] - _GRID[0]) / 2
    for spread in _SPREADS:
        shape, variance = 1 / spread, np.log1p(spread)
        # gamma distributions extend far below the grid: that mass goes to the lowest node
        for log_weight, below in (
            (shape * _GRID - shape * np.exp(_GRID), special.gammainc(shape, shape * np.exp(edge))),
            (-np.square(_GRID + variance / 2) / (2 * variance), 0.0),
        ):
            weight = np.exp(log_weight - log_weight.max())
            weight[weight < _NEGLIGIBLE] = 0.0
            weight *= (1 - below) / weight.sum()
            weight[0] += below
            rows.append(weight)
    return np.array(rows)


_WEIGHTS = _weights()


@dataclass(frozen=True)
class _Ways:
    """Tails of the scores, how searches differ at the start of one, and at a threshold by their own spreads.

    `real` is the share of the differences between spreads that is not chance: the weight of the last of these.
    """

    fit: Callable[[str], Tail | None]
    above: Callable[[float], list[Mixing]]
    unequal: Callable[[float], Mixing | None]
    real: float


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

    middle, spread, real = _standards(scores, made)

    @cache
    def fit(kind: str) -> Tail | None:
        """Tail of all scores, or of one search: that is shorter if mean scores, or spreads, differ between searches."""
        moved = scores if kind == "all" else scores - middle[:, np.newaxis]
        return fit_tail(moved / spread[:, np.newaxis] if kind == "standard" else moved, people, share)

    @cache
    def above(start: float) -> list[Mixing]:
        """How much searches differ in the numbers of scores above the start of the tail."""
        return supported(np.count_nonzero(scores > start, axis=1), counts, made, 0.0, level)

    def unequal(cut: float) -> Mixing | None:
        """The rate of each search at the threshold, by its own mean and spread."""
        tail = fit("standard")
        return None if tail is None else Mixing(tail.rate((cut - middle) / spread), counts / counts.sum())

    ways = _Ways(fit, above, unequal, real)
    return np.array([_larger_fpir(searches, cut, sizes, level, ways) for cut in track(cuts, "FPIR at each threshold")])


def _standards(scores: FloatArray, made: IntArray) -> tuple[FloatArray, FloatArray, float]:
    """Mean of each search's scores, their spread, shrunk by the share of its variance that is chance, and the rest."""
    known = scores > -np.inf
    middle = np.where(known, scores, 0.0).sum(axis=1) / made
    squares = np.square(np.where(known, scores - middle[:, np.newaxis], 0.0))
    variance = np.maximum(squares.sum(axis=1) / (made - 1), _SMALLEST)
    # of the logarithm of a variance, by the delta method: from the fourth moment of all standardised scores
    kurtosis = float(np.square(squares / variance[:, np.newaxis]).sum() / made.sum())
    chance = float(np.mean(np.maximum(kurtosis - 1, 0.0) / made))
    logs = np.log(variance) / 2
    between = float(logs.var(ddof=1)) if logs.size > 1 else 0.0
    real = max(1.0 - chance / 4 / between, 0.0) if between > 0 else 0.0
    return middle, np.exp(logs.mean() + real * (logs - logs.mean())), real


def _larger_fpir(searches: Searches, threshold: float, sizes: FloatArray, level: float, by: _Ways) -> FloatArray:
    """Predicted FPIR at one threshold and the ends of its interval: (n_sizes, 3)."""
    scores, people, made = searches.nonmated, searches.people, compared(searches.nonmated)
    n_people, comparisons = int(people.max()) + 1, int(made.sum())
    counts, matches = search_weights(people) * n_people, np.count_nonzero(scores >= threshold, axis=1)
    total = int(matches.sum())
    t = special.stdtrit(max(min(n_people, made.min()) - 1, 1), 0.5 + level / 2)
    # enough matches per search show how much searches differ
    tail = by.fit("all") if total < _ENOUGH_PER_SEARCH * people.size else None
    mean, ends = _counted_rate(scores, people, threshold, total, level, t)
    at_threshold = supported(matches, counts, made, _LEAST_MEAN * ends[1], level)
    likely, either, unequal = at_threshold, at_threshold, None
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
        some, tails = by.above(tail.start), [each for each in (tail, by.fit("centred")) if each is not None]
        moved = [[mixing.shifted(each, threshold - tail.start) for mixing in some] for each in tails]
        unequal = by.unequal(threshold)
        everywhere = [*(mixing for each in moved for mixing in each), *([] if unequal is None else [unequal])]
        if _contradicted(everywhere, at_threshold, matches, counts, made):
            unequal = None
        else:
            likely, either = moved[-1], [*some, *everywhere]
    probability = special.softmax([mixing.log_likelihood for mixing in likely])
    if unequal is not None:
        likely, probability = [*likely, unequal], np.append((1 - by.real) * probability, by.real)
    chances = [mixing.scaled(mean).any_match(sizes) for mixing in likely]
    value, variance = (probability @ np.array(each) for each in zip(*chances, strict=True))
    # the error of a mean over this number of people, even if the rate of each was known
    known = rate_interval(value, np.sqrt(variance / n_people), n_people, level, unseen=0.0)
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
    likely, there = (max(one.scaled(rate).of_matches(values, among, count) for one in some) for some in (moved, own))
    return there - likely > _CONTRADICTED


def larger_fnir(
    searches: Searches, cuts: FloatArray, sizes: FloatArray, level: float, top: int, rng: Any
) -> FloatArray:
    """Mean of the predictions from scores and from ranks, and an interval that includes both: (n_cuts, n_sizes, 3).

    Each prediction has the inverse square of its interval's width as weight.
    """
    predicted = _fnir_by_scores(searches, cuts, sizes, level, top)
    # searches that reach one threshold are those that reach another if there are as many
    halves = _in_halves(searches, rng)
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


def _in_halves(searches: Searches, rng: Any = 0) -> IntArray:
    """Wins, ties and wrong labels of each search among all enrolled identities and in random halves of these.

    Shape (3, n_searches, _HALVES + 1); the last number is -1 where a half lacks the own identity.
    """
    (m, n), generator = searches.mated.shape, as_generator(rng)
    kept = np.ones((n, _HALVES + 1), dtype=np.float32)  # sums are exact up to 2^24
    for half in kept.T[1:]:
        half[generator.permutation(n)[n // 2 :]] = 0
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


# fewest people for a variance over people: set by judgement
_FEWEST_PEOPLE = 8
# default thresholds, each of which takes seconds: set by judgement
_THRESHOLDS = 16


def extrapolate_open_set(
    scores: ArrayLike,
    labels: ArrayLike,
    nonmated_scores: ArrayLike,
    thresholds: ArrayLike | None = None,
    *,
    n_enrolled: ArrayLike,
    nonmated_labels: ArrayLike | None = None,
    enrolled_labels: ArrayLike | None = None,
    top: int = 1,
    confidence_level: float = 0.95,
    complete_from: float = -np.inf,
    rng: Any = 0,
) -> OpenSetPrediction:
    r"""Predict the error rates of open-set identification among more enrolled identities.

    With :math:`F_x` the probability that a random identity's score reaches the threshold T in the non-mated search x,
    and :math:`U^*` the favourability of a mated search with the score s,

    .. math::

        \mathrm{FPIR}(N, T) &= 1 - E\,(1 - F_x)^N, \\
        \mathrm{FNIR}(N, 1, T) &= 1 - \Pr[s \ge T]\; E\bigl[(U^*)^{N-1} \mid s \ge T\bigr].

    At a rank R above 1, the probability that fewer than R of N - 1 others have a higher score replaces the power of
    :math:`U^*`.

    The false match rate :math:`E\,F_x` is the share of false matches at the threshold. If there are few or none, the
    tail of the non-mated scores is continued to the threshold. The distribution of :math:`F_x` comes from the numbers
    of false matches of each search, at the threshold or at the start of the tail.

    Parameters
    ----------
    scores, labels, nonmated_scores, nonmated_labels, enrolled_labels
        As in `open_set_curve`.
    thresholds : float or array_like of shape (n,), optional
        Thresholds T, each of which takes seconds. By default 16 at even steps, from the score that half of the
        non-mated searches reach to the highest non-mated or own score.
    n_enrolled : int or array_like of int
        Numbers N of enrolled identities. Up to the number in the data the rates are those of `open_set_curve`.
    top : int
        The rank R of FNIR(N, R, T).
    confidence_level : float
        Level of the intervals, in (0, 1).
    complete_from : float
        Score from which all are known, as `classex.io.load_searches` returns it for lists of candidates. Lower scores
        do not count in predictions at thresholds from it on; at lower thresholds predictions are unreliable.
    rng : int, numpy.random.Generator or None
        Seed or generator of the half galleries behind the intervals of FNIR; with another one these differ a little.

    Returns
    -------
    OpenSetPrediction
        Rates and intervals for every N and threshold. Its methods `fnir_at_fpir` and
        `equal_error_rate` give points on the trade-off at each N.

    Raises
    ------
    ValueError
        If an argument is out of range, the matrices disagree, or there are fewer than 8 enrolled identities, people
        with mated searches, or people with non-mated searches.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    By Jensen's inequality :math:`1 - (1 - E\,F_x)^N` is an upper bound of FPIR for every distribution of the
    :math:`F_x` (`binomial_fpir`). The interval reaches that bound at the upper limit of the false match rate, unless
    the false matches show that searches differ. The lower end belongs to the most unequal distribution that the false
    matches allow: gamma, log-normal, or a share of searches without any, each with or without a common rate.

    The tail is :math:`-\log f(s) = y_0 (1 + \theta (s - u)/g)^{1/\theta}`, fitted by maximum likelihood to the
    highest scores (1 % of them, or two per search if that is more). Searches whose scores have unequal spreads, beyond
    chance, differ more at a high threshold than at the start of the tail: their own spreads then give the estimate, and
    the interval includes it. Exponential and Gaussian tails are
    :math:`\theta = 1` and 1/2 (de Valk, Extremes, 2016). Its error counts people and enrolled identities, not scores.
    With a few false matches the upper end is at least that of their number alone. If the tail disagrees with the
    highest scores or with the false matches, or cannot be fitted, only the false matches count. FPIR is then "no more
    than" the upper end, and the lower end may be close to 0.

    FNIR is the mean of two predictions, weighted by the inverse squares of the widths of their intervals, and its
    interval includes both. The first uses the tail of the others' scores at the own score of each mated search,
    measured from the mean of its row as far as rows differ by more than chance, and the distribution over searches. The
    second is a beta-binomial extrapolation of the ranks, with an error over half galleries. It is correct if people
    differ in how many others resemble them, which one tail does not show.

    No extrapolation is free of assumptions. The intervals do not cover these cases: people who are enrolled twice
    under different names, unless `enrolled_labels` says so; near twins, if none is among the searches; a kind of
    identity that matches everyone, if none is enrolled; searches whose rate at the threshold is unrelated to their
    rates below it, if there are few false matches; larger galleries of other people.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.fields.open_set import extrapolate_open_set
    >>> rng = np.random.default_rng(1)
    >>> enrolled, strangers = rng.normal(size=(60, 3)), rng.normal(size=(50, 3))
    >>> samples = enrolled + 0.2 * rng.normal(size=(60, 3))
    >>> mated = -np.linalg.norm(samples[:, None] - enrolled, axis=2)
    >>> nonmated = -np.linalg.norm(strangers[:, None] - enrolled, axis=2)
    >>> found = extrapolate_open_set(
    ...     mated, range(60), nonmated, -0.4, n_enrolled=[60, 600]
    ... )
    >>> found.fpir[0] < found.fpir[1]
    np.True_
    >>> several = extrapolate_open_set(
    ...     mated, range(60), nonmated, [-0.4, -0.2, -0.1], n_enrolled=600
    ... )
    >>> several.fnir_at_fpir(0.5).n_enrolled
    array([600])
    """
    searches = as_searches(scores, labels, nonmated_scores, nonmated_labels, enrolled_labels)
    n = searches.fewest
    sizes = as_class_counts(n_enrolled, "n_enrolled")
    level, rank = as_probability(confidence_level, "confidence_level", open_ends=True), as_positive_int(top, "top")
    mated, nonmated = (int(np.unique(people).size) for people in (searches.labels, searches.people))
    if min(n, mated, nonmated) < _FEWEST_PEOPLE:
        raise ValueError(
            f"scores and nonmated_scores must hold {_FEWEST_PEOPLE} people or more, not {mated} people "
            f"searched for among {n}, and {nonmated}"
        )
    cuts = _default_thresholds(searches) if thresholds is None else one_or_more(thresholds, "thresholds")
    out = np.empty((2, cuts.size, sizes.size, 3))
    for size in np.unique(np.minimum(sizes, n)):
        seen = rates(searches, cuts, int(size), rank, level)
        pairs = ((seen.fpir, seen.fpir_interval), (seen.fnir, seen.fnir_interval))
        out[:, :, np.minimum(sizes, n) == size] = np.stack([np.column_stack(pair) for pair in pairs])[:, :, np.newaxis]
    beyond = sizes > n
    known = cuts >= complete_from
    for some, given in ((known, cut_off(searches, complete_from)), (~known, searches)):
        if beyond.any() and some.any():
            fpir = larger_fpir(given, cuts[some], sizes[beyond], level)
            fnir = larger_fnir(given, cuts[some], sizes[beyond], level, rank, rng)
            # rates grow with the number of enrolled identities
            here = np.flatnonzero(some)[:, np.newaxis], np.flatnonzero(beyond)
            out[:, *here] = np.maximum(out[:, *here], [fpir, fnir])
    # one row for each number of enrolled identities and threshold
    fpir, fnir = np.swapaxes(out, 1, 2).reshape(2, -1, 3)
    among, threshold = np.repeat(sizes.astype(np.int64), cuts.size), np.tile(cuts, sizes.size)
    matches = np.tile([np.count_nonzero(searches.nonmated >= cut) for cut in cuts], sizes.size)
    numbers = (level, rank, searches.labels.size, searches.people.size, n, matches)
    found = OpenSetPrediction(among, threshold, fpir[:, 0], fnir[:, 0], fpir[:, 1:], fnir[:, 1:], *numbers)
    return replace(found, complete_from=complete_from)


def _default_thresholds(searches: Searches) -> NDArray[np.float64]:
    """Thresholds at even steps, from where half of the non-mated searches return a candidate to the best score."""
    best = searches.nonmated.max(axis=1)
    return np.linspace(np.median(best), max(best.max(), searches.own.max()), _THRESHOLDS)


# Without a threshold the mate must beat the best of N others, whose rate is e^-gamma / N in the mean of its logarithm
_BEST_OF_ALL = float(np.exp(-np.euler_gamma))


@dataclass(frozen=True)
class PublishedRates(Result):
    """Published error rates of identification, continued to other numbers of enrolled identities.

    Attributes
    ----------
    algorithms : ndarray of str of shape (n,)
        Algorithm of each row.
    n_enrolled : ndarray of shape (n,)
        Number N of enrolled identities.
    rates : ndarray of shape (n,)
        FNIR or FPIR.
    interval : ndarray of shape (n, 2)
        Its interval.
    rate : str
        "fnir" or "fpir".
    fpir : float or None
        FPIR that is held at every N.
    n_published : int
        Largest N of the published rates.
    n_searches : int
        Number of searches behind each published rate.
    confidence_level : float
        Nominal level of the intervals.
    unusual : list of str
        Curves of 1 - rate that are more likely of another kind than a straight line in log N, in words.

    Examples
    --------
    >>> from classex.fields.open_set import extrapolate_published_rates
    >>> found = extrapolate_published_rates(
    ...     [10**6, 10**7],
    ...     [0.02, 0.03],
    ...     n_enrolled=[10**7, 10**8],
    ...     n_searches=10**5,
    ... )
    >>> found.rates.round(3)
    array([0.03, 0.05])
    """

    algorithms: NDArray[np.str_]
    n_enrolled: NDArray[np.int64]
    rates: FloatArray
    interval: FloatArray
    rate: str
    fpir: float | None
    n_published: int
    n_searches: int
    confidence_level: float
    unusual: list[str]

    _tabulated: ClassVar[bool] = True

    def _sentence(self) -> str:
        most, where = f"{self.n_published:,}", "without a threshold (rank 1)"
        beyond = "the slope is near that of normal scores, mated and non-mated ones of equal variance"
        if self.rate == "fpir":
            where, beyond = "at one threshold", "searches differ in their false match rates as far as the curve shows"
        elif self.fpir:
            where = f"at FPIR {self.fpir:.4g}, by a threshold for each N"
        return (
            f"{self.rate.upper()} {where}, continued from published rates among up to {most} enrolled.\nAssumed: those"
            f" enrolled are a random sample of one population at every N; each rate is from {self.n_searches:,}"
            f" searches, and its threshold has no error; beyond {most}, {beyond}, within the interval."
        )

    def _table(self) -> dict[str, Any]:
        of = self.rate.upper()
        ends = {f"{of}_low": self.interval[:, 0], f"{of}_high": self.interval[:, 1]}
        return {"algorithm": self.algorithms, "N": self.n_enrolled, of: self.rates, **ends}

    def _notes(self) -> list[str]:
        return self.unusual


def extrapolate_published_rates(
    n_published: ArrayLike,
    rates: ArrayLike,
    *,
    n_enrolled: ArrayLike,
    n_searches: int,
    rate: Literal["fnir", "fpir"] = "fnir",
    fpir: float | None = None,
    algorithms: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> PublishedRates:
    r"""Continue published error rates, such as those of NIST's FRTE 1:N, to more enrolled identities.

    A rate that grows with N is one minus an accuracy that falls. A search without a mate raises no alarm among N with
    the probability :math:`E\,(1 - F_x)^N`, which is an accuracy with N + 1 classes. Without a threshold, FNIR(N, 1) is
    one minus the accuracy with N classes. At a fixed FPIR the threshold rises with N, and

    .. math:: \mathrm{FNIR}(N) \approx G(T_N), \qquad \mathrm{FMR}(T_N) \approx -\log(1 - \mathrm{FPIR}) / N,

    with the distribution function G of mated scores: the curve reads a DET at ever lower false match rates.

    Parameters
    ----------
    n_published : array_like of int of shape (n,)
        Numbers N of the published rates.
    rates : array_like of shape (n,) or (n_algorithms, n)
        The rates, a row for each algorithm; NaN where none was published.
    n_enrolled : int or array_like of int
        Numbers N to continue to.
    n_searches : int
        Number of searches behind each rate: mated ones of FNIR, non-mated ones of FPIR.
    rate : {"fnir", "fpir"}
        What the rates are. FPIR must be that of one threshold for all N.
    fpir : float, optional
        FPIR at which FNIR was published, if the threshold was set for each N. Without it, FNIR has no threshold (rank
        1 of the candidates).
    algorithms : array_like of str of shape (n_algorithms,), optional
        Names of the algorithms.
    confidence_level : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    PublishedRates
        A row for each algorithm and N.

    Raises
    ------
    ValueError
        If an argument is out of range, the shapes disagree, an algorithm has fewer than two rates, or a rate clearly
        falls as N grows.
    TypeError
        If an argument does not hold numbers.

    Warns
    -----
    UserWarning
        If a rate falls as N grows, by no more than chance explains, or an N lies below those published.

    Notes
    -----
    The curves are fitted by `Extrapolator.fit_curve`. The straight components of the prior (see `classex.forecast`)
    have a slope of their own, in probits per decade of N. If
    all searches have the same false match rate, FPIR at the value p has the slope
    :math:`s(p) = -\log(10)\,(1 - p) \log(1 - p) / \varphi(\Phi^{-1}(p))`. By Jensen's inequality it is never steeper,
    and the prior is that of a uniform slope between 0 and s(p). The upper limit of FPIR holds for every distribution of
    the :math:`F_x`. If moreover mated and non-mated scores are normal with equal variance, FNIR at fixed FPIR has the
    slope :math:`s(\mathrm{FMR}(T_N))`, which is the mean of its prior.

    On simulated scores (normal, logistic, skewed, with failures, unequal searches) the intervals were wide, and covered
    the true rate at 10 and at 100 times N in more than .95 of the cases (``tests/open_set/test_published.py``).

    Source: slopes derived here; the normal deviate axes of a DET are those of Martin and others (Eurospeech 1997).

    Examples
    --------
    >>> from classex.fields.open_set import extrapolate_published_rates
    >>> found = extrapolate_published_rates(
    ...     [640_000, 1_600_000, 3_000_000, 6_000_000, 12_000_000],
    ...     [[0.0150, 0.0191, 0.0225, 0.0268, 0.0316]],
    ...     n_enrolled=48_000_000,
    ...     n_searches=100_000,
    ...     fpir=0.003,
    ...     algorithms=["made-up"],
    ... )
    >>> found.rates.round(3)
    array([0.044])
    """
    kind = one_of(rate, "rate", ("fnir", "fpir"))
    at = None if fpir is None else as_probability(fpir, "fpir", open_ends=True)
    if kind == "fpir" and at is not None:
        raise ValueError("fpir is the rate at which FNIR was published: it does not go with rate='fpir'")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    known, sizes = as_class_counts(n_published, "n_published", minimum=2), as_class_counts(n_enrolled, "n_enrolled")
    searches, table = as_positive_int(n_searches, "n_searches"), np.atleast_2d(np.asarray(rates, dtype=np.float64))
    names = np.asarray([f"{i + 1}" for i in range(len(table))] if algorithms is None else algorithms, dtype=str)
    if table.shape != (names.size, known.size):
        raise ValueError(
            f"rates must have a row for each of the {names.size} algorithms and a column for each of the {known.size}"
            f" n_published, not the shape {table.shape}"
        )
    if (bad := table[(table < 0) | (table > 1)]).size:
        percent = ": these look like percentages, to be divided by 100" if bad.min() >= 0 and bad.max() <= 100 else ""
        raise ValueError(f"rates must lie between 0 and 1, not {bad[0]:.4g}{percent}")
    rows, notes = [], []
    for name, row in zip(names.tolist(), table, strict=True):
        given = ~np.isnan(row)
        if given.sum() < 2:
            raise ValueError(f"rates must have two or more for each algorithm, but {shown(name)} has {given.sum()}")
        continued, note = _continued(name, np.stack([known, row])[:, given], sizes, searches, kind, at, level)
        rows.append(continued)
        notes += [note] if note else []
    found, among = np.concatenate(rows), np.tile(sizes.astype(np.int64), names.size)
    about = (kind, at, int(known.max()), searches, level, notes)
    return PublishedRates(np.repeat(names, sizes.size), among, found[:, 0], found[:, 1:], *about)


def _continued(
    name: str, published: FloatArray, sizes: FloatArray, searches: int, kind: str, fpir: float | None, level: float
) -> tuple[FloatArray, str]:
    """Rate and the ends of its interval for each size, and what is unusual about the curve."""
    (known, rates), last = published, int(np.argmax(published[0]))
    if below := sizes[sizes < known.min()].astype(np.int64).tolist():
        message = (
            f"n_enrolled holds {listed(below)}, below the least published N, {known.min():,.0f}: there the fitted slope"
            " alone gives the rates, and the coverage of their intervals is not known"
        )
        warnings.warn(message, UserWarning, stacklevel=3)
    prior = _prior(kind, float(known[last]), float(rates[last]), searches, fpir)
    of, more = kind.upper(), int(kind == "fpir")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            curve = Extrapolator(GaussianProcess(prior)).fit_curve(known + more, 1 - rates, searches)
        except ValueError as error:
            raise ValueError(f"{of} of {shown(name)}, as the accuracy 1 - {of} with N classes: {error}") from None
    if caught:
        message = f"{of} of {shown(name)} falls as N grows, but at random it never does: fitted as if by chance"
        warnings.warn(message, UserWarning, stacklevel=3)
    beyond = sizes + more
    value, ends = 1 - curve.predict(beyond), 1 - curve.predict_interval(beyond, confidence_level=level)[:, ::-1]
    if kind == "fpir":
        ends[:, 1] = np.maximum(ends[:, 1], 1 - curve.fitted_.known.limits(beyond, level)[:, 0])
    unusual = curve.fitted_.departure
    return np.column_stack([value, ends]), f"{name}: {unusual}" if unusual else ""


def _prior(kind: str, n: float, rate: float, searches: int, fpir: float | None) -> CurvePrior:
    """Prior of accuracy curves whose slopes are, in the mean, that of 1 - rate where the published curve ends."""
    if kind == "fnir":
        slope = _steepness(-np.expm1((-_BEST_OF_ALL if fpir is None else np.log1p(-fpir)) / n))
        spread = 0.0
    else:
        # neither 0 nor 1, and the mean and standard deviation of a uniform distribution
        steepest = _steepness((searches * rate + 0.5) / (searches + 1))
        slope, spread = steepest / 2, steepest / np.sqrt(12)
    usual, *others = ACCURACY_CURVES.components
    first = [replace(part, slope=-slope, slope_sd=max(part.slope_sd, spread)) for part in (usual, *others)
             if isinstance(part, Straight) and part.axis == "decades"]  # fmt: skip
    rest = [part for part in others if not isinstance(part, Straight)]
    return CurvePrior((*first, *rest), ACCURACY_CURVES.temper)


def _steepness(p: float) -> float:
    """Slope of the probit of 1 - (1 - f)^N per decade of N where it is p; of the probit of f = 1 - (1 - a)^(1/N)."""
    return float(-np.log(10) * (1 - p) * np.log1p(-p) / density(special.ndtri(p)))
