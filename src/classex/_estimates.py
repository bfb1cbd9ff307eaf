"""Rates, estimates and accuracy curves with their standard errors and intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._checks import as_probability
from classex._result import DrawnResult, Result, described, number
from classex._types import FloatArray

__all__ = ["UNSEEN_UNITS", "density", "probit", "rate_interval", "varies", "without_rounding"]


# Units of a kind that the sample lacks, at the ends of an interval: with a whole one, ends are those of Clopper and
# Pearson, which cover .95 everywhere; with a half they cover .96 on average and at least .90 (Jeffreys; Brown, Cai and
# DasGupta, Statistical Science, 2001)
UNSEEN_UNITS = 0.5
# Weights that sum to one leave rounding of about 1e-16 times the root of the number of points: 1e-12 for 10^8 points
_ROUNDING = 1e-9
# Below this rate rounding is relative to one: an error of 1e-14 or less is rounding of any rate
_SMALL_RATE = 1e-5
# Distance of a rate from 0 and 1 at which its probit is cut off, at 7: far beyond any curve that is observed
_LEAST = 1e-12


def probit(rate: ArrayLike) -> FloatArray:
    """Probit of rates, cut off at 7."""
    return np.asarray(special.ndtri(np.clip(rate, _LEAST, 1 - _LEAST)))


def density(probit: ArrayLike) -> FloatArray:
    """Density of the standard normal, the slope of its distribution function; above 0 everywhere."""
    return np.asarray(np.exp(-0.5 * np.clip(probit, -37, 37) ** 2) / np.sqrt(2 * np.pi))


def varies(error: ArrayLike, value: ArrayLike) -> NDArray[np.bool_]:
    """Whether a standard error is more than the rounding of the mean `value` that it belongs to.

    An error that is not known (NaN) does not vary.
    """
    return np.asarray(np.asarray(error) > _ROUNDING * np.abs(value))


def without_rounding(error: FloatArray, value: ArrayLike) -> FloatArray:
    """Standard errors, or differences, with zeros in place of rounding; NaN stays NaN."""
    return np.where(varies(np.abs(error), value) | np.isnan(error), error, 0.0)


def rate_interval(
    rate: FloatArray,
    error: FloatArray,
    n_units: float,
    level: float,
    most: ArrayLike = np.inf,
    freedom: FloatArray | None = None,
    unseen: float = UNSEEN_UNITS,
) -> FloatArray:
    r"""Interval of rates that were estimated with these standard errors from `n_units` units: (n, 2).

    It includes Wilson's interval at the number of independent trials that would have the standard error, or at `most`,
    the largest number that the sample can be worth, if that is fewer. It also includes what half a unit (`unseen`) of a
    kind that the sample lacks could change: with a share :math:`q \sim \mathrm{Beta}(1/2, n)` of units that always
    fail or always succeed, the ends :math:`A (1 - q)` and :math:`A + (1 - A) q` at the upper quantile of q. If all
    units succeed, or all fail, this is Jeffreys' interval up to its nearer end. Hence a sample that varies a little has
    no better lower end than the same sample without failures. If the error is not known (NaN) the number of trials is
    `n_units`. Student's quantile has `freedom`, or n_units - 1, degrees of freedom.
    """
    rate = np.clip(np.asarray(rate, dtype=np.float64), 0.0, 1.0)
    error = np.asarray(error, dtype=np.float64)
    number = np.where(np.isnan(error), n_units, np.inf)
    known = varies(error, np.maximum(rate, _SMALL_RATE)) & (rate > 0) & (rate < 1)
    number[known] = rate[known] * (1 - rate[known]) / np.square(error[known])
    t = special.stdtrit(np.maximum(n_units - 1 if freedom is None else freedom, 1), 0.5 + level / 2)
    shrunk = t**2 / (np.minimum(number, most) + t**2)
    centre = rate + shrunk * (0.5 - rate)
    half = np.sqrt(shrunk * (1 - shrunk) * rate * (1 - rate) + shrunk**2 / 4)
    share = special.betaincinv(unseen, n_units, 0.5 + level / 2) if unseen else 0.0
    low, high = np.minimum(centre - half, rate * (1 - share)), np.maximum(centre + half, rate + (1 - rate) * share)
    return np.asarray(np.clip(np.stack([low, high], axis=1), 0, 1))


# Standard errors beyond which a fit is refuted: a true curve exceeds three once in 370 fits
_LARGEST_MISS = 3.0
_WEIGHTS = {
    "balanced": "each class weighs the same",
    "points": "each test point weighs the same",
    "priors": "each class weighs as its prior says",
    "weights": "each class has its own weight",
}
# Degrees of freedom of a standard error that is taken for exact
_MANY = 10**9


@dataclass(frozen=True)
class UnitSpread(Result):
    """How much units of test points, such as subjects, differ in their averages.

    Attributes
    ----------
    n_units : int
        Number of units.
    total : ndarray of shape (n,)
        Variance of the average of one unit, for each entry of a curve.
    within : ndarray of shape (n,)
        What it would be if test points of different classes did not share their unit.

    Examples
    --------
    >>> import classex as cx
    >>> right = [27, 24, 12, 21]  # of 30 points of each of four subjects
    >>> wins = [29 if i < n else 20 for n in right for i in range(30)]
    >>> ranks = cx.ranks_from_wins(wins, 30, labels=list(range(30)) * 4)
    >>> spread = cx.accuracy_curve(
    ...     ranks, 30, units=[s for s in range(4) for _ in range(30)]
    ... ).units
    >>> spread.between.round(2), spread.interval().round(2)
    (array([0.2]), array([[0.09, 0.8 ]]))
    """

    n_units: int
    total: NDArray[np.float64]
    within: NDArray[np.float64]

    _level: ClassVar[float | None] = 0.95
    _says: ClassVar[str] = "Standard deviation between {n_units} units:"

    def _table(self) -> dict[str, Any]:
        low, high = self.interval().T
        return {"between": self.between, "between_low": low, "between_high": high}

    @property
    def between(self) -> NDArray[np.float64]:
        """Standard deviation between units, by the method of moments."""
        return np.sqrt(np.maximum(self.total - self.within, 0.0))

    def interval(self, confidence_level: float = 0.95) -> NDArray[np.float64]:
        """Intervals for the standard deviation between units: (n, 2).

        They take `within` as known, and the averages of units as normal.

        Parameters
        ----------
        confidence_level : float
            Nominal coverage, in (0, 1).

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper ends.

        Raises
        ------
        ValueError
            If the level is not in (0, 1).
        """
        level, df = as_probability(confidence_level, "confidence_level", open_ends=True), self.n_units - 1
        quantile = special.chdtri(df, [0.5 - level / 2, 0.5 + level / 2])
        total = df * self.total[:, np.newaxis] / quantile
        return np.asarray(np.sqrt(np.maximum(total - self.within[:, np.newaxis], 0.0)))


@dataclass(frozen=True)
class AccuracyCurve(DrawnResult):
    """Average accuracy (or risk) over random class sets, as a function of the number of classes.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of classes k.
    accuracy : ndarray of shape (n,)
        Estimated average accuracy with k classes, a probability (for a risk curve: the average cost).
    standard_error : ndarray of shape (n,)
        Standard error of each entry, over classes.
    metric : str
        What was averaged: "accuracy", "top-5 accuracy", another function of the rank, or "risk".
    n_tested : int or None
        Number of classes with test points; None where it is not known.
    limits : ndarray of shape (n, 2) or None
        Least and largest value that each entry can take; None where none are known.
    most_trials : ndarray of shape (n,) or None
        Largest number of independent trials that each entry can be worth in `interval`; None where none is known.
    average : str
        "balanced": each class weighs the same; "points": each test point does; "priors": a class weighs its prior;
        "weights": classes that were drawn with unequal chances have weights.
    n_points : int or None
        Number of test points; None where it is not known.
    n_units : int or None
        Number of independent units, on which the standard errors rest: clusters of classes with test points, where
        classes come in clusters; the effective number of classes, where they have weights; else, and by None, the
        classes with test points.
    units : UnitSpread or None
        How much units of test points, such as subjects, differ, where the standard errors are over these too.
    freedom : ndarray of shape (n,) or None
        Degrees of freedom of each standard error, if not one less than `n_units`.

    Examples
    --------
    >>> import classex as cx
    >>> curve = cx.accuracy_curve(cx.ranks_from_wins([2, 3, 1, 3, 3, 2], 4), [2, 4])
    >>> # 14 of 18 pairs won; 3 of 6 points beat all
    >>> curve.accuracy.round(4), curve.metric
    (array([0.7778, 0.5   ]), 'accuracy')
    """

    n_classes: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    metric: str = "accuracy"
    n_tested: int | None = None
    limits: NDArray[np.float64] | None = None
    most_trials: NDArray[np.float64] | None = None
    average: str = "balanced"
    n_points: int | None = None
    n_units: int | None = None
    units: UnitSpread | None = None
    freedom: NDArray[np.float64] | None = None

    _counted: ClassVar[str] = "classes"
    _display: ClassVar[str] = "AccuracyCurveDisplay"
    _level: ClassVar[float | None] = 0.95
    _tabulated: ClassVar[bool] = True

    def _sentence(self) -> str:
        known = [] if self.n_points is None else [f"{number(self.n_points)} test points"]
        known += [] if self.n_tested is None else [f"{number(self.n_tested)} classes"]
        units = "effective number {}" if self.average == "weights" else "{} clusters"
        known += [units.format(number(self.n_units))] if self.n_units not in (None, self.n_tested) else []
        data = f", from {' of '.join(known)}" if known else ""
        data += "" if self.units is None else f" and {self.units.n_units} units"
        return f"Average {self.metric} over random sets of classes{data}; {_WEIGHTS[self.average]}:"

    def _labels(self) -> dict[str, str]:
        return {"xlabel": f"number of {self._counted}", "ylabel": f"average {self.metric}"}

    def _table(self) -> dict[str, Any]:
        columns = {"n_classes": self.n_classes, self.metric: self.accuracy}
        if not np.isnan(self.standard_error).all():
            low, high = self.interval().T
            columns |= {"standard_error": self.standard_error, "low": low, "high": high}
        return columns

    def _notes(self) -> list[str]:
        if self.units is None or np.isnan(self.standard_error).all():
            return []
        low, high = self.units.interval()[-1]
        spread = described(self.units.between[-1], None, low, high, 0.95)
        return [f"Standard deviation between units, with {self.n_classes[-1]:,} {self._counted}: {spread}."]

    def interval(self, confidence_level: float = 0.95) -> NDArray[np.float64]:
        """Confidence intervals for the average over random class sets of the population.

        Where the average has limits, as accuracies, other functions of the rank and risks have, the interval includes
        Wilson's at the number of trials that would have the standard error, or at `most_trials` if that is fewer. It
        also includes what half a class more could change, or half a cluster, whose points all have the least or the
        largest value: n classes allow a share q of such classes, the upper quantile of Beta(1/2, n). So the interval of
        a sample that hardly varies is no narrower at its worse end than that of a perfect one. Without limits the
        interval is the value plus or minus a multiple of the standard error, from the t distribution.

        Parameters
        ----------
        confidence_level : float
            Nominal coverage, in (0, 1).

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper ends.

        Raises
        ------
        ValueError
            If the level is not in (0, 1), or the curve was made without standard errors.

        Notes
        -----
        The share q is .025 for 100 classes and .12 for 20. With a share of 1 to 7 % of points or classes whose truth is
        random, and samples in which few were, the intervals covered the accuracy with two classes in 97 % to 99 % of
        simulations, and in 60 % to 81 % without q. If each class is perfect or hopeless, intervals of level .95 cover
        in 96 % on average over all shares of hopeless classes.

        The interval does not allow for a label that beats the points of all other classes, if the sample contains none
        of this kind. If 5 % of all labels are of this kind, a sample of 20 classes contains none with probability .36,
        and then the data give no sign of them. In simulations of this case, for numbers of classes from 5 to 20, the
        intervals of level .95 covered the true value in 97 % to 99.5 % of the samples that contain such a label, and in
        62 % to 64 % of all samples. To cover it in the other samples, the interval of a perfect test of 20 classes
        would have to extend from .06 to 1 for the accuracy with 20 classes, instead of from .88 to 1.

        Examples
        --------
        >>> import classex as cx
        >>> ranks = cx.ranks_from_wins([2, 3, 1, 3, 3, 2], 4)
        >>> cx.accuracy_curve(ranks, [2, 4], metric="mrr").interval().round(2)
        array([[0.46, 0.97],
               [0.37, 0.91]])
        """
        level = as_probability(confidence_level, "confidence_level", open_ends=True)
        people = self.n_units or self.n_tested or _MANY
        value, error = self.accuracy, self.standard_error
        if people > 1 and np.isnan(error).any():
            raise ValueError("the curve has no standard errors: make it with standard_errors=True")
        if self.limits is None:
            df = max(people - 1, 1) if self.freedom is None else self.freedom
            half = special.stdtrit(df, 0.5 + level / 2) * error
            return np.stack([value - half, value + half], axis=1)
        low, high = self.limits.T
        width = np.where(high > low, high - low, 1.0)
        most = np.inf if self.most_trials is None else self.most_trials
        ends = rate_interval((value - low) / width, error / width, people, level, most, self.freedom)
        return np.asarray(low[:, np.newaxis] + (high - low)[:, np.newaxis] * ends)


@dataclass(frozen=True)
class Estimate(Result):
    """An estimated number and its standard error.

    Attributes
    ----------
    value : float
        The estimate.
    standard_error : float
        Its standard error, in the same unit.

    Examples
    --------
    >>> from classex.models import BivariateNormal
    >>> estimate = BivariateNormal(0.7).average_accuracy_by_simulation(
    ...     2, n_draws=10_000, rng=0
    ... )
    >>> abs(estimate.value - 0.6929) < 3 * estimate.standard_error
    True
    """

    value: float
    standard_error: float

    _says: ClassVar[str] = "Estimate: {found}."


@dataclass(frozen=True)
class Interval(Result):
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Ends of the interval, ``low <= high``.
    confidence_level : float
        Nominal probability, in (0, 1), that the interval covers the true value.

    Examples
    --------
    >>> import classex as cx
    >>> from classex.models import BivariateNormal
    >>> sample = BivariateNormal(0.9).sample(40, rng=0)
    >>> interval = cx.implied_information(
    ...     cx.correct_ranks(sample.scores, sample.labels)
    ... ).interval
    >>> round(interval.low, 3), round(interval.high, 3), interval.confidence_level
    (0.076, 0.587, 0.95)
    """

    low: float
    high: float
    confidence_level: float

    _says: ClassVar[str] = "{found}."


