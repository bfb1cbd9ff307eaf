"""Exercises of the chapters: every solution passes its checker, every stub and every other answer fails."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import pytest
from classex_sphinx.cells import stub
from myst_nb.core.read import read_myst_markdown_notebook

from classex_book import ExerciseError, check, exercise_names, quiz

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CHAPTERS = [
    *sorted(NOTEBOOKS.glob("0*.md")),
    *sorted(NOTEBOOKS.glob("lab_*.md")),
    *(
        NOTEBOOKS / f"{name}.md"
        for name in (
            "rank_metrics",
            "sampled_negatives",
            "restating",
            "decoding",
            "choice",
            "pass_at_k",
            "growth",
            "open_set",
            "reidentification",
        )
    ),
]
START = re.compile(r"^```\{exercise-start\} *(.*)\n((?::\w+:.*\n)*)```$", re.MULTILINE)
SOLUTION = re.compile(r"^```\{solution-start\} (\S+)$", re.MULTILINE)


class Exercise(NamedTuple):
    """An exercise as its chapter gives it."""

    chapter: str
    name: str
    title: str
    kind: str
    setup: str
    cells: list[str]


def exercises_of(path: Path) -> list[Exercise]:
    """Exercises of a chapter in their order, with the code cells between the two ends of their solutions."""
    chapter = f"ch{int(path.name[:2])}" if path.name[0] == "0" else "labs"
    text, setup, solutions, inside = "", "", {}, None
    for cell in read_myst_markdown_notebook(path.read_text(encoding="utf-8")).cells:
        if cell.cell_type == "code":
            if inside:
                solutions[inside].append(cell.source)
            elif re.search(r"from classex_book import .*\bcheck\b", cell.source):
                setup = cell.source
            continue
        text += cell.source + "\n"
        for found in re.finditer(r"\{solution-(start|end)\} ?(\S*)", cell.source):
            inside = found[2] if found[1] == "start" else None
            if inside:
                solutions[inside] = []
    found = []
    for title, options in START.findall(text):
        values = dict(re.findall(r"^:(\w+): *(.*)$", options, re.MULTILINE))
        name = values["label"]
        found.append(Exercise(chapter, name, title, values["class"].split()[0], setup, solutions.get(name, [])))
    return found


# a proof has nothing to be run
EXERCISES = [exercise for path in CHAPTERS for exercise in exercises_of(path) if exercise.kind != "proof"]
each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)


def run(exercise: Exercise, cell: str) -> None:
    """Execute a cell after the set-up cell and nothing else."""
    with mpl.rc_context({"backend": "Agg"}):
        namespace = {"__name__": "__main__"}
        exec(compile(exercise.setup, f"<set-up of {exercise.chapter}>", "exec"), namespace)
        exec(compile(cell, f"<{exercise.name}>", "exec"), namespace)


@each_exercise
def test_the_solution_is_one_short_cell_that_ends_in_its_check(exercise):
    (cell,) = exercise.cells
    assert len(cell.splitlines()) <= 20
    assert re.search(rf'^check\("{exercise.name}", \w+\)\Z', cell, re.MULTILINE)
    assert stub(cell) != cell


@each_exercise
def test_the_solution_passes_with_the_set_up_cell_alone(exercise, capsys):
    run(exercise, exercise.cells[0])
    assert capsys.readouterr().out.endswith(f"{exercise.name}: right\n")


@each_exercise
def test_the_stub_fails(exercise):
    with pytest.raises((ExerciseError, NotImplementedError)):
        run(exercise, stub(exercise.cells[0]))


def unsolved(*_):
    raise NotImplementedError


NO_ANSWERS = {
    "None": None,
    "Ellipsis": ...,
    "text": "an answer",
    "True": True,
    "NaN": float("nan"),
    "fraction": 0.123456789,
    "negative": -1,
    "empty": [],
    "pair": [0.123, 0.456],
    "ragged": [[1, 2], [3]],
    "triple": [0.1, 0.2, 0.3],
    "dictionary": {},
    "no error": (0.5, 0.0),
    "zeros": ([0], [0]),
    "unsolved": unsolved,
    "no argument": lambda: 0.5,
    "constant": lambda *_: 0.123456789,
    "returns None": lambda *_: None,
    "returns text": lambda *_: "an answer",
    "returns True": lambda *_: True,
}


@each_exercise
def test_what_is_no_answer_fails_with_one_clear_error(exercise):
    for kind, answer in NO_ANSWERS.items():
        with pytest.raises(ExerciseError) as caught:
            check(exercise.name, answer)
        assert re.match(rf"{exercise.name}: [\s\S]+ Expected: [\s\S]+ Hint: [\s\S]+\.\Z", str(caught.value)), kind


@pytest.mark.parametrize("chapter", sorted({exercise.chapter for exercise in EXERCISES}))
def test_exercises_of_a_chapter_and_their_checkers_are_the_same_in_the_same_order(chapter):
    assert [exercise.name for exercise in EXERCISES if exercise.chapter == chapter] == list(exercise_names(chapter))


@pytest.mark.parametrize("chapter", sorted({exercise.chapter for exercise in EXERCISES} - {"labs"}))
def test_the_quiz_is_complete_html(chapter):
    made = quiz(chapter)
    assert len(made.questions) >= 5
    text = made._repr_html_()
    assert text.count("<details") == sum(len(question.options) for question in made.questions)
    assert text.count('class="right"') == len(made.questions)
    assert not re.search(r"\$|`|nan|<script|https?:", text)
