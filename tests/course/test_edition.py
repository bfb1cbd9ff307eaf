"""Editions: the key solves its own edition, and marking tells editions apart."""

from __future__ import annotations

import argparse
import json

import nbformat
import pytest

from classex_book.course import edition_command
from classex_book.course.edition import write_edition
from classex_book.course.exercises import variation_names
from classex_book.course.marking import mark_notebooks
from classex_book.course.students import find_notebooks


def run(*words):
    parser = argparse.ArgumentParser()
    edition_command.add_parser(parser.add_subparsers(required=True))
    arguments = parser.parse_args(["edition", *map(str, words)])
    arguments.run(arguments)


def test_the_command_writes_an_edition_and_its_key(tmp_path, capsys):
    run(tmp_path, "--variant", 3)
    exercises, key = capsys.readouterr().out.split()
    assert exercises.endswith("exercises-3.ipynb")
    for path in (exercises, key):
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        assert sum(cell.cell_type == "code" for cell in notebook.cells) == len(variation_names()) + 1
    text = (tmp_path / "exercises-3.ipynb").read_text(encoding="utf-8")
    assert text.count("raise NotImplementedError") == len(variation_names())
    assert "variant=3" in text
    before = text
    write_edition(tmp_path, 3)
    assert (tmp_path / "exercises-3.ipynb").read_text(encoding="utf-8") == before
    write_edition(tmp_path, 4)
    assert (tmp_path / "exercises-4.ipynb").read_text(encoding="utf-8") != before


def test_an_exam_takes_some_of_every_chapter(tmp_path):
    exam, _ = write_edition(tmp_path, 5, n_exercises=6)
    asked = json.loads(exam.read_text(encoding="utf-8"))["metadata"]["classex"]["exercises"]
    assert [name.split("-")[1] for name in asked] == [f"ch{number}" for number in range(1, 7)]
    only, _ = write_edition(tmp_path, 5, chapters=["ch2"], n_exercises=2)
    asked = json.loads(only.read_text(encoding="utf-8"))["metadata"]["classex"]["exercises"]
    assert [name.split("-")[1] for name in asked] == ["ch2", "ch2"]


def test_the_key_is_marked_right_for_its_own_variant_alone(tmp_path):
    exam, key = write_edition(tmp_path, 7, chapters=["ch3", "ch6"], n_exercises=2)
    (right,) = mark_notebooks(find_notebooks([key]), variant=7, jobs=3)
    assert right.error == ""
    assert [mark.passed for mark in right.marks] == [True] * 2
    (stubs,) = mark_notebooks(find_notebooks([exam]), variant=7, jobs=3)
    assert {mark.message for mark in stubs.marks} == {"no solution yet"}
    (other,) = mark_notebooks(find_notebooks([key]), variant=8, jobs=3)
    assert not any(mark.passed for mark in other.marks)
    assert "this checks variant 7, and variant 8 was set" in other.marks[0].message
    (book,) = mark_notebooks(find_notebooks([key]), jobs=3)
    assert "this checks variant 7, and the book's own numbers were set" in book.marks[0].message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": 0}, "variant must be"),
        ({"variant": 1, "chapters": ["ch9"]}, "chapters must be among ch1"),
        ({"variant": 1, "n_exercises": 99}, "n_exercises must be at most"),
    ],
)
def test_bad_options_are_named(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        write_edition(tmp_path, **options)
