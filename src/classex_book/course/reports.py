"""Marks as files: a row for each exercise, a row for each student, and a page of feedback for each student."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from string import Template

from classex.io.tables import atomic_text
from classex_book.course.exercises import exercise
from classex_book.course.marks import Mark, MarkedNotebook, printable
from classex_book.course.recorded import file_name
from classex_book.course.roster import CANVAS, Roster

_BY_HAND = "by hand"
_HEADER = ["student", "file", "exercise", "points", "of", "passed", "message", "late", "version"]


def write_marks(path: str | Path, notebooks: Iterable[MarkedNotebook]) -> None:
    """Write a row for each exercise of each notebook, and one for each notebook that could not be marked.

    The points of questions that are marked by hand are empty until somebody enters them into this file.
    """
    rows: list[Sequence[object]] = []
    for notebook in notebooks:
        own = (notebook.student, notebook.file)
        more = ("yes" if notebook.late else "", notebook.version)
        if notebook.error:
            rows.append([*own, "", 0, "", "no", notebook.error, *more])
        for mark in notebook.marks:
            passed = _BY_HAND if mark.of else "yes" if mark.passed else "no"
            rows.append([*own, mark.exercise, _points([mark]), mark.worth, passed, mark.message, *more])
    _write(path, _HEADER, rows)


def read_marks(path: str | Path) -> dict[str, MarkedNotebook]:
    """Read what `write_marks` wrote, with the points that were entered by hand: a notebook for each version.

    Raises
    ------
    ValueError
        If the file is another one, or points entered by hand are no number or too many.
    OSError
        If it cannot be read.
    """
    found: dict[str, MarkedNotebook] = {}
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != _HEADER:
            raise ValueError(f"{path} must have the columns {', '.join(_HEADER)} of a file that classex mark wrote")
        for row in reader:
            new = MarkedNotebook(row["file"], row["student"], (), version=row["version"])
            notebook = found.get(row["version"], new)
            if row["exercise"]:
                notebook = replace(notebook, marks=(*notebook.marks, _mark(row, path)))
            found[row["version"]] = notebook if row["exercise"] else replace(notebook, error=row["message"])
    return found


def _mark(row: dict[str, str], path: str | Path) -> Mark:
    of, by_hand = int(row["of"]), row["passed"] == _BY_HAND
    try:
        share = float(row["points"].replace(",", ".")) / of if row["points"].strip() else None
    except ValueError:
        share = -1.0
    if share is not None and not 0 <= share <= 1:
        words = f"{row['student']}, {row['exercise']}"
        raise ValueError(f"{path}: points must be a number from 0 to {of} ({words}), not {row['points']!r}")
    return Mark(row["exercise"], row["passed"] == "yes", row["message"], share, of if by_hand else 0)


def write_gradebook(
    path: str | Path, notebooks: Sequence[MarkedNotebook], roster: Roster | None = None, item: str = "exercises"
) -> None:
    """Write a row of points for each student, as learning platforms import them, with a column for the item.

    An exercise that a student returned in several notebooks counts once, the best. Questions that are marked by hand
    have columns of their own. With a roster there is a row for each of its students, with its own columns; if it is a
    gradebook of Canvas, the columns and the second row are those that Canvas imports. Without a roster the first row
    is the largest possible points.
    """
    notebooks = [notebook for notebook in notebooks if notebook.student]  # without those that are set aside
    best: dict[str, dict[str, Mark]] = {notebook.student: {} for notebook in notebooks}
    late = {notebook.student for notebook in notebooks if notebook.late}
    for notebook in notebooks:
        own = best[notebook.student]
        for mark in notebook.marks:
            if mark.exercise not in own or mark.points >= own[mark.exercise].points:
                own[mark.exercise] = mark
    every = {name: mark for own in best.values() for name, mark in own.items()}
    parts = {item: [name for name, mark in every.items() if not mark.of]}
    parts |= {name: [name] for name, mark in every.items() if mark.of}
    most = [str(sum(every[name].worth for name in names)) for names in parts.values()]
    canvas = roster is not None and set(CANVAS) <= set(roster.columns)
    if roster is None:
        columns, people = ["student"], {student: [student] for student in best}
        rows = [["maximum", *most, ""]]
    else:
        columns = list(CANVAS if canvas else roster.columns)
        places = [roster.columns.index(column) for column in columns]
        people = {roster.student(i): [entries[j] for j in places] for i, entries in enumerate(roster.rows)}
        rows = [["    Points Possible", "", "", "", "", *most]] if canvas else []
    for student, entries in people.items():
        own = best.get(student, {})
        points = [_points([own[name] for name in names if name in own]) for names in parts.values()]
        rows.append([*entries, *points, "yes" if student in late else ""])
    # Canvas takes every column for an assignment
    width = len(columns) + len(parts) + bool(late and not canvas)
    _write(path, [*columns, *parts, "late"][:width], [row[:width] for row in rows])


def _points(marks: Sequence[Mark]) -> str:
    """Points won; empty if there is nothing, or if something is still to be marked by hand."""
    done = bool(marks) and all(mark.share is not None for mark in marks)
    return f"{sum(mark.points for mark in marks):g}" if done else ""


def write_feedback(folder: str | Path, notebooks: Iterable[MarkedNotebook], book: str = "") -> list[Path]:
    """Write a page for each student: what passed, and what the checker said about the rest.

    Titles link to the exercises of the book at this address, if one is given.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    template = Template(files("classex_book.course").joinpath("feedback.html").read_text(encoding="utf-8"))
    students: dict[str, list[MarkedNotebook]] = {}
    for notebook in notebooks:
        if notebook.student:
            students.setdefault(notebook.student, []).append(notebook)
    written: list[Path] = []
    for student, own in students.items():
        name = file_name(student)
        page = target / f"{name}.html"
        if page in written:
            page = target / f"{name}-{len(written)}.html"
        body = "\n".join(_section(notebook, book) for notebook in own)
        atomic_text(page, template.substitute(student=html.escape(student), body=body))
        written.append(page)
    return written


