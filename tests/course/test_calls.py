"""How a notebook says which exercise a cell answers: every way to call `check`, split cells, papers without labels."""

from __future__ import annotations

import re

import nbformat
import pytest

from classex_book.course.exam import read_key, write_exam
from classex_book.course.marking import mark_notebooks
from classex_book.course.returned import read_notebook

SETUP = "import numpy as np\n\nfrom classex_book import check, quiz"
W, T = "[3 / 5, 1 / 2, 2 / 5]", "[3 / 4, 1 / 2]"
BOTH = {"exr-ch1-wins", "exr-ch1-ties"}


def write(path, cells, **metadata):
    nbformat.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata=metadata), path
    )
    return path


def passed(path):
    """Exercises of the notebook that pass."""
    (marked,) = mark_notebooks([(read_notebook(path), "ada")])
    assert not marked.error
    return {mark.exercise for mark in marked.marks if mark.passed}


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
    ],
)
def test_right_answers_pass_however_check_is_called(tmp_path, cells):
    assert passed(write(tmp_path / "ada.ipynb", cells, classex={"exercises": sorted(BOTH)})) == BOTH


def test_an_answer_that_failed_is_not_replaced_by_that_of_another_exercise(tmp_path):
    cells = [SETUP, f'answer = {W}\ncheck("exr-ch1-wins", answer)', "answer = 1 / 0", 'check("exr-ch1-ties", answer)']
    (marked,) = mark_notebooks([(read_notebook(write(tmp_path / "ada.ipynb", cells)), "ada")])
    messages = {mark.exercise: mark.message for mark in marked.marks}
    assert messages["exr-ch1-wins"] == ""
    assert messages["exr-ch1-ties"].startswith("NameError: name 'answer' is not defined, in line 1 of code cell 4")


@pytest.mark.parametrize("asked", [(), ("exr-ch1-wins",)])
def test_a_call_that_cannot_be_read_is_reported(tmp_path, asked):
    cells = [SETUP, f'for n, a in zip(names, [{W}]):\n    check("exr-ch1-" + n, a)']
    path = write(tmp_path / "ada.ipynb", cells, **({"classex": {"exercises": list(asked)}} if asked else {}))
    (marked,) = mark_notebooks([(read_notebook(path), "ada")])
    assert bool(marked.error) != bool(asked)
    words = "but a cell failed: NameError: name 'names' is not defined, in line 1 of code cell 2"
    assert all(words in mark.message for mark in marked.marks)


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


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [without_comments],
        [without_comments, without_metadata],
        [without_comments, without_texts],
        [without_comments, without_metadata, without_texts],
        [with_a_second_cell, without_texts],
        [with_a_second_cell, without_comments, without_metadata],
        [with_an_earlier_guess, without_comments],
        [with_the_stub_below, without_comments],
        [without_paper, without_comments],
    ],
    ids=lambda changes: "-".join(change.__name__ for change in changes) or "as-it-is",
)
def test_papers_are_read_whatever_was_moved_or_deleted(exam, tmp_path, changes):
    folder, answers = exam
    notebook = nbformat.read(folder / "papers" / "paper-1.ipynb", as_version=4)
    for cell, answer in zip([cell for cell in notebook.cells if "answer = ..." in cell.source], answers, strict=True):
        cell.source = cell.source.replace("...", answer)
    for change in changes:
        change(notebook)
    nbformat.write(notebook, tmp_path / "ada.ipynb")
    (marked,) = mark_notebooks([(read_notebook(tmp_path / "ada.ipynb"), "ada")], asked=read_key(folder / "key.json"))
    assert [mark.message for mark in marked.marks] == [""] * len(answers)


def test_the_last_answer_of_a_paper_counts_and_no_earlier_guess(exam, tmp_path):
    folder, answers = exam
    notebook = nbformat.read(folder / "papers" / "paper-1.ipynb", as_version=4)
    place = next(i for i, cell in enumerate(notebook.cells) if "answer = ..." in cell.source)
    notebook.cells[place].source = notebook.cells[place].source.replace("...", answers[0])
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell("answer = -1"))
    nbformat.write(notebook, tmp_path / "ada.ipynb")
    key = read_key(folder / "key.json")
    (marked,) = mark_notebooks([(read_notebook(tmp_path / "ada.ipynb"), "ada")], asked=key)
    assert not marked.marks[0].passed
