"""The best of many classifiers on few test points: what its bound covers with and without correction.

Every classifier is the nearest-centroid rule on its own random choice of 8 of 30 features, so all are about equally
good, and they are tried on the same 60 test points. The best on these is reported.
"""

from __future__ import annotations

import numpy as np

from classex.bayes import bayes_accuracy_bound, generalisation_accuracy_bound

TABLE = "coverage_bounds/selection"
HEADER = (
    "n_classifiers,experiments,accuracy_on_test_points,true_accuracy,uncorrected_coverage,corrected_coverage,"
    "bayes_coverage,standard_error"
)
CLASSES = 20
REPEATS = 3
FEATURES = 30
USED = 8
CLASSIFIERS = (1, 2, 5, 10, 20, 50, 100)
FRESH = 250  # further test points per class, which stand for the true accuracy
NOISE = 1.5
CELLS = ((600,),)


def rows(experiments: int) -> list[list[object]]:
    """One row for each number of classifiers."""
    rng = np.random.default_rng([20170413, 99])
    tested, true = np.empty((2, experiments, len(CLASSIFIERS)))
    best_possible = np.empty(experiments)
    for i in range(experiments):
        on_test, on_fresh, best_possible[i] = _experiment(rng)
        for j, size in enumerate(CLASSIFIERS):
            selected = int(on_test[:size].argmax())
            tested[i, j], true[i, j] = on_test[selected], on_fresh[selected]
    out: list[list[object]] = []
    for j, size in enumerate(CLASSIFIERS):
        plain, corrected = (_bounds(generalisation_accuracy_bound, tested[:, j], n) for n in (1, size))
        bayes = _bounds(bayes_accuracy_bound, tested[:, j], size)
        uncorrected = (plain <= true[:, j]).mean()
        numbers = (
            tested[:, j].mean(), true[:, j].mean(), uncorrected, (corrected <= true[:, j]).mean(),
            (bayes <= best_possible).mean(),
            np.sqrt(max(uncorrected * (1 - uncorrected), 1 / experiments) / experiments),
        )  # fmt: skip
        out.append([size, experiments, *(f"{x:.6g}" for x in numbers)])
    return out


def _bounds(function, accuracy: np.ndarray, n_classifiers: int) -> np.ndarray:  # type: ignore[no-untyped-def]
    value, where = np.unique(accuracy, return_inverse=True)
    bound = [function(v, n_classes=CLASSES, n_repeats=REPEATS, n_classifiers=n_classifiers) for v in value]
    return np.array(bound)[where]


def _experiment(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Accuracy of every classifier on the test points and on fresh ones, and that of all features together."""
    centroid = rng.standard_normal((CLASSES, FEATURES)).astype(np.float32)
    label = np.repeat(np.arange(CLASSES), REPEATS + FRESH)
    points = centroid[label] + np.float32(np.sqrt(NOISE)) * rng.standard_normal((label.size, FEATURES), np.float32)
    squares = (points[:, np.newaxis] - centroid) ** 2
    accuracy = np.empty((CLASSIFIERS[-1] + 1, 2))
    for j in range(CLASSIFIERS[-1] + 1):
        # the last one, all features, is the Bayes rule
        used = np.arange(FEATURES) if j == CLASSIFIERS[-1] else rng.choice(FEATURES, USED, replace=False)
        mask = np.zeros(FEATURES, dtype=np.float32)
        mask[used] = 1
        right = ((squares @ mask).argmin(axis=1) == label).reshape(CLASSES, -1)
        accuracy[j] = right[:, :REPEATS].mean(), right[:, REPEATS:].mean()
    return accuracy[:-1, 0], accuracy[:-1, 1], float(accuracy[-1, 1])
