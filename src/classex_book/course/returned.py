"""What a returned notebook holds: its code, which cells check which exercise, and what those cells lean on."""

from __future__ import annotations

import ast
import builtins
import json
import re
import symtable
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from classex_book.course.calls import find_calls, parsed
from classex_book.course.papers import Cell, paper_of_heading, with_checks

_SETUP = re.compile(r"^from classex_book import .*\bcheck\b", re.MULTILINE)
_KEPT_MAGICS = re.compile(r"%%(?:time|capture|prun)\b.*")  # cell magics that leave the code below them as it is
_LINE_TIMER = re.compile(r"^(\s*)%time(?:it)?\s+(?!-)")
_LINE_MAGIC = re.compile(r"^\s*(?:[%!?].*|[\w.]+\?{1,2}\s*)$")
_DEFAULT_SETUP = "from classex_book import check"


@dataclass(frozen=True)
class Returned:
    """The code of a returned notebook.

    Attributes
    ----------
    setup : str
        The cell that imports `check`, or that import alone if the notebook has lost it.
    cells : tuple of str
        All code cells in their order, without the commands of the notebook such as ``%%time``.
    labels : tuple of tuple of str
        The exercises that each cell checks.
    unread : tuple of int
        Indices of cells that call `check` so that only running them can tell for which exercises.
    exercises : tuple of str
        Exercises that the notebook says it sets, in its metadata.
    paper : str
        Which paper of an exam it says it is, or nothing. Its cells check nothing by themselves: `read_returned` has
        added the check of each exercise to the cell that answers it.
    notes : tuple of str
        What a reader of the marks should know about how the notebook was read.
    """

    setup: str
    cells: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    unread: tuple[int, ...] = ()
    exercises: tuple[str, ...] = ()
    paper: str = ""
    notes: tuple[str, ...] = ()

    @property
    def checked(self) -> tuple[str, ...]:
        """Exercises that some cell checks, each once."""
        return tuple(dict.fromkeys(name for labels in self.labels for name in labels))

    def attempts(self, name: str) -> list[tuple[list[str], str]]:
        """Cells that check the exercise, the last first, each with the cells that define what it uses.

        A cell may come twice, where it can be argued which `answer` above it is meant.
        """
        indices = [index for index, labels in enumerate(self.labels) if name in labels]
        return [
            ([self.cells[i] for i in self._leans_on(index, answer)], self.cells[index])
            for index in reversed(indices)
            for answer in self._answers(index, name)
        ]

    def trial(self, index: int) -> tuple[list[str], str]:
        """Return a cell and the cells that define what it uses."""
        answers = [i for i in range(index) if "answer" in self._bound[i]]
        needed = answers[-1] if answers and "answer" in self._needed[index] else None
        return [self.cells[i] for i in self._leans_on(index, needed)], self.cells[index]

    def mentioned(self, index: int) -> tuple[str, ...]:
        """Labels that stand as texts in a cell or in the cells that it uses."""
        helpers, cell = self.trial(index)
        return tuple(dict.fromkeys(label for calls in find_calls([*helpers, cell]) for label in calls.mentioned))

    def with_labels(self, found: Mapping[int, Iterable[str]], notes: Iterable[str]) -> Returned:
        """Return the same with the exercises that running the unread cells has shown, and with notes."""
        labels = tuple(tuple(dict.fromkeys([*own, *found.get(index, ())])) for index, own in enumerate(self.labels))
        return replace(self, labels=labels, unread=(), notes=(*self.notes, *notes))

    @cached_property
    def _bound(self) -> list[set[str]]:
        return [_bound(cell) for cell in self.cells]

    @cached_property
    def _needed(self) -> list[set[str]]:
        return [_needed(cell) for cell in self.cells]

    def _answers(self, index: int, name: str) -> list[int | None]:
        """Indices of the cells above whose `answer` the check at `index` can mean, the likeliest first.

        It is the nearest, unless that one belongs to another check; then none, or else a farther one that is free.
        """
        defined = [i for i in range(index) if "answer" in self._bound[i]]
        if "answer" not in self._needed[index] or not defined:
            return [None]
        free = [i for i, end in zip(defined, [*defined[1:], index], strict=True) if self._is_free(i, end, name)]
        if defined[-1] in free:
            return [defined[-1]]
        return [None, *free[-1:]]

    def _is_free(self, start: int, end: int, name: str) -> bool:
        """Whether no other exercise is the first to be checked with the `answer` that is defined at `start`."""
        users = (i for i in range(start, end) if self.labels[i] and (i == start or "answer" in self._needed[i]))
        first = next(users, None)
        return first is None or name in self.labels[first]

    def _leans_on(self, index: int, answer: int | None) -> list[int]:
        """Indices of the cells that bind names which the cell at `index` uses and does not bind, and so on.

        Every exercise has an answer of its own, and that of another one is not meant: `answer` is the cell with it.
        """
        given = _bound(self.setup) | set(dir(builtins))
        changed = [_changed(cell) for cell in self.cells]
        found: set[int] = set()
        todo = [(index, name) for name in self._needed[index]]
        seen = set(todo)
        while todo:
            user, name = todo.pop()
            if name in given or (name == "answer" and user == index and answer is None):
                continue
            above = [i for i in range(user) if name in self._bound[i]]
            below = [i for i in range(user + 1, len(self.cells)) if name in self._bound[i] and i != index]
            if not above and not below:
                continue
            source = above[-1] if above else below[0]
            if name == "answer" and user == index and answer is not None:
                source = answer
            news = {source, *(i for i in range(source + 1, user) if name in changed[i])} - {index}
            found |= news
            for i in news:
                more = {(i, used) for used in self._needed[i]} - seen
                seen |= more
                todo.extend(more)
        return sorted(found)


