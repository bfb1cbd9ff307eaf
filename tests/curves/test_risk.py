"""Average risk: brute force over subsets, ties, priors, standard errors, and a simulated truth."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import classex as cx
from classex.curves.risk import subset_weights
from classex.distributions import FunctionBasis


def expected_cost(row, label, subset, cost):
    """Cost of the label chosen among the subset, ties broken at random."""
    best = max(row[c] for c in subset)
    chosen = [c for c in subset if row[c] == best]
    return np.mean([0.0 if c == label else cost[label, c] for c in chosen])


def brute_force(scores, labels, cost, k, priors=None):
    """Mean over all subsets of k classes that hold the truth, then over points, then over classes."""
    k1 = scores.shape[1]
    weight = np.ones(k1) if priors is None else np.asarray(priors, dtype=float)
    of_class = np.zeros(k1)
    for label in range(k1):
        others = [c for c in range(k1) if c != label]
        rows = scores[labels == label]
        of_class[label] = np.mean(
            [expected_cost(row, label, (label, *s), cost) for row in rows for s in combinations(others, k - 1)]
        )
    return weight @ of_class / weight.sum()


def random_case(seed, ties):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(6), [1, 3, 2, 1, 2, 4])
    scores = rng.normal(size=(13, 6)) + np.eye(6)[labels]
    if ties:
        scores = rng.integers(0, 3, size=(13, 6)).astype(float)
    return scores, labels, rng.uniform(0, 5, size=(6, 6))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("priors", [None, [1, 9, 1, 1, 4, 0.5]])
def test_equals_brute_force_over_every_subset(ties, priors):
    scores, labels, cost = random_case(3, ties)
    curve = cx.risk_curve(scores, labels, cost, priors)
    expected = [brute_force(scores, labels, cost, k, priors) for k in range(2, 7)]
    np.testing.assert_allclose(curve.accuracy, expected, rtol=1e-12)
    some = cx.risk_curve(scores, labels, cost, priors, n_classes=[6, 2, 6])
    np.testing.assert_allclose(some.accuracy, [expected[-1], expected[0], expected[-1]], rtol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_zero_one_cost_is_one_minus_accuracy_with_its_standard_error(ties):
    scores, labels, _ = random_case(5, ties)
    curve = cx.risk_curve(scores, labels, 1 - np.eye(6))
    accuracy = cx.accuracy_curve(cx.correct_ranks(scores, labels), curve.n_classes)
    np.testing.assert_allclose(curve.accuracy, 1 - accuracy.accuracy, rtol=1e-12)
    if not ties:
        np.testing.assert_allclose(curve.standard_error[:2], accuracy.standard_error[:2], rtol=1e-9)
        np.testing.assert_allclose(curve.standard_error, accuracy.standard_error, rtol=1e-9)


def test_the_diagonal_of_the_cost_is_not_used():
    scores, labels, cost = random_case(6, ties=True)
    other = cost + np.diag(np.arange(6.0))
    np.testing.assert_array_equal(
        cx.risk_curve(scores, labels, cost).accuracy, cx.risk_curve(scores, labels, other).accuracy
    )


@pytest.mark.parametrize("priors", [None, np.linspace(1, 9, 14)])
def test_standard_error_is_that_of_leaving_classes_out(priors):
    rng = np.random.default_rng(7)
    labels = np.repeat(np.arange(14), 2)
    scores, cost = rng.normal(size=(28, 14)) + np.eye(14)[labels], rng.uniform(size=(14, 14))
    sizes = [2, 5, 7]
    without = []
    for left_out in range(14):
        kept, rows = np.delete(np.arange(14), left_out), labels != left_out
        part = cx.risk_curve(
            scores[np.ix_(rows, kept)],
            np.searchsorted(kept, labels[rows]),
            cost[np.ix_(kept, kept)],
            None if priors is None else priors[kept],
            n_classes=sizes,
        )
        without.append(part.accuracy)
    expected = np.sqrt(13 / 14 * np.square(without - np.mean(without, axis=0)).sum(axis=0))
    curve = cx.risk_curve(scores, labels, cost, priors, n_classes=sizes)
    np.testing.assert_allclose(curve.standard_error, expected, rtol=1e-9)


def test_subset_weights_are_ratios_of_binomials():
    from math import comb

    sizes = np.array([5, 2, 9])
    expected = [[comb(m - 1, k - 2) / comb(8, k - 1) for k in sizes] for m in range(1, 9)]
    np.testing.assert_allclose(subset_weights(9, sizes), expected, rtol=1e-12)


def test_mean_ordered_costs_add_up():
    scores, labels, cost = random_case(8, ties=False)
    mean = cx.curves.mean_ordered_costs(scores, labels, cost)
    assert mean @ subset_weights(6, np.array([4]))[:, 0] == pytest.approx(
        cx.risk_curve(scores, labels, cost, n_classes=4).accuracy[0]
    )


# Gaussian classes in the plane, a cost that grows with the distance of the classes, priors 1:9


NOISE = 0.4


def costs(a, b):
    return np.minimum(np.linalg.norm(a - b, axis=-1) / 3, 1.0)


def prior(means):
    return np.where(means[..., 0] > 0, 9.0, 1.0)


def experiment(k1, rng):
    means = rng.normal(size=(k1, 2))
    points = means + NOISE * rng.normal(size=(k1, 2))
    scores = -np.linalg.norm(points[:, np.newaxis] - means, axis=-1)
    return scores, np.arange(k1), costs(means[:, np.newaxis], means), prior(means)


def simulated_truth(k, rng, n=40_000):
    """Mean weighted cost of one point among k fresh classes, with its standard error."""
    loss = np.empty(n)
    weight = np.empty(n)
    for block in np.array_split(np.arange(n), max(n * k // 2_000_000, 1)):
        means = rng.normal(size=(block.size, k, 2))
        point = means[:, 0] + NOISE * rng.normal(size=(block.size, 2))
        chosen = np.linalg.norm(point[:, np.newaxis] - means, axis=-1).argmin(axis=1)
        picked = means[np.arange(block.size), chosen]
        loss[block] = costs(means[:, 0], picked)
        weight[block] = prior(means[:, 0])
    mean = weight @ loss / weight.sum()
    error = np.sqrt(np.square(weight * (loss - mean)).sum()) / weight.sum()
    return mean, error


@pytest.fixture(scope="module")
def truth():
    rng = np.random.default_rng(0)
    return {k: simulated_truth(k, rng) for k in (5, 30, 120)}


def test_risk_with_priors_is_the_simulated_truth(truth):
    rng = np.random.default_rng(1)
    found, errors = [], []
    for _ in range(150):
        curve = cx.risk_curve(*experiment(40, rng), n_classes=[5, 30])
        found.append(curve.accuracy)
        errors.append(curve.standard_error)
    spread = np.std(found, axis=0, ddof=1)
    for column, k in enumerate((5, 30)):
        mean, error = truth[k]
        # a ratio of means over 40 classes is biased by well under a tenth of its spread
        slack = 4 * np.hypot(spread[column] / np.sqrt(150), error) + 0.1 * spread[column]
        assert abs(np.mean(found, axis=0)[column] - mean) < slack
    assert 0.85 < np.mean(errors, axis=0)[0] / spread[0] < 1.3


def test_other_bases_and_intervals():
    rng = np.random.default_rng(5)
    scores, labels, cost, priors = experiment(15, rng)
    basis = FunctionBasis(lambda u: np.column_stack([np.ones_like(u), u, u**2, u**3]))
    own = cx.methods.sources.RiskExtrapolator(basis=basis).fit(scores, labels, cost, priors)
    powers = cx.methods.sources.RiskExtrapolator().fit(scores, labels, cost, priors)
    k = [2, 15, 300]
    np.testing.assert_allclose(own.predict(k), powers.predict(k), atol=1e-6)
    np.testing.assert_allclose(own.coefficients_, powers.coefficients_, atol=1e-5)
    ends = powers.predict_interval(k)
    assert (ends[:, 0] <= powers.predict(k)).all()
    assert (powers.predict(k) <= ends[:, 1]).all()
    assert ends.min() >= 0
    assert ends.max() <= powers.largest_cost_
    narrow = powers.predict_interval(2, confidence_level=0.5)
    assert np.diff(narrow) < np.diff(ends[:1])
    assert repr(powers) == "RiskExtrapolator()"


def test_errors_between_64_numbers_of_classes_are_interpolated():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(170), 2)
    scores, cost = rng.normal(size=(340, 170)), rng.uniform(1, 3, (170, 170))
    scores[np.arange(340), labels] += 2
    sizes = np.arange(2, 86)
    exact = np.concatenate([cx.risk_curve(scores, labels, cost, n_classes=some).standard_error
                            for some in np.split(sizes, 2)])  # fmt: skip
    few, many = (cx.risk_curve(scores, labels, cost, n_classes=sizes[:n]).standard_error for n in (64, 84))
    np.testing.assert_allclose(few, exact[:64], rtol=1e-12)
    np.testing.assert_allclose(many, exact, rtol=1e-3)
    assert np.count_nonzero(np.abs(many / exact - 1) > 1e-12) >= 15
