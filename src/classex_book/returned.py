"""What a returned notebook holds: its code, which cells check which exercise, and what those cells lean on."""

from __future__ import annotations

import ast
import builtins
import json
import re
import symtable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Returned", "read_returned"]

_LABEL = re.compile(r"exr-ch[0-9]+-[a-z0-9-]+")
_CALL = re.compile(r"""\bcheck\(\s*["'](exr-ch[0-9]+-[a-z0-9-]+)["']""")  # for code that does not parse
_NAMED = re.compile(r"\s*#\s*(exr-ch[0-9]+-[a-z0-9-]+):")  # the first line of a cell of a paper
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
    asked : tuple of str
        Exercises that the notebook says it sets, in its metadata.
    paper : str
        Which paper of an exam it says it is, or nothing. Its cells check nothing by themselves: `read_returned` has
        added to each the check of the exercise that its first line names.
    """

    setup: str
    cells: tuple[str, ...]
    asked: tuple[str, ...] = ()
    paper: str = ""

    @property
    def checked(self) -> tuple[str, ...]:
        """Exercises that some cell checks, each once."""
        return tuple(dict.fromkeys(name for cell in self.cells for name in _checks(cell)))

    def attempts(self, name: str) -> list[tuple[list[str], str]]:
        """Cells that check the exercise, the last first, each with the cells that define what it uses."""
        places = [place for place, cell in enumerate(self.cells) if name in _checks(cell)]
        return [([self.cells[i] for i in self._leans_on(place)], self.cells[place]) for place in reversed(places)]

    def _leans_on(self, place: int) -> list[int]:
        """Places of the cells that bind names which the cell at `place` uses and does not bind, and so on."""
        # every exercise has an answer of its own, and that of another one is not meant
        given = _bound(self.setup) | set(dir(builtins)) | {"answer"}
        bound = [_bound(cell) for cell in self.cells]
        changed = [_changed(cell) for cell in self.cells]
        found: set[int] = set()
        todo = [(place, name) for name in _used(self.cells[place])]
        seen = set(todo)
        while todo:
            user, name = todo.pop()
            if name in given:
                continue
            above = [i for i in range(user) if name in bound[i]]
            below = [i for i in range(user + 1, len(bound)) if name in bound[i] and i != place]
            if not above and not below:
                continue
            source = above[-1] if above else below[0]
            news = {source, *(i for i in range(source + 1, user) if name in changed[i])} - {place}
            found |= news
            for i in news:
                more = {(i, used) for used in _used(self.cells[i])} - seen
                seen |= more
                todo.extend(more)
        return sorted(found)


def read_returned(path: str | Path) -> Returned:
    """Read a returned notebook.

    Parameters
    ----------
    path : str or Path
        The notebook (``.ipynb``), executed or not.

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
        sources = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
        metadata: Any = notebook.get("metadata", {})
        kernel = metadata.get("kernelspec", {}).get("language") or metadata.get("language_info", {}).get("name")
        about = metadata.get("classex", {})
        asked, paper = about.get("exercises", []), str(about.get("paper", ""))
        cells = tuple(_plain(code if isinstance(code, str) else "".join(code)) for code in sources)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError(f"{file} is not a Jupyter notebook (.ipynb, version 4)") from None
    if kernel and str(kernel).lower() not in ("python", "ipython", "python3"):
        raise ValueError(f"{file} is a notebook for {kernel}, not for Python")
    setup = next((cell for cell in cells if _SETUP.search(cell)), _DEFAULT_SETUP)
    if paper:
        cells = tuple(_handed_in(cell) for cell in cells)
    return Returned(setup, cells, tuple(str(name) for name in asked), paper)


def _handed_in(code: str) -> str:
    """A cell of a paper, with the check that it does not have itself."""
    label = _NAMED.match(code)
    return f'{code}\n\ncheck("{label[1]}", answer)' if label else code


def _plain(code: str) -> str:
    """Python of a cell: without magics, shell commands and questions, where it does not parse as it stands."""
    code = code.replace("\r\n", "\n")
    if _parsed(code) is not None:
        return code
    first, _, rest = code.lstrip().partition("\n")
    if first.startswith("%%"):
        return _plain(rest) if _KEPT_MAGICS.fullmatch(first.strip()) else ""
    lines = [_LINE_TIMER.sub(r"\1", line) for line in code.split("\n")]
    # a line for a line, so that messages name the right one
    plain = "\n".join("" if _LINE_MAGIC.match(line) else line for line in lines)
    return plain if _parsed(plain) is not None else code


def _parsed(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _checks(code: str) -> list[str]:
    """Labels of the exercises that a cell checks, wherever in it."""
    tree = _parsed(code)
    if tree is None:
        return _CALL.findall(code)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            label = node.args[0].value
            if called == "check" and isinstance(label, str) and _LABEL.fullmatch(label):
                found.append(label)
    return found


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


def _used(code: str) -> set[str]:
    """Names that the cell needs from elsewhere."""
    table = _table(code)
    if table is None:
        return set()
    used = {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    inner = list(table.get_children())
    while inner:
        scope = inner.pop()
        used |= {s.get_name() for s in scope.get_symbols() if s.is_referenced() and s.is_global()}
        inner.extend(scope.get_children())
    return used - _bound(code)


def _changed(code: str) -> set[str]:
    """Names whose entries or attributes the cell sets at its top level, or on which it calls a method."""
    tree = _parsed(code)
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
