"""Ranks at scale: bounded memory, memory-mapped input, interrupts, and loops that the compiler vectorised."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import classex as cx
from classex import _loops
from classex._loops import ranks as kernels
from classex._loops import threads
from classex.ranks import _blocks as blocks
from classex.ranks import comparison
from classex.ranks.inputs import ClassesOfReferences

MEMORY = """
import sys
import numpy as np
import classex as cx

def peak():
    # not ru_maxrss, which a process inherits from its parent
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

rng = np.random.default_rng(1)
few = rng.random((4, 3), dtype=np.float32)
for metric in ("euclidean", "inner_product"):
    cx.correct_ranks_from_embeddings(few, few, np.arange(4), metric=metric)
n, k, d, same, metric = (int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "same", sys.argv[5])
references = np.empty((k, d), dtype=np.float32)
test = np.empty((n + k if same else k + 0, d), dtype=np.float32)[:n] if same else np.empty((n, d), dtype=np.float32)
for array in (references, test):
    for first in range(0, array.shape[0], 4096):
        array[first : first + 4096] = 1.0 if same else rng.random(array[first : first + 4096].shape, dtype=np.float32)
labels = np.arange(n) % k
owner = np.arange(k) % min(n, k)
before = peak()
ranks = cx.correct_ranks_from_embeddings(test, references, labels % min(n, k), owner, metric=metric)
print(peak() - before, n * k * 4 / 2**20, int(ranks.ties.max()))
"""

INTERRUPTED = """
import os
import signal
import threading
import time
import numpy as np
import classex as cx

signal.signal(signal.SIGINT, signal.default_int_handler)  # where this runs in the background it is ignored
points = np.random.default_rng(1).random((400_000, 8))
labels = np.arange(points.shape[0])
cx.correct_ranks_from_embeddings(points[:3000], points[:3000], labels[:3000])


def strike():
    # once the counting threads are at work, or after two seconds where there is only one
    start = time.monotonic()
    while threading.active_count() < 4 and time.monotonic() < start + 2:
        time.sleep(0.01)
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)


try:
    threading.Thread(target=strike, name="strike", daemon=True).start()
    cx.correct_ranks_from_embeddings(points, points, labels)
except KeyboardInterrupt:
    left = [t.name for t in threading.enumerate() if t is not threading.main_thread() and t.name != "strike"]
    print("interrupted", left, flush=True)
