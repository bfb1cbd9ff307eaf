"""Results of `classex.information`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from classex._estimates import Interval
from classex._result import Result, number


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
