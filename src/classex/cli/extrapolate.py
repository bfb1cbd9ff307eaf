"""``classex extrapolate``: accuracy with more classes, from a score file."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import classex as cx
from classex._checks import shown
from classex.cli.options import HELP, add_command, add_common, add_format, as_count, check_plot, draw, metric_name, show
from classex.fields.retrieval import relevant_ranks
from classex.forecast import CURVES
from classex.io.archives import read_arrays, read_file
from classex.io.checks import missed, whole
from classex.io.embeddings import read_comparison
from classex.io.tables import read_table
from classex.methods import DEFAULT_METHOD, METHODS
from classex.ranks import in_units
from classex.ranks.inputs import METRICS as EMBEDDING_METRICS

__all__ = ["add_parser"]

# a number of classes and an accuracy
_PAIR = re.compile(r"\s*[0-9.eE+]+:[0-9.eE+-]+\s*")
# options and those that they need, and those that a run of a search engine has no use for
_GOES_WITH = {"growth": "groups", "points": "curve", "corpus": "qrels", "qrels": "corpus"}
_NOT_RANKS = ("curve", "references", "compare", "exclude_self", "groups", "weights", "qrels")
_NOT_RUNS = (*_NOT_RANKS[:-1], "among", "negatives", "like", "method", "top", "no_intervals", "units")


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    metrics = f"\n\nMetrics, followed by @m where only the best m count, may be called:\n{HELP}"
    parser = add_command(subparsers, "extrapolate", _run, "predict the accuracy with more classes", metrics)
    files = "scores, embeddings, ranks or runs (.npz, .csv, .tsv, .jsonl, .parquet or -)"
    parser.add_argument("scores", nargs="*", help=files)
    parser.add_argument("--curve", nargs="+", metavar="K:ACCURACY", help="a published curve, or its file")
    parser.add_argument("--points", type=int, metavar="N", help="number of test points behind the curve")
    how = "the file holds embeddings, and FILE the references"
    parser.add_argument("--references", nargs="?", const="", metavar="FILE", help=how)
    how = "the references contain the test points, and each leaves itself out"
    parser.add_argument("--exclude-self", action="store_true", help=how)
    parser.add_argument("--compare", choices=EMBEDDING_METRICS, help="how embeddings are compared (default euclidean)")
    parser.add_argument("--qrels", metavar="FILE", help="the file is a run, and FILE the relevance of its documents")
    parser.add_argument("--corpus", type=int, metavar="N", help="number of documents that the run searched")
    parser.add_argument("--among", type=int, metavar="K", help="the file holds ranks, among K candidates")
    parser.add_argument("--negatives", type=int, metavar="M", help="the file holds ranks, among M sampled wrong ones")
    how = "a table with columns class and group: near and far rivals grow"
    parser.add_argument("--groups", metavar="FILE", help=how)
    how = "a table with columns class and weight, for classes that were drawn with unequal chances"
    parser.add_argument("--weights", metavar="FILE", help=how)
    how = "the column that names the unit of each test point, such as its subject or user, for intervals over units too"
    parser.add_argument("--units", metavar="COLUMN", help=how)
    how = "a related curve: a file with columns n_classes and accuracy, or the name of a field, such as 'spoken words'"
    parser.add_argument("--like", metavar="CURVE", help=how)
    parser.add_argument("--growth", help="same groups (default) or more groups")
    parser.add_argument("--to", nargs="+", type=as_count, required=True, metavar="K", help="numbers of classes")
    parser.add_argument("--method", help=f"{', '.join(METHODS)} (default {DEFAULT_METHOD})")
    how = "accuracy, recall@10, mrr, ndcg@10, map@10 and so on (default accuracy)"
    parser.add_argument("--metric", default="accuracy", type=metric_name, help=how)
    parser.add_argument("--top", type=int, help="count a point as correct if its label is among the best TOP")
    how = "what intervals are for: average (default), fresh or superset; of runs, average or queries (these queries)"
    parser.add_argument("--target", help=how)
    parser.add_argument("--no-intervals", action="store_true", help="predictions only")
    parser.add_argument("--plot", metavar="FILE", help="draw the curve (.png, .pdf or .svg)")
    add_format(parser, "scores", "ranks", "run", "qrels")
    add_common(parser, "the intervals")


def _run(arguments: argparse.Namespace) -> None:
    """Predict the average accuracy, or another metric of the rank, with other numbers of classes, with intervals.
    Assumed: the observed classes are a random sample of those that will come, and the score of a class does not
    depend on which others take part.

    The input is one of:
      scores      .npz with arrays scores and labels (and classes, if labels are names), or a table (.csv, .tsv,
                  .jsonl, .parquet) with a column label and a column for each class; classes without test points
                  compete as well
      embeddings  with --references FILE: two tables with a column label and a column for each feature, test
                  points and references, or one file twice and --exclude-self, so that each point is compared with all
                  others; --references alone takes one row of each class as its reference; or .npz
                  with the arrays test, references, labels and reference_labels, or embeddings and labels
      a curve     --curve 10:.9 100:.7 --points 500, or --curve FILE with columns n_classes, accuracy and perhaps
                  standard_error
      a run       of a search engine, or several, with --qrels FILE, its relevance judgements, and --corpus N, the
                  number of documents searched; --metric is then recall@10, precision@10, hit@10, map, mrr, ndcg or so.
                  A column upper gives the metric if relevant documents that lists lack came directly after them
      ranks       of the correct label, in a column rank, with --among K, the number of candidates of each point, or
                  with --negatives M, the number of wrong ones, if these were sampled from the largest number of --to;
                  also the wrong options of each question in samples of multiple choice (lm-evaluation-harness)
    Files may be packed by gzip, bzip2, xz or zip; - is the standard input. Files are recognised by the names of
    columns, arrays or entries, or by the number of entries in a line.
    """
    for name, needed in _GOES_WITH.items():
        if getattr(arguments, needed) is None:
            _refuse(arguments, (name,), f"goes with --{needed}")
    if arguments.no_intervals:
        _refuse(arguments, ("target",), "goes without --no-intervals")
    if arguments.qrels is not None:
        _refuse(arguments, _NOT_RUNS, "does not go with --qrels")
        check_plot(arguments.plot)
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
    check_plot(arguments.plot)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data = _data(arguments)
        if arguments.groups is not None:
            data |= {"groups": _by_class(arguments.groups, "group", data), "growth": arguments.growth}
        if arguments.weights is not None:
            data["weights"] = _by_class(arguments.weights, "weight", data)
        result = cx.extrapolate(
            **data,
            like=None if arguments.like is None else _related(arguments.like),
            n_classes=arguments.to,
            metric=arguments.metric,
            top=1 if arguments.top is None else arguments.top,
            confidence_level=arguments.confidence_level,
            target=None if arguments.no_intervals else arguments.target or "average",
        )
    for warning in caught:
        print(f"classex extrapolate: warning: {warning.message}", file=sys.stderr)
    draw(arguments.plot, result)
    show(arguments, result, file=" ".join(arguments.scores or arguments.curve))


def _refuse(arguments: argparse.Namespace, names: Iterable[str], why: str) -> None:
    """Refuse options that nothing would read."""
    for name in names:
        if getattr(arguments, name) not in (None, False):
            raise ValueError(f"--{name.replace('_', '-')} {why}")


def _retrieval(arguments: argparse.Namespace) -> list[cx.retrieval.RetrievalCurve]:
    if not arguments.scores or arguments.confidence_level != 0.95:
        raise ValueError("--qrels goes with a run, and its intervals have the level 0.95")
    if arguments.metric == "accuracy":
        raise ValueError("--qrels goes with --metric, such as recall@10")
    judged = cx.io.load_trec(arguments.qrels, holds="qrels")
    runs = [cx.io.load_trec(run, format=arguments.format, holds="run") for run in arguments.scores]
    ranks = [relevant_ranks(run, judged, n_items=arguments.corpus) for run in runs]
    about = {"metric": arguments.metric, "target": arguments.target or "average"}
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
        _refuse(arguments, ("compare", "exclude_self"), "goes with embeddings, not with scores")
        scores, *others = cx.load_scores(file, format=arguments.format, units=arguments.units)
        data = dict(zip(("labels", "classes", "units"), others, strict=False))
        return {"scores_or_ranks": scores, "method": arguments.method, **data}
    _refuse(arguments, ("units",), "goes with scores or ranks, not with embeddings")
    given = read_comparison(file, references or None)
    how = {"exclude_self": arguments.exclude_self, "progress": sys.stderr.isatty()}
    ranks = cx.correct_ranks_from_embeddings(*given, arguments.compare or "euclidean", **how)
    return {"scores_or_ranks": ranks, "method": arguments.method}


def _by_class(file: str, column: str, data: dict[str, Any]) -> list[Any]:
    """Return the group or the weight of each class."""
    table, classes = read_table(file, "class", column), data.get("classes")
    values = table.texts(column) if column == "group" else table.numbers([column])[:, 0]
    given = [whole(name) for name in table.texts("class")]
    if len(set(given)) < len(given):
        raise ValueError(f"{table.name}: class {shown(max(given, key=given.count))} comes more than once")
    known = dict(zip(given, values, strict=True))
    names = [whole(str(name)) for name in (range(len(known)) if classes is None else classes)]
    missing, text = missed(names, known.keys())
    if missing:
        raise ValueError(f"{table.name}: column class lacks classes of the scores, {text}")
    if others := known.keys() - set(names):
        warnings.warn(f"{table.name}: {len(others)} of {len(known)} classes have no scores", UserWarning, stacklevel=2)
    return [known[name] for name in names]


def _related(like: str) -> Any:
    """Return a related curve: the columns of a file, or the name of one that the package holds."""
    if like in CURVES:
        return like
    if like != "-" and not Path(like).exists():
        raise ValueError(f"--like must be a file, or one of {', '.join(CURVES)}, not {shown(like)}")
    return tuple(read_table(like, "n_classes", "accuracy").numbers(["n_classes", "accuracy"]).T)


def _curve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return a published curve as `Extrapolator.fit_curve` takes it."""
    entries, curve = arguments.curve, {"n_test": arguments.points}
    if len(entries) > 1 or _PAIR.fullmatch(entries[0]):
        bad = next((entry for entry in entries if not _PAIR.fullmatch(entry)), None)
        if bad is not None:
            raise ValueError(f"--curve must be a file, or pairs such as 100:0.7, not {shown(bad)}")
        curve["n_classes"], curve["accuracy"] = zip(*(map(float, entry.split(":")) for entry in entries), strict=True)
    else:
        table = read_table(entries[0], "n_classes", "accuracy")
        curve["n_classes"], curve["accuracy"] = table.numbers(["n_classes", "accuracy"]).T
        if arguments.points is None and "standard_error" in table.header:
            curve["standard_error"] = table.numbers(["standard_error"])[:, 0]
    return curve
