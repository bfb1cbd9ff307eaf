"""The reference of the library by workflow: every public name on exactly one page, nothing private, tasks on top."""

from __future__ import annotations

import re
from doctest import SKIP, DocTestParser
from pathlib import Path
from types import ModuleType

from classex_sphinx.reference import (
    MARKER,
    contents,
    insert_reference,
    markers_of,
    public_names,
    value_of,
    write_reference,
)

import classex
import classex.io
import classex_book

ROOT = Path(__file__).parents[2]
MARKERS = markers_of(ROOT)
PAGES = contents(MARKERS)


def names_of(page: str) -> list[str]:
    return [name for names in PAGES[page].values() for name in names]


def test_every_public_name_stands_on_exactly_one_page():
    shown = [name for page in PAGES for name in names_of(page)]
    assert sorted(shown) == sorted(name for names in public_names().values() for name in names)
    assert len(set(shown)) == len(shown) > 150
    for name in classex.__all__:
        value = getattr(classex, name)
        if isinstance(value, ModuleType):
            members = (getattr(value, member) for member in value.__all__)
            if any(callable(member) and member.__module__.startswith(value.__name__) for member in members):
                assert f"classex.{name}" in public_names()
        elif callable(value):
            assert f"classex.{name}" in shown
    parts = (getattr(classex_book, name) for name in classex_book.__all__)
    for part in (classex_book, *(part for part in parts if isinstance(part, ModuleType))):
        assert {f"{part.__name__}.{name}" for name in part.__all__ if callable(getattr(part, name))} <= set(shown)


def test_a_page_opens_with_tasks_and_holds_an_entry_for_every_name():
    documented = {name for names in public_names().values() for name in names}
    for page in MARKERS:
        text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
        head = MARKER.split(text)[0]
        assert re.match(r"\(api-[a-z-]+\)=\n# \S", text), page
        assert len(re.findall(r"^\| (?!I want|:--).+ \| .*\{(?:func|class)\}`", head, re.MULTILINE)) >= 2, page
        assert set(re.findall(r"\{(?:func|class)\}`([^`]+)`", text)) <= documented, page
        written = write_reference(PAGES[page])
        assert all(f":: {name}\n" in written and f"\n   {name}\n" in written for name in names_of(page)), page


def test_every_public_name_has_an_example_that_runs():
    for name in (name for names in public_names().values() for name in names):
        examples = DocTestParser().get_examples(value_of(name).__doc__ or "")
        assert examples, f"{name} has no example"
        assert not [example for example in examples if SKIP in example.options], f"an example of {name} is skipped"


class Book:
    """As much of Sphinx as the insertion needs."""

    srcdir = ROOT


def test_the_marker_is_replaced_where_it_stands_alone():
    text = (ROOT / "book" / "api" / "curves.md").read_text(encoding="utf-8")
    page = [f"{text}\nThe end."]
    insert_reference(Book(), "book/api/curves", page)
    assert not MARKER.search(page[0])
    assert "## `classex.curves`" in page[0]
    assert page[0].endswith("\nThe end.")
    untouched = ["# Title\n\nThe line % classex-api: curves in a sentence."]
    insert_reference(Book(), "other", untouched)
    assert "% classex-api: curves in" in untouched[0]
