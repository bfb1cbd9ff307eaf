"""``classex mark``: marks of returned student notebooks."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classex_book.course.marking import MarkedNotebook

_DESCRIPTION = """\
Mark returned student notebooks, each exercise in a process of its own, and print which ones the checkers accept.
A notebook that cannot be marked is named with the reason, and the others are marked all the same.

This executes the students' code with your rights, and it is no sandbox: run it where you would run their code, on an
account or in a container that holds nothing else. It finds mistakes; a determined cheat can deceive it.
"""


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "mark",
        help="marks of returned student notebooks (executes their code)",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("notebooks", nargs="+", help="notebooks (.ipynb) and folders of them")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds that one exercise may take (default 60)")
    parser.add_argument(
        "--jobs", type=int, default=1, help="exercises that run at the same time (default 1; 0: one a core)"
    )
    parser.add_argument(
        "--variant", type=int, metavar="N", help="count only checks of this edition (see classex edition)"
    )
    parser.add_argument("--exam", metavar="KEY", help="mark papers of an exam by its key.json (see classex edition)")
    parser.add_argument("--csv", metavar="FILE", help="write a row for each student and exercise")
    parser.add_argument("--gradebook", metavar="FILE", help="write a row of points for each student")
    parser.add_argument("--feedback", metavar="DIR", help="write a page (.html) for each student")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    from classex_book.course.exam import read_key
    from classex_book.course.marking import mark_notebooks
    from classex_book.course.reports import write_feedback, write_gradebook, write_marks
    from classex_book.course.students import find_notebooks

    limit = arguments.time_limit
    jobs = arguments.jobs or os.cpu_count() or 1
    variant = arguments.variant
    exam = None if arguments.exam is None else read_key(arguments.exam)
    if exam is not None and variant is not None:
        raise ValueError("--variant must not be given with --exam, whose key says the variants")
    notebooks = find_notebooks(arguments.notebooks)
    marked: list[MarkedNotebook] = []
    for result in mark_notebooks(notebooks, time_limit=limit, jobs=jobs, variant=variant, exam=exam):
        marked.append(result)
        for note in result.notes:
            print(f"classex mark: warning: {result.file}: {note}", file=sys.stderr)
        if not arguments.json:
            print(_text(result, f"[{len(marked)}/{len(notebooks)}] "), flush=True)
        # whatever happens later, what is marked is on the disk
        for path, write in ((arguments.csv, write_marks), (arguments.gradebook, write_gradebook)):
            if path:
                write(path, marked)
    if arguments.feedback:
        write_feedback(arguments.feedback, marked)
    if arguments.json:
        print(json.dumps([_plain(result) for result in marked], indent=2))


def _text(result: MarkedNotebook, number: str) -> str:
    if result.error:
        return f"{number}{result.error}"
    passed = sum(mark.passed for mark in result.marks)
    lines = [f"{number}{result.file}: {passed} of {len(result.marks)} passed, {result.points} of {result.worth} points"]
    width = max(len(mark.exercise) for mark in result.marks)
    lines += [
        f"  {mark.exercise:<{width}}  {'passed' if mark.passed else 'failed'}  {mark.message}".rstrip()
        for mark in result.marks
    ]
    return "\n".join(lines)


def _plain(result: MarkedNotebook) -> dict[str, Any]:
    marks = [{**vars(mark), "points": mark.points, "of": mark.worth} for mark in result.marks]
    notes = list(result.notes)
    return {"file": result.file, "student": result.student, "error": result.error, "notes": notes, "marks": marks}
