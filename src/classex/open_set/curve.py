"""Error rates of open-set identification, up to the number of enrolled identities in the data."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from classex._estimates import AccuracyCurve
from classex._kernels.ranks import subset_accuracy
from classex._rates import rate_interval, without_rounding
from classex._types import FloatArray, IntArray
from classex._validation import as_class_counts, as_finite_array, as_positive_int, as_probabilities, as_probability
from classex.curves.accuracy import accuracy_curve
from classex.curves.jackknife import beyond_half, most_trials
from classex.open_set._results import OpenSetCurve
from classex.open_set._searches import Searches, as_searches, compared, search_weights
from classex.ranks.counting import Tally, count_scores

__all__ = ["RATES", "as_thresholds", "binomial_fpir", "open_set_curve", "rates"]


# a jackknife variance below this share of the squared rate is the rounding of a difference of sums
_JACKKNIFE_ROUNDING = 1e-13
# rates of the default thresholds, evenly spaced on a DET's axes; a sum of weights is exact to this share
RATES = np.append(np.multiply.outer(10.0 ** np.arange(-7, 0), [1, 1.5, 2, 3, 5, 7]), [0.8, 0.9, 0.95, 0.98])
_ROUNDING = 1e-9
# scores of a block: a few megabytes
_BLOCK_ELEMENTS = 2**20


def open_set_curve(
    scores: ArrayLike,
    labels: ArrayLike,
    nonmated_scores: ArrayLike,
    thresholds: ArrayLike | None = None,
    *,
    n_enrolled: int | None = None,
    nonmated_labels: ArrayLike | None = None,
    enrolled_labels: ArrayLike | None = None,
    top: int = 1,
    confidence_level: float = 0.95,
) -> OpenSetCurve:
    r"""Error rates of open-set identification, averaged over all subsets of N enrolled identities.

    A non-mated search x whose score reaches the threshold T for :math:`m_x` of the :math:`N_1` enrolled identities, and
    a mated search with the score s for its own identity that beats :math:`R^*` of the others, give, at rank 1,

    .. math::

        \mathrm{FPIR}(N, T) &= 1 - \operatorname*{mean}_x \binom{N_1 - m_x}{N} \Big/ \binom{N_1}{N}, \\
        \mathrm{FNIR}(N, 1, T) &= 1 - \operatorname*{mean} 1\{s \ge T\}
            \binom{R^*}{N - 1} \Big/ \binom{N_1 - 1}{N - 1}.

    Both are unbiased for N identities drawn at random. A score of minus infinity says that the comparison was not made,
    for example with images of the same camera, or with other images of a mated search's own identity where an identity
    has several columns. :math:`N_1` is then the number of identities that a search was compared with, and differs
    between searches.

    Parameters
    ----------
    scores : array_like of shape (n_mated, n_columns)
        Scores of the mated searches for every enrolled identity; higher is more similar. Minus infinity leaves a
        comparison out.
    labels : array_like of shape (n_mated,)
        Column of the identity of each mated search. Enrolled identities may have any number of searches, or none.
    nonmated_scores : array_like of shape (n_nonmated, n_columns)
        Scores of the non-mated searches, by people who are not enrolled.
    thresholds : float or array_like of shape (n,), optional
        Thresholds T. By default the lowest ones at which FPIR is at most 0, .001, .0015, .002, .003, .005, .007, .01
        and so on, from one over the number of people with non-mated searches, and the quantiles of the mated searches'
        own scores at the same rates.
    n_enrolled : int, optional
        Number N of enrolled identities, at most the number that every search was compared with, which is the default.
        With 1 the rates are the false match and the false non-match rate of verification.
    nonmated_labels : array_like of shape (n_nonmated,), optional
        Person of each non-mated search: people have the same weight, however many searches they have. By default all
        are different.
    enrolled_labels : array_like of shape (n_columns,), optional
        Identity of each column, if several samples of one identity are enrolled: the best score counts, and `labels`
        are among these identities. By default each column is an identity.
    top : int
        The rank R of FNIR(N, R, T): a mated search succeeds if its identity is among the `top` best and reaches the
        threshold. From N on the rank has no effect.
    confidence_level : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    OpenSetCurve
        Rates, standard errors and intervals for every threshold. Its methods `fnir_at_fpir`, `fpir_at_fnir` and
        `equal_error_rate` give points on the trade-off.

    Raises
    ------
    ValueError
        If a score is NaN or infinite, a search was not compared with its own identity or with one other, a label is out
        of range, the two matrices differ in their columns, or `n_enrolled` is above the fewest comparisons of a search.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    Rates as in ISO/IEC 19795-1. The interval includes Wilson's at the effective number of searches, which the standard
    error determines: it counts people, not searches, and allows for enrolled identities that many searches match. It
    also includes what half a person more could change who matches everyone, or no one, because a sample in which few
    people match does not show how much people differ. FNIR is one
    minus an accuracy, with the errors and intervals of `classex.accuracy_curve`. Beyond half of the identities the
    effective number is at most the number found at half. If one enrolled identity matches everyone, FPIR is 1 with the
    interval of one observation.

    Intervals assume that the enrolled identities are a random sample. If 2 % of people match every search, intervals
    from samples with such a person covered the rate in 98 to 100 % of simulations, and intervals from samples without
    one never did. With log-normal match rates of the identities (standard deviation of the logarithm 1.5, 50 enrolled),
    nominal 95 % intervals covered 90 %. Where comparisons are left out of the mated searches, the error of FNIR is that
    over searched people alone.

    Examples
    --------
    >>> from classex.open_set import open_set_curve
    >>> mated = [[0.9, 0.2, 0.1], [0.3, 0.8, 0.4], [0.2, 0.6, 0.5]]
    >>> nonmated = [[0.1, 0.3, 0.2], [0.6, 0.1, 0.2], [0.2, 0.3, 0.4], [0, 0, 0.1]]
    >>> curve = open_set_curve(mated, [0, 1, 2], nonmated, [0.35, 0.55])
    >>> curve.fpir, curve.fnir.round(3)
    (array([0.5 , 0.25]), array([0.333, 0.333]))
    """
    searches = as_searches(scores, labels, nonmated_scores, nonmated_labels, enrolled_labels)
    n = searches.fewest
    size = n if n_enrolled is None else as_positive_int(n_enrolled, "n_enrolled", maximum=n)
    cuts = _default_thresholds(searches, size) if thresholds is None else as_thresholds(thresholds)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    return rates(searches, cuts, size, as_positive_int(top, "top"), level)


def as_thresholds(thresholds: ArrayLike) -> FloatArray:
    """Return one or more finite numbers as an array."""
    cuts = as_finite_array(np.atleast_1d(np.asarray(thresholds)), "thresholds", ndim=1, dtype=np.float64)
    if cuts.size == 0:
        raise ValueError("thresholds must hold at least one number, but is empty")
    return cuts


def _default_thresholds(searches: Searches, size: int) -> FloatArray:
    """Lowest thresholds at which FPIR is at most 0 and each rate of a grid, and quantiles of the own scores.

    FPIR is the share of a weighted sample above the threshold: the r-th best score of a non-mated search is the best of
    a random gallery with the probability that the gallery holds one of the r best, less the same for r - 1.
    """
    scores, made = searches.nonmated, compared(searches.nonmated)
    grid = RATES[(1 - _ROUNDING) / (searches.people.max() + 1) <= RATES]
    best = np.sort(np.partition(scores, size - 1, axis=1)[:, size - 1 :], axis=1)[:, ::-1]
    among = np.minimum(np.arange(best.shape[1] + 1), made[:, np.newaxis])
    mass = search_weights(searches.people)[:, np.newaxis] * np.diff(_any_match(among, made, size), axis=1)
    order = np.argsort(-best, axis=None)[: np.count_nonzero(best > -np.inf)]
    above = np.cumsum(mass.ravel()[order])
    first = np.searchsorted(above, np.append(0.0, grid) * (1 + _ROUNDING), side="right")
    # just above the first score that must not be reached
    thresholds = np.nextafter(best.ravel()[order[np.minimum(first, order.size - 1)]], np.inf)
    own = np.quantile(searches.own, grid, method="inverted_cdf")
    return np.unique(np.append(thresholds, own))


def rates(searches: Searches, cuts: FloatArray, size: int, top: int, level: float) -> OpenSetCurve:
    """Rates, errors and intervals at several thresholds."""
    scores, people = searches.nonmated, searches.people
    matches = np.stack([np.count_nonzero(scores >= cut, axis=1) for cut in cuts], axis=1)
    made, weights = compared(scores), search_weights(people)
    fpir, (fpir_error, most) = weights @ _any_match(matches, made, size), _fpir_errors(searches, cuts, matches, size)
    fpir_ends = rate_interval(fpir, fpir_error, int(people.max()) + 1, level, most)
    mated = _mated_curves(searches, cuts, size, top)
    fnir, fnir_error = np.array([(1.0 - curve.accuracy[0], curve.standard_error[0]) for curve in mated]).T
    fnir_ends = np.array([1.0 - curve.interval(level)[0, ::-1] for curve in mated])
    fmr = weights @ (matches / made[:, np.newaxis])
    ends = (fpir_ends, fnir_ends, level, top, searches.labels.size, people.size)
    return OpenSetCurve(size, cuts, fpir, fnir, *ends, fmr, fpir_error, fnir_error)


def _mated_curves(searches: Searches, cuts: FloatArray, size: int, top: int) -> list[AccuracyCurve]:
    """Share of mated searches that return their own identity, at each threshold.

    It is the accuracy if own scores below the threshold beat no other score. If all candidates are returned, the
    remaining own scores are moved above all others, and any number of classes gives the share.
    """
    scores, labels, own = searches.mated, searches.labels, searches.own
    if top >= size:
        scores = scores.copy()
        scores[np.arange(own.size), labels] = np.nextafter(scores.max(), np.inf)
        size, top = max(size, 2), 1
    n, made = scores.shape[1], compared(scores)
    # from the highest threshold down: each adds the searches whose own score reaches it, but not the one before
    order = np.argsort(-own, kind="stable")
    reached = np.searchsorted(-own[order], -cuts, side="right")
    tally, curves = Tally(labels[order], n), {}
    blocks = np.arange(0, reached.max(), max(1, _BLOCK_ELEMENTS // n))
    for before, now in pairwise([0, *np.union1d(reached, np.append(blocks, 0))]):
        rows = order[before:now]
        tally.add(slice(before, now), count_scores(scores[rows], labels[rows], tally.n_groups, scores.size))
        if now in reached:
            ranks = tally.ranks()
            if made.min() < n:
                left_out = np.where(np.arange(own.size) < now, n - made[order], 0)
                ranks = replace(ranks, wins=ranks.wins - left_out, distractors=None, n_wrong=made[order] - 1)
            curves[now] = accuracy_curve(ranks, size, top=top)
    return [curves[now] for now in reached]


def _fpir_errors(searches: Searches, cuts: FloatArray, matches: IntArray, size: int) -> tuple[FloatArray, FloatArray]:
    """Standard errors of the FPIR, and the largest numbers of trials that they are worth.

    The FPIR is a statistic of two samples. Its variance over non-mated searches includes what a search and an enrolled
    identity do together. The jackknife over enrolled identities adds what an identity does to all searches. It exists
    up to half of the identities; the error beyond is derived from the error at half as in `classex.accuracy_curve`.
    """
    scores, people = searches.nonmated, searches.people
    n, n_people, weights = int(compared(scores).min()), int(people.max()) + 1, search_weights(people)
    half = max(min(size, n // 2), 1)
    chances = [_any_match(matches, compared(scores), drawn) for drawn in (size, half, n)]
    value = np.stack([weights @ chance for chance in chances])
    own = np.stack([_variance_of_mean(chance, people) for chance in chances])
    enrolled = _enrolled_variance(scores, people, cuts, matches, half)
    variance = own[1] + np.where(enrolled > _JACKKNIFE_ROUNDING * np.square(value[1]), enrolled, 0.0)
    whole = without_rounding(np.sqrt(variance), value[1])[np.newaxis]
    single, room = np.sqrt(own)[:, np.newaxis], np.maximum(value * (1 - value), 0.0)
    error, at_last = (
        beyond_half(single[i], single[1], whole, room=(room[i], room[1]), scale=(value[i], value[1])) for i in (0, 2)
    )
    ends = np.concatenate([whole, at_last])
    most = most_trials(np.array([size]), half, n, room=room[1:], error=ends, n_people=n_people)[0]
    return (whole if size == half else error)[0], most


def _enrolled_variance(
    scores: FloatArray, people: IntArray, cuts: FloatArray, matches: IntArray, size: int
) -> FloatArray:
    """Variance of the FPIR that enrolled identities cause in all non-mated searches together, by the jackknife.

    Leaving out an identity changes the mean by the sum of its changes for each search. The square of that sum includes
    the squares of single people, which belong to their own variance and are subtracted.
    """
    n, n_people, made = scores.shape[1], int(people.max()) + 1, compared(scores)
    # without an identity that a search does not match, the others have one score fewer below the threshold
    others = (made - 1)[:, np.newaxis]
    kept, lost = (_any_match(np.clip(matches - fewer, 0, others), made - 1, size) for fewer in (0, 1))
    steps = search_weights(people)[:, np.newaxis] * (lost - kept)
    shared = np.zeros(cuts.size)
    for i, cut in enumerate(cuts):
        some = np.flatnonzero((steps[:, i] != 0) & (matches[:, i] > 0) & (matches[:, i] < made))
        here, share = scores[some], matches[some, i] / made[some]
        rows, columns = np.nonzero((here >= cut) | (here == -np.inf))
        value = steps[some, i][rows]
        if made.min() < n:  # what was left out is at the mean of what was compared
            value *= np.where(here[rows, columns] >= cut, 1.0, share[rows])
        added = sparse.csr_array((value, (people[some][rows], columns)), shape=(n_people, n))
        alone = np.square(added.data).sum() - np.square(added.sum(axis=1)).sum() / n
        shared[i] = n * added.sum(axis=0).var() - alone
    return np.asarray(np.maximum((n - 1) / n * shared * n_people / max(n_people - 1, 1), 0.0))


def _any_match(matches: IntArray, made: IntArray, drawn: int) -> FloatArray:
    """Probability that `drawn` of the identities compared, without replacement, include at least one of the matches."""
    chance = np.empty(matches.shape)
    for n in np.unique(made):
        none = subset_accuracy(n - np.arange(n + 1), n + 1, np.array([drawn + 1]), 1, False)[:, 0]
        chance[made == n] = 1.0 - none[matches[made == n]]
    return chance


def _variance_of_mean(values: FloatArray, people: IntArray) -> FloatArray:
    """Variance of the mean over people of the mean over their searches, for each column."""
    count = np.bincount(people)
    if count.size < 2:
        return np.zeros(values.shape[1])
    total = np.zeros((count.size, values.shape[1]))
    np.add.at(total, people, values / count[people][:, np.newaxis])
    return np.asarray(total.var(axis=0, ddof=1) / count.size)


def binomial_fpir(fmr: ArrayLike, n_enrolled: ArrayLike) -> FloatArray:
    r"""False positive identification rate if all comparisons were independent, with the same false match rate.

    .. math:: 1 - (1 - \mathrm{FMR})^N \ge 1 - E\,(1 - F_x)^N = \mathrm{FPIR}(N),

    where :math:`F_x` is the false match rate of search x and :math:`\mathrm{FMR} = E F_x`. By Jensen's inequality the
    formula is an upper bound, attained only if all searches have the same rate.

    Parameters
    ----------
    fmr : float or array_like of shape (n,)
        False match rate of a single comparison, in [0, 1].
    n_enrolled : int or array_like of int
        Number N of enrolled identities, of a shape that broadcasts with `fmr`.

    Returns
    -------
    ndarray
        The bound.

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
    rate, size = as_probabilities(fmr, "fmr"), as_class_counts(n_enrolled, "n_enrolled")
    with np.errstate(divide="ignore"):
        bound: FloatArray = -np.expm1(size * np.log1p(-rate))
    return bound
