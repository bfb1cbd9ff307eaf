"""Display of selective prediction: risk and prediction advantage against coverage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classex._extras import needed_for
from classex.advantage import area_under, selective_curve
from classex.results import SelectiveCurve

__all__ = ["SelectiveDisplay"]


@dataclass
class SelectiveDisplay:
    """Risk-coverage curve above, advantage-coverage curve below, on one coverage axis.

    Create it with `from_predictions`, or from a `SelectiveCurve`, and call `plot` to draw (again).

    Parameters
    ----------
    curve : SelectiveCurve
        From `selective_curve`.
    name : str, optional
        What the legend calls the predictor.

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
    >>> from classex.plots.selective import SelectiveDisplay
    >>> display = SelectiveDisplay.from_predictions(
    ...     [0, 1, 0, 1], [0, 1, 1, 1], [0.9, 0.8, 0.5, 0.7]
    ... )
    >>> display.axes_[1].get_ylabel()
    'prediction advantage'
    """

    curve: SelectiveCurve
    name: str | None = None
    figure_: Any = field(default=None, init=False, repr=False)
    axes_: Any = field(default=None, init=False, repr=False)
    lines_: list[Any] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        confidence: ArrayLike,
        *,
        axes: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> SelectiveDisplay:
        """Compute the curve and draw it.

        Parameters
        ----------
        y_true, y_pred, confidence
            As in `selective_curve`.
        axes : sequence of two matplotlib Axes, optional
            Where to draw; a new figure by default.
        name : str, optional
            What the legend calls the predictor.
        **options
            Passed to `selective_curve`: `loss`, `coverage`, `sample_weight`, `labels`, `quantile`.

        Returns
        -------
        SelectiveDisplay
        """
        return cls(selective_curve(y_true, y_pred, confidence, **options), name).plot(axes)

    def plot(self, axes: Any = None, **line: Any) -> SelectiveDisplay:
        """Draw the curves.

        Parameters
        ----------
        axes : sequence of two matplotlib Axes, optional
            The axes of risk and of advantage; a new figure by default.
        **line
            Passed to matplotlib for the predictor's two curves.

        Returns
        -------
        SelectiveDisplay
            Itself, with `figure_` and `axes_`.
        """
        if axes is None:
            with needed_for("a figure"):
                import matplotlib.pyplot as plt

            _, axes = plt.subplots(2, 1, sharex=True, figsize=(6.4, 5.2))
        if np.size(axes) != 2:
            raise ValueError(f"axes must be two matplotlib axes, for the risk and the advantage, not {np.size(axes)}")
        risk, advantage = np.ravel(axes)
        who = self.name or "predictor"
        curve = self.curve
        (drawn,) = risk.plot(curve.coverage, curve.risk, **{"label": f"{who} (area {area_under(curve):.3f})", **line})
        risk.plot(curve.coverage, curve.marginal_risk, color=drawn.get_color(), linestyle=":", linewidth=1.2,
                  label="best constant on the rows it accepts")  # fmt: skip
        risk.set_ylabel("risk")
        risk.set_ylim(bottom=0)
        risk.legend()
        defined = curve.marginal_risk > 0
        area = f" (area {area_under(curve, 'advantage'):.3f})" if defined.any() else ""
        (below,) = advantage.plot(
            curve.coverage[defined],
            curve.advantage[defined],
            **{"label": who + area, "color": drawn.get_color(), "linestyle": drawn.get_linestyle(), **line},
        )
        advantage.set(xlabel="coverage", ylabel="prediction advantage", xlim=(0, 1))
        advantage.legend()
        self.figure_, self.axes_, self.lines_ = risk.figure, np.array([risk, advantage]), [drawn, below]
        return self
