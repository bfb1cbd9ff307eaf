"""Verification: do two samples belong to one person? Rates of pairs, with errors over the people in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from classex._checks import as_positive_float, as_probabilities, as_probability
from classex._estimates import Interval, rate_interval
from classex._result import DrawnResult, Result, number
from classex._types import FloatArray, IntArray
from classex.fields.open_set.curve import RATES, marked_as_set, one_or_more, where_rates_meet
from classex.ranks.ranks import warn_if_distances

__all__ = ["VerificationCurve", "VerificationRate", "verification_curve"]


@dataclass(frozen=True)
class _Accepted:
    """Pairs of one kind, best first, and the share of them that each number of best pairs is, with its error.

    `error` has an entry for 0, 1, ..., n accepted pairs. `people` has a column for each person of a pair.
    """

    scores: FloatArray
    people: IntArray
    n_people: int
    error: FloatArray

    @classmethod
    def of(cls, scores: FloatArray, people: IntArray, n_codes: int) -> _Accepted:
        """Sort the pairs, and find the errors by the jackknife over people."""
        order = np.argsort(-scores, kind="stable")
        people, n = people[order], scores.size
        count = np.bincount(people.ravel(), minlength=n_codes)
        n_people = int(np.count_nonzero(count))
        share = np.arange(n + 1) / n
        alone = share * (1 - share) / n
        if count.max() == n and n_people > 0:  # without this person there are no pairs
            return cls(scores[order], people, 1, np.full(n + 1, np.nan))
        variance = (n_people - 1) / n_people * _squares(people, 1 / (n - count))
        if people.shape[1] == 2:  # pairs of the same two people are in the sums of both
            couples = np.unique(np.sort(people, axis=1), axis=0, return_inverse=True)[1].reshape(-1, 1)
            variance -= _squares(couples, np.full(n, 1 / n))
        return cls(scores[order], people, n_people, np.sqrt(np.maximum(variance, alone)))

    def number(self, thresholds: FloatArray) -> IntArray:
        """Number of pairs whose score is at least each threshold."""
        return np.searchsorted(-self.scores, -thresholds, side="right")

    def without_each(self, threshold: float, n_codes: int) -> FloatArray:
        """Change of the share of pairs that reach a threshold if a person is left out, for each person."""
        k, n = int(self.number(np.array([threshold]))[0]), self.scores.size
        some, all_ = (np.bincount(self.people[:m].ravel(), minlength=n_codes) for m in (k, n))
        return np.asarray((all_ * k / n - some) / np.maximum(n - all_, 1))


def _squares(groups: IntArray, scale: FloatArray) -> FloatArray:
    """Sum over groups of the squared scaled differences between a group's count and its expected count.

    Rows of `groups` are pairs, best first. Entry k is for the k best pairs, of which a group of size s expects s k / n.
    A pair that adds to a group of c adds 2 c + 1 to the square of its count, so that one pass suffices.
    """
    (n, per_pair), flat = groups.shape, groups.ravel()
    size = np.bincount(flat, minlength=scale.size)
    order = np.argsort(flat, kind="stable")
    before = np.empty(flat.size)
    before[order] = np.arange(flat.size) - np.repeat(np.cumsum(size) - size, size)
    weight = np.square(scale)
    steps = np.stack([weight[flat] * (2 * before + 1), (weight * size)[flat]]).reshape(2, n, per_pair).sum(axis=2)
    squares, products = np.cumsum(np.pad(steps, ((0, 0), (1, 0))), axis=1)
    share = np.arange(n + 1) / n
    return np.asarray(squares - 2 * share * products + np.square(share) * (weight @ np.square(size)))


@dataclass(frozen=True)
class _Trials:
    """Rates of all pairs at each threshold of the data, along rising thresholds: estimate, lower and upper end."""

    genuine: _Accepted
    impostor: _Accepted
    n_codes: int
    level: float

    def rates(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """FMR and FNMR at some thresholds, with the ends of their intervals: two of shape (3, n)."""
        both = []
        for kind in (self.impostor, self.genuine):
            accepted, n = kind.number(thresholds), kind.scores.size
            rate = accepted / n if kind is self.impostor else 1 - accepted / n
            ends = rate_interval(rate, kind.error[accepted], kind.n_people, self.level)
            both.append(np.column_stack([rate, ends]).T)
        return both[0], both[1]

    def thresholds(self) -> FloatArray:
        """All scores, and a threshold that none reaches."""
        scores = np.unique(np.concatenate([self.genuine.scores, self.impostor.scores]))
        return np.append(scores, np.nextafter(scores[-1], np.inf))

    def correlation(self, threshold: float) -> float:
        """Correlation of the errors of FMR and FNMR, which people cause who are in pairs of both kinds."""
        fmr, tmr = (kind.without_each(threshold, self.n_codes) for kind in (self.impostor, self.genuine))
        errors = [kind.error[kind.number(np.array([threshold]))[0]] for kind in (self.impostor, self.genuine)]
        return float(np.clip(-(fmr @ tmr) / np.prod(errors), -1, 1)) if np.all(np.array(errors) > 0) else 0.0

    @property
    def n_people(self) -> int:
        """Number of people in pairs of either kind."""
        return int(np.union1d(self.genuine.people, self.impostor.people).size)


def _said_of(found: Any) -> str:
    people = ", which count as independent" if found.n_people is None else f" of {number(found.n_people)} people"
    return f"{number(found.n_genuine)} genuine and {number(found.n_impostor)} impostor pairs{people}"


@dataclass(frozen=True)
class VerificationRate(Result):
    """The equal error rate or the least detection cost, and the threshold that attains it.

    Attributes
    ----------
    measure : str
        "EER" or "minDCF".
    value : float
        The rate or cost.
    interval : Interval
        Its confidence interval.
    threshold : float
        Score that attains it: pairs from it on are accepted.
    n_genuine, n_impostor : int
        Numbers of pairs.
    n_people : int or None
        Number of people in them; None if pairs count as independent.

    Examples
    --------
    >>> from classex.fields.open_set import verification_curve
    >>> curve = verification_curve([0.9, 0.4, 0.8, 0.7], [0.1, 0.5, 0.3, 0.2])
    >>> curve.equal_error_rate().value, curve.equal_error_rate().threshold
    (0.25, 0.5)
    """

    measure: str
    value: float
    interval: Interval
    threshold: float
    n_genuine: int
    n_impostor: int
    n_people: int | None

    def _sentence(self) -> str:
        return f"{self.measure} {self._found()} at the threshold {number(self.threshold)}, from {_said_of(self)}."


@dataclass(frozen=True)
class VerificationCurve(DrawnResult):
    """False match and false non-match rates of verification over thresholds.

    Attributes
    ----------
    thresholds : ndarray of shape (n,)
        Thresholds T; a pair is accepted if its score is at least T.
    fmr, fnmr : ndarray of shape (n,)
        FMR(T): share of impostor pairs that are accepted. FNMR(T): share of genuine pairs that are not.
    fmr_interval, fnmr_interval : ndarray of shape (n, 2)
        Confidence intervals. A given rate is its own interval.
    confidence_level : float
        Their nominal level.
    n_genuine, n_impostor : int
        Numbers of pairs.
    n_people : int or None
        Number of people in them; None if pairs count as independent.

    Examples
    --------
    >>> from classex.fields.open_set import verification_curve
    >>> curve = verification_curve(
    ...     [0.9, 0.4, 0.8, 0.7], [0.1, 0.5, 0.3, 0.2], thresholds=0.45
    ... )
    >>> curve.fmr, curve.fnmr
    (array([0.25]), array([0.25]))
    """

    thresholds: FloatArray
    fmr: FloatArray
    fnmr: FloatArray
    fmr_interval: FloatArray
    fnmr_interval: FloatArray
    confidence_level: float
    n_genuine: int
    n_impostor: int
    n_people: int | None
    _trials: _Trials = field(repr=False)

    _display: ClassVar[str] = "DetectionErrorDisplay"
    _axes: ClassVar[tuple[str, str]] = ("false match rate", "false non-match rate")
    _names: ClassVar[Mapping[str, str]] = {"thresholds": "T"} | {
        f"{rate.lower()}{end}": f"{rate}{end}" for rate in ("FMR", "FNMR") for end in ("", "_interval")
    }
    _tabulated: ClassVar[bool] = True

    def _sentence(self) -> str:
        return f"FMR and FNMR from {_said_of(self)}:"

    def _displayed(self) -> tuple[list[str], list[list[str]]]:
        """Return the table as text, with "set" instead of the interval of a given rate."""
        return marked_as_set(super()._displayed(), FMR=self.fmr_interval, FNMR=self.fnmr_interval)

    def _lines(self) -> list[tuple[str, FloatArray, FloatArray, FloatArray]]:
        """Name, both rates with their ends, and the band of a DET."""
        fmr, fnmr = self._trials.rates(np.sort(self.thresholds))
        inside = np.unique(fmr[0][(np.minimum(fmr[0], fnmr[0]) > 0) & (np.maximum(fmr[0], fnmr[0]) < 1)])
        band = self.fnmr_at_fmr(inside).fnmr_interval if inside.size else np.zeros((0, 2))
        return [(f"{self.n_genuine:,} genuine pairs", fmr, fnmr, np.vstack([inside, band.T]))]

    def fnmr_at_fmr(self, fmr: ArrayLike) -> VerificationCurve:
        """FNMR at the lowest thresholds where FMR is at most the given values.

        Parameters
        ----------
        fmr : float or array_like of shape (m,)
            False match rates. Between two rates of the data, FNMR is interpolated in the normal deviate of FMR.

        Returns
        -------
        VerificationCurve
            One row for each rate.

        Raises
        ------
        ValueError
            If a rate is below one over the number of impostor pairs.
        """
        rates, cuts = np.atleast_1d(as_probabilities(fmr, "fmr")), self._trials.thresholds()
        known, other = self._trials.rates(cuts)
        if rates.min(initial=1.0) * self.n_impostor < 1 - 1e-9:  # except rounding
            raise ValueError(
                f"fmr must be at least {1 / self.n_impostor:.3g}, one of the {self.n_impostor} impostor pairs, but is"
                f" {rates.min():.4g}: lower rates need more impostor pairs"
            )
        found = [where_rates_meet(known, other, cuts, rate, self._trials.correlation) for rate in rates.tolist()]
        threshold, fnmr, low, high = np.array(found).T
        given = np.column_stack([rates, rates])
        return replace(
            self, thresholds=threshold, fmr=rates, fnmr=fnmr, fmr_interval=given, fnmr_interval=np.stack([low, high], 1)
        )

    def equal_error_rate(self) -> VerificationRate:
        """Rate at the threshold where FMR and FNMR are equal; interpolated if they are equal at no score.

        Returns
        -------
        VerificationRate
        """
        cuts = self._trials.thresholds()
        known, other = self._trials.rates(cuts)
        threshold, value, low, high = where_rates_meet(known, other, cuts, None, self._trials.correlation)
        return self._found_at("EER", value, (low, high), threshold)

    def detection_cost(self, prior: float, *, miss: float = 1.0, false_match: float = 1.0) -> VerificationRate:
        r"""Least detection cost over all thresholds (minDCF), as in NIST's evaluations of speaker recognition.

        .. math:: \min_T \frac{c_1 \pi\, \mathrm{FNMR}(T) + c_2 (1 - \pi)\, \mathrm{FMR}(T)}
            {\min(c_1 \pi,\, c_2 (1 - \pi))},

        so that the cost is 1 if all pairs are accepted, or none.

        Parameters
        ----------
        prior : float
            Prior probability :math:`\pi` of a genuine pair, in (0, 1).
        miss, false_match : float
            Costs :math:`c_1` of a false non-match and :math:`c_2` of a false match, above 0.

        Returns
        -------
        VerificationRate
            The least cost of a sample is a little below the cost of new pairs at its threshold.

        Raises
        ------
        ValueError
            If the prior is not in (0, 1), or a cost is not above 0.
        """
        share = as_probability(prior, "prior", open_ends=True)
        weights = np.array(
            [as_positive_float(false_match, "false_match") * (1 - share), as_positive_float(miss, "miss") * share]
        )
        weights /= weights.min()
        cuts = self._trials.thresholds()
        rates = np.stack(self._trials.rates(cuts))
        cost = weights @ rates[:, 0]
        at = int(cost.argmin())
        together, ends = 2 * self._trials.correlation(float(cuts[at])), []
        for end, side in ((1, -1), (2, 1)):
            one, two = weights * (rates[:, end, at] - rates[:, 0, at])
            ends.append(float(cost[at] + side * np.sqrt(max(one**2 + two**2 + together * one * two, 0.0))))
        return self._found_at("minDCF", float(cost[at]), (max(ends[0], 0.0), min(ends[1], 1.0)), float(cuts[at]))

    def _found_at(self, measure: str, value: float, ends: tuple[float, float], threshold: float) -> VerificationRate:
        interval = Interval(*ends, self.confidence_level)
        return VerificationRate(measure, value, interval, threshold, self.n_genuine, self.n_impostor, self.n_people)


def verification_curve(
    genuine: ArrayLike,
    impostor: ArrayLike,
    units: tuple[ArrayLike, ArrayLike] | None = None,
    *,
    thresholds: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> VerificationCurve:
    r"""Error rates of verification over thresholds: false match and false non-match rate of pairs of samples.

    .. math:: \mathrm{FMR}(T) = \Pr(\text{impostor score} \ge T), \qquad
        \mathrm{FNMR}(T) = \Pr(\text{genuine score} < T).

    Parameters
    ----------
    genuine, impostor : array_like of shape (n,)
        Scores of two samples of one person, and of two people; higher is more similar.
    units : pair of array_like, optional
        The people of the genuine pairs, of shape (n_genuine,), and those of the impostor pairs, of shape (n_impostor,
        2), one for each side, or (n_impostor,) if only one side is known. Intervals are then over people. By default
        pairs count as independent.
    thresholds : float or array_like of shape (n,), optional
        Thresholds T of the table. By default quantiles of the scores, evenly spaced on normal deviates. The methods of
        the result use every score.
    confidence_level : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    VerificationCurve
        Its methods give the equal error rate, FNMR at a given FMR and the least detection cost; `plot` draws the DET.

    Raises
    ------
    ValueError
        If a score is NaN or infinite, there are no pairs of a kind, or the people are not those of the pairs.
    TypeError
        If an argument does not hold numbers.

    Warns
    -----
    UserWarning
        If genuine scores are lower than those of impostors, as distances are.

    Notes
    -----
    A person in many pairs moves all of them. With :math:`\theta_{(p)}` a rate without the pairs that contain person p,
    of P people, its variance is that of the jackknife,

    .. math:: \frac{P - 1}{P} \sum_p (\theta_{(p)} - \theta)^2 - \sum_d E_d^2,

    where :math:`E_d` is the contribution of two people's pairs to the error, which is in the sums of both people. It is
    at least the variance of independent pairs. Intervals include what half a person who always fails could change, with
    :math:`P - 1` degrees of freedom. An error of the threshold enters the equal error rate, and FNMR at a given FMR, by
    the method of Zou and Donner, with the correlation that people cause who are in pairs of both kinds. A table in the
    chapter on open sets compares coverage with and without `units`.

    Source: ISO/IEC 19795-1; for errors over people in pairs, Fafchamps and Gubert (Journal of Development Economics,
    2007).

    Examples
    --------
    >>> import numpy as np
    >>> from classex.fields.open_set import verification_curve
    >>> rng = np.random.default_rng(0)
    >>> voice, a, b = np.repeat(range(20), 5), *rng.integers(20, size=(2, 900))
    >>> own, other = rng.normal(size=(2, 20))
    >>> curve = verification_curve(
    ...     3 + own[voice] + rng.normal(size=100),
    ...     (other[a] + other[b] + rng.normal(size=900))[a != b],
    ...     (voice, np.stack([a, b], axis=1)[a != b]),
    ... )
    >>> round(curve.equal_error_rate().value, 2), curve.n_people
    (0.18, 20)
    """
    scores = one_or_more(genuine, "genuine"), one_or_more(impostor, "impostor")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    people, n_codes = _people(units, scores[0].size, scores[1].size)
    genuine_pairs, impostor_pairs = (
        _Accepted.of(values, who, n_codes) for values, who in zip(scores, people, strict=True)
    )
    trials = _Trials(genuine_pairs, impostor_pairs, n_codes, level)
    same, other = genuine_pairs.scores, impostor_pairs.scores
    share = float(stats.mannwhitneyu(same, other).statistic) / (same.size * other.size)
    number_of = same.size * other.size / (same.size + other.size + 1)
    warn_if_distances(share, number_of, "scores of genuine pairs exceed", "scores of impostor pairs", 3)
    if thresholds is None:
        ends = (np.quantile(same, RATES, method="inverted_cdf"), np.quantile(other, 1 - RATES, method="inverted_cdf"))
        cuts: FloatArray = np.unique(np.nextafter(np.concatenate([*ends, other[:1]]), np.inf))
    else:
        cuts = one_or_more(thresholds, "thresholds")
    fmr, fnmr = trials.rates(cuts)
    about = (level, same.size, other.size, None if units is None else trials.n_people)
    return VerificationCurve(cuts, fmr[0], fnmr[0], fmr[1:].T, fnmr[1:].T, *about, trials)


def _people(units: Any, n_genuine: int, n_impostor: int) -> tuple[tuple[IntArray, IntArray], int]:
    """Numbers of the people of each pair, a column for each side, and how many people there are."""
    if units is None:
        everyone = np.arange(n_genuine + n_impostor)[:, np.newaxis]
        return (everyone[:n_genuine], everyone[n_genuine:]), everyone.size
    if not isinstance(units, tuple | list) or len(units) != 2:
        raise ValueError("units must be a pair: the people of the genuine pairs, and those of the impostor pairs")
    sides = []
    for names, n, kind in zip(map(np.asarray, units), (n_genuine, n_impostor), ("genuine", "impostor"), strict=True):
        if names.shape not in ((n,), (n, 1), (n, 2)):
            raise ValueError(f"units must have the shape ({n},) or ({n}, 2) for the {kind} pairs, not {names.shape}")
        if names.dtype.kind not in "buiUS":
            raise ValueError(f"units must hold whole numbers or names, not values of dtype {names.dtype}")
        if names.shape[1:] == (2,) and ((names[:, 0] == names[:, 1]) != (kind == "genuine")).any():
            raise ValueError(f"units must name {'one person' if kind == 'genuine' else 'two people'} in {kind} pairs")
        sides.append(names.reshape(n, -1)[:, : 1 if kind == "genuine" else 2])
    texts = [side.astype(str) if "U" in (sides[0].dtype.kind, sides[1].dtype.kind) else side for side in sides]
    everyone, codes = np.unique(np.concatenate([side.ravel() for side in texts]), return_inverse=True)
    return (codes[:n_genuine, np.newaxis], codes[n_genuine:].reshape(n_impostor, -1)), everyone.size
