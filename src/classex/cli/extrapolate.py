"""``classex extrapolate``: accuracy with more classes, from a score file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

__all__ = ["METHODS", "add_parser"]

METHODS = {
    "probit-normal": "ProbitNormalExtrapolator",
    "mixture": "MixtureExtrapolator",
    "regression": "RegressionExtrapolator",
    "cross-validated": "CrossValidatedExtrapolator",
    "kernel-density": "KernelDensityExtrapolator",
    "polynomial": "PolynomialExtrapolator",
    "pseudolikelihood": "PseudolikelihoodExtrapolator",
    "exponential": "ExponentialExtrapolator",
}


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "extrapolate",
        help="predict the accuracy with more classes",
        description="Predict the average accuracy with other numbers of classes, with intervals, from the scores of"
        " test points on the observed classes.",
    )
    parser.add_argument(
        "scores",
        nargs="?",
        help=".npz with arrays scores and labels, or .csv, .tsv or .parquet with a column label; - is standard input",
    )
    parser.add_argument("--to", nargs="+", required=True, metavar="K", help="numbers of classes to predict for")
    parser.add_argument("--method", default="probit-normal", help=f"{', '.join(METHODS)} (default probit-normal)")
    parser.add_argument("--top", default="1", help="count a point as right when its truth is among the best TOP")
    parser.add_argument("--confidence-level", default="0.95", metavar="LEVEL", help="of the intervals (default 0.95)")
    parser.add_argument("--target", default="average", help="what intervals are for: average, fresh or superset")
    parser.add_argument("--resamples", default="100", help="class subsets drawn for intervals (default 100)")
    parser.add_argument("--seed", default="0", help="seed of random draws (default 0)")
    parser.add_argument("--no-intervals", action="store_true", help="predictions only")
    parser.add_argument("--plot", metavar="FILE", help="draw the curve (.png, .pdf or .svg)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    from classex import extrapolation
    from classex._progress import progress_bars
    from classex._scored import scores_and_labels
    from classex._validation import as_class_counts, as_positive_int, as_probability, one_of
    from classex.cli.options import as_json, file_after_numbers, number
    from classex.files import load_scores

    method = one_of(arguments.method, "--method", tuple(METHODS))
    file, numbers = file_after_numbers(arguments.scores, arguments.to, "--to")
    sizes = as_class_counts([number(text, "--to") for text in numbers], "--to")
    top = as_positive_int(number(arguments.top, "--top"), "--top")
    seed = as_positive_int(number(arguments.seed, "--seed"), "--seed", minimum=0)
    options = {
        "confidence_level": as_probability(
            number(arguments.confidence_level, "--confidence-level"), "--confidence-level", open_ends=True
        ),
        "target": one_of(arguments.target, "--target", ("average", "fresh", "superset")),
        "top": top,
        "n_resamples": as_positive_int(number(arguments.resamples, "--resamples"), "--resamples", minimum=10),
    }
    if arguments.plot is not None:
        _check_plot(Path(arguments.plot))
    scores, labels = scores_and_labels(*load_scores(file))
    with progress_bars():
        estimator = getattr(extrapolation, METHODS[method])().fit(scores, labels)
        ends = None if arguments.no_intervals else estimator.predict_interval(sizes, **options, rng=seed)
        result = _result(estimator, method, sizes, ends, options)
        if arguments.plot is not None:
            _plot(Path(arguments.plot), estimator, sizes, options, seed, not arguments.no_intervals)
    print(as_json(result, arguments, file=file) if arguments.json else _table(result))


def _result(estimator: Any, method: str, sizes: Any, ends: Any, options: dict[str, Any]) -> dict[str, Any]:
    from classex.curves.accuracy import accuracy_curve

    ranks, top = estimator.ranks_, options["top"]
    observed = accuracy_curve(ranks, ranks.n_classes, top=top)
    predictions: list[dict[str, Any]] = [
        {"n_classes": int(k), "accuracy": float(a)}
        for k, a in zip(sizes, estimator.predict(sizes, top=top), strict=True)
    ]
    if ends is not None:
        for row, (low, high) in zip(predictions, ends, strict=True):
            row["interval"] = [float(low), float(high)]
    return {
        "method": method,
        "top": top,
        "observed": {
            "n_classes": ranks.n_classes,
            "n_test_points": int(ranks.labels.size),
            "accuracy": float(observed.accuracy[0]),
            "standard_error": float(observed.standard_error[0]),
        },
        "confidence_level": options["confidence_level"] if ends is not None else None,
        "target": options["target"] if ends is not None else None,
        "predictions": predictions,
    }


def _table(result: dict[str, Any]) -> str:
    seen = result["observed"]
    kind = "accuracy" if result["top"] == 1 else f"top-{result['top']} accuracy"
    lines = [
        f"observed: {kind} {seen['accuracy']:.4f} (standard error {seen['standard_error']:.4f})"
        f" with {seen['n_classes']} classes, {seen['n_test_points']} test points",
        f"method: {result['method']}",
        "",
    ]
    header = ["classes", "accuracy"]
    if result["confidence_level"] is not None:
        header.append(f"{100 * result['confidence_level']:g} % interval ({result['target']})")
    rows = [header]
    for row in result["predictions"]:
        cells = [f"{row['n_classes']:,}", _probability(row["accuracy"])]
        if "interval" in row:
            cells.append(" to ".join(_probability(end) for end in row["interval"]))
        rows.append(cells)
    width = [max(len(row[column]) for row in rows) for column in range(len(header))]
    lines += ["  ".join(cell.rjust(w) for cell, w in zip(row, width, strict=True)) for row in rows]
    return "\n".join(lines)


def _probability(value: float) -> str:
    return f"{value:.4f}" if value == 0 or value >= 0.001 else f"{value:.1e}"


def _plot(file: Path, estimator: Any, sizes: Any, options: dict[str, Any], seed: int, interval: bool) -> None:
    from matplotlib.figure import Figure

    from classex.displays.accuracy_curve import AccuracyCurveDisplay

    ax = Figure(figsize=(6.4, 4.0), layout="constrained").subplots()
    display = AccuracyCurveDisplay.from_estimator(estimator, sizes, ax=ax, interval=interval, rng=seed, **options)
    display.figure_.savefig(file, dpi=150)


def _check_plot(file: Path) -> None:
    """Refuse a file that cannot be drawn before the work begins."""
    if file.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise ValueError(f"--plot must name a .png, .pdf or .svg file, not {file}")
    if not file.parent.is_dir():
        raise ValueError(f"--plot names a file in {file.parent}, which is no directory")
