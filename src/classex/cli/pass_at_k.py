"""``classex pass-at-k``: the share of problems solved in k attempts, from a table of successes."""

from __future__ import annotations

import argparse
from typing import Any

from classex.attempts.solved import PassAtK, pass_at_k
from classex.cli.options import as_json, file_after_numbers, number, whole_number
from classex.io import load_columns

__all__ = ["add_parser"]

_DESCRIPTION = """\
pass@k from counts: without bias up to the trials made, extrapolated beyond them.

The file (.csv or .tsv, packed by gzip or not, .npz, .parquet where a reader is installed, or - for standard
input) has a column successes and a column trials, and one line a problem.

Trials that stopped at a success need --stopped or --batch: without it the estimate would be biased. A file whose
trials clearly depend on the successes is refused, unless --fixed says that the numbers were fixed in advance.
"""


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "pass-at-k",
        help="share of problems that at least one of k attempts solves",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", nargs="?", help="counts (.csv, .tsv, .gz, .npz, .parquet or -)")
    parser.add_argument("--k", nargs="+", required=True, metavar="K", help="numbers of attempts")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--stopped", action="store_true", help="each problem was tried until its first success")
    how.add_argument("--batch", metavar="B", help="each was tried in batches of B until one held a success")
    how.add_argument("--fixed", action="store_true", help="the numbers of trials were fixed in advance")
    parser.add_argument("--confidence-level", default="0.95", metavar="LEVEL", help="of the intervals (default 0.95)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    name, values = file_after_numbers(arguments.results, arguments.k, "--k")
    successes, trials = load_columns(name, "successes", "trials")
    level = number(arguments.confidence_level, "--confidence-level")
    stopped: bool | int | None = True if arguments.stopped else False if arguments.fixed else None
    if arguments.batch is not None:
        stopped = whole_number(arguments.batch, "--batch")
    attempts = [number(k, "--k") for k in values]
    found = pass_at_k(successes, trials, attempts, stopped=stopped, confidence_level=level)
    print(as_json(_contents(found), arguments, file=name) if arguments.json else found)


def _contents(found: PassAtK) -> dict[str, Any]:
    return {
        "k": found.k.tolist(),
        "pass_at_k": found.value.tolist(),
        "standard_error": found.standard_error.tolist(),
        "interval": found.interval.tolist(),
        "limits": found.limits.tolist(),
        "extrapolated": found.extrapolated.tolist(),
        "confidence_level": found.confidence_level,
        "n_problems": found.n_problems,
        "n_unsolved": found.n_unsolved,
    }
