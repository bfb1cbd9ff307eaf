"""The map of the sources: every numbered item has its row, with a place in the book."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# what the sources number, read off their text; "2.1-2.7" stands for 2.1, 2.2, ..., 2.7
NUMBERED = {
    ("thesis", "equation"): "2.1-2.7 3.1-3.13",
    ("thesis", "figure"): "1.1 2.1-2.4 3.1-3.2",
    ("thesis", "theorem"): "2.4.1 2.5.1-2.5.2 3.3.1 3.4.1 4.3.1-4.3.2 1",
    ("thesis", "lemma"): "2.5.1 4.3.1-4.3.2 1",
    ("thesis", "definition"): "3.2.1",
    ("thesis", "assumption"): "1",
    ("draft2016", "equation"): "1-14",
    ("draft2016", "figure"): "1-6",
    ("draft2016", "theorem"): "3.1",
    ("draft2016", "lemma"): "A.1",
    ("journal", "equation"): "1-22",
    ("journal", "figure"): "1-10",
    ("journal", "table"): "1-3",
    ("journal", "theorem"): "1",
    ("journal", "lemma"): "1",
    ("journal", "definition"): "1-2",
    ("draft2017", "equation"): "1-14",
    ("draft2017", "figure"): "1-12",
    ("draft2017", "table"): "1",
    ("draft2017", "theorem"): "4.1",
    ("draft2017", "definition"): "2.1",
}
# procedures, displays and slides without a number
UNNUMBERED = {"section", "algorithm", "slide"}
SOURCES = {
    "The thesis": "thesis",
    "The draft of November 2016": "draft2016",
    "The journal version": "journal",
    "The draft of April 2017": "draft2017",
    "The slides": "slides",
}


PAGE = (ROOT / "book" / "source_map.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows():
    """Source, kind and number of every item, and the other cells of its row."""
    found = []
    for title, *sections in (part.split("\n") for part in PAGE.split("\n## ")[1:]):
        for item, *cells in re.findall(r"^\| (.*?) \| (.*?) \| (.*?) \| (.*?) ?\|$", "\n".join(sections), re.MULTILINE):
            kind, _, number = (
                item.partition(" ") if SOURCES[title] != "slides" or "lemma" in item else ("slide", "", item)
            )
            if item != "item":
                found.append((SOURCES[title], kind, number, cells))
    return found


def expand(ranges):
    """Numbers that a list of numbers and ranges stands for."""
    for part in ranges.split():
        first, _, last = part.partition("-")
        prefix, _, start = first.rpartition(".")
        stop = last.rpartition(".")[2] if last else start
        if not last:
            yield first
        else:
            yield from (f"{prefix}.{i}".removeprefix(".") for i in range(int(start), int(stop) + 1))


def test_every_numbered_item_has_its_row_and_no_other(rows):
    for source, kind in NUMBERED:
        listed = [number for where, what, number, _ in rows if (where, what) == (source, kind)]
        assert sorted(listed) == sorted(expand(NUMBERED[source, kind])), (source, kind)
    kinds = {(source, kind) for source, kind, _, _ in rows if kind not in UNNUMBERED}
    assert kinds - set(NUMBERED) == {("slides", "lemma")}
    assert {source for source, *_ in rows} == set(SOURCES.values())


def test_every_correction_is_on_the_errata_page_and_all_of_them_are_mapped(rows):
    page = (ROOT / "book" / "errata.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| ([A-Z]\d+) \|", page, re.MULTILINE))
    corrected = [places.partition("{ref}`corrected <errata>`: ")[2] for *_, (_, places, _) in rows]
    mapped = {number for numbers in corrected for number in numbers.split(", ") if number}
    assert mapped <= listed
    # a dimension and a report of another paper belong to no item
    assert listed - mapped == {"D7", "E9"}
