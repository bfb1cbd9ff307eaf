"""The build fails on everything that is broken, again and again, and executes what has changed, and only that."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.build


def assert_fails(book, *culprits):
    result = book.build()
    output = result.stdout + result.stderr
    assert result.returncode != 0, f"the build passed:\n{output}"
    for culprit in culprits:
        assert culprit in output, f"the build does not name {culprit!r}:\n{output}"


def assert_fails_twice(book, *culprits):
    """Nothing may be learnt from the first failure: the second build must fail for the same reasons."""
    assert_fails(book, *culprits)
    assert_fails(book, *culprits)


def test_one_dead_reference_is_enough_to_fail(without_code):
    assert_fails(without_code("See {ref}`no-such-label`."), "no-such-label")


def test_every_kind_of_dead_reference_is_found_each_time(without_code):
    book = without_code(
        """
See {ref}`no-such-label`, {eq}`no-such-equation`, {cite:p}`nobody1900nothing`, {prf:ref}`no-such-theorem`,
{numref}`no-such-figure`, {term}`no such term`, {py:func}`classex.no_such_function`, [a file](no_such_file.md).

```{no-such-directive}
```
"""
    )
    assert_fails_twice(
        book,
        "no-such-label",
        "no-such-equation",
        "nobody1900nothing",
        "no-such-theorem",
        "no-such-figure",
        "no such term",
        "classex.no_such_function",
        "no_such_file.md",
        "no-such-directive",
    )


MOVING = """
```{moving} moments
:over: here

Where?

There.
```
"""


def test_pages_without_code_build_and_a_moving_figure_is_loaded_on_its_own_alone_and_left_out_on_paper(without_code):
    book = without_code(f'<div id="here">A static figure.</div>\n{MOVING}')
    result = book.build()
    assert result.returncode == 0, result.stdout + result.stderr
    page = (book.html / "notebooks" / "chapter.html").read_text(encoding="utf-8")
    box = page[page.index('<div class="classex-moving"') :].partition("</div>")[0]
    assert all(part in box for part in ('data-moving="moments"', 'data-over="here"', "hidden", "Where?", "<details>"))
    (loader,) = re.findall(r"<script [^>]*_static/(?:explorer|moving)/[^>]*>", page)
    assert "defer" in loader
    assert 'src="../_static/moving/load.js' in loader
    assert re.search(r'data-scripts="([^"]*)"', loader)[1].split() == [
        *("explorer/normal.js", "explorer/chart.js", "moving/frame.js"),
        *("moving/moments_numbers.js", "moving/moments.js"),
    ]
    assert "_static/moving" not in (book.html / "notebooks" / "other.html").read_text(encoding="utf-8")
    assert book.build("tex").returncode == 0
    paper = (book.folder / "_build" / "latex" / "classex.tex").read_text(encoding="utf-8")
    assert ("Where?" in paper, "There." in paper, "Cites" in paper) == (False, False, True)


def test_a_moving_figure_without_its_parts_fails_the_build(without_code):
    parts = [
        MOVING.replace(":over: here\n", ""),
        MOVING.replace("\n\nThere.", ""),
        MOVING.replace("moments", "no_such_figure"),
    ]
    culprits = ["needs `over`", "needs a question, an empty line and its answer", "no_such_figure_numbers.js"]
    assert_fails(without_code("".join([*parts, MOVING])), *culprits, "has the id 'here'")


def test_a_failing_cell_fails_the_build_and_leaves_no_book(with_a_cell):
    book = with_a_cell("print(21 / 0)")
    assert_fails_twice(book, "ZeroDivisionError")
    assert not (book.html / "index.html").exists()


def test_outputs_are_computed_anew_exactly_when_the_code_has_changed(with_a_cell):
    tiny_book = with_a_cell('import classex as cx\n\nprint("classex", cx.__version__)')
    first = tiny_book.build()
    assert first.returncode == 0, first.stdout + first.stderr
    assert "executed notebooks/chapter" in first.stdout
    before = tiny_book.files()

    again = tiny_book.build()
    assert again.returncode == 0, again.stdout + again.stderr
    assert "executed" not in again.stdout
    assert tiny_book.files() == before

    package = tiny_book.folder / "src" / "classex" / "_version.py"
    version = next(line for line in package.read_text(encoding="utf-8").splitlines() if line.startswith("__version__"))
    tiny_book.replace(package, version, '__version__ = "99.1.2"')
    edited = tiny_book.build()
    assert edited.returncode == 0, edited.stdout + edited.stderr
    assert "executed notebooks/chapter" in edited.stdout
    assert b"classex 99.1.2" in tiny_book.files()["notebooks/chapter.html"]
    assert b"classex 99.1.2" not in before["notebooks/chapter.html"]
