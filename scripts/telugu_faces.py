"""The Telugu faces, and which glyph classes each of them draws correctly.

A font program may be asked for a syllable that it cannot draw, and it will draw something all the same: an
empty box, a dotted circle, a vowel sign beside the letter instead of on it. Those pictures would be labelled
with a class that they do not show, so they are found here and left out.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import PIL
from PIL import Image, ImageDraw, ImageFont

ROOT = Path("/usr/share/fonts/truetype")
RENDER_SIZE = 120  # pixels per em of the master rendering

_LETTERS = "కఖగఘఙచఛజఝఞటఠడఢణతథదధనపఫబభమయరఱలళవశషసహ"
_LETTER_NAMES = "k kh g gh ṅ c ch j jh ñ ṭ ṭh ḍ ḍh ṇ t th d dh n p ph b bh m y r ṟ l ḷ v ś ṣ s h"
_SIGNS = "\u0c3e\u0c3f\u0c40\u0c41\u0c42\u0c43\u0c46\u0c47\u0c48\u0c4a\u0c4b\u0c4c"
_VOWEL_NAMES = "a ā i ī u ū r̥ e ē ai o ō au"  # the first is the vowel of a letter without a sign
_WEIGHTS = "Thin ExtraLight Light Regular Medium SemiBold Bold ExtraBold Black"

CONSONANTS = dict(zip(_LETTERS, _LETTER_NAMES.split(), strict=True)) | {"క్ష": "kṣ"}
SIGNS = dict(zip(["", *_SIGNS], _VOWEL_NAMES.split(), strict=True))
SYLLABLES = {
    consonant + sign: latin + vowel for consonant, latin in CONSONANTS.items() for sign, vowel in SIGNS.items()
}

SIGN_E, SIGN_EE, SIGN_AI, VIRAMA, DOTTED_CIRCLE = "\u0c46", "\u0c47", "\u0c48", "\u0c4d", "\u25cc"
SUBJOINED = "ష"  # in the conjunct it takes another form, below the first letter
HEAD_SIGNS = "\u0c3f\u0c40\u0c46\u0c47\u0c48"  # i, ii, e, ee, ai sit on (or under) the letter, never beside it


@dataclass(frozen=True)
class Family:
    """A type family: its designer, Debian package, licence, and the files of its faces."""

    name: str
    split: str
    designer: str
    package: str
    files: tuple[str, ...]


def _noto(kind: str, prefixes: Iterable[str]) -> tuple[str, ...]:
    weights = _WEIGHTS.split()
    names = (prefix + ("" if prefix and weight == "Regular" else weight) for prefix in prefixes for weight in weights)
    return tuple(f"noto/Noto{kind}Telugu-{name}.ttf" for name in names)


def _family(name: str, split: str, designer: str, package: str, *files: str) -> Family:
    return Family(name, split, designer, package, files)


_GUTHULA, _DARBHA, _DESIKACHARY = "Purushoth Kumar Guthula", "Appaji Ambarisha Darbha", "K. Desikachary"
_VIJAYAM, _EXTRA = "fonts-teluguvijayam", "fonts-telu-extra"

# Training and test families never share a designer, so no test face is a relative of a training face.
FAMILIES = (
    *(
        _family(name, "train", _GUTHULA, _VIJAYAM, f"teluguvijayam/{file}.ttf")
        for name, file in (
            ("Dhurjati", "dhurjati"),
            ("Gidugu", "Gidugu"),
            ("Gurajada", "Gurajada"),
            ("Mallanna", "mallanna"),
            ("Mandali", "Mandali-Regular"),
            ("NATS", "NATS"),
            ("NTR", "NTR"),
            ("Potti Sreeramulu", "PottiSreeramulu"),
            ("Ramabhadra", "ramabhadra"),
            ("Sree Krushnadevaraya", "SreeKrushnadevaraya"),
            ("Suranna", "suranna"),
            ("Suravaram", "Suravaram"),
            ("Syamala Ramana", "SyamalaRamana"),
        )
    ),
    *(
        _family(name, "test", _DARBHA, _VIJAYAM, f"teluguvijayam/{file}.ttf")
        for name, file in (
            ("LakkiReddy", "LakkiReddy"),
            ("Peddana", "Peddana-Regular"),
            ("Ponnala", "Ponnala"),
            ("Ramaraja", "Ramaraja-Regular"),
            ("RaviPrakash", "RaviPrakash"),
            ("Tenali Ramakrishna", "TenaliRamakrishna-Regular"),
            ("Timmana", "TimmanaRegular"),
        )
    ),
    _family("Lohit Telugu", "test", "Lohit Fonts Project", "fonts-lohit-telu", "lohit-telugu/Lohit-Telugu.ttf"),
    _family(
        "Noto Sans Telugu",
        "test",
        "Jelle Bosma (Monotype)",
        "fonts-noto-core, fonts-noto-extra",
        *_noto("Sans", ["", "SemiCondensed", "Condensed", "ExtraCondensed"]),
    ),
    _family(
        "Noto Serif Telugu",
        "test",
        "Jelle Bosma (Monotype)",
        "fonts-noto-core, fonts-noto-extra",
        *_noto("Serif", [""]),
    ),
    _family("Pothana2000", "test", _DESIKACHARY, _EXTRA, "fonts-telu-extra/Pothana2000.ttf"),
    _family("Vemana2000", "test", _DESIKACHARY, _EXTRA, "fonts-telu-extra/vemana2000.ttf"),
)
PACKAGES = ("fonts-telu", _EXTRA, _VIJAYAM, "fonts-lohit-telu", "fonts-noto-core", "fonts-noto-extra")


def missing_files() -> list[str]:
    """Return the font files that are not installed."""
    return [file for family in FAMILIES for file in family.files if not (ROOT / file).is_file()]


class _GlyphInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("glyph", "mask", "cluster", "private_1", "private_2")]


class _GlyphPosition(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int32) for name in ("x_advance", "y_advance", "x_offset", "y_offset", "private")]


class _GlyphExtents(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int32) for name in ("x_bearing", "y_bearing", "width", "height")]


@dataclass(frozen=True)
class Glyph:
    """One shaped glyph: its index in the font and the horizontal extent of its ink, in font units."""

    index: int
    left: int
    right: int


def _load_harfbuzz() -> ctypes.CDLL:
    """Load the HarfBuzz that Pillow itself shapes with, or the system's."""
    bundled = sorted((Path(PIL.__file__).parent.parent / "pillow.libs").glob("libharfbuzz-*"))
    name = os.fspath(bundled[0]) if bundled else ctypes.util.find_library("harfbuzz")
    if name is None:
        raise OSError("HarfBuzz was found neither beside Pillow nor on the system")
    library = ctypes.CDLL(name)
    for function in ("hb_blob_create_from_file", "hb_face_create", "hb_font_create", "hb_buffer_create"):
        getattr(library, function).restype = ctypes.c_void_p
    library.hb_buffer_get_glyph_infos.restype = ctypes.POINTER(_GlyphInfo)
    library.hb_buffer_get_glyph_positions.restype = ctypes.POINTER(_GlyphPosition)
    return library


