"""Ranks from Dask arrays: the same integers, on threads and on a cluster, one of whose workers dies."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import dask
import dask.array as da
import numpy as np
import pytest

import classex as cx
from classex.ranks import embeddings as tasks


@pytest.fixture(scope="module")
def case():
    """Embeddings on a grid, where many scores tie: test points, references, labels."""
    rng = np.random.default_rng(1)
    references = rng.integers(-3, 4, (700, 6)).astype(np.float32)
    references[~references.any(axis=1)] = 1
    labels = np.concatenate([np.arange(700), rng.integers(0, 700, 300)])
    test = (references[labels] + rng.integers(-2, 3, (1000, 6))).astype(np.float32)
    test[~test.any(axis=1)] = 1
    return test, references, labels


def assert_same(got, expected):
    np.testing.assert_array_equal(got.wins, expected.wins)
    np.testing.assert_array_equal(got.ties, expected.ties)
    np.testing.assert_array_equal(got.labels, expected.labels)
    np.testing.assert_allclose(got.distractors.beaten, expected.distractors.beaten, rtol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "inner_product", "cosine"])
@pytest.mark.parametrize("owner", ["single", "nearest", "mean"])
def test_the_same_integers_as_from_arrays(case, metric, owner):
    test, references, labels = case
    reference_labels = None
    if owner != "single":
        labels = labels % 50
        reference_labels = np.random.default_rng(2).permutation(700) % 50
    how = {"metric": metric, "aggregate": "mean" if owner == "mean" else "nearest"}
    expected = cx.correct_ranks_from_embeddings(test, references, labels, reference_labels, **how)
    assert expected.ties.max() > 0 or owner == "mean" or metric == "cosine"
    for points, exemplars in (
        (da.from_array(test, chunks=(333, 6)), da.from_array(references, chunks=(90, 2))),
        (da.from_array(test, chunks=(1000, 3)), references),
        (test, da.from_array(references, chunks=(700, 6))),
    ):
        assert_same(
            cx.correct_ranks_from_embeddings(points, exemplars, da.from_array(labels), reference_labels, **how),
            expected,
        )


def test_scores_and_functions(case):
    test, references, labels = case

    def manhattan(points, exemplars):
        return -np.abs(points[:, np.newaxis] - exemplars).sum(axis=2)

    scores = manhattan(test, references)
    expected = cx.correct_ranks(scores, labels)
    assert_same(cx.correct_ranks(da.from_array(scores, chunks=(150, 333)), labels), expected)
    chunked = da.from_array(test, chunks=(400, 6))
    assert_same(cx.correct_ranks_from_embeddings(chunked, references, labels, metric=manhattan), expected)


@contextmanager
def cluster(n_workers: int) -> Iterator[object]:
    """Processes of one thread each, quiet when they end."""
    from distributed import Client, LocalCluster

    with (
        warnings.catch_warnings(),
        dask.config.set({"distributed.scheduler.allowed-failures": 5}),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as local,
        Client(local) as client,
    ):
        # sockets of a process that was killed are closed by the collector
        warnings.simplefilter("ignore", ResourceWarning)
        yield client


def slow_compare_block(*arguments):
    time.sleep(0.05)
    return COMPARE(*arguments)


COMPARE = tasks.compare_block


def tasks_by_name(client) -> dict[str, int]:
    """How many tasks of each name have come to a result, as the dashboard counts them."""
    return client.run_on_scheduler(
        lambda dask_scheduler: {
            name: prefix.state_counts["memory"] for name, prefix in dask_scheduler.task_prefixes.items()
        }
    )


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
def test_two_processes_read_chunks_from_zarr_and_lose_one_of_them(case, monkeypatch, tmp_path):
    """Every block enters the ranks once, also those of a worker that is killed while it counts."""
    zarr = pytest.importorskip("zarr")
    test, references, labels = case
    expected = cx.correct_ranks_from_embeddings(test, references, labels)
    for name, array, rows in (("test", test, 250), ("references", references, 100)):
        zarr.create_array(tmp_path / name, data=array, chunks=(rows, 6))
    stored = [da.from_zarr(tmp_path / name) for name in ("test", "references")]
    with cluster(2) as client:
        assert_same(cx.correct_ranks_from_embeddings(*stored, labels), expected)
        counts = tasks_by_name(client)
        # four chunks of test points, seven of references
        assert {name: counts[name] for name in ("compare_block", "tally_block")} == {
            "compare_block": 28,
            "tally_block": 4,
        }
        monkeypatch.setattr(tasks, "compare_block", slow_compare_block)
        before = set(client.run(os.getpid).values())
        assert len(before) == 2
        killed = []
        finished = threading.Event()

        def kill() -> None:
            # once it holds results that nobody else holds
            while not any(client.processing().values()):
                time.sleep(0.02)
            time.sleep(0.6)
            assert not finished.is_set()
            killed.append(min(before))
            os.kill(killed[0], signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        got = cx.correct_ranks_from_embeddings(stored[0].rechunk((100, 6)), stored[1], labels)
        finished.set()
        killer.join()
        client.wait_for_workers(2)
        assert killed[0] not in client.run(os.getpid).values()
    assert_same(got, expected)