@dataclass(frozen=True)
class LackOfFit(Result):
    """How far a fit is from the accuracies that were observed.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        All observed classes, and a quarter of them.
    predicted, observed : ndarray of shape (n,)
        Average accuracy by the fit and by the data.
    standard_error : ndarray of shape (n,)
        Standard errors of what was observed; where every test point is right, or wrong, what one more class could
        change.

    Examples
    --------
    >>> import classex as cx
    >>> from classex.models import BivariateNormal
    >>> sample = BivariateNormal(0.9).sample(40, rng=0)
    >>> fit = cx.Extrapolator(cx.methods.ProbitNormal()).fit(
    ...     sample.scores, sample.labels
    ... )
    >>> fit.lack_of_fit_.n_classes
    array([40, 10])
    >>> fit.lack_of_fit_.z.round(1), fit.lack_of_fit_.refuted
    (array([-0.8,  0.2]), False)
    """

    n_classes: NDArray[np.int64]
    predicted: NDArray[np.float64]
    observed: NDArray[np.float64]
    standard_error: NDArray[np.float64]

    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "Predicted and observed accuracy, z standard errors apart (refuted: {refuted}):"

    def _table(self) -> dict[str, Any]:
        return {**super()._table(), "z": self.z.round(2)}

    @property
    def z(self) -> NDArray[np.float64]:
        """Predicted minus observed accuracy, in standard errors."""
        return np.asarray((self.predicted - self.observed) / self.standard_error)

    @property
    def refuted(self) -> bool:
        """Whether the fit misses the accuracy observed with all classes by more than three standard errors."""
        return bool((abs(self.z[:1]) > _LARGEST_MISS).any())
