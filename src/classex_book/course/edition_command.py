"""Exercises of the book with other numbers, in one of two ways.

--papers N: an exam of N papers with different numbers and the key to each. A paper holds no check and not the seed;
mark what comes back with classex mark --exam FOLDER/key.json. With --checks, students can check themselves.

--bank N: N questions of every exercise for a learning platform, FOLDER/bank.xml (Moodle XML, with the answers).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "edition",
        help="exercises of the book with other numbers, exams and question banks, with their keys",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", help="where the files are written")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--papers", type=int, metavar="N", help="number of papers of an exam")
    kind.add_argument("--bank", type=int, metavar="N", help="questions of every exercise in a bank")
    parser.add_argument("--seed", metavar="WORD", help="of an exam or a bank: known to you alone (default: drawn)")
    parser.add_argument("--chapters", nargs="+", metavar="CH", help="such as ch1 ch3 (default all)")
    parser.add_argument("--exercises", type=int, metavar="COUNT", help="how many, for an exam (default all)")
    parser.add_argument("--digits", type=int, metavar="D", help="significant digits that an answer of an exam needs")
    parser.add_argument("--written", metavar="FILE", help="questions of an exam (TOML) that are marked by hand")
    parser.add_argument("--checks", action="store_true", help="let students check themselves: practice, not an exam")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    from classex_book.course.bank import write_bank
    from classex_book.course.exam import write_exam

    some: dict[str, Any] = {"seed": arguments.seed, "chapters": arguments.chapters}
    folder = Path(arguments.folder)
    if arguments.bank is not None:
        folder.mkdir(parents=True, exist_ok=True)
        written = write_bank(folder / "bank.xml", each=arguments.bank, **some)
        print(f"{folder / 'bank.xml'}: {written} questions")
        return
    some |= {"papers": arguments.papers, "n_exercises": arguments.exercises, "digits": arguments.digits}
    for path in write_exam(folder, written=arguments.written, checks=arguments.checks, **some):
        print(path)
