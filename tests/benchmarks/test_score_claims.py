"""The study of what scores claim: truth by counting, and what is stored."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from scipy import special

from benchmarks.score_claims import __main__ as study

# other tests run the same lines of the package, and the tracer would take a quarter more time
pytestmark = pytest.mark.no_cover


def test_truth_counts_wins() -> None:
    others = np.array([[1.0, 2.0, 2.0], [0.0, 5.0, 7.0]])
    found = special.ndtr(study.truth(np.array([2.0, 9.0]), others))
    np.testing.assert_allclose(found, [(1 + 1 + 0.5) / 4, 3.5 / 4])


def test_rows_sort_points_by_their_claims() -> None:
    claimed, true = np.repeat([0.5, 2.2], [20, 15]), np.concatenate([np.full(20, 0.4), np.full(15, 2.0)])
    rows = list(study.rows("system", 9, [(claimed[:10], true[:10]), (claimed[10:], true[10:])]))
    assert [row[:5] for row in rows] == [["system", 9, 0, 1, 20], ["system", 9, 2, 2.5, 15]]
    assert rows[1][5] == "2.200"
    assert rows[1][-1] == "2.000"


def test_claims_of_a_known_world_are_right() -> None:
    """Claims that 20,000 classes can check: means within .35, from 100 classes of moderate noise."""
    claimed, true = study.gaussian(0.2, 100, 0)
    inside = (claimed > 1) & (claimed < 3.5)
    assert inside.sum() > 20
    assert abs(claimed[inside].mean() - true[inside].mean()) < 0.35


def test_stored_claims() -> None:
    """Words run away beyond 5, where Gaussian classes stay right as far as 20,000 classes can tell."""
    with (study.HERE / "claims.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    words = [row for row in rows if row["system"] == "words tfidf" and row["k1"] == "100"]
    for row in words:
        excess = float(row["mean_claim"]) - float(row["truth_median"])
        assert (excess > 1.5) == (float(row["claimed_from"]) >= 5)
    most = special.ndtri((20_000 + 0.5) / 20_001)
    for row in rows:
        if row["system"].startswith("Gaussian") and float(row["claimed_to"]) <= 4:
            assert abs(float(row["mean_claim"]) - float(row["truth_mean"])) < 0.3
        if row["system"].startswith("Gaussian") and float(row["claimed_from"]) >= 5:
            assert float(row["truth_median"]) > most - 0.01
