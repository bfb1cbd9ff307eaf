"""Accuracy over subsets of classes and of examples: enumeration, the plain curve, and classes left out."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import classex as cx
from classex.curves import accuracy_surface
from classex.curves.examples import surface_deviations

SHARES = {"few": (2, 4), "equal": (3, 4)}


def enumerated(similarities, labels, example_labels, k, r):
    """Mean over every subset of k classes and of r examples of each, and over classes of the test points."""
    columns = {c: np.flatnonzero(example_labels == c).tolist() for c in np.unique(example_labels)}
    found = {c: [] for c in np.unique(labels)}
    for row, truth in zip(similarities, labels, strict=True):
        means = []
        for others in combinations([c for c in columns if c != truth], k - 1):
            right = []
            for kept in product(*(combinations(columns[c], r) for c in (truth, *others))):
                best = np.array([row[list(one)].max() for one in kept])
                right.append((best[0] == best.max()) / (best == best.max()).sum())
            means.append(np.mean(right))
        found[truth].append(np.mean(means))
    return np.mean([np.mean(one) for one in found.values()])


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("counts", SHARES)
def test_agrees_with_enumeration(counts, tied):
    """Unequal numbers of examples, classes without test points, and ties, within classes and between them."""
    rng = np.random.default_rng(3)
    examples = rng.permutation(np.repeat(np.arange(5), rng.integers(*SHARES[counts], 5)))
    labels = np.array([0, 0, 1, 3, 4])
    shape = (labels.size, examples.size)
    similarities = rng.integers(0, 4, shape) if tied else rng.normal(size=shape)
    found = accuracy_surface(similarities, labels, examples, [1, 2, 3, 5], [1, 2])
    exact = [[enumerated(similarities, labels, examples, k, r) for r in (1, 2)] for k in (1, 2, 3, 5)]
    np.testing.assert_allclose(found.accuracy, exact, rtol=0, atol=1e-12)


def test_with_one_example_it_is_the_accuracy_curve():
    rng = np.random.default_rng(4)
    labels = np.repeat(np.arange(20), 2)
    scores = np.round(rng.normal(size=(40, 20)) + 1.5 * np.eye(20)[labels], 1)
    curve = cx.accuracy_curve(cx.correct_ranks(scores, labels))
    found = accuracy_surface(scores, labels, range(20), curve.n_classes, 1)
    np.testing.assert_allclose(found.accuracy[:, 0], curve.accuracy, atol=1e-12)
    np.testing.assert_allclose(found.standard_error[:, 0], curve.standard_error, atol=1e-10)


def test_standard_errors_up_to_half_are_those_of_leaving_out_each_class():
    rng = np.random.default_rng(5)
    examples, labels = np.repeat(np.arange(9), 3), np.repeat(np.arange(8), 2)  # class 8 is never tested
    similarities = rng.integers(0, 8, (16, 27)).astype(float)
    asked = [2, 3, 4], [1, 2, 3]
    parts = surface_deviations(similarities, labels, examples, *asked)[3]
    without = []
    for c in range(9):
        rows, columns = labels != c, examples != c
        less = similarities[np.ix_(rows, columns)]
        without.append(accuracy_surface(less, labels[rows], examples[columns], *asked).accuracy)
    expected = (np.mean(without, axis=0) - without) * np.sqrt(8 / 9)
    np.testing.assert_allclose(parts, expected, atol=1e-12)


def test_names_of_classes_and_what_is_printed():
    found = accuracy_surface([[3.0, 2.0], [1.0, 4.0], [1.0, 2.0]], ["a", "b", "b"], ["a", "b"])
    assert found.accuracy.tolist() == [[1.0]]
    assert [*found._table()] == ["n_classes", "n_examples", "accuracy", "standard_error", "low", "high"]
    assert np.isnan(accuracy_surface([[3.0, 2.0]], ["a"], ["a", "b"]).standard_error).all()


def test_at_most_fourteen_numbers_of_classes_and_eight_of_examples_are_computed_by_default():
    found = accuracy_surface(np.tile(np.arange(2_400.0) % 7, (2, 1)), [0, 1], np.arange(2_400) // 12)
    assert (found.n_classes.size, found.n_classes[[0, -1]].tolist()) == (14, [2, 200])
    assert found.n_examples.tolist() == [1, 2, 3, 4, 6, 8, 12]
