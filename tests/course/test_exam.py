"""Exams: private seeds, papers that tell nothing, keys that solve their own paper alone."""

from __future__ import annotations

import argparse
import json
import re
import sys

import nbformat
import pytest

from classex_book import check
from classex_book.course import edition_command, mark_command
from classex_book.course.exam import distinct_variants, read_key, secret_number, secret_word, write_exam
from classex_book.course.exercises import ExerciseError, numbers, variation, variation_names
from classex_book.course.marking import mark_notebooks
from classex_book.course.students import name_students, read_all

SEEDS = ("autumn", "spring", secret_word(None))


def run(*words):
    parser = argparse.ArgumentParser()
    parsers = parser.add_subparsers(required=True)
    edition_command.add_parser(parsers)
    mark_command.add_parser(parsers)
    arguments = parser.parse_args([*map(str, words)])
    arguments.run(arguments)


def answered(paper, key, path):
    """The paper, with the answers of a key."""
    notebook, solved = (nbformat.read(file, as_version=4) for file in (paper, key))
    answers = [re.search(r"answer = (.*)", cell.source)[1] for cell in solved.cells if "answer = " in cell.source]
    places = [cell for cell in notebook.cells if "answer = ..." in cell.source]
    for cell, answer in zip(places, answers, strict=True):
        cell.source = cell.source.replace("...", answer)
    nbformat.write(notebook, path)
    return path


@pytest.mark.parametrize("name", variation_names())
def test_the_numbers_of_a_seed_are_its_own_and_its_checkers_agree(name):
    drawn = {}
    for seed in SEEDS:
        (variant,) = distinct_variants(name, seed, 1)
        assert distinct_variants(name, seed, 1) == [variant]
        check(name, variation(name).key(**numbers(name, variant)), variant=variant)
        drawn[seed] = repr(numbers(name, variant))
    first, second = distinct_variants(name, "autumn", 2)
    assert repr(numbers(name, first)) != repr(numbers(name, second))
    keys = [variation(name).key(**numbers(name, one)) for one in (first, second)]
    if repr(keys[0]) != repr(keys[1]):
        with pytest.raises(ExerciseError, match=name):
            check(name, keys[0], variant=second)


def test_a_paper_holds_neither_seed_nor_variant_nor_check(tmp_path):
    *_, key = write_exam(tmp_path, papers=3, seed="a word of mine", n_exercises=6)
    found = read_key(key)
    assert list(found.papers) == ["1", "2", "3"]
    for paper, own in found.papers.items():
        text = (tmp_path / "papers" / f"paper-{paper}.ipynb").read_text(encoding="utf-8")
        nbformat.validate(nbformat.reads(text, as_version=4))
        for word in ("a word of mine", "check(", "variant", "classex_book", *map(str, own.values())):
            assert word not in text
        assert text.count("answer = ...") == 6
        assert [name.split("-")[1] for name in own] == [f"ch{number}" for number in range(1, 7)]
    assert json.loads(key.read_text(encoding="utf-8"))["seed"] == "a word of mine"
    assert secret_number("a", "b") != secret_number("a", "c")


def test_papers_are_marked_by_the_key(tmp_path, capsys):
    run("edition", tmp_path, "--papers", 2, "--seed", "word", "--exercises", 2, "--chapters", "ch3", "ch6")
    assert len(capsys.readouterr().out.split()) == 5
    returned = tmp_path / "returned"
    returned.mkdir()
    first, second = (tmp_path / "papers" / f"paper-{paper}.ipynb" for paper in (1, 2))
    answered(first, tmp_path / "key-1.ipynb", returned / "right.ipynb")
    answered(second, tmp_path / "key-1.ipynb", returned / "wrong.ipynb")
    (returned / "blank.ipynb").write_bytes(second.read_bytes())
    nbformat.write(nbformat.v4.new_notebook(), returned / "none.ipynb")
    marked = {
        found.student: found
        for found in mark_notebooks(name_students(read_all([returned])), jobs=3, asked=read_key(tmp_path / "key.json"))
    }
    assert [mark.passed for mark in marked["right"].marks] == [True] * 2
    assert not any(mark.passed for mark in marked["wrong"].marks)
    assert {"there is no answer yet" in mark.message for mark in marked["blank"].marks} == {True}
    assert "must be one of the papers 1, 2 of this exam, and says that it is no paper" in marked["none"].error
    run("mark", "run", returned / "right.ipynb", "--answers", tmp_path / "answers")
    run("mark", "judge", tmp_path / "answers", "--exam", tmp_path / "key.json")
    assert "2 of 2 passed" in capsys.readouterr().out


def test_the_code_of_every_solution_works_out_the_answer(tmp_path):
    paths = write_exam(tmp_path, papers=1, seed="word")
    texts = [cell.source for cell in nbformat.read(paths[1], as_version=4).cells if "**Solution.**" in cell.source]
    names = list(read_key(paths[2]).papers["1"])
    assert len(texts) == len(names) == len(variation_names())
    for name, text in zip(names, texts, strict=True):
        (code,) = re.findall(r"```python\n(.*?)\n```", text, re.DOTALL)
        key, values = variation(name).key, numbers(name, read_key(paths[2]).papers["1"][name])
        own = dict(vars(sys.modules[key.__module__]))
        exec(compile(code, name, "exec"), own)
        assert variation(name).hint not in text
        worked_out = own["key" if key.__name__ == "<lambda>" else key.__name__]
        assert worked_out is not key
        assert repr(worked_out(**values)) == repr(key(**values))


def test_a_key_that_was_handed_out_is_not_replaced(tmp_path, monkeypatch):
    *_, key = write_exam(tmp_path, seed="word", n_exercises=2)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    for more in ({"seed": "other", "n_exercises": 2}, {"n_exercises": 2}, {"seed": "word", "n_exercises": 3}):
        with pytest.raises(ValueError, match=r"key\.json is the key of another exam"):
            write_exam(tmp_path, **more)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before
    write_exam(tmp_path, seed="word", n_exercises=2, papers=2)  # more papers of the same exam
    assert list(read_key(key).papers) == ["1", "2"]

    written = []

    def full(path, _):
        written.append(path.name)
        raise OSError("no space left")

    monkeypatch.setattr("classex_book.course.exam.atomic_text", full)
    with pytest.raises(OSError, match="no space left"):
        write_exam(tmp_path / "new", seed="word")
    assert written == ["key.json"]


def test_the_keys_check_themselves(tmp_path):
    paths = write_exam(tmp_path, papers=1, seed="word")
    solved = nbformat.read(paths[1], as_version=4)
    codes = [cell.source for cell in solved.cells if cell.cell_type == "code"]
    assert len(codes) == len(variation_names()) + 1
    names: dict[str, object] = {}
    for code in codes:
        exec(code, names)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"papers": 0}, "papers must be"),
        ({"seed": " "}, "seed must be a word"),
        ({"n_exercises": 999}, "n_exercises must be at most"),
    ],
)
def test_bad_options_are_named(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        write_exam(tmp_path, **options)


def test_a_file_that_is_no_key_is_refused(tmp_path):
    (tmp_path / "key.json").write_text("{}")
    with pytest.raises(ValueError, match=r"is not the key\.json of an exam"):
        read_key(tmp_path / "key.json")
    (tmp_path / "key.json").write_text('{"papers": {"1": {"exr-ch1-none": 3}}}')
    with pytest.raises(ValueError, match="must be an exercise whose numbers vary"):
        read_key(tmp_path / "key.json")
