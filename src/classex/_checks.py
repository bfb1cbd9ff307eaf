"""Checks of arguments: each refuses with one clear error that names the argument and the value.

None of them is imported here: a library that made an array is loaded already.

Each check returns the value in the one form that the rest of the package works on, or raises
``ValueError`` or ``TypeError`` with a message that names the argument, shows the offending value and
says what is accepted.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._types import FloatArray, IntArray

__all__ = ["by_name", "is_dask", "is_frame", "on_host", "refuse_other_columns", "refuse_totals", "squared"]


def is_dask(*values: Any) -> bool:
    """Whether one of the values is a Dask array."""
    module = sys.modules.get("dask.array")
    return module is not None and any(isinstance(value, module.Array) for value in values)


def on_host(value: Any) -> NDArray[Any]:
    """Return the array as one of numpy, without a copy where it is in the processor's memory."""
    torch = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(value, torch.Tensor)
    if str(value.dtype).endswith("bfloat16"):
        # numpy has no bfloat16; single precision represents it exactly
        value = value.float() if is_tensor else value.astype("float32")
    if is_tensor:
        return np.asarray(value.detach().cpu().resolve_conj().resolve_neg())
    if hasattr(value, "get"):  # cupy
        return np.asarray(value.get())
    try:
        return np.from_dlpack(value, device="cpu")
    except (BufferError, TypeError, ValueError, RuntimeError):
        # older libraries share only main memory, or no Boolean arrays, and convert the rest themselves
        return np.asarray(value)


# Numbers that add up by chance are unlikely from three rows and columns on, and with more than a few counts
_LEAST = 3
# Decimals that people keep: sums of six-decimal numbers are equal to this share, those of probabilities with three
# decimals to the next
_ROUNDING, _UNROUNDED = 1e-6, 1e-2
# Rows from which on a column's values and its spread can be compared, and the factor by which they may differ: standard
# deviations of ten rows of one kind hardly differ so much
_MANY, _TIMES = 10, 2


def refuse_totals(table: NDArray[Any], name: str, *, rows_only: bool = False) -> None:
    """Refuse a table of counts whose first or last row, and column, hold the sums of the others; warn of either.

    Parameters
    ----------
    table : ndarray of shape (..., n_rows, n_columns)
        Counts.
    name : str
        What the table is, for the message.
    rows_only : bool
        Whether only a row may hold sums, since the columns are different things.
    """
    row, column = _of_others(table, 2), "" if rows_only else _of_others(np.swapaxes(table, -1, -2), _LEAST)
    totals = [f"{where} {what}" for where, what in ((row, "row"), (column, "column")) if where]
    if not totals:
        return
    what = f"{name} seems to contain totals: the {' and the '.join(totals)}"
    what += f" {'holds' if len(totals) == 1 else 'hold'} the sums of the others"
    if len(totals) == 2 or rows_only:
        raise ValueError(f"{what}: leave them out")
    warnings.warn(f"{what}. If so, leave it out", UserWarning, stacklevel=3)


def _of_others(table: NDArray[Any], least: int) -> str:
    """Whether the first or the last row is the sum of the others, in a table with something in each column."""
    if table.shape[-2] < _LEAST or table.shape[-1] < least or not np.isfinite(table).all():
        return ""
    for where, index in (("last", -1), ("first", 0)):
        total = table[..., index, :]
        if (2 * total == table.sum(axis=-2)).all() and np.count_nonzero(total) >= 2:
            return where
    return ""


