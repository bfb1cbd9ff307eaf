"""Display of open-set identification: the detection error trade-off."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special

from classex._extras import needed_for

__all__ = ["DetectionErrorDisplay"]

# the rates that an axis may name, those first that it names if there is room for few
_RATES = (0.5, 0.05, 0.95, 0.2, 0.8, 0.01, 0.99, 0.001, 0.999, 0.1, 0.9, 0.02, 0.98, 0.005, 0.995, 0.3, 0.7, 0.4, 0.6)
# a band is cut off this many normal deviates from the line
_FARTHEST = 1.0


@dataclass
class DetectionErrorDisplay:
    """False negative against false positive identification rate, both on normal-deviate axes.

    An `OpenSetCurve` or `OpenSetPrediction` creates it by its own `plot`; call `plot` here to draw it again. The
    band is the interval of FNIR at each FPIR, as `fnir_at_fpir` gives it. Where no error was observed, an open triangle
    shows the upper end of the interval instead, and points to the rate of 0 that these axes do not have.

    Parameters
    ----------
    curve : OpenSetCurve or OpenSetPrediction
        From `open_set_curve` or `extrapolate_open_set`.
    name : str, optional
        Name of the curve in the legend; by default its number of enrolled identities.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    lines_ : list of matplotlib Line2D

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(1)
    >>> mated = rng.normal(size=(20, 20)) + 3 * np.eye(20)
    >>> curve = cx.open_set.open_set_curve(
    ...     mated, range(20), rng.normal(size=(30, 20)), [1.5, 2, 2.5]
    ... )
    >>> curve.plot().ax_.get_xlabel()
    'false positive identification rate'
    """

    curve: Any
    name: str | None = None
    figure_: Any = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)
    lines_: list[Any] = field(default_factory=list, init=False, repr=False)

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
        self.lines_ = [self._draw(ax, n, line) for n in np.unique(self.curve.n_enrolled)]
        for axis, label in ((ax.xaxis, "false positive"), (ax.yaxis, "false negative")):
            rates = _rates_with_room(axis)
            axis.set_ticks(special.ndtri(rates), [f"{rate:g}" for rate in rates])
            axis.set_label_text(f"{label} identification rate")
        ax.legend()
        self.figure_, self.ax_ = ax.figure, ax
        return self

    def _draw(self, ax: Any, n: int, line: dict[str, Any]) -> Any:
        """Draw the line of one number of enrolled identities, its band, and bounds in place of zeros."""
        rows = np.argsort(self.curve.thresholds)
        rows = rows[self.curve._sizes()[rows] == n]
        fpir, fnir = self.curve.fpir[rows], self.curve.fnir[rows]
        inside = (np.minimum(fpir, fnir) > 0) & (np.maximum(fpir, fnir) < 1)
        (drawn,) = ax.plot(
            special.ndtri(fpir[inside]), special.ndtri(fnir[inside]), **{"label": self.name or f"N = {n:,}", **line}
        )
        band = np.array([self.curve._point(n, "fpir", rate) for rate in np.unique(fpir[inside])]).reshape(-1, 7)
        middle = special.ndtri(band[:, 4])
        low, high = np.clip(special.ndtri(band[:, 5:].T), middle - _FARTHEST, middle + _FARTHEST)
        ax.fill_between(special.ndtri(band[:, 1]), low, high, color=drawn.get_color(), alpha=0.15, linewidth=0)
        tops = (self.curve.fpir_interval[rows, 1], self.curve.fnir_interval[rows, 1])
        x, y = (special.ndtri(np.where(rate > 0, rate, top)) for rate, top in zip((fpir, fnir), tops, strict=True))
        # the lowest threshold without a false positive, the highest without a false negative
        for index, marker in ((np.flatnonzero(fpir == 0)[:1], "<"), (np.flatnonzero(fnir == 0)[-1:], "v")):
            ax.scatter(x[index], y[index], marker=marker, facecolors="none", edgecolors=drawn.get_color())
        return drawn


def _rates_with_room(axis: Any) -> list[float]:
    """Rates within an axis' limits whose labels do not touch."""
    low, high = axis.get_view_interval()
    # matplotlib allows a label six letters on a horizontal axis; ours have at most five, mostly three
    least = 0.8 * (high - low) / max(axis.get_tick_space(), 1)
    kept: list[float] = []
    for rate in _RATES:
        position = special.ndtri(rate)
        if low <= position <= high and all(abs(position - special.ndtri(other)) >= least for other in kept):
            kept.append(rate)
    return sorted(kept)
