"""Store the features of one kind: ``python -m benchmarks.suite.recipes KIND FOLDER``."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.suite.recipes import store

if __name__ == "__main__":
    kind, folder = sys.argv[1:]
    for name, (test, references) in import_module(f"benchmarks.suite.recipes.{kind}").recognisers().items():
        print(store(Path(folder) / kind, name, test, references), test.shape, references.shape, flush=True)
