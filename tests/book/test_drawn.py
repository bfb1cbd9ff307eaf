"""Figures drawn for several themes and layouts become separate files, with one description for each panel."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from classex_sphinx.figures import separate
from docutils import nodes
from docutils.utils import new_document

from classex_book.figures import draw


def line(*axes):
    for ax in axes:
        ax.plot([0, 1], [0, 1])


def page(drawing, alt=""):
    """The output of a cell as MyST-NB leaves it."""
    paper = nodes.image(uri="paper.pdf", classes=["classex-photo"])
    if alt:
        paper["alt"] = alt
    parts = {"text/html": nodes.raw(text=drawing.to_html(), format="html"), "application/pdf": paper}
    bundle = nodes.container(nb_element="mime_bundle")
    bundle += [nodes.container("", part, mime_type=kind) for kind, part in parts.items()]
    document = new_document("page")
    document += nodes.figure("", bundle, names=["fig-line"])
    return document


@pytest.fixture
def app(tmp_path):
    env, builder = SimpleNamespace(docname="notebooks/page"), SimpleNamespace(format="html")
    return SimpleNamespace(outdir=str(tmp_path), env=env, builder=builder)


def shown(document):
    """The attributes of the pictures on a page."""
    (raw,) = document.findall(nodes.raw)
    return [dict(re.findall(r'([a-z]+)="([^"]*)"', image)) for image in re.findall("<img [^>]*>", raw.astext())]


def test_every_picture_is_a_file_with_its_classes(app):
    drawing = draw(line, panels=2)
    document = page(drawing, "A line that rises. || Another line that rises.")
    separate(app, document)
    images = shown(document)
    assert [image["alt"] for image in images] == ["A line that rises."] * 2 + ["Another line that rises."] * 2
    assert [image["class"].split()[2] for image in images] == ["only-light", "only-dark"] * 2
    for image, picture in zip(images, drawing.pictures, strict=True):
        assert "classex-photo" in image["class"]
        shape = f"{picture.width:.0f} / {picture.height:.0f}"
        assert image["style"] == f"width: {picture.width:.0f}px; aspect-ratio: {shape};"
        assert (Path(app.outdir) / image["src"].removeprefix("../")).read_bytes() == picture.svg
    assert next(document.findall(nodes.raw)).astext().count('<div class="classex-panel">') == 2


def test_other_outputs_are_left_alone(app):
    document = new_document("page")
    document += nodes.raw(text="<table></table>", format="html")
    before = document.pformat()
    separate(app, document)
    assert document.pformat() == before
