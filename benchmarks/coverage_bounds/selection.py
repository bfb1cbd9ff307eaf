"""The best of many classifiers on few test points: what its bound covers with and without correction."""

from __future__ import annotations

import numpy as np

from classex.bayes import bayes_accuracy_bound, generalisation_accuracy_bound

CLASSES = 20
REPEATS = 3
FEATURES = 30
USED = 8
CLASSIFIERS = (1, 2, 5, 10, 20, 50, 100)
FRESH = 250  # further test points per class, which stand for the true accuracy
NOISE = 1.5


def selection_rows(experiments: int, rng: np.random.Generator) -> list[list[object]]:
    """Rows of the table: one per number of classifiers.

    Every classifier is the nearest-centroid rule on its own random choice of 8 of 30 features, so all are
    about equally good, and they are tried on the same 60 test points. The best on these is reported.
    """
    tested = np.empty((experiments, len(CLASSIFIERS)))
    true = np.empty_like(tested)
    best_possible = np.empty(experiments)
    for i in range(experiments):
        on_test, on_fresh, best_possible[i] = _experiment(rng)
        for j, size in enumerate(CLASSIFIERS):
            selected = int(on_test[:size].argmax())
            tested[i, j], true[i, j] = on_test[selected], on_fresh[selected]
    rows: list[list[object]] = []
    for j, size in enumerate(CLASSIFIERS):
        plain = _bounds(generalisation_accuracy_bound, tested[:, j], 1)
        corrected = _bounds(generalisation_accuracy_bound, tested[:, j], size)
        bayes = _bounds(bayes_accuracy_bound, tested[:, j], size)
        uncorrected = float((plain <= true[:, j]).mean())
        rows.append([
            size, experiments, float(tested[:, j].mean()), float(true[:, j].mean()), uncorrected,
            float((corrected <= true[:, j]).mean()), float((bayes <= best_possible).mean()),
            float(np.sqrt(max(uncorrected * (1 - uncorrected), 1 / experiments) / experiments)),
        ])  # fmt: skip
    return rows


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
