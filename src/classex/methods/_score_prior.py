r"""Score-based prior of the favourability, calibrated on held-out wins.

For a test point that beats all its wrong labels, the wins show only that U* is close to 1; the scores show how close.
The wrong scores of each point are brought to a common scale. The distribution of the pooled wrong scores gives a first
guess :math:`\hat w` of :math:`W = \Phi^{-1}(U^*)`, and the likelihood of wins corrects it:

.. math:: W \mid \hat w \sim N\bigl(c + a + b d + e\,d|d|,\; \tau^2 e^{2 f d}\bigr), \qquad d = \hat w - c.

Wins and guess must not share wrong labels, or the same luck would count twice. So the classes are split: one half gives
scale and guess, the other half the wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from classex._loops.likelihood import count_wins_among, pooled_histogram, wrong_moments
from classex._types import FloatArray
from classex.distributions.wins import probit_normal_log_pmf

__all__ = ["ScorePrior", "fit_score_prior", "score_probits"]


# Histogram of the pooled scaled scores: from -12, 8,000 bins of width .005
_LOW, _WIDTH, _N_BINS = -12.0, 0.005, 8000
# Columns from which the tail levels are read: a sample suffices
_MOST_COLUMNS = 1000
# Fewest columns that have an upper tail, and fewest pooled scores that fix a tail of the probit map
_FEWEST_COLUMNS, _FEWEST_IN_TAIL = 5, 30
# The probit map is read from this probit upwards: lower favourabilities hardly enter accuracies
_LEAST_PROBIT = -3.0
# Prior of a, b, e, log tau and f: means and standard deviations; and bounds far outside it
_PRIOR_MEAN = np.array([0.0, 1.0, 0.0, np.log(0.2), 0.0])
_PRIOR_SD = np.array([0.15, 0.07, 0.05, 0.5, 0.3])
_BOUNDS = [(-3.0, 3.0), (-0.5, 3.0), (-0.5, 0.5), (-3.5, 1.5), (-1.0, 1.0)]
# Largest change of log tau with the guess, and steps to which guesses are rounded
_MOST_SPREAD, _GUESS_STEP = 1.5, 0.02


@dataclass(frozen=True)
class ScorePrior:
    r"""Distribution of W given the scores: for point j, :math:`N(m_j, \tau_j^2)`.

    Attributes
    ----------
    guess : ndarray of shape (n_points,)
        First guesses of W.
    centre : float
        The centre c of the correction.
    calibration : ndarray of shape (5,)
        a, b, e, log tau and f.
    prior_covariance : ndarray of shape (5, 5)
        Part of the covariance of the calibration that comes from the prior: H^-1 P H^-1, with H the curvature of the
        penalised log-likelihood and P that of the prior.
    wins, wrong, held_guess, held_weight : ndarray of shape (n_lumped,)
        The held-out data of the calibration: wins, number of wrong labels, the guess from the other wrong labels, and
        weights that sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(60, rng=1)
    >>> halves = np.arange(60)[np.newaxis] % 2 == 0
    >>> distribution = fit_score_prior(
    ...     sample.scores, sample.labels, np.full(60, 1 / 60), halves=halves
    ... )
    >>> (
    ...     distribution.guess.shape,
    ...     distribution.calibration.shape,
    ...     round(float(distribution.held_weight.sum()), 6),
    ... )
    ((60,), (5,), 1.0)
    """

    guess: FloatArray
    centre: float
    calibration: FloatArray
    prior_covariance: FloatArray
    wins: FloatArray
    wrong: FloatArray
    held_guess: FloatArray
    held_weight: FloatArray

    def normal(self, guess: FloatArray, calibration: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of W for given guesses."""
        theta = self.calibration if calibration is None else calibration
        return _calibrated(guess - self.centre, self.centre, theta)


