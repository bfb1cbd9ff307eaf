"""Slides for every chapter, made from the files in ``book/slides`` when the book is finished.

They show the book's own figures, quote its theorems and exercises under their numbers, and take numbers from what its
pages computed; a deck that names something that is not there fails the build. Where a folder of a built book is at
hand, ``python -m classex_sphinx _build/html`` makes the slides alone.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxRole

from .deck import Slide, read_deck
from .finished import FinishedBook, MissingError

SOURCES = "book/slides"
FOLDER = "slides"  # in the built book
_PAGE = """<!DOCTYPE html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} – slides – ClassEx</title>
<link rel="icon" href="../_static/favicon.svg">
<link rel="stylesheet" href="../_static/slides/reveal.css">
<link rel="stylesheet" href="../_static/type.css">
<link rel="stylesheet" href="../_static/pygments.css">
<link rel="stylesheet" href="../_static/slides/slides.css">
<script src="../_static/slides/slides.js"></script>
<script defer src="../_static/mathjax/startup.js"></script>
<script defer src="../_static/slides/reveal.js"></script>
</head>
<body>
<main>
<div class="reveal">
<div class="slides">
{slides}</div>
<p class="running"><a href="{chapter}">{title}</a></p>
</div>
</main>
</body>
</html>
"""


@dataclass(frozen=True)
class Source:
    """A deck as it is written: how its chapter's pages begin, other pages whose figures it shows, and the text."""

    chapter: str
    also: tuple[str, ...]
    text: str

    def pages(self, docs: Sequence[str]) -> list[str]:
        """The pages that it may quote, of those in the book; its chapter's first."""
        return [
            *sorted(name for name in docs if name.startswith(self.chapter)),
            *(name for name in self.also if name in docs),
        ]


def read_source(path: Path) -> Source:
    """A deck, whose first lines between dashes name the chapter: ``chapter: notebooks/01``."""
    _, head, text = path.read_text(encoding="utf-8").split("---\n", 2)
    named = yaml.safe_load(head)
    return Source(named["chapter"], tuple(named.get("also", ())), text)


def chapter_decks(root: Path) -> list[Path]:
    """The sources of all decks."""
    return sorted((root / SOURCES).glob("*.md"))


def make_deck(path: Path, html_folder: Path, computed: Path, pages: Sequence[str]) -> tuple[str, list[Slide]]:
    """The page of one deck, and its slides."""
    try:
        slides = read_deck(read_source(path).text, FinishedBook(html_folder, computed, pages, FOLDER))
    except MissingError as problem:
        raise ExtensionError(f"{SOURCES}/{path.name}: {problem}") from None
    page = _PAGE.format(
        title=html.escape(slides[0].title),
        slides="".join(slide.to_html() for slide in slides),
        chapter=f"../{pages[0]}.html",
    )
    return page, slides


def write_decks(root: Path, html_folder: Path, computed: Path, docs: Sequence[str], complete: Sequence[str]) -> None:
    """Write every deck whose chapter is complete in the book."""
    for path in chapter_decks(root):
        source = read_source(path)
        pages = source.pages(docs)
        if pages and pages == source.pages(complete):
            page, _ = make_deck(path, html_folder, computed, pages)
            (html_folder / FOLDER).mkdir(exist_ok=True)
            (html_folder / FOLDER / f"{path.stem}.html").write_text(page, encoding="utf-8")


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the decks beside the finished pages."""
    if exception is not None or app.builder.format != "html":
        return
    root, out = Path(app.srcdir), Path(app.outdir)
    complete = [path.relative_to(root).with_suffix("").as_posix() for path in (root / "notebooks").glob("*.md")]
    write_decks(root, out, out.parent / "jupyter_execute", sorted(app.env.all_docs), complete)


class DeckLink(nodes.inline):
    """A link to a deck: on paper, where decks are not, only its words."""


def _open_link(self: Any, node: DeckLink) -> None:
    self.body.append(f'<a class="reference internal" href="{node["address"]}">')


def _close_link(self: Any, _node: DeckLink) -> None:
    self.body.append("</a>")


def _nothing(_self: Any, _node: DeckLink) -> None:
    pass


class SlidesRole(SphinxRole):
    """``{slides}`ch1` ``: a link to a deck."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if not (Path(self.env.srcdir) / SOURCES / f"{self.text}.md").is_file():
            message = self.inliner.reporter.error(f"there are no slides {self.text!r}", line=self.lineno)
            return [], [message]
        up = "../" * self.env.docname.count("/")
        return [DeckLink("", "slides", address=f"{up}{FOLDER}/{self.text}.html")], []


def offer_slides(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put a link to the slides of a chapter into the head of its pages."""
    if doctree is None or "header_buttons" not in context:
        return
    for path in chapter_decks(Path(app.srcdir)):
        if pagename.startswith(read_source(path).chapter):
            context["header_buttons"].insert(
                0,
                {
                    "type": "link",
                    "url": context["pathto"](f"{FOLDER}/{path.stem}.html", 1),
                    "icon": "fas fa-chalkboard-user",
                    "tooltip": "Slides of this chapter",
                    "label": "slides-button",
                },
            )


def setup(app: Sphinx) -> None:
    """Connect to the build: when the pages are finished, before they are lightened."""
    app.add_node(DeckLink, html=(_open_link, _close_link), latex=(_nothing, _nothing), text=(_nothing, _nothing))
    app.add_role("slides", SlidesRole())
    app.connect("html-page-context", offer_slides, priority=950)
    app.connect("build-finished", write, priority=920)
