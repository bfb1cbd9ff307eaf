"""Display of open-set identification: the detection error trade-off."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from classex._extras import needed_for
from classex.open_set import open_set_curve
from classex.results import OpenSetCurve

__all__ = ["DetectionErrorDisplay"]

# the rates that an axis may name, those first that it names if there is room for few
_RATES = (0.5, 0.05, 0.95, 0.2, 0.8, 0.01, 0.99, 0.001, 0.999, 0.1, 0.9, 0.02, 0.98, 0.005, 0.995, 0.3, 0.7, 0.4, 0.6)
_LEAST = 1e-4


@dataclass
class DetectionErrorDisplay:
    """False negative against false positive identification rate, both on normal-deviate axes.

    Create it with `from_scores`, or from an `OpenSetCurve`, and call `plot` to draw (again). Rates of 0 and 1, which
    such axes do not have, are drawn at .0001 and .9999.

    Parameters
    ----------
    curve : OpenSetCurve
        From `open_set_curve`.
    name : str, optional
        What the curve is called at its end.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    lines_ : list of matplotlib Line2D

    Examples
    --------
    >>> import numpy as np
    >>> from classex.plots import DetectionErrorDisplay
    >>> rng = np.random.default_rng(1)
    >>> mated = rng.normal(size=(20, 20)) + 3 * np.eye(20)
    >>> display = DetectionErrorDisplay.from_scores(
    ...     mated, range(20), rng.normal(size=(30, 20)), [1.5, 2, 2.5]
    ... )
    >>> display.ax_.get_xlabel()
    'false positive identification rate'
    """

    curve: OpenSetCurve
    name: str | None = None
    figure_: Any = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)
    lines_: list[Any] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def from_scores(
        cls,
        scores: ArrayLike,
        labels: ArrayLike,
        nonmated_scores: ArrayLike,
        thresholds: ArrayLike,
        *,
        ax: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> DetectionErrorDisplay:
        """Compute the rates and draw them.

        Parameters
        ----------
        scores, labels, nonmated_scores, thresholds
            As in `classex.open_set.open_set_curve`.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        name : str, optional
            What the curve is called at its end.
        **options
            Passed to `open_set_curve`.

        Returns
        -------
        DetectionErrorDisplay
        """
        return cls(open_set_curve(scores, labels, nonmated_scores, thresholds, **options), name).plot(ax)

    def plot(self, ax: Any = None, **line: Any) -> DetectionErrorDisplay:
        """Draw the trade-off.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line
            Passed to matplotlib for the line.

        Returns
        -------
        DetectionErrorDisplay
            Itself, with `figure_` and `ax_`.
        """
        if ax is None:
            with needed_for("a figure"):
                import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        order = np.argsort(self.curve.thresholds)
        x, y = (special.ndtri(np.clip(rate[order], _LEAST, 1 - _LEAST)) for rate in (self.curve.fpir, self.curve.fnir))
        self.lines_ = ax.plot(x, y, **line)
        if self.name:
            ax.annotate(self.name, (x[0], y[0]), xytext=(4, -2), textcoords="offset points", va="top", fontsize=9)
        for axis, label in ((ax.xaxis, "false positive"), (ax.yaxis, "false negative")):
            rates = _rates_with_room(axis)
            axis.set_ticks(special.ndtri(rates), [f"{rate:g}" for rate in rates])
            axis.set_label_text(f"{label} identification rate")
        self.figure_, self.ax_ = ax.figure, ax
        return self


def _rates_with_room(axis: Any) -> list[float]:
    """Rates within an axis' limits whose labels do not touch."""
    low, high = axis.get_view_interval()
    # matplotlib allows a label six letters on a horizontal axis; ours have at most five, mostly three
    least = 0.8 * (high - low) / max(axis.get_tick_space(), 1)
    kept: list[float] = []
    for rate in _RATES:
        at = special.ndtri(rate)
        if low <= at <= high and all(abs(at - special.ndtri(other)) >= least for other in kept):
            kept.append(rate)
    return sorted(kept)
