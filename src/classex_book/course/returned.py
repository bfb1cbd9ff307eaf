"""What a returned notebook holds: its code, the exercises it names, and what a paper of an exam says beside."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from classex_book.course.papers import LABEL, Cell, paper_of_heading

_CALL = re.compile(rf"""\(\s*(?:name\s*=\s*)?["']({LABEL.pattern})["']""")
_FIELD = re.compile(r"""^[ \t]*student_(name|number)[ \t]*=[ \t]*["'](.*)["'][ \t]*$""", re.MULTILINE)
_KEPT_MAGICS = re.compile(r"%%(?:time|capture|prun)\b.*")  # cell magics that leave the code below them as it is
_LINE_TIMER = re.compile(r"^(\s*)%time(?:it)?\s+(?!-)")
_LINE_MAGIC = re.compile(r"^\s*(?:[%!?].*|[\w.]+\?{1,2}\s*)$")
# A returned notebook with ten megabytes of output is marked; the text of none of the book's has a tenth of a million
LARGEST_FILE = 2**25  # bytes, outputs and pictures included
LONGEST_TEXT = 10**6  # characters of all cells


@dataclass(frozen=True)
class Notebook:
    """A returned notebook without its outputs, and what running it recorded. As JSON it travels to where it is judged.

    Attributes
    ----------
    file : str
        Its path.
    source : str
        The folder or file after which its student is named.
    digest : str
        Changes with the file.
    time : float
        When the file was last changed, in seconds.
    cells : sequence of Cell
        All cells in their order; code without the commands of the notebook such as ``%%time``.
    exercises : sequence of str
        Exercises that the notebook says it sets.
    paper : str
        Which paper of an exam it says it is, or nothing.
    error : str
        Why it cannot be run or judged, or nothing.
    checked : dict
        For each exercise the last record of `check`, as text (JSON).
    answers : dict
        For each code cell the value of `answer` after it, as text (JSON).
    failed : dict
        For each code cell that failed what is known about it.
    """

    file: str
    source: str
    digest: str = ""
    time: float = 0.0
    cells: Sequence[Cell] = ()
    exercises: Sequence[str] = ()
    paper: str = ""
    error: str = ""
    checked: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    failed: dict[str, dict[str, Any]] = field(default_factory=dict)

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The code cells."""
        return tuple(cell.source for cell in self.cells if cell.kind == "code")

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """The exercises that each code cell names in a call."""
        return tuple(tuple(dict.fromkeys(_CALL.findall(code))) for code in self.codes)

    @cached_property
    def fields(self) -> dict[str, str]:
        """``name`` and ``number`` of the student, as far as a paper says them."""
        return {one[1]: one[2].strip() for code in self.codes for one in _FIELD.finditer(code) if one[2].strip()}

    @property
    def mentioned(self) -> frozenset[str] | None:
        """Labels that stand anywhere in the code; None where `check` is called, and no label says for what."""
        labels = frozenset(label for code in self.codes for label in LABEL.findall(code))
        return labels or (None if any("check" in code for code in self.codes) else labels)


def read_notebook(file: str | Path, source: str | Path | None = None) -> Notebook:
    """Read a returned notebook; if that cannot be done, `error` says why.

    Parameters
    ----------
    file : str or Path
        The notebook (``.ipynb``, version 4), executed or not.
    source : str or Path, optional
        The folder or file after which its student is named; by default the file.
    """
    empty = Notebook(str(file), str(source or file))
    try:
        about = Path(file).lstat()
        if not stat.S_ISREG(about.st_mode):
            raise ValueError("is not a regular file but a link, a folder or a device: look at it")
        if about.st_size > LARGEST_FILE:
            raise ValueError(f"has more than {LARGEST_FILE:,} bytes: clear its outputs")
        data = Path(file).read_bytes()
        empty = replace(empty, digest=hashlib.sha256(data).hexdigest()[:16], time=about.st_mtime)
        return replace(empty, **_parts(data))
    except OSError as error:
        return replace(empty, error=f"{file} cannot be read: {error.strerror}")
    except ValueError as error:
        return replace(empty, error=f"{file} {error}")


def _parts(data: bytes) -> dict[str, Any]:
    """Cells, and what the book's own metadata say."""
    try:
        notebook: Any = json.loads(data.decode("utf-8-sig"))
        cells = [_cell(cell) for cell in notebook["cells"]]
        length = sum(len(cell.source) for cell in cells)
        metadata: Any = notebook.get("metadata", {})
        kernel = metadata.get("kernelspec", {}).get("language") or metadata.get("language_info", {}).get("name")
        about = metadata.get("classex", {})
        exercises, paper = [str(name) for name in about.get("exercises", [])], str(about.get("paper", ""))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("is not a Jupyter notebook (.ipynb, version 4)") from None
    if kernel and str(kernel).lower() not in ("python", "ipython", "python3"):
        raise ValueError(f"is a notebook for {str(kernel)[:40]}, not for Python")
    if length > LONGEST_TEXT:
        raise ValueError(f"has more than {LONGEST_TEXT:,} characters of text and code")
    cells = [cell._replace(source=_plain(cell.source)) if cell.kind == "code" else cell for cell in cells]
    return {"cells": cells, "exercises": exercises, "paper": paper or paper_of_heading(cells)}


def parsed(code: str) -> ast.Module | None:
    """Return the syntax tree, or None where the code has none."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _cell(cell: Any) -> Cell:
    """A cell as the file has it."""
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    about = cell.get("metadata", {}).get("classex")
    label = about.get("exercise") if isinstance(about, dict) else ""
    return Cell(str(cell["cell_type"]), text, str(label))


def _plain(code: str) -> str:
    """Python of a cell: without magics, shell commands and questions, where it does not parse as it stands."""
    code = code.replace("\r\n", "\n")
    while code.lstrip().startswith("%%"):
        first, _, code = code.lstrip().partition("\n")
        if not _KEPT_MAGICS.fullmatch(first.strip()):
            return ""
    if parsed(code) is not None:
        return code
    lines = [_LINE_TIMER.sub(r"\1", line) for line in code.split("\n")]
    # a line for a line, so that messages name the right one
    plain = "\n".join("" if _LINE_MAGIC.match(line) else line for line in lines)
    return plain if parsed(plain) is not None else code
