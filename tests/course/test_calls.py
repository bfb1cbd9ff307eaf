"""How a notebook says which exercise a cell answers: every way to call `check`, split cells, papers without labels."""

from __future__ import annotations

import json
import re

import nbformat
import pytest

from classex.cli import main
from classex_book.course.exam import read_key, write_exam
from classex_book.course.marking import mark_notebooks
from classex_book.course.one_exercise import run, trial
from classex_book.course.returned import read_returned

SETUP = "import numpy as np\n\nfrom classex_book import check, quiz"
W, T = "[3 / 5, 1 / 2, 2 / 5]", "[3 / 4, 1 / 2]"
BOTH = {"exr-ch1-wins", "exr-ch1-ties"}


def write(path, cells, **metadata):
    nbformat.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata=metadata), path
    )
    return path


def passed(path):
    """Exercises of the notebook that pass, in this process."""
    returned = read_returned(path)
    found = {place: trial(returned.setup, *returned.trial(place))["called"] for place in returned.unread}
    returned = returned.with_labels(found, [])
    return {
        name
        for name in returned.checked
        if any(run(name, returned.setup, *attempt)["passed"] for attempt in returned.attempts(name))
    }


@pytest.mark.parametrize(
    "cells",
    [
        [SETUP.replace("check,", "check as pruefe,"), f'pruefe("exr-ch1-wins", {W})', f'pruefe("exr-ch1-ties", {T})'],
        ["import classex_book as cb", f'cb.check("exr-ch1-wins", {W})', f'cb.check("exr-ch1-ties", {T})'],
        ["from classex_book.course.exercises import check as c", f'c("exr-ch1-wins", {W})', f'c("exr-ch1-ties", {T})'],
        [SETUP, "verify = check", f'verify("exr-ch1-wins", {W})', f'verify("exr-ch1-ties", {T})'],
        [SETUP, f'check(name="exr-ch1-wins", answer={W})', f'check(answer={T}, name="exr-ch1-ties")'],
        [SETUP, f'lab = "exr-ch1-wins"\ncheck(lab, {W})', 'lab = "exr-ch1-ties"', f"check(lab, {T})"],
        [SETUP, f'pairs = [("exr-ch1-wins", {W}), ("exr-ch1-ties", {T})]', "for lab, a in pairs: check(lab, a)"],
        [SETUP, f'for n, a in zip(["wins", "ties"], [{W}, {T}]):\n    check("exr-ch1-" + n, a)'],
        [SETUP, f'list(map(check, ["exr-ch1-wins", "exr-ch1-ties"], [{W}, {T}]))'],
        [SETUP, 'def go(n, a):\n    check(f"exr-ch1-{n}", a)', f'go("wins", {W})', f'go("ties", {T})'],
        [SETUP, "def go(n, a):\n    check(n, a)", f'go("exr-ch1-wins", {W})', f'go("exr-ch1-ties", {T})'],
        [SETUP, f'def both():\n    check("exr-ch1-wins", {W})\n    check("exr-ch1-ties", {T})', "both()"],
        [SETUP, "go = lambda n, a: check(n, a)", f'go("exr-ch1-wins", {W})', f'go("exr-ch1-ties", {T})'],
        [
            SETUP + "\nfrom functools import partial",
            'first = partial(check, "exr-ch1-wins")',
            f'first({W})\npartial(check, "exr-ch1-ties")({T})',
        ],
        # an answer and its check in two cells, with cells between
        [SETUP, f"answer = {W}", 'check("exr-ch1-wins", answer)', f"answer = {T}", 'check("exr-ch1-ties", answer)'],
        [SETUP, f"answer = {W}", "half = 1 / 2", 'check("exr-ch1-wins", answer)', f'check("exr-ch1-ties", {T})'],
        [
            *(SETUP, "answer = [3, 2.5, 2]", "answer = np.divide(answer, 5)", 'check("exr-ch1-wins", answer)'),
            *("answer = [3 / 4]", "answer += [1 / 2]", 'check("exr-ch1-ties", answer)'),
        ],
        [
            *(SETUP, "answer = []", "answer.append(3 / 4)", "answer.append(1 / 2)", 'check("exr-ch1-ties", answer)'),
            f'answer = {W}\ncheck("exr-ch1-wins", answer)',
        ],
        # the answer of one exercise stands above that of another, which has a check of its own
        [SETUP, f"answer = {W}", f'answer = {T}\ncheck("exr-ch1-ties", answer)', 'check("exr-ch1-wins", answer)'],
    ],
)
def test_right_answers_pass_however_check_is_called(tmp_path, cells, capsys):
    assert passed(write(tmp_path / "ada.ipynb", cells)) == BOTH
    capsys.readouterr()