class Face:
    """One font file: shapes text with HarfBuzz, draws it with Pillow, and judges both."""

    _harfbuzz: ctypes.CDLL | None = None

    def __init__(self, file: str) -> None:
        self.file = file
        path = os.fspath(ROOT / file)
        if Face._harfbuzz is None:
            Face._harfbuzz = _load_harfbuzz()
        library = Face._harfbuzz
        blob = ctypes.c_void_p(library.hb_blob_create_from_file(path.encode()))
        face = ctypes.c_void_p(library.hb_face_create(blob, 0))
        self._font = ctypes.c_void_p(library.hb_font_create(face))
        self._pillow = ImageFont.truetype(path, RENDER_SIZE, layout_engine=ImageFont.Layout.RAQM)

    def nominal(self, character: str) -> int | None:
        """Return the glyph index that the character map gives `character`."""
        glyph = ctypes.c_uint32()
        found = Face._harfbuzz.hb_font_get_nominal_glyph(self._font, ord(character), ctypes.byref(glyph))
        return glyph.value if found else None

    def shape(self, text: str) -> list[Glyph]:
        """Return the glyphs, in visual order, that HarfBuzz chooses for `text`."""
        library, encoded = Face._harfbuzz, text.encode()
        buffer = ctypes.c_void_p(library.hb_buffer_create())
        library.hb_buffer_add_utf8(buffer, encoded, len(encoded), 0, len(encoded))
        library.hb_buffer_guess_segment_properties(buffer)
        library.hb_shape(self._font, buffer, None, 0)
        count = ctypes.c_uint()
        infos = library.hb_buffer_get_glyph_infos(buffer, ctypes.byref(count))
        positions = library.hb_buffer_get_glyph_positions(buffer, ctypes.byref(count))
        glyphs, pen = [], 0
        for info, position in zip(infos[: count.value], positions[: count.value], strict=True):
            extents = _GlyphExtents()
            library.hb_font_get_glyph_extents(self._font, info.glyph, ctypes.byref(extents))
            left = pen + position.x_offset + extents.x_bearing
            glyphs.append(Glyph(info.glyph, left, left + extents.width))
            pen += position.x_advance
        library.hb_buffer_destroy(buffer)
        return glyphs

    def draw(self, text: str) -> np.ndarray:
        """Return the ink of `text` as a boolean array, cropped to its bounding box (0 x 0 if there is none)."""
        left, top, right, bottom = self._pillow.getbbox(text, language="te")
        margin = RENDER_SIZE // 4
        image = Image.new("L", (int(right - left) + 2 * margin, int(bottom - top) + 2 * margin))
        ImageDraw.Draw(image).text((margin - left, margin - top), text, fill=255, font=self._pillow, language="te")
        ink = np.asarray(image) >= 128
        rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
        return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if rows.size else ink[:0, :0]

    @cached_property
    def faults(self) -> dict[str, str]:
        """Reason to leave out, for every syllable that this face does not draw correctly."""
        reasons = {text: reason for text in SYLLABLES if (reason := self.shaping_fault(text)) is not None}
        drawn = {text: self.draw(text) for text in SYLLABLES if text not in reasons}
        reasons |= {text: "empty" for text, ink in drawn.items() if not ink.any()}
        return reasons | dict.fromkeys(sorted(_look_alikes(drawn)), "drawn like another class")

    def shaping_fault(self, text: str) -> str | None:
        """Return what is wrong with the glyphs that HarfBuzz chooses for `text`, or None."""
        glyphs = self.shape(text)
        indices = [glyph.index for glyph in glyphs]
        if 0 in indices:
            return "missing glyph (empty box)"
        if self.nominal(DOTTED_CIRCLE) in indices:
            return "dotted circle"
        if VIRAMA in text and {self.nominal(VIRAMA), self.nominal(SUBJOINED)} & set(indices):
            return "conjunct not formed"
        sign = text[-1]
        if sign not in HEAD_SIGNS:
            return None
        if any((glyph.left + glyph.right) / 2 > glyphs[0].right for glyph in glyphs[1:] if glyph.right > glyph.left):
            return "split mark (beside the letter)"
        stem = text[:-1]
        bare = self.shape(stem)[0].index
        if sign in (SIGN_E, SIGN_AI) and indices[0] == bare and self.shape(stem + SIGN_EE)[0].index != bare:
            return "sign over the head stroke that it should replace"
        return None


def _look_alikes(drawn: dict[str, np.ndarray]) -> set[str]:
    """Return the syllables whose drawings coincide, at 99 % of the ink, with that of another syllable."""
    found: set[str] = set()
    texts = [text for text, ink in drawn.items() if ink.any()]
    for position, first in enumerate(texts):
        one = drawn[first]
        for second in texts[position + 1 :]:
            two = drawn[second]
            if max(abs(one.shape[0] - two.shape[0]), abs(one.shape[1] - two.shape[1])) > 1:
                continue
            height, width = min(one.shape[0], two.shape[0]), min(one.shape[1], two.shape[1])
            a, b = one[:height, :width], two[:height, :width]
            if (a & b).sum() >= 0.99 * (a | b).sum():
                found |= {first, second}
    return found
