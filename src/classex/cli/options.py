"""Options that commands share, and what goes into JSON."""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
from argparse import SUPPRESS
from collections.abc import Mapping, Sequence
from decimal import Decimal
from importlib import import_module
from inspect import getdoc
from itertools import zip_longest
from pathlib import Path
from shutil import get_terminal_size
from textwrap import TextWrapper
from textwrap import indent as indentation
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np

import classex
from classex._checks import shown
from classex._optional import needed_for
from classex._result import Result
from classex.io.archives import LOG
from classex.io.formats import FORMATS

__all__ = ["HELP", "add_command", "metric_name", "show"]


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


# a number of classes, people or attempts: 1600000, 1e6, 1.6M, N=1.6M or N = 1.6 million
COUNT = re.compile(r"(?:n\s*=\s*)?([0-9]*\.?[0-9]+(?:e\+?[0-9]+)?)\s*(k|m|million)?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000, "million": 1_000_000}
# a row of a table of options: whether it excludes those before, the option, and what it is, perhaps on several lines
_ROW = re.compile(r"^  (\| )?(\S+(?: \S+)*)  +(.+(?:\n {4,}.+)*)", re.MULTILINE)
_NOTE = re.compile(r" \[(default|formerly|of|action|as): ([^\]]*)\]")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others of the command."""

    def error(self, message: str) -> NoReturn:
        """Raise the message as an error, and say where to look if an argument is missing or not known."""
        raise ValueError(message if message.startswith("argument ") else f"{message} (see {self.prog} --help)")


class _Help(argparse.HelpFormatter):
    """Break lines of prose at the width of the terminal, and keep those of tables and commands."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        parts = (part if "  " in part else part.replace("\n", " ") for part in text.split("\n\n"))
        return indentation(broken("\n\n".join(parts), width - len(indent)), indent)


class _Former(argparse.Action):
    """An option under the name that it had before."""

    def __call__(self, _: Any, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        LOG.info("%s is now called %s", option_string, self.metavar)
        setattr(namespace, self.dest, values)


def broken(text: str, width: int) -> str:
    r"""Break lines at a width; two blanks in a row mark a line of a table, which stays whole.

    Examples
    --------
    >>> from classex.cli.options import broken
    >>> print(broken("an accuracy of 0.87\nclasses  accuracy", 12))
    an accuracy
    of 0.87
    classes  accuracy
    """
    prose = TextWrapper(max(width, 1), break_long_words=False, break_on_hyphens=False)
    return "\n".join(line if "  " in line else prose.fill(line) for line in text.split("\n"))


def for_stream(text: str, stream: Any) -> str:
    """Break lines at the width of a terminal; files and pipes get whole lines."""
    return broken(text, get_terminal_size().columns) if stream.isatty() else text


def as_rate(text: str) -> float:
    """Return a number; 90% is .9.

    Examples
    --------
    >>> from classex.cli.options import as_rate
    >>> as_rate(".9"), as_rate("90%")
    (0.9, 0.9)
    """
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number such as .9 or 90%, not {shown(text)}") from None


def as_count(text: str) -> int:
    """Return a number of classes, people or attempts."""
    match = COUNT.fullmatch(text.strip())
    number = Decimal(match[1]) * _UNITS[(match[2] or "").lower()] if match else Decimal("NaN")
    if number.is_nan() or number != int(number):
        raise argparse.ArgumentTypeError(f"must be numbers such as 1600000 or 1.6M, not {shown(text)}")
    return int(number)


# what the words of the table of options stand for
_KINDS: Mapping[str, Any] = {
    **dict.fromkeys(["K", "N", "M", "R", "B", "TOP", "SEED"], as_count),
    **dict.fromkeys(["A", "LEVEL", "RATE", "SHARE"], as_rate),
    **dict.fromkeys(["T", "NUMBER", "SCORE"], float),
    "FOLDER": Path,
}


def add_command(
    subparsers: Any, name: str, run: Any, kinds: Mapping[str, Any] = MappingProxyType({}), more: str = "", **words: str
) -> None:
    """Add a command as commands.txt describes it; its help ends with the docstring of `run`, and with `more`.

    Commands are apart by two empty lines, and groups of options by one. The first group has how the command is called,
    what it does, and its examples; each other one a title, perhaps with more after a colon, and a row for each option:
    how it is written, what it is, its default, what it was called in earlier versions, whose name the namespace has,
    and kinds of files whose formats it may have. The forms of output, which come first, go with a level of confidence.
    A row that begins with a bar excludes the one before. An option without brackets in the first line is required.
    `kinds` are the types of some words, and `words` fill braces.
    """
    tables = Path(__file__).with_name("commands.txt").read_text(encoding="utf-8").split("\n\n\n")
    table = next(table for table in tables if table.startswith(f"{name} "))
    table += f"\n\n{tables[0]}" if "--confidence-level" in table else ""
    first, *groups = table.strip().format(**words).split("\n\n")
    usage, what, *examples = first.split("\n")
    shown = "".join(f"\n  classex {name} {example.strip()}" for example in examples)
    parser = subparsers.add_parser(
        name,
        help=what[0].lower() + what[1:],
        usage=f"classex {usage} [options]",
        description=f"{what}.\n\nexamples, on files that `classex example` writes:{shown}",
        epilog=f"{getdoc(run) or ''}{more}",
        formatter_class=_Help,
        add_help=False,
    )
    parser.set_defaults(run=run)
    for text in groups:
        title, _, about = " ".join(re.findall(r"^\S.*", text, re.MULTILINE)).partition(": ")
        group, rows, exclusive = parser.add_argument_group(title, about or None), _ROW.findall(text), None
        for row, after in zip_longest(rows, rows[1:], fillvalue=("", "", "")):
            if not row[0]:
                exclusive = group.add_mutually_exclusive_group() if after[0] else group
            _add(exclusive, row[1], " ".join(row[2].split()), {**_KINDS, **kinds}, usage.split())
    group.add_argument("-h", "--help", action="help", help="print this")


def _add(group: Any, form: str, what: str, kinds: Mapping[str, Any], required: Sequence[str]) -> None:
    """Add an option or an argument such as "--points N", "--to K ...", "--rate fnir|fpir", "--all" or "[scores]"."""
    notes, what = dict(_NOTE.findall(what)), _NOTE.sub("", what)
    name, _, value = form.strip("[]").partition(" ")
    option, many, optional = name.startswith("-"), value.endswith("..."), form.endswith("]")
    word = value.removesuffix("...").strip(" []") or name
    if option and not value:
        one_of = {"action": "store_const", "const": name[2:], "dest": notes.get("as")}
        group.add_argument(name, help=what, **(one_of if "as" in notes else {"action": "store_true"}))
        return
    given: dict[str, Any] = {name: entry for name, entry in notes.items() if name == "action"}
    given |= {"type": kinds.get(word, str)}
    given |= {"choices": word.split("|")} if "|" in word else {"metavar": word}
    given |= {"nargs": "*" if many and optional else "+" if many else "?"} if many or optional else {}
    given |= {"const": ""} if option and optional else {}
    given |= {"required": True} if option and name in required else {}
    if (default := notes.get("default")) is not None:
        given["default"], what = given["type"](default), f"{what} (default {default})"
    if kind := notes.get("of"):
        what += f": {', '.join(known.name for known in FORMATS if set(kind.split()) & set(known.of))}"
    if former := notes.get("formerly"):
        given["dest"] = former.lstrip("-")
        group.add_argument(former, action=_Former, help=SUPPRESS, **given | {"metavar": name})
    group.add_argument(name, help=what, **given)


def scores_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what a reader of scores is told: the format, and columns of labels, of no use, or of classes."""
    classes = None if arguments.command == "bound" else arguments.classes
    return {
        "format": arguments.format,
        "label": arguments.label,
        "drop": arguments.drop or (),
        "classes": "all" if classes == ["all"] else classes,
    }


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
    read: list[str] = []
    for handler in LOG.handlers:
        read += getattr(handler, "read", ())
        handler.flush()
    results = tuple(result.from_file("; ".join(read)) for result in results)
    if arguments.form == "json":  # after what is needed to compute it again
        seed = getattr(arguments, "seed", None)
        origin = {"classex": classex.__version__, "command": arguments.command, "file": file, "seed": seed}
        origin |= {"data": "; ".join(read) or None}
        known = {name: value for name, value in origin.items() if value is not None}
        print(json.dumps({**known, **(values or results[0].to_dict())}, indent=2))
        return
    forms = {"csv": _as_csv, "markdown": Result.to_markdown, "latex": Result.to_latex, "report": Result.report}
    if text is None or arguments.form is not None:
        texts = map(forms.get(arguments.form, str), results)
        text = "\n\n".join(
            f"{title}{body}" for title, body in zip_longest([f"{title}\n" for title in titles], texts, fillvalue="")
        )
    print(for_stream(text, sys.stdout) if arguments.form is None else text)


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
