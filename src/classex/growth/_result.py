"""How a prediction depends on which classes come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from classex import plots
from classex._result import Result
from classex._types import FloatArray
from classex._validation import as_probability

__all__ = ["Growth"]


@dataclass(frozen=True)
class Growth(Result):
    """Near and far rivals of a prediction, and the prediction against the share of near rivals among the new classes.

    Attributes
    ----------
    near_share : ndarray of shape (n,)
        Share of the new classes that belong to the point's own group; empty if one kind of rival was not observed.
    accuracy : ndarray of shape (n,)
        Predicted accuracy with that share.
    interval : ndarray of shape (n, 2)
        Ends of its intervals, which allow for new groups.
    n_near, n_far : ndarray of shape (m,)
        Numbers of classes of the point's own group (its own class included) and of other groups, averaged over points,
        for each prediction.
    worth : float
        Number of far rivals that a near one is worth.
    n_classes : int
        The largest number of classes K, to which the shares refer.
    random_share : float
        Share of near rivals if new classes come from the observed groups at random.
    confidence_level : float
        Nominal coverage of the intervals.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> growth = cx.extrapolate(
    ...     sample.scores, sample.labels, n_classes=500, groups=[0, 1] * 25
    ... ).growth
    >>> growth.n_near, growth.n_far, round(growth.random_share, 2)
    (array([250.]), array([250.]), 0.5)
    """

    near_share: FloatArray
    accuracy: FloatArray
    interval: FloatArray
    n_near: FloatArray
    n_far: FloatArray
    worth: float
    n_classes: int
    random_share: float
    confidence_level: float

    def _sentence(self) -> str:
        known = f"A near rival is worth {self.worth:.3g} far ones."
        if self.near_share.size:
            known += f" With {self.n_classes:,} classes the accuracy is {self.accuracy[0]:.3f} if all new ones are far"
            known += f" rivals, and {self.accuracy[-1]:.3f} if all are near;"
            known += f" at random, {100 * self.random_share:.0f} % are near."
        return known

    def share_at(self, accuracy: float) -> float:
        """Share of near rivals at which the prediction crosses an accuracy: where a decision changes.

        Parameters
        ----------
        accuracy : float
            The accuracy that is needed.

        Returns
        -------
        float
            The share; 1 if every share gives more, NaN if none gives as much or the shares are not known.

        Raises
        ------
        TypeError, ValueError
            If `accuracy` is not a probability.
        """
        needed = as_probability(accuracy, "accuracy")
        if self.near_share.size == 0 or needed > self.accuracy.max():
            return float("nan")
        # near rivals may be the weaker ones: the curve then rises
        order = np.argsort(self.accuracy)
        return float(np.interp(needed, self.accuracy[order], self.near_share[order]))

    def plot(self, ax: Any = None, **line: Any) -> Any:
        """Draw the prediction and its interval against the share of near rivals.

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
        display = plots.AccuracyCurveDisplay(None, self.near_share, self.accuracy, self.interval, name="predicted")
        display.plot(ax, **line).ax_.set(xscale="linear", xlabel="share of near rivals among new classes")
        return display
