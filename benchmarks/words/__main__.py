"""Extrapolate the identification of word senses from random subsets of the classes to all 32,923.

``python -m benchmarks.words`` embeds the words with each system and ranks all of them: that is the truth. Then it draws
50 subsets of 100, 500 and 2,000 classes; every method sees the scores of the subset and predicts the accuracy with many
more. With ``--methods``, the rows of the others stay as they are stored.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks import study
from benchmarks.methods import METHODS as EVERY_METHOD
from classex_book.data import WORD_SYSTEMS, embed_words, load_words

COMMAND = "python -m benchmarks.words"
FOLDER = study.STORED / "words"
SIZES = (100, 500, 2_000)
TARGETS = (5_000, 10_000, 32_923)
SUBSETS = 50
METHODS = {name: make for name, make in EVERY_METHOD.items() if name != "regression, generalised"}
CURVE_HEADER = "system,k,accuracy,standard_error,tied"
HEADER = "system,k1,k2,truth,method,subsets,failed,prediction,bias,standard_error,rmse,rmse_standard_error"


@cache
def embedded(system: str) -> tuple[Any, Any]:
    """Vectors of the tests and of the references."""
    return embed_words(load_words(), system=system)


def true_curve(system: str) -> list[list[Any]]:
    """Accuracy at about 80 numbers of classes, from the ranks among all; and the share of points with a tie."""
    test, references = embedded(system)
    total = test.shape[0]
    ranks = cx.correct_ranks_from_embeddings(test, references, np.arange(total), metric="inner_product")
    # five to a doubling, and those that are asked for
    sizes = np.rint(2 ** np.arange(1, np.log2(total), 1 / 5)).astype(int)
    asked = [k for k in (10, 1_000, *SIZES, *TARGETS) if k < total]
    curve = cx.accuracy_curve(ranks, np.unique([*sizes, *asked, total]))
    tied = (ranks.ties > 0).mean()
    entries = zip(curve.n_classes, curve.accuracy, curve.standard_error, strict=True)
    return [[system, int(k), f"{a:.6f}", f"{se:.6f}", f"{tied:.6f}"] for k, a, se in entries]


def scores(system: str, size: int, subset: int) -> NDArray[np.float64]:
    """Scores of the test points of a random subset of the classes for those classes: (size, size)."""
    test, references = embedded(system)
    rng = np.random.default_rng([20181101, size, subset])
    classes = rng.choice(test.shape[0], size, replace=False)
    product_ = test[classes].astype(np.float64) @ references[classes].astype(np.float64).T
    return np.asarray(product_.toarray() if hasattr(product_, "toarray") else product_)


def predict(system: str, size: int, method: str, subset: int) -> list[float]:
    """Predictions of one method from one subset; not a number where its solver failed."""
    try:
        return list(
            cx.Extrapolator(METHODS[method]).fit(scores(system, size, subset), np.arange(size)).predict(TARGETS)
        )
    except cx.exceptions.SolverError:
        return [np.nan] * len(TARGETS)


def summary(system: str, k1: int, method: str, predictions: list[list[float]], truths: list[float]) -> list[list[Any]]:
    """Mean prediction, bias and root mean squared error of one method, with standard errors over subsets."""
    out = []
    for k2, truth, values in zip(TARGETS, truths, np.array(predictions).T, strict=True):
        found = values[~np.isnan(values)]
        error, root_n = found - truth, np.sqrt(found.size)
        rmse = np.sqrt(np.square(error).mean())
        spread = [part.std(ddof=1) / root_n for part in (error, np.square(error))]
        shown = (f"{x:.5f}" for x in (found.mean(), error.mean(), spread[0], rmse, spread[1] / (2 * rmse)))
        out.append([system, k1, k2, f"{truth:.5f}", method, found.size, values.size - found.size, *shown])
    return out


def main() -> None:
    parser = study.parser(COMMAND, __doc__)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="METHOD")
    options = parser.parse_args()
    curves = [row for rows in study.run(true_curve, ((s,) for s in WORD_SYSTEMS), "words") for row in rows]
    study.write(FOLDER / "curves.csv", COMMAND, CURVE_HEADER, curves)
    truth = {(row[0], row[1]): float(row[2]) for row in curves}
    rows = []
    for system, k1, method in product(WORD_SYSTEMS, SIZES, options.methods):
        cells = [(system, k1, method, subset) for subset in range(SUBSETS)]
        found = study.run(predict, cells, "words", options.jobs)
        rows += summary(system, k1, method, found, [truth[system, k2] for k2 in TARGETS])
    study.write(FOLDER / "results.csv", COMMAND, HEADER, rows, n_keys=5)


if __name__ == "__main__":
    main()
