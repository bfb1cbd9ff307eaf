"""The census table: what is shipped, and that correctness counts its cells."""

from __future__ import annotations

import csv
import io
import sys
import tarfile
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import classex as cx
from classex_book.data import load_census

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture(scope="module")
def census():
    return load_census()


@pytest.fixture(scope="module")
def build():
    sys.path.insert(0, str(SCRIPTS))
    try:
        yield import_module("build_census")
    finally:
        sys.path.remove(str(SCRIPTS))


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


def test_ties_as_losses_count_unique_people_and_small_cells(census):
    own = sizes_of_cells(census.codes[:, :10])[1]
    losses = cx.ranks_from_wins(own.size - own, own.size)
    assert cx.accuracy_curve(losses, own.size).accuracy[0] == pytest.approx((own == 1).mean(), rel=1e-9)
    assert cx.accuracy_curve(losses, own.size, top=4).accuracy[0] == pytest.approx((own < 5).mean(), rel=1e-9)


def test_numbers_of_cells_as_embeddings_give_the_same_wins_and_ties(census):
    rows = census.codes[np.random.default_rng(1).choice(len(census.codes), 400, replace=False), :5]
    number, size = np.unique(rows, axis=0, return_inverse=True, return_counts=True)[1:]
    cell, own = number.reshape(-1, 1), size[number.ravel()]
    ranks = cx.correct_ranks_from_embeddings(cell, cell, np.arange(len(cell)))
    assert np.array_equal(ranks.wins, len(cell) - own)
    assert np.array_equal(ranks.ties, own - 1)


def test_the_script_codes_a_small_package(build, tmp_path):
    people = [["7", "34", "Male", "95"], ["10", "34", "Female", "95"], ["2", "33", "Male", "94"]]
    rows = []
    for age, weeks, sex, year in people:
        row = ["x"] * build.N_COLUMNS
        row[build.ATTRIBUTES["age"]], row[build.ATTRIBUTES["weeks worked"]] = age, weeks
        row[build.ATTRIBUTES["sex"]], row[build.YEAR] = sex, year
        rows.append(row)
    package = tmp_path / "package.tar.gz"
    with tarfile.open(package, "w:gz") as archive:
        for part, some in (("train", rows[:1]), ("test", rows[1:])):
            text = io.StringIO()
            csv.writer(text).writerows(some)
            data = text.getvalue().encode()
            entry = tarfile.TarInfo(f"package/{build.TABLE.format(part)}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    target = tmp_path / "census.npz"
    build.build(package, target)
    with np.load(target, allow_pickle=False) as stored:
        codes = dict(zip(build.ATTRIBUTES, stored["codes"], strict=True))
    assert codes["sex"].tolist() == [0, 1]  # sorted: the woman first
    assert codes["age"].tolist() == [1, 0]  # 7 comes before 10
    assert codes["weeks worked"].tolist() == [0, 0]  # the year 1994 is left out
