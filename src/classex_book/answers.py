"""Comparisons of an answer with the truth; each says in what respect the answer fails, never what is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Mismatch",
    "as_array",
    "as_number",
    "call",
    "honest_estimate",
    "require",
    "same_array",
    "same_function",
    "same_number",
]


class Mismatch(Exception):  # noqa: N818 - what it carries is the first half of a sentence
    """In what respect an answer is not right; `check` makes the full message of it."""


def require(condition: object, problem: str) -> None:
    """Raise `Mismatch` with the problem unless the condition holds."""
    if not condition:
        raise Mismatch(problem)


def as_number(answer: object) -> float:
    """Return the answer as a finite float."""
    return float(as_array(answer, ()))


def as_array(answer: object, shape: tuple[int | None, ...], kind: str = "") -> NDArray[np.float64]:
    """Return the answer as a finite array of the shape, in which None stands for any length."""
    axes = "axis" if len(shape) == 1 else "axes"
    kind = kind or (f"an array with {len(shape)} {axes}" if shape else "a number")
    try:
        array = np.asarray(answer)
    except ValueError:
        raise Mismatch(f"the answer must be {kind}, but its rows differ in length") from None
    if array.dtype == bool or not (np.issubdtype(array.dtype, np.integer) or np.issubdtype(array.dtype, np.floating)):
        raise Mismatch(f"the answer must be {kind}, not {_short(answer)}")
    require(array.ndim == len(shape), f"the answer must be {kind}, but its shape is {array.shape}")
    for axis, (length, wanted) in enumerate(zip(array.shape, shape, strict=True)):
        require(wanted in (None, length), f"axis {axis} must have length {wanted}, not {length}")
    require(np.isfinite(array).all(), "the answer must be finite, without NaN")
    return array.astype(np.float64)


def same_number(answer: object, truth: float, *, tolerance: float = 1e-6) -> None:
    """Compare with a number; `tolerance` is absolute below 1 and relative above."""
    require(abs(as_number(answer) - truth) <= tolerance * max(1.0, abs(truth)), "the number is not right")


def same_array(answer: object, truth: ArrayLike, *, tolerance: float = 1e-6) -> None:
    """Compare with an array entry by entry; `tolerance` is absolute below 1 and relative above."""
    right = np.asarray(truth, dtype=np.float64)
    wrong = np.abs(as_array(answer, right.shape) - right) > tolerance * np.maximum(1.0, np.abs(right))
    many = f"{wrong.sum()} of {wrong.size} entries are not right"
    require(not wrong.any(), many if wrong.ndim else "the number is not right")


def call(answer: object, *arguments: Any, case: str) -> Any:
    """Call the answer, a function, with copies of the arguments; `case` says in words which these are."""
    if not callable(answer):
        raise Mismatch(f"the answer must be a function, not {_short(answer)}")
    try:
        return answer(*deepcopy(arguments))
    except NotImplementedError:
        raise Mismatch("there is no answer yet") from None
    except Exception as error:
        raise Mismatch(f"the function raises {type(error).__name__} ({error}) with {case}") from None


def same_function(
    answer: object,
    truth: Callable[..., Any],
    cases: Mapping[str, tuple[Any, ...]],
    *,
    tolerance: float = 1e-6,
) -> None:
    """Compare a function with the true one; `cases` maps words such as "k = 1" to the arguments.

    Results may be numbers, arrays, or truth values.
    """
    for case, arguments in cases.items():
        result, right = call(answer, *arguments, case=case), truth(*deepcopy(arguments))
        try:
            if isinstance(right, bool | np.bool_):
                require(isinstance(result, bool | np.bool_), f"the function must return True or False, not {result!r}")
                require(bool(result) == bool(right), "the result is not right")
            else:
                same_array(result, right, tolerance=tolerance)
        except Mismatch as problem:
            raise Mismatch(f"with {case}, {str(problem).replace('the answer', 'the result')}") from None


def honest_estimate(answer: object, truth: float, *, largest_error: float, z: float = 4.0) -> None:
    """Accept a pair (value, standard error) that lies within z standard errors of the truth.

    Parameters
    ----------
    answer : object
        The pair, or anything with ``value`` and ``standard_error``.
    truth : float
        What is estimated.
    largest_error : float
        The standard error must be above zero and at most this.
    z : float
        Standard errors allowed.
    """
    if hasattr(answer, "value") and hasattr(answer, "standard_error"):
        answer = (answer.value, answer.standard_error)
    value, error = as_array(answer, (2,), "a pair (value, standard error)")
    require(error > 0, "the standard error must be greater than 0")
    require(error <= largest_error, f"the standard error must be at most {largest_error:g}: simulate more")
    require(abs(value - truth) <= z * error, f"the value is more than {z:g} of its standard errors from the truth")


def _short(answer: object) -> str:
    text = " ".join(repr(answer).split())
    return text if len(text) <= 60 else text[:57] + "..."
