"""1,000,000 references against 10,000 test points in 64 dimensions, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import classex as cx
from benchmarks.speed.timing import Row

N_REFERENCES, N_TEST, N_FEATURES = 1_000_000, 10_000, 64
FRACTIONS = (10, 4, 1)


def peak() -> float:
    """Most memory this process has held, in MB."""
    # not ru_maxrss, which a process inherits from its parent
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def normal(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    out = np.empty((n_rows, N_FEATURES), dtype=np.float32)
    for first in range(0, n_rows, 10_000):
        out[first : first + 10_000] = rng.standard_normal(out[first : first + 10_000].shape, dtype=np.float32)
    return out


def measure() -> None:
    """Print the peak before, the peak after, the seconds for each fraction of the references, and the product's."""
    rng = np.random.default_rng(1)
    references = normal(rng, N_REFERENCES)
    test = normal(rng, N_TEST)
    test += references[:N_TEST]
    labels = np.arange(N_TEST)
    few = test[:200]
    cx.correct_ranks_from_embeddings(few, few, labels[:200])
    before = peak()
    seconds = []
    for fraction in FRACTIONS:
        part = references[: N_REFERENCES // fraction]
        start = time.perf_counter()
        tally(test, part, labels)
        seconds.append(time.perf_counter() - start)
    after = peak()
    product = np.empty((2_000, 50_000), dtype=np.float32)
    start = time.perf_counter()
    for first in range(0, N_TEST, 2_000):
        np.matmul(test[first : first + 2_000], references[:50_000].T, out=product)
    elapsed = (time.perf_counter() - start) * N_REFERENCES / 50_000
    print(before, after, *seconds, elapsed)


def tally(test: np.ndarray, references: np.ndarray, labels: np.ndarray) -> cx.CorrectRanks:
    """Identification among as many classes as test points, each with many references: the nearest counts."""
    owner = np.repeat(labels, references.shape[0] // labels.size)
    return cx.correct_ranks_from_embeddings(test, references[: owner.size], labels, owner)


def million() -> list[Row]:
    """Run `measure` in a fresh process, and read what it prints."""
    code = "from benchmarks.speed.million import measure; measure()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after, *seconds, product = map(float, done.stdout.split())
    size = np.log([N_REFERENCES // fraction for fraction in FRACTIONS])
    slope = np.polyfit(size, np.log(seconds), 1)[0]
    return [
        Row("correct_ranks_from_embeddings", seconds[-1], "s", "completes"),
        Row("inputs", (N_REFERENCES + N_TEST) * N_FEATURES * 4 / 2**20, "MB"),
        Row("peak memory beyond the inputs", after - before, "MB", "under 256"),
        Row("numpy's matrix product alone, from 50,000 references", product, "s"),
        Row("share of its throughput", product / seconds[-1]),
        *(
            Row(f"{N_REFERENCES // fraction:,} references", second, "s")
            for fraction, second in zip(FRACTIONS, seconds, strict=True)
        ),
        Row("exponent of the number of references, over a decade", float(slope), "", "1"),
    ]
