"""Functions of Python: a class is a function or method of the standard library or of a scientific package.

Its reference is the first half of the lines of its body, its test point the second half; or reference and test point
are its documentation and its body.
"""

from __future__ import annotations

import ast
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.texts import projected, rarity, sample

SOURCES = (
    ("python 3.11: standard library", "PSF-2.0"),
    ("pypi: numpy, scipy, scikit-learn, pillow, fonttools", "BSD-3-Clause, MIT-CMU, MIT"),
)
_MOST, _FEWEST_LINES, _FEWEST_WORDS = 8_000, 8, 10


def recognisers() -> dict[str, Pair]:
    """Halves of bodies by words and by singular vectors; documentation against bodies."""
    found = list({function[0][:200]: function for function in _functions()}.values())
    chosen = [found[i] for i in sample(len(found), _MOST)]
    first, second = ([function[i] for function in chosen] for i in (0, 1))
    halves = rarity(second, first, analyzer="word", ngrams=(1, 1))
    documented = [function for function in found if len(function[2].split()) >= _FEWEST_WORDS]
    documented = [documented[i] for i in sample(len(documented), _MOST)]
    bodies, texts = ([" ".join(f[:2]) for f in documented], [f[2] for f in documented])
    return {
        "halves, words": halves,
        "halves, SVD": projected(halves),
        "documentation, words": rarity(bodies, texts, analyzer="word", ngrams=(1, 1)),
    }


def _functions() -> Iterator[tuple[str, str, str]]:
    """First and second half of the body, and the documentation, of every function that is long enough."""
    warnings.simplefilter("ignore", SyntaxWarning)
    folders = [Path(sysconfig.get_paths()["stdlib"]), *map(Path, sys.path)]
    libraries = [folder for folder in folders if folder.name in ("site-packages", "python3.11")]
    files = {path.resolve() for folder in libraries for path in folder.rglob("*.py")}
    for path in sorted(files):
        if {"test", "tests", "pip", "setuptools"} & set(path.parts):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                text = ast.get_docstring(node) or ""
                lines = "\n".join(ast.unparse(part) for part in node.body[bool(text) :]).splitlines()
                if len(lines) >= _FEWEST_LINES:
                    half = len(lines) // 2
                    yield "\n".join(lines[:half]), "\n".join(lines[half:]), text
