"""Every chapter follows one template, so that a reader finds everything in its place; labs a lighter one.

A chapter has one or several pages. The first opens with a question and says what the chapter is about, the last ends
with pitfalls, summary and exercises, and every page further on says how long it takes.
"""

from __future__ import annotations

import re
from pathlib import Path

from classex_sphinx.minutes import LONGEST

from classex_book import quiz
from tests.book.contents import chapters
from tests.book.test_exercises import exercises_of

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CHAPTERS = chapters()
FIRST = [pages[0] for pages in CHAPTERS.values()]
LATER = [page for pages in CHAPTERS.values() for page in pages[1:]]
LABS = sorted(NOTEBOOKS.glob("lab_*.md"))
KINDS = {"by-hand", "by-code", "open"}


def body_of(path: Path) -> str:
    """The page without its header."""
    return path.read_text(encoding="utf-8").split("\n---\n", 1)[1]


def headings(path: Path) -> list[str]:
    """Headings of the page, with their hashes, those in code left out."""
    prose = re.sub(r"^(`{3,}).*?^\1`*$", "", body_of(path), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^#+ .+$", prose, re.MULTILINE)


def summary_box(path: Path) -> str:
    """The admonition at the head of the page."""
    (box,) = re.findall(r"^```\{admonition\} In this chapter\n(.*?)^```$", body_of(path), re.MULTILINE | re.DOTALL)
    return box


def test_the_chapter_opens_with_a_question():
    for path in FIRST:
        opening = body_of(path).split("```{admonition} In this chapter")[0].split("\n# ", 1)[1]
        question, *rest = re.split(r"^```\{.*?^```$", opening, flags=re.MULTILINE | re.DOTALL)
        assert "?" in question
        assert "{opening} fig-" in opening or "name: fig-" in opening
        answer = [*rest, *re.findall(r"^```\{opening\} \S+\n(.*?)^```$", opening, re.MULTILINE | re.DOTALL)]
        assert len(" ".join(answer).split()) >= 15
        assert len(opening.split()) >= 50


def test_a_later_page_says_what_it_is_for_and_how_long_it_takes():
    for path in LATER:
        opening = body_of(path).split("\n# ", 1)[1].split("\n## ")[0]
        assert len(opening.split("**Time.**")[0].split()) >= 15
        exercises = " to read, and about .+ for the .+ exercises" if exercises_of(path) else ""
        (minutes,) = re.findall(rf"^\*\*Time\.\*\* (\d+) minutes{exercises}\.$", opening, re.MULTILINE)
        assert 5 <= int(minutes) <= LONGEST


def test_the_box_says_what_why_and_how_long():
    for path in FIRST + LABS:
        box = summary_box(path)
        parts = ["**Objectives.** You will be able to", "**Assumes.** ", "**Time.** ", "**In the library.** "]
        places = [box.find(part) for part in parts]
        assert min(places) >= 0
        assert places == sorted(places)
        assert len(re.findall(r"^- .+[;.]$", box, re.MULTILINE)) >= 3
        assert 10 <= int(re.search(r"\*\*Time\.\*\* (\d+) minutes", box)[1]) <= LONGEST


def test_the_last_sections_are_the_same_everywhere():
    for number in CHAPTERS:
        sections = [heading[3:] for page in CHAPTERS[number] for heading in headings(page) if heading.startswith("## ")]
        sections = [
            section for section in sections if section not in ("Two proofs", "Three proofs")
        ]  # may stand between exercises and quiz
        tail = ["What can go wrong", "Summary", "Exercises", "Quiz", "Further reading"]
        assert sections[-len(tail) :] == tail
        assert len(sections) - len(tail) >= 4


def test_labs_end_with_pitfalls_and_a_summary():
    for path in LABS:
        sections = [heading[3:] for heading in headings(path) if heading.startswith("## ")]
        assert [section for section in sections if section in ("What can go wrong", "Summary")] == [
            "What can go wrong",
            "Summary",
        ]


def test_a_lab_has_three_checked_tasks_and_an_open_question():
    for path in LABS:
        tasks = exercises_of(path)
        assert len(tasks) == 3
        assert all(task.name.startswith("exr-labs-") and task.cells for task in tasks)
        assert body_of(path).count("```{admonition} An open question\n") == 1


def test_the_chapter_has_graded_exercises_and_a_quiz():
    for number in CHAPTERS:
        exercises = [exercise for page in CHAPTERS[number] for exercise in exercises_of(page)]
        assert len(exercises) >= 8
        assert {exercise.kind for exercise in exercises} - {"proof"} == KINDS
        assert all(exercise.title for exercise in exercises)
        assert len({exercise.title for exercise in exercises}) == len(exercises)
        assert all(exercise.name.startswith(f"exr-ch{int(number)}-") for exercise in exercises)
        # from the easier to the harder kinds
        kinds = [exercise.kind for exercise in exercises]
        assert kinds == sorted(kinds, key=["by-hand", "by-code", "open", "proof"].index)
        chapter, text = f"ch{int(number)}", "".join(map(body_of, CHAPTERS[number]))
        assert re.findall(r'^quiz\("(\w+)"\)$', text, re.MULTILINE) == [chapter]
        assert len(quiz(chapter).questions) >= 5


def test_a_proof_is_asked_for_with_its_minutes_and_given_in_full():
    for path in FIRST + LATER:
        text = body_of(path)
        for exercise in exercises_of(path):
            if exercise.kind == "proof":
                assert re.search(rf":label: {exercise.name}\n:class: proof min-\d+\n", text)
                solution = text.split(f"{{solution-start}} {exercise.name}\n")[1].split("{solution-end}")[0]
                assert len(solution.split()) >= 60
                assert exercise.cells == []
