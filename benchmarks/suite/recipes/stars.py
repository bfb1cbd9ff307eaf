"""Stars: a class is a star of the Hipparcos catalogue, its reference brightness and colour in one program's catalogue,
its test point those in another's. Both round the same measurements.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator

import numpy as np

from benchmarks.suite.recipes import Pair, euclidean
from benchmarks.suite.recipes.images import ROOT
from benchmarks.suite.recipes.texts import sample

SOURCES = (
    ("debian: stellarium-data 0.22.2 (Hipparcos, ESA)", "GPL-2+"),
    ("npm: d3-celestial 0.7.35 (Hipparcos, by Xhip)", "BSD-3-Clause"),
)
_MOST = 8_000
_HEADER, _STAR, _BRIGHTEST = struct.Struct("<8i"), struct.Struct("<I2iBBH3i"), 3


def recognisers() -> dict[str, Pair]:
    """Distances of both, and of each alone."""
    other = dict(_stellarium())
    listed = json.loads((ROOT / "node_modules/d3-celestial/data/stars.8.json").read_text(encoding="utf-8"))["features"]
    both = [star for star in listed if star["id"] in other and star["properties"]["bv"]]
    both = [both[i] for i in sample(len(both), _MOST)]
    reference = np.array([[float(star["properties"][name]) for name in ("mag", "bv")] for star in both])
    test = np.array([other[star["id"]] for star in both])
    return {
        "brightness and colour": euclidean(test, reference),
        "brightness": euclidean(test[:, :1], reference[:, :1]),
        "colour": euclidean(test[:, 1:], reference[:, 1:]),
    }


def _stellarium() -> Iterator[tuple[int, tuple[float, float]]]:
    """Number in the Hipparcos catalogue, magnitude and colour of the stars in the three catalogues of the brightest."""
    for level in range(_BRIGHTEST):
        data = (ROOT / f"usr/share/stellarium/stars/default/stars_{level}_0v0_8.cat").read_bytes()
        _, kind, _, _, depth, faintest, width, steps = _HEADER.unpack_from(data)
        zones = 20 * 4**depth
        for record in _STAR.iter_unpack(data[_HEADER.size + 4 * zones :]):
            hip, _, _, colour, brightness, *_ = record
            if kind == 0 and hip & 0xFFFFFF:
                magnitude = (faintest + brightness * width / steps) / 1000
                yield hip & 0xFFFFFF, (magnitude, 4 * colour / 127 - 0.5)
