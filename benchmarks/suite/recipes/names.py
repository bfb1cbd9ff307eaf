"""Names of things: a class is a thing, its reference the English name, its test points names in four languages.

The names are those of languages, territories, scripts, currencies, variants and cities (of time zones) in the Common
Locale Data Repository, in small letters. Things that share their English name are one class.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.suite.recipes import Pair

SOURCES = (("PyPI: babel 2.18, its copy of the Unicode CLDR", "BSD-3-Clause, Unicode-3.0"),)
_EACH = 4
_FEWEST = 20  # other names of a class
_SEED = 20260419
_KINDS = ("languages", "territories", "scripts", "currencies", "variants")


def recognisers() -> dict[str, Pair]:
    """TF-IDF, and hashed counts of n-grams on their singular vectors."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
    from sklearn.preprocessing import normalize

    data = names()
    tests, references = [name for others in data.values() for name in others[:_EACH]], list(data)
    rarity = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 3)).fit(references)
    hashing = HashingVectorizer(analyzer="char_wb", ngram_range=(1, 4), n_features=2**14, alternate_sign=False)
    hashed = [hashing.transform(texts).sqrt() for texts in (tests, references)]
    svd = TruncatedSVD(128, n_iter=3, random_state=0).fit(hashed[1])
    projected = [normalize(svd.transform(part)) for part in hashed]
    return {
        "TF-IDF": (rarity.transform(tests), rarity.transform(references)),
        "hashed SVD": (projected[0], projected[1]),
    }


def names() -> dict[str, list[str]]:
    """Return the names in other languages that use Latin letters, by English name, in a fixed random order."""
    from babel import Locale
    from babel.localedata import locale_identifiers

    locales = [Locale.parse(name) for name in sorted(locale_identifiers()) if name.split("_")[0] != "en"]
    english = dict(_entries(Locale.parse("en")))
    # English names few cities: the others have the last part of their time zone
    for zone in sorted({zone for locale in locales if locale.territory is None for zone in locale.time_zones}):
        english.setdefault(("cities", zone), zone.split("/")[-1].replace("_", " ").casefold())
    found: dict[str, set[str]] = {name: set() for name in english.values()}
    for locale in locales:
        for key, name in _entries(locale):
            if key in english and name not in (english[key], key[1].casefold()) and _is_latin(name):
                found[english[key]].add(name)
    kept = sorted(name for name, others in found.items() if len(others) >= _FEWEST)
    rng = np.random.default_rng(_SEED)
    order = [kept[index] for index in rng.permutation(len(kept))]
    return {name: rng.permutation(sorted(found[name])).tolist() for name in order}


def _entries(locale: Any) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the kind and code of everything the locale names, and the name."""
    for kind in _KINDS:
        for code, name in getattr(locale, kind).items():
            yield (kind, code), unicodedata.normalize("NFC", name).casefold()
    for zone, names_of_zone in locale.time_zones.items():
        if "city" in names_of_zone:
            yield ("cities", zone), unicodedata.normalize("NFC", names_of_zone["city"]).casefold()


def _is_latin(name: str) -> bool:
    letters = [character for character in name if character.isalpha()]
    return bool(letters) and all("LATIN" in unicodedata.name(character, "") for character in letters)
