"""Emoji: a class is an emoji, its reference drawn by one vendor, its test point by another.

Most come in families: the same gesture or person in several skin colours, combinations of people, flags.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.images import ROOT, distinct, gradients, pixels

SOURCES = (
    ("npm: emoji-datasource-google 16.0.0 (Noto Emoji)", "MIT, images Apache-2.0"),
    ("npm: emoji-datasource-twitter 16.0.0 (Twemoji)", "MIT, images CC BY 4.0"),
    ("pypi: pillow", "MIT-CMU"),
)
FloatArray = NDArray[np.float64]
_FOLDER, _SIZE = ROOT / "node_modules", 16


def recognisers() -> dict[str, Pair]:
    """Colours and gradients."""
    folders = {vendor: _FOLDER / f"emoji-datasource-{vendor}" for vendor in ("twitter", "google")}
    listed = json.loads((folders["google"] / "emoji.json").read_text(encoding="utf-8"))
    every = [form for emoji in listed for form in (emoji, *emoji.get("skin_variations", {}).values())]
    both = [form["image"] for form in every if form["has_img_twitter"] and form["has_img_google"]]
    one, other = (
        np.stack([_image(folder / "img" / vendor / "64" / name) for name in both]) for vendor, folder in folders.items()
    )
    good = distinct(one.mean(axis=3)) & distinct(other.mean(axis=3))
    one, other = one[good], other[good]
    return {"colours": pixels(one, other), "gradients": gradients(one.mean(axis=3), other.mean(axis=3))}


def _image(path: Path) -> FloatArray:
    """Colours on white, brought to one size."""
    from PIL import Image

    image = Image.open(path).convert("RGBA")
    flat = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    return np.asarray(flat.resize((_SIZE, _SIZE), Image.Resampling.BOX), dtype=np.float64) / 255
