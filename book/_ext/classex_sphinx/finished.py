"""What a deck of slides takes from the finished book: figures, statements, exercises and computed numbers, by name."""

from __future__ import annotations

import ast
import json
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup, Tag


class MissingError(Exception):
    """A deck names something that the book does not have."""


class FinishedBook:
    """Pages of the built book, and what their code computed.

    Parameters
    ----------
    html : Path
        The built book.
    computed : Path
        Where the build keeps the numbers that the pages glue into their prose.
    pages : sequence of str
        The pages to look on, without their ending.
    folder : str
        Where the slides will lie in the book: addresses are relative to it.
    """

    def __init__(self, html: Path, computed: Path, pages: Sequence[str], folder: str) -> None:
        self.folder = folder
        self._html = html
        self._texts = {page: (html / f"{page}.html").read_text(encoding="utf-8") for page in pages}
        self._numbers: dict[str, str] = {}
        for page in pages:
            path = computed / f"{page}.glue.json"
            if path.is_file():
                for name, output in json.loads(path.read_text(encoding="utf-8")).items():
                    self._numbers[name] = output["data"].get("text/plain", "")

    def number(self, text: str) -> str:
        """A computed value, asked for as ``name`` or ``name:format``."""
        name, _, form = text.partition(":")
        if name not in self._numbers:
            raise MissingError(f"no page of the chapter glues a value named {name!r}")
        value = self._numbers[name].strip("'\"")
        shown = format(ast.literal_eval(value), form) if form else value
        return f"−{shown[1:]}" if re.match(r"-\d", shown) else shown

    def element(self, label: str) -> tuple[str, Tag]:
        """The page and the element of a label."""
        for page, text in self._texts.items():
            opened = re.search(rf'<(\w+)\b[^>]*\bid="{re.escape(label)}"', text)
            if opened:
                found = BeautifulSoup(_balanced(text, opened.start(), opened[1]), "html.parser").find(True)
                if isinstance(found, Tag):
                    return page, found
        raise MissingError(f"no page of the chapter has anything labelled {label!r}: {', '.join(self._texts)}")

    def link(self, page: str, label: str) -> str:
        """The address of a place in the book, as seen from the slides."""
        return f"{posixpath.relpath(f'{page}.html', self.folder)}#{label}"

    def figure(self, label: str, *, narrow: bool = False) -> Figure:
        """A figure, in both themes, in the layout for a desk or, where it has one, in that for a phone."""
        page, element = self.element(label)
        panels = element.select(".classex-panel")
        if element.name != "figure" or not panels:
            raise MissingError(f"{label!r} is no figure that was drawn for two themes")
        number = element.select_one(".caption-number")
        text = element.select_one(".caption-text")
        return Figure(
            tuple(self._panel(page, panel, narrow) for panel in panels),
            number.get_text(strip=True) if number else "",
            text.decode_contents() if text else "",
            self.link(page, label),
        )

    def _panel(self, page: str, panel: Tag, narrow: bool) -> Panel:
        files, alt, width, height = {}, "", 1, 1
        wide = panel.select("img.classex-drawn:not(.classex-narrow)")
        for image in (narrow and panel.select("img.classex-narrow")) or wide:
            theme = "dark" if "only-dark" in image["class"] else "light"
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), str(image["src"])))
            if not (self._html / path).is_file():
                raise MissingError(f"the picture {path} is not there")
            files[theme] = posixpath.relpath(path, self.folder)
            alt = str(image["alt"])
            shape = re.search(r"aspect-ratio: (\d+) / (\d+)", str(image["style"]))
            if shape:
                width, height = int(shape[1]), int(shape[2])
        return Panel(files["light"], files["dark"], alt, width, height)

    def title(self, label: str) -> Title:
        """Number, name and address of a theorem, an exercise or the like."""
        page, element = self.element(label)
        heading = element.select_one(".admonition-title")
        number = heading.select_one(".caption-number") if heading else None
        if heading is None or number is None:
            raise MissingError(f"{label!r} is neither a theorem nor an exercise")
        kind = heading.select_one(".classex-kind")
        asked = kind.extract().get_text().strip(" ·") if kind else ""
        numbered = number.extract().get_text(strip=True)
        name = heading.decode_contents().strip().removeprefix("(").removesuffix(")")
        return Title(numbered, name, asked, self.link(page, label))

    def body(self, label: str) -> str:
        """The words of a theorem or an exercise, as the book has them, without links."""
        _, element = self.element(label)
        inside = element.find("section")
        if not isinstance(inside, Tag):
            raise MissingError(f"{label!r} has no text")
        for link in inside.select("a"):
            link.unwrap()
        for tag in inside.find_all(id=True):
            del tag["id"]
        return inside.decode_contents().strip()

    def table(self, section: str, options: Sequence[str] = ()) -> str:
        """A computed table of a section: which of them, and which of its columns and rows, counted from 1."""
        _, element = self.element(section)
        wanted = dict(option.split("=") for option in options if "=" in option)
        place = next((int(option) for option in options if option.isdigit()), 1)
        tables = element.select(".cell_output table")
        if len(tables) < place:
            raise MissingError(f"the section {section!r} computes {len(tables)} tables")
        rows = [row.select("th, td") for row in tables[place - 1].select("tr")]
        header, *body = rows
        columns = _chosen(wanted.get("columns"), len(header))
        kept = [header, *(body[number] for number in _chosen(wanted.get("rows"), len(body)))]
        cells = [[row[number] for number in columns] for row in kept]
        lines = (
            "".join(f"<{kind}>{cell.decode_contents().strip()}</{kind}>" for cell in row)
            for kind, row in zip(["th", *["td"] * len(kept)], cells, strict=False)
        )
        return '<table class="computed">\n' + "".join(f"<tr>{line}</tr>\n" for line in lines) + "</table>\n"

    def reference(self, label: str) -> tuple[str, str]:
        """Words and address of a reference: the number of a theorem or a figure."""
        _, element = self.element(label)
        if element.name == "figure":
            figure = self.figure(label)
            return figure.number, figure.link
        title = self.title(label)
        return title.number, title.link


@dataclass(frozen=True)
class Panel:
    """One picture of a figure: its files for both themes, its description and its shape."""

    light: str
    dark: str
    alt: str
    width: int
    height: int


@dataclass(frozen=True)
class Figure:
    """A figure of the book."""

    panels: tuple[Panel, ...]
    number: str
    caption: str
    link: str


@dataclass(frozen=True)
class Title:
    """How the book heads a theorem or an exercise."""

    number: str
    name: str
    asked: str
    link: str


def _chosen(numbers: str | None, count: int) -> list[int]:
    """Places counted from 0 of what is asked for counted from 1."""
    chosen = range(1, count + 1) if numbers is None else [int(number) for number in numbers.split(",")]
    if not all(1 <= number <= count for number in chosen):
        raise MissingError(f"of {count} rows or columns of a table, {numbers} are asked for")
    return [number - 1 for number in chosen]


def _balanced(text: str, start: int, tag: str) -> str:
    """The element that begins at a place, to its closing tag."""
    depth = 0
    for found in re.compile(rf"<(/?){tag}\b").finditer(text, start):
        depth += -1 if found[1] else 1
        if depth == 0:
            return text[start : text.index(">", found.end()) + 1]
    return text[start:]
