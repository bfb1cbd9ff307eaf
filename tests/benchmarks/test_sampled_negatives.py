"""The study of sampled negatives: its rivals against slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from benchmarks.sampled_negatives import __main__ as study
from benchmarks.sampled_negatives.rivals import (
    ENTROPY,
    EPOCHS,
    VARIANCE,
    bias_and_variance,
    maximum_entropy,
    maximum_likelihood,
    sampled_given_full,
)

# other tests run the same lines of the package, and the tracer would take a quarter more time
pytestmark = pytest.mark.no_cover

N, WRONG = 14, 5
SHARES = np.array([0.4, 0.25, 0.15, 0.1, 0.0, 0.1])


def test_the_law_of_a_sampled_rank():
    table = sampled_given_full(N, WRONG)
    for full in range(N):
        for sampled in range(WRONG + 1):
            assert table[full, sampled] == pytest.approx(stats.binom.pmf(sampled, WRONG, full / (N - 1)), abs=1e-14)


def test_maximum_likelihood_step_by_step():
    table, distribution = sampled_given_full(N, WRONG), [1 / N] * N
    for _ in range(EPOCHS):
        new = [0.0] * N
        for r, share in enumerate(SHARES):
            total = sum(table[full, r] * distribution[full] for full in range(N))
            for full in range(N):
                new[full] += share * table[full, r] * distribution[full] / total if share else 0.0
        distribution = new
    np.testing.assert_allclose(maximum_likelihood(SHARES, N), distribution, rtol=1e-10)


def test_maximum_entropy_by_a_general_optimiser():
    table = sampled_given_full(N, WRONG)

    def loss(x):
        missed = WRONG * SHARES @ np.square(table.T @ x - SHARES) + SHARES @ np.square(table.T @ x - SHARES)
        return missed + ENTROPY * float(x @ np.log(np.maximum(x, 1e-300)))

    found = optimize.minimize(
        loss,
        np.full(N, 1 / N),
        method="SLSQP",
        bounds=[(1e-12, 1)] * N,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 2_000},
    )
    ours = maximum_entropy(SHARES, N)
    assert ours.sum() == pytest.approx(1, abs=1e-9)
    assert loss(ours) <= found.fun + 1e-6
    np.testing.assert_allclose(ours, found.x, atol=5e-3)


def test_bias_and_variance_by_the_formula():
    a, prior, value = sampled_given_full(N, WRONG), np.arange(1.0, N + 1), 1 / np.arange(1.0, N + 1)
    prior /= prior.sum()
    d = np.diag(prior)
    matrix = (1 - VARIANCE) * a.T @ d @ a + VARIANCE * np.diag(np.ones(N) @ d @ a)
    np.testing.assert_allclose(
        bias_and_variance(prior, WRONG, value), np.linalg.inv(matrix) @ a.T @ d @ value, rtol=1e-8
    )


def test_a_sample_of_the_negatives():
    """Among a hundred of all others the mean number of losses is in proportion, z = 4."""
    ranks = study.full_ranks()["whole words"]
    users = np.arange(ranks.n_points)
    sampled, longer = study.sample(ranks, users, np.random.default_rng(1))
    expected = study.N_WRONG * (ranks.losses + 0.5 * ranks.ties) / (ranks.n_classes - 1)
    off = sampled.losses + 0.5 * sampled.ties - expected
    assert abs(off.mean()) < 4 * off.std() / np.sqrt(off.size)
    assert (sampled.losses[ranks.losses == 0] == 0).all()
    winners = sampled.wins == study.N_WRONG
    np.testing.assert_array_equal(longer.n_wrong, np.where(winners, study.N_WRONG + study.MORE, study.N_WRONG))
    np.testing.assert_array_equal(longer.wins[~winners], sampled.wins[~winners])
    # what a winner has not met yet holds all that beat it
    left = ranks.n_classes - 1 - study.N_WRONG
    off = longer.losses[winners] - study.MORE * ranks.losses[winners] / left
    assert abs(off.mean()) < 4 * off.std() / np.sqrt(off.size)
