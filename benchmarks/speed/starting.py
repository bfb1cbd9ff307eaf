"""The first call in a fresh process, its compiled code cached, beside what the compiler takes by itself."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.speed.timing import Row

DATA = """
import numpy as np
rng = np.random.default_rng(1)
references = rng.normal(size=(200, 16))
test = references + rng.normal(size=references.shape)
import classex as cx
"""
SCORES = DATA + "cx.accuracy_curve(cx.correct_ranks(test @ references.T, np.arange(200)))"
EMBEDDINGS = DATA + "cx.correct_ranks_from_embeddings(test, references, np.arange(200))"
COMPILER = """
import numpy as np
import numba

@numba.njit(cache=True)
def total(x):
    out = 0.0
    for value in x:
        out += value
    return out

total(np.ones(3))
"""


def first_call() -> list[Row]:
    """Seconds of whole processes, in turns, the least of five; the first of each, which compiles, is not counted."""
    with tempfile.TemporaryDirectory() as folder:
        alone = Path(folder) / "compiler.py"
        alone.write_text(COMPILER, encoding="utf-8")
        commands = [["-c", "import numpy"], [str(alone)], ["-c", SCORES], ["-c", EMBEDDINGS]]
        least = [float("inf")] * len(commands)
        for turn in range(6):
            for place, command in enumerate(commands):
                start = time.perf_counter()
                subprocess.run([sys.executable, *command], check=True)
                if turn:
                    least[place] = min(least[place], time.perf_counter() - start)
    numpy_alone, compiler, scores, distances = least
    return [
        Row("a process that ranks 200 x 200 scores and draws their curve", scores, "s", "under 0.5"),
        Row("a process that ranks 200 x 200 embeddings", distances, "s", "under 0.5"),
        Row("a process that imports numpy", numpy_alone, "s"),
        Row("a process that loads one cached function of the compiler, which adds up three numbers", compiler, "s"),
    ]
