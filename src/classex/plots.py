"""Displays of curves: they draw, and compute nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex._optional import needed_for

__all__ = ["AccuracyCurveDisplay", "DetectionErrorDisplay", "SelectiveDisplay"]


_OBSERVED = {"label": "observed", "linewidth": 3, "alpha": 0.7}
_BAND = {"alpha": 0.15, "linewidth": 0}


@dataclass
class _Display:
    """Where a display was drawn last, and its lines."""

    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    lines_: list[Any] = field(default_factory=list, init=False, repr=False)


def _axes(ax: Any, **layout: Any) -> Any:
    """Return the axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    with needed_for("a figure"):
        from matplotlib import pyplot as plt

    return plt.subplots(**layout)[1]


@dataclass
class AccuracyCurveDisplay(_Display):
    """Accuracy against the number of classes: the observed curve, and the predictions of an estimator.

    Results create it: `AccuracyCurve.plot`, `ExtrapolationResult.plot`. Its own `plot` draws it (again). Bands are
    pointwise: the intervals of the observed curve, and those of the predictions.

    Parameters
    ----------
    observed : AccuracyCurve or None
        Average accuracy over subsets of the observed classes.
    n_classes, accuracy : ndarray of shape (n,), optional
        Extrapolated curve.
    interval : ndarray of shape (n, 2), optional
        Its intervals.
    marked : ndarray of shape (m,), optional
        Numbers of classes to mark on the extrapolated curve.
    confidence_level : float
        Level of the bands.
    name : str, optional
        Name of the extrapolated curve in the legend.
    xlabel, ylabel : str
        Labels of the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.
    lines_ : list of matplotlib Line2D
        The observed and the extrapolated line, as far as they were drawn.

    Examples
    --------
    >>> import classex as cx
    >>> from classex.plots import AccuracyCurveDisplay
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> AccuracyCurveDisplay(cx.accuracy_curve(ranks)).plot().ax_.get_xscale()
    'log'
    """

    observed: Any = None
    n_classes: NDArray[np.float64] | None = None
    accuracy: NDArray[np.float64] | None = None
    interval: NDArray[np.float64] | None = None
    marked: NDArray[np.float64] | None = None
    confidence_level: float = 0.95
    name: str | None = None
    ylabel: str = "average accuracy"
    xlabel: str = "number of classes"

    def plot(self, ax: Any = None, **line: Any) -> AccuracyCurveDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line
            Passed to matplotlib for the extrapolated line, or for the observed one where it is alone.

        Returns
        -------
        AccuracyCurveDisplay
            The display itself.
        """
        ax, self.lines_ = _axes(ax), []
        style = {"label": self.name, **line}
        if (curve := self.observed) is not None:
            ends = None if np.isnan(curve.standard_error).all() else curve.interval(self.confidence_level)
            self._draw(ax, curve.n_classes, curve.accuracy, ends, style if self.n_classes is None else _OBSERVED)
        if (k := self.n_classes) is not None:
            if self.accuracy is None:
                raise ValueError("n_classes and accuracy must be given together")
            color = self._draw(ax, k, self.accuracy, self.interval, style)
            if self.marked is not None:
                position = np.searchsorted(k, self.marked)
                ax.plot(k[position], self.accuracy[position], linestyle="none", marker="o", color=color)
        ax.set(xscale="log", xlabel=self.xlabel, ylabel=self.ylabel)
        if ax.get_legend_handles_labels()[1]:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw(self, ax: Any, x: Any, y: Any, ends: Any, style: dict[str, Any]) -> Any:
        """Draw a line and its band, and return its colour."""
        self.lines_ += ax.plot(x, y, **style)
        color = self.lines_[-1].get_color()
        if ends is not None:
            ax.fill_between(x, *ends.T, color=color, **_BAND)
        return color


# the rates that an axis may name, those first that it names if there is room for few
_RATES = (0.5, 0.05, 0.95, 0.2, 0.8, 0.01, 0.99, 0.001, 0.999, 0.1, 0.9, 0.02, 0.98, 0.005, 0.995, 0.3, 0.7, 0.4, 0.6)
# a band is cut off this many normal deviates from the line
_FARTHEST = 1.0


@dataclass
class DetectionErrorDisplay(_Display):
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
        ax = _axes(ax)
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
        band = np.array([self.curve._point(n, rate, given=True) for rate in np.unique(fpir[inside])]).reshape(-1, 7)
        middle = special.ndtri(band[:, 2])
        low, high = np.clip(special.ndtri(band[:, 5:].T), middle - _FARTHEST, middle + _FARTHEST)
        ax.fill_between(special.ndtri(band[:, 1]), low, high, color=drawn.get_color(), **_BAND)
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


@dataclass
class SelectiveDisplay(_Display):
    """Risk-coverage curve above, advantage-coverage curve below, on one coverage axis.

    Parameters
    ----------
    curve : SelectiveCurve
        From `selective_curve`.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : ndarray of two matplotlib Axes
        Upper: risk of the predictor and of the best constant. Lower: prediction advantage, where it is
        defined.
    lines_ : list of matplotlib Line2D
        Risk and advantage of the predictor.

    Examples
    --------
    >>> import classex as cx
    >>> curve = cx.advantage.selective_curve(
    ...     [0, 1, 0, 1], [0, 1, 1, 1], [0.9, 0.8, 0.5, 0.7]
    ... )
    >>> curve.plot().axes_[1].get_ylabel()
    'prediction advantage'
    """

    curve: Any
    axes_: Any = field(default=None, init=False, repr=False)

    def plot(self, ax: Any = None, **line: Any) -> SelectiveDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : sequence of two matplotlib Axes, optional
            The axes of risk and of advantage; a new figure by default.
        **line
            Passed to matplotlib for the predictor's two curves.

        Returns
        -------
        SelectiveDisplay
            Itself, with `figure_` and `axes_`.
        """
        ax = _axes(ax, nrows=2, sharex=True, figsize=(6.4, 5.2))
        if np.size(ax) != 2:
            raise ValueError(f"ax must be two matplotlib axes, for the risk and the advantage, not {np.size(ax)}")
        risk, advantage = np.ravel(ax)
        curve = self.curve
        defined = curve.marginal_risk > 0
        (upper,) = risk.plot(curve.coverage, curve.risk, **{"label": "predictor", **line})
        risk.plot(curve.coverage, curve.marginal_risk, ":", color=upper.get_color(), label="best constant on the rows")
        (lower,) = advantage.plot(curve.coverage[defined], curve.advantage[defined], color=upper.get_color())
        risk.set_ylabel("risk")
        risk.set_ylim(bottom=0)
        risk.legend()
        advantage.set(xlabel="coverage", ylabel="prediction advantage", xlim=(0, 1))
        self.figure_, self.axes_, self.lines_ = risk.figure, np.array([risk, advantage]), [upper, lower]
        return self