def test_the_answer_of_another_exercise_is_not_taken(tmp_path):
    cells = [SETUP, f"answer = {W}", 'check("exr-ch1-wins", answer)', 'check("exr-ch1-ties", answer)']
    returned = read_returned(write(tmp_path / "ada.ipynb", cells))
    ((helpers, cell),) = returned.attempts("exr-ch1-ties")
    assert helpers == []
    message = run("exr-ch1-ties", SETUP, helpers, cell)["message"]
    assert message.endswith("no cell above sets an answer that is not another exercise's")


def test_what_is_read_without_running_is_not_run(tmp_path):
    cells = [
        SETUP,
        f'check("exr-ch1-wins", {W})',
        "def go(n):\n    check(n, 1)\ncheck = check",
        "names = ['exr-ch1-ties']",
    ]
    assert read_returned(write(tmp_path / "ada.ipynb", cells)).unread == (2,)
    assert read_returned(write(tmp_path / "ada.ipynb", cells[:2] + cells[3:])).unread == ()


def test_a_loop_is_marked_in_a_process_of_its_own(tmp_path, capsys):
    loop = f'for n, a in zip(["wins", "ties"], [{W}, {T}]):\n    check("exr-ch1-" + n, a)'
    path = write(tmp_path / "ada.ipynb", [SETUP, loop], classex={"exercises": ["exr-ch1-wins", "exr-ch1-ties"]})
    assert main(["mark", str(path), "--jobs", "2"]) == 0
    captured = capsys.readouterr()
    assert "2 of 2 passed" in captured.out
    assert captured.err == ""


@pytest.mark.parametrize("asked", [(), ("exr-ch1-wins",)])
def test_a_call_that_cannot_be_read_is_reported_everywhere(tmp_path, capsys, asked):
    cells = [SETUP, f'for n, a in zip(names, [{W}]):\n    check("exr-ch1-" + n, a)']
    path = write(tmp_path / "ada.ipynb", cells, **({"classex": {"exercises": list(asked)}} if asked else {}))
    assert main(["mark", str(path), "--feedback", str(tmp_path / "pages"), "--json"]) == 0
    captured = capsys.readouterr()
    words = "code cell 2 has a call of check that could not be read, because running the cell failed (NameError"
    assert words in captured.err
    (found,) = json.loads(captured.out)
    assert words in found["notes"][0]
    assert words in (tmp_path / "pages" / "ada.html").read_text(encoding="utf-8")
    assert bool(found["error"]) != bool(asked)
    assert all(words in mark["message"] for mark in found["marks"])


def test_a_cell_that_fails_before_its_calls_speaks_for_the_exercises_it_mentions(tmp_path):
    cells = [
        SETUP,
        'pairs = {"exr-ch1-wins": 1}',
        "raise NotImplementedError\nfor lab in pairs: check(lab, pairs[lab])",
    ]
    path = write(tmp_path / "ada.ipynb", cells, classex={"exercises": ["exr-ch1-wins"]})
    (marked,) = mark_notebooks([(path, "ada")])
    assert marked.marks[0].message == "no solution yet"
    assert "could not be read" in marked.notes[0]


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    """A folder with an exam of four exercises, and the answers of its paper as text."""
    folder = tmp_path_factory.mktemp("exam")
    write_exam(folder, seed="word", n_exercises=4)
    solved = nbformat.read(folder / "key-1.ipynb", as_version=4)
    return folder, [re.search("answer = (.*)", cell.source)[1] for cell in solved.cells if "answer = " in cell.source]


