"""The nearest-neighbour comparator of the known-information study, the study itself, and its stored table."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.special import digamma

from benchmarks.known_information import __main__ as study
from benchmarks.known_information.nearest_neighbours import nearest_neighbour_information
from classex.models import GaussianSequence

STORED = Path(__file__).parents[2] / "benchmarks" / "known_information" / "estimates.csv"


def plain(x, y, k):
    """The estimator, pair by pair."""
    x, y = x / x.std(axis=0), y / y.std(axis=0)
    total = 0.0
    for i in range(len(x)):
        dx, dy = np.abs(x - x[i]).max(axis=1), np.abs(y - y[i]).max(axis=1)
        both = np.maximum(dx, dy)
        both[i] = np.inf
        reach = np.sort(both)[k - 1]
        total += digamma((dx < reach).sum()) + digamma((dy < reach).sum())
    return digamma(k) + digamma(len(x)) - total / len(x)


@pytest.mark.parametrize("k", [1, 3])
def test_nearest_neighbours_match_the_definition(k):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    y = np.column_stack([x[:, 0] + rng.normal(size=80), rng.normal(size=80), x[:, 1]])
    assert nearest_neighbour_information(x, y, neighbours=k) == pytest.approx(plain(x, y, k), abs=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.9])
def test_nearest_neighbours_meet_the_gaussian_truth(rho):
    rng = np.random.default_rng(1)
    values = []
    for _ in range(12):
        x = rng.normal(size=(800, 1))
        y = rho * x + np.sqrt(1 - rho**2) * rng.normal(size=(800, 1))
        values.append(nearest_neighbour_information(x, y))
    error = np.std(values, ddof=1) / np.sqrt(12)
    assert abs(np.mean(values) + 0.5 * np.log(1 - rho**2)) < 4 * error + 0.01


def test_nearest_neighbours_agree_with_scikit_learn_in_one_dimension():
    from sklearn.feature_selection import mutual_info_regression

    rng = np.random.default_rng(2)
    x = rng.normal(size=(300, 1))
    y = 0.8 * x[:, 0] + 0.6 * rng.normal(size=300)
    theirs = mutual_info_regression(x, y, n_neighbors=3, random_state=0)[0]
    assert nearest_neighbour_information(x, y[:, np.newaxis]) == pytest.approx(theirs, abs=1e-6)


def test_models_have_the_information_they_were_asked_for():
    for d, nats in ((5, 0.5), (200, 6.0)):
        assert study.gaussian(d, nats).information() == pytest.approx(nats, rel=1e-12)
    assert study.logistic(50, 2.0).information() == pytest.approx(2.0, rel=1e-8)
    assert isinstance(study.gaussian(5, 1.0), GaussianSequence)


def test_the_study_reports_what_it_finds():
    name, d, truth, draw = study.cells()[0]
    rows = study.study(name, d, truth, draw, 3, 0)
    assert [row[3] for row in rows] == ["likelihood", "least squares", "lower bound", "nearest neighbours"]
    found = [study.estimates(draw(rng), truth)["likelihood"][0] for rng in [np.random.default_rng(0)] for _ in range(3)]
    assert float(rows[0][5]) == pytest.approx(np.mean(found), abs=1e-4)
    assert float(rows[0][6]) == pytest.approx(np.mean(found) - truth, abs=1e-4)
    assert float(rows[0][7]) == pytest.approx(np.sqrt(np.mean((np.array(found) - truth) ** 2)), abs=1e-4)


def test_the_stored_table_is_complete_and_sane():
    with STORED.open(encoding="utf-8") as file:
        assert file.readline().startswith("# python -m benchmarks.known_information --simulations ")
        rows = list(csv.DictReader(file))
    gaussian = [row for row in rows if row["model"] == "Gaussian sequence"]
    assert {int(row["dimension"]) for row in gaussian} == set(study.DIMENSIONS)
    assert {float(row["information"]) for row in gaussian} == set(study.INFORMATION)
    for row in rows:
        assert float(row["bias"]) == pytest.approx(float(row["mean"]) - float(row["information"]), abs=2e-4)
        if row["estimator"] == "lower bound":
            assert float(row["coverage"]) >= 0.9
    # in 200 dimensions the implied information is nearly unbiased at 1 nat
    best = [row for row in gaussian if row["dimension"] == "200" and row["estimator"] == "likelihood"]
    assert abs(float(best[1]["bias"])) < 0.1
