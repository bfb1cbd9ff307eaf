"""What readers see of a code cell: no statements that only glue numbers into the prose, no markers of solutions.

A solution is one code cell in which the lines from ``### BEGIN SOLUTION`` to ``### END SOLUTION`` are replaced by a
stub in the students' notebooks. Pages show it without these markers.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping

from docutils import nodes
from sphinx.application import Sphinx

from classex_book.course.exercises import exercise

_SOLUTION = re.compile(r"^([ \t]*)### BEGIN SOLUTION[ \t]*\n(?:.*\n)*?\1### END SOLUTION[ \t]*$", re.MULTILINE)
_CHECKED = re.compile(r"""^check\(\s*["'](exr-(?:ch[0-9]+|labs)-[a-z0-9-]+)["']""", re.MULTILINE)
_MARKER = re.compile(r"^[ \t]*### (?:BEGIN|END) SOLUTION[ \t]*(?:\n|\Z)", re.MULTILINE)


def stub(code: str) -> str:
    """The code of a cell with every solution replaced by the form of the answer and ``raise NotImplementedError``."""
    name = _CHECKED.search(code)
    wanted = f"your solution here: {exercise(name[1]).expects}" if name else "your solution here"

    def blank(solution: re.Match[str]) -> str:
        lines = textwrap.wrap(wanted, 100, initial_indent=f"{solution[1]}# ", subsequent_indent=f"{solution[1]}# ")
        return "\n".join([*lines, f"{solution[1]}raise NotImplementedError"])

    stubbed = _SOLUTION.sub(blank, code)
    if _MARKER.search(stubbed):
        raise ValueError(f"### BEGIN SOLUTION and ### END SOLUTION do not pair up in:\n{code}")
    return stubbed


def without_glue(code: str) -> str:
    """The code without the import of ``glue`` and without the statements that call it, and what only wrapped these."""
    if "glue" not in code:
        return code
    lines = code.split("\n")
    for statement in reversed(list(_gluing(ast.parse(code)))):
        del lines[statement.lineno - 1 : statement.end_lineno]
    plain = re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines).strip("\n"))
    ast.parse(plain)
    return plain


def _gluing(parent: ast.AST) -> Iterator[ast.stmt]:
    """Outermost statements that do nothing but glue."""
    for statement in _statements(parent):
        if _only_glues(statement):
            yield statement
        else:
            yield from _gluing(statement)


def _only_glues(statement: ast.stmt) -> bool:
    match statement:
        case ast.ImportFrom(module="myst_nb") | ast.Expr(value=ast.Call(func=ast.Name(id="glue"))):
            return True
    # the header of a loop may hold a walrus or a call with effects; chapters keep these out of loops that only glue
    inner = _statements(statement)
    return bool(inner) and all(map(_only_glues, inner))


def _statements(parent: ast.AST) -> list[ast.stmt]:
    if isinstance(parent, ast.FunctionDef | ast.ClassDef):
        return []
    return [child for child in ast.iter_child_nodes(parent) if isinstance(child, ast.stmt)]


def plain_sources(cells: Mapping[int, str], hidden: set[int]) -> dict[int, str]:
    """Code of the cells without glue; cells left empty, or `hidden` and of no use to later ones, are absent."""
    plain: dict[int, str] = {}
    used: set[str] = set()
    for index in sorted(cells, reverse=True):
        code = without_glue(cells[index])
        if code != cells[index] and (not code or (index in hidden and not _names(code, ast.Store) & used)):
            continue
        plain[index] = code
        used |= _names(code, ast.Load)
    return dict(sorted(plain.items()))


def _names(code: str, context: type[ast.expr_context]) -> set[str]:
    names = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, context)}


def show_plain_code(_app: Sphinx, doctree: nodes.document) -> None:
    """Take glue and markers from the cells of a page; those that do nothing else disappear.

    Each cell carries its number in the source as a class, by which the notebook for download finds its code.
    """
    for cell in list(doctree.findall(lambda node: getattr(node, "attributes", {}).get("nb_element") == "cell_code")):
        cell["classes"].append(f"cell-{cell['cell_index']}")
        for source in [child for child in cell.children if child.get("nb_element") == "cell_code_source"]:
            for block in source.findall(nodes.literal_block):
                text = _MARKER.sub("", without_glue(block.astext())).rstrip("\n")
                block.children, block.rawsource = [], text
                block += nodes.Text(text)
            if not source.astext().strip():
                cell.remove(source)
        if not cell.children:
            cell.parent.remove(cell)


def setup(app: Sphinx) -> None:
    """Connect to the build: before the page is stored."""
    app.connect("doctree-read", show_plain_code)
