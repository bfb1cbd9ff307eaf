"""False negative identification rates of galleries larger than the one searched."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._rates import rate_interval
from classex.open_set._larger import BEYOND
from classex.open_set._tail import FittedTail, fit_tail
from classex.open_set._unequal import Mixing, supported
from classex.ranks.weights import weights_of_labels

__all__ = ["larger_misses"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_SHARE, _A_SEARCH = 0.01, 2.0
# own scores at which the tail's error is computed; between them it is read off a line
_NODES = 9
# a mean rate so small that no ratio to it ends at one
_UNIT = 1e-9


def larger_misses(
    scores: FloatArray, truth: IntArray, threshold: float, sizes: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Predicted FNIR and its interval (n_sizes, 2): the chance that others beat a search's own score, among N - 1.

    Scores are taken from the middle of their row, as far as rows differ. The others' scores have one tail, which goes
    on beyond those seen, and what impostors are in `larger_false_alarms` the searches are here: more or less often
    beaten than others with the same own score.
    """
    m, n = scores.shape
    own = scores[np.arange(m), truth]
    middle = _middles(scores, truth)
    others = scores - middle[:, np.newaxis]
    others[np.arange(m), truth] = -np.inf
    place = own - middle
    reached, weights = own >= threshold, weights_of_labels(truth)
    people = int(np.unique(truth).size)
    weights = weights / people
    t = float(special.stdtrit(max(people - 1, 1), 0.5 + level / 2))
    least = float(special.chdtri(2, 1 - level)) / 2

    identity = np.unique(truth, return_inverse=True)[1]
    tail = fit_tail(others, identity, max(_SHARE, _A_SEARCH / n))
    middle_rate, low_rate, high_rate = _rates(others, place, tail, t, level)
    start = tail.tail.start if tail is not None else float(np.sort(others, axis=None)[-max(int(_A_SEARCH * m), 1)])
    near = np.count_nonzero(others > start, axis=1)
    mixings = supported(near, weights * people, n - 1, max(float(weights @ near), 1 / m) / (n - 1), least)
    scaled = [one.scaled(_UNIT) for one in mixings]  # as ratios to their mean
    likely = np.exp([one.log_likelihood - mixings[0].log_likelihood for one in mixings])

    def found(rate: FloatArray, one: Mixing) -> FloatArray:
        """Chance of success of each search among N - 1 others."""
        chance, at = np.zeros((sizes.size, m)), np.flatnonzero(reached)
        with np.errstate(divide="ignore"):
            none = np.log1p(-np.minimum(np.multiply.outer(rate[at], one.rate / _UNIT), 1.0))
        for i, size in enumerate(sizes):
            chance[i, at] = (np.exp((size - 1) * none) if size > 1 else np.ones_like(none)) @ one.weight
        return chance

    def missed(rate: FloatArray, one: Mixing) -> FloatArray:
        return 1.0 - found(rate, one) @ weights

    some = _few(scaled, likely)
    best = found(middle_rate, some[0])
    value = 1.0 - best @ weights
    low = np.min([missed(low_rate, one) for one in some], axis=0)
    high = np.max([missed(high_rate, one) for one in some], axis=0)
    by_person = np.stack([np.bincount(identity, weights=weights * one) for one in best])
    variance = people * by_person.var(axis=1, ddof=1)
    room = np.maximum(value * (1 - value), 0.0)
    by_chance = rate_interval(value, np.minimum(np.sqrt(variance), np.sqrt(room)), people, level)
    lower = value - np.hypot(value - by_chance[:, 0], value - low)
    upper = value + np.hypot(by_chance[:, 1] - value, high - value)
    return value, np.clip(np.stack([lower, upper], axis=1), 0.0, 1.0)


def _middles(scores: FloatArray, truth: IntArray) -> FloatArray:
    """Mean of the others' scores of each search, drawn to that of all by as much of it as is chance.

    A row's own mean holds the scores that are judged by it: where rows are alike it would only cut their tail short.
    The part that is not chance comes from the analysis of variance of rows and columns.
    """
    other = np.ones(scores.shape, dtype=bool)
    other[np.arange(truth.size), truth] = False
    mean = float(scores[other].mean())
    held = np.where(other, scores - mean, 0.0)
    size = other.sum(axis=0)
    column = held.sum(axis=0) / np.maximum(size, 1)
    rest = np.where(other, held - column, 0.0)
    per_row = scores.shape[1] - 1
    row = rest.sum(axis=1) / per_row
    between = per_row * float(row.var(ddof=1))
    freedom = truth.size * per_row - truth.size - np.count_nonzero(size) + 1
    within = float(np.square(rest).sum() - per_row * np.square(row).sum()) / max(freedom, 1)
    real = max(1.0 - within / between, 0.0) if between > 0 else 0.0
    middle: FloatArray = mean + real * held.sum(axis=1) / per_row
    return middle


def _few(mixings: list[Mixing], likely: FloatArray) -> list[Mixing]:
    """The likeliest mixing, and those of the supported ones that are most and least unequal."""
    unequal = np.array([float(one.weight @ np.square(one.rate)) for one in mixings])
    return [mixings[int(i)] for i in (np.argmax(likely), np.argmin(unequal), np.argmax(unequal))]


def _rates(others: FloatArray, place: FloatArray, tail: FittedTail | None, t: float, level: float) -> FloatArray:
    """Share of others' scores at or above each own score, and the ends of its interval: (3, n_searches)."""
    finite = np.sort(others, axis=None)[others.shape[0] :]  # a search is no other of its own
    above = (finite.size - np.searchsorted(finite, place, side="left")).astype(np.float64)
    low = np.where(above > 0, special.gammaincinv(np.maximum(above, 1), 0.5 - level / 2), 0.0)
    rates = np.stack([above, low, special.gammaincinv(above + 1, 0.5 + level / 2)]) / finite.size
    if tail is None or place.max() <= tail.tail.start:
        return np.minimum(rates, 1.0)
    nodes = np.linspace(tail.tail.start, place.max(), _NODES + 1)[1:]
    known = [(at, rate[1]) for at in nodes if (rate := tail.log_rate(float(at))) is not None]
    if known:
        at, variance = np.array(known).T
        beyond = np.flatnonzero((place > tail.tail.start) & (place <= at[-1]))
        spread = t * np.interp(place[beyond], at, np.sqrt(variance))
        log_rates = np.array([[0.0], [-1.0], [1.0]]) * spread - tail.tail.exponent(place[beyond])
        rates[:, beyond] = np.exp(np.minimum(log_rates, 0.0))
        rates[2] = np.maximum(rates[2], BEYOND / finite.size)
    return np.minimum(rates, 1.0)
