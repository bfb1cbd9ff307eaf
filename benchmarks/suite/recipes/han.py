"""Chinese characters: a class is a character drawn in one font, its test point the same character in another font."""

from __future__ import annotations

import numpy as np

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.images import covered, distinct, drawn, gradients, pixels

SOURCES = (
    ("debian: fonts-arphic-ukai 0.2.20080216.2", "Arphic Public License"),
    ("debian: fonts-arphic-uming 0.2.20080216.2", "Arphic Public License"),
    ("debian: fonts-wqy-zenhei 0.9.45", "GPL-2 with font exception"),
    ("pypi: pillow, fonttools", "MIT"),
)
_KAI, _MING, _HEI = "truetype/arphic/ukai.ttc", "truetype/arphic/uming.ttc", "truetype/wqy/wqy-zenhei.ttc"
_MOST, _SIZE = 9_000, 16


def recognisers() -> dict[str, Pair]:
    """Pixels for two pairs of fonts, gradients for a third."""
    common = covered(_KAI) & covered(_MING) & covered(_HEI) & set(range(0x4E00, 0x9FA6))
    chosen = sorted(np.random.default_rng(0).permutation(sorted(common))[:_MOST])
    characters = [chr(code) for code in chosen]
    kai, ming, hei = (drawn(font, characters, _SIZE) for font in (_KAI, _MING, _HEI))
    good = distinct(kai) & distinct(ming) & distinct(hei)
    kai, ming, hei = kai[good], ming[good], hei[good]
    return {
        "pixels, kai as ming": pixels(kai, ming),
        "pixels, hei as ming": pixels(hei, ming),
        "gradients, kai as hei": gradients(kai, hei),
    }
