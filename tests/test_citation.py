"""The references that the book offers agree with ``CITATION.cff`` and with the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import classex

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def citation():
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def entries():
    """BibTeX entries of the page, by key: their kind and fields."""
    page = (ROOT / "book" / "how_to_use.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```bibtex\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    found = {}
    for kind, key, body in re.findall(r"@(\w+)\{(\w+),\n(.*?)\n\}", block, re.DOTALL):
        fields = re.findall(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", body, re.MULTILINE)
        found[key] = {"kind": kind, **{name: re.sub(r"[{}]", "", value) for name, value in fields}}
    return found


def names(people):
    return " and ".join(
        person["name"] if "name" in person else f"{person['family-names']}, {person['given-names']}"
        for person in people
    )


def test_the_work_itself(citation, entries):
    entry = entries["classex"]
    assert entry["title"] == citation["title"]
    assert entry["author"] == names(citation["authors"])
    assert entry["version"] == str(citation["version"]) == classex.__version__
    configuration = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    assert entry["year"] == configuration["copyright"]


def test_the_original_work(citation, entries):
    by_title = {entry["title"]: entry for entry in entries.values()}
    for reference in citation["references"]:
        entry = by_title[reference["title"]]
        assert entry["author"] == names(reference["authors"])
        assert entry["year"] == str(reference["year"])
        if reference["type"] == "article":
            assert (entry["kind"], entry["journal"]) == ("article", reference["journal"])
            assert entry["volume"] == str(reference["volume"])
        else:
            assert (entry["kind"], entry["school"]) == ("phdthesis", reference["institution"]["name"])
    assert len(entries) == 1 + len(citation["references"])
