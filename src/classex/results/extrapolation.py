"""What `classex.extrapolate` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classex._extras import needed_for

if TYPE_CHECKING:
    from classex.distributions.distribution import Evidence
    from classex.extrapolator import Extrapolator
    from classex.intervals.reliance import Reliance
    from classex.plots.accuracy_curve import AccuracyCurveDisplay
    from classex.results import Estimate, LackOfFit

__all__ = ["ExtrapolationResult"]

FloatArray = NDArray[np.float64]

_WORDS = {
    "average": "the average over random sets of so many classes",
    "fresh": "one fresh set of so many classes",
    "superset": "one set of so many classes that holds the observed ones",
}


@dataclass(frozen=True)
class ExtrapolationResult:
    """Predicted accuracy, or another metric, for other numbers of classes, with its uncertainty.

    ``str()`` gives sentences and a table.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        Numbers of classes K.
    accuracy : ndarray of shape (n,)
        Predicted accuracy, a probability; or the mean of another function of the rank.
    interval : ndarray of shape (n, 2) or None
        Ends of its intervals; None without a target.
    standard_error : ndarray of shape (n,) or None
        Standard error of each prediction as an estimate of the average, without what a lack of fit adds.
    method : str
        Name of the method.
    observed : Estimate or None
        Accuracy with all observed classes, and its standard error; None if points met unequal numbers of sampled wrong
        labels.
    n_observed, n_points : int
        Numbers of observed classes (the sampled wrong labels and the correct one) and of test points.
    metric : str
        What is predicted: "accuracy" or another function of the rank.
    top : int
        A point counts as correct when its truth is among the `top` best labels.
    target : str or None
        What the intervals are for.
    confidence_level : float
        Their nominal coverage.
    evidence : Evidence
        Parameters and goodness of the fit.
    lack_of_fit : LackOfFit
        Distance of the fit from the observed accuracies.
    reliance : Reliance or None
        How much of the predictions the observed classes cannot show; None for other metrics and `top` above 1.
    departure : str or None
        What in the data contradicts the method's assumption, and how the intervals allow for it; None if nothing does,
        and for other methods than the default.
    estimator : Extrapolator
        The fitted estimator, for more.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.GaussianClasses(10, 0.2).sample(50, n_repeats=2, rng=0)
    >>> result = cx.extrapolate(
    ...     sample.scores,
    ...     sample.labels,
    ...     n_classes=[100, 5000],
    ...     method="probit-normal",
    ... )
    >>> result.method, result.accuracy.round(4), result.n_observed
    ('probit-normal', array([0.8086, 0.4024]), 50)
    """

    n_classes: FloatArray
    accuracy: FloatArray
    interval: FloatArray | None
    standard_error: FloatArray | None
    method: str
    observed: Estimate | None
    n_observed: int
    n_points: int
    metric: str
    top: int
    target: str | None
    confidence_level: float
    evidence: Evidence
    lack_of_fit: LackOfFit
    reliance: Reliance | None
    departure: str | None
    estimator: Extrapolator = field(repr=False)
    options: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        kind = self.metric if self.top == 1 else f"top-{self.top} accuracy"
        sampled, seen = self.estimator.ranks_.n_wrong, self.observed
        known = f"With {self.n_observed:,} classes and {self.n_points:,} test points the {kind}"
        if sampled is not None:
            few, many = int(sampled.min()), int(sampled.max())
            met = f"{few:,}" if few == many else f"{few:,} to {many:,}"
            known = f"For {self.n_points:,} test points, each against {met} sampled wrong labels, the {kind}"
        if seen is None:
            lines = [f"{known} is not averaged: numbers may have been chosen by the ranks."]
        else:
            lines = [f"{known} is {seen.value:.4f} (standard error {seen.standard_error:.4f})."]
        if self.interval is None:
            lines.append(f"By the method {self.method!r} it will be:")
        else:
            lines.append(
                f"By the method {self.method!r} it will be, with {100 * self.confidence_level:g} % intervals for"
                f" {_WORDS[self.target or 'average']}:"
            )
        notes = [] if self.departure is None or self.interval is None else ["", self.departure]
        notes += [] if self.reliance is None else ["", str(self.reliance)]
        return "\n".join([*lines, "", *self._rows(), *notes])

    def _rows(self) -> list[str]:
        """Lines of the table."""
        rows = [
            ["classes", self.metric if self.top == 1 else "accuracy"] + ([] if self.interval is None else ["interval"])
        ]
        for index, (k, accuracy) in enumerate(zip(self.n_classes, self.accuracy, strict=True)):
            cells = [f"{int(k):,}", _probability(accuracy)]
            if self.interval is not None:
                cells.append(" to ".join(_probability(end) for end in self.interval[index]))
            rows.append(cells)
        width = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return ["  ".join(cell.rjust(w) for cell, w in zip(row, width, strict=True)) for row in rows]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as numbers, strings and lists that JSON can hold.

        Returns
        -------
        dict
        """
        predictions: list[dict[str, Any]] = []
        for index, k in enumerate(self.n_classes):
            row: dict[str, Any] = {"n_classes": int(k), "accuracy": float(self.accuracy[index])}
            if self.interval is not None and self.standard_error is not None:
                row["standard_error"] = float(self.standard_error[index])
                row["interval"] = [float(end) for end in self.interval[index]]
            if self.reliance is not None:
                row["unseen"] = float(self.reliance.unseen[index])
                row["range"] = [float(self.reliance.low[index]), float(self.reliance.high[index])]
            predictions.append(row)
        fit, miss, seen = self.evidence, self.lack_of_fit, self.observed
        return {
            "method": self.method,
            "metric": self.metric,
            "top": self.top,
            "observed": {
                "n_classes": self.n_observed,
                "n_test_points": self.n_points,
                "accuracy": None if seen is None else float(seen.value),
                "standard_error": None if seen is None else _number(seen.standard_error),
            },
            "confidence_level": self.confidence_level if self.interval is not None else None,
            "target": self.target,
            "predictions": predictions,
            "evidence": {
                "parameters": {name: _number(value) for name, value in fit.parameters.items()},
                "n_parameters": float(fit.n_parameters),
                "log_likelihood": _number(fit.log_likelihood),
                "residual": _number(fit.residual),
            },
            "departure": self.departure,
            "lack_of_fit": {str(int(k)): _number(z) for k, z in zip(miss.n_classes, miss.z, strict=True)},
        }

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame, one row for each number of classes; pandas must be installed.

        Returns
        -------
        pandas.DataFrame
            With columns n_classes and accuracy, and, if there are intervals, standard_error, low and high.
        """
        with needed_for("to_frame"):
            pd = import_module("pandas")
        columns: dict[str, Any] = {"n_classes": self.n_classes.astype(np.int64), "accuracy": self.accuracy}
        if self.interval is not None:
            columns |= {"standard_error": self.standard_error, "low": self.interval[:, 0], "high": self.interval[:, 1]}
        return pd.DataFrame(columns)

    def plot(self, ax: Any = None, **line: Any) -> AccuracyCurveDisplay:
        """Draw the observed and the extrapolated curve, with its intervals, and mark the numbers of classes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line
            Passed to matplotlib for the extrapolated line.

        Returns
        -------
        AccuracyCurveDisplay
        """
        from classex.plots.accuracy_curve import AccuracyCurveDisplay

        return AccuracyCurveDisplay.from_estimator(
            self.estimator, self.n_classes, ax=ax, interval=self.interval is not None, **self.options, **line
        )


def _probability(value: float) -> str:
    return f"{value:.4f}" if value == 0 or value >= 0.001 else f"{value:.1e}"


def _number(value: float | None) -> float | None:
    """A number for JSON, which has no infinity."""
    return None if value is None or not np.isfinite(value) else float(value)
