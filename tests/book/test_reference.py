"""The reference of the library by workflow: every public name on exactly one page, nothing private, tasks on top."""

from __future__ import annotations

import re
from doctest import SKIP, DocTestParser
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from classex_sphinx.reference import (
    MARKER,
    contents,
    everything,
    inherited_members,
    insert_reference,
    markers_of,
    public_names,
    returned_by,
    shorten_defaults,
    skip_foreign_members,
    write_reference,
)

import classex
import classex.files
import classex_book

ROOT = Path(__file__).parents[2]
MARKERS = markers_of(ROOT)
PAGES = contents(MARKERS)


def value_of(full: str):
    module, name = full.rsplit(".", 1)
    return getattr(import_module(module), name)


def names_of(page: str) -> list[str]:
    return [name for names in PAGES[page].values() for name in names]


def test_every_public_name_stands_on_exactly_one_page():
    shown = [name for page in PAGES for name in names_of(page)]
    assert sorted(shown) == sorted(name for names in everything().values() for name in names)
    assert len(set(shown)) == len(shown) > 150
    for name in classex.__all__:
        value = getattr(classex, name)
        if isinstance(value, ModuleType):
            members = (getattr(value, member) for member in value.__all__)
            if any(callable(member) and member.__module__.startswith(value.__name__) for member in members):
                assert value.__name__ in public_names()
        elif callable(value):
            assert f"classex.{name}" in shown
    assert {f"classex_book.{name}" for name in classex_book.__all__} <= set(shown)


def test_no_name_is_left_over_and_none_is_private():
    assert names_of("book/api") == [], "give these a page: a marker in book/api"
    assert [name for page in PAGES for name in names_of(page) if re.search(r"\._", name)] == []


@pytest.mark.parametrize("page", [page for page in MARKERS if page != "book/api"])
def test_a_page_opens_with_tasks_and_holds_an_entry_for_every_name(page):
    text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    head = MARKER.split(text)[0]
    assert re.match(r"\(api-[a-z-]+\)=\n# \S", text)
    assert len(re.findall(r"^\| (?!I want|:--).+ \| .*\{(?:func|class)\}`", head, re.MULTILINE)) >= 2
    written = write_reference(PAGES[page])
    assert all(f":: {name}\n" in written for name in names_of(page))
    assert all(f"<{name}>` |" in written for name in names_of(page))


def test_the_first_page_leads_to_all_others():
    text = (ROOT / "book" / "api.md").read_text(encoding="utf-8")
    linked = {f"book/api/{name.replace('-', '_')}" for name in re.findall(r"\{ref\}`api-([a-z-]+)`", text)}
    assert linked == set(MARKERS) - {"book/api"}


def test_a_class_names_the_functions_that_return_it():
    assert "classex.accuracy_curve" in returned_by()["AccuracyCurve"]
    page = write_reference({"classex.results": ["classex.results.AccuracyCurve"]})
    assert re.search(r"Returned by .*:py:obj:`accuracy_curve <classex.accuracy_curve>`", page)


def test_what_is_inherited_is_described_once_and_linked():
    page = write_reference({"classex.extrapolation": ["classex.methods.ProbitNormal"]})
    assert "   :inherited-members: object, tuple, ValueError, AttributeError, BaseException, Extrapolator\n" in page
    assert ":py:obj:`predict <classex.Extrapolator.predict>`" in page
    for full in (name for names in everything().values() for name in names):
        if isinstance(value_of(full), type):
            for owner, names in inherited_members(full).items():
                assert owner in {name for names in everything().values() for name in names}
                assert issubclass(value_of(full), value_of(owner))
                assert [name for name in names if not hasattr(value_of(owner), name)] == []


@pytest.mark.parametrize("section", list(everything()))
def test_every_public_name_has_an_example_that_runs(section):
    for name in everything()[section]:
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
    assert skip_foreign_members(None, "class", "scores", classex.files.LoadedScores.scores, False, None)
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


@pytest.mark.parametrize("marker", ["no_such_part", "curves.no_such_name", "curves, curves"])
def test_a_page_cannot_name_what_is_not_there_or_twice(marker):
    with pytest.raises(ValueError, match=r"not public, or stands on another page already"):
        contents({"page": marker})


@pytest.mark.parametrize("page", list(MARKERS))
def test_the_tasks_name_what_is_documented(page):
    documented = {name for names in everything().values() for name in names}
    text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    assert [name for name in re.findall(r"\{(?:func|class)\}`([^`]+)`", text) if name not in documented] == []
