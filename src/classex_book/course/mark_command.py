"""Mark returned student notebooks, each in a process of its own, and print which exercises the checkers accept.

A notebook that cannot be marked is named with the reason, and the others are marked all the same.

This executes the students' code with your rights, and it is no sandbox: run it where you would run their code, on an
account or in a container that holds nothing else. It finds mistakes; a determined cheat can deceive it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classex_book.course.marks import MarkedNotebook


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "mark",
        help="marks of returned student notebooks (executes their code)",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("notebooks", nargs="+", help="notebooks (.ipynb) and folders of them")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds that a cell may take (default 60)")
    parser.add_argument("--jobs", type=int, default=1, help="notebooks that run at the same time; 0: one a core")
    parser.add_argument("--exam", metavar="KEY", help="mark papers of an exam by its key.json (see classex edition)")
    parser.add_argument("--csv", metavar="FILE", help="write a row for each student and exercise")
    parser.add_argument("--gradebook", metavar="FILE", help="write a row of points for each student")
    parser.add_argument("--feedback", metavar="DIR", help="write a page (.html) for each student")
    parser.add_argument("--roster", metavar="FILE", help="students (CSV): a platform's gradebook or participants")
    parser.add_argument("--item", default="exercises", help="name of the gradebook's column (default exercises)")
    parser.add_argument("--deadline", type=datetime.fromisoformat, metavar="TIME", help="such as 2026-01-31T23:59")
    parser.add_argument("--resume", action="store_true", help="keep what the file of --csv says; mark what is missing")
    parser.add_argument("--book", default="", metavar="URL", help="address of the book, to which the feedback links")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    from classex_book.course.exam import read_key
    from classex_book.course.marking import mark_notebooks
    from classex_book.course.reports import read_marks, write_feedback, write_gradebook, write_marks
    from classex_book.course.roster import read_roster
    from classex_book.course.students import find_notebooks

    exam = None if arguments.exam is None else read_key(arguments.exam)
    if arguments.resume and not arguments.csv:
        raise ValueError("--resume must be given with --csv, the file of the marks that there are")
    known = read_marks(arguments.csv) if arguments.csv and Path(arguments.csv).exists() else {}
    entered = any(mark.of and mark.share is not None for old in known.values() for mark in old.marks)
    if entered and not arguments.resume:
        raise ValueError(f"{arguments.csv} has points entered by hand: add --resume, or name another file")
    roster = None if arguments.roster is None else read_roster(arguments.roster)
    notebooks = find_notebooks(arguments.notebooks, roster)
    versions = {file: _version(file, exam) for file, _ in notebooks}
    kept = {version for version, old in known.items() if arguments.resume and not old.error}
    fresh = [(file, student) for file, student in notebooks if versions[file] not in kept]
    marked = [
        replace(known[versions[file]], student=student, late=_late(file, arguments.deadline))
        for file, student in notebooks
        if versions[file] in kept
    ]
    jobs = arguments.jobs or os.cpu_count() or 1
    results = mark_notebooks(fresh, time_limit=arguments.time_limit, jobs=jobs, exam=exam)
    try:
        for (file, _), result in zip(fresh, results, strict=True):
            marked.append(replace(result, late=_late(file, arguments.deadline), version=versions[file]))
            _report(marked[-1], f"[{len(marked)}/{len(notebooks)}] ")
            if arguments.csv:  # whatever happens later, what is marked is on the disk
                write_marks(arguments.csv, marked)
    finally:
        results.close()
        if arguments.csv:
            write_marks(arguments.csv, marked)
        if arguments.gradebook:
            write_gradebook(arguments.gradebook, marked, roster, arguments.item)
        if arguments.feedback:
            write_feedback(arguments.feedback, marked, arguments.book)


def _version(file: Path, exam: object) -> str:
    """Digest of a file's bytes and of what it is marked for."""
    data = file.read_bytes() if file.is_file() else b""
    return hashlib.sha256(data + repr((str(file), exam)).encode()).hexdigest()[:16]


def _late(file: Path, deadline: datetime | None) -> bool:
    """Whether the platform says so, or the file's time is after the deadline."""
    if "_LATE_" in file.name:
        return True
    return deadline is not None and file.is_file() and file.stat().st_mtime > deadline.timestamp()


def _report(result: MarkedNotebook, number: str) -> None:
    for note in result.notes:
        print(f"classex mark: warning: {result.file}: {note}", file=sys.stderr)
    if result.error:
        print(f"{number}{result.error}", flush=True)
        return
    passed = sum(mark.passed for mark in result.marks)
    points = f"{result.points:g} of {result.worth} points{', late' if result.late else ''}"
    print(f"{number}{result.file}: {passed} of {len(result.marks)} passed, {points}")
    width = max(len(mark.exercise) for mark in result.marks)
    for mark in result.marks:
        verdict = "passed" if mark.passed else "by hand" if mark.of else f"failed  {mark.message}"
        print(f"  {mark.exercise:<{width}}  {verdict}", flush=True)
