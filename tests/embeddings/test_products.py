"""Products compared as they are made: against plain loops, and against the other ways to the same integers."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex import _loops
from classex.ranks import _blocks as blocks
from classex.ranks import comparison
from classex.ranks.inputs import ClassesOfReferences

pytestmark = pytest.mark.compiler


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Compile for inputs of any size."""
    monkeypatch.setattr(_loops, "FEW", 0)


def embeddings(n: int, k: int, d: int, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n + k + d)
    references = rng.normal(size=(k, d)).astype(dtype)
    labels = rng.integers(0, k, n)
    return references[labels] + rng.normal(size=(n, d)).astype(dtype), references, labels


@pytest.mark.parametrize(("n", "k", "d", "n_groups"), [(1, 2, 1, 2), (6, 31, 3, 31), (7, 65, 2, 65), (9, 200, 5, 37)])
def test_tiles_equal_plain_counting(n, k, d, n_groups):
    from classex._loops.products import TILE, count_tiles, pack_tiles, recount_tiles

    rng = np.random.default_rng(k)
    # small whole numbers: sums without rounding, and many ties
    points, references = (rng.integers(-2, 3, (rows, d)).astype(np.float32) for rows in (n, k))
    offset = rng.integers(0, 3, k).astype(np.float32)
    score = points @ references.T - offset
    own = rng.integers(0, k, n)
    low = score[np.arange(n), own]
    high = low + 1
    shape = (-(-n_groups // TILE), -(-k // n_groups))
    packed = np.empty((*shape, d, TILE), dtype=np.float32)
    start = np.empty((*shape, TILE), dtype=np.float32)
    pack_tiles(references, offset, n_groups, packed, start)
    below = np.empty((n, shape[0] * TILE), dtype=np.int32)
    between = np.empty((n, shape[0]), dtype=np.int32)
    flat = packed.ravel(), start.ravel(), (n, *shape, d), low, high
    count_tiles(points.ravel(), *flat, below.ravel(), between.ravel())
    beaten = np.zeros((n, n_groups), dtype=np.int32)
    np.add.at(beaten.T, np.arange(k) % n_groups, (score < low[:, np.newaxis]).T)
    np.testing.assert_array_equal(below[:, :n_groups], beaten)
    assert not below[:, n_groups:].any()
    inside = (score >= low[:, np.newaxis]) & (score <= high[:, np.newaxis])
    tile = np.arange(k) % n_groups // TILE
    for place in range(shape[0]):
        np.testing.assert_array_equal(between[:, place], inside[:, tile == place].sum(axis=1))
    inside[np.arange(n), own] = False
    for room in (0, 2, int(inside.sum())):
        # spoilt counts of tiles in doubt are mended, and those of the others stay
        spoilt = below + np.repeat(between > (tile[own, np.newaxis] == np.arange(shape[0])), TILE, axis=1)
        listed = np.full((room, 2), -1)
        found = recount_tiles(points, packed, start, low, high, own, n_groups, spoilt, between, listed)
        assert found == inside.sum()
        np.testing.assert_array_equal(spoilt, below)
        listed = listed[: min(room, found)]
        assert len(set(map(tuple, listed))) == listed.shape[0]
        assert inside[listed[:, 0], listed[:, 1]].all()


def test_many_pairs_in_doubt_are_listed_and_settled(monkeypatch):
    # whatever the share in doubt, products in single precision keep the method
    monkeypatch.setattr(comparison, "MOST_IN_DOUBT", 2.0)
    rng = np.random.default_rng(3)
    references = rng.integers(-1, 2, (700, 4)).astype(float)
    labels = rng.integers(0, 700, 200)
    test = references[labels] + rng.integers(-1, 2, (200, 4))
    ranks = cx.correct_ranks_from_embeddings(test, references, labels)
    square = ((test[:, np.newaxis] - references) ** 2).sum(axis=2)
    own = square[np.arange(200), labels][:, np.newaxis]
    np.testing.assert_array_equal(ranks.wins, (square > own).sum(axis=1))
    np.testing.assert_array_equal(ranks.ties, (square == own).sum(axis=1) - 1)
    assert ranks.ties.sum() > 4096


def test_far_references_leave_the_products():
    test, references, labels = embeddings(50, 300, 6)
    references[7] *= 1e9
    compared = comparison.Comparison(
        test, references, labels, ClassesOfReferences(None, 300), "euclidean", largest=1e10
    )
    assert not isinstance(compared.scores, blocks.MatrixProduct)
    ranks = cx.correct_ranks_from_embeddings(test, references, labels)
    square = ((test[:, np.newaxis] - references) ** 2).sum(axis=2)
    np.testing.assert_array_equal(ranks.wins, (square > square[np.arange(50), labels][:, np.newaxis]).sum(axis=1))
