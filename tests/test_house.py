"""Rules of the house that a machine can check: the path of a call, short functions, nothing of one machine."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tools.mutate_constants import JUDGED, UNGUARDED

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", ROOT)))}
PATH = (12, 92, 560)  # files, functions and lines that one call of extrapolate from scores enters
MOST_FILES, MOST_ROOMS = 90, 14
SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("src", "tests", "benchmarks", "book/_ext")
    for path in (ROOT / folder).rglob("*.py")
)
# written in pieces, so that this file does not find itself
LEAKS = re.compile(
    "|".join(("/wor" + "k/", "/ro" + "ot/", "/hom" + "e/[a-z]", "file:/" + "/", "index" + "-url", "find" + "-links"))
    + r"|\bpy"
    + r"pi\.(org|python)|pythonhos"
    + "ted"
)


def test_the_path_of_one_call_stays_short():
    """In a process of its own, since it traces."""
    command = [sys.executable, "-m", "tools.path_of_a_call"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout
    found = [int(number) for number in re.findall(r"\d+", said)]
    assert all(number <= most for number, most in zip(found, PATH, strict=True)), said


def test_rooms_and_files_stay_few():
    files = [path for path in (ROOT / "src/classex").rglob("*.py") if path.name != "__init__.py"]
    rooms = {path.relative_to(ROOT / "src/classex").parts[0] for path in files} - {path.name for path in files}
    assert len(files) <= MOST_FILES, len(files)
    assert len(rooms) <= MOST_ROOMS, rooms


def test_functions_are_short():
    long = []
    for source in SOURCES:
        for node in ast.walk(ast.parse((ROOT / source).read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
                if (length := (node.end_lineno or 0) - first.lineno + 1) >= 60:
                    long.append(f"{source}: {node.name} has {length} lines")
    assert not long


def tracked_files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    return [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout: there is no list of tracked files")
def test_no_tracked_file_names_a_place_of_one_machine():
    files = tracked_files()
    assert "pyproject.toml" in files
    found = []
    for name in files:
        data = (ROOT / name).read_bytes()
        if b"\0" not in data[:8000]:
            found += [f"{name}: {match.group()}" for match in LEAKS.finditer(data.decode("utf-8", "replace"))]
    assert not found


def test_the_lock_holds_hashes_and_no_addresses():
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text
    requirements = [block for block in re.split(r"\n(?=\S)", text) if re.match(r"[A-Za-z0-9]", block)]
    assert len(requirements) > 50
    assert all("==" in block and "--hash=sha256:" in block for block in requirements)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout: there is no list of tracked files")
def test_notebooks_are_stored_as_text_without_outputs():
    assert not [name for name in tracked_files() if name.endswith(".ipynb")]


def test_constants_that_were_judged_are_listed():
    """Every listed constant exists, and every one whose comment says that it was judged is listed."""
    listed: dict[str, set[str]] = {}
    for module, names in [*((m, names) for m, _, names in JUDGED), *UNGUARDED.items()]:
        listed.setdefault(module, set()).update(name.partition(".")[0] for name in names.split())
    for module, names in listed.items():
        assert all(hasattr(import_module(module), name) for name in names), module
    missing = []
    for file in sorted((ROOT / "src" / "classex").rglob("*.py")):
        module = ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
        said = re.findall(r"(?:^#.*\n)*^#.*judgement.*\n((?:^_?[A-Z][A-Z_, ]* = .*\n)+)", file.read_text("utf-8"), re.M)
        for block in said:
            for line in block.splitlines():
                found = {name.strip() for name in line.split(" = ")[0].split(",")}
                missing += [f"{module}.{name}" for name in found - listed.get(module, set())]
    assert not missing
