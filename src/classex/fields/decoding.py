"""Decoders of brain recordings: tests against chance, bits per minute, two decoders, and a course over time.

The random sample is the subjects wherever there are several, and every subject weighs the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from classex._checks import (
    as_class_counts,
    as_finite_array,
    as_generator,
    as_groups,
    as_plain_array,
    as_positive_float,
    as_positive_int,
    as_probability,
    as_units,
    distinct,
    shown,
)
from classex._estimates import Interval, rate_interval
from classex._result import Result
from classex._types import FloatArray, IntArray
from classex.extrapolator import Extrapolator
from classex.information import (
    ImpliedInformation,
    fano_bound,
    implied_information,
    information_confidence_bound,
)
from classex.ranks import CorrectRanks
from classex.ranks.ranks import as_ranks

__all__ = [
    "AboveChance",
    "DecoderDifference",
    "TimeCourse",
    "TransferRate",
    "above_chance",
    "compare_decoders",
    "time_course",
    "transfer_rate",
]

# Sums of the same numbers in another order differ by rounding
_ROUNDING = 1e-12
# Fewest candidates of which `implied_information` makes a curve
_FEWEST_CLASSES = 5
# Elements of the largest array of permutations, 32 MB, and points of the finest grid of accuracies, 8 MB
_BLOCK_ELEMENTS, _MOST_POINTS = 2**22, 2**20


@dataclass(frozen=True)
class AboveChance(Result):
    """Accuracies of subjects and their mean, each with two tests against chance.

    Attributes
    ----------
    unit : ndarray of str of shape (n,)
        Names of the units, such as subjects; the last row is their "mean", or "all" points where there are no units.
    n_points : ndarray of int of shape (n,)
        Numbers of test points.
    accuracy, standard_error : ndarray of shape (n,)
        Class-balanced accuracies and their standard errors, over points in a unit and over units for the mean.
    interval : ndarray of shape (n, 2)
        Confidence intervals.
    chance : ndarray of shape (n,)
        Expected accuracy of guesses.
    p_value : ndarray of shape (n,)
        One-sided p-values by permutations of the labels within units.
    p_guess : ndarray of shape (n,)
        One-sided p-values if each point were guessed, by the exact distribution.
    confidence_level : float
        Nominal level of the intervals.

    Examples
    --------
    >>> from classex.fields.decoding import above_chance
    >>> found = above_chance(
    ...     list("aabbaabb"), list("aabbabbb"), units=[1] * 4 + [2] * 4
    ... )
    >>> found.unit.tolist(), found.accuracy
    (['1', '2', 'mean'], array([1.   , 0.75 , 0.875]))
    """

    unit: NDArray[np.str_]
    n_points: NDArray[np.int64]
    accuracy: FloatArray
    standard_error: FloatArray
    interval: FloatArray
    chance: FloatArray
    p_value: FloatArray
    p_guess: FloatArray
    confidence_level: float

    _names: ClassVar[dict[str, str]] = {"p_guess": "p_of_guesses"}
    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "Class-balanced accuracy against chance, one-sided p-values:"


def above_chance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    units: ArrayLike | None = None,
    n_classes: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_permutations: int = 9999,
    rng: Any = 0,
) -> AboveChance:
    r"""Test accuracies against chance, for every subject and for their mean.

    With C classes in a unit and :math:`n_c` points of class c, its class-balanced accuracy is
    :math:`\frac1C \sum_c \frac{1}{n_c} \sum_{i \in c} 1\{\hat y_i = y_i\}`; the mean gives each unit the same weight.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n_points,)
        True and predicted class of each test point, by number or name, from a decoder trained on other data.
    units : array_like of shape (n_points,), optional
        Unit of each test point, such as its subject.
    n_classes : int or array_like of int of shape (n_points,), optional
        Number of candidates that each prediction was made among; by default the number of different
        names in `y_true` and `y_pred`.
    confidence_level : float
        Nominal level of the intervals, in (0, 1).
    n_permutations : int
        Number of random permutations.
    rng : int, numpy.random.Generator or None
        Seed or generator of the permutations.

    Returns
    -------
    AboveChance
        A row for each unit, and one for the mean.

    Raises
    ------
    ValueError
        If lengths differ, there are no points, no prediction is a class of `y_true`, `units` names a single unit, or a
        number is out of range.

    Notes
    -----
    *Guesses.* If each point is guessed among M candidates, hits are independent with probability 1/M. The accuracy is
    then a weighted sum of them, whose distribution is computed by convolution: binomial where classes have equal
    numbers of points, Poisson-binomial where M differs between them. If weights have no common denominator up to 2^20
    they are rounded so that the p-value can only grow. A decoder that prefers some classes guesses too. With equal
    numbers of points, and an accuracy above chance by one point at least, its p-value is no smaller than the exact
    one (Hoeffding, Annals of Mathematical Statistics 27, 1956). With unequal numbers use the permutations.

    *Permutations.* Labels are permuted within units, predictions stay. The p-value is (1 + b) / (1 + B), where b of B
    permutations do as well. It is exact, for any preferences, if every order of the labels of a unit was equally
    probable. If responses drift, make each run a unit. If points share a stimulus, use
    `classex.identification.permutation_test`, which permutes stimuli.

    P-values of several units are not adjusted for their number. The interval of the mean is Student's over units, and
    allows for units of a kind not seen.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.fields.decoding import above_chance
    >>> y = np.arange(40) % 4
    >>> print(above_chance(y, np.where(np.arange(40) < 20, y, 0)))
    Class-balanced accuracy against chance, one-sided p-values:
    <BLANKLINE>
    unit  points  accuracy  standard error   95 % interval  chance  p value  p of guesses
     all      40     0.625           0.078  0.463 to 0.763   0.250   0.0001      5.88e-07
    """
    truth, found = as_plain_array(y_true, "y_true"), as_plain_array(y_pred, "y_pred")
    if truth.ndim != 1 or truth.shape != found.shape or truth.size == 0:
        raise ValueError(f"y_true and y_pred must have one shape (n_points,), not {truth.shape} and {found.shape}")
    names, index = distinct(np.concatenate([truth, found]), "y_true and y_pred")
    if not np.isin(found, truth).any():
        raise ValueError(
            f"y_pred must hold classes of y_true, such as {shown(truth.tolist()[0])}, not {shown(found.tolist()[0])}"
        )
    label, guess = index.reshape(2, -1)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    draws, generator = as_positive_int(n_permutations, "n_permutations"), as_generator(rng)
    sizes = as_class_counts(names.size if n_classes is None else n_classes, minimum=2)
    if sizes.size not in (1, truth.size):
        raise ValueError(f"n_classes must be one number or {truth.size}, one for each point, not {sizes.size}")
    sizes = np.broadcast_to(sizes, truth.shape)
    if units is not None:
        as_units(units, truth.size)
    own, unit = as_groups(np.zeros(truth.size) if units is None else units, "units", truth.size, "test point")
    parts, permuted = np.empty(truth.size, dtype=np.int64), np.empty((own.size, draws))
    rows = []
    for number in range(own.size):
        these = unit == number
        count = np.bincount(label[these])
        parts[these] = np.count_nonzero(count) * count[label[these]]
        permuted[number] = _permuted(label[these], guess[these], 1 / parts[these], draws, generator)
        rows.append(_row(parts[these], (label == guess)[these], sizes[these], permuted[number]))
    if units is not None:
        rows.append(_row(parts * own.size, label == guess, sizes, permuted.mean(axis=0)))
        value = np.array([row[1] for row in rows[:-1]])
        rows[-1] = (rows[-1][0], value.mean(), value.std(ddof=1) / np.sqrt(value.size), *rows[-1][3:])
    table = [np.array(column) for column in zip(*rows, strict=True)]
    worth = table[0] if units is None else np.append(table[0][:-1], own.size)
    pairs = zip(table[1], table[2], worth, strict=True)
    ends = [rate_interval(np.array([value]), np.array([error]), n, level)[0] for value, error, n in pairs]
    named = np.array(["all"] if units is None else [*own.astype(str), "mean"])
    points, accuracy, error, chance, p, p_guess = table
    return AboveChance(named, points, accuracy, error, np.array(ends), chance, p, p_guess, level)


def _permuted(label: IntArray, guess: IntArray, share: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """Accuracies under random orders of the labels."""
    step, parts = max(1, _BLOCK_ELEMENTS // label.size), []
    for first in range(0, draws, step):
        order = rng.permuted(np.tile(np.arange(label.size), (min(step, draws - first), 1)), axis=1)
        parts.append(((label[order] == guess) * share[order]).sum(axis=1))
    return np.concatenate(parts)


def _row(parts: IntArray, right: NDArray[np.bool_], sizes: FloatArray, permuted: FloatArray) -> tuple[Any, ...]:
    """Points, accuracy, standard error over points, chance, and p-values, where a point weighs 1 / parts."""
    share, n = 1 / parts, right.size
    value = float(share @ right)
    error = np.sqrt(np.square(share) @ np.square(right - value) * (n / max(n - 1, 1)))
    p = (1 + np.count_nonzero(permuted >= value - _ROUNDING)) / (1 + permuted.size)
    return n, value, error, share @ (1 / sizes), p, _guessed(parts, right, sizes)


def _guessed(parts: IntArray, right: NDArray[np.bool_], sizes: FloatArray) -> float:
    """Probability that a sum of independent hits, weighing 1 / parts, is at least the observed one.

    Weights are counted in units of their common denominator, or else rounded up, and down where they were observed.
    """
    common = lcm(*np.unique(parts).tolist())
    points = min(common, _MOST_POINTS)
    steps, exact = -(-points // parts), points == common
    seen = int(((steps if exact else points // parts) * right).sum())
    distribution = np.ones(1)
    kinds, count = np.unique(np.stack([steps, sizes.astype(np.int64)]), axis=1, return_counts=True)
    for step, size, number in zip(*kinds, count, strict=True):
        longer = np.zeros(distribution.size + step * number)
        for hits, chance in enumerate(stats.binom.pmf(np.arange(number + 1), number, 1 / size)):
            longer[hits * step : hits * step + distribution.size] += chance * distribution
        distribution = longer
    return float(min(distribution[seen:].sum(), 1.0))


@dataclass(frozen=True)
class TransferRate(Result):
    """Bits of a selection among N candidates, by Wolpaw's formula, and bits per minute.

    Attributes
    ----------
    n_classes : ndarray of int of shape (n,)
        Numbers of candidates N: the observed one first.
    accuracy : ndarray of shape (n,)
        Observed accuracy, and predicted ones.
    bits, bits_per_minute : ndarray of shape (n,)
        Bits of a selection, and per minute.
    bits_interval, bits_per_minute_interval : ndarray of shape (n, 2)
        Their confidence intervals, from those of the accuracy.
    seconds : float
        Seconds that a selection takes.
    least_bits : float or None
        Lower confidence bound of the mutual information of class and response, in bits; None if a candidate has no
        test point.
    implied : ImpliedInformation or None
        What the observed curve implies in high dimension; None with fewer than five candidates.
    confidence_level : float
        Nominal level of the intervals and the bound.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.5).sample(20, n_repeats=5, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> rate = cx.decoding.transfer_rate(ranks, seconds=4)
    >>> rate.bits.round(2), rate.bits_per_minute.round(1)
    (array([1.8]), array([27.]))
    """

    n_classes: NDArray[np.int64]
    accuracy: FloatArray
    bits: FloatArray
    bits_interval: FloatArray
    bits_per_minute: FloatArray
    bits_per_minute_interval: FloatArray
    seconds: float
    least_bits: float | None
    implied: ImpliedInformation | None
    confidence_level: float

    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "Bits by Wolpaw's formula for equally likely candidates, {seconds} seconds a selection:"

    def _notes(self) -> list[str]:
        notes = []
        if self.least_bits is not None:
            level = f"{100 * self.confidence_level:g} %"
            notes.append(
                f"Information of class and response: at least {self.least_bits:.2f} bits with {level} confidence."
            )
        if self.implied is not None:
            notes.append(
                f"The curve implies {self.implied.value / np.log(2):.2f} bits if responses have many dimensions."
            )
        return notes


def transfer_rate(
    ranks: CorrectRanks, *, seconds: float, n_classes: ArrayLike = (), confidence_level: float = 0.95
) -> TransferRate:
    r"""Bits of a selection and per minute, with the candidates of the test and with other numbers of them.

    .. math:: B = \log_2 N + P \log_2 P + (1 - P) \log_2 \frac{1 - P}{N - 1}

    for an accuracy P among N candidates, and 0 at or below chance.

    Parameters
    ----------
    ranks : CorrectRanks
        From `classex.correct_ranks`; with units (`classex.ranks.in_units`) intervals are over subjects as well.
    seconds : float
        Seconds that a selection takes, pauses included.
    n_classes : int or array_like of int
        Other numbers of candidates, for which the default method predicts the accuracy.
    confidence_level : float
        Nominal level of the intervals, in (0, 1).

    Returns
    -------
    TransferRate
        A row for the observed number of candidates, and one for each other.

    Raises
    ------
    ValueError
        If `seconds` is not positive, or a number of candidates is below 2.
    TypeError
        If `ranks` is no `CorrectRanks`.

    Notes
    -----
    The formula is that of Wolpaw et al. (IEEE Transactions on Rehabilitation Engineering 8, 2000). It is Fano's bound
    (`classex.fano_bound`): for equally likely candidates, a prediction of accuracy P carries at least B bits, and
    exactly B if all errors are equally likely. It overstates the rate if candidates are not equally likely.

    `least_bits` is a bound for the response, not the prediction, and uses the whole curve
    (`classex.information_confidence_bound`); it is for the population of subjects where the ranks name them, and else
    for these subjects. `implied` is `classex.implied_information`.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.5).sample(20, n_repeats=5, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> rate = cx.decoding.transfer_rate(ranks, seconds=4, n_classes=200)
    >>> rate.n_classes, rate.bits.round(1)
    (array([ 20, 200]), array([1.8, 1.6]))
    """
    known = as_ranks(ranks)
    time = as_positive_float(seconds, "seconds")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    more = as_class_counts(n_classes) if np.size(n_classes) else np.empty(0)
    sizes = np.append(known.n_classes, more)
    fitted = Extrapolator().fit_ranks(known)
    value, ends = fitted.predict(sizes), fitted.predict_interval(sizes, confidence_level=level)
    bits, bits_ends = (fano_bound(x, sizes.reshape((-1,) + (1,) * (x.ndim - 1))) / np.log(2) for x in (value, ends))
    least = None
    if known.n_tested == known.n_classes:
        least = information_confidence_bound(known, confidence_level=level).information / np.log(2)
    implied = None
    if known.n_classes >= _FEWEST_CLASSES and known.distractors is not None:
        implied = implied_information(known, confidence_level=level)
    per_minute = 60 / time
    rates = bits, bits_ends, bits * per_minute, bits_ends * per_minute
    return TransferRate(sizes.astype(np.int64), value, *rates, time, least, implied, level)


@dataclass(frozen=True)
class DecoderDifference(Result):
    """Mean difference of two decoders over subjects.

    Attributes
    ----------
    first, second : str
        Names of the decoders.
    value : float
        Mean accuracy of the first less that of the second.
    interval : Interval
        Confidence interval of the mean difference.
    p_value : float
        Two-sided p-value of no difference.
    n_units : int
        Number of subjects.

    Examples
    --------
    >>> from classex.fields.decoding import compare_decoders
    >>> print(compare_decoders([0.6, 0.7, 0.5, 0.8, 0.6, 0.9], [0.5] * 6))
    Accuracy of a less that of b, over 6 subjects: 0.18 (95 % interval 0.00 to 0.40); p = 0.0625.
    """

    first: str
    second: str
    value: float
    interval: Interval
    p_value: float
    n_units: int

    _says: ClassVar[str] = "Accuracy of {first} less that of {second}, over {n_units} subjects: {found}; p = {p_value}."


def compare_decoders(
    first: ArrayLike,
    second: ArrayLike,
    *,
    names: tuple[str, str] = ("a", "b"),
    confidence_level: float = 0.95,
    n_flips: int = 9999,
    rng: Any = 0,
) -> DecoderDifference:
    r"""Compare two decoders by the differences d of their accuracies, one for each subject.

    The mean difference is :math:`\theta` or less as often as the mean over a random set of subjects: the test flips
    signs of differences.

    Parameters
    ----------
    first, second : array_like of shape (n_subjects,)
        Accuracies of the decoders, subjects in the same order.
    names : tuple of str
        Names of the decoders.
    confidence_level : float
        Level of the interval, in (0, 1).
    n_flips : int
        Number of flips: all of them if there are no more, random ones otherwise.
    rng : int, numpy.random.Generator or None
        Seed or generator of random flips.

    Returns
    -------
    DecoderDifference
        Mean difference, interval and p-value.

    Raises
    ------
    ValueError
        If the lengths differ or are below two, or an accuracy lies outside [0, 1].

    Notes
    -----
    The test is exact if subjects are independent and, without a difference, d is as likely as -d, which holds if the
    names of the decoders could be swapped. The interval contains the :math:`\theta` that the test of
    :math:`d - \theta` does not reject. Its ends are order statistics of the means over sets of subjects (Hartigan,
    Journal of the American Statistical Association 64, 1969); it is exact if d is symmetric about its mean. With five
    subjects or fewer no test rejects at .05, and the ends of the 95 % interval are -1 and 1.

    Examples
    --------
    >>> from classex.fields.decoding import compare_decoders
    >>> compare_decoders([0.6, 0.7, 0.5, 0.8, 0.6, 0.9], [0.4] * 6).p_value
    0.03125
    """
    a, b = (_accuracies(x, name, 1) for x, name in ((first, "first"), (second, "second")))
    if a.shape != b.shape:
        raise ValueError(f"second must have the {a.size} subjects of first, not {b.size}")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    flipped = _signs(a.size, n_flips, rng) < 0
    number, size, total = 1 + len(flipped), flipped.sum(axis=1), flipped @ (a - b)
    # a flip of no sign, which may be drawn, does as well as the observed order whatever the difference
    below, above = (np.sort(np.where(size > 0, total / np.maximum(size, 1), end)) for end in (-np.inf, np.inf))
    as_low, as_high = np.count_nonzero(below <= _ROUNDING), np.count_nonzero(above >= -_ROUNDING)
    rank = int((1 - level) / 2 * number + _ROUNDING)
    low, high = (below[rank - 1], above[-rank]) if rank else (-1.0, 1.0)
    ends = Interval(float(max(low, -1.0)), float(min(high, 1.0)), level)
    p = min(1.0, 2 * (1 + int(min(as_low, as_high))) / number)
    return DecoderDifference(*names, float((a - b).mean()), ends, p, a.size)


def _accuracies(value: ArrayLike, name: str, ndim: int, least: float = 0.0) -> FloatArray:
    """Accuracies of subjects, at least two of them."""
    x = as_finite_array(value, name, ndim=ndim, dtype=np.float64)
    if len(x) < 2 or x.min() < least or x.max() > 1:
        raise ValueError(f"{name} must hold at least two subjects, with numbers from {least:g} to 1")
    return x


def _signs(n: int, most: int, rng: Any) -> FloatArray:
    """Signs of n subjects: all but the observed ones, all of them 1, or random ones if there are more: (number, n)."""
    number, generator = as_positive_int(most, "n_flips"), as_generator(rng)
    if n <= number.bit_length() and 2**n <= number + 1:
        return np.asarray(1.0 - 2 * (np.arange(1, 2**n)[:, np.newaxis] >> np.arange(n) & 1))
    return np.asarray(generator.choice([-1.0, 1.0], (number, n)))


@dataclass(frozen=True)
class TimeCourse(Result):
    """Mean accuracy of subjects at each time, with intervals that hold at all times together.

    Attributes
    ----------
    time : ndarray of shape (n_times,)
        Times.
    accuracy : ndarray of shape (n_times,)
        Mean accuracies over subjects.
    interval : ndarray of shape (n_times, 2)
        Simultaneous confidence intervals.
    p_value : ndarray of shape (n_times,)
        Two-sided p-values against chance, adjusted for the number of times.
    chance : float
        Accuracy of guesses.
    confidence_level : float
        Probability that all intervals cover.
    n_units : int
        Number of subjects.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.fields.decoding import time_course
    >>> accuracy = 0.5 + 0.1 * np.arange(3) + 0.05 * np.eye(8, 3)
    >>> time_course(accuracy, chance=0.5).p_value
    array([1.       , 0.0078125, 0.0078125])
    """

    time: FloatArray
    accuracy: FloatArray
    interval: FloatArray
    p_value: FloatArray
    chance: float
    confidence_level: float
    n_units: int

    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "Accuracy of {n_units} subjects, chance {chance}; intervals and p-values hold for all times:"


def time_course(
    accuracy: ArrayLike,
    *,
    chance: float,
    times: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_flips: int = 9999,
    rng: Any = 0,
) -> TimeCourse:
    r"""Accuracy at each time, with simultaneous intervals and adjusted p-values by the largest statistic.

    The statistic of a time is Student's :math:`|t|` of the mean over subjects. A flip changes the sign of a subject at
    all times, and its largest :math:`|t|` over times is compared with that observed.

    Parameters
    ----------
    accuracy : array_like of shape (n_subjects, n_times)
        Accuracy of each subject at each time; or differences of two decoders, with ``chance=0``.
    chance : float
        Accuracy of guesses, in [0, 1).
    times : array_like of shape (n_times,), optional
        Times, such as seconds after the stimulus; 0, 1, ... by default.
    confidence_level : float
        Level of the intervals, in (0, 1).
    n_flips : int
        Number of flips: all of them if there are no more, random ones otherwise.
    rng : int, numpy.random.Generator or None
        Seed or generator of random flips.

    Returns
    -------
    TimeCourse
        Accuracies, intervals and p-values.

    Raises
    ------
    ValueError
        If there are fewer than two subjects, or shapes or numbers do not fit.

    Notes
    -----
    The p-values are exact for the hypothesis that all times are at chance, if accuracies less chance are then as likely
    as their negatives, jointly over times. Source: Nichols and Holmes (Human Brain Mapping 15, 2002). The half-width of
    an interval is its standard error times the quantile of the largest :math:`|t|` after the means are taken off and
    signs are flipped. In simulations with 6 to 20 subjects and up to 30 correlated times the 95 % intervals covered all
    means in .93 to .97 of 400 runs.

    With few trials, guesses are not symmetric about a chance below one half: their accuracies are skewed.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.fields.decoding import time_course
    >>> rng = np.random.default_rng(0)
    >>> accuracy = 0.25 + np.array([0.0, 0.0, 0.1]) + 0.04 * rng.normal(size=(9, 3))
    >>> time_course(accuracy, chance=0.25).p_value.round(3)
    array([1.   , 0.977, 0.004])
    """
    guess = as_probability(chance, "chance")
    least = 0.0 if guess > 0 else -1.0  # with chance 0 they may be differences
    x = _accuracies(accuracy, "accuracy", 2, least)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    time = as_finite_array(np.arange(x.shape[1]) if times is None else times, "times", ndim=1, dtype=np.float64)
    if time.size != x.shape[1]:
        raise ValueError(f"times must have the {x.shape[1]} times of accuracy, not {time.size}")
    n, flips, mean = len(x), _signs(len(x), n_flips, rng), x.mean(axis=0)
    largest = _correlation(flips, x - guess).max(axis=1)
    observed = _correlation(np.ones((1, n)), x - guess)[0]
    p = (1 + (largest[:, np.newaxis] >= observed - _ROUNDING).sum(axis=0)) / (1 + len(flips))
    r = np.quantile(_correlation(flips, x - mean).max(axis=1), level, method="higher")
    with np.errstate(divide="ignore"):
        t = np.sqrt((n - 1) * r**2 / (1 - r**2))
    half = t * x.std(axis=0, ddof=1) / np.sqrt(n)
    ends = np.clip(np.stack([mean - half, mean + half], axis=1), least, 1.0)
    return TimeCourse(time, mean, ends, p, guess, level, n)


def _correlation(signs: FloatArray, x: FloatArray) -> FloatArray:
    """Return |correlation| of signs and columns about 0, r: t is the root of (n - 1) r^2 / (1 - r^2)."""
    norm = np.sqrt(len(x) * np.square(x).sum(axis=0))
    return np.asarray(np.abs(signs @ x) / np.where(norm > 0, norm, 1.0))
