"""Every figure of the book as a file of its own, with its caption, in one archive beside the built book.

``figures.zip`` holds the pictures for light pages, named by the figure's number, and ``captions.md`` with the captions
and descriptions, for those who lecture from the book.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

ARCHIVE = "figures.zip"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # two builds write the same archive
_OTHERS = {"only-dark", "classex-narrow"}  # the same picture for dark pages, and for phones


@dataclass
class Shown:
    """A figure of a page."""

    page: str
    number: tuple[int, ...]
    caption: str
    alts: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def names(self) -> list[str]:
        """Names of its files in the archive."""
        stem = f"figure-{'.'.join(map(str, self.number))}" if self.number else Path(self.page).name
        letters = "abcdefghij" if len(self.files) > 1 else [""]
        return [f"{stem}{letter}{Path(file).suffix}" for letter, file in zip(letters, self.files, strict=False)]


def collect(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Note the figures of a page once their numbers are known."""
    if app.builder.format != "html":
        return
    numbers = app.env.toc_fignumbers.get(docname, {}).get("figure", {})
    for figure in doctree.findall(nodes.figure):
        caption = next(iter(figure.findall(nodes.caption)), None)
        number = next((numbers[label] for label in figure["ids"] if label in numbers), ())
        shown = Shown(docname, tuple(number), " ".join(caption.astext().split()) if caption is not None else "")
        for image in figure.findall(nodes.image):
            if not _OTHERS & set(image["classes"]):
                shown.files.append(image["uri"])
                shown.alts.append(image.get("alt", ""))
        if shown.files and shown.number:
            _found(app)[docname, shown.number] = shown


def _found(app: Sphinx) -> dict[tuple[str, tuple[int, ...]], Shown]:
    if not hasattr(app, "classex_figures"):
        app.classex_figures = {}  # type: ignore[attr-defined]
    figures: dict[tuple[str, tuple[int, ...]], Shown] = app.classex_figures
    return figures


def write_archive(app: Sphinx, error: Exception | None) -> None:
    """Write the archive when all pages are written."""
    if error is not None or app.builder.format != "html" or not _found(app):
        return
    figures = sorted(_found(app).values(), key=lambda shown: shown.number)
    lines = ["# Figures", "", "Text and figures: CC BY 4.0. Please name the book.", ""]
    with zipfile.ZipFile(Path(app.outdir).parent / ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
        for shown in figures:
            for name, file in zip(shown.names(), shown.files, strict=False):
                archive.writestr(zipfile.ZipInfo(name, _EPOCH), _source(app, file).read_bytes(), zipfile.ZIP_DEFLATED)
            label = ".".join(map(str, shown.number))
            lines += [f"## Fig. {label} ({', '.join(shown.names())})", "", shown.caption, ""]
            lines += [f"*{alt}*\n" for alt in shown.alts if alt]
        archive.writestr(zipfile.ZipInfo("captions.md", _EPOCH), "\n".join(lines), zipfile.ZIP_DEFLATED)


def _source(app: Sphinx, uri: str) -> Path:
    """The file of an image, which Sphinx names from the source folder, or by where it was copied."""
    for folder in (Path(app.srcdir), Path(app.outdir)):
        path = folder / uri.lstrip("/")
        if path.is_file():
            return path
    return Path(app.outdir) / "_images" / Path(uri).name


def forget(app: Sphinx, _env: BuildEnvironment) -> None:
    """Begin every build with no figures."""
    _found(app).clear()


def setup(app: Sphinx) -> None:
    """Connect to the build: after numbers are known, and at its end."""
    app.connect("env-updated", forget)
    app.connect("doctree-resolved", collect, priority=850)
    app.connect("build-finished", write_archive)
