"""The reference of the library by workflow: every public name on exactly one page, nothing private, tasks on top."""

from __future__ import annotations

import re
from doctest import SKIP, DocTestParser
from pathlib import Path
from types import ModuleType

import pytest
from classex_sphinx.reference import (
    MARKER,
    contents,
    insert_reference,
    markers_of,
    public_names,
    shorten_defaults,
    skip_foreign_members,
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


def test_no_name_is_private():
    assert [name for page in PAGES for name in names_of(page) if re.search(r"\._", name)] == []


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


def test_the_first_page_leads_to_all_others():
    text = (ROOT / "book" / "api.md").read_text(encoding="utf-8")
    linked = {f"book/api/{name.replace('-', '_')}" for name in re.findall(r"\{ref\}`api-([a-z-]+)`", text)}
    assert linked == set(MARKERS)


def test_what_is_inherited_is_described_once_and_linked():
    page = write_reference({"classex.methods": ["classex.methods.ProbitNormal"]})
    assert "   :inherited-members: object, tuple, ValueError, AttributeError, BaseException, Method\n" in page
    assert "Has the methods of :py:obj:`~classex.methods.Method` too." in page


def test_every_public_name_has_an_example_that_runs():
    for name in (name for names in public_names().values() for name in names):
        examples = DocTestParser().get_examples(value_of(name).__doc__ or "")
        assert examples, f"{name} has no example"
        assert not [example for example in examples if SKIP in example.options], f"an example of {name} is skipped"


def test_a_signature_holds_no_long_text():
    signature = f"(a='short', DESCR='it\\'s {'x' * 80}', b=\"{'y' * 80}\")"
    shown, returns = shorten_defaults(None, "class", "n", None, None, signature, "float")
    assert (shown, returns) == ("(a='short', DESCR=..., b=...)", "float")
    assert shorten_defaults(None, "class", "n", None, None, None, None) == (None, None)


def test_a_signature_holds_no_private_field():
    shown, _ = shorten_defaults(None, "class", "n", None, None, "(share, weight, _never, _inside)", None)
    assert shown == "(share, weight)"


def test_fields_of_named_tuples_are_described_with_the_class_alone():
    assert skip_foreign_members(None, "class", "scores", classex.io.LoadedScores.scores, False, None)
    assert skip_foreign_members(None, "class", "fit", classex.methods.ProbitNormal.fit, False, None) is None


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


@pytest.mark.parametrize("marker", ["no_such_part", "curves.no_such_name"])
def test_a_page_cannot_name_what_is_not_there(marker):
    with pytest.raises(ValueError, match=r"is not public"):
        contents({"page": marker})
