"""``classex restate``: a reported accuracy for another number of classes, and as information."""

from __future__ import annotations

import argparse
from typing import Any

from classex._validation import shown
from classex.cli.options import add_common, as_count, show

__all__ = ["add_parser"]

_DESCRIPTION = """\
Restate accuracies that were reported of one classifier for other numbers of classes: limits for every distribution,
the estimate of the default method, and the least information in bits.

A report is CLASSES:TOP:ACCURACY or CLASSES:TOP:ACCURACY:ERROR. 50:1:.62:.03 is a top-1 accuracy of .62 with 50 classes
and a standard error of .03, and 50:mean:3.2 a mean rank of 3.2 among 50.
"""


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    what = "restate a published accuracy for another number of classes"
    form = argparse.RawDescriptionHelpFormatter
    parser = subparsers.add_parser("restate", help=what, description=_DESCRIPTION, formatter_class=form)
    parser.add_argument("reports", nargs="+", type=_report, help="what was reported, such as 50:1:.62:.03")
    parser.add_argument("--to", nargs="+", type=as_count, required=True, metavar="K", help="numbers of classes")
    parser.add_argument(
        "--top", type=int, default=1, help="count a point as correct if its label is among the TOP best"
    )
    parser.add_argument("--shape", default="any", help="density of the favourability: any (default) or increasing")
    add_common(parser, _run, "the limits")


def _report(text: str) -> tuple[Any, ...]:
    try:
        return tuple(part if part == "mean" else float(part) for part in text.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers such as 50:1:.62:.03, not {shown(text)}") from None


def _run(arguments: argparse.Namespace) -> None:
    from classex import restate

    options = {name: getattr(arguments, name) for name in ("top", "shape", "confidence_level")}
    show(arguments, restate(arguments.reports, n_classes=arguments.to, **options), file=None)
