"""The numbers of the quiz of Chapter 4, by question."""

from __future__ import annotations

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from classex.information import accuracy_ceiling, fano_bound, information_bound
from classex.models import PartlyIdentifiable
from classex_book.course.texts import Numbers


def ceiling() -> Numbers:
    right = accuracy_ceiling(2.0, 100)
    by_count = exp(2.0) / 100
    fano = _fano_accuracy(2.0, 100)
    return {"by_count": by_count, "candidates": exp(2.0), "right": right, "fano": fano}


def _fano_accuracy(information: float, k: int) -> float:
    """Largest accuracy that Fano's inequality allows, by bisection."""
    low, high = 1 / k, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if fano_bound(middle, k) < information else (low, middle)
    return low


def pairs() -> Numbers:
    right, fano = information_bound(0.9, 2), fano_bound(0.9, 2)
    return {"fano": fano, "log_two": log(2), "right": right, "ratio": right / fano}


def perfect() -> Numbers:
    high = information_bound(1 - 1e-6, 100)
    return {"log_hundred": log(100), "high": high}


def from_above() -> Numbers:
    model = PartlyIdentifiable(share=0.01)
    accuracy = model.average_bayes_accuracy(2)
    return {"accuracy": accuracy, "least": information_bound(accuracy, 2), "log_two": log(2)}


def allowance() -> Numbers:
    k1, r, alpha = 400, 10, 0.05
    width = float(np.sqrt((1 + 1 / r) * log(1 / alpha) / (2 * k1)))
    naive = float(np.sqrt((1 + 1 / r) * log(1 / alpha) / (2 * 20)))
    return {"k1": k1, "r": r, "width": width, "naive": naive}


def _entropy(counts: NDArray[np.int64]) -> float:
    """Entropy of observed frequencies."""
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log(share)).sum())


def confusion() -> Numbers:
    k, r = 100, 10
    rng = np.random.default_rng(44)
    table = rng.multinomial(r, np.full(k, 1 / k), size=k)
    plug_in = float(_entropy(table.sum(axis=0)) - np.mean([_entropy(row) for row in table]))
    return {"k": k, "r": r, "plug_in": plug_in}
