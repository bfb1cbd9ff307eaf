"""The table of contents: complete, without dead entries, in an order that agrees with the chapters' numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.book.visits import table_of_contents

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def entries():
    return table_of_contents()


def test_every_entry_is_a_file_and_stands_once(entries):
    assert [entry for entry in entries if not (ROOT / f"{entry}.md").is_file()] == []
    assert len(set(entries)) == len(entries)


@pytest.mark.parametrize("folder", ["notebooks", "book"])
def test_every_page_is_in_the_table_of_contents(entries, folder):
    pages = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / folder).rglob("*.md")}
    pages = {page for page in pages if not page.startswith("book/slides/")}  # the sources of slides are no pages
    assert pages <= set(entries)


def test_chapters_stand_in_their_order(entries):
    chapters = [entry for entry in entries if entry.startswith("notebooks/0")]
    assert chapters == sorted(chapters)
