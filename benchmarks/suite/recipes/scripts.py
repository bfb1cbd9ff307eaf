"""Signs of large scripts other than Han: a class is a sign drawn in one font, its test point the same sign in another.

Yi, Ethiopic, Canadian syllabics, Vai, Bamum, Cuneiform, Linear A and B, Anatolian and Egyptian hieroglyphs.
"""

from __future__ import annotations

import numpy as np

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.images import covered, distinct, drawn, gradients, pixels

SOURCES = (
    ("debian: fonts-noto-core 20201225", "OFL-1.1"),
    ("debian: fonts-unifont 15.0.01", "GPL-2+ with font exception, OFL-1.1"),
    ("debian: fonts-sil-nuosusil 2.200, fonts-sil-abyssinica 2.100", "OFL-1.1"),
    ("pypi: pillow, fonttools", "MIT"),
)
_NOTO = "truetype/noto/NotoSans{}-Regular.ttf"
_BITMAP = ("opentype/unifont/unifont.otf", "opentype/unifont/unifont_upper.otf")
_SCRIPTS = ("Yi", "Ethiopic", "CanadianAboriginal", "Vai", "Bamum", "Cuneiform", "LinearA", "LinearB")
_SCRIPTS += ("AnatolianHieroglyphs", "EgyptianHieroglyphs")
_SIZE = 16


def recognisers() -> dict[str, Pair]:
    """Pixels and gradients of all scripts; pixels of Yi and Ethiopic in a third font."""
    outline, bitmap = [], []
    for script in _SCRIPTS:
        for other in _BITMAP:
            common = covered(_NOTO.format(script)) & covered(other)
            characters = [chr(code) for code in sorted(common) if code > 0x1000]
            outline.append(drawn(_NOTO.format(script), characters, _SIZE))
            bitmap.append(drawn(other, characters, _SIZE))
    reference, test = np.concatenate(outline), np.concatenate(bitmap)
    good = distinct(reference) & distinct(test)
    reference, test = reference[good], test[good]
    third = _third()
    return {
        "pixels": pixels(test, reference),
        "gradients": gradients(test, reference),
        "pixels, Yi and Ethiopic": pixels(*third),
    }


def _third() -> Pair:
    pairs = []
    for script, font in (
        ("Yi", "truetype/nuosusil/NuosuSIL-Regular.ttf"),
        ("Ethiopic", "truetype/abyssinica/AbyssinicaSIL-Regular.ttf"),
    ):
        common = covered(_NOTO.format(script)) & covered(font)
        characters = [chr(code) for code in sorted(common) if code > 0x1000]
        pairs.append([drawn(name, characters, 8) for name in (font, _NOTO.format(script))])
    test, reference = (np.concatenate([pair[i] for pair in pairs]) for i in (0, 1))
    good = distinct(reference) & distinct(test)
    return test[good], reference[good]
