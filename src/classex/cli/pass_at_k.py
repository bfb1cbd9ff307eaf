"""``classex pass-at-k``: the share of problems solved in k attempts, from a table of successes."""

from __future__ import annotations

import argparse
from typing import Any

from classex.attempts.solved import pass_at_k
from classex.cli.options import add_common, as_json
from classex.io import load_columns
from classex.results import PassAtK

__all__ = ["add_parser"]

_DESCRIPTION = """\
pass@k from counts: without bias up to the trials made, extrapolated beyond them.

The file (.csv or .tsv, packed by gzip or not, .npz, .parquet with pandas, or - for standard
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
    parser.add_argument("results", help="counts (.csv, .tsv, .gz, .npz, .parquet or -)")
    parser.add_argument("--k", nargs="+", type=float, required=True, metavar="K", help="numbers of attempts")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--stopped", action="store_true", help="each problem was tried until its first success")
    how.add_argument("--batch", type=int, metavar="B", help="each was tried in batches of B until one held a success")
    how.add_argument("--fixed", action="store_true", help="the numbers of trials were fixed in advance")
    add_common(parser, _run, "the intervals")


def _run(arguments: argparse.Namespace) -> None:
    successes, trials = load_columns(arguments.results, "successes", "trials")
    stopped: bool | int | None = True if arguments.stopped else False if arguments.fixed else arguments.batch
    found = pass_at_k(successes, trials, arguments.k, stopped=stopped, confidence_level=arguments.confidence_level)
    print(as_json(_contents(found), arguments, file=arguments.results) if arguments.json else found)


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
