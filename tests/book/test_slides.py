"""The decks of slides: each is complete, names only what the book has, and fits its slides in a browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from classex_sphinx.slides import Deck, read_source
from sphinx.errors import ExtensionError

from tests.book.visits import PATIENCE, PHONE, ROOT, Visit, darken

SOURCES = sorted((ROOT / "book" / "slides").glob("*.md"))
CHAPTERS = [path for path in SOURCES if path.stem.startswith("ch")]
FEW_OR_MANY = {"labs": range(8, 14), "ch3": range(25, 36)}  # one hour, and five
SLIDES = {path.stem: FEW_OR_MANY.get(path.stem, range(15, 26)) for path in SOURCES}
SERIOUS = {"serious", "critical"}
SIZE = {"width": 1280, "height": 720}
TYPED = re.compile(r"(?<![\d.{])\d*\.\d{3,}")  # so many digits are computed, not chosen
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# printed slides with more on them than a page shows
CUT_OFF = """() => [...document.querySelectorAll(".slide")]
    .filter((slide) => slide.scrollHeight > slide.clientHeight + 1).map((slide) => slide.innerText.slice(0, 60))"""
NOTES = re.compile(r"^:::\{notes\}\n(.*?)^:::$", re.MULTILINE | re.DOTALL)


def slides_of(path: Path) -> dict[str, str]:
    """The source of every slide, by its heading."""
    parts = re.split(r"^##? (.*)$", read_source(path)[1], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_a_deck_is_short_and_has_notes_and_most_of_it_shows_something():
    for path in SOURCES:
        slides = slides_of(path)
        assert len(slides) in SLIDES[path.stem], path.name
        for title, slide in slides.items():
            assert len(" ".join(NOTES.findall(slide)).split()) >= 20, f"{path.name}: {title!r} has hardly any notes"
            assert len(re.findall(r"^:+\{figure\}", slide, re.MULTILINE)) <= 1, title
        assert sum("{figure}" in slide for slide in slides.values()) >= len(slides) // 3, path.name
        teaching = [slide for slide in slides.values() if "{exercise}" not in slide]
        shows = re.compile(r"\{figure\}|\{table\}|^\|", re.MULTILINE)
        assert sum(bool(shows.search(slide)) for slide in teaching) > len(teaching) / 2, path.name
        assert "What can go wrong" in list(slides)[-3:], path.name
        assert list(slides)[-1] == "What to take home", path.name
        assert TYPED.findall(read_source(path)[1]) == [], path.name


def test_a_deck_stops_at_exercises_of_its_chapter_which_the_guide_for_teachers_names():
    guide = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8").partition("(teaching-slides)=")[2]
    for path in SOURCES:
        asked = re.findall(r"^:+\{exercise\} (\S+)", read_source(path)[1], re.MULTILINE)
        assert len(asked) >= (2 if path in CHAPTERS else 1), path.name
        assert {label.split("-")[1] for label in asked} == {path.stem if path in CHAPTERS else "labs"}
        (row,) = re.findall(rf'^.*href="../slides/{path.stem}.html".*$', guide, re.MULTILINE)
        assert re.findall(r"exr-[\w-]+", row) == asked


@pytest.fixture
def small_book(tmp_path):
    """A page with a figure, a theorem, a table and a computed number."""
    image = ('<a href="#"><img style="width: 4px; aspect-ratio: 4 / 3;" alt="A line that rises." '
             'class="classex-drawn only-{0}" src="../_images/{0}.svg"></a>')  # fmt: skip
    page = f"""<figure id="fig-a"><div class="classex-panel">{image.format("light")}{image.format("dark")}</div>
    <figcaption><span class="caption-number">Fig. 1.1 </span><span class="caption-text">Look.</span></figcaption>
    </figure>
    <div class="proof theorem admonition" id="thm-a">
    <p class="admonition-title"><span class="caption-number">Theorem 1.1 </span> (A name)</p>
    <section><p>It <a href="#">holds</a>.</p><div>Twice.</div></section></div>
    <section id="numbers"><div class="cell_output"><table><tr><th>k</th><th>a</th></tr>
    <tr><td>2</td><td>0.9</td></tr><tr><td>3</td><td>0.8</td></tr></table></div></section>"""
    html = tmp_path / "html"
    for name, text in {"notebooks/01.html": page, "_images/light.svg": "", "_images/dark.svg": ""}.items():
        (html / name).parent.mkdir(parents=True, exist_ok=True)
        (html / name).write_text(text, encoding="utf-8")
    values = {"ch1-loss": {"data": {"text/plain": "-0.25"}}, "ch1-name": {"data": {"text/plain": "'ridge'"}}}
    (tmp_path / "jupyter_execute" / "notebooks").mkdir(parents=True)
    (tmp_path / "jupyter_execute" / "notebooks" / "01.glue.json").write_text(json.dumps(values), encoding="utf-8")
    return tmp_path


def small_deck(folder: Path, text: str) -> str:
    path = folder / "ch1.md"
    path.write_text(f"---\nchapter: notebooks/01\n---\n\n# A title\n\n{text}\n", encoding="utf-8")
    return Deck(path, folder / "html", ["notebooks/01"]).to_html()


def test_a_deck_shows_what_the_page_has(small_book):
    text = """:::{figure} fig-a side
