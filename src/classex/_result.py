"""What all results and estimators share: printing, tables, parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from html import escape
from importlib import import_module
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np

from classex import plots
from classex._optional import needed_for
from classex._version import __version__
from classex.exceptions import NotFittedError

__all__ = ["DrawnResult", "Parameters", "Result", "described", "number", "seed_of"]


# Rows that are printed whole; of more, the first and the last
_MOST_ROWS = 30
_MOST_REPORTED = 6
# Digits after the point, and the share of its uncertainty below which a number is printed as 0
_MOST_DIGITS, _NOTHING = 6, 1e-6
# Columns in another unit than the one whose standard error or interval the table has
_OTHER_UNITS = ("confidence_level", "p_value", "p_of_guesses", "time", "z")
_ENDS = re.compile("(|.*?_)(standard_error|error|low|high)")
_LATEX = str.maketrans({c: "\\" + c for c in "%_&#$"} | {"^": r"\^{}", "~": r"\~{}", "\\": r"\textbackslash{}"})


@dataclass(frozen=True)
class Result:
    """Base of what the functions of this package return.

    A result prints as a sentence and, where it has several rows, a table. Numbers are rounded to two digits of their
    standard error, or of a quarter of their interval. A class that inherits from this one gives its sentence in
    `_says`, or in `_sentence`; its columns are its fields, unless it defines `_table`.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([2, 3, 1, 3, 3, 2], 4)
    >>> curve = cx.accuracy_curve(ranks, [2, 4], metric="recall@1")
    >>> print(curve.to_markdown())
    | classes | recall@1 | standard error | 95 % interval |
    |--:|--:|--:|--:|
    | 2 | 0.78 | 0.10 | 0.40 to 0.95 |
    | 4 | 0.50 | 0.14 | 0.17 to 0.83 |
    """

    #: the result in words, with fields in braces; `{found}` is the value with its error and interval, an array its size
    _says: ClassVar[str] = ""
    #: columns that are not named as their fields; level of intervals, where no field holds it
    _names: ClassVar[Mapping[str, str]] = {}
    _level: ClassVar[float | None] = None
    #: whether the table belongs to the report, and is printed even if it has one row
    _tabulated: ClassVar[bool] = False
    #: what is computed when it is asked for, and belongs to the fields
    _later: ClassVar[tuple[str, ...]] = ()
    #: what the file of the data holds, in one line, if they came from one
    _ledger: ClassVar[str] = ""

    def from_file(self, ledger: str) -> Self:
        """Return the result with what the file of its data holds, which `report` and `to_dict` then say.

        Parameters
        ----------
        ledger : str
            What a row is, and what was left out.

        Returns
        -------
        The result.
        """
        found = copy(self)
        object.__setattr__(found, "_ledger", ledger)
        return found

    def _sentence(self) -> str:
        """Return the result in words."""
        return re.sub(r"{(\w+)}", lambda name: self._word(name[1]), self._says)

    def _word(self, name: str) -> str:
        value = self._found() if name == "found" else getattr(self, name)
        return number(value.size if isinstance(value, np.ndarray) else value)

    def _found(self) -> str:
        """Return the value with its standard error and interval."""
        ends = getattr(self, "interval", self)
        low, high, level = (getattr(ends, name, None) for name in ("low", "high", "confidence_level"))
        return described(getattr(self, "value", None), getattr(self, "standard_error", None), low, high, level)

    def _table(self) -> dict[str, Any]:
        """Return the columns by name: fields that have one entry a row or, if there are none, one row of numbers."""
        entries = {field.name: getattr(self, field.name) for field in fields(self) if field.repr}
        lengths = [value.size for value in entries.values() if isinstance(value, np.ndarray) and value.ndim == 1]
        columns: dict[str, Any] = {}
        for field, value in entries.items():
            name = self._names.get(field, field)
            stem = name.removesuffix("interval") if name.endswith("interval") else f"{name}_"
            if not lengths and hasattr(value, "low"):
                columns |= {f"{stem}low": [value.low], f"{stem}high": [value.high]}
            elif not lengths and value is not None and np.ndim(value) == 0 and not is_dataclass(value):
                columns[name] = [value]
            elif lengths and np.shape(value) == (lengths[0],):
                columns[name] = value
            elif lengths and np.shape(value) == (lengths[0], 2):
                columns |= {f"{stem}low": value[:, 0], f"{stem}high": value[:, 1]}
        return columns

    def _displayed(self) -> tuple[list[str], list[list[str]]]:
        """Names and rows of the table as text, an interval in one column after its value."""
        table = self._table()
        if next(iter(table)) == "low":  # a value inherits its interval, and stands before it
            table = {name: table[name] for name in ("value", "standard_error") if name in table} | table
        columns = {name: list(values) for name, values in table.items()}
        around = getattr(self, "interval", None)
        level = getattr(self, "confidence_level", getattr(around, "confidence_level", self._level))
        shown: dict[str, list[str]] = {}
        position: dict[str, tuple[int, int]] = {}
        for name, values in columns.items():
            scale = _scales(columns, name)
            cells = [number(value, error) for value, error in zip(values, scale, strict=True)]
            if name.endswith("high") and f"{name[:-4]}low" in columns:
                stem = name[:-4].rstrip("_")
                label = "interval" if level is None else f"{100 * level:g} % interval"
                label = "" if stem == "limits" else label
                pairs = zip(shown.pop(_header(f"{name[:-4]}low")), cells, strict=True)
                heading = f"{_header(stem)} {label}".strip()
                shown[heading] = [" to ".join(pair) for pair in pairs]
                position[heading] = (position.get(_header(stem), (len(position), 0))[0], 1)
            # headings name the level, and intervals replace their standard errors where there are several
            elif name != "confidence_level" and f"{name.removesuffix('error')}low" not in columns:
                shown[_header(name)] = cells
                position[_header(name)] = (len(position), 0)
        names = sorted(shown, key=position.__getitem__)
        return names, [list(row) for row in zip(*(shown[name] for name in names), strict=True)]

    def __str__(self) -> str:
        names, rows = self._displayed()
        if len(rows) < 2 and not self._tabulated:
            return self._sentence()
        lines = [names, *_few(rows, _MOST_ROWS)]
        width = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = ["  ".join(cell.rjust(n) for cell, n in zip(line, width, strict=True)).rstrip() for line in lines]
        return "\n".join([self._sentence(), "", *text, *(line for note in self._notes() for line in ("", note))])

    def _notes(self) -> list[str]:
        """Return paragraphs that follow the table."""
        return []

    def _repr_html_(self) -> str:
        names, rows = self._displayed()
        text = "".join(f"<p>{escape(line)}</p>" for line in (*self._sentence().splitlines(), *self._notes()))
        body = [_html_row(row, "td") for row in _few(rows, _MOST_ROWS)]
        return f"{text}<table><thead>{_html_row(names, 'th')}</thead><tbody>{''.join(body)}</tbody></table>"

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame; pandas must be installed.

        Returns
        -------
        pandas.DataFrame
            Columns are named for what they hold, with all digits.
        """
        with needed_for("to_frame"):
            pd = import_module("pandas")
        return pd.DataFrame(self._table())

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as numbers, strings and lists that JSON can hold; infinite and missing numbers are None.

        Returns
        -------
        dict
        """
        return {**({"data": self._ledger} if self._ledger else {}), **_plain(self)}

    def to_markdown(self) -> str:
        """Return the table in Markdown.

        Returns
        -------
        str
        """
        names, rows = self._displayed()
        lines = [[cell.replace("|", r"\|") for cell in row] for row in (names, *rows)]
        lines.insert(1, ["--:"] * len(names))
        return "\n".join(f"|{'|'.join(row)}|" if i == 1 else f"| {' | '.join(row)} |" for i, row in enumerate(lines))

    def to_latex(self) -> str:
        r"""Return the table as a ``tabular`` in LaTeX, with the rules of the package booktabs.

        Returns
        -------
        str
        """
        names, rows = self._displayed()
        lines = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in (names, *rows)]
        first = rf"\begin{{tabular}}{{{'r' * len(names)}}}"
        return "\n".join([first, r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}"])

    def report(self) -> str:
        """Return sentences for a paper: what was found, by which method, from what data and with which version.

        Returns
        -------
        str
        """
        text = f"{self._sentence().replace(chr(10), ' ').rstrip('.:')}."
        if self._tabulated:
            names, rows = self._displayed()
            counted = next(iter(self._table())).startswith("n_")
            said = (_in_words(names, row, counted) for row in _few(rows, _MOST_REPORTED))
            text = f"{text[:-1]}: {'; '.join(said)}."
        seed = getattr(self, "seed", None)
        drawn = "" if seed is None else f", with the seed {seed}"
        text += f" Data: {self._ledger}." if self._ledger else ""
        return f"{text} Computed with ClassEx {__version__}{drawn}."


@dataclass(frozen=True)
class DrawnResult(Result):
    """Base of results that a display of `classex.plots` draws as they are."""

    _display: ClassVar[str] = ""

    def _labels(self) -> dict[str, str]:
        """Return what the axes of the display are called, if not as usual."""
        return {}

    def plot(self, ax: Any = None, **line: Any) -> Any:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw (two axes for a `SelectiveCurve`); a new figure by default.
        **line
            Passed to matplotlib for the line.

        Returns
        -------
        Display
            An `AccuracyCurveDisplay`, `DetectionErrorDisplay` or `SelectiveDisplay`.
        """
        return getattr(plots, self._display)(self, **self._labels()).plot(ax, **line)


