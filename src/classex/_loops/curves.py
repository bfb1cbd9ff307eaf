"""Averages over subsets of the classes: of accuracy, of any function of the rank, of cost, and with stored examples."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._loops import loop
from classex._loops.threads import by_rows, row_blocks
from classex._types import FloatArray, IntArray

__all__ = [
    "beaten_subsets",
    "expected_given_favourability",
    "expected_of_rank",
    "leave_labels_out",
    "ordered_costs",
    "subset_accuracy",
]

# terms below this share of the largest one do not reach a sum in double precision
_NEGLIGIBLE = 1e-30
# odds that stand for 0 and infinity
_SMALLEST, _LARGEST = 1e-300, 1e300
# numbers that are computed together, in the first cache or in the second, and the length of rows from which a loop over
# them is the fastest
_TOGETHER, _RUNNING, _WIDE = 8192, 2**16, 200
# terms of a sum at a time, and the share of unfinished sums below which the others are dropped
_MOST_TERMS, _WORTH = 64, 0.75
# factors of a product that take as long as its closed form
_FACTORS = 16
# numbers of wrong labels up to which numbers of ways to choose 64 of them stay finite
_MOST_WAYS = 10**4
# columns of a recurrence side by side, columns that take as long as a step without any, and steps of a column that take
# as long as a mean by its terms
_ABREAST, _STEP_ALONE, _TERMS = 128, 25, 6
# numbers from which Stirling's series has the precision of a float
_STIRLING = 16
_BLOCK = 2**22
# steps that an entry takes
_SORTING = 30.0


def subset_accuracy(wins: IntArray, n_classes: int, sizes: IntArray, top: int) -> FloatArray:
    """Probability, for each number of wins and each (sorted) subset size, that the truth is in the top."""
    most, drawn = int(sizes.max(initial=1)), sizes[:, np.newaxis] - 1
    running = most <= _FACTORS * sizes.size and (top == 1 or n_classes <= _MOST_WAYS)
    step = max(_WIDE, _BLOCK // (most if running else sizes.size))
    chances = _running if running else _few_beat
    parts = [
        chances(wins[first : first + step], n_classes - 1, drawn, top).T for first in range(0, max(wins.size, 1), step)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _running(wins: IntArray, n_wrong: int, drawn: IntArray, top: int) -> FloatArray:
    """Probability that fewer than `top` of the wrong labels drawn beat the truth, by one product through all numbers.

    With p_d = C(wins, d) / C(n_wrong, d), the probability that j of d labels beat the truth is the product of
    p_(d-j), C(losses, j) and C(n_wrong, d - j) / C(n_wrong, d).
    """
    number, most = wins.astype(float), int(drawn.max(initial=0))
    p = np.empty((top + most, wins.size))  # row top - 1 + d is p_d
    p[: top - 1], p[top - 1] = 0.0, 1.0
    step = max(1, _RUNNING // max(wins.size, 1))
    for first in range(0, most, step):
        z = np.arange(float(first), min(first + step, most))[:, np.newaxis]
        factors = np.subtract(number, z, out=p[top + first : top + first + z.size])
        np.maximum(factors, 0.0, out=factors)
        factors /= n_wrong - z  # not times the reciprocal: equal numbers give exactly 1
        for former, row in pairwise(p[top - 1 + first : top + first + z.size]):
            np.multiply(former, row, out=row)
    if top == 1:
        return p if drawn.size == most + 1 else p[drawn[:, 0]]
    total, ways, share = p[drawn[:, 0] + top - 1], np.ones(wins.size), np.ones(drawn.shape)
    for j in range(1, top):
        ways, share = ways * ((n_wrong - number - j + 1) / j), share * ((drawn - j + 1) / (n_wrong - drawn + j))
        total += p[drawn[:, 0] + top - 1 - j] * ways * share
    return np.minimum(total, 1.0, out=total)


def _accumulate(operation: np.ufunc, rows: FloatArray) -> None:
    """Apply an operation to every row and the former result, in place."""
    if rows.shape[1] < _WIDE:
        operation.accumulate(rows, axis=0, out=rows)
        return
    for former, row in pairwise(rows):
        operation(row, former, out=row)


def _none_beats(wins: IntArray, n_wrong: int, drawn: IntArray) -> FloatArray:
    """C(wins, drawn) / C(n_wrong, drawn), by a form of Stirling's whose terms do not exceed the shorter product's."""
    wins, drawn = np.broadcast_arrays(wins, drawn)
    losses, left = n_wrong - wins, np.maximum(wins - drawn, 0)
    few, many = np.minimum(losses, drawn), np.maximum(losses, drawn)
    log_p = special.xlog1py(n_wrong - few, -few / max(n_wrong, 1))
    log_p += special.xlog1py(few, -many / max(n_wrong, 1)) - special.xlog1py(left, -few / np.maximum(left + few, 1))
    log_p += (_stirling(wins) - _stirling(n_wrong)) + (_stirling(n_wrong - drawn) - _stirling(left))
    return np.where(wins >= drawn, np.exp(log_p), 0.0)


def _stirling(x: Any) -> FloatArray:
    """Log x! - x log x + x for whole numbers."""
    small, y = np.arange(_STIRLING), np.maximum(x, float(_STIRLING))
    table = special.gammaln(small + 1.0) - special.xlogy(small, small) + small
    square = 1 / (y * y)
    series: FloatArray = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / y
    series += 0.5 * np.log(2 * np.pi * y)
    return np.where(x < _STIRLING, table[np.minimum(x, _STIRLING - 1)], series)


def _few_beat(wins: IntArray, n_wrong: int, drawn: IntArray, top: int) -> FloatArray:
    """Probability that fewer than `top` of the wrong labels drawn beat the truth, from that of none."""
    p = _none_beats(wins, n_wrong, drawn)
    if top == 1:
        return p
    wins, drawn = np.broadcast_arrays(wins, drawn)
    losses, h = n_wrong - wins, np.maximum(drawn - wins, 0)
    p, some = np.where(h > 0, 0.0, p), (h > 0) & (h < top)
    p[some] = _none_beats(drawn[some], n_wrong, wins[some])
    total = p.copy()
    for _ in range(top - 1):
        p = p * ((losses - h) * (drawn - h) / ((h + 1.0) * (wins - drawn + h + 1.0)))
        h = h + 1
        p[h >= top] = 0.0
        total += p
    return np.minimum(total, 1.0)


def _mean_from_mode(
    value: FloatArray,
    mode: FloatArray,
    drawn: FloatArray,
    odds: FloatArray,
    losses: FloatArray | None,
    wins: FloatArray,
) -> FloatArray:
    """Mean of ``value[h]`` by terms from the largest outwards, which neither overflow nor underflow.

    Successive probabilities have the ratio ``odds (losses - h) (drawn - h) / ((h + 1) (wins - drawn + h + 1))``, a
    hypergeometric distribution, or, without `losses`, ``odds (drawn - h) / (h + 1)``, a binomial one. Its numerator
    ends the terms above the mode, and its denominator those below.
    """
    mass, total, given = np.ones(mode.size), value[mode.astype(np.intp)], (mode, drawn, odds, losses, wins)
    for direction in (1, -1):
        alive, p = np.arange(mode.size), np.ones(mode.size)
        h, drawn, odds, losses, wins = given
        while alive.size:
            away = np.arange(min(max(_TOGETHER // alive.size, 1), _MOST_TERMS))[:, np.newaxis]
            lower = h + away if direction > 0 else h - 1 - away
            up, down = odds * (drawn - lower), lower + 1
            if losses is not None:
                up, down = up * (losses - lower), down * (wins - drawn + down)
            terms = np.divide(up, down) if direction > 0 else np.divide(down, up)
            terms[0] *= p
            _accumulate(np.multiply, terms)
            mass[alive] += terms.sum(axis=0)
            place = lower + 1 if direction > 0 else lower
            total[alive] += (terms * value.take(place.astype(np.intp), mode="clip")).sum(axis=0)
            p, h = terms[-1], h + direction * away.size
            keep = p > _NEGLIGIBLE
            if np.count_nonzero(keep) < _WORTH * keep.size:
                alive, p, h, drawn, odds, wins = (a[keep] for a in (alive, p, h, drawn, odds, wins))
                losses = None if losses is None else losses[keep]
    return np.asarray(total / mass)


def expected_of_rank(wins: IntArray, n_wrong: int, sizes: IntArray, value: FloatArray) -> FloatArray:
    """Mean of ``value[h]``, h the number of wrong labels that beat the truth in a random subset.

    Of `n_wrong` wrong labels ``sizes - 1`` are drawn; ``n_wrong - wins`` of them beat the truth, so h is
    hypergeometric.
    """
    (losses, row), (drawn, column) = (np.unique(a, return_inverse=True) for a in (n_wrong - wins, sizes - 1))
    fewer = min(losses.size, drawn.size)
    if n_wrong * (fewer + _STEP_ALONE) <= _TERMS * losses.size * drawn.size:
        # the distribution is symmetric in the two numbers
        swapped = fewer < losses.size
        mean = _by_putting_back(*((drawn, losses) if swapped else (losses, drawn)), n_wrong, value)
        return np.asarray((mean if swapped else mean.T)[row][:, column])
    out = np.empty(sizes.size * wins.size)
    every_drawn, every_wins = np.repeat(sizes - 1.0, wins.size), np.tile(wins.astype(float), sizes.size)
    for part in row_blocks(out.size, _TOGETHER):
        d, won = every_drawn[part], every_wins[part]
        lost = n_wrong - won
        mode = np.floor((d + 1) * (lost + 1) / (n_wrong + 2))
        mode = np.clip(mode, np.maximum(d - won, 0), np.minimum(lost, d))
        out[part] = _mean_from_mode(value, mode, d, np.ones(won.size), lost, won)
    return out.reshape(sizes.size, wins.size).T


def _by_putting_back(losses: IntArray, drawn: IntArray, n_wrong: int, value: FloatArray) -> FloatArray:
    """Mean of ``value[h]`` for all losses and numbers drawn, both ascending: shape (n_drawn, n_losses).

    If d labels are drawn and h of them beat the truth, one that is put back is one of these with probability h / d, so
    P(h | d - 1) = (1 - h / d) P(h | d) + (h + 1) / d P(h + 1 | d): sums of positive numbers, from h = losses, where all
    are drawn. Far from the mean, where less than 1e-18 lies, they are left out.
    """
    out, number, d = (
        np.empty((drawn.size, losses.size)),
        np.arange(n_wrong + 2.0)[:, np.newaxis],
        np.arange(n_wrong + 1),
    )
    wanted = dict(zip(drawn.tolist(), out, strict=True))
    for part in row_blocks(losses.size, _ABREAST):
        lost = losses[part]
        share, p = lost / n_wrong, np.zeros((n_wrong + 2, lost.size))
        p[lost, np.arange(lost.size)] = 1.0
        if n_wrong in wanted:
            wanted[n_wrong][part] = value[lost]
        width = 9.5 * np.sqrt(d * (n_wrong - d) / max(n_wrong - 1, 1) * (share * (1 - share)).max()) + 20
        lowest = np.maximum(d * share[0] - width, 0).astype(int).tolist()
        highest = np.minimum(d * share[-1] + width, np.minimum(d, lost[-1])).astype(int).tolist()
        for left in range(n_wrong - 1, int(drawn[0]) - 1, -1):
            low, high = lowest[left], highest[left + 1] + 1
            moved = p[low + 1 : high + 1] * (number[low + 1 : high + 1] / (left + 1))
            here = p[low:high]
            here *= (left + 1 - number[low:high]) / (left + 1)
            here += moved
            if left in wanted:
                wanted[left][part] = value[low : highest[left] + 1] @ here[: highest[left] + 1 - low]
    return out


def expected_given_favourability(
    favourability: FloatArray, complement: FloatArray, sizes: IntArray, value: FloatArray
) -> FloatArray:
    """Mean of ``value[h]``, h binomial: the number of ``sizes - 1`` wrong labels that beat the truth.

    Each does so with probability `complement`, one minus the favourability.
    """
    out = np.empty(sizes.size * favourability.size)
    every_drawn = np.repeat(sizes - 1.0, favourability.size)
    odds = np.clip(complement / np.maximum(favourability, _SMALLEST), _SMALLEST, _LARGEST)
    every_odds, chance = np.tile(odds, sizes.size), np.tile(complement, sizes.size)
    for part in row_blocks(out.size, _TOGETHER):
        drawn = every_drawn[part]
        mode = np.clip(np.floor((drawn + 1) * chance[part]), 0, drawn)
        out[part] = _mean_from_mode(value, mode, drawn, every_odds[part], None, drawn)
    return out.reshape(sizes.size, favourability.size).T


def ordered_costs(scores: NDArray[Any], labels: IntArray, cost: FloatArray, out: FloatArray, order: IntArray) -> None:
    """Fill `out` with the cost of the m-th lowest wrong label if it beats the truth, and `order` with the labels.

    Ties are broken at random, in expectation: labels that tie with each other share their mean cost, and of t
    labels that tie with the truth the p-th from below beats it with probability p / (t + 1).
    """

    def work(rows: slice) -> None:
        block, own = scores[rows], labels[rows, np.newaxis]
        sequence = np.argsort(block, axis=1)
        order[rows] = column = sequence[sequence != own].reshape(block.shape[0], -1)
        value, truth = np.take_along_axis(block, column, axis=1), np.take_along_axis(block, own, axis=1)
        first = np.ones(value.shape, dtype=bool)
        np.not_equal(value[:, 1:], value[:, :-1], out=first[:, 1:])
        (start,), tie = np.nonzero(first.ravel()), np.cumsum(first) - 1
        size = np.diff(start, append=first.size)
        mean = (np.bincount(tie, cost[own, column].ravel()) / size)[tie].reshape(value.shape)
        chance = ((np.arange(first.size) - start[tie] + 1) / (size[tie] + 1)).reshape(value.shape)
        out[rows] = np.where(value > truth, mean, np.where(value == truth, mean * chance, 0.0))

    by_rows(work, scores.shape[0], _SORTING * scores.shape[1])


def leave_labels_out(costs: FloatArray, order: IntArray, share: FloatArray, weights: FloatArray) -> FloatArray:
    """Sum over the rows of their risk without each label, times the row's share: shape (n_classes, n_sizes).

    `weights` of shape (n_classes - 2, n_sizes) belong to the wrong labels that remain, lowest first.
    """
    n_classes = costs.shape[1] + 1

    def work(rows: slice) -> FloatArray:
        label, each = order[rows].T.ravel(), np.ascontiguousarray((costs[rows] * share[rows, np.newaxis]).T)
        falls, added = each[:-1] - each[1:], np.empty((n_classes, weights.shape[1]))
        for weight, sums in zip(weights.T, added.T, strict=True):
            risk = np.empty(each.shape)
            risk[0] = weight @ each[1:]
            np.multiply(falls, weight[:, np.newaxis], out=risk[1:])
            _accumulate(np.add, risk)
            sums[:] = np.bincount(label, risk.ravel(), n_classes)
        return added

    parts = by_rows(work, costs.shape[0], 8.0 * n_classes, least=_WIDE)
    return np.asarray(sum(parts, start=np.zeros((n_classes, weights.shape[1]))))


def _beaten_subsets(
    beaten: FloatArray,
    truth: int,
    weight: FloatArray,
    drawn: IntArray,
    half: int,
    value: FloatArray,
    without: FloatArray,
) -> None:
    n, mean = beaten.shape[1] - 1, np.zeros((beaten.shape[0], drawn[-1] + 1))
    mean[:, 0] = 1.0
    for i, p in enumerate(np.sort(np.delete(beaten, truth, axis=1).T, axis=0)[::-1]):
        last = min(drawn[-1], i + 1)
        share = np.arange(1, last + 1) / (i + 1)
        mean[:, 1 : last + 1] = (1 - share) * mean[:, 1 : last + 1] + share * p[:, np.newaxis] * mean[:, :last]
    value += weight @ mean[:, drawn]
    rest = np.ones(beaten.shape)
    for m in range(half + 1):
        if m > 0:
            rest = (n * mean[:, m, np.newaxis] - m * beaten * rest) / (n - m)
        added = weight @ rest
        added[truth] = 0.0
        without[:, drawn == m] += added[:, np.newaxis]


@loop(_beaten_subsets)
def beaten_subsets(
    beaten: NDArray[np.float64],
    truth: int,
    weight: NDArray[np.float64],
    drawn: NDArray[np.int64],
    half: int,
    value: NDArray[np.float64],
    without: NDArray[np.float64],
) -> None:
    """Add the weighted means of each row to `value`, and those without class c to row c of `without`.

    Row by row, wrong class c is beaten with probability ``beaten[row, c]``, independently. With p the probability of
    the n-th class, the mean over subsets of m of the first n is (1 - m / n) mean_m + (m / n) p mean_(m-1), a mean of
    probabilities at every step. The same equation is solved for the mean without one class; with m up to `half`, at
    most half of the classes, rounding errors do not grow. `drawn` holds the m, in ascending order.
    """
    n = beaten.shape[1] - 1
    for row in range(beaten.shape[0]):
        p = beaten[row].copy()
        p[truth] = 2.0  # first in the order, and skipped
        order = np.argsort(-p)[1:]
        mean, former = np.zeros((2, drawn[-1] + 1))
        mean[: (p == 1.0).sum() + 1] = former[0] = 1.0
        for i in range(n):
            q, each = p[order[i]], 1.0 / (i + 1.0)
            if q < 1.0:
                mean, former = former, mean
                for m in range(1, min(drawn[-1], i + 1) + 1):
                    mean[m] = (1.0 - m * each) * former[m] + m * each * q * former[m - 1]
        for size in range(drawn.size):
            value[size] += weight[row] * mean[drawn[size]]
        q, left = -1.0, np.zeros(drawn.size)
        for c in order:
            if p[c] != q:  # equal probabilities follow each other
                q, size, rest = p[c], 0, 1.0
                for m in range(half + 1):
                    if m > 0:
                        rest = (n * mean[m] - m * q * rest) / (n - m)
                    while size < drawn.size and drawn[size] == m:
                        left[size] = rest
                        size += 1
            for size in range(drawn.size):
                without[c, size] += weight[row] * left[size]
