"""The census table: what is shipped, and that correctness counts its cells."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex_book.data import load_census


@pytest.fixture(scope="module")
def census():
    return load_census()


def sizes_of_cells(rows):
    number, size = np.unique(rows, axis=0, return_inverse=True, return_counts=True)[1:]
    return size, size[number.ravel()]


def test_every_code_is_a_value(census):
    assert census.codes.shape == (149_642, len(census.attributes)) == (149_642, 14)
    for codes, values in zip(census.codes.T, census.values, strict=True):
        assert np.array_equal(np.unique(codes), np.arange(len(values)))
    assert census.values[census.attributes.index("age")] == tuple(str(age) for age in range(91))


def test_an_age_is_its_own_code_and_children_have_no_occupation(census):
    age, occupation = (census.codes[:, census.attributes.index(name)] for name in ("age", "occupation"))
    assert not occupation[age < 15].any()
    assert census.words(0)[census.attributes.index("age")] == str(age[0])


@pytest.mark.parametrize("known", [5, 10, 14])
def test_correctness_is_the_number_of_cells_over_the_number_of_people(census, known):
    cells, own = sizes_of_cells(census.codes[:, :known])
    n = own.size
    found = cx.accuracy_curve(cx.ranks_from_wins(n - own, n, ties=own - 1), [2, n]).accuracy
    assert found[1] == pytest.approx(cells.size / n, rel=1e-9)
    # two people share a cell with probability sum s (s - 1) / (n (n - 1)), and then half of the links are right
    assert found[0] == pytest.approx(1 - (cells / n * ((cells - 1) / (n - 1))).sum() / 2, rel=1e-9)
