"""Predictions for growth that is not random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_probability
from classex.results._result import DrawnResult
from classex.results.extrapolation import ExtrapolationResult

if TYPE_CHECKING:
    from classex.plots.accuracy_curve import AccuracyCurveDisplay

__all__ = ["GrowthResult", "GrowthSensitivity"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class GrowthSensitivity(DrawnResult):
    """Predicted accuracy against the share of near rivals among the new classes.

    Attributes
    ----------
    near_share : ndarray of shape (n,)
        Share of the new classes that belong to the point's own group.
    accuracy : ndarray of shape (n,)
        Predicted accuracy.
    interval : ndarray of shape (n, 2)
        Ends of its intervals.
    n_classes : int
        Number of classes K.
    random_share : float
        Share of near rivals if new classes come from the observed groups at random.
    confidence_level : float
        Nominal coverage of the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.results import GrowthSensitivity
    >>> ends = np.array([[0.5, 0.7], [0.2, 0.4]])
    >>> GrowthSensitivity(
    ...     np.array([0, 1]), np.array([0.6, 0.3]), ends, 900, 0.1, 0.95
    ... ).share_at(0.45)
    0.5
    """

    near_share: FloatArray
    accuracy: FloatArray
    interval: FloatArray
    n_classes: int
    random_share: float
    confidence_level: float

    _display: ClassVar[str] = "GrowthSensitivityDisplay"

    def _sentence(self) -> str:
        first, last = self.accuracy[[0, -1]]
        return (
            f"With {self.n_classes:,} classes the accuracy is {first:.3f} if all new classes are far rivals and"
            f" {last:.3f} if all are near ones; at random {100 * self.random_share:.0f} % are near."
        )

    def share_at(self, accuracy: float) -> float:
        """Share of near rivals at which the prediction crosses an accuracy: where a decision changes.

        Parameters
        ----------
        accuracy : float
            The accuracy that is needed.

        Returns
        -------
        float
            The share; 1 if every share gives more, and NaN if none gives as much.

        Raises
        ------
        TypeError, ValueError
            If `accuracy` is not a probability.
        """
        needed = as_probability(accuracy, "accuracy")
        if needed > self.accuracy[0]:
            return float("nan")
        return float(np.interp(-needed, -self.accuracy, self.near_share))


@dataclass(frozen=True, kw_only=True)
class GrowthResult(ExtrapolationResult):
    """Predicted accuracy with more near and far rivals, from `classex.extrapolate` with ``groups``.

    The attributes of `ExtrapolationResult`, and:

    Attributes
    ----------
    n_near, n_far : ndarray of shape (n,)
        Numbers of classes of the point's own group (its own class included) and of other groups, averaged over points.
    worth : float
        Number of far rivals that a near one is worth.
    at_random : ndarray of shape (n,)
        Prediction if the classes grew at random.
    growth : str
        How the classes grow.
    sensitivity : GrowthSensitivity or None
        Prediction for the largest K against the share of near rivals; None if one kind of rival was not observed.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> result = cx.extrapolate(
    ...     sample.scores, sample.labels, n_classes=500, groups=[0, 1] * 25
    ... )
    >>> result.n_near, result.n_far, result.growth
    (array([250.]), array([250.]), 'same groups')
    """

    n_near: FloatArray
    n_far: FloatArray
    worth: float
    at_random: FloatArray
    growth: str
    sensitivity: GrowthSensitivity | None

    def _sentence(self) -> str:
        first = super()._sentence().split("\n")[0]
        ends = "" if self.interval is None else f", with {100 * self.confidence_level:g} % intervals for the average"
        return f"{first}\nA near rival is worth {self.worth:.2g} far ones. Predictions for growth by {self.growth}{ends}:"

    def _table(self) -> dict[str, Any]:
        columns = super()._table()
        first = {"n_classes": columns.pop("n_classes"), "n_near": self.n_near.round(), "n_far": self.n_far.round()}
        return first | columns | {"at_random": self.at_random}

    def _notes(self) -> list[str]:
        return [] if self.sensitivity is None else [self.sensitivity._sentence()]

    def plot(self, ax: Any = None, **line: Any) -> AccuracyCurveDisplay:
        """Draw the predictions and their intervals.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line
            Passed to matplotlib for the line.

        Returns
        -------
        AccuracyCurveDisplay
        """
        from classex.plots.accuracy_curve import AccuracyCurveDisplay

        parts = (None, self.n_classes, self.accuracy, self.interval, self.n_classes, self.confidence_level, self.growth)
        return AccuracyCurveDisplay(*parts).plot(ax, **line)
