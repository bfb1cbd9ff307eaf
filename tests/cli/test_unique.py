"""``classex unique`` from the shell's side."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from classex.cli import main
from classex.fields.reidentification import population_risk


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch):
    monkeypatch.setattr(
        "classex.fields.reidentification.share_draws", lambda *_: (np.array([0.0045]), np.ones((1, 9, 1)))
    )


@pytest.fixture
def people(tmp_path):
    """Ages and occupations of sixty people, and an identifier; returns the file and the sizes of the cells."""
    rng = np.random.default_rng(0)
    rows = list(zip(rng.integers(30, 40, 60).tolist(), rng.choice(["cook", "nurse", ""], 60).tolist(), strict=True))
    file = tmp_path / "people.csv"
    lines = [f"{i},{age}, {work} " for i, (age, work) in enumerate(rows)]
    file.write_text("\n".join(["id,Age,occupation", *lines]) + "\n")
    return file, sorted(rows.count(row) for row in set(rows))


def test_a_table_of_people(people, capsys):
    file, sizes = people
    assert main(["unique", str(file), "--columns", "age", "occupation", "--to", "60", "500", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    with warnings.catch_warnings(action="ignore"):
        wanted = population_risk(sizes, n_people=[60, 500])
    np.testing.assert_allclose(found["value"], wanted.value)
    assert found["quantity"] == wanted.quantity.tolist()
    assert (found["command"], found["n_sample"], found["n_cells"]) == ("unique", 60, len(sizes))
    assert "column 'occupation' is empty in" in err


def test_one_column_and_the_level(people, capsys):
    file, _ = people
    command = ["unique", str(file), "--columns", "age", "--to", "500", "--confidence-level", "0.9"]
    assert main(command) == 0
    out, _ = capsys.readouterr()
    assert "A sample of 60 people has 10 cells." in out
    assert "90 % interval" in out


@pytest.mark.filterwarnings("ignore:beyond 60 people")
def test_an_identifier_is_no_attribute(people, capsys):
    file, _ = people
    assert main(["unique", str(file), "--to", "500"]) == 2
    assert "column 'id' differs in every row, as an identifier does" in capsys.readouterr().err
    assert main(["unique", str(file), "--columns", "id", "--to", "500"]) == 2
    assert "rows differ in id: if a row is a cell" in capsys.readouterr().err
    assert main(["unique", str(file), "--columns", "id", "--to", "500", "--count", "1"]) == 0


def test_a_missing_column(people, capsys):
    assert main(["unique", str(people[0]), "--columns", "sex", "--to", "500"]) == 2
    error = capsys.readouterr().err
    assert "must have one column 'sex', but its header is id, Age, occupation: for attributes of people," in error
    assert "classex unique --columns with these names" in error


@pytest.mark.parametrize(
    "command", [["extrapolate", "--to", "9"], ["pass-at-k", "--to", "2"], ["open-set"], ["advantage"]]
)
def test_other_commands_name_this_one(command, people, capsys):
    name, *options = command
    assert main([name, str(people[0]), *options]) == 2
    assert "for attributes of people, classex unique" in capsys.readouterr().err
