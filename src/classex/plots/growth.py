"""Display of a prediction against the share of near rivals among the new classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from classex._extras import needed_for
from classex.results import GrowthSensitivity

__all__ = ["GrowthSensitivityDisplay"]


@dataclass
class GrowthSensitivityDisplay:
    """Predicted accuracy and its interval against the share of near rivals.

    Parameters
    ----------
    curve : GrowthSensitivity
        From `classex.extrapolate` with ``groups``.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.results import GrowthSensitivity
    >>> ends = np.array([[0.5, 0.7], [0.2, 0.4]])
    >>> curve = GrowthSensitivity(
    ...     np.array([0, 1]), np.array([0.6, 0.3]), ends, 900, 0.1, 0.95
    ... )
    >>> curve.plot().ax_.get_ylabel()
    'accuracy with 900 classes'
    """

    curve: GrowthSensitivity
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    def plot(self, ax: Any = None, **line: Any) -> GrowthSensitivityDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line
            Passed to matplotlib for the line.

        Returns
        -------
        GrowthSensitivityDisplay
            Itself, with `ax_` and `figure_`.
        """
        if ax is None:
            with needed_for("a figure"):
                import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        curve = self.curve
        (drawn,) = ax.plot(curve.near_share, curve.accuracy, **line)
        ax.fill_between(curve.near_share, *curve.interval.T, color=drawn.get_color(), alpha=0.2, linewidth=0)
        ax.axvline(curve.random_share, color="0.5", linestyle=":", label="growth at random")
        ax.set(xlabel="share of near rivals among new classes", ylabel=f"accuracy with {curve.n_classes:,} classes")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
