"""Marks as files: a row for each exercise, a row for each student, and a page of feedback for each student."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from classex.io.tables import atomic_text
from classex_book.course.marks import Mark, MarkedNotebook

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Exercises of {student}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
li {{ margin: 0.6rem 0; }}
.passed::marker {{ content: "✓  "; color: #1a7f37; }}
.failed::marker {{ content: "✗  "; color: #b3261e; }}
</style>
<h1>Exercises of {student}</h1>
{body}
</html>
"""


def write_marks(path: str | Path, notebooks: Iterable[MarkedNotebook]) -> None:
    """Write a row for each exercise of each notebook, and one for each notebook that could not be marked."""
    header = ["student", "file", "exercise", "difficulty", "points", "of", "passed", "message"]
    rows: list[Sequence[object]] = []
    for notebook in notebooks:
        own = (_harmless(notebook.student), _harmless(notebook.file))
        if notebook.error:
            rows.append([*own, "", "", 0, "", "no", _harmless(notebook.error)])
        for mark in notebook.marks:
            passed = "yes" if mark.passed else "no"
            rows.append([*own, mark.exercise, mark.worth, mark.points, mark.worth, passed, _harmless(mark.message)])
    _write(path, header, rows)


def write_gradebook(path: str | Path, notebooks: Iterable[MarkedNotebook]) -> None:
    """Write a row for each student with the points in each chapter and in all, as learning platforms import them.

    An exercise that a student returned in several notebooks counts once, if one of them passes. Chapters of which a
    student returned nothing are empty.
    """
    best: dict[str, dict[str, Mark]] = {}
    for notebook in notebooks:
        own = best.setdefault(notebook.student, {})
        for mark in notebook.marks:
            if mark.exercise not in own or mark.passed:
                own[mark.exercise] = mark
    chapters = sorted({name.split("-")[1] for own in best.values() for name in own}, key=lambda ch: int(ch[2:]))
    rows = []
    for student, own in best.items():
        points = {
            chapter: [mark.points for name, mark in own.items() if name.split("-")[1] == chapter]
            for chapter in chapters
        }
        sums = [sum(won) if won else "" for won in points.values()]
        rows.append([_harmless(student), *sums, sum(mark.points for mark in own.values())])
    _write(path, ["student", *(f"chapter {chapter[2:]}" for chapter in chapters), "total"], rows)


def write_feedback(folder: str | Path, notebooks: Iterable[MarkedNotebook]) -> list[Path]:
    """Write a page for each student: what passed, and what the checker said about the rest."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    students: dict[str, list[MarkedNotebook]] = {}
    for notebook in notebooks:
        students.setdefault(notebook.student, []).append(notebook)
    written: list[Path] = []
    for student, own in students.items():
        page = target / f"{_file_name(student, {path.stem for path in written})}.html"
        body = "\n".join(_section(notebook) for notebook in own)
        atomic_text(page, _PAGE.format(student=html.escape(student), body=body))
        written.append(page)
    return written


def _section(notebook: MarkedNotebook) -> str:
    heading = f"<h2>{html.escape(Path(notebook.file).name)}</h2>"
    notes = "".join(f"\n<p>Note: {html.escape(note)}.</p>" for note in notebook.notes)
    if notebook.error:
        return f"{heading}\n<p>This notebook could not be marked: {html.escape(notebook.error)}.</p>{notes}"
    items = "\n".join(
        f'<li class="{"passed" if mark.passed else "failed"}"><b>{mark.exercise}</b>, {mark.points} of {mark.worth}'
        f"{'' if mark.passed else '<br>' + html.escape(mark.message.removeprefix(mark.exercise + ': '))}</li>"
        for mark in notebook.marks
    )
    return f"{heading}\n<p>{notebook.points} of {notebook.worth} points.</p>{notes}\n<ul>\n{items}\n</ul>"


def _file_name(student: str, taken: set[str]) -> str:
    name = re.sub(r"[^\w.-]+", "_", student).strip("._") or "student"
    number, unique = 2, name
    while unique in taken:
        number, unique = number + 1, f"{name}-{number}"
    return unique


def _harmless(text: str) -> str:
    """The text so that no spreadsheet takes it for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t" and text else text


def _write(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *rows])
    atomic_text(Path(path), text.getvalue())
