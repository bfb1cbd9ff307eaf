"""Ranks of the correct label against plain counting."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex import ranks as ranks_module
from classex._kernels import ranks as kernels


def plain_ranks(scores, labels):
    wins, ties = [], []
    for row, label in zip(scores, labels, strict=True):
        wrong = [s for m, s in enumerate(row) if m != label]
        wins.append(sum(s < row[label] for s in wrong))
        ties.append(sum(s == row[label] for s in wrong))
    return wins, ties


def plain_distractors(scores, labels):
    """Expected weight with which each class is beaten, by wins, averaging over every order of the ties."""
    n_classes = scores.shape[1]
    beaten = np.zeros((n_classes, n_classes))
    for row, label in zip(scores, labels, strict=True):
        weight = 1 / np.sum(labels == label)
        wins = sum(s < row[label] for s in row)
        ties = sum(s == row[label] for m, s in enumerate(row) if m != label)
        for u in range(ties + 1):
            for m in range(n_classes):
                if row[m] < row[label]:
                    beaten[wins + u, m] += weight / (ties + 1)
                elif row[m] == row[label] and m != label:
                    beaten[wins + u, m] += weight / (ties + 1) * u / ties
    return beaten


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("tied", [True, False])
def test_equals_plain_counting(dtype, tied):
    rng = np.random.default_rng(1)
    scores = (rng.integers(0, 5, (40, 11)) if tied else rng.permutation(440).reshape(40, 11)).astype(dtype)
    labels = np.concatenate([np.arange(11), rng.integers(0, 11, 29)])
    ranks = cx.correct_ranks(scores, labels)
    wins, ties = plain_ranks(scores, labels)
    np.testing.assert_array_equal(ranks.wins, wins)
    np.testing.assert_array_equal(ranks.ties, ties)
    assert ranks.n_classes == 11
    assert (ranks.ties.max() > 0) == tied
    # bins are numbered by wins from 0 up, and stand for those wins
    bins, representative = ranks_module.bins_of_wins(11)
    np.testing.assert_array_equal(representative[bins], np.arange(11))
    np.testing.assert_allclose(ranks.distractors.beaten[bins], plain_distractors(scores, labels), rtol=1e-13)


def test_reference_case_counts_from_the_top(reference, reference_scores):
    ranks = cx.correct_ranks(reference_scores, np.arange(12))
    np.testing.assert_array_equal(12 - ranks.wins, reference["rank_from_top"])


def test_label_is_never_its_own_competitor():
    ranks = cx.correct_ranks(np.zeros((2, 2)), [0, 1])
    assert ranks.wins.tolist() == [0, 0]
    assert ranks.ties.tolist() == [1, 1]


def test_kernels_agree_with_their_python_source():
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 6, (9, 5)).astype(float)
    labels = np.array([0, 1, 2, 3, 4, 4, 3, 2, 0])
    out = np.zeros((2, 9), dtype=np.int64)
    kernels.count_wins.py_func(scores, labels, out[0], out[1])
    ranks = cx.correct_ranks(scores, labels)
    np.testing.assert_array_equal(out, [ranks.wins, ranks.ties])
    beaten = np.zeros((5, 5))
    weights = 1 / np.bincount(labels)[labels]
    kernels.add_distractors.py_func(
        scores, labels, *out, weights, np.arange(5), np.arange(5), ranks_module.MOST_TIE_NODES, 2, beaten
    )
    np.testing.assert_allclose(beaten, plain_distractors(scores, labels), rtol=1e-13)
    wins = np.arange(8)
    sizes = np.arange(1, 9)
    for top in (1, 3):
        for running in (True, False):
            np.testing.assert_allclose(
                kernels.subset_accuracy.py_func(wins, 8, sizes, top, running),
                kernels.subset_accuracy(wins, 8, sizes, top, running),
                rtol=1e-12,
            )


def test_bins_cover_all_wins_and_stay_few():
    for n_classes in (2, 512, 513, 5_000, 1_000_000):
        bins, representative = ranks_module.bins_of_wins(n_classes)
        assert bins.shape == (n_classes,)
        assert representative.size <= 512
        np.testing.assert_array_equal(np.unique(bins), np.arange(representative.size))
        # the 128 best ranks keep a bin of their own
        best = np.arange(max(0, n_classes - 128), n_classes)
        np.testing.assert_array_equal(representative[bins[best]], best)
        losses = n_classes - 1 - np.arange(n_classes)
        stands_for = n_classes - 1 - representative[bins]
        assert np.abs(losses - stands_for).max() <= 0.06 * losses.max() + 1


@pytest.mark.parametrize("metric", ["euclidean", "inner_product", "cosine"])
def test_embeddings_equal_score_matrix(metric, monkeypatch):
    monkeypatch.setattr(ranks_module, "_BLOCK_BYTES", 8 * 13 * 7)  # blocks of seven rows
    rng = np.random.default_rng(3)
    references = rng.normal(size=(13, 4))
    labels = np.concatenate([np.arange(13), rng.integers(0, 13, 17)])
    test = references[labels] + rng.normal(size=(30, 4))
    scores = {
        "euclidean": -np.linalg.norm(test[:, np.newaxis] - references, axis=2),
        "inner_product": test @ references.T,
        "cosine": (test @ references.T) / np.linalg.norm(references, axis=1),
    }[metric]
    expected = cx.correct_ranks(scores, labels)
    got = cx.correct_ranks_from_embeddings(test, references, labels, metric=metric)
    np.testing.assert_array_equal(got.wins, expected.wins)
    np.testing.assert_array_equal(got.ties, expected.ties)
    np.testing.assert_allclose(got.distractors.beaten, expected.distractors.beaten)


def test_nearest_of_several_references():
    rng = np.random.default_rng(4)
    references = rng.normal(size=(20, 3))
    owner = np.concatenate([np.arange(6), rng.integers(0, 6, 14)])
    labels = np.concatenate([np.arange(6), rng.integers(0, 6, 10)])
    test = rng.normal(size=(16, 3))
    distance = np.linalg.norm(test[:, np.newaxis] - references, axis=2)
    scores = np.stack([-distance[:, owner == c].min(axis=1) for c in range(6)], axis=1)
    got = cx.correct_ranks_from_embeddings(test, references, labels, owner)
    np.testing.assert_array_equal(got.wins, cx.correct_ranks(scores, labels).wins)


def test_mirrored_references_tie():
    got = cx.correct_ranks_from_embeddings([[0.1, 0.3], [0.1, -0.3]], [[0.1, 0.7], [0.1, -0.7]], [0, 1])
    assert got.wins.tolist() == [1, 1]
    level = cx.correct_ranks_from_embeddings([[0.1, 0.0], [0.1, 0.0]], [[0.1, 0.7], [0.1, -0.7]], [0, 1])
    assert level.ties.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"test": [[1.0], [2.0]]}, ValueError, r"same number of columns, but have 1 and 2"),
        ({"test": [[np.nan, 0.0], [1.0, 1.0]]}, ValueError, r"test must be finite, but holds nan at row 0, column 0"),
        ({"references": [1.0, 2.0]}, ValueError, r"references must have 2 axes"),
        ({"metric": "manhattan"}, ValueError, r"metric must be one of 'euclidean', 'inner_product', 'cosine'"),
        ({"labels": [0, 2]}, ValueError, r"labels must lie in 0..1, but row 1 is 2"),
        ({"reference_labels": [0, 2]}, ValueError, r"reference_labels must give every class.*class 1 has none"),
        ({"reference_labels": [0, 0]}, ValueError, r"number of classes must be an integer of at least 2, not 1"),
        ({"reference_labels": ["a", "b"]}, TypeError, r"reference_labels must hold integers"),
        ({"metric": "cosine", "references": [[0.0, 0.0], [1.0, 0.0]]}, ValueError, r"no zero row .* but row 0 is"),
    ],
)
def test_bad_embeddings(change, error, message):
    good = {"test": [[0.0, 0.0], [1.0, 1.0]], "references": [[0.0, 0.1], [1.0, 1.1]], "labels": [0, 1]}
    with pytest.raises(error, match=message):
        cx.correct_ranks_from_embeddings(**{**good, **change})
