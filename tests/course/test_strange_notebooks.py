"""Twenty-four notebooks through the marker: exactly what is right passes."""

from __future__ import annotations

import nbformat
import pytest

from classex_book.course.marking import mark_notebooks
from classex_book.course.returned import read_notebook
from tests.course.strange_notebooks import LETTERS, NAMES, NOTEBOOKS


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """The marked notebooks by name."""
    folder = tmp_path_factory.mktemp("returned")
    pairs = []
    for number, (name, (codes, _)) in enumerate(NOTEBOOKS.items()):
        cells = [nbformat.v4.new_code_cell(code) for code in codes]
        notebook = nbformat.v4.new_notebook(cells=cells, metadata={"classex": {"exercises": list(NAMES)}})
        path = folder / f"{number}.ipynb"
        nbformat.write(notebook, path)
        pairs.append((read_notebook(path), name))
    return {one.student: one for one in mark_notebooks(pairs, time_limit=8, jobs=4)}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_exactly_what_is_right_passes(marked, name):
    assert not marked[name].error
    passed = {mark.exercise for mark in marked[name].marks if mark.passed}
    assert passed == {LETTERS[letter] for letter in NOTEBOOKS[name][1]}


@pytest.mark.parametrize(
    ("name", "exercise", "words"),
    [
        ("a report forged", 0, "the process ended without a result"),
        ("the process ended", 1, "the process ended without a result"),
        ("an endless loop", 1, "not finished after 8 seconds"),
        ("a syntax error", 0, "SyntaxError: invalid syntax, in line 1 of code cell 2: two words"),
        ("a question to the user", 0, "EOFError"),
        ("frames walked", 0, "entry 1 of 3 (1) is not right"),
    ],
)
def test_the_reason_is_given(marked, name, exercise, words):
    assert words in marked[name].marks[exercise].message
