"""What a link points at, shown when the pointer rests on it: terms, definitions, theorems and formulas.

A page read from a folder cannot fetch another one, so each page gets a small script with the texts that its own links
need, taken from the finished pages. (sphinx-tippy does the same from another host, and not for the keyboard.)
"""

from __future__ import annotations

import copy
import json
import posixpath
import re
from pathlib import Path

from bs4 import BeautifulSoup, SoupStrainer, Tag
from sphinx.application import Sphinx

FOLDER = "_static/cards"
LONGEST = 6000  # characters of a card, formulas included
_LINK = re.compile(r'<a class="reference internal" href="([^"#:]*)#([^"]+)"')
_BOXES = SoupStrainer(class_=re.compile(r"\b(glossary|proof|math)\b"))


def targets(html: str) -> dict[str, str]:
    """Text of everything on a page that deserves a card, by identifier."""
    soup = BeautifulSoup(html, "html.parser", parse_only=_BOXES)
    found = {}
    for term in soup.select("dl.glossary > dt[id]"):
        name, meaning = (_inside(part) for part in (term, term.find_next_sibling("dd")))
        found[term["id"]] = f"<p><strong>{name}</strong></p>{meaning}"
    for box in soup.select("div.proof[id]:has(> .admonition-title)"):
        found[box["id"]] = _inside(box)
    for formula in soup.select("div.math[id]"):
        found[formula["id"]] = f'<div class="math">{_inside(formula)}</div>'
    return {name: text for name, text in found.items() if len(text) <= LONGEST}


def _inside(element: Tag) -> str:
    """The inside of an element without links, identifiers and pictures."""
    element = copy.copy(element)
    for useless in element.select("a.headerlink, img, script, button"):
        useless.decompose()
    for link in element.select("a"):
        link.unwrap()
    for tag in element.select("[id]"):
        del tag["id"]
    return element.decode_contents().strip()


def cards_of(name: str, html: str, known: dict[str, dict[str, str]]) -> dict[str, str]:
    """Cards of one page: what its links say, as they are written, to the text of the card."""
    found = {}
    for address, anchor in _LINK.findall(html):
        page = posixpath.normpath(posixpath.join(posixpath.dirname(name), address)) if address else name
        if anchor in known.get(page, {}):
            found[f"{address}#{anchor}"] = known[page][anchor]
    return dict(sorted(found.items()))


def write_cards(app: Sphinx, exception: Exception | None) -> None:
    """Write the cards of every page beside the finished book."""
    if exception is not None or app.builder.format != "html":
        return
    root = Path(app.outdir)
    pages = {f"{name}.html": (root / f"{name}.html").read_text(encoding="utf-8") for name in sorted(app.env.all_docs)}
    known = {name: targets(html) for name, html in pages.items()}
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    for name, html in pages.items():
        if cards := cards_of(name, html, known):
            script = f"{FOLDER}/{name.removesuffix('.html').replace('/', '-')}.js"
            (root / script).write_text(f"window.classexCards = {json.dumps(cards, indent=0)};\n", encoding="utf-8")
            tag = f'<script defer src="{posixpath.relpath(script, posixpath.dirname(name) or ".")}"></script>\n'
            (root / name).write_text(html.replace("</body>", f"{tag}</body>", 1), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect to the build, after the pages are written."""
    app.connect("build-finished", write_cards, priority=900)
