"""Slides for every chapter, made from the Markdown files in ``book/slides`` when the book is finished.

The first heading of a deck, of level one, begins the title slide, and every heading of level two another one. What a
deck takes from the pages of its chapter it names as they do; a name that is not there fails the build.

- ``:::{figure} fig-ch1-sampling``: a figure, in the lower part of the slide, or at its right with the word ``side``
  after the name; with ``panel=2`` its second panel alone, with ``step`` at a click;
- ``:::{statement} thm-ch1-unbiased``: a theorem, lemma or definition under its number, in the words below, or in those
  of the book if there are none; ``:::{exercise} exr-ch1-wins``: the exercise to stop at, likewise;
- ``:::{table} three-sources-of-randomness``: a table computed in this section, the second one with a 2 after the name,
  some of it with ``columns=1,3`` and ``rows=2,4``;
- ``:::{step}``: what appears at a click; ``:::{notes}``: what the speaker says;
- ``{glue}`name:.2f` ``: a number that a page computed, and ``{ref}`thm-ch1-unbiased` ``: a link.
"""

from __future__ import annotations

import ast
import copy
import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

import yaml
from bs4 import BeautifulSoup, Tag
from docutils import nodes
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from .pages import printed

SOURCES = "book/slides"
FOLDER = "slides"  # in the built book
_FORMULA_AND_SIGN = re.compile(r'(<span class="math inline">[^<]*</span>[.,;:!?)]+)')


def read_source(path: Path) -> tuple[dict[str, Any], str]:
    """The head of a deck, which names its chapter and further pages to quote, and its text."""
    _, head, text = path.read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(head), text


def belongs(page: str, head: dict[str, Any]) -> bool:
    """Whether a deck is of this page: its chapter is the beginning of a name, or a list of them."""
    chapter = head["chapter"]
    return page.startswith(chapter if isinstance(chapter, str) else tuple(chapter))


def pages_of(path: Path, docs: Sequence[str]) -> list[str]:
    """The pages that a deck may quote, of those in the book; its chapter's first."""
    head, _ = read_source(path)
    chapter = sorted(name for name in docs if belongs(name, head))
    return [*chapter, *(name for name in head.get("also", ()) if name in docs)]


