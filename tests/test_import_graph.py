"""The graph of imports, with those that stand inside functions and under a condition: no circle, no way back.

``lint-imports`` checks the layers. It follows the imports that Python runs; these tests read every one that is written.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "classex"


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def faces(room: str) -> dict[str, str]:
    """Names that a room passes on lazily, and the modules that have them."""
    stub = MODULES[room].with_suffix(".pyi") if room in MODULES else None
    if stub is None or not stub.exists():
        return {}
    found = re.findall(r"^from (\.\w*) import (\w+) as", stub.read_text("utf-8"), re.MULTILINE)
    return {name: f"{room}.{name}" if where == "." else f"{room}{where}" for where, name in found}


def home(module: str, name: str) -> str:
    """The module that `from module import name` reaches."""
    while name in faces(module):
        module = faces(module)[name]
    return f"{module}.{name}" if f"{module}.{name}" in MODULES else module


def imports(path: Path) -> list[tuple[str, bool]]:
    """What a file imports of the package, and whether inside a function or under a condition."""
    tree = ast.parse(path.read_text("utf-8"))
    outside = {id(node) for node in tree.body}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] == "classex":
            found += [(home(node.module or "", alias.name), id(node) not in outside) for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] == "classex"]
            found += [(name, id(node) not in outside) for name in names]
    return found


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    return {name: {other for other, _ in imports(path) if other != name} for name, path in MODULES.items()}


def test_modules_form_no_circle(graph):
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
    assert set(MODULES) <= set(order)
    assert graph["classex.extrapolation"] > {"classex.extrapolator", "classex.fields.growth"}  # the graph is not empty


def test_rooms_form_no_circle(graph):
    """Files that stand in no room count as one each."""

    def room(name: str) -> str:
        return ".".join(name.split(".")[:2])

    rooms: dict[str, set[str]] = {}
    for name, others in graph.items():
        # a lazy face loads nothing by itself
        below = {room(other) for other in others if other != "classex" and room(other) != room(name)}
        rooms.setdefault(room(name), set()).update(below)
    try:
        list(TopologicalSorter(rooms).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_an_import_inside_a_function_is_for_an_optional_package():
    """Commands alone load what they run when they run, so that ``classex --help`` answers at once."""
    late = [name for name, path in MODULES.items() if any(inside for _, inside in imports(path))]
    assert [name for name in late if not name.startswith("classex.cli")] == []
    assert "TYPE_CHECKING" not in "".join(path.read_text("utf-8") for path in MODULES.values())
