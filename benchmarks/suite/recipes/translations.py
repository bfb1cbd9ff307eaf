"""Dictionary entries across languages: a class is an English word, its reference the word for it in one language, its
test point the word in a related language.
"""

from __future__ import annotations

import gzip
import re

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.images import ROOT
from benchmarks.suite.recipes.texts import projected, rarity, sample

SOURCES = (("debian: dict-freedict-eng-{nld,deu,spa,por,fra,ita,swe,dan} 2022.04.21", "GPL-2+, GPL-3+"),)
_PAIRS = (("nld", "deu"), ("por", "spa"), ("fra", "ita"), ("swe", "dan"))
_MOST, _FEWEST = 6_000, 1_000


def recognisers() -> dict[str, Pair]:
    """One recogniser for each pair of languages that shares enough words; strings of one to three letters."""
    found = {}
    for one, other in _PAIRS:
        here, there = _dictionary(one), _dictionary(other)
        common, seen = [], set()
        for word in sorted(here.keys() & there.keys()):
            if here[word].lower() not in seen:
                seen.add(here[word].lower())
                common.append(word)
        if len(common) < _FEWEST:
            continue
        chosen = [common[i] for i in sample(len(common), _MOST)]
        pair = rarity([there[w] for w in chosen], [here[w] for w in chosen], analyzer="char_wb", ngrams=(1, 3))
        found[f"{other} as {one}"] = pair
    first = next(iter(found))
    found[f"{first}, SVD"] = projected(found[first])
    return found


def _dictionary(language: str) -> dict[str, str]:
    """First translation of every English headword of one word."""
    base = ROOT / "usr/share/dictd" / f"freedict-eng-{language}"
    text = gzip.decompress(base.with_suffix(".dict.dz").read_bytes())
    out: dict[str, str] = {}
    for line in base.with_suffix(".index").read_text(encoding="utf-8").splitlines():
        word, start, length = line.split("\t")[:3]
        if not re.fullmatch(r"[a-z]+", word):
            continue
        lines = text[_number(start) : _number(start) + _number(length)].decode("utf-8").splitlines()[1:]
        for entry in lines:
            plain = re.sub(r"<[^>]*>|\([^)]*\)|\[[^]]*\]|^\s*\d+\.", "", entry).split(",")[0].split(";")[0].strip()
            if re.fullmatch(r"[^\W\d_]{3,}", plain):
                out.setdefault(word, plain)
                break
    return out


def _number(code: str) -> int:
    """A number in the digits of dictd."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    value = 0
    for character in code:
        value = value * 64 + digits.index(character)
    return value
