"""Data frames as pandas makes them, by a stand-in: indexes, nullable columns, columns left over."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import classex as cx
from classex.ranks.scores import scores_and_labels

SCORES = np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3], [0.2, 0.1, 0.7], [0.1, 0.6, 0.3]])
NAMES = ["ant", "bee", "cat"]
LABELS = ["bee", "ant", "cat", "ant"]


class NAType:
    """Pandas' missing value: neither equal to anything nor a truth value."""

    def __eq__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    __hash__ = None


class Index:
    """The names of rows, as far as this package looks at them."""

    def __init__(self, names):
        self.names = list(names)

    def __len__(self):
        return len(self.names)

    @property
    def is_unique(self):
        return len(set(self.names)) == len(self.names)

    def equals(self, other):
        return self.names == other.names

    def isin(self, other):
        return np.isin(self.names, other.names)


class Series:
    """A column with an index."""

    def __init__(self, values, index=range(4), name=None):
        self.values, self.index, self.name = list(values), Index(index), name

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)

    @property
    def loc(self):
        return {index: Series([self.values[self.index.names.index(one)] for one in index.names]) for index in SOUGHT}


class Frame:
    """A frame with an index."""

    def __init__(self, values, columns=NAMES, index=range(4)):
        self.values, self.columns, self.index = values, list(columns), Index(index)
        SOUGHT[:] = [self.index]

    def to_numpy(self):
        return self.values


SOUGHT: list[Index] = []


def test_labels_are_put_in_the_order_of_the_frame(caplog):
    """Labels with the same index in another order: the accuracy fell from .59 to .18 without a word."""
    expected = scores_and_labels(Frame(SCORES), Series(LABELS))[1]
    assert expected.tolist() == [1, 0, 2, 0]
    order = [2, 0, 3, 1]
    shuffled = Series([LABELS[i] for i in order], order)
    with caplog.at_level(logging.INFO, logger="classex"):
        assert scores_and_labels(Frame(SCORES), shuffled)[1].tolist() == expected.tolist()
    assert caplog.messages == ["labels are put in the order of the index of scores"]
    assert scores_and_labels(Frame(SCORES), LABELS)[1].tolist() == expected.tolist()


def test_nullable_columns():
    """Frames of Int64, Float64 or boolean columns come as objects."""
    wide = SCORES.astype(object)
    wide[:, 1] = [1, 2, np.int64(3), True]
    np.testing.assert_array_equal(
        scores_and_labels(Frame(wide), Series(LABELS))[0], [[0.1, 1, 0.2], [0.5, 2, 0.3], [0.2, 3, 0.7], [0.1, 1, 0.3]]
    )


@pytest.mark.parametrize("name", ["label", "truth"])
def test_a_column_of_labels_left_over(name):
    """A numeric one would count as a class that beats the others."""
    for left in (LABELS, [1, 0, 2, 0]):
        wide = np.hstack([SCORES.astype(object), np.array(left, dtype=object)[:, np.newaxis]])
        with pytest.raises(ValueError, match=f"but '{name}' seems to hold labels: drop it"):
            cx.correct_ranks(Frame(wide, [*NAMES, name]), Series(left, name="truth"))


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        (Frame(SCORES, [f"{'long' * 2000} {i}" for i in range(3)]), ["x" * 10_000] * 4),
        (SCORES, ["x" * 10_000] * 4),
        ([["x" * 10_000]], [0]),
        ([[1, 2], [3] * 10_000], [0, 1]),
    ],
)
def test_messages_stay_short(scores, labels):
    with pytest.raises((ValueError, TypeError)) as caught:
        cx.correct_ranks(scores, labels, classes=None)
    assert len(str(caught.value)) <= 300
    for name, call in {
        "method": lambda: cx.extrapolate(SCORES, [0, 1, 2, 0], n_classes=9, method="x" * 10_000),
        "classes": lambda: cx.correct_ranks(SCORES, LABELS, classes=["x" * 10_000] * 3),
    }.items():
        with pytest.raises(ValueError, match=name) as caught:
            call()
        assert len(str(caught.value)) <= 300
