"""The first page: a card for every numbered page of the book and a map of what builds on what.

On the page that holds the line ``% classex-chapters`` cards stand in its place, on the page with ``% classex-map``
the map; on paper both are lists. Titles and numbers come from the pages and the table of contents, the rest from
``book/chapters.yml``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import yaml
from sphinx.application import Sphinx

from .figures import lighter

CARDS, MAP = "% classex-chapters", "% classex-map"
FOLDER = "_static/chapters"
_WIDTH, _HEIGHT, _GAP, _ROW = 168, 46, 11, 92
_IN_A_ROW = 5


@dataclass
class Chapter:
    """A numbered page of the book."""

    page: str
    number: int
    title: str
    part: int
    question: str = ""
    short: str = ""
    picture: str = ""
    needs: list[str] = field(default_factory=list)


def chapters(root: Path) -> list[Chapter]:
    """Every numbered page, in the order of the book."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    said_file = root / "book" / "chapters.yml"
    said = yaml.safe_load(said_file.read_text(encoding="utf-8")) if said_file.is_file() else {}
    found: list[Chapter] = []
    for part, section in enumerate(part for part in toc.get("parts", []) if part.get("numbered")):
        for entry in section["chapters"]:
            page = entry["file"]
            source = (root / f"{page}.md").read_text(encoding="utf-8")
            title = re.sub(r"[*`$]", "", re.findall(r"^# (.+)$", source, re.MULTILINE)[0])
            found.append(Chapter(page, len(found) + 1, title, part, **said.get(page, {})))
    return found


def write_cards(found: list[Chapter], address: dict[str, str]) -> str:
    """HTML of the cards."""
    items = []
    for chapter in found:
        pictures = "".join(
            f'<img class="only-{theme}" loading="lazy" alt="" src="../{FOLDER}/{chapter.picture}-{theme}.svg">'
            for theme in ("light", "dark")
            if chapter.picture
        )
        items.append(
            f'<li><a href="{address[chapter.page]}">{pictures}'
            f"<strong>{chapter.number}. {html.escape(chapter.title)}</strong>"
            f"<span>{html.escape(chapter.question)}</span></a></li>"
        )
    return '<ul class="classex-chapters">\n' + "\n".join(items) + "\n</ul>"


def rows(found: list[Chapter]) -> list[list[Chapter]]:
    """The chapters in rows, each below everything that it needs."""
    known = {chapter.page: chapter for chapter in found}
    depth: dict[str, int] = {}

    def of(chapter: Chapter) -> int:
        if chapter.page not in depth:
            depth[chapter.page] = 0
            above = [of(known[page]) for page in chapter.needs if page in known]
            depth[chapter.page] = 1 + max(above, default=-1)
        return depth[chapter.page]

    for chapter in found:
        of(chapter)
    levels = [[chapter for chapter in found if depth[chapter.page] == n] for n in range(max(depth.values()) + 1)]
    return [row[start : start + _IN_A_ROW] for row in levels for start in range(0, len(row), _IN_A_ROW)]


def direct(chapter: Chapter, found: list[Chapter]) -> list[str]:
    """What a chapter needs, without what the rest of that needs anyway."""
    needs = {other.page: other.needs for other in found}

    def behind(page: str) -> set[str]:
        return {below for need in needs.get(page, []) for below in ({need} | behind(need))}

    return [page for page in chapter.needs if not any(page in behind(other) for other in chapter.needs)]


def write_map(found: list[Chapter], address: dict[str, str]) -> str:
    """SVG of the map, each box a link."""
    levels = rows(found)
    width = max(len(row) for row in levels) * (_WIDTH + _GAP)
    place = {}
    for level, row in enumerate(levels):
        start = (width - len(row) * (_WIDTH + _GAP) + _GAP) / 2
        for column, chapter in enumerate(row):
            place[chapter.page] = (start + column * (_WIDTH + _GAP) + _WIDTH / 2, 10 + level * _ROW + _HEIGHT / 2)
    lines, boxes = [], []
    for chapter in found:
        x, y = place[chapter.page]
        for page in direct(chapter, found):
            if page in place:
                a, b = place[page]
                top, bottom, bend = b + _HEIGHT / 2, y - _HEIGHT / 2 - 5, (y - b) / 2
                lines.append(f'<path d="M{a},{top}C{a},{top + bend / 2} {x},{bottom - bend / 2} {x},{bottom}"'
                             ' marker-end="url(#classex-map-end)"/>')  # fmt: skip
        kind = ("theory", "lab", "other")[min(chapter.part, 2)]
        label = html.escape(f"{chapter.number}. {chapter.short or chapter.title}")
        boxes.append(
            f'<a class="{kind}" href="{address[chapter.page]}"><rect x="{x - _WIDTH / 2}" y="{y - _HEIGHT / 2}" '
            f'width="{_WIDTH}" height="{_HEIGHT}" rx="6"/><text x="{x}" y="{y + 5}">{label}</text></a>'
        )
    end = (
        '<defs><marker id="classex-map-end" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0,0L8,4L0,8Z"/></marker></defs>'
    )
    return (
        f'<div class="classex-map"><svg viewBox="0 0 {width} {10 + len(levels) * _ROW - (_ROW - _HEIGHT) + 10}" '
        'role="group" aria-label="Which chapter builds on which: an arrow leads from a chapter to those that need it">'
        + end + "\n" + "\n".join(lines + boxes) + "\n</svg></div>"
    )  # fmt: skip


