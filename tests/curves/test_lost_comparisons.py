"""The pessimistic end of an interval is never better than that of the same sample with nothing lost."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.fields.open_set import open_set_curve


def scores_of(won):
    """Scores of one point a class by which it beats the classes that it won against, and draws at one half."""
    scores = 1.0 - won
    np.fill_diagonal(scores, 0.5)
    return scores


def lost_one_by_one(won):
    """The sample without each comparison that is won or drawn, in turn."""
    for i, j in np.argwhere((won > 0) & ~np.eye(len(won), dtype=bool)).tolist():
        less = won.copy()
        less[i, j] = 0.0
        yield less


def lost_at_random(n, seed):
    """Samples in which one comparison is lost, and those in which more and more are."""
    rng = np.random.default_rng(seed)
    for share in (0.0, 0.001, 0.01, 0.05, 0.2, 0.5, 0.9):
        for _ in range(4):
            won = (rng.random((n, n)) >= share).astype(float)
            won[0, 1] = 0.0
            yield won
    hub = np.ones((n, n))
    hub[:, 3] = 0.0
    yield hub
    yield np.ascontiguousarray(hub.T)


def all_alike(n):
    """Nothing lost; everyone draws with everyone; everyone loses to the next one."""
    return {"perfect": np.ones((n, n)), "drawn": np.full((n, n), 0.5), "cyclic": 1.0 - np.roll(np.eye(n), 1, axis=1)}


SIZES = [2, 4, 6, 7, 11, 12]


def curve(won, metric="accuracy"):
    scores, labels = scores_of(won), np.arange(len(won))
    if metric == "weights":
        weights = np.linspace(0.9, 1.1, len(won))
        return cx.accuracy_curve(scores, SIZES[:-1], labels=labels, weights=weights).interval()
    if metric == "risk":
        return -cx.risk_curve(scores, labels, 1 - np.eye(len(won)), n_classes=SIZES).interval()[:, ::-1]
    return cx.accuracy_curve(cx.correct_ranks(scores, labels), SIZES, metric=metric).interval()


KINDS = ["accuracy", "mrr", "ndcg@5", "recall@3", "weights", "risk"]


@pytest.mark.filterwarnings("ignore:the correct label beats only")
@pytest.mark.parametrize("kind", KINDS)
def test_no_sample_with_losses_has_a_better_end_than_one_without(kind):
    perfect = curve(np.ones((12, 12)), kind)[:, 0]
    for won in lost_at_random(12, seed=0):
        assert (curve(won, kind)[:, 0] <= perfect + 1e-12).all()


@pytest.mark.filterwarnings("ignore:the correct label beats only")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("start", ["perfect", "drawn", "cyclic"])
def test_one_comparison_lost_by_a_sample_that_does_not_vary(start, kind):
    if (start, kind) == ("drawn", "risk"):
        pytest.skip("the risk takes tied labels in some order, and its standard error varies with it")
    won = all_alike(12)[start]
    before = curve(won, kind)[:, 0]
    for less in lost_one_by_one(won):
        assert (curve(less, kind)[:, 0] <= before + 1e-9).all()


def test_the_comparison_that_used_to_improve_the_end():
    scores = 2.0 * np.eye(20)
    labels = np.arange(20)
    perfect = cx.accuracy_curve(cx.correct_ranks(scores, labels), [2]).interval()[0]
    scores[0, 1] = 3
    ranks = cx.correct_ranks(scores, labels)
    low, high = cx.accuracy_curve(ranks, [2]).interval()[0]
    np.testing.assert_allclose(perfect, [0.8806, 1], atol=1e-3)
    np.testing.assert_allclose([low, high], [0.8783, 1], atol=1e-3)
    assert cx.extrapolate(ranks, n_classes=2).interval[0, 0] == pytest.approx(low)


@pytest.mark.parametrize("n_enrolled", [1, 5, 50, 100])
def test_a_false_match_never_improves_the_upper_end(n_enrolled):
    """And no identity that is missed improves the upper end of the FNIR."""
    rng = np.random.default_rng(0)
    mated, nonmated = np.eye(100), np.zeros((100, 100))
    before = open_set_curve(mated, range(100), nonmated, 0.5, n_enrolled=n_enrolled)
    for n_matches in (1, 2, 10, 100, 1000):
        flat = rng.permutation(nonmated.size)[:n_matches]
        some = nonmated.copy()
        some.flat[flat] = 1.0
        missed = mated.copy()
        missed[np.arange(100), np.arange(100)] -= 0.7 * (np.arange(100) < n_matches // 10)
        after = open_set_curve(missed, range(100), some, 0.5, n_enrolled=n_enrolled)
        assert after.fpir_interval[0, 1] >= before.fpir_interval[0, 1] - 1e-12
        assert after.fnir_interval[0, 1] >= before.fnir_interval[0, 1] - 1e-12


def noisy(rng, n_classes, n_repeats, *, share, whole):
    """Gumbel scores with an odds ratio of .003, and a share of points, or of whole classes, with a random truth."""
    labels = np.repeat(np.arange(n_classes), n_repeats)
    scores = rng.gumbel(size=(labels.size, n_classes))
    bad = np.repeat(rng.random(n_classes) < share, n_repeats) if whole else rng.random(labels.size) < share
    scores[np.arange(labels.size), labels] -= np.where(bad, 0.0, np.log(0.003))
    return scores, labels


@pytest.mark.parametrize(
    ("n_classes", "n_repeats", "share", "whole"),
    [(20, 1, 0.07, False), (20, 5, 0.07, True), (40, 1, 0.04, False), (60, 1, 0.02, False), (100, 1, 0.01, False)],
)
def test_coverage_with_a_share_of_wrong_labels(n_classes, n_repeats, share, whole):
    """Samples with few or no wrong labels vary too little to show how many there are; two classes are the worst."""
    rng, sizes = np.random.default_rng(1), np.array([2, n_classes // 2, n_classes])
    truth = (1 - share) / (1 + 0.003 * (sizes - 1)) + share / sizes
    hits = []
    for _ in range(150):
        scores, labels = noisy(rng, n_classes, n_repeats, share=share, whole=whole)
        low, high = cx.accuracy_curve(cx.correct_ranks(scores, labels), sizes).interval().T
        hits.append((low <= truth) & (truth <= high))
    # 150 draws: a coverage of .95 has a standard error of .018, and two of them are .036
    assert (np.mean(hits, axis=0) >= 0.914).all()


@pytest.mark.parametrize("n_enrolled", [1, 5])
def test_coverage_of_false_matches_of_few_people(n_enrolled):
    """1 % of people match 40 % of the identities, and the others one in a thousand."""
    rng, hits = np.random.default_rng(2), []
    truth = 1 - 0.01 * 0.6**n_enrolled - 0.99 * 0.999**n_enrolled
    for _ in range(150):
        rate = np.where(rng.random(100) < 0.01, 0.4, 0.001)
        nonmated = (rng.random((100, 100)) < rate[:, np.newaxis]).astype(float)
        low, high = open_set_curve(np.eye(100), range(100), nonmated, 0.5, n_enrolled=n_enrolled).fpir_interval[0]
        hits.append(low <= truth <= high)
    assert np.mean(hits) >= 0.914
