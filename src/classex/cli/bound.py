"""``classex bound``: lower confidence bounds from an accuracy and counts, or from a score file."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from classex.bayes import average_bayes_accuracy_bound, bayes_accuracy_bound, generalisation_accuracy_bound
from classex.bayes.bounds import AVERAGE_METHODS
from classex.cli.options import add_common, as_json
from classex.curves import accuracy_curve
from classex.information import information_bound
from classex.io import load_scores
from classex.ranks import as_ranks, correct_ranks

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "bound",
        help="lower confidence bounds for generalisation, Bayes and average Bayes accuracy, and for information",
        description="Lower confidence bounds from --accuracy, --classes and --repeats, or from a score file.",
    )
    parser.add_argument(
        "scores",
        nargs="?",
        help="score file (.npz, .csv, .tsv, .parquet, or - for standard input), instead of the next three",
    )
    parser.add_argument("--accuracy", type=float, help="test accuracy, the mean over classes, in [0, 1]")
    parser.add_argument("--classes", type=float, help="number of classes")
    parser.add_argument("--repeats", type=float, help="test points per class")
    parser.add_argument("--classifiers", type=int, default=1, help="number of classifiers tried on these test points")
    parser.add_argument(
        "--method", choices=AVERAGE_METHODS, default="joint", help="bound of the average (default joint)"
    )
    add_common(parser, _run, "each bound")


def _run(arguments: argparse.Namespace) -> None:
    accuracy, n_classes, n_repeats, countable = _experiment(arguments)
    shared: dict[str, Any] = {
        "n_classes": n_classes,
        "n_repeats": n_repeats,
        "confidence_level": arguments.confidence_level,
        "n_classifiers": arguments.classifiers,
    }
    method = "clopper-pearson" if countable else "hoeffding"
    average = average_bayes_accuracy_bound(accuracy, **shared, method=arguments.method)
    result = {
        "accuracy": accuracy,
        "n_classes": int(n_classes),
        "n_test_points": int(np.sum(n_repeats)) if np.ndim(n_repeats) else int(n_repeats * n_classes),
        "confidence_level": shared["confidence_level"],
        "n_classifiers": arguments.classifiers,
        "generalisation_accuracy": generalisation_accuracy_bound(accuracy, **shared, method=method),
        "bayes_accuracy": bayes_accuracy_bound(accuracy, **shared, method=method),
        "average_bayes_accuracy": average,
        "information_nats": float(information_bound(average, int(n_classes))),
        "method": {"generalisation_accuracy": method, "average_bayes_accuracy": arguments.method},
    }
    print(as_json(result, arguments, file=arguments.scores) if arguments.json else _table(result))


def _experiment(arguments: argparse.Namespace) -> tuple[float, Any, Any, bool]:
    """Accuracy, classes, repeats, and whether the right answers can be counted (equal repeats, no ties)."""
    given = {name: getattr(arguments, name) for name in ("accuracy", "classes", "repeats")}
    if arguments.scores is None:
        missing = [f"--{name}" for name, value in given.items() if value is None]
        if missing:
            raise ValueError(
                f"give a score file, or --accuracy, --classes and --repeats (missing: {' '.join(missing)})"
            )
        return arguments.accuracy, arguments.classes, arguments.repeats, True
    both = [f"--{name}" for name, value in given.items() if value is not None]
    if both:
        raise ValueError(f"a score file determines {' '.join(both)}: give one or the other")
    scores, labels, classes = load_scores(arguments.scores)
    ranks = as_ranks(correct_ranks(scores, labels, classes=classes), "scores", every_class=True)
    accuracy = float(accuracy_curve(ranks, ranks.n_classes).accuracy[0])
    repeats = np.bincount(ranks.labels, minlength=ranks.n_classes)
    tied = bool(((ranks.ties > 0) & (ranks.wins + ranks.ties == ranks.n_classes - 1)).any())
    return accuracy, ranks.n_classes, repeats, not tied and repeats.min() == repeats.max()


def _table(result: dict[str, Any]) -> str:
    k, level = result["n_classes"], result["confidence_level"]
    single, average = result["method"].values()
    rows = [
        ("generalisation accuracy of this rule", "generalisation_accuracy", single),
        (f"Bayes accuracy of these {k} classes", "bayes_accuracy", single),
        (f"average Bayes accuracy of {k} classes", "average_bayes_accuracy", average),
        ("mutual information, in nats", "information_nats", "from the average Bayes accuracy"),
    ]
    lines = [
        f"test accuracy {result['accuracy']:.4f} ({k} classes, {result['n_test_points']} test points)",
        f"lower bounds, each at confidence {level:g}:",
    ]
    lines += [f"  {text:<42}{result[key]:8.4f}  ({how})" for text, key, how in rows]
    return "\n".join(lines)
