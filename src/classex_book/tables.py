"""Tables in Markdown, for notebooks and reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

from classex._checks import as_positive_int

_WRITTEN = re.compile(r"-?[\d,]*\.?\d+")
_DIGITS = 6  # pandas' option display.precision
_EQUAL = 1e-9  # decimals that rounding left over


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]], *, digits: int = 3) -> str:
    """Write a table as GitHub-flavoured Markdown.

    A column whose cells are all numbers (or empty, or numbers written as text) is aligned to the right. A vertical
    bar in a cell is escaped and a line break becomes a space, so that no cell can break its row.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of sequences
        The cells, row by row. Real numbers that are not integers are rounded to `digits` decimals; ``None`` and
        NaN make an empty cell; everything else is shown as ``str`` does.
    digits : int
        Decimals of real numbers, at least 1; what is rounded to zero has no sign.

    Returns
    -------
    str
        The table, to be shown by ``IPython.display.Markdown`` or printed.

    Raises
    ------
    ValueError
        If `header` is empty, a row has another number of cells than `header`, or `digits` is below 1.
    TypeError
        If `header` or a row is a single string, or `digits` is not an integer.

    Examples
    --------
    >>> from classex_book.tables import markdown_table
    >>> print(
    ...     markdown_table(
    ...         ["method", "K", "accuracy"],
    ...         [["nearest", 1000, 0.51234], ["linear", 1000, None]],
    ...     )
    ... )
    | method | K | accuracy |
    | :-- | --: | --: |
    | nearest | 1000 | 0.512 |
    | linear | 1000 |  |
    """
    decimals = as_positive_int(digits, "digits")
    names = _cells(header, "header")
    if not names:
        raise ValueError("header must name at least one column, but is empty")
    body = []
    for index, row in enumerate(rows):
        cells = _cells(row, f"row {index}")
        if len(cells) != len(names):
            raise ValueError(
                f"row {index} must have {len(names)} cells, as header has, but has {len(cells)}: {cells!r}"
            )
        body.append(cells)
    numeric = [bool(body) and all(_is_number(cells[column]) for cells in body) for column in range(len(names))]
    lines = [[_text(name, decimals) for name in names], ["--:" if right else ":--" for right in numeric]]
    lines += [[_text(cell, decimals) for cell in cells] for cells in body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def frame_table(frame: Any) -> str:
    """Write a data frame as a Markdown table, with the digits that pandas shows.

    The book's kernels show data frames by it, so that a table on a page has aligned columns, set formulas in its head,
    and a place on paper.

    Parameters
    ----------
    frame : pandas.DataFrame
        Its index is left out if it only counts the rows.

    Returns
    -------
    str
        The table.

    Examples
    --------
    >>> import pandas as pd
    >>> from classex_book.tables import frame_table
    >>> print(
    ...     frame_table(
    ...         pd.DataFrame({"$k$": [2, 10], "accuracy": [0.9, 2 / 3]}).round(3)
    ...     )
    ... )
    | $k$ | accuracy |
    | --: | --: |
    | 2 | 0.900 |
    | 10 | 0.667 |
    """
    counts = frame.index.name is None and list(frame.index) == list(range(len(frame)))
    frame = frame if counts else frame.reset_index()
    columns = [_digits_of(frame.iloc[:, i]) for i in range(frame.shape[1])]
    return markdown_table([str(name) for name in frame.columns], zip(*columns, strict=True))


def _digits_of(column: Any) -> list[object]:
    """The cells of a column, real numbers with the fewest decimals that lose nothing, but one, and at most six."""
    cells: list[Any] = column.tolist()
    if column.dtype.kind != "f":
        return cells
    least = (d for d in range(1, _DIGITS) if all(cell != cell or abs(cell - round(cell, d)) < _EQUAL for cell in cells))
    digits = next(least, _DIGITS)
    return [_text(cell, digits) for cell in cells]


def _cells(row: Sequence[object], name: str) -> list[object]:
    if isinstance(row, str):
        raise TypeError(f"{name} must be a sequence of cells, not the string {row!r}")
    return list(row)


def _is_number(cell: object) -> bool:
    if isinstance(cell, str):
        return not cell or _WRITTEN.fullmatch(cell) is not None
    return cell is None or (isinstance(cell, Real) and not isinstance(cell, bool))


def _text(cell: object, digits: int) -> str:
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, Real) and not isinstance(cell, Integral):
        text = f"{float(cell):.{digits}f}"
        return text.removeprefix("-") if float(text) == 0 else text  # no "-0.000"
    return " ".join(str(cell).split()).replace("|", r"\|")
