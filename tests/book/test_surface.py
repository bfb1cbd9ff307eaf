"""The reading surface, measured in a browser: nothing clipped, nothing that axe objects to, a light and quick page."""

from __future__ import annotations

import os
import re
import runpy
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

import classex as cx
from tests.book.visits import BOOK, CONTENTS, PATIENCE, ROOT, Visit, darken

pytestmark = pytest.mark.surface

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
PAGES = [*CONTENTS, "search"]
SERIOUS = {"serious", "critical"}
HEAVIEST = 3_000_000  # bytes that a page loads; MathJax is 760,000 of them
SLOWEST = 1.0  # seconds until a page is there
tool = runpy.run_path(str(ROOT / "tools" / "measure_pages.py"))


@pytest.fixture(scope="module", params=PAGES)
def page(request, browser, book):
    """A page of the book, its formulas set."""
    opened = tool["open_page"](browser, book / f"{request.param}.html")
    opened.name = request.param
    yield opened
    opened.close()


def test_nothing_is_clipped(page):
    assert {width: found for width in tool["WIDTHS"] if (found := tool["measure"](page, width))} == {}


def test_axe_finds_nothing_serious(page):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.evaluate(AXE)
    for scheme in ("light", "dark"):
        darken(page, scheme)
        # colours of buttons change gradually
        page.evaluate("() => Promise.allSettled(document.getAnimations().map((change) => change.finished))")
        run = "axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations)"
        assert [
            (scheme, violation["id"], node["html"][:150], node["failureSummary"][:200])
            for violation in page.evaluate(run)
            for node in violation["nodes"]
            if violation["impact"] in SERIOUS
        ] == []


def test_formulas_are_not_in_the_tab_order_unless_they_scroll(page):
    stops = "() => [...document.querySelectorAll('mjx-container[tabindex]:not(.classex-scrolls)')].length"
    assert page.evaluate(stops) == 0


def test_the_first_tab_stop_leads_past_the_side_bar(page):
    page.evaluate("() => { document.activeElement?.blur(); window.scrollTo(0, 0); }")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.getAttribute('href')") == "#main-content"
    assert page.locator("#main-content").count() == 1


def test_the_search_stays_in_view(page):
    page.set_viewport_size({"width": 1280, "height": 500})
    page.evaluate("() => { const bar = document.querySelector('.bd-sidebar-primary'); bar.scrollTop = 10_000; }")
    box = page.locator(".bd-sidebar-primary .search-button-field").bounding_box()
    page.evaluate("() => { document.querySelector('.bd-sidebar-primary').scrollTop = 0; }")
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 500


def bytes_loaded(requests) -> int:
    paths = {Path(unquote(urlsplit(url).path)) for url in requests if url.startswith("file")}
    return sum(path.stat().st_size for path in paths)


@pytest.mark.parametrize("name", CONTENTS)
def test_a_page_is_light_and_quick(browser, book, name):
    started = time.perf_counter()
    visit = Visit(browser, book / f"{name}.html")
    ready = visit.page.evaluate("() => performance.getEntriesByType('navigation')[0].loadEventEnd / 1000")
    elapsed = time.perf_counter() - started
    visit.page.close()
    assert bytes_loaded(visit.requests) < HEAVIEST
    assert not any("searchindex" in url for url in visit.requests)
    if os.getloadavg()[0] < (os.cpu_count() or 1):  # on a busy machine the time says nothing about the page
        assert min(ready, elapsed) < SLOWEST


def test_the_menu_of_downloads_opens_with_mouse_and_keyboard(browser, book):
    visit = open_chapter(browser, book)
    page = visit.page
    button, menu = page.locator(".dropdown-download-buttons > button"), page.locator(".dropdown-menu").first
    assert not menu.is_visible()
    button.click()
    assert menu.is_visible()
    box = menu.bounding_box()
    assert 0 <= box["x"] <= 1200 - box["width"]
    page.mouse.click(5, 400)
    assert not menu.is_visible()
    button.focus()
    page.keyboard.press("ArrowDown")
    assert menu.is_visible()
    assert button.get_attribute("aria-expanded") == "true"
    assert page.evaluate("document.activeElement.textContent.trim()") == ".ipynb"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent.trim()") == ".md"
    page.keyboard.press("Escape")
    assert not menu.is_visible()
    assert button.get_attribute("aria-expanded") == "false"
    page.close()
    assert visit.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_of_the_other_theme_are_not_loaded(browser, book, scheme):
    page = browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme=scheme)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((book / "book" / "intro.html").as_uri())
    page.wait_for_timeout(500)
    page.close()
    other = {"light": "dark", "dark": "light"}[scheme]
    assert [url for url in asked if url.endswith(f"-{scheme}.svg")]
    assert [url for url in asked if "chapters" in url and url.endswith(f"-{other}.svg")] == []


