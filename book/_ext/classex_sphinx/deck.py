"""From the source of a deck to its slides.

A deck is a Markdown file. Its first heading, of level one, begins the title slide, and every heading of level two
another one. Beside Markdown and formulas between dollars there are

- ``:::{figure} fig-ch1-sampling``: a figure of the book, in the lower part of the slide, or at its right with the word
  ``side`` after the name; with ``panel=2`` its second panel alone, with ``step`` at a click;
- ``:::{statement} thm-ch1-unbiased``: a theorem, lemma or definition under the number it has in the book; in the words
  below, or in those of the book if there are none;
- ``:::{exercise} exr-ch1-wins``: the exercise to stop at, likewise;
- ``:::{table} three-sources-of-randomness``: a table that a cell in this section computed, the second one with a 2
  after the name, some of it with ``columns=1,3`` and ``rows=2,4``;
- ``:::{step}``: what appears at a click;
- ``:::{notes}``: what the speaker says;
- ``{glue}`name:.2f` ``: a number that a page of the chapter computed, and ``{ref}`thm-ch1-unbiased` ``: a link.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from .finished import FinishedBook, MissingError

_FORMULA_AND_SIGN = re.compile(r'(<span class="math">[^<]*</span>[.,;:!?)]+)')


@dataclass
class Slide:
    """One slide: its heading, its words, its figure, and what is said."""

    title: str
    level: int
    words: str = ""
    figure: str = ""
    notes: str = ""
    side: bool = False
    figures: list[str] = field(default_factory=list)
    exercises: list[str] = field(default_factory=list)

    def to_html(self) -> str:
        """The section that reveal.js shows."""
        kind = " ".join(
            name
            for name, wanted in {
                "opening": self.level == 1,
                "side": self.side,
                "pictured": bool(self.figure),
                "stop": bool(self.exercises),
            }.items()
            if wanted
        )
        kept = _FORMULA_AND_SIGN.sub(r'<span class="kept">\1</span>', self.words)
        words = f'<div class="words">\n{kept}</div>\n' if kept.strip() else ""
        return (
            f'<section><div class="slide {kind}">\n<h{self.level}>{self.title}</h{self.level}>\n'
            f'<div class="content">\n{words}{self.figure}</div>\n</div>\n'
            f'<aside class="notes">\n{self.notes}</aside>\n</section>\n'
        )


def read_deck(text: str, book: FinishedBook) -> list[Slide]:
    """The slides of a deck, with all that they take from the book."""
    writer = _Writer(book)
    return list(writer.slides(text))


class _Writer:
    """Renders the Markdown of one deck."""

    def __init__(self, book: FinishedBook) -> None:
        self.book = book
        self.slide = Slide("", 1)
        self.markdown = MarkdownIt("commonmark", {"typographer": True}).enable(["table", "smartquotes"])
        self.markdown.use(colon_fence_plugin).use(dollarmath_plugin, double_inline=True).use(myst_role_plugin)
        for name in ("colon_fence", "fence", "math_inline", "math_block", "math_inline_double", "myst_role"):
            self.markdown.renderer.rules[name] = getattr(self, name)

    def slides(self, text: str) -> Iterator[Slide]:
        tokens = self.markdown.parse(text)
        starts = [place for place, token in enumerate(tokens) if token.type == "heading_open" and token.tag < "h3"]
        if not starts or starts[0] != 0:
            raise MissingError("a deck begins with a heading")
        for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
            self.slide = Slide(self._render(tokens[start + 1 : start + 2]), int(tokens[start].tag[1]))
            self.slide.words = self._render(tokens[start + 3 : end])
            yield self.slide

    def _render(self, tokens: Sequence[Token]) -> str:
        return str(self.markdown.renderer.render(tokens, self.markdown.options, {}))

    def colon_fence(self, tokens: Sequence[Token], place: int, *_: object) -> str:
        name, *words = tokens[place].info.split() or [""]
        content = tokens[place].content
        if name == "{figure}":
            self.slide.figure += self._figure(words[0], words[1:])
            return ""
        if name == "{notes}":
            self.slide.notes = self.markdown.render(content) + self.slide.notes
            return ""
        if name == "{table}":
            return self.book.table(words[0], words[1:])
        if name == "{step}":
            return f'<div class="fragment">\n{self.markdown.render(content)}</div>\n'
        if name == "{statement}":
            return self._box("statement", words[0], content)
        if name == "{exercise}":
            self.slide.exercises.append(words[0])
            return self._box("exercise", words[0], content)
        raise MissingError(f"slides know no box {name!r} (one around another needs four colons): {content[:60]!r}")

    def _figure(self, label: str, options: Sequence[str]) -> str:
        self.slide.side = "side" in options
        figure = self.book.figure(label, narrow=self.slide.side)
        shown = [int(option.removeprefix("panel=")) - 1 for option in options if option.startswith("panel=")]
        if shown and not 0 <= shown[0] < len(figure.panels):
            raise MissingError(f"{label!r} has {len(figure.panels)} panels, not {shown[0] + 1}")
        panels = [figure.panels[place] for place in shown or range(len(figure.panels))]
        self.slide.figures.append(label)
        self.slide.notes += f'<p class="caption">{figure.number} {figure.caption}</p>\n'
        pictures = "".join(
            f'<div class="panel" style="flex-grow: {panel.width / panel.height:.3f}">'
            f'<img class="only-light" src="{panel.light}" alt="{html.escape(panel.alt)}">'
            f'<img class="only-dark" src="{panel.dark}" alt="{html.escape(panel.alt)}"></div>\n'
            for panel in panels
        )
        kind = ' class="fragment"' if "step" in options else ""
        return (
            f'<figure{kind}>\n<div class="panels">\n{pictures}</div>\n'
            f'<figcaption><a href="{figure.link}">{figure.number}</a></figcaption>\n</figure>\n'
        )

    def _box(self, kind: str, label: str, content: str) -> str:
        title = self.book.title(label)
        words = self.markdown.render(content) if content.strip() else self.book.body(label)
        if kind == "exercise":
            heading = (
                f'<span class="stop-here">Stop here</span> <a href="{title.link}">{title.number}</a> {title.name}'
                f'<span class="asked">{title.asked}</span>'
            )
        else:
            heading = f'<a href="{title.link}">{title.number}</a> {title.name}'
        return f'<div class="box {kind}">\n<p class="heading">{heading}</p>\n{words}</div>\n'

    def myst_role(self, tokens: Sequence[Token], place: int, *_: object) -> str:
        name, text = tokens[place].meta["name"], tokens[place].content
        if name == "glue":
            return html.escape(self.book.number(text))
        if name == "ref":
            words, address = self.book.reference(text)
            return f'<a href="{address}">{words}</a>'
        raise MissingError(f"slides know no {{{name}}}")

    def fence(self, tokens: Sequence[Token], place: int, *_: object) -> str:
        return str(highlight(tokens[place].content, get_lexer_by_name(tokens[place].info or "text"), HtmlFormatter()))

    def math_inline(self, tokens: Sequence[Token], place: int, *_: object) -> str:
        return rf'<span class="math">\({html.escape(tokens[place].content)}\)</span>'

    def math_block(self, tokens: Sequence[Token], place: int, *_: object) -> str:
        return rf'<div class="math">\[{html.escape(tokens[place].content)}\]</div>' + "\n"

    math_inline_double = math_block
