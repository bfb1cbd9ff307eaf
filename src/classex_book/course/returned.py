"""What a returned notebook holds: its code, the exercises it names, and what a paper of an exam says beside."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classex_book.course.exam import Key
from classex_book.course.papers import LABEL, Cell, paper_of_heading, with_checks, words_below

_CALL = re.compile(rf"""\(\s*(?:name\s*=\s*)?["']({LABEL.pattern})["']""")
_FIELD = re.compile(r"""^\s*student_(name|number)\s*=\s*["'](.*)["']\s*$""", re.MULTILINE)
_KEPT_MAGICS = re.compile(r"%%(?:time|capture|prun)\b.*")  # cell magics that leave the code below them as it is
_LINE_TIMER = re.compile(r"^(\s*)%time(?:it)?\s+(?!-)")
_LINE_MAGIC = re.compile(r"^\s*(?:[%!?].*|[\w.]+\?{1,2}\s*)$")
# parts of this package that know answers, and ways to reach them that no set-up cell needs
_KNOWS = re.compile(
    r"\b(?:classex_book[\w.]*|\w+)\.(?:course|chapters)\b[\w.]*|from classex_book import .*\b(?:course|chapters)\b"
    r"|[\"']classex_book.*[\"']|import_module|__import__|sys\.modules"
)


@dataclass(frozen=True)
class Returned:
    """The code of a returned notebook.

    Attributes
    ----------
    cells : tuple of str
        All code cells in their order, without the commands of the notebook such as ``%%time``.
    labels : tuple of tuple of str
        The exercises that each cell names in a call.
    exercises : tuple of str
        Exercises that the notebook says it sets, in its metadata.
    paper : str
        Which paper of an exam it says it is, or nothing. Its cells check nothing by themselves: `read_returned` has
        added the check of each exercise to the cell that answers it.
    notes : tuple of str
        What a reader of the marks should know about the notebook.
    fields : dict
        ``name`` and ``number`` of the student, as far as the paper says them.
    words : dict
        Answers in words to the questions of a paper that are marked by hand.
    """

    cells: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    exercises: tuple[str, ...] = ()
    paper: str = ""
    notes: tuple[str, ...] = ()
    fields: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)

    @property
    def mentioned(self) -> frozenset[str] | None:
        """Labels that stand anywhere in the code; None where `check` is called, and no label says for what."""
        labels = frozenset(label for code in self.cells for label in LABEL.findall(code))
        return labels or (None if any("check" in code for code in self.cells) else labels)


def read_returned(file: Path, exam: Key | None = None) -> Returned:
    """Read a returned notebook.

    Parameters
    ----------
    file : Path
        The notebook (``.ipynb``), executed or not.
    exam : Key, optional
        The key of the exam, if it should be a paper of one.

    Raises
    ------
    ValueError
        If the file is no notebook of version 4, or one for another language than Python.
    OSError
        If the file cannot be read.
    """
    try:
        notebook: Any = json.loads(file.read_bytes().decode("utf-8-sig"))
        cells = [_cell(cell) for cell in notebook["cells"]]
        metadata: Any = notebook.get("metadata", {})
        kernel = metadata.get("kernelspec", {}).get("language") or metadata.get("language_info", {}).get("name")
        about = metadata.get("classex", {})
        exercises, paper = tuple(str(name) for name in about.get("exercises", [])), str(about.get("paper", ""))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError(f"{file} is not a Jupyter notebook (.ipynb, version 4)") from None
    if kernel and str(kernel).lower() not in ("python", "ipython", "python3"):
        raise ValueError(f"{file} is a notebook for {kernel}, not for Python")
    codes = [cell.source for cell in cells if cell.kind == "code"]
    words: dict[str, str] = {}
    if exam is not None:
        paper = paper or paper_of_heading(cells)
        exercises = tuple(exam.papers.get(paper, exercises))
        words = words_below(cells, exercises, list(exam.written))
    if paper:
        codes = with_checks(cells, exercises)
    fields = {one[1]: one[2].strip() for code in codes for one in _FIELD.finditer(code) if one[2].strip()}
    labels = tuple(tuple(dict.fromkeys(_CALL.findall(code))) for code in codes)
    found = ((number, _KNOWS.search(code)) for number, code in enumerate(codes, 1))
    notes = tuple(f"code cell {n} uses {what[0]}, by which answers can be reached" for n, what in found if what)
    return Returned(tuple(codes), labels, exercises, paper, notes, fields, words)


def parsed(code: str) -> ast.Module | None:
    """Return the syntax tree, or None where the code has none."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _cell(cell: Any) -> Cell:
    """A cell as the file has it, its code without magics."""
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    metadata = cell.get("metadata", {})
    return Cell(str(cell["cell_type"]), _plain(text) if cell["cell_type"] == "code" else text, metadata)


def _plain(code: str) -> str:
    """Python of a cell: without magics, shell commands and questions, where it does not parse as it stands."""
    code = code.replace("\r\n", "\n")
    if parsed(code) is not None:
        return code
    first, _, rest = code.lstrip().partition("\n")
    if first.startswith("%%"):
        return _plain(rest) if _KEPT_MAGICS.fullmatch(first.strip()) else ""
    lines = [_LINE_TIMER.sub(r"\1", line) for line in code.split("\n")]
    # a line for a line, so that messages name the right one
    plain = "\n".join("" if _LINE_MAGIC.match(line) else line for line in lines)
    return plain if parsed(plain) is not None else code
