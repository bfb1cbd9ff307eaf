r"""Wrong scores shifted upwards stand for more classes: the shape of the accuracy curve beyond the observed classes.

Let :math:`T = -\log(\text{share of all wrong scores above})` be the height of a score. The highest of k wrong scores
rises by about one unit whenever k grows by the factor e, whatever the scores were; by how much exactly, b, shows in
the rows. So a truth that has to beat K - 1 wrong labels is about as well off as one that has to beat the observed
k1 - 1, each of them raised by :math:`b \log(K / k_1)`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._kernels.thresholds import count_below
from classex.curves.accuracy import accuracy_curve
from classex.ranks import as_ranks, point_shares
from classex.results import CorrectRanks

__all__ = ["ShiftedScores", "cautious_probit", "scores_serve", "shift_scores"]

FloatArray = NDArray[np.float64]

_FEWEST_FOR_SCORES = 20
_MOST_TIES = 0.02
# wrong scores behind the heights; of the highest, so many for the mean excess above the very highest
_POOLED = 1 << 20
_FEWEST_BEYOND, _SHARE_BEYOND, _MOST_BEYOND = 20, 0.001, 2_000
_BLOCK = 1 << 22
# so many times fewer classes must foretell what is seen with all of them
_FEWER = 8
# of a random eighth, the highest is among the highest 64 but for one chance in five thousand
_DEEPEST = 64
_LOG_FACTORS = np.arange(-3.0, 7.1, 0.5)
_MIDDLE = int(np.searchsorted(_LOG_FACTORS, 0.0))
_FEWEST_POINTS = 5.0
_SLOPE_OVER = 1.0
_BELIEVED = 0.5


def scores_serve(ranks: CorrectRanks) -> bool:
    """Whether scores can say more than ranks: at least 20 classes, and at most 2 % of the comparisons tied.

    Examples
    --------
    >>> import classex as cx
    >>> from classex.laws.shifted_scores import scores_serve
    >>> scores_serve(cx.ranks_from_wins([18, 19], 20))
    True
    """
    k1 = ranks.n_classes
    return k1 >= _FEWEST_FOR_SCORES and bool(ranks.ties.mean() <= _MOST_TIES * (k1 - 1))


def cautious_probit(accuracy: FloatArray, n_points: float) -> FloatArray:
    """Probits of accuracies over so many points, half a right and half a wrong point added.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.laws.shifted_scores import cautious_probit
    >>> cautious_probit(np.array([0.5, 1.0]), 9).round(2)
    array([0.  , 1.64])
    """
    return np.asarray(special.ndtri((n_points * accuracy + 0.5) / (n_points + 1)))


@dataclass(frozen=True)
class ShiftedScores:
    """Probit accuracies among the observed classes, the wrong scores shifted as if these were more, or fewer.

    Attributes
    ----------
    log_sizes : ndarray of shape (n,)
        Logarithms of the numbers of classes that the shifts stand for, ascending.
    probit : ndarray of shape (n,)
        Probits of the average accuracy.
    agreement : float
        How far the probit falls from an eighth of the observed classes to all of them, over what the shifted scores
        of an eighth foretell: 1 where these are right.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.laws import ShiftedScores
    >>> shifted = ShiftedScores(np.arange(3.0), np.array([1.0, 0.8, 0.5]), 1.0)
    >>> shifted.curve(np.exp([0.5, 3.0])).round(1), shifted.trust
    (array([0.9, 0.2]), 1.0)
    """

    log_sizes: FloatArray = field(repr=False)
    probit: FloatArray = field(repr=False)
    agreement: float

    @property
    def trust(self) -> float:
        """How far the shifts are to be believed, from 0 to 1: a normal curve around an agreement of 1."""
        return float(np.exp(-0.5 * ((self.agreement - 1) / _BELIEVED) ** 2))

    def curve(self, sizes: FloatArray) -> FloatArray:
        """Probit accuracies with K classes; beyond the shifts they go on along log K as they went last."""
        at, known = np.log(sizes), self.log_sizes
        out: FloatArray = np.interp(at, known, self.probit)
        for end, inner in ((known[0], known[0] + _SLOPE_OVER), (known[-1], known[-1] - _SLOPE_OVER)):
            rise = np.interp(end, known, self.probit) - np.interp(inner, known, self.probit)
            beyond = np.minimum(at - end, 0) if inner > end else np.maximum(at - end, 0)
            out = out + rise / (end - inner) * beyond
        return out


def shift_scores(ranks: CorrectRanks, scores: NDArray[Any]) -> ShiftedScores | None:
    r"""Guess the accuracies with other numbers of classes from shifted scores.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes.
    scores : ndarray of shape (n_test, k1)
        The scores behind them.

    Returns
    -------
    ShiftedScores or None
        None where the scores do not allow it: fewer than 20 classes, more than 2 % ties, scores that are not finite,
        or rows whose highest wrong scores do not rise with the number of classes.

    Raises
    ------
    TypeError
        If `ranks` is not a `CorrectRanks`.
    ValueError
        If points met samples of the wrong labels.

    Notes
    -----
    The height of a score is :math:`T(s) = -\log \bar F(s)`, with :math:`\bar F` the share of all wrong scores above s;
    a truth above all of them lies further up by its excess, in units of the mean excess of the highest. With
    :math:`m_k` the mean height, over points, of the highest of k - 1 random wrong scores, and
    :math:`b = (m_{k_1} - m_{k_1 / 8}) / \log 8`, the accuracy with K classes is guessed to be the share of the points
    whose truth, lowered by :math:`b \log(K / k_1)`, still beats all its wrong scores. It is exact where a larger number
    of classes shifts the law of the highest wrong score and changes nothing else, as for exponential tails of one
    width in all rows. Heights are ranks among all the wrong scores, so up to rounding no monotone change of all scores
    changes anything, but for truths that are above all wrong scores.

    What an eighth of the classes foretells for all of them is compared with what is seen (`agreement`).

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.99).sample(200, rng=1)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> shifted = cx.laws.shift_scores(ranks, sample.scores)
    >>> shifted.curve(np.array([200.0, 2_000.0])).round(1)
    array([-1.1, -2.2])
    """
    as_ranks(ranks)
    if not scores_serve(ranks):
        return None
    truth = scores[np.arange(ranks.n_points), ranks.labels].astype(np.float64)
    pooled = wrong_scores(scores, ranks.labels)
    if not np.isfinite([truth.min(), truth.max(), pooled[0], pooled[-1]]).all():
        return None
    k1, few = ranks.n_classes, round(ranks.n_classes / _FEWER)
    scale = Heights.of(pooled)
    rise = _rise(scores, ranks, few, scale)
    if not rise > 0:
        return None
    shifts = np.append(_LOG_FACTORS * rise / np.log(k1 / few), rise)
    order = np.argsort(-shifts)  # the lowest thresholds first
    lowered = scale.height(truth)[:, np.newaxis] - shifts[order]
    counted = [
        count_below(scores[rows].astype(np.float64), ranks.labels[rows], scale.score(lowered[rows]))
        for rows in _blocks(scores)
    ]
    wins, ties = (np.concatenate(part)[:, np.argsort(order)] for part in zip(*counted, strict=True))
    shifted = np.array([_accuracy(ranks, k1, wins[:, j], ties[:, j]) for j in range(_LOG_FACTORS.size)])
    seen = [_accuracy(ranks, few, ranks.wins, ranks.ties), _accuracy(ranks, k1, ranks.wins, ranks.ties)]
    foretold = _accuracy(ranks, few, wins[:, -1], ties[:, -1])
    few_seen, all_seen, all_foretold = cautious_probit(np.array([*seen, foretold]), ranks.n_points)
    agreement = (few_seen - all_seen) / max(few_seen - all_foretold, 1e-3)
    kept = _trusted(shifted, ranks.n_points)
    probit = cautious_probit(shifted[kept], ranks.n_points)
    return ShiftedScores(np.log(k1) + _LOG_FACTORS[kept], probit, float(agreement))


class Heights(NamedTuple):
    """The pooled wrong scores, ascending, and the mean excess of the highest."""

    pooled: FloatArray
    excess: float

    @classmethod
    def of(cls, pooled: FloatArray) -> Heights:
        n = pooled.size
        first = n - int(min(max(_FEWEST_BEYOND, _SHARE_BEYOND * n), _MOST_BEYOND))
        return cls(pooled, float((pooled[max(first, 0) :] - pooled[max(first, 0)]).mean()))

    @property
    def highest(self) -> float:
        """Height just above the highest wrong score."""
        return float(np.log(2 * (self.pooled.size + 1)))

    def height(self, scores: FloatArray) -> FloatArray:
        """Minus the logarithm of the share of wrong scores above."""
        n = self.pooled.size
        below = np.searchsorted(self.pooled, scores, "left") + np.searchsorted(self.pooled, scores, "right")
        out: FloatArray = -np.log((n - below / 2 + 0.5) / (n + 1))
        beyond = scores > self.pooled[-1]
        if self.excess > 0:
            out[beyond] += (scores[beyond] - self.pooled[-1]) / self.excess
        return out

    def score(self, heights: FloatArray) -> FloatArray:
        """Score of a given height, the inverse of `height` between the pooled scores."""
        n = self.pooled.size
        place = n - np.exp(np.minimum(-heights, 0.0)) * (n + 1)  # number of scores below, less one half
        out: FloatArray = np.interp(place, np.arange(n), self.pooled)
        beyond = np.maximum(heights - self.highest, 0.0) * self.excess
        return np.where(heights < 0, -np.inf, out + beyond)


def wrong_scores(scores: NDArray[Any], labels: NDArray[np.int64]) -> FloatArray:
    """The wrong scores of all points, or of evenly spaced ones if they are too many; ascending."""
    n, k1 = scores.shape
    rows = np.arange(0, n, max(1, n * k1 // _POOLED))
    wrong = np.ones((rows.size, k1), dtype=bool)
    wrong[np.arange(rows.size), labels[rows]] = False
    return np.sort(scores[rows][wrong].astype(np.float64))


def _blocks(scores: NDArray[Any]) -> list[slice]:
    """Rows of about four million scores at a time."""
    n, k1 = scores.shape
    step = max(1, _BLOCK // k1)
    return [slice(start, start + step) for start in range(0, n, step)]


def _rise(scores: NDArray[Any], ranks: CorrectRanks, few: int, scale: Heights) -> float:
    """By how much the mean height of the highest of k - 1 wrong scores rises from `few` to all classes."""
    wrong = ranks.n_classes - 1
    deep = min(_DEEPEST, wrong)
    # chance that the highest of few - 1 random wrong scores is the j-th highest of all
    rank = np.arange(deep)
    lost = special.gammaln(wrong - rank + 1) - special.gammaln(np.maximum(wrong - rank - few + 2, 1))
    missed = np.where(rank <= wrong - few + 1, np.exp(lost - lost[0]), 0.0)
    chance = np.append(missed[:-1] - missed[1:], missed[-1])
    rise = np.empty(ranks.n_points)
    for rows in _blocks(scores):
        block = scores[rows].astype(np.float64)
        block[np.arange(len(block)), ranks.labels[rows]] = -np.inf
        highest = np.sort(np.partition(block, wrong - deep + 1, axis=1)[:, wrong - deep + 1 :], axis=1)[:, ::-1]
        height = scale.height(highest)
        rise[rows] = height[:, 0] - height @ chance
    return float(point_shares(ranks) @ rise)


def _accuracy(ranks: CorrectRanks, size: int, wins: NDArray[np.int64], ties: NDArray[np.int64]) -> float:
    """Average accuracy with so many classes, for other wins and ties of the same points."""
    other = replace(ranks, wins=wins, ties=ties, distractors=None)
    return float(accuracy_curve(other, size).accuracy[0])


def _trusted(accuracy: FloatArray, n: int) -> NDArray[np.bool_]:
    """Shifts, around none, that leave at least five right and five wrong points; and one unit around none anyway."""
    enough = n * np.minimum(accuracy, 1 - accuracy) >= _FEWEST_POINTS
    enough[_MIDDLE - 2 : _MIDDLE + 3] = True
    place = np.arange(accuracy.size)
    holes = place[~enough]
    low = holes[holes < _MIDDLE].max(initial=-1)
    high = holes[holes > _MIDDLE].min(initial=accuracy.size)
    out: NDArray[np.bool_] = (place > low) & (place < high)
    return out
