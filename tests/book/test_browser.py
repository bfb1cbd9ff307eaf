"""The whole built book in a browser: every page, on a desk, on a phone and on dark pages, without a network."""

from __future__ import annotations

import re
from contextlib import suppress
from urllib.parse import quote

import pytest

from tests.book.visits import BOOK, CONTENTS, PATIENCE, PHONE, Visit, darken

pytestmark = pytest.mark.browser

MOST_SCROLLING = 3  # displayed formulas of a page that no line can hold at 390 pixels, such as aligned ones
TEX = re.compile(r"\\[(\[]|\\[a-zA-Z]{2,}|\$[^$\s]+\$|\{[a-z:]+\}`")


@pytest.fixture(scope="module", params=CONTENTS)
def visit(request, browser, book):
    """One page of the book, loaded once for all the tests below."""
    opened = Visit(browser, book / f"{request.param}.html")
    opened.name = request.param
    yield opened
    opened.page.close()


def test_loads_without_complaint_and_without_a_network(visit):
    assert visit.complaints == []
    assert [url for url in visit.requests if not url.startswith((BOOK.as_uri(), "data:", "blob:"))] == []


def test_images_are_there_and_described(visit):
    # pictures of the other theme and the other layout wait until they are shown
    visit.page.evaluate(
        """() => Promise.allSettled([...document.querySelectorAll('article img')].map((image) => {
            image.loading = 'eager';
            return image.decode();
        }))"""
    )
    images = visit.page.evaluate(
        """() => [...document.querySelectorAll('article img')]
            .map((image) => [image.src, image.complete && image.naturalWidth > 0, image.alt,
                             (image.closest('a')?.textContent ?? '').trim().length])"""
    )
    for source, shown, alt, words in images:
        assert shown, f"{source} is not shown"
        # a picture in a link that says in words where it leads is decoration, and has an empty description
        assert len(alt) >= 40 or (alt == "" and words >= 20), f"{source} has the alternative text {alt!r}"


def test_mathematics_is_set(visit):
    unset = visit.page.evaluate(
        """() => [...document.querySelectorAll('article .math')]
            .filter((e) => !e.querySelector('mjx-container') || e.querySelector('mjx-merror, [data-mjx-error]'))
            .map((e) => e.textContent)"""
    )
    assert unset == []
    text = visit.page.evaluate(
        """() => {
            const copy = document.querySelector('article').cloneNode(true);
            copy.querySelectorAll('code, pre, dt.sig, script, style, mjx-container, textarea')
                .forEach((e) => e.remove());
            return copy.textContent;
        }"""
    )
    assert TEX.findall(text) == []


def test_questions_answer(visit):
    options = visit.page.locator("article details:has(> summary)")
    for i in range(options.count()):
        option = options.nth(i)
        if option.evaluate("(e) => e.open"):
            continue
        option.locator(":scope > summary").click()
        assert option.evaluate("(e) => e.open")
        answer = option.locator(":scope > *:not(summary)").first
        assert answer.is_visible()
        assert answer.inner_text().strip() or answer.locator("img, pre").count()


def test_fits_a_phone(visit):
    from playwright.sync_api import TimeoutError as TooLate

    visit.page.set_viewport_size({"width": PHONE, "height": 800})
    with suppress(TooLate):  # formulas are set again for the new width; if they never fit, the next lines say what
        visit.page.wait_for_function(f"document.documentElement.scrollWidth <= {PHONE}", timeout=PATIENCE)
    width = visit.page.evaluate("document.documentElement.scrollWidth")
    wide = visit.page.evaluate(
        f"""() => [...document.querySelectorAll('article *')]
            .filter((e) => e.getBoundingClientRect().right > {PHONE + 1})
            .slice(0, 5).map((e) => e.outerHTML.slice(0, 120))"""
    )
    visit.page.set_viewport_size({"width": 1200, "height": 900})
    assert width <= PHONE, f"{width} pixels wide; candidates: {wide}"


