"""Classes drawn with unequal chances: weighted subsets against enumeration, exact truth and repeated sampling."""

from itertools import combinations

import numpy as np
import pytest
from scipy import special

import classex as cx

# Half of all classes are hard, and this share of those drawn. The probit of the favourability against a hard rival is
# normal with deviation 1 and one of these means, for points of hard and of easy classes. Four easy rivals are as hard
# as one hard rival.
DRAWN_HARD, MEANS, WORTH = 0.8, np.array([1.9, 2.7]), np.array([1.0, 0.25])


def enumerated(scores, labels, weights, k):
    """Average over every set of k - 1 wrong labels, ties broken at random, every set and class with its weight."""
    by_class = {}
    for row, label in zip(scores, labels, strict=True):
        right = total = 0.0
        for some in combinations([c for c in range(len(weights)) if c != label], k - 1):
            rivals, weight = row[list(some)], np.prod(weights[list(some)])
            total += weight
            right += weight * (rivals <= row[label]).all() / (1 + (rivals == row[label]).sum())
        by_class.setdefault(label, []).append(right / total)
    means = [np.mean(values) for values in by_class.values()]
    return np.average(means, weights=weights[list(by_class)])


@pytest.mark.parametrize("levels", [1000, 4, 2])
@pytest.mark.parametrize("zero", [False, True])
def test_equals_enumeration(levels, zero):
    rng = np.random.default_rng(levels)
    labels = np.array([0, 1, 2, 3, 4, 5, 6, 7, 7, 2])
    weights = rng.uniform(0.3, 3, 9)  # the last class has no test point
    if zero:
        weights[1] = 0.0
    scores = rng.integers(0, levels, (10, 9)).astype(float)
    scores[np.arange(10), labels] += levels // 4
    curve = cx.accuracy_curve(scores, labels=labels, weights=weights)
    assert curve.n_classes[-1] == int(weights.sum() ** 2 / np.square(weights).sum())
    truth = [enumerated(scores, labels, weights, k) for k in curve.n_classes]
    np.testing.assert_allclose(curve.accuracy, truth, atol=1e-12)
    other = cx.accuracy_curve(scores, labels=labels, weights=1e200 * weights)
    np.testing.assert_allclose(other.accuracy, truth, atol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_untested", [0, 5])
def test_equal_weights_are_no_weights(ties, n_untested):
    sample = cx.models.GaussianClasses(5, 0.3).sample(40, n_repeats=2, rng=0)
    scores, labels = sample.scores[: 80 - 2 * n_untested], sample.labels[: 80 - 2 * n_untested]
    scores = np.round(scores, 1) if ties else scores
    found = cx.accuracy_curve(scores, labels=labels, weights=np.full(40, 0.3))
    plain = cx.accuracy_curve(cx.correct_ranks(scores, labels, classes=range(40)))
    np.testing.assert_allclose(found.accuracy, plain.accuracy, atol=1e-12)
    np.testing.assert_allclose(found.standard_error, plain.standard_error, rtol=1e-9)
    np.testing.assert_allclose(found.interval(), plain.interval(), rtol=1e-9)
    assert found.n_units == 40 - n_untested


def test_no_error_beyond_half_exceeds_that_of_one_trial():
    """One label beats every point but its own: the ratio at half is large, with equal weights and others."""
    scores = 2 * np.eye(20)
    scores[:, 0], scores[0, 0] = 3, 5
    for weights in (np.ones(20), np.linspace(0.5, 1.5, 20)):
        curve = cx.accuracy_curve(scores / 1.7, [8, 12, 16], labels=range(20), weights=weights)
        single = np.sqrt(curve.accuracy * (1 - curve.accuracy))
        assert (curve.standard_error[1:] <= single[1:] * (1 + 1e-12)).all()


def test_many_ties_are_broken_at_random():
    # all scores are equal: the truth is the best of k with probability one in k, whatever the weights
    weights = np.random.default_rng(0).uniform(1, 2, 100)
    curve = cx.accuracy_curve(np.zeros((100, 100)), labels=range(100), weights=weights)
    np.testing.assert_allclose(curve.accuracy, 1 / curve.n_classes, rtol=1e-9)


def test_a_long_weighted_curve():
    """More than 1,000 effective classes: the curve has a grid, from which the prediction takes its sizes."""
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(60, 1300)), rng.permutation(1300)[:60]
    scores[np.arange(60), labels] += 4
    weights = np.ones(1300)
    weighted = cx.extrapolate(scores, labels, n_classes=5000, weights=weights)
    plain = cx.extrapolate(cx.correct_ranks(scores, labels, classes=range(1300)), n_classes=5000)
    assert weighted.accuracy[0] == pytest.approx(plain.accuracy[0], abs=0.01)


