"""What moving figures compute, in Node.js, against the library, at 200 random settings each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import binom, norm

import classex as cx
from classex.models import BivariateNormal

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


def test_the_area_under_the_envelope_is_the_bayes_accuracy(in_node, rng):
    rho = rng.uniform(0.05, 0.99, N_SETTINGS)
    classes = [rng.normal(size=rng.integers(2, 9)) for _ in range(N_SETTINGS)]
    y = np.linspace(-5, 5, 11)
    found = in_node("explorer/normal.js", "explorer/laws.js", "moving/envelope_numbers.js").evaluate(
        """([settings, y]) => settings.map(([rho, classes]) => [
            classexMoving.bayesAccuracy(rho, classes), y.map((one) => classexMoving.density(rho, classes[0], one)),
        ])""",
        [list(zip(rho.tolist(), [row.tolist() for row in classes], strict=True)), y.tolist()],
    )
    for (area, density), r, row in zip(found, rho, classes, strict=True):
        assert area == pytest.approx(BivariateNormal(r).bayes_accuracy(row), rel=1e-12)
        np.testing.assert_allclose(density, norm.pdf(y, r * row[0], np.sqrt(1 - r**2)), rtol=1e-9)


def test_the_binomial_error_and_the_average_over_sets(in_node, rng):
    node = in_node("explorer/normal.js", "explorer/laws.js", "moving/envelope_numbers.js")
    share, n = rng.random(N_SETTINGS), rng.integers(1, 10_000, N_SETTINGS)
    found = node.evaluate(
        "([share, n]) => share.map((p, i) => classexMoving.binomialError(p, n[i]))", [share.tolist(), n.tolist()]
    )
    np.testing.assert_allclose(found, binom.std(n, share) / n, rtol=1e-12)
    rho = rng.uniform(0.05, 0.99, 20)
    average = node.evaluate("(rho) => rho.map((r) => classexExplorer.toy(r).accuracy([5])[0])", rho.tolist())
    expected = [BivariateNormal(r).average_bayes_accuracy(5) for r in rho]
    np.testing.assert_allclose(average, expected, rtol=1e-7)


def test_the_sets_that_are_drawn_are_standard_normal(in_node):
    """200 streams of 500 numbers: mean, variance and share beyond 1.96 within four standard errors; no two alike."""
    streams = np.array(
        in_node("explorer/normal.js", "moving/envelope_numbers.js").evaluate(
            """(seeds) => seeds.map((seed) => {
                const next = classexMoving.normalNumbers(seed);
                return Array.from({ length: 500 }, next);
            })""",
            list(range(N_SETTINGS)),
        )
    )
    n = streams.size
    assert abs(streams.mean()) < 4 / np.sqrt(n)
    assert abs(streams.var() - 1) < 4 * np.sqrt(2 / n)
    assert abs((np.abs(streams) > norm.ppf(0.975)).mean() - 0.05) < 4 * np.sqrt(0.05 * 0.95 / n)
    assert abs((streams[:, 1:] * streams[:, :-1]).mean()) < 4 / np.sqrt(n)
    assert len(np.unique(streams)) > 0.999 * n


def test_wins_subsets_and_their_average_are_those_of_the_library(in_node, rng):
    names = ("normal", "algebra", "wins", "ranks", "curve")
    node = in_node(*(f"explorer/{name}.js" for name in names), "moving/subsets_numbers.js")
    scores = rng.integers(0, 12, (N_SETTINGS, 6, 6)) / 12  # many ties
    chosen = [sorted(rng.choice(6, rng.integers(1, 7), replace=False).tolist()) for _ in range(N_SETTINGS)]
    found = node.evaluate(
        """([tables, chosen]) => tables.map((scores, i) => ({
            ...classexMoving.bySize(scores, chosen[i].length), accuracy: classexMoving.accuracyAmong(scores, chosen[i]),
            every: classexMoving.subsetsOf(6, chosen[i].length).map((one) => classexMoving.accuracyAmong(scores, one)),
        }))""",
        [scores.tolist(), chosen],
    )
    labels = np.arange(6)
    for row, table, subset in zip(found, scores, chosen, strict=True):
        ranks, k = cx.correct_ranks(table, labels), len(subset)
        np.testing.assert_array_equal(row["wins"], ranks.wins)
        np.testing.assert_array_equal(row["ties"], ranks.ties)
        expected = cx.accuracy_curve(ranks, k, standard_errors=False).accuracy[0]
        assert row["mean"] == pytest.approx(expected, rel=1e-12)
        assert np.mean(row["shares"]) == pytest.approx(expected, rel=1e-12)
        # the average over all subsets, each tested on its own
        assert np.mean(row["every"]) == pytest.approx(expected, rel=1e-12)
        # a class alone is always right
        own = cx.correct_ranks(table[np.ix_(subset, subset)], np.arange(k)) if k > 1 else None
        alone = cx.accuracy_curve(own, k, standard_errors=False).accuracy[0] if own else 1.0
        assert row["accuracy"] == pytest.approx(alone, rel=1e-12)