def test_a_displayed_formula_breaks_on_a_phone_or_says_that_it_scrolls(visit):
    visit.page.set_viewport_size({"width": 390, "height": 844})
    visit.page.wait_for_timeout(300)  # lines are broken at the next picture
    formulas = visit.page.evaluate(
        """() => [...document.querySelectorAll('article mjx-container[display="true"]')]
            .filter((e) => e.clientWidth > 0)
            .map((e) => [e.scrollWidth > e.clientWidth + 1, getComputedStyle(e, '::before').content,
                         e.tabIndex, e.closest('div.math')?.scrollWidth <= e.closest('div.math')?.clientWidth])"""
    )
    visit.page.set_viewport_size({"width": 1200, "height": 900})
    for wide, cue, stop, inside in formulas:
        assert wide == ("scroll sideways" in cue) == (stop == 0)
        assert inside, "the formula sticks out of its box"
    scrolling = sum(wide for wide, *_ in formulas)
    assert scrolling <= MOST_SCROLLING, f"{scrolling} of {len(formulas)} formulas scroll"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_chapter_prints_black_on_white_without_the_side_bars(browser, book, scheme):
    opened = Visit(browser, book / f"{next(page for page in CONTENTS if page.startswith('notebooks/01'))}.html")
    darken(opened.page, scheme)
    opened.page.emulate_media(media="print", color_scheme=scheme)
    shown = "() => [...document.querySelectorAll('.bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article')]"
    assert opened.page.evaluate(f"{shown}.filter((e) => getComputedStyle(e).display !== 'none').length") == 0
    colours = "() => ['backgroundColor', 'color'].map((name) => getComputedStyle(document.body)[name])"
    assert opened.page.evaluate(colours) == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    filters = "() => [...document.querySelectorAll('img.classex-fig')].map((e) => getComputedStyle(e).filter)"
    assert set(opened.page.evaluate(filters)) == {"none"}
    assert len(opened.page.pdf()) > 50_000
    opened.page.close()


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("favourability", None),
        ("top-k", "rank_metrics"),
        ("recall@k", "rank_metrics"),
        ("overfitting", "03d_real_classes"),
        ("facial recognition", "lab_faces"),
        ("how many classes", "what_you_have.html#have-capacity"),
        ("imagenet", "03d_real_classes.html#familiar-classes"),
        ("pip install", "first_use"),
        ("conditional normal distribution", "refresher.html#refresher-gaussian-process"),
        ("file formats", "what_you_have.html#have-files"),
    ],
)
def test_search_works_offline_with_excerpts_and_other_words(browser, book, query, page):
    opened = Visit(browser, book / "search.html", f"?q={quote(query)}")
    opened.page.wait_for_selector("#search-results li .context", timeout=PATIENCE)
    first = opened.page.locator("#search-results li").first
    assert len(first.locator(".context").inner_text()) > 50
    if page is not None:
        link = first.locator("a")
        assert (page if "#" in page else f"{page}.html") in link.get_attribute("href")
        link.click()
        anchor = opened.page.evaluate("decodeURIComponent(location.hash.slice(1))")
        if anchor:
            opened.page.wait_for_function("(id) => document.getElementById(id)", arg=anchor, timeout=PATIENCE)
    opened.page.close()
    assert opened.complaints == []


def test_a_word_in_the_middle_of_a_page_opens_its_section(browser, book):
    opened = Visit(browser, book / "search.html", "?q=Stirling")
    opened.page.wait_for_selector("#search-results li .context", timeout=PATIENCE)
    link = opened.page.locator("#search-results li a").first
    assert " > " in link.inner_text()
    link.click()
    anchor = opened.page.evaluate("decodeURIComponent(location.hash.slice(1))")
    opened.page.wait_for_function("(id) => document.getElementById(id)", arg=anchor, timeout=PATIENCE)
    section = opened.page.evaluate("(id) => document.getElementById(id).closest('section').textContent", anchor)
    assert "Stirling" in section
    assert opened.page.evaluate("document.querySelector('article h1').parentElement.id") != anchor
    opened.page.close()


def test_the_dialog_of_the_search_leaves_room_for_its_magnifier(browser, book):
    opened = Visit(browser, book / "book" / "glossary.html")
    opened.page.keyboard.press("Control+k")
    field = opened.page.locator("#pst-search-dialog input")
    field.wait_for(state="visible", timeout=PATIENCE)
    field.type("accuracy")
    start = field.evaluate("(e) => e.getBoundingClientRect().left + parseFloat(getComputedStyle(e).paddingLeft)")
    box = opened.page.locator("#pst-search-dialog svg").bounding_box()
    assert box["x"] + box["width"] <= start
    opened.page.close()
    assert opened.complaints == []


@pytest.mark.parametrize("page", ["notebooks/06d_exercises", "book/api/course", "book/how_to_use"])
def test_the_side_bar_shows_where_the_reader_is(browser, book, page):
    opened = Visit(browser, book / f"{page}.html")
    opened.page.wait_for_timeout(300)
    box = opened.page.locator(".bd-sidebar-primary li.current.active > a").last.bounding_box()
    assert 0 <= box["y"] <= 900 - box["height"]
    opened.page.close()


@pytest.mark.parametrize("width", [390, 1440])
def test_the_page_of_calls_shows_every_command_whole(browser, book, width):
    """No box scrolls, no line is broken by the browser, and a button copies the command without its prompt."""
    context = browser.new_context(viewport={"width": width, "height": 900}, permissions=["clipboard-read"])
    page = context.new_page()
    page.goto((book / "book" / "what_you_have.html").as_uri())
    boxes = page.locator("section:not(#a-classifier-of-scikit-learn) > div > div.highlight")
    assert boxes.count() > 40
    for box in boxes.all():
        shown = box.locator("pre")
        lines = shown.inner_text().rstrip("\n").split("\n")
        sizes = shown.evaluate(
            """(e) => [e.scrollWidth - e.clientWidth, e.clientHeight - 2 * parseFloat(getComputedStyle(e).paddingTop),
                       parseFloat(getComputedStyle(e).lineHeight)]"""
        )
        assert sizes[0] <= 1, lines
        assert sizes[1] < (len(lines) + 0.5) * sizes[2], lines
    for language, start in (("console", "classex "), ("python", "cx.extrapolate(")):
        box = page.locator(f"#a-table-of-scores div.highlight-{language}")
        box.hover()
        box.locator("button.copybtn").click()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith(start)
        assert copied.strip() == box.locator("pre").inner_text().removeprefix("$ ").strip()
    context.close()
