"""``classex pass-at-k``: the share of problems solved in k attempts, from counts or a log of attempts."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from classex._result import Result
from classex.cli.options import add_command, draw, show
from classex.fields.attempts import PairedDifference, attempts_to_reach, pass_at_k, pass_at_k_difference, pass_hat_k
from classex.io import LoadedAttempts, load_attempts

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    add_command(subparsers, "pass-at-k", _run)


def _run(arguments: argparse.Namespace) -> None:
    """Up to the trials made the estimate is without bias; beyond them it is extrapolated.

    The file (.csv, .tsv, .json, .jsonl, packed or not, .npz, .parquet or .arrow with pandas, or - for standard input)
    is recognised by the names of its columns or entries. It has a line a problem, with columns successes and trials, or
    a column of 0 and 1 for each attempt; or a record an attempt, as HumanEval, evalplus, SWE-bench, tau-bench,
    inspect_ai and lm-evaluation-harness write them. --task and --outcome name other columns. Several reports of
    SWE-bench are several attempts.

    Rows of one problem must be attempts of one kind. --by COLUMN keeps models, filters or scorers apart: it prints a
    table for each, and the differences on the same problems. With --by model --by task, models are compared within each
    task.

    Trials that stopped at a success need --stopped or --batch: without it the estimate would be biased. A file whose
    trials clearly depend on the successes is refused, unless --fixed says that the numbers were fixed in advance.
    """
    stopped: bool | int | None = True if arguments.stopped else False if arguments.fixed else arguments.batch
    if arguments.k is None and arguments.coverage is None:
        raise ValueError("give --to, numbers of attempts, or --coverage")
    if arguments.all and (arguments.coverage is not None or stopped):
        raise ValueError("--all takes --to, and trials that were fixed in advance")
    if arguments.coverage is not None and arguments.plot is not None:
        raise ValueError("--plot goes with --to")
    attempts = load_attempts(
        arguments.results,
        format=arguments.format,
        task=arguments.task,
        outcome=arguments.outcome,
        group=arguments.groups,
        by=arguments.by,
        threshold=arguments.threshold,
        success=arguments.success or (),
        empty=arguments.empty,
        n_problems=arguments.problems,
    )
    parts = attempts if arguments.by else {"": attempts}
    results = {name: _estimated(part, stopped, arguments) for name, part in parts.items()}
    file = " ".join(arguments.results)
    draw(arguments.plot, *results.values(), labels=[str(name) for name in results if name != ""], marker="o")
    if not arguments.by:
        show(arguments, results[""], file=file)
        return
    compared = [] if stopped or arguments.k is None or arguments.all else _compared(parts, arguments)
    by, differences = ", ".join(arguments.by), [difference.to_dict() for difference in compared]
    values = {by: {name: result.to_dict() for name, result in results.items()}, "differences": differences}
    titles = [f"{by} {name}" for name in results]
    show(arguments, *results.values(), *compared, file=file, values=values, titles=titles)


def _estimated(attempts: LoadedAttempts, stopped: bool | int | None, arguments: argparse.Namespace) -> Result:
    given: dict[str, Any] = {"groups": attempts.groups, "confidence_level": arguments.confidence_level}
    counts = attempts.successes, attempts.trials
    if arguments.all:
        return pass_hat_k(*counts, arguments.k, **given)
    if arguments.coverage is not None:
        return attempts_to_reach(*counts, arguments.coverage, stopped=stopped, **given)
    return pass_at_k(*counts, arguments.k, stopped=stopped, **given)


def _compared(parts: Mapping[str, LoadedAttempts], arguments: argparse.Namespace) -> list[PairedDifference]:
    """Differences of all pairs, on the problems that both tried, for numbers of attempts that all had."""
    out, apart = [], 0
    for (first, part), (second, other) in combinations(parts.items(), 2):
        if part.problems is None or other.problems is None:
            raise ValueError("--by needs a column that names the problems, so that they can be compared")
        _, left, right = np.intersect1d(part.problems, other.problems, return_indices=True)
        apart += left.size == 0
        if max(part.problems.size, other.problems.size) > left.size > 0:
            every = f"{part.problems.size} and {other.problems.size} problems"
            warnings.warn(f"{first} and {second} have {every}, of which {left.size} are the same", stacklevel=2)
        k = [k for k in arguments.k if left.size > 1 and k <= min(part.trials[left].min(), other.trials[right].min())]
        if k:
            counts = ((part.successes[left], part.trials[left]), (other.successes[right], other.trials[right]))
            groups = None if part.groups is None else part.groups[left]
            given: Any = {"names": (str(first), str(second)), "confidence_level": arguments.confidence_level}
            out.append(pass_at_k_difference(*counts, k, groups=groups, **given))
    if apart:
        n_pairs = len(parts) * (len(parts) - 1) // 2
        warnings.warn(f"{apart} of {n_pairs} pairs have no problem in common, and no difference", stacklevel=2)
    return out
