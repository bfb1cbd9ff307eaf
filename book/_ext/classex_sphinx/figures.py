"""Figures that were drawn several times (`classex_book.figures`) become one figure of separate files.

The output of such a cell holds its pictures inside. Here each becomes a file of its own, with its description, its
panel, its theme and its layout as classes; the style sheet shows the one that fits, and browsers load no other.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import re
from pathlib import Path

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

_IMAGE = re.compile(
    r'<img class="(?P<classes>[^"]*)" data-panel="(?P<panel>\d+)" alt="(?P<alt>[^"]*)" '
    r'width="(?P<width>\d+)" height="(?P<height>\d+)" style="[^"]*" src="data:image/svg\+xml;base64,(?P<data>[^"]*)">'
)
_PHOTOGRAPH = re.compile(rb'data:image/png;base64,([^"]*)')
_START = '<div class="classex-figure">'


def separate(app: Sphinx, doctree: nodes.document) -> None:
    """Write the pictures inside outputs to files and refer to these."""
    for raw in list(doctree.findall(nodes.raw)) if app.builder.format == "html" else ():
        if raw.astext().startswith(_START):
            # the options of the cell are on the picture for paper
            options = next(iter(raw.parent.parent.findall(nodes.image)))
            raw.children = [nodes.Text(_panels(app, raw.astext(), options))]
            raw["classes"] = []  # without the bright ground that the theme lays under HTML on dark pages


def _panels(app: Sphinx, text: str, options: nodes.image) -> str:
    found = list(_IMAGE.finditer(text))
    panels: list[str] = [""] * (1 + max(int(image["panel"]) for image in found))
    alts = [part.strip() for part in options.get("alt", "").split("||")]
    if not found[0]["alt"] and len(alts) != len(panels):
        raise ExtensionError(
            f"{app.env.docname}: a figure of {len(panels)} panels needs as many descriptions in `alt`, "
            f"separated by ||; found {len(alts)}: {options.get('alt', '')[:80]!r}"
        )
    for image in found:
        panel, width, height = (int(image[name]) for name in ("panel", "width", "height"))
        classes = " ".join(dict.fromkeys([*image["classes"].split(), *options.get("classes", [])]))
        # the shape keeps the place of a picture that is loaded when it comes into view
        panels[panel] += (
            f'<img alt="{image["alt"] or html.escape(alts[panel])}" class="{classes}" loading="lazy" '
            f'src="{_file(app, base64.b64decode(image["data"]))}" '
            f'style="width: {width}px; aspect-ratio: {width} / {height};">\n'
        )
    shown = "".join(f'<div class="classex-panel">{images}</div>\n' for images in panels)
    return f'<div class="classex-figure classex-panels-{len(panels)}">\n{shown}</div>'


def _file(app: Sphinx, picture: bytes) -> str:
    """The address of a picture, as seen from the page."""
    folder = Path(app.outdir) / "_images"
    folder.mkdir(parents=True, exist_ok=True)
    picture = _PHOTOGRAPH.sub(_as_webp, picture)
    name = f"{hashlib.sha256(picture).hexdigest()[:24]}.svg"
    (folder / name).write_bytes(picture)
    return f"{'../' * app.env.docname.count('/')}_images/{name}"


def _as_webp(photograph: re.Match[bytes]) -> bytes:
    """The same picture in half of the bytes."""
    out = io.BytesIO()
    Image.open(io.BytesIO(base64.b64decode(photograph[1]))).save(out, format="WEBP", method=6, lossless=True)
    return b"data:image/webp;base64," + base64.b64encode(out.getvalue())


def setup(app: Sphinx) -> None:
    """Connect to the build: when the outputs are there."""
    app.connect("doctree-read", separate)