def number(value: Any, scale: float | None = None) -> str:
    """Write a number with two digits of its uncertainty `scale` or, without one, with four digits.

    Examples
    --------
    >>> from classex._result import number
    >>> number(0.87012, 0.047), number(0.87012), number(12345), number(1e-7, 0.01)
    ('0.870', '0.8701', '12,345', '1e-07')
    """
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    if not isinstance(value, float | np.floating):
        return "unknown" if value is None else str(value)
    x = float(value)
    if not np.isfinite(x):
        return "unknown" if np.isnan(x) else "infinite" if x > 0 else "minus infinity"
    if scale is None or not 0 < scale < np.inf:
        return f"{x:,.0f}" if abs(x) >= 1000 else f"{x + 0.0:.4g}"
    digits = int(np.clip(1 - np.floor(np.log10(scale)), 0, _MOST_DIGITS))
    rounded = round(x, digits) + 0.0  # no minus before a zero
    return f"{rounded:,.{digits}f}" if rounded or abs(x) < _NOTHING * scale else f"{x:.1g}"


def seed_of(rng: Any) -> int | None:
    """Return a seed that was given as a number.

    Examples
    --------
    >>> from classex._result import seed_of
    >>> seed_of(7), seed_of(None)
    (7, None)
    """
    return int(rng) if isinstance(rng, int | np.integer) else None


