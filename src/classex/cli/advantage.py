"""``classex advantage``: the prediction advantage of stored predictions, with a confidence interval."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._checks import listed
from classex.advantage.intervals import prediction_advantage_interval
from classex.advantage.measure import LOSSES, make_target, prepare
from classex.cli.options import add_command, show
from classex.io.checks import missed, whole
from classex.io.tables import Table, read_table

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    add_command(subparsers, "advantage", _run, losses="|".join(LOSSES))


def _run(arguments: argparse.Namespace) -> None:
    """The prediction advantage is one minus the risk of the predictions over that of the best constant.

    The file (.csv, .tsv, .jsonl or .parquet, packed or not, or - for standard input) has a header and the columns
    y_true and y_pred, and may have a column weight. With --loss cross_entropy there is no y_pred: every
    other column holds the predicted probability of one class, and its name is the label of that class as
    it stands in y_true. --cost names a file with the cost of each mistake: a header of an arbitrary first
    name and the predicted labels, then one line per true label, that label first and its costs after it.
    """
    y_true, y_pred, options = _read_predictions(arguments)
    if arguments.quantile is not None:
        options["quantile"] = arguments.quantile
    interval = prediction_advantage_interval(
        y_true,
        y_pred,
        **options,
        confidence_level=arguments.confidence_level,
        method=arguments.method,
        n_resamples=arguments.resamples,
        rng=arguments.seed,
    )
    weight = options.pop("sample_weight")
    case = prepare(make_target(y_true, **options), y_pred, weight)
    constant = case.target.best_constant(case.weight)
    result = {
        "prediction_advantage": interval.value,
        **{name: getattr(interval, name) for name in ("standard_error", "low", "high", "confidence_level", "method")},
        "loss": options["loss"] if isinstance(options["loss"], str) else "cost matrix",
        "risk": case.risk,
        "marginal_risk": case.marginal_risk,
        "marginal_prediction": constant.tolist() if hasattr(constant, "tolist") else constant,
        "n_rows": len(y_true),
    }
    show(arguments, interval, file=arguments.predictions, text=_text(result), values=result)


def _text(result: dict[str, Any]) -> str:
    constant = result["marginal_prediction"]
    shown = ", ".join(f"{p:.4g}" for p in constant) if isinstance(constant, list) else str(constant)
    ends = f"{result['low']:.4f} to {result['high']:.4f}"
    level = f"{100 * result['confidence_level']:g} % interval, {result['method']}"
    return (
        f"prediction advantage {result['prediction_advantage']:.4f} ({ends}; {level})\n"
        f"  risk               {result['risk']:.6g}  ({result['loss']}, {result['n_rows']} rows)\n"
        f"  marginal risk      {result['marginal_risk']:.6g}  (best constant: {shown})"
    )


def _read_predictions(arguments: argparse.Namespace) -> tuple[NDArray[Any], NDArray[Any], dict[str, Any]]:
    """True labels, predictions, and the options that the file determines."""
    if arguments.loss is not None and arguments.cost is not None:
        raise ValueError("give --loss or --cost, not both")
    loss: Any = arguments.loss or "zero_one"
    entropy = loss == "cross_entropy"
    table = read_table(arguments.predictions, *(("y_true",) if entropy else ("y_true", "y_pred")))
    weight = table.numbers(["weight"])[:, 0] if "weight" in table.header else None
    options: dict[str, Any] = {"loss": loss, "sample_weight": weight, "labels": None}
    true = _labels(table, "y_true")
    if entropy:
        labels = [table.header[i] for i in table.others("y_true", "y_pred", "weight")]
        if len(labels) < 2:
            raise ValueError(f"{table.name} must have a column of probabilities for each class, named by its label")
        return true, table.numbers(labels), {**options, "labels": labels}
    if loss != "zero_one" and arguments.cost is None:
        return *table.numbers(["y_true", "y_pred"]).T, options
    predicted = _labels(table, "y_pred")
    left, text = missed(map(whole, predicted.tolist()), set(map(whole, true.tolist())))
    if left and "resembles" in text:
        warnings.warn(f"{table.name}: labels in y_pred that are not in y_true, {text}", UserWarning, stacklevel=2)
    if arguments.cost is not None:
        options["loss"], options["labels"] = _read_cost(arguments.cost)
        return true, predicted, options
    try:  # labels that are all numbers compare as numbers: 1 is 1.0
        return true.astype(float), predicted.astype(float), options
    except ValueError:
        return true, predicted, options


def _labels(table: Table, column: str) -> NDArray[Any]:
    """Return a column of labels, none of them empty."""
    labels = np.array(table.texts(column))
    if (labels == "").any():
        raise ValueError(f"{table.name}: {column} must not be empty, but is in row {int(np.argmax(labels == '')) + 1}")
    return labels


def _read_cost(path: str) -> tuple[NDArray[np.float64], list[str]]:
    table = read_table(path)
    true, labels = table.texts(table.header[0]), table.header[1:]
    if sorted(true) != sorted(labels):
        raise ValueError(f"{table.name} must have one line for each of the labels {listed(labels)}, that label first")
    return table.numbers(labels)[[true.index(label) for label in labels]], labels
