"""Code that readers copy from a page runs: what a visible cell uses is defined in view, before it."""

from __future__ import annotations

import ast
import builtins
import re
import symtable

import pytest
from classex_sphinx.cells import without_glue
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

from tests.book.visits import CONTENTS, ROOT

FOLDED = {"hide-input", "hide-cell"}
OUT_OF_VIEW = {"remove-input", "remove-cell"}
COMPOUND = (ast.For, ast.While, ast.With, ast.FunctionDef, ast.ClassDef, ast.If, ast.Try)
KNOWN = {*dir(builtins), "__name__", "__file__", "display"}


def cells_of(page: str) -> list[tuple[set[str], str]]:
    """Tags and code of the cells of a page, as the page shows them."""
    text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    if not is_myst_markdown_notebook(text):
        return []
    cells = [cell for cell in read_myst_markdown_notebook(text).cells if cell.cell_type == "code"]
    shown = [(set(cell.metadata.get("tags", [])), without_glue(cell.source)) for cell in cells]
    return [(tags, code) for tags, code in shown if code.strip() and not tags & OUT_OF_VIEW]


def names(code: str) -> tuple[set[str], set[str]]:
    """Names that a cell defines, and those it needs from cells before it."""
    defined: set[str] = set()
    needed: set[str] = set()
    for statement in ast.parse(code).body:
        table = symtable.symtable(ast.unparse(statement), "cell", "exec")
        own = {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}
        loads = {one.get_name() for one in table.get_symbols() if one.is_referenced()}
        late = {name for inner in table.get_children() for name in free(inner)}
        # a statement may use what it assigns: loop variables, comprehensions; `x = x + 1` needs x
        bound_first = own if isinstance(statement, COMPOUND) else set()
        needed |= (loads | late) - defined - bound_first
        defined |= own
    return defined, needed


def free(table: symtable.SymbolTable) -> set[str]:
    """Names that a function or a comprehension takes from around all functions."""
    # in the table of a function that is called "top", Python says of local names that they are global too
    own = {one.get_name() for one in table.get_symbols() if one.is_global() and not one.is_local()}
    return own.union(*(free(inner) for inner in table.get_children()))


def missing(cells: list[str]) -> list[str]:
    """Names that cells use before one of them defines them."""
    known, gone = set(KNOWN), []
    for code in cells:
        defined, needed = names(code)
        gone += sorted(needed - known)
        known |= defined
    return gone


PAGES = {page: cells for page in CONTENTS if (cells := cells_of(page))}


@pytest.mark.parametrize("page", PAGES)
def test_visible_code_needs_nothing_out_of_view(page):
    """And folded code needs nothing but visible and folded code."""
    assert missing([code for tags, code in PAGES[page] if not tags & FOLDED]) == []
    assert missing([code for _, code in PAGES[page]]) == []


@pytest.mark.parametrize("page", PAGES)
def test_code_in_view_shows_data_frames_and_asserts_nothing(page):
    text = "\n".join(code for _, code in PAGES[page] if page.startswith("notebooks"))
    assert not re.search(r"\bmarkdown_table\b|^\s*assert\b", text, re.MULTILINE)
