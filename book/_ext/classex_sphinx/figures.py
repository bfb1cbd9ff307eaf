"""Figures that were drawn several times (`classex_book.figures`) become one figure of separate files.

The output of such a cell holds its pictures inside. Here each becomes a file of its own and an image with its
description, its panel, its theme and its layout as classes; the style sheet shows the one that fits. Pictures that
are not shown are not loaded.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

_IMAGE = re.compile(
    r'<img class="(?P<classes>[^"]*)" data-panel="(?P<panel>\d+)" alt="(?P<alt>[^"]*)" '
    r'width="(?P<width>\d+)" height="(?P<height>\d+)" style="[^"]*" src="data:image/svg\+xml;base64,(?P<data>[^"]*)">'
)
_START = '<div class="classex-figure">'
_RASTER = re.compile(rb'data:image/png;base64,([^"]*)')
_LINE = re.compile(rb' (?:d|x|y)="[^"]*"|translate\([^)]*\)')
_INDENT = re.compile(rb"\n\s+")
_DIGITS = re.compile(rb"(\.\d\d)\d+")
_STYLE = re.compile(rb' style="([^"&<]*)"')
_LARGE = 30_000  # bytes; a photograph, a map or a sheet of letters that is larger without loss may lose a little
_WRITTEN = re.compile(r"<img (?=[^>]*\bclassex-drawn\b)[^>]*>")
_SIZE = re.compile(r"(width|height): (\d+)px;? ?")


def separate(app: Sphinx, doctree: nodes.document) -> None:
    """Replace the pictures inside outputs by images, before Sphinx collects the images of the page."""
    for raw in list(doctree.findall(nodes.raw)):
        if raw.astext().startswith(_START):
            bundle = raw.parent.parent
            # the options of the cell are on the picture for paper
            options = next(iter(bundle.findall(nodes.image)))
            raw.parent.replace(raw, _panels(app, raw.astext(), options))


def _panels(app: Sphinx, text: str, options: nodes.image) -> nodes.container:
    found = list(_IMAGE.finditer(text))
    count = 1 + max(int(image["panel"]) for image in found)
    alts = [part.strip() for part in options.get("alt", "").split("||")]
    if not found[0]["alt"] and len(alts) != count:
        raise ExtensionError(
            f"{app.env.docname}: a figure of {count} panels needs as many descriptions in `alt`, separated by ||; "
            f"found {len(alts)}: {options.get('alt', '')[:80]!r}"
        )
    box = nodes.container(classes=["classex-figure", f"classex-panels-{count}"])
    for number in range(count):
        panel = nodes.container(classes=["classex-panel"])
        for image in found:
            if int(image["panel"]) == number:
                node = nodes.image(uri=_file(app, base64.b64decode(image["data"])), width=f"{image['width']}px")
                node["height"] = f"{image['height']}px"
                node["classes"] = image["classes"].split() + options.get("classes", [])
                node["classes"] = list(dict.fromkeys(node["classes"]))
                node["alt"] = html.unescape(image["alt"]) or alts[number]
                panel += node
        box += panel
    return box


def lighter(svg: bytes) -> bytes:
    """The picture with a hundredth of a point as its finest step, with what is not lines in a smaller format.

    Lines begin at the margin, and a style that many marks share is written once.
    """
    svg = _INDENT.sub(b"\n", svg)
    svg = _LINE.sub(lambda found: _DIGITS.sub(rb"\1", found[0]), svg)
    return _RASTER.sub(lambda found: _packed(found[1]), _shared_styles(svg))


def _shared_styles(svg: bytes) -> bytes:
    often = [style for style, count in Counter(_STYLE.findall(svg)).items() if count > 2]
    names = {style: b"s%d" % number for number, style in enumerate(often)}
    rules = b"".join(b".%s{%s}" % (name, style) for style, name in names.items())
    svg = _STYLE.sub(lambda found: b' class="%s"' % names[found[1]] if found[1] in names else found[0], svg)
    return svg.replace(b"</style>", rules + b"</style>", 1)


def _packed(encoded: bytes) -> bytes:
    image = Image.open(io.BytesIO(base64.b64decode(encoded)))
    best = _as_webp(image, lossless=True)
    if best.tell() > _LARGE:
        opaque = image.convert("RGBA").getextrema()[3][0] == 255
        few = image.convert("RGBA").quantize(16, method=Image.Quantize.FASTOCTREE)
        best = _as_webp(image.convert("RGB"), quality=90) if opaque else _as_webp(few.convert("RGBA"), lossless=True)
    return b"data:image/webp;base64," + base64.b64encode(best.getvalue())


def _as_webp(image: Image.Image, **options: Any) -> io.BytesIO:
    out = io.BytesIO()
    image.save(out, format="WEBP", method=6, **options)
    return out


def _file(app: Sphinx, data: bytes) -> str:
    """Where the picture lies, as Sphinx writes it: from the source folder."""
    data = lighter(data)
    folder = Path(app.outdir).parent / "jupyter_execute" / "drawn"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{hashlib.sha256(data).hexdigest()[:24]}.svg"
    if not path.exists():
        path.write_bytes(data)
    return "/" + Path(os.path.relpath(path, app.srcdir)).as_posix()


def load_when_shown(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Let browsers skip the pictures of the other theme and the other layout, and keep the place of the others."""
    if "body" in context:
        context["body"] = _WRITTEN.sub(_lazy, context["body"])


def _lazy(image: re.Match[str]) -> str:
    """The image, loaded when it comes into view, with its shape rather than its height fixed."""
    size = dict(_SIZE.findall(image[0]))
    shape = f"width: {size['width']}px; aspect-ratio: {size['width']} / {size['height']};"
    bare = re.sub(r' style="[^"]*"', "", image[0]).removeprefix("<img ")
    return f'<img loading="lazy" style="{shape}" {bare}'


def setup(app: Sphinx) -> None:
    """Connect to the build: before the collector of images, and when a page is written."""
    app.connect("doctree-read", separate, priority=400)
    app.connect("html-page-context", load_when_shown)
