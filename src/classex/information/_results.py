"""What the functions of this package return: frozen dataclasses, each estimate with its standard error."""

from __future__ import annotations

from dataclasses import dataclass

from classex.results import Interval

__all__ = ["CurveTest", "ImpliedInformation", "InformationDifference"]


@dataclass(frozen=True)
class CurveTest:
    """Whether the one-parameter identification curve (nu = 1) fits.

    Attributes
    ----------
    mu, nu : float
        Mean and standard deviation of the probit of the favourability, both fitted.
    log_nu_error : float
        Standard error of log nu over stimuli.
    statistic : float
        Score statistic of nu = 1 over its standard error; positive where nu is larger.
    p_value : float
        Two-sided p-value of nu = 1.
    distance : float
        Largest difference between the observed accuracies and the fitted curve with nu = 1.
    wide_distance : float
        The same for the two-parameter curve.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> sample = cx.models.GaussianSequence(n_features=100, signal=4.0).sample(
    ...     100, rng=0
    ... )
    >>> test = cx.information.curve_test(
    ...     cx.correct_ranks(sample.scores, sample.labels)
    ... )
    >>> test.p_value > 0.05, bool(test.distance < 0.1)
    (True, True)
    """

    mu: float
    nu: float
    log_nu_error: float
    statistic: float
    p_value: float
    distance: float
    wide_distance: float

    def __str__(self) -> str:
        verdict = "does not fit" if self.p_value < 0.05 else "is not contradicted"
        return (
            f"nu = 1 {verdict} (p = {self.p_value:.2g}): fitted nu = {self.nu:.2f}; the curve with nu = 1 is off by up"
            f" to {self.distance:.3f}, the one with fitted nu by up to {self.wide_distance:.3f}"
        )


@dataclass(frozen=True)
class ImpliedInformation:
    """Information that an identification curve implies, in nats.

    Attributes
    ----------
    value : float
        The estimate; infinite where least squares meets a decoder that is always right.
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
    >>> # 1.96 nats
    >>> sample = cx.models.GaussianSequence(n_features=100, signal=4.0).sample(
    ...     100, rng=0
    ... )
    >>> implied = cx.implied_information(
    ...     cx.correct_ranks(sample.scores, sample.labels)
    ... )
    >>> (
    ...     implied.interval.low
    ...     < sample.model.information()
    ...     < implied.interval.high,
    ...     implied.method,
    ...     implied.n_classes,
    ... )
    (True, 'likelihood', 100)
    """

    value: float
    standard_error: float
    interval: Interval
    method: str
    n_classes: int


@dataclass(frozen=True)
class InformationDifference:
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
    >>> sample = cx.models.GaussianSequence(n_features=100, signal=4.0).sample(
    ...     100, rng=0
    ... )
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> same = cx.information.compare_implied_information(ranks, ranks)
    >>> same.value, same.standard_error, same.method
    (0.0, 0.0, 'likelihood')
    """

    value: float
    standard_error: float
    interval: Interval
    p_value: float
    method: str
