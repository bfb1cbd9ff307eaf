"""The package is built in floors: a module imports from the floors below it, and heavy libraries load when used."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "classex"

# from the ground up; a module imports from lower lines only
FLOORS = (
    {"_arrays"},
    {"_extras", "_files", "_kernels", "_lazy", "_progress", "_rates", "_validation", "exceptions"},
    {"_parallel", "_scored", "_solver", "files", "results"},
    {"advantage", "models", "ranks"},
    {"curves"},
    {"bayes", "laws"},
    {"information"},
    {"extrapolation", "identification"},
    {"open_set"},
    {"datasets", "displays"},
    {"cli"},
    {"__main__"},
)
LAZY = {"cvxpy", "dask", "distributed", "h5py", "joblib", "matplotlib", "sklearn", "torch", "tqdm"}
# _solver runs the problems that the other two pose, and checks the solver's status
SOLVES = {"_solver", "laws"}

FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def unit(file: str) -> str:
    """Name in FLOORS of the module or subpackage that a file belongs to."""
    return file.split("/")[0].removesuffix(".py")


def imported(tree: ast.AST, file: str) -> Iterator[str]:
    """Full names of everything imported anywhere below a node of the file."""
    package = ["classex", *file.split("/")[:-1]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base += node.module.split(".") if node.module else []
            yield ".".join(base)
            yield from (".".join([*base, alias.name]) for alias in node.names)


def parse(file: str) -> ast.Module:
    return ast.parse((PACKAGE / file).read_text(encoding="utf-8"))


def test_every_module_has_its_floor():
    listed = set().union(*FLOORS)
    assert {unit(file) for file in FILES} - {"__init__"} <= listed
    assert len(listed) == sum(map(len, FLOORS))


@pytest.mark.parametrize("file", [file for file in FILES if file != "__init__.py"])
def test_a_module_imports_from_lower_floors_only(file):
    floor = {name: number for number, names in enumerate(FLOORS) for name in names}
    own = unit(file)
    for name in imported(parse(file), file):
        parts = name.split(".")
        if parts[0] == "classex" and len(parts) > 1 and parts[1] in floor and parts[1] != own:
            assert floor[parts[1]] < floor[own], f"{file} imports {name} from floor {floor[parts[1]]}"


@pytest.mark.parametrize("file", FILES)
def test_no_module_reaches_into_the_private_modules_of_another_package(file):
    for name in imported(parse(file), file):
        parts = name.split(".")
        if parts[0] == "classex" and len(parts) > 2 and parts[1] != unit(file) and not parts[1].startswith("_"):
            assert not any(part.startswith("_") for part in parts[2:]), f"{file} imports {name}"


@pytest.mark.parametrize("file", FILES)
def test_heavy_libraries_are_imported_where_they_are_used(file):
    tree = parse(file)
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    checked = {
        id(node)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and isinstance(test.test, ast.Name) and test.test.id == "TYPE_CHECKING"
        for node in ast.walk(test)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in inside | checked:
            heavy = {name.split(".")[0] for name in imported(node, file)} & LAZY
            assert not heavy, f"{file} imports {heavy} at its top level"


@pytest.mark.parametrize("file", FILES)
def test_convex_problems_have_their_place(file):
    names = {name.split(".")[0] for name in imported(parse(file), file)}
    assert "cvxpy" not in names or unit(file) in SOLVES


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, classex; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "classex" in loaded
    assert not set(loaded) & (LAZY | {"numba", "scipy"})


def seconds(code: str) -> float:
    """Time of a fresh Python that runs the code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def test_importing_the_package_takes_less_than_half_a_second():
    # the least of several pairs, so that a busy machine does not decide
    assert min(seconds("import classex") - seconds("pass") for _ in range(5)) < 0.5
