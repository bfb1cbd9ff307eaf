"""Extrapolate the accuracy of eight classifiers of glyphs, retrained on random nested subsets of the classes.

``python -m benchmarks.telugu`` draws 20 random orders of the classes. For each, every classifier is trained on the
first 20, 100 and 400 classes; every method extrapolates from the scores with 20 and with 100 classes. The truth
is the mean, over the orders, of the accuracy of the classifier trained on the larger set.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np

import classex as cx
from benchmarks import study
from benchmarks.methods import named
from classex_book.data import CLASSIFIERS, glyph_scores, load_telugu

COMMAND = "python -m benchmarks.telugu"
TABLE = study.STORED / "telugu" / "results.csv"
HEADER = "classifier,marginal,k1,k2,truth,method,orders,prediction,bias,standard_error,rmse,rmse_standard_error"
SIZES = (20, 100, 400)
STEPS = ((20, 100), (20, 400), (100, 400))
ORDERS = 20
OBSERVED = "observed"
METHODS = named("ClassExReg", "KDE-BCV", "KDE-UCV", "regression", "exponential", "probit-normal", "default")


def one(classifier: str, order: int) -> list[tuple[str, int, int, float]]:
    """Accuracy of one classifier at every size, in one order of the classes, and all predictions."""
    glyphs = load_telugu()
    classes = np.random.default_rng([20181001, order]).permutation(glyphs.n_classes)
    out = []
    for k in SIZES:
        scores, labels = glyph_scores(classifier, glyphs, classes[:k])
        out.append((OBSERVED, k, k, float(cx.accuracy_curve(cx.correct_ranks(scores, labels), k).accuracy[0])))
        if targets := [k2 for k1, k2 in STEPS if k1 == k]:
            for name, method in METHODS.items():
                predicted = cx.Extrapolator(method).fit(scores, labels).predict(targets)
                out += [(name, k, k2, float(p)) for k2, p in zip(targets, predicted, strict=True)]
    return out


def summary(classifier: str, orders: list[list[tuple[str, int, int, float]]]) -> list[list[object]]:
    """Mean prediction, bias and root mean squared error of every method, with standard errors."""
    found: dict[tuple[str, int, int], list[float]] = defaultdict(list)
    for method, k1, k2, value in (row for rows in orders for row in rows):
        found[method, k1, k2].append(value)
    out: list[list[object]] = []
    for (method, k1, k2), values in found.items():
        if method == OBSERVED:
            continue
        truth = np.array(found[OBSERVED, k2, k2])
        # the mean of predictions minus truths, order by order, includes the error of the mean truth
        paired, error = values - truth, values - truth.mean()
        root_n = np.sqrt(error.size)
        rmse = np.sqrt(np.square(error).mean())
        numbers = (
            np.mean(values), error.mean(), paired.std(ddof=1) / root_n, rmse,
            np.square(error).std(ddof=1) / root_n / (2 * rmse),
        )  # fmt: skip
        out.append([
            classifier, int(CLASSIFIERS[classifier].marginal), k1, k2, f"{truth.mean():.5f}", method, error.size,
            *(f"{number:.5f}" for number in numbers),
        ])  # fmt: skip
    return out


def main() -> None:
    options = study.parser(COMMAND, __doc__).parse_args()
    found = study.run(one, product(CLASSIFIERS, range(ORDERS)), "telugu", options.jobs)
    rows = [
        row
        for place, name in enumerate(CLASSIFIERS)
        for row in summary(name, found[place * ORDERS : (place + 1) * ORDERS])
    ]
    study.write(TABLE, COMMAND, HEADER, rows)


if __name__ == "__main__":
    main()