def open_chapter(browser, book, start="notebooks/01"):
    return Visit(browser, book / f"{next(page for page in CONTENTS if page.startswith(start))}.html")


def test_a_term_shows_its_meaning_and_escape_hides_it(browser, book):
    visit = open_chapter(browser, book)
    link = visit.page.locator("article a[href*='#term-']").first
    card = visit.page.locator("#classex-card")
    assert not card.is_visible()
    link.hover()
    card.wait_for(state="visible", timeout=PATIENCE)
    assert len(card.inner_text()) > 30
    assert link.get_attribute("aria-describedby") == "classex-card"
    visit.page.keyboard.press("Escape")
    assert not card.is_visible()
    link.focus()
    card.wait_for(state="visible", timeout=PATIENCE)
    visit.page.close()
    assert visit.complaints == []


def test_a_theorem_shows_its_statement_with_formulas_set(browser, book):
    visit = open_chapter(browser, book, "notebooks/04")
    link = visit.page.locator("article p a.reference.internal[href*='#thm-']").first
    link.hover()
    card = visit.page.locator("#classex-card")
    card.wait_for(state="visible", timeout=PATIENCE)
    card.locator("mjx-container").first.wait_for(timeout=PATIENCE)
    assert "Theorem" in card.inner_text()
    visit.page.close()
    assert visit.complaints == []


def test_a_quiz_remembers_its_answers_in_this_browser_only(browser, book):
    visit = open_chapter(browser, book, "notebooks/01d")
    page, status = visit.page, ".classex-quiz .classex-progress"
    assert "remembered in this browser" in page.inner_text(status)
    questions = page.locator(".classex-quiz > ol > li")
    questions.nth(0).locator("details.right > summary").click()
    questions.nth(1).locator("details.wrong > summary").first.click()
    questions.nth(1).locator("details.right > summary").click()
    expected = f"2 of {questions.count()} questions answered right, 1 of them at the first try."
    page.wait_for_function(f"document.querySelector('{status}').textContent.includes({expected!r})", timeout=PATIENCE)
    page.reload()
    assert expected in page.inner_text(status)
    page.click(f"{status} button")
    assert "remembered in this browser" in page.inner_text(status)
    assert [url for url in visit.requests if not url.startswith((BOOK.as_uri(), "data:"))] == []
    page.close()


def test_the_first_page_shows_the_library_s_number_once_it_is_asked(browser, book):
    visit = Visit(browser, book / "book" / "intro.html")
    page = visit.page
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_selector("#classex-front svg[viewBox]", timeout=PATIENCE)
    box = page.locator("#classex-front svg").bounding_box()
    assert box["y"] + box["height"] < 800, "the picture is not above the fold"
    assert page.locator("#classex-front :is(.area, .line.truth, .line.extrapolated)").count() == 0
    assert "predicted" not in page.inner_text("#classex-front .classex-says")
    page.emulate_media(reduced_motion="reduce")
    page.click("#classex-front .classex-controls button")
    words = page.evaluate("classexExplorer.examples.words")
    wins = np.array(words["text"].split("\n")[1:], dtype=int)
    ranks = cx.CorrectRanks(wins, np.zeros_like(wins), np.arange(wins.size), words["nClasses"])
    fit, truth = cx.Extrapolator().fit_ranks(ranks), dict(words["truth"])
    for press in ("Home", "End"):
        page.focus("#classex-front input")
        page.keyboard.press(press)
        said = page.inner_text("#classex-front .classex-says")
        size = int(re.search(r"With ([\d,]+) definitions", said)[1].replace(",", ""))
        predicted, low, high, measured = (
            int(share) / 100 for share in re.findall(r"(\d+)[ \u00a0]%", said.replace("95 % interval", ""))
        )
        assert predicted == pytest.approx(fit.predict([size])[0], abs=0.006)
        assert (low, high) == pytest.approx(fit.predict_interval([size])[0], abs=0.02)
        assert measured == pytest.approx(truth[size], abs=0.0051)
    assert (page.locator("#classex-front .area").count(), size) == (1, 32_923)
    page.click("#classex-front .classex-controls button")
    assert page.locator("#classex-front .area").count() == 0
    page.close()
    assert visit.complaints == []


def test_no_mark_stands_alone_behind_a_formula_that_scrolls(browser, book):
    visit = Visit(browser, book / "notebooks" / "04b_confidence.html")
    visit.page.set_viewport_size({"width": 375, "height": 800})
    visit.page.wait_for_selector(".classex-held .classex-scrolls")
    apart = visit.page.evaluate(
        """() => [...document.querySelectorAll('.classex-held:has(.classex-scrolls)')].map((held) => {
            const mark = document.createRange();
            mark.selectNode(held.lastChild);
            const formula = held.querySelector('mjx-container');
            return mark.getBoundingClientRect().left - formula.getBoundingClientRect().right;
        })"""
    )
    assert min(apart) > -1
    visit.page.close()
    assert visit.complaints == []
