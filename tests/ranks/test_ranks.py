"""Ranks of the correct label against plain counting."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import sparse

import classex as cx
from classex.ranks import _blocks as blocks
from classex.ranks import comparison
from classex.ranks.comparison import exact_signs
from classex.ranks.ranks import bins_of_wins
from classex.ranks.scores import count_scores


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
    bins, representative = bins_of_wins(11)
    np.testing.assert_array_equal(representative[bins], np.arange(11))
    np.testing.assert_allclose(ranks.distractors.beaten[bins], plain_distractors(scores, labels), rtol=1e-13)


def test_reference_case_counts_from_the_top(reference, reference_scores):
    ranks = cx.correct_ranks(reference_scores, np.arange(12))
    np.testing.assert_array_equal(12 - ranks.wins, reference["rank_from_top"])


def test_bins_cover_all_wins_and_stay_few():
    for n_classes in (2, 509, 510, 5_000, 1_000_000):
        bins, representative = bins_of_wins(n_classes)
        assert bins.shape == (n_classes,)
        assert representative.size <= 509
        np.testing.assert_array_equal(np.unique(bins), np.arange(representative.size))
        # the 128 best ranks keep a bin of their own
        best = np.arange(max(0, n_classes - 128), n_classes)
        np.testing.assert_array_equal(representative[bins[best]], best)
        losses = n_classes - 1 - np.arange(n_classes)
        stands_for = n_classes - 1 - representative[bins]
        assert np.abs(losses - stands_for).max() <= 0.06 * losses.max() + 1


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of three rows and seven columns, so that small cases cross their borders."""
    monkeypatch.setattr(blocks, "ROWS", 3)
    monkeypatch.setattr(blocks, "COLUMNS", 7)
    monkeypatch.setattr(blocks, "SPARSE_SCORES", 7)


@pytest.fixture(params=[-1.0, 2.0], ids=["double", "single"])
def precision(request, monkeypatch):
    """Either precision of the blocks, whatever share of the pairs it leaves in doubt."""
    monkeypatch.setattr(comparison, "MOST_IN_DOUBT", request.param)


@pytest.mark.usefixtures("small_blocks", "precision")
@pytest.mark.parametrize("metric", ["euclidean", "inner_product", "cosine"])
def test_embeddings_equal_score_matrix(metric):
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


def fraction_ranks(test, references, labels, owner, metric):
    """Wins and ties in exact rational arithmetic; a class scores as its best reference."""
    test, references = ([[Fraction(float(v)) for v in row] for row in array] for array in (test, references))
    n_classes = max(owner) + 1
    wins, ties = [], []
    for x, label in zip(test, labels, strict=True):
        best = [None] * n_classes
        for r, c in zip(references, owner, strict=True):
            dot, square = sum(a * b for a, b in zip(x, r, strict=True)), sum(b * b for b in r)
            key = {"euclidean": 2 * dot - square, "inner_product": dot, "cosine": dot * abs(dot) / square}[metric]
            best[c] = key if best[c] is None else max(best[c], key)
        wins.append(sum(b < best[label] for b in best))
        ties.append(sum(b == best[label] for b in best) - 1)
    return wins, ties


