"""By how much the default's intervals could be wider or narrower, and still hold the truth as often as they should.

For every quantity there is a range of factors of the half width, on the probit scale on which intervals are symmetric,
for which 92 to 98 in a hundred intervals hold the truth. Where the ranges of two quantities do not meet, no factor
serves both. ``multipliers.csv`` has these ranges for the default beyond what was observed, and for the accuracy in
every world of the suite (``benchmarks/suite``; without the recognisers that learn their features from the observed
classes, for which nothing holds).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.coverage_communities.tables import by_target
from benchmarks.suite import scoring

HEADER = ("kind", "case", "target", "runs", "least", "most")
BAND = (0.92, 0.98)
ACCURACY = "accuracy"
# the ends of the scale are nowhere on the probit scale
LEAST = 1e-9
FloatArray = NDArray[np.float64]
Rows = list[list[object]]


def factors(low: FloatArray, high: FloatArray, truth: FloatArray) -> FloatArray:
    """Factors of the half width, on the probit scale, with which intervals hold the truth .92 and .98 of the time."""
    below, above, true = (special.ndtri(np.clip(end, LEAST, 1 - LEAST)) for end in (low, high, truth))
    needed = np.abs(true - (below + above) / 2) / np.maximum((above - below) / 2, LEAST)
    found: FloatArray = np.quantile(needed, BAND)
    return found


def cell_rows(kind: str, name: str, targets: list[str], truths: FloatArray, ends: FloatArray) -> Rows:
    """One row a target, from ends as in ``tables.coverage_rows``."""
    return [
        [kind, name, target, len(ends), *(f"{x:.3f}" for x in factors(*found))]
        for target, found in zip(targets, by_target(truths, ends), strict=True)
    ]


def suite_rows() -> Rows:
    """One row a world of the suite: average accuracies beyond the observed classes."""
    truths, found = scoring.read_truths(scoring.HERE), dict[str, list[list[float]]]()
    for row in scoring.read(scoring.HERE / "intervals.csv"):
        place = (row["world"], row["recogniser"], int(row["K"]))
        if (row["method"], row["target"]) == ("ensemble", "average") and "own" not in row["recogniser"]:
            found.setdefault(row["world"], []).append([float(row["low"]), float(row["high"]), truths[place]])
    return [
        [ACCURACY, world, "average", len(rows), *(f"{x:.3f}" for x in factors(*np.array(rows).T))]
        for world, rows in found.items()
    ]
