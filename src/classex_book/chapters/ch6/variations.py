"""Exercises of Chapter 6 with other numbers."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

import numpy as np

from classex_book.chapters.drawn_tables import ROWS, mean_entropy, stacked
from classex_book.course.variants import Numbers, Variation

__all__ = ["VARIATIONS"]


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


VARIATIONS = (
    Variation(
        "exr-ch6-screening",
        "Screening",
        "A test screens 2,000 people, of whom «ill» are ill. It finds «found» of these and raises «alarms» "
        "false alarms. "
        "What are its accuracy and its prediction advantage under zero–one loss?",
        _draw_screening,
        _screening_key,
    ),
    Variation(
        "exr-ch6-constants",
        "Four constants",
        "The labels are «labels». Find a best constant prediction for squared loss, for absolute loss, for pinball "
        "loss with quantile 0.9, and for zero–one loss. Where all numbers between two labels are best, take the "
        "one in the middle.",
        _draw_labels,
        _constants_key,
    ),
    Variation(
        "exr-ch6-cost",
        "The price of an error",
        "Of 100 people, 90 are well and 10 are ill. A test calls «alarms» of the well ones ill, and «lost» of "
        "the ill ones "
        "well. A missed patient costs «missed», a false alarm 1, a right answer nothing. Which decision does the blind "
        "guesser take (0 for calling everybody well, 1 for calling everybody ill), and what is the advantage?",
        lambda rng: {
            "missed": int(rng.choice([5, 8, 12, 15, 30])),
            "alarms": int(rng.integers(5, 15)),
            "lost": int(rng.integers(1, 4)),
        },
        _cost_key,
    ),
    Variation(
        "exr-ch6-normal",
        "Half of the variance, less of the error",
        "Let $(X, Y)$ be bivariate normal with correlation $\\rho = $ «rho». What is the advantage of the best "
        "prediction "
        "from $X$ under squared loss, and what is it under absolute loss?",
        lambda rng: {"rho": float(rng.choice([0.3, 0.5, 0.6, 0.7, 0.9]))},
        lambda rho: [rho**2, 1 - sqrt(1 - rho**2)],
    ),
    Variation(
        "exr-ch6-hundred",
        "Ten classes and a thousand",
        "Recogniser A is right in a share «a» of the cases with ten classes, recogniser B in a share «b» with a "
        "thousand, "
        "all equally likely. What are their advantages? And suppose that A knows some of the answers and "
        "guesses the rest "
        "evenly: what would its accuracy be with two classes?",
        lambda rng: {"a": float(rng.choice([0.7, 0.8, 0.85, 0.95])), "b": float(rng.choice([0.3, 0.4, 0.5, 0.7]))},
        lambda a, b: [(10 * a - 1) / 9, (1000 * b - 1) / 999, 0.5 + (10 * a - 1) / 18],
    ),
    Variation(
        "exr-ch6-folds",
        "Two folds",
        "In one fold of a cross-validation the true labels are «first» and the predictions «first_called»; in the "
        "other the truths are «second» and the predictions «second_called». Compute the mean of the two advantages, "
        "and the advantage of all ten rows together.",
        _draw_folds,
        _folds_key,
    ),
    Variation(
        "exr-ch6-above",
        "Above balanced accuracy",
        "With two classes the advantage is never above balanced accuracy. Construct a confusion matrix of counts with "
        "exactly «classes» classes in which it exceeds balanced accuracy by at least «margin».",
        lambda rng: {"classes": int(rng.integers(3, 7)), "margin": float(rng.choice([0.15, 0.25, 0.3]))},
        _above_key,
        "a square matrix of counts with so many classes, true class in the row",
    ),
    Variation(
        "exr-ch6-advantage",
        "Any loss",
        "The true labels are «true», the predictions «predicted». A prediction loses its distance from the truth, but "
        "never more than «cap». What is the prediction advantage, with the best constant among the true labels?",
        _draw_capped,
        _capped_key,
        "a number",
    ),
    Variation(
        "exr-ch6-kappa",
        "Beside kappa",
        "Of the first of three true classes «first» rows are called first, second and third, of the second class "
        "«second», of the third «third». What are the advantage under zero–one loss and Cohen's kappa?",
        lambda rng: {
            place: (rng.integers(0, 8, 3) + 20 * np.eye(3, dtype=int)[row]).tolist() for row, place in enumerate(ROWS)
        },
        _kappa_key,
        "a pair: advantage, kappa",
    ),
    Variation(
        "exr-ch6-blind-entropy",
        "A die that seems loaded",
        "The blind risk under cross-entropy of a fair die with «faces» faces is estimated by the entropy of the shares "
        "seen in «rolls» rolls. What is this estimate on average? Three digits will do.",
        lambda rng: {"faces": int(rng.choice([4, 8, 12, 20])), "rolls": int(rng.choice([15, 20, 40, 60]))},
        lambda faces, rolls: mean_entropy(faces, rolls),
        "a number of nats, right to three digits",
    ),
)
