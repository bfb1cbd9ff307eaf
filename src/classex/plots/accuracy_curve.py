"""Display of observed and extrapolated accuracy against the number of classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from classex._extras import needed_for
from classex._types import Average, Target
from classex._validation import as_class_counts, as_probability
from classex.curves.accuracy import accuracy_curve
from classex.curves.metrics import as_rank_metric
from classex.extrapolator import Extrapolator
from classex.methods.registry import name_of_method
from classex.ranks import as_ranks
from classex.results import AccuracyCurve, CorrectRanks

__all__ = ["AccuracyCurveDisplay"]

# Points of a curve: enough for a smooth line on a page
_MOST_POINTS = 80
_OBSERVED = {"label": "observed", "linewidth": 3, "alpha": 0.7}


@dataclass
class AccuracyCurveDisplay:
    """Accuracy against the number of classes: the observed curve, and the predictions of an estimator.

    Create it with `from_estimator`, `from_ranks` or `from_curve`; `plot` draws it (again). Bands are pointwise:
    two-sided normal bands around the observed curve, the estimator's intervals around its predictions.

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
    >>> AccuracyCurveDisplay.from_curve(cx.accuracy_curve(ranks)).ax_.get_xscale()
    'log'
    """

    observed: AccuracyCurve | None = None
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

    @classmethod
    def from_estimator(
        cls,
        estimator: Extrapolator,
        n_classes: ArrayLike | None = None,
        *,
        ax: Any = None,
        observed: bool = True,
        interval: bool | NDArray[np.float64] = True,
        confidence_level: float = 0.95,
        target: Target = "average",
        metric: str | Callable[[Any], Any] = "accuracy",
        top: int = 1,
        n_repeats: int | None = None,
        n_resamples: int = 100,
        rng: Any = 0,
        name: str | None = None,
        **line: Any,
    ) -> AccuracyCurveDisplay:
        """Predict with a fitted estimator and draw.

        Parameters
        ----------
        estimator : Extrapolator
            A fitted estimator; after `fit_curve` the published curve is the observed one.
        n_classes : int or array_like of int, optional
            Numbers of classes to mark; the curve runs from 2 to the largest. By default it runs to ten times
            the observed number, without marks.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        observed : bool
            Whether to draw the observed curve.
        interval : bool or ndarray of shape (n, 2)
            Whether to draw intervals; or those of `n_classes`, with which the band then agrees.
        confidence_level, target, metric, top, n_repeats, n_resamples, rng
            As in `Extrapolator.predict_interval`.
        name : str, optional
            Name of the curve in the legend; by default that of the method.
        **line
            Passed to matplotlib for the extrapolated line, for example ``color``.

        Returns
        -------
        AccuracyCurveDisplay
        """
        if not isinstance(estimator, Extrapolator):
            raise TypeError(f"estimator must be an Extrapolator, not {type(estimator).__name__}")
        estimator._check_fitted()
        level = as_probability(confidence_level, "confidence_level", open_ends=True)
        scored = as_rank_metric(metric, top)
        k1 = estimator.n_observed_
        marked = None if n_classes is None else as_class_counts(n_classes)
        grid = _grid(10.0 * k1 if marked is None else float(marked.max()))
        if marked is not None:
            grid = np.union1d(grid, marked)
        options: dict[str, Any] = {"target": target, "n_repeats": n_repeats, "n_resamples": n_resamples, "rng": rng}
        ranks = getattr(estimator, "ranks_", None)
        seen = getattr(estimator, "curve_", None) if scored.name == "accuracy" else None
        if ranks is not None and ranks.evenly_sampled:
            seen = accuracy_curve(ranks, _grid(k1), metric=scored)
        accuracies = scored.name == "accuracy" or top > 1
        kind = "average" if top == 1 else f"average top-{top}"
        ends = None
        if interval is not False:
            ends = estimator.predict_interval(grid, confidence_level=level, metric=metric, top=top, **options)
        if ends is not None and marked is not None and interval is not True:
            ends[np.searchsorted(grid, marked)] = interval
            if target != "fresh" and scored.falls(grid):  # both ends fall with K, as those between them must
                low, high = ends.T
                ends = np.stack([np.minimum.accumulate(low), np.maximum.accumulate(high[::-1])[::-1]], axis=1)
        return cls(
            observed=seen if observed else None,
            n_classes=grid,
            accuracy=estimator.predict(grid, metric=metric, top=top),
            interval=ends,
            marked=marked,
            confidence_level=level,
            name=name_of_method(estimator.method_) if name is None else name,
            ylabel=f"{kind} accuracy" if accuracies else f"average {scored.name}",
        ).plot(ax, **line)

    @classmethod
    def from_ranks(
        cls,
        ranks: CorrectRanks,
        n_classes: ArrayLike | None = None,
        *,
        ax: Any = None,
        metric: str | Callable[[Any], Any] = "accuracy",
        top: int = 1,
        average: Average = "balanced",
        **options: Any,
    ) -> AccuracyCurveDisplay:
        """Compute the observed curve and draw it.

        Parameters
        ----------
        ranks, n_classes, metric, top, average
            As in `classex.accuracy_curve`; by default some 80 numbers of classes.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **options
            Passed to `from_curve`.

        Returns
        -------
        AccuracyCurveDisplay
        """
        sizes = _grid(as_ranks(ranks, sampled=True).largest_subset) if n_classes is None else n_classes
        curve = accuracy_curve(ranks, sizes, metric=metric, top=top, average=average)
        return cls.from_curve(curve, ax=ax, **{"ylabel": f"average {curve.metric}", **options})

    @classmethod
    def from_curve(
        cls,
        curve: AccuracyCurve,
        *,
        ax: Any = None,
        confidence_level: float = 0.95,
        name: str | None = None,
        ylabel: str = "average accuracy",
        **line: Any,
    ) -> AccuracyCurveDisplay:
        """Draw an observed curve alone.

        Parameters
        ----------
        curve : AccuracyCurve
            From `accuracy_curve` or `risk_curve`.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        confidence_level : float
            Level of the band.
        name : str, optional
            Name of the curve in the legend.
        ylabel : str
            Label of the vertical axis.
        **line
            Passed to matplotlib for the line.

        Returns
        -------
        AccuracyCurveDisplay
        """
        if not isinstance(curve, AccuracyCurve):
            raise TypeError(f"curve must be an AccuracyCurve, not {type(curve).__name__}")
        level = as_probability(confidence_level, "confidence_level", open_ends=True)
        return cls(observed=curve, confidence_level=level, name=name, ylabel=ylabel).plot(ax, **line)

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
            half = -ndtri((1 - self.confidence_level) / 2) * curve.standard_error
            low, high = np.maximum(curve.accuracy - half, 0.0), curve.accuracy + half
            ax.fill_between(curve.n_classes, low, high, color=drawn.get_color(), alpha=0.15, linewidth=0)
        if (k := self.n_classes) is not None:
            if self.accuracy is None:
                raise ValueError("n_classes and accuracy must be given together")
            (drawn,) = ax.plot(k, self.accuracy, **{"label": self.name, **line})
            self.lines_.append(drawn)
            if self.interval is not None:
                ax.fill_between(k, *self.interval.T, color=drawn.get_color(), alpha=0.15, linewidth=0)
            if self.marked is not None:
                at = np.searchsorted(k, self.marked)
                ax.plot(k[at], self.accuracy[at], linestyle="none", marker="o", color=drawn.get_color())
        ax.set(xscale="log", xlabel=self.xlabel, ylabel=self.ylabel)
        if ax.get_legend_handles_labels()[1]:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _grid(largest: float) -> NDArray[np.float64]:
    """Whole numbers from 2 to the largest, evenly in the logarithm."""
    return np.unique(np.geomspace(2.0, max(largest, 2.0), _MOST_POINTS).round())
