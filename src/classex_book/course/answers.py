"""Comparisons of an answer with the truth; each says which part of the answer fails and how, never what is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_RUNS = 40  # of an estimator
_FALSE_ALARM = 1e-5  # probability of rejecting an honest estimator for its scatter, on each side
_NAMED = 4  # wrong entries that a message lists
_DIGITS: ContextVar[int | None] = ContextVar("_DIGITS", default=None)  # that suffice


class Mismatch(Exception):  # noqa: N818 - what it carries is the first half of a sentence
    """In what respect an answer is not right; `check` makes the full message of it.

    `share` is the share of its numbers that are right.
    """

    def __init__(self, problem: str, share: float = 0.0) -> None:
        super().__init__(problem)
        self.share = share


class Probe:
    """Stands for a function whose checker is asked with which arguments it calls one."""

    def __init__(self) -> None:
        self.cases: list[tuple[Any, ...]] = []

    def answer(self, cases: Iterable[tuple[Any, ...]]) -> None:
        """Keep the arguments of all calls, and end the check."""
        self.cases = list(cases)
        raise Mismatch("the arguments were asked for")


@contextmanager
def rounded(digits: int | None) -> Iterator[None]:
    """Accept numbers that are right to so many significant digits, or as they are compared otherwise if None.

    Examples
    --------
    >>> from classex_book.course.answers import rounded, same_number
    >>> with rounded(3):
    ...     same_number(0.667, 2 / 3)
    """
    before = _DIGITS.set(digits)
    try:
        yield
    finally:
        _DIGITS.reset(before)


def require(condition: object, problem: str) -> None:
    """Raise `Mismatch` with the problem unless the condition holds."""
    if not condition:
        raise Mismatch(problem)


def as_number(answer: object) -> float:
    """Return the answer as a finite float."""
    return float(as_array(answer, ()))


def as_whole(answer: object, what: str) -> int:
    """Return the answer as a whole number, at least 1; `what` says in words what it counts."""
    number = as_number(answer)
    require(number >= 1 and number == np.floor(number), f"the answer must be {what}, not {_short(answer)}")
    return int(number)


def as_array(answer: object, shape: tuple[int | None, ...], kind: str = "") -> NDArray[np.float64]:
    """Return the answer as a finite array of the shape, in which None stands for any length.

    Fractions, decimals and whatever else turns into a float are numbers; text, truth values and None are not.
    """
    kind = kind or _kind(shape)
    try:
        array = np.asarray(answer)
    except ValueError:
        raise Mismatch(f"the answer must be {kind}, but its rows differ in length") from None
    if array.dtype == object:
        array = _from_objects(array, answer, kind)
    if array.dtype.kind not in "iuf":
        raise Mismatch(f"the answer must be {kind}, not {_short(answer)}")
    fits = array.ndim == len(shape) and all(w in (None, n) for n, w in zip(array.shape, shape, strict=True))
    require(fits, f"the answer must be {kind}, but it is {_described(array)}")
    for index, value in np.ndenumerate(array):
        require(np.isfinite(value), f"{_entry(index, array.shape)} is {value}, and must be finite")
    return array.astype(np.float64)


def same_number(answer: object, truth: float, *, tolerance: float = 1e-6) -> None:
    """Compare with a number; `tolerance` is absolute below 1 and relative above."""
    same_array(answer, truth, tolerance=tolerance)


def same_array(answer: object, truth: ArrayLike, *, tolerance: float = 1e-6) -> None:
    """Compare with an array entry by entry; `tolerance` is absolute below 1 and relative above."""
    right = np.asarray(truth, dtype=np.float64)
    found = as_array(answer, right.shape)
    allowed = tolerance * np.maximum(1.0, np.abs(right))
    digits = _DIGITS.get()
    if digits is not None:
        size = np.floor(np.log10(np.where(right == 0, 1.0, np.abs(right))))
        # half a unit of the last digit; a rounded number may exceed it by the last bit
        allowed = np.maximum(allowed, 0.5 * 10.0 ** (size + 1 - digits) * (1 + 1e-9) * (right != 0))
    wrong = np.abs(found - right) > allowed
    if not wrong.any():
        return
    indices = [index for index, bad in np.ndenumerate(wrong) if bad]
    verdicts = [_verdict(index, float(found[index]), float(right[index]), right.shape) for index in indices[:_NAMED]]
    if len(indices) > _NAMED:
        verdicts.append(f"and so on, {len(indices)} of {right.size} entries in all")
    raise Mismatch("; ".join(verdicts), share=1 - float(wrong.mean()))


def call(answer: object, *arguments: Any, case: str) -> Any:
    """Call the answer, a function, with copies of the arguments; `case` says in words which these are."""
    if not callable(answer):
        raise Mismatch(f"the answer must be a function, not {_short(answer)}")
    try:
        return answer(*deepcopy(arguments))
    except NotImplementedError:
        raise Mismatch("there is no answer yet") from None
    except Exception as error:
        words = f" ({error})" if str(error) else ""
        raise Mismatch(f"the function raises {type(error).__name__}{words} with {case}") from None


def same_function(
    answer: object,
    truth: Callable[..., Any],
    cases: Mapping[str, tuple[Any, ...]],
    *,
    values: Mapping[str, Any] | None = None,
    tolerance: float = 1e-6,
) -> None:
    """Compare a function with the true one; `cases` maps words such as "k = 1" to the arguments.

    Results may be numbers, arrays, or truth values. With `values`, the numbers of a variant, the answer is what the
    function returns for them.
    """
    if values:
        same_array(answer, truth(**values), tolerance=tolerance)
        return
    if isinstance(answer, Probe):
        answer.answer(cases.values())
    for case, arguments in cases.items():
        result, right = call(answer, *arguments, case=case), truth(*deepcopy(arguments))
        try:
            if isinstance(right, bool | np.bool_):
                require(
                    isinstance(result, bool | np.bool_), f"the function must return True or False, not {_short(result)}"
                )
                require(bool(result) == bool(right), "the result is not right")
            else:
                same_array(result, right, tolerance=tolerance)
        except Mismatch as problem:
            raise Mismatch(f"with {case}, {_of_result(problem)}") from None


def honest_estimator(answer: object, truth: float, *, largest_error: float) -> None:
    """Accept a function of a generator whose standard errors are those of its values.

    It is called with forty generators. Its values must scatter around the truth, neither more nor less than the
    standard errors say. The sum of squared deviations from their mean over the mean squared error must lie between two
    quantiles of a chi-squared variable, and the mean within 4 of its own standard errors.

    Parameters
    ----------
    answer : object
        A function of a `numpy.random.Generator` that returns a pair (value, standard error).
    truth : float
        What is estimated.
    largest_error : float
        Each standard error must be above zero and at most this.
    """
    from scipy.special import gammaincinv

    if isinstance(answer, Probe):
        answer.answer((np.random.default_rng([2026, run]),) for run in range(_RUNS))
    form = "a pair (value, standard error)"
    found = []
    for run in range(_RUNS):
        result = call(answer, np.random.default_rng([2026, run]), case="a generator of random numbers")
        try:
            value, error = as_array(result, (2,), form)
        except Mismatch as problem:
            raise Mismatch(_of_result(problem)) from None
        require(error > 0, f"the standard error, entry 2 of {form}, must be greater than 0")
        require(error <= largest_error, f"the standard error must be at most {largest_error:g}: simulate more")
        found.append((value, error))
    values, errors = np.array(found).T
    scatter = float(values.std(ddof=1))
    require(scatter > 0, "the function returns the same with every generator: draw all random numbers from rng")
    off = abs(values.mean() - truth) / (scatter / np.sqrt(_RUNS))
    require(off <= 4, f"over {_RUNS} runs the mean of the values is more than 4 of its standard errors from the truth")
    ratio = scatter**2 / float(np.mean(errors**2))
    # quantiles of chi-squared over its degrees of freedom; importing scipy.stats would take longer than a check
    half = (_RUNS - 1) / 2
    low, high = gammaincinv(half, [_FALSE_ALARM, 1 - _FALSE_ALARM]) / half
    times = f"over {_RUNS} runs the values scatter {np.sqrt(ratio):.2g} times as much as the standard errors say"
    require(ratio <= high, f"the standard error is too small: {times}")
    require(ratio >= low, f"the standard error is too large: {times}")


def _of_result(problem: Mismatch) -> str:
    return str(problem).replace("the answer", "the result").replace("the number is", "the result is")


def _from_objects(array: NDArray[Any], answer: object, kind: str) -> NDArray[np.float64]:
    """Floats from fractions, decimals and symbolic numbers."""
    numbers = np.empty(array.shape)
    for index, value in np.ndenumerate(array):
        try:
            if isinstance(value, str | bool | np.bool_) or not hasattr(value, "__float__"):
                raise TypeError
            numbers[index] = float(value)
        except (TypeError, ValueError, OverflowError):
            where = f"{_entry(index, array.shape)} is {_short(value)}" if array.ndim else f"it is {_short(answer)}"
            raise Mismatch(f"the answer must be {kind}, but {where}") from None
    return numbers


def _verdict(index: tuple[int, ...], found: float, right: float, shape: tuple[int, ...]) -> str:
    """What is wrong with one entry."""
    name = f"{_entry(index, shape)} ({found:.6g})" if shape else f"the number {found:.6g}"
    decimals = len(f"{found!r}".partition(".")[2])
    if 2 <= decimals <= 6 and "e" not in f"{found!r}" and round(right, decimals) == found:
        enough = "seven decimals" if _DIGITS.get() is None else f"{_DIGITS.get()} significant digits"
        return f"{name} is rounded: give the expression itself, or at least {enough}"
    if right != 0 and abs(found / right - 100) < 0.01:
        return f"{name} is in per cent: give the share"
    return f"{name} is not right"


def _entry(index: tuple[int, ...], shape: tuple[int, ...]) -> str:
    if not shape:
        return "the number"
    if len(shape) == 1:
        return f"entry {index[0] + 1} of {shape[0]}"
    return f"entry {list(index)}"


def _kind(shape: tuple[int | None, ...]) -> str:
    if not shape:
        return "a number"
    if len(shape) == 1:
        return "a list of numbers" if shape[0] is None else f"a list of {shape[0]} numbers"
    rows, columns = ("any" if length is None else str(length) for length in shape)
    return f"an array of numbers with {rows} rows and {columns} columns"


def _described(array: NDArray[Any]) -> str:
    if array.ndim == 0:
        return f"the single number {array.item():.6g}"
    if array.ndim == 1:
        return f"a list of {array.size}"
    return f"an array of shape {array.shape}"


def _short(answer: object) -> str:
    text = " ".join(repr(answer).split())
    return text if len(text) <= 60 else text[:57] + "..."
