"""``classex open-set``: error rates of open-set identification, at the size searched or beyond."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import numpy as np

from classex._checks import shown
from classex.cli.options import COUNT, add_command, as_count, check_plot, draw, scores_options, show
from classex.fields import open_set
from classex.io import load_pairs, load_searches
from classex.io.archives import File, read_file
from classex.io.formats import chosen
from classex.io.tables import Head, read_table

__all__ = ["add_parser"]

# marks of a rate that was not published
_MISSING = ("", "_", "-", "NA")


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    add_command(subparsers, "open-set", _run)


def _run(arguments: argparse.Namespace) -> None:
    """False positive and false negative identification rates (ISO/IEC 19795-1: FPIR(N, T) and FNIR(N, R, T)) at some
    thresholds or, without --threshold, at a grid of them; or FNIR at given FPIR.

    The file (.npz) holds the arrays scores (mated searches by enrolled samples), labels (the column of each mated
    search) and nonmated_scores (searches of people who are not enrolled), and may hold nonmated_labels (these people)
    and enrolled_labels (the identities of the columns). Or it is a table (.csv, .tsv, .jsonl, .parquet with pandas)
    with a column label and a column for each enrolled sample, named by the identity; rows whose label names no column
    are non-mated searches. A list of candidates has the columns search, candidate, score and label (empty where the
    person is not enrolled), or probe, gallery_id, similarity and mate; scores below the lists are not known, so that
    rates are exact at thresholds that all lists reach. --gallery is the number enrolled when the lists were made. A
    search that returned nobody has one row, with an empty candidate and an empty score. Pairs of samples with the
    columns genuine or mated (1 or 0) and score or similarity give the rates of verification, FMR and FNMR, the equal
    error rate and the detection cost. If columns name the people of a pair (enrol and test, speaker1 and speaker2 or
    the like, or speaker alone), intervals are over people.

    A score of -inf leaves a comparison out. Up to the number of enrolled identities the rates are
    averages over all subsets; beyond, they are extrapolated, which takes seconds for each threshold.

    Published rates, such as NIST's, need no searches: --curve nist.csv --points 150000 --fpir 0.003 --to 48M
    continues FNIR at FPIR 0.003 (without --fpir, FNIR at rank 1 without a threshold). The table has a row for each
    algorithm and a column for each N (1600000 or N=1.6M), or the columns N and FNIR or FPIR; others name the algorithm.
    """
    if arguments.curve is not None:
        show(arguments, _published(arguments), file=arguments.curve)
        return
    if arguments.searches is None or arguments.points is not None or arguments.rate is not None:
        raise ValueError("give a file of searches, or --curve with --points and perhaps --rate")
    check_plot(arguments.plot)
    file = read_file(arguments.searches)
    if sum(bool(COUNT.fullmatch(name)) for name in Head(file).names) > 1 and not Head(file).has("label"):
        raise ValueError(f"{file.name} has a column for each N: published rates go with --curve {file.name}")
    kind = chosen(Head(file), ("searches", "pairs"), arguments.format)
    results = (_pairs if "pairs" in kind.of else _searches)(file, arguments)
    values = {"results": [rates.to_dict() for rates in results]}
    show(arguments, *results, file=arguments.searches, values=values)


def _published(arguments: argparse.Namespace) -> Any:
    """Continue published rates."""
    others = ("searches", "threshold", "plot", "format", "gallery")
    if any(getattr(arguments, name) is not None for name in others) or arguments.eer or arguments.rank != 1:
        raise ValueError("--curve goes without searches, and with --points, --to, --rate and --fpir alone")
    if not arguments.points or not arguments.enrolled or len(arguments.fpir or [0]) > 1:
        raise ValueError("--curve needs --points and --to, and takes one --fpir")
    kind, rates = _rates(arguments.curve)
    if kind and arguments.rate and kind != arguments.rate:
        raise ValueError(f"--rate is {arguments.rate}, but the table has the column {kind}")
    algorithms, sizes = list(dict.fromkeys(name for name, _ in rates)), sorted({n for _, n in rates})
    return open_set.extrapolate_published_rates(
        sizes,
        [[rates.get((name, n), np.nan) for n in sizes] for name in algorithms],
        n_enrolled=arguments.enrolled,
        n_searches=arguments.points,
        rate=kind or arguments.rate or "fnir",
        fpir=arguments.fpir[0] if arguments.fpir else None,
        algorithms=algorithms,
        confidence_level=arguments.confidence_level,
    )


def _rates(file: str) -> tuple[Any, dict[tuple[str, int], float]]:
    """Return the kind of published rates, if a column says it, and the rates by algorithm and number enrolled."""
    table = read_table(file)
    table.entries[np.isin(table.entries.astype(str), _MISSING)] = "nan"
    header = [name.strip().lower() for name in table.header]
    kinds = [name for name in header if name in ("fnir", "fpir")]
    columns = [i for i, name in enumerate(header) if COUNT.fullmatch(name)]
    if long := "n" in header and len(kinds) == 1:
        columns = [header.index(kinds[0])]
    elif len(columns) < 2:
        raise ValueError(f"{table.name} must have the columns N and FNIR or FPIR, or a column for each N")
    named = [i for i, name in enumerate(header) if i not in columns and not (long and name == "n")]
    rates: dict[tuple[str, int], float] = {}
    for row, values in zip(table.entries, table.numbers(columns), strict=True):
        for column, value in zip(columns, values, strict=True):
            try:
                n = as_count(str(row[header.index("n")]) if long else header[column])
            except argparse.ArgumentTypeError as error:
                raise ValueError(f"{file}: numbers of people {error}") from None
            key = " ".join(str(row[i]) for i in named) or "given", n
            if key in rates:
                raise ValueError(f"{table.name}: {shown(key[0])} has two rates with N = {n}")
            rates[key] = value
    return kinds[0] if long else "", rates


def _pairs(file: File, arguments: argparse.Namespace) -> list[Any]:
    if arguments.enrolled or arguments.gallery or arguments.rank != 1 or arguments.fpir:
        raise ValueError("--to, --gallery, --rank and --fpir go with searches, not with pairs: these have --fmr")
    options = {"thresholds": arguments.threshold, "confidence_level": arguments.confidence_level}
    curve = open_set.verification_curve(*load_pairs(file), **options)
    draw(arguments.plot, curve)
    if arguments.eer:
        return [curve.equal_error_rate()]
    if arguments.min_dcf is not None:
        return [curve.detection_cost(arguments.min_dcf)]
    return [curve if arguments.fmr is None else curve.fnmr_at_fmr(arguments.fmr)]


def _searches(file: File, arguments: argparse.Namespace) -> list[Any]:
    if arguments.fmr is not None or arguments.min_dcf is not None:
        raise ValueError("--fmr and --min-dcf go with pairs, not with searches: these have --fpir")
    searches = load_searches(file, gallery=arguments.gallery, **scores_options(arguments))
    given = searches[:3]
    options: dict[str, Any] = {
        "nonmated_labels": searches.nonmated_labels,
        "enrolled_labels": searches.enrolled_labels,
        "confidence_level": arguments.confidence_level,
        "top": arguments.rank,
    }
    n = given[0].shape[1] if given[0].ndim == 2 else 0
    if searches.enrolled_labels is not None:
        n = np.unique(searches.enrolled_labels).size
    cuts, sizes = arguments.threshold, arguments.enrolled or [None]
    beyond = [size for size in sizes if size and size > n > 0]
    near = [size for size in sizes if size not in beyond]
    low = searches.complete_from
    curves = [open_set.open_set_curve(*given, cuts, n_enrolled=size, **options) for size in near]
    results: list[Any] = [replace(curve, complete_from=low) for curve in curves]
    if beyond:
        results.append(open_set.extrapolate_open_set(*given, cuts, n_enrolled=beyond, complete_from=low, **options))
    draw(arguments.plot, *results)
    if arguments.eer:
        return [rates.equal_error_rate() for rates in results]
    return [rates if arguments.fpir is None else rates.fnir_at_fpir(arguments.fpir) for rates in results]
