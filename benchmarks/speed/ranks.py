"""Ranks from embeddings against a compiled double loop, the matrix product alone, and a Dask cluster."""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numba
import numpy as np
from threadpoolctl import threadpool_limits

import classex as cx
from benchmarks.speed.timing import Row, least_seconds
from classex.ranks import _blocks as blocks
from classex.ranks import comparison


@numba.njit
def double_loop(points: np.ndarray, references: np.ndarray, labels: np.ndarray, wins: np.ndarray) -> None:
    """Wins by distances in double precision, one pair after the other."""
    for i in range(points.shape[0]):
        own = 0.0
        for d in range(points.shape[1]):
            own += (points[i, d] - references[labels[i], d]) ** 2
        count = 0
        for j in range(references.shape[0]):
            distance = 0.0
            for d in range(points.shape[1]):
                distance += (points[i, d] - references[j, d]) ** 2
            if distance > own:
                count += 1
        wins[i] = count


def embeddings(k: int, d: int, noise: float, dtype: type) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One test point of each of k classes, the references, and the labels."""
    rng = np.random.default_rng(1)
    references = rng.standard_normal((k, d), dtype=dtype)
    test = references + dtype(noise) * rng.standard_normal((k, d), dtype=dtype)
    return test, references, np.arange(k)


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let the library and the matrix product use so many threads."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))
    try:
        with threadpool_limits(count):
            yield
    finally:
        numba.set_num_threads(before)


def few_dimensions() -> list[Row]:
    """10,000 x 10,000 in 10 dimensions, double precision, on one thread and on two."""
    test, references, labels = embeddings(10_000, 10, 1.0, np.float64)
    wins = np.empty(labels.size, dtype=np.int64)
    double_loop(test[:10], references, labels[:10], wins)
    cx.correct_ranks_from_embeddings(test, references, labels)

    def ranked(count: int) -> cx.CorrectRanks:
        with threads(count):
            return cx.correct_ranks_from_embeddings(test, references, labels)

    single = [array.astype(np.float32) for array in (test, references)]

    def product() -> None:
        with threads(1):
            multiply(*single)

    each = (lambda: ranked(1), lambda: ranked(2), lambda: double_loop(test, references, labels, wins), product)
    one, two, loop, alone = least_seconds(*each, repeats=25)
    work, loop_work = least_seconds(each[0], each[2], repeats=3, clock=time.process_time)
    operations = 2e-9 * test.size * labels.size
    different = sum((ranked(count).wins != wins).sum() for count in (1, 2))
    return [
        Row("correct_ranks_from_embeddings, one thread", one, "s"),
        Row("correct_ranks_from_embeddings, two threads", two, "s"),
        Row("compiled double loop, one thread", loop, "s"),
        Row("speed on one thread against the double loop", loop / one, "times", "at least 10"),
        Row("speed on two threads against the double loop", loop / two, "times", "at least 15"),
        Row("speed on one thread, in processor seconds", loop_work / work, "times"),
        Row("multiplications and additions on one thread", operations / one, "Gflop/s"),
        Row("those of numpy's matrix product alone, one thread", operations / alone, "Gflop/s"),
        Row("processors", float(os.cpu_count() or 1)),
        Row("ranks that differ from the double loop's", float(different), "", "0"),
    ]


def multiply(test: np.ndarray, references: np.ndarray, rows: int = 2000) -> None:
    """The matrix product alone, in blocks that fit into memory."""
    out = np.empty((rows, references.shape[0]), dtype=np.float32)
    for first in range(0, test.shape[0], rows):
        part = test[first : first + rows]
        np.matmul(part, references.T, out=out[: part.shape[0]])


def many_dimensions() -> list[Row]:
    """20,000 x 20,000 in 128 dimensions, single precision."""
    test, references, labels = embeddings(20_000, 128, 1.0, np.float32)
    cx.correct_ranks_from_embeddings(test[:2000], references[:2000], labels[:2000])
    both = (lambda: cx.correct_ranks_from_embeddings(test, references, labels), lambda: multiply(test, references))
    ours, product = least_seconds(*both, repeats=3)
    work, product_work = least_seconds(*both, repeats=1, clock=time.process_time)
    return [
        Row("correct_ranks_from_embeddings", ours, "s"),
        Row("numpy's matrix product alone", product, "s"),
        Row("throughput of the product alone", 2 * labels.size**2 * 128 / product / 1e9, "Gflop/s"),
        Row("share of its throughput", product / ours, "", "at least 0.7"),
        Row("the same in processor seconds", product_work / work),
    ]


def crossover() -> list[Row]:
    """The two crossovers in features, one thread: FEW for registers, and FEWER for several references."""
    rows = []
    few, fewer = blocks.FEW, comparison.FEWER

    def ranks(data: tuple) -> None:
        with threads(1):
            cx.correct_ranks_from_embeddings(*data)

    def fused(limit: int, data: tuple) -> None:
        # products of any number of features, in registers up to the limit
        blocks.FEW, comparison.FEWER = limit, 0
        ranks(data)

    def nearest(limit: int, data: tuple) -> None:
        # differences up to the limit
        comparison.FEWER = limit
        ranks(data)

    def ratio(way: Callable[[int, tuple], None], data: tuple) -> float:
        way(1024, data), way(0, data)
        first, second = least_seconds(lambda: way(1024, data), lambda: way(0, data), repeats=3)
        return second / first

    try:
        for d in (16, 32, 64, 96, 128, 256):
            found = ratio(fused, embeddings(6_000, d, 0.5, np.float32))
            rows.append(Row(f"{d} features: matrix products' seconds over those of registers", found, "times"))
        for d in (4, 8, 16, 32):
            test, references, labels = embeddings(6_000, d, 0.5, np.float32)
            found = ratio(nearest, (test[:3_000], references, labels[:3_000], labels % 3_000))
            rows.append(Row(f"{d} features, two references: products' seconds over differences'", found, "times"))
    finally:
        blocks.FEW, comparison.FEWER = few, fewer
    return rows


def dask_cluster() -> list[Row]:
    """20,000 x 20,000 in 128 dimensions on two workers of one thread, the chunks lying there."""
    import dask.array as da
    from distributed import Client, LocalCluster, get_task_stream, wait

    test, references, labels = embeddings(20_000, 128, 1.0, np.float32)
    with (
        warnings.catch_warnings(),
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as cluster,
        Client(cluster) as client,
    ):
        warnings.simplefilter("ignore")
        chunks = [
            da.from_array(test, chunks=(4_000, 128)).persist(),
            da.from_array(references, chunks=(20_000, 128)).persist(),
        ]
        wait(chunks)
        # compiles, and loads the package in the workers
        client.run(lambda: __import__("classex").correct_ranks_from_embeddings(test[:99], test[:99], labels[:99]))
        expected = cx.correct_ranks_from_embeddings(test, references, labels)
        got = cx.correct_ranks_from_embeddings(*chunks, labels)
        cluster_seconds, threads = least_seconds(
            lambda: cx.correct_ranks_from_embeddings(*chunks, labels),
            lambda: cx.correct_ranks_from_embeddings(test, references, labels),
            repeats=3,
        )
        with get_task_stream(client) as stream:
            start = time.perf_counter()
            cx.correct_ranks_from_embeddings(*chunks, labels)
            watched = time.perf_counter() - start
        spans = [span for task in stream.data for span in task["startstops"] if span["action"] == "compute"]
        busy = sum(span["stop"] - span["start"] for span in spans) / 2 / watched
    different = (got.wins != expected.wins).sum() + (got.ties != expected.ties).sum()
    return [
        Row("two Dask workers", cluster_seconds, "s"),
        Row("two threads", threads, "s"),
        Row("time more than with threads", cluster_seconds / threads - 1, "", "under 0.25"),
        Row("share of the time in which a worker computes", busy),
        Row("integers that differ", float(different), "", "0"),
    ]
