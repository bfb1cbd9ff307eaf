"""What moving figures compute, in Node.js, against the library, at 200 random settings each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

import classex as cx

N_SETTINGS = 200


@pytest.fixture
def rng():
    return np.random.default_rng(56)


def test_the_accuracy_of_groups_is_that_of_a_discrete_distribution(in_node, rng):
    sizes = [1, 2, 3, 10, 100, 1_000]
    favourability = rng.integers(1, 100, (N_SETTINGS, 3)) / 100
    shares = rng.dirichlet(np.ones(3), N_SETTINGS)
    found = in_node("moving/moments_numbers.js").evaluate(
        "([us, shares, sizes]) => us.map((u, i) => classexMoving.groupAccuracy(u, shares[i], sizes))",
        [favourability.tolist(), shares.tolist(), sizes],
    )
    for row, u, share in zip(found, favourability, shares, strict=True):
        distribution = cx.distributions.DiscreteDistribution(ndtri(u), share)
        np.testing.assert_allclose(row, distribution.accuracy(np.array(sizes, dtype=float)), rtol=1e-10, atol=1e-300)
