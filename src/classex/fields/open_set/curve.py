"""Searches for people of whom some are not enrolled: rates against thresholds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._checks import (
    as_class_counts,
    as_finite_array,
    as_labels,
    as_plain_array,
    as_positive_int,
    as_probabilities,
    as_probability,
    as_scores,
)
from classex._estimates import AccuracyCurve, probit, rate_interval, without_rounding
from classex._loops.curves import subset_accuracy
from classex._result import DrawnResult
from classex._types import FloatArray, IntArray
from classex.curves.accuracy import accuracy_curve, beyond_half, most_trials
from classex.ranks import ranks_of_checked
from classex.ranks.ranks import CorrectRanks, warn_if_inverted, weights_of_labels
from classex.ranks.scores import Tally, count_scores

__all__ = ["OpenSetCurve", "OpenSetPrediction", "OpenSetRates", "binomial_fpir", "open_set_curve"]


@dataclass(frozen=True)
class Searches:
    """Scores against all enrolled identities, columns of the mated searches' own, people of the non-mated searches.

    A score of minus infinity stands for a comparison that was not made.
    """

    mated: FloatArray
    labels: IntArray
    nonmated: FloatArray
    people: IntArray

    @property
    def own(self) -> FloatArray:
        """Score of each mated search for its own identity."""
        return np.asarray(self.mated[np.arange(self.labels.size), self.labels])

    @property
    def fewest(self) -> int:
        """Fewest identities that a search was compared with."""
        return min(int(compared(scores).min()) for scores in (self.mated, self.nonmated))


def compared(scores: FloatArray) -> IntArray:
    """Return the number of identities that each search was compared with."""
    return np.asarray(np.count_nonzero(scores > -np.inf, axis=1))


def cut_off(searches: Searches, least: float) -> Searches:
    """Make all scores below `least` alike: those in lists are a part of them, from which no tail can be fitted."""
    floor = np.nextafter(least, -np.inf)
    mated, nonmated = (
        np.where(scores > -np.inf, np.maximum(scores, floor), scores) for scores in (searches.mated, searches.nonmated)
    )
    return replace(searches, mated=mated, nonmated=nonmated)


def ranks_among_compared(scores: FloatArray, labels: IntArray) -> CorrectRanks:
    """Ranks among the identities that each search was compared with, without a distractor table if these differ."""
    made = compared(scores)
    if (made == scores.shape[1]).all():
        return ranks_of_checked(scores, labels)
    wins, ties = count_scores(scores, labels, 1)[:, :, 0].astype(np.int64)
    n = scores.shape[1]
    return warn_if_inverted(CorrectRanks(wins - (n - made), ties, labels, n, None, made - 1))


def as_searches(
    scores: ArrayLike,
    labels: ArrayLike,
    nonmated_scores: ArrayLike,
    nonmated_labels: ArrayLike | None,
    enrolled_labels: ArrayLike | None,
) -> Searches:
    """Check the arguments of the functions of this package; several samples of one identity become one column."""
    mated = _as_compared(scores, "scores")
    m, n = mated.shape
    nonmated = _as_compared(nonmated_scores, "nonmated_scores")
    if nonmated.shape[1] != n:
        raise ValueError(
            f"nonmated_scores must have shape (n_searches, {n}), one column per enrolled sample, "
            f"but has {nonmated.shape}"
        )
    people = np.arange(nonmated.shape[0])
    if nonmated_labels is not None:
        people = np.unique(_names(nonmated_labels, "nonmated_labels", people.size), return_inverse=True)[1]
    if enrolled_labels is None:
        return _checked(Searches(mated, as_labels(labels, m, n, every_class=False), nonmated, people))
    samples, searched = _names(enrolled_labels, "enrolled_labels", n), _names(labels, "labels", m)
    if "U" in (samples.dtype.kind, searched.dtype.kind):
        samples, searched = samples.astype(str), searched.astype(str)
    enrolled, column = np.unique(samples, return_inverse=True)
    if nonmated_labels is not None:
        others = np.asarray(nonmated_labels)
        others = np.unique(others.astype(str) if samples.dtype.kind == "U" else others)
        if (inside := np.intersect1d(others, enrolled)).size:
            raise ValueError(
                f"nonmated_labels must be of people who are not enrolled, but {inside.size} of {others.size} are among"
                f" the enrolled_labels, such as {inside[0]}"
            )
    if enrolled.size < 2:
        raise ValueError("enrolled_labels must name at least two identities, not 1")
    truth = np.minimum(np.searchsorted(enrolled, searched), enrolled.size - 1)
    unknown = enrolled[truth] != searched
    if unknown.any():
        i = np.argmax(unknown)
        raise ValueError(f"labels must be among the enrolled_labels, but position {i} is {searched[i]}")
    order = np.argsort(column, kind="stable")
    first = np.searchsorted(column[order], np.arange(enrolled.size))
    mated, nonmated = (np.maximum.reduceat(array[:, order], first, axis=1) for array in (mated, nonmated))
    return _checked(Searches(mated, truth, nonmated, people))


def _as_compared(scores: ArrayLike, name: str) -> FloatArray:
    """Return checked scores, of which minus infinity is kept."""
    array = as_plain_array(scores, name)
    left_out = np.isneginf(array) if array.dtype.kind == "f" else np.zeros(array.shape, dtype=bool)
    checked: FloatArray = as_scores(np.where(left_out, 0, array), name).astype(np.float64, copy=False)
    checked[left_out] = -np.inf
    return checked


def _checked(searches: Searches) -> Searches:
    """Refuse searches that were not compared with their own identity and another one; warn of distances."""
    unlisted = np.flatnonzero(searches.own == -np.inf)
    if searches.fewest < 2 or unlisted.size:
        raise ValueError(
            "scores and nonmated_scores must be above -inf, which leaves a comparison out, for two or more identities"
            " of each row, and for the own identity of each mated search"
            + (f" ({unlisted.size} lack it, first row {unlisted[0]} of scores)" if unlisted.size else "")
        )
    ranks_among_compared(searches.mated, searches.labels)
    return searches


def search_weights(people: IntArray) -> FloatArray:
    """Weight of every search in a mean over people, each with the same weight however many searches they have."""
    return np.asarray(weights_of_labels(people) / (people.max() + 1))


def _names(labels: ArrayLike, name: str, size: int) -> NDArray[Any]:
    names = np.asarray(labels)
    if names.shape != (size,):
        raise ValueError(f"{name} must have shape ({size},), one entry for each, but has {names.shape}")
    if names.dtype.kind not in "buifUS":
        raise TypeError(f"{name} must hold numbers or names, not values of dtype {names.dtype}")
    return names


# as in the tables of NIST's evaluations and ISO/IEC 19795-1
_NAMES = {"n_enrolled": "N", "thresholds": "T"} | {
    f"{rate.lower()}{end}": f"{rate}{end}" for rate in ("FPIR", "FNIR", "FMR") for end in ("", "_error", "_interval")
}


@dataclass(frozen=True)
class OpenSetRates(DrawnResult):
    """Error rates of open-set identification over thresholds, and where one of them is given.

    The base of `OpenSetCurve` and `OpenSetPrediction`, and what their methods `fnir_at_fpir` and `equal_error_rate`
    return.

    Attributes
    ----------
    n_enrolled : int or ndarray of shape (n,)
        Number N of enrolled identities.
    thresholds : ndarray of shape (n,)
        Thresholds T; a candidate is returned if its score is at least T.
    fpir, fnir : ndarray of shape (n,)
        FPIR(N, T) and FNIR(N, R, T).
    fpir_interval, fnir_interval : ndarray of shape (n, 2)
        Confidence intervals. A given rate is its own interval.
    confidence_level : float
        Their nominal level.
    top : int
        The rank R.
    n_mated, n_nonmated : int
        Numbers of searches.
    complete_from : float
        Score from which all are known. Rows with a lower threshold have a star: lists of candidates end above it.

    Notes
    -----
    Where a rate is given, the other one is interpolated between neighbouring thresholds, linearly in the normal deviate
    of the given rate. Each end of its interval is as far from the estimate as the root of the summed squares of two
    distances. The first is to the end of the rate's own interval at that threshold. The second is to the rate at the
    threshold where an end of the given rate's interval has the given value, so that the error of the threshold is
    included (Zou and Donner, Statistics in Medicine, 2008). If that is at none of the thresholds, the end is 0 or 1:
    the data do not bound the rate on that side.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.fields.open_set import open_set_curve
    >>> rng = np.random.default_rng(1)
    >>> mated = rng.normal(size=(60, 60)) + 4 * np.eye(60)
    >>> curve = open_set_curve(mated, range(60), rng.normal(size=(200, 60)))
    >>> curve.fnir_at_fpir([0.01, 0.1]).fnir.round(2)
    array([0.42, 0.17])
    >>> curve.equal_error_rate().fpir.round(2)
    array([0.14])
    """

    n_enrolled: int | NDArray[np.int64]
    thresholds: FloatArray
    fpir: FloatArray
    fnir: FloatArray
    fpir_interval: FloatArray
    fnir_interval: FloatArray
    confidence_level: float
    top: int
    n_mated: int
    n_nonmated: int
    complete_from: float = field(default=-np.inf, kw_only=True)

    _display: ClassVar[str] = "DetectionErrorDisplay"
    _axes: ClassVar[tuple[str, str]] = ("false positive identification rate", "false negative identification rate")
    _names: ClassVar[Mapping[str, str]] = _NAMES
    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "FNIR at rank {top}, from {n_mated} mated and {n_nonmated} non-mated searches:"

    def _table(self) -> dict[str, Any]:
        return {"N": self._sizes(), "R": np.full(self.thresholds.shape, self.top)} | super()._table()

    def _displayed(self) -> tuple[list[str], list[list[str]]]:
        """Return the table as text, with "set" instead of the interval of a given rate."""
        names, rows = marked_as_set(super()._displayed(), FPIR=self.fpir_interval, FNIR=self.fnir_interval)
        for row, low in zip(rows, self.thresholds < self.complete_from, strict=True):
            row[names.index("T")] += "*" * bool(low)
        return names, rows

    def _notes(self) -> list[str]:
        if self.thresholds.min(initial=np.inf) >= self.complete_from:
            return []
        return [
            f"* Below {self.complete_from:.4g} a list of candidates ends, and scores that it lacks count as lower."
            " FMR may be too low, with fewer than all enrolled FPIR too low and FNIR too high, and predictions for more"
            " are unreliable."
        ]

    def _sizes(self) -> NDArray[np.int64]:
        """Return the number of enrolled identities of each row."""
        return np.broadcast_to(self.n_enrolled, self.thresholds.shape)

    def fnir_at_fpir(self, fpir: ArrayLike) -> OpenSetRates:
        """FNIR at the thresholds where FPIR has the given values.

        Parameters
        ----------
        fpir : float or array_like of shape (m,)
            False positive identification rates.

        Returns
        -------
        OpenSetRates
            One row for each N and rate.

        Raises
        ------
        ValueError
            If all rates are below the smallest FPIR above 0 of these thresholds, or above the largest: with all
            identities enrolled, 200 non-mated searches cannot resolve a rate below .005.

        Warns
        -----
        UserWarning
            If this holds of some of them, which are left out.
        """
        return self._where(fpir)

    def equal_error_rate(self) -> OpenSetRates:
        """Rate at the threshold where FPIR and FNIR are equal.

        Returns
        -------
        OpenSetRates
            One row for each N; `fpir` and `fnir` are both the equal error rate.

        Raises
        ------
        ValueError
            If FNIR is larger at all thresholds, or FPIR is.
        """
        return self._where(None)

    def _where(self, fpir: ArrayLike | None) -> OpenSetRates:
        given, sizes = fpir is not None, np.unique(self._sizes())
        values = np.atleast_1d(as_probabilities(0.0 if fpir is None else fpir, "fpir"))
        pairs = [(n, value) for n in sizes.tolist() for value in values.tolist()]
        if given:
            refused = {pair: why for pair in pairs if (why := self._unresolved(*pair))}
            pairs = [pair for pair in pairs if pair not in refused]
            if not pairs:
                raise ValueError(next(iter(refused.values())))
            if refused:
                left = sorted({f"{value:.4g}" for _, value in refused})
                warnings.warn(f"{next(iter(refused.values()))}; left out: {', '.join(left)}", UserWarning, stacklevel=3)
        points = np.array([self._point(*pair, given=given) for pair in pairs]).T
        columns = (np.array([n for n, _ in pairs]), points[0], points[1], points[2], points[3:5].T, points[5:].T)
        about = (self.confidence_level, self.top, self.n_mated, self.n_nonmated)
        return OpenSetRates(*columns, *about, complete_from=self.complete_from)

    def _unresolved(self, n: int, value: float) -> str:
        """Say why these thresholds do not resolve a rate; nothing if they do."""
        known = self.fpir[self._sizes() == n]
        least, most = known[known > 0].min(initial=1.0), known.max()
        if least * (1 - 1e-9) <= value <= most * (1 + 1e-9):  # except rounding
            return ""
        remedy = f"search {np.ceil(1 / value):,.0f} strangers or more" if 0 < value < least else "give lower thresholds"
        return (
            f"fpir must be between {least:.3g} and {most:.3g}, the rates above 0 that these thresholds have with"
            f" {n} enrolled, but is {value:.4g}: {remedy}"
        )

    def _point(self, n: int, value: float, *, given: bool) -> list[float]:
        """Threshold, FPIR, FNIR, and the ends of the interval of each."""
        # along the rows FPIR falls
        rows = np.argsort(self.thresholds)
        rows = rows[self._sizes()[rows] == n]
        pairs = ((self.fpir, self.fpir_interval), (self.fnir, self.fnir_interval))
        known, other = (np.column_stack(pair)[rows].T for pair in pairs)
        threshold, best, *ends = where_rates_meet(known, other, self.thresholds[rows], value if given else None)
        return [threshold, value if given else best, best, *([value, value] if given else ends), *ends]

    def _lines(self) -> list[tuple[str, FloatArray, FloatArray, FloatArray]]:
        """Name, both rates with their ends, and the band of a DET, for each number of enrolled identities."""
        lines = []
        for n in np.unique(self._sizes()):
            rows = np.argsort(self.thresholds)
            rows = rows[self._sizes()[rows] == n]
            pairs = ((self.fpir, self.fpir_interval), (self.fnir, self.fnir_interval))
            known, other = (np.column_stack(pair)[rows].T for pair in pairs)
            inside = known[0][(np.minimum(known[0], other[0]) > 0) & (np.maximum(known[0], other[0]) < 1)]
            band = np.array([self._point(n, rate, given=True) for rate in np.unique(inside)]).reshape(-1, 7)
            lines.append((f"N = {n:,}", known, other, band[:, [1, 5, 6]].T))
        return lines


def marked_as_set(
    displayed: tuple[list[str], list[list[str]]], **intervals: FloatArray
) -> tuple[list[str], list[list[str]]]:
    """Write "set" instead of the intervals of given rates, whose ends are the same."""
    names, rows = displayed
    for rate, ends in intervals.items():
        column = next(i for i, name in enumerate(names) if name.startswith(f"{rate} ") and name.endswith("interval"))
        for row, (low, high) in zip(rows, ends, strict=True):
            row[column] = "set" if 0 < low == high < 1 else row[column]
    return names, rows


def where_rates_meet(
    known: FloatArray,
    other: FloatArray,
    thresholds: FloatArray,
    value: float | None,
    correlation: Callable[[float], float] = lambda _: 0.0,
) -> list[float]:
    """Threshold where the known rate has a value, or equals the other one, and the other rate there with its ends.

    Rates are rows of estimates, lower and upper ends, along rising thresholds. The correlation of their errors at the
    threshold enters as in Zou (Psychological Methods, 2007).
    """
    meets = other if value is None else np.full(known.shape, value)

    def crossing(i: int, j: int, end: float | None = None) -> float:
        """Rate where the estimate (0), low (1) or high (2) end of the known rate crosses the given or other one."""
        return _crossing(known[i], meets[j], (known[i] + other[j]) / 2 if value is None else other[j], end)

    threshold, best = _crossing(known[0], meets[0], thresholds, None), crossing(0, 0)
    together, ends = 2 * correlation(threshold), []
    for i, side in ((1, -1), (2, 1)):
        one = crossing(i, 0, None if value is None else i - 1.0) - best
        two = crossing(0, i) - best
        ends.append(best + side * np.sqrt(max(one**2 + two**2 + together * one * two, 0.0)))
    return [threshold, best, max(ends[0], 0.0), min(ends[1], 1.0)]


def _crossing(rate: FloatArray, other: FloatArray, y: FloatArray, end: float | None) -> float:
    """Value of y where one rate is last above another; `end`, or the y of the nearest row, if that is nowhere."""
    excess = probit(rate) - probit(other)
    above = np.flatnonzero(excess > 0)
    i = int(above[-1]) if above.size else -1
    if i in (-1, excess.size - 1):
        return float(y[max(i, 0)]) if end is None else end
    return float(y[i] + excess[i] / (excess[i] - excess[i + 1]) * (y[i + 1] - y[i]))


@dataclass(frozen=True)
class OpenSetCurve(OpenSetRates):
    """False positive and false negative identification rates over thresholds, at one number of enrolled identities.

    Attributes
    ----------
    n_enrolled : int
        Number N of enrolled identities that are searched.
    thresholds : ndarray of shape (n,)
        Thresholds T; a candidate is returned if its score is at least T.
    fpir : ndarray of shape (n,)
        FPIR(N, T): share of non-mated searches that return at least one candidate.
    fnir : ndarray of shape (n,)
        FNIR(N, R, T): share of mated searches that do not return the right identity among the R best candidates.
    fpir_interval, fnir_interval : ndarray of shape (n, 2)
        Confidence intervals.
    confidence_level : float
        Their nominal level.
    top : int
        The rank R.
    n_mated, n_nonmated : int
        Numbers of searches.
    complete_from : float
        Score from which all are known. Rows with a lower threshold have a star: lists of candidates end above it.
    fmr : ndarray of shape (n,)
        False match rate of a single comparison, averaged over non-mated searches and enrolled identities.
    fpir_error, fnir_error : ndarray of shape (n,)
        Standard errors, over searching and over enrolled people.

    Examples
    --------
    >>> from classex.fields.open_set import open_set_curve
    >>> mated = [[0.9, 0.2, 0.1], [0.3, 0.8, 0.4], [0.2, 0.6, 0.5]]
    >>> nonmated = [[0.1, 0.3, 0.2], [0.6, 0.1, 0.2], [0.2, 0.3, 0.4]]
    >>> curve = open_set_curve(mated, [0, 1, 2], nonmated, [0.35, 0.55])
    >>> curve.n_enrolled, curve.thresholds, curve.fmr.round(4)
    (3, array([0.35, 0.55]), array([0.2222, 0.1111]))
    """

    fmr: FloatArray
    fpir_error: FloatArray
    fnir_error: FloatArray

    _says: ClassVar[str] = "Rates among {n_enrolled} enrolled. " + OpenSetRates._says

    @property
    def selectivity(self) -> FloatArray:
        """Selectivity N FMR(T): mean number of candidates that a non-mated search returns, for each threshold."""
        return self.n_enrolled * self.fmr


@dataclass(frozen=True)
class OpenSetPrediction(OpenSetRates):
    """Predicted error rates of open-set identification, one row for each number of enrolled identities and threshold.

    Attributes
    ----------
    n_enrolled : ndarray of shape (n,)
        Numbers N of enrolled identities.
    thresholds : ndarray of shape (n,)
        Scores T that a candidate must reach.
    fpir, fnir : ndarray of shape (n,)
        Predicted false positive and false negative identification rates, FPIR(N, T) and FNIR(N, R, T).
    fpir_interval, fnir_interval : ndarray of shape (n, 2)
        Confidence intervals.
    confidence_level : float
        Their nominal level.
    top : int
        The rank R.
    n_mated, n_nonmated : int
        Numbers of searches.
    complete_from : float
        Score from which all are known. Rows with a lower threshold have a star: lists of candidates end above it.
    n_searched : int
        Number of enrolled identities in the data.
    n_false_matches : ndarray of shape (n,)
        Comparisons of the non-mated searches that reached the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.fields.open_set import extrapolate_open_set
    >>> rng = np.random.default_rng(1)
    >>> mated = rng.normal(size=(60, 60)) + 5 * np.eye(60)
    >>> nonmated = rng.normal(size=(50, 60))
    >>> found = extrapolate_open_set(
    ...     mated, range(60), nonmated, 3.0, n_enrolled=600
    ... )
    >>> found.n_searched, found.thresholds, found.n_false_matches
    (60, array([3.]), array([6]))
    """

    n_searched: int
    n_false_matches: NDArray[np.int64]

    _says: ClassVar[str] = "Predicted from {n_searched} enrolled. " + OpenSetRates._says

    def _notes(self) -> list[str]:
        said = "False matches: comparisons of non-mated searches, with all enrolled in the data, that reached T."
        return [said, *super()._notes()]


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
        Rates, standard errors and intervals for every threshold. Its methods `fnir_at_fpir` and
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
    >>> from classex.fields.open_set import open_set_curve
    >>> mated = [[0.9, 0.2, 0.1], [0.3, 0.8, 0.4], [0.2, 0.6, 0.5]]
    >>> nonmated = [[0.1, 0.3, 0.2], [0.6, 0.1, 0.2], [0.2, 0.3, 0.4], [0, 0, 0.1]]
    >>> curve = open_set_curve(mated, [0, 1, 2], nonmated, [0.35, 0.55])
    >>> curve.fpir, curve.fnir.round(3)
    (array([0.5 , 0.25]), array([0.333, 0.333]))
    """
    searches = as_searches(scores, labels, nonmated_scores, nonmated_labels, enrolled_labels)
    n = searches.fewest
    size = n if n_enrolled is None else as_positive_int(n_enrolled, "n_enrolled", maximum=n)
    cuts = _default_thresholds(searches, size) if thresholds is None else one_or_more(thresholds, "thresholds")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    return rates(searches, cuts, size, as_positive_int(top, "top"), level)


def one_or_more(numbers: ArrayLike, name: str) -> FloatArray:
    """Return one or more finite numbers as an array."""
    array = as_finite_array(np.atleast_1d(np.asarray(numbers)), name, ndim=1, dtype=np.float64)
    if array.size == 0:
        raise ValueError(f"{name} must hold at least one number, but is empty")
    return array


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
        none = subset_accuracy(n - np.arange(n + 1), n + 1, np.array([drawn + 1]), 1)[:, 0]
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
    >>> from classex.fields.open_set import binomial_fpir
    >>> binomial_fpir(0.001, [1, 1000]).round(3)
    array([0.001, 0.632])
    """
    rate, size = as_probabilities(fmr, "fmr"), as_class_counts(n_enrolled, "n_enrolled")
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(size * np.log1p(-rate)))
