"""``classex open-set``: error rates of open-set identification, at the size searched or beyond."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from classex.cli.options import add_common, add_format, check_plot, draw, names_of, show
from classex.io import load_pairs, load_searches
from classex.io.archives import File, read_file
from classex.io.formats import chosen
from classex.io.head import Head
from classex.open_set import extrapolate_open_set, open_set_curve, verification_curve

__all__ = ["add_parser"]

_DESCRIPTION = """\
False positive and false negative identification rates (ISO/IEC 19795-1: FPIR(N, T) and FNIR(N, R, T)) at some
thresholds or, without --threshold, at a grid of them; or FNIR at given FPIR.

The file (.npz) holds the arrays scores (mated searches by enrolled samples), labels (the column of each mated search)
and nonmated_scores (searches of people who are not enrolled), and may hold nonmated_labels (these people) and
enrolled_labels (the identities of the columns). Or it is a table (.csv, .tsv, .jsonl, .parquet with pandas) with a
column label and a column for each enrolled sample, named by the identity; rows whose label names no column are
non-mated searches. A list of candidates has the columns search, candidate, score and label (empty where the person
is not enrolled), or probe, gallery_id, similarity and mate; scores below the lists are not known, so that rates are
exact at thresholds that all lists reach. Pairs of samples with the columns genuine or mated (1 or 0) and score or
similarity give the rates of verification, FMR and FNMR, as FPIR and FNIR with one enrolled, and the equal error rate.
{formats}

A score of -inf leaves a comparison out. Up to the number of enrolled identities the rates are
averages over all subsets; beyond, they are extrapolated, which takes seconds for each threshold.
"""


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "open-set",
        help="error rates of a search among enrolled people when some are not enrolled",
        description=_DESCRIPTION.format(formats=names_of("searches", "pairs")),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("searches", help="searches (.npz, .csv, .tsv, .gz, .parquet or -)")
    parser.add_argument("--threshold", nargs="+", type=float, metavar="T", help="scores that a candidate must reach")
    points = parser.add_mutually_exclusive_group()
    points.add_argument("--fpir", nargs="+", type=float, metavar="RATE", help="print FNIR where FPIR has these values")
    parser.add_argument("--rank", type=int, default=1, metavar="R", help="the rank R of FNIR(N, R, T) (default 1)")
    parser.add_argument("--plot", metavar="FILE", help="draw the trade-off (.png, .pdf or .svg)")
    parser.add_argument(
        "--enrolled", nargs="+", type=int, metavar="N", help="numbers of enrolled identities (default: all)"
    )
    points.add_argument("--eer", action="store_true", help="print the equal error rate")
    add_format(parser)
    add_common(parser, _run, "the intervals")


def _run(arguments: argparse.Namespace) -> None:
    check_plot(arguments.plot)
    file = read_file(arguments.searches)
    kind = chosen(Head(file), ("searches", "pairs"), arguments.format)
    results = _pairs(file, arguments) if "pairs" in kind.of else _searches(file, arguments)
    draw(arguments.plot, *results)
    if arguments.eer:
        results = [one.equal_error_rate() for one in results]
    elif arguments.fpir is not None:
        results = [one.fnir_at_fpir(arguments.fpir) for one in results]
    values = {"results": [one.to_dict() for one in results]}
    show(arguments, *results, file=arguments.searches, values=values)


def _pairs(file: File, arguments: argparse.Namespace) -> list[Any]:
    if arguments.enrolled or arguments.rank != 1:
        raise ValueError("--enrolled and --rank go with searches, not with pairs")
    level = arguments.confidence_level
    return [verification_curve(*load_pairs(file), arguments.threshold, confidence_level=level)]


def _searches(file: File, arguments: argparse.Namespace) -> list[Any]:
    searches = load_searches(file, format=arguments.format)
    given = searches[:3]
    options: dict[str, Any] = {
        "nonmated_labels": searches.nonmated_labels,
        "enrolled_labels": searches.enrolled_labels,
        "confidence_level": arguments.confidence_level,
        "top": arguments.rank,
    }
    n = int(np.shape(given[0])[1]) if np.ndim(given[0]) == 2 else 0
    if searches.enrolled_labels is not None:
        n = np.unique(searches.enrolled_labels).size
    cuts, sizes = arguments.threshold, arguments.enrolled or [None]
    beyond = [size for size in sizes if size and size > n > 0]
    near = [size for size in sizes if size not in beyond]
    results: list[Any] = [open_set_curve(*given, cuts, n_enrolled=size, **options) for size in near]
    if beyond:
        results.append(extrapolate_open_set(*given, cuts, n_enrolled=beyond, **options))
    return results
