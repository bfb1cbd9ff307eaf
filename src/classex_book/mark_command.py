"""``classex mark``: marks of returned student notebooks."""

from __future__ import annotations

import argparse
import json
from typing import Any

from classex.cli.options import number

__all__ = ["add_parser"]

_DESCRIPTION = """\
Mark returned student notebooks: run the set-up cell and every exercise cell, each exercise in a process of
its own, and print which ones the checkers accept.

This executes the students' code with your rights. Run it where you would run their code.
"""


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "mark",
        help="marks of returned student notebooks (executes their code)",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("notebooks", nargs="+", help="notebooks (.ipynb)")
    parser.add_argument("--time-limit", default="60", help="seconds that one exercise may take (default 60)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    from classex_book import mark_notebook

    limit = number(arguments.time_limit, "--time-limit")
    results = {name: mark_notebook(name, time_limit=limit) for name in arguments.notebooks}
    if arguments.json:
        listed = {name: [vars(mark) for mark in marks] for name, marks in results.items()}
        print(json.dumps(listed, indent=2))
        return
    for name, marks in results.items():
        print(f"{name}: {sum(mark.passed for mark in marks)} of {len(marks)} passed")
        width = max(len(mark.exercise) for mark in marks)
        for mark in marks:
            line = f"  {mark.exercise:<{width}}  {'passed' if mark.passed else 'failed'}  {mark.message}"
            print(line.rstrip())
