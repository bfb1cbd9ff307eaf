"""The map from the sources to the book and the library, written from a table of items.

On the page that holds the line ``% classex-source-map`` that line is replaced by one section per source. Every
place becomes a cross reference and every name a link into the API reference, so a dead one fails the build.
"""

from __future__ import annotations

import csv
from pathlib import Path

from sphinx.application import Sphinx

MARKER = "% classex-source-map"
DATA = "book/source_map.csv"
SOURCES = {
    "thesis": ("The thesis", "zheng2017thesis"),
    "draft2016": ("The draft of November 2016", "zheng2016extrapolating"),
    "journal": ("The journal version", "zheng2018extrapolating"),
    "draft2017": ("The draft of April 2017", "zheng2017extrapolating"),
    "slides": ("The slides", "elyaniv2015advantage"),
}
COLUMNS = ("source", "kind", "number", "what", "places", "names", "errata")
# how a place is referred to, by the beginning of its label
_ROLES = (
    (("eq:", "eq-", "intro-moment"), "{{eq}}`{0}`"),
    (("def-", "thm-", "lem-", "prop-", "cor-", "ex-"), "{{prf:ref}}`{0}`"),
    (("fig-",), "{{numref}}`{0}`"),
    (("ch-",), "{{numref}}`Chapter %s <{0}>`"),
    (("lab-",), "{{ref}}`lab <{0}>`"),
    (("errata", "notation", "reproductions"), "{{ref}}`{0} <{0}>`"),
)


def read_items(path: Path) -> list[dict[str, str]]:
    """Rows of the table, in the order of the sources."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path.name} must have the columns {', '.join(COLUMNS)}, but has {reader.fieldnames}")
        return list(reader)


def reference(label: str) -> str:
    """Cross reference to a label, numbered where the book numbers it."""
    for prefixes, role in _ROLES:
        if label.startswith(prefixes):
            return role.format(label)
    raise ValueError(f"the label {label!r} begins like none that the source map knows")


def write_map(items: list[dict[str, str]]) -> str:
    """MyST source of the map."""
    parts = []
    for source, (title, key) in SOURCES.items():
        parts.append(f"## {title}\n\n{{cite:t}}`{key}`\n")
        parts.append("| item | what | in the book | in the library |\n|---|---|---|---|")
        parts += [_row(item) for item in items if item["source"] == source]
        parts.append("")
    return "\n".join(parts)


def _row(item: dict[str, str]) -> str:
    name = item["number"] if item["kind"] == "slide" else f"{item['kind']} {item['number']}"
    places = ", ".join(reference(label) for label in item["places"].split())
    if item["errata"]:
        places += "; {ref}`corrected <errata>`: " + ", ".join(item["errata"].split())
    names = ", ".join(f"{{py:obj}}`~classex.{name}`" for name in item["names"].split())
    return f"| {name} | {item['what']} | {places} | {names} |"


def insert_map(app: Sphinx, _docname: str, source: list[str]) -> None:
    """Replace the marker on the page being read."""
    lines = source[0].split("\n")
    if MARKER in lines:
        place = lines.index(MARKER)
        app.env.note_dependency(DATA)
        lines[place : place + 1] = write_map(read_items(Path(app.srcdir) / DATA)).split("\n")
        source[0] = "\n".join(lines)


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.connect("source-read", insert_map)