:::

:::{statement} thm-a
:::

::::{step}
:::{table} numbers columns=2 rows=2
:::
::::

Lost {glue}`ch1-loss:.1f` or {glue}`ch1-loss:.0%` by {glue}`ch1-name`, see {ref}`thm-a`; $a < b$.

:::{notes}
Say *this*.
:::"""
    page = small_deck(small_book, text)
    assert '<img alt="A line that rises." class="classex-drawn only-light" src="../_images/light.svg"/>' in page
    assert 'src="../_images/dark.svg"' in page
    assert '<div class="slide opening pictured side">' in page
    assert '<a href="../notebooks/01.html#thm-a">Theorem 1.1</a> A name</p>' in page
    assert "<p>It holds.</p><div>Twice.</div>" in page
    assert '<div class="fragment">\n<table class="computed">\n<tr><th>a</th></tr>\n<tr><td>0.8</td></tr>' in page
    assert "Lost −0.2 or −25\u00a0% by ridge, see" in page
    assert r'<span class="kept"><span class="math inline">\(a &lt; b\)</span>.</span>' in page
    assert re.search(r'<aside class="notes">\s*<p>Say <em>this</em>.</p>\s*<p class="caption">Fig. 1.1 Look.', page)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (":::{figure} fig-b\n:::", "fig-b"),
        (":::{figure} fig-a panel=2\n:::", "there are 1 of these"),
        (":::{figure} thm-a\n:::", "has no .caption-text"),
        (":::{statement} thm-b\n:::", "thm-b"),
        (":::{statement} fig-a\n:::", "has no .admonition-title"),
        (":::{exercise} exr-b\n:::", "exr-b"),
        (":::{table} numbers 2\n:::", "there are 1 of these"),
        (":::{table} numbers rows=3\n:::", "there are 2 of these"),
        ("{glue}`ch1-gain:.2f`", "ch1-gain"),
        (":::{pause}\n:::", "pause"),
        (":::{step}\n:::{table} numbers\n:::\n:::", "four colons"),
        ("{term}`ridge`", "term"),
    ],
)
def test_what_is_not_there_fails_the_build_with_its_name(small_book, text, named):
    with pytest.raises(ExtensionError, match=re.escape(named)) as problem:
        small_deck(small_book, text)
    assert "book/slides/ch1.md" in str(problem.value)


@pytest.mark.build
def test_the_build_writes_decks_and_fails_on_what_they_miss(without_code):
    book = without_code("Words.")
    deck = book.folder / "book" / "slides" / "ch1.md"
    deck.parent.mkdir()
    deck.write_text("---\nchapter: notebooks/\n---\n\n# A title\n\nA question.\n", encoding="utf-8")
    result = book.build()
    assert result.returncode == 0, result.stdout + result.stderr
    assert "<h1>A title</h1>" in (book.html / "slides" / "ch1.html").read_text(encoding="utf-8")
    assert 'href="../slides/ch1.html"' in (book.html / "notebooks" / "chapter.html").read_text(encoding="utf-8")
    deck.write_text("---\nchapter: notebooks/\n---\n\n# A title\n\n:::{figure} fig-none\n:::\n", encoding="utf-8")
    result = book.build()
    assert result.returncode != 0
    assert (
        "book/slides/ch1.md: no page of the chapter has anything labelled 'fig-none'" in result.stdout + result.stderr
    )


@pytest.fixture(scope="module", params=[path.stem for path in SOURCES])
def shown(request, browser, book, missing):
    """A deck in a window of its own size."""
    path = book / "slides" / f"{request.param}.html"
    if not path.is_file():
        missing("the book was built without its slides: run `make book` first")
    opened = Visit(browser, path)
    opened.page.set_viewport_size(SIZE)
    opened.page.wait_for_selector("html[data-ready]", state="attached", timeout=PATIENCE)
    opened.name = request.param
    yield opened
    opened.page.close()


# every slide with all its steps, its pictures loaded: what leaves the slide, overlaps, is too small or is not there
LOOK = """async (number) => {
    Reveal.slide(number, 0, 99);
    const section = Reveal.getCurrentSlide();
    const wanted = [...section.querySelectorAll('.panel img')].filter((image) => image.offsetParent);
    await Promise.allSettled(wanted.map((image) => image.decode()));
    const found = [];
    const slide = section.querySelector('.slide').getBoundingClientRect();
    for (const element of section.querySelectorAll('.slide *')) {
        const box = element.getBoundingClientRect();
        if (!box.width || !box.height || element.closest('mjx-assistive-mml')) continue;
        if (box.left < slide.left || box.right > slide.right - 20 || box.bottom > slide.bottom - 30 || box.top < 0) {
            found.push(`leaves the slide: ${element.outerHTML.slice(0, 120)}`);
        }
    }
    const heading = section.querySelector('h1, h2').getBoundingClientRect();
    const words = section.querySelector('.words')?.getBoundingClientRect();
    const figure = section.querySelector('figure')?.getBoundingClientRect();
    if (words && words.top < heading.bottom - 1) found.push('words over the heading');
    if (words && figure && words.bottom > figure.top + 1 && words.right > figure.left + 1) found.push('on words');
    for (const image of wanted) {
        if (!image.naturalWidth) { found.push(`not there: ${image.src}`); continue; }
        const scale = Math.min(image.clientWidth / image.naturalWidth, image.clientHeight / image.naturalHeight);
        if (scale < 0.95) found.push(`drawn ${scale.toFixed(2)} of its size: ${image.src}`);
    }
    if (section.querySelector('figure') && !wanted.length) found.push('no picture for this theme');
    for (const text of section.querySelectorAll('.words :is(p, li, td, th, pre)')) {
        if (text.textContent.trim() && parseFloat(getComputedStyle(text).fontSize) < 28) found.push('small letters');
    }
    for (const formula of section.querySelectorAll('.math')) {
        if (!formula.querySelector('mjx-container') || formula.querySelector('mjx-merror, [data-mjx-error]')) {
            found.push(`formula: ${formula.textContent}`);
        }
    }
    if (!section.querySelector('aside.notes').textContent.trim()) found.push('no notes');
    return found;
}"""


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_slide_fits(shown, scheme):
    darken(shown.page, scheme)
    count = shown.page.evaluate("Reveal.getTotalSlides()")
    found = {number + 1: shown.page.evaluate(LOOK, number) for number in range(count)}
    assert {number: faults for number, faults in found.items() if faults} == {}
    assert count in SLIDES[shown.name]


@pytest.mark.browser
def test_on_a_phone_a_deck_is_one_column_to_read(browser, book, shown):
    page = browser.new_page(viewport={"width": PHONE, "height": 812})
    page.goto((book / "slides" / f"{shown.name}.html").as_uri())
    page.wait_for_selector("html[data-ready]", state="attached", timeout=PATIENCE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    found = page.evaluate(
        """() => {
            const read = [...document.querySelectorAll(".slide :is(h1, h2, p, li, td, th, pre, figcaption, span)")]
                .filter((text) => text.innerText?.trim() && !text.closest("mjx-container, .math"));
            const slides = [...document.querySelectorAll(".slide")].map((slide) => slide.getBoundingClientRect());
            return {
                smallest: Math.min(...read.map((text) => parseFloat(getComputedStyle(text).fontSize))),
                overlaps: slides.filter((slide, i) => i && slide.top < slides[i - 1].bottom - 1).length,
            };
        }"""
    )
    assert found["smallest"] >= 14
    assert found["overlaps"] == 0
    page.close()


@pytest.mark.browser
def test_axe_finds_nothing_serious_on_the_first_slides(shown):
    shown.page.evaluate((Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8"))
    for number in range(8):
        shown.page.evaluate(LOOK, number)
        found = shown.page.evaluate(
            "axe.run(document, { preload: false, resultTypes: ['violations'] }).then((run) => run.violations)"
        )
        serious = [(fault["id"], fault["nodes"][0]["html"][:150]) for fault in found if fault["impact"] in SERIOUS]
        assert serious == [], number + 1


@pytest.mark.browser
def test_the_speaker_sees_the_notes(shown):
    shown.page.evaluate("Reveal.slide(1, 0, 0)")
    with shown.page.expect_popup() as opened:
        shown.page.keyboard.press("s")
    notes = opened.value
    said = shown.page.evaluate("() => Reveal.getCurrentSlide().querySelector('aside.notes p').textContent")
    assert said[:40] in notes.inner_text("#said").replace("\n", " ")
    assert notes.inner_text("#place").startswith("2 of ")
    shown.page.evaluate("Reveal.slide(2)")
    assert notes.inner_text("#place").startswith("3 of ")
    notes.close()


@pytest.mark.browser
def test_the_key_changes_the_theme(shown):
    darken(shown.page, "light")
    shown.page.keyboard.press("d")
    assert shown.page.evaluate("document.documentElement.dataset.theme") == "dark"
    shown.page.keyboard.press("d")
    assert shown.page.evaluate("document.documentElement.dataset.theme") == "light"


@pytest.mark.browser
@pytest.mark.parametrize(("query", "pages"), [("?print-pdf", 1), ("?print-pdf&notes", 2)])
def test_a_deck_prints_a_page_for_every_slide_and_its_notes(browser, book, shown, tmp_path, query, pages):
    pdf = tmp_path / "deck.pdf"
    address = (book / "slides" / f"{shown.name}.html").as_uri() + query
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--print-to-pdf={pdf}"]
    subprocess.run([CHROMIUM, *options, address], check=True, capture_output=True, timeout=120)
    count = shown.page.evaluate("Reveal.getTotalSlides()")
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf.read_bytes())) == pages * count
    printed = Visit(browser, book / "slides" / f"{shown.name}.html", query)
    printed.page.wait_for_selector("html[data-ready]", state="attached", timeout=PATIENCE)
    assert printed.page.evaluate("document.documentElement.dataset.theme") == "light"
    assert printed.page.evaluate(CUT_OFF) == []
    printed.page.close()
