"""The default with and without its law of scores on real recognisers that are no task of the suite.

``python -m benchmarks.suite.believed`` writes ``believed.csv``. The recognisers of glyphs whose features are fixed are
observed with 200 classes and extrapolated to 400. For each it has the mean dispersion of the highest wrong scores, the
mean weight of the law of scores, and the root mean squared errors with that law and without it, over draws.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import classex as cx
from benchmarks.suite import cells, scoring
from classex.laws import ENSEMBLE_WEIGHTS, fit_ensemble, tail_dispersion

TARGET = Path(__file__).parent / "believed.csv"
COMMAND = "python -m benchmarks.suite.believed"
HEADER = "world,recogniser,k1,K,draws,dispersion,weight,rmse,rmse_without"
WORLD, K1, K = "glyphs", 200, 400
# draws that the tasks have not
FIRST, DRAWS = 1_000, 40


def one(recogniser: str, draw: int) -> list[float]:
    """Dispersion, weight of the law of scores, and the errors with and without it."""
    scores, labels = cells.world_of(WORLD).draw(recogniser, K1, FIRST + draw)
    ranks = cx.correct_ranks(scores, labels)
    truth = scoring.read_truths(scoring.HERE)[WORLD, recogniser, K]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lack of fit
        laws = [fit_ensemble(ranks, scores, weights=weights) for weights in (None, ENSEMBLE_WEIGHTS)]
    errors = [float(law.accuracy(np.array([float(K)]))[0]) - truth for law in laws]
    found = tail_dispersion(scores, labels)
    weight = 1 - sum(laws[0].evidence.parameters[name] for name in ENSEMBLE_WEIGHTS)
    return [np.nan if found is None else found, weight, *errors]


def row(recogniser: str, found: np.ndarray[Any, Any]) -> list[Any]:
    """Means and root mean squares over draws."""
    dispersion, weight = np.nanmean(found[:, :2], axis=0)
    errors = [scoring.rmse(found[:, column])[0] for column in (2, 3)]
    return [WORLD, recogniser, K1, K, len(found), *(f"{x:.4f}" for x in (dispersion, max(weight, 0.0), *errors))]


def main() -> int:
    """Write the table."""
    names = [name for name, marginal in cells.world_of(WORLD).recognisers.items() if marginal]
    every = [(name, draw) for name in names for draw in range(DRAWS)]
    found = np.reshape(Parallel(2)(delayed(one)(*each) for each in every), (len(names), DRAWS, -1))
    scoring.write(TARGET, HEADER, [row(*each) for each in zip(names, found, strict=True)], COMMAND)
    return 0


if __name__ == "__main__":
    sys.exit(main())