def described(
    value: Any, error: float | None = None, low: float | None = None, high: float | None = None, level: Any = None
) -> str:
    """Write an estimate with its standard error and its interval, as far as they are known.

    Examples
    --------
    >>> from classex._result import described
    >>> described(0.87012, 0.047, 0.74, 0.94, 0.95)
    '0.870 (standard error 0.047, 95 % interval 0.740 to 0.940)'
    """
    scale = _scale(error, low, high)
    known = [] if error is None or np.isnan(error) else [f"standard error {number(error, scale)}"]
    if low is not None:
        known.append(f"{100 * level:g} % interval {number(low, scale)} to {number(high, scale)}")
    if value is None:
        return known[-1]
    return number(value, scale) + (f" ({', '.join(known)})" if known else "")


def _scale(error: float | None, low: float | None, high: float | None) -> float | None:
    """Uncertainty that digits follow: the standard error or, without one, a quarter of the interval."""
    if error is not None and 0 < error < np.inf:
        return float(error)
    return None if low is None or high is None else (high - low) / 4


def _scales(columns: Mapping[str, list[Any]], name: str) -> list[float | None]:
    """Uncertainty of each entry of a column x, from x_error or x_low and x_high; or else from error or low and high."""
    if name in _OTHER_UNITS:
        return [None] * len(columns[name])
    end = _ENDS.fullmatch(name)
    stem = end[1] if end else f"{name}_" if {f"{name}_error", f"{name}_low"} & columns.keys() else ""
    error = columns.get(f"{stem}standard_error", columns.get(f"{stem}error"))
    known = (error, columns.get(f"{stem}low"), columns.get(f"{stem}high"))
    missing = [None] * len(columns[name])
    return [_scale(*row) for row in zip(*(column or missing for column in known), strict=True)]


