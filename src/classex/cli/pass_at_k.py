"""``classex pass-at-k``: the share of problems solved in k attempts, from counts or a log of attempts."""

from __future__ import annotations

import argparse
from typing import Any

from classex.attempts.solved import attempts_to_reach, pass_at_k, pass_hat_k
from classex.cli.options import add_common, show
from classex.io import load_attempts

__all__ = ["add_parser"]

_DESCRIPTION = """\
pass@k from counts: without bias up to the trials made, extrapolated beyond them.

The file (.csv, .tsv, .jsonl, packed or not, .npz, .parquet with pandas, or - for standard input) has
the columns successes and trials, and one line a problem; or task_id and passed, as HumanEval writes them, or id
and score, and one line an attempt; or a column of 0 and 1 for each attempt, and
one line a problem. --task and --outcome name other columns.

Trials that stopped at a success need --stopped or --batch: without it the estimate would be biased. A file whose
trials clearly depend on the successes is refused, unless --fixed says that the numbers were fixed in advance.
"""


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "pass-at-k",
        help="share of problems that at least one of k attempts solves, or all of them",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", help="counts or attempts (.csv, .tsv, .jsonl, .gz, .npz, .parquet or -)")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--k", nargs="+", type=float, metavar="K", help="numbers of attempts")
    what.add_argument("--coverage", type=float, metavar="SHARE", help="attempts until this share of problems is solved")
    parser.add_argument("--all", action="store_true", help="pass^k: all k attempts succeed, not one of them")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--stopped", action="store_true", help="each problem was tried until its first success")
    how.add_argument("--batch", type=int, metavar="B", help="each was tried in batches of B until one held a success")
    how.add_argument("--fixed", action="store_true", help="the numbers of trials were fixed in advance")
    parser.add_argument("--groups", metavar="COLUMN", help="column of groups, which are sampled as a whole")
    parser.add_argument("--task", metavar="COLUMN", help="column of the problem, in a log of attempts")
    parser.add_argument("--outcome", metavar="COLUMN", help="column of the outcome, in a log of attempts")
    parser.add_argument("--threshold", type=float, default=1.0, metavar="SCORE", help="least score of a success (1)")
    add_common(parser, _run, "the intervals")


def _run(arguments: argparse.Namespace) -> None:
    stopped: bool | int | None = True if arguments.stopped else False if arguments.fixed else arguments.batch
    if arguments.all and (arguments.coverage is not None or stopped):
        raise ValueError("--all takes --k, and trials that were fixed in advance")
    successes, trials, groups = load_attempts(
        arguments.results,
        task=arguments.task,
        outcome=arguments.outcome,
        group=arguments.groups,
        threshold=arguments.threshold,
    )
    given: dict[str, Any] = {"groups": groups, "confidence_level": arguments.confidence_level}
    if arguments.all:
        show(arguments, pass_hat_k(successes, trials, arguments.k, **given), file=arguments.results)
    elif arguments.coverage is not None:
        cost = attempts_to_reach(successes, trials, arguments.coverage, stopped=stopped, **given)
        show(arguments, cost, file=arguments.results)
    else:
        show(arguments, pass_at_k(successes, trials, arguments.k, stopped=stopped, **given), file=arguments.results)
