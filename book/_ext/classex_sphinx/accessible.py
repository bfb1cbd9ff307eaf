"""What the theme and docutils leave to be mended, most of it for readers who use a keyboard or a screen reader.

Each repair is a replacement in the finished pages, for these parts of a page come from templates of other packages.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

REPAIRS = (
    # a blank is no part of the link behind it
    (re.compile(r'Solution to(<a class="reference internal" href="[^"]*">) '), r"Solution to \1"),
    # the items of a bibliography are items of a list
    (re.compile(r' role="doc-biblioentry"'), ' role="listitem"'),
    # the name of a button or of a fold is what stands on it
    (re.compile(r'(<button class="btn search-button-field[^>]*?) aria-label="[^"]*"'), r"\1"),
    (re.compile(r'<summary aria-label="Toggle hidden content">'), "<summary>"),
    # the fold of a chapter's pages in the side bar
    (re.compile(r'<summary><span class="toctree-toggle"'), '<summary aria-label="Pages"><span class="toctree-toggle"'),
    # pictures further down wait until they are near
    (re.compile(r'<img (?![^>]*\bloading=)(?=[^>]*src="[^"]*_images/)'), '<img loading="lazy" '),
    # the theme is known before anything is drawn, so that pictures for the other one are neither seen nor loaded
    (
        re.compile(r'dataset\.theme = localStorage\.getItem\("theme"\) \|\| "auto";'),
        'dataset.theme = ["light", "dark"].find((one) => one === document.documentElement.dataset.mode)'
        ' || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");',
    ),
    # the blank before the name of an exercise is no part of the link
    (re.compile(r'Solution to(<a class="reference internal"[^>]*>) '), r"Solution to \1"),
    # logo and search belong to a landmark
    (
        re.compile(r'<div id="pst-primary-sidebar" class="([^"]*)">'),
        r'<div id="pst-primary-sidebar" class="\1" role="navigation" aria-label="Book">',
    ),
)


def repair(html: str) -> str:
    """A page with all repairs."""
    for pattern, replacement in REPAIRS:
        html = pattern.sub(replacement, html)
    return html


def repair_pages(app: Sphinx, exception: Exception | None) -> None:
    """Repair every page of a finished book."""
    if exception is not None or app.builder.format != "html":
        return
    for path in sorted(Path(app.outdir).rglob("*.html")):
        html = path.read_text(encoding="utf-8")
        if (repaired := repair(html)) != html:
            path.write_text(repaired, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.connect("build-finished", repair_pages, priority=850)