def _calibrated(d: FloatArray, centre: float, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    a, b, e, log_tau, f = theta
    spread = np.clip(f * d, -_MOST_SPREAD, _MOST_SPREAD)
    return centre + a + b * d + e * d * np.abs(d), np.exp(log_tau + spread)


def score_probits(scores: NDArray[Any], labels: NDArray[np.int64], use: NDArray[np.bool_]) -> FloatArray | None:
    """First guess of the probit of every point's favourability, from the wrong scores in the columns in use.

    Each row's wrong scores are shifted and scaled by their upper tail: the levels exceeded by 20 % and by 1-3 % of
    them, smoothed over rows by a regression on the row's mean and standard deviation. The pooled distribution of the
    scaled scores maps the score of the correct label to its probit; beyond the pooled tails the map is a straight line.

    Returns None with fewer than 5 columns, constant rows, or upper tails without width.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(60, rng=1)
    >>> guess = score_probits(sample.scores, sample.labels, np.ones(60, dtype=bool))
    >>> wins = cx.correct_ranks(sample.scores, sample.labels).wins
    >>> guess.shape, bool(np.corrcoef(guess, wins)[0, 1] > 0.8)
    ((60,), True)
    """
    if use.sum() < _FEWEST_COLUMNS:
        return None
    mean, sd = np.empty((2, labels.size))
    wrong_moments(scores, labels, use, mean, sd)
    if not sd.min() > 1e-12 * max(float(np.abs(mean).max()), 1e-300):
        return None
    low, high = _tail_levels(scores, labels, use, mean, sd)
    if not (high - low).min() > 1e-9:  # in standard deviations: a smaller width is rounding
        return None
    location, scale = mean + sd * low, sd * (high - low)
    counts = pooled_histogram(scores, labels, use, location, scale, _LOW, _WIDTH, _N_BINS)
    return _probit_map(counts, (scores[np.arange(labels.size), labels] - location) / scale)


def _tail_levels(
    scores: NDArray[Any], labels: NDArray[np.int64], use: NDArray[np.bool_], mean: FloatArray, sd: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Standardised levels that 20 % and about 2 % of each row's wrong scores exceed, smoothed over rows."""
    columns = np.flatnonzero(use)
    columns = columns[:: -(-columns.size // _MOST_COLUMNS)]
    block = scores[:, columns].astype(np.float64)
    block[columns == labels[:, np.newaxis]] = -np.inf
    size = columns.size
    index = [size - min(max(round(share * size), 1), size - 1) for share in (0.2, 0.03, 0.02, 0.01)]
    block.partition(sorted(set(index)), axis=1)
    design = np.column_stack([np.ones_like(mean), _standardise(mean), _standardise(sd)])
    level = (block[:, index] - mean[:, np.newaxis]) / sd[:, np.newaxis]
    smooth = design @ np.linalg.lstsq(design, level, rcond=None)[0]
    return smooth[:, 0], smooth[:, 1:].mean(axis=1)


def _standardise(x: FloatArray) -> FloatArray:
    spread = float(x.std())
    return (x - x.mean()) / spread if spread > 0 else np.zeros_like(x)


def _probit_map(counts: NDArray[np.int64], correct: FloatArray) -> FloatArray:
    """Probit of the pooled distribution at the scores of the correct labels, with straight lines beyond its tails."""
    total = int(counts.sum())
    above = total - np.cumsum(counts)
    edge = _LOW + _WIDTH * np.arange(1, _N_BINS + 1)
    inside = (above >= _FEWEST_IN_TAIL) & (total - above >= _FEWEST_IN_TAIL)
    inside[0] = inside[-1] = False
    edge, probit = edge[inside], -special.ndtri(above[inside] / total)
    probit, first = np.unique(probit, return_index=True)
    edge = edge[first]
    grid = np.arange(max(probit[0], _LEAST_PROBIT), probit[-1], 0.05)
    level = np.interp(grid, probit, edge)
    guess: FloatArray = np.interp(correct, level, grid)
    for tail, side in ((grid > grid[-1] - 1.2, correct > level[-1]), (grid < grid[0] + 0.4, correct < level[0])):
        slope = np.polyfit(level[tail], grid[tail], 1)[0]
        end = -1 if tail[-1] else 0
        guess[side] = grid[end] + slope * (correct[side] - level[end])
    return guess


def fit_score_prior(
    scores: NDArray[Any], labels: NDArray[np.int64], weights: FloatArray, *, halves: NDArray[np.bool_]
) -> ScorePrior | None:
    """Calibrate the guesses by wins over held-out halves of the classes.

    Parameters
    ----------
    scores, labels : ndarray
        Checked scores of shape (n_points, k1) and correct columns.
    weights : ndarray of shape (n_points,)
        Class-balanced weights that sum to 1.
    halves : ndarray of shape (n_splits, k1)
        Splits of the classes into those marked and the others; each is used both ways round.

    Returns
    -------
    ScorePrior or None
        None if the scores do not allow it.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(60, rng=1)
    >>> halves = np.arange(60)[np.newaxis] % 2 == 0
    >>> distribution = fit_score_prior(
    ...     sample.scores, sample.labels, np.full(60, 1 / 60), halves=halves
    ... )
    >>> wins = cx.correct_ranks(sample.scores, sample.labels).wins
    >>> round(float(np.corrcoef(distribution.guess, wins)[0, 1]), 1)
    0.9
    """
    guess = score_probits(scores, labels, np.ones(scores.shape[1], dtype=np.bool_))
    uses = [use for half in halves for use in (half, ~half)]
    guesses = [part for use in uses if (part := score_probits(scores, labels, use)) is not None]
    if guess is None or len(guesses) < len(uses):
        return None
    centre = float(min(np.median(guess), special.ndtri(1 - 1 / scores.shape[1])))
    lumped = []
    for use, part in zip(uses, guesses, strict=True):
        wins, wrong = np.empty((2, labels.size))
        count_wins_among(scores, labels, ~use, wins, wrong)
        lumped.append(_lump(wins, wrong, part, weights / len(uses)))
    wins, wrong, held, weight = (np.concatenate(columns) for columns in zip(*lumped, strict=True))
    points, d = labels.size * weight, held - centre

    def objective(theta: FloatArray) -> tuple[float, FloatArray]:
        off = (theta - _PRIOR_MEAN) / _PRIOR_SD
        log_pmf, slope = probit_normal_log_pmf(wins, wrong, *_calibrated(d, centre, theta), n_nodes=21)
        by_mean, by_spread = points * slope[:, 0], points * slope[:, 1]
        free = np.abs(theta[4] * d) < _MOST_SPREAD
        gradient = [by_mean.sum(), by_mean @ d, by_mean @ (d * np.abs(d)), by_spread.sum(), by_spread @ (d * free)]
        return 0.5 * float(off @ off) - float(points @ log_pmf), off / _PRIOR_SD - np.array(gradient)

    options = {"ftol": 1e-9}
    best = optimize.minimize(objective, _PRIOR_MEAN, jac=True, method="L-BFGS-B", bounds=_BOUNDS, options=options).x
    rows = [objective(best + move)[1] - objective(best - move)[1] for move in 1e-4 * np.eye(best.size)]
    bread = np.linalg.pinv(np.array(rows) / 2e-4, hermitian=True)
    open_ = bread @ np.diag(_PRIOR_SD**-2.0) @ bread
    return ScorePrior(guess, centre, best, open_, wins, wrong, held, weight)


def _lump(
    wins: FloatArray, wrong: FloatArray, guess: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Merge points that agree in wrong labels, in losses (to 3 % above 64) and in the guess (to .02)."""
    losses = wrong - wins
    coarse = np.where(losses <= 64, losses, np.floor(np.exp(np.rint(np.log(np.maximum(losses, 1)) * 32) / 32)))
    key = np.stack([wrong, np.minimum(coarse, wrong), np.rint(guess / _GUESS_STEP)])
    merged, which = np.unique(key, axis=1, return_inverse=True)
    total = np.bincount(which.ravel(), weights=weight).astype(np.float64)
    return merged[0] - merged[1], merged[0], merged[2] * _GUESS_STEP, total