def read_returned(path: str | Path, *, exam: Mapping[str, Mapping[str, int]] | None = None) -> Returned:
    """Read a returned notebook.

    Parameters
    ----------
    path : str or Path
        The notebook (``.ipynb``), executed or not.
    exam : mapping, optional
        The key of the exam, if it should be a paper of one: for each paper its exercises.

    Raises
    ------
    ValueError
        If the file is no notebook of version 4, or one for another language than Python.
    OSError
        If the file cannot be read.
    """
    file = Path(path)
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
    notes: list[str] = []
    setup = next((code for code in codes if _SETUP.search(code)), _DEFAULT_SETUP)
    if exam is not None:
        paper = paper or paper_of_heading(cells)
        exercises = tuple(exam.get(paper, exercises))
    if paper:
        codes, notes = with_checks(cells, exercises)
    calls = find_calls(codes)
    unread = () if paper else tuple(index for index, found in enumerate(calls) if found.unread)
    return Returned(setup, tuple(codes), tuple(found.labels for found in calls), unread, exercises, paper, tuple(notes))


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


def _table(code: str) -> symtable.SymbolTable | None:
    try:
        return symtable.symtable(code, "<cell>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bound(code: str) -> set[str]:
    """Names that the cell binds at its top level."""
    table = _table(code)
    if table is None:
        return set()
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}


def _needed(code: str) -> set[str]:
    """Names that the cell needs from elsewhere."""
    table, tree = _table(code), parsed(code)
    if table is None or tree is None:
        return set()
    used = {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    inner = list(table.get_children())
    while inner:
        scope = inner.pop()
        used |= {s.get_name() for s in scope.get_symbols() if s.is_referenced() and s.is_global()}
        inner.extend(scope.get_children())
    return (used - _bound(code)) | _read_first(tree)


def _read_first(tree: ast.Module) -> set[str]:
    """Names that the cell binds, but only after it has used what they were: ``answer = answer / 2``."""
    found: set[str] = set()
    before: set[str] = set()
    for statement in tree.body:
        table = _table(ast.unparse(statement))
        symbols = [] if table is None else table.get_symbols()
        read = {s.get_name() for s in symbols if s.is_referenced()}
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            read -= {s.get_name() for s in symbols if s.is_assigned()}  # such as the variable of a loop
        added = (node.target for node in ast.walk(statement) if isinstance(node, ast.AugAssign))
        found |= (read | {target.id for target in added if isinstance(target, ast.Name)}) - before
        before |= {s.get_name() for s in symbols if s.is_assigned() or s.is_imported() or s.is_namespace()}
    return found & before


def _changed(code: str) -> set[str]:
    """Names whose entries or attributes the cell sets at its top level, or on which it calls a method."""
    tree = parsed(code)
    found = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Subscript | ast.Attribute):
            base: ast.expr = node
            while isinstance(base, ast.Subscript | ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(base.id)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
                found.add(called.value.id)  # such as rows.append(...)
    return found
