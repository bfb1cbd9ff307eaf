"""Open-set identification among more enrolled identities than were searched."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from classex._validation import as_class_counts, as_finite_number, as_probability
from classex.open_set._larger import larger_fnir, larger_fpir
from classex.open_set._searches import as_searches
from classex.open_set.curve import rates
from classex.results import OpenSetPrediction

__all__ = ["extrapolate_open_set"]

# the variance over fewer people says little: set by judgement
_FEWEST = 8


def extrapolate_open_set(
    scores: ArrayLike,
    labels: ArrayLike,
    nonmated_scores: ArrayLike,
    threshold: float,
    *,
    n_enrolled: ArrayLike,
    nonmated_labels: ArrayLike | None = None,
    enrolled_labels: ArrayLike | None = None,
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
    scores, labels, nonmated_scores, nonmated_labels, enrolled_labels
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
    different names, unless `enrolled_labels` says so; near twins, of whom none was seen among the
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
    searches = as_searches(scores, labels, nonmated_scores, nonmated_labels, enrolled_labels)
    n = searches.mated.shape[1]
    cut = as_finite_number(threshold, "threshold")
    sizes = as_class_counts(n_enrolled, "n_enrolled")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    mated, nonmated = (int(np.unique(people).size) for people in (searches.labels, searches.people))
    if min(n, mated, nonmated) < _FEWEST:
        raise ValueError(
            f"scores and nonmated_scores must hold {_FEWEST} people or more, not {mated} people searched for "
            f"among {n}, and {nonmated}"
        )
    fpir, fnir = np.empty((2, sizes.size))
    fpir_ends, fnir_ends = np.empty((2, sizes.size, 2))
    for size in np.unique(np.minimum(sizes, n)):
        at, seen = np.minimum(sizes, n) == size, rates(searches, np.array([cut]), int(size), 1, level, errors=True)
        fpir[at], fpir_ends[at] = seen.fpir[0], seen.fpir_interval[0]
        fnir[at], fnir_ends[at] = seen.fnir[0], seen.fnir_interval[0]
    beyond = sizes > n
    if beyond.any():
        for predict, rate, ends in ((larger_fpir, fpir, fpir_ends), (larger_fnir, fnir, fnir_ends)):
            value, limits = predict(searches, cut, sizes[beyond], level)
            # rates grow with the number of enrolled identities
            rate[beyond], ends[beyond] = np.maximum(value, rate[beyond]), np.maximum(limits, ends[beyond])
    matches = int(np.count_nonzero(searches.nonmated >= cut))
    return OpenSetPrediction(sizes.astype(np.int64), cut, fpir, fnir, fpir_ends, fnir_ends, level, n, matches)
