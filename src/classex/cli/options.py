"""Options that commands share, and what goes into JSON."""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from importlib import import_module
from inspect import getdoc
from itertools import zip_longest
from pathlib import Path
from textwrap import fill
from typing import Any, NoReturn

import numpy as np

import classex
from classex._checks import shown
from classex._optional import needed_for
from classex._result import Result
from classex.io.archives import LOG
from classex.io.formats import FORMATS

__all__ = ["HELP", "add_command", "add_common", "add_format", "metric_name", "show"]


# Names as trec_eval, BEIR, ranx, pytrec_eval, recommender libraries and re-identification papers write them
_ALIKE = {
    "recall": ("recall", "r"),
    "precision": ("precision", "p", "prec"),
    "hit": ("hit", "hits", "hr", "hitrate", "hit_rate", "success"),
    "map": ("map", "map_cut", "ap"),
    "mrr": ("mrr", "recip_rank", "rr", "mrr_cut", "mean_reciprocal_rank"),
    "ndcg": ("ndcg", "ndcg_cut", "dcg_norm"),
    "top": ("top", "acc", "accuracy", "rank", "cmc"),
}
_NAMES = {name: known for known, names in _ALIKE.items() for name in names}
# recall@10, Recall_10, recall_at_10, R10, R@10, top-5
_FORM = re.compile(r"([a-z_]+?)(?:(?:_at_|[@_\-. ]?)([0-9]+))?")
HELP = "".join(f"  {known:<10} {', '.join(names)}\n" for known, names in _ALIKE.items())


def metric_name(text: str) -> str:
    """Return the name of a metric in this package; one that is not known stays as it is.

    Examples
    --------
    >>> from classex.cli.options import metric_name
    >>> [metric_name(one) for one in ("R@10", "ndcg_cut_10", "recip_rank", "top5")]
    ['recall@10', 'ndcg@10', 'mrr', 'top-5']
    """
    match = _FORM.fullmatch(text.strip().lower())
    known = _NAMES.get(match[1]) if match else None
    if match is None or known is None:
        return text
    if known == "top":
        return text if match[2] is None else f"top-{int(match[2])}"
    return known if match[2] is None else f"{known}@{int(match[2])}"


# a number of classes or people: 1600000, 1e6, 1.6M, N=1.6M or N = 1.6 million
COUNT = re.compile(r"(?:n\s*=\s*)?([0-9]*\.?[0-9]+(?:e\+?[0-9]+)?)\s*(k|m|million)?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000, "million": 1_000_000}
# characters of a line of help
_WIDTH = 118
_FORMS = {
    "json": "JSON",
    "csv": "the table as comma-separated values, with all digits",
    "markdown": "the table in Markdown",
    "latex": "the table in LaTeX",
    "report": "sentences for a paper",
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others of the command."""

    def error(self, message: str) -> NoReturn:
        """Raise the message as an error."""
        raise ValueError(message)


def as_count(text: str) -> int:
    """Return a number of classes or people."""
    match = COUNT.fullmatch(text.strip())
    number = Decimal(match[1]) * _UNITS[(match[2] or "").lower()] if match else Decimal("NaN")
    if number.is_nan() or number != int(number):
        raise argparse.ArgumentTypeError(f"must be numbers such as 1600000 or 1.6M, not {shown(text)}")
    return int(number)


def add_command(
    subparsers: Any, name: str, run: Callable[[argparse.Namespace], None], what: str, more: str = ""
) -> Any:
    """Add a command; the docstring of the function that runs it, and what more there is to say, describe it."""
    form = argparse.RawDescriptionHelpFormatter
    parser = subparsers.add_parser(name, help=what, description=f"{getdoc(run) or ''}{more}", formatter_class=form)
    parser.set_defaults(run=run)
    return parser


def add_common(parser: argparse.ArgumentParser, of: str) -> None:
    """Add the options of every command that prints results."""
    help_text = f"confidence level of {of} (default 0.95)"
    parser.add_argument("--confidence-level", type=float, default=0.95, metavar="LEVEL", help=help_text)
    form = parser.add_mutually_exclusive_group()
    for name, what in _FORMS.items():
        form.add_argument(f"--{name}", action="store_const", const=name, dest="form", help=f"print {what}")


def add_format(parser: argparse.ArgumentParser, *kinds: str) -> None:
    """Add the option that names the format of the file, and the names of those of some kinds to the description."""
    every = ", ".join(form.name for form in FORMATS if set(kinds) & set(form.of))
    parser.description = f"{parser.description}\n\n{fill(f'Formats: {every}.', _WIDTH)}"
    parser.add_argument("--format", metavar="NAME", help="the format of the file, if several fit")


def show(
    arguments: argparse.Namespace,
    *results: Result,
    file: str | None,
    text: str | None = None,
    values: dict[str, Any] | None = None,
    titles: Sequence[str] = (),
) -> None:
    """Print results in the form that was chosen; `text` and `values` replace a result's own text and dictionary,
    and titles stand above the first ones.
    """
    for handler in LOG.handlers:
        handler.flush()
    if arguments.form == "json":  # after what is needed to compute it again
        seed = getattr(arguments, "seed", None)
        origin = {"classex": classex.__version__, "command": arguments.command, "file": file, "seed": seed}
        known = {name: value for name, value in origin.items() if value is not None}
        print(json.dumps({**known, **(values or results[0].to_dict())}, indent=2))
        return
    forms = {"csv": _as_csv, "markdown": Result.to_markdown, "latex": Result.to_latex, "report": Result.report}
    if text is None or arguments.form is not None:
        texts = map(forms.get(arguments.form, str), results)
        text = "\n\n".join(
            f"{title}{body}" for title, body in zip_longest([f"{title}\n" for title in titles], texts, fillvalue="")
        )
    print(text)


def _as_csv(result: Result) -> str:
    """Return the table with all digits."""
    columns, out = result._table(), io.StringIO()
    rows = zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True)
    csv.writer(out, lineterminator="\n").writerows([list(columns), *rows])
    return out.getvalue().rstrip("\n")


def check_plot(name: str | None) -> None:
    """Refuse a file that cannot be drawn before the work begins."""
    if name is None:
        return
    file = Path(name)
    if file.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise ValueError(f"--plot must name a .png, .pdf or .svg file, not {file}")
    if not file.parent.is_dir():
        raise ValueError(f"--plot names a file in {file.parent}, which is no directory")
    with needed_for("--plot"):
        import_module("matplotlib.figure")


def draw(name: str | None, *results: Any, labels: Sequence[str] = (), **line: Any) -> None:
    """Draw results, perhaps with labels, on common axes, in a file if one is named."""
    if name is None:
        return
    from matplotlib.figure import Figure

    from classex.io.tables import atomic_write

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    ax = figure.subplots()
    for i, result in enumerate(results):
        result.plot(ax, **({"label": labels[i]} if labels else {}), **line)
    with atomic_write(Path(name)) as stream:
        figure.savefig(stream, format=Path(name).suffix[1:].lower(), dpi=150)
