"""Chapters open with question, figure and answer on the first screen of a desk; one button shows all code of a page."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from classex_sphinx.openings import show
from docutils import nodes
from docutils.utils import new_document
from sphinx.errors import ExtensionError

from tests.book.visits import BOOK, CONTENTS, ROOT, Visit

in_browser = pytest.mark.browser

DESK = {"width": 1440, "height": 900}
OPENED = [
    page
    for page in CONTENTS
    if page.startswith("notebooks/") and "{admonition} In this chapter" in (ROOT / f"{page}.md").read_text("utf-8")
]


def test_an_opening_shows_the_pictures_of_a_figure_of_its_page():
    figure = nodes.figure("", nodes.image(uri="a.svg"), nodes.caption("", "Words."), ids=["fig-a"])
    opening = nodes.container("", nodes.paragraph("", "The answer."), opening="fig-a")
    page = new_document("page")
    page += [opening, figure]
    show(None, page)
    assert [type(part) for part in opening.children] == [nodes.image, nodes.paragraph]
    assert opening[0] is not figure[0]
    assert figure["ids"] == ["fig-a"]
    page += nodes.container("", opening="fig-b")
    app = SimpleNamespace(env=SimpleNamespace(docname="notebooks/b"))
    with pytest.raises(ExtensionError, match="notebooks/b opens with a figure 'fig-b' that it does not have"):
        show(app, page)


@in_browser
@pytest.mark.parametrize("name", OPENED)
def test_a_chapter_opens_with_its_question_a_figure_and_the_answer(browser, book, name):
    visit = Visit(browser, book / f"{name}.html")
    visit.page.set_viewport_size(DESK)
    found = visit.page.evaluate(
        """() => {
            const box = (element) => element.getBoundingClientRect();
            const [question] = document.querySelectorAll('article h1 + p, article h1 + .target + p');
            const figure = document.querySelector('article .classex-figure');
            const answer = document.querySelector('article .classex-opening p')
                || figure.closest('.cell').nextElementSibling;
            const fold = document.querySelector('article .admonition.dropdown');
            return {
                order: [question, figure, answer, fold].map((element) => box(element).top),
                end: box(answer).bottom,
                asked: question.innerText + answer.innerText,
                folded: fold.classList.contains('toggle-hidden'),
            };
        }"""
    )
    visit.page.close()
    assert found["order"] == sorted(found["order"])
    assert found["end"] <= DESK["height"]
    assert found["folded"]
    assert "?" in found["asked"]
    assert visit.complaints == []


@in_browser
def test_one_button_shows_all_code_of_a_page(browser, book):
    visit = Visit(browser, book / "notebooks" / "03b_by_hand.html")
    page = visit.page
    count = page.locator(".bd-article details.hide").count()
    shown = page.locator(".bd-article details.hide[open]")
    button = page.get_by_role("button", name="Show all code")
    assert (count > 1, shown.count()) == (True, 0)
    button.focus()
    page.keyboard.press("Enter")
    assert shown.count() == count
    page.get_by_role("button", name="Hide all code").click()
    assert shown.count() == 0
    page.locator(".bd-article details.hide > summary").first.click()
    assert page.get_by_role("button", name="Show all code").count() == 1
    page.close()
    assert visit.complaints == []
    assert [url for url in visit.requests if not url.startswith((BOOK.as_uri(), "data:"))] == []
