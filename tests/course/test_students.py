"""Whose a notebook is: no two students are taken for one, and what might be two is refused with both paths."""

from __future__ import annotations

import csv
from pathlib import Path

import nbformat
import pytest

from classex.cli import main
from classex_book.course.students import name_students, read_all

SETUP = "from classex_book import check"
WINS = 'answer = [3 / 5, 1 / 2, 2 / 5]\ncheck("exr-ch1-wins", answer)'
TIES = 'check("exr-ch1-ties", [3 / 4, 1 / 2])'
STUB = 'raise NotImplementedError\ncheck("exr-ch1-wins", answer)'
MOODLE = "_assignsubmission_file_"


def write(path, *cells, **metadata):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in (SETUP, *cells)], metadata=metadata
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return path


def made(folder, names):
    """Notebooks under these names, all with the same exercise."""
    return [write(folder / name, WINS) for name in names]


def students(paths, folder):
    return {
        Path(one.file).resolve().relative_to(folder).as_posix(): student
        for one, student in name_students(read_all(paths))
    }


def test_two_students_in_two_folders_have_two_rows(tmp_path):
    files = [
        write(tmp_path / "ada" / "01d_exercises.ipynb", WINS),
        write(tmp_path / "ben" / "01d_exercises.ipynb", STUB),
    ]
    assert (
        main(["mark", *map(str, files), "--gradebook", str(tmp_path / "g.csv"), "--jobs", "2", "--set", "exr-ch1-wins"])
        == 0
    )
    with (tmp_path / "g.csv").open(encoding="utf-8", newline="") as file:
        assert [(row["student"], row["exercises"]) for row in csv.DictReader(file)] == [
            *(("maximum", "1"), ("ada", "1"), ("ben", "0"))
        ]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        # files of one name, whatever it is
        (["ada/mine.ipynb", "ben/mine.ipynb"], ["ada", "ben"]),
        # what else lies in such a folder is of the same student
        (["ada/mine.ipynb", "ben/mine.ipynb", "ben/more.ipynb"], ["ada", "ben", "ben"]),
        # a name under which notebooks are handed out
        (["ada/paper-1.ipynb"], ["ada"]),
        (["ada/01d_exercises (2).ipynb", "ben/exercises-3.ipynb"], ["ada", "ben"]),
        # papers side by side are those of several students
        (["papers/paper-1.ipynb", "papers/paper-2.ipynb"], ["paper-1", "paper-2"]),
        (["papers/paper-1.ipynb", "papers/paper-1 (1).ipynb"], ["paper-1", "paper-1 (1)"]),
        # names of students
        (["back/ada.ipynb", "back/ben.ipynb"], ["ada", "ben"]),
        ([f"Li Wei_101{MOODLE}/mine.ipynb", f"Li Wei_102{MOODLE}/other.ipynb"], ["Li Wei_101", "Li Wei_102"]),
        (["back/weili_101_5_ch1.ipynb", "back/weili_LATE_102_6_ch1.ipynb"], ["weili_101", "weili_102"]),
    ],
)
def test_files_named_one_by_one(tmp_path, names, expected):
    files = [write(tmp_path / name, TIES if "more" in name else WINS) for name in names]
    assert list(students(files, tmp_path).values()) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([f"Li Wei_101{MOODLE}/ch1.ipynb", f"Li Wei_102{MOODLE}/ch1.ipynb"], {"Li Wei_101", "Li Wei_102"}),
        (["ada/ch1.ipynb", "ben/deep/ch1.ipynb", "zoe.ipynb"], {"ada", "ben", "zoe"}),
        (["paper-1.ipynb", "paper-2.ipynb"], {"paper-1", "paper-2"}),
        # of one student for certain: the better one counts
        (["ada/ch1.ipynb", "ada/old/ch1.ipynb", "ada/ch1-Copy1.ipynb"], {"ada"}),
        (["weili_101_5_ch1.ipynb", "weili_101_6_again.ipynb"], {"weili_101"}),
        ([f"Li Wei_101{MOODLE}/first.ipynb", f"Li Wei_101{MOODLE}/second.ipynb"], {"Li Wei_101"}),
    ],
)
def test_a_folder_of_returned_notebooks(tmp_path, names, expected):
    made(tmp_path / "back", names)
    assert set(students([tmp_path / "back"], tmp_path).values()) == expected


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["first", "second"], ["first/Li Wei/ch1.ipynb", "second/Li Wei/ch1.ipynb"]),
        (["first", "second"], ["first/ada.ipynb", "second/ada.ipynb"]),
        (["."], ["first/ada.ipynb", "first/ben.ipynb"]),  # a folder of folders, none of which is a student's
        (["back"], ["back/ada/paper-1.ipynb", "back/ada/paper-1 (1).ipynb"]),  # a browser names two downloads so
        (["one/ada.ipynb", "one/ben.ipynb", "two/ada.ipynb"], ["one/ada.ipynb", "one/ben.ipynb", "two/ada.ipynb"]),
    ],
)
def test_what_may_be_two_students_is_refused_with_both_paths(tmp_path, monkeypatch, capsys, given, names):
    made(tmp_path, names)
    monkeypatch.chdir(tmp_path)
    assert main(["mark", *given, "--gradebook", "g.csv"]) == 1
    said = capsys.readouterr().out.partition("To look at: ")[2]
    assert "two notebooks of one name hold the same exercise" in said
    assert all(name in said for name in names[:2])
    with open("g.csv", encoding="utf-8", newline="") as file:
        graded = {row[0] for row in csv.reader(file)}
    assert not graded & {"ada", "Li Wei", "first", "second"}


def test_exercises_that_a_loop_checks_count_for_collisions(tmp_path):
    loop = 'for lab in ["exr-ch1-wins"]:\n    check(lab, answer)'
    write(tmp_path / "a" / "ada.ipynb", loop)
    write(tmp_path / "b" / "ada.ipynb", WINS)
    assert all(
        "hold the same exercise" in one.error for one, _ in name_students(read_all([tmp_path / "a", tmp_path / "b"]))
    )


def test_where_reading_does_not_tell_the_exercises_two_notebooks_are_not_taken_for_one(tmp_path):
    built = 'for n in ["wins"]:\n    check("exr-ch1-" + n, answer)'
    write(tmp_path / "a" / "ada.ipynb", built)
    write(tmp_path / "b" / "ada.ipynb", TIES)
    first, second = (one.error for one, _ in name_students(read_all([tmp_path / "a", tmp_path / "b"])))
    assert first.endswith("b/ada.ipynb (both 'ada', an exercise, perhaps)")
    assert second.endswith("a/ada.ipynb (both 'ada', an exercise, perhaps)")
