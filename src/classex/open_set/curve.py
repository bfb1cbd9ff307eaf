"""Error rates of open-set identification for up to as many enrolled identities as were searched."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._kernels.open_set import shared_squares
from classex._kernels.ranks import subset_accuracy
from classex._rates import rate_interval, without_rounding
from classex._validation import as_class_counts, as_finite_array, as_positive_int, as_probabilities, as_probability
from classex.curves.accuracy import accuracy_curve
from classex.curves.large_subsets import carried_errors, most_trials
from classex.open_set._searches import Searches, as_searches, search_weights
from classex.ranks import correct_ranks
from classex.results import OpenSetCurve

__all__ = ["binomial_fpir", "open_set_curve", "rates"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# a jackknife variance below this share of the squared rate is the rounding of a difference of sums
_ROUNDING = 1e-13


def open_set_curve(
    scores: ArrayLike,
    labels: ArrayLike,
    nonmated_scores: ArrayLike,
    thresholds: ArrayLike,
    *,
    n_enrolled: int | None = None,
    nonmated_labels: ArrayLike | None = None,
    enrolled_labels: ArrayLike | None = None,
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
    nonmated_scores : array_like of shape (n_impostors, n_enrolled)
        Scores of probes of people who are not enrolled.
    thresholds : float or array_like of shape (n,)
        Thresholds t.
    n_enrolled : int, optional
        Gallery size N, at most the number of columns; by default all of them. With 1 the rates are those of
        verification, the false match and the false non-match rate.
    nonmated_labels : array_like of shape (n_impostors,), optional
        Who the impostors are: people weigh the same, however many probes they have. By default all are different.
    enrolled_labels : array_like of shape (n_columns,), optional
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
    searches = as_searches(scores, labels, nonmated_scores, nonmated_labels, enrolled_labels)
    n = searches.mated.shape[1]
    cuts = as_finite_array(np.atleast_1d(np.asarray(thresholds)), "thresholds", ndim=1, dtype=np.float64)
    size = n if n_enrolled is None else as_positive_int(n_enrolled, "n_enrolled", maximum=n)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    return rates(searches, cuts, size, as_positive_int(top, "top"), level, errors=standard_errors)


def rates(searches: Searches, cuts: FloatArray, size: int, top: int, level: float, *, errors: bool) -> OpenSetCurve:
    """Rates, errors and intervals at several thresholds; NaN in place of errors and intervals without `errors`."""
    scores, people = searches.nonmated, searches.people
    matches = np.stack([np.count_nonzero(scores >= cut, axis=1) for cut in cuts], axis=1)
    n, weights = scores.shape[1], search_weights(people)
    fpir, fpir_error, most = weights @ _any_match(matches, n, size), np.full(cuts.size, np.nan), None
    if errors:
        fpir_error, most = _fpir_errors(scores, people, cuts, matches, size)
    mated = [_mated_accuracy(searches, cut, size, top, level, errors=errors) for cut in cuts]
    accuracy, fnir_error, low, high = np.array(mated).reshape(-1, 4).T
    fpir_ends = rate_interval(fpir, fpir_error, int(people.max()) + 1, level, most)
    fpir_ends[np.isnan(fpir_error)] = np.nan
    fnir_ends = np.stack([1.0 - high, 1.0 - low], axis=1)
    fmr = weights @ matches / n
    return OpenSetCurve(size, cuts, fpir, 1.0 - accuracy, fmr, fpir_error, fnir_error, fpir_ends, fnir_ends, level, top)


def _mated_accuracy(
    searches: Searches, cut: float, size: int, top: int, level: float, *, errors: bool
) -> tuple[float, float, float, float]:
    """Share of mated searches that return their own identity, its standard error and its interval.

    It is the accuracy after the own scores below the threshold are moved below all other scores. If all candidates are
    returned, the other own scores are moved above all others, and any number of classes gives the share.
    """
    scores, own = searches.mated, searches.own
    moved = np.where(own >= cut, own, np.nextafter(scores.min(), -np.inf))
    if top >= size:
        moved[own >= cut] = np.nextafter(scores.max(), np.inf)
        size, top = max(size, 2), 1
    scores = scores.copy()
    scores[np.arange(own.size), searches.labels] = moved
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that few own scores are the highest
        ranks = correct_ranks(scores, searches.labels)
    curve = accuracy_curve(ranks, size, top=top, standard_errors=errors)
    low, high = curve.interval(level)[0] if errors else (np.nan, np.nan)
    return float(curve.accuracy[0]), float(curve.standard_error[0]), float(low), float(high)


def _fpir_errors(
    scores: FloatArray, people: IntArray, cuts: FloatArray, matches: IntArray, size: int
) -> tuple[FloatArray, FloatArray]:
    """Standard errors of the FPIR, and the largest numbers of trials that they are worth.

    The FPIR is a statistic of two samples. Its variance over non-mated searches includes what a search and an enrolled
    identity do together. The jackknife over enrolled identities adds what an identity does to all searches. It exists
    up to half of the identities; the error beyond is derived from the error at half as in `classex.accuracy_curve`.
    """
    n, n_people, weights = scores.shape[1], int(people.max()) + 1, search_weights(people)
    half = max(min(size, n // 2), 1)
    chances = [_any_match(matches, n, drawn) for drawn in (size, half, n)]
    value = np.stack([weights @ chance for chance in chances])
    own = np.stack([_variance_of_mean(chance, people) for chance in chances])
    enrolled = _enrolled_variance(scores, people, cuts, matches, half)
    variance = own[1] + np.where(enrolled > _ROUNDING * np.square(value[1]), enrolled, 0.0)
    alone, whole = (without_rounding(np.sqrt(one), value[1]) for one in (own[1], variance))
    room, large, single = np.maximum(value * (1 - value), 0.0), [0, 2], np.sqrt(own)
    on_own, on_half = carried_errors(
        single[large], room[large], value[large], alone=alone, whole=whole, room_at_half=room[1]
    )
    errors = without_rounding(single[large] * on_own + whole * on_half, value[large])
    ends = np.stack([whole, errors[1]])
    most = most_trials(np.array([size]), half, n, room=room[1:], error=ends, n_people=n_people)[0]
    return whole if size == half else errors[0], most


def _enrolled_variance(
    scores: FloatArray, people: IntArray, cuts: FloatArray, matches: IntArray, size: int
) -> FloatArray:
    """Variance of the FPIR that enrolled identities bring to all non-mated searches alike, by the jackknife.

    Leaving out an identity changes the mean by the sum of its changes for each search. The square of that sum includes
    the squares of single people, which belong to their own variance and are subtracted.
    """
    n, n_people = scores.shape[1], int(people.max()) + 1
    among = np.arange(n + 1)
    # without an identity that a search does not match, the others have one score fewer below the threshold
    kept, lost = (_any_match(np.clip(among + one - 1, 0, n - 1), n - 1, size) for one in (0, 1))
    shared = shared_squares(scores, people, cuts, matches, lost - kept, search_weights(people))
    variance: FloatArray = np.maximum((n - 1) / n * shared * n_people / max(n_people - 1, 1), 0.0)
    return variance


def _any_match(matches: IntArray, n: int, drawn: int) -> FloatArray:
    """Probability that `drawn` of n identities, without replacement, include at least one of the matches."""
    none = subset_accuracy(n - np.arange(n + 1), n + 1, np.array([drawn + 1]), 1, False)[:, 0]
    chance: FloatArray = 1.0 - none[matches]
    return chance


def _variance_of_mean(values: FloatArray, people: IntArray) -> FloatArray:
    """Variance of the mean over people of the mean over their searches, for each column."""
    count = np.bincount(people)
    if count.size < 2:
        return np.zeros(values.shape[1])
    total = np.zeros((count.size, values.shape[1]))
    np.add.at(total, people, values / count[people][:, np.newaxis])
    variance: FloatArray = total.var(axis=0, ddof=1) / count.size
    return variance


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
