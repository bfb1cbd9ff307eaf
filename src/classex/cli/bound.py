"""``classex bound``: lower confidence bounds from an accuracy and counts, or from a score file."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from classex import bayes
from classex._checks import as_positive_int, as_probability
from classex._result import Result
from classex._types import BoundMethod
from classex.cli.options import add_command, scores_options, show
from classex.curves import accuracy_curve
from classex.information import default_class_counts, information_bound, nats_to_bits
from classex.information.confidence import CURVE_METHODS, bound_from_curves
from classex.io import load_scores
from classex.ranks import as_ranks, correct_ranks

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    add_command(subparsers, "bound", _run, methods="|".join(bayes.AVERAGE_METHODS))


def _run(arguments: argparse.Namespace) -> None:
    """Lower confidence bounds from --accuracy, --classes and --repeats, or from a score file."""
    accuracy, n_classes, n_repeats, countable = _experiment(arguments)
    shared: dict[str, Any] = {
        "n_classes": n_classes[0],
        "n_repeats": n_repeats,
        "confidence_level": arguments.confidence_level,
        "n_classifiers": arguments.classifiers,
    }
    method: BoundMethod = "clopper-pearson" if countable else "hoeffding"
    of_these = bayes.bayes_accuracy_bound(accuracy[0], **shared, method=method)
    k1, population = int(n_classes[0]), arguments.population
    average = bayes.average_bayes_accuracy_bound(
        accuracy[0], **shared, method=arguments.method, population_size=population
    )
    n_points = int(np.sum(n_repeats)) if np.ndim(n_repeats) else int(n_repeats * k1)
    if population == k1:  # every class is tested
        average, n_classes = of_these, n_classes[:1]
    nats, carriers = float(information_bound(average, k1, population_size=population)), n_classes[:1]
    if len(n_classes) > 1 and arguments.method in CURVE_METHODS:
        curve = bound_from_curves(
            np.array([accuracy]), np.array(n_classes, dtype=np.int64), k1, [bayes.as_repeats(n_repeats, k1)],
            [n_points], level=arguments.confidence_level, tried=arguments.classifiers, method=arguments.method,
            population_size=population and int(population),
        )  # fmt: skip
        nats, carriers = curve.information, curve.class_counts[curve.multipliers[0] > 0].tolist()
    bounds = _Bounds(
        accuracy=accuracy[0],
        n_classes=k1,
        n_test_points=n_points,
        confidence_level=shared["confidence_level"],
        n_classifiers=arguments.classifiers,
        generalisation_accuracy=bayes.generalisation_accuracy_bound(accuracy[0], **shared, method=method),
        bayes_accuracy=of_these,
        average_bayes_accuracy=average,
        information_nats=nats,
        information_bits=float(nats_to_bits(nats)),
        information_from=[int(k) for k in carriers],
        population_size=population and int(population),
        method={
            "generalisation_accuracy": method,
            "average_bayes_accuracy": method if population == k1 else arguments.method,
        },
    )
    show(arguments, bounds, file=arguments.scores, text=_text(bounds, bits=arguments.bits))


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
    information_from: list[int]
    population_size: int | None
    method: dict[str, str]

    def _sentence(self) -> str:
        return (
            f"Test accuracy {self.accuracy:.4f} ({self.n_classes} classes, {self.n_test_points} test points)."
            f" Lower bounds, each at confidence {self.confidence_level:g}:"
            f" generalisation accuracy {self.generalisation_accuracy:.4f}, Bayes accuracy {self.bayes_accuracy:.4f},"
            f" average Bayes accuracy {self.average_bayes_accuracy:.4f},"
            f" information {self.information_nats:.4f} nats or {self.information_bits:.4f} bits, {self._carried()}."
        )

    def _carried(self) -> str:
        *rest, last = map(str, self.information_from) if self.information_from else ["no number of"]
        tasks = f"{', '.join(rest)} and {last} classes together" if rest else f"{last} classes"
        return f"from tasks of {tasks}"


def _text(bounds: _Bounds, *, bits: bool) -> str:
    k, single, average = bounds.n_classes, *bounds.method.values()
    unit, information = ("bits", bounds.information_bits) if bits else ("nats", bounds.information_nats)
    rows = [
        ("generalisation accuracy of this rule", bounds.generalisation_accuracy, single),
        (f"Bayes accuracy of these {k} classes", bounds.bayes_accuracy, single),
        (f"average Bayes accuracy of {k} classes", bounds.average_bayes_accuracy, average),
        (f"mutual information, in {unit}", information, bounds._carried()),
    ]
    of = "" if bounds.population_size is None else f" out of {bounds.population_size}"
    lines = [
        f"test accuracy {bounds.accuracy:.4f} ({k} classes, {bounds.n_test_points} test points)",
        f"lower bounds, each at confidence {bounds.confidence_level:g}, the last two for a random sample of classes"
        f"{of}:",
    ]
    own = f"all points share these {k} classes; if each has {k} of its own, as in multiple choice, see classex restate"
    units = "with several subjects, they are about these subjects only; for others, see classex extrapolate --units"
    return "\n".join([*lines, *(f"  {text:<42}{value:8.4f}  ({how})" for text, value, how in rows), own, units])


def _experiment(arguments: argparse.Namespace) -> tuple[list[float], list[float], Any, bool]:
    """Accuracies and numbers of classes, all classes first, repeats, and whether the right answers can be counted."""
    given = {name: getattr(arguments, name) for name in ("accuracy", "classes", "repeats")}
    if arguments.scores is None:
        missing = [f"--{name}" for name, value in given.items() if value is None]
        if missing:
            needed = "--accuracy, --classes and --repeats"
            raise ValueError(f"give a score file, or {needed} (missing: {' '.join(missing)})")
        accuracy, sizes = arguments.accuracy, arguments.classes
        if len(accuracy) != len(sizes) or len(set(sizes)) < len(sizes):
            raise ValueError(f"--classes must be one number for each accuracy, each once, not {sizes}")
        for value in accuracy:
            as_probability(value, "accuracy")
        for size in sizes:
            as_positive_int(size, "n_classes", minimum=2)
        order = np.argsort(sizes)[::-1]
        return [accuracy[i] for i in order], [sizes[i] for i in order], arguments.repeats, True
    both = [f"--{name}" for name, value in given.items() if value is not None]
    if both:
        raise ValueError(f"a score file determines {' '.join(both)}: give one or the other")
    scores, labels, classes = load_scores(arguments.scores, **scores_options(arguments))
    ranks = as_ranks(correct_ranks(scores, labels, classes=classes), "scores", every_class=True)
    sizes = default_class_counts(ranks.n_classes).tolist()
    accuracy = accuracy_curve(ranks, sizes, standard_errors=False).accuracy.tolist()
    repeats = np.bincount(ranks.labels, minlength=ranks.n_classes)
    # equal repeats, no ties
    tied = bool(((ranks.ties > 0) & (ranks.wins + ranks.ties == ranks.n_classes - 1)).any())
    return accuracy, sizes, repeats, not tied and repeats.min() == repeats.max()
