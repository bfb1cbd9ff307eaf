"""Open-set identification in galleries larger than the one that was searched."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._rates import rate_interval
from classex._validation import (
    as_class_counts,
    as_finite_number,
    as_generator,
    as_positive_int,
    as_probability,
)
from classex.extrapolation import BetaBinomialExtrapolator, Extrapolator
from classex.laws.law import Law, confined_accuracy
from classex.open_set._searches import as_identities, as_searches
from classex.ranks import correct_ranks, ranks_from_wins
from classex.results import CorrectRanks

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
        Predicted false positive and false negative identification rates.
    fpir_error, fnir_error : ndarray of shape (n,)
        Standard errors.
    fpir_interval, fnir_interval : ndarray of shape (n, 2)
        Confidence intervals.
    confidence_level : float
        Their nominal level.
    n_searched : int
        Size of the gallery that was searched.

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
    ...     mated, range(60), other, -0.4, n_enrolled=600, n_resamples=10
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
    fpir_error: FloatArray
    fnir_error: FloatArray
    fpir_interval: FloatArray
    fnir_interval: FloatArray
    confidence_level: float
    n_searched: int

    def __str__(self) -> str:
        """A sentence and a table."""
        level = f"{self.confidence_level:.0%} interval"
        lines = [
            f"Predicted from a gallery of {self.n_searched:,} at the threshold {self.threshold:g}:",
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
    estimator: Extrapolator | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 50,
    rng: Any = 0,
) -> OpenSetPrediction:
    r"""Predict the error rates of open-set identification in larger galleries.

    With :math:`F_x` the chance that impostor x scores at least t against a random identity, and :math:`U^*` the
    favourability of a mated probe,

    .. math::

        \mathrm{FPIR}(N, t) &= 1 - E\,(1 - F_x)^N, \\
        \mathrm{FNIR}(N, t) &= 1 - \Pr[s \ge t]\; E\bigl[(U^*)^{N-1} \mid s \ge t\bigr].

    Both expectations are average accuracies of a law, so both are extrapolated by the same kind of estimator.

    Parameters
    ----------
    scores, labels, impostor_scores, impostor_labels, gallery_labels
        As in `open_set_curve`.
    threshold : float
        Threshold t.
    n_enrolled : int or array_like of int
        Gallery sizes N, each at least 2.
    estimator : Extrapolator, optional
        Unfitted estimator that ranks suffice for; `classex.BetaBinomialExtrapolator` by default.
    confidence_level : float
        Level of the intervals, in (0, 1).
    n_resamples : int
        Number of half samples of people that the standard errors rest on.
    rng : int, numpy.random.Generator or None
        Seed or generator of the half samples.

    Returns
    -------
    OpenSetPrediction
        Rates, standard errors and intervals for every N.

    Raises
    ------
    ValueError
        If an argument is out of range, fewer than 8 identities or impostors are given, or the matrices disagree.
    TypeError
        If the estimator is none, or an argument does not hold numbers.

    Notes
    -----
    Halving the enrolled people and the impostors together shows what either sample contributes; what both do together
    is counted up to three times, which errs on the safe side. Where the law knows a larger variance of its own, its
    members' disagreement included, that one counts.

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
    ...     mated, range(60), other, -0.4, n_enrolled=[60, 600], n_resamples=10
    ... )
    >>> bool(prediction.fpir[0] < prediction.fpir[1])
    True
    """
    matrix, labels, impostors = as_searches(scores, labels, impostor_scores, gallery_labels)
    truth = correct_ranks(matrix, labels).labels
    n = matrix.shape[1]
    cut = as_finite_number(threshold, "threshold")
    sizes = as_class_counts(n_enrolled, "n_enrolled", minimum=2)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    draws = as_positive_int(n_resamples, "n_resamples", minimum=10)
    who = as_identities(impostor_labels, impostors.shape[0])
    people = int(who.max()) + 1
    if min(n, people) < _FEWEST:
        raise ValueError(f"scores and impostor_scores must hold {_FEWEST} people or more, not {n} and {people}")
    method = BetaBinomialExtrapolator() if estimator is None else estimator
    if not isinstance(method, Extrapolator):
        raise TypeError(f"estimator must be an extrapolation estimator, not {method!r}")

    hit, reached = impostors >= cut, matrix[np.arange(truth.size), truth] >= cut
    wrong = _unfitted(method).fit_ranks(_impostor_ranks(hit, who)).law_
    right = _unfitted(method).fit_ranks(correct_ranks(matrix[reached], truth[reached])).law_ if reached.any() else None
    fpir, fnir = _false_positives(wrong, sizes), _false_negatives(right, truth, reached, sizes)
    generator = as_generator(rng)
    halves = np.empty((draws, 2, sizes.size))
    for half in halves:
        kept = np.sort(generator.permutation(n)[: n // 2])
        strangers = np.isin(who, generator.permutation(people)[: people // 2])
        some = _impostor_ranks(hit[strangers][:, kept], as_identities(who[strangers], int(strangers.sum())))
        half[0] = _false_positives(wrong.refit(some), sizes)
        rows = np.isin(truth, kept)
        own, known = np.searchsorted(kept, truth[rows]), reached[rows]
        few = (
            right if right is None or not known.any() else right.refit(_ranks(matrix[rows][known][:, kept], own[known]))
        )
        half[1] = _false_negatives(few, own, known, sizes)
    variance = halves.var(axis=0, ddof=1)
    for row, law, extra in ((variance[0], wrong, 1), (variance[1], right, 0)):
        # what the law says of itself, its members' disagreement among it, where that is more
        own_variance = None if law is None else law.variance(sizes + extra)
        if own_variance is not None:
            np.maximum(row, own_variance, out=row)
    error = np.sqrt(variance)
    return OpenSetPrediction(
        sizes.astype(np.int64),
        cut,
        fpir,
        fnir,
        error[0],
        error[1],
        rate_interval(fpir, error[0], people, level),
        rate_interval(fnir, error[1], np.unique(truth).size, level),
        level,
        n,
    )


def _impostor_ranks(hit: NDArray[np.bool_], who: IntArray) -> CorrectRanks:
    """An impostor "wins" against the identities that it does not resemble."""
    n = hit.shape[1]
    # people weigh the same: each brings as many searches to the fit as the one who made most
    times = int(np.bincount(who).max()) // np.maximum(np.bincount(who), 1)
    return ranks_from_wins(np.repeat(n - hit.sum(axis=1), times[who]), n + 1)


def _ranks(scores: FloatArray, truth: IntArray) -> CorrectRanks:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a half sample repeats what the whole has said
        return correct_ranks(scores, truth)


def _false_positives(law: Law, sizes: FloatArray) -> FloatArray:
    return 1.0 - confined_accuracy(law, sizes + 1)


def _false_negatives(law: Law | None, truth: IntArray, reached: NDArray[np.bool_], sizes: FloatArray) -> FloatArray:
    """Share of probes below the threshold, and the others' errors among N."""
    count = np.bincount(truth)
    share = float(reached @ (1.0 / count[truth])) / np.count_nonzero(count)
    return np.ones_like(sizes) if law is None else 1.0 - share * confined_accuracy(law, sizes)


def _unfitted(method: Extrapolator) -> Extrapolator:
    return type(method)(**method.get_params())
