"""False negative identification rates of galleries larger than the one searched."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex.open_set._intervals import wilson
from classex.open_set._tail import FittedTail, fit_tail
from classex.open_set._unequal import Mixing, supported
from classex.ranks.weights import weights_of_labels

__all__ = ["larger_misses"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_SHARE, _A_SEARCH = 0.01, 2.0
# own scores at which the tail's error is computed; between them it is read off a line
_NODES = 9


def larger_misses(
    scores: FloatArray, truth: IntArray, threshold: float, sizes: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Predicted FNIR and its interval (n_sizes, 2): the chance that others beat a search's own score, among N - 1.

    Scores are taken from the mean of their row. The others' scores have one tail, which goes on beyond those seen, and
    what impostors are in `larger_false_alarms` the searches are here: more or less often beaten than others with the
    same own score.
    """
    m, n = scores.shape
    own = scores[np.arange(m), truth]
    others = scores.copy()
    others[np.arange(m), truth] = 0.0
    middle = (others.sum(axis=1) / (n - 1))[:, np.newaxis]
    others = scores - middle
    others[np.arange(m), truth] = -np.inf
    place = own - middle[:, 0]
    reached, weights = own >= threshold, weights_of_labels(truth)
    people = int(np.unique(truth).size)
    weights = weights / people
    t = float(special.stdtrit(max(people - 1, 1), 0.5 + level / 2))
    least = float(special.chdtri(2, 1 - level)) / 2

    identity = np.unique(truth, return_inverse=True)[1]
    tail = fit_tail(others, identity, max(_SHARE, _A_SEARCH / n))
    log_rate, spread = _rates(others, place, tail)
    if tail is None:
        start = float(np.sort(others, axis=None)[-max(int(_A_SEARCH * m), 1)])
    else:
        start = tail.tail.start
    near = np.count_nonzero(others > start, axis=1)
    mixings = supported(near, weights * people, n - 1, float(weights @ near) / (n - 1), least)
    scaled = [one.scaled(1e-9) for one in mixings]  # as ratios to their mean
    likely = np.exp([one.log_likelihood - mixings[0].log_likelihood for one in mixings])

    def found(shift: float, one: Mixing) -> FloatArray:
        """Chance of success of each search among N - 1 others."""
        rate = np.minimum(np.exp(log_rate + shift * spread), 1.0)
        ratio = one.rate / 1e-9
        chance = np.zeros((sizes.size, m))
        for i, size in enumerate(sizes):
            at = np.flatnonzero(reached)
            with np.errstate(divide="ignore"):
                none = np.log1p(-np.minimum(np.multiply.outer(rate[at], ratio), 1.0))
            chance[i, at] = np.exp((size - 1) * none) @ one.weight
        return chance

    def missed(shift: float, one: Mixing) -> FloatArray:
        return 1.0 - found(shift, one) @ weights

    some = _few(scaled, likely)
    best = found(0.0, some[0])
    value = 1.0 - best @ weights
    low = np.min([missed(-t, one) for one in some], axis=0)
    high = np.max([missed(t, one) for one in some], axis=0)
    by_person = np.stack([np.bincount(identity, weights=weights * one) for one in best])
    variance = people * by_person.var(axis=1, ddof=1)
    trials = np.full(value.shape, float(people))
    varies = variance > 1e-18
    trials[varies] = value[varies] * (1 - value[varies]) / variance[varies]
    by_chance = wilson(value, np.maximum(trials, 1.0), people, level)
    ends = [value - np.hypot(value - by_chance[:, 0], value - low), value + np.hypot(by_chance[:, 1] - value, high - value)]
    return value, np.clip(np.stack(ends, axis=1), 0.0, 1.0)


def _few(mixings: list[Mixing], likely: FloatArray) -> list[Mixing]:
    """The likeliest mixing, and those of the supported ones that are most and least unequal."""
    unequal = np.array([float(one.weight @ np.square(one.rate)) for one in mixings])
    return [mixings[int(i)] for i in (np.argmax(likely), np.argmin(unequal), np.argmax(unequal))]


def _rates(others: FloatArray, place: FloatArray, tail: FittedTail | None) -> tuple[FloatArray, FloatArray]:
    """Logarithm of the share of others' scores at or above each own score, and its standard error."""
    ordered = np.sort(others, axis=None)
    finite = ordered[others.shape[0] :]
    above = finite.size - np.searchsorted(finite, place, side="left")
    log_rate = np.log(np.maximum(above, 0.5) / finite.size)
    spread = 1.0 / np.sqrt(np.maximum(above, 0.5))
    if tail is None:
        return log_rate, spread
    beyond = place > tail.tail.start
    if beyond.any():
        nodes = np.linspace(tail.tail.start, place.max(), _NODES + 1)[1:]
        known = [(at, *rate) for at in nodes if (rate := tail.log_rate(float(at))) is not None]
        log_rate[beyond] = -tail.tail.exponent(place[beyond])
        if known:
            at, _, variance = np.array(known).T
            spread[beyond] = np.interp(place[beyond], at, np.sqrt(variance))
    return log_rate, spread
