"""Counterexamples to statements that are often made, each computed exactly for the page that quotes it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import entr


def table_information(joint: ArrayLike) -> float:
    """Mutual information of rows and columns of a table of probabilities, nats."""
    table = np.asarray(joint, dtype=np.float64)
    return float(entr(table.sum(axis=1)).sum() + entr(table.sum(axis=0)).sum() - entr(table).sum())


def wolpaw_rate(accuracy: float, n_classes: int) -> float:
    """Wolpaw's rate in bits per selection, with an accuracy below one."""
    wrong = (1 - accuracy) * np.log2(n_classes - 1)
    return float(np.log2(n_classes) - (entr(accuracy) + entr(1 - accuracy)) / np.log(2) - wrong)


def ceiling_and_code_exponent(flip: float) -> tuple[float, float]:
    """Error exponents at half the capacity of a binary symmetric channel, nats: the ceiling's, and Gallager's.

    Random codes have Gallager's exponent, and so have the best codes where its maximiser lies inside (0, 1).
    """
    capacity = np.log(2) - entr(flip) - entr(1 - flip)

    def minus_exponent(s: float) -> float:
        inner = flip ** (1 / (1 + s)) + (1 - flip) ** (1 / (1 + s))
        return float(-(s * np.log(2) - (1 + s) * np.log(inner)) + s * capacity / 2)

    found = minimize_scalar(minus_exponent, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-10})
    return float(capacity / 2), float(-found.fun)
