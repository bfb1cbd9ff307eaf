"""Open-set identification in galleries larger than the one that was searched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_class_counts, as_finite_number, as_probability
from classex.open_set._larger import larger_false_alarms
from classex.open_set._larger_misses import larger_misses
from classex.open_set._misses_by_ranks import misses_by_ranks
from classex.open_set._searches import as_identities, as_searches
from classex.open_set.curve import open_set_curve
from classex.ranks import correct_ranks

__all__ = ["OpenSetPrediction", "extrapolate_open_set"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_FEWEST = 8


@dataclass(frozen=True)
class OpenSetPrediction:
    """Predicted error rates of open-set identification at one threshold.

    Attributes
    ----------
    n_enrolled : ndarray of shape (n,)
        Gallery sizes N.
    threshold : float
        Score that a candidate must reach.
    fpir, fnir : ndarray of shape (n,)
        Predicted false positive and false negative identification rates, FPIR(N, T) and FNIR(N, 1, T).
    fpir_interval, fnir_interval : ndarray of shape (n, 2)
        Confidence intervals.
    confidence_level : float
        Their nominal level.
    n_searched : int
        Size of the gallery that was searched.
    n_hits : int
        Comparisons of the impostors that reached the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.open_set import extrapolate_open_set
    >>> rng = np.random.default_rng(1)
    >>> gallery, strangers = rng.normal(size=(60, 3)), rng.normal(size=(50, 3))
    >>> probes = gallery + 0.2 * rng.normal(size=(60, 3))
    >>> mated, other = (
    ...     -np.linalg.norm(p[:, None] - gallery, axis=2)
    ...     for p in (probes, strangers)
    ... )
    >>> prediction = extrapolate_open_set(
    ...     mated, range(60), other, -0.4, n_enrolled=600
    ... )
    >>> (
    ...     prediction.n_searched,
    ...     prediction.threshold,
    ...     bool(prediction.fpir_interval[0, 0] < prediction.fpir[0]),
    ... )
    (60, -0.4, True)
    """

    n_enrolled: IntArray
    threshold: float
    fpir: FloatArray
    fnir: FloatArray
    fpir_interval: FloatArray
    fnir_interval: FloatArray
    confidence_level: float
    n_searched: int
    n_hits: int

    def __str__(self) -> str:
        """A sentence and a table."""
        level = f"{self.confidence_level:.0%} interval"
        hits = f"{self.n_hits:,} impostor hit{'' if self.n_hits == 1 else 's'}"
        lines = [
            f"Predicted from a gallery of {self.n_searched:,} at the threshold {self.threshold:g} ({hits}):",
            f"{'enrolled':>12}  {'FPIR':>6}  {level:<16}  {'FNIR':>6}  {level:<16}",
        ]
        for row in zip(self.n_enrolled, self.fpir, self.fpir_interval, self.fnir, self.fnir_interval, strict=True):
            n, fpir, wrong, fnir, missed = row
            ends = (f"{end[0]:.4f} to {end[1]:.4f}" for end in (wrong, missed))
            lines.append(f"{n:>12,}  {fpir:.4f}  {next(ends)}  {fnir:.4f}  {next(ends)}")
        return "\n".join(lines)


def extrapolate_open_set(
    scores: ArrayLike,
    labels: ArrayLike,
    impostor_scores: ArrayLike,
    threshold: float,
    *,
    n_enrolled: ArrayLike,
    impostor_labels: ArrayLike | None = None,
    gallery_labels: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> OpenSetPrediction:
    r"""Predict the error rates of open-set identification in larger galleries.

    With :math:`F_x` the chance that impostor x scores at least t against a random identity, and :math:`U^*` the
    favourability of a mated probe,

    .. math::

        \mathrm{FPIR}(N, t) &= 1 - E\,(1 - F_x)^N, \\
        \mathrm{FNIR}(N, t) &= 1 - \Pr[s \ge t]\; E\bigl[(U^*)^{N-1} \mid s \ge t\bigr].

    The false match rate :math:`E\,F_x` comes from the hits at the threshold. Where they are few, or there are none, the
    tail of the impostors' scores is continued to the threshold. How unequal the :math:`F_x` are comes from the numbers
    of hits of each impostor, at the threshold or where the tail starts.

    Parameters
    ----------
    scores, labels, impostor_scores, impostor_labels, gallery_labels
        As in `open_set_curve`.
    threshold : float
        Threshold t.
    n_enrolled : int or array_like of int
        Gallery sizes N. Up to the size searched the rates are those of `open_set_curve`.
    confidence_level : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    OpenSetPrediction
        Rates and intervals for every N.

    Raises
    ------
    ValueError
        If an argument is out of range, the matrices disagree, or fewer than 8 identities are enrolled, searched for by
        mated probes, or impostors.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    By Jensen's inequality :math:`1 - (1 - E\,F_x)^N` is an upper bound of FPIR for every distribution of the
    :math:`F_x`, attained if impostors are alike (`binomial_fpir`). The interval reaches that bound at the upper limit
    of the false match rate unless the hits show that impostors differ. The lower end belongs to the most unequal
    distribution that the hits allow: a gamma or log-normal one, or a share of impostors without any hit, each with
    or without a rate common to all.

    The tail is :math:`-\log f(s) = y_0 (1 + \theta (s - u)/g)^{1/\theta}`, fitted by maximum likelihood to the
    highest scores (1 % of them, or two a search if that is more): exponential and Gaussian tails are
    :math:`\theta = 1` and 1/2 (de Valk, Extremes, 2016). Its error counts impostors and enrolled identities, not
    scores. With a few hits the upper end is at least that of the hits alone. Where the tail misses the highest scores,
    contradicts the hits, or cannot be fitted, only the hits count. FPIR is then "no more than" the upper end, and the
    lower end may be close to 0.

    FNIR is predicted twice. The first prediction uses the same two parts: the tail of the others' scores at the score
    of each mated search, taken from the mean of its row as far as rows differ by more than chance, and how unequal the
    searches are. Own scores are taken as observed. The second is a beta-binomial extrapolation of the ranks, with an
    error over half galleries. It is right where people differ in how many others resemble them, which one tail does not
    show. The rate is the mean of both, and the interval includes both intervals.

    Beyond the gallery no interval is free of assumptions. Not covered are people who are enrolled twice under
    different names, unless `gallery_labels` says so; near twins, of whom none was seen among the
    searches, whose scores lie far above the continued tail; an enrolled identity that matches everyone, of a kind that
    was not enrolled; impostors whose rate at the threshold has nothing to do with their rates below it, where few hits
    are seen; and a larger gallery of other people than the one searched.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.open_set import extrapolate_open_set
    >>> rng = np.random.default_rng(1)
    >>> gallery, strangers = rng.normal(size=(60, 3)), rng.normal(size=(50, 3))
    >>> probes = gallery + 0.2 * rng.normal(size=(60, 3))
    >>> mated = -np.linalg.norm(probes[:, None] - gallery, axis=2)
    >>> other = -np.linalg.norm(strangers[:, None] - gallery, axis=2)
    >>> prediction = extrapolate_open_set(
    ...     mated, range(60), other, -0.4, n_enrolled=[60, 600]
    ... )
    >>> bool(prediction.fpir[0] < prediction.fpir[1])
    True
    """
    matrix, labels, impostors = as_searches(scores, labels, impostor_scores, gallery_labels)
    truth = correct_ranks(matrix, labels).labels
    n = matrix.shape[1]
    cut = as_finite_number(threshold, "threshold")
    sizes = as_class_counts(n_enrolled, "n_enrolled")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    who = as_identities(impostor_labels, impostors.shape[0])
    people = int(who.max()) + 1
    searched = int(np.unique(truth).size)
    if min(n, searched, people) < _FEWEST:
        raise ValueError(
            f"scores and impostor_scores must hold {_FEWEST} people or more, not {searched} people searched for "
            f"among {n}, and {people}"
        )
    at_size = open_set_curve(matrix, truth, impostors, cut, impostor_labels=who, confidence_level=level)
    beyond = sizes > n
    hits = int(np.count_nonzero(impostors >= cut))
    fpir, fnir = np.empty((2, sizes.size))
    fpir_ends, fnir_ends = np.empty((2, sizes.size, 2))
    if beyond.any():
        wrong = larger_false_alarms(impostors, who, cut, sizes[beyond], level)
        missed = _misses(matrix, truth, cut, sizes[beyond], level)
        fpir[beyond], fpir_ends[beyond] = _beyond(wrong, at_size.fpir[0], at_size.fpir_interval[0])
        fnir[beyond], fnir_ends[beyond] = _beyond(missed, at_size.fnir[0], at_size.fnir_interval[0])
    for size in np.unique(sizes[~beyond]):
        seen, at = at_size, sizes == size
        if size < n:
            seen = open_set_curve(
                matrix, truth, impostors, cut, n_enrolled=int(size), impostor_labels=who, confidence_level=level
            )
        fpir[at], fpir_ends[at] = seen.fpir[0], seen.fpir_interval[0]
        fnir[at], fnir_ends[at] = seen.fnir[0], seen.fnir_interval[0]
    return OpenSetPrediction(sizes.astype(np.int64), cut, fpir, fnir, fpir_ends, fnir_ends, level, n, hits)


def _misses(
    scores: FloatArray, truth: IntArray, cut: float, sizes: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Mean of the predictions from scores and from ranks, and an interval that includes both of theirs."""
    value, ends = larger_misses(scores, truth, cut, sizes, level)
    reached = scores[np.arange(truth.size), truth] >= cut
    if reached.any():
        other, limits = misses_by_ranks(scores, truth, reached, sizes, level)
        low, high = np.minimum(ends[:, 0], limits[:, 0]), np.maximum(ends[:, 1], limits[:, 1])
        value, ends = (value + other) / 2, np.stack([low, high], axis=1)
    return value, ends


def _beyond(predicted: tuple[FloatArray, FloatArray], rate: float, ends: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Predictions and intervals that are no lower than those of the gallery searched: rates grow with it."""
    return np.maximum(predicted[0], rate), np.maximum(predicted[1], ends)