def near_ties(kind, dtype, rng, n_test=12, n_references=9, n_features=5):
    """Test points and references with scores that differ in the last bits, or not at all."""
    shape = (n_references, n_features)
    test = rng.normal(size=(n_test, n_features)).astype(dtype)
    if kind == "integers":
        test = rng.integers(-3, 4, test.shape).astype(dtype)
        references = rng.integers(-3, 4, shape).astype(dtype)
    elif kind == "counts":
        test = rng.integers(0, 3, test.shape).astype(dtype)
        references = rng.integers(0, 3, shape).astype(dtype)
    elif kind == "mirrored":
        references = (test[0] + rng.normal(size=shape)).astype(dtype)
        references[1::2] = 2 * test[0] - references[: n_references // 2 * 2 : 2]
    elif kind == "neighbours":
        references = np.repeat(rng.normal(size=(1, n_features)).astype(dtype), n_references, axis=0)
        references = np.nextafter(references, rng.choice([-9.0, 9.0], shape).astype(dtype), dtype=dtype)
    elif kind == "tiny":
        test, references = test * dtype(1e-30), rng.integers(-2, 3, shape).astype(dtype) * dtype(1e-30)
    else:
        scale = 10.0 ** rng.integers(-12, 13, shape)
        references = (rng.normal(size=shape) * scale).astype(dtype)
    test[~test.any(axis=1)] = 1
    references[~references.any(axis=1)] = 1
    return test, references


@pytest.mark.usefixtures("small_blocks", "precision")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", "inner_product", "cosine"])
@pytest.mark.parametrize("kind", ["integers", "counts", "mirrored", "neighbours", "tiny", "wild"])
def test_equals_exact_arithmetic_on_near_ties(kind, metric, dtype, monkeypatch):
    """By products and by differences, of which `FEWER` decides."""
    rng = np.random.default_rng(8)
    for _ in range(2):
        test, references = near_ties(kind, dtype, rng)
        for owner in (np.arange(9), np.array([0, 1, 2, 0, 1, 2, 2, 1, 2])):
            labels = np.concatenate([np.arange(owner.max() + 1)] * 4)[:12]
            expected = fraction_ranks(test, references, labels, owner, metric)
            inputs = [(test, references)]
            if metric != "euclidean":
                inputs.append((sparse.csr_array(test), sparse.csr_matrix(references)))
            for points, exemplars in inputs:
                for named, fewer in product((owner, None)[: 1 + (owner.size == owner.max() + 1)], (0, 16)):
                    monkeypatch.setattr(comparison, "FEWER", fewer)
                    ranks = cx.correct_ranks_from_embeddings(points, exemplars, labels, named, metric)
                    np.testing.assert_array_equal([ranks.wins, ranks.ties], expected)


def test_exact_comparison_beyond_double_precision():
    """Differences of 2^-106 of the size of the terms are seen."""
    e = 2.0**-53
    points = np.array([[1.0, 1.0]])
    references = np.array([[1 + 2 * e, e * e], [1 + 2 * e, 0.0], [1.0, 2 * e]])
    pairs = np.zeros(3, dtype=np.int64), np.array([0, 1, 1]), np.array([1, 0, 2])
    assert exact_signs(points, references, pairs, "inner_product").tolist() == [1, -1, 0]
    # squared distances from (1, 1): 4e^2 + (1 - e^2)^2 < 4e^2 + 1, and 1 + 4e^2 > (1 - 2e)^2
    assert exact_signs(points, references, pairs, "euclidean").tolist() == [1, -1, -1]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("size", [1e-160, 1e-170])
def test_subnormal_numbers_are_compared_exactly(kind, size):
    test = np.array([[size, 0.0], [0.0, 1.0]])
    references = np.array([[2e-160, 0.5], [1e-160, 0.5]])
    ranks = cx.correct_ranks_from_embeddings(kind(test), kind(references), [0, 1], metric="inner_product")
    assert ranks.wins.tolist() == [1, 0]
    assert ranks.ties.tolist() == [0, 1]


@pytest.mark.parametrize("metric", ["inner_product", "cosine"])
@pytest.mark.parametrize("scores", [50, 2**19])
@pytest.mark.parametrize("signed", [False, True])
def test_sparse_embeddings_equal_score_matrix(metric, scores, signed, monkeypatch):
    """Blocks of a few references and of all, the references of a class side by side or not."""
    monkeypatch.setattr(blocks, "SPARSE_SCORES", scores)
    rng = np.random.default_rng(15)
    shape = (60, 30)
    test, references = (rng.integers(-3 if signed else 0, 4, shape) * (rng.random(shape) < 0.2) for _ in range(2))
    test[:, 0], references[:, 0] = 1, 2
    matrix = test @ references.T
    if metric == "cosine":
        # integers in the order of cosines: the scores' squares times the least common multiple of squared norms
        square = (references**2).sum(axis=1).tolist()
        common = math.lcm(*square)
        whole = [[int(v) * abs(int(v)) * (common // s) for v, s in zip(row, square, strict=True)] for row in matrix]
        order = {v: i for i, v in enumerate(sorted({v for row in whole for v in row}))}
        matrix = np.array([[order[v] for v in row] for row in whole])
    points, exemplars = sparse.csr_array(test), sparse.csr_array(references)
    for owner in (None, np.arange(60) // 2, np.arange(60) % 30):
        by_class = matrix if owner is None else np.stack([matrix[:, owner == c].max(axis=1) for c in range(30)], axis=1)
        labels = np.arange(60) % by_class.shape[1]
        expected = cx.correct_ranks(by_class, labels)
        got = cx.correct_ranks_from_embeddings(points, exemplars, labels, owner, metric)
        np.testing.assert_array_equal(got.wins, expected.wins)
        np.testing.assert_array_equal(got.ties, expected.ties)
        np.testing.assert_allclose(got.distractors.beaten, expected.distractors.beaten, rtol=1e-13)


def test_large_single_precision_values_do_not_overflow():
    test = np.array([[3e30, 0, 0, 0, 0], [0, 3e30, 0, 0, 0]], dtype=np.float32)
    assert cx.correct_ranks_from_embeddings(test, test, [0, 1]).wins.tolist() == [1, 1]


def test_mean_of_several_references():
    rng = np.random.default_rng(9)
    references, test = rng.normal(size=(20, 6)), rng.normal(size=(8, 6))
    owner = np.arange(20) % 4
    labels = np.arange(8) % 4
    means = np.stack([references[owner == c].mean(axis=0) for c in range(4)])
    expected = cx.correct_ranks_from_embeddings(test, means, labels)
    for kind in (np.asarray, sparse.csr_array):
        metric = "euclidean" if kind is np.asarray else "inner_product"
        expected = cx.correct_ranks_from_embeddings(test, means, labels, metric=metric)
        got = cx.correct_ranks_from_embeddings(
            kind(test), kind(references), labels, owner, metric=metric, aggregate="mean"
        )
        np.testing.assert_array_equal(got.wins, expected.wins)


def test_scores_from_a_function():
    rng = np.random.default_rng(10)
    references, test = rng.normal(size=(6, 2)), rng.normal(size=(9, 2))
    labels, owner = np.arange(9) % 3, np.arange(6) % 3

    def manhattan(points, exemplars):
        return -np.abs(points[:, np.newaxis] - exemplars).sum(axis=2)

    scores = manhattan(test, references)
    best = np.maximum(scores[:, :3], scores[:, 3:])
    got = cx.correct_ranks_from_embeddings(test, references, labels, owner, manhattan)
    np.testing.assert_array_equal(got.wins, cx.correct_ranks(best, labels).wins)
    single = cx.correct_ranks_from_embeddings(test, references[:3], labels, metric=manhattan)
    np.testing.assert_array_equal(single.wins, cx.correct_ranks(scores[:, :3], labels).wins)
    with pytest.raises(ValueError, match=r"scores that metric returns must have shape \(9, 3\), but have \(1, 1\)"):
        cx.correct_ranks_from_embeddings(test, references[:3], labels, metric=lambda *_: np.ones((1, 1)))


def test_mirrored_references_tie():
    got = cx.correct_ranks_from_embeddings([[0.1, 0.3], [0.1, -0.3]], [[0.1, 0.7], [0.1, -0.7]], [0, 1])
    assert got.wins.tolist() == [1, 1]
    level = cx.correct_ranks_from_embeddings([[0.1, 0.0], [0.1, 0.0]], [[0.1, 0.7], [0.1, -0.7]], [0, 1])
    assert level.ties.tolist() == [1, 1]


def test_no_row_of_scores_is_counted_as_none():
    """A block of scores may have no row: a gallery's part in which no test point is enrolled."""
    assert count_scores(np.empty((0, 7)), np.empty(0, np.int64), 3).shape == (2, 0, 3)
