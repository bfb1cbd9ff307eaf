"""Which wrong lines does no test notice? Lines that compute are made wrong at random, one at a time.

    python -m tools.mutate_lines --map                   # once: which tests run which line (a full run of the tests)
    python -m tools.mutate_lines --number 200 --seed 0   # makes lines wrong, and prints which of them live

A mutant changes one operator, comparison or number of `src/classex`, outside messages, annotations and docstrings. The
tests that run its line are run against a copy of the sources. The exit status is 1 if more than one in ten lives, or
one in the rooms of `CORE`.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "classex"
WORK = ROOT / "_build" / "mutants"
MAP = WORK / "tests_by_line.json"
CORE = ("ranks", "curves", "forecast", "information")
# Tests of a line that are run, and seconds for them: more would take hours for few more deaths
MOST_TESTS, SECONDS = 40, 240
SWAPS: dict[type[ast.AST], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "/", ast.Pow: "*",
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.And: "or", ast.Or: "and",
}  # fmt: skip
CALLS = {"minimum": "maximum", "maximum": "minimum", "min": "max", "max": "min", "any": "all", "all": "any"}


class Mutant(NamedTuple):
    """A piece of a file, and what stands in its place."""

    file: str
    line: int
    start: int
    end: int
    old: str
    new: str


def computing(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes that compute: none of messages, annotations, decorators and docstrings."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and not isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert):
                yield node
                yield from computing(node)


def mutants(path: Path) -> Iterator[Mutant]:
    """All mutants of a file."""
    text = path.read_text(encoding="utf-8")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    data, name = text.encode(), path.relative_to(SOURCES).as_posix()

    def between(first: ast.expr, second: ast.expr) -> tuple[int, int]:
        return starts[first.end_lineno - 1] + first.end_col_offset, starts[second.lineno - 1] + second.col_offset  # type: ignore[operator]

    def replaced(first: ast.expr, second: ast.expr, old: str, new: str) -> Iterator[Mutant]:
        start, end = between(first, second)
        piece = data[start:end].decode()
        if piece.count(old) == 1:
            yield Mutant(name, first.end_lineno or 0, start, end, piece, piece.replace(old, new))

    symbols = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Pow: "**", ast.Lt: "<"}
    symbols |= {ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.And: "and", ast.Or: "or"}
    for node in computing(ast.parse(text)):
        if isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
            yield from replaced(node.left, node.right, symbols[type(node.op)], SWAPS[type(node.op)])
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
            kind = type(node.ops[0])
            yield from replaced(node.left, node.comparators[0], symbols[kind], SWAPS[kind])
        elif isinstance(node, ast.BoolOp):
            yield from replaced(node.values[0], node.values[1], symbols[type(node.op)], SWAPS[type(node.op)])
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            new = str(node.value + 1) if isinstance(node.value, int) else repr(node.value * 1.5 or 0.5)
            yield Mutant(name, node.lineno, start, end, data[start:end].decode(), new)
        elif isinstance(node, ast.Attribute | ast.Name):
            word = node.attr if isinstance(node, ast.Attribute) else node.id
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            if word in CALLS:
                yield Mutant(name, node.lineno, end - len(word), end, word, CALLS[word])


def tests_by_line() -> dict[str, list[str]]:
    """Tests of each line, from the run that `--map` made."""
    if not MAP.exists():
        raise SystemExit("run python -m tools.mutate_lines --map first")
    found: dict[str, list[str]] = json.loads(MAP.read_text(encoding="utf-8"))
    return found


def make_map() -> None:
    """Run the tests once, with the lines that each one runs."""
    WORK.mkdir(parents=True, exist_ok=True)
    data = {**os.environ, "COVERAGE_FILE": str(WORK / ".coverage")}
    options = [
        "--cov=classex",
        "--cov-context=test",
        "--cov-report=",
        "-m",
        "not notebooks and not surface and not browser",
    ]
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "auto", *options], cwd=ROOT, env=data, check=False)
    from coverage import CoverageData

    read = CoverageData(str(WORK / ".coverage"))
    read.read()
    lines = {}
    for file in read.measured_files():
        if Path(file).is_relative_to(SOURCES):
            for line, tests in read.contexts_by_lineno(file).items():
                named = sorted({test.partition("|")[0] for test in tests if test})
                lines[f"{Path(file).relative_to(SOURCES).as_posix()}:{line}"] = named
    MAP.write_text(json.dumps(lines), encoding="utf-8")


def lives(mutant: Mutant, tests: list[str]) -> bool:
    """Whether these tests pass although the line is wrong."""
    copy = WORK / "src" / "classex" / mutant.file
    right = (SOURCES / mutant.file).read_bytes()
    copy.write_bytes(right[: mutant.start] + mutant.new.encode() + right[mutant.end :])
    path = f"pythonpath={WORK / 'src'} {ROOT} {ROOT / 'src'} {ROOT / 'book' / '_ext'}"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-o", path, *tests]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    finally:
        copy.write_bytes(right)
    return done.returncode == 0


def main(argv: list[str] | None = None) -> int:
    """Make lines wrong, and say which of them live."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--map", action="store_true", help="find out which tests run which line")
    parser.add_argument("--number", type=int, default=200, help="mutants to make")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of mutants and tests")
    options = parser.parse_args(argv)
    if options.map:
        make_map()
        return 0
    chance, tests = random.Random(options.seed), tests_by_line()
    shutil.rmtree(WORK / "src", ignore_errors=True)
    shutil.copytree(SOURCES, WORK / "src" / "classex", ignore=shutil.ignore_patterns("__pycache__"))
    every = [one for path in sorted(SOURCES.rglob("*.py")) for one in mutants(path)]
    alive = []
    for number, mutant in enumerate(chance.sample(every, options.number), 1):
        own = tests.get(f"{mutant.file}:{mutant.line}", [])
        some = chance.sample(own, min(len(own), MOST_TESTS))
        lived = not some or lives(mutant, some)
        alive += [mutant] * lived
        said = "LIVES" if lived else "killed"
        print(f"{number} {mutant.file}:{mutant.line} {mutant.old!r} -> {mutant.new!r}: {said}", flush=True)
    core = [mutant for mutant in alive if mutant.file.split("/")[0] in CORE]
    print(f"{len(alive)} of {options.number} live, {len(core)} of them in {', '.join(CORE)}")
    return int(len(alive) > options.number / 10 or bool(core))


if __name__ == "__main__":
    sys.exit(main())
