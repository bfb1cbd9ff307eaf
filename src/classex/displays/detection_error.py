"""Display of open-set identification: the detection error trade-off."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from classex.open_set import OpenSetCurve, open_set_curve

__all__ = ["DetectionErrorDisplay"]

_TICKS = np.array([0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99])
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

    Examples
    --------
    >>> import numpy as np
    >>> from classex.displays import DetectionErrorDisplay
    >>> rng = np.random.default_rng(1)
    >>> mated = rng.normal(size=(20, 20)) + 3 * np.eye(20)
    >>> display = DetectionErrorDisplay.from_scores(mated, range(20), rng.normal(size=(30, 20)), [1.5, 2, 2.5])
    >>> display.ax_.get_xlabel()
    'false positive identification rate'
    """

    curve: OpenSetCurve
    name: str | None = None
    figure_: Any = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_scores(
        cls,
        scores: ArrayLike,
        labels: ArrayLike,
        impostor_scores: ArrayLike,
        thresholds: ArrayLike,
        *,
        ax: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> DetectionErrorDisplay:
        """Compute the rates and draw them.

        Parameters
        ----------
        scores, labels, impostor_scores, thresholds
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
        return cls(open_set_curve(scores, labels, impostor_scores, thresholds, **options), name).plot(ax)

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
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        order = np.argsort(self.curve.thresholds)
        x, y = (special.ndtri(np.clip(rate[order], _LEAST, 1 - _LEAST)) for rate in (self.curve.fpir, self.curve.fnir))
        ax.plot(x, y, **line)
        if self.name:
            ax.annotate(self.name, (x[0], y[0]), xytext=(4, -2), textcoords="offset points", va="top", fontsize=9)
        for axis, label in ((ax.xaxis, "false positive"), (ax.yaxis, "false negative")):
            axis.set_ticks(special.ndtri(_TICKS), [f"{tick:g}" for tick in _TICKS])
            axis.set_label_text(f"{label} identification rate")
        self.figure_, self.ax_ = ax.figure, ax
        return self
