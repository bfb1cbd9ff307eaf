"""A gallery that contains the test points: each leaves itself out, against a plain loop."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

import classex as cx
from classex.ranks import ranks_from_neighbours


def gallery(rng, n=15, per_class=3, features=6):
    """Rows of noisy classes, the first of which stands there twice."""
    owner = np.repeat(np.arange(n), per_class)
    rows = np.repeat(rng.normal(size=(n, features)), per_class, axis=0) + 0.9 * rng.normal(size=(owner.size, features))
    rows[1] = rows[0]
    return rows, owner


def manhattan(points, references):
    return -cdist(points, references, "cityblock")


SCORES = {
    "euclidean": lambda a, b: -cdist(a, b, "sqeuclidean"),
    "inner_product": lambda a, b: a @ b.T,
    "cosine": lambda a, b: 1 - cdist(a, b, "cosine"),
    manhattan: manhattan,
}


@pytest.mark.parametrize("metric", SCORES)
@pytest.mark.parametrize("features", [6, 120])
def test_each_point_leaves_itself_out(metric, features):
    rows, owner = gallery(np.random.default_rng(0), features=features)
    scores = SCORES[metric](rows, rows)
    wins = []
    for row, label in enumerate(owner):
        left = np.delete(np.arange(owner.size), row)
        best = [scores[row, left][owner[left] == c].max() for c in range(15)]
        wins.append(np.sum(np.delete(best, label) < best[label]))
    found = cx.correct_ranks_from_embeddings(rows, rows, owner, owner, metric, exclude_self=True)
    assert found.wins.tolist() == wins
    assert not found.ties.any()


def test_exact_ties_without_the_point_itself():
    """On whole numbers, with many equal distances, the reference that is left out does not come back by exact looks."""
    rng = np.random.default_rng(2)
    rows, owner = rng.integers(0, 3, (60, 3)).astype(float), np.repeat(np.arange(20), 3)
    distance = cdist(rows, rows, "sqeuclidean")
    equal = (distance == 0) & (owner[:, np.newaxis] == owner)
    found = cx.correct_ranks_from_embeddings(rows, rows, owner, owner, exclude_self=True)
    for row, label in enumerate(owner):
        distance[row, equal[row].argmax()] = np.inf
        best = np.array([distance[row, owner == c].min() for c in range(20)])
        assert found.wins[row] == np.sum(best > best[label])
        assert found.ties[row] == np.sum(best == best[label]) - 1


def test_sparse_rows():
    rng = np.random.default_rng(3)
    rows, owner = (
        rng.integers(1, 3, (30, 40)) * (rng.random((30, 40)) < 0.1) + np.eye(30, 40),
        np.repeat(np.arange(10), 3),
    )
    dense = cx.correct_ranks_from_embeddings(rows, rows, owner, owner, "cosine", exclude_self=True)
    thin = sparse.csr_array(rows)
    found = cx.correct_ranks_from_embeddings(thin, thin, owner, owner, "cosine", exclude_self=True)
    assert (found.wins == dense.wins).all()
    assert (found.ties == dense.ties).all()


def whole_numbers(seed):
    """Rows with many equal distances, and for each its wins and ties by a plain loop over the other rows."""
    rng = np.random.default_rng(seed)
    rows, owner = rng.integers(0, 4, (72, 3)).astype(float), np.repeat(np.arange(18), 4)
    counts = []
    for row, label in enumerate(owner):
        distance = {
            c: min(np.sum((rows[row] - rows[i]) ** 2) for i in range(72) if owner[i] == c and i != row)
            for c in range(18)
        }
        others = [one for c, one in distance.items() if c != label]
        counts.append([sum(one > distance[label] for one in others), sum(one == distance[label] for one in others)])
    return rows, owner, np.array(counts).T


@pytest.mark.parametrize("chunks", [(72, 10), (25, 72), (10, 10)])
@pytest.mark.parametrize("metric", ["euclidean", lambda a, b: -cdist(a, b, "sqeuclidean")])
def test_dask_arrays(chunks, metric):
    da = pytest.importorskip("dask.array")
    rows, owner, (wins, ties) = whole_numbers(7)
    points, references = (da.from_array(rows, chunks=(n, 3)) for n in chunks)
    found = cx.correct_ranks_from_embeddings(points, references, owner, owner, metric, exclude_self=True)
    np.testing.assert_array_equal([found.wins, found.ties], [wins, ties])
    assert ties.max() > 2
    alone = np.append(owner[:-1], 18)
    for labels, who, message in (
        (alone, alone, "row 71 is the only reference of its class"),
        (np.roll(owner, 1), owner, r"row \d+ equals no reference of its class"),
        (np.arange(72), None, "exclude_self needs classes with several references"),
    ):
        with pytest.raises(ValueError, match=message):
            cx.correct_ranks_from_embeddings(points, references, labels, who, metric, exclude_self=True)


@pytest.mark.parametrize(("n_lost", "recall"), [(0, 1.0), (2, 0.8), (2, 0.5), (2, 0.0)])
def test_lists_of_neighbours_that_contain_the_point(n_lost, recall):
    """A list lacks some of its ten nearest, perhaps the point itself: the ranks lie between the ends."""
    rows, owner, (wins, ties) = whole_numbers(8)
    rng = np.random.default_rng(9)
    lists = np.argsort(cdist(rows, rows, "sqeuclidean"), axis=1, kind="stable")[:, :10]
    for one in lists:
        one[rng.choice(10, n_lost, replace=False)] = -1
    found = ranks_from_neighbours(rows, rows, owner, lists, owner, recall=recall, exclude_self=True)
    for low, exact, high in (
        (found.least.wins, wins, found.most.wins),
        (found.least.wins + found.least.ties, wins + ties, found.most.wins + found.most.ties),
    ):
        assert (low <= exact).all()
        assert (exact <= high).all()
    if recall == 1.0:
        distance = cdist(rows, rows, "sqeuclidean")
        np.fill_diagonal(distance, np.inf)
        best = np.where(owner == owner[:, np.newaxis], distance, np.inf).min(axis=1)
        surely = np.sum(distance <= best[:, np.newaxis], axis=1) < 9
        assert found.exact[surely].all()
        assert 10 < surely.sum() < 72
        with pytest.warns(UserWarning, match="72 of 72 test points equal a reference of their own class"):
            itself = ranks_from_neighbours(rows, rows, owner, lists, owner)
        assert itself.least.wins.mean() > wins.mean()
        with pytest.raises(ValueError, match="row 0 equals no reference of its class"):
            ranks_from_neighbours(rows + 9, rows, owner, lists, owner, exclude_self=True)


def test_equal_rows_draw_a_warning():
    """Not where a class has one reference, which no point could leave out, nor where rows differ in the last bit."""
    rows, owner = gallery(np.random.default_rng(4))
    with pytest.warns(
        UserWarning, match=r"45 of 45 test points equal a reference of their own class.*exclude_self=True"
    ):
        cx.correct_ranks_from_embeddings(rows, rows, owner, owner)
    mixed = np.concatenate([np.nextafter(rows[:40], 9), rows[40:]])
    with pytest.warns(UserWarning, match="5 of 45 test points equal"):
        cx.correct_ranks_from_embeddings(mixed, rows, owner, owner)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cx.correct_ranks_from_embeddings(np.nextafter(rows, 9), rows, owner, owner)
        cx.correct_ranks_from_embeddings(rows, rows, owner, np.roll(owner, 3))
        cx.correct_ranks_from_embeddings(rows[::3], rows[::3], range(15))
        cx.correct_ranks_from_embeddings(rows[::3], rows[::3], range(15), range(15))
