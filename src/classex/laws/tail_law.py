"""The tails of the wrong scores: how far a point is from losing, where its rank only says that it wins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from classex.laws.ratio import ProbitLaw
from classex.ranks import as_ranks, point_shares
from classex.results import CorrectRanks

__all__ = ["calibrate_tail_law", "fit_tail_law", "scores_serve"]

FloatArray = NDArray[np.float64]

_FEWEST_FOR_SCORES = 20
_MOST_TIES = 0.02
_TAIL = 0.1
_FEWEST_IN_ROW = 5
_FEWEST_BEYOND = 20
_SHAPES = (-0.5, 0.9)
_LEAST_CHANCE = 1e-15
_STEP = 0.02
_BLOCK = 1 << 22
# prior of the calibration a + b W: standard deviations of a and of log b
_PRIOR_SD = np.array([1.0, 0.2])
_LEAST = 1e-9


def scores_serve(ranks: CorrectRanks) -> bool:
    """Whether scores can say more than ranks: at least 20 classes, and at most 2 % of the comparisons tied.

    Examples
    --------
    >>> import classex as cx
    >>> from classex.laws.tail_law import scores_serve
    >>> scores_serve(cx.ranks_from_wins([18, 19], 20))
    True
    """
    k1 = ranks.n_classes
    return k1 >= _FEWEST_FOR_SCORES and bool(ranks.ties.mean() <= _MOST_TIES * (k1 - 1))


def fit_tail_law(ranks: CorrectRanks, scores: NDArray[Any]) -> ProbitLaw | None:
    r"""Guess the law of the probit of the favourability from the pooled tails of the wrong scores.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes.
    scores : ndarray of shape (n_test, k1)
        The scores behind them.

    Returns
    -------
    ProbitLaw or None
        One node a point, those that agree to .02 lumped. None where the scores do not allow it: fewer than 20
        classes, more than 2 % ties, scores that are not finite, a row whose tail has no width, or fewer than 40
        excesses in all.

    Raises
    ------
    TypeError
        If `ranks` is not a `CorrectRanks`.
    ValueError
        If points met samples of the wrong labels.

    Notes
    -----
    Each row is measured by its own tail: :math:`t_i` is the level that a tenth of its wrong scores exceed,
    :math:`e_i` their mean excess. A mean of few excesses is uncertain, and one near twin makes it large, so it is drawn
    halfway to the geometric mean over rows, :math:`\sigma_i = \sqrt{e_i\, \bar e}`. In these units the excesses of all
    rows are pooled. A point whose true score lies :math:`x_i > 0` units above :math:`t_i` loses to a wrong label with
    chance

    .. math:: 1 - U_i = p\, S(x_i), \qquad
       S(y) = \tfrac{1}{10} \Bigl(1 + \frac{\xi (y - v)}{\beta}\Bigr)^{-1/\xi} \quad (y > v),

    with :math:`p` the share of wrong scores above :math:`t_i` and :math:`v` the level that a tenth of the excesses
    exceed. Up to :math:`v`, :math:`S(y)` is the observed share of excesses above :math:`y`; beyond, a generalised
    Pareto tail, its shape :math:`\xi` and width :math:`\beta` from probability-weighted moments. Nothing here depends
    on the number of classes, and a curve of such :math:`U` falls.

    At least five wrong scores make a row's tail. A point below its own tail is judged by its rank: half a loss and
    half a win are added to its losses and wins. Sources: Pickands (Annals of Statistics, 1975) for the tail; Hosking
    and Wallis (Technometrics, 1987, section 3) for its probability-weighted moments
    :math:`b_0 = E Y, b_1 = E Y (1 - F(Y))`, with Y an excess over :math:`v` and F its law:
    :math:`\xi = 2 - b_0 / (b_0 - 2 b_1)`, :math:`\beta = 2 b_0 b_1 / (b_0 - 2 b_1)`.
    Here :math:`\xi` is kept between -1/2 and .9.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.99).sample(200, rng=1)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> law = cx.laws.fit_tail_law(ranks, sample.scores)
    >>> law.accuracy(np.array([200.0])).round(1), round(float(law.weight.sum()), 6)
    (array([0.1]), 1.0)
    """
    as_ranks(ranks)
    if not scores_serve(ranks):
        return None
    wrong = ranks.n_classes - 1
    beyond = min(max(round(_TAIL * wrong), _FEWEST_IN_ROW), wrong - 1)
    level, excess, truth = _tails(scores, ranks.labels, beyond)
    mean = excess.mean(axis=1)
    if not (np.isfinite(truth).all() and np.isfinite(excess).all() and (mean > 0).all()):
        return None
    if excess.size < 2 * _FEWEST_BEYOND:
        return None
    scale = np.sqrt(mean * np.exp(np.log(mean).mean()))
    share = _survival((truth - level) / scale, np.sort((excess / scale[:, np.newaxis]).ravel()))
    losses = wrong - ranks.wins - ranks.ties / 2
    by_rank = np.maximum((losses + 0.5) / (wrong + 1), beyond / wrong)
    chance = np.where(truth > level, beyond / wrong * share, by_rank)
    guess = -special.ndtri(np.clip(chance, _LEAST_CHANCE, 1 - _LEAST_CHANCE))
    nodes, which = np.unique(np.rint(guess / _STEP), return_inverse=True)
    return ProbitLaw(nodes * _STEP, np.bincount(which, weights=point_shares(ranks)).astype(np.float64))


def _tails(scores: NDArray[Any], labels: NDArray[np.int64], beyond: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Level of every row's tail, the excesses above it, and the true score; a block of rows at a time."""
    n, k1 = scores.shape
    level, excess, truth = np.empty(n), np.empty((n, beyond)), np.empty(n)
    for rows in np.array_split(np.arange(n), max(1, n * k1 // _BLOCK)):
        block = scores[rows].astype(np.float64)
        at = np.arange(rows.size), labels[rows]
        truth[rows] = block[at]
        block[at] = -np.inf
        block.partition(k1 - 1 - beyond, axis=1)
        level[rows] = block[:, k1 - 1 - beyond]
        with np.errstate(invalid="ignore"):  # infinite scores are looked for by the caller
            excess[rows] = block[:, k1 - beyond :] - level[rows, np.newaxis]
    return level, excess, truth


def _survival(x: FloatArray, pooled: FloatArray) -> FloatArray:
    """Share of the sorted pooled excesses above x, half of those equal to it; a Pareto tail beyond their last tenth."""
    n = pooled.size
    first = n - max(n // 10, _FEWEST_BEYOND)
    start, tail = pooled[first], pooled[first:] - pooled[first]
    # the smallest excess is exceeded by all the others
    b0, b1 = tail.mean(), float(np.arange(tail.size)[::-1] @ tail) / (tail.size * (tail.size - 1))
    shape = np.clip(2 - b0 / (b0 - 2 * b1), *_SHAPES) if b0 > 2 * b1 else _SHAPES[0]
    # the width that keeps the mean excess
    width = b0 * (1 - shape)
    if not width > 0:
        start = np.inf
    seen = 1 - (np.searchsorted(pooled, x, "left") + np.searchsorted(pooled, x, "right")) / (2 * n)
    far = np.maximum(x - start, 0.0) / (width if width > 0 else 1.0)
    with np.errstate(divide="ignore"):
        log_share = -np.log1p(np.maximum(shape * far, -1.0)) / shape if abs(shape) > 1e-6 else -far
    out: FloatArray = np.where(x > start, tail.size / n * np.exp(log_share), seen)
    return out


def calibrate_tail_law(law: ProbitLaw, sizes: FloatArray, probit: FloatArray, covariance: FloatArray) -> ProbitLaw:
    r"""Bring the curve of a law to an observed one by :math:`W \mapsto a + b W`, which keeps the points' order.

    Parameters
    ----------
    law : ProbitLaw
        The law.
    sizes, probit : ndarray of shape (n,)
        Numbers of classes, and the probits of the accuracies observed with so many.
    covariance : ndarray of shape (n, n)
        Covariance of the observed probits around those of the best a and b.

    Returns
    -------
    ProbitLaw
        With the a and b of largest posterior density, where :math:`a \sim N(0, 1), \log b \sim N(0, 0.2^2)`.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.laws import ProbitLaw, calibrate_tail_law
    >>> sizes = np.array([2.0, 10.0, 100.0])
    >>> asked = np.array([1.6, 0.9, 0.1])  # .945, .816 and .540
    >>> law = calibrate_tail_law(
    ...     ProbitLaw.normal(1.0, 1.0), sizes, asked, 1e-4 * np.eye(3)
    ... )
    >>> bool(np.abs(law.accuracy(sizes) - [0.945, 0.816, 0.540]).max() < 0.03)
    True
    """
    root = np.linalg.cholesky(np.linalg.inv(covariance))

    def misfit(place: FloatArray) -> FloatArray:
        moved = ProbitLaw(place[0] + np.exp(place[1]) * law.nodes, law.weight)
        return np.concatenate([root.T @ (probit - probit_curve(moved, sizes)), place / _PRIOR_SD])

    a, log_b = optimize.least_squares(misfit, np.zeros(2), max_nfev=15).x
    return ProbitLaw(a + np.exp(log_b) * law.nodes, law.weight)


def probit_curve(law: ProbitLaw, sizes: FloatArray) -> FloatArray:
    """Probits of a law's accuracies, between -6 and 6."""
    out: FloatArray = special.ndtri(np.clip(law.accuracy(sizes, 1), _LEAST, 1 - _LEAST))
    return out