def refuse_other_columns(
    scores: NDArray[Any], names: Sequence[Any], labels: Iterable[Any], where: str, remedy: str
) -> str:
    """Refuse a column of scores that no label names, if it holds something else; say in words which others there are.

    Where labels name most columns, one that none names must be like the others: not whole numbers alone, nor few
    values, in their range, with a standard deviation like theirs, and not beside probabilities whose sum is 1 without
    it. Where labels name few columns it must not hold whole numbers beside others that are not whole.
    """
    known = set(labels)
    named = np.array([name in known for name in names])
    left = np.flatnonzero(~named).tolist()
    if not left:
        return ""
    rows = scores[: 2**22 // len(names) + 1]
    if len(rows) >= _LEAST:
        for column, why in _unlike(rows, named, left):
            how = remedy.replace("NAME", str(names[column]))
            raise ValueError(f"{where}: column {shown(names[column])} {why}, and no label names it: {how}")
    some = ", ".join(shown(names[column]) for column in left[:2]) + (", ..." if left[2:] else "")
    return f"{len(left)} of {len(names)} columns compete although no label names them ({some})"


def _constant(sums: NDArray[Any], columns: NDArray[Any]) -> bool:
    """Whether sums of rows hardly vary, but for rounding, beside the columns."""
    return bool((columns >= 0).all() and np.ptp(sums) <= _UNROUNDED * np.ptp(columns, axis=0).max())


def _unlike(rows: NDArray[Any], named: NDArray[np.bool_], left: list[int]) -> Iterator[tuple[int, str]]:
    """Columns of those left that are unlike the named ones, and why."""
    with np.errstate(invalid="ignore"):  # comparisons that are left out
        total, size = rows.sum(axis=1, keepdims=True), np.abs(rows).sum(axis=1, keepdims=True)
        summed = (np.abs(2 * rows - total) <= _ROUNDING * size).all(axis=0) & (rows != 0).any(axis=0)
        whole = (rows == np.floor(rows)).all(axis=0) & (rows != rows[0]).any(axis=0)
    most = bool(named.mean() > 0.5)
    for column in left:
        if summed[column] and rows.shape[1] >= _LEAST:
            yield column, "holds the sums of the other columns"
        elif whole[column] and (most or whole.mean() < 0.5):
            yield column, "holds whole numbers"
    # probabilities that sum to 1 with these columns are all those of classes
    if not most or not np.isfinite(rows).all() or _constant(total, rows[:, named]):
        return
    others, kinds = rows[:, named], [np.unique(column).size for column in rows.T]
    alone, spread = others.sum(axis=1), rows.std(axis=0)
    low, high = spread[named].min() / _TIMES, spread[named].max() * _TIMES
    fewest = min(np.array(kinds)[named])
    for column in left:
        middle = np.median(rows[:, column])
        if fewest >= _MANY and kinds[column] * _TIMES <= fewest:
            yield column, f"repeats {kinds[column]} values"
        elif len(rows) >= _MANY and not (others.min() <= middle <= others.max() and low <= spread[column] <= high):
            yield column, "has another range than the others"
    for column in left:
        if _constant(alone, others) or _constant(total[:, 0] - rows[:, column], others):
            yield column, "stands beside columns with a constant sum"


# numbers checked at a time: no large copies
_PIECE = 2**20
# Up to this number every integer is a floating-point number of 64 bits, and equal to no other
EXACT_INTEGERS = 2**53
# characters of a value in a message, which then fits two lines of a terminal
_LONGEST_SHOWN = 100
# fewer clusters draw a warning: a standard error with 9 degrees of freedom errs by about 1 / sqrt(18), a quarter
_FEW_CLUSTERS = 10
# times a logarithm, more would overflow
_MOST_CLASSES = 1e300


def as_finite_array(value: ArrayLike, name: str, *, ndim: int, dtype: Any = None) -> NDArray[Any]:
    """Return `value` as a numeric array with `ndim` axes and no NaN or infinity.

    Floating-point input of 32 or 64 bits keeps its precision; everything else becomes float64.
    """
    array = as_plain_array(value, name)
    if array.dtype.kind not in "buif":
        kind = "real numbers" if array.dtype.kind == "c" else "numbers"
        raise TypeError(f"{name} must hold {kind}, not values of dtype {array.dtype}")
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes, but its shape is {array.shape}")
    if dtype is not None:
        array = array.astype(dtype, copy=False)
    elif array.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        with np.errstate(over="ignore"):  # an extended number that is too large becomes infinite: reported below
            array = array.astype(np.float64)
    # without a copy, as large as the array, of what is finite
    if array.size and not np.isfinite([array.min(), array.max()]).all():
        where = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        text = f"row {where[0]}, column {where[1]}" if ndim == 2 else f"position {where}"
        raise ValueError(f"{name} must be finite, but holds {array[where]} at {text}")
    return array


def shown(value: Any, most: int = _LONGEST_SHOWN) -> str:
    """Return a value for a message: one line, not too long."""
    return one_line(repr(value), most)


def one_line(text: str, most: int = _LONGEST_SHOWN) -> str:
    """Return a text as one line, cut short."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 4]} ..."


def listed(names: Iterable[Any]) -> str:
    """Return the first few names for a message, and how many there are."""
    every = list(map(str, names))
    few = one_line(", ".join(every[:5]))
    return few if len(every) <= 5 else f"{few}, ... ({len(every)} in all)"


def as_plain_array(value: ArrayLike, name: str) -> NDArray[Any]:
    """Return an array of any library, or nested lists, as an ndarray; refuse sparse and masked arrays."""
    if type(value) is np.ndarray:
        return value
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        raise TypeError(f"{name} must be a dense array, not a sparse one: give {name}.toarray()")
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.getmaskarray(value).any():
            raise ValueError(f"{name} must hold a number everywhere, but some entries are masked: fill or drop them")
        return np.asarray(value.data)
    try:
        return on_host(value) if hasattr(value, "__dlpack__") else np.asarray(value)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be a rectangular array of numbers: {one_line(str(error))}") from None


def is_frame(value: Any) -> bool:
    """Whether a value is a data frame, with names of its columns."""
    return not isinstance(value, np.ndarray) and hasattr(value, "columns") and hasattr(value, "to_numpy")


def by_name(value: Any, columns: Iterable[Any], name: str, rows: Iterable[Any] | None = None) -> Any:
    """Return a frame with its columns, and rows, in the order of these names; what is no frame stays as it is.

    A frame whose columns are numbered from 0 names nothing.
    """
    if not is_frame(value):
        return value
    for axis, names in (("columns", columns), ("index", rows)):
        own, wanted = list(getattr(value, axis)), None if names is None else list(names)
        if wanted is None or own == wanted or own == list(range(len(own))):
            continue
        if sorted(map(str, own)) != sorted(map(str, wanted)) or set(own) != set(wanted):
            what = f"{name} has {axis} {listed(own)}, which are not {listed(wanted)}"
            raise ValueError(f"{what}: rename them, or give an array if they are in this order")
        value = value.reindex(**{axis: wanted})
    return value


def squared(confusion: Any) -> Any:
    """Return a frame with the same names, in the same order, of rows and columns: a crosstab has those that occur."""
    if not is_frame(confusion) or list(confusion.index) == list(confusion.columns):
        return confusion
    names = sorted({*confusion.index, *confusion.columns}, key=str)
    return confusion.reindex(index=names, columns=names, fill_value=0)


def as_scores(scores: ArrayLike, name: str = "scores") -> NDArray[Any]:
    """Return a finite score matrix of shape (n_test, n_classes) with at least two classes and one row."""
    given = as_plain_array(scores, name)
    array = as_finite_array(given, name, ndim=2)
    if array.shape[0] < 1:
        raise ValueError(f"{name} must have at least one row, but its shape is {array.shape}")
    if array.shape[1] < 2:
        raise ValueError(f"{name} must have at least two columns (classes), but its shape is {array.shape}")
    if array.dtype != given.dtype and given.dtype.itemsize >= array.dtype.itemsize:
        _refuse_made_ties(given, name)
    return array


def _refuse_made_ties(scores: NDArray[Any], name: str) -> None:
    """Refuse scores of a row that differ, but are equal as numbers of 64 bits."""
    if scores.dtype.kind in "biu" and max(int(scores.max()), -int(scores.min())) <= EXACT_INTEGERS:
        return
    step = max(1, _PIECE // scores.shape[1])
    for first in range(0, scores.shape[0], step):
        ordered = np.sort(scores[first : first + step], axis=1)
        made = (ordered[:, 1:] != ordered[:, :-1]) & (np.diff(ordered.astype(np.float64), axis=1) == 0)
        if made.any():
            row, i = np.argwhere(made)[0].tolist()
            raise ValueError(
                f"{name} must differ as 64-bit floating-point numbers where they differ, but row {first + row} holds"
                f" {ordered[row, i]!s} and {ordered[row, i + 1]!s}: subtract a number from each row, or give ranks"
            )


def as_labels(
    labels: ArrayLike, n_rows: int, n_classes: int, name: str = "labels", *, every_class: bool = True
) -> IntArray:
    """Return true classes as int64 of shape (n_rows,), each in 0..n_classes-1, every class present or not."""
    array = as_plain_array(labels, name)
    if array.dtype.kind not in "uif":
        remedy = ": give the names of the columns as classes=" if array.dtype.kind in "OUS" and name == "labels" else ""
        raise TypeError(f"{name} must hold integers, not values of dtype {array.dtype}{remedy}")
    if array.ndim != 1 or array.shape[0] != n_rows:
        raise ValueError(f"{name} must have shape ({n_rows},), one entry per row, but has {array.shape}")
    with np.errstate(invalid="ignore"):  # NaN is reported below
        rounded = array.astype(np.int64)
    unequal = np.flatnonzero(rounded != array)
    if unequal.size:
        row = int(unequal[0])
        raise ValueError(f"{name} must hold integers, but row {row} is {array[row]}")
    outside = np.flatnonzero((rounded < 0) | (rounded >= n_classes))
    if outside.size:
        row = int(outside[0])
        raise ValueError(f"{name} must lie in 0..{n_classes - 1}, but row {row} is {rounded[row]}")
    missing = np.flatnonzero(np.bincount(rounded, minlength=n_classes) == 0) if every_class else rounded[:0]
    if missing.size:
        what, hint = (
            ("reference", ": are these names? Give them as classes=") if "reference" in name else ("test point", "")
        )
        raise ValueError(
            f"{name} must give every class at least one {what}, but class {int(missing[0])} has none"
            f" ({missing.size} of {n_classes} classes are empty){hint}"
        )
    return rounded


def as_positive_int(value: Any, name: str, *, minimum: int = 1, maximum: int | None = None) -> int:
    """Return an integer of at least `minimum` and at most `maximum`."""
    accepted = f"an integer of at least {minimum}" + (f" and at most {maximum}" if maximum is not None else "")
    number = _number(value, name, accepted, exact=True)
    whole = isinstance(number, Integral) or (abs(number) < np.inf and number == int(number))
    if not whole or number < minimum or (maximum is not None and number > maximum):
        raise ValueError(f"{name} must be {accepted}, not {shown(value)}")
    return int(number)


def _number(value: Any, name: str, accepted: str, exact: bool = False) -> Any:
    """Return a single real number, not a truth value, a text or a length of time, as a float or as it was given."""
    if isinstance(value, (bool, np.bool_, np.timedelta64)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {accepted}, not {shown(value)}")
    try:
        return value if exact else float(value)
    except OverflowError:
        raise ValueError(f"{name} must be {accepted}, not a number beyond 1e308") from None


def as_class_counts(
    value: ArrayLike, name: str = "n_classes", *, minimum: int = 1, maximum: int | None = None
) -> NDArray[np.float64]:
    """Return numbers of classes as whole float64 numbers of shape (n,) (a scalar gives shape (1,)).

    Floating point, because targets reach 10^12 and the formulas take logarithms of them.
    """
    array = as_plain_array(value, name)
    if array.dtype.kind not in "uif":
        raise TypeError(f"{name} must hold whole numbers, not values of dtype {array.dtype}")
    if array.ndim > 1:
        raise ValueError(f"{name} must be a number or a one-dimensional array, but its shape is {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} must hold at least one number, but is empty")
    counts = np.atleast_1d(array).astype(np.float64)
    most = _MOST_CLASSES if maximum is None else maximum
    accepted = f"whole numbers of at least {minimum}"
    if maximum is not None or (np.isfinite(counts) & (counts > most)).any():
        accepted += f" and at most {most}"
    bad = ~np.isfinite(counts) | (counts != np.floor(counts)) | (counts < minimum) | (counts > most)
    if bad.any():
        raise ValueError(f"{name} must hold {accepted}, not {np.atleast_1d(array)[bad][0]}")
    return counts


def as_finite_number(value: Any, name: str) -> float:
    """Return a finite number."""
    number: float = _number(value, name, "a finite number")
    if not np.isfinite(number):
        raise ValueError(f"{name} must be a finite number, not {shown(value)}")
    return number


def as_class_numbers(classes: ArrayLike, n_classes: int, name: str = "classes") -> IntArray:
    """Return at least two distinct class numbers in 0..n_classes-1; a number k stands for the first k classes."""
    if np.ndim(classes) == 0:
        return np.arange(as_positive_int(classes, name, minimum=2, maximum=n_classes))
    subset = np.asarray(classes)
    if subset.ndim != 1 or not np.issubdtype(subset.dtype, np.integer):
        raise TypeError(f"{name} must be a number or a one-dimensional array of integers, not {shown(classes)}")
    if subset.size < 2:
        raise ValueError(f"{name} must hold at least two classes, not {shown(classes)}")
    outside = subset[(subset < 0) | (subset >= n_classes)]
    if outside.size:
        raise ValueError(f"{name} must lie in 0..{n_classes - 1}, but hold {outside[0]}")
    if np.unique(subset).size < subset.size:
        raise ValueError(f"{name} must all differ, but {np.bincount(subset).argmax()} occurs more than once")
    return subset.astype(np.int64)


def as_positive_float(value: Any, name: str, *, allow_zero: bool = False) -> float:
    """Return a finite number greater than zero (or at least zero)."""
    accepted = "a finite number of at least 0" if allow_zero else "a finite number greater than 0"
    number: float = _number(value, name, accepted)
    if not np.isfinite(number) or number < 0 or (number == 0 and not allow_zero):
        raise ValueError(f"{name} must be {accepted}, not {shown(value)}")
    return number


def as_probability(value: Any, name: str, *, open_ends: bool = False) -> float:
    """Return a number in [0, 1], or in (0, 1) with `open_ends` (confidence levels)."""
    accepted = "a number strictly between 0 and 1" if open_ends else "a number in [0, 1]"
    number: float = _number(value, name, accepted)
    # a confidence level closer to 1 has no quantile in double precision
    inside = 0 < number < 1 - 1e-15 if open_ends else 0 <= number <= 1
    if not inside:
        raise ValueError(f"{name} must be {accepted}, not {shown(value)}")
    return number


def as_probabilities(value: ArrayLike, name: str) -> FloatArray:
    """Return an array of any shape with every entry in [0, 1]."""
    return _bounded(value, name, 1.0, "in [0, 1]")


def as_information(value: ArrayLike) -> FloatArray:
    """Return an array of any shape of information in nats: at least 0, infinity allowed, never NaN."""
    return _bounded(value, "information", np.inf, "at least 0 (nats)")


def _bounded(value: ArrayLike, name: str, most: float, accepted: str) -> FloatArray:
    array = as_plain_array(value, name)
    if array.dtype.kind not in "uif":
        raise TypeError(f"{name} must hold numbers, not values of dtype {array.dtype}")
    array = array.astype(np.float64)
    bad = ~((array >= 0) & (array <= most))  # NaN as well
    if bad.any():
        raise ValueError(f"{name} must be {accepted}, not {np.atleast_1d(array)[np.atleast_1d(bad)][0]}")
    return array


def as_cost(cost: ArrayLike, n_classes: int, name: str = "cost") -> FloatArray:
    """Return a finite, square, non-negative cost matrix, ``cost[true, predicted]``, zero where right."""
    array = as_finite_array(cost, name, ndim=2, dtype=np.float64)
    if array.shape != (n_classes, n_classes):
        raise ValueError(f"{name} must have shape ({n_classes}, {n_classes}), but has {array.shape}")
    if (array < 0).any():
        true, predicted = (int(index) for index in np.argwhere(array < 0)[0])
        raise ValueError(f"{name} must not be negative, but {name}[{true}, {predicted}] is {array[true, predicted]}")
    if array.max(initial=0.0) > 1e140:
        raise ValueError(f"{name} must hold costs of at most 1e140, not {array.max():g}")
    return array


def as_weights(value: ArrayLike | None, n_rows: int, name: str = "sample_weight") -> FloatArray:
    """Return finite, non-negative weights of shape (n_rows,) with a positive sum; ``None`` weighs every row 1."""
    if value is None:
        return np.ones(n_rows)
    weights = as_finite_array(value, name, ndim=1, dtype=np.float64)
    if weights.shape[0] != n_rows:
        raise ValueError(f"{name} must have shape ({n_rows},), one entry per row, but has {weights.shape}")
    if (weights < 0).any():
        row = int(np.argmin(weights))
        raise ValueError(f"{name} must not be negative, but row {row} is {weights[row]}")
    largest = float(weights.max(initial=0.0))
    if largest > 1e150:  # their sum, or its square, could overflow, and only ratios matter
        weights = weights / largest
        largest = 1.0
    # a row that weighs next to nothing beside another would make ratios of averages overflow
    weights = np.where(weights < 1e-300 * largest, 0.0, weights)
    if weights.sum() == 0:
        raise ValueError(f"{name} must have a positive sum, but every weight is zero")
    return weights


def as_generator(rng: Any) -> np.random.Generator:
    """Return the generator itself, or a new one from a seed (``None`` draws fresh entropy)."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        what = f"rng must be a seed or a numpy.random.Generator, not {shown(rng)}"
        raise TypeError(f"{what}: {one_line(str(error))}") from None


def call(function: Callable[..., Any], name: str, *values: Any) -> Any:
    """Call a function of the user; if it fails, the error names it, and its own error is the cause."""
    try:
        return function(*values)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name} failed: {error}") from error


