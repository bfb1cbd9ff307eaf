"""From information to the largest accuracy and back: Fano, the ceiling, a whole curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._checks import (
    as_class_counts,
    as_finite_array,
    as_generator,
    as_information,
    as_plain_array,
    as_positive_float,
    as_positive_int,
    as_probabilities,
    broadcast,
)
from classex._estimates import Interval
from classex._loops.information import ceiling, curve, divergence_from_uniform, extremal_exponent, implied
from classex._result import Result, number
from classex._types import FloatArray
from classex.information.tilting import ceiling_in, extremal_in, least_divergence, log_normaliser, loss_at, tilt

__all__ = []


@dataclass(frozen=True)
class InformationResult(Result):
    """Base of results that are an amount of information, in both units.

    Examples
    --------
    >>> from classex.information import confusion_information
    >>> found = confusion_information([[50, 0], [0, 50]], correction="none")
    >>> round(found.nats, 4), round(found.bits, 4)
    (0.6931, 1.0)
    """

    _amount: ClassVar[str] = "value"
    _names: ClassVar[Mapping[str, str]] = {"value": "nats"}

    @property
    def nats(self) -> float:
        """The information in nats."""
        return float(getattr(self, self._amount))

    @property
    def bits(self) -> float:
        """The information in bits."""
        return self.nats / math.log(2.0)

    def _found(self) -> str:
        error = getattr(self, "standard_error", None)
        bits = number(self.bits, None if error is None else error / math.log(2.0))
        return super()._found().replace(" (", f" nats ({bits} bits, ", 1)

    def _table(self) -> dict[str, Any]:
        return {**super()._table(), "bits": [self.bits]}


@dataclass(frozen=True)
class ConfusionInformation(InformationResult):
    """Mutual information of true and predicted label, estimated from a confusion matrix.

    Attributes
    ----------
    value : float
        The estimate in nats, with the chosen correction. It lies between 0 and the entropies of the true and of the
        predicted labels.
    standard_error : float
        Its standard error in nats, with an allowance for cells of the matrix not seen yet.
    plug_in : float
        The estimate before correction.
    bias : float
        The estimated bias that was subtracted; 0 without correction.
    unseen : float
        Estimated share of predictions that fall into cells of the matrix not seen yet.
    interval : Interval
        Confidence interval around the jackknife estimate, whatever the correction.

    Examples
    --------
    >>> from classex.information import confusion_information
    >>> found = confusion_information([[50, 0], [0, 50]], correction="none")
    >>> round(found.value, 4), found.bias  # log 2 nats
    (0.6931, 0.0)
    """

    value: float
    standard_error: float
    plug_in: float
    bias: float
    unseen: float
    interval: Interval

    _says: ClassVar[str] = "Mutual information of true and predicted label: {found}."


@dataclass(frozen=True)
class CurveTest(Result):
    """Whether the one-parameter identification curve (nu = 1) fits.

    Attributes
    ----------
    mu, nu : float
        Mean and standard deviation of the probit of the favourability, both fitted.
    log_nu_error : float
        Standard error of log nu over stimuli.
    statistic : float
        Score statistic of nu = 1 over its standard error; positive if nu is larger.
    p_value : float
        Two-sided p-value of nu = 1.
    distance : float
        Largest difference between the observed accuracies and the fitted curve with nu = 1.
    wide_distance : float
        Largest difference between the observed accuracies and the two-parameter curve.

    Examples
    --------
    >>> import classex as cx
    >>> model = cx.models.GaussianSequence(n_features=100, signal=4.0)
    >>> sample = model.sample(100, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> test = cx.information.curve_test(ranks)
    >>> test.p_value > 0.05, test.distance < 0.1
    (True, True)
    """

    mu: float
    nu: float
    log_nu_error: float
    statistic: float
    p_value: float
    distance: float
    wide_distance: float

    def _sentence(self) -> str:
        verdict = "does not fit" if self.p_value < 0.05 else "is not contradicted"
        return (
            f"nu = 1 {verdict} (p = {self.p_value:.2g}): fitted nu = {self.nu:.2f}; the curve with nu = 1 is off by up"
            f" to {self.distance:.3f}, the one with fitted nu by up to {self.wide_distance:.3f}."
        )


@dataclass(frozen=True)
class ImpliedInformation(InformationResult):
    """Information that an identification curve implies, in nats.

    Attributes
    ----------
    value : float
        The estimate; infinite for least squares and a decoder that is always right.
    standard_error : float
        Its standard error over stimuli.
    interval : Interval
        Confidence interval for the implied information of the decoder.
    method : str
        "likelihood" or "least_squares".
    n_classes : int
        Number of stimuli.

    Examples
    --------
    >>> import classex as cx
    >>> model = cx.models.GaussianSequence(n_features=100, signal=4.0)
    >>> sample = model.sample(100, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> interval = cx.implied_information(ranks).interval
    >>> interval.low < model.information() < interval.high
    True
    """

    value: float
    standard_error: float
    interval: Interval
    method: str
    n_classes: int

    _says: ClassVar[str] = "Information implied by the identification curve of {n_classes} stimuli ({method}): {found}."


@dataclass(frozen=True)
class InformationDifference(InformationResult):
    """Difference of the implied information of two decoders on the same stimuli, in nats.

    Attributes
    ----------
    value : float
        First minus second.
    standard_error : float
        Its standard error over stimuli, paired.
    interval : Interval
        Confidence interval for the difference.
    p_value : float
        Two-sided p-value of no difference.
    method : str
        "likelihood" or "least_squares".

    Examples
    --------
    >>> import classex as cx
    >>> model = cx.models.GaussianSequence(n_features=100, signal=4.0)
    >>> sample = model.sample(100, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> cx.information.compare_implied_information(ranks, ranks).value
    0.0
    """

    value: float
    standard_error: float
    interval: Interval
    p_value: float
    method: str

    _says: ClassVar[str] = "Difference of the implied information ({method}): {found}; p = {p_value}."


@dataclass(frozen=True)
class CurveInformationBound(InformationResult):
    r"""Least mutual information that several average Bayes accuracies allow together, and its proof.

    Attributes
    ----------
    information : float
        The bound in nats.
    n_classes : ndarray of shape (n,)
        Numbers of classes k.
    accuracy : ndarray of shape (n,)
        The accuracies, taken as exact.
    multipliers : ndarray of shape (n,)
        :math:`\lambda_k \ge 0`, the nats by which the bound grows for each unit of the accuracy with k classes: 0 for a
        k that carries nothing.
    information_by_class_count : ndarray of shape (n,)
        The bound from each accuracy alone, in nats.
    log_normaliser : float
        :math:`\log \int_0^1 \exp \sum_k \lambda_k (t^{k-1} - 1)\,dt`, or the mean over the N positions.
    population_size : int or None
        Number N of classes; None for an infinite population.

    Examples
    --------
    >>> from classex.information import curve_information_bound
    >>> found = curve_information_bound([0.9, 0.6], [2, 20])
    >>> round(found.nats, 3), found.density([0.0, 0.5, 1.0]).round(3)
    (1.965, array([ 0.091,  0.209, 56.961]))
    """

    information: float
    n_classes: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    information_by_class_count: NDArray[np.float64]
    log_normaliser: float = field(repr=False)
    population_size: int | None = None

    _amount: ClassVar[str] = "information"
    _tabulated: ClassVar[bool] = True
    _names: ClassVar[Mapping[str, str]] = {"information_by_class_count": "alone, nats"}
    _says: ClassVar[str] = (
        "The mutual information is at least {nats} nats ({bits} bits) if the average Bayes accuracies are exactly these"
        " or larger. It grows by the multiplier for each unit of an accuracy, so those with multiplier 0 add nothing."
    )

    def density(self, t: ArrayLike) -> NDArray[np.float64]:
        r"""Density :math:`q(t) \propto \exp \sum_k \lambda_k t^{k-1}` with the least divergence, at t in [0, 1].

        With N classes position j stands for t from (j - 1)/N to j/N.
        """
        loss = loss_at(np.asarray(t, dtype=np.float64), self.n_classes - 1, self.population_size)
        return np.asarray(np.exp(-tilt(self.multipliers, loss) - self.log_normaliser))

    def _table(self) -> dict[str, Any]:
        return {**Result._table(self), "n_classes": self.n_classes.astype(np.int64)}


@dataclass(frozen=True)
class InformationConfidenceBound(InformationResult):
    """Lower confidence bound for mutual information, with the bounds for accuracy that it comes from.

    Attributes
    ----------
    information : float
        The bound in nats, from all numbers of classes and classifiers together.
    n_classes : int
        Number of classes k that alone gives the largest bound.
    classifier : int
        Index of the classifier that alone gives it.
    confidence_level : float
        Probability with which the bound holds, simultaneously for all k and classifiers.
    class_counts : ndarray of shape (n_counts,)
        Numbers of classes k that were tried.
    accuracy : ndarray of shape (n_classifiers, n_counts)
        Average test accuracy with k classes.
    accuracy_bound : ndarray of shape (n_classifiers, n_counts)
        Simultaneous lower confidence bounds for the average Bayes accuracy with k classes.
    information_by_class_count : ndarray of shape (n_classifiers, n_counts)
        The information that each of these bounds implies alone, in nats.
    multipliers : ndarray of shape (n_classifiers, n_counts)
        Nats by which the bound grows for each unit of an accuracy bound: 0 for an accuracy that carries nothing.
    n_points : int
        Number of test points of that classifier.
    method : str
        Form of the bound, ``"chernoff"`` or ``"joint"``.
    n_units : int or None
        Number of units that the test points come in; None where they are independent given their classes.
    population_size : int or None
        Number N of classes in the population; None for an infinite one.
    answered : float or None
        Share of points answered with which the bound is computed, the limits of right and of wrong answers together;
        accuracies are then those of points answered. None where all are.

    Examples
    --------
    >>> import classex as cx
    >>> model = cx.models.GaussianSequence(n_features=100, signal=12.0)
    >>> sample = model.sample(60, n_repeats=10, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> bound = cx.information_confidence_bound(ranks)
    >>> bound.information < model.information()
    True
    """

    information: float
    n_classes: int
    classifier: int
    confidence_level: float
    class_counts: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    accuracy_bound: NDArray[np.float64]
    information_by_class_count: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    n_points: int
    method: str
    n_units: int | None = None
    population_size: int | None = None
    answered: float | None = None

    _amount: ClassVar[str] = "information"

    _says: ClassVar[str] = (
        "The mutual information is at least {nats} nats ({bits} bits), at the confidence level {confidence_level}, from"
        " the accuracies of {n_points} test points, by the method '{method}'. {assumed} Accuracies with multiplier 0"
        " add nothing:"
    )

    def _word(self, name: str) -> str:
        if name != "assumed":
            return super()._word(name)
        of = "" if self.population_size is None else f" of {self.population_size}"
        parts = [f"that the classes are a random sample{of}", "that test points are independent given their classes"]
        if self.n_units is not None:
            parts[1] = f"that the {self.n_units} units are one too"
        if self.answered is not None:
            parts.append("that the points answered were chosen without regard to their classes")
        return f"It assumes {', '.join(parts[:-1])} and {parts[-1]}."

    def _table(self) -> dict[str, Any]:
        classifiers, counts = self.accuracy.shape
        return {
            "n_classes": np.tile(self.class_counts, classifiers),
            "classifier": np.repeat(np.arange(classifiers), counts),
            "accuracy": self.accuracy.ravel(),
            "average_bayes_accuracy_bound": self.accuracy_bound.ravel(),
            "information_bound_nats": self.information_by_class_count.ravel(),
            "multiplier": self.multipliers.ravel(),
        }


# k - 1 is exact in floating point, with room for sums
MOST_CLASSES = 10**15
# largest |accuracy + error - 1|: both may have been rounded to six digits
_INCONSISTENT = 1e-6


def accuracy_ceiling(information: ArrayLike, n_classes: ArrayLike, *, population_size: int | None = None) -> Any:
    r"""Largest average Bayes accuracy with k classes, :math:`C_k(\iota)`.

    .. math:: C_k(\iota) &= \sup\{\mathrm{ABA}_k[p] : I[p] \le \iota\} = \int_0^1 t^{k-1} Q_c(t)\,dt, \\
              Q_c(t) &= \frac{\exp(c\,t^{k-1})}{\int_0^1 \exp(c\,s^{k-1})\,ds},

    with c such that :math:`\int_0^1 Q_c \log Q_c = \iota`. No joint density with information :math:`\iota` does
    better, and `ExtremalChannel` attains it. For tasks of k distinct classes out of N equally likely ones the largest
    accuracy is :math:`\sum_j Q_j f_j` with :math:`f_j = \binom{j-1}{k-1} / \binom{N-1}{k-1}`,
    :math:`Q_j \propto e^{c f_j}` and :math:`\sum_j Q_j \log(N Q_j) = \iota`.

    Parameters
    ----------
    information : array_like
        Mutual information in nats, at least 0; infinity is allowed.
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `information`.
    population_size : int, optional
        Number N of equally likely classes, if the k classes of a task are distinct ones of these. By default classes
        are independent draws from an infinite population.

    Returns
    -------
    float or ndarray
        A probability for each pair; a float if both arguments are scalars.

    Raises
    ------
    ValueError
        If information is negative or NaN, k is below 2 or not whole, the shapes do not broadcast, or `population_size`
        is below a k.

    See Also
    --------
    information_bound : Its inverse.

    Notes
    -----
    Source: thesis theorem 4.3.1; for N classes this package. For small information
    :math:`C_k(\iota) \approx 1/k + \sqrt{2\iota}\,(k-1) / (k\sqrt{2k-1})`; for large information
    :math:`1 - C_k(\iota) \approx (k-1)e^{-\iota-1}`. Increasing and concave in information, with slope :math:`1/c`.

    The relative error is below 1e-12 for k up to 10^9 and information from 1e-10 to 50 nats, and so is that of
    :math:`C_k(\iota) - 1/k` if floating point resolves it. Beyond 50 nats the value is 1.

    Examples
    --------
    >>> from classex import accuracy_ceiling
    >>> accuracy_ceiling([1.0, 2.0], 10).round(4)
    array([0.5131, 0.717 ])
    >>> accuracy_ceiling([1.0, 2.0], 10, population_size=10).round(4)
    array([0.6892, 0.9511])
    """
    nats, m, shape = flat(n_classes, information=as_information(information))
    return shaped(ceiling_in(nats, m, as_population(population_size, m)), shape)


def information_bound(
    accuracy: ArrayLike,
    n_classes: ArrayLike,
    *,
    error: ArrayLike | None = None,
    population_size: int | None = None,
) -> Any:
    r"""Least mutual information that allows an average Bayes accuracy with k classes, :math:`C_k^{-1}`, in nats.

    :math:`I[p] \ge C_k^{-1}(\mathrm{ABA}_k[p])` for every joint density. A lower confidence bound for
    :math:`\mathrm{ABA}_k` gives a lower confidence bound for the information.

    Parameters
    ----------
    accuracy : array_like
        Average Bayes accuracies, or lower bounds for them, in [0, 1].
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `accuracy`.
    error : array_like, optional
        ``1 - accuracy``, if it is known more precisely than subtraction gives it. Used where the accuracy
        is above 1/2.
    population_size : int, optional
        As in `accuracy_ceiling`: number N of classes, of which a task has k distinct ones.

    Returns
    -------
    float or ndarray
        Information in nats. 0 where the accuracy is 1/k or less; where the error is 0 infinity, since
        :math:`C_k(\iota) < 1` at every finite information, or log N.

    Raises
    ------
    ValueError
        If an accuracy or error is outside [0, 1] or NaN, the two disagree by more than 1e-6, k is below 2 or
        not whole, the shapes do not broadcast, or `population_size` is below a k.

    See Also
    --------
    accuracy_ceiling : Its inverse.
    fano_bound : The same for :math:`N = k`; otherwise never larger.

    Notes
    -----
    Source: thesis section 4.3.1, after theorem 4.3.1; for N classes this package.

    From accuracy alone the result has the rounding error of the accuracy: relative 1e-16 / ((1 - accuracy)
    information) near accuracy 1, and 1e-16 accuracy / (accuracy - 1/k) near 1/k. With `error` given,
    the relative error is below 1e-9 from 1e-10 to 700 nats.

    Examples
    --------
    >>> from classex import information_bound
    >>> information_bound([0.5, 0.9], 10).round(4)
    array([0.9472, 3.3982])
    >>> information_bound([0.5, 0.9], 10, population_size=100).round(4)
    array([0.8888, 3.0618])
    """
    excess, complement, m, shape = as_accuracy(accuracy, n_classes, error)
    return shaped(extremal_in(excess, complement, m, as_population(population_size, m))[0], shape)


def identification_accuracy(information: ArrayLike, n_classes: ArrayLike) -> Any:
    r"""Average Bayes accuracy with k classes in the high-dimensional limit, :math:`\bar\pi_k(\sqrt{2\iota})`.

    .. math:: \bar\pi_k(c) = \int_{-\infty}^{\infty} \phi(z - c)\,\Phi(z)^{k-1}\,dz.

    Parameters
    ----------
    information : array_like
        Mutual information :math:`\iota` in nats, at least 0; infinity is allowed.
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `information`.

    Returns
    -------
    float or ndarray
        A probability for each pair; a float if both arguments are scalars.

    Raises
    ------
    ValueError
        If information is negative or NaN, k is below 2 or not whole, or the shapes do not broadcast.

    See Also
    --------
    classex.information.identification_information : Its inverse.
    accuracy_ceiling : The largest accuracy of any distribution; this curve belongs to many weak, independent sources.

    Notes
    -----
    Source: thesis theorem 5.3.1. Trapezoid rule in z, relative error below 1e-12 for k up to 10^9, information
    from 1e-10 to 50 nats. At k = 2 it is :math:`\Phi(\sqrt{\iota})`. For small information
    :math:`\bar\pi_k - 1/k \approx \sqrt{2\iota}\,E[\max_{i \le k} Z_i]/k` with standard normal Z.

    Examples
    --------
    >>> from classex import identification_accuracy
    >>> identification_accuracy(1.0, [2, 10, 100]).round(6)
    array([0.841345, 0.479196, 0.158053])
    """
    nats, m, shape = flat(n_classes, information=as_information(information))
    return shaped(curve(nats, m)[0], shape)


def identification_information(accuracy: ArrayLike, n_classes: ArrayLike, *, error: ArrayLike | None = None) -> Any:
    r"""Information at which `identification_accuracy` reaches a given accuracy, in nats.

    Parameters
    ----------
    accuracy : array_like
        Accuracies in [0, 1].
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `accuracy`.
    error : array_like, optional
        ``1 - accuracy``, if it is known more precisely than subtraction gives it. Used where the accuracy
        is above 1/2.

    Returns
    -------
    float or ndarray
        Information in nats. 0 where the accuracy is 1/k or less, infinity where the error is 0.

    Raises
    ------
    ValueError
        If an accuracy or error is outside [0, 1] or NaN, the two disagree by more than 1e-6, k is below 2 or
        not whole, or the shapes do not broadcast.

    Notes
    -----
    Source: thesis section 5.4 (the inverse of theorem 5.3.1). It is an estimate for high dimension, not a bound
    like `information_bound`. Errors down to 1e-300 are resolved.

    Examples
    --------
    >>> from classex.information import identification_information
    >>> round(identification_information(0.479196, 10), 4)
    1.0
    """
    excess, complement, m, shape = as_accuracy(accuracy, n_classes, error)
    return shaped(implied(excess, complement, m), shape)


def fano_bound(accuracy: ArrayLike, n_classes: ArrayLike) -> Any:
    r"""Fano's lower bound for mutual information from an average accuracy with k classes, in nats.

    .. math:: &\log k - h(e) - e \log(k - 1), \\
              &e = 1 - \text{accuracy}, \quad h(e) = -e \log e - (1-e) \log(1-e).

    Parameters
    ----------
    accuracy : array_like
        Average accuracies in [0, 1].
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15. Broadcasts against `accuracy`.

    Returns
    -------
    float or ndarray
        Information in nats, from 0 (accuracy 1/k or less) to log k (accuracy 1).

    Raises
    ------
    ValueError
        If an accuracy is outside [0, 1] or NaN, k is below 2 or not whole, or the shapes do not broadcast.

    See Also
    --------
    information_bound : The best bound that accuracy gives; this one where all N = k classes are tested.

    Notes
    -----
    Computed as the divergence of (accuracy, e/(k-1), ..., e/(k-1)) from the uniform distribution, which is equal
    to it, in a form that keeps its relative precision near 1/k.

    Examples
    --------
    >>> from classex.information import fano_bound
    >>> fano_bound([0.5, 0.9], 10).round(4)
    array([0.5108, 1.7578])
    """
    excess, _, m, shape = as_accuracy(accuracy, n_classes)
    return shaped(divergence_from_uniform(np.maximum(excess, 0.0), m), shape)


def flat(n_classes: ArrayLike, **arrays: FloatArray) -> tuple[Any, ...]:
    """Return arrays and k - 1, all flat, and the shape that they and the numbers of classes k broadcast to."""
    counts = as_plain_array(n_classes, "n_classes")
    k = as_class_counts(counts.ravel(), minimum=2, maximum=MOST_CLASSES).reshape(counts.shape)
    *values, k = broadcast(**arrays, n_classes=k)
    return *(value.flatten() for value in values), k.flatten() - 1.0, k.shape


def shaped(value: FloatArray, shape: tuple[int, ...]) -> Any:
    """Return a float for scalar input, else an array."""
    return float(value[0]) if shape == () else value.reshape(shape)


def as_population(population_size: int | None, m: FloatArray) -> int | None:
    """Return the number N of classes in the population, checked: at least the k of every task."""
    if population_size is None:
        return None
    least = int(m.max(initial=0)) + 1
    return as_positive_int(population_size, "population_size", minimum=least, maximum=MOST_CLASSES)


def as_accuracy(
    accuracy: ArrayLike, n_classes: ArrayLike, error: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray, FloatArray, tuple[int, ...]]:
    """Return accuracy - 1/k, the error and k - 1 as flat arrays, and the shape they broadcast to.

    Up to an accuracy of 1/2 the accuracy is more precise than the error, above it the error.
    """
    a = as_probabilities(accuracy, "accuracy")
    e = 1.0 - a if error is None else as_probabilities(error, "error")
    a, e, m, shape = flat(n_classes, accuracy=a, error=e)
    bad = np.abs(a + e - 1.0) > _INCONSISTENT
    if bad.any():
        raise ValueError(f"error must be 1 - accuracy, but accuracy is {a[bad][0]} and error is {e[bad][0]}")
    guessing = 1.0 / (m + 1)
    return np.where(a <= 0.5, a - guessing, (1.0 - guessing) - e), e, m, shape


def curve_information_bound(
    accuracy: ArrayLike, n_classes: ArrayLike, *, population_size: int | None = None
) -> CurveInformationBound:
    r"""Least mutual information that allows several average Bayes accuracies together, in nats.

    .. math:: I \ge \min\Big\{\int_0^1 q \log q : q \ge 0,\ \int_0^1 q = 1,\
              \int_0^1 q(t)\,t^{k-1}\,dt \ge a_k \text{ for every } k\Big\},

    if :math:`\mathrm{ABA}_k \ge a_k` for every k. The minimum is attained by
    :math:`q(t) \propto \exp \sum_k \lambda_k t^{k-1}` with :math:`\lambda \ge 0`, the density of a channel, so no
    larger bound follows from these numbers.

    Parameters
    ----------
    accuracy : array_like of shape (n,)
        Average Bayes accuracies, or lower bounds for them that hold together, in [0, 1]. They are taken as exact: for
        accuracies measured on a sample of classes, `information_confidence_bound` allows for chance.
    n_classes : array_like of int of shape (n,)
        Their numbers of classes k, each once, from 2 to 10^15.
    population_size : int, optional
        As in `accuracy_ceiling`: number N of classes, of which a task has k distinct ones. The integrals are then sums
        over N positions, with :math:`\binom{j-1}{k-1} / \binom{N-1}{k-1}` for :math:`t^{k-1}`.

    Returns
    -------
    CurveInformationBound
        The bound, the multipliers :math:`\lambda_k` that prove it, and the density. Infinite, or log N, if an accuracy
        is 1.

    Raises
    ------
    ValueError
        If an accuracy is outside [0, 1] or NaN, a k is below 2, not whole or repeated, the shapes do not broadcast
        to one dimension, or `population_size` is below a k.

    See Also
    --------
    classex.information_bound : The bound from each accuracy alone.
    classex.restate : Limits from reported accuracies of a rule, from both sides.

    Notes
    -----
    Source: this package; for a single k it is thesis theorem 4.3.1. For every :math:`\lambda \ge 0`

    .. math:: I \ge \sum_k \lambda_k a_k - \log \int_0^1 \exp \sum_k \lambda_k t^{k-1}\,dt .

    cvxpy maximises the right-hand side, an exponential-cone program, on a few hundred points, for the accuracies that
    no other one implies: :math:`a_k \ge a_{k'}` and :math:`1 - a_{k'} \le (1 - a_k)(k'-1)/(k-1)` for
    :math:`k < k'`. The value returned is the right-hand side at the multipliers found, by quadrature with what lies
    beyond its nodes added, or the bound from one accuracy if that is larger or the program is not solved. So an inexact
    solution lowers the bound, by less than 1e-8 nats in the tests, and never makes it wrong.

    Examples
    --------
    >>> import classex as cx
    >>> sizes = [2, 5, 20, 100]
    >>> accuracy = cx.identification_accuracy(3.0, sizes)
    >>> together = cx.information.curve_information_bound(accuracy, sizes)
    >>> cx.information_bound(accuracy, sizes).round(3), round(together.information, 3)
    (array([2.179, 2.374, 2.574, 2.323]), 2.829)
    """
    excess, complement, m, shape = as_accuracy(accuracy, n_classes)
    if len(shape) > 1 or np.unique(m).size < m.size:
        raise ValueError(f"n_classes must name each number of classes once, not {np.asarray(n_classes).tolist()}")
    population = as_population(population_size, m)
    single, _ = extremal_in(excess, complement, m, population)
    together, multipliers = least_divergence(m, np.arange(m.size), complement, np.zeros(m.size), population)
    return CurveInformationBound(
        max(together, float(single.max())), m + 1, 1 - complement, multipliers, single,
        log_normaliser(multipliers, m, population), population,
    )  # fmt: skip


# above this concentration the rejection sampler leaves out an event of probability below 1e-21
_LARGE = 100.0
# the density at t = 1 is about exp(information + 1), which overflows at 709
_MOST_INFORMATION = 700.0


def extremal_density(t: ArrayLike, information: ArrayLike, n_classes: ArrayLike) -> Any:
    r"""Density :math:`Q_c(t) = \exp(c\,t^{k-1}) / \int_0^1 \exp(c\,s^{k-1})\,ds` that attains the ceiling.

    Parameters
    ----------
    t : array_like
        Points in [0, 1].
    information : array_like
        :math:`\int Q_c \log Q_c` in nats, which fixes c; from 0 to 700.
    n_classes : array_like of int
        Numbers of classes k, from 2 to 10^15.

    Returns
    -------
    float or ndarray
        Density at t; a float if all arguments are scalars.

    Raises
    ------
    ValueError
        If a t lies outside [0, 1], information outside [0, 700], k is below 2 or not whole, or the shapes do
        not broadcast.

    Notes
    -----
    Source: thesis theorem 4.3.1.

    Examples
    --------
    >>> from classex.information import extremal_density
    >>> [round(float(q), 4) for q in extremal_density([0.0, 0.5, 1.0], 1.0, 2)]
    [0.0047, 0.1865, 7.3542]
    """
    points = as_probabilities(t, "t")
    nats, m, shape = flat(n_classes, information=as_information(information))
    if (nats > _MOST_INFORMATION).any():
        raise ValueError(f"information must be at most {_MOST_INFORMATION:.0f} nats, not {nats.max()}")
    log_c = ceiling(nats, m)[2].reshape(shape)
    points, log_c, m = broadcast(t=points, information=log_c, n_classes=m.reshape(shape))
    exponent, log_normaliser = extremal_exponent(points.flatten(), log_c.flatten(), m.flatten())
    return shaped(np.exp(exponent - log_normaliser), points.shape)


@dataclass(frozen=True)
class ExtremalChannel:
    r"""The joint distribution of (X, Y) with the largest average Bayes accuracy that its information allows.

    X is uniform on [0, 1], and Y given X = x has the density Q_c((y - x) mod 1). Both marginals are uniform. With k
    classes drawn at random, the Bayes rule picks the class with the largest (y - x) mod 1, and is right with
    probability exactly :math:`C_k(\iota)`.

    Parameters
    ----------
    information : float
        Mutual information :math:`\iota` in nats, greater than 0 and at most 700.
    n_classes : int
        Number of classes k for which the channel is extremal, at least 2.

    Attributes
    ----------
    concentration : float
        The c of :math:`Q_c`.
    average_bayes_accuracy : float
        :math:`C_k(\iota)`, its exact average Bayes accuracy with k classes.

    Raises
    ------
    ValueError
        If information is not positive and finite or above 700 nats, or k is below 2.

    Notes
    -----
    Source: thesis section 4.3.3 (the density corrected, see the errata page).

    Examples
    --------
    >>> from classex.information import ExtremalChannel
    >>> channel = ExtremalChannel(information=2.0, n_classes=100)
    >>> round(channel.average_bayes_accuracy, 6)
    0.433076
    >>> x, y = channel.sample(3, rng=0)
    >>> x.shape, y.shape
    ((3,), (3,))
    """

    information: float
    n_classes: int
    concentration: float = field(init=False)
    average_bayes_accuracy: float = field(init=False)

    def __post_init__(self) -> None:
        nats = as_positive_float(self.information, "information")
        if nats > _MOST_INFORMATION:
            raise ValueError(f"information must be at most {_MOST_INFORMATION:.0f} nats, not {nats}")
        k = as_positive_int(self.n_classes, "n_classes", minimum=2, maximum=MOST_CLASSES)
        accuracy, _, log_c = ceiling(np.array([nats]), np.array([k - 1.0]))
        object.__setattr__(self, "information", nats)
        object.__setattr__(self, "n_classes", k)
        object.__setattr__(self, "concentration", float(np.exp(log_c[0])))
        object.__setattr__(self, "average_bayes_accuracy", float(accuracy[0]))

    def density(self, t: ArrayLike) -> Any:
        """Density of the offset (Y - X) mod 1, shape of t; the conditional density of Y given X = x at x + t."""
        return extremal_density(t, self.information, self.n_classes)

    def sample(self, size: int, *, rng: Any = None) -> tuple[FloatArray, FloatArray]:
        """Draw independent pairs: x of shape (size,), uniform, and y of shape (size,) given x."""
        generator = as_generator(rng)
        x = generator.random(as_positive_int(size, "size"))
        return x, self.respond(x, rng=generator)

    def respond(self, x: ArrayLike, *, rng: Any = None) -> FloatArray:
        """Draw one y given every x; x of any shape, in [0, 1], and y of the same shape, in [0, 1)."""
        classes = as_finite_array(np.ravel(x), "x", ndim=1, dtype=np.float64)
        draw = self._draw_by_rejection if self.concentration > _LARGE else self._draw_from_mixture
        return np.asarray(np.mod(classes + draw(classes.size, as_generator(rng)), 1.0).reshape(np.shape(x)))

    def scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """Offset (y - x) mod 1 of every test point y (n_test,) from every class x (k,): shape (n_test, k).

        A monotone function of the conditional density of y given x, so its largest entry is the Bayes rule.
        """
        y = as_finite_array(points, "points", ndim=1, dtype=np.float64)
        x = as_finite_array(references, "references", ndim=1, dtype=np.float64)
        return np.asarray(np.mod(y[:, np.newaxis] - x, 1.0))

    def _draw_from_mixture(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Q_c is the mixture of the densities (1 + m j) t^(m j) with weights c^j / (j! (1 + m j))."""
        m = self.n_classes - 1
        j = np.arange(int(self.concentration + 12 * np.sqrt(self.concentration)) + 60)
        weight = special.softmax(j * np.log(self.concentration) - special.gammaln(j + 1) - np.log1p(m * j))
        component = rng.choice(j, size=n, p=weight)
        return np.asarray(rng.random(n) ** (1.0 / (1.0 + m * component)))

    def _draw_by_rejection(self, n: int, rng: np.random.Generator) -> FloatArray:
        """S = 1 - T^m has a density proportional to exp(-c s) (1-s)^(1/m - 1), drawn for s < 1/2."""
        m = self.n_classes - 1
        offsets = np.empty(0)
        while offsets.size < n:
            s = rng.exponential(1.0 / self.concentration, size=2 * n + 10)
            s = s[s < 0.5]
            keep = rng.random(s.size) * 2.0 ** (1.0 - 1.0 / m) < (1.0 - s) ** (1.0 / m - 1.0)
            offsets = np.append(offsets, np.exp(np.log1p(-s[keep]) / m))
        return offsets[:n]
