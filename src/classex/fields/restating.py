"""Restate published accuracies for other numbers of classes and other lengths of the list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from classex import plots
from classex._checks import as_class_counts, as_positive_float, as_positive_int, as_probability, one_of, shown
from classex._result import Result, number
from classex._types import FloatArray
from classex.distributions.distribution import panels
from classex.distributions.limits import Extreme, extremes
from classex.extrapolator import Extrapolator
from classex.information.ceiling import InformationResult

__all__ = ["restate"]


# Standard error of an accuracy that is given as exact: the process needs a number of test points
_EXACT = 1e-8
# Error at which the programs behind limits and information stop (`classex.distributions.limits`)
_SOLVED = 1e-9
# The failure on record, in the chapter on multiple choice
_NOT_AT_RANDOM = (
    "If the other classes are chosen rather than drawn at random, the estimate may be too high, as it was for 5 of 5"
    " models from MMLU to MMLU-Pro."
)
_NO_ESTIMATE = "An estimate needs a report of a top-1 accuracy between 0 and 1; without one there are limits alone."


@dataclass(frozen=True)
class Restatement(InformationResult):
    r"""Reported accuracies, restated for other numbers of classes.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of classes K.
    limits : ndarray of shape (n, 2)
        Least and largest top-M accuracy that any distribution of the favourability allows.
    accuracy : ndarray of shape (n,) or None
        Estimate of it by the default method; None if no report is a top-1 accuracy between 0 and 1.
    interval : ndarray of shape (n, 2) or None
        Its interval.
    information : float
        Least mutual information of input and label, in nats.
    top : int
        M: a point counts as correct when its truth is among the `top` best labels.
    n_reports : int
        Number of reports.
    n_exact : int
        How many of them have no standard error, and are taken as the average over all sets of classes.
    n_reported : int
        Largest number of classes in them.
    shape : str
        What was assumed of the density of the favourability: "any" or "increasing".
    confidence_level : float
        Level of limits, interval and information.
    least, largest : list of Extreme
        For each K what attains the lower and the upper limit: `atoms` are the probits of the favourabilities that have
        positive probability `weight` (with an increasing density, of the u of uniform distributions on [u, 1]), and
        `certificate` the multipliers :math:`y_0, y_1, \dots` that prove the limit.

    Examples
    --------
    >>> import classex as cx
    >>> found = cx.restate([(2, 1, 0.8)], n_classes=3)
    >>> found.limits.round(2), found.largest[0].weight.round(2)
    (array([[0.64, 0.8 ]]), array([0.8, 0.2]))
    """

    n_classes: NDArray[np.int64]
    limits: NDArray[np.float64]
    accuracy: NDArray[np.float64] | None
    interval: NDArray[np.float64] | None
    information: float
    top: int
    n_reports: int
    n_exact: int
    n_reported: int
    shape: str
    confidence_level: float
    least: list[Extreme] = field(repr=False)
    largest: list[Extreme] = field(repr=False)

    _amount: ClassVar[str] = "information"
    _tabulated: ClassVar[bool] = True
    _table = Result._table
    _says: ClassVar[str] = (
        "Assumed: reports are means over random sets of classes, {_known}, and other classes are as hard.\nIf each test"
        " point has classes of its own, the input carries {_carried}; if all points share one set, others may be much"
        " harder, and `classex bound` gives far less.\nLimits of the top-{top} accuracy for favourabilities of {shape}"
        " density (reports: {n_reports}):"
    )

    @property
    def _carried(self) -> str:
        finite = f"at least {number(self.nats)} nats ({number(self.bits)} bits)"
        return finite if np.isfinite(self.nats) else "infinite information"

    @property
    def _known(self) -> str:
        missing = f"without sampling error ({self.n_exact} of {self.n_reports} have no standard error)"
        return missing if self.n_exact else "up to standard errors that include the draw of the classes"

    def _notes(self) -> list[str]:
        if self.accuracy is None:
            return [_NO_ESTIMATE]
        return [_NOT_AT_RANDOM] if self.n_classes.max() > self.n_reported else []

    def plot(self, ax: Any = None, **line: Any) -> plots.AccuracyCurveDisplay:
        """Draw the estimate with its intervals, and the limits.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line
            Passed to matplotlib for the line of the estimate.

        Returns
        -------
        AccuracyCurveDisplay
        """
        order = np.argsort(self.n_classes)
        k, limits = self.n_classes[order].astype(np.float64), self.limits[order]
        value, ends = (None if entry is None else entry[order] for entry in (self.accuracy, self.interval))
        label = f"average {f'top-{self.top} ' if self.top > 1 else ''}accuracy"
        return plots.AccuracyCurveDisplay(None, k, value, ends, k, limits=limits, ylabel=label).plot(ax, **line)


def restate(
    reports: Sequence[tuple[Any, ...]],
    *,
    n_classes: ArrayLike,
    top: int = 1,
    shape: Literal["any", "increasing"] = "any",
    confidence_level: float = 0.95,
) -> Restatement:
    r"""Restate reported accuracies as the top-M accuracy with K classes, and as information.

    The limits hold for every distribution of the favourability U. They are the least and the largest
    :math:`E\,h(U)` over all distributions with :math:`|E\,g_j(U) - a_j| \le z s_j` for every report j, where g and h
    are the probabilities of success at a given favourability,

    .. math:: g_j(u) = \Pr[\mathrm{Bin}(N_j - 1, 1 - u) < m_j], \qquad h(u) = \Pr[\mathrm{Bin}(K - 1, 1 - u) < M].

    Parameters
    ----------
    reports : list of tuple
        What is known of one classifier. (50, 1, 0.62, 0.03) is a top-1 accuracy of .62 with 50 classes and a standard
        error of .03; without the last number the accuracy is taken as exact. (50, "mean", 3.2, 0.4) is a mean rank of
        3.2 among 50.
    n_classes : int or array_like of int
        Numbers of classes K to restate them for.
    top : int
        M, below every K: a point counts as correct when its truth is among the `top` best labels.
    shape : {"any", "increasing"}
        "increasing" adds the assumption that U has an increasing density, as for scores of a Bayes rule.
    confidence_level : float
        Level at which the limits cover the accuracy and the information, in (0, 1). Each report has its share of the
        error probability.

    Returns
    -------
    Restatement
        Limits, the distributions that attain them, the least information, and the default's estimate.

    Raises
    ------
    ValueError
        If an argument is not as described, two reports are of the same accuracy, or no distribution satisfies the
        reports; the message then says by how much the nearest one misses them.
    TypeError
        If a number in a report is not one.
    SolverError
        If the linear program behind the limits is not solved.

    See Also
    --------
    classex.distributions.restated_limits : Limits from one accuracy in closed form, for 100,000 of them in seconds.

    Notes
    -----
    A mean rank r among N is the accuracy :math:`1 - (r - 1)/(N - 1)` with two classes. The limits come from a linear
    program, and the multipliers of its dual prove them: they are on the safe side of the exact limits, by at most 10^-6
    and usually less than 10^-9.

    The information is bounded by data processing, :math:`I \ge \mathrm{KL}(U \,\|\, \text{uniform})`, minimised over
    all distributions with these accuracies. From one top-1 accuracy this is `classex.information_bound`. It is infinite
    if exact reports are as extreme as the others allow: an accuracy of 0 or 1, or points that are all alike. It is for
    labels from the whole population, and may exceed the logarithm of a reported number of classes. A standard error
    must include the draw of the classes, as it does if each point has classes of its own, such as the options of a
    question. If all points share one sample of classes, `classex.information_confidence_bound` allows for its chance:
    .887 with 4 classes is at least 3.1 bits in the first case, and .005 bits in the second.

    The estimate is that of `Extrapolator.fit_curve` from the top-1 accuracies, moved into the limits.

    Examples
    --------
    >>> import classex as cx
    >>> found = cx.restate([(50, 1, 0.62, 0.03)], n_classes=[200, 1000], top=5)
    >>> print(found)
    Assumed: reports are means over random sets of classes, up to standard errors that include the draw of the ...
    If each test point has classes of its own, the input carries at least 2.385 nats (3.44 bits); if all points ...
    Limits of the top-5 accuracy for favourabilities of any density (reports: 1):
    <BLANKLINE>
    classes        limits  accuracy   95 % interval
        200  0.54 to 0.98     0.693  0.535 to 0.858
      1,000  0.01 to 0.72     0.523  0.353 to 0.717
    <BLANKLINE>
    If the other classes are chosen rather than drawn at random, the estimate may be too high, as it was for 5 of 5 ...
    """
    best = as_positive_int(top, "top")
    sizes = as_class_counts(n_classes, minimum=best + 1)
    density = one_of(shape, "shape", ("any", "increasing"))
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    settings, value, error = _checked(reports)
    half = error * special.ndtri(1 - (1 - level) / (2 * len(settings)))
    ends = np.clip(np.stack([value - half, value + half], axis=1), 0.0, 1.0)
    bounds = extremes(settings, ends, [(float(k), float(best)) for k in sizes], density == "increasing")
    limits = np.clip([float(bound.value) for bound in bounds], 0.0, 1.0).reshape(-1, 2)
    accuracy = interval = None
    single = [m == 1 for _, m in settings]
    if ((value[single] > 0) & (value[single] < 1)).any():
        known = np.array(settings)[single, 0]
        fitted = Extrapolator().fit_curve(known, value[single], standard_error=np.maximum(error[single], _EXACT))
        accuracy = np.clip(fitted.predict(sizes, top=best), *limits.T)
        ends_of_fit = fitted.predict_interval(sizes, top=best, confidence_level=level)
        interval = np.clip(ends_of_fit, limits[:, :1], limits[:, 1:])
    edge = not error.all() and _on_the_edge(settings, ends)
    nats = float("inf") if edge else _least_information(settings, ends)
    given = (len(settings), int((error == 0).sum()), int(max(n for n, _ in settings)))
    found = (sizes.astype(np.int64), limits, accuracy, interval, nats)
    return Restatement(*found, best, *given, density, level, bounds[::2], bounds[1::2])


def _checked(reports: Sequence[tuple[Any, ...]]) -> tuple[list[tuple[float, float]], FloatArray, FloatArray]:
    """Return numbers of classes and `top`, accuracies, and standard errors."""
    settings, numbers = [], []
    for report in reports:
        if not isinstance(report, tuple | list) or len(report) not in (3, 4):
            raise ValueError(f"a report must be (n_classes, top, accuracy, standard_error), not {shown(report)}")
        n, m, value, error = (*report, 0.0)[:4]
        n = as_positive_int(n, "n_classes of a report", minimum=2)
        error = as_positive_float(error, "standard_error of a report", allow_zero=True)
        if m == "mean":
            n, m, value, error = 2, 1, 1 - (as_positive_float(value, "mean rank") - 1) / (n - 1), error / (n - 1)
        settings.append((float(n), float(as_positive_int(m, "top of a report", maximum=n - 1))))
        numbers.append((as_probability(value, "accuracy of a report"), error))
    if len(set(settings)) < max(len(settings), 1):
        raise ValueError("reports must be at least one, and each of another accuracy: average those of the same one")
    value, error = np.array(numbers).T
    return settings, value, error


def _least_information(settings: list[tuple[float, float]], ends: FloatArray) -> float:
    """Least divergence of U from the uniform distribution, in nats, by its dual: any multipliers give a bound."""
    n, m = np.array(settings).T[:, :, np.newaxis]
    _, losing, width = panels()
    gains = special.betaincc(m, n - m, losing)
    sides, rest = np.concatenate([gains, -gains]), np.concatenate([ends[:, 0], -ends[:, 1]])
    optimum = optimize.minimize(
        lambda y: special.logsumexp(y @ sides, b=width) - y @ rest, np.zeros(rest.size), bounds=[(0, None)] * rest.size
    )
    return float(-optimum.fun) if -optimum.fun > _SOLVED else 0.0


def _on_the_edge(settings: list[tuple[float, float]], ends: FloatArray) -> bool:
    """Whether a report is as large, or as small, as the others allow: then U has a few values and no density."""
    for j, (low, high) in enumerate(ends):
        others, limits = np.arange(len(ends)) != j, (0.0, 1.0)
        if others.any():
            rest = [setting for setting, other in zip(settings, others, strict=True) if other]
            least, most = extremes(rest, ends[others], [settings[j]], increasing=False)
            limits = float(least.value), float(most.value)
        if high <= limits[0] + _SOLVED or low >= limits[1] - _SOLVED:
            return True
    return False