def _header(name: str) -> str:
    return name.removeprefix("n_").replace("_", " ")


def _few(rows: Sequence[list[str]], most: int) -> list[list[str]]:
    """Rows, the middle ones left out where there are many."""
    if len(rows) <= most:
        return list(rows)
    return [*rows[: most // 2], ["..."] * len(rows[0]), *rows[-(most // 2) :]]


def _in_words(names: Sequence[str], cells: Sequence[str], counted: bool) -> str:
    """Return a row of the table in words: each quantity, with its error and interval in parentheses."""
    if cells[0] == "...":
        return cells[0]
    several = any(other.startswith(f"{name} ") for name in names for other in names)
    quantities: list[tuple[str, str, list[str]]] = []
    for name, cell in zip(names[1:], cells[1:], strict=True):
        own = bool(quantities) and name.startswith(f"{quantities[-1][0]} ")
        if not quantities or (several and not own):
            quantities.append((name, cell, []))
        else:
            detail = name.removeprefix(f"{quantities[-1][0]} ")
            quantities[-1][2].append({"yes": detail, "no": f"not {detail}"}.get(cell, f"{detail} {cell}"))
    said = [f"{name} {cell}" + (f" ({', '.join(details)})" if details else "") for name, cell, details in quantities]
    of = names[0].removesuffix("es") if cells[0] == "1" else names[0]
    first = f"with {cells[0]} {of}" if counted else f"{names[0]} {'= ' * cells[0][-1:].isdigit()}{cells[0]}"
    return f"{first}, {' and '.join([', '.join(said[:-1]), said[-1]] if said[1:] else said)}"


def _html_row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _plain(value: Any) -> Any:
    """Return what JSON can hold."""
    if is_dataclass(value):
        names = [field.name for field in fields(value) if field.repr]
        return {name: _plain(getattr(value, name)) for name in (*names, *getattr(value, "_later", ()))}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


class Parameters:
    """Base of estimators whose ``__init__`` stores its arguments, unchanged, under their names."""

    _fitted_name = "distribution_"

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        listed = signature(cls.__init__).parameters.values()
        return {parameter.name: parameter.default for parameter in listed if parameter.name != "self"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's signature
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool
            Not used: parameters are no estimators.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name, for the next fit.

        Returns
        -------
        The estimator itself.

        Raises
        ------
        ValueError
            If there is no such parameter.
        """
        accepted = self._defaults()
        for name, value in parameters.items():
            if name not in accepted:
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(accepted)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = {name: value for name, value in self.get_params().items() if value is not self._defaults()[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._fitted_name)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    def check_fitted(self) -> None:
        """Raise `NotFittedError` before a fit."""
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")
