"""Error rates of open-set identification at every gallery size up to the one that was searched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import (
    as_class_counts,
    as_finite_array,
    as_positive_int,
    as_probabilities,
    as_probability,
)
from classex.open_set._false_alarms import false_alarms, hits_at
from classex.open_set._intervals import interval
from classex.open_set._misses import misses
from classex.open_set._searches import as_identities, as_searches, search_weights
from classex.ranks import correct_ranks

__all__ = ["OpenSetCurve", "binomial_fpir", "open_set_curve"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class OpenSetCurve:
    """False positive and false negative identification rates over thresholds, at one gallery size.

    Attributes
    ----------
    n_enrolled : int
        Gallery size N: number of enrolled identities that a search runs through.
    thresholds : ndarray of shape (n,)
        Thresholds t; a candidate is returned when its score is at least t.
    fpir : ndarray of shape (n,)
        False positive identification rate: share of impostor searches that return anybody.
    fnir : ndarray of shape (n,)
        False negative identification rate FNIR(N, R, T) of ISO/IEC 19795, with the rank R = `top` and the threshold
        T = t: share of mated searches that do not return the right identity among the R best.
    fmr : ndarray of shape (n,)
        False match rate of a single comparison, pooled over impostors and identities.
    fpir_error, fnir_error : ndarray of shape (n,)
        Standard errors, over probes' identities and over enrolled identities; NaN if they were not computed.
    fpir_interval, fnir_interval : ndarray of shape (n, 2)
        Confidence intervals.
    confidence_level : float
        Their nominal level.
    top : int
        The rank R: number of candidates that a mated search may return.

    Examples
    --------
    >>> from classex.open_set import open_set_curve
    >>> mated = [[0.9, 0.2, 0.1], [0.3, 0.8, 0.4], [0.2, 0.6, 0.5]]
    >>> impostors = [
    ...     [0.1, 0.3, 0.2],
    ...     [0.6, 0.1, 0.2],
    ...     [0.2, 0.3, 0.4],
    ...     [0.1, 0.2, 0.1],
    ... ]
    >>> curve = open_set_curve(mated, [0, 1, 2], impostors, [0.35, 0.55])
    >>> curve.n_enrolled, curve.thresholds, curve.fmr.round(4)
    (3, array([0.35, 0.55]), array([0.1667, 0.0833]))
    """

    n_enrolled: int
    thresholds: FloatArray
    fpir: FloatArray
    fnir: FloatArray
    fmr: FloatArray
    fpir_error: FloatArray
    fnir_error: FloatArray
    fpir_interval: FloatArray
    fnir_interval: FloatArray
    confidence_level: float
    top: int = 1

    def __str__(self) -> str:
        """A sentence and a table."""
        lines = [f"Rates among {self.n_enrolled:,} enrolled, FNIR at rank {self.top}:"]
        if np.isnan(self.fpir_interval).all() and np.isnan(self.fnir_interval).all():
            lines.append(f"{'threshold':>12}  {'FPIR':>6}  {'FNIR':>6}")
            rates = zip(self.thresholds, self.fpir, self.fnir, strict=True)
            return "\n".join([*lines, *(f"{cut:>12g}  {fpir:.4f}  {fnir:.4f}" for cut, fpir, fnir in rates)])
        level = f"{self.confidence_level:.0%} interval"
        lines.append(f"{'threshold':>12}  {'FPIR':>6}  {level:<16}  {'FNIR':>6}  {level:<16}")
        for row in zip(self.thresholds, self.fpir, self.fpir_interval, self.fnir, self.fnir_interval, strict=True):
            cut, fpir, wrong, fnir, missed = row
            ends = [f"{end[0]:.4f} to {end[1]:.4f}" for end in (wrong, missed)]
            lines.append(f"{cut:>12g}  {fpir:.4f}  {ends[0]}  {fnir:.4f}  {ends[1]}")
        return "\n".join(lines)


def open_set_curve(
    scores: ArrayLike,
    labels: ArrayLike,
    impostor_scores: ArrayLike,
    thresholds: ArrayLike,
    *,
    n_enrolled: int | None = None,
    impostor_labels: ArrayLike | None = None,
    gallery_labels: ArrayLike | None = None,
    top: int = 1,
    confidence_level: float = 0.95,
    standard_errors: bool = True,
) -> OpenSetCurve:
    r"""Error rates of open-set identification, averaged over all sub-galleries of a size.

    An impostor x whose score reaches the threshold for :math:`m_x` of the :math:`N_1` enrolled identities, and a mated
    probe that is alike enough to its own identity and beats :math:`R^*` of the others, give, at rank 1,

    .. math::

        \mathrm{FPIR}(N, t) &= 1 - \operatorname*{mean}_x \binom{N_1 - m_x}{N} \Big/ \binom{N_1}{N}, \\
        \mathrm{FNIR}(N, t) &= 1 - \operatorname*{mean} 1\{s \ge t\}
            \binom{R^*}{N - 1} \Big/ \binom{N_1 - 1}{N - 1}.

    Both are unbiased for a random gallery of N identities.

    Parameters
    ----------
    scores : array_like of shape (n_probes, n_enrolled)
        Scores of the mated probes for every enrolled identity; higher is more alike.
    labels : array_like of shape (n_probes,)
        Column of the identity of each probe. Enrolled identities may be without probes, or have unequal numbers.
    impostor_scores : array_like of shape (n_impostors, n_enrolled)
        Scores of probes of people who are not enrolled.
    thresholds : float or array_like of shape (n,)
        Thresholds t.
    n_enrolled : int, optional
        Gallery size N, at most the number of columns; by default all of them. With 1 the rates are those of
        verification, the false match and the false non-match rate.
    impostor_labels : array_like of shape (n_impostors,), optional
        Who the impostors are: people weigh the same, however many probes they have. By default all are different.
    gallery_labels : array_like of shape (n_columns,), optional
        Who the columns are, where identities have several images enrolled: the best of them counts, and `labels` are
        of these names. By default each column is an identity of its own.
    top : int
        The rank R of FNIR(N, R, T): a mated search succeeds when the right identity is among the `top` best and
        reaches the threshold. From N on there is no limit of rank.
    confidence_level : float
        Level of the intervals, in (0, 1).
    standard_errors : bool
        Whether to compute standard errors and intervals, which take most of the time; False leaves NaN in their place.

    Returns
    -------
    OpenSetCurve
        Rates, standard errors and intervals for every threshold.

    Raises
    ------
    ValueError
        If a score is not finite, a label is out of range, the two matrices differ in their columns, or the gallery
        size lies outside 1..number of columns.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    Rates as in ISO/IEC 19795-1: FPIR(N, T) and FNIR(N, R, T). The interval is Wilson's at the effective number of
    searches, which the standard error determines: it counts identities, not searches, and allows for identities that
    many probes resemble. Beyond half of the identities the effective number is at most the one found at half of them.
    So a rate of 1 that one enrolled identity causes alone, because it matches everyone, has the interval of one
    observation: leaving an identity out shows its effect in small galleries only.

    An identity of that kind that is not enrolled leaves no trace. Intervals assume that the gallery is typical of the
    galleries meant: if 2 % of people match every impostor, intervals from galleries that hold such a person covered
    the rate in 98 to 100 % of simulations, and intervals from galleries without one never did. If the match rates of
    the identities were log-normal (with 1.5 for the standard deviation of the logarithm, 50 enrolled), nominal 95 %
    intervals covered 90 %.

    Examples
    --------
    >>> from classex.open_set import open_set_curve
    >>> mated = [[0.9, 0.2, 0.1], [0.3, 0.8, 0.4], [0.2, 0.6, 0.5]]
    >>> impostors = [[0.1, 0.3, 0.2], [0.6, 0.1, 0.2], [0.2, 0.3, 0.4], [0, 0, 0.1]]
    >>> curve = open_set_curve(mated, [0, 1, 2], impostors, [0.35, 0.55])
    >>> curve.fpir, curve.fnir.round(3)
    (array([0.5 , 0.25]), array([0.333, 0.333]))
    """
    matrix, labels, impostors = as_searches(scores, labels, impostor_scores, gallery_labels)
    n = matrix.shape[1]
    cuts = as_finite_array(np.atleast_1d(np.asarray(thresholds)), "thresholds", ndim=1, dtype=np.float64)
    size = n if n_enrolled is None else as_positive_int(n_enrolled, "n_enrolled", maximum=n)
    best = as_positive_int(top, "top")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    who = as_identities(impostor_labels, impostors.shape[0])

    ranks = correct_ranks(matrix, labels)
    hits = hits_at(impostors, cuts)
    wrong = false_alarms(impostors, who, cuts, hits, size, errors=standard_errors)
    missed = misses(matrix, ranks, cuts, size, best, errors=standard_errors)
    return OpenSetCurve(
        size,
        cuts,
        wrong.value,
        missed.value,
        search_weights(who) @ hits / n,
        wrong.error,
        missed.error,
        interval(wrong, int(who.max()) + 1, level),
        interval(missed, ranks.n_tested, level),
        level,
        best,
    )


def binomial_fpir(fmr: ArrayLike, n_enrolled: ArrayLike) -> FloatArray:
    r"""False positive identification rate if every comparison were a coin with the same false match rate.

    .. math:: 1 - (1 - \mathrm{FMR})^N \ge 1 - E\,(1 - F_x)^N = \mathrm{FPIR}(N),

    where :math:`F_x` is the false match rate of impostor x and :math:`\mathrm{FMR} = E F_x`: by Jensen's inequality
    the pooled formula is an upper bound, and it is attained only if all impostors are alike.

    Parameters
    ----------
    fmr : float or array_like of shape (n,)
        False match rate of a single comparison, in [0, 1].
    n_enrolled : int or array_like of int
        Gallery size N, of a shape that broadcasts with `fmr`.

    Returns
    -------
    ndarray
        The pooled rate.

    Raises
    ------
    ValueError
        If a rate lies outside [0, 1] or a size is not a positive whole number.

    Notes
    -----
    Source: the binomial model that Grother and Phillips (CVPR 2004) compare with observed rates.

    Examples
    --------
    >>> from classex.open_set import binomial_fpir
    >>> binomial_fpir(0.001, [1, 1000]).round(3)
    array([0.001, 0.632])
    """
    rate = as_probabilities(fmr, "fmr")
    size = as_class_counts(n_enrolled, "n_enrolled")
    with np.errstate(divide="ignore"):
        pooled: FloatArray = -np.expm1(size * np.log1p(-rate))
    return pooled
