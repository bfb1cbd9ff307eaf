"""The adversarial study: its truths are true, and a failure is listed."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.adversarial import __main__ as study
from benchmarks.adversarial import accuracy, worlds
from benchmarks.study import write


@pytest.mark.parametrize(
    "base",
    [
        accuracy.GROUPS,
        accuracy.TWO_KINDS,
        worlds.twins(20),
        worlds.ties(0.02, 0.2),
        worlds.pairs(20),
        worlds.luce(0.05),
        worlds.label_biases(2, 4),
        worlds.gaussian_classes(2, 0.2),
        worlds.world(worlds.bim(0.9), hub=0.02),
    ],
    ids=["groups", "two kinds", "twins", "ties", "pairs", "Luce", "label biases", "Gaussian", "hubs"],
)
def test_the_truth_of_a_world_is_the_mean_of_its_draws(base):
    rng, k, found = np.random.default_rng(1), 12, []
    for _ in range(600):
        scores, _ = worlds.outcomes(rng, base, k, 2)
        found.append(((scores.max(axis=1) <= 0) / (scores == 0).sum(axis=1)).mean())  # ties are broken at random
    assert abs(np.mean(found) - base.accuracy(np.array([k]))[0]) < 4 * np.std(found) / np.sqrt(600)


def test_a_small_miss_is_counted_apart():
    found = np.array([[[0.9, 0.904, 1]], [[0.9, 0.906, 1]], [[0.9, 0.8, 1]], [[0.9, 0.8, 0.896]]])
    for function, near in (("extrapolate", "0.7500"), ("classes_at_accuracy", "")):
        (row,) = study.summary(study.Cell("own", function, "cell", ("one",), lambda _: found[0], 4), found)
        assert dict(zip(study.HEADER, row, strict=True))["coverage"] == "0.2500"
        assert row[-1] == near


def test_some_cells_are_chosen_by_their_keys():
    some = [study.CELLS[number].key for number in study.chosen(["D | extrapolate |", "classes_at_accuracy"])]
    assert 10 < len(some) < len(study.CELLS) == len(study.chosen([]))
    assert all("D | extrapolate |" in key or "classes_at_accuracy" in key for key in some)


def test_a_refusal_is_no_coverage_and_a_failure_is_listed(tmp_path, monkeypatch):
    def draw(rng):
        if rng.random() < 0.5:
            raise ValueError("no answer")
        return np.array([[0.5, 0.6, 0.7]])

    cell = study.Cell("own", "function", "never covers", ("one",), draw, 40)
    (row,) = study.summary(cell, study.experiments(cell))
    found = dict(zip(study.HEADER, row, strict=True))
    assert float(found["coverage"]) == 0
    assert 0.2 < float(found["refused"]) < 0.8
    monkeypatch.setattr(study, "HERE", tmp_path)
    write(tmp_path / "one.csv", "command", ",".join(study.HEADER), [row])
    report = study.compare("one", "one")
    assert "1 of 1 rows fail (1 of them own)" in report
    assert "**0**" in report
