"""Resampling through joblib: the same numbers one after the other, on threads, in processes and on a Dask cluster."""

from __future__ import annotations

import logging
import warnings

import joblib
import numpy as np
import pytest

import classex as cx
from classex._optional import in_parallel
from classex.models import BivariateNormal

SIZES = [20, 1000]


def intervals() -> dict[str, np.ndarray]:
    """Everything that resamples classes, on a small case."""
    sample = BivariateNormal(0.85).sample(24, n_repeats=2, rng=3)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    bayes = cx.Extrapolator(cx.methods.EmpiricalBayes())
    trials = cx.extrapolation_trials(
        sample.scores,
        sample.labels,
        [8, 12],
        {"probit-normal": cx.methods.ProbitNormal()},
        n_subsets=3,
    )
    return {
        "kernel density": cx.Extrapolator(cx.methods.KernelDensity())
        .fit(sample.scores, sample.labels)
        .predict_interval(SIZES, n_resamples=10, rng=1),
        "empirical Bayes": bayes.fit_ranks(ranks).predict_interval(SIZES, n_resamples=10, rng=1),
        "regression": cx.Extrapolator(cx.methods.Regression(basis="linear_spline"))
        .fit(sample.scores, sample.labels)
        .predict_interval(SIZES, n_resamples=10, rng=1),
        "trials": trials.predicted,
    }


@pytest.fixture(scope="module")
def alone():
    return intervals()


def assert_same(got, expected):
    for name, value in expected.items():
        # processes multiply with fewer threads, which changes last bits, and a convex solver stops where it may
        solved = name in ("stacked", "regression")
        np.testing.assert_allclose(got[name], value, rtol=1e-9, atol=5e-5 if solved else 0, err_msg=name)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_threads_and_processes(backend, alone):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert_same(intervals(), alone)


def test_dask_cluster(alone):
    from distributed import Client, LocalCluster

    with (
        warnings.catch_warnings(),
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as cluster,
        Client(cluster),
    ):
        # distributed closes its sockets late
        warnings.simplefilter("ignore", ResourceWarning)
        with joblib.parallel_config(backend="dask"):
            assert_same(intervals(), alone)


def test_results_come_in_order():
    assert in_parallel(divmod, [(7, 2), (9, 4)], "divisions") == [(3, 1), (2, 1)]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert in_parallel(divmod, [(i, 10) for i in range(100)], "divisions") == [divmod(i, 10) for i in range(100)]
