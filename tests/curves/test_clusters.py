"""Standard errors over clusters: against single classes, brute force, whole clusters left out, and simulations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import classex as cx
from classex.ranks import in_clusters

FEW = pytest.mark.filterwarnings("ignore:standard errors over only")


def clustered_scores(rng, n_clusters, size, n_repeats=2, gallery=0):
    """Classes whose means lie near those of their cluster, with test points as blurred as their cluster."""
    k1 = n_clusters * size
    cluster = np.repeat(np.arange(n_clusters), size)
    mean = rng.normal(size=(n_clusters, 6))[cluster] + rng.normal(size=(k1, 6))
    noise = np.exp(0.5 * rng.normal(size=n_clusters))[cluster]
    labels = np.repeat(np.arange(k1 - gallery), n_repeats)
    test = mean[labels] + noise[labels, np.newaxis] * rng.normal(size=(labels.size, 6))
    return -np.square(test[:, np.newaxis] - mean).sum(axis=2), labels, cluster


def gallery(case):
    """Ranks of 24 classes, of which some have unequal numbers of points, none, or samples of wrong labels."""
    rng = np.random.default_rng(11)
    labels = np.concatenate([np.arange(20), rng.integers(0, 20, 17)])
    scores = rng.integers(0, 12, (labels.size, 24)) + 4.0 * np.eye(24)[labels]
    ranks = cx.correct_ranks(scores, labels)
    if case == "no table":
        return replace(ranks, distractors=None)
    if case == "samples":
        return cx.ranks_from_wins(rng.integers(5, 13, labels.size), 24, labels=labels, n_wrong=12)
    return ranks


@pytest.mark.parametrize("case", ["table", "no table", "samples"])
@pytest.mark.parametrize("options", [{}, {"top": 2}, {"metric": "mrr"}, {"average": "points"}])
def test_clusters_of_one_class_change_nothing_in_a_curve(case, options):
    ranks = gallery(case)
    names = [f"class {i * 7 % 24}" for i in range(24)]
    one, other = (cx.accuracy_curve(ranks, clusters=clusters, **options) for clusters in (None, names))
    np.testing.assert_allclose(other.accuracy, one.accuracy, rtol=1e-12)
    np.testing.assert_allclose(other.standard_error, one.standard_error, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(other.interval(), one.interval(), rtol=1e-12)
    covariances = [cx.curves.accuracy_covariance(r, [2, 6, 12]) for r in (ranks, in_clusters(ranks, names))]
    np.testing.assert_allclose(*covariances, rtol=1e-11, atol=1e-16)


@FEW
def test_clusters_of_one_class_change_nothing_in_a_risk_curve():
    rng = np.random.default_rng(12)
    labels = np.concatenate([np.arange(9), rng.integers(0, 9, 8)])  # of 12 classes
    scores, cost = rng.normal(size=(17, 12)), rng.uniform(0, 5, (12, 12))
    for priors in (None, rng.uniform(1, 3, 12)):
        one, other = (cx.risk_curve(scores, labels, cost, priors, clusters=c) for c in (None, np.arange(12)[::-1]))
        np.testing.assert_allclose(other.interval(), one.interval(), rtol=1e-12)


@pytest.mark.parametrize(
    "method", [None, "probit-normal", "regression", cx.methods.sources.Polynomial(degree=2)], ids=str
)
def test_clusters_of_one_class_change_nothing_in_a_prediction(method):
    scores, labels, _ = clustered_scores(np.random.default_rng(13), 12, 2)
    sizes = [10, 24, 200]
    for data in ((scores, labels), (cx.correct_ranks(scores, labels),)):
        one, other = (
            cx.extrapolate(*data, n_classes=sizes, method=method, target="superset", clusters=clusters)
            for clusters in (None, np.arange(24))
        )
        np.testing.assert_allclose(other.interval, one.interval, rtol=1e-9)
        np.testing.assert_allclose(other.accuracy, one.accuracy, rtol=1e-9)


def without(scores, labels, left_out):
    kept = np.setdiff1d(np.arange(scores.shape[1]), left_out)
    rows = np.isin(labels, kept)
    return scores[np.ix_(rows, kept)], np.searchsorted(kept, labels[rows])


@FEW
@pytest.mark.parametrize("tied", [False, True])
def test_equals_influences_summed_by_hand(tied):
    """Each class is left out by brute force; what that changes is summed over the clusters and squared."""
    rng = np.random.default_rng(15)
    scores, labels, _ = clustered_scores(rng, 4, 3)
    scores = np.round(scores) if tied else scores
    cluster, k1, n = np.array([0, 2, 2, 1, 0, 3, 3, 1, 2, 0, 0, 3]), 12, 4
    cost = rng.uniform(0, 3, (k1, k1))
    sizes = [2, 4, 6]

    def by_hand(curve):
        left_out = np.array([curve(*without(scores, labels, [m]), np.delete(np.arange(k1), m)) for m in range(k1)])
        influence = (k1 - 1) / k1 * (left_out.mean(axis=0) - left_out)
        sums = np.array([influence[cluster == c].sum(axis=0) for c in range(n)])
        return np.sqrt(n / (n - 1) * np.square(sums).sum(axis=0))

    expected = by_hand(lambda s, y, _: cx.accuracy_curve(cx.correct_ranks(s, y), sizes).accuracy)
    found = cx.accuracy_curve(cx.correct_ranks(scores, labels, clusters=cluster), sizes)
    np.testing.assert_allclose(found.standard_error, expected, rtol=1e-10)
    assert found.n_units == n
    if not tied:
        expected = by_hand(lambda s, y, kept: cx.risk_curve(s, y, cost[np.ix_(kept, kept)], n_classes=sizes).accuracy)
        found = cx.risk_curve(scores, labels, cost, n_classes=sizes, clusters=cluster)
        np.testing.assert_allclose(found.standard_error, expected, rtol=1e-10)


def test_nearly_the_jackknife_over_whole_clusters():
    """With 60 clusters of 3 classes the two differ by less than 5 %; by classes the error is a fifth too small."""
    scores, labels, cluster = clustered_scores(np.random.default_rng(16), 60, 3)
    sizes = [2, 10, 60]
    groups = [np.flatnonzero(cluster == c) for c in range(60)]
    left_out = [cx.accuracy_curve(cx.correct_ranks(*without(scores, labels, g)), sizes).accuracy for g in groups]
    expected = np.sqrt(59 / 60 * 60 * np.var(left_out, axis=0))
    together, alone = (
        cx.accuracy_curve(cx.correct_ranks(scores, labels, clusters=c), sizes).standard_error for c in (cluster, None)
    )
    np.testing.assert_allclose(together, expected, rtol=0.05)
    assert (alone < 0.8 * expected).all(), alone / expected


def test_own_points_alone_are_the_variance_between_clusters():
    ranks = cx.ranks_from_wins([5] * 10 + [2] * 10 + [5, 1] * 10, 40)
    cluster = np.arange(40) // 2
    mean = np.array([1.0] * 5 + [0.4] * 5 + [0.6] * 10)  # share of the 5 sampled labels beaten, by cluster
    ranks = cx.ranks_from_wins(ranks.wins, 40, labels=ranks.labels, n_wrong=5)
    found = cx.accuracy_curve(ranks, 2, clusters=cluster).standard_error[0]
    assert found == pytest.approx(mean.std(ddof=1) / np.sqrt(20))


def test_tables_of_more_than_509_classes_are_counted_by_cluster(tmp_path):
    rng = np.random.default_rng(19)
    k1 = 520
    scores, labels, cluster = rng.normal(size=(300, k1)), rng.integers(0, k1, 300), rng.integers(0, 30, k1)
    scores[np.arange(300), labels] += 2
    ranks = cx.correct_ranks(scores, labels, clusters=cluster)
    plain = cx.correct_ranks(scores, labels)
    np.testing.assert_array_equal(ranks.wins, plain.wins)
    beaten = scores < scores[np.arange(300), labels][:, np.newaxis]
    weight = 1 / np.bincount(labels)[labels]
    expected = [(weight @ beaten[:, cluster == c]).sum() for c in range(30)]
    np.testing.assert_allclose(ranks.distractors.beaten.sum(axis=0), expected)
    ranks.save(tmp_path / "ranks.npz")
    loaded = cx.CorrectRanks.load(tmp_path / "ranks.npz")
    np.testing.assert_array_equal(loaded.clusters, cluster)
    np.testing.assert_array_equal(
        cx.accuracy_curve(loaded, [5, 400]).standard_error, cx.accuracy_curve(ranks, [5, 400]).standard_error
    )


def test_few_clusters_have_students_quantile_and_a_warning():
    ranks = cx.ranks_from_wins([11] * 6 + [8] * 6, 12)
    with pytest.warns(UserWarning, match="standard errors over only 4 clusters are themselves uncertain") as caught:
        curve = cx.accuracy_curve(ranks, 12, clusters=np.arange(12) // 3)
    assert caught[0].filename == __file__
    same = replace(curve, n_units=None, n_tested=4)
    np.testing.assert_array_equal(curve.interval(), same.interval())
    assert "12 test points of 12 classes of 4 clusters" in str(curve)
