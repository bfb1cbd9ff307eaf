"""Figures drawn for several themes and layouts become separate files, with one description for each panel."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from classex_sphinx.figures import lighter, load_when_shown, separate
from docutils import nodes
from docutils.utils import new_document
from PIL import Image
from sphinx.errors import ExtensionError

from classex_book.figures import draw, ink


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
    (tmp_path / "_build" / "html").mkdir(parents=True)
    return SimpleNamespace(
        outdir=str(tmp_path / "_build" / "html"), srcdir=str(tmp_path), env=SimpleNamespace(docname="page")
    )


def test_every_picture_is_a_file_with_its_classes(app):
    drawing = draw(line, panels=2)
    document = page(drawing, "A line that rises. || Another line that rises.")
    separate(app, document)
    box = document.next_node(lambda node: "classex-figure" in node.get("classes", []) if hasattr(node, "get") else 0)
    images = list(box.findall(nodes.image))
    assert [image["alt"] for image in images] == ["A line that rises."] * 2 + ["Another line that rises."] * 2
    assert [image["classes"][2] for image in images] == ["only-light", "only-dark"] * 2
    assert all("classex-photo" in image["classes"] for image in images)
    for image, picture in zip(images, drawing.pictures, strict=True):
        assert (Path(app.srcdir) / image["uri"].lstrip("/")).read_bytes() == lighter(picture.svg)
    assert not list(document.findall(nodes.raw))


def test_a_drawing_may_bring_its_description(app):
    document = page(draw(line, width=4.0, alt="A line & no more"))
    separate(app, document)
    assert {image.get("alt") for image in document.findall(nodes.image)} == {"A line & no more", None}


@pytest.mark.parametrize("alt", ["One description for two panels", "a || b || c"])
def test_every_panel_must_be_described(app, alt):
    with pytest.raises(ExtensionError, match="a figure of 2 panels needs as many descriptions"):
        separate(app, page(draw(line, panels=2), alt))


def test_other_outputs_are_left_alone(app):
    document = new_document("page")
    document += nodes.raw(text="<table></table>", format="html")
    before = document.pformat()
    separate(app, document)
    assert document.pformat() == before


def test_only_drawn_pictures_wait_until_they_are_shown_and_keep_their_place():
    drawn = '<img alt="a" class="classex-fig classex-drawn only-dark" src="x.svg" style="{}" />'
    other = '<img alt="b" class="other" style="width: 3px" />'
    for style in ("height: 240px; width: 360px;", "width: 360px; height: 240px"):
        context = {"body": drawn.format(style) + other}
        load_when_shown(None, "page", "page.html", context, None)
        assert context["body"].endswith(other)
        image = context["body"].removesuffix(other)
        assert image.startswith('<img loading="lazy" style="width: 360px; aspect-ratio: 360 / 240;" alt="a"')
        assert "height:" not in image
        assert image.endswith('src="x.svg" />')


def embedded(svg):
    """The pictures inside a picture, and what is left of it."""
    parts = re.split(rb"data:image/(png|webp);base64,([^\"]*)", svg)
    return parts[1::3], [Image.open(io.BytesIO(base64.b64decode(data))) for data in parts[2::3]], b"".join(parts[::3])


def with_styles_written_out(svg):
    """Every mark with the style that its class stands for."""
    rules = dict(re.findall(rb"\.(s\d+){([^}]*)}", svg))
    svg = re.sub(rb"\.s\d+{[^}]*}", b"", svg)
    return re.sub(rb'class="(s\d+)"', lambda found: b'style="' + rules[found[1]] + b'"', svg)


@pytest.mark.parametrize("cmap", ["gray", "ink"])
def test_pictures_inside_become_smaller_and_stay_what_they_are(cmap):
    noise = np.random.default_rng(0).random((400, 400))

    def show(ax):
        ax.imshow(noise, cmap=ink() if cmap == "ink" else cmap, rasterized=True)
        ax.plot([0, 400 / 3], [0, 1], color="C1")

    svg = draw(show, width=4.0, height=4.0).pictures[0].svg
    made = lighter(svg)
    assert len(made) < 0.8 * len(svg)
    _, before, lines = embedded(svg)
    assert len(made) < len(with_styles_written_out(made))
    kinds, after, kept = embedded(with_styles_written_out(made))
    assert set(kinds) == {b"webp"}
    for one, other in zip(before, after, strict=True):
        assert one.size == other.size
        difference = np.abs(np.asarray(one.convert("RGBA"), float) - np.asarray(other.convert("RGBA"), float))
        assert difference.mean() < 6
    numbers = re.compile(rb"-?\d+\.?\d*")
    assert np.allclose(*(np.array(numbers.findall(text), dtype=float) for text in (lines, kept)), atol=0.01)
