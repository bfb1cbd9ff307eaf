"""Marking of a returned notebook: right, wrong, missing, and what goes wrong with the code itself."""

from __future__ import annotations

import csv

import nbformat
import pytest

from classex.cli import main
from classex_book import mark_notebook
from classex_book.course.papers import WORDS_HERE

SETUP = "import numpy as np\n\nfrom classex_book import check, quiz"
CELLS = {
    "exr-ch1-wins": 'answer = np.array([3, 2.5, 2]) / 5\ncheck("exr-ch1-wins", answer)',
    "exr-ch1-ties": "answer = [1, 1 / 2]\ncheck('exr-ch1-ties', answer)",
    "exr-ch1-three-points": '# your solution here\nraise NotImplementedError\ncheck("exr-ch1-three-points", answer)',
    "exr-ch1-budget": 'print(1 / 0)\ncheck("exr-ch1-budget", 1)',
    "exr-ch1-copies": 'import time\nwhile True:\n    time.sleep(1)\ncheck("exr-ch1-copies", 1)',
    "exr-ch1-every-subset": 'raise SystemExit(3)\ncheck("exr-ch1-every-subset", 1)',
    "exr-ch1-marginal": 'import os\nos._exit(0)\ncheck("exr-ch1-marginal", 1)',
    "exr-ch1-most-codewords": 'print(late)\ncheck("exr-ch1-most-codewords", answer)',
}


def write(path, cells):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbformat.write(notebook, path)
    return path


@pytest.fixture(scope="module")
def marks(tmp_path_factory):
    path = write(tmp_path_factory.mktemp("returned") / "returned.ipynb", ["answer = 0", SETUP, *CELLS.values()])
    return {mark.exercise: mark for mark in mark_notebook(path, time_limit=3)}


def test_a_lab_is_marked_for_its_own_tasks(tmp_path):
    cells = ["from classex_book import load_study", SETUP]
    cells += ['answer = np.log([1.5, 2, 5 / 3]) / 2\ncheck("exr-labs-two-voxels", answer)']
    cells += ['raise NotImplementedError\ncheck("exr-labs-pooled", answer)']
    marks = mark_notebook(write(tmp_path / "lab.ipynb", cells), time_limit=30)
    assert [(mark.exercise, mark.passed) for mark in marks] == [
        ("exr-labs-two-voxels", True),
        ("exr-labs-pooled", False),
    ]


def test_a_proof_waits_for_a_reader(tmp_path, capsys):
    path = write(tmp_path / "ada.ipynb", [SETUP, CELLS["exr-ch1-wins"]])
    notebook = nbformat.read(path, as_version=4)
    for name, text in (("exr-ch1-decreasing", "Each term falls."), ("exr-ch1-curve-knows", WORDS_HERE)):
        notebook.cells.append(nbformat.v4.new_markdown_cell(text, metadata={"classex": {"exercise": name}}))
    notebook.metadata["classex"] = {"exercises": ["exr-ch1-wins"]}
    nbformat.write(notebook, path)
    assert main(["mark", str(path), "--gradebook", str(tmp_path / "g.csv")]) == 0
    assert capsys.readouterr().out.count("by hand") == 2
    with (tmp_path / "g.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["exercises"], first["exr-ch1-decreasing"], first["exr-ch1-curve-knows"]) == ("1", "3", "3")
    assert (second["exercises"], second["exr-ch1-decreasing"]) == ("1", "")
    words = [mark.message for mark in mark_notebook(path) if mark.of]
    assert words == ["Each term falls.", ""]


@pytest.mark.parametrize(
    ("exercise", "message"),
    [
        ("exr-ch1-ties", "exr-ch1-ties: entry 1 of 2 (1) is not right. Expected: a pair of probabilities"),
        ("exr-ch1-three-points", "no solution yet"),
        ("exr-ch1-budget", "ZeroDivisionError: division by zero"),
        ("exr-ch1-copies", "not finished after 3 seconds"),
        ("exr-ch1-every-subset", "SystemExit, in line 1 of code cell 8: raise SystemExit(3)"),
        ("exr-ch1-marginal", "the process ended without a result"),
        ("exr-ch1-most-codewords", "NameError: name 'late' is not defined, in line 1 of code cell 10: print(late)"),
        ("exr-ch1-crossing", "no cell of the notebook checks this exercise"),
    ],
)
def test_the_message_says_what_went_wrong(marks, exercise, message):
    assert marks[exercise].message.startswith(message)


@pytest.mark.parametrize("text", ["no notebook", "[]", '{"cells": [{"cell_type": "code"}]}'])
def test_what_is_no_notebook_is_named(tmp_path, text):
    path = tmp_path / "file.ipynb"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"file\.ipynb is not a Jupyter notebook"):
        mark_notebook(path)


@pytest.mark.parametrize("cells", [[], [SETUP], [SETUP, 'check("exr-ch99-wins", 1)']])
def test_a_notebook_without_exercises_is_named(tmp_path, cells):
    with pytest.raises(ValueError, match=r"other\.ipynb has no cell that checks an exercise"):
        mark_notebook(write(tmp_path / "other.ipynb", cells))


def test_the_time_limit_is_positive(tmp_path):
    with pytest.raises(ValueError, match="time_limit must be a finite number greater than 0, not 0"):
        mark_notebook(tmp_path / "any.ipynb", time_limit=0)


SET = ["--set", "exr-ch1-wins", "exr-ch1-ties"]


def test_the_command_prints_and_writes_a_table(tmp_path, capsys):
    path = str(write(tmp_path / "returned.ipynb", [SETUP, CELLS["exr-ch1-wins"]]))
    assert main(["mark", path, *SET]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"[1/1] {path}: 1 of 2 passed, 1 of 2 points",
        "  exr-ch1-wins  passed",
        "  exr-ch1-ties  failed  no cell of the notebook checks this exercise",
    ]
    table = tmp_path / "marks.csv"
    assert main(["mark", path, "--csv", str(table), *SET]) == 0
    with table.open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert [first[part] for part in ("student", "exercise", "points", "of", "passed", "message")] == [
        *("returned", "exr-ch1-wins", "1", "1", "yes", "")
    ]
    assert (second["points"], second["passed"]) == ("0", "no")


def test_the_command_says_in_one_line_what_it_cannot_read(tmp_path, capsys):
    assert main(["mark", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("holds no notebook (.ipynb)\n")
    assert main(["mark", "any.ipynb", "--time-limit", "soon"]) == 2
    assert "argument --time-limit: invalid float value: 'soon'" in capsys.readouterr().err
