"""Blocks of rows through a few threads: loops, and products of small matrices."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, TypeVar

from classex._optional import progress_bar

__all__ = ["by_rows", "in_order", "n_threads", "row_blocks", "single_threaded_products"]

T = TypeVar("T")

_BLOCK = 2**20  # steps of a block: about a millisecond

_lock = threading.Lock()
_inside: list[Any] = []


def n_threads() -> int:
    """Number of threads that count, as ``numba.set_num_threads`` or ``NUMBA_NUM_THREADS`` set it."""
    # importing numba takes half a second: what it would say without having been told anything
    if "numba" in sys.modules:
        return int(sys.modules["numba"].get_num_threads())
    if sys.platform == "emscripten":  # WebAssembly has no threads
        return 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return int(os.environ.get("NUMBA_NUM_THREADS") or usable or 1)


def row_blocks(n_rows: int, step: int) -> list[slice]:
    """Slices of at most `step` rows that cover all of them."""
    return [slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step)]


def by_rows(work: Callable[[slice], T], n_rows: int, steps: float, *, least: int = 1) -> list[T]:
    """Results of `work`, which lets go of Python's lock, on blocks of rows that several threads share.

    Each row takes about `steps`; a block has at least `least` rows.
    """
    size = max(int(_BLOCK / max(steps, 1.0)), least)
    return [result for _, result in in_order(work, row_blocks(n_rows, size))]


def in_order(
    work: Callable[[slice], T], blocks: list[slice], *, threads: int | None = None, progress: bool = False
) -> Generator[tuple[slice, T], None, None]:
    """Yield every block with the result of `work` on it, in order, computed by several threads.

    Each thread computes one block, and at most one more waits, whatever the number of blocks. An error or an
    interrupt ends the running blocks and joins the threads before it goes on.
    """
    count = min(threads or n_threads(), len(blocks))
    done = _by_threads(work, blocks, count) if count > 1 else ((rows, work(rows)) for rows in blocks)
    bars = progress_bar() if progress else None
    if bars is None:
        yield from done
        return
    with bars(total=blocks[-1].stop, unit=" points", desc="ranks") as bar:
        for rows, result in done:
            yield rows, result
            bar.update(rows.stop - rows.start)


def _by_threads(work: Callable[[slice], T], blocks: list[slice], count: int) -> Generator[tuple[slice, T], None, None]:
    pool = ThreadPoolExecutor(count, thread_name_prefix="classex")
    try:
        with single_threaded_products():
            waiting: deque[tuple[slice, Future[T]]] = deque()
            for number in range(len(blocks) + count):
                if number < len(blocks):
                    waiting.append((blocks[number], pool.submit(work, blocks[number])))
                if number >= count:
                    rows, future = waiting.popleft()
                    yield rows, future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@lru_cache(maxsize=1)
def _controller() -> Any:
    # looking through the loaded libraries takes milliseconds, so once
    with suppress(ImportError):
        from threadpoolctl import ThreadpoolController

        return ThreadpoolController()
    return None


@contextmanager
def single_threaded_products() -> Iterator[None]:
    """Let BLAS use one thread while any thread of this process is inside: the blocks are the parallel work."""
    with _lock:
        if not _inside:
            _inside.append(_controller() and _controller().limit(limits=1, user_api="blas"))
        _inside.append(None)
    try:
        yield
    finally:
        with _lock:
            _inside.pop()
            if len(_inside) == 1 and (limited := _inside.pop()):
                limited.restore_original_limits()