class Deck:
    """One deck, which quotes the given pages of the built book in `folder`."""

    def __init__(self, path: Path, folder: Path, pages: Sequence[str]) -> None:
        self.name = f"{SOURCES}/{path.name}"
        self.text = read_source(path)[1]
        self.home = pages[0]
        self.pages = {
            page: BeautifulSoup((folder / f"{page}.html").read_text(encoding="utf-8"), "html.parser") for page in pages
        }
        stored = [folder.parent / "jupyter_execute" / f"{page}.glue.json" for page in pages]
        self.glued: dict[str, Any] = {}
        for file in stored:
            self.glued.update(json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {})
        self.markdown = MarkdownIt("commonmark", {"typographer": True})
        self.markdown.enable(["table", "smartquotes"]).use(colon_fence_plugin).use(myst_role_plugin)
        self.markdown.use(dollarmath_plugin, double_inline=True, renderer=_formula)
        self.markdown.renderer.rules |= {
            "colon_fence": self.colon_fence, "myst_role": self.myst_role, "fence": _code,
        }  # fmt: skip

    def to_html(self) -> str:
        """The page of the deck."""
        tokens = self.markdown.parse(self.text)
        starts = [i for i, token in enumerate(tokens) if token.type == "heading_open" and token.tag < "h3"]
        if not starts or starts[0] != 0:
            raise self._error("a deck begins with a heading")
        ends = [*starts[1:], len(tokens)]
        sections = [self._section(tokens[start:end]) for start, end in zip(starts, ends, strict=True)]
        title = self._render(tokens[1:2])
        page = Template((Path(__file__).parent / "slides.html").read_text(encoding="utf-8"))
        return page.substitute(title=title, slides="".join(sections), chapter=f"../{self.home}.html")

    def _section(self, tokens: Sequence[Token]) -> str:
        self.kinds = {"opening"} if tokens[0].tag == "h1" else set()
        self.figure = self.notes = ""
        title = self._render(tokens[1:2])
        words = _FORMULA_AND_SIGN.sub(r'<span class="kept">\1</span>', self._render(tokens[3:]))
        words = f'<div class="words">\n{words}</div>\n' if words.strip() else ""
        return (
            f'<section><div class="{" ".join(["slide", *sorted(self.kinds)])}">\n'
            f"<{tokens[0].tag}>{title}</{tokens[0].tag}>\n"
            f'<div class="content">\n{words}{self.figure}</div>\n</div>\n'
            f'<aside class="notes">\n{self.notes}</aside>\n</section>\n'
        )

    def _render(self, tokens: Sequence[Token]) -> str:
        return str(self.markdown.renderer.render(tokens, self.markdown.options, {}))

    def _error(self, problem: str) -> ExtensionError:
        return ExtensionError(f"{self.name}: {problem}")

    def colon_fence(self, tokens: Sequence[Token], index: int, *_: object) -> str:
        """What a box becomes; figures and notes have their own places on the slide."""
        name, *words = tokens[index].info.split() or [""]
        content = tokens[index].content
        match name:
            case "{figure}":
                self.figure += self._figure(*words)
                return ""
            case "{notes}":
                self.notes = self.markdown.render(content) + self.notes
                return ""
            case "{step}":
                return f'<div class="fragment">\n{self.markdown.render(content)}</div>\n'
            case "{table}":
                return self._table(*words)
            case "{statement}" | "{exercise}":
                return self._box(name.strip("{}"), words[0], content)
        raise self._error(f"slides know no box {name!r} (one around another needs four colons): {content[:60]!r}")

    def myst_role(self, tokens: Sequence[Token], index: int, *_: object) -> str:
        """A computed number, or a link that reads as the number of what it leads to, or as the title of a section."""
        role, text = tokens[index].meta["name"], tokens[index].content
        if role == "glue":
            name, _, form = text.partition(":")
            if name not in self.glued:
                raise self._error(f"no page of the chapter glues a value named {name!r}")
            value = self.glued[name]["data"]["text/plain"].strip("'\"")
            shown = format(ast.literal_eval(value), form) if form else value
            return printed(html.escape(shown))
        if role == "ref":
            element, address = self._element(text)
            words = self._part(element, ".caption-number, h1, h2, h3", text).get_text().strip().rstrip("#")
            return f'<a href="{address}">{words}</a>'
        raise self._error(f"slides know no {{{role}}}")

    def _element(self, label: str) -> tuple[Tag, str]:
        """A copy of what has this label, and its address."""
        for page, soup in self.pages.items():
            # a label of a section stands on an empty element at its beginning
            if found := soup.select_one(f'[id="{label}"]:not(:empty), section:has(> [id="{label}"]:empty)'):
                return copy.copy(found), f"../{page}.html#{label}"
        raise self._error(f"no page of the chapter has anything labelled {label!r}: {', '.join(self.pages)}")

    def _part(self, element: Tag, selector: str, label: str) -> Tag:
        found = element.select_one(selector)
        if found is None:
            raise self._error(f"{label!r} has no {selector}")
        return found

    def _figure(self, label: str, *options: str) -> str:
        figure, address = self._element(label)
        number = self._part(figure, ".caption-number", label).get_text(strip=True)
        self.notes += (
            f'<p class="caption">{number} {self._part(figure, ".caption-text", label).decode_contents()}</p>\n'
        )
        self.kinds |= {"pictured", *({"side"} & set(options))}
        shown = ""
        panels = figure.select(".classex-panel")
        for panel in self._chosen(dict(o.split("=") for o in options if "=" in o).get("panel"), panels):
            wide = panel.select("img:not(.classex-narrow)")
            narrow = panel.select("img.classex-narrow")  # beside words, and on a phone
            images = (narrow or wide) if "side" in options else [*wide, *narrow]
            width, height = re.findall(r"\d+", images[0]["style"])[-2:]  # of the aspect ratio, at its end
            for image in images:
                image.attrs = {name: image[name] for name in ("class", "src", "alt")}
                if "only-dark" in image["class"]:
                    image["loading"] = "lazy"  # paper is light, so only a dark screen needs it
            pictures = "".join(map(str, images))
            shown += f'<div class="panel" style="flex-grow: {int(width) / int(height):.3f}">{pictures}</div>\n'
        return (
            f'<figure{" class=fragment" if "step" in options else ""}>\n<div class="panels">\n{shown}</div>\n'
            f'<figcaption><a href="{address}">{number}</a></figcaption>\n</figure>\n'
        )

    def _box(self, kind: str, label: str, content: str) -> str:
        """A theorem or an exercise, without its links."""
        box, address = self._element(label)
        heading = self._part(box, ".admonition-title", label)
        number = self._part(heading, ".caption-number", label).extract().get_text(strip=True)
        asked = [part.extract().get_text().strip(" ·") for part in heading.select(".classex-kind")]
        name = heading.decode_contents().strip().removeprefix("(").removesuffix(")")
        body = self._part(box, "section", label)
        for link in body.select("a"):
            link.unwrap()
        words = self.markdown.render(content) if content.strip() else body.decode_contents().strip()
        stop, effort = "", ""
        if kind == "exercise":
            self.kinds.add("stop")
            stop, effort = '<span class="stop-here">Stop here</span> ', f'<span class="asked">{"".join(asked)}</span>'
        heading_text = f'{stop}<a href="{address}">{number}</a> {name}{effort}'
        return f'<div class="box {kind}">\n<p class="heading">{heading_text}</p>\n{words}</div>\n'

    def _table(self, section: str, *options: str) -> str:
        tables = self._element(section)[0].select(".cell_output table")
        number = next((option for option in options if option.isdigit()), "1")
        wanted = dict(option.split("=") for option in options if "=" in option)
        header, *body = self._chosen(number, tables)[0].select("tr")
        lines = ""
        for row in [header, *self._chosen(wanted.get("rows"), body)]:
            tag = "th" if row is header else "td"
            cells = self._chosen(wanted.get("columns"), row.select("th, td"))
            lines += "<tr>" + "".join(f"<{tag}>{cell.decode_contents().strip()}</{tag}>" for cell in cells) + "</tr>\n"
        return f'<table class="computed">\n{lines}</table>\n'

    def _chosen(self, numbers: str | None, of: Sequence[Tag]) -> Sequence[Tag]:
        """Those of these numbers, counted from 1; all without numbers."""
        chosen = [int(number) for number in numbers.split(",")] if numbers else range(1, len(of) + 1)
        if not chosen or not all(1 <= number <= len(of) for number in chosen):
            raise self._error(f"there are {len(of)} of these panels, tables, rows or columns; asked for: {numbers}")
        return [of[number - 1] for number in chosen]


