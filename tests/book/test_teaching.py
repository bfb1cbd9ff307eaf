"""The guide for teachers: the course fits its hours and has everything in it, and the starter projects start."""

from __future__ import annotations

import re

import pytest
import yaml
from classex_sphinx.exercises import stated_minutes
from classex_sphinx.minutes import effort

from classex_book import exercise_names
from classex_book.course.texts import CHAPTERS, LABS, PROOFS
from tests.book.visits import CONTENTS, ROOT

GUIDE = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
CLASS = LECTURE = 120  # minutes of a week's exercise class, and of its lectures
SLIDE = 3.5  # minutes for which a slide is shown, with which each deck takes the hours that the guide states
READING = 120  # minutes that the guide states
LABELS = {  # of the numbered pages
    name: re.search(r"^\(([\w-]+)\)=\n# ", (ROOT / f"{name}.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    for name in CONTENTS[CONTENTS.index("notebooks/01_randomized_classification") : CONTENTS.index("book/explorer")]
}
PAGES = {label: (ROOT / f"{name}.md").read_text(encoding="utf-8") for name, label in LABELS.items()}
BUILDS_ON = yaml.safe_load((ROOT / "book" / "chapters.yml").read_text(encoding="utf-8"))
DECKS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "book" / "slides").glob("*.md"))}
HERE = {  # page on which each label of these pages stands; an exercise may refer to another one of any week
    label: page
    for page, text in PAGES.items()
    if not page.endswith("-exercises")
    for found in re.findall(
        r"^(?:\(([\w:-]+)\)=|:label: ([\w:-]+)|\$\$ \(([\w:-]+)\))$|name: ([\w:-]+)", text, re.MULTILINE
    )
    for label in filter(None, found)
}
EXERCISES = {
    re.search(r"^:label: (\S+)", text, re.MULTILINE)[1]: text
    for page in PAGES.values()
    for text in re.findall(r"\{exercise-start\}(.*?)\{exercise-end\}", page, re.DOTALL)
}
COURSES = {"fourteen": 14, "ten": 10}
SHORT = [
    int(week)
    for week in re.findall(r"\d+", re.search(r"A course of five weeks uses (.*?),\s+depending", GUIDE, re.DOTALL)[1])
]


def weeks(course: str) -> list[list[list[str]]]:
    """The labels in each cell of each week of a course: what is read, the lecture, the class and what is for home."""
    plan = GUIDE.partition(f"\n## A course of {course} weeks")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| \d+ \|.*$", plan, re.MULTILINE)
    return [[re.findall(r"\{ref\}`([\w-]+)`", cell) for cell in row.split("|")[2:-1]] for row in rows]


def needed(text: str) -> set[str]:
    """The numbered pages to which a text refers."""
    text = re.sub(r"from \{ref\}`[^`]*` on", "", text)  # what only a later page assumes
    labels = re.findall(r"\{(?:prf:ref|ref|numref|eq)\}`(?:[^`<]*<)?([\w:-]+)>?`", text)
    return {HERE[label] for label in labels if label in HERE}


def assumed_by(page: str) -> set[str]:
    """The numbered pages that a page says it assumes, or on which the first page of the book says it builds."""
    line = re.search(r"^\*\*Assumes\.\*\* .*$", PAGES[page], re.MULTILINE)[0]
    (name,) = (name for name, label in LABELS.items() if label == page)
    needs = BUILDS_ON.get(name, {}).get("needs", ())
    return needed(line) | {LABELS[other] for other in needs}


def minutes_of(exercise: str) -> int:
    classes = re.search(r"^:class: (.*)$", EXERCISES[exercise], re.MULTILINE)[1]
    return stated_minutes(exercise, classes.split())


def minutes_of_all(exercises: list[str]) -> int:
    return sum(map(minutes_of, exercises))


def missing_pages(plan: list[list[list[str]]]) -> list[tuple[int, str, set[str]]]:
    """For each week what is read or asked in it and assumes pages that were not read by then, with these pages."""
    found, read = [], set()
    for number, (pages, _, in_class, at_home) in enumerate(plan, 1):
        read |= set(pages)
        assumed = {page: assumed_by(page) for page in pages}
        assumed |= {label: needed(EXERCISES[label]) for label in [*in_class, *at_home]}
        found += [(number, label, pages - read) for label, pages in assumed.items() if not pages <= read]
    return found


@pytest.mark.parametrize("course", COURSES)
def test_a_page_or_an_exercise_comes_after_the_pages_that_it_assumes(course):
    assert missing_pages(weeks(course)) == []


