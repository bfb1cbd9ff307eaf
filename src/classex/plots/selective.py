"""Display of selective prediction: risk and prediction advantage against coverage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from classex._extras import needed_for

__all__ = ["SelectiveDisplay"]


@dataclass
class SelectiveDisplay:
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
    figure_: Any = field(default=None, init=False, repr=False)
    axes_: Any = field(default=None, init=False, repr=False)
    lines_: list[Any] = field(default_factory=list, init=False, repr=False)

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
        if ax is None:
            with needed_for("a figure"):
                import matplotlib.pyplot as plt

            _, ax = plt.subplots(2, 1, sharex=True, figsize=(6.4, 5.2))
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
