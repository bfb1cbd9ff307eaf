"""Display of observed and extrapolated accuracy against the number of classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._extras import needed_for

__all__ = ["AccuracyCurveDisplay"]

_OBSERVED = {"label": "observed", "linewidth": 3, "alpha": 0.7}


@dataclass
class AccuracyCurveDisplay:
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
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    lines_: list[Any] = field(default_factory=list, init=False, repr=False)

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
        if ax is None:
            with needed_for("a figure"):
                from matplotlib import pyplot as plt

            ax = plt.subplots()[1]
        self.lines_ = []
        alone = self.n_classes is None
        if (curve := self.observed) is not None:
            style = {"label": self.name, **line} if alone else _OBSERVED
            (drawn,) = ax.plot(curve.n_classes, curve.accuracy, **style)
            self.lines_.append(drawn)
            if not np.isnan(curve.standard_error).all():
                ends = curve.interval(self.confidence_level).T
                ax.fill_between(curve.n_classes, *ends, color=drawn.get_color(), alpha=0.15, linewidth=0)
        if (k := self.n_classes) is not None:
            if self.accuracy is None:
                raise ValueError("n_classes and accuracy must be given together")
            (drawn,) = ax.plot(k, self.accuracy, **{"label": self.name, **line})
            self.lines_.append(drawn)
            if self.interval is not None:
                ax.fill_between(k, *self.interval.T, color=drawn.get_color(), alpha=0.15, linewidth=0)
            if self.marked is not None:
                position = np.searchsorted(k, self.marked)
                ax.plot(k[position], self.accuracy[position], linestyle="none", marker="o", color=drawn.get_color())
        ax.set(xscale="log", xlabel=self.xlabel, ylabel=self.ylabel)
        if ax.get_legend_handles_labels()[1]:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
