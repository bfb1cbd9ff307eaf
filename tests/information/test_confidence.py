"""The confidence bound for information: what its proof uses, the formula by hand, and its coverage."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import special
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import binom

import classex as cx
from classex.bayes import Repeats, average_bayes_accuracy_bound, generalisation_accuracy_bound, unclipped_bound
from classex.information import confidence, default_class_counts, information_confidence_bound
from classex.models import BivariateNormal, GaussianSequence, PartlyIdentifiable


def subset_bayes_accuracy(model, classes, k):
    return np.mean([model.bayes_accuracy(classes[list(s)]) for s in combinations(range(len(classes)), k)])


@pytest.mark.parametrize("model", [BivariateNormal(rho=0.9), PartlyIdentifiable(share=0.4)])
@pytest.mark.parametrize("k", [2, 3, 6])
def test_the_properties_that_the_proof_uses(model, k):
    rng = np.random.default_rng(k)
    k1 = 6
    for _ in range(15):
        classes = model.sample(k1, rng=rng).references[:, 0]
        total = subset_bayes_accuracy(model, classes, k)
        gains = []
        for i in range(k1):
            changed = classes.copy()
            changed[i] = model.sample(2, rng=rng).references[0, 0]
            # one class moves the average over subsets by at most 1/k1, whatever k
            assert abs(subset_bayes_accuracy(model, changed, k) - total) <= 1 / k1 + 1e-12
            # gain of class i, averaged over the subsets with i: k BA(S) - (k-1) BA(S without i)
            rest = [j for j in range(k1) if j != i]
            gain = [
                k * model.bayes_accuracy(classes[[i, *s]])
                - ((k - 1) * model.bayes_accuracy(classes[list(s)]) if k > 2 else 1.0)
                for s in combinations(rest, k - 1)
            ]
            assert min(gain) >= -1e-12
            assert max(gain) <= 1 + 1e-12
            gains.append(np.mean(gain))
        assert np.sum(gains) <= k1 * total + 1e-10
        assert np.sum(1 - np.array(gains)) <= 2 * k1 * (1 - total) + 1e-10


def brute_force_accuracy(scores, labels, k):
    k1 = scores.shape[1]
    right = []
    for s in combinations(range(k1), k):
        rows = np.flatnonzero(np.isin(labels, s))
        right.append(np.mean(np.array(s)[scores[rows][:, s].argmax(axis=1)] == labels[rows]))
    return np.mean(right)


@pytest.mark.solver
def test_bound_by_hand():
    sample = BivariateNormal(rho=0.95).sample(9, n_repeats=40, rng=3)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    result = information_confidence_bound(ranks, n_classes=[9, 3], confidence_level=0.9, method="joint")
    expected = []
    for k in (9, 3):
        accuracy = brute_force_accuracy(sample.scores, sample.labels, k)
        lowered = accuracy - np.sqrt((1 + 1 / 40) * np.log(2 / 0.1) / (2 * 9))
        expected.append(cx.information_bound(max(lowered, 1 / k), k))
    np.testing.assert_allclose(result.information_by_class_count[0], expected, rtol=1e-10)
    assert result.information > result.information_by_class_count.max()
    assert result.n_classes == (9, 3)[int(np.argmax(expected))]
    assert result.confidence_level == 0.9
    assert result.class_counts.tolist() == [9, 3]


def plain_joint_set(result, k1, r, alpha):
    """The bound of the joint set by its own dual, for method "joint": the allowance less the entropy of the weights.

    For every lambda >= 0 with sum S and p = lambda / S, with s = sqrt((1 + 1/r) log(n/alpha) / (2 k1)) and
    theta = 4 k1 s / (1 + 1/r): sum lambda (ATA - s) + S entropy(p) / theta - log int exp(sum lambda t^(k-1)) dt.
    """
    accuracy, sizes = result.accuracy.ravel(), np.tile(result.class_counts, len(result.accuracy))
    v = 1 + 1 / r
    s = np.sqrt(v * np.log(accuracy.size / alpha) / (2 * k1))
    theta = 4 * k1 * s / v

    def minus_dual(log_multiplier):
        y = np.exp(log_multiplier)

        def tilted(t):
            return np.exp(y @ (t ** (sizes - 1.0) - 1))

        integral = sum(quad(tilted, a, b)[0] for a, b in ((0, 0.9), (0.9, 0.99), (0.99, 1)))
        entropy = -(y * np.log(y / y.sum())).sum() / theta
        return -(y @ (accuracy - s - 1) + entropy - np.log(integral))

    found = minimize(minus_dual, np.full(accuracy.size, 0.3), method="L-BFGS-B", options={"ftol": 1e-13})
    return -found.fun


@pytest.mark.parametrize(("k1", "r", "signal", "n"), [(40, 5, 8.0, 1), (100, 2, 4.0, 1), (60, 3, 20.0, 2)])
@pytest.mark.solver
def test_the_joint_set_has_the_bound_of_its_plain_dual(k1, r, signal, n):
    sample = GaussianSequence(n_features=50, signal=signal).sample(k1, n_repeats=r, rng=k1)
    noise = np.random.default_rng(1).standard_normal(sample.scores.shape)
    several = [cx.correct_ranks(sample.bayes_scores + i * noise, sample.labels) for i in range(n)]
    result = information_confidence_bound(several, method="joint", confidence_level=0.9)
    plain = plain_joint_set(result, k1, r, 0.1)
    # chords stand for exponentials: never above, and by little below
    assert plain - 2e-3 < result.information <= plain + 1e-6
    raised = result.accuracy_bound.max(axis=0)
    union = cx.information.curve_information_bound(raised, result.class_counts).information
    assert result.information > union >= result.information_by_class_count.max()


@pytest.mark.parametrize("method", ["chernoff", "joint"])
@pytest.mark.parametrize("population_size", [None, 200])
@pytest.mark.solver
def test_the_joint_set_is_inside_the_union(method, population_size):
    rng = np.random.default_rng(5)
    for signal in (0.5, 3.0, 30.0, 1000.0):
        k1, r = int(rng.integers(10, 100)), int(rng.integers(1, 10))
        sample = GaussianSequence(n_features=30, signal=signal).sample(k1, n_repeats=r, rng=rng)
        ranks = cx.correct_ranks(sample.bayes_scores, sample.labels)
        result = information_confidence_bound(ranks, method=method, population_size=population_size)
        union, free = (
            cx.information.curve_information_bound(a[0], result.class_counts, population_size=population_size)
            for a in (result.accuracy_bound, result.accuracy)
        )
        assert union.information - 1e-3 < result.information < free.information
        assert result.information >= result.information_by_class_count.max()


def share_at(truth, x, k1, r, n_tests, alpha, method):
    """Share of the error probability with which an accuracy x rejects the truth: at most the exact one."""
    errors, shares = confidence._shares(
        x, lambda value: unclipped_bound(value, k1, Repeats(r, r), alpha, n_tests, method), k1, n_tests / alpha
    )
    a = 1 - errors
    if truth <= a[0]:
        return np.inf if truth < a[0] - 1e-12 else 1.0
    return float(np.interp(truth, a, shares))


@pytest.mark.parametrize("method", ["chernoff", "joint"])
def test_the_curve_is_in_the_joint_set(method):
    """z = 3 for the coverage of the set itself, at a low level, with the extremal channel and two models."""
    alpha, n, k1, r = 0.5, 60, 20, 2
    rng = np.random.default_rng(7)
    sizes = np.array([20, 4, 2])
    for model in (BivariateNormal(rho=0.99), PartlyIdentifiable(share=0.5), GaussianSequence(20, 8.0)):
        truth = np.asarray(model.average_bayes_accuracy(sizes))
        covered = 0
        for _ in range(n):
            sample = model.sample(k1, n_repeats=r, rng=rng)
            accuracy = cx.accuracy_curve(cx.correct_ranks(sample.bayes_scores, sample.labels), sizes).accuracy
            shares = [share_at(a, x, k1, r, 3, alpha, method) for a, x in zip(truth, accuracy, strict=True)]
            covered += sum(shares) <= 1
        assert covered / n >= 1 - alpha - 3 * np.sqrt(alpha * (1 - alpha) / n)


@pytest.mark.parametrize("method", ["chernoff", "joint"])
def test_the_exponential_tests_have_a_mean_of_at_most_one(method):
    """Exactly, for points that identify their class with probability p whatever the classes: a = p + (1 - p) / k."""
    k1, r, p = 12, 3, 0.6
    a, n = p + (1 - p) / k1, k1 * r
    right = np.arange(n + 1)
    for x in np.linspace(0.05, 1, 20):
        bound, tilt, slope = unclipped_bound(x, k1, Repeats(r, r), 0.1, 4, method)
        log_test = np.log(4 / 0.1) + k1 * (tilt * (right / n - x) - slope * (a - bound))
        assert binom.pmf(right, n, a) @ np.exp(log_test) <= 1 + 1e-9


@pytest.mark.solver
def test_several_classifiers_pay_for_the_choice():
    sample = GaussianSequence(n_features=20, signal=10.0).sample(60, n_repeats=5, rng=1)
    good = cx.correct_ranks(sample.scores, sample.labels)
    noise = np.random.default_rng(0).standard_normal(sample.scores.shape)
    bad = cx.correct_ranks(sample.scores + 3 * noise, sample.labels)
    both = information_confidence_bound([bad, good])
    alone = information_confidence_bound(good)
    assert both.classifier == 1
    assert both.information_by_class_count.shape == (2, default_class_counts(60).size)
    assert 0 < both.information < alone.information
    assert information_confidence_bound(good, n_classifiers=2).information == pytest.approx(both.information)
    for row, ranks in enumerate([bad, good]):
        for column, k in enumerate(both.class_counts):
            direct = average_bayes_accuracy_bound(
                float(cx.accuracy_curve(ranks, [k]).accuracy[0]),
                n_classes=60,
                n_repeats=5,
                n_classifiers=2 * both.class_counts.size,
                method="chernoff",
            )
            assert both.accuracy_bound[row, column] == pytest.approx(max(direct, 1 / k), abs=1e-12)


@pytest.mark.solver
def test_unequal_repeats_are_as_good_as_the_fewest():
    sample = GaussianSequence(n_features=20, signal=16.0).sample(30, n_repeats=8, rng=2)
    keep = np.ones(240, dtype=bool)
    keep[:5] = False  # class 0 keeps 3 of its 8 test points
    ranks = cx.correct_ranks(sample.scores[keep], sample.labels[keep])
    result = information_confidence_bound(ranks, n_classes=30)
    direct = average_bayes_accuracy_bound(float(result.accuracy[0, 0]), n_classes=30, n_repeats=3, method="chernoff")
    assert result.accuracy_bound[0, 0] == pytest.approx(direct, abs=1e-12)


@pytest.mark.parametrize(
    ("model", "k1"), [(BivariateNormal(rho=0.99), 40), (GaussianSequence(n_features=50, signal=12.0), 30)]
)
@pytest.mark.solver
def test_coverage_and_its_parts(model, k1):
    # the bound for every k holds at once, so the largest information does too; z = 3 for the coverage
    n, level = 60, 0.6
    rng = np.random.default_rng(11)
    sizes = default_class_counts(k1)
    truth = model.average_bayes_accuracy(sizes)
    covered = informative = 0
    for _ in range(n):
        sample = model.sample(k1, n_repeats=3, rng=rng)
        ranks = cx.correct_ranks(sample.bayes_scores, sample.labels)
        result = information_confidence_bound(ranks, confidence_level=level)
        covered += bool((result.accuracy_bound[0] <= truth).all())
        informative += 0.1 * model.information() < result.information < model.information()
    assert covered / n >= level - 3 * np.sqrt(level * (1 - level) / n)
    assert informative > 0.9 * n


@pytest.mark.solver
def test_no_information_gives_zero():
    rng = np.random.default_rng(0)
    ranks = cx.correct_ranks(rng.standard_normal((200, 20)), np.repeat(np.arange(20), 10))
    assert information_confidence_bound(ranks).information == 0


@pytest.mark.parametrize(("k", "r", "right"), [(4, 20, 75), (10, 10, 100), (20, 20, 250), (100, 5, 470)])
def test_where_every_class_is_tested_it_is_fano_at_the_limit_of_clopper_and_pearson(k, r, right):
    wins = np.where(np.arange(k * r) < right, k - 1, 0)
    ranks = cx.ranks_from_wins(wins, k, labels=np.arange(k * r) % k)
    found = information_confidence_bound(ranks, population_size=k)
    limit = generalisation_accuracy_bound(right / (k * r), n_classes=k, n_repeats=r)
    assert found.information == pytest.approx(cx.fano_bound(limit, k), rel=1e-9)
    assert found.information < np.log(k)
    assert found.class_counts.tolist() == [k]
    # without the count of right answers the bound is by Chernoff's inequality, and a little smaller
    uneven = cx.ranks_from_wins(wins[:-1], k, labels=np.arange(k * r - 1) % k)
    assert 0.8 * found.information < information_confidence_bound(uneven, population_size=k).information < np.log(k)


@pytest.mark.solver
def test_units_enter_as_blocks_of_test_points():
    """Units of two points each in a class are as many points as units; one unit for each point changes nothing."""
    sample = GaussianSequence(n_features=50, signal=12.0).sample(30, n_repeats=6, rng=4)
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    alone = information_confidence_bound(ranks)
    assert information_confidence_bound(cx.ranks.in_units(ranks, np.arange(180))).information == pytest.approx(
        alone.information, rel=1e-9
    )
    for method in ("joint", "chernoff"):
        halves = cx.ranks.in_units(ranks, np.arange(180) // 2)
        found = information_confidence_bound(halves, n_classes=30, method=method)
        direct = average_bayes_accuracy_bound(found.accuracy[0, 0], n_classes=30, n_repeats=3, method=method)
        assert found.accuracy_bound[0, 0] == pytest.approx(direct, abs=1e-12)
        assert found.n_units == 90
        assert "a random sample and that the 90 units are one too" in found.report()
    # two units of weights .75 and .25: the allowance of Hoeffding's inequality is that of blocks with these weights
    two = cx.ranks.in_units(ranks, np.arange(180) % 4 == 0)
    found = information_confidence_bound(two, n_classes=2, method="joint")
    allowance = np.sqrt((1 / 30 + 0.75**2 + 0.25**2) * np.log(20) / 2)
    assert found.accuracy_bound[0, 0] == pytest.approx(max(found.accuracy[0, 0] - allowance, 0.5), abs=1e-9)


def masked_accuracy(ranks, sizes, answered):
    share = cx.ranks.point_shares(ranks)
    subset = np.array([special.comb(ranks.wins, k - 1) / special.comb(ranks.n_classes - 1, k - 1) for k in sizes])
    return subset @ (share * answered), share @ answered


@pytest.mark.solver
@pytest.mark.parametrize("population_size", [None, 90])
def test_points_that_are_not_answered_by_hand(population_size):
    sample = GaussianSequence(n_features=50, signal=20.0).sample(60, n_repeats=5, rng=6)
    blank = np.random.default_rng(1).random(300) < 0.5
    noise = np.random.default_rng(2).standard_normal(sample.scores.shape)
    ranks = cx.correct_ranks(np.where(blank[:, np.newaxis], noise, sample.scores), sample.labels)
    options = {"n_classes": [60, 5], "method": "joint", "population_size": population_size}
    found = information_confidence_bound(ranks, answered=~blank, **options)
    (large, small), share = masked_accuracy(ranks, (60, 5), ~blank)
    spread = 1.0 if population_size is None else cx.bayes.spread_without_replacement(60, population_size)
    allowance = np.sqrt((spread + 1 / 5) * np.log(4 / 0.05) / 120)
    # right answers at least, and wrong ones at most
    right = np.array([large, small]) - allowance
    most = np.minimum(right + share - np.array([large, small]) + allowance, 1)
    np.testing.assert_allclose(found.accuracy_bound[0], right / most, rtol=1e-9)
    np.testing.assert_allclose(found.accuracy[0], np.array([large, small]) / share)
    nats = most * cx.information_bound(right / most, [60, 5], population_size=population_size)
    np.testing.assert_allclose(found.information_by_class_count[0], nats)
    assert found.answered == pytest.approx(most[nats.argmax()])
    assert found.information == pytest.approx(nats.max())
    assert found.information > information_confidence_bound(ranks, **options).information
    # the multiplier is the slope
    some = right / most + np.array([[0], [1e-6]]) * (nats == nats.max())
    low, high = (most * cx.information_bound(a, [60, 5], population_size=population_size) for a in some)
    assert found.multipliers.max() == pytest.approx((high - low).max() / 1e-6, rel=1e-3)
    assert "the points answered were chosen without regard to their classes" in str(found)


@pytest.mark.solver
def test_coverage_with_points_that_are_not_answered():
    """Half of the points name one of 30 classes, the others are blank; z = 3 for the coverage at a low level."""
    rng, k, r, n, level = np.random.default_rng(3), 15, 4, 100, 0.6
    labels, covered = np.repeat(np.arange(k), r), 0
    for _ in range(n):
        names = rng.integers(30, size=k)
        seen = rng.random(k * r) < 0.5
        same = names[labels][:, np.newaxis] == names
        wins, ties = np.where(seen, (~same).sum(axis=1), 0), np.where(seen, same.sum(axis=1) - 1, k - 1)
        ranks = cx.CorrectRanks(wins, ties, labels, k)
        bound = information_confidence_bound(ranks, confidence_level=level, answered=seen)
        covered += bound.information <= 0.5 * np.log(30)
    assert covered / n >= level - 3 * np.sqrt(level * (1 - level) / n)
