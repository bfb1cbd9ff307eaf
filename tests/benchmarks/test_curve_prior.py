"""The study of the curves' prior: its posterior is the law's, learning climbs, and what is stored."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from benchmarks.curve_prior import __main__ as study
from classex.laws import CurvePrior, fit_gaussian_process_curve


@pytest.fixture
def tasks():
    """Six tasks of two worlds whose curves are drawn from a known prior, three draws each, seen with a little noise."""
    truth = CurvePrior(slope=-0.7, slope_sd=0.1, normal=-0.3, normal_sd=0.1, wander=0.1, level_sd=0.5)
    rng = np.random.default_rng(0)
    sizes, targets = np.geomspace(2, 200, 6), np.array([1e3, 1e4])
    every = np.concatenate([sizes, targets])
    root = np.linalg.cholesky(truth.covariance(every, every) + 1e-10 * np.eye(8))
    noise = 1e-4 * np.eye(6)
    out = []
    for world in ("one", "other"):
        for _ in range(3):
            curve = truth.mean(every) + root @ rng.normal(size=8)
            seen = curve[:6] + 0.01 * rng.normal(size=(3, 6))
            out.append(study.Task(world, sizes, seen, np.array([noise] * 3), targets, curve[6:]))
    return out


def test_posterior_is_that_of_the_law() -> None:
    law = fit_gaussian_process_curve([5, 40, 300], [0.9, 0.7, 0.4], 200)
    targets = np.array([1_000.0, 50_000.0])
    task = study.Task("w", law.sizes, np.array([law.probit] * 2), np.array([law.noise] * 2), targets, np.zeros(2))
    mean, variance = study.posterior(law.prior, task)
    expected = law.posterior(targets)
    for draw in range(2):
        np.testing.assert_allclose(mean[draw], expected[0], rtol=1e-8)
        np.testing.assert_allclose(variance[draw], expected[1] + study.LEAST_SPREAD**2, rtol=1e-8)


def test_learning_raises_the_density_of_the_truth(tasks) -> None:
    place = study.learn(tasks)
    learnt, start = study.prior_of(place), study.prior_of(study.START)
    assert study.log_density(learnt, tasks) > study.log_density(start, tasks)
    row = study.row("one", tasks)
    assert row[0] == "one"
    assert len(row) == len(study.HEADER.split(","))
    assert study.row("", tasks[:3])[7:] == [""] * 6


def test_stored_priors() -> None:
    """Every prior learnt without a world covers that world's truth, and so does the default, nearly as closely."""
    with (study.HERE / "priors.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert [row["left_out"] for row in rows] == ["none", *study.WORLDS]
    for row in rows[1:]:
        assert float(row["left_out_coverage"]) > 0.8
        assert float(row["default_coverage"]) > 0.7
        assert float(row["default_rmse"]) < 2 * float(row["left_out_rmse"])
    slopes = np.array([float(row["slope"]) for row in rows])
    assert np.ptp(slopes) < 0.3
