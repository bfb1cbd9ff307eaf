"""The extremal channel: density, draws, and that it attains the ceiling with the information it claims."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from classex.information import ExtremalChannel, accuracy_ceiling, extremal_density

CASES = [(0.05, 2), (1.0, 2), (0.5, 10), (3.0, 10), (2.0, 100), (7.0, 100), (9.0, 2), (12.0, 10**6)]
CHECK = [(1e-4, 3), (1.0, 3), (2.0, 100), (5.0, 20)]


@pytest.mark.parametrize(("nats", "k"), CHECK)
def test_density_has_mass_one_and_the_information_and_accuracy(nats, k):
    def density(t):
        return extremal_density(t, nats, k)

    def integral(f):
        return quad(f, 0, 1, epsabs=1e-13, epsrel=1e-12, limit=300)[0]

    assert integral(density) == pytest.approx(1, abs=1e-11)
    assert integral(lambda t: density(t) * np.log(density(t))) == pytest.approx(nats, abs=1e-10)
    assert integral(lambda t: density(t) * t ** (k - 1)) == pytest.approx(accuracy_ceiling(nats, k), abs=1e-10)


@pytest.mark.parametrize(("nats", "k"), CASES)
def test_draws_have_the_moments_information_and_accuracy(nats, k):
    channel = ExtremalChannel(information=nats, n_classes=k)
    n = 200_000
    x, y = channel.sample(n, rng=20 + k)
    offset = np.mod(y - x, 1.0)
    # a handful of means, each within 4 of its own standard errors
    log_density = np.log(channel.density(np.where(offset > 0, offset, 1e-300)))
    right = offset ** (k - 1.0)
    for values, truth in [(log_density, nats), (right, channel.average_bayes_accuracy), (x, 0.5), (y, 0.5)]:
        assert abs(values.mean() - truth) < 4 * values.std() / np.sqrt(n)
    for values in (x, y):  # uniform marginals
        assert stats.kstest(values, "uniform").pvalue > 1e-4


@pytest.mark.parametrize(("nats", "k"), [(1.0, 2), (0.5, 10), (2.0, 10), (6.0, 3)])
def test_simulated_experiments_attain_the_ceiling(nats, k):
    # the Bayes rule itself, on drawn sets of classes: one test point each, truth at random
    channel = ExtremalChannel(information=nats, n_classes=k)
    rng = np.random.default_rng(7)
    n = 60_000
    classes = rng.random((n, k))
    truth = rng.integers(k, size=n)
    y = channel.respond(classes[np.arange(n), truth], rng=rng)
    right = np.mod(y[:, np.newaxis] - classes, 1.0).argmax(axis=1) == truth
    p = accuracy_ceiling(nats, k)
    assert abs(right.mean() - p) < 3 * np.sqrt(p * (1 - p) / n)
    assert (channel.scores(y[:50], classes[3]) == np.mod(y[:50, np.newaxis] - classes[3], 1)).all()


def test_density_at_the_ends_and_at_extremes():
    assert extremal_density(0.3, 0.0, 5) == pytest.approx(1.0)
    c = 3.0  # with two classes a truncated exponential
    nats = np.log(c / np.expm1(c)) + c * (1 / -np.expm1(-c) - 1 / c)
    t = np.array([0.0, 0.4, 1.0])
    np.testing.assert_allclose(extremal_density(t, nats, 2), c * np.exp(c * t) / np.expm1(c), rtol=1e-12)
    huge = ExtremalChannel(information=600.0, n_classes=2)
    assert np.isfinite(huge.concentration)
    assert huge.density(1.0) == pytest.approx(np.exp(601.0), rel=1e-9)
    assert huge.density(0.5) == 0
    assert extremal_density([0.1, 0.9], [[0.5], [1.0]], 3).shape == (2, 2)
