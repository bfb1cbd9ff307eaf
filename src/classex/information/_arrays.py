"""The arguments of this package: arrays that broadcast, checked once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_class_counts, as_information, as_plain_array, as_probabilities

__all__ = ["MOST_CLASSES", "as_accuracy", "as_information_and_counts", "shaped"]

FloatArray = NDArray[np.float64]

MOST_CLASSES = 10**15
_INCONSISTENT = 1e-6


def as_information_and_counts(
    information: ArrayLike, n_classes: ArrayLike
) -> tuple[FloatArray, FloatArray, tuple[int, ...]]:
    """Return information and k - 1 as flat arrays of one length, and the shape they broadcast to."""
    flat, shape = _flat(information=as_information(information), n_classes=_as_counts(n_classes))
    return flat[0], flat[1] - 1.0, shape


def as_accuracy(
    accuracy: ArrayLike, n_classes: ArrayLike, error: ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray, tuple[int, ...]]:
    """Return accuracy - 1/k, the error and k - 1 as flat arrays of one length, and the shape they broadcast to.

    Below an accuracy of 1/2 the accuracy is the sharper of the two numbers, above it the error.
    """
    a = as_probabilities(accuracy, "accuracy")
    e = 1.0 - a if error is None else as_probabilities(error, "error")
    flat, shape = _flat(accuracy=a, n_classes=_as_counts(n_classes), error=e)
    a, k, e = flat
    apart = np.abs(a + e - 1.0) > _INCONSISTENT
    if apart.any():
        i = int(np.argmax(apart))
        raise ValueError(f"error must be 1 - accuracy, but accuracy is {a[i]} and error is {e[i]}")
    excess = np.where(a <= 0.5, a - 1.0 / k, (1.0 - 1.0 / k) - e)
    return excess, e, k - 1.0, shape


def shaped(value: FloatArray, shape: tuple[int, ...]) -> Any:
    """Return a float for scalar input, else an array of the shape that the input broadcast to."""
    return float(value[0]) if shape == () else value.reshape(shape)


def _as_counts(n_classes: ArrayLike) -> FloatArray:
    counts = as_plain_array(n_classes, "n_classes")
    return as_class_counts(counts.ravel(), minimum=2, maximum=MOST_CLASSES).reshape(counts.shape)


def _flat(**arrays: FloatArray) -> tuple[list[FloatArray], tuple[int, ...]]:
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = " and ".join(f"{name} has {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes must broadcast against each other, but {shapes}") from None
    return [np.ascontiguousarray(np.broadcast_to(array, shape).ravel()) for array in arrays.values()], shape