def distinct(names: NDArray[Any], name: str) -> tuple[NDArray[Any], IntArray]:
    """Return the different names, sorted, and the index among them of each entry."""
    try:
        return np.unique(names, return_inverse=True)
    except TypeError as error:
        raise TypeError(f"{name} must be all numbers or all strings: {error}") from None


def as_groups(value: ArrayLike, name: str, n: int, of: str = "class") -> tuple[NDArray[Any], IntArray]:
    """Return the different groups of the classes, sorted, and the index among them of each class."""
    given = as_plain_array(value, name)
    if given.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},), one entry per {of}, but has {given.shape}")
    return distinct(given, name)


def as_units(value: ArrayLike, n_points: int, name: str = "units", of: str = "test point") -> IntArray:
    """Return the unit of each test point, numbered from 0; refuse a single one."""
    unit = as_groups(value, name, n_points, of)[1]
    if unit.max() < 1:
        raise ValueError(f"{name} must name at least 2 units, such as subjects: one shows no difference between units")
    return unit


def as_clusters(value: ArrayLike, labels: IntArray, n_classes: int) -> IntArray:
    """Return the cluster of each class, numbered from 0; refuse fewer than two with test points, warn of few."""
    cluster = as_groups(value, "clusters", n_classes)[1]
    n = np.unique(cluster[labels]).size
    if n < 2:
        raise ValueError(f"clusters must put the classes with test points into at least 2 clusters, not {n}")
    if n < _FEW_CLUSTERS:
        warnings.warn(f"standard errors over only {n} clusters are themselves uncertain", UserWarning, stacklevel=4)
    return cluster


def broadcast(**arrays: FloatArray) -> tuple[FloatArray, ...]:
    """Return arrays of one shape, or name the shapes that do not broadcast."""
    try:
        return np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = " and ".join(f"{name} has {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes must broadcast against each other, but {shapes}") from None


def one_of(value: Any, name: str, accepted: tuple[Any, ...]) -> Any:
    """Return `value` if it is one of `accepted`."""
    if not any(type(value) is type(choice) and value == choice for choice in accepted):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, accepted))}, not {shown(value)[:80]}")
    return value
