"""Whole curves of real classifiers, by field, for ``extrapolate(..., like=NAME)``: from the domains of the suite."""

from __future__ import annotations

from typing import Any

import numpy as np

from classex._types import FloatArray
from classex._validation import as_class_counts, as_probabilities, one_of

__all__ = ["CURVES", "related_curve"]


#: numbers of classes and accuracies of one classifier of each field, from ``benchmarks/suite``
CURVES: dict[str, tuple[tuple[int, ...], tuple[float, ...]]] = {
    "word definitions": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 32923),
        (0.993, 0.982, 0.970, 0.953, 0.918, 0.877, 0.823, 0.731, 0.650, 0.564, 0.448, 0.365, 0.238),
    ),
    "software descriptions": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 12000),
        (0.974, 0.927, 0.877, 0.816, 0.721, 0.641, 0.558, 0.450, 0.374, 0.305, 0.228, 0.179, 0.168),
    ),
    "translations": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3094),
        (0.828, 0.696, 0.634, 0.590, 0.546, 0.517, 0.490, 0.451, 0.419, 0.382, 0.356),
    ),
    "names of people and places": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 1381),
        (0.963, 0.923, 0.894, 0.865, 0.823, 0.787, 0.745, 0.679, 0.621, 0.591),
    ),
    "printed characters": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 9000),
        (0.922, 0.814, 0.730, 0.649, 0.544, 0.469, 0.398, 0.313, 0.257, 0.208, 0.154, 0.126),
    ),
    "icons": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3881),
        (0.961, 0.920, 0.887, 0.852, 0.799, 0.754, 0.704, 0.635, 0.581, 0.525, 0.473),
    ),
    "spoken words": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3993),
        (0.962, 0.899, 0.844, 0.783, 0.696, 0.630, 0.566, 0.486, 0.430, 0.379, 0.331),
    ),
    "melodies": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 4000),
        (0.888, 0.770, 0.696, 0.632, 0.556, 0.504, 0.456, 0.399, 0.362, 0.327, 0.290),
    ),
    "proteins": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 5372),
        (0.747, 0.486, 0.339, 0.229, 0.131, 0.084, 0.054, 0.029, 0.018, 0.011, 0.006, 0.005),
    ),
    "diagnoses": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 6800),
        (0.897, 0.833, 0.810, 0.793, 0.771, 0.748, 0.715, 0.655, 0.595, 0.522, 0.413, 0.375),
    ),
    "chemical compounds": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000),
        (0.994, 0.981, 0.964, 0.939, 0.890, 0.839, 0.777, 0.679, 0.597, 0.511, 0.398, 0.317),
    ),
    "source code": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 8000),
        (0.993, 0.984, 0.977, 0.968, 0.955, 0.940, 0.921, 0.886, 0.850, 0.804, 0.727, 0.681),
    ),
    "players": (
        (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 4634),
        (0.912, 0.766, 0.643, 0.518, 0.366, 0.269, 0.191, 0.119, 0.081, 0.053, 0.031),
    ),
}


def related_curve(like: Any) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of classes, rising, and the accuracies of a curve.

    Parameters
    ----------
    like : str, pair of array_like, or object with the attributes n_classes and accuracy
        A name of `CURVES`, or a curve.

    Raises
    ------
    TypeError, ValueError
        If it is none of these, or holds fewer than two numbers of classes.

    Examples
    --------
    >>> from classex.forecast import related_curve
    >>> related_curve(([100, 10], [0.5, 0.8]))
    (array([ 10., 100.]), array([0.8, 0.5]))
    """
    if isinstance(like, str):
        like = CURVES[one_of(like, "like", tuple(CURVES))]
    columns = (like.n_classes, like.accuracy) if hasattr(like, "accuracy") and hasattr(like, "n_classes") else like
    try:
        sizes, accuracy = columns
    except (TypeError, ValueError):
        raise TypeError(f"like must be a curve, a pair (n_classes, accuracy) or a name, not {like!r:.60}") from None
    k, value = as_class_counts(sizes, "like"), np.atleast_1d(as_probabilities(accuracy, "like"))
    if k.shape != value.shape or np.unique(k[k > 1]).size < 2:
        raise ValueError(f"like must hold an accuracy for each of two or more numbers of classes, not {value.size}")
    order = np.argsort(k, kind="stable")
    order = order[k[order] > 1]
    return k[order], value[order]
