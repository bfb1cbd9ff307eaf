"""``classex bound``: lower confidence bounds from an accuracy and counts, or from a score file."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from classex._types import BoundMethod
from classex.bayes import average_bayes_accuracy_bound, bayes_accuracy_bound, generalisation_accuracy_bound
from classex.bayes.bounds import AVERAGE_METHODS
from classex.cli.options import add_common, show
from classex.curves import accuracy_curve
from classex.information import information_bound, nats_to_bits
from classex.io import load_scores
from classex.ranks import as_ranks, correct_ranks
from classex.results import Result

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
        help="score file (.npz, .csv, .tsv, .jsonl, .parquet, or - for standard input), instead of the next three",
    )
    parser.add_argument("--accuracy", type=float, help="test accuracy, the mean over classes, in [0, 1]")
    parser.add_argument("--classes", type=float, help="number of classes")
    parser.add_argument("--repeats", type=float, help="test points per class")
    parser.add_argument("--classifiers", type=int, default=1, help="number of classifiers tried on these test points")
    parser.add_argument(
        "--method", choices=AVERAGE_METHODS, default="joint", help="bound of the average (default joint)"
    )
    parser.add_argument("--bits", action="store_true", help="print the information in bits instead of nats")
    add_common(parser, _run, "each bound")


def _run(arguments: argparse.Namespace) -> None:
    accuracy, n_classes, n_repeats, countable = _experiment(arguments)
    shared: dict[str, Any] = {
        "n_classes": n_classes,
        "n_repeats": n_repeats,
        "confidence_level": arguments.confidence_level,
        "n_classifiers": arguments.classifiers,
    }
    method: BoundMethod = "clopper-pearson" if countable else "hoeffding"
    average = average_bayes_accuracy_bound(accuracy, **shared, method=arguments.method)
    nats = float(information_bound(average, int(n_classes)))
    found = _Bounds(
        accuracy=accuracy,
        n_classes=int(n_classes),
        n_test_points=int(np.sum(n_repeats)) if np.ndim(n_repeats) else int(n_repeats * n_classes),
        confidence_level=shared["confidence_level"],
        n_classifiers=arguments.classifiers,
        generalisation_accuracy=generalisation_accuracy_bound(accuracy, **shared, method=method),
        bayes_accuracy=bayes_accuracy_bound(accuracy, **shared, method=method),
        average_bayes_accuracy=average,
        information_nats=nats,
        information_bits=float(nats_to_bits(nats)),
        method={"generalisation_accuracy": method, "average_bayes_accuracy": arguments.method},
    )
    show(arguments, found, file=arguments.scores, text=_text(found, bits=arguments.bits))


@dataclass(frozen=True)
class _Bounds(Result):
    """Lower confidence bounds."""

    accuracy: float
    n_classes: int
    n_test_points: int
    confidence_level: float
    n_classifiers: int
    generalisation_accuracy: float
    bayes_accuracy: float
    average_bayes_accuracy: float
    information_nats: float
    information_bits: float
    method: dict[str, str]

    def _sentence(self) -> str:
        return (
            f"Test accuracy {self.accuracy:.4f} ({self.n_classes} classes, {self.n_test_points} test points)."
            f" Lower bounds, each at confidence {self.confidence_level:g}:"
            f" generalisation accuracy {self.generalisation_accuracy:.4f}, Bayes accuracy {self.bayes_accuracy:.4f},"
            f" average Bayes accuracy {self.average_bayes_accuracy:.4f},"
            f" information {self.information_nats:.4f} nats or {self.information_bits:.4f} bits."
        )


def _text(found: _Bounds, *, bits: bool) -> str:
    k, single, average = found.n_classes, *found.method.values()
    unit, information = ("bits", found.information_bits) if bits else ("nats", found.information_nats)
    rows = [
        ("generalisation accuracy of this rule", found.generalisation_accuracy, single),
        (f"Bayes accuracy of these {k} classes", found.bayes_accuracy, single),
        (f"average Bayes accuracy of {k} classes", found.average_bayes_accuracy, average),
        (f"mutual information, in {unit}", information, "from the average Bayes accuracy"),
    ]
    lines = [
        f"test accuracy {found.accuracy:.4f} ({k} classes, {found.n_test_points} test points)",
        f"lower bounds, each at confidence {found.confidence_level:g}:",
    ]
    return "\n".join([*lines, *(f"  {text:<42}{value:8.4f}  ({how})" for text, value, how in rows)])


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
