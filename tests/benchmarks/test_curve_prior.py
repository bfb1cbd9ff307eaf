"""The study of the curves' prior: its posterior is the law's, learning climbs, and what is stored."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from scipy import special

from benchmarks.curve_prior import __main__ as study
from classex.laws import CurvePrior, fit_gaussian_process_curve


@pytest.fixture
def tasks():
    """Six tasks of two worlds whose curves are drawn from a known prior, three draws each, seen with a little noise."""
    truth = CurvePrior(normal=-0.8, wander=0.2, reach=0.7, level_sd=0.5)
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


def test_learning_makes_the_error_less(tasks) -> None:
    learnt, start = study.prior_of(study.learn(tasks)), study.prior_of(study.START)
    assert study.error(learnt, tasks) < study.error(start, tasks)
    row = study.row("one", tasks)
    assert row[0] == "one"
    assert len(row) == len(study.HEADER.split(","))
    every = study.row("", tasks)
    assert every[4] == every[5]


def test_error_against_a_slow_twin(tasks) -> None:
    """With loops over tasks, targets and draws; the truth lies within 1.96 deviations as often as counted."""
    prior, logs, inside = CurvePrior(), [], []
    for task in tasks:
        mean = study.posterior(prior, task)[0]
        narrow, cross = CurvePrior(wander=prior.spread), prior.covariance(task.sizes, task.targets)
        variance = np.empty_like(mean)
        for d in range(len(mean)):
            gain = np.linalg.solve(prior.covariance(task.sizes, task.sizes) + task.noise[d], cross)
            for j, target in enumerate(task.targets[:, np.newaxis]):
                every = np.concatenate([target, task.sizes])
                both, weights = narrow.covariance(every, every), np.concatenate([[1.0], -gain[:, j]])
                both[1:, 1:] += task.noise[d]
                variance[d, j] = weights @ both @ weights + study.LEAST_SPREAD**2
        for j in range(task.truth.size):
            squares = [(special.ndtr(mean[d, j]) - special.ndtr(task.truth[j])) ** 2 for d in range(len(mean))]
            logs.append(np.log(np.sqrt(sum(squares) / len(squares))))
            inside += [abs(mean[d, j] - task.truth[j]) < 1.96 * variance[d, j] ** 0.5 for d in range(len(mean))]
    assert study.error(prior, tasks) == pytest.approx(np.exp(sum(logs) / len(logs)), rel=1e-3)
    assert study.coverage(prior, tasks) == pytest.approx(sum(inside) / len(inside))


def test_stored_priors() -> None:
    """The rounded default is as good as the best for all worlds; a prior learnt without a world serves it nearly so."""
    with (study.HERE / "priors.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert [row["left_out"] for row in rows] == ["none", *study.WORLDS]
    assert float(rows[0]["default_error"]) < 1.02 * float(rows[0]["error"])
    for name in ("normal", "wander", "reach"):
        assert np.ptp([float(row[name]) for row in rows]) < 0.35
    for row in rows[1:]:
        # of the words a fifth are recognisers that learnt their features from the observed entries
        assert float(row["left_out_coverage"]) > (0.75 if row["left_out"] == "words" else 0.9)
        assert float(row["left_out_error"]) < 1.25 * float(row["default_error"])
