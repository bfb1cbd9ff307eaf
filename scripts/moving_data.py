"""Write the data of the figures that the reader moves: the curve of 100 Korean syllables, and that of all 2,350.

Run as ``python scripts/moving_data.py`` from the root of the sources. The curve of the first page's 500 words is
written by ``scripts/explorer_examples.py``.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import classex as cx
from classex.curves.accuracy import accuracy_covariance
from classex_book.data import load_hangul

OUT = Path(__file__).parents[1] / "book" / "_static" / "moving" / "prior_data.js"
SIZES = np.array([2.0, 5.0, 15.0, 40.0, 100.0])  # few enough to drag: with all sizes the prediction moves by .001
DIGITS = 9  # other processors may differ in later ones


def syllables() -> dict[str, object]:
    """Accuracies with up to 100 syllables and their covariance, as on the page, and the true curve."""
    data = load_hangul()
    n, n_fonts = data.test.shape[:2]
    points, references = data.test.reshape(n * n_fonts, -1).astype(float), data.train.mean(axis=1).reshape(n, -1)
    labels = np.repeat(np.arange(n), n_fonts)
    population = cx.correct_ranks_from_embeddings(points, references.astype(float), labels)
    grid = np.unique(np.geomspace(2, n, 60).round())
    chosen = np.sort(np.random.default_rng(1).choice(n, 100, replace=False))
    rows = np.isin(labels, chosen)
    ranks = cx.correct_ranks_from_embeddings(
        points[rows], references[chosen].astype(float), np.searchsorted(chosen, labels[rows])
    )
    return {
        "sizes": SIZES.astype(int).tolist(),
        "value": cx.accuracy_curve(ranks, SIZES).accuracy.round(DIGITS).tolist(),
        "covariance": accuracy_covariance(ranks, SIZES).round(DIGITS + 4).tolist(),
        "nUnits": ranks.n_tested,
        "nPoints": ranks.n_points,
        "grid": grid.astype(int).tolist(),
        "truth": cx.accuracy_curve(population, grid, standard_errors=False).accuracy.round(DIGITS).tolist(),
    }


def as_script(data: dict[str, object]) -> str:
    """Return the text of the script."""
    return (
        "// Written by scripts/moving_data.py: accuracies with 100 of 2,350 Korean syllables, and with all.\n"
        f"Object.assign((window.classexMoving ??= {{}}), {{ syllables: {json.dumps(data)} }});\n"
    )


if __name__ == "__main__":
    OUT.write_text(as_script(syllables()), encoding="utf-8")
