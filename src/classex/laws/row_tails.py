r"""Whether one law serves for the wrong scores of all points: what a law of scores takes for granted.

A law of scores pools the wrong scores of all points, each row shifted and scaled, to say how many of very many wrong
labels would beat a true score. That is right if the rows are samples of one law. Where some points have near twins
among the classes and others have none, the highest scores of the rows lie further apart than such samples would, and
the pool is right for nobody.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._kernels.interpolation import interpolate
from classex.laws.score_law import scaled_rows
from classex.laws.shifted_scores import Heights, scores_serve, wrong_scores
from classex.ranks import as_ranks
from classex.results import CorrectRanks

__all__ = ["alike_rows", "normal_scores", "tail_dispersion"]

FloatArray = NDArray[np.float64]

_MOST_ROWS, _MOST_SCORES = 1_000, 1 << 21
_HIGHEST = np.array([1, 2, 4, 8])
_FEWEST_CLASSES = 200
# dispersions up to which rows are alike, and from which on they are not
_ALIKE, _UNLIKE = 1.1, 1.3
_STEP = 0.01


def normal_scores(scores: NDArray[Any], labels: NDArray[np.int64]) -> NDArray[np.float32]:
    r"""Replace every score by the probit of its place among the wrong scores of all points.

    Parameters
    ----------
    scores : ndarray of shape (n_test, k1)
        Finite scores.
    labels : ndarray of int of shape (n_test,)
        Correct columns.

    Returns
    -------
    ndarray of float32 of shape (n_test, k1)
        Scores whose wrong ones are standard normal when pooled. A truth above all wrong scores goes on as an
        exponential tail with the mean excess of the highest.

    Notes
    -----
    A monotone change of all scores changes nothing, up to rounding, but for truths above all wrong scores.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(200, rng=1)
    >>> plain, bent = (
    ...     cx.laws.normal_scores(scores, sample.labels)
    ...     for scores in (sample.scores, np.exp(sample.scores))
    ... )
    >>> bool(np.abs(plain - bent).max() < 0.05)
    True
    """
    heights = Heights.of(wrong_scores(scores, labels))
    pooled = heights.pooled
    lowest = float(special.ndtri(0.5 / (pooled.size + 1)))
    probit = np.arange(lowest, -lowest, _STEP)
    knots = pooled[np.rint(special.ndtr(probit) * (pooled.size - 1)).astype(np.int64)]
    place, first, count = np.unique(knots, return_index=True, return_counts=True)
    level = probit[first] + 0.5 * _STEP * (count - 1)
    out = interpolate(scores, place, level)
    beyond = scores > pooled[-1]
    out[beyond] = -special.ndtri_exp(-heights.height(scores[beyond].astype(np.float64)))
    return out


def tail_dispersion(scores: NDArray[Any], labels: NDArray[np.int64]) -> float | None:
    r"""How much further apart the highest wrong scores of the points lie than samples of one law would.

    Parameters
    ----------
    scores : ndarray of shape (n_test, k1)
        Finite scores.
    labels : ndarray of int of shape (n_test,)
        Correct columns.

    Returns
    -------
    float or None
        About 1 if the rows, shifted and scaled, are samples of one law; greater where some points have more near
        rivals than others. None where the scores do not allow it: fewer than 200 classes, which cannot tell, or
        constant rows.

    Notes
    -----
    Scores are replaced by `normal_scores`, so a monotone change of all of them changes nothing, and every row of wrong
    ones is shifted and scaled as `score_probits` does it. With :math:`\bar F(s)` the share of the pooled scaled scores
    above s, and :math:`s_{(j)}` the j-th highest of a row, the dispersion is the variance over rows of
    :math:`\log \bar F(s_{(j)})`, divided by what it is for rows drawn from the pool and scaled in their turn: the mean
    of these ratios for j = 1, 2, 4 and 8. At most a thousand rows count, and two million scores, evenly spaced.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.1).sample(200, rng=1)
    >>> round(cx.laws.tail_dispersion(sample.scores, sample.labels), 1)
    0.9

    Half of the points meet twins: their highest wrong scores are raised.

    >>> scores = sample.scores.copy()
    >>> high = scores[::2] > np.quantile(scores[::2], 0.95, axis=1)[:, np.newaxis]
    >>> high[np.arange(100), sample.labels[::2]] = False
    >>> scores[::2][high] += 5
    >>> cx.laws.tail_dispersion(scores, sample.labels) > 1.3
    True
    """
    if scores.shape[1] < _FEWEST_CLASSES:
        return None
    n_rows = min(_MOST_ROWS, _MOST_SCORES // scores.shape[1] + 2)
    rows = np.unique(np.linspace(0, len(scores) - 1, n_rows).astype(np.int64))
    own = labels[rows]
    block = normal_scores(scores[rows], own).astype(np.float64)
    seen = _variances(block, own)
    if seen is None:
        return None
    variance, pool = seen
    alike = _variances(np.random.default_rng(0).choice(pool, size=block.shape), own)
    return None if alike is None else float(np.mean(variance / alike[0]))


def alike_rows(ranks: CorrectRanks, scores: NDArray[Any]) -> float:
    """How far one law may be believed to serve for all rows: 1 up to a dispersion of 1.1, 0 from 1.3 on.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.1).sample(200, rng=1)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> cx.laws.alike_rows(ranks, sample.scores)
    1.0
    """
    as_ranks(ranks)
    found = tail_dispersion(scores, ranks.labels) if scores_serve(ranks) else None
    return 0.0 if found is None else float(np.clip((_UNLIKE - found) / (_UNLIKE - _ALIKE), 0, 1))


def _variances(scores: FloatArray, labels: NDArray[np.int64]) -> tuple[FloatArray, FloatArray] | None:
    """Variances over rows of the logarithmic share above the highest wrong scores; and the pooled scaled scores."""
    found = scaled_rows(scores, labels, np.ones(scores.shape[1], dtype=np.bool_))
    if found is None:
        return None
    place, scale = found
    scaled = (scores - place[:, np.newaxis]) / scale[:, np.newaxis]
    wrong = np.ones(scaled.shape, dtype=np.bool_)
    wrong[np.arange(labels.size), labels] = False
    pool = np.sort(scaled[wrong])
    scaled[~wrong] = -np.inf
    deepest = scaled.shape[1] - int(_HIGHEST[-1])
    top = np.sort(np.partition(scaled, deepest, axis=1)[:, deepest:], axis=1)[:, ::-1][:, _HIGHEST - 1]
    above = pool.size - np.searchsorted(pool, top)
    variance: FloatArray = np.log((above + 0.5) / pool.size).var(axis=0)
    return variance, pool
