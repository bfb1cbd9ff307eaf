"""The distribution of the shares of cells, against plain versions with numbers of their own."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy import special, stats

from classex.fields.reidentification import _Seen, _Shape, share_draws

SIZES = np.repeat([1, 2, 3, 4, 7, 12], [60, 25, 14, 8, 3, 1])
N = 217
EQUAL = 1.5328365309586982  # u / (1 - exp(-u)) = 217 / 111
NODES = np.exp([np.log(EQUAL / 218) + 0.2 * (j - 103) for j in range(128)])
# bins of sizes 1, 2, 3, 4 and 5, 6 to 8, 9 to 12, and the sizes above them
BINS = [(1, 1), (2, 2), (3, 3), (4, 5), (6, 8), (9, 12), (13, N)]


def test_nodes():
    assert EQUAL / (1 - np.exp(-EQUAL)) == pytest.approx(N / SIZES.size, rel=1e-12)
    np.testing.assert_allclose(np.exp(_Seen(SIZES).log_shares), NODES, rtol=1e-8)
    assert np.exp(-0.2) < NODES[-1] < 1
    assert NODES[0] < 1e-11 < NODES[4]


def test_equal_cells_are_at_a_node():
    for k in (4_011, 4_435, 4_900):
        sizes = np.bincount(np.random.default_rng(k).integers(k, size=100 * k))
        assert np.abs(_Seen(sizes).log_shares + np.log(k)).min() < 1e-4


def test_counts_and_their_expectation():
    seen = _Seen(SIZES)
    assert seen.n == N
    np.testing.assert_array_equal(seen.counts, [60, 25, 14, 8, 3, 1, 0])
    for row, (first, last) in zip(seen.expected, BINS, strict=True):
        plain = [sum(stats.binom.pmf(k, N, p) for k in range(first, last + 1)) / p for p in NODES]
        np.testing.assert_allclose(row, plain, rtol=1e-8, atol=1e-12)


def test_expected_counts_are_those_of_tables_drawn_at_random():
    seen = _Seen(SIZES)
    p = np.exp(seen.log_shares[[88, 100]])  # cells of two shares, a half of the people in each
    chances = np.repeat(p, np.rint(0.5 / p).astype(int))
    q = np.bincount([88, 100], np.rint(0.5 / p) * p, minlength=128)
    rng = np.random.default_rng(2)
    tables = rng.binomial(N, chances, (2_000, chances.size))
    for row, (first, last) in zip(seen.expected, BINS, strict=True):
        number = ((tables >= first) & (tables <= last)).sum(axis=1)
        error = np.sqrt(max(number.var(), row @ q) / 2_000)
        assert abs(number.mean() - row @ q) < 4 * error


def plain_prior(curvature, roughness):
    """Mean and precision of f, entry by entry."""
    mean = np.array([-curvature / 2 * (np.log(p) + np.log(N)) ** 2 for p in NODES])
    precision = np.zeros((128, 128))
    for j in range(1, 127):
        bend = np.zeros(128)
        bend[[j - 1, j, j + 1]] = 1, -2, 1
        precision += np.outer(bend, bend) / (roughness**2 * 0.2**3)
    for j in range(127):
        step = np.zeros(128)
        step[[j, j + 1]] = -1, 1
        precision += np.outer(step, step) / (9 * (1 + curvature**2) * 127 * 0.04)
    return mean, precision + np.ones((128, 128)) / (100 * 128**2)


def plain_log_likelihood(f):
    q = np.exp(f - f.max()) / np.exp(f - f.max()).sum()
    mean = _Seen(SIZES).expected @ q
    return sum(k * np.log(m) - m for k, m in zip([60, 25, 14, 8, 3, 1, 0], mean, strict=True))


@pytest.mark.parametrize(("curvature", "roughness"), [(0.0, 0.4), (1.0, 1.6), (256.0, 0.4)])
def test_posterior_mode_and_evidence(curvature, roughness):
    shape = _Shape(_Seen(SIZES), curvature, roughness)
    mean, precision = plain_prior(curvature, roughness)
    rng = np.random.default_rng(3)

    def log_posterior(f):
        return plain_log_likelihood(f) - (f - mean) @ precision @ (f - mean) / 2

    one = mean + rng.normal(size=128) * 0.1
    assert shape.log_posterior(one) == pytest.approx(log_posterior(one), rel=1e-9)
    best = log_posterior(shape.centre)
    for direction in (*np.eye(128), *rng.normal(size=(20, 128))):  # no ascent is left
        slope = (log_posterior(shape.centre + 1e-4 * direction) - log_posterior(shape.centre - 1e-4 * direction)) / 2e-4
        assert abs(slope) < 0.1
        assert log_posterior(shape.centre + 0.3 * direction) < best
    # importance sampling with densities written out
    z = np.random.default_rng(4).standard_normal((500, 128))
    f = shape.centre + z @ shape.root
    # the factors of 2 pi cancel
    prior = np.linalg.slogdet(precision)[1] / 2 - ((f - mean) @ precision * (f - mean)).sum(axis=1) / 2
    normal = -np.linalg.slogdet(shape.root)[1] - np.square(z).sum(axis=1) / 2
    ratio = np.array([plain_log_likelihood(row) for row in f]) + prior - normal
    found = shape.log_evidence(np.random.default_rng(4))
    assert found == pytest.approx(special.logsumexp(ratio) - np.log(500), abs=0.01)


@cache
def shape_with_much_data():
    rng = np.random.default_rng(5)
    sizes = np.bincount(rng.choice(300, 2_000, p=(w := rng.gamma(2.0, size=300)) / w.sum()))
    return _Shape(_Seen(sizes[sizes > 0]), 1.0, 0.4)


def test_draws_agree_with_importance_sampling():
    shape = shape_with_much_data()
    z = np.random.default_rng(6).standard_normal((20_000, 128))
    weight = special.softmax(shape.excess(z))
    assert 1 / np.square(weight).sum() > 5_000
    p = np.exp(shape.seen.log_shares)
    unseen = np.exp(-2_000 * p) / p  # cells that the sample lacks
    values = np.log(special.softmax(shape.centre + z @ shape.root, axis=1) @ unseen)
    mean = weight @ values
    sd = np.sqrt(weight @ np.square(values - mean))
    drawn = np.log(shape.draws(np.random.default_rng(7)) @ unseen)
    assert drawn.shape == (2_000,)
    assert abs(drawn.mean() - mean) < 4 * sd / np.sqrt(100)  # a hundred chains
    assert drawn.std() == pytest.approx(sd, rel=4 / np.sqrt(200))


def test_shapes_that_the_data_refute_are_left_out():
    curvatures, roughness = (0.0, 0.25, 1.0, 4.0, 16.0, 64.0, 256.0), (0.4, 1.6)
    for chances in (np.ones(300), 1 / np.arange(1, 4_000)):
        rng = np.random.default_rng(0)
        sizes = np.bincount(rng.choice(chances.size, 1_500, p=chances / chances.sum()))
        sizes = sizes[sizes > 0]
        rng = np.random.default_rng(8)
        logs = [[_Shape(_Seen(sizes), c, r).log_evidence(rng) for r in roughness] for c in curvatures]
        total = special.logsumexp(logs, axis=1)
        gap = total.max() - total
        assert np.abs(gap - np.log(100)).min() > 0.3  # no curvature is near the threshold
        assert 0 < (gap < np.log(100)).sum() < 7
        p, q = share_draws(sizes, np.random.default_rng(8))
        np.testing.assert_allclose(np.log(p), _Seen(sizes).log_shares, rtol=1e-12)
        assert q.shape == ((gap < np.log(100)).sum(), 1_000, 128)
        np.testing.assert_allclose(q.sum(axis=2), 1, rtol=1e-12)


@pytest.mark.parametrize("sizes", [[50], [1, 1], np.repeat([1, 400], [1_000, 20])])
def test_evidence_is_finite_for_samples_that_a_shape_cannot_explain(sizes):
    seen = _Seen(np.array(sizes))
    assert np.isfinite(seen.expected).all()
    evidence = [_Shape(seen, c, 0.4).log_evidence(np.random.default_rng(9)) for c in (0.0, 64.0, 256.0)]
    assert np.isfinite(evidence).all()
    if seen.n > 50:
        assert evidence[0] - max(evidence[1:]) > 100
