"""The first page: cards of theory and labs, a list of the fields, and a map of what builds on what.

On the page that holds the line ``% classex-chapters`` cards and list stand in its place, on the page with
``% classex-map`` the map; on paper all are lists. Titles and numbers come from the pages and the table of contents, the
rest from ``book/chapters.yml``, and ``{{ classex_words_miss }}`` from the running case. A card shows a figure of
its page without the words: the first, or the one that ``picture`` names by number, or a schematic. Diagram extensions
need a program that pip cannot install, or another host.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import yaml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

if TYPE_CHECKING:
    from classex_book.figures import Drawing

CARDS, MAP, MISS = "% classex-chapters", "% classex-map", "{{ classex_words_miss }}"
FOLDER = "_static/chapters"
THEMES = ("light", "dark")
_WIDTH, _HEIGHT, _GAP, _ROW = 168, 46, 11, 92
_IN_A_ROW = 5
_SVG = "{http://www.w3.org/2000/svg}"


@dataclass
class Chapter:
    """A numbered page of the book; `needs` are the pages that it builds on, `short` its name on the map."""

    page: str
    number: int
    title: str
    part: int
    question: str = ""
    short: str = ""
    picture: int | str = 1
    needs: tuple[str, ...] = ()

    @property
    def link(self) -> str:
        """MyST source of a link."""
        return f"{self.number}. {{doc}}`{self.title} </{self.page}>`"

    @property
    def line(self) -> str:
        """MyST source of an item of a list."""
        return f"- {self.link}: {self.question}"

    @property
    def has_card(self) -> bool:
        """Whether the page has a card with a picture: of part III there are too many."""
        return self.part < 2

    @property
    def drawing(self) -> str:
        """Name of the files with the picture on the card."""
        return self.page.rpartition("/")[2]


def chapters(root: Path) -> list[Chapter]:
    """Every numbered page, in the order of the book."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    said = yaml.safe_load((root / "book" / "chapters.yml").read_text(encoding="utf-8"))
    found: list[Chapter] = []
    for part, section in enumerate(part for part in toc["parts"] if part.get("numbered")):
        for page in (entry["file"] for entry in section["chapters"]):
            source = (root / f"{page}.md").read_text(encoding="utf-8")
            title = re.sub(r"[*`$]", "", re.findall(r"^# (.+)$", source, re.MULTILINE)[0])
            found.append(Chapter(page, len(found) + 1, title, part, **said.get(page, {})))
    return found


def write_cards(found: list[Chapter]) -> str:
    """HTML of the cards."""
    items = ""
    for chapter in found:
        pictures = "".join(
            f'<img class="only-{theme}" loading="lazy" alt="" src="../{FOLDER}/{chapter.drawing}-{theme}.svg">'
            for theme in THEMES
        )
        items += (
            f'<li><a href="../{chapter.page}.html">{pictures}'
            f"<strong>{chapter.number}. {html.escape(chapter.title)}</strong>"
            f"<span>{html.escape(chapter.question)}</span></a></li>\n"
        )
    return f'<ul class="classex-chapters">\n{items}</ul>'


def places(found: list[Chapter]) -> dict[str, tuple[float, int]]:
    """Where the boxes of the map stand, each below everything that it needs: the middle, in widths, and the row."""
    depth: dict[str, int] = {}
    for chapter in found:
        depth[chapter.page] = 1 + max((depth[page] for page in chapter.needs), default=-1)
    levels = [[page for page in depth if depth[page] == level] for level in range(max(depth.values()) + 1)]
    rows = [level[i : i + _IN_A_ROW] for level in levels for i in range(0, len(level), _IN_A_ROW)]
    widest = max(map(len, rows))
    return {page: ((widest - len(row)) / 2 + i + 0.5, n) for n, row in enumerate(rows) for i, page in enumerate(row)}


def write_map(found: list[Chapter]) -> str:
    """SVG of the map, each box a link."""
    place = {page: (x * (_WIDTH + _GAP), 10 + row * _ROW) for page, (x, row) in places(found).items()}
    lines, boxes = "", ""
    for chapter in found:
        x, y = place[chapter.page]
        for a, b in (place[page] for page in chapter.needs):
            top, bottom, bend = b + _HEIGHT, y - 5, (y - b) / 4
            lines += (
                f'<path d="M{a},{top}C{a},{top + bend} {x},{bottom - bend} {x},{bottom}" '
                'marker-end="url(#classex-map-end)"/>\n'
            )
        boxes += (
            f'<a class="{("theory", "lab", "other")[min(chapter.part, 2)]}" href="../{chapter.page}.html">'
            f'<rect x="{x - _WIDTH / 2}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
            f'<text x="{x}" y="{y + _HEIGHT / 2 + 5}">{chapter.number}. {html.escape(chapter.short)}</text></a>\n'
        )
    width = max(x for x, _ in place.values()) + (_WIDTH + _GAP) / 2
    height = max(y for _, y in place.values()) + _HEIGHT + 10
    return (
        f'<div class="classex-map"><svg viewBox="0 0 {width} {height}" role="group" '
        'aria-label="Which chapter builds on which: an arrow leads from a chapter to those that need it">\n'
        '<defs><marker id="classex-map-end" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path d="M0,0L8,4L0,8Z"/></marker></defs>\n{lines}{boxes}</svg></div>'
    )


