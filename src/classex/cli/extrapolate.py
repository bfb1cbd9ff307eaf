"""``classex extrapolate``: accuracy with more classes, from a score file."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import classex as cx
from classex._checks import shown
from classex.cli.options import HELP, add_command, as_rate, draw, metric_name, scores_options, show
from classex.fields.retrieval import relevant_ranks
from classex.forecast import CURVES
from classex.io.archives import read_arrays, read_file
from classex.io.embeddings import read_comparison
from classex.io.summaries import load_by_class, load_curve
from classex.methods import DEFAULT_METHOD, METHODS
from classex.ranks import in_units
from classex.ranks.inputs import METRICS as EMBEDDING_METRICS

__all__ = ["add_parser"]

# a number of classes and an accuracy
_PAIR = re.compile(r"\s*[0-9.eE+]+:[0-9.eE+-]+%?\s*")
# the least grade that counts as relevant, as ir_measures writes it: recall(rel=2)@10
_LEVEL = re.compile(r"\(rel=([0-9.]+)\)")
# options and those that they need, and those that a run of a search engine has no use for
_GOES_WITH = {"growth": "groups", "points": "curve", "corpus": "qrels"}
_NOT_RANKS = ("curve", "references", "compare", "exclude_self", "groups", "weights", "qrels")
_NOT_RUNS = (*_NOT_RANKS[:-1], "among", "negatives", "like", "method", "top", "no_intervals", "units")


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    words = {"compare": "|".join(EMBEDDING_METRICS), "methods": ", ".join(METHODS), "method": DEFAULT_METHOD}
    metrics = f"\n\nMetrics, followed by @m where only the best m count, may be called:\n{HELP}"
    add_command(subparsers, "extrapolate", _run, {"METRIC": metric_name}, metrics, **words)


def _run(arguments: argparse.Namespace) -> None:
    """Assumed: the observed classes are a random sample of those that will come, and the score of a class does not
    depend on which others take part.

    Scores are .npz with arrays scores and labels (and classes, if labels are names), or a table with a column label and
    a column for each class; higher is better. Classes without test points compete as well. Files may be compressed by
    gzip, bzip2, xz or zip; - is the standard input. They are recognised by the names of columns, arrays or entries, or
    by the number of entries in a line.
    """
    for name, needed in _GOES_WITH.items():
        if getattr(arguments, needed) is None:
            _refuse(arguments, (name,), f"goes with --{needed}")
    if arguments.no_intervals:
        _refuse(arguments, ("target",), "goes without --no-intervals")
    if arguments.qrels is not None:
        _refuse(arguments, _NOT_RUNS, "does not go with --qrels")
        curves = _retrieval(arguments)
        values = {"runs": [curve.to_dict() for curve in curves]} if len(curves) > 1 else None
        titles = arguments.scores if len(curves) > 1 else []
        draw(arguments.plot, *curves, labels=titles, marker="o")
        show(arguments, *curves, file=" ".join(arguments.scores), values=values, titles=titles)
        return
    if len(arguments.scores) > 1:
        raise ValueError("give one file: only runs of a search engine, with --qrels, go together")
    if arguments.among is not None or arguments.negatives is not None:
        _refuse(arguments, _NOT_RANKS, "does not go with ranks")
    data = _data(arguments)
    if arguments.groups is not None:
        data |= {"groups": load_by_class(arguments.groups, "group", data.get("classes")), "growth": arguments.growth}
    if arguments.weights is not None:
        data["weights"] = load_by_class(arguments.weights, "weight", data.get("classes"))
    result = cx.extrapolate(
        **data,
        like=None if arguments.like is None else _related(arguments.like),
        n_classes=arguments.to,
        metric=arguments.metric,
        top=1 if arguments.top is None else arguments.top,
        confidence_level=arguments.confidence_level,
        target=None if arguments.no_intervals else arguments.target or "average",
    )
    draw(arguments.plot, result)
    show(arguments, result, file=" ".join(arguments.scores or arguments.curve))


def _refuse(arguments: argparse.Namespace, names: Iterable[str], why: str) -> None:
    """Refuse options that nothing would read."""
    for name in names:
        if getattr(arguments, name) not in (None, False):
            raise ValueError(f"--{name.replace('_', '-')} {why}")


def _retrieval(arguments: argparse.Namespace) -> list[cx.retrieval.RetrievalCurve]:
    level = _LEVEL.search(arguments.metric)
    metric = metric_name(_LEVEL.sub("", arguments.metric))
    if not arguments.scores or arguments.corpus is None or metric == "accuracy":
        raise ValueError("--qrels goes with --corpus N and --metric, such as recall@10, and with runs")
    if arguments.confidence_level != 0.95:
        raise ValueError("--qrels goes with intervals of the level 0.95")
    judged = cx.io.load_trec(arguments.qrels, holds="qrels")
    runs = [cx.io.load_trec(run, format=arguments.format, holds="run") for run in arguments.scores]
    least = float(level[1]) if level else None
    ranks = [relevant_ranks(run, judged, n_items=arguments.corpus, relevant_from=least) for run in runs]
    about: dict[str, Any] = {"metric": metric, "target": arguments.target or "average"}
    return [cx.extrapolate_retrieval(run, arguments.to, **about) for run in ranks]


def _ranks(arguments: argparse.Namespace) -> cx.CorrectRanks:
    """Read ranks among a number of candidates, or of sampled wrong ones."""
    if arguments.among is not None and arguments.negatives is not None:
        raise ValueError("give --among or --negatives, not both")
    loaded = cx.io.load_ranks(arguments.scores[0], format=arguments.format, units=arguments.units)
    if loaded.n_wrong and arguments.among is not None:
        raise ValueError(f"each question has wrong options of its own: give --negatives {loaded.n_wrong}, not --among")
    n_wrong = arguments.negatives if arguments.among is None else arguments.among - 1
    if loaded.n_wrong not in (None, n_wrong):
        raise ValueError(f"{arguments.scores[0]} holds questions with {loaded.n_wrong} wrong options, not {n_wrong}")
    worst = int((loaded.ranks + loaded.ties).max())
    if worst > n_wrong + 1:
        raise ValueError(f"{arguments.scores[0]} holds the rank {worst}, but there are {n_wrong + 1} candidates")
    wins = n_wrong + 1 - loaded.ranks - loaded.ties
    size = arguments.among
    if size is None:  # each question of a log has options of its own
        size = int(max(*arguments.to, wins.size if loaded.n_wrong else 0))
    ranks = cx.ranks_from_wins(wins, size, ties=loaded.ties, n_wrong=n_wrong if arguments.among is None else None)
    return in_units(ranks, loaded.units)


def _data(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `extrapolate` that depend on what is known: a curve, embeddings or scores."""
    if bool(arguments.scores) == (arguments.curve is not None):
        raise ValueError("give a file of scores or embeddings, or --curve, not both")
    if arguments.curve is not None:
        _refuse(arguments, ("references", "compare", "exclude_self", "units", "like"), "does not go with --curve")
        return {"scores_or_ranks": cx.Extrapolator(arguments.method).fit_curve(**_curve(arguments))}
    if arguments.among is not None or arguments.negatives is not None:
        return {"scores_or_ranks": _ranks(arguments), "method": arguments.method}
    file, references = read_file(arguments.scores[0]), arguments.references
    arrays = read_arrays(file, optional=("embeddings", "test")) if file.is_archive else {}
    if references is None and not arrays:
        _refuse(arguments, ("compare", "exclude_self"), "goes with --references, for embeddings")
        scores, *others = cx.load_scores(file, units=arguments.units, **scores_options(arguments))
        data = dict(zip(("labels", "classes", "units"), others, strict=False))
        return {"scores_or_ranks": scores, "method": arguments.method, **data}
    _refuse(arguments, ("units",), "goes with scores or ranks, not with embeddings")
    itself = arguments.scores[0] if arguments.exclude_self and "test" not in arrays else None
    given = read_comparison(file, references or itself)
    how = {"exclude_self": arguments.exclude_self, "progress": sys.stderr.isatty()}
    ranks = cx.correct_ranks_from_embeddings(*given, arguments.compare or "euclidean", **how)
    return {"scores_or_ranks": ranks, "method": arguments.method}


def _related(like: str) -> Any:
    """Return a related curve: the columns of a file, or the name of one that the package holds."""
    if like in CURVES:
        return like
    if like != "-" and not Path(like).exists():
        raise ValueError(f"--like must be a file, or one of {', '.join(CURVES)}, not {shown(like)}")
    curve = load_curve(like)
    return curve["n_classes"], curve["accuracy"]


def _curve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return a published curve as `Extrapolator.fit_curve` takes it."""
    entries, curve = arguments.curve, {"n_test": arguments.points}
    if len(entries) > 1 or _PAIR.fullmatch(entries[0]):
        bad = next((entry for entry in entries if not _PAIR.fullmatch(entry)), None)
        if bad is not None:
            raise ValueError(f"--curve must be a file, or pairs such as 100:0.7, not {shown(bad)}")
        pairs = (entry.strip().split(":") for entry in entries)
        curve["n_classes"], curve["accuracy"] = zip(*(map(as_rate, pair) for pair in pairs), strict=True)
    else:
        curve |= load_curve(entries[0])
        if arguments.points is not None:
            curve.pop("standard_error", None)
    return curve