def _code(tokens: Sequence[Token], index: int, *_: object) -> str:
    return str(highlight(tokens[index].content, get_lexer_by_name(tokens[index].info or "text"), HtmlFormatter()))


def _formula(text: str, options: dict[str, bool]) -> str:
    return html.escape(rf"\[{text}\]" if options["display_mode"] else rf"\({text}\)")


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the decks beside the finished pages."""
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for path in sorted((Path(app.srcdir) / SOURCES).glob("*.md")):
        if pages := pages_of(path, sorted(app.env.all_docs)):
            (out / FOLDER).mkdir(exist_ok=True)
            (out / FOLDER / f"{path.stem}.html").write_text(Deck(path, out, pages).to_html(), encoding="utf-8")


def offer_slides(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put a link to the slides of a chapter into the head of its pages."""
    for path in (Path(app.srcdir) / SOURCES).glob("*.md") if doctree is not None else ():
        if belongs(pagename, read_source(path)[0]):
            link = {"type": "link", "url": context["pathto"](f"{FOLDER}/{path.stem}.html", 1)}
            link |= {"icon": "fas fa-chalkboard-user", "tooltip": "Slides of this chapter", "label": "slides-button"}
            context["header_buttons"].insert(0, link)


def setup(app: Sphinx) -> None:
    """Connect to the build: when the pages are finished."""
    app.connect("html-page-context", offer_slides, priority=950)
    app.connect("build-finished", write, priority=920)
