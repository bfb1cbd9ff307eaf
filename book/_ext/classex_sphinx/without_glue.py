"""Code of a chapter without what only the build needs: the values it glues into the prose.

In a notebook the values already stand in the text, and ``myst_nb`` is not installed where it runs; on a page the
statements would stand between the reader and the lines that carry the idea.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from docutils import nodes
from sphinx.application import Sphinx


def plain_sources(cells: Mapping[int, str], hidden: set[int]) -> dict[int, str]:
    """Code of the cells without glue; cells left empty, or `hidden` and of no use to later ones, are absent."""
    plain: dict[int, str] = {}
    used: set[str] = set()
    for index in sorted(cells, reverse=True):
        code = without_glue(cells[index])
        shortened = code != cells[index]
        if shortened and (not code.strip() or (index in hidden and not _names(code, ast.Store) & used)):
            continue
        plain[index] = code
        used |= _names(code, ast.Load)
    return dict(sorted(plain.items()))


def _names(code: str, context: type[ast.expr_context]) -> set[str]:
    return {
        node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }


def without_glue(code: str) -> str:
    """The code without the import of ``glue`` and without the statements that call it, and what only wrapped these."""
    if "glue" not in code:
        return code
    spans: list[tuple[int, int]] = []
    _collect(ast.parse(code).body, spans)
    gone = {line for first, last in spans for line in range(first, last + 1)}
    kept = [line for number, line in enumerate(code.split("\n"), 1) if number not in gone]
    text = _closed_up(kept)
    if text.strip():
        ast.parse(text)
    return text


def _collect(statements: list[ast.stmt], spans: list[tuple[int, int]]) -> None:
    for statement in statements:
        if _only_glues(statement):
            spans.append((statement.lineno, statement.end_lineno or statement.lineno))
            continue
        for body in _bodies(statement):
            _collect(body, spans)


def _bodies(statement: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return []
    return [getattr(statement, name) for name in ("body", "orelse", "finalbody") if getattr(statement, name, None)]


def _only_glues(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "myst_nb"
    if isinstance(statement, ast.Expr):
        call = statement.value
        return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "glue"
    bodies = _bodies(statement)
    # the header of a loop may hold a walrus or a call with effects; chapters keep these out of loops that only glue
    return bool(bodies) and all(_only_glues(inner) for body in bodies for inner in body)


def _closed_up(lines: list[str]) -> str:
    """The lines without blank ones at the ends or more than two in a row."""
    text = "\n".join(lines).strip("\n")
    while "\n\n\n\n" in text:
        text = text.replace("\n\n\n\n", "\n\n\n")
    return text


def hide_glue(_app: Sphinx, doctree: nodes.document) -> None:
    """Show the code of a page without glue as well; cells that do nothing else disappear."""
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code":
            continue
        for source in [child for child in cell.children if child.get("nb_element") == "cell_code_source"]:
            for block in source.findall(nodes.literal_block):
                text = without_glue(block.astext())
                if text != block.astext():
                    block.children, block.rawsource = [], text
                    block += nodes.Text(text)
            if not source.astext().strip():
                cell.remove(source)
        if not cell.children:
            cell.parent.remove(cell)


def setup(app: Sphinx) -> None:
    """Connect to the build: before the page is stored."""
    app.connect("doctree-read", hide_glue)