"""


def run(code: str, *arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.parametrize(
    ("n", "k", "d", "kind", "metric"),
    [
        (2_000, 150_000, 8, "random", "euclidean"),
        (1_000, 100_000, 40, "random", "euclidean"),
        (1_000, 100_000, 40, "random", "inner_product"),
        (1_000, 2_000, 10_000, "random", "inner_product"),
        # everything ties, so that every pair is decided twice
        (2_000, 2_000, 8, "same", "euclidean"),
    ],
)
def test_memory_beyond_the_inputs_is_bounded(n, k, d, kind, metric):
    more, matrix, ties = map(float, run(MEMORY, n, k, d, kind, metric).split())
    assert 0 < more < 256, f"{more} MB"
    assert ties == (min(n, k) - 1 if kind == "same" else 0)
    if kind == "random" and d < 100:
        assert matrix > 350


def test_an_interrupt_leaves_no_threads():
    assert run(INTERRUPTED) == "interrupted []\n"


def test_an_error_in_a_block_reaches_the_caller_and_ends_the_others():
    def work(rows: slice) -> int:
        if rows.start == 4:
            raise ArithmeticError("block 4")
        return rows.start

    seen = []
    with pytest.raises(ArithmeticError, match="block 4"):
        seen.extend(first for _, first in threads.in_order(work, threads.row_blocks(1000, 2), threads=3))
    assert seen == [0, 2][: len(seen)]


def test_products_get_their_threads_back():
    def count() -> list[int]:
        return [lib["num_threads"] for lib in threads._controller().info() if lib["user_api"] == "blas"]

    before = count()
    with threads.single_threaded_products():
        with threads.single_threaded_products():
            assert set(count()) == {1}
        assert set(count()) == {1}
    assert count() == before


def test_memory_mapped_arrays_are_read_as_they_are(tmp_path):
    rng = np.random.default_rng(2)
    references = rng.normal(size=(300, 20)).astype(np.float32)
    test = (references + rng.normal(size=references.shape)).astype(np.float32)
    for name, array in (("test", test), ("references", references)):
        np.save(tmp_path / f"{name}.npy", array)
    mapped = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("test", "references")]
    labels = np.arange(300)
    expected = cx.correct_ranks_from_embeddings(test, references, labels)
    got = cx.correct_ranks_from_embeddings(*mapped, labels)
    np.testing.assert_array_equal(got.wins, expected.wins)
    np.testing.assert_array_equal(got.distractors.beaten, expected.distractors.beaten)
    scores = np.asarray(test @ references.T)
    np.save(tmp_path / "scores.npy", scores)
    np.testing.assert_array_equal(
        cx.correct_ranks(np.load(tmp_path / "scores.npy", mmap_mode="r"), labels).wins,
        cx.correct_ranks(scores, labels).wins,
    )


def test_threads_do_not_change_the_ranks(monkeypatch):
    rng = np.random.default_rng(3)
    references = rng.integers(-3, 4, (700, 5)).astype(float)
    test = references + rng.integers(-2, 3, references.shape)
    monkeypatch.setattr(blocks, "ROWS", 50)
    by_count = []
    for count in (1, 3):
        monkeypatch.setattr("classex.ranks.embeddings.n_threads", lambda count=count: count)
        by_count.append(cx.correct_ranks_from_embeddings(test, references, np.arange(700)))
    np.testing.assert_array_equal(by_count[0].wins, by_count[1].wins)
    np.testing.assert_array_equal(by_count[0].ties, by_count[1].ties)
    # the floating-point table too: blocks are added in order
    np.testing.assert_array_equal(by_count[0].distractors.beaten, by_count[1].distractors.beaten)


@pytest.mark.parametrize("n_features", [6, 20])
def test_an_outlier_leaves_few_pairs_in_doubt(n_features):
    """A reference far from the others must not send every pair to the second look."""
    rng = np.random.default_rng(4)
    references = rng.normal(size=(500, n_features))
    test = references + 0.5 * rng.normal(size=references.shape)
    references[0] *= 1e7
    labels, classes = np.arange(500), ClassesOfReferences(None, 500)
    compared = comparison.Comparison(test, references, labels, classes, "euclidean", largest=1e8)
    counts, looks = compared.count(slice(0, 500), 500)
    exact = cx.correct_ranks(-((test[:, np.newaxis] - references) ** 2).sum(axis=2), labels)
    np.testing.assert_array_equal(counts[0].sum(axis=1), exact.wins)
    assert looks < 0.01 * 500 * 500


def test_more_classes_than_groups():
    """Up to 509 classes each is its own group; beyond, every 509th shares one."""
    sample = cx.models.BivariateNormal(0.8).sample(512, rng=1)
    with_table = cx.correct_ranks(sample.scores, sample.labels)
    np.testing.assert_array_equal(with_table.distractors.group, np.arange(512) % 509)


@pytest.mark.compiler
@pytest.mark.parametrize("name", ["count_block", "fill_squared_distances"])
def test_inner_loops_are_vectorised(name, monkeypatch):
    """The compiled code works on whole vectors, not only on one number at a time."""
    monkeypatch.setattr(_loops, "FEW", 0)
    points = np.arange(12, dtype=np.float32).reshape(4, 3)
    cx.correct_ranks_from_embeddings(points[:2] + 1, points, [0, 1], [0, 0, 1, 1])
    kernel = getattr(kernels, name).compiled
    # what was read from the cache on disk has no assembly: compile afresh
    fresh = type(kernel)(kernel.py_func, targetoptions={**kernel.targetoptions, "nopython": True})
    for signature in kernel.signatures:
        fresh.compile(signature)
    packed = {"subps", "vsubps", "vfmadd231ps", "vfnmadd231ps"}
    assert any(any(word in text for word in packed) for text in fresh.inspect_asm().values())