def drawn(rng, n):
    """Scores of one point a class, with easy and hard classes, and weights for equal shares of both."""
    kind = (rng.random(n) > DRAWN_HARD).astype(int)
    favourability = special.ndtr(rng.normal(MEANS[kind]))[:, np.newaxis]
    scores = np.where(rng.random((n, n)) < favourability ** WORTH[kind], -1.0, 1.0)
    np.fill_diagonal(scores, 0.0)
    return scores, np.where(kind == 0, 0.5 / DRAWN_HARD, 0.5 / (1 - DRAWN_HARD))


def accuracy(sizes):
    """Accuracy with classes of which half are hard, by quadrature."""
    node, weight = np.polynomial.hermite_e.hermegauss(200)
    against = special.ndtr(MEANS[:, np.newaxis] + node)[..., np.newaxis] ** WORTH
    beaten = against.mean(axis=2)[..., np.newaxis] ** (np.asarray(sizes) - 1.0)
    return np.einsum("j,ijk->k", weight / weight.sum(), beaten) / 2


def test_bias_errors_and_coverage_over_repeated_samples():
    sizes, n_draws = np.array([2, 5, 10, 20]), 200
    rng, truth = np.random.default_rng(0), accuracy([2, 5, 10, 20])
    values, errors, covered, plain = [], [], [], []
    for _ in range(n_draws):
        scores, weights = drawn(rng, 80)
        curve = cx.accuracy_curve(scores, sizes, labels=range(80), weights=weights)
        ends = curve.interval()
        values.append(curve.accuracy)
        errors.append(curve.standard_error)
        covered.append((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
        plain.append(cx.accuracy_curve(cx.correct_ranks(scores, range(80)), sizes).accuracy)
    spread = np.std(values, axis=0, ddof=1)
    # a ratio is biased by up to half a standard error; the mean of the draws adds four of its own
    assert (np.abs(np.mean(values, axis=0) - truth) < (0.5 + 4 / np.sqrt(n_draws)) * spread).all()
    # without weights the bias is of one to three standard errors
    assert (np.mean(plain, axis=0) - truth < -0.9 * spread).all()
    # the spread of 200 draws has itself a relative standard error of 5 %
    np.testing.assert_allclose(np.sqrt(np.square(errors).mean(axis=0)), spread, rtol=0.2)
    # two binomial standard errors below .95
    assert (np.mean(covered, axis=0) > 0.95 - 2 * np.sqrt(0.95 * 0.05 / n_draws)).all()


def test_predictions_are_for_the_target_chances():
    truth, found = accuracy([2_000])[0], []
    for seed in range(10):
        scores, weights = drawn(np.random.default_rng(seed), 200)
        plain = cx.extrapolate(scores, range(200), n_classes=2_000)
        result = cx.extrapolate(scores, range(200), n_classes=2_000, weights=weights)
        found.append([plain.accuracy[0], result.accuracy[0], *result.interval[0]])
    assert result.n_observed == int(weights.sum() ** 2 / np.square(weights).sum())
    assert result.average == "weights"
    assert result.n_points == 200
    assert f"With {result.n_observed} classes, the effective number, the weighted accuracy is" in str(result)
    assert "effective number" in str(result.estimator.curve_)
    assert result.plot().ax_ is not None
    without, value, low, high = np.array(found).T
    assert np.abs(value - truth).mean() < np.abs(without - truth).mean()
    assert ((low - 0.005 <= truth) & (truth <= high + 0.005)).sum() >= 8  # smaller misses do not count


@pytest.mark.parametrize(("n_classes", "accepted"), [(4, False), (6, True)])
def test_the_fewest_effective_classes(n_classes, accepted):
    scores = np.random.default_rng(0).normal(size=(n_classes, n_classes))
    given = {"labels": range(n_classes), "weights": np.ones(n_classes)}
    if accepted:
        assert cx.accuracy_curve(scores, **given).n_classes[-1] == n_classes
        return
    with pytest.raises(ValueError, match="effective classes"):
        cx.accuracy_curve(scores, **given)
