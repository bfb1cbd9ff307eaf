"""Commands with few options: restate, unique, example."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from classex import restate
from classex._checks import shown
from classex._types import IntArray
from classex.cli.options import add_command, add_common, as_count, show
from classex.fields.reidentification import population_risk
from classex.io.archives import LOG
from classex.io.example_files import EXAMPLE_FILES, example_file
from classex.io.tables import Table, atomic_text, read_table

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the commands to the parsers of ``classex``."""
    what = "restate a published accuracy for another number of classes"
    parser = add_command(subparsers, "restate", _restate, what)
    parser.add_argument("reports", nargs="+", type=_report, help="what was reported, such as 50:1:.62:.03")
    parser.add_argument("--to", nargs="+", type=as_count, required=True, metavar="K", help="numbers of classes")
    how = "count a point as correct if its label is among the TOP best"
    parser.add_argument("--top", type=int, default=1, help=how)
    parser.add_argument("--shape", default="any", help="density of the favourability: any (default) or increasing")
    add_common(parser, "the limits")
    what = "share of a population that is unique, from a sample of people"
    parser = add_command(subparsers, "unique", _unique, what)
    parser.add_argument("people", help="people (.csv, .tsv, .jsonl, .gz, .parquet or -)")
    parser.add_argument("--columns", nargs="+", default=[], metavar="NAME", help="quasi-identifiers (default: all)")
    parser.add_argument("--to", nargs="+", type=as_count, required=True, metavar="N", help="people in the population")
    add_common(parser, "the intervals")
    what = "write small files to try the other commands on"
    parser = add_command(subparsers, "example", _example, what, f"\nThey are {', '.join(EXAMPLE_FILES)}.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="where to write them (default here)")


def _report(text: str) -> tuple[Any, ...]:
    try:
        return tuple(part if part == "mean" else float(part) for part in text.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers such as 50:1:.62:.03, not {shown(text)}") from None


def _restate(arguments: argparse.Namespace) -> None:
    """Restate accuracies that were reported of one classifier for other numbers of classes: limits for every
    distribution, the estimate of the default method, and the least information in bits.

    A report is CLASSES:TOP:ACCURACY or CLASSES:TOP:ACCURACY:ERROR. 50:1:.62:.03 is a top-1 accuracy of .62 with 50
    classes and a standard error of .03, and 50:mean:3.2 a mean rank of 3.2 among 50.
    """
    options = {name: getattr(arguments, name) for name in ("top", "shape", "confidence_level")}
    show(arguments, restate(arguments.reports, n_classes=arguments.to, **options), file=None)


def _unique(arguments: argparse.Namespace) -> None:
    """Uniqueness and risks of re-identification in a population, from a table of people sampled at random from it.

    The file (.csv, .tsv, .jsonl or .parquet, packed or not, or - for standard input) has a header and a row for each
    person. People with equal entries in all --columns, their quasi-identifiers, are in one cell (equivalence class). By
    default every column counts. With --to N the risks are those in a population of N people: the share that is unique;
    the marketer risk, which is the share of right links; the number of cells; and for people who are unique in the
    sample, the chance that they stay unique, and their journalist risk, the mean of one over the people in their cell.
    The column limits has what every distribution of people over cells allows, however many cells there are.
    """
    table = read_table(arguments.people, *arguments.columns)
    sizes = _cells(table, arguments.columns)
    risk = population_risk(sizes, n_people=arguments.to, confidence_level=arguments.confidence_level)
    show(arguments, risk, file=arguments.people)


def _cells(table: Table, columns: list[str]) -> IntArray:
    """Numbers of people in the cells; refuse a column of identifiers that nobody named."""
    names = columns or [table.header[i] for i in table.others()]
    texts = [table.texts(name) for name in names]
    for name, column in zip(names, texts, strict=True):
        if not columns and len(set(column)) == len(column) > 1:
            raise ValueError(
                f"{table.name}: column {shown(name)} differs in every row, as an identifier does: name the attributes"
                " that an attacker knows in --columns"
            )
        if empty := column.count(""):
            LOG.info("%s: column %s is empty in %d rows, which count as equal in it", table.name, shown(name), empty)
    return np.unique(np.array(texts), axis=1, return_counts=True)[1]


def _example(arguments: argparse.Namespace) -> None:
    """Write small files to try the other commands on."""
    targets = [arguments.folder / name for name in EXAMPLE_FILES]
    for target in targets:
        if target.exists():
            raise FileExistsError(f"{target} exists: name another folder")
    for target in targets:
        atomic_text(target, example_file(target.name).read_text(encoding="utf-8"))
        print(target)