def without_comments(notebook):
    for cell in notebook.cells:
        if cell.source.startswith("# exr"):
            cell.source = cell.source.partition("\n")[2]


def without_metadata(notebook):
    for cell in notebook.cells:
        cell.metadata = {}


def without_texts(notebook):
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]


def without_paper(notebook):
    notebook.metadata.pop("classex")


def with_a_second_cell(notebook):
    """The answer in a cell below that of the exercise."""
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if cell.source.startswith("# exr"):
            cell.source = cell.source.replace("answer =", "mine =")
            cells.append(nbformat.v4.new_code_cell("answer = mine"))
    notebook.cells = cells


def with_an_earlier_guess(notebook):
    for cell in notebook.cells:
        if cell.source.startswith("# exr"):
            cell.source = cell.source.replace("answer =", "answer = 0\nanswer =")


def with_the_stub_below(notebook):
    cells = []
    for cell in notebook.cells:
        if cell.source.startswith("# exr"):
            comment, _, answer = cell.source.partition("\n")
            cells.append(nbformat.v4.new_code_cell(answer))
            cell.source = f"{comment}\nanswer = ..."
        cells.append(cell)
    notebook.cells = cells


def without_one_comment(notebook):
    """Of two exercises no cell says which they are, and one has an answer too many."""
    for cell in [cell for cell in notebook.cells if cell.source.startswith("# exr")][1:3]:
        cell.source = cell.source.partition("\n")[2]
    notebook.cells.insert(-1, nbformat.v4.new_code_cell("answer = 0"))


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [without_comments],
        [without_comments, without_metadata],
        [without_comments, without_texts],
        [without_comments, without_metadata, without_texts],
        [without_metadata, without_texts, with_a_second_cell],
        [with_a_second_cell, without_comments, without_metadata],
        [with_an_earlier_guess, without_comments],
        [with_the_stub_below, without_comments],
        [without_one_comment, without_metadata, without_texts],
        [without_paper, without_comments],
    ],
    ids=lambda changes: "-".join(change.__name__ for change in changes) or "as-it-is",
)
def test_papers_are_read_whatever_was_moved_or_deleted(exam, tmp_path, changes, capsys):
    folder, answers = exam
    notebook = nbformat.read(folder / "papers" / "paper-1.ipynb", as_version=4)
    for cell, answer in zip([cell for cell in notebook.cells if "answer = ..." in cell.source], answers, strict=True):
        cell.source = cell.source.replace("...", answer)
    for change in changes:
        change(notebook)
    nbformat.write(notebook, tmp_path / "ada.ipynb")
    key = read_key(folder / "key.json")
    returned = read_returned(tmp_path / "ada.ipynb", exam=key)
    for name, variant in key["1"].items():
        reports = [run(name, returned.setup, *attempt, variant, paper=True) for attempt in returned.attempts(name)]
        assert any(report["passed"] for report in reports), (name, reports)
    assert bool(returned.notes) == (without_one_comment in changes)
    capsys.readouterr()


def test_the_last_answer_of_a_paper_counts_and_no_earlier_guess(exam, tmp_path):
    folder, answers = exam
    notebook = nbformat.read(folder / "papers" / "paper-1.ipynb", as_version=4)
    place = next(i for i, cell in enumerate(notebook.cells) if "answer = ..." in cell.source)
    notebook.cells[place].source = notebook.cells[place].source.replace("...", answers[0])
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell("answer = -1"))
    nbformat.write(notebook, tmp_path / "ada.ipynb")
    key = read_key(folder / "key.json")
    name, variant = next(iter(key["1"].items()))
    ((helpers, cell),) = read_returned(tmp_path / "ada.ipynb", exam=key).attempts(name)
    assert not run(name, "", helpers, cell, variant, paper=True)["passed"]
