"""``classex extrapolate``: accuracy with more classes, from a score file."""

from __future__ import annotations

import argparse
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classex._extras import needed_for
from classex.cli.options import add_common, as_json

if TYPE_CHECKING:
    from classex.results import ExtrapolationResult

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    from classex.methods import DEFAULT_METHOD, METHODS

    parser = subparsers.add_parser(
        "extrapolate",
        help="predict the accuracy with more classes",
        description="Predict the average accuracy, or another metric of the rank, with other numbers of classes, with"
        " intervals, from the scores of test points on the observed classes. Assumed: these are a random sample of the"
        " classes that will come, and the score of a class does not depend on which others take part.",
    )
    parser.add_argument(
        "scores",
        help=".npz with arrays scores and labels, or .csv, .tsv or .parquet with a column label; - is standard input",
    )
    parser.add_argument("--to", nargs="+", type=float, required=True, metavar="K", help="numbers of classes")
    parser.add_argument("--method", default=DEFAULT_METHOD, help=f"{', '.join(METHODS)} (default {DEFAULT_METHOD})")
    parser.add_argument(
        "--metric", default="accuracy", help="accuracy, recall@10, mrr, ndcg@10, map@10 and so on (default accuracy)"
    )
    parser.add_argument(
        "--top", type=int, default=1, help="count a point as correct if its label is among the best TOP"
    )
    parser.add_argument("--target", default="average", help="what intervals are for: average, fresh or superset")
    parser.add_argument("--no-intervals", action="store_true", help="predictions only")
    parser.add_argument("--plot", metavar="FILE", help="draw the curve (.png, .pdf or .svg)")
    add_common(parser, _run, "the intervals")


def _run(arguments: argparse.Namespace) -> None:
    from classex import extrapolate, load_scores
    from classex._progress import progress_bars

    if arguments.plot is not None:
        _check_plot(Path(arguments.plot))
    scores, labels, classes = load_scores(arguments.scores)
    with warnings.catch_warnings(record=True) as caught, progress_bars():
        warnings.simplefilter("always")
        result = extrapolate(
            scores,
            labels,
            n_classes=arguments.to,
            method=arguments.method,
            metric=arguments.metric,
            top=arguments.top,
            confidence_level=arguments.confidence_level,
            target=None if arguments.no_intervals else arguments.target,
            classes=classes,
        )
    for one in caught:
        print(f"classex extrapolate: warning: {one.message}", file=sys.stderr)
    if arguments.plot is not None:
        _plot(Path(arguments.plot), result)
    print(as_json(result.to_dict(), arguments, file=arguments.scores) if arguments.json else result)


def _plot(file: Path, result: ExtrapolationResult) -> None:
    from matplotlib.figure import Figure

    from classex.io.tables import atomic_write

    ax = Figure(figsize=(6.4, 4.0), layout="constrained").subplots()
    with atomic_write(file) as stream:
        result.plot(ax).figure_.savefig(stream, format=file.suffix[1:].lower(), dpi=150)


def _check_plot(file: Path) -> None:
    """Refuse a file that cannot be drawn before the work begins."""
    if file.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise ValueError(f"--plot must name a .png, .pdf or .svg file, not {file}")
    if not file.parent.is_dir():
        raise ValueError(f"--plot names a file in {file.parent}, which is no directory")
    with needed_for("--plot"):
        import_module("matplotlib.figure")
