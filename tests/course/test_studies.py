"""Stored studies in the package: whole tables, and those that pages show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from classex_book import load_study
from classex_book.studies import study_names

ROOT = Path(__file__).parents[2]


def test_stored_tables_are_whole():
    for name in study_names():
        rows = load_study(name)
        assert rows, name
        assert all(None not in row and None not in row.values() for row in rows), name


def test_the_package_holds_what_pages_show_and_nothing_else():
    pages = [*(ROOT / "notebooks").glob("*.md"), *(ROOT / "book").glob("*.md")]
    shown = {
        name for page in pages for name in re.findall(r'load_study\("([^"]+)"\)', page.read_text(encoding="utf-8"))
    }
    assert shown == set(study_names())


@pytest.mark.parametrize("name", ["", "faces", "faces/none", "../faces/rmse", "faces/rmse.csv"])
def test_an_unknown_study_is_named_with_those_there_are(name):
    with pytest.raises(ValueError, match=r"^name must be one of attempts/counts, .*, not "):
        load_study(name)
