"""The adversarial study: its truths are true, its table is whole, and its stored cells are what the package does."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.adversarial import __main__ as study
from benchmarks.adversarial import accuracy, worlds

FUNCTIONS = {
    "accuracy_curve", "average_bayes_accuracy_bound", "classes_at_accuracy", "compare_implied_information",
    "confusion_information", "curve_test", "exchangeability_test", "extrapolate", "extrapolate_open_set",
    "generalisation_accuracy_bound", "implied_information", "information_confidence_bound", "open_set_curve",
    "pass_at_k", "permutation_test", "prediction_advantage_interval", "random_effects", "risk_curve",
}  # fmt: skip
CHEAP = r"^own \| (accuracy_curve \| hub \.2|open_set_curve \| 2 % always fail|random_effects \| t3)"


@pytest.mark.parametrize("name", ["before.csv", "after.csv"])
def test_the_stored_tables_hold_every_setting_of_every_function(name):
    assert {cell.function for cell in study.CELLS} == FUNCTIONS
    settings = [(cell.source, cell.function, cell.name, setting) for cell in study.CELLS for setting in cell.settings]
    assert len(settings) == len(set(settings))
    assert set(study.read(study.HERE / name)) == set(settings)


@pytest.mark.no_cover  # other tests run the same lines of the package
@pytest.mark.parametrize("cell", study.find(CHEAP), ids=lambda cell: cell.function)
def test_a_stored_cell_is_found_again(cell):
    stored = study.read(study.HERE / "after.csv")
    first = stored[cell.source, cell.function, cell.name, cell.settings[0]]
    draws = int(first["draws"])
    for again in study.summary(cell, study.experiments(cell, draws)):
        found = dict(zip(study.HEADER, again, strict=True))
        row = stored[cell.source, cell.function, cell.name, found["setting"]]
        for key in ("coverage", "refused"):
            assert draws * float(row[key]) == pytest.approx(draws * float(found[key]), abs=2.1)
        assert float(row["median_width"]) == pytest.approx(float(found["median_width"]), rel=0.02)


@pytest.mark.parametrize(
    "base",
    [
        accuracy.GROUPS,
        accuracy.TWO_KINDS,
        worlds.twins(20),
        worlds.ties(0.02, 0.2),
        worlds.world(worlds.bim(0.9), hub=0.02),
    ],
    ids=["groups", "two kinds", "twins", "ties", "hubs"],
)
def test_the_truth_of_a_world_is_the_mean_of_its_draws(base):
    rng, k, found = np.random.default_rng(1), 12, []
    for _ in range(600):
        scores, _ = worlds.outcomes(rng, base, k, 2)
        found.append(((scores.max(axis=1) <= 0) / (scores == 0).sum(axis=1)).mean())  # ties are broken at random
    assert abs(np.mean(found) - base.accuracy(np.array([k]))[0]) < 4 * np.std(found) / np.sqrt(600)


def test_a_refusal_is_no_coverage_and_a_failure_is_listed(tmp_path):
    def draw(rng):
        if rng.random() < 0.5:
            raise ValueError("no answer")
        return np.array([[0.5, 0.6, 0.7]])

    cell = study.Cell("own", "function", "never covers", ("one",), draw, 40)
    (row,) = study.summary(cell, study.experiments(cell, 40))
    found = dict(zip(study.HEADER, row, strict=True))
    assert float(found["coverage"]) == 0
    assert 0.2 < float(found["refused"]) < 0.8
    path = tmp_path / "one.csv"
    path.write_text(",".join(study.HEADER) + "\n" + ",".join(row) + "\n", encoding="utf-8")
    report = study.compare(path, path)
    assert "1 of 1 rows fail (1 of them own)" in report
    assert "**0**" in report
