"""The stored coverage study: it keeps its promise, and its commands still make it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def study():
    """The study's module; benchmarks are no part of the package, so the path is extended for its import."""
    sys.path.insert(0, str(ROOT))
    try:
        from benchmarks.coverage_bounds import __main__ as module
    finally:
        sys.path.remove(str(ROOT))
    return module


@pytest.fixture(scope="module")
def stored():
    path = ROOT / "benchmarks" / "coverage_bounds" / "coverage.csv"
    return np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding="utf-8")


def test_no_bound_falls_short_of_its_level(stored):
    """Three binomial standard errors at the nominal level."""
    error = np.sqrt(stored["level"] * (1 - stored["level"]) / stored["experiments"])
    assert stored["experiments"].min() >= 2000
    assert (stored["coverage"] >= stored["level"] - 3 * error).all()


def test_sharper_bounds_lie_closer_to_the_truth(stored):
    average = stored[stored["target"] == "average Bayes"]
    distance = {
        m: (average["mean_truth"] - average["mean_bound"])[average["method"] == m].mean()
        for m in ("chernoff", "joint", "split", "thesis")
    }
    assert distance["chernoff"] < distance["joint"] < distance["split"] < distance["thesis"]


def test_the_stored_rows_come_from_the_stored_command(study, stored):
    """Draw the first cell of one model again, with the study's own seed, and count one bound."""
    name = "partly identifiable (.5)"
    source = study.MODELS[name]
    rng = np.random.default_rng([study.SEED, list(study.MODELS).index(name)])
    right = np.array([source.draw(10, rng)[2][1] for _ in range(study.EXPERIMENTS)])
    bound = study.bounds("average Bayes", "joint", 0.8, right, 10, 5)
    row = stored[
        (stored["model"] == name) & (stored["n_classes"] == 10) & (stored["n_repeats"] == 5)
        & (stored["method"] == "joint") & (stored["level"] == 0.8)
    ]  # fmt: skip
    assert row.size == 1
    assert (bound <= source.truth(10) + 1e-12).mean() == pytest.approx(row["coverage"][0], abs=1e-6)
    assert bound.mean() == pytest.approx(row["mean_bound"][0], rel=1e-5)


def test_accuracies_in_the_plane_against_simulation(study):
    """z = 4 for each class, with the rule that knows the means and with stored examples."""
    rng = np.random.default_rng(3)
    mean = rng.standard_normal((6, 2))
    for stored_points in (mean, mean + 0.2 * rng.standard_normal((6, 2))):
        exact = study.plane_accuracies(mean, stored_points, 0.4, 0.05)
        points = mean[:, np.newaxis] + 0.4 * rng.standard_normal((6, 20_000, 2))
        nearest = np.square(points[:, :, np.newaxis] - stored_points).sum(axis=-1).argmin(axis=-1)
        counted = (nearest == np.arange(6)[:, np.newaxis]).mean(axis=1)
        assert (np.abs(counted - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000) + 2e-3).all()
