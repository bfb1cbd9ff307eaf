"""Embedding files: what is read, one clear error for everything else, and the split into references and tests."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.io import Embeddings, load_embeddings, split_references
from classex_book.models import VonMisesFisherClasses


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_npz_with_strings_and_with_integers(tmp_path):
    vectors = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    np.savez(tmp_path / "a.npz", embeddings=vectors, labels=np.array(["Noor", "Amelia", "Noor", "Liza"]), note="more")
    read = load_embeddings(tmp_path / "a.npz")
    assert read.names == ("Amelia", "Liza", "Noor")
    assert read.embeddings.dtype == np.float32
    np.testing.assert_array_equal(read.embeddings, vectors)
    np.testing.assert_array_equal(read.labels, [2, 0, 2, 1])
    np.savez(tmp_path / "b.npz", embeddings=vectors, labels=np.array([10, 9, 10, -3]))
    read = load_embeddings(str(tmp_path / "b.npz"))
    assert read.names == ("-3", "9", "10")
    np.testing.assert_array_equal(read.labels, [2, 1, 2, 0])
    assert read.n_classes == 3


def test_csv_finds_its_label_column_anywhere(tmp_path):
    read = load_embeddings(write(tmp_path / "a.csv", "x, label,y\n1.5,10,2\n\n-1e3,9,4\n"))
    np.testing.assert_array_equal(read.embeddings, [[1.5, 2], [-1000, 4]])
    assert read.names == ("9", "10")  # whole numbers are in the order of numbers
    np.testing.assert_array_equal(read.labels, [1, 0])
    assert load_embeddings(write(tmp_path / "b.csv", "label,x\nb7,1\n7,2\n")).names == ("7", "b7")


def test_pickled_objects_are_never_loaded(tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("unpickled",))

    np.savez(tmp_path / "a.npz", embeddings=np.eye(2), labels=np.array([Trap(), Trap()], dtype=object))
    with pytest.raises(ValueError, match="nothing is unpickled"):
        load_embeddings(tmp_path / "a.npz")


def test_every_class_gives_one_reference_and_the_rest_as_tests():
    labels = np.array([3, 0, 1, 0, 3, 3, 2, 2])  # class 1 has a single row
    data = Embeddings(np.arange(16.0).reshape(8, 2), labels, ("a", "b", "c", "d"))
    split = split_references(data, rng=3)
    assert split.names == ("a", "c", "d")
    np.testing.assert_array_equal(split.labels, [0, 1, 2, 2])
    used = np.concatenate([split.references, split.test])[:, 0] / 2
    np.testing.assert_array_equal(np.sort(used), [0, 1, 3, 4, 5, 6, 7])  # each row once, that of class 1 nowhere
    old = np.array([0, 2, 3])
    np.testing.assert_array_equal(labels[(split.references[:, 0] / 2).astype(int)], old)
    np.testing.assert_array_equal(labels[(split.test[:, 0] / 2).astype(int)], old[split.labels])


def test_every_row_is_equally_often_the_reference():
    """Three rows, 3,000 splits; z = 4."""
    data = Embeddings(np.arange(5.0).reshape(5, 1), np.array([0, 1, 0, 1, 0]), ("a", "b"))
    rng = np.random.default_rng(0)
    first = np.array([split_references(data, rng=rng).references[0, 0] for _ in range(3000)])
    for row in (0, 2, 4):
        assert abs((first == row).mean() - 1 / 3) < 4 * np.sqrt(2 / 9 / 3000)


def test_a_number_of_tests_can_be_asked_for():
    data = Embeddings(np.arange(9.0).reshape(9, 1), np.array([0, 0, 0, 1, 1, 1, 2, 2, 2]), ("a", "b", "c"))
    assert split_references(data, n_tests=1).test.shape == (3, 1)
    assert split_references(data, n_tests=2).test.shape == (6, 1)
    with pytest.raises(ValueError, match="one reference and 3 test points, but 0 of 3 have"):
        split_references(data, n_tests=3)
    with pytest.raises(ValueError, match="n_tests must be an integer of at least 1"):
        split_references(data, n_tests=0)


def test_scores_rank_as_the_streamed_ranks_do_and_find_the_known_accuracy(tmp_path):
    """From a file to an accuracy whose expectation is known exactly; z = 4, one test point a class."""
    model = VonMisesFisherClasses(n_features=16, concentration=30.0)
    drawn = model.sample(1500, rng=5)
    vectors = np.concatenate([drawn.points, drawn.references])
    np.savez(tmp_path / "faces.npz", embeddings=vectors, labels=np.tile(drawn.labels, 2))
    split = split_references(load_embeddings(tmp_path / "faces.npz"), n_tests=1)
    ranks = cx.correct_ranks(split.scores(), split.labels)
    streamed = cx.correct_ranks_from_embeddings(split.test, split.references, split.labels)
    np.testing.assert_array_equal(ranks.wins, streamed.wins)
    curve = cx.accuracy_curve(ranks, [20, 400])
    assert (np.abs(curve.accuracy - model.average_accuracy([20, 400])) < 4 * curve.standard_error).all()