def _section(notebook: MarkedNotebook, book: str) -> str:
    heading = f"<h2>{html.escape(Path(notebook.file).name)}</h2>"
    if notebook.error:
        error = html.escape(printable(notebook.error.replace(notebook.file, Path(notebook.file).name)))
        return f"{heading}\n<p>This notebook could not be marked: {error}.</p>"
    items = "\n".join(_item(mark, book) for mark in notebook.marks)
    late = ", returned late" if notebook.late else ""
    points = f"{notebook.points:g} of {notebook.worth} points{late}"
    return f"{heading}\n<p>{points}.</p>\n<ul>\n{items}\n</ul>"


def _item(mark: Mark, book: str) -> str:
    title = f"<b>{html.escape(mark.exercise if mark.of else exercise(mark.exercise).title)}</b>"
    if book and not mark.of:
        address = f"{book.rstrip('/')}/notebooks/{exercise(mark.exercise).page}.html#{mark.exercise}"
        title = f'<a href="{html.escape(address)}">{title}</a>'
    waiting = mark.share is None
    points = "marked by hand" if waiting else f"{mark.points:g} of {mark.worth}"
    message = (
        ""
        if mark.passed or mark.of
        else "<br>" + html.escape(printable(mark.message.removeprefix(f"{mark.exercise}: ")))
    )
    kind = "waiting" if waiting else "passed" if mark.points == mark.worth else "failed"
    return f'<li class="{kind}">{title}, {points}{message}</li>'


def _write(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table in which no spreadsheet takes an entry for a formula."""
    plain = [["\n".join(map(printable, str(one).split("\n"))) for one in row] for row in rows]
    harmless = [[f"'{one}" if one.startswith(tuple("=+-@\t")) else one for one in row] for row in plain]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *harmless])
    atomic_text(Path(path), text.getvalue())
