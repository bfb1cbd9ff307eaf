"""The map of the sources: complete, without dead labels or names, and written as cross references."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from classex_sphinx.reference import public_names
from classex_sphinx.source_map import COLUMNS, DATA, SOURCES, read_items, reference, write_map

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


@pytest.fixture(scope="module")
def items():
    return read_items(ROOT / DATA)


@pytest.fixture(scope="module")
def labels():
    """Every label that a page of the book defines."""
    pattern = re.compile(
        r"^\((.+)\)=$|^:label: (\S+)$|^\$\$ \(([^)]+)\)$|figure: \{name: ([\w-]+)|^:name: (\S+)$", re.MULTILINE
    )
    pages = [*(ROOT / "book").glob("*.md"), *(ROOT / "notebooks").glob("*.md")]
    return {next(filter(None, groups)) for page in pages for groups in pattern.findall(page.read_text("utf-8"))}


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


def test_ranges_expand():
    assert list(expand("2.9-2.11 1-2 A.1 3")) == ["2.9", "2.10", "2.11", "1", "2", "A.1", "3"]


@pytest.mark.parametrize(("source", "kind"), NUMBERED)
def test_every_numbered_item_has_its_row(items, source, kind):
    listed = [item["number"] for item in items if (item["source"], item["kind"]) == (source, kind)]
    assert sorted(listed) == sorted(expand(NUMBERED[source, kind]))


def test_nothing_is_listed_that_a_source_does_not_have(items):
    kinds = {(item["source"], item["kind"]) for item in items if item["kind"] not in UNNUMBERED}
    assert kinds - set(NUMBERED) == {("slides", "lemma")}
    assert {item["source"] for item in items} == set(SOURCES)


def test_every_item_says_what_it_is_and_where_it_went(items):
    for item in items:
        assert item["what"], item
        assert item["places"], item
        assert "|" not in "".join(item.values())


def test_every_place_exists(items, labels):
    assert len(labels) > 100
    assert {label for item in items for label in item["places"].split()} <= labels


def test_every_name_is_in_the_reference_of_the_library(items):
    documented = {full for names in public_names().values() for full in names}
    for name in {name for item in items for name in item["names"].split()}:
        full = f"classex.{name}"
        module, _, attribute = full.rpartition(".")
        assert callable(getattr(import_module(module), attribute)), full
        assert full in documented, f"{full} has no entry in the reference"


def test_every_correction_is_on_the_errata_page_and_all_of_them_are_mapped(items):
    page = (ROOT / "book" / "errata.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| ([A-Z]\d+) \|", page, re.MULTILINE))
    mapped = {number for item in items for number in item["errata"].split()}
    assert mapped <= listed
    # a dimension and a report of another paper belong to no item
    assert listed - mapped == {"D7", "E9"}


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("eq:ch1-ata", "{eq}`eq:ch1-ata`"),
        ("thm-ch3-moment", "{prf:ref}`thm-ch3-moment`"),
        ("fig-ch1-toy", "{numref}`fig-ch1-toy`"),
        ("ch-advantage", "{numref}`Chapter %s <ch-advantage>`"),
        ("lab-faces", "{ref}`lab <lab-faces>`"),
        ("errata", "{ref}`errata <errata>`"),
    ],
)
def test_places_become_references(label, role):
    assert reference(label) == role


def test_a_label_of_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="'sec-one' begins like none"):
        reference("sec-one")


def test_a_table_with_other_columns_is_refused(tmp_path):
    path = tmp_path / "map.csv"
    path.write_text("source,kind\nthesis,equation\n", encoding="utf-8")
    with pytest.raises(ValueError, match="must have the columns source, kind"):
        read_items(path)


def test_the_map_has_one_row_for_each_item(items):
    text = write_map(items)
    assert len(re.findall(r"^\| (?!item)", text, re.MULTILINE)) == len(items)
    row = dict.fromkeys(COLUMNS, "") | {"source": "thesis", "kind": "equation", "number": "2.5", "what": "count"}
    row |= {"places": "eq:ch1-ata lab-faces", "names": "curves.mean_ordered_costs", "errata": "R2"}
    assert (
        "| equation 2.5 | count | {eq}`eq:ch1-ata`, {ref}`lab <lab-faces>`; {ref}`corrected <errata>`: R2 "
        "| {py:obj}`~classex.curves.mean_ordered_costs` |"
    ) in write_map([row])
