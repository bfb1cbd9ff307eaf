"""The guide for teachers: the course fits its hours and has everything in it, and the starter projects start."""

from __future__ import annotations

import re

import pytest
from classex_sphinx.exercises import stated_minutes
from classex_sphinx.minutes import effort

from classex_book import exercise_names
from classex_book.course.texts import CHAPTERS, LABS, PROOFS
from tests.book.visits import CONTENTS, ROOT

GUIDE = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
CLASS = 120  # minutes of an exercise class
READING = 100  # minutes that the guide states
PAGES = {
    re.search(r"^\(([\w-]+)\)=\n# ", text, re.MULTILINE)[1]: text
    for name in CONTENTS[CONTENTS.index("notebooks/01_randomized_classification") : CONTENTS.index("book/explorer")]
    for text in [(ROOT / f"{name}.md").read_text(encoding="utf-8")]
}


def weeks() -> list[list[list[str]]]:
    """The labels in each cell of each week of the course."""
    course = GUIDE.partition("\n## A course of fourteen weeks")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| \d+ \|.*$", course, re.MULTILINE)
    return [[re.findall(r"\{ref\}`([\w-]+)`", cell) for cell in row.split("|")[2:-1]] for row in rows]


def test_the_course_has_as_many_weeks_as_it_says():
    assert len(weeks()) == 14


def test_exercises_leave_two_fifths_of_the_class_for_questions():
    for number, (_, _, asked, _) in enumerate(weeks(), 1):
        assert sum(stated_minutes(label, []) for label in asked) <= 0.6 * CLASS, number
    assert "at most 72 of the 120 minutes" in GUIDE


def test_a_week_s_reading_takes_no_longer_than_it_says():
    for number, (pages, *_) in enumerate(weeks(), 1):
        assert 0 < sum(effort(PAGES[label]).minutes for label in pages) <= READING, number
    assert f"at most {READING} minutes" in " ".join(GUIDE.split())


def test_every_page_is_read_and_every_exercise_asked_once():
    read = [label for pages, *_ in weeks() for label in pages]
    assert sorted(read) == sorted(label for label in PAGES if not label.endswith("-exercises"))
    asked = [label for *_, in_class, at_home in weeks() for label in [*in_class, *at_home]]
    checked = [name for chapter in (*CHAPTERS, LABS) for name in exercise_names(chapter)]
    assert sorted(asked) == sorted([*checked, *PROOFS])


@pytest.mark.parametrize("number", range(3))
def test_a_starter_project_runs_from_what_the_package_brings(number, capsys):
    cells = re.findall(
        r"^```python\n(.*?)^```$", GUIDE.partition("\n### Starter projects")[2], re.DOTALL | re.MULTILINE
    )
    assert len(cells) == 3
    exec(cells[number], {})
    assert capsys.readouterr().out.count("95 %") >= 2