def insert(app: Sphinx, _docname: str, source: list[str]) -> None:
    """Replace the markers on the page being read."""
    if MISS in source[0]:
        source[0] = source[0].replace(MISS, f"{100 * words_miss():.1f}")
    if CARDS not in source[0] and MAP not in source[0]:
        return
    found = chapters(Path(app.srcdir))
    if app.builder.format == "html":
        with_card = [chapter for chapter in found if chapter.has_card]
        cards, drawn = (f"```{{raw}} html\n{made}\n```" for made in (write_cards(with_card), write_map(found)))
        fields = "\n".join(chapter.line for chapter in found if not chapter.has_card)
        cards += f"\n\nThe theorem serves many fields:\n\n{fields}"
    else:
        number = {chapter.page: str(chapter.number) for chapter in found}
        cards = "\n".join(chapter.line for chapter in found)
        drawn = "\n".join(f"- {chapter.link} builds on {' and '.join(number[page] for page in chapter.needs)}"
                          for chapter in found if chapter.needs)  # fmt: skip
    source[0] = source[0].replace(CARDS, cards).replace(MAP, drawn)


def write_pictures(app: Sphinx, exception: Exception | None) -> None:
    """Draw the pictures of the cards, for light and for dark pages, without words, which would be too small there."""
    if exception is not None or app.builder.format != "html" or not (Path(app.srcdir) / "book/chapters.yml").is_file():
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for chapter in filter(lambda one: one.has_card, chapters(Path(app.srcdir))):
        for theme in THEMES:
            svg = picture_of(chapter, theme, Path(app.outdir))
            (folder / f"{chapter.drawing}-{theme}.svg").write_bytes(without_words(svg))
    for picture in words_figure().pictures:
        (folder / f"words-{picture.theme}.svg").write_bytes(picture.svg)


def words_miss() -> float:
    """How far the moving figure's prediction, from the wins alone, is off on average along log K."""
    import classex as cx
    from classex_book.case import words_case

    case = words_case()
    ranks = cx.CorrectRanks(case.ranks.wins, case.ranks.ties, case.ranks.labels, case.ranks.n_classes)
    beyond = case.n_classes >= ranks.n_classes
    at = np.log(case.n_classes[beyond])
    off = np.abs(cx.extrapolate(ranks, n_classes=case.n_classes[beyond]).accuracy - case.accuracy[beyond])
    return float(np.trapezoid(off, at) / (at[-1] - at[0]))


def words_figure() -> Drawing:
    """The figure of the first page: 500 definitions that were tested, the prediction, and the truth."""
    import classex as cx
    from classex_book.case import words_case
    from classex_book.figures import EXTRAPOLATED, OBSERVED, TRUTH, band, draw

    case = words_case()
    n = case.ranks.n_classes
    result = cx.extrapolate(case.ranks, n_classes=case.n_classes[case.n_classes >= n])
    seen = cx.accuracy_curve(case.ranks, np.unique(np.geomspace(10, n, 10).round()))

    def curves(ax: Any) -> None:
        band(ax, result.n_classes, result.interval)
        ax.plot(seen.n_classes, seen.accuracy, label="tested", **{**OBSERVED, "linestyle": "", "marker": "o"})
        ax.plot(result.n_classes, result.accuracy, label="predicted", **EXTRAPOLATED)
        ax.plot(result.n_classes, case.accuracy[case.n_classes >= n], label="measured", **TRUTH)
        ax.set(xscale="log", xlabel="number of definitions", ylabel="average accuracy", ylim=(0, 1))
        ax.legend(loc="lower left")

    return draw(curves, width=4.4, height=3.2)


def picture_of(chapter: Chapter, theme: str, built: Path) -> bytes:
    """The picture of a card with its words: a schematic by name, or the first panel of a figure of the built page."""
    if isinstance(chapter.picture, str):
        from classex_book.schematics import schematic

        pictures = schematic(chapter.picture).pictures
        return next(one.svg for one in pictures if one.theme == theme and one.panel == 0 and one.layout != "narrow")
    figures = (built / f"{chapter.page}.html").read_text(encoding="utf-8").split('<div class="classex-figure')[1:]
    if len(figures) < chapter.picture:
        raise ExtensionError(f"{chapter.page} has no figure {chapter.picture} for its card: see book/chapters.yml")
    shown = rf'<img [^>]*class="[^"]*\bonly-{theme} classex-(?:any|wide)[^>]*src="(?:\.\./)*([^"]+\.svg)"'
    found = re.findall(shown, figures[chapter.picture - 1])
    if not found:
        raise ExtensionError(f"{chapter.page}: figure {chapter.picture} is no drawing that a card can show")
    return (built / found[0]).read_bytes()


def without_words(svg: bytes) -> bytes:
    """The picture without its words, with what is left of it in the middle."""
    ElementTree.register_namespace("", _SVG.strip("{}"))
    root = ElementTree.fromstring(svg)  # drawn here a moment ago
    for parent in list(root.iter()):
        for child in [child for child in parent if child.get("id", "").startswith("text_")]:
            parent.remove(child)
    corners: list[float] = []
    for parent in [element for element in root.iter() if element.tag not in (f"{_SVG}defs", f"{_SVG}clipPath")]:
        for child in parent.findall(f"{_SVG}path"):
            if child.get("style") != "fill: none":
                corners += map(float, re.findall(r"-?[\d.]+", child.get("d", "")))
    if corners:
        left, top, width, height = map(float, root.get("viewBox", "").split())
        left, top = ((min(at) + max(at) - size) / 2 for at, size in ((corners[::2], width), (corners[1::2], height)))
        root.set("viewBox", f"{left:g} {top:g} {width:g} {height:g}")
    return ElementTree.tostring(root)


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.connect("source-read", insert)
    app.connect("build-finished", write_pictures)
