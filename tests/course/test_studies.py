"""Stored studies in the package are those of the benchmarks, and those that pages show."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from classex_book import load_study
from classex_book.studies import study_names

ROOT = Path(__file__).parents[2]
STORED = ROOT / "src" / "classex_book" / "studies"


@pytest.mark.parametrize("name", study_names())
def test_a_stored_table_is_the_benchmark_s_own(name):
    made = (ROOT / "benchmarks" / f"{name}.csv").read_bytes()
    assert (STORED / f"{name}.csv").read_bytes() == made, "run scripts/store_studies.py"
    rows = load_study(name)
    assert rows
    assert all(None not in row and None not in row.values() for row in rows)


def test_the_package_holds_what_pages_show_and_nothing_else():
    script = runpy.run_path(str(ROOT / "scripts" / "store_studies.py"))
    assert script["shown"]() == set(study_names())


@pytest.mark.parametrize("name", ["", "faces", "faces/none", "../faces/rmse", "faces/rmse.csv"])
def test_an_unknown_study_is_named_with_those_there_are(name):
    with pytest.raises(ValueError, match=r"^name must be one of coverage_advantage/coverage, .*, not "):
        load_study(name)