@pytest.mark.parametrize("last", SHORT[-2:])
def test_each_course_of_five_weeks_reads_what_it_assumes(last):
    plan = weeks("fourteen")
    assert len(SHORT) == 6
    assert missing_pages([plan[week - 1] for week in [*SHORT[:-2], last]]) == []


@pytest.mark.parametrize("course", COURSES)
def test_exercises_leave_two_fifths_of_the_class_for_questions(course):
    for number, (_, _, asked, _) in enumerate(weeks(course), 1):
        assert 0 < minutes_of_all(asked) <= 0.6 * CLASS, number
    assert GUIDE.count("at most 72") == len(COURSES)


@pytest.mark.parametrize("course", COURSES)
def test_a_week_s_reading_takes_no_longer_than_it_says(course):
    stated = int(re.search(rf"## A course of {course} weeks.*?at\s+most (\d+)\s+minutes", GUIDE, re.DOTALL)[1])
    assert stated == READING
    for number, (pages, *_) in enumerate(weeks(course), 1):
        assert 45 <= sum(effort(PAGES[label]).minutes for label in pages) <= READING, number


def test_homework_of_the_ten_weeks_takes_as_long_as_it_says():
    for number, (*_, at_home) in enumerate(weeks("ten"), 1):
        assert 45 <= minutes_of_all(at_home) <= 90, number
    assert "do the homework, which takes 45 to 90 minutes a week" in " ".join(GUIDE.split())


def test_in_fourteen_weeks_every_page_is_read_and_every_exercise_asked_once():
    read = [label for pages, *_ in weeks("fourteen") for label in pages]
    assert sorted(read) == sorted(label for label in PAGES if not label.endswith("-exercises"))
    asked = [label for *_, in_class, at_home in weeks("fourteen") for label in [*in_class, *at_home]]
    checked = [name for chapter in (*CHAPTERS, LABS) for name in exercise_names(chapter)]
    assert sorted(asked) == sorted([*checked, *PROOFS]) == sorted(EXERCISES)


def stops_of(slides: str) -> list[str]:
    return re.findall(r"^:+\{exercise\} (\S+)", slides, re.MULTILINE)


def slides_of_the_ten_weeks() -> list[list[tuple[str, int, int]]]:
    """For each week the deck, the first and the last slide of the lecture."""
    plan = GUIDE.partition("\n## A course of ten weeks")[2].partition("\n## ")[0]
    found = [
        re.findall(r"slides/(\w+)\.html\">slides (\d+) to (\d+)<", row)
        for row in re.findall(r"^\| \d+ \|.*$", plan, re.M)
    ]
    return [[(deck, int(first), int(last)) for deck, first, last in week] for week in found]


def test_the_ten_weeks_show_every_slide_in_its_order():
    shown = [
        (deck, number)
        for week in slides_of_the_ten_weeks()
        for deck, first, last in week
        for number in range(first, last + 1)
    ]
    counts = {deck: len(re.findall(r"^##? ", text, re.MULTILINE)) for deck, text in DECKS.items()}
    expected = [(deck, number) for deck, count in counts.items() for number in range(1, count + 1)]
    assert sorted(shown, key=lambda slide: slide[0]) == expected  # within a deck in the order of the weeks


def test_the_slides_of_a_week_fill_the_time_that_the_guide_states():
    plan = " ".join(GUIDE.split())
    assert f"At {SLIDE} minutes a slide" in plan
    assert f"the slides take {LECTURE // 2} to {LECTURE} of the {LECTURE} minutes" in plan
    for number, week in enumerate(slides_of_the_ten_weeks(), 1):
        minutes = 60 if number == 10 else 0  # an hour of talks
        for deck, first, last in week:
            slides = re.split(r"^##? ", DECKS[deck], flags=re.MULTILINE)[first : last + 1]
            stops = stops_of("\n".join(slides))
            minutes += SLIDE * (len(slides) - len(stops)) + minutes_of_all(stops)
        assert LECTURE / 2 <= minutes <= LECTURE, number
    assert GUIDE.count("an hour of short talks") == 1


@pytest.mark.parametrize("number", range(3))
def test_a_starter_project_runs_from_what_the_package_brings(number, capsys):
    cells = re.findall(
        r"^```python\n(.*?)^```$", GUIDE.partition("\n### Starter projects")[2], re.DOTALL | re.MULTILINE
    )
    assert len(cells) == 3
    exec(cells[number], {})
    assert capsys.readouterr().out.count("95 %") >= 2
