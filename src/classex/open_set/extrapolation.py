"""Error rates of open-set identification, beyond the number of enrolled identities in the data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_class_counts, as_positive_int, as_probability
from classex.open_set._larger_gallery import larger_fnir, larger_fpir
from classex.open_set._results import OpenSetPrediction
from classex.open_set._searches import Searches, as_searches, cut_off
from classex.open_set.curve import as_thresholds, rates

__all__ = ["extrapolate_open_set"]

# fewest people for a variance over people: set by judgement
_FEWEST = 8
# default thresholds, each of which takes seconds: set by judgement
_THRESHOLDS = 16


def extrapolate_open_set(
    scores: ArrayLike,
    labels: ArrayLike,
    nonmated_scores: ArrayLike,
    thresholds: ArrayLike | None = None,
    *,
    n_enrolled: ArrayLike,
    nonmated_labels: ArrayLike | None = None,
    enrolled_labels: ArrayLike | None = None,
    top: int = 1,
    confidence_level: float = 0.95,
    complete_from: float = -np.inf,
) -> OpenSetPrediction:
    r"""Predict the error rates of open-set identification among more enrolled identities.

    With :math:`F_x` the probability that a random identity's score reaches the threshold T in the non-mated search x,
    and :math:`U^*` the favourability of a mated search with the score s,

    .. math::

        \mathrm{FPIR}(N, T) &= 1 - E\,(1 - F_x)^N, \\
        \mathrm{FNIR}(N, 1, T) &= 1 - \Pr[s \ge T]\; E\bigl[(U^*)^{N-1} \mid s \ge T\bigr].

    At a rank R above 1, the probability that fewer than R of N - 1 others have a higher score replaces the power of
    :math:`U^*`.

    The false match rate :math:`E\,F_x` is the share of false matches at the threshold. If there are few or none, the
    tail of the non-mated scores is continued to the threshold. The distribution of :math:`F_x` comes from the numbers
    of false matches of each search, at the threshold or at the start of the tail.

    Parameters
    ----------
    scores, labels, nonmated_scores, nonmated_labels, enrolled_labels
        As in `open_set_curve`.
    thresholds : float or array_like of shape (n,), optional
        Thresholds T, each of which takes seconds. By default 16 at even steps, from the score that half of the
        non-mated searches reach to the highest non-mated or own score.
    n_enrolled : int or array_like of int
        Numbers N of enrolled identities. Up to the number in the data the rates are those of `open_set_curve`.
    top : int
        The rank R of FNIR(N, R, T).
    confidence_level : float
        Level of the intervals, in (0, 1).
    complete_from : float
        Score from which all are known, as `classex.io.load_searches` returns it for lists of candidates. Lower scores
        do not count in predictions at thresholds from it on; at lower thresholds predictions are unreliable.

    Returns
    -------
    OpenSetPrediction
        Rates and intervals for every N and threshold. Its methods `fnir_at_fpir`, `fpir_at_fnir` and
        `equal_error_rate` give points on the trade-off at each N.

    Raises
    ------
    ValueError
        If an argument is out of range, the matrices disagree, or there are fewer than 8 enrolled identities, people
        with mated searches, or people with non-mated searches.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    By Jensen's inequality :math:`1 - (1 - E\,F_x)^N` is an upper bound of FPIR for every distribution of the
    :math:`F_x` (`binomial_fpir`). The interval reaches that bound at the upper limit of the false match rate, unless
    the false matches show that searches differ. The lower end belongs to the most unequal distribution that the false
    matches allow: gamma, log-normal, or a share of searches without any, each with or without a common rate.

    The tail is :math:`-\log f(s) = y_0 (1 + \theta (s - u)/g)^{1/\theta}`, fitted by maximum likelihood to the
    highest scores (1 % of them, or two per search if that is more). Exponential and Gaussian tails are
    :math:`\theta = 1` and 1/2 (de Valk, Extremes, 2016). Its error counts people and enrolled identities, not scores.
    With a few false matches the upper end is at least that of their number alone. If the tail disagrees with the
    highest scores or with the false matches, or cannot be fitted, only the false matches count. FPIR is then "no more
    than" the upper end, and the lower end may be close to 0.

    FNIR is the mean of two predictions, weighted by the inverse squares of the widths of their intervals, and its
    interval includes both. The first uses the tail of the others' scores at the own score of each mated search,
    measured from the mean of its row as far as rows differ by more than chance, and the distribution over searches. The
    second is a beta-binomial extrapolation of the ranks, with an error over half galleries. It is correct if people
    differ in how many others resemble them, which one tail does not show.

    No extrapolation is free of assumptions. The intervals do not cover these cases: people who are enrolled twice
    under different names, unless `enrolled_labels` says so; near twins, if none is among the searches; a kind of
    identity that matches everyone, if none is enrolled; searches whose rate at the threshold is unrelated to their
    rates below it, if there are few false matches; larger galleries of other people.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.open_set import extrapolate_open_set
    >>> rng = np.random.default_rng(1)
    >>> enrolled, strangers = rng.normal(size=(60, 3)), rng.normal(size=(50, 3))
    >>> samples = enrolled + 0.2 * rng.normal(size=(60, 3))
    >>> mated = -np.linalg.norm(samples[:, None] - enrolled, axis=2)
    >>> nonmated = -np.linalg.norm(strangers[:, None] - enrolled, axis=2)
    >>> found = extrapolate_open_set(
    ...     mated, range(60), nonmated, -0.4, n_enrolled=[60, 600]
    ... )
    >>> found.fpir[0] < found.fpir[1]
    np.True_
    >>> several = extrapolate_open_set(
    ...     mated, range(60), nonmated, [-0.4, -0.2, -0.1], n_enrolled=600
    ... )
    >>> several.fnir_at_fpir(0.5).n_enrolled
    array([600])
    """
    searches = as_searches(scores, labels, nonmated_scores, nonmated_labels, enrolled_labels)
    n = searches.fewest
    sizes = as_class_counts(n_enrolled, "n_enrolled")
    level, rank = as_probability(confidence_level, "confidence_level", open_ends=True), as_positive_int(top, "top")
    mated, nonmated = (int(np.unique(people).size) for people in (searches.labels, searches.people))
    if min(n, mated, nonmated) < _FEWEST:
        raise ValueError(
            f"scores and nonmated_scores must hold {_FEWEST} people or more, not {mated} people searched for "
            f"among {n}, and {nonmated}"
        )
    cuts = _default_thresholds(searches) if thresholds is None else as_thresholds(thresholds)
    out = np.empty((2, cuts.size, sizes.size, 3))
    for size in np.unique(np.minimum(sizes, n)):
        seen = rates(searches, cuts, int(size), rank, level)
        pairs = ((seen.fpir, seen.fpir_interval), (seen.fnir, seen.fnir_interval))
        out[:, :, np.minimum(sizes, n) == size] = np.stack([np.column_stack(pair) for pair in pairs])[:, :, np.newaxis]
    beyond = sizes > n
    known = cuts >= complete_from
    for some, given in ((known, cut_off(searches, complete_from)), (~known, searches)):
        if beyond.any() and some.any():
            fpir = larger_fpir(given, cuts[some], sizes[beyond], level)
            fnir = larger_fnir(given, cuts[some], sizes[beyond], level, rank)
            # rates grow with the number of enrolled identities
            here = np.flatnonzero(some)[:, np.newaxis], np.flatnonzero(beyond)
            out[:, *here] = np.maximum(out[:, *here], [fpir, fnir])
    # one row for each number of enrolled identities and threshold
    fpir, fnir = np.swapaxes(out, 1, 2).reshape(2, -1, 3)
    among, threshold = np.repeat(sizes.astype(np.int64), cuts.size), np.tile(cuts, sizes.size)
    matches = np.tile([np.count_nonzero(searches.nonmated >= cut) for cut in cuts], sizes.size)
    numbers = (level, rank, searches.labels.size, searches.people.size, n, matches)
    found = OpenSetPrediction(among, threshold, fpir[:, 0], fnir[:, 0], fpir[:, 1:], fnir[:, 1:], *numbers)
    return replace(found, complete_from=complete_from)


def _default_thresholds(searches: Searches) -> NDArray[np.float64]:
    """Thresholds at even steps, from where half of the non-mated searches return a candidate to the best score."""
    best = searches.nonmated.max(axis=1)
    return np.linspace(np.median(best), max(best.max(), searches.own.max()), _THRESHOLDS)
