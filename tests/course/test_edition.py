"""Papers with checks: students check themselves, and marking tells papers apart."""

from __future__ import annotations

import argparse

import nbformat
import pytest

from classex_book.course import edition_command
from classex_book.course.exam import chosen_exercises, read_key
from classex_book.course.marking import mark_notebooks
from classex_book.course.students import name_students, read_all


def run(*words):
    parser = argparse.ArgumentParser()
    edition_command.add_parser(parser.add_subparsers(required=True))
    arguments = parser.parse_args(["edition", *map(str, words)])
    arguments.run(arguments)


def test_students_can_check_papers_with_checks(tmp_path, capsys):
    run(tmp_path, "--papers", 1, "--checks", "--seed", "word", "--chapters", "ch3", "ch6", "--exercises", 2)
    paper, key, _ = capsys.readouterr().out.split()
    notebook = nbformat.read(paper, as_version=4)
    nbformat.validate(notebook)
    codes = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert [code.count("check(") for code in codes] == [0, 1, 1]
    names: dict[str, object] = {}
    exec(codes[0], names)
    with pytest.raises(ValueError, match="there is no answer yet"):
        exec(codes[1], names)
    exam = read_key(tmp_path / "key.json")
    (stubs,) = mark_notebooks(name_students(read_all([paper])), asked=exam)
    assert all("there is no answer yet" in mark.message for mark in stubs.marks)
    (book,) = mark_notebooks(name_students(read_all([key])))
    assert {mark.passed for mark in book.marks} == {False}
    assert "this checks other numbers than those that were set" in book.marks[0].message


@pytest.mark.parametrize(
    ("options", "message"),
    [((["ch9"], None), "chapters must be among ch1"), ((None, 99), "n_exercises must be at most")],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        chosen_exercises(1, *options)
