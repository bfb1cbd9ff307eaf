"""Mark returned student notebooks, and print which exercises the checkers accept. There are two steps:

classex mark run NOTEBOOKS --answers DIR: execute the students' code and collect what it answers. It needs no key.
classex mark judge DIR: judge these answers, with --exam KEY those of an exam's papers. No code of theirs runs.

Without a word, classex mark NOTEBOOKS takes both steps. What cannot be marked is listed, and the others are marked.

The first step executes the students' code on your account: run it where you would run their code, on an account or in a
container that holds nothing else. SECURITY.md in the sources says what is promised.
"""

from __future__ import annotations

import argparse
import signal
from datetime import datetime
from typing import Any

from classex._optional import needed_for


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "mark",
        help="marks of returned student notebooks (executes their code)",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "notebooks", nargs="+", help="run or judge, and notebooks (.ipynb), folders of them, or answers"
    )
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for a cell (60); ten times for all cells")
    parser.add_argument("--jobs", type=int, default=1, help="notebooks that run at the same time; 0: one a core")
    parser.add_argument("--answers", metavar="DIR", help="of run: where the answers are written")
    parser.add_argument("--exam", metavar="KEY", help="of judge: the key.json of an exam (see classex edition)")
    parser.add_argument("--set", nargs="+", metavar="WORD", default=(), help="chapters or exercises that count")
    parser.add_argument("--csv", metavar="FILE", help="write a row for each student and exercise")
    parser.add_argument("--gradebook", metavar="FILE", help="write a row of points for each student")
    parser.add_argument("--feedback", metavar="DIR", help="write a page (.html) for each student")
    parser.add_argument("--roster", metavar="FILE", help="students (CSV): a platform's gradebook or participants")
    parser.add_argument("--item", default="exercises", help="name of the gradebook's column (default exercises)")
    parser.add_argument("--deadline", type=datetime.fromisoformat, metavar="TIME", help="such as 2026-01-31T23:59")
    parser.add_argument("--resume", action="store_true", help="keep what --csv or --answers has; do what is missing")
    parser.add_argument("--book", default="", metavar="URL", help="address of the book, to which the feedback links")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    first, *rest = arguments.notebooks
    step, paths = (first, rest) if first in ("run", "judge") else ("", arguments.notebooks)
    if not paths:
        raise ValueError(f"classex mark {step} must be given {'notebooks' if step == 'run' else 'a folder of answers'}")
    if arguments.exam and step != "judge":
        raise ValueError("--exam must be given to classex mark judge: a key must not lie where papers run")
    if bool(arguments.answers) != (step == "run"):
        raise ValueError("--answers must be given to classex mark run, and to nothing else")
    judging = [
        name for name in ("csv", "gradebook", "feedback", "roster", "deadline", "set") if getattr(arguments, name)
    ]
    if judging and step == "run":
        raise ValueError(f"--{judging[0]} must be given to classex mark judge: classex mark run judges nothing")
    with needed_for("running notebooks"):
        from classex_book.course import mark_steps
        from classex_book.course.notebook_process import hide

    hide(True)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # a request to end is one to tidy up as well
    try:
        aside = mark_steps.collect(arguments, paths) if step == "run" else mark_steps.mark(arguments, paths, bool(step))
    finally:
        signal.signal(signal.SIGTERM, before)
        hide(False)
    return int(bool(aside))
