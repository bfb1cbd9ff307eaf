"""The typefaces: what is shipped, and the scores of the script against a plain Gaussian likelihood."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from classex_book.data import load_typefaces

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture(scope="module")
def faces():
    return load_typefaces()


@pytest.fixture(scope="module")
def listed():
    with (SCRIPTS / "typefaces.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_names_and_groups_belong_to_the_scores(faces, listed):
    assert faces.mated.shape == (300, 300)
    assert faces.nonmated.shape == (196, 300)
    for role, names, groups in (
        ("enrolled", faces.names, faces.groups),
        ("stranger", faces.nonmated_names, faces.nonmated_groups),
    ):
        assert [row["group"] for row in listed if row["role"] == role] == groups.tolist()
        assert len(set(names.tolist())) == names.size
    assert not set(faces.names.tolist()) & set(faces.nonmated_names.tolist())
    assert len({row["file"] for row in listed}) == len(listed) == 606


def test_most_searches_find_their_typeface(faces):
    assert (faces.mated.argmax(axis=1) == np.arange(300)).mean() > 0.95
    # a stranger's best score is seldom as high as a typeface's own
    own, best = np.diag(faces.mated), faces.nonmated.max(axis=1)
    assert (best[:, np.newaxis] < own).mean() > 0.95


def test_licences_name_every_package(listed):
    data = files("classex_book") / "data"
    licences = (data / "TYPEFACES-LICENSES.md").read_text(encoding="utf-8")
    assert all(f"`{row['package']}`" in licences for row in listed)
    directories = {row["file"].split("/")[5] for row in listed if row["package"] == "texlive-fonts-extra"}
    assert all(f"`{name}`" in licences for name in directories)
    assert len((data / "typefaces.npz").read_bytes()) < 500_000
