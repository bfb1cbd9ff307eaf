"""Displays of curves: they draw, and compute nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

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

    Results create it, such as `AccuracyCurve.plot` and `ExtrapolationResult.plot`. Its own `plot` draws it (again).
    Bands are pointwise: the intervals of the observed curve, and those of the predictions.

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
    limits : ndarray of shape (n, 2), optional
        Limits for every distribution, with the extrapolated curve or without one; drawn as dotted lines.
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
    limits: NDArray[np.float64] | None = None

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
            if self.accuracy is None and self.limits is None:
                raise ValueError("n_classes and accuracy must be given together")
            color = None if self.accuracy is None else self._draw(ax, k, self.accuracy, self.interval, style)
            if self.accuracy is not None and self.marked is not None:
                position = np.searchsorted(k, self.marked)
                ax.plot(k[position], self.accuracy[position], linestyle="none", marker="o", color=color)
            if self.limits is not None:
                ends = ax.plot(k, self.limits, linestyle=":", marker="_", color=color or "C0")
                ends[0].set_label(" ".join(filter(None, [self.name, "limits"])))
        ax.set(xscale="log", xlabel=self.xlabel, ylabel=self.ylabel)
        if ax.get_legend_handles_labels()[1]:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw(self, ax: Any, x: Any, y: Any, ends: Any, style: dict[str, Any]) -> Any:
        """Draw a line and its band, and return its colour."""
        self.lines_ += ax.plot(x, y, **style)
        color = self.lines_[-1].get_color()
        if ends is not None and np.size(x) > 1:
            ax.fill_between(x, *ends.T, color=color, **_BAND)
        elif ends is not None:  # a band of one point has no width
            ax.vlines(x, *ends.T, color=color)
        return color


@dataclass
class DetectionErrorDisplay(_Display):
    """False negative against false positive rate, both on logarithmic axes as in NIST's reports.

    An `OpenSetCurve`, `OpenSetPrediction` or `VerificationCurve` creates it by its own `plot`; call `plot` here to draw
    it again. The band is the interval of the false negative rate at each false positive rate, as `fnir_at_fpir` or
    `fnmr_at_fmr` gives it. Where no error was observed, an open triangle shows the upper end of the interval instead,
    and points to the rate of 0 that these axes do not have.

    Parameters
    ----------
    curve : OpenSetCurve, OpenSetPrediction or VerificationCurve
        From `open_set_curve`, `extrapolate_open_set` or `verification_curve`.
    name : str, optional
        Name of the curve in the legend; by default its number of enrolled identities, or of pairs.

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
        x, y = self.curve._axes
        ax.set(xscale="log", yscale="log", xlabel=x, ylabel=y)
        self.lines_ = [self._trade_off(ax, one, line) for one in self.curve._lines()]
        ax.set(xlim=(None, 1), ylim=(None, 1))
        ax.legend()
        self.figure_, self.ax_ = ax.figure, ax
        return self

    def _trade_off(self, ax: Any, one: Any, line: dict[str, Any]) -> Any:
        """Draw a line, its band, and bounds in place of zeros."""
        name, known, other, band = one
        inside = (np.minimum(known[0], other[0]) > 0) & (np.maximum(known[0], other[0]) < 1)
        style = {"label": self.name or name, "marker": "o" if inside.sum() == 1 else None, **line}
        (drawn,) = ax.plot(known[0, inside], other[0, inside], **style)
        color = drawn.get_color()
        # an end of 0 is drawn at a tenth of the lowest rate
        floor = other[0, inside].min(initial=1.0) / 10
        ax.fill_between(band[0], np.maximum(band[1], floor), band[2], color=color, **_BAND)
        x, y = (np.where(rate[0] > 0, rate[0], rate[2]) for rate in (known, other))
        # the lowest threshold without a false positive, the highest without a false negative
        for index, marker in ((np.flatnonzero(known[0] == 0)[:1], "<"), (np.flatnonzero(other[0] == 0)[-1:], "v")):
            ax.scatter(x[index], y[index], marker=marker, facecolors="none", edgecolors=color)
        return drawn


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
