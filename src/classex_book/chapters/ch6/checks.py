"""Checkers of the exercises of Chapter 6; the truth comes from plain counting, search over constants and quadrature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import gammaln

from classex.advantage import confusion_measures
from classex_book.arguments import absolute, capped, pinball, zero_one
from classex_book.chapters.drawn_tables import ROWS, mean_entropy, stacked
from classex_book.course.answers import as_array, honest_estimator, require, same_array, same_function, same_number
from classex_book.course.texts import Numbers, Variations

Array = NDArray[Any]


def _zero_one(true: Array, predicted: Array) -> float:
    """Advantage under zero-one loss, by trying every constant."""
    blind = min(float(np.mean(true != label)) for label in np.unique(true))
    return 1 - float(np.mean(true != predicted)) / blind


def check_screening(answer: object, ill: int = 40, found: int = 30, alarms: int = 30) -> None:
    counts = [2000 - ill - alarms, alarms, ill - found, found]
    true = np.repeat([0.0, 0.0, 1.0, 1.0], counts)
    predicted = np.repeat([0.0, 1.0, 0.0, 1.0], counts)
    same_array(answer, [np.mean(true == predicted), _zero_one(true, predicted)])


def check_constants(answer: object, labels: Sequence[int] = (0, 0, 0, 1, 2, 3, 4, 8, 12, 20)) -> None:
    y = np.array(labels, dtype=float)
    found = as_array(answer, (4,))
    grid = np.arange(y.min(), y.max() + 0.001, 0.01)[:, np.newaxis]
    pinball = np.where(y >= grid, 0.9 * (y - grid), 0.1 * (grid - y)).sum(axis=1)
    risks: list[tuple[str, Any]] = [
        ("squared", lambda a: np.square(y - a).sum()),
        ("absolute", lambda a: np.abs(y - a).sum()),
        ("pinball", lambda a: np.where(y >= a, 0.9 * (y - a), 0.1 * (a - y)).sum()),
        ("zero-one", lambda a: np.count_nonzero(np.abs(y - a) > 1e-9)),
    ]
    fewest_errors = min(np.count_nonzero(y != label) for label in y)
    least = [np.square(y - y.mean()).sum(), np.abs(y - grid).sum(axis=1).min(), pinball.min(), fewest_errors]
    for (loss, risk), constant, best in zip(risks, found, least, strict=True):
        require(risk(constant) <= best + 1e-6, f"for {loss} loss there is a better constant")


def check_cost(answer: object, missed: int = 20, alarms: int = 10, lost: int = 1) -> None:
    cost = np.array([[0.0, 1.0], [float(missed), 0.0]])
    counts = np.array([[90.0 - alarms, alarms], [lost, 10.0 - lost]])
    blind = [sum(counts[i].sum() * cost[i, a] for i in range(2)) for a in range(2)]
    paid = sum(counts[i, j] * cost[i, j] for i in range(2) for j in range(2))
    same_array(answer, [float(np.argmin(blind)), 1 - paid / min(blind)])


def check_normal(answer: object, rho: float = 0.8) -> None:
    x, step = np.linspace(-9, 9, 40_001, retstep=True)

    def risk(sd: float, power: int) -> float:
        return float((stats.norm.pdf(x) * np.abs(sd * x) ** power).sum() * step)

    left = np.sqrt(1 - rho**2)
    same_array(answer, [1 - risk(left, 2) / risk(1, 2), 1 - risk(left, 1) / risk(1, 1)], tolerance=1e-5)


def check_hundred(answer: object, a: float = 0.9, b: float = 0.6) -> None:
    # A classifier that identifies a share p and guesses the others evenly has accuracy p + (1 - p) / k
    shares: list[float] = []
    for k, accuracy in ((10, a), (1000, b)):
        low, high = 0.0, 1.0
        for _ in range(60):
            p = 0.5 * (low + high)
            low, high = (p, high) if p + (1 - p) / k < accuracy else (low, p)
        shares.append(low)
    same_array(answer, [*shares, shares[0] + (1 - shares[0]) / 2])


def check_folds(
    answer: object,
    first: Sequence[int] = (0, 0, 0, 0, 1),
    first_called: Sequence[int] = (0, 0, 0, 1, 1),
    second: Sequence[int] = (0, 0, 1, 1, 1),
    second_called: Sequence[int] = (0, 0, 1, 1, 0),
) -> None:
    folds = [(np.array(first), np.array(first_called)), (np.array(second), np.array(second_called))]
    single = [_zero_one(true, predicted) for true, predicted in folds]
    everything = _zero_one(*(np.concatenate(part) for part in zip(*folds, strict=True)))
    same_array(answer, [sum(single) / 2, everything])


def check_advantage(answer: object, cap: int | None = None, **labels: Sequence[int]) -> None:
    def truth(true: Array, predicted: Array, loss: Any) -> float:
        blind = min(float(np.mean(loss(np.full(true.size, a), true))) for a in np.unique(true))
        return 1 - float(np.mean(loss(predicted, true))) / blind

    if cap is not None:
        true, predicted = (np.array(labels[part]) for part in ("true", "predicted"))
        same_number(answer, truth(true, predicted, partial(capped, cap=cap)))
        return
    rng = np.random.default_rng(61)
    cases = {}
    for loss in (zero_one, absolute, capped, pinball):
        true = rng.integers(0, 6, 25)
        # predictions with shares of their own: a constant fitted to them is not the best one for the truth
        predicted = np.where(rng.random(25) < 0.7, np.minimum(true + 2, 7), rng.integers(0, 3, 25))
        cases[f"{loss.__name__} loss"] = (true, predicted, loss)
        cases[f"{loss.__name__} loss and shuffled labels"] = (true, rng.permutation(true), loss)
        cases[f"{loss.__name__} loss and a perfect prediction"] = (true, true.copy(), loss)
        # no prediction is a true label, so that the best constant is none of the predictions
        cases[f"{loss.__name__} loss and predictions beside all labels"] = (3 * true, 3 * predicted + 1, loss)
    same_function(answer, truth, cases)


def check_kappa(answer: object, **rows: Sequence[int]) -> None:
    def truth(counts: Array) -> Array:
        true, predicted = (np.repeat(index.ravel(), counts.ravel()) for index in np.indices(counts.shape))
        # agreement of all pairs (true label of one row, prediction of any row)
        chance = np.mean(true[:, np.newaxis] == predicted)
        error = np.mean(true != predicted)
        return np.array([_zero_one(true, predicted), 1 - error / (1 - chance)])

    if rows:
        same_array(answer, truth(np.array(list(rows.values()))))
        return
    matrices = {
        "two classes": [[50, 5], [3, 20]],
        "a prediction that never occurs": [[30, 0], [10, 0]],
        "four classes": [[9, 1, 0, 2], [3, 8, 1, 0], [0, 0, 20, 1], [2, 2, 2, 2]],
    }
    same_function(answer, truth, {case: (np.array(counts),) for case, counts in matrices.items()})


def check_above(answer: object, classes: int | None = None, margin: float = 0.2) -> None:
    counts = as_array(answer, (classes, classes))
    require(counts.shape[0] == counts.shape[1] >= 3, "the matrix must be square, with at least three classes")
    require((counts >= 0).all() and (counts == np.floor(counts)).all(), "the counts must be whole and not negative")
    require((counts.sum(axis=1) > 0).all(), "every class needs at least one row of data")
    require(np.trace(counts) < counts.sum(), "there must be at least one error")
    measures = confusion_measures(counts)
    advantage, balanced = float(measures.prediction_advantage), float(measures.balanced_accuracy)
    require(advantage >= balanced + margin, f"the advantage does not exceed balanced accuracy by {margin:g}")


def check_blind_entropy(answer: object, faces: int = 6, rolls: int | None = None) -> None:
    # All faces have the same distribution: their number times the mean term of one binomial count
    n = 30 if rolls is None else rolls
    truth = 0.0
    for count in range(1, n):
        log_chance = gammaln(n + 1) - gammaln(count + 1) - gammaln(n - count + 1)
        log_chance += count * np.log(1 / faces) + (n - count) * np.log(1 - 1 / faces)
        truth -= faces * float(np.exp(log_chance)) * count / n * np.log(count / n)
    if rolls is not None:
        same_number(answer, truth, tolerance=2e-3)
        return
    honest_estimator(answer, truth, largest_error=0.002)


# Other numbers: drawn from a seed, with a key that is worked out in another way than the checkers' truth


def _draw_screening(rng: np.random.Generator) -> Numbers:
    ill = int(rng.choice([30, 50, 60, 80]))
    return {"ill": ill, "found": ill - int(rng.integers(5, 15)), "alarms": int(rng.integers(10, 45))}


def _screening_key(ill: int, found: int, alarms: int) -> list[float]:
    errors = ill - found + alarms
    return [1 - errors / 2000, 1 - errors / ill]


def _draw_labels(rng: np.random.Generator) -> Numbers:
    mode = int(rng.integers(0, 4))
    return {"labels": [mode] * 3 + (mode + np.cumsum(rng.integers(1, 6, 7))).tolist()}


def _constants_key(labels: list[int]) -> list[float]:
    return [sum(labels) / 10, (labels[4] + labels[5]) / 2, (labels[8] + labels[9]) / 2, labels[0]]


def _draw_folds(rng: np.random.Generator) -> Numbers:
    drawn: Numbers = {}
    for fold, ill in (("first", int(rng.integers(1, 3))), ("second", int(rng.integers(2, 4)))):
        true = [0] * (5 - ill) + [1] * ill
        wrong = rng.choice(5, int(rng.integers(1, 3)), replace=False)
        drawn[fold] = true
        drawn[f"{fold}_called"] = [1 - label if i in wrong else label for i, label in enumerate(true)]
    return drawn


def _folds_key(first: list[int], first_called: list[int], second: list[int], second_called: list[int]) -> list[float]:
    def advantage(true: list[int], called: list[int]) -> float:
        errors = sum(a != b for a, b in zip(true, called, strict=True))
        return 1 - errors / min(sum(true), len(true) - sum(true))

    both = (advantage(first, first_called), advantage(second, second_called))
    return [sum(both) / 2, advantage(first + second, first_called + second_called)]


def _above_key(classes: int, margin: float) -> list[list[int]]:
    # two large classes that are never confused, and rare ones that are always missed
    del margin
    large = [[1000 if i == j else 0 for j in range(classes)] for i in range(2)]
    return large + [[1] + [0] * (classes - 1)] * (classes - 2)


def _cost_key(missed: int, alarms: int, lost: int) -> list[float]:
    well, sick = 10 * missed, 90
    return [float(sick < well), 1 - (alarms + lost * missed) / min(well, sick)]


def _draw_capped(rng: np.random.Generator) -> Numbers:
    while True:
        true = rng.integers(0, 12, 9)
        predicted, cap = true + rng.integers(-2, 3, 9), int(rng.integers(2, 5))
        # the best of the predicted labels must not do for the best of the true ones
        if _capped_risk(true, true, cap) < _capped_risk(predicted, true, cap):
            return {"true": true.tolist(), "predicted": predicted.tolist(), "cap": cap}


def _capped_risk(constants: Iterable[int], true: Iterable[int], cap: int) -> int:
    """What the best of these constants loses in all."""
    return min(sum(min(abs(a - y), cap) for y in true) for a in constants)


def _capped_key(true: list[int], predicted: list[int], cap: int) -> float:
    lost = sum(min(abs(a - y), cap) for a, y in zip(predicted, true, strict=True))
    return 1 - lost / _capped_risk(true, true, cap)


def _kappa_key(**rows: list[int]) -> list[float]:
    share = stacked(rows) / sum(map(sum, rows.values()))
    p, q, error = share.sum(axis=1), share.sum(axis=0), 1 - float(np.trace(share))
    return [1 - error / (1 - float(p.max())), 1 - error / (1 - float(p @ q))]


VARIATIONS: Variations = {
    "screening": (_draw_screening, _screening_key),
    "constants": (_draw_labels, _constants_key),
    "cost": (
        lambda rng: {
            "missed": int(rng.choice([5, 8, 12, 15, 30])),
            "alarms": int(rng.integers(5, 15)),
            "lost": int(rng.integers(1, 4)),
        },
        _cost_key,
    ),
    "normal": (
        lambda rng: {"rho": float(rng.choice([0.3, 0.5, 0.6, 0.7, 0.9]))},
        lambda rho: [rho**2, 1 - sqrt(1 - rho**2)],
    ),
    "hundred": (
        lambda rng: {"a": float(rng.choice([0.7, 0.8, 0.85, 0.95])), "b": float(rng.choice([0.3, 0.4, 0.5, 0.7]))},
        lambda a, b: [(10 * a - 1) / 9, (1000 * b - 1) / 999, 0.5 + (10 * a - 1) / 18],
    ),
    "folds": (_draw_folds, _folds_key),
    "advantage": (_draw_capped, _capped_key),
    "kappa": (
        lambda rng: {
            name: (rng.integers(0, 8, 3) + 20 * np.eye(3, dtype=int)[row]).tolist() for row, name in enumerate(ROWS)
        },
        _kappa_key,
    ),
    "above": (
        lambda rng: {"classes": int(rng.integers(3, 7)), "margin": float(rng.choice([0.15, 0.25, 0.3]))},
        _above_key,
    ),
    "blind-entropy": (
        lambda rng: {"faces": int(rng.choice([4, 8, 12, 20])), "rolls": int(rng.choice([15, 20, 40, 60]))},
        lambda faces, rolls: mean_entropy(faces, rolls),
    ),
}
