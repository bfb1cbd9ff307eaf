"""Say what does not fit on the pages of a built book, measured in a browser.

Run as ``python tools/measure_pages.py _build/html --width 1280 [--width 375] [pages ...]``, where a page is named
as in the table of contents (``notebooks/03_extrapolation``). One line for everything that is cut, hangs over the
edge or lies under its own number: page, width, what is wrong, by how many pixels, where. The exit status is 1 if
there is any such line.

Run with ``--loads 5`` it says instead how long each page takes from the disk, the best of five visits, slowest page
first: until the browser's load event, and until the formulas are set. On a busy machine this says nothing.

On a desk (1,000 pixels and more) nothing may need sideways scrolling; a line of code of more than 78 characters breaks
there, and is reported with its length. On narrower screens a box may scroll if its
edge is visible, so that the reader knows that there is more.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WIDTHS = (1280, 1440, 1920, 375)
DESK = 1000  # pixels from which on nothing scrolls sideways
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")

UNFOLD = """() => {
    document.querySelectorAll('article details').forEach((e) => { e.removeAttribute('name'); e.open = true; });
    document.querySelectorAll('article .toggle-hidden').forEach((e) => e.classList.remove('toggle-hidden'));
}"""

# What is wrong with the page as it stands: [kind, pixels, where]
MEASURE = r"""(desk) => {
    const CODE = 78; // characters of code in a line
    const found = [];
    const article = document.querySelector('article.bd-article') ?? document.body;
    const style = (e) => getComputedStyle(e);
    const source = new Map();
    for (const item of window.MathJax?.startup?.document?.math ?? []) source.set(item.typesetRoot, item.math);

    function where(e) {
        const formula = e.closest('mjx-container') ?? e.querySelector('mjx-container');
        const label = e.closest('[id]')?.id ?? '';
        const kind = e.tagName.toLowerCase() + (e.classList.length ? '.' + [...e.classList].join('.') : '');
        const text = (formula && source.get(formula)) ?? e.innerText ?? e.textContent ?? '';
        return `#${label} <${kind}> ${text.replace(/\s+/g, ' ').trim().slice(0, 90)}`;
    }
    // the inside of a drawing or a formula is one thing, and what is made for screen readers alone is not shown
    const inside = (e) => e.parentElement?.closest('svg, mjx-container, .visually-hidden, .sr-only');
    const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.matches('.visually-hidden, .sr-only');
    const edged = (e) => {
        for (let box = e, steps = 0; box && steps < 3; box = box.parentElement, steps += 1) {
            const seen = style(box);
            const sides = ['Left', 'Right'].map((side) => parseFloat(seen[`border${side}Width`]));
            if (Math.min(...sides) >= 1 && seen.borderRightStyle !== 'none') return true;
        }
        return false;
    };
    const scrolls = (e) => ['auto', 'scroll'].includes(style(e).overflowX);

    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) found.push(['page scrolls', page.scrollWidth - page.clientWidth, '']);
    const frame = article.getBoundingClientRect();
    const edge = frame.right - parseFloat(style(article).paddingRight);
    const boxes = new Map(); // what scrolls or hangs over is reported once, not with everything in it

    for (const e of article.querySelectorAll('*')) {
        if (inside(e) || !shown(e) || e.matches('input, textarea, select, option, br, wbr')) continue;
        const box = e.getBoundingClientRect();
        if (box.width === 0 || box.height === 0) continue;
        const clips = style(e).overflowX !== 'visible' && style(e).display !== 'inline';
        const over = clips ? e.scrollWidth - e.clientWidth : 0;
        if (over > 1) {
            const allowed = !desk && scrolls(e);
            if (!allowed) found.push(['does not fit', over, where(e)]);
            else if (!edged(e)) found.push(['scrolls without a visible edge', over, where(e)]);
            boxes.set(e, true);
        }
        if (clips && style(e).overflowY !== 'visible' && !e.matches('pre')) {
            const tall = e.scrollHeight - e.clientHeight;
            if (tall > 3 && style(e).overflowY === 'hidden') found.push(['is cut below', tall, where(e)]);
        }
        let held = false;
        for (let p = e.parentElement; p && p !== article; p = p.parentElement) held ||= boxes.has(p);
        const room = desk ? edge : page.clientWidth;
        if (!held && box.right > room + 1.5 && !e.closest('.margin, .headerlink')) {
            found.push(['hangs over the edge', Math.round(box.right - room), where(e)]);
            boxes.set(e, true);
        }
    }
    for (const code of desk ? article.querySelectorAll('.cell_input pre') : []) {
        const longest = Math.max(...code.textContent.split('\n').map((line) => line.trimEnd().length));
        if (longest > CODE && shown(code)) found.push(['a line of code breaks', longest, where(code)]);
    }
    for (const number of article.querySelectorAll('.eqno')) {
        const formula = number.parentElement.querySelector('mjx-container mjx-math');
        if (!formula || !shown(number)) continue;
        const a = number.getBoundingClientRect();
        const math = formula.getBoundingClientRect();
        const window_ = formula.closest('mjx-container').getBoundingClientRect();
        const right = Math.min(math.right, window_.right); // what has scrolled out of its box is not seen
        const meet = right - a.left + (desk ? 4 : 0);
        if (meet > 0 && Math.max(math.left, window_.left) < a.right && math.top < a.bottom && a.top < math.bottom) {
            found.push(['lies under its number', Math.round(meet), where(number.parentElement)]);
        }
    }
    return found;
}"""


def _chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def table_of_contents(html: Path) -> list[str]:
    """Every page of a built book that holds text, by its name."""
    made = sorted(path.relative_to(html).with_suffix("").as_posix() for path in html.glob("*/**/*.html"))
    return [name for name in made if not name.startswith("_")] + ["genindex"]


def measure(page: Any, width: int) -> list[tuple[str, int, str]]:
    """What does not fit on the page that the browser shows, at a width of the window.

    Parameters
    ----------
    page : playwright.sync_api.Page
        A page of the book that has been loaded.
    width : int
        Width of the window in pixels.

    Returns
    -------
    list of (str, int, str)
        What is wrong, by how many pixels, where.
    """
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(UNFOLD)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 150)))")
    return [(kind, int(pixels), place) for kind, pixels, place in page.evaluate(MEASURE, width >= DESK)]


def open_page(browser: Any, path: Path) -> Any:
    """Open a page and wait for its formulas and fonts."""
    page = browser.new_page(viewport={"width": WIDTHS[0], "height": 900})
    page.goto(path.resolve().as_uri())
    page.evaluate("Promise.all([window.MathJax?.startup?.promise, document.fonts.ready]).then(() => true)")
    return page


def measure_book(html: Path, pages: list[str], widths: list[int]) -> Iterator[tuple[str, int, str, int, str]]:
    """Measure pages of the built book, one after the other."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=list(OPTIONS))
        for name in pages:
            page = open_page(browser, html / f"{name}.html")
            for width in widths:
                for kind, pixels, place in measure(page, width):
                    yield name, width, kind, pixels, place
            page.close()
        browser.close()


