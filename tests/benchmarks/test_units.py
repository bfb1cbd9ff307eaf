"""Coverage where subjects differ: the first experiments of stored settings again."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import units
from classex_book import load_study

pytestmark = pytest.mark.no_cover


@pytest.mark.parametrize("cell", [("crossed", 0.35, 8, 100), ("nested", 0.35, 8, 25)])
def test_intervals_cover_the_population_of_subjects(cell, monkeypatch):
    """The first 50 of 300 experiments: coverage within three and a half standard errors of the stored one."""
    experiments = 50
    monkeypatch.setattr(units, "EXPERIMENTS", experiments)
    monkeypatch.setattr(units, "METHODS", ("gaussian-process",))
    names = units.HEADER.split(",")
    found = [dict(zip(names, map(str, row), strict=True)) for row in units.rows(*cell)]
    coverage = {(row["interval"], row["units"]): float(row["coverage"]) for row in found}
    for row in load_study(units.TABLE):
        key = row["interval"], row["units"]
        if tuple(row.values())[:4] != tuple(map(str, cell)) or key not in coverage:
            continue
        p = float(row["coverage"])
        assert abs(coverage[key] - p) < 3.5 * np.sqrt(p * (1 - p) / experiments), key
        if row["units"] == "yes":
            assert 0.9 <= p <= 0.98, key
            assert coverage[key] > coverage[key[0], "no"]
    assert coverage["accuracy_curve", "no"] < 0.75
