"""``classex pass-at-k``: the share of problems solved in k attempts, from a table of successes."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from classex._validation import shown
from classex.attempts.solved import pass_at_k
from classex.cli.options import add_common, show
from classex.io import load_columns
from classex.io.archives import File, read_file
from classex.io.tables import read_table

__all__ = ["add_parser"]

_DESCRIPTION = """\
pass@k from counts: without bias up to the trials made, extrapolated beyond them.

The file (.csv, .tsv, .jsonl, packed or not, .npz, .parquet with pandas, or - for standard input) has
the columns successes and trials, and one line a problem; or task_id and passed, and one line an
attempt, as HumanEval writes them.

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
    parser.add_argument("results", help="counts (.csv, .tsv, .jsonl, .gz, .npz, .parquet or -)")
    parser.add_argument("--k", nargs="+", type=float, required=True, metavar="K", help="numbers of attempts")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--stopped", action="store_true", help="each problem was tried until its first success")
    how.add_argument("--batch", type=int, metavar="B", help="each was tried in batches of B until one held a success")
    how.add_argument("--fixed", action="store_true", help="the numbers of trials were fixed in advance")
    add_common(parser, _run, "the intervals")


def _run(arguments: argparse.Namespace) -> None:
    successes, trials = _counts(read_file(arguments.results))
    stopped: bool | int | None = True if arguments.stopped else False if arguments.fixed else arguments.batch
    found = pass_at_k(successes, trials, arguments.k, stopped=stopped, confidence_level=arguments.confidence_level)
    show(arguments, found, file=arguments.results)


def _counts(file: File) -> tuple[Any, Any]:
    """Successes and trials of each problem; a row an attempt is counted."""
    if not file.is_archive and "passed" in (table := read_table(file)).header:
        table = read_table(file, "task_id", "passed")
        passed = [{"true": "1", "false": "0"}.get(one.lower(), one) for one in table.texts("passed")]
        bad = next((one for one in passed if one not in ("0", "1")), None)
        if bad is not None:
            raise ValueError(f"{table.name}: passed must be true or false, not {shown(bad)}")
        problem = np.unique(table.texts("task_id"), return_inverse=True)[1]
        return np.bincount(problem, np.array(passed) == "1").astype(np.int64), np.bincount(problem)
    successes, trials = load_columns(file, "successes", "trials")
    return successes, trials
