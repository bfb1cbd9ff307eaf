"""Problem sheets: every exercise, nothing of its solution, and keys whose code parses."""

from __future__ import annotations

import ast
import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from classex_sphinx.sheets import pages_of, sheet, write

from classex_book import exercise_names
from classex_book.course.texts import CHAPTERS, LABS, PROOFS
from tests.book.visits import Visit

SETS = (*CHAPTERS, LABS)
PAGE = """<h2>Summary</h2><p>Not asked.</p>
<div class="exercise by-code admonition" id="exr-ch1-a">
<p class="admonition-title"><span class="caption-number">Exercise 1.1 </span> (First)<span> · by code</span></p>
<section id="a"><p>What is <a href="#sec">two</a> and <a href="01b.html#x">two</a>?</p></section></div>
<div class="solution dropdown admonition" id="s-1">
<p class="admonition-title">Solution to <a href="#exr-ch1-a">Exercise 1.1 (First)</a></p>
<section id="b"><p>Count.</p>
<div class="cell"><div class="cell_input"><pre>def answer():
    return 4
</pre></div><div class="cell_output"><pre>exr-ch1-a: right
</pre></div></div><img class="only-dark" src="../_images/a.svg"></section></div>
<div class="exercise proof admonition" id="exr-ch1-b">
<p class="admonition-title"><span class="caption-number">Exercise 1.2 </span> (Second)</p>
<section id="c"><p>Prove it.</p></section></div>
"""


def words_of(text: str) -> str:
    return " ".join(BeautifulSoup(text, "html.parser").select_one("main").get_text().split())


def test_a_key_answers_below_each_problem_and_its_code_keeps_its_lines():
    made = sheet(LABS, {"notebooks/01": PAGE}, key=True)
    assert words_of(made).endswith("What is two and two? Count. def answer(): return 4 Exercise 1.2 (Second) Prove it.")
    assert "<title>Problems of the labs: key" in made
    assert "<pre>def answer():\n    return 4\n</pre>" in made
    assert "only-dark" not in made


def test_sheets_are_written_for_the_chapters_whose_pages_are_built(tmp_path):
    (page,) = pages_of("ch1")
    (tmp_path / "notebooks").mkdir()
    (tmp_path / f"{page}.html").write_text(PAGE, encoding="utf-8")
    env = SimpleNamespace(all_docs={page: 0, pages_of(LABS)[0]: 0})
    for form, written in (("latex", []), ("html", ["ch1-key.html", "ch1.html"])):
        write(SimpleNamespace(builder=SimpleNamespace(format=form), outdir=tmp_path, env=env), None)
        assert sorted(path.name for path in tmp_path.glob("sheets/*")) == written
    assert "Count." in (tmp_path / "sheets" / "ch1-key.html").read_text(encoding="utf-8")
    assert "Count." not in (tmp_path / "sheets" / "ch1.html").read_text(encoding="utf-8")


@pytest.mark.browser
@pytest.mark.parametrize("chapter", SETS)
def test_sheets_of_the_book_are_complete_and_without_solutions(book, chapter):
    asked, key = ((book / "sheets" / f"{chapter}{end}.html").read_text(encoding="utf-8") for end in ("", "-key"))
    problems, solved = (BeautifulSoup(text, "html.parser").select(".problem") for text in (asked, key))
    own = [*exercise_names(chapter), *(name for name in PROOFS if name.startswith(f"exr-{chapter}-"))]
    assert len(problems) == len(solved) == len(own)
    assert [box.select(".key, .cell, .solution") for box in problems] == [[]] * len(own)
    sheet_words = words_of(asked)
    for box in solved:
        (solution,) = box.select(".key")
        for part in solution.select("p, pre"):
            words = " ".join(part.get_text().split())
            assert len(words) < 30 or words not in sheet_words
        for code in solution.select(".cell_input pre"):
            ast.parse(code.get_text())
    assert sum("check(" in box.get_text() for box in solved) == len(exercise_names(chapter))


@pytest.mark.browser
@pytest.mark.parametrize("chapter", SETS)
def test_a_key_shows_its_formulas_and_asks_for_nothing_outside_the_book(browser, book, chapter):
    visit = Visit(browser, book / "sheets" / f"{chapter}-key.html")
    assert visit.complaints == []
    assert [url for url in visit.requests if not url.startswith((book.as_uri(), "data:", "blob:"))] == []
    assert visit.page.evaluate("document.querySelectorAll('mjx-merror, [data-mjx-error]').length") == 0
    assert not re.search(r"\\[(\[]", visit.page.evaluate("document.querySelector('main').innerText"))
    visit.page.close()
