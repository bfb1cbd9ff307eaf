"""``classex unique``: how many people of a population are alone with their attributes, from a table of a sample."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from classex._types import IntArray
from classex._validation import shown
from classex.cli.options import add_common, as_count, show
from classex.io.archives import LOG
from classex.io.tables import Table, read_table
from classex.reidentification import population_risk

__all__ = ["add_parser"]

_DESCRIPTION = """\
Uniqueness and risks of re-identification in a population, from a table of people sampled at random from it.

The file (.csv, .tsv, .jsonl or .parquet, packed or not, or - for standard input) has a header and a row for each
person. People with equal entries in all --columns, their quasi-identifiers, are in one cell (equivalence class). By
default every column counts. With --to N the risks are those in a population of N people: the share that is unique; the
marketer risk, which is the share of right links; the number of cells; and for people who are unique in the sample, the
chance that they stay unique, and their journalist risk, the mean of one over the people in their cell.
The column limits has what every distribution of people over cells allows, however many cells there are.
"""


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "unique",
        help="share of a population that is unique, from a sample of people",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("people", help="people (.csv, .tsv, .jsonl, .gz, .parquet or -)")
    parser.add_argument("--columns", nargs="+", default=[], metavar="NAME", help="quasi-identifiers (default: all)")
    parser.add_argument("--to", nargs="+", type=as_count, required=True, metavar="N", help="people in the population")
    add_common(parser, _run, "the intervals")


def _run(arguments: argparse.Namespace) -> None:
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
