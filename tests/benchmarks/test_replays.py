"""Every stored coverage study is what its code finds today: one cell of each is run again with the study's own seed."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from benchmarks.coverage_advantage import __main__ as advantage
from benchmarks.coverage_communities import __main__ as communities
from benchmarks.coverage_information import __main__ as information
from benchmarks.coverage_intervals import __main__ as intervals
from benchmarks.coverage_targets import __main__ as targets
from benchmarks.familiar_classes import __main__ as familiar
from benchmarks.sup_error import __main__ as sup_error
from classex_book import load_study

# other tests run the same lines of the package, and the tracer would take a quarter more time
pytestmark = pytest.mark.no_cover


def rows(study: str, **cell: object) -> list[dict[str, str]]:
    """Stored rows of one cell."""
    found = [row for row in load_study(study) if all(row[key] == str(value) for key, value in cell.items())]
    assert found, f"{study} holds no {cell}"
    return found


def test_coverage_of_the_three_targets():
    with (targets.HERE / "first.csv").open(encoding="utf-8") as file:
        stored = list(csv.DictReader(file))
    assert len(stored) == len(targets.MODELS) * len(targets.REPEATS) * targets.KEPT * len(targets.KINDS)
    name, r = "bivariate normal, rho .9", 5
    cell = [row for row in stored if (row["model"], row["n_repeats"]) == (name, str(r))]
    found = [targets.one(name, r, 2026, number) for number in range(targets.KEPT)]
    assert [int(row["covered"]) for row in cell] == [int(ok) for covered, _ in found for ok in covered]
    assert [float(row["width"]) for row in cell] == pytest.approx([w for _, width in found for w in width], abs=2e-8)
    # the first experiments belong to the table: their share lies within four standard errors of it
    for kind in targets.KINDS:
        (whole,) = rows("coverage_targets/coverage", model=name, n_repeats=r, target=kind)
        p = float(whole["coverage"])
        share = np.mean([int(row["covered"]) for row in cell if row["target"] == kind])
        assert abs(share - p) <= 4 * np.sqrt(p * (1 - p) / targets.KEPT) + 1e-9


def test_extrapolation_from_classes_that_the_features_know():
    k1, draw = 500, 3
    again = familiar.one(k1, draw)
    stored = rows("familiar_classes/curves", k1=k1, draw=draw)
    for row, found in zip(stored, again, strict=True):
        one = dict(zip(familiar.HEADER.split(","), map(str, found), strict=True))
        assert [row[key] for key in ("measured_on", "warned", "K")] == [one[k] for k in ("measured_on", "warned", "K")]
        for key in ("observed", "truth", "prediction", "low", "high"):
            # singular vectors come from random projections, whose last digits depend on the machine
            assert float(row[key]) == pytest.approx(float(one[key]), abs=5e-3)


@pytest.mark.parametrize("method", ["probit-normal", "mixture of ranks"])
def test_coverage_of_intervals(method):
    model, k1, r, batch = "bivariate normal, rho .9", 50, 1, 0
    cell = {"method": method, "model": model, "n_classes": str(k1), "n_repeats": str(r), "batch": str(batch)}
    stored = [row for row in intervals.read_counts() if cell.items() <= row.items()]
    assert len(stored) == len(intervals.RATIOS)
    again = intervals.run_batch(method, model, k1, r, batch, 1)
    header = intervals.COUNT_HEADER.split(",")
    for row, found in zip(stored, again, strict=True):
        one = dict(zip(header, map(str, found), strict=True))
        assert [row[key] for key in header[:9]] == [one[key] for key in header[:9]]
        for key in ("error", "square", "width"):
            # the stored ones come from a solver whose optimum was uncertain by a few 1e-5
            assert float(row[key]) == pytest.approx(float(one[key]), rel=1e-4, abs=1e-8)


def test_coverage_of_the_information_bound():
    (stored,) = rows("coverage_information/coverage", model="random code, 31 bits", n_classes=30)
    index = [(name, k1, r) for k1, r in information.DESIGNS for name in information.MODELS]
    place = index.index(("random code, 31 bits", 30, int(stored["n_repeats"])))
    again = information.study(*index[place], int(stored["simulations"]), 20_170_601 + place)
    assert [str(value) for value in again] == list(stored.values())


def test_coverage_of_the_advantage():
    (stored,) = rows("coverage_advantage/coverage", loss="zero_one", population="50/50", n=200, method="delta")
    place = [
        (loss, population.name) for loss, population in advantage.populations()
    ].index(("zero_one", "50/50"))  # fmt: skip
    again = advantage._cell(place, place, 200, "delta", int(stored["runs"]))
    assert [str(value) for value in again] == list(stored.values())


def test_largest_errors():
    name, k1, experiments = "bivariate normal, rho .7", 25, 40
    model, relatives = sup_error.MODELS[name]
    rules = sup_error.methods(model, relatives)
    truth, rng = np.asarray(model.average_accuracy(sup_error.TARGETS)), np.random.default_rng([2017, len(name), k1])
    worst: dict[str, list[float]] = {rule: [] for rule in ("right basis", "cubic polynomial", "probit-normal")}
    for _ in range(experiments):
        sample = model.sample(k1, rng=rng)
        ranks = sup_error.cx.correct_ranks(sample.scores, sample.labels)
        for rule, found in worst.items():
            found.append(float(np.abs(rules[rule](ranks) - truth).max()))
    for rule, found in worst.items():
        (stored,) = rows("sup_error/errors", model=name, k1=k1, method=rule)
        assert float(stored["sup_all"]) == pytest.approx(np.mean(found), abs=2e-6)
        assert int(stored["experiments"]) == experiments


def test_coverage_for_the_communities():
    kind, name = "rank metric", "observed"
    place, stored = communities.CELLS.index((kind, name)), rows("coverage_communities/coverage", kind=kind, case=name)
    runs = int(stored[0]["runs"])
    ends = [communities.chunk(kind, name, 2025 + place, part, communities.CHUNK) for part in range(runs // 50)]
    again = communities.summary(kind, name, np.concatenate(ends))
    assert [list(map(str, row)) for row in again] == [list(row.values()) for row in stored]