def list_questions(found: list[Chapter]) -> str:
    """The cards for paper: MyST source of a list."""
    return "\n".join(f"- {_link(chapter)}: {chapter.question}" for chapter in found)


def list_needs(found: list[Chapter]) -> str:
    """The map for paper: MyST source of a list."""
    known = {chapter.page: chapter for chapter in found}
    needs = {chapter.page: [known[page] for page in chapter.needs if page in known] for chapter in found}
    return "\n".join(
        f"- {_link(chapter)} builds on {' and '.join(str(before.number) for before in needs[chapter.page])}"
        for chapter in found
        if needs[chapter.page]
    )


def _link(chapter: Chapter) -> str:
    return f"{chapter.number}. {{doc}}`{chapter.title} </{chapter.page}>`"


def insert(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the markers on the page being read."""
    if CARDS not in source[0] and MAP not in source[0]:
        return
    found = chapters(Path(app.srcdir))
    if app.builder.format == "latex":
        source[0] = source[0].replace(CARDS, list_questions(found)).replace(MAP, list_needs(found))
        return
    depth = "../" * docname.count("/")
    address = {chapter.page: f"{depth}{chapter.page}.html" for chapter in found}
    lines = []
    for line in source[0].split("\n"):
        made = {CARDS: write_cards, MAP: write_map}.get(line)
        lines.append(f"```{{raw}} html\n{made(found, address)}\n```" if made else line)
    source[0] = "\n".join(lines)


def write_pictures(app: Sphinx, exception: Exception | None) -> None:
    """Draw the pictures of the cards, for light and for dark pages."""
    if exception is not None or app.builder.format != "html":
        return
    if not (Path(app.srcdir) / "book" / "chapters.yml").is_file():
        return
    wanted = sorted({chapter.picture for chapter in chapters(Path(app.srcdir)) if chapter.picture})
    from classex_book.schematics import schematic

    folder = Path(app.outdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in wanted:
        for picture in schematic(name).pictures:
            if picture.panel == 0 and picture.layout in ("any", "wide"):
                (folder / f"{name}-{picture.theme}.svg").write_bytes(centred(without_words(lighter(picture.svg))))


def without_words(svg: bytes) -> bytes:
    """The picture without its words, which nobody could read in the size of a card."""
    ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
    root = ElementTree.fromstring(svg)  # drawn here a moment ago
    for parent in list(root.iter()):
        for child in [child for child in parent if child.get("id", "").startswith("text_")]:
            parent.remove(child)
    return ElementTree.tostring(root)


def centred(svg: bytes) -> bytes:
    """The picture moved so that what is drawn stands in the middle, for its words may have stood on one side."""
    root = ElementTree.fromstring(svg)
    corners = [pair for child in root for pair in _corners(child)]
    left, top, width, height = map(float, root.get("viewBox", "0 0 0 0").split())
    if corners:
        (x0, x1), (y0, y1) = ((min(numbers), max(numbers)) for numbers in zip(*corners, strict=True))
        left, top = (x0 + x1 - width) / 2, (y0 + y1 - height) / 2
        root.set("viewBox", f"{left:g} {top:g} {width:g} {height:g}")
    return ElementTree.tostring(root)


def _corners(element: ElementTree.Element) -> Iterator[tuple[float, float]]:
    """The points through which an element and its parts are drawn; the paper is not."""
    kind = element.tag.rpartition("}")[2]
    if kind == "defs":
        return
    if kind == "use":
        yield float(element.get("x", 0)), float(element.get("y", 0))
    if kind == "path" and element.get("style") != "fill: none":
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", element.get("d", ""))]
        yield from zip(numbers[::2], numbers[1::2], strict=True)
    for child in element:
        yield from _corners(child)


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.connect("source-read", insert)
    app.connect("build-finished", write_pictures)
