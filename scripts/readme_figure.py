"""Draw the figure of the README: a classifier tested on 100 classes, extrapolated to 100,000, and the truth.

Run as ``python scripts/readme_figure.py`` from the root of the sources.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import classex as cx
from classex.models import GaussianClasses
from classex_book.figures import EXTRAPOLATED, OBSERVED, TRUTH, band, theme

OUT = Path(__file__).parents[1] / "book" / "_static" / "extrapolation.svg"
SIZES = np.unique(np.geomspace(2, 100_000, 80).round().astype(int))
N_TESTED = 100


def curves() -> tuple[cx.Extrapolator, np.ndarray]:
    """Fit the default to a test on 100 classes with 10 points each, and the true accuracy at every size."""
    model = GaussianClasses(n_features=10, noise=0.2)
    test = model.sample(N_TESTED, n_repeats=10, rng=0)
    return cx.Extrapolator().fit(test.scores, test.labels), model.average_accuracy(SIZES)


def draw(path: Path) -> None:
    """Write the figure as SVG, the same at every run."""
    fit, truth = curves()
    observed = cx.accuracy_curve(fit.ranks_)
    with theme("light"):
        fig, ax = plt.subplots(figsize=(7.2, 3.8))
        band(ax, SIZES, fit.predict_interval(SIZES), label="95 % interval")
        ax.plot(SIZES, fit.predict(SIZES), label="extrapolated", **EXTRAPOLATED)
        ax.plot(SIZES, truth, label="truth", **TRUTH)
        ax.plot(observed.n_classes[1:], observed.accuracy[1:], linewidth=3, label="tested", **OBSERVED)
        ax.axvline(N_TESTED, color="0.4", linewidth=0.8, linestyle=":")
        ax.annotate("100 classes tested", (N_TESTED, 0.04), (7, 0), textcoords="offset points", color="0.3")
        ax.set(xscale="log", xlabel="number of classes", ylabel="average accuracy", ylim=(0, 1), xlim=(2, 100_000))
        ax.legend(loc="upper right")
        fig.savefig(path, metadata={"Date": None}, transparent=False, facecolor="white")
        plt.close(fig)


if __name__ == "__main__":
    draw(OUT)
