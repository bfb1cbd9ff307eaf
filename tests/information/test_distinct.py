"""Tasks of k distinct classes out of N: check values, Fano, random channels by enumeration, and what tilting needs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.special import comb

import classex as cx
from classex.information import curve_information_bound
from classex.information.tilting import integers, losses


@pytest.mark.parametrize(
    ("n", "k", "accuracy", "nats"),
    [
        (4, 4, 0.9, 0.951350), (20, 20, 0.95, 2.649995), (100, 100, 0.9, 3.820575), (100, 10, 0.9, 3.061796),
        (468, 100, 0.9, 5.021092), (10_000, 100, 0.9, 5.729490), (100_000, 10, 0.5, 0.947108),
    ],
)  # fmt: skip
def test_check_values_and_their_inverse(n, k, accuracy, nats):
    assert cx.information_bound(accuracy, k, population_size=n) == pytest.approx(nats, abs=5e-7)
    for a in (1 / k + 1e-9, accuracy, 1 - 1e-9):
        found = cx.information_bound(a, k, population_size=n)
        assert cx.accuracy_ceiling(found, k, population_size=n) == pytest.approx(a, rel=1e-12)


def test_between_fano_and_the_infinite_population():
    accuracy = np.array([0.02, 0.3, 0.9, 0.999, 1.0])
    for k in (2, 7, 100):
        found = [cx.information_bound(accuracy, k, population_size=n) for n in (k, k + 1, 2 * k, 10**4, 10**15)]
        np.testing.assert_allclose(found[0], cx.fano_bound(accuracy, k), rtol=1e-9, atol=1e-15)
        assert (np.diff(found, axis=0) >= -1e-12).all()
        np.testing.assert_allclose(found[-1][:-1], cx.information_bound(accuracy, k)[:-1], rtol=1e-9, atol=1e-15)
        assert found[2][-1] == pytest.approx(np.log(2 * k))
    np.testing.assert_allclose(cx.accuracy_ceiling([0.0, 3.0], 2, population_size=9), [0.5, 1.0])


@pytest.mark.parametrize("n", [1, 2, 19, 45, 468, 10**6])
def test_sums_over_integers(n):
    nodes, weight = integers(n)
    plain = np.arange(n)
    for function in (lambda i: np.exp(-3 * i / n), lambda i: 1 / (1 + i), lambda i: np.log1p((n - i) / n)):
        assert weight @ function(nodes) == pytest.approx(function(plain).sum(), rel=1e-12)


@pytest.mark.parametrize(("n", "k"), [(5, 2), (61, 3), (300, 40), (3000, 2)])
def test_losses_are_those_of_positions(n, k):
    loss, weight = losses(np.array([k - 1.0]), n)
    j = np.arange(1, n + 1)
    plain = 1 - comb(j - 1, k - 1) / comb(n - 1, k - 1)
    for function in (lambda x: x, lambda x: np.exp(-2 * x), lambda x: np.exp(-30 * x)):
        assert weight @ function(loss[0]) == pytest.approx(function(plain).mean(), rel=1e-11)


def functionals(channel, sizes):
    """Information, and average Bayes accuracy over all sets of k rows, which are equally likely."""
    p_y = channel.mean(axis=0)
    used = p_y > 0
    q = np.sort(channel[:, used], axis=0) / p_y[used] / len(channel)
    right = [comb(np.arange(len(channel)), k - 1) / comb(len(channel) - 1, k - 1) for k in sizes]
    log = np.log(np.where(q > 0, q, 1) * len(channel))
    return p_y[used] @ (q * log).sum(axis=0), np.array([p_y[used] @ (f @ q) for f in right])


def random_channel(rng):
    n, letters = rng.integers(2, 30), rng.integers(2, 40)
    noise = rng.random() ** 2
    return (1 - noise) * rng.dirichlet(np.full(letters, 10 ** rng.uniform(-2, 1)), n) + noise / letters


def test_no_random_channel_is_above_the_ceiling():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        channel = random_channel(rng)
        n = len(channel)
        k = int(rng.integers(2, n + 1))
        information, (accuracy,) = functionals(channel, [k])
        assert cx.information_bound(min(accuracy, 1.0), k, population_size=n) <= information + 1e-9
    channel = random_channel(np.random.default_rng(3))[:5]
    plain = np.mean([channel[list(s)].max(axis=0).sum() / 3 for s in combinations(range(5), 3)])
    assert functionals(channel, [3])[1][0] == pytest.approx(plain)


def test_what_is_not_answered_cannot_raise_the_bound_above_the_information():
    """I >= P(A) C^{-1}(accuracy given A) on 1,000 channels: for distinct classes, and in turn for independent draws."""
    rng, better = np.random.default_rng(1), 0
    for i in range(1000):
        channel = random_channel(rng)
        n = len(channel)
        k, p_y, q = int(rng.integers(2, n + 1)), channel.mean(axis=0), np.sort(channel, axis=0) / n
        peak = q[-1] / p_y
        kept = peak >= np.quantile(peak, rng.random())
        share, size = p_y[kept].sum(), n if i % 2 else None
        weight = comb(np.arange(n), k - 1) / comb(n - 1, k - 1)
        if size is None:
            weight = np.diff((np.arange(n + 1) / n) ** k) * n / k
        found, whole = (
            part * cx.information_bound(min(right / part, 1.0), k, population_size=size)
            for right, part in ((weight @ q[:, kept].sum(axis=1), share), (weight @ q.sum(axis=1), 1.0))
        )
        assert found <= functionals(channel, [k])[0] + 1e-9
        better += found > whole + 1e-9
    assert better > 100


@pytest.mark.solver
def test_several_accuracies_of_distinct_classes():
    """The channel of the density with the least divergence has the accuracies and the information, to the solver."""
    n, sizes, accuracy = 60, np.array([2, 10, 60]), np.array([0.95, 0.6, 0.4])
    found = curve_information_bound(accuracy, sizes, population_size=n)
    q = found.density((np.arange(n) + 0.5) / n) / n
    assert q.sum() == pytest.approx(1, abs=1e-12)
    assert (q * np.log(n * q)).sum() == pytest.approx(found.information, abs=1e-4)
    information, attained = functionals(np.array([np.roll(q, i) for i in range(n)]), sizes)
    assert information == pytest.approx(found.information, abs=1e-4)
    assert (attained >= accuracy - 1e-5).all()
    assert found.information > found.information_by_class_count.max()
    endless = curve_information_bound(accuracy, sizes, population_size=10**15).information
    assert endless == pytest.approx(curve_information_bound(accuracy, sizes).information, abs=1e-7)
    perfect = curve_information_bound([1.0, 0.5], [3, 9], population_size=20)
    assert perfect.information == pytest.approx(np.log(20))
    np.testing.assert_allclose(perfect.density(np.array([0.5, 1.0])), [0.0, 20.0])
