"""Coverage of the communities' intervals: from ends to rows, and rows of other cells that stay."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage_communities import __main__ as study
from benchmarks.coverage_communities import tables

# other tests run the same lines of the package, and the tracer would take a quarter more time
pytestmark = pytest.mark.no_cover


def test_tables_of_ends():
    ends = np.array([[[0.1, 0.3]], [[0.3, 0.5]], [[0.2, 0.6]], [[0.0, 0.2]]])
    (row,) = tables.coverage_rows("kind", "case", ["mrr"], np.array([0.25]), ends)
    assert row[3:7] == ["0.25", 4, "0.5000", "0.2500"]
    assert row[7:] == ["0.2500", "0.2500", "0.2000"]


def test_rows_of_other_cells_stay(tmp_path):
    cells, header, file = [("a", "x"), ("b", "y")], ("kind", "case", "value"), tmp_path / "table.csv"
    tables.write(file, header, [["b", "y", 1], ["a", "x", 2]], cells, "made by hand")
    tables.write(file, header, [["b", "y", 3]], cells, "made by hand")
    assert file.read_text(encoding="utf-8").splitlines() == ["# made by hand", "kind,case,value", "a,x,2", "b,y,3"]


@pytest.mark.parametrize("name", ["probit-normal", "probit-normal, more for winners"])
def test_sampled_negatives_take_the_default_that_serves_them(name):
    ends = study.chunk("sampled negatives", name, 3, 0, 1)
    assert ends.shape == (1, len(study.SAMPLED), 2)
    assert ((ends[..., 0] < study.sampled_truth(name)) & (study.sampled_truth(name) < ends[..., 1])).all()