LOADED = """async () => {
    const visit = () => performance.getEntriesByType('navigation')[0];
    while (!visit().loadEventEnd) await new Promise((done) => setTimeout(done, 5));
    await window.MathJax?.startup?.promise;
    return [visit().loadEventEnd / 1000, performance.now() / 1000];
}"""


def time_pages(html: Path, pages: list[str], visits: int) -> list[tuple[float, float, str]]:
    """How long each page takes from the disk, slowest first.

    Parameters
    ----------
    html : Path
        Folder of the built book.
    pages : list of str
        Names of the pages.
    visits : int
        Visits of each page, each with an empty cache; the shortest counts.

    Returns
    -------
    list of (float, float, str)
        Seconds until the load event, seconds until the formulas are set, name of the page.
    """
    from playwright.sync_api import sync_playwright

    times: dict[str, list[tuple[float, float]]] = {name: [] for name in pages}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=list(OPTIONS))
        for _ in range(visits):  # not one after the other, so that what else the machine does hits all pages alike
            for name in pages:
                context = browser.new_context(viewport={"width": WIDTHS[0], "height": 900})
                page = context.new_page()
                page.goto((html / f"{name}.html").resolve().as_uri())
                loaded, formulas = page.evaluate(LOADED)
                times[name].append((loaded, formulas))
                context.close()
        browser.close()
    best = [(min(a for a, _ in seen), min(b for _, b in seen), name) for name, seen in times.items()]
    return sorted(best, reverse=True)


def main(arguments: list[str] | None = None) -> int:
    """Print what does not fit, or how long the pages take."""
    parser = argparse.ArgumentParser(description="Say what does not fit on the pages of a built book.")
    parser.add_argument("html", type=Path, help="folder of the built book, such as _build/html")
    parser.add_argument("pages", nargs="*", help="pages to measure, such as notebooks/03_extrapolation; else all")
    parser.add_argument("--width", type=int, action="append", help="width of the window in pixels; may be repeated")
    parser.add_argument("--loads", type=int, metavar="VISITS", help="time so many visits of each page instead")
    options = parser.parse_intermixed_args(arguments)
    pages = options.pages or table_of_contents(options.html)
    if options.loads:
        print(f"seconds until loaded, until formulas are set (best of {options.loads})")
        for loaded, formulas, name in time_pages(options.html, pages, options.loads):
            print(f"{loaded:.2f}  {formulas:.2f}  {name}")
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        return 0
    count = 0
    for name, width, kind, pixels, place in measure_book(options.html, pages, options.width or list(WIDTHS)):
        print(f"{name}  {width} px  {kind}  by {pixels} px  {place}", flush=True)
        count += 1
    print(f"{count} things do not fit" if count else "everything fits")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
