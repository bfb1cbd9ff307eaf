"""Which exercises a cell checks: calls of `check` under whatever name, and those that only running can tell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LABEL = re.compile(r"exr-(?:ch[0-9]+|labs)-[a-z0-9-]+")
# for code that does not parse
_CALL = re.compile(rf"""\bcheck\(\s*(?:name\s*=\s*)?["']({LABEL.pattern})["']""")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True)
class Calls:
    """What a cell says about the exercises it checks.

    Attributes
    ----------
    labels : tuple of str
        Exercises that a call names, wherever in the cell.
    mentioned : tuple of str
        Labels of exercises that stand in the cell as texts of their own.
    unread : bool
        Whether the cell uses `check` in a way that names no exercise: in a loop, with a variable, in a function.
    """

    labels: tuple[str, ...]
    mentioned: tuple[str, ...]
    unread: bool


def parsed(code: str) -> ast.Module | None:
    """Return the syntax tree, or None where the code has none."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def find_calls(cells: Sequence[str]) -> list[Calls]:
    """Say for each cell of a notebook which exercises it checks.

    Examples
    --------
    >>> from classex_book.course.calls import find_calls
    >>> cells = [
    ...     "from classex_book import check as verify",
    ...     'verify(name="exr-ch1-wins", answer=[3 / 5, 1 / 2, 2 / 5])',
    ...     "for name in names: verify(name, answers[name])",
    ... ]
    >>> [(found.labels, found.unread) for found in find_calls(cells)]
    [((), False), (('exr-ch1-wins',), False), ((), True)]
    """
    trees = [parsed(code) for code in cells]
    modules, names = _names_of_check([tree for tree in trees if tree is not None])
    found = []
    for code, tree in zip(cells, trees, strict=True):
        if tree is None:
            labels = tuple(_CALL.findall(code))
            found.append(Calls(labels, labels, False))
            continue
        nodes = list(ast.walk(tree))
        uses = {id(node): node for node in nodes if _is_check(node, names, modules)}
        labels_of = {
            id(node.func): label
            for node in nodes
            if isinstance(node, ast.Call)
            and (id(node.func) in uses or getattr(node.func, "attr", "") == "check")
            and (label := _named(node))
        }
        outside = {id(node) for node in _outside_functions(tree)}
        unread = any(key in outside and key not in labels_of for key in uses)
        texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        mentioned = dict.fromkeys(text for text in texts if LABEL.fullmatch(text))
        found.append(Calls(tuple(dict.fromkeys(labels_of.values())), tuple(mentioned), unread))
    return found


def _names_of_check(trees: list[ast.Module]) -> tuple[set[str], set[str]]:
    """Names of the package's modules, and names that stand for `check` or for something that calls it."""
    modules, names = {"classex_book"}, {"check"}
    nodes = [node for tree in trees for node in ast.walk(tree)]
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {one.asname for one in node.names if one.asname and one.name.split(".")[0] == "classex_book"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "classex_book":
            names |= {one.asname or one.name for one in node.names if one.name == "check"}
    before = 0
    while before < len(names):  # a name may be made of a name
        before = len(names)
        for node in nodes:
            names |= _made_of_check(node, names, modules)
    return modules, names


def _made_of_check(node: ast.AST, names: set[str], modules: set[str]) -> set[str]:
    """Names that a definition or an assignment makes of `check`: functions and classes that use it, other names."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name} if any(_is_check(one, names, modules) for one in ast.walk(node)) else set()
    if not isinstance(node, ast.Assign) or not all(isinstance(target, ast.Name) for target in node.targets):
        return set()
    value = node.value
    if isinstance(value, ast.Lambda):
        made = any(_is_check(one, names, modules) for one in ast.walk(value))
    elif isinstance(value, ast.Call):  # such as partial(check, ...)
        made = any(_is_check(one, names, modules) for one in value.args)
    else:
        made = _is_check(value, names, modules)
    return {target.id for target in node.targets if isinstance(target, ast.Name)} if made else set()


def _is_check(node: ast.AST, names: set[str], modules: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names and isinstance(node.ctx, ast.Load)
    if not isinstance(node, ast.Attribute) or node.attr != "check":
        return False
    base: ast.expr = node.value
    while isinstance(base, ast.Attribute):
        base = base.value
    return isinstance(base, ast.Name) and base.id in modules


def _named(call: ast.Call) -> str:
    """The label that a call names, or nothing."""
    given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "name")]
    label = given[0].value if given and isinstance(given[0], ast.Constant) else None
    return label if isinstance(label, str) and LABEL.fullmatch(label) else ""


def _outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes of the code that runs when the cell runs."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, _SCOPES):
            yield from _outside_functions(node)
